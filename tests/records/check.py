#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""check.py CORPUS VSPE: vspe decode reads in every NAME.spe what NAME.json says, packet by packet, as text and as JSON; and the
layout of Neoverse is that of a record of a real core."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "records"))
from make import LAYOUTS, laid_out
from spe_packets import records

# A load and a branch of a Neoverse core: google/perf_data_converter, src/quipper/arm_spe_decoder_test.cc.
HEAD = "b0d0c2a1ed66baffc0" + "0000000000" + "65805f0000"
LOAD = HEAD + "4900" "521600" "990400" "980c00" "b2286b0903370eff00" "9a0100" + "00" * 9 + "4300" "0000" "712e652f6a0a000000"
BRANCH = HEAD + "4a01" "524200" "990100" "980200" "b1a0c2a1ed66baffc0" + "00" * 16 + "712e652f6a0a000000"
COUNTERS = {0: "TOT", 1: "ISSUE", 2: "XLAT", 4: "ALT-ISSUE"}
ADDRESSES = {0: "PC", 1: "TGT", 3: "PA", 4: "PBT"}


def fail(text):
    sys.exit(f"not ok - {text}")


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
    """What vspe decode --json has of a record, as far as it is in the record."""
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
        if laid_out(next(records(bytes.fromhex(real))), LAYOUTS["neoverse"]).hex() != real:
            fail("the layout of Neoverse is not that of a real record")
    names = sorted(name for name in os.listdir(corpus) if name.endswith(".spe"))
    counts = [check(vspe, os.path.join(corpus, name)) for name in names]
    if len(counts) < 16:
        fail(f"only {len(counts)} files in {corpus}")
    print(f"ok - {len(counts)} files, {sum(c[0] for c in counts)} records, {sum(c[1] for c in counts)} packets")


if __name__ == "__main__":
    main()
