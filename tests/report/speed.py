#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""speed.py VSPE GUESTS MIB: vspe report needs at most 300 MiB of memory for a perf.data file of MIB MiB, which repeats
a guest's recording, and misses no record of it. The time that this and perf report take is printed and not judged."""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

VSPE, GUESTS, SIZE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), int(sys.argv[3]) << 20
MOST = 300 << 10  # KiB
AUX, AUXTRACE = 11, 71
PIECE = 16 << 20  # bytes of records in one event, or less


def events(data):
    """(type, where, size, bytes of records after it) of the data section."""
    at, size = struct.unpack_from("<QQ", data, 40)
    end = at + size
    while at < end:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        behind = struct.unpack_from("<Q", data, at + 8)[0] if kind == AUXTRACE else 0
        yield kind, at, length, behind
        at += length + behind


def repeat(path, out, size):
    """Write the recording with its records repeated up to size bytes: AUX event, AUXTRACE event and bytes, with
    continuous offsets. Returns the number of repetitions."""
    data = path.read_bytes()
    start, length = struct.unpack_from("<QQ", data, 40)
    found = list(events(data))
    aux = next(data[at:at + n] for kind, at, n, _ in found if kind == AUX)
    trace = next(data[at:at + n] for kind, at, n, _ in found if kind == AUXTRACE)
    records = b"".join(data[at + n:at + n + behind] for kind, at, n, behind in found if kind == AUXTRACE)
    others = b"".join(data[at:at + n] for kind, at, n, _ in found if kind not in (AUX, AUXTRACE))
    piece = records * max(PIECE // len(records), 1)
    times = max(size // len(piece), 1)
    with open(out, "wb") as file:
        file.write(data[:start] + others)
        for number in range(times):
            offset = number * len(piece)
            for event, fields in (aux, (offset, len(piece))), (trace, (len(piece), offset)):
                file.write(event[:8] + struct.pack("<QQ", *fields) + event[24:])
            file.write(piece)
        end = file.tell()
        file.write(data[start + length:])
        # The sections of the header's features follow the data.
        moved = end - start - length
        for number in range(sum(bin(byte).count("1") for byte in data[72:104])):
            at, amount = struct.unpack_from("<QQ", data, start + length + 16 * number)
            file.seek(end + 16 * number)
            file.write(struct.pack("<QQ", at + moved, amount))
        file.seek(48)
        file.write(struct.pack("<Q", end - start))
    return times * max(PIECE // len(records), 1)


def measured(*command, **more):
    """Standard output, processor time in seconds, the peak of memory in KiB, and elapsed seconds."""
    began = time.monotonic()
    with tempfile.TemporaryFile() as messages:
        with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=messages, **more) as process:
            out = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        messages.seek(0)
        if process.returncode:
            sys.exit(f"not ok - {command[0]}: exit code {process.returncode}: {messages.read().decode(errors='replace')}")
    return out, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, time.monotonic() - began


def samples(file):
    return json.loads(subprocess.run([VSPE, "report", "--json", file], capture_output=True, check=True).stdout)[
        "records"]["rows"][0]["samples"]


def main():
    with tempfile.TemporaryDirectory() as work:
        small, large = Path(work) / "small", Path(work) / "large"
        image = GUESTS / "hotspot.elf"
        subprocess.run([VSPE, "run", "-k", GUESTS / "hotspot.Image", "--seed", "1", "--timeout", "100", "--symbols", image,
                        "--perf-data", small], check=True, capture_output=True)
        times = repeat(small, large, SIZE)
        wanted = times * samples(small)
        out, seconds, used, whole = measured(VSPE, "report", "--symbols", image, large)
        mib = large.stat().st_size >> 20
        print(f"# {mib} MiB, {wanted} records: vspe report {seconds:.2f} s of the processor, {whole:.2f} s, {used >> 10} MiB")
        if f"records {wanted}" not in " ".join(out.decode().split()):
            sys.exit(f"not ok - there are not {wanted} records:\n{out.decode()[:400]}")
        if used > MOST:
            sys.exit(f"not ok - {used} KiB of memory")
        if shutil.which("perf"):
            environment = {**os.environ, "HOME": work, "PERF_CONFIG": "/dev/null", "PERF_PAGER": "cat", "LC_ALL": "C"}
            _, others, more, whole = measured("perf", "report", "--stdio", "-i", large, "--vmlinux", image, env=environment)
            print(f"# perf report {others:.2f} s of the processor, {whole:.2f} s, {more >> 10} MiB; vspe report is {seconds / others:.2f} of it")
        print("ok - in bounded memory, and no record is missing")


main()
