#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""lines.py VSPE CC CLANGXX: source lines and inlined functions of every instruction in programs of gcc and clang,
compared with llvm-symbolizer on the same file; then code without lines, and damaged DWARF."""
import collections
import json
import os
import random
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

VSPE, CC, CXX = Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
ROOT = Path(__file__).resolve().parents[2]
SOURCES = [ROOT / "spe" / f"{name}.c" for name in ("state", "decode", "record", "sample", "registers")]
INCLUDES = [f"-I{ROOT}/{room}" for room in ("spe/include", "sysreg/include", "a64/include")] + [f"-I{VSPE.parent}/sysreg/tables"]
CPLUSPLUS = r"""
namespace heap {
struct node { node *next; int value; };
template <typename T> struct list {
	T *first = nullptr;
	__attribute__((always_inline)) void push(T *one) { one->next = first; first = one; }
	__attribute__((noinline)) int sum() const { int all = 0; for (T *at = first; at; at = at->next) all += weigh(at->value); return all; }
	static inline int weigh(int value) { return value * 3 + 1; }
};
}
using heap::list; using heap::node;
static list<node> all;
static node nodes[8];
__attribute__((noinline)) int operator+(const list<node> &one, int other) { return one.sum() + other; }
extern "C" void _start() {
	auto fill = [](int from) { for (int i = from; i < 8; i++) { nodes[i].value = i; all.push(&nodes[i]); } };
	fill(0);
	*(volatile int *)0x1000 = all + 3;
	for (;;) ;
}
"""


def run(*command, **more):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{command}: {done.returncode}: {done.stderr}")
    return done.stdout


def sections(elf):
    """Name, offset, address, size of each."""
    data = elf.read_bytes()
    at, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    rows = [struct.unpack_from("<IIQQQQ", data, at + n * size) for n in range(count)]
    text = data[rows[names][4]:]
    return [(text[row[0]:text.index(b"\0", row[0])].decode(), row[4], row[3], row[5]) for row in rows]


def addresses(elf):
    _, _, start, size = next(row for row in sections(elf) if row[0] == ".text")
    return range(start, start + size // 4 * 4, 4)


def records(path, of):
    path.write_bytes(b"".join(made.record({"pc": pc, "el": 0, "op": made.OTHER}) for pc in of))


def shown(names):
    """Names of C++ as perf prints them, without parameters."""
    names = [*names]
    return dict(zip(names, run("c++filt", "-p", input="".join(f"{name}\n" for name in names)).splitlines()))


def wanted(elf, of):
    """Counts of (path, line, functions from the inner to the outer) by llvm-symbolizer."""
    frames = json.loads("[" + ",".join(run("llvm-symbolizer", f"--obj={elf}", "--inlines", "--no-demangle", "--functions=linkage",
                                           "--output-style=JSON", input="".join(f"{pc:#x}\n" for pc in of)).splitlines()) + "]")
    # gcc's variants of a function have its name in DWARF, and a separate one for the linker that the source does not
    # have.
    for one in frames:
        for frame in one["Symbol"]:
            frame["FunctionName"] = re.sub(r"\.(constprop|isra|part|cold)\b.*", "", frame["FunctionName"])
    names = shown({frame["FunctionName"] for one in frames for frame in one["Symbol"]})
    return collections.Counter((one["Symbol"][0]["FileName"], one["Symbol"][0]["Line"],
                                tuple(names[frame["FunctionName"]] or "[unknown]" for frame in one["Symbol"]))
                               for one in frames if one["Symbol"][0]["Line"])


def report(elf, trace, *options):
    return json.loads(run(VSPE, "report", "--json", "--limit", 10**6, *options, f"--symbols={elf}", trace))


def lines(tables):
    """The same counts from a report, and the number of records without a line."""
    rows = tables["source_lines"]["rows"]
    got = collections.Counter()
    for row in rows:
        if row["source"] != "[unknown]":
            path, line = row["path"], int(row["source"].rsplit(":", 1)[1])
            got[path, line, tuple([row["function"], *(row.get("inlined_in") or "").split(" < ")]) if row.get("inlined_in")
                else (row["function"],)] += row["samples"]
    return got, sum(row["samples"] for row in rows if row["source"] == "[unknown]")


def link(folder, name, compiler, *options, sources=SOURCES, includes=True):
    """A program of the library's own sources, large enough to have all kinds of inlining."""
    elf = folder / name
    objects = []
    for number, source in enumerate(sources):
        objects.append(folder / f"{name}.{number}.o")
        run(compiler, "-c", "-ffreestanding", *(INCLUDES if includes else []), *options, "-o", objects[-1], source)
    run(CC, "-nostdlib", "-static", "-Wl,-e0", "-Wl,--unresolved-symbols=ignore-all", "-Wl,--build-id", "-o", elf, *objects)
    return elf


def equal(folder, name, elf):
    trace, of = folder / "trace", addresses(elf)
    records(trace, of)
    got, unknown = lines(report(elf, trace))
    want = wanted(elf, of)
    same(f"{name}: lines and inlined functions of {len(of)} instructions", got, want)
    same(f"{name}: instructions without a line", unknown, len(of) - want.total())


def exports(folder, name, elf):
    """Where functions begin, and the lines of instructions in their functions, in the exports for viewers."""
    of = addresses(elf)
    records(folder / "trace", of)
    frames = json.loads("[" + ",".join(run("llvm-symbolizer", f"--obj={elf}", "--inlines", "--output-style=JSON", "--functions=none",
                                           input="".join(f"{pc:#x}\n" for pc in of)).splitlines()) + "]")
    outer = {pc: (one["Symbol"][-1]["FileName"], one["Symbol"][-1]["Line"]) for pc, one in zip(of, frames) if one["Symbol"]}
    starts = {row["function"]: outer[int(row["address"], 16)] for row in report(elf, folder / "trace")["functions"]["rows"]
              if row["function"][0] != "["}

    def export(form):
        return json.loads(run(VSPE, "report", "--export", form, f"--symbols={elf}", folder / "trace"))
    same(f"{name}: speedscope", {frame["name"]: (frame["file"], frame["line"]) for frame in export("speedscope")["shared"]["frames"]
                                 if "line" in frame}, starts)
    thread = export("firefox")["threads"][0]
    functions, table, text = thread["funcTable"], thread["frameTable"], thread["stringArray"]
    same(f"{name}: firefox, functions", {text[functions["name"][n]]: (text[functions["fileName"][n]], functions["lineNumber"][n])
                                         for n in range(functions["length"]) if functions["fileName"][n] is not None}, starts)
    of_function = {pc: line for pc, (file, line) in outer.items() if line}
    same(f"{name}: firefox, lines of frames",
         collections.Counter(line for line in table["line"] if line is not None) - collections.Counter(of_function.values()), collections.Counter())
    same(f"{name}: firefox, most frames have one", sum(line is not None for line in table["line"]) > .9 * len(of_function), True)


def programs(folder):
    target = ("clang", "--target=aarch64-linux-gnu")
    for name, compiler, options in [
            ("gcc -O2", CC, ["-g", "-O2"]), ("gcc -O2, DWARF 4", CC, ["-gdwarf-4", "-O2"]), ("gcc -O0", CC, ["-g"]),
            ("gcc -O3, functions apart, compressed", CC, ["-g", "-gz", "-O3", "-ffunction-sections"]),
            ("clang -O2", target[0], [target[1], "-g", "-O2"]), ("clang -O3, DWARF 4", target[0], [target[1], "-gdwarf-4", "-O3"])]:
        elf = link(folder, "program", compiler, *options)
        equal(folder, name, elf)
    exports(folder, name, elf)
    source = folder / "list.cc"
    source.write_text(CPLUSPLUS)
    for name in "-O0", "-O2":
        elf = link(folder, "list", CXX, "--target=aarch64-linux-gnu", "-g", name, "-fno-exceptions", sources=[source], includes=False)
        equal(folder, f"clang++ {name}", elf)
        records(folder / "trace", addresses(elf))
        same(f"clang++ {name}: functions by the names of their source",
             {row["function"] for row in report(elf, folder / "trace")["functions"]["rows"]} >= {"heap::list<heap::node>::sum", "operator+"}, True)


def mapped(folder, root, elf, of):
    """The report of a process that has mapped elf at other addresses, with records at of."""
    path, moved = folder / "perf.data", 0x10000000
    trace = b"".join(made.record({"pc": moved + pc, "el": 0, "op": made.OTHER}) for pc in of)
    path.write_bytes(perf_file([info(), clock(0, 1, 0), started(5), comm(5, 5, b"work", 0),
                                mmap2(5, moved + code(elf)[0], code(elf)[1], code(elf)[2], b"/bin/" + elf.name.encode(), 0),
                                auxtrace(trace, 0xffffffff, tid=5)]))
    return json.loads(run(VSPE, "report", "--json", "--limit", 10**6, "--symfs", root, path))


def code(elf):
    """Address, size, offset of the segment with code."""
    data = elf.read_bytes()
    at, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    loads = [struct.unpack_from("<IIQQQQQQ", data, at + n * size) for n in range(count)]
    load = next(load for load in loads if load[0] == 1 and load[1] & 1)
    return load[3], load[6], load[2]


def debug_files(folder):
    """Debug information in a separate file."""
    objcopy = CC.replace("gcc", "objcopy")
    root = folder / "root"
    for room in "bin", "bin/.debug", "usr/lib/debug/.dwz", "usr/lib/debug/bin":
        (root / room).mkdir(parents=True)
    elf = link(folder, "whole", CC, "-g", "-O2")
    of = addresses(elf)
    want = wanted(elf, of)

    def check(what, said, lines_of="yes"):
        same(f"{what}: source lines of the object", said["objects"]["rows"][0].get("source_lines"), lines_of)
        same(f"{what}: all functions, whether it has lines or not", len({row["function"] for row in said["functions"]["rows"]}) > 20, True)
        same(f"{what}: lines", lines(said)[0], want if lines_of == "yes" else collections.Counter())

    bare = root / "bin/bare"
    shutil.copy(elf, root / "bin/whole")
    check("in the program", mapped(folder, root, root / "bin/whole", of))
    for where in "bin", "bin/.debug", "usr/lib/debug/bin":
        debug = root / where / "some.debug"
        run(objcopy, "--only-keep-debug", elf, debug)
        run(objcopy, "--strip-debug", f"--add-gnu-debuglink={debug}", elf, bare)
        check(f".gnu_debuglink to /{where}", mapped(folder, root, bare, of))
        for remove in ["--remove-section=.note.gnu.build-id"]:
            run(objcopy, remove, bare)
            check("... without a build id, by its checksum", mapped(folder, root, bare, of))
            with open(debug, "ab") as file:
                file.write(b"more")
            check("... which is another one's", mapped(folder, root, bare, of), None)
        debug.unlink()

    other = root / "bin/other"
    shutil.copy(elf, other)
    shared = root / "usr/lib/debug/.dwz/shared.debug"
    run("dwz", "-m", shared, "-M", "/usr/lib/debug/.dwz/shared.debug", root / "bin/whole", other)
    check("a part in a file of dwz", mapped(folder, root, root / "bin/whole", of))
    shared.rename(root / "away")
    check("... which is away", mapped(folder, root, root / "bin/whole", of), "no: a part is in a file of dwz, which is not there")
    shutil.copy(elf, shared)
    check("... which is another", mapped(folder, root, root / "bin/whole", of), "no: a part is in a file of dwz, which is not there")

    for what, options in ("5", ["-gdwarf-5"]), ("4", ["-gdwarf-4"]):
        split = link(folder, "split", CC, "-O2", "-gsplit-dwarf", *options)
        shutil.copy(split, root / "bin/split")
        check(f"split DWARF {what}", mapped(folder, root, root / "bin/split", addresses(split)), "no: they are in .dwo files")


def damaged(folder):
    """DWARF with changed or missing bytes: the report ends, and names the functions as before."""
    source = folder / "list.cc"
    source.write_text(CPLUSPLUS)
    elf = link(folder, "list", CXX, "--target=aarch64-linux-gnu", "-g", "-O2", "-fno-exceptions", sources=[source], includes=False)
    of, good, bad = addresses(elf), elf.read_bytes(), folder / "bad"
    records(folder / "trace", of)
    functions = report(elf, folder / "trace")["functions"]["rows"]
    kept, chance = 0, random.Random(5)
    for name, offset, _, size in [row for row in sections(elf) if row[0].startswith(".debug_")]:
        for _ in range(10):
            image = bytearray(good)
            for _ in range(chance.choice((1, 1, 3, 20))):
                image[offset + chance.randrange(size)] = chance.choice((0, 1, 0x7f, 0x80, 0xff, chance.randrange(256)))
            bad.write_bytes(image)
            kept += report(bad, folder / "trace")["functions"]["rows"] == functions
    same("damaged DWARF: functions are named as before", kept, 10 * sum(row[0].startswith(".debug_") for row in sections(elf)))


with tempfile.TemporaryDirectory() as made_folder:
    programs(Path(made_folder))
    debug_files(Path(made_folder))
    damaged(Path(made_folder))
sys.exit(bool(failures))
