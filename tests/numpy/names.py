#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""names.py VSPE CC: process, thread, file and function of each record of the made-up systems of tests/report/processes.py, which know
them: not how many there are of each, but of which record."""
import sys
import tempfile
from pathlib import Path

from common import failures, made, same

import numpy as np
import vspe

import processes  # of tests/report, with the same arguments
from processes import System, build


def check_system(seed, root, files, path):
    System.root, System.threads = root, {}
    system = System(seed, files, contexts=seed % 2 == 0, ids=True)
    truth = [[], []]
    record = system.record

    def recorded(cpu):
        record(cpu)
        truth[cpu].append(system.truth[-1])

    system.record = recorded
    for _ in range(600):
        system.step()
    path.write_bytes(system.file())
    truth = truth[0] + truth[1]  # as the traces come
    records = vspe.read(path).records
    names = vspe.Names(path, symfs=root)
    places = names.locate(records)
    same(f"{seed}: they are named", (names.named, names.dropped, len(records)), (True, 0, len(truth)))
    same(f"{seed}: processes", places[["pid", "tid"]].tolist(), [row[1:3] for row in truth])
    same(f"{seed}: commands", names.commands(records).array().tolist(), [row[0] for row in truth])
    same(f"{seed}: files", names.files(records).array().tolist(), [row[3] or "" for row in truth])
    same(f"{seed}: functions", names.functions(records).array().tolist(), [row[4] if row[3] else "" for row in truth])
    some = np.random.default_rng(seed).permutation(len(records))[:50]
    same(f"{seed}: a part, in another order", names.locate(records[some]).tolist(), places[some].tolist())
    same(f"{seed}: every other one", names.locate(records[::2]).tolist(), places[::2].tolist())
    known = places["symbol"][places["symbol"] >= 0]
    size = {names.symbol(int(n))[0]: names.symbol(int(n))[2] for n in np.unique(known)}
    same(f"{seed}: sizes of functions", size, {name: bytes_ for of in files.values() for name, _, bytes_ in of[0] if name in size})
    same(f"{seed}: build ids", {o.path: o.build_id for o in names.objects if o.path in files},
         {path_: processes.id_of(root / path_[1:]).hex() for path_ in files if any(o.path == path_ for o in names.objects)})
    same(f"{seed}: none of them without the files", set(names.objects[0].functions.split()) & {"yes"}, {"yes"})
    bare = vspe.Names(path, symfs=path.parent / "none-there")
    same(f"{seed}: files that are not there", (bare.functions(records).names, bare.files(records).counts()), ([], names.files(records).counts()))


def check_symbols(path):
    """Lists of symbols, of what names no process; and those that are refused."""
    data = b"".join(made.record({"pc": pc, "el": 0, "op": made.BRANCH, "target": 0x1000, "events": 2}) for pc in (0x1000, 0x1ffc, 0x2000, 0x9000))
    path.write_text("1000 T one\n2000 T two\n3000 d end\n")
    names, records = vspe.Names(data, [path]), vspe.decode(data).records
    same("a list of symbols", names.functions(records).array().tolist(), ["one", "one", "two", ""])
    same("of targets", names.functions(records, "target").array().tolist(), ["one"] * 4)
    same("of what is not there", names.functions(records, "previous").array().tolist(), [""] * 4)
    same("moved", vspe.Names(data, [(path, 0x8000)]).functions(records).array().tolist(), ["", "", "", "two"])
    same("they name no process", (names.named, names.objects, names.locate(records)["pid"].tolist()), (False, [], [-1] * 4))


with tempfile.TemporaryDirectory() as folder:
    work, here = Path(folder), Path(folder) / "root"
    (work / "none-there").mkdir()
    programs = {f"/{name}": build(here / name, count, *options) for name, count, options in (
        ("usr/bin/prog1", 5, ("-static", "-Wl,-e,0")), ("usr/bin/user2", 7, ("-pie", "-Wl,-e,0", "-Wl,-z,separate-code")),
        ("usr/lib/libone.so", 9, ("-shared",)))}
    for number in range(1, 5):
        check_system(number, here, programs, work / "system.data")
    check_symbols(work / "list")
    print(f"{'not ok' if failures else 'ok'} - names")
sys.exit(bool(failures))
