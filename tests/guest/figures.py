#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""figures.py VSPE GUESTS MODEL_MD: the loops whose cycles are published of real cores take as many with --model full, or at most a tenth more
or fewer. The table in docs/model.md has the published figures, and what vspe shows: that must be what it shows now. --write puts it there."""
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CORES = ("neoverse-n1", "neoverse-v1", "neoverse-v2")
# The rows, and what the guest calls them.
ROWS = {"load from L1D": "load L1D", "load from L2": "load L2", "load from the last level": "load LLC", "load from DRAM": "load DRAM",
        "load from another core": "transfer", "line of a stream from L2": "line L2", "line of a stream from the last level": "line LLC",
        "line of a stream from DRAM": "line DRAM", "load of what was just stored": "load of what was stored",
        "gather from 1 line": "gather from 1 line",
        "gather from 4 lines": "gather from 4 lines", "gather from 8 lines": "gather from 8 lines", "level 1 TLB miss": "level 1 TLB miss", "mispredicted branch": "mispredicted branch"}
MOST = 10  # per cent
ROW = re.compile(r"^\| ([^|]+?) +\|" + r" ([^|]*?) +\|" * len(CORES) + "$")


def run(vspe, guest, core, *options):
    words = [vspe, "run", "--model", "full", "--cpu", core, *options, "-k", guest]
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=600).stdout


def figures(vspe, guests, core):
    """Cycles by the guest's names."""
    console = run(vspe, guests / "figures.Image", core, "-m", "512", "--pmu", "v3p5")
    shown = {name: int(cycles) / 100 for name, cycles in re.findall(r"^# log: figure (.*): (\d+)$", console, re.M)}
    console = run(vspe, guests / "chase.Image", core, "-c", "2", "-p", "large=2097152 micro-ops=1")
    shown["transfer"] = int(re.search(r"^# log: share: .* in (\d+) cycles$", console, re.M)[1])
    return shown


def main():
    vspe, guests, page = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    with ThreadPoolExecutor(2) as pool:
        shown = list(pool.map(lambda core: figures(vspe, guests, core), CORES))
    failed, seen, lines = 0, set(), []
    for line in page.read_text().splitlines():
        row = ROW.match(line)
        if not row or row[1] not in ROWS:
            lines.append(line)
            continue
        seen.add(row[1])
        cells = []
        for core, cell, cycles in zip(CORES, row.groups()[1:], shown):
            if ROWS[row[1]] not in cycles:  # a core without SVE, or with shorter vectors
                cells.append("-")
                failed += cell != "-"
                continue
            now, published = f"{cycles[ROWS[row[1]]]:.1f}", cell.partition(",")[0]
            cells.append(f"{published}, {now}" if published != "-" else f"-, {now}")
            good = cells[-1] == cell
            off = 100 * (float(now) / float(published) - 1) if published != "-" else 0
            good &= abs(off) <= MOST
            print(f"{'ok' if good else 'not ok'} - {core}: {row[1]}: {cell} on the page, {now} now, {off:+.1f} per cent", flush=True)
            failed += not good
        lines.append(f"| {row[1]} | {' | '.join(cells)} |")
    if "--write" in sys.argv:
        page.write_text("\n".join(lines) + "\n")
    if seen != set(ROWS):
        sys.exit(f"not ok - the page lacks: {', '.join(set(ROWS) - seen)}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
