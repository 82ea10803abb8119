#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cores.py CORE GUEST SYNTHETIC VSPE: compares two readers of two perf.data files with records of a machine of CORE.
One is a decoder that knows one fixed layout of a record and no packets. The other is records/spe_packets.py, which
knows packets and no layout.

The decoders follow published ones: for Neoverse V1, N2 and V2 struct spe_record_raw of aws/aperf
(src/hotline/perf_interface.h), whose four bytes of events N1 does not have; for N1 the record of
google/perf_data_converter (src/quipper/arm_spe_decoder_test.cc), as a struct. They read no header except that of the
operation type, as Hotline does; where there is no packet they read zero. SYNTHETIC must have every data source,
GUEST every kind of operation. VSPE decode must give the number that the struct has for the data source the name in
the core's manual.
"""
import json
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "records"))
from spe_packets import records

AUXTRACE = 71  # PERF_RECORD_AUXTRACE

# Names of the members; "_" is not compared. hotline: it reads the address with its header.
HOTLINE = "<B7sB10sBBBIBHBHQBBH9sBBBQ", ["_", "pc", "_", "_", "type", "reg", "_", "events", "_", "issue_lat", "_", "total_lat",
                                          "vaddr", "_", "_", "x_lat", "_", "_", "data_source", "_", "timestamp"]
N1 = "<B7sB10sBBBHBHBHQBBH9sBB2sBQ", ["_", "pc", "_", "_", "type", "reg", "_", "events", "_", "issue_lat", "_", "total_lat",
                                       "vaddr", "_", "_", "x_lat", "_", "_", "data_source", "_", "_", "timestamp"]
# As in the Technical Reference Manuals of Neoverse N1, V1, N2 and V2, "SPE data source".
SOURCES = {0x0: "L1D", 0x8: "L2", 0x9: "peer core", 0xa: "local cluster", 0xb: "system cache", 0xc: "peer cluster",
           0xd: "remote", 0xe: "DRAM"}
DECODERS = {"neoverse-n1": N1}  # the others are HOTLINE's


def fail(text):
    sys.exit(f"FAIL: {text}")


def by_struct(data, form, names):
    for at in range(0, len(data), 64):
        values = dict(zip(names, struct.unpack_from(form, data, at)))
        values.pop("_")
        values["pc"] = int.from_bytes(values["pc"], "little")
        values["vaddr"] = values["vaddr"] >> 8  # it begins at the header, and its top byte is another member
        yield values


def aux_data(path):
    """The AUX data of a perf.data file, which come from the profiling buffers."""
    with open(path, "rb") as file:
        data = file.read()
    at, size = struct.unpack_from("<QQ", data, 40)
    end, aux = at + size, b""
    while at < end:
        kind, _, size = struct.unpack_from("<IHH", data, at)
        at += size
        if kind == AUXTRACE:
            length, = struct.unpack_from("<Q", data, at - size + 8)
            aux += data[at:at + length]
            at += length
    return aux


def by_packets(record):
    """What the struct must have for a record."""
    packets = {(packet["packet"], packet.get("index")): packet for packet in record["packets"]}
    bytes_of = {bytes.fromhex(packet["bytes"])[0]: packet for packet in record["packets"]}
    address = packets.get(("address", 2)) or packets.get(("address", 1))

    def value(name, key, index=None):
        return int(str(packets.get((name, index), {key: 0})[key]), 0)
    return {"pc": value("address", "address", 0), "type": next(h for h in bytes_of if 0x48 <= h <= 0x4a),
            "reg": value("operation type", "payload"), "events": value("events", "payload"),
            "issue_lat": value("counter", "value", 1), "total_lat": value("counter", "value", 0),
            "vaddr": int(address["address"], 0) & (1 << 56) - 1 if address else 0, "x_lat": value("counter", "value", 2),
            "data_source": value("data source", "value"), "timestamp": value("timestamp", "value")}


def check(core, path):
    data = aux_data(path)
    form, names = DECODERS.get(core, HOTLINE)
    if struct.calcsize(form) != 64:
        fail(f"the struct of {core} has {struct.calcsize(form)} bytes")
    if not data or len(data) % 64:
        fail(f"{core}: {len(data)} bytes are no records of 64")
    found = list(records(data))
    if len(found) * 64 != len(data):
        fail(f"{core}: {len(found)} records in {len(data)} bytes")
    kinds, sources = set(), set()
    for number, (got, record) in enumerate(zip(by_struct(data, form, names), found)):
        want = by_packets(record)
        if got != want or record["offset"] != 64 * number or record["size"] != 64:
            fail(f"{core}: record {number} is {got} by its struct, and {want} by its packets")
        kinds.add(got["type"])
        sources.add(got["data_source"])
    print(f"ok - {core}: {len(found)} records, operation types {sorted(kinds)}, data sources {sorted(sources)}")
    return kinds, sources


def check_names(core, path, vspe):
    """The name that vspe decode gives each record's data source."""
    out = subprocess.run([vspe, "decode", "--json", path], capture_output=True, check=True, timeout=60).stdout
    names = [json.loads(line).get("data_source_name") for line in out.splitlines()]
    wanted = [SOURCES[values["data_source"]] for values in by_struct(aux_data(path), *DECODERS.get(core, HOTLINE))]
    if names != wanted:
        fail(f"{core}: vspe decode calls the data sources {names}, and not {wanted}")
    print(f"ok - {core}: {', '.join(names)}")


def main():
    core, guest, synthetic, vspe = sys.argv[1:]
    if len(check(core, guest)[0]) != 3:
        fail(f"{core}: the guest has no records of some kind of operation")
    if check(core, synthetic)[1] != {0, 8, 9, 10, 11, 12, 13, 14}:
        fail(f"{core}: a data source is missing")
    check_names(core, synthetic, vspe)


if __name__ == "__main__":
    main()
