#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""make.py GENERATOR FOLDER: the corpus of records, which README.md describes.

GENERATOR is examples/record-generator, that is libvspe; FOLDER gets a NAME.spe, the bytes of a profiling buffer, and a
NAME.json, what is to be read in them, for each NAME.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "tests", "guest"), os.path.join(HERE, "..", "tools")]
from perf_packets_forms import stream
from spe_packets import as_json, records
from write_changed import write_changed

VERSIONS = ["v1p0", "v1p1", "v1p2", "v1p3", "v1p4", "v1p5"]


def slot(size, *headers):
    """A place in a record: for the packets with these first bytes, or padding of that size."""
    return size, headers


# The packets of a record in order, with what stands where there is none. A core has none of the packets that are not here.
# Neoverse: google/perf_data_converter, src/quipper/arm_spe_decoder_test.cc, and struct spe_record of aws/aperf's Hotline.
# The two others are second hand: dumps in public threads.
LAYOUTS = {
    # N1, V1, N2 and V2: always 64 bytes.
    "neoverse": [slot(9, 0xb0), slot(5, 0x64), slot(5, 0x65), slot(2, 0x48, 0x49, 0x4a), slot(3, 0x52), slot(3, 0x99),
                 slot(3, 0x98), slot(9, 0xb1, 0xb2), slot(3, 0x9a), slot(9, 0xb3), slot(2, 0x43), slot(2), slot(9, 0x71)],
    "kunpeng-920": [slot(9, 0xb0), slot(3, 0x99), slot(3, 0x98), slot(3, 0x52), slot(2, 0x48, 0x49, 0x4a), slot(3),
                    slot(9, 0xb1, 0xb2), slot(3, 0x9a), slot(5, 0x64), slot(15), slot(9, 0x71)],
    # The FVP (AEM): no padding in between.
    "fvp": [slot(0, 0x48, 0x49, 0x4a), slot(0, 0xb1, 0xb2), slot(0, 0xb3), slot(0, 0x9a), slot(0, 0x42), slot(0, 0xb0),
            slot(0, 0x98), slot(0, 0x71)],
}


def events_of(packets, header):
    """The Events packet in the size that its header says: what does not fit a core does not have."""
    size = 1 << (header >> 4 & 3)
    payload = int(next(p["payload"] for p in packets if p["packet"] == "events"), 0)
    return bytes([header]) + (payload & (1 << 8 * size) - 1).to_bytes(size, "little")


def laid_out(record, layout):
    """The record's packets as a core writes them, padded to 64 bytes."""
    packets, out = record["packets"], b""
    by_header = {bytes.fromhex(p["bytes"])[0]: bytes.fromhex(p["bytes"]) for p in packets}
    for header in 0x42, 0x52:
        by_header[header] = events_of(packets, header)
    for size, headers in layout:
        out += next((by_header[h] for h in headers if h in by_header), bytes(size))
    return out + bytes(-len(out) % 64)


def generate(generator, folder, *options):
    raw = os.path.join(folder, "records.tmp")
    subprocess.run([generator, *options, raw], check=True, stdout=subprocess.DEVNULL)
    with open(raw, "rb") as file:
        data = file.read()
    os.unlink(raw)
    return data


def corpus(generator, folder):
    """(name, bytes)"""
    yield "forms", b"".join(form for _, form in stream())
    for version in VERSIONS:
        yield version, generate(generator, folder, version)
        yield version + "-all", generate(generator, folder, "--all", version)
    # Cores have what was in v1p0, and a record ends with a timestamp.
    whole = [record for record in records(generate(generator, folder, "v1p0"))
             if record["packets"][-1]["packet"] == "timestamp"]
    for core, layout in LAYOUTS.items():
        yield core, b"".join(laid_out(record, layout) for record in whole)


def main():
    generator, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    for name, data in corpus(generator, folder):
        write_changed(os.path.join(folder, name + ".spe"), data)
        write_changed(os.path.join(folder, name + ".json"), as_json(data).encode())


if __name__ == "__main__":
    main()
