# SPDX-License-Identifier: BSD-2-Clause
"""Runs of vspe and what came of them."""
import json
import os
import re
import select
import signal
import struct
import subprocess
import time

AUXTRACE, LIMIT_S = 71, 90
NOTHING_SAID = ("vspe run: --unknown ", "vspe run: --save-at ")
LEFT_OUT = re.compile(r"vspe run: --perf-data .*: (\d+) unfinished records left out, (\d+) contexts without maps")


class Late(Exception):
    """A run that goes on."""


class Broken(Exception):
    """Something that must not be, in words."""


class Server:
    """A storm_server: vspe, started for the price of a fork."""
    def __init__(self, program):
        self.answers = b""
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(), start_new_session=True)

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    def line(self, seconds):
        end = None if seconds is None else time.monotonic() + seconds
        while b"\n" not in self.answers:
            left = None if end is None else max(0, end - time.monotonic())
            if not select.select([self.process.stdout], [], [], left)[0]:
                return None
            got = os.read(self.process.stdout.fileno(), 4096)
            if not got:
                raise RuntimeError("storm_server has ended")
            self.answers += got
        line, self.answers = self.answers.split(b"\n", 1)
        return int(line)

    def start(self, folder, words, stdin="/dev/null", stdout="out", stderr="err", limit=0):
        request = "\t".join([folder, stdin, stdout, stderr, str(limit), *words])
        self.process.stdin.write(request.encode() + b"\n")
        self.process.stdin.flush()
        return self.line(None)

    def end(self, seconds):
        """Its exit code, or the negative number of the signal that ended it; Late if it goes on."""
        code = self.line(seconds)
        if code is None:
            raise Late
        return code

    def wait(self, pid, seconds=LIMIT_S):
        try:
            return self.end(seconds)
        except Late:
            os.kill(pid, signal.SIGKILL)
            self.line(None)
            raise Broken(f"it did not end in {seconds} s") from None


def environment():
    """Sanitizers and invariants end a run by an abort."""
    options = "abort_on_error=1:halt_on_error=1:detect_leaks=0:handle_abort=0"
    return {**os.environ, "ASAN_OPTIONS": options, "UBSAN_OPTIONS": options + ":print_stacktrace=1"}


def read(folder, name):
    try:
        with open(os.path.join(folder, name), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def aux_of(data):
    """The records of a perf.data file, {vCPU: bytes}; Broken if it is not whole."""
    if data[:8] != b"PERFILE2":
        raise Broken("perf.data has no header")
    at, size = struct.unpack_from("<QQ", data, 40)
    end = at + size
    if end > len(data):
        raise Broken(f"perf.data: events up to {end}, and it has {len(data)} bytes")
    found = {}
    while at < end:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        if length < 8 or at + length > end:
            raise Broken(f"perf.data: an event of {length} bytes at {at}")
        if kind == AUXTRACE:
            aux, offset, _, _, _, cpu = struct.unpack_from("<QQQIII", data, at + 8)
            if at + length + aux > end:
                raise Broken(f"perf.data: {aux} bytes of records at {at}")
            found.setdefault(cpu, []).append((offset, data[at + length:at + length + aux]))
            length += aux
        at += length
    return {cpu: b"".join(part for _, part in sorted(parts, key=lambda part: part[0])) for cpu, parts in found.items()}


def records_of(data):
    """The records in bytes of them, without what pads them, and what is left after the last."""
    at, last, found, first = 0, 0, [], None
    while at < len(data):
        byte = data[at]
        if byte == 0:
            at += 1
            continue
        first = at if first is None else first
        if 0x20 <= byte < 0x40 and at + 1 < len(data):
            at += 1
            byte = data[at]
        if byte == 1:
            at += 1
        else:
            at += 1 + (1 << (byte >> 4 & 3))
        if byte in (1, 0x71):
            if at > len(data):
                break
            found.append(data[first:at])
            last, first = at, None
    return found, data[last:].strip(b"\0")


class Outcome:
    """What a run left: its exit code, the console, what it said, its counts, its records, and the machine, if it was saved."""
    def __init__(self, folder, code, names):
        self.code = code
        self.console = read(folder, "out") or b""
        said = (read(folder, "err") or b"").decode(errors="replace").splitlines()
        self.counts = None
        for line in said:
            if line.startswith("{"):
                self.counts = self.read_counts(line)
        left_out = [LEFT_OUT.fullmatch(line) for line in said]
        self.left_out = tuple(sum(int(m[n]) for m in left_out if m) for n in (1, 2))
        self.said = [line for line, m in zip(said, left_out) if not m and not line.startswith(("{", *NOTHING_SAID))]
        data = read(folder, names["perf"])
        self.whole = data is not None
        self.aux = aux_of(data) if self.whole else {}
        self.machine = read(folder, names["save"])

    @staticmethod
    def read_counts(line):
        try:
            counts = json.loads(line)
        except ValueError:  # a full disk has cut it
            return None
        counts.pop("unprotected", None)  # of the host, and of the options
        return counts

    def add(self, before):
        """What came of a run that was interrupted before this one went on."""
        self.left_out = tuple(a + b for a, b in zip(before.left_out, self.left_out))
        self.console = before.console + self.console
        self.aux = {cpu: before.aux.get(cpu, b"") + self.aux.get(cpu, b"") for cpu in {*before.aux, *self.aux}}

    def engine_free(self):
        """Counts without those of how it was executed."""
        own = ("translated", "blocks", "jit", "code", "interpreted")
        return {key: value for key, value in (self.counts or {}).items() if not key.startswith(own)}


def difference(a, b):
    """Where two outcomes are not the same, in words; None if they are."""
    if a.code != b.code:
        return f"exit code {b.code}, not {a.code}: {b.said[-1:]} and {a.said[-1:]}"
    for name in "said", "console":
        first, second = getattr(a, name), getattr(b, name)
        if first != second:
            at = next((i for i, (x, y) in enumerate(zip(first, second)) if x != y), min(len(first), len(second)))
            return f"{name} differs at {at}: {second[at:at + 40]!r}, not {first[at:at + 40]!r}"
    if a.left_out != b.left_out:
        return f"records left out, contexts without maps: {b.left_out}, not {a.left_out}"
    for cpu in sorted({*a.aux, *b.aux}):
        first, second = a.aux.get(cpu, b""), b.aux.get(cpu, b"")
        # Where a file ends, its records are padded to eight bytes.
        if first != second and records_of(first) != records_of(second):
            at = next((i for i, (x, y) in enumerate(zip(first, second)) if x != y), min(len(first), len(second)))
            return f"records of vCPU {cpu} differ at {at} of {len(first)} and {len(second)}"
    first, second = a.engine_free(), b.engine_free()
    if first != second:
        return "counts differ: " + "; ".join(counts_apart(first, second))
    if a.machine != b.machine:
        return "saved machines differ: " + machines_apart(a.machine, b.machine)
    return None


def counts_apart(a, b, path=""):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted({*a, *b}):
            yield from counts_apart(a.get(key), b.get(key), f"{path}.{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            yield from counts_apart(x, y, f"{path}[{i}]")
    elif a != b:
        yield f"{path[1:]} {b}, not {a}"


def sections(machine):
    at = 12
    while at + 16 <= len(machine):
        name, index, size = struct.unpack_from("<4sIQ", machine, at)
        yield f"{name.decode(errors='replace').strip()} {index}", machine[at + 16:at + 16 + size]
        at += 20 + size


def machines_apart(a, b):
    if a is None or b is None:
        return "one was not saved"
    first, second = dict(sections(a)), dict(sections(b))
    for name in [*first, *second]:
        x, y = first.get(name), second.get(name)
        if x != y:
            if x is None or y is None:
                return f"{name}, which one of them has not"
            at = next((i for i, (m, n) in enumerate(zip(x, y)) if m != n), min(len(x), len(y)))
            return f"{name} at byte {at} of {len(x)} and {len(y)}: {y[at:at + 8].hex()}, not {x[at:at + 8].hex()}"
    return "their order"


def check_counts(outcome):
    """Every record is in perf.data, or counted as lost."""
    if not outcome.counts or not outcome.whole:
        return
    for cpu, counts in enumerate(outcome.counts["vcpus"]):
        misuse = {name: count for name, count in counts.get("misuse", {}).items() if count}
        if misuse:
            raise Broken(f"vCPU {cpu}: the engine used libvspe as it must not: {misuse}")
        data = outcome.aux.get(cpu, b"")
        found, rest = records_of(data)
        # Of one whose padding a fault cut off: it can be read, and is counted as lost.
        cut = counts.get("lost") and 0 < len(data) - counts["bytes"] < 8 and len(found) == counts["records"] + 1
        if "records" in counts and not cut and (counts["bytes"] != len(data) or counts["records"] != len(found)) and not outcome.left_out[0]:
            raise Broken(f"vCPU {cpu}: {len(found)} records of {len(data)} bytes in perf.data, {len(rest)} left over; counted were {counts['records']} "
                         f"of {counts['bytes']}, lost {counts['lost']}")
