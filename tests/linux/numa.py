#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""numa.py VSPE NUMA: Debian's Linux finds the nodes of --numa; it moves the array of NUMA (numa.c) from slow memory to that of another
node, and to that of the program's; samples of perf mem tell where its loads' data comes from, and how long they take, before and after."""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

VSPE, PROGRAM = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
GUEST = Path(__file__).resolve().parents[2] / "tools" / "linux-guest"
KIB, LOADS = 65536, 400000
NODES = "cpus=0,cpus=1,latency=500"
# Of each node: its CPUs; the distances to all; where data that is in no cache comes from, as vspe and perf have it, and cycles that its
# loads take, without their translations.
EXPECTED = (("0", "10 15 20", "DRAM", "Local RAM", 239), ("1", "15 10 20", "remote", "Remote", 374), ("", "20 20 10", "DRAM", "Local RAM", 500))
SCRIPT = f"""
cd /sys/devices/system/node || exit 1
for node in 0 1 2; do
	echo "node$node cpus '$(cat node$node/cpulist)' distances '$(cat node$node/distance)'"
done
perf mem record -o /tmp/perf.data -- /root/numa {KIB} {LOADS} 2>/dev/null
perf mem report -i /tmp/perf.data --stdio --sort=sym,mem 2>/dev/null | grep from_
"""
failed = 0


def check(good, what):
    global failed
    print(f"{'ok' if good else 'not ok'} - {what}", flush=True)
    failed += not good


def main():
    image = subprocess.run([GUEST, "image"], capture_output=True, text=True)
    if image.returncode:
        print("SKIP:", (image.stderr.strip() or "no image").splitlines()[-1])
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "root").mkdir()
        (root / "root" / "numa").write_bytes(PROGRAM.read_bytes())
        (root / "guest.sh").write_text(SCRIPT)
        words = [GUEST, "run", "--vspe", VSPE, "--timeout", "600", "--cpus", "2", "--mem", "1536", "--numa", NODES, "--add", f"{PROGRAM}:/root/numa",
                 "--add", f"{root / 'guest.sh'}:/root/guest.sh", "--get", f"/tmp/perf.data:{root / 'perf.data'}", "--", "bash", "/root/guest.sh"]
        said = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
        print(said)
        for node, (cpus, distances, source, memory, cycles) in enumerate(EXPECTED):
            check(f"node{node} cpus '{cpus}' distances '{distances}'" in said, f"node {node} has its CPUs and its distances")
            check(f"node {node} has {KIB // 4} of {KIB // 4}" in said, f"all pages have moved to node {node}")
            check(re.search(rf"from_{node} +{memory}", said), f"node {node}: perf mem report has {memory}")
            words = [VSPE, "report", "--json", "--symfs", root, "--symbol", f"from_{node}", root / "perf.data"]
            report = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
            rows = [row for row in report["sources"]["rows"] if row["source"] == source]
            # The array is four times as large as the last level.
            check(rows and rows[0]["share"] >= 75, f"node {node}: loads from {source}: {report['sources']['rows']}")
            latency = rows[0]["mean_execution"] if rows else 0
            check(cycles < latency < cycles + 100, f"node {node}: they take {latency} cycles, {cycles} and the translation")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
