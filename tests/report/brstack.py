#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""brstack.py VSPE GUESTS: vspe report --brstack has a line for each branch that retired, as perf 7.3 prints it by perf script
--itrace=bl -F ip,brstack, for each kind of branch; and where the perf here prints SPE's branches, that of guests is the same."""
import itertools
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import made
from made import auxtrace, failures, info, perf_file, same
from system import clock, comm, mmap2, started

VSPE, GUESTS = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
TXN = 1 << 16
# What perf calls a branch, by COND, IND and CR of its packet.
TYPES = {(0, 0, 0): "", (1, 0, 0): "COND", (0, 1, 0): "RET", (1, 1, 0): "COND_RET", (0, 0, 1): "CALL", (1, 0, 1): "COND_CALL",
         (0, 1, 1): "CALL", (1, 1, 1): "COND_CALL", (0, 0, 2): "RET", (1, 0, 2): "COND_RET", (0, 1, 2): "RET", (1, 1, 2): "COND_RET",
         (0, 0, 3): "UNCOND", (1, 0, 3): "COND", (0, 1, 3): "RET", (1, 1, 3): "COND_RET"}


def brstack(path, *options):
    done = subprocess.run([VSPE, "report", "--brstack", *options, path], capture_output=True, check=False)
    return done.stdout.decode("ascii").splitlines(), done.stderr.decode("ascii"), done.returncode


def branch(pc, target, payload, events, total, previous):
    out = b"\x98" + struct.pack("<H", total) + made.address(0xb0, pc, 1 if pc >> 63 else 0)
    if target is not None:
        out += made.address(0xb1, target, 0)
    if previous is not None:
        out += made.address(0xb4, previous, 0)
    return out + bytes([made.BRANCH, payload]) + b"\x62" + struct.pack("<I", events) + b"\x01"


def every_kind(folder):
    data, lines, left = b"", [], 0
    number = itertools.count(1)
    for (cond, indirect, kind), name in TYPES.items():
        for taken, predicted, txn, retired, target, previous in itertools.product((0, 1), repeat=6):
            pc = (0xffff800008000000 if cond else 0x400000) + 8 * next(number)
            events = (2 if retired else 0) | (0 if taken else made.NOT_TAKEN) | (0 if predicted else made.MISPREDICTED) | (TXN if txn else 0)
            data += branch(pc, pc + 64 if target else None, cond | indirect << 1 | kind << 3, events, pc & 0xffff, 0x400004 if previous else None)
            if not retired or not target:
                left += 1
                continue
            line = (f" {pc:16x} {pc:#x}/{pc + 64:#x}/{'P' if predicted else 'M'}{'' if taken else 'N'}/{'X' if txn else '-'}/-/{pc & 0xffff}"
                    f"/{name}/- ")
            lines.append(line + (" 0x0/0x400004/-/-/-/0//- " if previous else ""))
    (folder / "raw").write_bytes(data + made.record({"pc": 0x400000, "el": 0, "op": made.LOAD_STORE, "events": 2}))
    got, message, code = brstack(folder / "raw")
    same(f"{len(lines)} lines of {16 * 64} branches", [pair for pair in zip(got, lines) if pair[0] != pair[1]][:2] or len(got), len(lines))
    same("how many are left out", (message, code),
         (f"vspe report: {left} records of branches left out: not retired, or without a target\n", 0))
    # Where the file of --symbols has them.
    (folder / "map").write_text("0000000000400000 T start\n0000000000500000 D end\n")
    moved, _, _ = brstack(folder / "raw", "--el", "0", "--symbols", f"{folder / 'map'}@0x400000")
    same("--el, --symbols", moved, [line for line in lines if "ffff8000" not in line])


def of_a_process(folder):
    """Addresses of a process: its own while nobody has its program, as perf prints them, and the program's with --symfs and --symbols."""
    program, source = folder / "root/bin/program", folder / "program.s"
    program.parent.mkdir(parents=True)
    source.write_text(".text\n.global _start\n_start: .rept 64\nnop\n.endr\n")
    subprocess.run(["aarch64-linux-gnu-gcc", "-nostdlib", "-static-pie", "-Wl,--build-id=none", "-o", program, source], check=True)
    data = program.read_bytes()
    entry, table = struct.unpack_from("<QQ", data, 24)
    parts = [struct.unpack_from("<IIQQQQ", data, table + 56 * n) for n in range(struct.unpack_from("<H", data, 56)[0])]
    offset, linked, size = next((part[2], part[3], part[5]) for part in parts if part[0] == 1 and part[1] & 1)
    moved = 0xaaaad5c00000
    trace = branch(moved + entry + 16, moved + entry + 32, 1, 2, 3, moved + entry + 8)
    events = [info(), clock(0, 1, 0), started(5), comm(5, 5, b"work", 0), mmap2(5, moved + linked, size, offset, b"/bin/program", 0),
              auxtrace(trace, 0xffffffff, tid=5)]
    (folder / "perf.data").write_bytes(perf_file(events))
    for what, base, *options in (("nobody has the program", moved), ("--symfs", 0, "--symfs", folder / "root"),
                                 ("--symbols", 0, "--symbols", f"{program}@{moved + linked:#x}")):
        start = base + entry
        same(f"of a process, {what}", brstack(folder / "perf.data", *options)[0],
             [f" {start + 16:16x} {start + 16:#x}/{start + 32:#x}/P/-/-/3/COND/-  0x0/{start + 8:#x}/-/-/-/0//- "])


def perf_here(folder):
    """perf before 6.14 has no stack of SPE's branches."""
    version = subprocess.run(["perf", "--version"], capture_output=True, check=False).stdout if shutil.which("perf") else b""
    found = re.search(rb"(\d+)\.(\d+)", version)
    if not found or (int(found[1]), int(found[2])) < (6, 15):
        print(f"ok - perf's own lines # SKIP perf {found[0].decode() if found else 'is not here'}: 6.15 is needed")
        return
    for guest, *options in ("hotspot", "--spe", "v1p5,pbt"), ("pipeline", "--spe", "v1p5,pbt", "--model", "full"):
        subprocess.run([VSPE, "run", *options, "--perf-data", folder / "data", GUESTS / f"{guest}.elf"], stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        shown = subprocess.run(["perf", "script", "-i", folder / "data", "--itrace=bl", "-F", "ip,brstack"], capture_output=True, check=True)
        wanted = [line for line in shown.stdout.decode().splitlines() if "/0x0/" not in line]  # without a target: not taken
        same(f"perf's own lines of {guest}", brstack(folder / "data")[0], wanted)


with tempfile.TemporaryDirectory() as work:
    every_kind(Path(work))
    of_a_process(Path(work))
    perf_here(Path(work))
sys.exit(bool(failures))
