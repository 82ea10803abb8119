#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""parallel.py VSPE PART: processes on several CPUs of a Linux guest execute at the same time. As many as share the work
of PART (part.S) make it end so many times sooner, and perf's samples of each are as many as in the time that it takes.
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
GUEST = os.path.join(TOP, "tools/linux-guest")
NEAR = 0.03  # Linux starts the processes one after the other, and may move them
PERIOD = 100000  # of perf, in operations: ns


def main():
    vspe, part = sys.argv[1:]
    image = subprocess.run([GUEST, "image"], capture_output=True, text=True, check=False)
    if image.returncode != 0:
        print("SKIP:", image.stderr.strip().splitlines()[-1])
        return 77
    guest = subprocess.run([GUEST, "run", "--vspe", vspe, "--model", "off", "--cpus", "8", "--timeout", "300",
                            "--add", part + ":/root/part", "--add", os.path.join(HERE, "parallel_guest.sh"),
                            "--", "bash", "/root/parallel_guest.sh"], capture_output=True, text=True, check=False)
    print(guest.stdout, guest.stderr)
    taken = {int(n): float(s) for n, s in re.findall(r"^(\d) CPUs: ([0-9.]+) s", guest.stdout, re.M)}
    samples = re.findall(r"^process: (\d+) samples in ([0-9.]+) s", guest.stdout, re.M)
    wrong = guest.returncode != 0 or sorted(taken) != [1, 2, 4, 8]
    for cpus, seconds in taken.items():
        share = taken[1] / cpus
        if abs(seconds - share) > NEAR * share:
            print(f"not ok - {cpus} CPUs: {seconds} s, not {share:.3f}")
            wrong = True
    if len(samples) != 8:
        print(f"not ok - samples of {len(samples)} processes, not of 8")
        wrong = True
    for count, seconds in samples:
        own = int(count) * PERIOD / 1e9
        if abs(float(seconds) - own) > NEAR * own:
            print(f"not ok - {count} samples in {seconds} s, not in {own:.3f}")
            wrong = True
    return wrong


if __name__ == "__main__":
    sys.exit(main())
