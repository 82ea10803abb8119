#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""memory.py VSPE MIB: a perf.data file of MIB MiB that fills every table of vspe report takes at most 300 MiB of memory, a
System.map of a kernel's size besides; of what found no place in a table exactly that is said. Of a small one:
with a terminal there is a line that tells how far it is, without there is none."""
import json
import os
import pty
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import made

VSPE, SIZE = Path(sys.argv[1]).resolve(), int(sys.argv[2]) << 20
SMALL = 256 << 20  # what is read a second time, with a terminal
MOST = 300 << 10  # KiB; not of a build with sanitizers
PIECE, PIECES = 8 << 20, 4
SYMBOLS = 200000
BOUNDS = {"addresses": 1 << 19, "branches": 1 << 19, "lines": 1 << 18, "pages": 1 << 16, "contexts": 1 << 16}


def piece(seed):
    """Some 8 MiB of branches and stores all over the address space, and their keys in each table."""
    chance, out, keys, size = random.Random(seed), [], {name: [] for name in BOUNDS}, 0
    while size < PIECE:
        pc = 0xffff800000000000 + 4 * chance.randrange(1 << 26)
        if chance.random() < 0.6:
            r = made.record({"pc": pc, "el": 1, "total": 9, "op": made.BRANCH, "target": pc + 64, "events": 0x82})
            keys["branches"].append(pc)
            keys["contexts"].append(-1)
        else:
            line, context = chance.randrange(1 << 30), chance.randrange(1 << 20)
            r = made.record({"pc": pc, "el": 1, "total": 9, "op": made.LOAD_STORE, "payload": 1, "events": 2,
                             "pa": 64 * line, "context": context})
            keys["lines"].append(line)
            keys["pages"].append(line // 64)
            keys["contexts"].append(context)
        keys["addresses"].append(pc)
        out.append(r)
        size += len(r)
    return b"".join(out), keys


def write(path, size):
    """The file: a few pieces in turn. Prints its records, and of each table how many of them find no place."""
    pieces = [piece(seed) for seed in range(PIECES)]
    seen = {name: set() for name in BOUNDS}
    counts = dict.fromkeys(["records", *BOUNDS], 0)
    again = {}  # the counts of a piece when all tables are full: they stay
    stream = struct.pack("<IHH", 70, 0, 24) + struct.pack("<II", 4, 0) + bytes(8)
    total, number = len(stream), 0
    with open(path, "wb") as file:
        file.write(bytes(104) + stream)
        while total < size:
            data, keys = pieces[number % PIECES]
            file.write(struct.pack("<IHHQQQIIII", 71, 0, 48, len(data), 0, 0, 0, 0, number % 4, 0) + data)
            if number < 2 * PIECES:
                lost = dict.fromkeys(BOUNDS, 0)
                for name, bound in BOUNDS.items():
                    for key in keys[name]:
                        if key in seen[name]:
                            continue
                        if len(seen[name]) < bound:
                            seen[name].add(key)
                        else:
                            lost[name] += 1
                again[number % PIECES] = lost
            for name in BOUNDS:
                counts[name] += again[number % PIECES][name]
            counts["records"] += len(keys["addresses"])
            total, number = total + 48 + len(data), number + 1
        file.seek(0)
        file.write(b"PERFILE2" + struct.pack("<12Q", 104, 136, 104, 0, 104, total, 0, 0, 0, 0, 0, 0))
    print(json.dumps(counts))


def measured(command, terminal):
    """Standard output, standard error, and the most memory in KiB."""
    master, slave = pty.openpty()
    reader, writer = os.pipe()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=slave if terminal else writer)
    os.close(slave)
    os.close(writer)
    out = process.stdout.read()
    messages = b""
    try:
        while text := os.read(master if terminal else reader, 65536):
            messages += text
    except OSError:  # the end of a terminal
        pass
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"not ok - exit code {process.returncode}: {messages.decode()}")
    return out, messages.decode(), usage.ru_maxrss


def main():
    if VSPE.name == "write":  # in a process of its own, whose memory is not taken for that of vspe
        write(sys.argv[3], SIZE)
        return
    with tempfile.TemporaryDirectory() as work:
        data, symbols = Path(work) / "data", Path(work) / "map"
        made_counts = subprocess.run([sys.executable, "-B", __file__, "write", sys.argv[2], data], check=True, capture_output=True)
        wanted = json.loads(made_counts.stdout)
        symbols.write_text("".join(f"{0xffff800000000000 + 1024 * n:016x} T a_function_of_the_kernel_{n}\n"
                                   for n in range(SYMBOLS)))
        command = [VSPE, "report", "--json", "--symbols", symbols, data]
        out, messages, used = measured(command, False)
        if messages:
            sys.exit(f"not ok - without a terminal there are messages: {messages}")
        more = 0
        if SIZE <= SMALL:
            again, messages, more = measured(command, True)
            if "\rvspe report: 16 MiB of " not in messages or not messages.endswith("\r\x1b[K"):
                sys.exit(f"not ok - no progress on a terminal: {messages[:200]!r}")
            if again != out:
                sys.exit("not ok - another report of the same file")
        report = json.loads(out)
        got = {"records": report["records"]["rows"][0]["samples"], **{name: report[name]["dropped"] for name in BOUNDS}}
        print(f"# {data.stat().st_size >> 20} MiB, {wanted['records']} records, {used >> 10} MiB of memory")
        if got != wanted or not all(wanted.values()):
            sys.exit(f"not ok - in no row are {got}, and not {wanted}")
        if not os.environ.get("VSPE_SANITIZED") and max(used, more) > MOST:
            sys.exit(f"not ok - {used} KiB of memory")
        print("ok - in bounded memory, and what has no place is told of")


main()
