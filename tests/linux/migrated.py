#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""tests/linux/migrated.py VSPE WORK COUNT [RELEASE]: a Linux guest that is migrated COUNT times in the middle of its `perf record`.

One machine goes from process to process, each of which waits for it at a socket and sends it on at a point of the guest's run. What the console
says, the perf.data that the guest has at the end among it, the records on the host and the counts are those of a run that stayed where it was.
"""
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
VSPE, WORK, COUNT = sys.argv[1], sys.argv[2], int(sys.argv[3])
RELEASE = sys.argv[4] if len(sys.argv) > 4 else "12"
HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "tools"))
from linux_guest import debian, session  # noqa: E402
from linux_guest.failure import Failure  # noqa: E402

SENT = 4  # the exit code
CPUS = 2
SAID = re.compile(r"migrated to unix:\S+ after (\d+) operations: (\d+) rounds, (\d+) pages, (\d+) of them in the pause of ([0-9.]+) ms")
FAILED = []


def check(name, good, more=""):
    print(f"{'ok' if good else 'not ok'} - {name}", flush=True)
    if not good:
        FAILED.append(name)
        print("".join(f"# {line}\n" for line in more.splitlines()[-20:]), end="")


def guest(work):
    """The words of a guest that runs migrated_guest.sh."""
    try:
        release = debian.Debian(os.path.join(TOP, "build/linux-guest"), RELEASE, "http://deb.debian.org", False)
        try:
            image, modules = release.kernel("cloud")
            root = release.initrd(())
        finally:
            release.close()
    except (Failure, OSError) as error:
        print(f"SKIP: {error}")
        sys.exit(77)
    script = os.path.join(HERE, "migrated_guest.sh")
    initrd = os.path.join(work, "initrd")
    with open(initrd, "wb") as out:
        with open(root, "rb") as file:
            out.write(file.read())
        out.write(session.overlay(modules, ["bash", "/root/migrated_guest.sh", str(400 + 250 * COUNT)],
                                  [(WORK, "/root/work"), (script, "/root/migrated_guest.sh")], ["/tmp/data"]))
    return ["--kernel", image, "--initrd", initrd, "--mem", "768", "--cpus", str(CPUS), "--params", "console=ttyAMA0 quiet panic=-1"]


def records(path, cpu):
    """The packets of a vCPU in a file, without where they are. Those of several are in chunks, which end with the file."""
    done = subprocess.run([VSPE, "decode", "--cpu", str(cpu), path], capture_output=True, text=True, check=True)
    return re.findall(r"^ *[0-9a-f]*: *(.*)$", done.stdout, re.MULTILINE)


def start(work, n, words):
    """Part n of a run: its process, with what it says in files."""
    name = os.path.join(work, str(n))
    with open(name + ".out", "wb") as out, open(name + ".err", "wb") as err:
        return subprocess.Popen([VSPE, "run", "--timeout", "7200", "--perf-data", name + ".data", *words], stdin=subprocess.DEVNULL,
                                stdout=out, stderr=err)


def read(work, name):
    with open(os.path.join(work, name), "rb") as file:
        return file.read()


def wait_for(path, process):
    while not os.path.exists(path) and process.poll() is None:
        try:
            process.wait(0.01)
        except subprocess.TimeoutExpired:
            pass


def chain(work, words, points):
    """The same run in parts. Their exit codes, up to the first that is not that of a machine that was sent."""
    def to(n):
        return ["--migrate-to", f"unix:{work}/at{n + 1}", "--migrate-at", str(points[n])] if n < len(points) else ["--stats=json"]

    # All are in their places before the first one is sent: what waits has no memory yet.
    parts = [start(work, n, ["--incoming", f"unix:{work}/at{n}", *to(n)]) for n in range(1, len(points) + 1)]
    for n, part in enumerate(parts, 1):
        wait_for(f"{work}/at{n}", part)
    parts.insert(0, start(work, 0, [*words, *to(0)]))
    codes = []
    for part in parts:
        if not codes or codes[-1] == SENT:
            codes.append(part.wait())
        else:
            part.kill()
            part.wait()
    return codes


def main():
    with tempfile.TemporaryDirectory() as work:
        words = guest(work)
        process = start(work, "whole", [*words, "--stats=json"])
        check("a run that stays where it is", process.wait() == 0, read(work, "whole.err").decode())
        if FAILED:
            return
        operations = int(re.search(rb'"operations":(\d+)', read(work, "whole.err")).group(1))
        console = session.Console(open(os.devnull, "wb"))
        for line in read(work, "whole.out").splitlines(True):
            console.line(line)
        check("perf has its file", console.status == 0 and console.files and console.files[0].startswith(b"PERFILE2"))
        # The system counter counts operations and idle time.
        times = [int(line.rpartition(" TS ")[2]) for cpu in range(CPUS) for line in records(os.path.join(work, "whole.data"), cpu) if " TS " in line]
        idle = int(re.search(rb'"idle_ns":(\d+)', read(work, "whole.err")).group(1))
        first, last = min(times), max(times) - idle
        points = [first + (last - first) * n // (COUNT + 1) for n in range(COUNT)]
        print(f"# {operations} operations, sent from {points[0]} on, each {(last - first) // (COUNT + 1)}")
        codes = chain(work, words, points)
        errors = [read(work, f"{n}.err").decode() for n in range(len(codes))]
        said = [SAID.search(error) for error in errors[:-1]]
        check(f"{COUNT} migrations", codes == [SENT] * COUNT + [0] and all(said), f"{codes}\n" + "".join(errors[-2:]))
        if FAILED:
            return
        pauses = sorted(float(match[5]) for match in said)
        print(f"# pages {said[0][3]}, rounds {said[0][2]}, pause: median {pauses[len(pauses) // 2]} ms, longest {pauses[-1]} ms")
        out = b"".join(read(work, f"{n}.out") for n in range(COUNT + 1))
        check("the console is the same, and the guest's perf.data", out == read(work, "whole.out"))
        counts = read(work, f"{COUNT}.err").splitlines()[-1:]
        check("the counts are the same", counts == read(work, "whole.err").splitlines()[-1:])
        filled = set()
        for cpu in range(CPUS):
            parts = [records(os.path.join(work, f"{n}.data"), cpu) for n in range(COUNT + 1)]
            whole = records(os.path.join(work, "whole.data"), cpu)
            filled |= {n for n, part in enumerate(parts) if part}
            check(f"the records of vCPU {cpu} are the same, {len(whole)} packets", sum(parts, []) == whole)
        filled = len(filled)
        print(f"# {filled} of {COUNT + 1} parts have records")
        check("perf recorded before each migration, and after it", filled == COUNT + 1)


main()
sys.exit(bool(FAILED))
