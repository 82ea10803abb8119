#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""loops.py VSPE COUNT: what optimisers make of the branches that SPE has sampled, in cycles. In Debian's Linux, perf samples the branches
of two programs (loops_program.c). llvm-bolt puts their blocks and functions in another order by vspe report --bolt; clang compiles the
first anew by what llvm-profgen makes of vspe report --brstack. All of them run in a machine that is saved at its prompt and goes on with
a machine model, as a boot with it takes minutes, and COUNT (guests/linux/count.c) says what the PMU has counted of each."""
import base64
import glob
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

VSPE, COUNT, HERE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(__file__).resolve().parent
GUEST = HERE.parent.parent / "tools/linux-guest"
FLAGS = ["--target=aarch64-linux-gnu", "-O2", "-gline-tables-only", "-fdebug-info-for-profiling", "-ffreestanding", "-fno-pic",
         "-fno-stack-protector", "-mgeneral-regs-only", "-fno-asynchronous-unwind-tables", "-nostdlib", "-static", "-Wall", "-Wextra",
         "-Wl,--emit-relocs", "-Wl,--build-id=none"]
BOLT = ["-reorder-blocks=ext-tsp", "-reorder-functions=hfsort", "-split-functions", "-split-all-cold"]
BRANCH = re.compile(r"^B ([0-9a-f]+) ([0-9a-f]+) (\d+) \d+$", re.M)
PROMPT = b"vspe:~# "
failed = False


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=400)
    if done.returncode:
        sys.exit(f"not ok - {' '.join(map(str, words))}: exit code {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def check(what, right):
    global failed
    print(f"{'ok' if right else 'not ok'} - {what}")
    failed = failed or not right


def tool(name, least):
    """A program of LLVM's, from the folder where it has its own name: of the newest LLVM of Debian that has it."""
    found = {int(re.search(r"llvm-(\d+)/", path)[1]): path for path in glob.glob(f"/usr/lib/llvm-[0-9]*/bin/{name}")}
    if not found or max(found) < least:
        print(f"SKIP: there is no {name} of LLVM {least} or later here (tools/install bolt)")
        sys.exit(77)
    return found[max(found)]


def taken(branches):
    return sum(int(count) for _, _, count in BRANCH.findall(branches))


class Machine:
    """A guest at its prompt, which is saved there."""

    def __init__(self, work, files):
        adds = [word for path in files for word in ("--add", f"{path}:/root/{path.name}")]
        kernel, initrd = run(GUEST, "image", *adds, "--output", work / "initrd").split()
        self.work, self.said = work, open(work / "console", "w+b", buffering=0)
        words = [VSPE, "run", "--timeout", "300", "--mem", "1024", "--pmu", "v3p8", "--spe", "v1p2,pbt", "--kernel", kernel,
                 "--initrd", initrd, "--params", "console=ttyAMA0 quiet panic=-1", "--save", work / "image"]
        self.vspe = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=self.said, stderr=subprocess.DEVNULL)
        self.prompt(1)

    def prompt(self, times):
        while self.console().count(PROMPT) < times:
            if self.vspe.poll() is not None:
                sys.exit(f"not ok - the guest ended: {self.console()[-500:]}")
            time.sleep(0.1)

    def console(self):
        return (self.work / "console").read_bytes()

    def command(self, text):
        """What it writes, without what the terminal adds."""
        before = self.console()
        self.vspe.stdin.write(text.encode() + b"\n")
        self.vspe.stdin.flush()
        self.prompt(before.count(PROMPT) + 1)
        return self.console()[len(before):].replace(b"\r", b"").decode("ascii", "replace")

    def goes_on(self, text):
        """Saved, and on with the model, until the guest is off after the command."""
        self.vspe.send_signal(signal.SIGUSR1)
        if self.vspe.wait(60) != 4:
            sys.exit("not ok - the guest is not saved")
        words = [VSPE, "run", "--restore", self.work / "image", "--model", "full", "--timeout", "300"]
        done = subprocess.run(words, input=text.encode() + b"; poweroff -f\n", capture_output=True, check=False, timeout=400)
        if done.returncode:
            sys.exit(f"not ok - the machine does not go on with a model: {done.stderr.decode()}")
        return done.stdout.replace(b"\r", b"").decode("ascii", "replace")


def optimise(work, profgen, bolt, clang):
    """From profiles of program and short: program.bolt, short.bolt, program.clang. How many taken branches were sampled of each."""
    sampled = {}
    for name in ("program", "short"):
        program, branches = work / name, run(VSPE, "report", "--bolt", "--el", "0", "--symbols", work / name, work / f"{name}.data")
        (work / "branches").write_text(branches)
        said = run(Path(bolt).parent / "perf2bolt", "-p", work / "branches", "--pa", "-o", work / "fdata", program)
        found = sum(int(line.split()[-1]) for line in (work / "fdata").read_text().splitlines())
        check(f"perf2bolt finds the {found} branches of {name}",
              "mismatching disassembled function contents: 0" in said and found == taken(branches))
        run(bolt, program, "-data", work / "fdata", *BOLT, "-o", work / f"{name}.bolt")
        sampled[name] = taken(branches)
    (work / "script").write_text(run(VSPE, "report", "--brstack", "--el", "0", "--symbols", work / "program", work / "program.data"))
    run(profgen, f"--perfscript={work / 'script'}", f"--binary={work / 'program'}", f"--output={work / 'prof'}")
    run(clang, *FLAGS, f"-fprofile-sample-use={work / 'prof'}", "-o", work / "program.clang", HERE / "loops_program.c")
    return sampled


def compare(counted, old, new, *fewer):
    """Of NEW there is less than of OLD of each of the words FEWER."""
    for word in fewer:
        now, before = counted[new][word], counted[old][word]
        check(f"{new}: {now} {word} instead of {before}, {100 * (now / max(before, 1) - 1):+.1f} %", 0 < now < before)


def main():
    profgen, bolt, clang = tool("llvm-profgen", 19), tool("llvm-bolt", 16), tool("clang", 19)
    made = subprocess.run([GUEST, "image"], capture_output=True, text=True, check=False)
    if made.returncode or not shutil.which("aarch64-linux-gnu-ld"):
        print(f"SKIP: {made.stderr.strip() or 'there is no aarch64-linux-gnu-ld here'}")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        for program, words in ("program", []), ("short", ["-DSHORT"]):
            run(clang, *FLAGS, *words, "-o", work / program, HERE / "loops_program.c")
        files = [word for name in ("program", "short") for word in ("--add", work / name, "--get", f"/tmp/{name}:{work / name}.data")]
        said = run(GUEST, "run", "--vspe", VSPE, "--spe", "v1p2,pbt", "--timeout", 300, "--add", HERE / "loops_guest.sh", *files,
                   "--", "bash", "/root/loops_guest.sh", "program", "short")
        status = dict(re.findall(r"^(\w+) status (\d+)$", said, re.M))
        sampled = optimise(work, profgen, bolt, clang)
        names = ["program", "program.bolt", "program.clang", "short", "short.bolt"]
        machine = Machine(work, [COUNT, HERE / "loops_guest.sh", *[work / name for name in names]])
        said = machine.command("bash loops_guest.sh program.bolt program.clang; "
                               "for p in bolt clang; do base64 /tmp/program.$p; echo .; done")
        profiles = re.findall(r"^((?:[A-Za-z0-9+/=]+\n)+)\.$", said, re.M)
        again = dict(re.findall(r"^([\w.]+) status (\d+)$", said, re.M))
        check(f"the new programs end with the same status: {status}, {again}",
              len(status) == len(again) == 2 and set(again.values()) == {status["program"]})
        for new, profile in zip(("program.bolt", "program.clang"), profiles, strict=True):
            (work / "data").write_bytes(base64.b64decode(profile))
            fewer = taken(run(VSPE, "report", "--bolt", "--el", "0", "--symbols", work / new, work / "data"))
            check(f"{new}: SPE has sampled {fewer} branches that are taken instead of {sampled['program']}",
                  0 < fewer < sampled["program"])
        said = machine.goes_on(f"for p in {' '.join(names)}; do /root/{COUNT.name} $p; done")
        rows = {row.split()[0]: row.split()[1:] for row in said.splitlines() if " cycles " in row}
        counted = {name: dict(zip(row[::2], map(int, row[1::2]))) for name, row in rows.items()}
        for name in names:
            print(f"# {name}: {counted.get(name)}")
        check("with a model they end with the same status, too", len(counted) == len(names) and
              all(counted[name]["status"] == counted[name.split(".")[0]]["status"] for name in names))
        compare(counted, "program", "program.bolt", "taken", "L1I-misses", "cycles")
        compare(counted, "program", "program.clang", "taken", "L1I-misses", "instructions", "cycles")
        compare(counted, "short", "short.bolt", "taken")
        more = {word: counted["short.bolt"][word] - counted["short"][word] for word in ("instructions", "branches")}
        # What a block away from the way needs: a branch back. Nothing else comes from the other order.
        check(f"short.bolt: {more['instructions']} instructions more are the branches back",
              more["instructions"] == more["branches"] > 0)
    sys.exit(failed)


main()
