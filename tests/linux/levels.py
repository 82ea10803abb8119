#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""levels.py VSPE LEVELS: with what `vspe linux` has by default, perf samples the loads of LEVELS (levels.c), which chases a pointer through
arrays of four sizes, and their data comes from the level of a Neoverse N1 that holds the array."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

VSPE, PROGRAM = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
GUEST = Path(__file__).resolve().parents[2] / "tools" / "linux-guest"
LOADS = 1000000
# KiB of the array, where the loads' data comes from, and at least so many per cent of it.
ARRAYS = ((16, "L1D", 97), (512, "L2", 95), (8192, "system cache", 95), (65536, "DRAM", 90))
SCRIPT = """
for kib in {sizes}; do
	perf record -q -o /tmp/$kib -e arm_spe_0/period=1024,load_filter=1/ -- /root/levels $kib {loads} >/dev/null 2>&1
done
"""


def sources(profile, root):
    """The share of each data source, in per cent of the samples of chase()."""
    words = [VSPE, "report", "--json", "--symfs", root, "--symbol", "chase", profile]
    report = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
    return {row["source"]: row["share"] for row in report["sources"]["rows"]}


def main():
    image = subprocess.run([GUEST, "image"], capture_output=True, text=True)
    if image.returncode:
        print("SKIP:", (image.stderr.strip() or "no image").splitlines()[-1])
        sys.exit(77)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "root").mkdir()
        (root / "root" / "levels").write_bytes(PROGRAM.read_bytes())
        (root / "guest.sh").write_text(SCRIPT.format(sizes=" ".join(str(row[0]) for row in ARRAYS), loads=LOADS))
        words = [GUEST, "run", "--vspe", VSPE, "--timeout", "600", "--add", f"{PROGRAM}:/root/levels", "--add", f"{root / 'guest.sh'}:/root/guest.sh"]
        for kib, *_ in ARRAYS:
            words += ["--get", f"/tmp/{kib}:{root / str(kib)}"]
        subprocess.run([*words, "--", "bash", "/root/guest.sh"], check=True)
        for kib, source, least in ARRAYS:
            shares = sources(root / str(kib), root)
            good = shares.get(source, 0) >= least
            print(f"{'ok' if good else 'not ok'} - {kib} KiB: at least {least} per cent from {source}: {shares}", flush=True)
            failed += not good
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
