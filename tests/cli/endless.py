#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""endless.py VSPE GUESTS: a guest that gives a device the largest requests that there are, one queue of them after the
other, ends when --timeout or a signal says so. Not at once on a busy host, but before the first of its queues is done."""
import os
import signal
import subprocess
import sys
import tempfile
import time

VSPE, GUESTS = sys.argv[1:3]
GUEST = os.path.join(GUESTS, "virtio.elf")
HOLE = 300 << 30
MOST = 15  # seconds; eight reads of 1 GiB take longer, and so do 8 x 64 KiB of lines that are read slowly
KINDS = {2: ("a snapshot", ["--disk", "{hole},snapshot"]), 4: ("numbers", ["--rng"]), 3: ("a console", ["--console", "virtio"])}


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as work:
        hole = os.path.join(work, "hole")
        with open(hole, "wb") as file:
            file.truncate(HOLE)
        for number, (name, options) in KINDS.items():
            for how, timeout in (("--timeout", "1"), ("SIGTERM", "100")):
                words = [VSPE, "run", "-m", "1024", "--timeout", timeout, "-p", f"endless={number}",
                         *(word.format(hole=hole) for word in options), GUEST]
                start = time.monotonic()
                with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
                    if how == "SIGTERM":
                        time.sleep(1)
                        run.send_signal(signal.SIGTERM)
                    try:
                        out, err = run.communicate(timeout=1 + MOST)
                    except subprocess.TimeoutExpired:
                        run.kill()
                        out, err = run.communicate()
                good = run.returncode == (124 if how == "--timeout" else -signal.SIGTERM)
                failures += not good
                print(f"{'' if good else 'not '}ok - {name}, {how}: exit code {run.returncode}, "
                      f"{time.monotonic() - start - 1:.1f} s later")
                if not good:
                    print(out[-500:], err[-500:])
    sys.exit(failures > 0)


main()
