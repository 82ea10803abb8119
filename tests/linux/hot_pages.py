#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""hot_pages.py VSPE HOT_PAGES: how well SPE ranks pages. HOT_PAGES (hot_pages.c) reads 16384 pages of slow memory, and counts each
read; perf samples it with several intervals, all loads and those that missed the last level. A table says what the samples of each
are worth: the most read pages by samples against the most read ones, and the ranks of all pages."""
import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

VSPE, PROGRAM = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
GUEST = Path(__file__).resolve().parents[2] / "tools" / "linux-guest"
LOADS, PAGES, PAGE = 16000000, 16384, 4096
PERIODS = (256, 1024, 4096, 16384)
TOPS = (64, 4096)
ARRAY, DRAM = 0x100000000, 0xe
# Nothing is near: the program is on CPU 0, and its pages are in the node without CPUs.
MACHINE = ["--mem", "1536", "--numa", "cpus=0,latency=500", "--cpu", "neoverse-n1", "--spe", "archinst,interval=256", "--model", "warm"]
SCRIPT = """
for period in {periods}; do
	perf record -q -m 1M,64M -o /tmp/$period -e arm_spe_0/period=$period,jitter=1,load_filter=1/u -- /root/hot_pages {loads} /tmp/counts >/dev/null 2>&1
done
"""


def ranks(values):
    """The rank of each value, from 0 on; equal ones have their mean."""
    order = sorted(range(len(values)), key=values.__getitem__)
    result, first = [0.0] * len(values), 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for at in order[first:last + 1]:
            result[at] = (first + last) / 2
        first = last + 1
    return result


def correlation(a, b):
    """Spearman's: that of the ranks."""
    a, b = ranks(a), ranks(b)
    mean = (len(a) - 1) / 2
    over = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    under = sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)
    return over / under ** 0.5 if under else 0.0


def top(values, count):
    """Those with the largest values, but none with 0."""
    return set(sorted(filter(values.__getitem__, range(len(values))), key=lambda n: (-values[n], n))[:count])


def sampled(profile, missed):
    """Samples of each page of the array: of all loads, or of those that missed the last level."""
    counts = [0] * PAGES
    decoded = subprocess.run([VSPE, "decode", "--json", profile], check=True, capture_output=True, text=True).stdout
    for line in decoded.splitlines():
        record = json.loads(line)
        page = (int(record.get("data_va", "0"), 0) - ARRAY) // PAGE
        if 0 <= page < PAGES and (not missed or record["data_source"] == DRAM):
            counts[page] += 1
    return counts


def main():
    image = subprocess.run([GUEST, "image"], capture_output=True, text=True)
    if image.returncode:
        print("SKIP:", (image.stderr.strip() or "no image").splitlines()[-1])
        sys.exit(77)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "guest.sh").write_text(SCRIPT.format(periods=" ".join(map(str, PERIODS)), loads=LOADS))
        words = [GUEST, "run", "--vspe", VSPE, "--timeout", "900", *MACHINE, "--add", f"{PROGRAM}:/root/hot_pages",
                 "--add", f"{root / 'guest.sh'}:/root/guest.sh", "--get", f"/tmp/counts:{root / 'counts'}"]
        for period in PERIODS:
            words += ["--get", f"/tmp/{period}:{root / str(period)}"]
        subprocess.run([*words, "--", "bash", "/root/guest.sh"], check=True)
        counts = struct.unpack(f"<{PAGES}Q", (root / "counts").read_bytes())
        for missed in (False, True):
            for period in PERIODS:
                rows.append((missed, period, sampled(root / str(period), missed)))
    if sum(counts) != LOADS:
        sys.exit(f"{sum(counts)} loads of {LOADS} were counted")
    print("| samples of | period | samples | " + " | ".join(f"best {n}: found, reads" for n in TOPS) + " | rank correlation |")
    print("|---|---|---|" + "---|" * len(TOPS) + "---|")
    worth = []
    for missed, period, samples in rows:
        cells = []
        for count in TOPS:
            best, found = top(counts, count), top(samples, count)
            share = sum(counts[n] for n in found) / sum(counts[n] for n in best)
            cells.append(f"{len(best & found) / count:.0%}, {share:.0%}")
        what = "misses" if missed else "loads"
        worth.append(correlation(counts, samples))
        print(f"| {what} | {period} | {sum(samples)} | " + " | ".join(cells) + f" | {worth[-1]:.2f} |", flush=True)
    # More samples rank better, and those of all loads best.
    if sorted(worth[:len(PERIODS)], reverse=True) != worth[:len(PERIODS)] or max(worth[len(PERIODS):]) > min(worth[:len(PERIODS)]):
        sys.exit("not ok - the ranks")


if __name__ == "__main__":
    main()
