#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""pgo.py VSPE [DEBIAN]: makes a program faster by a profile of SPE, with Debian's tools. perf samples the branches of a
program in Debian's Linux. perf2bolt reads the profile: from vspe report --bolt, as Debian 12's perf2bolt does not
know SPE, or with DEBIAN, the folder of a Debian 13, itself. llvm-bolt reorders the program's blocks by it. The new
program, in the same Linux, ends with the same status, and SPE counts fewer branches taken."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

VSPE, HERE = Path(sys.argv[1]).resolve(), Path(__file__).resolve().parent
DEBIAN = Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
GUEST = [HERE.parent.parent / "tools/linux-guest", "run", "--release", "13-backports" if DEBIAN else "12"]
GCC = "aarch64-linux-gnu-gcc"
FLAGS = ["-O2", "-ffreestanding", "-nostdlib", "-static", "-no-pie", "-fno-pic", "-fno-stack-protector", "-mgeneral-regs-only",
         "-fno-asynchronous-unwind-tables", "-Wall", "-Wextra", "-Wl,--emit-relocs", "-Wl,--build-id=none"]
BRANCH = re.compile(r"^B ([0-9a-f]+) ([0-9a-f]+) (\d+) \d+$", re.M)
# perf2bolt --spe comes with BOLT 21. It has perf list branches of SPE, which Linux 6.15 can.
NEWER = "trixie-backports"
NEWER_PACKAGES = ("bolt-22", "linux-perf")


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=900)
    if done.returncode:
        sys.exit(f"not ok - {' '.join(map(str, words))}: exit code {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def skip(why):
    print(f"SKIP: {why}")
    sys.exit(77)


def inside(*words):
    """Run it in DEBIAN, which needs root."""
    return run("chroot", DEBIAN, "env", "-i", "HOME=/root", "DEBIAN_FRONTEND=noninteractive", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
               "sh", "-ec", *words)


class Here:
    """Debian 12's BOLT has its programs under their own names in a folder; perf2bolt goes by the name that it is called
    by."""
    spe = "v1p2"

    def __init__(self, work):
        self.bolt = next((Path(found).parent for found in sorted(glob.glob("/usr/lib/llvm-*/bin/perf2bolt"))), None)
        if not self.bolt:
            skip("there is no BOLT here (Debian: bolt-16; tools/install bolt)")
        self.work = work

    def aggregate(self, branches, taken):
        (self.work / "branches").write_text(branches)
        said = "".join(run(self.bolt / "perf2bolt", "-p", self.work / "branches", "--pa", "-o", self.work / "fdata",
                           self.work / "program"))
        found = sum(int(line.split()[-1]) for line in (self.work / "fdata").read_text().splitlines())
        if found != taken:
            sys.exit(f"not ok - perf2bolt has {found} of {taken} taken branches")
        return said

    def optimise(self):
        run(self.bolt / "llvm-bolt", self.work / "program", "-data", self.work / "fdata", "-reorder-blocks=ext-tsp", "-o",
            self.work / "program.bolt")


class InDebian:
    """Debian 13's BOLT reads perf.data with records of SPE, by perf. It can use the branch before each: FEAT_SPE_PBT."""
    spe = "v1p2,pbt"
    programs = "PATH=$PATH:/usr/lib/llvm-22/bin; cd /root/pgo; "

    def __init__(self, work):
        if os.geteuid() != 0:
            skip("another Debian needs root")
        sources = DEBIAN / "etc/apt/sources.list.d/backports.list"
        sources.write_text(f"deb http://deb.debian.org/debian {NEWER} main\n")
        fetched = subprocess.run(["chroot", DEBIAN, "sh", "-ec", "apt-get -qq update; apt-get -qq install -y --no-install-recommends "
                                  f"-t {NEWER} {' '.join(NEWER_PACKAGES)}"], capture_output=True, text=True, check=False,
                                 env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"},
                                 stdin=subprocess.DEVNULL)
        if fetched.returncode:
            skip(f"BOLT of Debian 13 cannot be had: {(fetched.stderr.splitlines() or ['apt-get failed'])[-1]}")
        self.work, self.folder = work, DEBIAN / "root/pgo"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()

    def aggregate(self, _, taken):
        for name in ("program", "data"):
            shutil.copy(self.work / name, self.folder)
        said = "".join(inside(self.programs + "perf2bolt --spe -p data -o fdata program"))
        found = re.findall(r"read (\d+) samples and (\d+) brstack entries", said)
        samples, entries = map(int, found[0]) if found else (0, 0)
        # All branches, including those not taken, each with the one before it.
        if samples < taken or entries != 2 * samples:
            sys.exit(f"not ok - perf2bolt has not the samples:\n{said}")
        print(f"ok - perf2bolt --spe reads {samples} samples, and a branch before each")
        return said

    def optimise(self):
        inside(self.programs + "llvm-bolt program -data fdata -reorder-blocks=ext-tsp -o program.bolt")
        shutil.copy(self.folder / "program.bolt", self.work)


def profile(program, work, spe):
    """The program's status in the guest, and its taken branches in the form that BOLT reads."""
    said, _ = run(*GUEST, "--vspe", VSPE, "--spe", spe, "--timeout", 300, "--add", f"{program}:/root/program",
                  "--add", HERE / "pgo_guest.sh", "--get", f"/tmp/profile:{work / 'data'}", "--", "bash", "/root/pgo_guest.sh")
    branches, _ = run(VSPE, "report", "--bolt", "--el", "0", "--symbols", program, work / "data")
    return re.findall(r"^status (\d+)$", said, re.M), branches


def main():
    if not shutil.which(GCC):
        skip(f"there is no {GCC} here")
    made = subprocess.run([GUEST[0], "image", *GUEST[2:]], capture_output=True, text=True, check=False)
    if made.returncode:
        skip(made.stderr.strip())
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        bolt = (InDebian if DEBIAN else Here)(work)
        program = work / "program"
        run(GCC, *FLAGS, "-o", program, HERE / "pgo_program.c")
        status, branches = profile(program, work, bolt.spe)
        taken = sum(int(count) for _, _, count in BRANCH.findall(branches))
        if taken < 1000:
            sys.exit(f"not ok - {taken} taken branches were sampled")
        said = bolt.aggregate(branches, taken)
        if re.findall(r"mismatching disassembled function contents: (\d+)", said) != ["0"]:
            sys.exit(f"not ok - perf2bolt does not find the branches:\n{said}")
        print(f"ok - perf2bolt finds all {taken} sampled branches that are taken in the program")
        bolt.optimise()
        again, branches = profile(work / "program.bolt", work, bolt.spe)
        fewer = sum(int(count) for _, _, count in BRANCH.findall(branches))
        if len(status) != 1 or again != status:
            sys.exit(f"not ok - the new program ends with {again}, the old one with {status}")
        if not 0 < fewer < taken:
            sys.exit(f"not ok - the new program has {fewer} sampled branches that are taken, the old one {taken}")
        print(f"ok - llvm-bolt's program ends with the same status {status[0]}, and has {fewer} sampled branches that are taken "
              f"instead of {taken}")


main()
