#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""check.py CORPUS VSPE: vspe decode reads every NAME.spe as NAME.json says, packet by packet, as text and as JSON. The
records of cores have the cores' layouts; that of Neoverse N1 is checked with records of a real one."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "records"))
from spe_packets import records



def slot(size, *headers, branch=None):
    """A place in a record: for packets with one of these first bytes, or for padding of that size (another size in a
    branch)."""
    return headers, size, size if branch is None else branch


TYPE, EVENTS = (0x48, 0x49, 0x4a), (0x42, 0x52, 0x62)
# The packets of a core's record except the last, and the padding for a missing one, as in docs/cores.md; the alignment
# of records, and whether the padding for it comes before the last packet.
NEOVERSE = [slot(9, 0xb0), slot(5, 0x64), slot(5, 0x65), slot(2, *TYPE), slot(0, *EVENTS), slot(3, 0x99), slot(3, 0x98),
            slot(9, 0xb1, 0xb2), slot(3, 0x9a), slot(9, 0xb3), slot(2, 0x43)]
LAYOUTS = {
    "neoverse-n1": (NEOVERSE, 64, True),
    "neoverse-v1": (NEOVERSE, 64, True),
    "kunpeng920": ([slot(0, 0xb0), slot(0, 0x99), slot(0, 0x98), slot(0, *EVENTS), slot(0, *TYPE), slot(0, 0xb1, 0xb2),
                    slot(0, 0x9a, branch=3), slot(0, 0xb3), slot(0, 0x64), slot(0, 0x65)], 4, True),
    "fvp": ([slot(0, 0x64), slot(0, 0x65), slot(0, *TYPE), slot(0, 0xb1, 0xb2), slot(0, 0xb3), slot(0, 0x9a),
             slot(0, *EVENTS), slot(0, 0xb0), slot(0, 0x98)], 1, True),
}

# A load and a branch of a Neoverse N1: google/perf_data_converter, src/quipper/arm_spe_decoder_test.cc.
LOAD = "b0d0c2a1ed66baffc0" "0000000000" "65805f0000" "4900" "521600" "990400" "980c00" "b2286b0903370eff00" "9a0100" + \
    "00" * 9 + "4300" "0000" "712e652f6a0a000000"
BRANCH = "b0e0b0efed66baffc0" "0000000000" "650e000000" "4a01" "524200" "991000" "981100" "b1e4b0efed66baffc0" + \
    "00" * 16 + "718d652f6a0a000000"
COUNTERS = {0: "TOT", 1: "ISSUE", 2: "XLAT", 4: "ALT-ISSUE"}
ADDRESSES = {0: "PC", 1: "TGT", 3: "PA", 4: "PBT"}


def fail(text):
    sys.exit(f"not ok - {text}")


def laid_out(record, slots, align, before):
    """The record's packets as a core writes them."""
    packets = [bytes.fromhex(packet["bytes"]) for packet in record["packets"]]
    by_header, last, out = {packet[0]: packet for packet in packets[:-1]}, packets[-1], b""
    for headers, size, branch in slots:
        empty = bytes(branch if 0x4a in headers_of(packets) else size)
        out += next((by_header.pop(h) for h in headers if h in by_header), empty)
    if by_header:
        fail(f"a core has no {', '.join(f'{h:02x}' for h in by_header)}: {record}")
    padding = bytes(-len(out + last) % align)
    return out + padding + last if before else out + last + padding


def headers_of(packets):
    """The first bytes of a record's packets, which tell branches from others."""
    return {packet[0] for packet in packets}


def text_of(packet):
    """A packet of NAME.json in the words of perf report -D."""
    kind = packet["packet"]
    if kind == "context":
        return f"CONTEXT {packet['value']} el{packet['register'][-1]}"
    if kind == "counter":
        return f"LAT {packet['value']} " + COUNTERS.get(packet["index"], f"({packet['index']})")
    if kind == "address":
        if packet["index"] > 4:
            return f"ADDR {packet['payload']} ({packet['index']})"
        if packet["index"] == 2:
            return f"VA {packet['address']}"
        more = f"ns={packet['ns']} ch={packet['ch']} pat={packet['pat']:x}" if packet["index"] == 3 else \
            f"el{packet['el']} ns={packet['ns']}"
        return f"{ADDRESSES[packet['index']]} {packet['address']} {more}" + " nse=1" * packet["nse"]
    if kind == "events":
        return " ".join(["EV", *packet["events"]])
    if kind == "operation type":
        return packet["operation"]
    if kind == "unknown":
        return f"UNKNOWN {packet['payload']}"
    return {"data source": "DATA-SOURCE", "timestamp": "TS", "end": "END"}[kind] + \
        (f" {packet['value']}" if "value" in packet else "")


def summary(record):
    """What vspe decode --json prints of a record, from the fields that the record has."""
    says = {"record": record["record"], "cpu": 0, "offset": record["offset"], "size": record["size"],
            "complete": record["complete"]}
    for packet in record["packets"]:
        if packet["packet"] == "address" and packet["index"] == 0:
            says["pc"] = {"address": packet["address"], "el": packet["el"], "ns": bool(packet["ns"]),
                          "nse": bool(packet["nse"])}
        elif packet["packet"] == "context":
            says[packet["register"].lower()] = int(packet["value"], 0)
        elif packet["packet"] == "operation type":
            says["class"], says["operation"] = packet["class"], packet["operation"]
        elif packet["packet"] == "events":
            says["events"] = packet["events"]
        elif packet["packet"] == "timestamp":
            says["timestamp"] = packet["value"]
    return says


def decode(vspe, *options):
    return subprocess.run([vspe, "decode", *options], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()


def check(vspe, path):
    with open(path[:-len("spe")] + "json", encoding="utf-8") as file:
        want = [json.loads(line) for line in file]
    lines = [re.fullmatch(r"  ([0-9a-f]{8}):  ((?:[0-9a-f]{2} )+) +(.*)", line) for line in decode(vspe, path)
             if not line.startswith("record") and not line.endswith("  PAD")]
    read = [(int(line[1], 16), line[2].replace(" ", ""), line[3]) for line in lines]
    expected = [(p["offset"], p["bytes"], text_of(p)) for record in want for p in record["packets"]]
    for got, wanted in zip(read, expected):
        if got != wanted:
            fail(f"{path}: vspe decode reads {got}, and not {wanted}")
    if len(read) != len(expected):
        fail(f"{path}: {len(read)} packets, and not {len(expected)}")
    found = [json.loads(line) for line in decode(vspe, "--json", path)]
    for record, wanted in zip(found, map(summary, want)):
        if {name: record.get(name) for name in wanted} != wanted:
            fail(f"{path}: vspe decode --json reads {record}, and not {wanted}")
    if len(found) != len(want):
        fail(f"{path}: {len(found)} records, and not {len(want)}")
    return len(want), len(expected)


def main():
    corpus, vspe = sys.argv[1:]
    for real in LOAD, BRANCH:
        if laid_out(next(records(bytes.fromhex(real))), *LAYOUTS["neoverse-n1"]).hex() != real:
            fail("the layout of Neoverse N1 is not that of a real record")
    for core, layout in LAYOUTS.items():
        with open(os.path.join(corpus, core + ".spe"), "rb") as file:
            data = file.read()
        if b"".join(laid_out(record, *layout) for record in records(data)) != data:
            fail(f"{core}.spe is not in the layout of {core}")
    names = sorted(name for name in os.listdir(corpus) if name.endswith(".spe"))
    counts = [check(vspe, os.path.join(corpus, name)) for name in names]
    if len(counts) < 17:
        fail(f"only {len(counts)} files in {corpus}")
    print(f"ok - {len(counts)} files, {sum(c[0] for c in counts)} records, {sum(c[1] for c in counts)} packets")


if __name__ == "__main__":
    main()
