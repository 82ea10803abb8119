#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""pgo.py VSPE: a program made better by a profile of SPE, with what Debian has. perf samples the branches of a program in
Debian's Linux; vspe report --bolt gives them to perf2bolt; llvm-bolt puts the program's blocks in another order by them; and the
new program, in the same Linux, ends with the same status, and SPE counts fewer branches taken."""
import glob
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

VSPE, HERE = Path(sys.argv[1]).resolve(), Path(__file__).resolve().parent
GUEST = HERE.parent.parent / "tools/linux-guest"
GCC = "aarch64-linux-gnu-gcc"
FLAGS = ["-O2", "-ffreestanding", "-nostdlib", "-static", "-no-pie", "-fno-pic", "-fno-stack-protector", "-mgeneral-regs-only",
         "-fno-asynchronous-unwind-tables", "-Wall", "-Wextra", "-Wl,--emit-relocs", "-Wl,--build-id=none"]
BRANCH = re.compile(r"^B ([0-9a-f]+) ([0-9a-f]+) (\d+) \d+$", re.M)


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=600)
    if done.returncode:
        sys.exit(f"not ok - {' '.join(map(str, words))}: exit code {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def skip(why):
    print(f"SKIP: {why}")
    sys.exit(77)


def profile(program, work):
    """The program's status in the guest, and its taken branches as BOLT wants them."""
    said, _ = run(GUEST, "run", "--vspe", VSPE, "--spe", "v1p2", "--timeout", 300, "--add", f"{program}:/root/program",
               "--add", HERE / "pgo_guest.sh", "--get", f"/tmp/profile:{work / 'data'}", "--", "bash", "/root/pgo_guest.sh")
    branches, _ = run(VSPE, "report", "--bolt", "--el", "0", "--symbols", program, work / "data")
    return re.findall(r"^status (\d+)$", said, re.M), branches


def main():
    # Debian's bolt-16 has its programs under their own names here, and perf2bolt goes by the name that it is called by.
    bolt = next((Path(found).parent for found in sorted(glob.glob("/usr/lib/llvm-*/bin/perf2bolt"))), None)
    if not bolt:
        skip("there is no BOLT here (Debian: bolt-16; tools/install bolt)")
    if not shutil.which(GCC):
        skip(f"there is no {GCC} here")
    made = subprocess.run([GUEST, "image"], capture_output=True, text=True, check=False)
    if made.returncode:
        skip(made.stderr.strip())
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        program, better, data = work / "program", work / "program.bolt", work / "program.fdata"
        run(GCC, *FLAGS, "-o", program, HERE / "pgo_program.c")
        status, branches = profile(program, work)
        (work / "branches").write_text(branches)
        taken = sum(int(count) for _, _, count in BRANCH.findall(branches))
        said = "".join(run(bolt / "perf2bolt", "-p", work / "branches", "--pa", "-o", data, program))
        if re.findall(r"mismatching disassembled function contents: (\d+)", said) != ["0"]:
            sys.exit(f"not ok - perf2bolt does not find the branches:\n{said}")
        found = sum(int(line.split()[-1]) for line in data.read_text().splitlines())
        if taken < 1000 or found != taken:
            sys.exit(f"not ok - perf2bolt has {found} of {taken} taken branches")
        print(f"ok - perf2bolt finds all {taken} sampled branches in the program")
        run(bolt / "llvm-bolt", program, "-data", data, "-reorder-blocks=ext-tsp", "-o", better)
        again, branches = profile(better, work)
        fewer = sum(int(count) for _, _, count in BRANCH.findall(branches))
        if len(status) != 1 or again != status:
            sys.exit(f"not ok - the new program ends with {again}, the old one with {status}")
        if not 0 < fewer < taken:
            sys.exit(f"not ok - the new program has {fewer} sampled branches that are taken, the old one {taken}")
        print(f"ok - llvm-bolt's program ends with the same status {status[0]}, and has {fewer} sampled branches that are taken "
              f"instead of {taken}")


main()
