#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fields.py VSPE CC: the field of a structure that an access is to, by DWARF of gcc and clang. The program has a table of the addresses of
C expressions, which its compiler filled in; vspe report has to write each of these expressions."""
import json
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import made
from made import failures, same

VSPE, CC = Path(sys.argv[1]).resolve(), sys.argv[2]
TYPES = r"""
typedef unsigned long word;
typedef const volatile word quiet_word;
struct item { word key; struct item *next; struct { int low, high; }; union { word whole; char part[8]; } value; };
typedef struct item item_t;
struct queue { item_t items[3]; quiet_word counts[2][4]; struct { word head __attribute__((aligned(64))), tail __attribute__((aligned(64))); } ends; };
struct queue one, many[5];
static item_t matrix[2][3][4] = { { { { 1 } } } };
word plain, row[10];
struct item *pointer = &matrix[0][0][0];
enum colour { red } colours[4];
_Atomic int atomic = 3;
long double wide = 1;
"""
EXPRESSIONS = """one.items[0].key one.items[2].next one.items[1].low one.items[1].high one.items[0].value.whole one.counts[0][0] one.counts[1][3] one.ends.head
one.ends.tail many[0].items[0].key many[4].ends.tail many[3].counts[0][2] many[2].items[1].value.whole matrix[0][0][0].key matrix[1][2][3].next
matrix[0][2][1].high row[0] row[9] colours[3]""".split()
# What has no field: offset and how it is written.
OTHERS = {"plain": "plain+0x0", "pointer": "pointer+0x0", "atomic": "atomic+0x0", "wide": "wide+0x0", "(char *)&one.items[0].key + 3": "one.items[0].key+0x3",
          "one.items[0].value.part[5]": "one.items[0].value.whole+0x5", "(char *)&plain + 7": "plain+0x7"}


def run(*command):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command}: {done.returncode}: {done.stderr}")
    return done.stdout


def table(elf, count):
    """The addresses in the program's table."""
    at = next(int(line.split()[0], 16) for line in run(CC.replace("gcc", "nm"), elf).splitlines() if line.endswith(" table"))
    name, offset, address = next((row[0], int(row[3], 16), int(row[2], 16)) for line in run(CC.replace("gcc", "readelf"), "-SW", elf).splitlines()
                                 if (row := re.sub(r"^\s*\[\s*\d+\]\s*", "", line).split()) and len(row) > 5 and row[1] == "PROGBITS"
                                 and int(row[2], 16) <= at < int(row[2], 16) + int(row[4], 16))
    del name
    return struct.unpack_from(f"<{count}Q", elf.read_bytes(), offset + at - address)


with tempfile.TemporaryDirectory() as folder:
    work = Path(folder)
    asked = EXPRESSIONS + [*OTHERS]
    (work / "program.c").write_text(TYPES + "const void *const table[] = {" + ", ".join(one if one[0] == "(" else f"(const void *)&{one}" for one in asked) +
                                    "};\nword _start(void) { return one.items[0].key + many[0].items[0].key + matrix[1][0][0].key + plain + row[1] + "
                                    "colours[0] + atomic + *(word *)&wide + (word)pointer + (word)table[0]; }\n")
    target = ["clang", "--target=aarch64-linux-gnu"]
    for name, compiler in [("gcc", [CC, "-g"]), ("gcc, DWARF 4", [CC, "-gdwarf-4"]), ("gcc -O2", [CC, "-g", "-O2"]),
                           ("clang", [*target, "-g"]), ("clang, DWARF 4", [*target, "-gdwarf-4"])]:
        run(*compiler, "-c", "-o", work / "program.o", work / "program.c")
        run(CC, "-nostdlib", "-static", "-Wl,-e,_start", "-o", work / "program", work / "program.o")
        got = []
        for address in table(work / "program", len(asked)):
            (work / "trace").write_bytes(made.record({"pc": 0x400000, "el": 0, "op": made.LOAD_STORE, "payload": 1, "va": address, "events": 2}))
            rows = json.loads(run(VSPE, "report", "--json", "--by", "cache-line", "--symbols", work / "program", work / "trace"))["lines"]["rows"]
            got.append(rows[0].get("data"))
        same(f"{name}: fields", got, EXPRESSIONS + [*OTHERS.values()])
sys.exit(bool(failures))
