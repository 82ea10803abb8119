#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""processes.py VSPE CC: whose the records of a perf.data file are, and of which function. Of the made-up systems of system.py
each record's is known where it is made. Then files that are not what ran, and names that are no names."""
import collections
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import made
from made import auxtrace, event, failures, info, perf_file, same
from system import build_all, clock, comm, fork, id_of, mmap2, run_system, started, sums

VSPE, CC = Path(sys.argv[1]).resolve(), sys.argv[2]


def report(path, *options, code=0):
    done = subprocess.run([VSPE, "report", "--json", "--limit", "1000000", *map(str, options), path], capture_output=True, check=False)
    if done.returncode != code:
        raise SystemExit(f"vspe report {options}: exit code {done.returncode}: {done.stderr.decode()}")
    return json.loads(done.stdout) if code == 0 else done.stderr.decode("ascii")


def counted(rows, *columns):
    return collections.Counter({tuple(row.get(c) for c in columns): row["samples"] for row in rows})


def check_systems(work, root, files):
    for seed in range(1, 9):
        system = run_system(seed, root, files)
        path = work / f"{seed}.data"
        path.write_bytes(system.file())
        said, truth = report(path, "--symfs", root), system.truth
        same(f"{seed}: processes", counted(said["processes"]["rows"], "comm", "pid"), sums(truth, 0, 1))
        same(f"{seed}: threads", counted(said["threads"]["rows"], "comm", "pid", "tid"), sums(truth, 0, 1, 2))
        same(f"{seed}: objects", counted(said["objects"]["rows"], "object"),
             collections.Counter({(o or "[unknown]",): n for (o,), n in sums(truth, 3).items()}))
        wanted = sums([(name, object_ and object_.rsplit("/", 1)[1]) for _, _, _, object_, name, _ in truth], 0, 1)
        same(f"{seed}: functions", counted(said["functions"]["rows"], "function", "object"), wanted)
        comm_, pid, _, object_, name, _ = next(row for row in truth if row[3])
        for option, value, column in (("--comm", comm_, 0), ("--pid", pid, 1), ("--dso", object_, 3), ("--symbol", name, 4)):
            rows = report(path, "--symfs", root, option, value)["records"]["rows"]
            same(f"{seed}: {option} {value}", rows[0]["samples"], sum(row[column] == value for row in truth))
        only = report(path, "--symfs", root, "--by", "function")
        same(f"{seed}: --by function", (sorted(only), only["functions"]), (["functions", "missing"], said["functions"]))


def one(path, root=None, symbols="usr/bin/prog1", **more):
    """What is said of one record of a process that has mapped path."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(perf_file([info(), clock(0, 1, 0), started(5), comm(5, 5, b"work", 0), mmap2(5, 0x400000, 0x2000, FILES[f"/{symbols}"][1], path, 0, **more),
                              auxtrace(made.record({"pc": 0x400000 + FILES[f"/{symbols}"][0][2][1] - FILES[f"/{symbols}"][1], "el": 0,
                                                    "op": made.OTHER}), 0xffffffff, tid=5)]))
        file.flush()
        said = report(file.name, *(["--symfs", root] if root else []))
    return said["functions"]["rows"][0]["function"], said["objects"]["rows"][0]["symbols"], said["objects"]["rows"][0]["object"]


def check_files(work, root):
    program = root / "usr/bin/prog1"
    own = id_of(program)
    same("a file without a known build id, of the guest", one(b"/usr/bin/prog1", root)[:2], ("prog_f2", "yes"))
    same("... with its build id", one(b"/usr/bin/prog1", root, build_id=own)[:2], ("prog_f2", "yes"))
    same("... with another one", one(b"/usr/bin/prog1", root, build_id=bytes(20))[1], "another build id")
    same("... of this machine, and not known to be", one(bytes(program))[1], "not known to be this machine's: --symfs")
    same("... and by its build id", one(bytes(program), build_id=own)[:2], ("prog_f2", "yes"))
    same("no file", one(b"/usr/bin/none", root)[1], "no such file: --symfs")
    same("no path", one(b"[vvar]", root)[1], "no file")
    same("a relative path", one(b"usr/bin/prog1", root)[1], "no file")

    stripped = root / "usr/bin/bare"
    subprocess.run([CC.replace("gcc", "objcopy"), "--strip-all", program, stripped], check=True)
    same("a stripped file", one(b"/usr/bin/bare", root)[1], "stripped")
    debug = root / f"usr/lib/debug/.build-id/{own.hex()[:2]}/{own.hex()[2:]}.debug"
    debug.parent.mkdir(parents=True)
    subprocess.run([CC.replace("gcc", "objcopy"), "--only-keep-debug", program, debug], check=True)
    same("... with debug symbols by its build id", one(b"/usr/bin/bare", root, build_id=own)[:2], ("prog_f2", "yes"))
    debug.unlink()
    (root / "usr/lib/debug/usr/bin").mkdir(parents=True)
    subprocess.run([CC.replace("gcc", "objcopy"), "--only-keep-debug", program, root / "usr/lib/debug/usr/bin/bare.debug"], check=True)
    same("... by its path", one(b"/usr/bin/bare", root)[:2], ("prog_f2", "yes"))

    (root / "bin").symlink_to("/usr/bin")  # of the guest's root, not of this one's
    same("through a link of the guest's", one(b"/bin/prog1", root)[:2], ("prog_f2", "yes"))
    (work / "outside").mkdir()
    shutil.copy(program, work / "outside/prog1")
    (root / "usr/bin/up").symlink_to("../../../outside/prog1")
    same("no way out of it: a link", one(b"/usr/bin/up", root)[1], "no such file: --symfs")
    same("no way out of it: a path", one(b"/../outside/prog1", root)[1], "no such file: --symfs")
    os.mkfifo(root / "usr/bin/fifo")
    same("a FIFO", one(b"/usr/bin/fifo", root)[1], "no such file: --symfs")
    same("a folder", one(b"/usr/bin", root)[1], "no such file: --symfs")
    (root / "usr/bin/text").write_text("#!/bin/sh\n")
    same("no ELF file", one(b"/usr/bin/text", root)[1], "no AArch64 ELF file")
    whole = program.read_bytes()
    for cut in range(0, len(whole), max(1, len(whole) // 37)):
        (root / "usr/bin/cut").write_bytes(whole[:cut])
        one(b"/usr/bin/cut", root)
    same("names are printable", one(b"/a\x1b[2J\xc2\x9b\n<b>", root)[2], r"/a\x1b[2J\xc2\x9b\x0a<b>")


def check_plt(work, root):
    """Calls into a library go through entries that no symbol names: objdump is who knows them."""
    source, path = work / "calls.s", work / "plt.data"
    source.write_text(".text\n.global calls\n.type calls, %function\ncalls:\n" + "".join(f"bl libo_f{n}\n" for n in range(9)) + "ret\n.size calls, . - calls\n")
    for what, options in ("", ()), (" with BTI", ("-Wl,-z,force-bti",)), (" with PAC", ("-Wl,-z,pac-plt",)):
        program = root / "usr/bin/calls"
        subprocess.run([CC, "-nostdlib", "-pie", "-Wl,-e,0", *options, "-o", program, source, root / "usr/lib/libone.so"], check=True,
                       stderr=subprocess.DEVNULL)
        listing = subprocess.run([CC.replace("gcc", "objdump"), "-d", program], capture_output=True, text=True, check=True).stdout
        known, name = {}, None
        for line in listing.splitlines():
            if head := re.match(r"[0-9a-f]+ <(.*)>:", line):
                name = head[1]
            elif (at := re.match(r" +([0-9a-f]+):", line)) and (name == "calls" or name.endswith("@plt")):
                known[int(at[1], 16)] = name
        trace = b"".join(made.record({"pc": 0x40000000 + at, "el": 0, "op": made.OTHER}) for at in known)
        path.write_bytes(perf_file([info(), clock(0, 1, 0), started(5), comm(5, 5, b"calls", 0), mmap2(5, 0x40000000, 0x20000, 0, b"/usr/bin/calls", 0),
                                    auxtrace(trace, 0xffffffff, tid=5)]))
        said = report(path, "--symfs", root)["functions"]["rows"]
        same(f"entries of .plt{what}", counted(said, "function"), collections.Counter((name,) for name in known.values()))
        same(f"... nine of them{what}", len(said), 10)


def check_lines(work, root):
    """Lines for other tools have the file's addresses, or else the process's; and --symbols goes before what the file names."""
    functions, offset, _ = FILES["/usr/bin/user2"]
    path, program = work / "lines.data", root / "usr/bin/user2"
    linked = {line.split()[2]: int(line.split()[0], 16) for line in
              subprocess.run([CC.replace("gcc", "nm"), program], capture_output=True, text=True, check=True).stdout.splitlines()}
    (name, at, _), (other, to, _) = functions[1], functions[4]
    trace = made.record({"pc": 0x40000000 + at - offset, "el": 0, "op": made.BRANCH, "payload": 0, "target": 0x40000000 + to - offset, "events": 2})
    path.write_bytes(perf_file([info(), clock(0, 1, 0), started(5), comm(5, 5, b"user2", 0),
                                mmap2(5, 0x40000000, 0x2000, offset, b"/usr/bin/user2", 0), auxtrace(trace, 0xffffffff, tid=5)]))
    for symfs in (root, work):  # with the file, and without
        done = subprocess.run([VSPE, "report", "--bolt", "--symfs", symfs, path], capture_output=True, text=True, check=True).stdout
        same(f"--bolt, {symfs.name}", done, f"B {linked[name]:x} {linked[other]:x} 1 0\n" if symfs == root else
             f"B {0x40000000 + at - offset:x} {0x40000000 + to - offset:x} 1 0\n")
    (work / "names").write_text(f"{0x40000000 + at - offset:x} T mine\n{0x40000000 + at - offset + 4:x} d end\n")
    said = report(path, "--symfs", root, "--symbols", work / "names")["functions"]["rows"]
    same("--symbols goes first", said[0]["function"], "mine")


def check_kernel(work):
    """A list or a file of symbols as linked, of a kernel that moved as it started."""
    path, moved = work / "kernel.data", 0x25a0000
    trace = made.record({"pc": 0xffff800008010004 + moved, "el": 1, "op": made.OTHER})
    lists = {"with the symbol": ("ffff800008000000 T _text\nffff800008010000 T do_work\nffff800008010100 T other\n", "do_work"),
             "without it": ("ffff800008010000 T do_work\nffff800008010100 T other\n", "[0xffff80000a5b0000]"),
             "as it ran": (f"{0xffff800008000000 + moved:x} T _text\n{0xffff800008010000 + moved:x} T do_work\n", "do_work"),
             "of a program beside it": ("ffff800008000000 T _text\n400000 T main\nffff800008010000 T do_work\n", "do_work"),
             "of several names, of which perf has the last": (
                 "ffff800008000000 T _text\nffff800008010000 T a\nffff800008010000 T __longer\nffff800008010000 W __b\n", "__b")}
    # perf 7.3 makes an event without PROT_EXEC for the kernel.
    for name, prot in ("_text", 5), ("_stext", 5), ("_text", 0):
        kernel = mmap2(-1, 0xffff800008000000 + moved, 0x1000000, 0xffff800008000000 + moved, b"[kernel.kallsyms]" + name.encode(), 0,
                       prot=prot, kernel=True)
        path.write_bytes(perf_file([info(), clock(0, 1, 0), started(5), comm(5, 5, b"work", 0), kernel, auxtrace(trace, 0xffffffff, tid=5)]))
        for what, (text_, wanted) in lists.items():
            (work / "System.map").write_text(text_.replace("_text", name))
            row = report(path, "--symbols", work / "System.map")["functions"]["rows"][0]
            same(f"a list {what}, {name}", (row["function"], row["object"]), (wanted, "[kernel.kallsyms]"))
        row = report(path, "--symbols", f"{work / 'System.map'}@0xffff800000000000")["functions"]["rows"][0]
        same(f"a list whose place was said, {name}", row["function"], "[0xffff80000a5b0000]")


def check_hostile(work, root):
    """Events that are more, longer or other than they should be: no wrong name, and an end."""
    base = FILES["/usr/bin/prog1"]
    at = base[0][1][1] - base[1]
    tail = [auxtrace(made.record({"pc": 0x400000 + at, "el": 0, "op": made.OTHER}) * 2000, 0xffffffff, tid=5)]
    good = [info(), clock(0, 1, 0), started(5), comm(5, 5, b"work", 0), mmap2(5, 0x400000, 0x2000, base[1], b"/usr/bin/prog1", 1)]
    cases = {
        "100,000 maps that are older": (good[:4] + [mmap2(5, 0x10000000 + n * 4096, 4096, 0, b"//anon", 0) for n in range(100000)] + good[4:], True),
        "100,000 maps that are newer": (good + [mmap2(5, 0x10000000 + n * 4096, 4096, 0, b"//anon", 2) for n in range(100000)], None),
        "a chain of forks": (good + [fork(n + 1, n, n + 1, n, n) for n in range(5, 3000)], True),
        "a fork of itself": (good + [fork(5, 5, 5, 5, 2)] * 100, True),
        "a map that wraps around": (good + [mmap2(5, (1 << 64) - 4096, 8192, 0, b"/x", 2)], True),
        "a map of nothing": (good + [mmap2(5, 0x400000, 0, 0, b"/x", 2)], True),
        "a map of data": (good + [mmap2(5, 0x400000, 0x2000, 0, b"/x", 2, prot=3)], True),
        "10,000 files": (good + [mmap2(5, 0x10000000 + n * 4096, 4096, 0, b"/%d" % n, 2) for n in range(10000)], None),
        "names without an end": (good + [event(3, struct.pack("<II", 6, 6) + b"x" * 60000)] * 50, True),
    }
    for what, (events, named) in cases.items():
        path = work / "hostile.data"
        path.write_bytes(perf_file(events + tail))
        said = report(path, "--symfs", root)
        row = said["functions"]["rows"][0]
        same(what, (row["samples"], row["function"] in (["prog_f1"] if named else ["prog_f1", "[0x400000]"])), (2000, True))
    path.write_bytes(perf_file(good + [auxtrace(made.record({"pc": 0x001f_ff00_0000_0400, "el": 0, "op": made.OTHER}), 0xffffffff, tid=5)]))
    said = report(path, "--symfs", root)
    same("an address of a file that there is not", [row["object"] for row in said["objects"]["rows"]], ["[unknown]"])
    path.write_bytes(perf_file(cases["a map of nothing"][0] + tail))
    said = report(path, "--symfs", root)
    same("what is beyond is said", [row["what"] for row in said["missing"]["rows"]], [])
    path.write_bytes(perf_file(cases["10,000 files"][0] + tail))
    said = report(path)["missing"]["rows"]
    same("... of 10,000 files", [(row["what"], row["lost"]) for row in said], [("events of processes beyond what is kept", 10001 - 4096)])


def check_options(work, root):
    path = work / "time.data"
    trace = b"".join(made.record({"pc": 0x400000, "el": 0, "op": made.OTHER, "time": time}) for time in (1_000_000_000, 1_500_000_000, 2_000_000_001))
    path.write_bytes(perf_file([info(), clock(0, 1, 0), started(5), comm(5, 5, b"work", 0), auxtrace(trace, 0xffffffff, tid=5)]))
    for value, count in ("1,2", 2), (",1.5", 2), ("1.5,", 2), ("1.500000001,2", 0), ("2,2.000000001", 1):
        rows = report(path, "--time", value)["records"]["rows"]
        same(f"--time {value}", rows[0]["samples"], count)
    for value in "1", "a,b", "2,1", "1,2x":
        same(f"--time {value}", "not START,END" in report(path, "--time", value, code=2), True)
    raw = work / "raw"
    raw.write_bytes(trace)
    for option, value in ("--comm", "a"), ("--pid", "1"), ("--dso", "a"), ("--time", "1,2"):
        same(f"{option} of records alone", "names no processes" in report(raw, option, value, code=2), True)
    same("--symfs that is none", report(path, "--symfs", work / "none", code=2),
         f"vspe report: --symfs {work / 'none'}: No such file or directory\n")
    del root


with tempfile.TemporaryDirectory() as folder:
    WORK = Path(folder)
    ROOT = WORK / "root"
    FILES = build_all(CC, ROOT)
    check_systems(WORK, ROOT, FILES)
    check_files(WORK, ROOT)
    check_plt(WORK, ROOT)
    check_lines(WORK, ROOT)
    check_kernel(WORK)
    check_hostile(WORK, ROOT)
    check_options(WORK, ROOT)
sys.exit(bool(failures))
