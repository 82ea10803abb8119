#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Read sample records of Arm's Statistical Profiling Extension, format 0 (Arm ARM D18.1 and D18.2).

spe_packets.py FILE prints one JSON object a record, as README.md describes it. It is written from the tables of the
architecture, shares nothing with libvspe or vspe decode, and prefers to be read rather than to be fast.
"""
import json
import sys

EVENTS = {0: "EXCEPTION-GEN", 1: "RETIRED", 2: "L1D-ACCESS", 3: "L1D-REFILL", 4: "TLB-ACCESS", 5: "TLB-REFILL",
          6: "NOT-TAKEN", 7: "MISPRED", 8: "LLC-ACCESS", 9: "LLC-REFILL", 10: "REMOTE-ACCESS", 11: "ALIGNMENT",
          16: "TXN", 17: "SVE-PARTIAL-PRED", 18: "SVE-EMPTY-PRED", 19: "L2D-ACCESS", 20: "L2D-MISS", 21: "HITM",
          22: "LFB", 23: "SNOOPED", 24: "STREAMING-SVE", 25: "SMCU"}
COUNTERS = {0: "total", 1: "issue", 2: "translation", 4: "alternate issue"}
ADDRESSES = {0: "PC", 1: "branch target", 2: "data virtual", 3: "data physical", 4: "previous branch target"}
SUBCLASSES = [(0xfe, 0x00, "GP-REG"), (0xfe, 0x04, "SIMD-FP"), (0xfe, 0x10, "UNSPEC-REG"), (0xfe, 0x14, "MTE-TAG"),
              (0xfe, 0x30, "NV-SYSREG"), (0xfe, 0x20, "MEMCPY"), (0xff, 0x25, "MEMSET"), (0xfe, 0x40, "GCS"),
              (0xfe, 0x44, "GCS COMM")]


def field(value, most, least):
    return value >> least & (1 << most - least + 1) - 1


def words(value, *names):
    """The names of the bits that are set: (bit, name)."""
    return [name for bit, name in names if value >> bit & 1]


def vector_length(payload):
    length = field(payload, 6, 4)
    return ["EVLEN", ">2048" if length == 7 else str(32 << length)]


def other(payload):
    if not payload & 1 and payload >> 3 & 1:
        if not payload >> 7:
            return ["SVE-OTHER", *vector_length(payload), *words(payload, (1, "FP"), (2, "PRED"))]
        tile = field(payload, 6, 4) << 1 | field(payload, 2, 2)
        size = "ZA" if tile == 15 else str(128 << tile) if tile < 12 else f"?{tile}"
        return ["SME-OTHER", "ETS", size, *words(payload, (1, "FP"))]
    if payload >> 3:
        return ["OTHER", f"?{payload:#04x}"]
    return ["OTHER", "COND-SELECT" if payload & 1 else "INSN-OTHER", *words(payload, (1, "FP"), (2, "ASE"))]


def load_store(payload):
    name = ["ST" if payload & 1 else "LD"]
    if payload >> 1 & 1 and not payload >> 5:
        return name + words(payload, (2, "AT"), (3, "EXCL"), (4, "AR"))
    if payload >> 3 & 1 and not payload >> 1 & 1:
        return name + ["SVE", *vector_length(payload), *words(payload, (2, "PRED"), (7, "SG"))]
    for mask, match, text in SUBCLASSES:
        if payload & mask == match:
            return name + [text]
    return name + [f"?{payload:#04x}"]


def branch(payload):
    kind = ["", "CR-BL", "CR-RET", "CR-NON-BL-RET"][field(payload, 4, 3)]
    return (["B"] + words(payload, (0, "COND"), (1, "IND"), (2, "GCS")) + [kind] * bool(kind)
            + [f"?{payload:#04x}"] * bool(payload >> 5))


CLASSES = {0: ("other", other), 1: ("load/store", load_store), 2: ("branch", branch)}


def events(payload):
    return [EVENTS.get(bit, f"E[{bit}]") for bit in range(64) if payload >> bit & 1]


def address(index, payload):
    if index == 2:
        return {"address": f"{payload:#x}"}
    if index > 4:
        return {"payload": f"{payload:#x}"}
    fields = {"address": f"{field(payload, 55, 0):#x}", "ns": field(payload, 63, 63), "nse": field(payload, 60, 60)}
    if index == 3:
        return {**fields, "ch": field(payload, 62, 62), "pat": field(payload, 59, 56)}
    return {**fields, "el": field(payload, 62, 61)}


def read_packet(data, at):
    """(bytes that it takes, what it says) of the packet at data[at]; padding is a packet of one byte."""
    header, start, high, extended = data[at], at + 1, 0, False
    if header & 0xe0 == 0x20:
        extended, high, header, start = True, header & 0x1f, data[at + 1], at + 2
    size = 1 << field(header, 5, 4) if header >= 0x40 else 0
    if start + size > len(data):
        raise IndexError("the packet is cut off")
    payload, index = int.from_bytes(data[start:start + size], "little"), header & 7 | (high & 3) << 3
    if header & 0xf8 == 0x98 and high < 4:
        says = {"packet": "counter", "index": index, "value": payload}
        if index in COUNTERS:
            says["name"] = COUNTERS[index]
    elif header & 0xf8 == 0xb0 and high < 4:
        says = {"packet": "address", "index": index, **address(index, payload)}
        if index in ADDRESSES:
            says["name"] = ADDRESSES[index]
    elif extended:
        says = {"packet": "unknown", "payload": f"{payload:#x}"}
    elif header == 0:
        says = {"packet": "padding"}
    elif header == 0x01:
        says = {"packet": "end"}
    elif header == 0x71:
        says = {"packet": "timestamp", "value": payload}
    elif header & 0xcf == 0x42:
        says = {"packet": "events", "payload": f"{payload:#x}", "events": events(payload)}
    elif header & 0xef == 0x43:
        says = {"packet": "data source", "value": payload}
    elif header & 0xfc == 0x48 and header & 3 in CLASSES:
        name, describe = CLASSES[header & 3]
        says = {"packet": "operation type", "class": name, "payload": f"{payload:#04x}",
                "operation": " ".join(describe(payload))}
    elif header & 0xfe == 0x64:
        says = {"packet": "context", "register": f"CONTEXTIDR_EL{1 + (header & 1)}", "value": f"{payload:#x}"}
    else:
        says = {"packet": "unknown", "payload": f"{payload:#x}"}
    return start + size - at, says


def records(data):
    """Each record: where it begins and ends, its packets without padding. What is left without an end is complete: False."""
    at, packets = 0, []

    def record(complete):
        first, last = packets[0], packets[-1]
        return {"offset": first["offset"], "size": last["offset"] + len(bytes.fromhex(last["bytes"])) - first["offset"],
                "complete": complete, "packets": packets}

    while at < len(data):
        try:
            size, says = read_packet(data, at)
        except IndexError:
            size, says = len(data) - at, {"packet": "unknown"}
        if says["packet"] != "padding":
            packets.append({"offset": at, "bytes": data[at:at + size].hex(), **says})
        at += size
        if says["packet"] in ("timestamp", "end"):
            yield record(True)
            packets = []
    if packets:
        yield record(False)


def as_json(data):
    return "".join(json.dumps({"record": number, **record}, separators=(",", ":")) + "\n"
                   for number, record in enumerate(records(data)))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as file:
        sys.stdout.write(as_json(file.read()))
