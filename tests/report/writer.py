#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""writer.py VSPE GUESTS: the perf.data file is whole at any time. On a disk of each size, and after a kill at any point, what is under the
temporary name has whole events and whole records; what has no place is counted in it; and samples that collided are flagged."""
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import made
from made import failures, same

VSPE, GUESTS = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
RECORDS, SIZE = 16000, 32
COLLISION = 8


def records(count):
    """SIZE bytes each, without padding."""
    return b"".join(made.record({"pc": 0x400000 + 4 * n, "el": 0, "total": 5, "issue": 1, "translation": 1, "op": made.OTHER, "events": 2,
                                 "time": n}) for n in range(count))


def events(data):
    """(type, body, AUX trace) of each event; None for a file that does not end where its header says."""
    start, size = struct.unpack_from("<QQ", data, 40)
    found, at = [], start
    while at < start + size:
        kind, length = struct.unpack_from("<IxxH", data, at)
        trace = struct.unpack_from("<Q", data, at + 8)[0] if kind == 71 else 0
        if length < 8 or at + length + trace > min(len(data), start + size):
            return None
        found.append((kind, data[at + 8:at + length], data[at + length:at + length + trace]))
        at += length + trace
    return found


def traced(found):
    return b"".join(trace for kind, _, trace in found if kind == 71)


def full_disks(folder):
    """What the disk has room for is kept, and the rest counted."""
    raw, before = records(RECORDS), 0
    (folder / "raw").write_bytes(raw)
    sizes = [*range(1000, 9000, 500), *range(9000, len(raw) + 20000, 20011)]
    for size in sizes:
        # A coverage build writes its profile when it ends, which is not to be cut.
        done = subprocess.run([VSPE, "decode", "--perf-data", "data", "raw"], cwd=folder, capture_output=True, check=False,
                              env=dict(os.environ, LLVM_PROFILE_FILE="/dev/null"),
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
        parts = list(folder.glob("data.*.part"))
        what = f"a disk of {size} bytes"
        if done.returncode == 0:
            same(f"{what}: all is there", (parts, size > len(raw)), ([], True))
            (folder / "data").unlink()
            continue
        kept = 0
        if parts:
            data = parts[0].read_bytes()
            found = events(data)
            same(f"{what}: whole events", found is not None, True)
            kept = len(traced(found)) // SIZE
            lost = sum(struct.unpack_from("<Q", body)[0] for kind, body, _ in found if kind == 13)
            same(f"{what}: its first records, and the others counted", (traced(found) == raw[:SIZE * kept], lost, len(data) <= size),
                 (True, RECORDS - kept, True))
            shown = subprocess.run([VSPE, "report", "--json", parts[0]], capture_output=True, check=False)
            same(f"{what}: vspe report reads it", (shown.returncode, b"samples lost" in shown.stderr), (0, True))
            parts[0].unlink()
        same(f"{what}: no less than on a smaller one", (done.returncode in (2, 5), kept >= before, kept * SIZE >= size - 9000 - 512),
             (True, True, True))
        before = kept
    same("most sizes have records in them", before > RECORDS * 9 // 10, True)


def kills(folder):
    raw, chance = records(65536), random.Random(1)  # 2 MiB: eight chunks
    some = 0
    for number in range(24):
        with subprocess.Popen([VSPE, "decode", "--perf-data", "data", "-"], cwd=folder, stdin=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as writer:
            writer.stdin.write(raw[:chance.randrange(len(raw))])
            writer.stdin.flush()
            time.sleep(chance.random() / 50)
            writer.kill()
        parts = list(folder.glob("data.*.part"))
        for part in parts:
            found = events(part.read_bytes()) if part.stat().st_size else []
            same(f"kill {number}: whole events", found is not None, True)
            trace = traced(found or [])
            same(f"kill {number}: its first records", (trace == raw[:len(trace)], len(trace) % SIZE), (True, 0))
            some += len(trace) > 0
            if trace and shutil.which("perf") and some < 4:
                shown = subprocess.run(["perf", "report", "-D", "-i", part], capture_output=True, check=False)
                same(f"kill {number}: perf reads it", (shown.returncode, shown.stdout.count(b" TS ")), (0, len(trace) // SIZE))
            if trace:
                shown = subprocess.run([VSPE, "report", part], capture_output=True, check=False)
                rows = re.search(rb"^records +(\d+)", shown.stdout, re.M)
                same(f"kill {number}: vspe report reads it", (shown.returncode, rows and int(rows[1])), (0, len(trace) // SIZE))
            part.unlink()
        same(f"kill {number}: nothing under its own name", (folder / "data").exists(), False)
    same("some were killed while there were records", some > 0, True)


def collisions(folder):
    """The AUX flag is there exactly for vCPUs whose samples collided."""
    for spe, some in ("v1p2", False), ("v1p2,lifetime=2000", True):
        done = subprocess.run([VSPE, "run", "--spe", spe, "--stats=json", "--perf-data", "data", GUESTS / "hotspot.Image"], cwd=folder,
                              capture_output=True, check=False, stdin=subprocess.DEVNULL)
        counted = sum(map(int, re.findall(rb'"SAMPLE_COLLISION":(\d+)', done.stderr)))
        found = events((folder / "data").read_bytes())
        flags = [struct.unpack_from("<Q", body, 16)[0] & COLLISION for kind, body, _ in found if kind == 11]
        same(f"--spe {spe}: collisions", (done.returncode, counted > 0, any(flags)), (0, some, some))


with tempfile.TemporaryDirectory() as work:
    os.chmod(work, 0o755)
    for part in full_disks, kills, collisions:
        part(Path(work))
        print(f"{'not ok' if failures else 'ok'} - {part.__name__}")
sys.exit(bool(failures))
