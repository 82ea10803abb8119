#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""perf_files.py VSPE CC RELEASE...: the perf of each Debian records nine files in its own Linux: system-wide, of a
thread, snapshots, several events, filters, threads and forks, programs that start programs, a kernel's module, and
code that is made while it runs. vspe report has the functions of perf report, and the instructions and source lines
of perf annotate, to the sample. Where perf does not know a function, or names the wrong one, Rules has the reason,
and who knows the right one."""
import bisect
import collections
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "report"))
from made import failures, same  # noqa: E402

VSPE, CC = Path(sys.argv[1]).resolve(), sys.argv[2]
GUEST = HERE.parent.parent / "tools/linux-guest"
VERSIONS = {"12": "v1p2", "13": "v1p4", "13-backports": "v1p5"}
FILES = ("system", "thread", "snapshot", "several", "filters", "inherit", "forks", "module", "made")
ANNOTATED = [(name, function) for name in ("system", "inherit") for function in ("compare", "fill", "sum")] + [("inherit", "thread")]
SAMPLE = re.compile(r"^\s*(?P<comm>.+?)\s+(?P<pid>-?\d+)/-?\d+\s+(?P<event>\S+):\s+(?P<ip>[0-9a-f]+) (?P<symbol>.+?) \((?P<object>.*)\)$")
MAP = re.compile(r"PERF_RECORD_MMAP2? (-?\d+)/-?\d+: \[0x([0-9a-f]+)\(0x([0-9a-f]+)\) @ (?:0x)?([0-9a-f]+) .*\]: \S+ (.*)$")
JIT = re.compile(r"^/tmp/perf-(\d+)\.map$")
KERNEL = 1 << 63


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **more)
    if done.returncode:
        sys.exit(f"not ok - {' '.join(map(str, words))}: exit code {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def shown(path):
    """An object as perf report shows it."""
    jit = JIT.match(path)
    return f"[JIT] tid {jit[1]}" if jit else path if path.startswith("[") else path.rpartition("/")[2]


class Plt:
    """The entries of a file's .plt: one for each relocation, of one size, after a head of 32 bytes (AAELF64). readelf
    has both."""

    def __init__(self, path):
        sections = re.findall(r"\] (\.plt)\s+\S+\s+[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)", run("readelf", "-SW", path))
        at = {name: (int(offset, 16), int(size, 16)) for name, offset, size in sections}
        listed = run("readelf", "-rW", path).partition("'.rela.plt'")[2].partition("\n\n")[0]
        self.names = re.findall(r"R_AARCH64_(?:JUMP_SL\S*\s+[0-9a-f]+ ([^\s@]+)|IRELATIVE)", listed)
        # Entries of a static program have no names, and there is no head.
        self.start, self.size = at[".plt"] if any(self.names) else (0, 0)

    def has(self, offset):
        return self.start <= offset < self.start + self.size

    def name(self, offset):
        number = (offset - self.start - 32) // ((self.size - 32) // len(self.names))
        return f"{self.names[number]}@plt" if number >= 0 and self.names[number] else None


class Rules:
    """What perf says of a sample, but for these:

    - Nothing, at 0: before its first record, of a file without times, perf 6.1 to 7.3 has a sample of a record that it has not read
      (arm_spe_run_decoder() synthesizes first, and arm_spe__setup_queue() has read none there).
    - An address of the kernel's in no object: it is in a module, and those are below the kernel, where perf begins the kernel's half
      (arm_spe_cpumode() and machine__kernel_start()). /proc/kallsyms says what it is.
    - In .plt: perf takes entries for 16 bytes where Debian 13's have 24, for BTI, and lets _init, which has no size, go on into
      it. .rela.plt has the names.
    - The vDSO: perf reads that of the kernel that it runs on. No file of the guest has it, and vspe reads files."""

    def __init__(self, folder):
        self.root, self.plts = folder / "root", {}
        self.symbols = []
        for line in (folder / "kallsyms").read_text().splitlines():
            address, kind, name, *module = line.split()
            if kind in "tTwWdDbB" and not name.startswith("$"):
                self.symbols.append((int(address, 16), name, module[0] if module else "[kernel.kallsyms]"))
        self.symbols.sort(key=lambda symbol: symbol[0])  # of one address the last one counts, as for perf
        self.starts = [symbol[0] for symbol in self.symbols]
        self.used = collections.Counter()

    def of_kernel(self, ip):
        _, name, module = self.symbols[bisect.bisect_right(self.starts, ip) - 1]
        return name, module

    def plt(self, path):
        if path not in self.plts:
            file = self.root / path.lstrip("/")
            self.plts[path] = Plt(file) if path.startswith("/") and file.is_file() and not JIT.match(path) else None
        return self.plts[path]

    def take(self, sample, maps):
        """(command, object, function) of a sample, or None."""
        ip, path = int(sample["ip"], 16), sample["object"]
        name = None if sample["symbol"] == "[unknown]" else re.sub(r"\+0x[0-9a-f]+$", "", sample["symbol"])
        plt = self.plt(path)
        rule = None
        if not ip:
            self.used["nothing"] += 1
            return None
        if ip >= KERNEL and path == "[unknown]":
            rule, (name, path) = "module", self.of_kernel(ip)
        elif plt and plt.size and (offset := where(ip, path, int(sample["pid"]), maps)) is not None and plt.has(offset):
            rule, name = "plt", plt.name(offset)
        elif path == "[vdso]":
            rule, name = "vdso", None
        self.used[rule] += 1
        return sample["comm"], shown(path), name


def where(ip, path, pid, maps):
    """The place in the file; a process also has the maps of the processes that it was forked from."""
    found = [(owner != pid, ip - start + offset) for owner, start, size, offset, of in maps
             if of == path and start <= ip < start + size]
    return min(found)[1] if found else None


def of_script(text, rules):
    """Functions with their samples as perf script prints them, and as they should be."""
    maps, said, wanted = [], collections.Counter(), collections.Counter()
    for line in text.splitlines():
        found = MAP.search(line)
        if found:
            maps.append((int(found[1]), int(found[2], 16), int(found[3], 16), int(found[4], 16), found[5]))
    for line in text.splitlines():
        sample = SAMPLE.match(line)
        if not sample or not sample["event"].startswith("instructions"):
            continue
        name = re.sub(r"\+0x[0-9a-f]+$", "", sample["symbol"])
        said[sample["comm"], shown(sample["object"]), None if name == "[unknown]" else name] += 1
        taken = rules.take(sample, maps)
        if taken:
            wanted[taken] += 1
    return said, wanted


def of_report(text):
    """Functions with their samples as perf report prints them."""
    said, counted = collections.Counter(), False
    for line in text.splitlines():
        if line.startswith("# Samples: "):
            counted = "'instructions" in line
        if not counted or line.startswith("#") or not line.strip():
            continue
        samples, comm, path, symbol = line.split("|", 3)
        name = re.sub(r"( +-)+ *$", "", symbol.strip()[4:]).strip()
        said[comm.strip(), path.strip(), None if re.match(r"(0x)?[0-9a-f]{16}$", name) else name] += int(samples)
    return said


def vspe(folder, name, *options):
    return json.loads(run(VSPE, "report", "--symfs", folder / "root", "--symbols", folder / "kallsyms", "--json", "--limit", 1000000,
                          *options, folder / name))


def check_functions(folder, name, rules):
    said, wanted = of_script((folder / f"{name}.script").read_text(errors="replace"), rules)
    same(f"{name}: perf report and perf script agree", of_report((folder / f"{name}.report").read_text(errors="replace")), said)
    got = collections.Counter()
    for comm in {comm for comm, _, _ in wanted}:
        for row in vspe(folder, name, "--by", "function", "--comm", comm)["functions"]["rows"]:
            function = row["function"]
            got[comm, row.get("object", "[unknown]"), None if function.startswith("[") else function] += row["samples"]
    same(f"{name}: {sum(wanted.values())} samples in {len(wanted)} functions", got, wanted)
    same(f"{name}: there are no others", vspe(folder, name)["records"]["rows"][0]["samples"], sum(wanted.values()))
    return sum(wanted.values())


def check_annotated(folder, name, function):
    """Each instruction's samples, and the lines' shares: perf leaves instructions with 0.5 per cent or less out of them
    (symbol__calc_lines())."""
    text = (folder / f"{name}.{function}.annotate").read_text(errors="replace")
    instructions = {int(at, 16): int(samples) for samples, at in re.findall(r"^ *(\d+) +(?:: *\d*)? *: *([0-9a-f]+):\s", text, re.M)}
    lines = dict(map(reversed, re.findall(r"^ +(\d+\.\d\d) +(\S+:\d+)$", text, re.M)))
    rows = vspe(folder, name, "--annotate", function)["annotation"]["rows"]
    total = sum(row.get("samples", 0) for row in rows)
    source, got, whole = None, collections.Counter(), collections.Counter()
    for row in rows:
        source, count = row.get("source", source), row.get("samples", 0)
        whole[source] += count
        got[source] += count if 200 * count > total else 0
    same(f"{name}: the instructions of {function}", {int(row["address"], 16): row["samples"] for row in rows if row.get("samples")},
         {at: samples for at, samples in instructions.items() if samples})
    same(f"{name}: the lines of {function}", {line: f"{100 * samples / total:.2f}" for line, samples in got.items() if samples}, lines)
    return whole


def check(release, work):
    """Returns the number of samples."""
    program, folder, disk = work / "perf_files", work / release, work / "disk"
    disk.write_bytes(b"")
    with open(disk, "r+b") as file:
        file.truncate(256 << 20)
    run(GUEST, "run", "--release", release, "--package", "binutils", "--vspe", VSPE, "--cpus", 2, "--spe", VERSIONS[release], "--timeout", 1500,
        "--disk", disk, "--add", f"{program}:/root/perf_files", "--add", f"{HERE / 'perf_files_guest.sh'}:/root/guest.sh", "--",
        "bash", "/root/guest.sh")
    with tarfile.open(disk) as archive:
        archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))  # of Python 3.11.4
    return check_files(release, folder)


def check_files(release, folder):
    print(f"# Debian {release}")
    rules = Rules(folder)
    lines = {name: collections.Counter() for name, _ in ANNOTATED}
    (folder / "root/tmp").mkdir(exist_ok=True)
    samples = sum(check_functions(folder, name, rules) for name in FILES)
    same("only the file without times has a sample of nothing", rules.used["nothing"], 1)
    for rule in "module", "plt":
        same(f"there are samples of the rule for {rule}", rules.used[rule] > 0, True)
    for name, function in ANNOTATED:
        lines[name] += check_annotated(folder, name, function)
    for name, wanted in lines.items():
        got = collections.Counter()
        for row in vspe(folder, name, "--by", "line")["source_lines"]["rows"]:
            got[row["source"]] += row["samples"] if row["source"] in wanted else 0
        same(f"{name}: --by line has them", +got, +wanted)
    return samples


def main():
    releases = sys.argv[3:]
    for release in releases:
        made = subprocess.run([GUEST, "image", "--release", release, "--package", "binutils"], capture_output=True, text=True, check=False)
        if made.returncode:
            print(f"SKIP: {made.stderr.strip()}")
            sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        run(CC, "-g", "-O2", "-Wall", "-Wextra", "-o", work / "perf_files", HERE / "perf_files.c")
        samples = sum(check(release, work) for release in releases)
    print(f"# {samples} samples of {len(releases) * len(FILES)} files")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
