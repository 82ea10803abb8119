# SPDX-License-Identifier: BSD-2-Clause
"""vspe linux pgo: a program is profiled by SPE in the guest, llvm-bolt lays it out anew by that profile, and both are counted on a
machine model. The model comes in only when both are about to run: a machine that is saved there goes on with it."""
import glob
import os
import re
import shutil
import signal
import struct
import subprocess
import sys

from linux_guest import session
from linux_guest.failure import Failure
from linux_guest.options import values, without

LEAST = 16  # LLVM's, which reads profiles of this form
MOVED = ("-reorder-functions=hfsort", "-split-functions", "-split-all-cold")
AARCH64 = 183
TYPE_PIE = 3
PIE_BASE = 0xaaaaaaaa0000  # of Linux, where nothing is drawn
SAVED = 4  # vspe run's exit code
READY = b"linux-guest: ready"
# As perf stat would say them.
ROWS = (("instructions", "instructions"), ("cycles", "modelled cycles"), ("branches", "branches"), ("taken", "branches taken"),
        ("mispredicted", "branches mispredicted"), ("L1I-misses", "L1I misses"), ("L1I-TLB-misses", "L1I TLB misses"))
PROFILE = """echo 0 >/proc/sys/kernel/randomize_va_space
perf record -q -o /tmp/profile -e "arm_spe_0/period=$1,jitter=1,branch_filter=1/u" -- "${@:2}" >/tmp/said 2>&1
status=$?
[ -s /tmp/profile ] || cat /tmp/said
exit $status
"""
COUNT = """echo linux-guest: ready
read -r _ </dev/console
for program in /root/old /root/new /root/old /root/new; do
	/linux-guest/count "$program" "$@" 2>/dev/null </dev/null
done
"""


def _tool(name):
    """A program of LLVM's by its own name, of the newest version that is here."""
    found = {int(re.search(r"llvm-(\d+)/", path)[1]): path for path in glob.glob(f"/usr/lib/llvm-[0-9]*/bin/{name}")}
    found = {version: path for version, path in found.items() if version >= LEAST}
    path = found[max(found)] if found else shutil.which(name)
    if not path:
        raise Failure(f"{name}: there is none of LLVM {LEAST} or later (apt install bolt-16; Debian 13: bolt-19)")
    return path


def _count_program(vspe):
    """A static program of the guest's, built with the bare-metal guests."""
    for path in (os.path.join(session.HERE, "count"), os.path.join(os.path.dirname(vspe), "guests/linux/count")):
        if os.path.exists(path):
            return path
    raise Failure("count: the program that reads the guest's counters is not there; vspe is not installed completely")


def base_of(program):
    """Where the guest has its first byte: 0 if the file says so itself."""
    try:
        with open(program, "rb") as file:
            head = file.read(64)
        magic, kind, machine = head[:6], *struct.unpack_from("<HH", head, 16)
    except (OSError, struct.error) as error:
        raise Failure(f"{program}: {error if isinstance(error, OSError) else 'not a program'}") from error
    if magic != b"\x7fELF\x02\x01" or machine != AARCH64 or kind not in (2, TYPE_PIE):
        raise Failure(f"{program}: not a 64-bit little-endian program for AArch64")
    return PIE_BASE if kind == TYPE_PIE else 0


def _has_relocations(program):
    """Of its code, as -Wl,--emit-relocs leaves them: the sections' names say so."""
    with open(program, "rb") as file:
        return b"\0.rela.text\0" in file.read()


def _said(words, what):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        lines = (done.stderr + done.stdout).strip().splitlines()
        errors = [line for line in lines if "error" in line.lower()]
        raise Failure(f"{what}: {(errors or lines or [f'exit code {done.returncode}'])[-1]}")
    return done.stdout, done.stderr


class _Run:
    def __init__(self, guest, vspe, command):
        self.guest, self.vspe = guest, vspe
        self.program, self.arguments = command[0], command[1:]
        self.base = base_of(self.program)
        self.work = guest.work.name
        self.new = guest.options.output or f"{os.path.basename(self.program)}.bolt"

    def path(self, name):
        return os.path.join(self.work, name)

    def profile(self):
        """The program's status; its branches are in the file branches."""
        guest, options = self.guest, self.guest.options
        with open(self.path("profile.sh"), "w", encoding="utf-8") as file:
            file.write(PROFILE)
        command = ["bash", "/linux-guest/profile.sh", str(options.period), "/root/old", *self.arguments]
        files = [*options.add, (self.program, "/root/old"), (self.path("profile.sh"), "/linux-guest/profile.sh")]
        options.get = [("/tmp/profile", self.path("profile"))]
        image, packed, more = guest.make(command, options.package, files, ["/tmp/profile"])
        guest.progress.step(f"profiling {self.program} in the guest")
        status = guest.run(guest.words(image, guest.initrd(packed, more), guest.rest))
        where = f"{self.program}@{self.base:#x}" if self.base else self.program
        branches = _said([self.vspe, "report", "--bolt", "--el", "0", "--symbols", where, self.path("profile")], "vspe report")[0]
        if self.base:  # BOLT wants the addresses of the file
            branches = re.sub(r"\b[0-9a-f]{12}\b", lambda found: f"{int(found[0], 16) - self.base:x}", branches)
        count = len(re.findall(r"^B ", branches, re.M))
        if not count:
            raise Failure(f"{self.program}: no branch was sampled; it ran too short for --period {options.period}")
        with open(self.path("branches"), "w", encoding="utf-8") as file:
            file.write(branches)
        return status

    def rewrite(self):
        self.guest.progress.step(f"laying out {self.new} by the profile")
        perf2bolt, bolt = _tool("perf2bolt"), _tool("llvm-bolt")
        _said([perf2bolt, "-p", self.path("branches"), "--pa", "-o", self.path("fdata"), self.program], f"perf2bolt {self.program}")
        words = [bolt, self.program, "-data", self.path("fdata"), "-o", self.new, "-reorder-blocks=ext-tsp"]
        if _has_relocations(self.program):
            words += MOVED
        else:
            print(f"vspe linux: {self.program}: has no relocations of its code, so that functions stay where they are; link it with "
                  "-Wl,--emit-relocs", file=sys.stderr)
        _said(words, f"llvm-bolt {self.program}")
        shutil.copymode(self.program, self.new)

    def count(self):
        """What was counted of the old program and of the new one."""
        guest, options = self.guest, self.guest.options
        with open(self.path("count.sh"), "w", encoding="utf-8") as file:
            file.write(COUNT)
        files = [*options.add, (self.program, "/root/old"), (self.new, "/root/new"), (self.path("count.sh"), "/linux-guest/count.sh"),
                 (_count_program(self.vspe), "/linux-guest/count")]
        image, packed, more = guest.make(["bash", "/linux-guest/count.sh", *self.arguments], options.package, files)
        guest.progress.step("counting both on a machine model")
        words = guest.words(image, guest.initrd(packed, more), guest.rest)
        if not values(words, "--pmu"):
            words += ["--pmu", "v3p8"]
        # It is saved without the model of sampled operations, and goes on with one of all.
        words = without(words, "--model")
        with (open(self.path("log"), "w+b") as log,
              session.started([*words, "--save", self.path("machine")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log) as run):
            for line in run.stdout:
                if line.startswith(READY):
                    run.send_signal(signal.SIGUSR1)
                    break
            run.stdout.read()
            run.wait()
            log.seek(0)
            said = log.read().decode("utf-8", "replace").splitlines()
        if run.returncode != SAVED:
            raise Failure(f"the guest was not saved before its programs ran: {(said or ['no reason'])[-1]}")
        on = subprocess.run([self.vspe, "run", "--restore", self.path("machine"), "--model", "full"], input=b"go\n", capture_output=True,
                            check=False)
        rows = re.findall(r"^/root/(old|new) status (\d+) (.*)$", on.stdout.replace(b"\r", b"").decode("utf-8", "replace"), re.M)
        if [row[0] for row in rows] != 2 * ["old", "new"]:
            raise Failure(f"the programs were not counted: {(on.stderr.decode('utf-8', 'replace').splitlines() or ['no reason'])[-1]}")
        counts = []
        for _, status, words in rows[2:]:  # the first two have found empty caches
            words = words.split()
            counts.append({"status": int(status), **dict(zip(words[::2], map(int, words[1::2])))})
            if "cycles" not in counts[-1]:
                raise Failure("the guest's kernel has no PMU driver that counts cycles")
        return counts


def run(guest, vspe, command):
    """Exit code 0 if the new program is there and ends as the old one does."""
    if not command:
        raise Failure("pgo: which program? vspe linux pgo [OPTION]... PROGRAM [ARGUMENT]...")
    _tool("llvm-bolt")
    made = _Run(guest, vspe, command)
    status = made.profile()
    made.rewrite()
    old, new = made.count()
    guest.progress.end()
    print(f"{'':24}{os.path.basename(made.program)[:16]:>16}{os.path.basename(made.new)[:24]:>24}")
    for word, name in ROWS:
        if word in old and word in new:
            change = f"{100 * (new[word] / old[word] - 1):+.1f} %" if old[word] else ""
            print(f"{name:24}{old[word]:16}{new[word]:24}{change:>10}")
    if not old["status"] == new["status"] == status:
        raise Failure(f"{made.new}: ends with status {new['status']}, {made.program} with {status}")
    print(f"written: {made.new}")
    return 0


