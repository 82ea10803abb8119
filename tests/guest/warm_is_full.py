#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""warm_is_full.py VSPE GUESTS: guests print the same with --model warm and with --model full, and the machine models count as many misses.
Nothing is sampled: with full, collisions change the records."""
import json
import subprocess
import sys
from pathlib import Path

VSPE, GUESTS = sys.argv[1], Path(sys.argv[2])
RUNS = (("faults", 1), ("hostile", 1), ("nv", 1), ("pauth", 1), ("platform", 1), ("smp", 3), ("traps", 1), ("wide", 1))


def run(guest, cpus, mode):
    """The console, and the model's counts that are of misses: those of warm."""
    words = [VSPE, "run", "--no-spe", "--cpus", str(cpus), "--model", mode, "--stats=json", "--timeout", "300", GUESTS / f"{guest}.elf"]
    ended = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    counts = json.loads(next(line for line in ended.stderr.splitlines() if line.startswith("{")))
    return ended.stdout, {name: value for name, value in counts.items() if name.isupper()}


def main():
    failed = 0
    for guest, cpus in RUNS:
        (console, warm), (other, full) = run(guest, cpus, "warm"), run(guest, cpus, "full")
        differ = {name: (count, full[name]) for name, count in warm.items() if full[name] != count}
        good = console == other and not differ and warm["L1D_CACHE_REFILL"] > 0
        print(f"{'ok' if good else 'not ok'} - {guest} on {cpus}: {len(warm)} counts, and the console" + (f": {differ}" if not good else ""))
        failed += not good
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
