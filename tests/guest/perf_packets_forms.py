#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every packet form of sample records, format 0 (Arm ARM D18.2), as bytes.

forms() yields (name, bytes) once for each form: each header, each class and subclass of operation
type with each of its bits, each event in each size of the payload, each index of counters and
addresses in short and extended headers. It is written from the tables of D18.2 and shares nothing
with the encoder or the decoder of this project.

perf_packets_forms.py RAW: writes them as records, each closed by a timestamp and padded.
"""
import sys

VA = 0x0012_3456_789A_BCDE


def packet(header, payload=0, size=0):
    return bytes([header]) + payload.to_bytes(size, "little")


def extended(index, base, payload, size):
    return bytes([0x20 | index >> 3, base | index & 7]) + payload.to_bytes(size, "little")


def bits(fixed, *free):
    """All payloads with these fixed bits and any of the free ones."""
    values = [fixed]
    for bit in free:
        values += [value | 1 << bit for value in values]
    return values


# Header, name, payloads.
OPERATIONS = [
    (0x48, "other", bits(0, 0, 1, 2)),
    (0x48, "SVE data processing", bits(0x08, 1, 2, 4, 5, 6)),
    # ETS 12 to 14 are reserved.
    (0x48, "SME array", [p for p in bits(0x88, 1, 2, 4, 5, 6)
                         if (p >> 3 & 14 | p >> 2 & 1) not in (12, 13, 14)]),
    (0x49, "general registers", bits(0x00, 0)),
    (0x49, "SIMD and floating-point registers", bits(0x04, 0)),
    (0x49, "extended", bits(0x02, 0, 2, 3, 4)),
    (0x49, "unspecified registers", bits(0x10, 0)),
    (0x49, "Allocation Tags", bits(0x14, 0)),
    (0x49, "system register in memory", bits(0x30, 0)),
    (0x49, "Memory Copy", bits(0x20, 0)),
    (0x49, "Memory Set", [0x25]),
    (0x49, "SVE or SME load or store", bits(0x08, 0, 2, 4, 5, 6, 7)),
    (0x49, "Guarded Control Stack", bits(0x40, 0, 2)),
    (0x4A, "branch", bits(0x00, 0, 1, 2, 3, 4)),
]


def instruction_addresses():
    for ns in 0, 1:
        for nse in 0, 1:
            for el in range(4):
                yield f"el{el} ns={ns} nse={nse}", ns << 63 | el << 61 | nse << 60 | VA


def addresses():
    for name, index in ("PC", 0), ("branch target", 1), ("previous branch target", 4):
        for state, payload in instruction_addresses():
            yield f"{name} {state}", index, payload
    for tag in 0, 0x5A, 0xFF:
        yield f"data virtual address tag={tag:#x}", 2, tag << 56 | VA
    yield "data virtual address of the upper half", 2, 0xFFFF_8000_0000_1000
    for ns in 0, 1:
        for nse in 0, 1:
            for checked in 0, 1:
                for tag in 0, 10:
                    yield (f"data physical address ns={ns} nse={nse} ch={checked} pat={tag}", 3,
                           ns << 63 | checked << 62 | nse << 60 | tag << 56 | 0x0F_F1_23_45_67_89)
    for index in 5, 6, 7, *range(8, 32):
        yield f"address of index {index}", index, VA


def counters():
    for index in range(32):
        for value in 0, 1, 0xFFF, 0xFFFF:
            yield f"counter {index} {value:#x}", index, value


def forms():
    for index in 0, 1:
        for value in 0, 0x1234, 0xFFFF_FFFF:
            yield f"context {index} {value:#x}", packet(0x64 + index, value, 4)
    for name, index, value in counters():
        if index < 8:
            yield f"short {name}", packet(0x98 + index, value, 2)
        yield f"extended {name}", extended(index, 0x98, value, 2)
    for name, index, payload in addresses():
        if index < 8:
            yield f"short {name}", packet(0xB0 + index, payload, 8)
        yield f"extended {name}", extended(index, 0xB0, payload, 8)
    for size in 0, 1:
        for source in *range(16), 0xFF, *([] if size == 0 else [0x100, 0xABCD]):
            yield f"data source, {1 << size} bytes: {source:#x}", packet(0x43 | size << 4, source,
                                                                        1 << size)
    for header, name, payloads in OPERATIONS:
        for payload in payloads:
            yield f"{name} {payload:#04x}", packet(header, payload, 1)
    for size in range(4):
        header, width = 0x42 | size << 4, 1 << size
        yield f"no event, {width} bytes", packet(header, 0, width)
        yield f"all events, {width} bytes", packet(header, (1 << 8 * width) - 1, width)
        for bit in range(8 * width):
            yield f"event {bit}, {width} bytes", packet(header, 1 << bit, width)
    for count in 0, 1, 0x0123_4567_89AB_CDEF, 1 << 63, (1 << 64) - 1:
        yield f"timestamp {count:#x}", packet(0x71, count, 8)
    yield "end", packet(0x01)
    for size in 1, 2, 15, 16, 17, 63:
        yield f"padding of {size}", bytes(size)
        yield "end", packet(0x01)


def stream():
    """(name, bytes) of whole records: each form that does not end a record has a separate one.

    The timestamps in between all differ, so that no packet can pass for its neighbour.
    """
    at = 0
    for name, form in forms():
        ends = form[0] in (0x71, 0x01) or not any(form)
        for part in (name, form), *([] if ends else [("timestamp", packet(0x71, at, 8))]):
            yield part
            at += len(part[1])
    # The data of an AUXTRACE event of perf.data are a multiple of 8 bytes.
    if at % 8:
        yield "padding at the end", bytes(-at % 8)


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as file:
        file.write(b"".join(form for _, form in stream()))
