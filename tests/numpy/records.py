#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""records.py VSPE: each field of made-up records of every kind is at its place in the array, in bytes and perf.data
files, cut off after each byte, in parts of any size; and vspe decode --json agrees."""
import json
import random
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from common import failures, made, same

import numpy as np
import vspe

import packets

VSPE = sys.argv[1]


def expected(fields, **more):
    """A row of zeros except for these fields."""
    row = np.zeros(1, vspe.RECORD)
    for name, value in {"cpu": -1, "tid": -1, **fields, **more}.items():
        row[name] = value
    return row[0]


def extras_of(profile):
    found = {}
    for extra in profile.extras.tolist():
        found.setdefault(extra[0], []).append((extra[2], extra[3], extra[1]))
    return [found.get(row, []) for row in range(len(profile))]


def buffer(records, chance):
    """All in one buffer, with padding before each: bytes, rows, extras."""
    data, rows, extras = b"", [], []
    for bytes_, fields, own in records:
        data += bytes(chance.choice([0, 0, 1, 7, 64, 200]))
        rows.append(expected(fields, offset=len(data)))
        extras.append(own)
        data += bytes_
    return data + bytes(chance.randrange(9)), np.array(rows, vspe.RECORD), extras


def whole(_):
    data, rows, extras = buffer(packets.each(), random.Random(1))
    got = vspe.decode(data)
    same("each kind: as many records", len(got), len(rows))
    for name in vspe.RECORD.names:
        same(f"each kind: {name}", got.records[name].tolist(), rows[name].tolist())
    same("each kind: extras", extras_of(got), extras)
    same("each kind: every field is not 0 somewhere", [name for name in vspe.RECORD.names if not rows[name].any()], ["midr", "cut_bytes"])
    for name in vspe.RECORD.names:
        bits = vspe._data.field_bits(name)
        same(f"{name} is 0 without its bit", bool(got.records[name][(got.records["has"] & bits) == 0].any()) and bits != 0, False)
    same("offset, cpu, tid", vspe.decode(data, 1 << 40, 3, 4).records[["offset", "cpu", "tid"]][7].tolist(),
         (int(rows["offset"][7]) + (1 << 40), 3, 4))


def cut_points(folder):
    """Each cut is a buffer's end; the next buffer begins with another record."""
    after, after_fields, _ = packets.record([packets.code(random.Random(1), "pc", 0)])
    cuts = list(packets.cuts())
    for data, fields, extras in cuts:
        got = vspe.decode(data)
        same(f"cut behind byte {len(data)}", (got.records.tolist(), extras_of(got), got.complete), ([expected(fields).item()], [extras], False))
    path, parts, rows = folder / "cut.data", [], []
    for number, (data, fields, _) in enumerate(cuts):
        parts += [(number % 3, data), (number % 3, after)]
        rows += [expected(fields, cpu=number % 3), expected(after_fields, cpu=number % 3)]
    path.write_bytes(made.perf_data(parts))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        got = vspe.read(path)
    for name in vspe.RECORD.names:
        same(f"cuts in perf.data: {name}", got.records[name].tolist(), [row[name].item() for row in rows])
    same("cuts in perf.data: a warning", [(w.category, f"{len(cuts)} records without an end" in str(w.message)) for w in said],
         [(vspe.DamageWarning, True)])
    same("cuts in perf.data: the damage", (got.summary.damage.records, got.summary.damage.bytes, got.complete),
         (len(cuts), sum(row["cut_bytes"] for row in rows), False))


def parts(folder):
    """A stream gives the same, whatever its parts."""
    data, rows, extras = buffer(packets.each(), random.Random(2))
    path = folder / "stream.raw"
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = vspe.read(path)
        same("a file of raw records: all", one.records.tolist(), [(*row.item()[:12], 0, *row.item()[13:]) for row in rows])
        for count in 1, 7, 64, 10**6:
            with vspe.stream(path, count) as stream:
                found, own = [], []
                for part in stream:
                    found += part.tolist()
                    own += extras_of(vspe.Profile(part, stream.extras, None, None))
            same(f"parts of {count}", (found == one.records.tolist(), own == extras, stream.summary == one.summary), (True, True, True))
        stream = vspe.stream(path, 1)
        for part in stream:
            same("a stream that is left", len(part), 1)
            break
        stream.close()
        same("from memory", vspe.read(data).records.tolist(), one.records.tolist())
        same("from a memoryview", vspe.read(memoryview(bytearray(data))).records.tolist(), one.records.tolist())
        same("decode() of an array", vspe.decode(np.frombuffer(data, "u1"), cpu=0).records.tolist(), one.records.tolist())


def addresses(value, fields, name):
    """vspe decode --json of an instruction's address."""
    low = int(fields[name]) & (1 << 56) - 1
    return value == {"address": f"{low:#x}", "el": fields[f"{name}_el"], "ns": bool(fields[f"{name}_ns"]), "nse": bool(fields[f"{name}_nse"])}


def json_says(row, line):
    """The fields in which a line of vspe decode --json differs from a row."""
    wrong = []
    simple = {"offset": "offset", "size": "size", "timestamp": "timestamp", "contextidr_el1": "contextidr_el1",
              "contextidr_el2": "contextidr_el2", "data_source": "data_source", "cpu": "cpu"}
    for key, name in simple.items():
        bits = vspe._data.field_bits(name)
        if (key in line) != (not bits or bool(row["has"] & bits)) or (key in line and line[key] != row[name]):
            wrong.append(key)
    for key, name in ("pc", "pc"), ("target", "target"), ("previous_target", "previous"):
        if (key in line) != bool(row["has"] & packets.BIT[name]) or (key in line and not addresses(line[key], row, name)):
            wrong.append(key)
    for key, name in ("total", "total"), ("issue", "issue"), ("translation", "translation"), ("alt_issue", "alternate"):
        bits = packets.BIT[f"{name}_latency"]
        if line.get("latency", {}).get(key) != (row[f"{name}_latency"] if row["has"] & bits else None):
            wrong.append(key)
    if (line.get("data_va") or "0x0") != f"{int(row['data_va']):#x}":
        wrong.append("data_va")
    if "data_pa" in line:
        pa = line["data_pa"]
        if (int(pa["address"], 0), pa["ns"], pa["nse"], pa["tag_checked"], pa["tag"]) != \
                (row["data_pa"], row["pa_ns"], row["pa_nse"], row["tag_checked"], row["tag"]):
            wrong.append("data_pa")
    if line.get("events", []) != vspe.events_of(row["events"]):
        wrong.append("events")
    if line.get("class", "other") != {0: "other", 0x48: "other", 0x49: "load/store", 0x4a: "branch"}[int(row["type_header"])]:
        wrong.append("class")
    if line["complete"] != (not row["damage"] & vspe.Damage.NO_END) or ("repeated" in line) != bool(row["damage"] & vspe.Damage.REPEATED):
        wrong.append("damage")
    return wrong


def as_vspe_decode(folder):
    data, _, _ = buffer(packets.each(), random.Random(3))
    path = folder / "json.raw"
    path.write_bytes(data)
    done = subprocess.run([VSPE, "decode", "--json", path], capture_output=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    rows = vspe.decode(data, cpu=0).records
    same("vspe decode --json: as many records", len(lines), len(rows))
    for number, (row, line) in enumerate(zip(rows, lines)):
        wrong = json_says(row, line)
        if wrong:
            same(f"vspe decode --json: record {number}", (wrong, line), ([], row))
    print("ok - vspe decode --json")


def corpus(_):
    """The bits and values of the module are those of the header."""
    header = (Path(__file__).resolve().parents[2] / "spe/include/vspe/decode.h").read_text()
    for prefix, enum in ("SPE_HAS_", vspe.Has), ("SPE_DAMAGE_", vspe.Damage):
        lines = [line.split()[1:3] for line in header.splitlines() if line.startswith(f"#define {prefix}")]
        same(f"{prefix}* of the header", {name[len(prefix):]: int(value.rstrip("u"), 0) for name, value in lines},
             {name: int(member) for name, member in enum.__members__.items()})
    public = (Path(__file__).resolve().parents[2] / "spe/include/vspe/spe.h").read_text()
    for name in "EXCEPTION", "RETIRED", "L1D_ACCESS", "L1D_REFILL", "TLB_ACCESS", "TLB_REFILL", "MISPREDICTED":
        same(f"SPE_EVENT_{name}", f"SPE_EVENT_{name} = 1 << {vspe.Event[name].bit_length() - 1}," in public, True)


with tempfile.TemporaryDirectory() as work:
    for part in whole, cut_points, parts, as_vspe_decode, corpus:
        part(Path(work))
        print(f"{'not ok' if failures else 'ok'} - {part.__name__}")
sys.exit(bool(failures))
