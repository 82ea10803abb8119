#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""inputs.py VSPE: what a file is without is a warning and in the summary, in the words of vspe report; what is no input is an exception
with its name; a call that is wrong is refused; and other threads run, and the user can end it."""
import gzip
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

from common import failures, made, same

import numpy as np
import vspe


VSPE = sys.argv[1]
NEOVERSE_N1, HIP12 = 0x414fd0c1, 0x481fd061


def trailer(cpu):
    return bytes(16) + cpu.to_bytes(8, "little") + (1).to_bytes(8, "little")


def aux(offset, size, flags, cpu=0):
    return made.event(11, b"".join(n.to_bytes(8, "little") for n in (offset, size, flags)) + trailer(cpu))


def record(n, **more):
    data = made.record({"pc": 0x400000 + n, "el": 0, "op": made.OTHER, "events": 2, "time": n, **more})
    return data + bytes(-len(data) % 64)


def read(path):
    """The profile, and what was warned of: (category, text)."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        profile = vspe.read(path)
    return profile, [(w.category, str(w.message)) for w in said]


def of_vspe(path):
    """The lines of vspe report."""
    done = subprocess.run([VSPE, "report", path], capture_output=True, text=True, check=False)
    return [line.removeprefix("vspe report: ") for line in done.stderr.splitlines()]


def losses(folder):
    lost = made.event(13, (6).to_bytes(8, "little") + trailer(1))
    events = made.event(2, (1).to_bytes(8, "little") + (5000).to_bytes(8, "little") + trailer(1))
    path, names = folder / "loss.data", {1: "buffer full, records lost", 4: "gaps, records lost", 8: "collisions, samples lost"}
    for flags in range(16):
        path.write_bytes(made.perf_file([made.info(), aux(0, 64, 0, 2), made.auxtrace(record(1), 2), aux(64, 192, flags, 2),
                                         made.auxtrace(record(2) * 3, 2, 64)]))
        profile, said = read(path)
        wanted = [(name, 1, 0, 192, 0.75, 2) for flag, name in names.items() if flags & flag]
        same(f"flags {flags}", [(x.name, x.times, x.lost, x.bytes, x.share, x.cpu) for x in profile.summary.losses], wanted)
        same(f"flags {flags}: warnings", said, [(vspe.LossWarning, line) for line in of_vspe(path)])
        same(f"flags {flags}: complete", (profile.complete, len(profile.summary.lines), len(profile), profile.summary.aux_bytes),
             (not wanted, len(wanted), 4, 256))
    path.write_bytes(made.perf_file([made.info(), aux(0, 64, 0), made.auxtrace(record(1) + record(2)[:9], 0), lost, lost, events]))
    profile, said = read(path)
    same("LOST_SAMPLES, LOST and damage", [(x.times, x.lost, x.share) for x in profile.summary.losses], [(2, 12, 12 / 14 // 0.0001 / 10000), (1, 5000, None)])
    same("... and what was cut off", (profile.summary.damage.records, profile.summary.damage.bytes > 0, profile.summary.damage.first), (1, False, 64))
    same("... each a warning", said, list(zip([vspe.LossWarning] * 2 + [vspe.DamageWarning], of_vspe(path))))
    same("... and in what is shown of it", all(line in repr(profile) for line in profile.summary.lines), True)
    with warnings.catch_warnings():
        warnings.simplefilter("error", vspe.SummaryWarning)
        same("as an exception", raised(vspe.read, path), (vspe.LossWarning, str(said[0][1])))


def raised(call, *words, **more):
    """What a call raises, and its text."""
    try:
        call(*words, **more)
    except Exception as error:  # pylint: disable=broad-except
        return type(error), str(error)
    return None, ""


def ends_early(folder):
    """A file that ends anywhere: what came before, and a warning; nothing before is an exception."""
    whole = made.perf_file([made.info(), aux(0, 64, 0), made.auxtrace(record(1), 0), aux(64, 128, 0), made.auxtrace(record(2) + record(3), 0, 64)])
    path, whole_records = folder / "end.data", 0
    for size in range(8, len(whole), 13):
        path.write_bytes(whole[:size])
        done = subprocess.run([VSPE, "report", path], capture_output=True, text=True, check=False)
        if done.returncode == 2:
            kind, text = raised(vspe.read, path)
            same(f"ends at {size}", (kind, f"vspe report: {text}\n"), (vspe.InputError, done.stderr))
            continue
        profile, said = read(path)
        # vspe report goes on to say how its last record is cut only of a file that has its end.
        same(f"ends at {size}", (said[:1], profile.complete, len(profile) >= whole_records),
             ([(vspe.DamageWarning, line) for line in of_vspe(path)], False, True))
        whole_records = len(profile)
    same("ends: some were there", whole_records, 3)


def others(folder):
    """What is no input: the words of vspe report."""
    cases = {"elf": b"\x7fELF" + bytes(99), "save": b"VSPESAVE" + bytes(99), "big": b"2ELIFREP" + bytes(99), "gz": gzip.compress(record(1)),
             "empty": b"", "short": b"PERFILE2", "text": b"SGVsbG8gd29ybGQh\n" * 99, "none": made.perf_file([made.info()])}
    for name, data in cases.items():
        path = folder / name
        path.write_bytes(data)
        line, (kind, text) = of_vspe(path)[0], raised(vspe.read, path)
        if kind is None:
            same(f"{name}: no records", (len(vspe.read(path)), "no records in it" in line), (0, True))
            continue
        same(name, (kind, text), (vspe.InputError, line))
        same(f"{name}, streamed", raised(lambda p: list(vspe.stream(p)), path), (kind, text))
    same("text as records", raised(vspe.decode, b"SGVsbG8gd29ybGQh\n" * 99)[0], None)
    same("no file", raised(vspe.read, folder / "nowhere")[0], FileNotFoundError)
    same("a folder", raised(vspe.read, folder)[0], IsADirectoryError)
    same("a number", raised(vspe.read, 3)[0], TypeError)
    same("no buffer", raised(vspe.read, object())[0], TypeError)
    same("decode() of text", raised(vspe.decode, "ab")[0], TypeError)
    same("a wrong offset", [raised(vspe.decode, b"", value)[0] for value in (-1, 1 << 64)], [OverflowError] * 2)
    same("a wrong cpu", raised(vspe.decode, b"", 0, 1 << 40)[0], OverflowError)
    same("a wrong count", raised(vspe.stream, b"", 0)[0], ValueError)
    same("no core", raised(vspe.core, "neoverse-x9"), (vspe.NamesError, "core 'neoverse-x9': neither one of vspe run --cpu help nor a value of MIDR_EL1"))
    same("a stream twice", raised(lambda s: (list(s), list(s)), vspe.stream(record(1)))[0], RuntimeError)
    same("a summary too early", raised(lambda s: s.summary, vspe.stream(record(1)))[0], RuntimeError)
    same("of no file of a process", raised(vspe.Names, record(1), [folder / "text"])[0], vspe.NamesError)
    same("names of what names none", raised(vspe.read(record(1)).names().commands, vspe.decode(record(1)).records)[0], vspe.NamesError)
    names = vspe.Names(record(1))
    same("other arrays", [raised(names.locate, np.zeros(2, t))[0] for t in ("u8", vspe.EXTRA)], [TypeError] * 2)
    same("other fields", raised(names.locate, np.zeros(2, vspe.RECORD), "data_va")[0], ValueError)
    same("other symbols", raised(names.symbol, 0)[0], IndexError)
    # What Python's own checks of _vspe do not stop.
    same("rows that are none", raised(names._names.locate, b"x" * 127, 0, 0)[0], ValueError)
    same("columns that are none", [raised(names._names.locate, bytes(128), at, 0)[0] for at in (-1, 121, 1 << 40)], [ValueError] * 3)
    same("a descriptor that is none", raised(vspe._vspe.read, -1, 0, print)[0], ValueError)
    same("memory that is not made by hand", raised(type(vspe._vspe.decode(b"", 0, 0, 0)[0]))[0], TypeError)


def cores(folder):
    """Data sources by the core of each record."""
    load = {"op": made.LOAD_STORE, "payload": 0, "va": 0x7000, "source": 8, "events": 6}
    path = folder / "cores.data"
    path.write_bytes(made.perf_file([made.info([(0, HIP12), (1, NEOVERSE_N1)]), made.auxtrace(record(1, **load), 0), made.auxtrace(record(2, **load) + record(3), 1),
                                     made.auxtrace(record(4, **load), -1, tid=9)]))
    profile = vspe.read(path)
    same("midr", profile.records["midr"].tolist(), [HIP12, NEOVERSE_N1, NEOVERSE_N1, 0xffffffff])
    same("cpu and tid", profile.records[["cpu", "tid"]].tolist(), [(0, -1), (1, -1), (1, -1), (-1, 9)])
    same("data sources", profile.data_sources().array().tolist(), ["DRAM", "L2", "", "0x8"])
    same("data sources of a core by name", profile.data_sources("neoverse-n1").array().tolist(), ["L2", "L2", "", "L2"])
    same("of records that nobody knows", vspe.decode(record(1, **load)).data_sources().array().tolist(), [""])
    same("counts", profile.data_sources().counts(), {"0x8": 1, "DRAM": 1, "L2": 1})
    same("masked", (float(vspe.masked(profile.records, "data_source").mean()), int(vspe.masked(profile.records, "pc").count())), (8.0, 4))
    same("has_event", vspe.has_event(profile.records, vspe.Event.L1D_ACCESS).tolist(), [True, True, False, True])


def threads(_):
    """While one thread decodes another one runs; an interrupt ends reading; memory is given back."""
    data, counted = record(1) * 800_000, []
    worker = threading.Thread(target=lambda: counted.append(len(vspe.decode(data))))
    worker.start()
    ticks, begin = 0, time.monotonic()
    while worker.is_alive() and time.monotonic() - begin < 60:
        ticks += 1
        time.sleep(0.001)
    worker.join()
    same("another thread runs meanwhile", (counted, ticks > 3), ([800_000], True))

    def interrupt():
        os.kill(os.getpid(), signal.SIGINT)

    read_end, write_end = os.pipe()
    feeder = threading.Thread(target=feed, args=(write_end, data))
    timer = threading.Timer(0.2, interrupt)
    feeder.start()
    timer.start()
    try:
        vspe._vspe.read(read_end, 0, print)
        same("an interrupt ends reading", "it went on", "")
    except KeyboardInterrupt:
        pass
    os.close(read_end)
    feeder.join()
    timer.join()


def feed(descriptor, data):
    """Records without an end, until nobody reads."""
    try:
        while os.write(descriptor, data[:1 << 16]):
            pass
    except BrokenPipeError:
        os.close(descriptor)


def errors_of_others(_):
    """An exception of the caller's comes through, and nothing is kept."""
    def refuse(*_):
        raise LookupError("mine")

    data = record(1) * 1000
    for block in 0, 1, 100:
        same(f"an exception in take(), block {block}", raised(vspe._vspe.read, data, block, refuse), (LookupError, "mine"))
    before = sys.getrefcount(data)
    for _ in range(100):
        raised(vspe._vspe.read, data, 10, refuse)
        vspe.decode(data)
        raised(vspe.Names, data, [(Path("/nowhere"))])
    same("references", sys.getrefcount(data), before)
    array = vspe.decode(data).records
    array["pc"] = 7
    same("an array may be written to", array["pc"].sum(), 7000)


def no_memory(_):
    """MemoryError, and the process goes on: in a child, whose address space is bounded."""
    import resource  # pylint: disable=import-outside-toplevel

    data = b"\x01" * 4_000_000
    if "libasan" in os.environ.get("LD_PRELOAD", ""):
        return  # the sanitizer has a map of all memory
    child = os.fork()
    if not child:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGESIZE")
        resource.setrlimit(resource.RLIMIT_AS, (used + (100 << 20), used + (100 << 20)))
        calls = (vspe.decode, vspe.read, lambda data: list(vspe.stream(data, 1 << 30)))
        os._exit(all(raised(call, data)[0] is MemoryError for call in calls) and len(vspe.decode(b"\x01")) == 1)
    same("no memory", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 1)


with tempfile.TemporaryDirectory() as work:
    for part in losses, ends_early, others, cores, threads, errors_of_others, no_memory:
        part(Path(work))
        print(f"{'not ok' if failures else 'ok'} - {part.__name__}", flush=True)
sys.exit(bool(failures))
