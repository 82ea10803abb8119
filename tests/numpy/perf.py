#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""perf.py VSPE GUESTS: the array has the records that perf script lists of the same file, a guest's: CPU, time, PC, addresses, latency; and
each packet that perf report -D lists is in it. Its functions are those that perf names."""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from common import failures, same

import vspe


VSPE, GUESTS = sys.argv[1], Path(sys.argv[2])
LOW = (1 << 56) - 1  # what perf prints of the address of an instruction


def perf(folder, *words):
    done = subprocess.run(["perf", *words], capture_output=True, text=True, check=False, timeout=120,
                          env=dict(os.environ, HOME=str(folder), PERF_CONFIG="/dev/null", PERF_PAGER="cat", LC_ALL="C"))
    if done.returncode:
        raise SystemExit(f"perf {words}: {done.stderr}")
    return done.stdout


def samples(data, folder):
    """Of perf script: (CPU, time in ns, PC, address, physical address, latency)."""
    text = perf(folder, "script", "-i", data, "--ns", "--itrace=i1i", "-F", "time,cpu,ip,addr,phys_addr,weight")
    found = collections.Counter()
    for line in text.splitlines():
        cpu, time, address, weight, pc, physical = line.split()[:6]
        found[int(cpu.strip("[]")), int(time.rstrip(":").replace(".", "")), int(pc, 16), int(address, 16), int(physical, 16), int(weight)] += 1
    return found


def same_samples(profile, data, folder):
    rows = profile.records
    ours = collections.Counter(zip(rows["cpu"].tolist(), rows["timestamp"].tolist(), rows["pc"].tolist(), rows["data_va"].tolist(),
                                   rows["data_pa"].tolist(), rows["total_latency"].tolist()))
    theirs = samples(data, folder)
    # perf makes nanoseconds of the timer's counts: which they are for this file is one factor.
    times = sorted({row[1] for row in theirs}), sorted({row[1] for row in ours})
    same("as many times", len(times[0]), len(times[1]))
    rename = dict(zip(times[1], times[0]))
    same("perf script", collections.Counter({(row[0], rename[row[1]], *row[2:]): n for row, n in ours.items()}), theirs)
    same("there are loads and stores among them", sum(row[3] != 0 for row in theirs) > 100, True)


def same_packets(profile, data, folder):
    words = collections.Counter()
    for line in perf(folder, "report", "-D", "-i", data).splitlines():
        if found := re.match(r"\. +[0-9a-f]{8}: (?: [0-9a-f]{2})+ +(.*?) *$", line):
            words[found[1]] += 1
    rows, ours = profile.records, collections.Counter()
    for name, title in ("pc", "PC"), ("target", "TGT"):
        some = rows[vspe.has(rows, name)]
        ours.update(f"{title} {value & LOW:#x} el{el} ns={ns:d}" for value, el, ns in
                    zip(some[name].tolist(), some[f"{name}_el"].tolist(), some[f"{name}_ns"].tolist()))
    for name, title in ("total_latency", "LAT {} TOT"), ("issue_latency", "LAT {} ISSUE"), ("translation_latency", "LAT {} XLAT"), ("timestamp", "TS {}"):
        ours.update(title.format(value) for value in rows[name][vspe.has(rows, name)].tolist())
    ours.update(f"VA {value:#x}" for value in rows["data_va"][vspe.has(rows, "data_va")].tolist())
    ours.update(f"DATA-SOURCE {value}" for value in rows["data_source"][vspe.has(rows, "data_source")].tolist())
    of_perf = collections.Counter({word: n for word, n in words.items() if re.match("PC|TGT|LAT|TS|VA|DATA-SOURCE", word)})
    same("perf report -D", ours, of_perf)
    events = collections.Counter(tuple(vspe.events_of(value)) for value in rows["events"][vspe.has(rows, "events")].tolist())
    same("events of perf report -D", events, collections.Counter({tuple(word.split()[1:]): n for word, n in words.items() if word.startswith("EV")}))


def same_functions(profile, data, folder, elf):
    text = perf(folder, "script", "-i", data, "--itrace=i1i", "--vmlinux", elf, "-F", "ip,sym")
    text = " ".join(line.split()[1] for line in text.splitlines())
    ours = profile.names([elf]).functions(profile.records)
    same("functions", ours.counts(), dict(sorted(collections.Counter(text.split()).items(), key=lambda item: (-item[1], item[0]))))
    same("functions by name", int(ours.where("user_sixty").sum()), collections.Counter(text.split())["user_sixty"])
    same("no function of that name", ours.where("none").any(), False)
    same("each record's", sorted(ours.array().tolist()), sorted(text.split()))


def main(folder):
    data = folder / "data"
    subprocess.run([VSPE, "run", "-k", GUESTS / "hotspot.Image", "--seed", "1", "--model", "full", "--timeout", "100", "--symbols",
                    GUESTS / "hotspot.elf", "--perf-data", data],
                   check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    profile = vspe.read(data)
    same_samples(profile, data, folder)
    same_packets(profile, data, folder)
    same_functions(profile, data, folder, GUESTS / "hotspot.elf")
    print(f"{'not ok' if failures else 'ok'} - {len(profile)} records as perf has them")


if not shutil.which("perf"):
    print("SKIP: there is no perf here (Debian: linux-perf)")
    sys.exit(77)
with tempfile.TemporaryDirectory() as work:
    main(Path(work))
sys.exit(bool(failures))
