#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""sve.py VSPE [BOOT...]: Linux and its programs use SVE, with vectors of each length, and perf's samples of them are
right; of each of BOOTS, or those named. The program state asks Linux for lengths, and checks the registers in signal
frames, for ptrace, over changes of context and when loads fault. The program kernels computes with SVE what plain C
does. The program loop has each instruction once, and perf's dump of its samples is compared with what the instructions
are."""
import collections
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

VSPE, HERE = Path(sys.argv[1]).resolve(), Path(__file__).resolve().parent
GUEST, SOURCES = HERE.parent.parent / "tools/linux-guest", HERE / "sve"
GCC, NM = "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-nm"
FLAGS = ["-std=gnu11", "-static", "-ffp-contract=off", "-Wall", "-Wextra", "-Wshadow", "-Werror"]
SVE, NO_SVE = "-march=armv8.2-a+sve", "-march=armv8.2-a"
STEP = 19  # elements between those of a gather: sve/loop.c
ROUNDS, STRIDE = 1024, 64  # elements that the loop's index goes over, and by: sve/loop.S
LOADS, STORES, FLOATS = {"load", "first", "fill", "gather"}, {"spill", "store", "scatter"}, {"fadd", "fmla"}
OTHERS = {"simd", "scalar", "next", "around", "count", "back"}
failed = False


@dataclass
class Boot:
    """A machine: its longest vectors, which the loop has, threads of the program state (0: it is not run), and copies
    of the loop."""
    release: str
    machine: list
    most: int
    threads: int
    copies: int
    count: int
    load_predicates: bool  # SPEv1p2: loads have the bit that says they are predicated
    profiles: tuple = ("all",)

FILTERS = {"partial": "SVE-PARTIAL-PRED", "empty": "SVE-EMPTY-PRED"}
BOOTS = {
    "2048 bits, 2 CPUs": Boot("12", ["--isa", "all", "--spe", "v1p5", "--sve-vl", "2048", "--cpus", "2"],
                              2048, 5, 2, 60000, True, ("all", "empty")),
    "Neoverse V1": Boot("13-backports", ["--cpu", "neoverse-v1"], 256, 3, 1, 80000, False, ("all", *FILTERS)),
    "512 bits, a model": Boot("12", ["--cpu", "neoverse-v1", "--sve-vl", "512", "--model", "warm"],
                              512, 0, 1, 60000, False, ("partial",)),
    "Neoverse N2, 2 CPUs": Boot("12", ["--cpu", "neoverse-n2", "--cpus", "2"], 128, 0, 2, 60000, False),
}


@dataclass
class Record:
    pc: int = 0
    cpu: int = 0
    type: list = field(default_factory=list)
    events: set = field(default_factory=set)
    va: int | None = None


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          check=False, timeout=400)
    if done.returncode:
        sys.exit(f"not ok - {' '.join(map(str, words))}: exit code {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def check(what, right, more=""):
    global failed
    print(f"{'ok' if right else 'not ok'} - {what}{f': {more}' if more and not right else ''}", flush=True)
    failed = failed or not right


def build(work):
    """The three programs. Plain C is compiled with SVE, too."""
    for form, words in ("plain", ["-O1", NO_SVE]), ("made", ["-O3", SVE]):
        run(GCC, *FLAGS, *words, f"-DFORM={form}", "-c", "-o", work / f"{form}.o", SOURCES / "plain.c")
    run(GCC, *FLAGS, "-O2", SVE, "-o", work / "kernels", SOURCES / "kernels.c", work / "plain.o", work / "made.o",
        "-lm")
    sources = [SOURCES / name for name in ("state.c", "frames.c", "tasks.c", "faults.c", "registers.S")]
    run(GCC, *FLAGS, "-O2", SVE, "-o", work / "state", *sources)
    run(GCC, *FLAGS, "-O2", SVE, "-o", work / "loop", SOURCES / "loop.c", SOURCES / "loop.S")


def symbols(program):
    rows = (line.split() for line in run(NM, program).splitlines())
    return {row[2]: int(row[0], 16) for row in rows if len(row) == 3}


def profiles(text):
    """Records of each profile, from perf's dump."""
    found, record, cpu = {}, Record(), 0
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "profile":
            records = found[rest] = []
        elif "PERF_RECORD_AUXTRACE" in line:
            cpu = int(re.search(r"\bcpu: (-?\d+)", line)[1])
        elif word == "PC":
            record.pc = int(rest.split()[0], 16)
        elif word == "VA":
            record.va = int(rest, 16)
        elif word == "EV":
            record.events = set(rest.split())
        elif word in ("TS", "END"):
            record.cpu = cpu
            records.append(record)
            record = Record()
        else:
            record.type = line.split()
    return found


def uneven(counts, least=5):
    """Are so many of each far from as many of each? By chi square, 6 standard deviations."""
    mean = sum(counts) / len(counts)
    freedom = len(counts) - 1
    return mean < least or sum((count - mean) ** 2 for count in counts) / mean > freedom + 6 * (2 * freedom) ** 0.5


def other_share(count, total, share):
    """Is a count far from its share of a total? 5 standard deviations."""
    return abs(count - total * share) > 5 * (total * share) ** 0.5


def sve_events(name):
    events = {"_partial": {"SVE-PARTIAL-PRED"}, "_empty": {"SVE-PARTIAL-PRED", "SVE-EMPTY-PRED"}}
    return events.get(name[name.find("_"):], set())


def right_type(name, boot):
    """The words of perf's dump, without what releases of perf add."""
    kind, _, predicate = name.partition("_")
    words = {"LD" if kind in LOADS else "ST" if kind in STORES else "SVE-OTHER", "EVLEN", str(boot.most)}
    if predicate and (kind not in LOADS or boot.load_predicates):
        words.add("PRED")
    return words | ({"FP"} if kind in FLOATS else set()) | ({"SG"} if kind in ("gather", "scatter") else set())


def wrong_address(name, va, at, elements):
    """at: where the arrays are."""
    kind, _, predicate = name.partition("_")
    if kind not in LOADS | STORES or predicate == "empty":
        return va is not None
    if va is None:
        return not (predicate == "partial" and kind in ("gather", "scatter"))
    offset, rest = divmod(va - at["to" if kind in STORES else "from"], 4)
    if rest:
        return True
    if kind in ("fill", "spill"):
        return offset != 0
    if kind in ("gather", "scatter"):
        element, rest = divmod(offset, STEP)
        return rest != 0 or element not in ((1, 2) if predicate == "partial" else range(elements))
    return (offset - (predicate == "partial")) not in range(0, ROUNDS, STRIDE)


def check_records(name, boot, by_op, at):
    """Each record of an instruction is right."""
    # One that is trapped has no predicate.
    kept = {op: [r for r in records if "EXCEPTION-GEN" not in r.events] for op, records in by_op.items()}
    wrong = [(op, r.type) for op, records in kept.items() for r in records
             if ("EVLEN" in r.type if op in OTHERS else set(r.type) - {"SVE-SME-REG"} != right_type(op, boot))]
    check(f"{name}: their types", not wrong, wrong[:5])
    wrong = [(op, r.events) for op, records in kept.items() for r in records
             if {word for word in r.events if "SVE" in word} != sve_events(op)]
    check(f"{name}: their events of predicates", not wrong, wrong[:5])
    wrong = [(op, r.va and hex(r.va)) for op, records in kept.items() for r in records
             if op not in OTHERS and wrong_address(op, r.va, at, boot.most // 32)]
    check(f"{name}: their addresses", not wrong, wrong[:5])


def check_elements(name, boot, by_op, at):
    """Gathers and scatters show any of their elements: an active one by its address, another by none."""
    elements = boot.most // 32
    for op, base in ("gather_whole", "from"), ("scatter_whole", "to"):
        found = [record.va for record in by_op[op] if record.va is not None]
        counts = collections.Counter((va - at[base]) // (4 * STEP) for va in found)
        check(f"{name}: any element of {op}", not uneven([counts[n] for n in range(elements)], 1), counts)
    partial = [record.va is not None for op in ("gather_partial", "scatter_partial") for record in by_op[op]]
    check(f"{name}: of partial gathers, those of active elements have an address",
          any(partial) and not other_share(sum(partial), len(partial), 2 / elements),
          f"{sum(partial)} of {len(partial)}")


def check_profiles(name, boot, packets, table):
    ops = {value: symbol[3:] for symbol, value in table.items() if symbol.startswith("op_")}
    by_op = {}
    for profile, records in profiles(packets).items():
        by_op[profile] = {op: [] for op in ops.values()}
        for record in records:
            if record.pc in ops:
                by_op[profile][ops[record.pc]].append(record)
        inside = sum(map(len, by_op[profile].values()))
        print(f"# {name}: {profile}: {len(records)} samples, {inside} of the loop")
        cpus = {record.cpu for rows in by_op[profile].values() for record in rows}
        check(f"{name}: {profile}: of each CPU", len(cpus) == boot.copies, cpus)
        check_records(f"{name}: {profile}", boot, by_op[profile], table)
        # A filter by an event keeps those that have it.
        wanted = [op for op in ops.values() if profile == "all" or FILTERS[profile] in sve_events(op)]
        counts = {op: len(rows) for op, rows in by_op[profile].items()}
        check(f"{name}: {profile}: of {len(wanted)} instructions, as many samples of each",
              not uneven([counts[op] for op in wanted]) and inside == sum(counts[op] for op in wanted), counts)
        if profile != "all" and "all" in by_op:
            total = sum(map(len, by_op["all"].values()))
            check(f"{name}: {profile}: all of them", not other_share(inside, total, len(wanted) / len(ops)),
                  f"{inside} of {total}")
    if "all" in by_op:
        check_elements(name, boot, by_op["all"], table)


def check_simd(name, boot, said):
    """What perf report says of predicates: d without one, f of a whole one, and p of others: of the events it looks at
    SVE-PARTIAL-PRED first, which empty ones have, too. What SPEv1p1 does not say of loads, it does not know."""
    found = {op: flag for flag, op in re.findall(r"^simd +[\d.]+% +\[(.)\] SVE +\[\.\] op_(\w+)", said, re.M)}
    right = {op: "d" if "PRED" not in right_type(op, boot) else "p" if sve_events(op) else "f"
             for op in found if op not in OTHERS}
    check(f"{name}: perf report --sort simd has {len(found)} instructions", len(found) == 21 and found == right, found)


def boot_once(work, name, boot, table):
    """What the programs say, and what perf has dumped."""
    adds = [word for program in ("state", "kernels", "loop") for word in ("--add", work / program)]
    said = run(GUEST, "run", "--release", boot.release, "--vspe", VSPE, *boot.machine, "--timeout", 300, *adds,
               "--add", HERE / "sve_guest.sh", "--get", f"/tmp/packets.gz:{work / 'packets.gz'}", "--", "bash",
               "/root/sve_guest.sh",
               boot.most, boot.threads, boot.most, boot.copies, boot.count, *boot.profiles)
    for wrong in re.findall(r"^not ok - (.*)$", said, re.M):
        check(f"{name}: {wrong}", False)
    if boot.threads:
        count = len(re.findall(r"^ok - ", said, re.M))
        lengths = len(bin(boot.most // 128)) - 2
        # 4 of lengths, 6 of features, 20 of each length, and 2 of each thread.
        check(f"{name}: {count} checks of Linux's registers", count >= 10 + 20 * lengths + 2 * boot.threads, said)
        there = re.findall(r"^ok - (sve\w+) is there$", said, re.M)
        check(f"{name}: {len(there)} features of SVE2", len(there) == (6 if "all" in boot.machine else 0), there)
    check_profiles(name, boot, gzip.decompress((work / "packets.gz").read_bytes()).decode(), table)
    if boot.release == "13-backports":  # earlier ones lack some
        check_simd(name, boot, said)
    return dict(re.findall(r"^(\w+) ([0-9a-f]{16})$", said, re.M))


def main():
    for release in sorted({boot.release for boot in BOOTS.values()}):
        made = subprocess.run([GUEST, "image", "--release", release], capture_output=True, text=True, check=False)
        if made.returncode:
            print(f"SKIP: {(made.stderr.strip() or 'no image').splitlines()[-1]}")
            sys.exit(77)
    if not shutil.which(GCC) or not os.path.isabs(run(GCC, "-print-file-name=libc.a").strip()):
        print(f"SKIP: there is no {GCC} with a libc.a here")
        sys.exit(77)
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        build(work)
        table = symbols(work / "loop")
        for name in sys.argv[2:] or BOOTS:
            results[name] = boot_once(work, name, BOOTS[name], table)
    first = results[next(iter(results))]
    check(f"the results of {len(first)} kernels are the same in each machine", len(first) >= 14 and
          all(result == first for result in results.values()), results)
    sys.exit(failed)


main()
