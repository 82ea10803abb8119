#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""losses.py VSPE: what a perf.data file is without, decode and report say: records that a fault cut off at each of their bytes, the
flags of AUX events, events that tell of losses, a file that ends anywhere; and threads' traces and their cores."""
import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import made
from made import auxtrace, event, failures, info, perf_file, same

VSPE = Path(sys.argv[1]).resolve()
N1, HIP12 = 0x414fd0c1, 0x481fd061
TRUNCATED, PARTIAL, COLLISION = 1, 4, 8


def trailer(cpu):
    return struct.pack("<IIQIIQ", 1, 1, 0, cpu, 0, 1)


def aux(offset, size, flags, cpu=0):
    return event(11, struct.pack("<QQQ", offset, size, flags) + trailer(cpu))


def record(time, **members):
    data = made.record({"pc": 0x400000 + 4 * time, "el": 0, "total": 5, "op": made.OTHER, "events": 2, "time": time, **members})
    return data + bytes(-len(data) % 64)


def decode(data, *options):
    """The records, the messages and the exit code of vspe decode."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        done = subprocess.run([VSPE, "decode", "--json", *options, file.name], capture_output=True, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode("ascii"), done.returncode


def report(data):
    """The sections, the messages and the exit code of vspe report."""
    done = subprocess.run([VSPE, "report", "--json", "-"], input=data, capture_output=True, check=False)
    return json.loads(done.stdout) if done.stdout else None, done.stderr.decode("ascii"), done.returncode


def missing(data):
    return {row["what"]: (row["times"], row.get("lost"), row.get("share"), row["first"]) for row in report(data)[0]["missing"]["rows"]}


def cut_records():
    whole = record(2)
    length = len(whole.rstrip(b"\0")) + 7  # of the timestamp, whose upper bytes are zeros
    for cut in range(1, length):
        data = perf_file([info(), aux(0, 64 + cut, PARTIAL), auxtrace(record(1) + whole[:cut], 0), aux(4096, 128, 0),
                          auxtrace(record(3) + record(4), 0, 4096)])
        records, message, code = decode(data)
        same(f"a record that is cut at {cut}",
             ([(r.get("timestamp"), r["complete"], r["offset"]) for r in records], code, "1 records without an end" in message),
             ([(1, True, 0), (None, False, 64), (3, True, 4096), (4, True, 4160)], 1, True))
        rows = missing(data)
        same(f"... in the report, at {cut}", rows["records without an end"], (1, 1, 25.0, "cpu 0 at 0x40"))


def flags():
    names = {TRUNCATED: "buffer full, records lost", PARTIAL: "gaps, records lost", COLLISION: "collisions, samples lost"}
    for number in range(16):
        data = perf_file([info(), aux(0, 64, 0, 2), auxtrace(record(1), 2), aux(64, 64, number, 2), auxtrace(record(2), 2, 64),
                          aux(0, 128, number, 3), auxtrace(record(1) * 2, 3)])
        wanted = {name: (2, None, 75.0, "cpu 2 at 0x40") for flag, name in names.items() if number & flag}
        same(f"AUX flags {number}", missing(data), wanted)
        _, message, code = report(data)
        same(f"... a line each, {number}", (message.count("\n"), code), (len(wanted), 0))
        same(f"... each by its name, {number}", [name in message for name in names.values()],
             [bool(number & flag) for flag in names])
    data = perf_file([info(), aux(0, 64, 0), auxtrace(record(1), 0), event(2, struct.pack("<QQ", 1, 5000) + trailer(1)),
                      event(13, struct.pack("<Q", 3) + trailer(4)), event(13, struct.pack("<Q", 6) + trailer(5))])
    same("LOST and LOST_SAMPLES", missing(data),
         {"samples lost": (2, 9, 90.0, "cpu 4"), "other events of perf lost": (1, 5000, None, "cpu 1")})
    same("nothing is missing", missing(perf_file([info(), aux(0, 64, 2), auxtrace(record(1), 0)])), {})


def threads():
    load = {"op": made.LOAD_STORE, "payload": 0, "va": 0x7000, "source": 8, "events": 6}
    trace = b"".join(record(n, **load) for n in range(1, 5))
    cases = [  # cores of the metadata, CPUID, (CPU, tid) of two traces, the names of source 8 in them
        ([(0, HIP12), (1, N1)], N1, [(-1, 100), (-1, 101)], {None}),
        ([(0, N1), (1, N1)], None, [(-1, 100), (-1, 101)], {"L2"}),
        ([(0, N1), (1, N1)], HIP12, [(-1, 100), (-1, 101)], {"L2"}),
        ([(0, HIP12), (1, N1)], None, [(0, 0), (1, 0)], {"DRAM", "L2"}),
        ([(0, HIP12)], N1, [(0, 0), (1, 0)], {"DRAM", None}),
        (None, HIP12, [(-1, 100), (1, 0)], {"DRAM"}),
        (None, None, [(-1, 100), (-1, 101)], {None}),
    ]
    for cores, cpuid, traces, names in cases:
        data = perf_file([info(cores)] + [auxtrace(trace, cpu, tid=tid, queue=5 + n) for n, (cpu, tid) in enumerate(traces)], cpuid)
        records, message, code = decode(data)
        what = f"{cores and [hex(midr) for _, midr in cores]} {cpuid} {traces}"
        same(f"data sources, {what}", ({r.get("data_source_name") for r in records}, message, code), (names, "", 0))
        same(f"whose records, {what}", [(r.get("cpu"), r.get("tid"), r["record"]) for r in records],
             [(None if cpu < 0 else cpu, tid if cpu < 0 else None, n) for cpu, tid in traces for n in range(4)])
        sections = report(data)[0]
        same(f"vCPUs and threads, {what}", ([r["cpu"] for r in sections["cpus"]["rows"]], [r["tid"] for r in sections["threads"]["rows"]]),
             ([cpu for cpu, _ in traces if cpu >= 0], [tid for cpu, tid in traces if cpu < 0]))
        same(f"names in the report, {what}", {r["source"] for r in sections["sources"]["rows"]},
             {name or "code 0x8" for name in names} if cores or cpuid else {"L2"})
        same(f"--cpu, {what}", len(decode(data, "--cpu", "1")[0]), 4 * sum(cpu == 1 for cpu, _ in traces))


def ends_early():
    """A file that ends at any byte of it: what came before is reported, with exit code 1; 2 where that is nothing."""
    data = perf_file([info(), aux(0, 64, 0), auxtrace(record(1), 0), aux(64, 128, 0), auxtrace(record(2) + record(3), 0, 64)], N1)
    start = 104 + 144
    first = data.index(record(1)) + len(record(1).rstrip(b"\0"))
    wrong = []
    for size in range(8, data.rindex(record(3)) + 60, 7):
        sections, message, code = report(data[:size])
        whole = sum(data.index(record(n)) + len(record(n).rstrip(b"\0")) + 7 <= size for n in (1, 2, 3))
        some = size > data.index(record(1))
        if code != (1 if some else 2) or not message or (sections is None) == some:
            wrong.append((size, code, message))
        elif some and not whole <= sections["records"]["rows"][0]["samples"] <= whole + 1:
            wrong.append((size, sections["records"]["rows"][0]))
    same("a file that ends early", (wrong[:3], start < first), ([], True))
    head = bytearray(data)
    head[48:56] = bytes(8)  # as perf record leaves it when it is killed
    sections, message, code = report(bytes(head[:data.rindex(record(3)) + 64]))
    same("a file that was never finished", (sections["records"]["rows"][0]["samples"], "never finished" in message, code), (3, True, 1))


def compressed():
    """perf record -z: all but AUX traces is in a stream of zstd, cut anywhere into events."""
    inner = aux(0, 64, TRUNCATED) + event(13, struct.pack("<Q", 1) + trailer(0))
    packed = subprocess.run(["zstd", "-c"], input=inner * 3, capture_output=True, check=True).stdout
    wanted = {"buffer full, records lost": (3, None, 100.0, "cpu 0 at 0x0"), "samples lost": (3, 3, 75.0, "cpu 0")}
    for part in (1, 7, len(packed)):
        pieces = [packed[at:at + part] for at in range(0, len(packed), part)]
        old = [event(81, piece) for piece in pieces]
        new = [event(83, struct.pack("<Q", len(piece)) + piece + bytes(-len(piece) % 8)) for piece in pieces]
        for what, events in ("COMPRESSED", old), ("COMPRESSED2", new):
            same(f"{what}, {part} bytes each", missing(perf_file([info()] + events + [auxtrace(record(1), 0)])), wanted)
    _, message, code = report(perf_file([info(), auxtrace(record(1), 0), event(81, b"\xff" * 64)]))
    same("compressed events that are damaged", ("damaged compressed events" in message, code), (True, 1))


def branches():
    data = (record(1, op=made.BRANCH, target=0x400200) + record(1, op=made.BRANCH, target=0x666000, events=0) +
            record(1, op=made.BRANCH, target=0x666000, events=made.MISPREDICTED))
    done = subprocess.run([VSPE, "report", "--bolt", "-"], input=data, capture_output=True, check=False)
    same("--bolt has what retired", done.stdout, b"B 400004 400200 1 0\n")
    same("... and counts the rest", b"2 records of branches left out" in done.stderr, True)
    sections = report(data)[0]
    same("branches that did not retire", [row["samples"] for row in sections["records"]["rows"] if "retired" in row["what"]], [2])
    same("... are not mispredicted", (sections["branches"]["rows"], sections["functions"]["rows"][0]["mispredicted"]), ([], 0))


def others():
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([VSPE, "report", folder], capture_output=True, check=False)
        same("a folder, as perf record --threads makes one", (done.returncode, b"a folder; if perf record --threads" in done.stderr), (2, True))


for part in cut_records, flags, threads, ends_early, compressed, branches, others:
    part()
sys.exit(bool(failures))
