#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""symbols.py VSPE: the kernel of a Debian guest has its names, wherever KASLR puts it. A first boot tells its kallsyms, and what perf
record left in its cache; a second one, of another seed, is recorded by vspe run with that list, and its functions are those that perf
finds, and those of the second boot's own list."""
import bisect
import collections
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

VSPE = Path(sys.argv[1]).resolve()
TOOL = Path(__file__).resolve().parents[2] / "tools/linux-guest"
FIRST = """perf record -o /tmp/perf.data -a -e arm_spe_0/period=8192/ -- cat /proc/kallsyms >/tmp/kallsyms
tar cf /tmp/debug.tar -C /root .debug
"""
SECOND = "perf record -o /tmp/perf.data -a -e arm_spe_0/period=4096/ -- cat /proc/kallsyms >/tmp/kallsyms\n"


def guest(folder, script, gets, *options):
    folder.mkdir()
    (folder / "in.sh").write_text(script)
    wanted = [word for name in gets for word in ("--get", f"/tmp/{name}")]
    done = subprocess.run([sys.executable, "-B", TOOL, "run", "--vspe", VSPE, "--cpu", "generic", *options, "--add", "in.sh", *wanted, "--", "bash", "/root/in.sh"], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900, check=False)
    if done.returncode:
        sys.exit(f"FAIL: a guest: {done.stdout[-2000:]}")


def report(path, *options):
    return json.loads(subprocess.run([VSPE, "report", "--json", "--limit", "1000000", *map(str, options), path], capture_output=True, check=True).stdout)


def functions(path, listed):
    """Address, name and samples of each."""
    rows = report(path, "--symbols", listed)["functions"]["rows"]
    return sorted((row["address"], row["function"], row["samples"]) for row in rows)


def names(listed):
    """By address, all that a list has there."""
    out = collections.defaultdict(set)
    for line in listed.read_text().splitlines():
        out[int(line.split()[0], 16)].add(line.split()[2])
    return out


def check_cache(work):
    """Every sample of the kernel's has the name that kallsyms has below its address."""
    (work / "root/root").mkdir(parents=True)
    subprocess.run(["tar", "xf", work / "1/debug.tar", "-C", work / "root/root"], check=True)
    said = report(work / "1/perf.data", "--symfs", work / "root")
    known = names(work / "1/kallsyms")
    rows = [row for row in said["functions"]["rows"] if row.get("object") == "[kernel.kallsyms]"]
    wrong = [row for row in rows if row["function"] not in known[int(row["address"], 16)]]
    if len(rows) < 50 or wrong:
        sys.exit(f"FAIL: {len(rows)} functions of the kernel, wrong are {wrong[:5]}")
    states = {row["object"]: row["symbols"] for row in said["objects"]["rows"]}
    bad = {name: state for name, state in states.items() if state not in ("yes", "exported ones only") and name != "[unknown]"}
    if bad:
        sys.exit(f"FAIL: without names: {bad}")
    return len(rows)


def check_moved(work):
    first, second = work / "1/kallsyms", work / "2/kallsyms"
    place = [re.search(r"^([0-9a-f]+) T _stext$", path.read_text(), re.M)[1] for path in (first, second)]
    if place[0] == place[1]:
        sys.exit("FAIL: the two seeds have one place for the kernel")
    ours, theirs = (functions(work / "2/own.data", path) for path in (first, second))
    if [row[1:] for row in ours] != [row[1:] for row in theirs] or sum(row[2] for row in ours) < 1000:
        sys.exit(f"FAIL: the two lists name {[(a, b) for a, b in zip(ours, theirs) if a[1:] != b[1:]][:9]}")
    if not shutil.which("perf"):
        return "no perf"
    # Of several names at one address perf may show another.
    known = names(second)
    starts = sorted(known)
    perf = collections.Counter()
    for line in subprocess.run(["perf", "script", "-i", work / "2/own.data", "--itrace=i1i", "--kallsyms", first, "-F", "ip,sym"],
                               capture_output=True, text=True, check=True).stdout.splitlines():
        address, name = line.split()
        start = starts[bisect.bisect_right(starts, int(address, 16)) - 1]
        if name != "[unknown]" and name in known[start]:
            perf[start] += 1
    counted = {int(address, 16): samples for address, _, samples in theirs}
    wrong = [(hex(start), known[start], count, counted.get(start)) for start, count in perf.items() if counted.get(start) != count]
    if wrong or sum(perf.values()) < 1000:
        sys.exit(f"FAIL: perf has {wrong[:9]}")
    return f"perf has the same {sum(perf.values())} samples of {len(perf)} functions"


with tempfile.TemporaryDirectory() as name_:
    WORK = Path(name_)
    guest(WORK / "1", FIRST, ("perf.data", "kallsyms", "debug.tar"))
    count_ = check_cache(WORK)
    guest(WORK / "2", SECOND, ("kallsyms",), "--seed", "7", "--perf-data", "own.data", "--symbols", WORK / "1/kallsyms")
    print(f"PASS: {count_} functions of the kernel by perf's cache; {check_moved(WORK)}")
