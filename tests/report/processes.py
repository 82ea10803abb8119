#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""processes.py VSPE CC: whose the records of a perf.data file are, and of which function. A made-up system forks, execs, maps, starts
threads and switches between them by chance, and says so in events that are out of order as perf has them; each record's process, object
and function are known where it is made. Then files that are not what ran, and names that are no names."""
import collections
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import made
from made import auxtrace, event, failures, info, perf_file, same

VSPE, CC = Path(sys.argv[1]).resolve(), sys.argv[2]
EXEC = 1 << 13  # PERF_RECORD_MISC_COMM_EXEC, and of other events MMAP_DATA, FORK_EXEC, SWITCH_OUT
WITH_ID = 1 << 14


def trailer(pid, tid, time, cpu):
    return struct.pack("<IIQIIQ", pid, tid, time, cpu, 0, 1)


def text(name):
    return name + bytes(8 - len(name) % 8)


def comm(pid, tid, name, time, cpu=0, execed=False):
    return event(3, struct.pack("<II", pid, tid) + text(name) + trailer(pid, tid, time, cpu), EXEC if execed else 0)


def fork(pid, parent, tid, parent_tid, time, cpu=0, was_there=False):
    return event(7, struct.pack("<IIIIQ", pid, parent, tid, parent_tid, time) + trailer(pid, tid, time, cpu), EXEC if was_there else 0)


def mmap2(pid, start, length, offset, path, time, cpu=0, build_id=b"", prot=5, kernel=False):
    which = struct.pack("<B3x", len(build_id)) + build_id.ljust(20, b"\0") if build_id else struct.pack("<IIQQ", 0, 2, 77, 0)
    return event(10, struct.pack("<iIQQQ", pid, max(pid, 0), start, length, offset) + which + struct.pack("<II", prot, 2) + text(path) +
                 trailer(max(pid, 0), max(pid, 0), time, cpu), (1 if kernel else 2) | (WITH_ID if build_id else 0))


def switch(cpu, old, new, time, wide=True):
    """Out and in, of (pid, tid) each; of a profile of threads without whom it was from, or to."""
    if not wide:
        return [event(14, trailer(*old, time, cpu), EXEC), event(14, trailer(*new, time, cpu))]
    return [event(15, struct.pack("<II", *new) + trailer(*old, time, cpu), EXEC), event(15, struct.pack("<II", *old) + trailer(*new, time, cpu))]


def started(tid, cpu=0xffffffff):
    """ITRACE_START"""
    return event(12, struct.pack("<II", tid, tid) + trailer(tid, tid, 0, cpu))


def clock(shift, mult, zero):
    return event(79, struct.pack("<QQQQQBB6x", shift, mult, zero, 0, (1 << 64) - 1, 1, 0))


# --- Files: two programs and a library with functions f0, f1, ... of one instruction each


def build(path, count, *options):
    """The file's functions: name, offset, bytes."""
    source = path.with_suffix(".s")
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(".text\n" + "".join(
        f".global {path.name[:4]}_f{n}\n.type {path.name[:4]}_f{n}, %function\n{path.name[:4]}_f{n}: nop\n.rept {n}\nnop\n.endr\nret\n"
        f".size {path.name[:4]}_f{n}, . - {path.name[:4]}_f{n}\n" for n in range(count)))
    subprocess.run([CC, "-nostdlib", "-Wl,--build-id", *options, "-o", path, source], check=True)
    source.unlink()
    elf = path.read_bytes()
    at, size, number = struct.unpack_from("<Q", elf, 32)[0], *struct.unpack_from("<HH", elf, 54)
    loads = [struct.unpack_from("<IIQQQQQQ", elf, at + n * size) for n in range(number)]
    code = next(load for load in loads if load[0] == 1 and load[1] & 1)
    first = elf.index(b"\x1f\x20\x03\xd5\xc0\x03\x5f\xd6", code[2])  # nop, ret
    functions = []
    for n in range(count):
        functions.append((f"{path.name[:4]}_f{n}", first, 8 + 4 * n))
        first += 8 + 4 * n
    return functions, code[2] // 4096 * 4096, path.read_bytes()


def id_of(path):
    elf = path.read_bytes()
    at = elf.index(b"\4\0\0\0\x14\0\0\0\3\0\0\0GNU\0") + 16
    return elf[at:at + 20]


class System:
    """Processes that do something by chance, and what is recorded of it."""

    def __init__(self, seed, files, contexts, ids):
        self.chance = random.Random(seed)
        self.files, self.contexts, self.ids = files, contexts, ids
        self.wide = seed % 4 < 2
        self.time, self.next, self.cpus = 1000, 100, [(0, 0), (0, 0)]
        self.comm, self.maps, self.events, self.truth = {0: "swapper"}, {0: []}, [[], []], []
        for cpu in range(2):
            self.events[cpu].append(started(0, cpu))
        self.traces = [b"", b""]
        self.shift, self.mult, self.zero = self.chance.choice([(0, 1, 0), (10, 40960, 12345), (3, 9, 1 << 40)])

    def now(self):
        """perf's time, of a timestamp that is later than all before."""
        self.time += self.chance.randrange(50, 200)
        rest = self.time & ((1 << self.shift) - 1)
        return self.zero + (self.time >> self.shift) * self.mult + (rest * self.mult >> self.shift)

    def tell(self, cpu, *events):
        self.events[cpu] += events

    def map(self, pid, tid, cpu, path):
        functions, offset, _ = self.files[path]
        start = self.chance.randrange(1 << 20, 1 << 36) << 12
        self.maps[pid] = [m for m in self.maps[pid] if not m[0] < start + 0x2000 or not start < m[0] + 0x2000] + [(start, offset, path)]
        build_id = id_of(self.root / path[1:]) if self.ids else b""
        self.tell(cpu, mmap2(pid, start, 0x2000, offset, path.encode(), self.now(), cpu, build_id))
        self.tell(cpu, mmap2(pid, start + 0x2000, 0x2000, 0, path.encode(), self.now(), cpu, build_id, prot=3))  # of data
        del tid

    def execute(self, pid, tid, cpu):
        program = self.chance.choice([path for path in self.files if "bin" in path])
        self.comm[tid], self.maps[pid] = program.rsplit("/", 1)[1][:15], []
        self.tell(cpu, comm(pid, tid, self.comm[tid].encode(), self.now(), cpu, True))
        for path in (program, "/usr/lib/libone.so"):
            self.map(pid, tid, cpu, path)

    def step(self):
        cpu = self.chance.randrange(2)
        pid, tid = self.cpus[cpu]
        what = self.chance.random()
        if what < 0.3:
            others = [key for key in self.known() if key not in self.cpus]
            if others:
                new = self.chance.choice(others)
                self.tell(cpu, *switch(cpu, self.cpus[cpu], new, self.now(), self.wide))
                self.cpus[cpu] = new
        elif what < 0.4 or len(self.comm) < 3:
            self.next += self.chance.randrange(1, 4)
            self.comm[self.next], self.maps[self.next] = self.comm[tid], list(self.maps[pid])
            self.tell(cpu, fork(self.next, pid, self.next, tid, self.now(), cpu))
            if self.chance.random() < 0.7:
                self.execute(self.next, self.next, cpu)
        elif what < 0.5 and pid:
            self.next += 1
            self.comm[self.next] = self.comm[tid]
            self.threads[self.next] = pid
            self.tell(cpu, fork(pid, pid, self.next, tid, self.now(), cpu))
        elif what < 0.6 and pid:
            self.comm[tid] = self.chance.choice(["worker", "a b", "x" * 15])
            self.tell(cpu, comm(pid, tid, self.comm[tid].encode(), self.now(), cpu))
        elif what < 0.7 and pid and pid == tid and pid not in self.threads.values():
            self.execute(pid, tid, cpu)
        else:
            for _ in range(self.chance.randrange(1, 9)):
                self.record(cpu)

    def known(self):
        return [(0, 0)] + [(self.threads.get(tid, tid), tid) for tid in self.comm if tid]

    def record(self, cpu):
        pid, tid = self.cpus[cpu]
        self.now()
        name, object_, pc, el = "[0xffff800008123000]", None, 0xffff800008123000 + 4 * self.chance.randrange(512), 1
        if self.maps[pid] and self.chance.random() < 0.9:
            start, offset, path = self.chance.choice(self.maps[pid])
            name, at, size = self.chance.choice(self.files[path][0])
            object_, pc, el = path, start + at - offset + 4 * self.chance.randrange(size // 4), 0
        more = {"context": tid} if self.contexts else {}
        self.traces[cpu] += (data := made.record({"pc": pc, "el": el, "total": 5, "op": made.OTHER, "events": 2, "time": self.time, **more}))
        self.traces[cpu] += bytes(-len(data) % 64)
        self.truth.append((self.comm[tid], pid, tid, object_, name, self.zero and self.now() or 0))

    def file(self):
        """Each CPU's events by themselves, as perf writes them: those of the second are older than the last of the first."""
        for _ in range(4):
            self.record(0)
        out = [info(), clock(self.shift, self.mult, self.zero)]
        out += [comm(0, 0, b"swapper", 0)] + self.events[0] + self.events[1]
        return perf_file(out + [auxtrace(trace, cpu) for cpu, trace in enumerate(self.traces) if trace])


def report(path, *options, code=0):
    done = subprocess.run([VSPE, "report", "--json", "--limit", "1000000", *map(str, options), path], capture_output=True, check=False)
    if done.returncode != code:
        raise SystemExit(f"vspe report {options}: exit code {done.returncode}: {done.stderr.decode()}")
    return json.loads(done.stdout) if code == 0 else done.stderr.decode("ascii")


def counted(rows, *columns):
    return collections.Counter({tuple(row.get(c) for c in columns): row["samples"] for row in rows})


def sums(counter, *numbers):
    out = collections.Counter()
    for row in counter:
        out[tuple(row[n] for n in numbers)] += 1
    return out


def check_systems(work, root, files):
    for seed in range(1, 9):
        System.root, System.threads = root, {}
        system = System(seed, files, contexts=seed % 2 == 0, ids=seed % 3 > 0)
        for _ in range(600):
            system.step()
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
    same("no path", one(b"//anon", root)[1], "no file")
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
    """Lines for other tools have the file's addresses, and --symbols goes before what the file names."""
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
             f"B {at:x} {to:x} 1 0\n")
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
             "of a program beside it": ("ffff800008000000 T _text\n400000 T main\nffff800008010000 T do_work\n", "do_work")}
    for name in "_text", "_stext":
        kernel = mmap2(-1, 0xffff800008000000 + moved, 0x1000000, 0xffff800008000000 + moved, b"[kernel.kallsyms]" + name.encode(), 0,
                       kernel=True)
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


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        WORK = Path(folder)
        ROOT = WORK / "root"
        FILES = {f"/{name}": build(ROOT / name, count, *options) for name, count, options in (
            ("usr/bin/prog1", 5, ("-static", "-Wl,-e,0")), ("usr/bin/user2", 7, ("-pie", "-Wl,-e,0", "-Wl,-z,separate-code")),
            ("usr/lib/libone.so", 9, ("-shared",)))}
        check_systems(WORK, ROOT, FILES)
        check_files(WORK, ROOT)
        check_plt(WORK, ROOT)
        check_lines(WORK, ROOT)
        check_kernel(WORK)
        check_hostile(WORK, ROOT)
        check_options(WORK, ROOT)
    sys.exit(bool(failures))
