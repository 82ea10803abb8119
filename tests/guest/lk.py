#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""lk.py VSPE LK.ELF [OPTION...]: boot Little Kernel on the software CPU and let it pass its own unit tests.

A system without Linux code: its own MMU, GIC, timer and scheduler code, on one to eight CPUs. LK.ELF comes from its source
(https://github.com/littlekernel/lk), with Debian's gcc-aarch64-linux-gnu and g++-aarch64-linux-gnu:

    echo 'GLOBAL_COMPILEFLAGS += -U__linux__ -Ulinux -fno-stack-protector -fno-pic -fno-pie -mno-outline-atomics' \\
        >> project/qemu-virt-arm64-test.mk
    make PROJECT=qemu-virt-arm64-test ARCH_arm64_TOOLCHAIN_PREFIX=aarch64-linux-gnu-

OPTION is for `vspe run`. Exit code: 0 if every test passed, 1 if not, 2 for wrong use.
"""
import os
import re
import selectors
import subprocess
import sys

READY = b"entering main console loop"
END = re.compile(rb"CASES: +(\d+) +SUCCESS: +(\d+) +FAILED: +(\d+)")
LIMIT = 300  # seconds without a byte of output: it hangs


def talk(process):
    """The output until the tests have ended, or until there is no more of it. They are called when LK listens."""
    out, asked = b"", False
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while not END.search(out) and selector.select(LIMIT):
            text = os.read(process.stdout.fileno(), 65536)
            if not text:
                break
            out += text
            if READY in out and not asked:
                process.stdin.write(b"ut all\r")
                process.stdin.flush()
                asked = True
    return out


def main():
    if len(sys.argv) < 3 or not os.path.isfile(sys.argv[2]):
        print("lk.py: VSPE and LK.ELF, which is Little Kernel's, are needed", file=sys.stderr)
        return 2
    vspe, image, *rest = sys.argv[1:]
    with subprocess.Popen([vspe, "run", "-m", "512", *rest, image], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        out = talk(process)
        process.terminate()
    end = END.search(out)
    passed = len(re.findall(rb"\[PASSED\]", out))
    if not end or end[1] != end[2] or int(end[3]) or int(end[1]) == 0:
        print(out.decode(errors="replace")[-3000:])
        print(f"not ok - {image}: {end[0].decode() if end else 'the tests did not end'}")
        return 1
    print(f"ok - {int(end[1])} groups of tests, {passed} passed")
    return 0


sys.exit(main())
