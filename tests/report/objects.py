#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""objects.py VSPE CC: names of code that is in no file which a process mapped by its path: what a JIT compiler made, and said in
/tmp/perf-PID.map (tools/perf/Documentation/jit-interface.txt of Linux)."""
import collections
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import made
from made import auxtrace, failures, info, perf_file, same
from system import build_all, clock, comm, fork, mmap2, started

VSPE, CC = Path(sys.argv[1]).resolve(), sys.argv[2]


def report(path, *options):
    done = subprocess.run([VSPE, "report", "--json", "--limit", "1000000", *map(str, options), path], capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"vspe report {options}: exit code {done.returncode}: {done.stderr.decode()}")
    return json.loads(done.stdout)


def functions(said):
    return collections.Counter({(row["function"], row.get("object")): row["samples"] for row in said["functions"]["rows"]})


def states(said):
    return {row["object"]: row.get("symbols") for row in said["objects"]["rows"]}


def records(*places):
    return b"".join((data := made.record({"pc": pc, "el": int(pc >> 63), "op": made.OTHER, "events": 2, "time": 1000})) + bytes(-len(data) % 64) for pc in places)


def recording(path, events, places, tid=5):
    """One of a thread 5 "work" that had these events, and ran at these places."""
    path.write_bytes(perf_file([info(), clock(0, 1, 0), started(tid), comm(tid, tid, b"work", 0), *events, auxtrace(records(*places), 0xffffffff, tid=tid)]))
    return path


# --- Code of JIT compilers


def check_jit(work, root):
    (root / "tmp").mkdir(parents=True)
    chance = random.Random(5)
    at, functions_ = 0xffff80000000, []
    for n in range(200):
        at += 4 * chance.randrange(1, 20)
        functions_.append((at, 4 * chance.randrange(1, 40), chance.choice((f"f{n}", f"LazyCompile:~f{n} /app/a b.js:{n}", f"std::x{n}<a, b>", f"py::x{n}:/a.py"))))
        at += functions_[-1][1]
    listed = [f"{start:x} {size:x} {name}\n" for start, size, name in functions_]
    chance.shuffle(listed)
    (root / "tmp/perf-5.map").write_text("".join(listed))
    want = collections.Counter()
    places = []
    for start, size, name in functions_:
        for place in chance.sample(range(0, size, 4), min(3, size // 4)):
            places.append(start + place)
            want[(name, "[JIT] tid 5")] += 1
    # Each name that memory without a file has, and where there is no function.
    for name in b"//anon", b"[heap]", b"/dev/zero (deleted)", b"/anon_hugepage (deleted)", b"/memfd:doublemapper (deleted)", b"[anon:v8]", b"/SYSV00000000 (deleted)":
        path = recording(work / "jit.data", [mmap2(5, 0xffff80000000, 1 << 20, 0x1000, name, 0)], [*places, 0xffff800ff000])
        said = report(path, "--symfs", root)
        same(f"a list of a JIT, {name.decode()}", functions(said), want + collections.Counter({("[0xffff800ff000]", "[JIT] tid 5"): 1}))
        same(f"... {name.decode()}", states(said), {"[JIT] tid 5": "yes"})
    same("--dso", report(path, "--symfs", root, "--dso", "[JIT] tid 5")["records"]["rows"][0]["samples"], len(places) + 1)
    same("without --symfs", states(report(path)), {"[JIT] tid 5": "not known to be this machine's: --symfs"})
    same("no list", states(report(path, "--symfs", work)), {"[JIT] tid 5": "no /tmp/perf-PID.map: --symfs"})
    other = recording(work / "other.data", [mmap2(6, 0xffff80000000, 1 << 20, 0, b"//anon", 0), fork(7, 6, 7, 6, 1)], places[:1], tid=7)
    same("a child has what its parent made", states(report(other, "--symfs", root)), {"[JIT] tid 6": "no /tmp/perf-PID.map: --symfs"})


def check_jit_lists(work, root):
    """Lists that are not as they should be: other lines are left aside, and the last of one address counts."""
    long = "n" * 5000
    cases = {
        "the later of one address": ("1000 10 old\n1000 8 new\n", "new"),
        "a line without a size": ("1000 name\n1000 10 good\n", "good"),
        "no hexadecimal number": ("0x1000 10 bad\n1000 10 good\nzz 1 x\n", "good"),
        "an empty name": ("1000 10 \n", None),
        "no line": ("", None),
        "a size beyond everything": ("1000 ffffffffffffffff bad\n1000 10 good\n", "good"),
        "an address of the kernel's": ("ffff000000001000 10 bad\n1000 10 good\n", "good"),
        "a name of C++": ("1000 10 _ZN1a1bEi\n", "a::b"),
        "no size": ("1000 0 one\n", "one"),
        "bytes that are no text": ("1000 10 a\x1b[2J\xff\n", r"a\x1b[2J\xc3\xbf"),
        "a long line": (f"800 4 {long}\n1000 10 good\n", "good"),
        "no end of a line": ("1000 10 good", "good"),
    }
    for what, (text, name) in cases.items():
        (root / "tmp/perf-5.map").write_text(text)
        said = report(recording(work / "list.data", [mmap2(5, 0x1000, 0x1000, 0, b"//anon", 0)], [0x1000]), "--symfs", root)
        same(what, (functions(said), states(said)), ({(name or "[0x1000]", "[JIT] tid 5"): 1},
             {"[JIT] tid 5": "yes" if name else "no START SIZE NAME in its /tmp/perf-PID.map"}))
    (root / "tmp/perf-5.map").unlink()
    (work / "outside").write_text("1000 10 outside\n")
    for what, make in ("a FIFO", os.mkfifo), ("a folder", os.mkdir), ("a link out of it", lambda path: os.symlink("../../outside", path)):
        make(root / "tmp/perf-5.map")
        same(what, states(report(work / "list.data", "--symfs", root)), {"[JIT] tid 5": "no /tmp/perf-PID.map: --symfs"})
        (root / "tmp/perf-5.map").rmdir() if what == "a folder" else (root / "tmp/perf-5.map").unlink()
    events = [mmap2(n, 0x1000, 0x1000, 0, b"//anon", 0) for n in range(6, 103)] + [comm(102, 102, b"last", 0)]
    for pid in 101, 102:
        (root / f"tmp/perf-{pid}.map").write_text("1000 10 good\n")
        same(f"process {pid} of 97", states(report(recording(work / "many.data", events, [0x1000], tid=pid), "--symfs", root)),
             {f"[JIT] tid {pid}": "yes"} if pid < 102 else {"[unknown]": None})
    same("... which is said", [(row["what"], row["lost"]) for row in report(work / "many.data")["missing"]["rows"]],
         [("events of processes beyond what is kept", 1)])


with tempfile.TemporaryDirectory() as folder:
    WORK = Path(folder)
    ROOT = WORK / "root"
    FILES = build_all(CC, ROOT)
    check_jit(WORK, ROOT)
    check_jit_lists(WORK, ROOT)
sys.exit(bool(failures))
