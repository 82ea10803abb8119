# SPDX-License-Identifier: BSD-2-Clause
"""A made-up system of processes, and the perf.data file of it: it forks, execs, maps, starts threads and switches between them by chance,
and says so in events that are out of order as perf has them; each record's process, object and function are known where it is made."""
import collections
import random
import struct
import subprocess

import made
from made import auxtrace, event, info, perf_file

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


# --- Files of functions f0, f1, ... of one instruction each and more


def build(compiler, path, count, *options):
    """The file's functions: name, offset, bytes."""
    source = path.with_suffix(".s")
    source.parent.mkdir(parents=True, exist_ok=True)
    # A library may have functions whose addresses the dynamic linker asks for, as libc has strlen.
    kinds = ["function"] * 4 + ["gnu_indirect_function" if "-shared" in options else "function"]
    source.write_text(".text\n" + "".join(
        f".global {path.name[:4]}_f{n}\n.type {path.name[:4]}_f{n}, %{kinds[n % 5]}\n{path.name[:4]}_f{n}: nop\n.rept {n}\nnop\n.endr\nret\n"
        f".size {path.name[:4]}_f{n}, . - {path.name[:4]}_f{n}\n" for n in range(count)))
    subprocess.run([compiler, "-nostdlib", "-Wl,--build-id", *options, "-o", path, source], check=True)
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


def build_all(compiler, root):
    """Two programs and a library below a guest's root: by path, what build() says."""
    return {f"/{name}": build(compiler, root / name, count, *options) for name, count, options in (
        ("usr/bin/prog1", 5, ("-static", "-Wl,-e,0")), ("usr/bin/user2", 7, ("-pie", "-Wl,-e,0", "-Wl,-z,separate-code")),
        ("usr/lib/libone.so", 9, ("-shared",)))}


def run_system(seed, root, files):
    """One that did 600 steps."""
    System.root, System.threads = root, {}
    system = System(seed, files, contexts=seed % 2 == 0, ids=seed % 3 > 0)
    for _ in range(600):
        system.step()
    return system


def sums(rows, *columns):
    """How many rows have the same values in these columns."""
    out = collections.Counter()
    for row in rows:
        out[tuple(row[n] for n in columns)] += 1
    return out
