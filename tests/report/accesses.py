#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""accesses.py VSPE CC: what vspe report says of memory. Processes with programs of random variables, heaps anywhere in 47 bits and a
kernel's half make accesses by chance; of each its process, thread, page, line, source, time and variable are known where it is made.
Names of variables are compared with nm's."""
import collections
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import made
from made import auxtrace, failures, info, perf_file, same
from system import clock, comm, mmap2, started

VSPE, CC = Path(sys.argv[1]).resolve(), sys.argv[2]
PAGE, LINE, NEOVERSE_N1 = 4096, 64, 0x414fd0c1
PLACES = {0: "l1", 8: "l2", 9: "peer", 10: "l3", 11: "l3", 12: "peer", 13: "remote", 14: "dram", 77: "elsewhere"}
ATOMIC_LOAD_ADD = 0x06  # the extended forms: AT
WRITES = {0: False, 1: True, ATOMIC_LOAD_ADD: True, 0x04: False}


def build(path, chance, *options):
    """A program with code and variables. Its variables by nm: name, address, bytes."""
    source = path.with_suffix(".s")
    path.parent.mkdir(parents=True, exist_ok=True)
    text = [".text", ".global _start", "_start: .rept 2000", "nop", ".endr"]
    sections = chance.choice([[".bss"], [".data", ".bss", ".section .rodata"]])
    for n in range(chance.randrange(3, 40)):
        size, section = chance.choice([1, 8, 24, 64, 200, 5000]), chance.choice(sections)
        text += [section, f".balign {chance.choice([1, 8, 64])}", f".type {path.name}_v{n}, %object", f".size {path.name}_v{n}, {size}",
                 f"{path.name}_v{n}: .skip {size + chance.choice([0, 0, 7, 300])}"]
    source.write_text("\n".join(text) + "\n")
    subprocess.run([CC, "-nostdlib", "-Wl,--build-id=none", *options, "-o", path, source], check=True)
    nm = subprocess.run([CC.replace("gcc", "nm"), "-S", "--defined-only", path], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in nm.splitlines()]
    variables = [(row[3], int(row[0], 16), int(row[1], 16)) for row in rows if len(row) == 4 and row[2] in "dDbBrR"]
    program = subprocess.run([CC.replace("gcc", "objdump"), "-p", path], check=True, capture_output=True, text=True).stdout.splitlines()
    loads = [(line.split(), program[n + 1].split()) for n, line in enumerate(program) if " LOAD " in f" {line.strip()} "]
    code = next((int(one[2], 16), int(one[4], 16)) for one, other in loads if "x" in other[-1])
    return variables, code  # offset and address of the code


class Layout:
    def __init__(self, seed, root):
        self.chance = chance = random.Random(seed)
        self.programs = {f"/bin/prog{n}": build(root / f"bin/prog{n}", chance, *chance.choice([("-static",), ("-pie",)])) for n in range(2)}
        self.events, self.threads, self.regions, self.truth = [info(), clock(0, 1, 0)], [], {}, []
        for pid in range(10, 10 + chance.randrange(1, 4)):
            path = chance.choice(list(self.programs))
            offset, address = self.programs[path][1]
            # The kernel maps whole pages; a program that is not PIE is where it was linked.
            moved = 0 if address > 1 << 20 else chance.randrange(1 << 24, 1 << 34) * PAGE
            start = (address + moved) // PAGE * PAGE
            self.events += [comm(pid, pid, b"work%d" % pid, 0), mmap2(pid, start, 0x2000, offset // PAGE * PAGE, path.encode(), 0)]
            self.regions[pid] = (path, moved, [chance.randrange(1 << 45) // PAGE * PAGE for _ in range(chance.randrange(1, 8))])
            for tid in range(100 * pid, 100 * pid + chance.randrange(1, 7)):
                self.threads.append((pid, tid))
                self.events += [started(tid), comm(pid, tid, b"t%d" % tid, 0)]
        self.frames = {}

    def place(self, pid):
        """A data address: the VA, what the report has for it, the object, the pid of its page."""
        chance, kind = self.chance, self.chance.random()
        path, moved, heap = self.regions[pid]
        if kind < 0.5:
            _, address, size = chance.choice(self.programs[path][0])
            own = address + min(int(chance.expovariate(0.2)), size - 1)
            return own + moved, own, path.rsplit("/", 1)[1], pid
        if kind < 0.85:
            va = chance.choice(heap) + int(chance.expovariate(1 / 9000))
            return va, va, None, pid
        va = 0xffff800000000000 + chance.randrange(1 << 20)
        return va, va, None, None

    def one(self, order):
        chance = self.chance
        pid, tid = chance.choice(self.threads)
        va, own, object_, owner = self.place(pid)
        frame = self.frames.setdefault((owner, va // PAGE), len(self.frames) + 0x80000)
        payload = chance.choice(list(WRITES))
        r = {"pc": 0x400000, "el": 0, "op": made.LOAD_STORE, "payload": payload, "events": 2 | chance.choice([0, 0, 32]),
             "time": int(1e6 + order * 777 + chance.randrange(9000)), "total": chance.choice([5, 6, 50, 205, 4000])}
        if chance.random() < 0.95:
            r["va"] = va & made.LOW_56
        if chance.random() < 0.8 or "va" not in r:
            r["pa"] = frame * PAGE + va % PAGE
        if not WRITES[payload]:
            r["source"] = chance.choice(list(PLACES))
        for name in ("time", "total"):
            if chance.random() < 0.05:
                del r[name]
        virtual = "va" in r
        page = (own, "VA", owner, object_) if virtual else (r["pa"], "PA", None, None)
        line = (r["pa"], "PA", None) if "pa" in r else (va, "VA", owner)
        self.truth.append({"tid": tid, "who": f"t{tid} {tid}", "write": WRITES[payload], "walk": bool(r["events"] & 32),
                           "time": r.get("time"), "total": r.get("total"), "place": PLACES.get(r.get("source")),
                           "page": (page[0] // PAGE * PAGE, *page[1:]), "line": (line[0] // LINE * LINE, *line[1:]), "byte": line[0] % LINE,
                           "own": own if virtual else None, "object": object_ if virtual else None})
        return tid, made.record(r)

    def file(self, count):
        traces = collections.defaultdict(bytes)
        for order in range(count):
            tid, data = self.one(order)
            traces[tid] += data
        order = {tid: n for n, tid in enumerate(traces)}
        self.truth.sort(key=lambda t: order[t["tid"]])  # as the file has them
        return perf_file(self.events + [auxtrace(data, 0xffffffff, tid=tid) for tid, data in traces.items()], NEOVERSE_N1)

    def name(self, object_, own):
        for name, address, size in self.programs[f"/bin/{object_}"][0]:
            if address <= own < address + size:
                return f"{name}+{own - address:#x}"
        return None


def group(truth, key):
    out = collections.defaultdict(list)
    for t in truth:
        out[t[key]].append(t)
    return out


def hundredths(total, count):
    return int(total * 100 / count + 0.5) / 100


def wanted_of(accesses, layout):
    timed = [t["total"] for t in accesses if t["total"] is not None]
    times = [t["time"] for t in accesses if t["time"] is not None]
    named = [t for t in accesses if t["own"] is not None]
    wanted = {"samples": len(accesses), "reads": sum(not t["write"] for t in accesses), "writes": sum(t["write"] for t in accesses),
              "walks": sum(t["walk"] for t in accesses)}
    if timed:
        wanted |= {"mean_latency": hundredths(sum(timed), len(timed)), "max_latency": max(timed)}
    wanted |= collections.Counter(t["place"] for t in accesses if t["place"])
    if len(times) > 1:
        wanted["gap"] = (max(times) - min(times)) // (len(times) - 1)
    users = list(dict.fromkeys(t["who"] for t in accesses))
    wanted["who"] = ", ".join(users[:4]) + (", ..." if len(users) > 4 else "")
    if named and named[0]["object"]:
        ends = [layout.name(named[0]["object"], f(t["own"] for t in named)) for f in (min, max)]
        if ends[0] or ends[1]:
            several = (ends[0] or "").split("+")[0] != (ends[1] or "").split("+")[0]
            wanted["data"] = (ends[0] or ends[1]) + (" ..." if several else "")
    return wanted


def check_table(what, rows, groups, layout, key):
    got = {key(row): {name: value for name, value in row.items() if name not in ("address", "kind", "pid", "object", "share")} for row in rows}
    wanted = {name: wanted_of(accesses, layout) for name, accesses in groups.items()}
    wrong = [(name, got.get(name), wanted.get(name)) for name in {**got, **wanted} if got.get(name) != wanted.get(name)]
    same(what, (len(got), wrong[:2]), (len(rows), []))
    same(f"{what}: in order", [row["samples"] for row in rows], sorted((len(g) for g in groups.values()), reverse=True))


def check_sharing(what, rows, groups):
    wanted = {}
    for line, accesses in groups.items():
        users = list(dict.fromkeys(t["who"] for t in accesses))[:4]
        kinds = {"true" if a["byte"] == b["byte"] else "false" for a in accesses for b in accesses
                 if a["who"] != b["who"] and a["write"] and a["who"] in users and b["who"] in users}
        if kinds:
            wanted[line] = "both" if len(kinds) == 2 else kinds.pop()
        elif len(users) > 1 and any(t["place"] == "peer" for t in accesses):
            wanted[line] = "peer"
    same(f"{what}: sharing", {(int(row["address"], 16), row["kind"], row.get("pid")): row["sharing"] for row in rows}, wanted)


def check_heatmap(what, section, truth, limit):
    """Rows are apart from each other and have all accesses, each in the square of its time."""
    rows, remark = section["rows"], section["remark"].split()
    unit, first = int(remark[3]), int(remark[remark.index("begins") + 2].rstrip(";"))
    late = [t["time"] for t in truth if t["time"] is not None]
    spaces = len({t["page"][1:] for t in truth})
    same(f"{what}: rows of the map", (section["left_off"], len(rows) <= min(limit, 64)), (max(spaces - limit, 0), True))
    same(f"{what}: its time", (first <= min(late) < first + unit, (max(late) - first) // unit < 64, (max(late) - min(late)) // unit > 30),
         (True, True, True))
    taken, bad = 0, []
    for row in rows:
        start, end = int(row["address"], 16), int(row["end"], 16)
        inside = [t for t in truth if start <= t["page"][0] < end and t["page"][1:] == (row["kind"], row.get("pid"), row.get("object"))]
        squares = collections.Counter((t["time"] - first) // unit for t in inside if t["time"] is not None)
        pages = {t["page"] for t in inside}
        if (row["samples"], row["pages"], {n: c for n, c in enumerate(row["squares"]) if c}) != (len(inside), len(pages), dict(squares)):
            bad.append(row)
        taken += len(inside)
    same(f"{what}: squares of the map", bad[:1], [])
    if section["left_off"] == 0:
        same(f"{what}: no access is in no row, or in two", taken, len(truth))
        same(f"{what}: as many rows as there is room for", len(rows), min(limit, 64, len({t["page"] for t in truth})))
    lost = sum(t["time"] is None for t in truth)
    same(f"{what}: those without a time are said", lost == 0 or f"{lost} samples are in no square" in section["remark"], True)


def check_layouts(work):
    for seed in range(1, 9):
        layout = Layout(seed, work / f"root{seed}")
        path = work / "data"
        path.write_bytes(layout.file(1500))
        options = "--symfs", work / f"root{seed}", path
        said, truth = made.run_json(VSPE, "--limit", 100000, *options), layout.truth
        check_table(f"{seed}: pages", said["pages"]["rows"], group(truth, "page"), layout,
                    lambda row: (int(row["address"], 16), row["kind"], row.get("pid"), row.get("object")))
        check_table(f"{seed}: lines", said["lines"]["rows"], group(truth, "line"), layout,
                    lambda row: (int(row["address"], 16), row["kind"], row.get("pid")))
        check_sharing(f"{seed}", said["sharing"]["rows"], group(truth, "line"))
        check_heatmap(f"{seed}", said["heatmap"], truth, 100000)
        for limit in 1, 7:
            only = made.run_json(VSPE, "--heatmap", "--limit", limit, *options)
            same(f"{seed}: --heatmap", sorted(only), ["heatmap", "missing"])
            check_heatmap(f"{seed}, {limit} rows", only["heatmap"], truth, limit)
        for word, name in ("page", "pages"), ("cache-line", "lines"), ("sharing", "sharing"):
            only = made.run_json(VSPE, "--by", word, "--limit", 100000, *options)
            same(f"{seed}: --by {word}", (sorted(only), only[name]), (sorted([name, "missing"]), said[name]))


def check_text(work):
    """The map as text: a line a row, all of one width, with squares of ten steps."""
    layout = Layout(99, work / "root99")
    path = work / "data"
    path.write_bytes(layout.file(3000))
    out, _ = made.run(VSPE, "--heatmap", "--symfs", work / "root99", path)
    rows = made.run_json(VSPE, "--heatmap", "--symfs", work / "root99", path)["heatmap"]["rows"]
    lines = [line for line in out.splitlines() if line.endswith("|")]
    most = max(max(row["squares"]) for row in rows)
    same("the map as text", [line.split("|")[1] for line in lines],
         ["".join(" .:-=+*#%@"[1 + (n - 1) * 9 // most if n else 0] for n in row["squares"]) for row in rows])
    same("... is of one width", len({len(line) for line in lines}), 1)
    same("... and the same every time", made.run(VSPE, "--heatmap", "--symfs", work / "root99", path)[0], out)


def check_names(work):
    """Variables of what --symbols names: an ELF file, and a list."""
    chance = random.Random(5)
    program = work / "bare"
    variables, _ = build(program, chance, "-static")
    name, address, size = max(variables, key=lambda v: v[2])
    stack = address + 0x10000000
    records = [{"op": made.LOAD_STORE, "payload": 1, "va": va, "events": 2} for va in (address + size - 1, stack)]
    (work / "raw").write_bytes(b"".join(made.record(r) for r in records))
    (work / "list").write_text(f"{0x400000:x} T code\n{address:x} D a_variable\n{address + size:x} B end\n{address + 2 * size:x} A none\n")
    for file, wanted in ("bare", f"{name}+{size - 1:#x}"), ("list", f"a_variable+{size - 1:#x}"):
        rows = made.run_json(VSPE, "--symbols", work / file, "--by", "page", work / "raw")["pages"]["rows"]
        same(f"variables of {'an ELF file' if file == 'bare' else 'a list'}", {row["address"]: row.get("data") for row in rows},
             {f"{(address + size - 1) // PAGE * PAGE:#x}": wanted, f"{stack // PAGE * PAGE:#x}": None})
    rows = made.run_json(VSPE, "--symbols", f"{program}@0x7000000", "--by", "page", work / "raw")["pages"]["rows"]
    same("... of a file that runs elsewhere", [row.get("data") for row in rows], [None, None])


with tempfile.TemporaryDirectory() as folder:
    check_layouts(Path(folder))
    check_text(Path(folder))
    check_names(Path(folder))
sys.exit(bool(failures))
