#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""perf_c2c.py C2C BRANCHES JSON: compares perf c2c report and perf script of the guest chase with vspe report."""
import json
import re
import sys
from collections import Counter


def same(what, got, wanted):
    if got != wanted:
        sys.exit(f"FAIL: {what}: perf has {got}, vspe report {wanted}")
    print(f"ok - {what}: {got}")


def shared_lines(text):
    """Each row of c2c's table of lines: records, loads, stores, loads from a peer."""
    lines = []
    for row in re.findall(r"^ +\d+ +0x[0-9a-f]+ .*", text, re.M):
        fields = row.split()
        peers, records, loads, stores = (int(fields[n]) for n in (5, 8, 9, 10))
        lines.append((records, loads, stores, peers))
    return sorted(lines)


def offsets(text):
    """Each line of c2c's second table: its offsets, with the records of each."""
    found = []
    for part in text.split("Shared Cache Line Distribution Pareto")[1].split("----\n")[2::2]:
        sums = Counter()
        for row in re.findall(r"^ +[0-9.]+% .*", part, re.M):
            fields = row.split()
            sums[int(fields[5], 16)] += int(fields[12])
        found.append(dict(sums))
    return sorted(found, key=str)


def totals(text):
    return {name: int(number) for name, number in re.findall(r"^  (\w[^:]*?) +: +(\d+)$", text, re.M)}


def main():
    c2c, branches = (open(path, encoding="utf-8").read() for path in sys.argv[1:3])
    with open(sys.argv[3], encoding="utf-8") as file:
        report = json.load(file)
    said = totals(c2c)
    records = {row["what"]: row["samples"] for row in report["records"]["rows"]}
    sources = Counter({row["source"]: row["samples"] for row in report["sources"]["rows"]})
    same("loads", said["Load Operations"], records["loads"])
    same("stores", said["Store Operations"], records["stores and atomics"])
    same("loads from L1D", said["Load L1D hit"], sources["L1D"])
    same("loads from L2 and from a peer", said["Load L2D hit"], sources["L2"] + sources["peer core"])
    same("loads from the system cache", said["Load LLC hit"], sources["system cache"])
    same("loads from memory", said["Load Local DRAM"], sources["DRAM"])
    same("loads from a peer", said["Load HIT Local Peer"], sources["peer core"])
    # Two cores' records share the one line. For the other only one core was profiled, but c2c lists it for its peer.
    lines = {row["address"]: row for row in report["lines"]["rows"]}
    sharing = report["sharing"]["rows"]
    if len(sharing) != 1 or sharing[0]["sharing"] != "false":
        sys.exit(f"FAIL: vspe report has {sharing}")
    row = lines[sharing[0]["address"]]
    if row["who"] != "vCPU 0, vCPU 1":
        sys.exit(f"FAIL: vspe report has the line of {row['who']}")
    wanted = (row["samples"], row["reads"], row["writes"], row["reads"])
    if wanted not in shared_lines(c2c):
        sys.exit(f"FAIL: perf c2c has the lines {shared_lines(c2c)}, and not {wanted}")
    print(f"ok - the line that two cores write: records, loads, stores, from the peer: {wanted}")
    apart = [line for line in offsets(c2c) if len(line) == 2]
    said = {int(offset, 16) for offset in re.findall(r"\+(0x[0-9a-f]+)", sharing[0]["who"])}
    same("its offsets", [set(line) for line in apart], [said])
    same("and the records of both", sum(apart[0].values()), row["samples"])
    found = Counter(hex(int(line.split()[-1], 16)) for line in branches.splitlines() if "branch" in line)
    wanted = Counter()
    for row in report["branches"]["rows"]:
        wanted[row["from"]] += row["mispredicted"]
    if not wanted:
        sys.exit("FAIL: no branch was mispredicted")
    same("mispredicted branches", dict(found), dict(wanted))


main()
