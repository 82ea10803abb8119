#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""annotate.py VSPE CC: what vspe report --annotate says of each instruction, of records whose counts are known where they are made; the
instructions as objdump has them, and the text of their source lines."""
import collections
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import made
from made import auxtrace, failures, info, perf_file, same
from system import clock, comm, mmap2, started

VSPE, CC = Path(sys.argv[1]).resolve(), sys.argv[2]
SOURCE = """
struct item { struct item *next; long key; long value; };
static struct item items[64];
long table[256];

__attribute__((noinline)) long find(struct item *from, long key)
{
	for (struct item *at = from; at; at = at->next)
		if (at->key == key)
			return at->value;
	return -1;
}

__attribute__((noinline)) static long twice(long n) { return find(&items[n & 63], n) * 2; }
long other(long n) { return twice(n) + table[n & 255]; }
void _start(void) { for (long n = 0;; n++) table[n & 255] = other(n); }
"""
SAME = "add sub ldr str ldp stp b bl ret cbz cbnz and madd b.ne b.eq"  # of which an alias is never printed


def run(*command, code=0):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    if done.returncode != code:
        sys.exit(f"{command}: {done.returncode}: {done.stderr}")
    return done.stdout if not code else done.stderr


def listing(elf):
    """By function: address, mnemonic, target."""
    functions = collections.defaultdict(list)
    for line in run(CC.replace("gcc", "objdump"), "-d", "--no-show-raw-insn", elf).splitlines():
        if head := re.match(r"[0-9a-f]+ <(.*)>:", line):
            name = head[1]
        elif at := re.match(r"\s*([0-9a-f]+):\s+(\S+)[^<]*(<.*>)?", line):
            functions[name].append((int(at[1], 16), at[2], at[3]))
    return functions


def draw(chance, functions):
    """Records, and what is to be said of each instruction."""
    trace, counts = b"", collections.defaultdict(collections.Counter)
    for _ in range(3000):
        pc, mnemonic, _ = chance.choice(functions[chance.choice(sorted(functions))])
        branch = mnemonic[0] == "b" and mnemonic != "bfi" or mnemonic[:2] in ("cb", "tb", "re")
        events = chance.choice((2, 2, 2, 0)) | sum(chance.choice((0, 0, 1)) << bit for bit in ((6, 7) if branch else (3, 5, 9)))
        record = {"pc": pc, "el": chance.randrange(3), "op": made.BRANCH if branch else made.LOAD_STORE, "events": events}
        if chance.random() < .8:
            record["total"] = chance.randrange(1, 500)
        trace += made.record(record)
        of = counts[pc]
        of["samples"] += 1
        if "total" in record:
            of.update(timed=1, cycles=record["total"])
        of.update(l1d_refills=events >> 3 & 1, tlb_walks=events >> 5 & 1, llc_misses=events >> 9 & 1)
        if branch and events & 2:
            of.update(taken=not events >> 6 & 1, not_taken=events >> 6 & 1, mispredicted=events >> 7 & 1)
    return trace, counts


def row(of, total):
    """As report --json has it: what is 0 is left out."""
    wanted = {name: of[name] for name in ("samples", "l1d_refills", "llc_misses", "tlb_walks", "taken", "not_taken", "mispredicted") if of[name]}
    if of["samples"]:
        wanted["share"] = round(10000 * of["samples"] / total) / 100
    if of["timed"]:
        wanted["mean_latency"] = round(100 * of["cycles"] / of["timed"]) / 100
    return wanted


def check(what, name, said, functions, counts, text):
    rows = said["annotation"]["rows"]
    total = sum(counts[pc]["samples"] for pc, _, _ in functions[name])
    same(f"{what}: addresses", [int(one["address"], 16) for one in rows], [pc for pc, _, _ in functions[name]])
    got = [{key: one[key] for key in one if key not in ("address", "instruction", "source")} for one in rows]
    near = [key for one, (pc, _, _) in zip(got, functions[name]) for key in one.keys() ^ row(counts[pc], total).keys()] + [
        (key, one[key]) for one, (pc, _, _) in zip(got, functions[name]) for key, value in row(counts[pc], total).items()
        if abs(one.get(key, -1) - value) > .011 * (key in ("share", "mean_latency"))]
    same(f"{what}: counts of each", near, [])
    same(f"{what}: instructions", [one["instruction"].split()[0] for one, (_, word, _) in zip(rows, functions[name]) if word in SAME.split()],
         [word for _, word, _ in functions[name] if word in SAME.split()])
    same(f"{what}: where branches go", [one["instruction"][one["instruction"].index("<"):] if "<" in one["instruction"] else None
                                        for one, (_, word, _) in zip(rows, functions[name]) if word != "adrp"],
         [target for _, word, target in functions[name] if word != "adrp"])
    lines = text.split("\n")
    for one in rows:
        if "source" in one:
            number, _, shown = one["source"].split(":", 1)[1].partition("  ")
            if shown != lines[int(number) - 1].strip().replace("\t", " "):
                same(f"{what}: text of line {number}", shown, lines[int(number) - 1].strip())
    same(f"{what}: it has source lines", sum("source" in one for one in rows) >= len({*lines}) // 20, True)


with tempfile.TemporaryDirectory() as folder:
    work = Path(folder)
    (work / "program.c").write_text(SOURCE)
    program, trace_file = work / "program", work / "trace"
    run(CC, "-nostdlib", "-static", "-g", "-O2", "-fno-inline", "-falign-functions=4", "-o", program, work / "program.c")
    functions = listing(program)
    for seed in range(3):
        trace, counts = draw(random.Random(seed), functions)
        trace_file.write_bytes(trace)
        for name in sorted(functions):
            said = json.loads(run(VSPE, "report", "--json", "--limit", 1, "--symbols", program, "--annotate", name, trace_file))
            check(f"{seed}: {name}", name, said, functions, counts, SOURCE)
    same("the tables that are printed", sorted(said), ["annotation", "missing"])
    # The same of a process: the program and its source are the guest's.
    root = work / "root"
    (root / "bin").mkdir(parents=True)
    (root / str(work)[1:]).mkdir(parents=True)
    program.rename(root / "bin/program")
    (root / str(work)[1:] / "program.c").write_text(SOURCE.replace("at->key", "at->GUEST"))
    base = 0x7f0000000000
    moved = b"".join(made.record({"pc": base + pc, "el": 0, "op": made.OTHER}) for pc, _, _ in functions["find"])
    (work / "perf.data").write_bytes(perf_file([info(), clock(0, 1, 0), started(5), comm(5, 5, b"work", 0),
                                                mmap2(5, base + 0x400000, 0x2000, 0, b"/bin/program", 0), auxtrace(moved, 0xffffffff, tid=5)]))
    said = json.loads(run(VSPE, "report", "--json", "--symfs", root, "--annotate", "find", work / "perf.data"))
    check("a process", "find", said, functions, {pc: collections.Counter(samples=1) for pc, _, _ in functions["find"]},
          SOURCE.replace("at->key", "at->GUEST"))
    # What cannot be had.
    for symbols, function, why in [
            ("root/bin/program", "nothing", "no file of --symbols or --symfs has a function of that name"),
            ("map", "find", "no file has its code; of a kernel vmlinux has it")]:
        (work / "map").write_text("0000000000400000 T find\n0000000000400100 T other\n")
        same(f"--annotate {function} with {symbols}", run(VSPE, "report", "--symbols", work / symbols, "--annotate", function, trace_file, code=2),
             f"vspe report: --annotate {function}: {why}\n")
sys.exit(bool(failures))
