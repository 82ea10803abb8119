#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cold.py VSPE COLD: with what `vspe linux` has by default, perf mem names the array of COLD (cold.c) that only the last level holds, and
says L3 of it, and L1 of the array that L1D holds."""
import collections
import re
import subprocess
import sys
import tempfile
from pathlib import Path

VSPE, PROGRAM = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
GUEST = Path(__file__).resolve().parents[2] / "tools" / "linux-guest"
LOADS = 400000
# The array, what perf calls its level, and at least so many per cent of the samples of walk() there.
ARRAYS = (("cold_array", "L3 hit", 95), ("hot_array", "L1 hit", 95))
SCRIPT = f"""
perf mem record -q --ldlat=1 -t load -o /tmp/memory -- /root/cold {LOADS} >/dev/null 2>&1
perf mem report -i /tmp/memory --stdio --sort=mem,sym,symbol_daddr 2>/dev/null
"""
ROW = re.compile(r"^ +[0-9.]+% +(\d+) +(.*?) {2,}\[\.\] (\S+) +\[.\] (\S+)")


def counts(report):
    """Samples by function, data symbol and level. A load is in one section for each of its events, and in that of all loads."""
    found, section = collections.Counter(), ""
    for line in report.splitlines():
        section = match[1] if (match := re.search(r"^# Samples: .* of event '(.*)'", line)) else section
        if section == "memory" and (row := ROW.match(line)):
            found[row[3].partition(".")[0], row[4].partition("+")[0], row[2]] += int(row[1])
    return found


def main():
    image = subprocess.run([GUEST, "image"], capture_output=True, text=True)
    if image.returncode:
        print("SKIP:", (image.stderr.strip() or "no image").splitlines()[-1])
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "guest.sh"
        script.write_text(SCRIPT)
        words = [GUEST, "run", "--vspe", VSPE, "--timeout", "600", "--add", f"{PROGRAM}:/root/cold", "--add", f"{script}:/root/guest.sh"]
        found = counts(subprocess.run([*words, "--", "sh", "/root/guest.sh"], check=True, capture_output=True, text=True).stdout)
    failed = 0
    for array, level, least in ARRAYS:
        loads = sum(count for row, count in found.items() if row[:2] == ("walk", array))
        right = sum(count for row, count in found.items() if row[:2] == ("walk", array) and level in row[2])
        good = loads >= LOADS // 2000 and 100 * right >= least * loads
        print(f"{'ok' if good else 'not ok'} - {array}: {right} of {loads} loads are {level}s" + ("" if good else f": {found}"), flush=True)
        failed += not good
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
