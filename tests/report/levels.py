#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""levels.py VSPE GUESTS: a pointer chase over 16 KiB, 256 KiB, 8 MiB and 64 MiB shows the levels of memory in its
records: data source and latency of the loads are those that docs/model.md has of the level that holds so much; and vspe
report says so."""
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

# Of docs/model.md: the number of the source, and its latency in cycles.
LEVELS = {"chase_16_kib": (0x0, 4, "L1D"), "chase_256_kib": (0x8, 11, "L2"), "chase_8_mib": (0xb, 40, "system cache"),
          "chase_large": (0xe, 200, "DRAM")}


def command(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=900)
    if done.returncode:
        sys.exit(f"not ok - {' '.join(map(str, words))}: exit code {done.returncode}: {done.stderr}{done.stdout}")
    return done.stdout


def main():
    vspe, guests = sys.argv[1], Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        data = Path(name) / "data"
        command(vspe, "run", "-m", 1024, "-c", 2, "--model", "full", "-p", "large=67108864", "-k", guests / "chase.Image",
                "--tap", "--symbols", guests / "chase.elf", "--perf-data", data)
        records = [json.loads(line) for line in
                   command(vspe, "decode", "--json", "--symbols", guests / "chase.elf", data).splitlines()]
        report = json.loads(command(vspe, "report", "--json", "--symbols", guests / "chase.elf", data))
    loads = {name: [r for r in records if r["pc"]["symbol"] == f"{name}+0x0"] for name in LEVELS}
    execution = {}
    for name, (number, latency, words) in LEVELS.items():
        seen = Counter((r["data_source"], r["latency"]["total"] - r["latency"]["issue"] - r["latency"]["translation"])
                       for r in loads[name])
        if sum(seen.values()) < 50 or seen[number, latency] < 0.9 * sum(seen.values()):
            sys.exit(f"not ok - {name}: {dict(seen)}, and not source {number:#x} in {latency} cycles")
        if any(r["data_source_name"] != words for r in loads[name] if r["data_source"] == number):
            sys.exit(f"not ok - {name}: source {number:#x} is not called {words}")
        wanted = Counter(r["data_source"] for r in records if "data_source" in r)[number]
        row = next(row for row in report["sources"]["rows"] if row["source"] == words)
        if row["samples"] != wanted:
            sys.exit(f"not ok - report has {row['samples']} loads from {words}, and there are {wanted}")
        execution[words] = row["mean_execution"]
        print(f"ok - {name}: {seen[number, latency]} of {sum(seen.values())} loads from {words} in {latency} cycles")
    if list(execution.values()) != sorted(execution.values()):
        sys.exit(f"not ok - the report's latencies do not rise: {execution}")
    print(f"ok - the report's mean latencies rise: {execution}")


main()
