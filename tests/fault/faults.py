#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Make each call fail once: faults.py VSPE GUESTS LIBRARY MOST

Runs every subcommand below with one allocation, read, write, mmap, fsync, open, close, rename or ioctl failing: the
first, the second ... of them, at most MOST of a kind spread over all. Whatever fails, vspe ends with a documented
exit code and one line about it, or as if nothing had failed. Its inputs do not change. A file that it writes is
whole, or missing, or under a temporary name that vspe reports.
"""
import errno
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

KINDS = ["alloc", "read", "write", "mmap", "fsync", "open", "close", "rename", "ioctl", "truncate"]
LOG = struct.Struct(f"<{len(KINDS)}QqQ")
SHORT = 0  # half of what was asked for
ERRORS = {
    "alloc": [errno.ENOMEM],
    "read": [errno.EIO, errno.EINTR, SHORT],
    "write": [errno.ENOSPC, errno.EIO, errno.EINTR, SHORT],
    "mmap": [errno.ENOMEM],
    "fsync": [errno.EIO, errno.EINTR],
    "open": [errno.EMFILE],
    "close": [errno.EIO, errno.EINTR],
    "rename": [errno.EACCES],
    "ioctl": [errno.EIO],
    "truncate": [errno.EIO, errno.EINTR],
}
DOCUMENTED = {0, 1, 2, 3, 4, 5}
SAVE_AT = "200000"


class Scenario:
    """A command line in a separate folder, and the files that it leaves when nothing fails."""

    def __init__(self, name, command, inputs, outputs):
        self.name, self.command, self.inputs, self.outputs = name, command, inputs, outputs
        self.code, self.out, self.err, self.files = None, None, None, None


def scenarios(guests):
    guest = "guest.Image"
    run = {guest: f"{guests}/buffer.Image"}
    made = {"machine": "machine", "records": "records", "raw": "raw", "page": "page"}
    profile = ["--perf-data", "perf.data", "--stats=json"]
    return [
        Scenario("run", ["run", guest, "--dump-dtb", "dtb", "--save", "image", *profile], run,
                 ["dtb", "perf.data", "image"]),
        Scenario("save", ["run", guest, "--save", "image", "--save-at", SAVE_AT, *profile], run, ["image", "perf.data"]),
        Scenario("restore", ["run", "--restore", "machine", guest, "--tap", *profile], {**run, "machine": made["machine"]},
                 ["perf.data"]),
        Scenario("dump-dtb", ["run", "--dump-dtb", "dtb"], {}, ["dtb"]),
        Scenario("decode", ["decode", "records"], {"records": made["records"]}, []),
        Scenario("decode json", ["decode", "-j", "records"], {"records": made["records"]}, []),
        Scenario("decode summary", ["decode", "-s", "raw"], {"raw": made["raw"]}, []),
        Scenario("decode to perf.data", ["decode", "--perf-data", "perf.data", "--symbols", "elf", "raw"],
                 {"raw": made["raw"], "elf": f"{guests}/buffer.elf"}, ["perf.data"]),
        Scenario("report", ["report", "--symbols", "elf", "--html", "page.html", "raw"],
                 {"raw": made["raw"], "elf": f"{guests}/buffer.elf"}, ["page.html"]),
        Scenario("report json", ["report", "-j", "records"], {"records": made["records"]}, []),
        Scenario("conform", ["conform", "--only", "PMSNEVFR_EL1 read", "-j", "1", "--junit", "junit"], {}, ["junit"]),
        Scenario("conform --asl", ["conform", "--asl", "page", "-j", "1", "--junit", "junit"], {"page": made["page"]}, ["junit"]),
        Scenario("conform --asl xml", ["conform", "--asl", "page.xml", "-j", "1"], {"page.xml": "page.xml"}, []),
        Scenario("explain", ["explain", "PMSICR_EL1", "read", "--el", "1", "--set", "MDCR_EL2.TPMS=1"], {}, []),
        Scenario("explain json", ["explain", "PMSICR_EL1", "read", "--el", "1", "--json"], {}, []),
        Scenario("explain --list", ["explain", "--list"], {}, []),
        Scenario("--version", ["--version"], {}, []),
    ]


class Faults:
    def __init__(self, vspe, library, most):
        self.vspe, self.library, self.most = vspe, library, most
        self.work = Path(tempfile.mkdtemp())
        self.store = self.work / "inputs"
        self.problems, self.ends, self.calls = [], Counter(), Counter()

    def make_inputs(self, guests, pages):
        """A saved machine, its records, the same records as raw bytes, and a page with pseudocode."""
        self.store.mkdir()
        run = [self.vspe, "run", f"{guests}/buffer.Image", "--save", "machine", "--save-at", SAVE_AT]
        subprocess.run(run, cwd=self.store, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        subprocess.run([self.vspe, "run", f"{guests}/buffer.Image", "--perf-data", "records", "--perf-data-limit", "64K"],
                       cwd=self.store, stdin=subprocess.DEVNULL, capture_output=True, check=True)
        data = (self.store / "records").read_bytes()
        at, size = struct.unpack_from("<QQ", data, 40)
        end, raw = at + size, b""
        while at < end:
            kind, _, length = struct.unpack_from("<IHH", data, at)
            aux = struct.unpack_from("<Q", data, at + 8)[0] if kind == 71 else 0
            raw += data[at + length:at + length + aux]
            at += length + aux
        (self.store / "raw").write_bytes(raw)
        shutil.copy(pages / "web.txt", self.store / "page")
        shutil.copy(pages / "present.xml", self.store / "page.xml")

    def prepare(self, scenario):
        folder = self.work / "run"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, source in scenario.inputs.items():
            shutil.copy(self.store / source, folder / name)
        for name in scenario.outputs:
            (folder / name).write_bytes(b"what was there")
        return folder

    def run(self, scenario, kind, number, error):
        folder = self.prepare(scenario)
        log = self.work / "log"
        log.write_bytes(bytes(LOG.size))
        environment = {**os.environ, "LD_PRELOAD": self.library, "INJECT": f"{kind}:{number}:{error}", "INJECT_LOG": str(log)}
        with open(self.work / "out", "wb") as out, open(self.work / "err", "wb") as err:
            ended = subprocess.run([self.vspe, *scenario.command], cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   env=environment, timeout=120, check=False)
        *calls, fd, failed = LOG.unpack(log.read_bytes())
        return ended.returncode, folder, dict(zip(KINDS, calls)), fd if failed else None, bool(failed)

    def reference(self, scenario):
        code, folder, calls, _, _ = self.run(scenario, "alloc", 0, 0)
        if code == 77:
            print("no filter of system calls here")
            sys.exit(77)
        scenario.code = code
        scenario.out = (self.work / "out").read_bytes()
        scenario.err = (self.work / "err").read_bytes()
        scenario.files = {name: (folder / name).read_bytes() for name in scenario.outputs}
        return calls

    def is_whole(self, path):
        """A perf.data file may have the records of another run: of a guest that continued, or was ended."""
        return path.name == "perf.data" and subprocess.run([self.vspe, "decode", "-s", path], capture_output=True,
                                                           check=False).returncode == 0

    def judge(self, scenario, code, folder, kind, fd, error):
        """What is wrong with this end, in words; nothing if it is right."""
        out = (self.work / "out").read_bytes()
        err = (self.work / "err").read_text(errors="replace")
        said = [line for line in err.splitlines() if line not in scenario.err.decode().splitlines()]
        inputs = all((folder / name).read_bytes() == (self.store / source).read_bytes()
                     for name, source in scenario.inputs.items())
        if code not in DOCUMENTED:
            return f"exit code {code}"
        if not inputs:
            return "an input is not as it was"
        for name in os.listdir(folder):
            if name in scenario.inputs:
                continue
            content = (folder / name).read_bytes()
            if name in scenario.outputs:
                if content not in (scenario.files[name], b"what was there") and not (
                        code != scenario.code and self.is_whole(folder / name)):
                    return f"{name} is neither whole nor what was there"
            elif name not in err:
                return f"{name} is left and not told"
        if kind == "write" and error in (errno.EINTR, SHORT) and fd == 2 and (code, err.encode()) != (scenario.code, scenario.err):
            return "an interrupted write is an error"
        if code == scenario.code:
            if out != scenario.out:
                return "as if nothing had failed, with another output"
            if any((folder / name).read_bytes() != scenario.files[name] for name in scenario.outputs):
                return "as if nothing had failed, with other files"
            if err.encode() != scenario.err and not (kind == "write" and fd == 2):
                return "as if nothing had failed, with other messages"
            return None
        if kind == "write" and fd == 2:
            return None  # it cannot be told
        said = [line for line in said if not line.startswith("{")]  # the counts, of less than the whole run
        if len(said) != 1 or not re.match(r"vspe( \w+)?: \S", said[0]):
            return f"{len(said)} lines"
        return None

    def numbers(self, count):
        if count <= self.most:
            return range(1, count + 1)
        ends = self.most // 3  # what begins and what ends differs most
        middle = self.most - 2 * ends
        step = (count - 2 * ends) / middle
        return sorted({*range(1, ends + 1), *range(count - ends + 1, count + 1), *(ends + 1 + int(i * step) for i in range(middle))})

    def scenario(self, scenario):
        calls = self.reference(scenario)
        for kind in KINDS:
            for error in ERRORS[kind]:
                for number in self.numbers(calls[kind]):
                    code, folder, _, fd, failed = self.run(scenario, kind, number, error)
                    self.calls[kind] += failed
                    self.ends[code] += 1
                    problem = self.judge(scenario, code, folder, kind, fd, error)
                    if problem:
                        what = errno.errorcode[error] if error else "short"
                        self.problems.append(f"{scenario.name}: {kind} {number} of {calls[kind]}, {what}: {problem}")
                        print("not ok -", self.problems[-1])
                        for line in (self.work / "err").read_text(errors="replace").splitlines()[:3]:
                            print("#  ", line[:300])


def main():
    vspe, guests, library, most = sys.argv[1:5]
    faults = Faults(os.path.abspath(vspe), os.path.abspath(library), int(most))
    try:
        faults.make_inputs(os.path.abspath(guests), Path(__file__).resolve().parent.parent / "cli/pages")
        for scenario in scenarios(os.path.abspath(guests)):
            if len(sys.argv) > 5 and sys.argv[5] != scenario.name:
                continue
            faults.scenario(scenario)
            print(f"# {scenario.name}: {sum(faults.calls.values())} calls have failed so far")
    finally:
        shutil.rmtree(faults.work)
    print("# failed calls:", ", ".join(f"{count} {kind}" for kind, count in faults.calls.items()))
    print("# ends:", ", ".join(f"{count} with {code}" for code, count in sorted(faults.ends.items())))
    if faults.problems:
        sys.exit(f"{len(faults.problems)} ends are not as they have to be")
    print(f"ok - {sum(faults.calls.values())} failures")


if __name__ == "__main__":
    main()
