#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""exports.py VSPE CC: the files of vspe report --export have the records that they are made of, by process, thread, function, object, level
and data source, with their latencies, and the totals of vspe report --json. They are read here by what their formats are published as:
proto/profile.proto of google/pprof, src/lib/file-format-spec.ts of speedscope, src/types/profile.js of firefox-devtools/profiler;
viewers.py gives them to the viewers."""
import collections
import gzip
import json
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import made
from made import auxtrace, event, failures, info, perf_file, same
from system import build_all, clock, comm, id_of, mmap2, run_system, started, sums

VSPE, CC = Path(sys.argv[1]).resolve(), sys.argv[2]
SOURCES = {0: "L1D", 8: "L2", 9: "peer core", 13: "remote", 14: "DRAM"}  # of Neoverse cores, as docs/cores.md has them
FORMATS = ("speedscope", "firefox", "pprof")


def export(form, path, *options, code=0):
    """What it writes, and its messages."""
    done = subprocess.run([VSPE, "report", "--export", form, *map(str, options), path], capture_output=True, check=False)
    if done.returncode != code:
        raise SystemExit(f"vspe report --export {form} {options}: exit code {done.returncode}: {done.stderr.decode()}")
    return done.stdout, done.stderr.decode("latin-1")


# --- pprof

def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


def fields(data):
    """The fields of a message: by number, a list of numbers and bytes. Wire types 0 and 2 are all that profile.proto has."""
    out, at = collections.defaultdict(list), 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        elif key & 7:
            raise ValueError(f"wire type {key & 7}")
        out[key >> 3].append(value)
    return out


def packed(data):
    out, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        out.append(value)
    return out


def first(message, number, default=0):
    return message[number][0] if message[number] else default


class Pprof:
    """The samples of a profile: (process, thread, function, object, el, source, address), records and cycles."""

    def __init__(self, data):
        top = fields(gzip.decompress(data))
        self.header = data[:10]
        strings = [text.decode("ascii") for text in top[6]]
        same("pprof: the first string is empty, and each is there once", (strings[0], len(set(strings))), ("", len(strings)))
        self.types = [tuple(strings[first(fields(t), n)] for n in (1, 2)) for t in top[1]]
        self.first_type, self.comments, self.duration = strings[first(top, 14)], [strings[n] for n in top[13]], first(top, 10)
        self.mappings = {first(m, 1): (strings[first(m, 5)], strings[first(m, 6)]) for m in map(fields, top[3])}
        functions = {first(f, 1): (strings[first(f, 2)], strings[first(f, 4)], first(f, 5)) for f in map(fields, top[5])}
        places = {}
        for place in map(fields, top[4]):
            line = fields(place[4][0])
            places[first(place, 1)] = (functions[first(line, 1)][0], self.mappings.get(first(place, 2), (None,))[0], first(place, 3))
        same("pprof: ids are numbers from 1", (sorted(places), sorted(functions)), (list(range(1, len(places) + 1)), list(range(1, len(functions) + 1))))
        self.samples = []
        for sample in map(fields, top[2]):
            labels = {strings[first(label, 1)]: strings[first(label, 2)] for label in map(fields, sample[3])}
            name, object_, address = places[sample[1][0]]
            self.samples.append(((labels["process"], labels["thread"], name, object_, labels.get("el"), labels.get("source"), address),
                                 *packed(sample[2][0])))

    def counts(self, *columns, cycles=False):
        out = collections.Counter()
        for key, *values in self.samples:
            out[tuple(key[n] for n in columns)] += values[cycles]
        return out


# --- speedscope

class Speedscope:
    """The same, of profiles by process, thread and weight."""

    def __init__(self, data):
        self.file = json.loads(data)
        same("speedscope: its schema", self.file["$schema"], "https://www.speedscope.app/file-format-schema.json")
        self.frames, self.comments = self.file["shared"]["frames"], self.file["vspe"]
        self.samples = ([], [])
        for profile in self.file["profiles"]:
            who, what = profile["name"].rsplit(": ", 1)
            whole = profile["type"] == "sampled" and profile["unit"] == "none" and profile["startValue"] == 0
            if not whole or profile["endValue"] != sum(profile["weights"]) or len(profile["weights"]) != len(profile["samples"]):
                same(f"speedscope: a whole profile, {who}", profile, None)
            for stack, weight in zip(profile["samples"], profile["weights"]):
                *levels, frame = [self.frames[n] for n in stack]
                self.samples[what == "latency in cycles"].append(
                    ((*who.rsplit(", ", 1), frame["name"], frame.get("file"), levels[0]["name"] if levels else None), weight))

    def counts(self, *columns, cycles=False):
        out = collections.Counter()
        for key, weight in self.samples[cycles]:
            out[tuple(key[n] for n in columns)] += weight
        return out


# --- Firefox Profiler

class Firefox:
    """The same without cycles, and times in milliseconds."""

    def __init__(self, data):
        self.file = json.loads(data)
        meta = self.file["meta"]
        same("firefox: its version", meta["preprocessedProfileVersion"], 48)
        self.comments = [entry["value"] for entry in meta["extra"][0]["entries"]]
        self.samples, self.times = [], []
        for thread in self.file["threads"]:
            self.read(thread, meta["categories"])

    def read(self, thread, categories):
        stacks, frames, functions, resources, samples, strings = (thread[name] for name in (
            "stackTable", "frameTable", "funcTable", "resourceTable", "samples", "stringArray"))
        for name, table in thread.items():
            lengths = {len(column) for column in table.values() if isinstance(column, list)} if isinstance(table, dict) else set()
            if isinstance(table, dict) and lengths != {table["length"]}:
                same(f"firefox: columns of {name}", lengths, {table["length"]})
        if samples["time"] != sorted(samples["time"]):
            same("firefox: times go up", samples["time"], sorted(samples["time"]))
        for stack, time, weight in zip(samples["stack"], samples["time"], samples["weight"]):
            frame = stacks["frame"][stack]
            function, category = frames["func"][frame], categories[frames["category"][frame]]
            resource, source = functions["resource"][function], category["subcategories"][frames["subcategory"][frame]]
            object_ = None if resource < 0 else self.file["libs"][resources["lib"][resource]]["path"]
            level = None if category["name"] == "Other" else category["name"]
            self.samples.append(((thread["processName"], thread["name"], strings[functions["name"][function]], object_, level,
                                  None if source == "Other" else source), weight))
            self.times += [(thread["name"], time)] * weight

    def counts(self, *columns):
        out = collections.Counter()
        for key, weight in self.samples:
            out[tuple(key[n] for n in columns)] += weight
        return out


READERS = {"firefox": Firefox, "pprof": Pprof, "speedscope": Speedscope}


# --- Tests

def function_of(r):
    if "pc" not in r:
        return "[unknown]"
    names = [name for name, start, size in made.FUNCTIONS if start <= r["pc"] < start + size]
    return names[0] if names else f"[{r['pc'] & ~4095:#x}]"


def check_records(work):
    """Records that say everything, by no process."""
    records = made.many(20000)
    path, names = work / "records", work / "map"
    path.write_bytes(made.file_of(records))
    names.write_bytes(made.system_map())
    rows = [(str(path), f"vCPU {r['cpu']}", function_of(r), None, f"EL{r['el']}" if "el" in r else None,
             SOURCES.get(r["source"], f"{r['source']:#x}") if "source" in r else None, r.get("pc", 0)) for r in records]
    cycles = collections.Counter()
    for row, r in zip(rows, records):
        cycles[row[:5]] += r["total"]
    for form in FORMATS:
        got = READERS[form](export(form, path, "--symbols", names)[0])
        same(f"{form}: records by all but source and place", got.counts(0, 1, 2, 3, 4), sums(rows, 0, 1, 2, 3, 4))
        if form != "firefox":  # which has one weight
            same(f"{form}: their cycles", got.counts(0, 1, 2, 3, 4, cycles=True), cycles)
        said = made.run_json(VSPE, "--symbols", names, path)["functions"]["rows"]
        same(f"{form}: the totals of --json", {key: n for key, n in got.counts(2, 4).items() if key[0] != "[unknown]"},
             {(row["function"], f"EL{row['el']}"): row["samples"] for row in said})
        same(f"{form}: what it is of", got.comments[:1], [f"{path}: 20000 records of Arm SPE, which has no callers"])
        if form != "speedscope":  # which has no place for it
            same(f"{form}: by source", got.counts(2, 5), sums(rows, 2, 5))
    same("pprof: by address", got.counts(2, 6), sums(rows, 2, 6))
    same("pprof: its types", (got.types, got.first_type), ([("samples", "count"), ("latency", "cycles")], "samples"))
    same("pprof: no time in the header of gzip (RFC 1952)", (got.header[:4], got.header[4:8]), (b"\x1f\x8b\x08\0", bytes(4)))
    for form in FORMATS:
        same(f"{form}: the same again", export(form, path)[0] == export(form, path)[0], True)
        got = READERS[form](export(form, path, "--symbols", names, "--el", "1", "--cpu", "2")[0])
        same(f"{form}: with a filter", got.counts(1, 2), sums([row for row in rows if row[4] == "EL1" and row[1] == "vCPU 2"], 1, 2))
        same(f"{form}: ... that it tells of", got.comments[1:2],
             [f"left aside by filters: {sum(row[4] != 'EL1' or row[1] != 'vCPU 2' for row in rows)} records"])


def check_times(work):
    """Times are perf's, from the first one on; a record without one has that of the one before of its vCPU."""
    path, shift, mult = work / "times", 4, 33
    times = [None, 5000, 5016, None, 5400, 5016, 1 << 40]
    trace = b"".join(made.record({"pc": 0x400000, "el": 0, "op": made.OTHER, **({} if time is None else {"time": time})}) for time in times)
    path.write_bytes(perf_file([info(), clock(shift, mult, 77), auxtrace(trace, 0), auxtrace(trace[:12], 1)]))
    got = Firefox(export("firefox", path)[0])
    zero = 5000 * mult >> shift
    want = [0.0] + [((time or last) * mult // 16 - zero) / 1e6 for time, last in zip(times[1:], [0, 0, 5016, 0, 0, 0])]
    same("firefox: times", sorted(got.times), sorted([("vCPU 0", time) for time in want] + [("vCPU 1", 0.0)]))
    same("firefox: ... that were missing", [line.split()[0] for line in got.comments if "without a time" in line], ["3"])
    same("firefox: ... of perf's clock", any("times are those of the timer" in line for line in got.comments), False)
    same("pprof: how long it was", Pprof(export("pprof", path)[0]).duration, ((1 << 40) * mult >> shift) - zero)


def check_systems(work, root, files):
    """Processes and threads by name, objects by path and build id."""
    for seed in range(1, 7):
        system, path = run_system(seed, root, files), work / f"{seed}.data"
        path.write_bytes(system.file())
        rows = [(f"{name} ({pid})", f"{name} ({tid})", function, object_, "EL0" if object_ else "EL1")
                for name, pid, tid, object_, function, _ in system.truth]
        for form in FORMATS:
            got = READERS[form](export(form, path, "--symfs", root)[0])
            same(f"{form}, {seed}: records", got.counts(0, 1, 2, 3, 4), sums(rows, 0, 1, 2, 3, 4))
            if form != "firefox":
                same(f"{form}, {seed}: cycles", sum(got.counts(0, cycles=True).values()), 5 * len(rows))
        ids = {path_: id_of(root / path_[1:]).hex() if system.ids else "" for path_ in {row[3] for row in rows if row[3]}}
        same(f"pprof, {seed}: objects and build ids", dict(got.mappings.values()), ids)
        linked = {line.split()[2]: int(line.split()[0], 16) for name in files for line in subprocess.run(
            [CC.replace("gcc", "nm"), root / name[1:]], capture_output=True, text=True, check=True).stdout.splitlines() if line.split()[1] in "tTi"}
        wrong = [key for key, *_ in got.samples if key[3] and not 0 <= key[6] - linked[key[2]] < 64]
        same(f"pprof, {seed}: addresses are those of the files, as nm has them", wrong, [])


def check_missing(work):
    """What a perf.data file says is missing, and names that are none."""
    trace = made.record({"pc": 0x400000, "el": 0, "total": 7, "op": made.OTHER})
    lost = event(2, struct.pack("<QQ", 1, 42) + struct.pack("<IIQIIQ", 1, 1, 0, 0, 0, 1))
    path = work / "lost \x1b[2J\xff.data"
    evil = b"\x1b[2J</script>\xc2\x9b\"\\"
    path.write_bytes(perf_file([info(), clock(0, 1, 0), started(5), comm(5, 5, evil, 0), mmap2(5, 0x400000, 0x1000, 0, b"/" + evil, 0), lost,
                                auxtrace(trace, 0xffffffff, tid=5)]))
    shown = r"""\x1b[2J</script>\xc2\x9b"\\ """.strip().replace("\\\\", "\\")
    for form in FORMATS:
        data, messages = export(form, path)
        got = READERS[form](data)
        same(f"{form}: names are printable", got.counts(0, 1, 3), collections.Counter({(f"{shown} (5)", f"{shown} (5)", f"/{shown}"): 1}))
        same(f"{form}: what is missing is in it", [line for line in got.comments if line.startswith("missing: ") and "42" in line] != [], True)
        same(f"{form}: ... and said", "42" in messages, True)
        same(f"{form}: printable all over", all(31 < c < 127 or c == 10 for c in "".join(got.comments).encode()), True)
    path = work / "raw"
    path.write_bytes(trace)
    for form in FORMATS:
        same(f"{form}: bytes of a buffer", READERS[form](export(form, path)[0]).counts(0, 1, 2), collections.Counter({(str(path), "vCPU 0", "[0x400000]"): 1}))
        with open(path, "rb") as file:
            done = subprocess.run([VSPE, "report", "--export", form, "-"], stdin=file, capture_output=True, check=True)
        same(f"{form}: of standard input", len(READERS[form](done.stdout).counts(0)), 1)


def check_terminal(work):
    master, slave = os.openpty()
    done = subprocess.run([VSPE, "report", "--export", "pprof", work / "raw"], stdout=slave, stderr=subprocess.PIPE, text=True, check=False)
    same("pprof is not written to a terminal", (done.returncode, done.stderr),
         (2, "vspe report: --export pprof: is binary, which no terminal shows; write it to a file with >\n"))
    os.close(master)
    os.close(slave)
    with open("/dev/full", "wb") as full:
        for form in FORMATS:
            done = subprocess.run([VSPE, "report", "--export", form, work / "raw"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
            same(f"{form}: what cannot be written is said", (done.returncode != 0, "No space left" in done.stderr), (True, True))


with tempfile.TemporaryDirectory() as folder:
    WORK = Path(folder)
    check_records(WORK)
    check_times(WORK)
    check_systems(WORK, WORK / "root", build_all(CC, WORK / "root"))
    check_missing(WORK)
    check_terminal(WORK)
sys.exit(bool(failures))
