#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""bolt.py VSPE: LLVM's BOLT takes the branches of vspe report --bolt. perf2bolt finds every one of them in the program.
llvm-bolt reorders the program's blocks by them, and the new program prints the same, in fewer operations and with
fewer branches taken.

The program is a bare-metal ELF (bolt_program.c), linked with --emit-relocs. perf2bolt goes by the name that it is
called by: as perf2bolt-16, which Debian has in /usr/bin, it would write a program instead of a profile."""
import glob
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

VSPE, HERE = Path(sys.argv[1]).resolve(), Path(__file__).resolve().parent
GCC = "aarch64-linux-gnu-gcc"
FLAGS = ["-O2", "-ffreestanding", "-nostdlib", "-static", "-no-pie", "-fno-pic", "-fno-stack-protector", "-mgeneral-regs-only",
         "-fno-asynchronous-unwind-tables", "-Wall", "-Wextra", "-Wl,--emit-relocs", "-Wl,-Ttext-segment=0x40400000",
         "-Wl,--build-id=none", "-Wl,-z,max-page-size=4096", "-Wl,--no-warn-rwx-segments"]


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        sys.exit(f"not ok - {' '.join(map(str, words))}: exit code {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def folder_of_bolt():
    """The folder of a BOLT whose programs have their own names."""
    folders = [Path(found).parent for found in sorted(glob.glob("/usr/lib/llvm-*/bin/perf2bolt"))]
    folders += [Path(found).parent for found in [shutil.which("perf2bolt")] if found]
    return next((folder for folder in folders if (folder / "llvm-bolt").exists()), None)


def execute(program, data):
    """The program's output, its operations, and the records of branches."""
    out, err = run(VSPE, "run", "-k", program, "--timeout", 100, "--stats", "--perf-data", data)
    return out, int(re.search(r"(\d+) operations", err).group(1)), int(re.search(r" records (\d+)", err).group(1))


def main():
    bolt = folder_of_bolt()
    if not bolt or not shutil.which(GCC):
        print("SKIP: there is no BOLT here (Debian: bolt-16; tools/install bolt)" if not bolt else f"SKIP: there is no {GCC} here")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        program, better, profile = work / "program", work / "program.bolt", work / "program.fdata"
        run(GCC, *FLAGS, "-o", program, HERE / "bolt_program.c")
        out, operations, records = execute(program, work / "data")
        branches, _ = run(VSPE, "report", "--bolt", "--symbols", program, work / "data")
        (work / "branches").write_text(branches)
        counts = {(int(start, 16), int(end, 16)): int(count) for start, end, count in
                  re.findall(r"^B ([0-9a-f]+) ([0-9a-f]+) (\d+) \d+$", branches, re.M)}
        said = "".join(run(bolt / "perf2bolt", "-p", work / "branches", "--pa", "-o", profile, program))
        wrong = [int(count) for count in re.findall(r"mismatching disassembled function contents: (\d+)", said)]
        if wrong != [0] or f"read {len(counts)} aggregated LBR entries" not in said:
            sys.exit(f"not ok - perf2bolt does not find the branches:\n{said}")
        taken = [int(line.split()[-1]) for line in profile.read_text().splitlines()]
        if len(taken) < 4 or sum(taken) != sum(counts.values()):
            sys.exit(f"not ok - the profile has {taken}, and vspe report {counts}")
        print(f"ok - perf2bolt finds all {sum(taken)} samples of {len(taken)} branches in the program")
        run(bolt / "llvm-bolt", program, "-data", profile, "-reorder-blocks=ext-tsp", "-o", better)
        again, fewer, taken_again = execute(better, work / "data2")
        if again != out or not re.fullmatch(r"[0-9a-f]{8}\n", out):
            sys.exit(f"not ok - the new program prints {again!r}, the old one {out!r}")
        if fewer >= operations:
            sys.exit(f"not ok - the new program takes {fewer} operations, the old one {operations}")
        print(f"ok - llvm-bolt's program prints the same, in {fewer} operations instead of {operations}, "
              f"with {taken_again} sampled branches instead of {records}")


main()
