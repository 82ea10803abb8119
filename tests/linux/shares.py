#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""shares.py VSPE GUESTS MODEL_MD [--write]: where loads come from, in per cent of their samples, is the same with --model warm as with --model
full, or off by at most two points: of eight loops on the bare machine, and of four of Debian's programs, whose machine is saved without a model
while they are at work. The table in docs/model.md has the shares of warm, which may be off by as much, and by how much warm and full differ. --write puts it there."""
import collections
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

VSPE, GUESTS, PAGE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(sys.argv[3])
GUEST = Path(__file__).resolve().parents[2] / "tools" / "linux-guest"
MOST = 2  # points
SOURCES = ("L1D", "L2", "system cache", "DRAM")
FEWEST = 1000  # samples of loads
# Iterations of the kernels of guests/bench: about 10^7 operations.
LOOPS = {"bytecode": 100000, "crc_sha": 160, "float": 11200, "memcpy": 140, "simd": 1600, "tree": 80000}
# Strides of the guest chase, in bytes: its lines fill caches, or the TLB.
CHASES = {"chase": 64, "far-chase": 4160}
SAVED_AT = 2500000000  # operations: the guest has booted, and perf records the program
OPERATIONS = 20000000  # that it goes on for
PROGRAMS = {"gzip": "gzip -c data >/dev/null", "sort": "sort -n numbers >/dev/null", "sha256sum": "sha256sum data >/dev/null",
            "awk": "awk '{n[$2 % 4099] += $1} END {print n[7]}' numbers >/dev/null"}
SCRIPT = """cd /tmp
head -c 3000000 /usr/bin/perf >data
seq 1 60000 | awk '{{print ($1 * 7919) % 60013, $1}}' >numbers
exec perf record -q -o /dev/null -e arm_spe_0/period=256,load_filter=1/u -- sh -c "while :; do {program}; done"
"""


def run(*words, codes=(0,)):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, timeout=600)
    if done.returncode not in codes:
        sys.exit(f"not ok - {' '.join(map(str, words))}: exit code {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def shares(data):
    """How many loads have a source, and the share of each source, in per cent."""
    rows = json.loads(run(VSPE, "report", "--json", data))["sources"]["rows"]
    total = sum(row["samples"] for row in rows)
    return total, collections.Counter({row["source"]: 100 * row["samples"] / total for row in rows})


def loop(folder, name, mode):
    words = [VSPE, "run", "--timeout", 300, "--model", mode, "--perf-data", folder / "data"]
    if name in CHASES:
        run(*words, "-m", 512, "-p", f"large=67108864 loads=100000 stride={CHASES[name]}", GUESTS / "chase.Image")
    else:
        run(*words, "-p", f"iterations={LOOPS[name]} spe=512", GUESTS / f"bench/{name}.Image")
    return shares(folder / "data")


def save(folder, name):
    """A machine in which it is at work."""
    (folder / "guest.sh").write_text(SCRIPT.format(program=PROGRAMS[name].replace("$", "\\$")))
    run(GUEST, "run", "--vspe", VSPE, "--spe", "lds", "--timeout", 300, "--save", folder / "image", "--save-at", SAVED_AT,
        "--add", f"{folder / 'guest.sh'}:/root/guest.sh", "--", "bash", "/root/guest.sh", codes=(4, 125))


def program(folder, mode):
    run(VSPE, "run", "--restore", folder / "image", "--model", mode, "--timeout", 300, "--perf-data", folder / "data", "--save", folder / "end",
        "--save-at", SAVED_AT + OPERATIONS, codes=(4,))
    return shares(folder / "data")


def compare(name, warm, full):
    """The most that a share is off, in points."""
    off = max((abs(warm[1][source] - full[1][source]) for source in warm[1] | full[1]), default=0)
    good = off <= MOST and min(warm[0], full[0]) >= FEWEST
    levels = ", ".join(f"{source} {warm[1][source]:.2f} and {full[1][source]:.2f}" for source in sorted(warm[1] | full[1]))
    print(f"{'ok' if good else 'not ok'} - {name}: {off:.2f} points; {warm[0]} and {full[0]} loads, warm and full: {levels}", flush=True)
    return good, off, "/".join(f"{warm[1][source]:.1f}" for source in SOURCES)


def near(cell, now):
    """Are all shares of a cell of the page what they are now, or off by MOST?"""
    numbers = cell.split("/")
    return len(numbers) == len(SOURCES) and all(abs(float(a) - float(b)) <= MOST for a, b in zip(numbers, now.split("/")))


def read_page(found):
    """The page as it has to be, and the names on it whose shares are others."""
    page = text = PAGE.read_text()
    other = []
    for name, (_, _, now) in found.items():
        row = re.search(rf"(?<!\S){name} +([0-9.]+(?:/[0-9.]+)+)( *)", text)
        if not row or not near(row[1], now):
            other.append(name)
        if row:
            # The columns stay where they are.
            text = text[:row.start(1)] + now + " " * max(len(row[1] + row[2]) - len(now), bool(row[2])) + text[row.end():]
    most = f"{max(off for _, off, _ in found.values()):.1f}"
    said = re.search(r"(`full` differs\s+by at\s+most )([0-9.]+) points", page)
    if not said or said[2] != most:
        other.append("the difference")
    return re.sub(r"(`full` differs\s+by at\s+most )[0-9.]+", rf"\g<1>{most}", text), other


def main():
    image = subprocess.run([GUEST, "image"], capture_output=True, text=True)
    if image.returncode:
        print("SKIP:", (image.stderr.strip() or "no image").splitlines()[-1])
        sys.exit(77)
    found = {}
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        for name in [*LOOPS, *CHASES]:
            found[name] = compare(name, loop(folder, name, "warm"), loop(folder, name, "full"))
        for name in PROGRAMS:
            save(folder, name)
            found[name] = compare(name, program(folder, "warm"), program(folder, "full"))
    text, other = read_page(found)
    print(f"{'not ok' if other else 'ok'} - the page has these shares" + (f", but not of {', '.join(other)}" if other else ""))
    if "--write" in sys.argv:
        PAGE.write_text(text)
    sys.exit(bool(other) or not all(good for good, _, _ in found.values()))


if __name__ == "__main__":
    main()
