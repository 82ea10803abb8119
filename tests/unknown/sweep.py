#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""sweep.py VSPE GUESTS LIST FIRST COUNT [EVERY [PATTERN]]: run the guests of guests.list that vspe runs by itself, each with
`--unknown` by COUNT seeds from FIRST on, EVERY seeds to a row: the first row has FIRST, FIRST + EVERY ..., the second FIRST + 1 ...,
so that all rows and all seeds come in turn. A guest passes as it does without: exit code 0, the plan of its row, and no more skips.
PATTERN: only rows whose name it matches. Prints a line for each failure with the command, and last how many runs there were.
"""
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys


def rows(path, pattern):
    """(name, image, plan, skips, seconds, arguments) of each row that is on vspe."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            words = line.split("#")[0].split(None, 6)
            if len(words) >= 6 and words[1] == "vspe" and re.search(pattern, words[0]):
                name, _, image, plan, skips, seconds = words[:6]
                yield name, image, int(plan), int(skips), int(seconds), shlex.split(words[6]) if len(words) > 6 else []


def judge(output, code, plan, skips):
    """What is wrong with a run, or None."""
    failed = re.findall(r"^not ok .*", output, re.M)
    if failed:
        return failed[0]
    if code != 0:
        return f"exit code {code}"
    tests = re.findall(r"^ok \d+.*", output, re.M)
    if len(tests) != plan:
        return f"{len(tests)} tests of {plan}"
    skipped = sum("# SKIP" in test for test in tests)
    return f"{skipped} skips, not {skips}" if skipped > skips else None


def run(vspe, guests, row, seed):
    name, image, plan, skips, seconds, arguments = row
    file = os.path.join(guests, image if image.endswith(".elf") else image + ".Image")
    command = [vspe, "run", "--tap", "--timeout", str(seconds), "--unknown", str(seed), *arguments, file]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=10 * seconds + 60)
    output = done.stdout.decode(errors="replace").replace("\r", "")
    wrong = judge(output, done.returncode, plan, skips)
    if not wrong:
        return None
    last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
    return f"{name}: {wrong}: {shlex.join(command)}\n    {' '.join(last)}"


def main():
    vspe, guests, path, first, count = sys.argv[1:6]
    every = int(sys.argv[6]) if len(sys.argv) > 6 else 1
    chosen = list(rows(path, sys.argv[7] if len(sys.argv) > 7 else ""))
    jobs = [(row, int(first) + seed) for n, row in enumerate(chosen) for seed in range(n % every, int(count), every)]
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("VSPE_CORES", "2"))) as pool:
        for failure in pool.map(lambda job: run(vspe, guests, *job), jobs):
            if failure:
                failures += 1
                print(failure, flush=True)
    print(f"{len(jobs)} runs of {len(chosen)} guests, {failures} failures")
    return failures != 0 or not jobs


sys.exit(main())
