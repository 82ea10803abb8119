#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""hostile.py: bytes of any kind, records and perf.data files with some of their bytes changed, files of symbols that are damaged: an
array, or an exception of the package, and never anything else. With sanitizers also no byte beyond. All bytes are accounted for."""
import random
import struct
import sys
import tempfile
import warnings
from pathlib import Path

from common import failures, made, same

import vspe

import packets

ROUNDS = 800


def changed(chance, data):
    """Some bytes are others, gone, there twice, or cut off."""
    data = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 8, 64])):
        at, what = chance.randrange(len(data) or 1), chance.random()
        if what < 0.6:
            data[at:at + 1] = bytes([chance.choice([0, 1, 0x20, 0x71, 0xb0, 0xff, chance.randrange(256)])])
        elif what < 0.7:
            del data[at:at + chance.randrange(9)]
        elif what < 0.8:
            data[at:at] = data[at:at + chance.randrange(64)]
        elif what < 0.9:
            data[at:at + 8] = struct.pack("<Q", chance.choice([0, 1, 1 << 63, (1 << 64) - 1, chance.getrandbits(32)]))
        else:
            del data[at:]
    return bytes(data)


def records(chance):
    whole = b"".join(data for data, _, _ in packets.each()) + b"".join(data for data, _, _ in packets.cuts())
    wrong = []
    for _ in range(ROUNDS):
        at = chance.randrange(len(whole))
        data = changed(chance, whole[at:at + chance.choice([1, 30, 400, 5000])])
        rows = vspe.decode(data).records
        ends = rows["offset"] + rows["size"]
        passed = bytearray(data)
        for offset, size in zip(rows["offset"].tolist(), rows["size"].tolist()):
            passed[offset:offset + size] = bytes(size)
        if any(passed) or (len(rows) and (int(ends[-1]) > len(data) or (rows["offset"][1:] < ends[:-1]).any())):
            wrong.append(data.hex())
        vspe.data_sources(rows, "neoverse-n1")
        [vspe.events_of(value) for value in rows["events"][:3].tolist()]
    same("every byte that is not 0 is in one record", wrong, [])


def example():
    trace = b"".join(made.record(r) for r in made.many(50))
    return made.perf_file([made.info([(0, 0x414fd0c1)]), made.event(79, struct.pack("<QQQQQBB6x", 0, 1, 0, 0, (1 << 64) - 1, 1, 0)),
                           made.event(3, struct.pack("<II", 5, 5) + b"work".ljust(8, b"\0") + bytes(32)),
                           made.event(10, struct.pack("<iIQQQ", 5, 5, 0x400000, 0x2000, 0) + bytes(24) + struct.pack("<II", 5, 2) + b"/bin/true".ljust(16, b"\0") + bytes(32)),
                           made.event(13, struct.pack("<Q", 6) + bytes(32)), made.auxtrace(trace, 0), made.auxtrace(trace, -1, 4096, tid=5)], 0x414fd0c1)


def files(chance):
    """What comes of a damaged file when it is read is what comes when it is streamed."""
    whole, some = example(), 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(ROUNDS):
            data = changed(chance, whole)
            try:
                read = vspe.read(data)
                some += len(read) > 0
            except (vspe.InputError, OSError) as error:
                read = error
            if number % 4 == 0:
                try:
                    streamed = sum(len(rows) for rows in vspe.stream(data, 7))
                except (vspe.InputError, OSError) as error:
                    streamed = str(error)
                same("read() and stream()", streamed, len(read) if isinstance(read, vspe.Profile) else str(read))
            names = vspe.Names(data)
            if isinstance(read, vspe.Profile) and names.named:
                names.functions(read.records)
                names.commands(read.records)
                names.files(read.records)
    same("some were read", some > ROUNDS // 4, True)


def symbols(chance, folder):
    path, rows = folder / "symbols", vspe.decode(made.record({"pc": 0x1000, "el": 0})).records
    lists = made.system_map()
    elf = Path(vspe._vspe.__file__).read_bytes()[:4096]
    elf = elf[:18] + struct.pack("<H", 183) + elf[20:]  # of AArch64, as it says
    for _ in range(ROUNDS // 5):
        path.write_bytes(changed(chance, chance.choice([lists, elf])))
        try:
            vspe.Names(b"", [path]).functions(rows)
        except vspe.NamesError:
            pass


with tempfile.TemporaryDirectory() as work:
    records(random.Random(1))
    files(random.Random(2))
    symbols(random.Random(3), Path(work))
print(f"{'not ok' if failures else 'ok'} - hostile")
sys.exit(bool(failures))
