# SPDX-License-Identifier: BSD-2-Clause
"""Made-up sample records (format 0, Arm ARM D18.2), perf.data files of them, and runs of vspe report."""
import collections
import json
import random
import struct
import subprocess

failures = []


def same(what, got, wanted):
    """A test: is what was got that which is wanted? The script ends with whether failures has any."""
    if got == wanted:
        print(f"ok - {what}")
        return
    failures.append(what)
    if isinstance(got, collections.Counter):
        got, wanted = got - wanted, wanted - got
    print(f"not ok - {what}\n#   is:   {got}\n#   want: {wanted}")


OTHER, LOAD_STORE, BRANCH = 0x48, 0x49, 0x4a
NOT_TAKEN, MISPREDICTED = 1 << 6, 1 << 7
LOW_56 = (1 << 56) - 1


def address(header, value, el, ns=1):
    return bytes([header]) + struct.pack("<Q", value & LOW_56 | el << 61 | ns << 63)


def record(r):
    """The bytes of a record: a dict with the members below, of which none has to be there."""
    out = b""
    if "context" in r:
        out += b"\x64" + struct.pack("<I", r["context"])
    for header, name in (0x98, "total"), (0x99, "issue"), (0x9a, "translation"):
        if name in r:
            out += bytes([header]) + struct.pack("<H", r[name])
    if "pc" in r:
        out += address(0xb0, r["pc"], r["el"])
    if "target" in r:
        out += address(0xb1, r["target"], r.get("el", 0))
    if "va" in r:
        out += b"\xb2" + struct.pack("<Q", r["va"])
    if "pa" in r:
        out += address(0xb3, r["pa"], 0)
    if "source" in r:
        out += b"\x43" + bytes([r["source"]])
    if "op" in r:
        out += bytes([r["op"], r.get("payload", 0)])
    if "events" in r:
        out += b"\x52" + struct.pack("<H", r["events"])
    return out + (b"\x71" + struct.pack("<Q", r["time"]) if "time" in r else b"\x01")


def perf_data(parts):
    """A perf.data file: parts are (vCPU, bytes), an AUXTRACE event each."""
    stream = struct.pack("<IHH", 70, 0, 24) + struct.pack("<II", 4, 0) + bytes(8)
    for number, (cpu, data) in enumerate(parts):
        stream += struct.pack("<IHHQQQIIII", 71, 0, 48, len(data), 0, 0, number, 0, cpu, 0) + data
    return b"PERFILE2" + struct.pack("<12Q", 104, 136, 104, 0, 104, len(stream), 0, 0, 0, 0, 0, 0) + stream


SAMPLE_TYPE = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 7 | 1 << 16  # IP, TID, TIME, CPU, IDENTIFIER


def event(number, body, misc=0):
    return struct.pack("<IHH", number, misc, 8 + len(body)) + body


def auxtrace(data, cpu, offset=0, tid=0xffffffff, queue=0):
    return event(71, struct.pack("<QQQIIII", len(data), offset, 0, queue, tid, cpu & 0xffffffff, 0)) + data


def info(cores=None):
    """AUXTRACE_INFO: version 1, or 2 with (CPU, MIDR) of each."""
    words = [7, 1]
    if cores:
        words = [2, 4, 7, len(cores)]
        for cpu, midr in cores:
            words += [0x1010101010101010, cpu, 3, midr, 7, 256]
    return event(70, struct.pack("<II", 4, 0) + struct.pack(f"<{len(words)}Q", *words))


def perf_file(events, cpuid=None):
    """A perf.data file as perf record writes it, of one kind of event; cpuid is MIDR_EL1."""
    data = b"".join(events)
    attr = struct.pack("<IIQQQQQ", 7, 128, 0, 1, SAMPLE_TYPE, 0, 1 << 18) + bytes(128 - 48) + bytes(16)
    start, tail, features = 104 + len(attr), b"", 0
    if cpuid:
        text = f"{cpuid:#018x}".encode().ljust(24, b"\0")
        features = 1 << 9
        tail = struct.pack("<QQ", start + len(data) + 16, 4 + len(text)) + struct.pack("<I", len(text)) + text
    return (b"PERFILE2" + struct.pack("<12Q", 104, len(attr), 104, len(attr), start, len(data), 0, 0, features, 0, 0, 0) + attr + data +
            tail)


# --- Events of processes, as perf record writes them

EXEC = 1 << 13  # PERF_RECORD_MISC_COMM_EXEC, and of other events MMAP_DATA, FORK_EXEC, SWITCH_OUT
WITH_ID = 1 << 14


def trailer(pid, tid, time, cpu):
    return struct.pack("<IIQIIQ", pid, tid, time, cpu, 0, 1)


def text(name):
    return name + bytes(8 - len(name) % 8)


def comm(pid, tid, name, time, cpu=0, execed=False):
    return event(3, struct.pack("<II", pid, tid) + text(name) + trailer(pid, tid, time, cpu), EXEC if execed else 0)


def fork(pid, parent, tid, parent_tid, time, cpu=0, was_there=False):
    return event(7, struct.pack("<IIIIQ", pid, parent, tid, parent_tid, time) + trailer(pid, tid, time, cpu), EXEC if was_there else 0)


def mmap2(pid, start, length, offset, path, time, cpu=0, build_id=b"", prot=5, kernel=False):
    which = struct.pack("<B3x", len(build_id)) + build_id.ljust(20, b"\0") if build_id else struct.pack("<IIQQ", 0, 2, 77, 0)
    return event(10, struct.pack("<iIQQQ", pid, max(pid, 0), start, length, offset) + which + struct.pack("<II", prot, 2) + text(path) +
                 trailer(max(pid, 0), max(pid, 0), time, cpu), (1 if kernel else 2) | (WITH_ID if build_id else 0))


def switch(cpu, old, new, time, wide=True):
    """Out and in, of (pid, tid) each; of a profile of threads without whom it was from, or to."""
    if not wide:
        return [event(14, trailer(*old, time, cpu), EXEC), event(14, trailer(*new, time, cpu))]
    return [event(15, struct.pack("<II", *new) + trailer(*old, time, cpu), EXEC), event(15, struct.pack("<II", *old) + trailer(*new, time, cpu))]


def started(tid, cpu=0xffffffff):
    """ITRACE_START"""
    return event(12, struct.pack("<II", tid, tid) + trailer(tid, tid, 0, cpu))


def clock(shift, mult, zero):
    return event(79, struct.pack("<QQQQQBB6x", shift, mult, zero, 0, (1 << 64) - 1, 1, 0))


# Functions: name, address, bytes; one in the upper half. The names are what a guest might choose.
FUNCTIONS = [("hot", 0xffff800008000000, 64), ("cold<b>&\"'x", 0xffff800008000040, 64), ("user;two", 0x400000, 32),
             ("user_three", 0x400020, 32)]


def system_map():
    rows = [f"{start:016x} T {name}\n" for name, start, _ in FUNCTIONS]
    ends = [f"{FUNCTIONS[1][1] + 64:016x} d end_of_kernel\n", f"{FUNCTIONS[3][1] + 32:016x} D end_of_user\n"]
    return "".join(rows + ends).encode()


def one(chance):
    """A random record: loads and stores on a few lines that two vCPUs share, branches, and others."""
    name, start, size = chance.choices(FUNCTIONS, [50, 20, 20, 10])[0]
    r = {"cpu": chance.randrange(3), "pc": start + 4 * chance.randrange(size // 4), "el": 1 if start >> 63 else 0,
         "time": chance.randrange(5000, 90000), "events": 2, "total": int(chance.paretovariate(0.7)) % 5000,
         "issue": chance.randrange(4)}
    if chance.random() < 0.05:  # in no function
        r["pc"], r["el"] = 0x700000 + 4 * chance.randrange(4), 2
    if chance.random() < 0.3:
        r["context"] = chance.choice([7, 8, 0xffffffff])
    kind = chance.random()
    if kind < 0.4:
        line = 0x40001000 + 64 * chance.randrange(20)
        r.update(op=LOAD_STORE, payload=chance.randrange(2), va=r["cpu"] << 32 | line, translation=chance.randrange(40),
                 pa=line + (8 * r["cpu"] if line % 128 else chance.randrange(0, 64, 8)), source=chance.choice([0, 8, 9, 13, 14, 77]))
    elif kind < 0.7:
        r.update(op=BRANCH, payload=1, target=start + 4 * chance.randrange(3))
        r["events"] |= chance.choice([0, 0, NOT_TAKEN]) | chance.choice([0, 0, 0, MISPREDICTED])
        if chance.random() < 0.1:
            del r["target"]
    elif kind < 0.95:
        r.update(op=OTHER)
    if chance.random() < 0.02:
        del r["pc"], r["el"]
    if chance.random() < 0.02:
        del r["time"]
    return r


def many(count, seed=1):
    chance = random.Random(seed)
    return [one(chance) for _ in range(count)]


def file_of(records):
    """The records as a perf.data file, in two parts a vCPU."""
    parts = []
    for half in records[:len(records) // 2], records[len(records) // 2:]:
        for cpu in sorted({r["cpu"] for r in half}):
            parts.append((cpu, b"".join(record(r) for r in half if r["cpu"] == cpu)))
    return perf_data(parts)


def run(vspe, *options, code=0):
    done = subprocess.run([vspe, "report", *map(str, options)], capture_output=True, check=False)
    if done.returncode != code:
        raise SystemExit(f"vspe report {options}: exit code {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode("ascii"), done.stderr.decode("ascii")


def run_json(vspe, *options):
    return json.loads(run(vspe, "--json", *options)[0])
