#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""tests/linux/machine.py VSPE MACHINE [SEEDS]: what Linux makes of the machine: seeds, clock, features, its end.

The arm64 kernel that VSPE_LINUX_IMAGE names, or else Debian's, starts MACHINE (machine.c). SEEDS seeds (3 by
default) are booted twice each; every second seed is saved in the middle and restored. The console is the same both
times; each seed has other random numbers and another place of the kernel. The kernel prints no warnings. The
features that it reports to programs are those of its ID registers, with the CPU without options and with all of
--isa. --no-reboot ends at its reset, and vspe reports its panic.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

VSPE, INIT = sys.argv[1:3]
SEEDS = int(sys.argv[3]) if len(sys.argv) > 3 else 3
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FAILED = []
SAVED = 4  # the exit code
OPERATIONS = 849_000_000  # of a boot, about: what is saved is saved somewhere in it

# What Linux calls features: the field of an ID register, and the first value that has it (Arm ARM D24.2;
# Linux, Documentation/arch/arm64/elf_hwcaps.rst). With 0xf, any other value has it.
FEATURES = {
    "ID_AA64PFR0_EL1": {"fp": (16, -1), "asimd": (20, -1), "fphp": (16, 1), "asimdhp": (20, 1), "sve": (32, 1), "dit": (48, 1)},
    "ID_AA64PFR1_EL1": {"bti": (0, 1), "ssbs": (4, 2), "mte": (8, 2)},
    "ID_AA64ISAR0_EL1": {"aes": (4, 1), "pmull": (4, 2), "sha1": (8, 1), "sha2": (12, 1), "sha512": (12, 2), "crc32": (16, 1),
                         "atomics": (20, 2), "lse128": (20, 3), "asimdrdm": (28, 1), "sha3": (32, 1), "sm3": (36, 1), "sm4": (40, 1),
                         "asimddp": (44, 1), "asimdfhm": (48, 1), "flagm": (52, 1), "flagm2": (52, 2), "rng": (60, 1)},
    "ID_AA64ISAR1_EL1": {"dcpop": (0, 1), "dcpodp": (0, 2), "paca": (4, 1), "pacg": (24, 1), "jscvt": (12, 1), "fcma": (16, 1), "lrcpc": (20, 1),
                         "ilrcpc": (20, 2), "lrcpc3": (20, 3), "frint": (32, 1), "sb": (36, 1), "bf16": (44, 1), "i8mm": (52, 1)},
    "ID_AA64MMFR0_EL1": {"ecv": (60, 1)},
    "ID_AA64MMFR1_EL1": {"afp": (44, 1)},
    "ID_AA64MMFR2_EL1": {"uscat": (32, 1)},
}
ALWAYS = {"evtstrm", "cpuid"}  # of no register
ISA = {"aes": "aes", "pmull": "pmull", "sha1": "sha1", "sha256": "sha2", "rdm": "asimdrdm", "dotprod": "asimddp",
       "fp16": "fphp", "lrcpc": "lrcpc"}
LINE = re.compile(r"(random|kernel) [0-9a-f]{16,64}|date \d+|features [a-z0-9 ]*|ID_AA64\w+ [0-9a-f]{16}|"
                  r"\[ *\d+\.\d+\] reboot: Power down")


def check(name, good, console=""):
    print(f"{'ok' if good else 'not ok'} - {name}", flush=True)
    if not good:
        FAILED.append(name)
        print("".join(f"# {line}\n" for line in console.splitlines()[-40:]), end="")


def image(folder):
    if os.environ.get("VSPE_LINUX_IMAGE"):
        return os.environ["VSPE_LINUX_IMAGE"]
    done = subprocess.run([os.path.join(TOP, "tools/debian-kernel.sh"), os.path.join(TOP, "build/debian")],
                          capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode:
        print("SKIP: " + (done.stderr.splitlines() or ["no kernel"])[-1])
        sys.exit(77)
    return done.stdout.strip()


def run(options, name=None, timeout=300):
    """Exit code, console and messages; name: the argument of init, if it is a boot."""
    boot = [] if name is None else ["--initrd", "initrd", "--params",
                                    f"console=ttyAMA0 panic=-1 loglevel=5 -- {name}", "kernel"]
    done = subprocess.run([VSPE, "run", "--mem", "256", "--timeout", str(timeout), *options, *boot] if boot else
                          [VSPE, "run", "--timeout", str(timeout), *options],
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return done.returncode, done.stdout.decode(errors="replace").replace("\r", ""), done.stderr.decode(errors="replace")


def value(console, word):
    found = re.search(rf"^{word} (.*)$", console, re.MULTILINE)
    return found[1] if found else ""


def quiet(console):
    """The kernel itself prints nothing: it would be a warning."""
    return all(LINE.fullmatch(line) for line in console.splitlines())


def seeds(folder):
    draw = random.Random(15)
    seen = set()
    for i in range(SEEDS):
        seed = draw.getrandbits(64)
        code, console, _ = run(["--seed", str(seed)], "-")
        if i % 2:
            saved = os.path.join(folder, "saved")
            at = draw.randrange(OPERATIONS // 10, OPERATIONS)
            first, again, _ = run(["--seed", str(seed), "--save", saved, "--save-at", str(at)], "-")
            second, rest, _ = run(["--restore", saved])
            good, how, again = (first, second) == (SAVED, 0), f"saved at {at}", again + rest
        else:
            good, again, _ = run(["--seed", str(seed)], "-")
            good, how = good == 0, "again"
        check(f"seed {seed:#x}, {how}: the same", code == 0 and good and console == again, console + again)
        check("... nothing but what it was asked for", quiet(console), console)
        seen |= {value(console, "random"), value(console, "kernel")}
        check("... the clock begins where --rtc says", value(console, "date").startswith("17672256"), console)  # 2026-01-01
    check("each seed has its own random numbers and place", len(seen) == 2 * SEEDS and "" not in seen, str(seen))


def expected(console):
    """The features that the ID registers report."""
    found = set(ALWAYS)
    for register, fields in FEATURES.items():
        bits = int(value(console, register) or "0", 16)
        for name, (shift, least) in fields.items():
            field = bits >> shift & 15
            if field != 15 if least < 0 else field != 15 and field >= least:
                found.add(name)
    return found


def features():
    for options, words in (["--cpus", "1"], ()), (["--cpus", "4", "--el", "2", "--isa", ",".join(ISA)], ISA.values()):
        code, console, _ = run(options, "-")
        told = set(value(console, "features").split())
        name = " ".join(options)
        check(f"{name}: features are those of the ID registers", code == 0 and told == expected(console),
              console + "\n" + " ".join(told ^ expected(console)))
        check("... and of --isa", set(words) <= told and ("aes" in told) == ("aes" in words), console)
        check("... nothing but what it was asked for", quiet(console), console)


def ends():
    code, console, messages = run(["--no-reboot"], "reset")
    check("--no-reboot ends at a reset", code == 0 and "ended by the guest's reset" in messages and
          console.count("random ") == 1, console + messages)
    code, console, messages = run(["--no-reboot"], "panic")
    check("a panic is told", code == 1 and "Kernel panic - not syncing: Attempted to kill init!" in console and
          "vspe: the guest's kernel has panicked: Attempted to kill init!" in messages, console + messages)


with tempfile.TemporaryDirectory() as work:
    VSPE, INIT = os.path.abspath(VSPE), os.path.abspath(INIT)
    os.symlink(image(work), os.path.join(work, "kernel"))
    os.chdir(work)
    with open("initrd", "wb") as made:
        subprocess.run(["bash", "-c", '. "$1"; for f in dev proc sys; do cpio_folder $f; done; cpio_program init "$2"; cpio_end',
                        "initrd", os.path.join(TOP, "tests/linux/initrd.sh"), INIT], stdout=made, check=True)
    seeds(work)
    features()
    ends()
sys.exit(bool(FAILED))
