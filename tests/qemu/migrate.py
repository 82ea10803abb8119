# SPDX-License-Identifier: BSD-2-Clause
"""migrate.py DEBIAN VSPE HOPS VERSION...: what migrate.sh says, with what it has put into DEBIAN/root/migrate."""

import json
import os
import re
import subprocess
import sys
import time

from machine import Machine, Refused

# The guest takes 3 s for each hop where nothing else runs, and says "ok" after each quarter.
ROUNDS, INTERVAL = 6000, 512
SEED = "12345"

failed = 0


def check(name, right, *notes):
    global failed
    print(f"{'ok' if right else 'not ok'} - {name}")
    if not right:
        failed = 1
        for note in notes:
            print("# " + str(note).replace("\n", "\n# "))


class Bench:
    """What all the machines of a version of SPE have in common."""

    def __init__(self, debian, vspe, hops, version):
        self.debian, self.vspe, self.hops, self.version = debian, vspe, hops, version
        self.reference = None

    def host(self, name):
        return f"{self.debian}/root/migrate/{name}"

    def start(self, name, *words, kernel="hotspot", spe=None, program=None, env=()):
        """vspe qemu; the console of its guest goes to NAME.txt, its records to NAME."""
        for path in self.host(name), self.host(name + ".txt"):
            if os.path.exists(path):
                os.unlink(path)
        vspe = ["/root/migrate/vspe", "qemu", "--plugin", "/root/migrate/libvspe-qemu.so", "--seed", SEED,
                "--spe", spe or self.version, "--perf-data", f"/root/migrate/{name}", "--stats"]
        if program:
            vspe += ["--qemu", program]
        return Machine(self.debian, vspe + self.board(name, kernel) + list(words), env)

    def plain(self, name, *words):
        """The same machine without the plugin."""
        return Machine(self.debian, ["qemu-system-aarch64", "-machine", "virt,gic-version=3", "-cpu", "max"] +
                       self.board(name, "hotspot") + list(words))

    def board(self, name, kernel):
        words = f"rounds={ROUNDS * self.hops} interval={INTERVAL * self.hops}"
        return ["-m", "32", "-smp", "2", "-kernel", f"/root/migrate/{kernel}", "-append", words, "-serial",
                f"file:/root/migrate/{name}.txt"]

    def console(self, name):
        try:
            with open(self.host(name + ".txt"), errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def wait(self, name, lines):
        """Until the guest has said so many lines: its plan, and four for each quarter."""
        end = time.monotonic() + 300
        while len(re.findall(r"^(?:ok |1\.\.)", self.console(name), re.M)) < lines:
            if time.monotonic() > end:
                raise TimeoutError(f"{name}: {self.console(name)}")
            time.sleep(0.005)
        time.sleep(0.1)  # what comes after a line may be others, and is then a profile

    def records(self, name):
        """What two runs have to agree on: not times, nor what QEMU's threads decide."""
        text = subprocess.run([self.vspe, "decode", "--json", self.host(name)], capture_output=True, check=True).stdout
        records = []
        for line in text.splitlines():
            record = json.loads(line)
            events = [event for event in record["events"] if "TLB" not in event]
            gone = ("timestamp", "counters", "data_pa", "data_source_name", "offset", "size", "record", "events")
            records.append((events, {name: value for name, value in record.items() if name not in gone}))
        return records

    def passes(self, what, name, machine):
        """The guest goes on to its end, and QEMU with it; its own tests see nothing wrong."""
        code = machine.end()
        text = self.console(name)
        check(f"{what}: the guest finds nothing wrong", code == 0 and "not ok" not in text and
              "\nok 16 " in text, code, machine.said, text[-1000:])

    def amid(self, what, records):
        """The machine was saved when the guest had so many: not between two of its four profiles."""
        check(f"{what}: after {records} records, in the middle of a profile", records % (len(self.reference) // 4))

    def same(self, what, *names):
        """The records of runs that follow each other are those of the one that nothing disturbed."""
        parts = [self.records(name) for name in names]
        whole = sum(parts, [])
        self.amid(what, len(parts[0]))
        check(f"{what}: {' + '.join(str(len(part)) for part in parts)} records are the {len(self.reference)} of a run "
              "that nothing disturbed", whole == self.reference and all(parts))

    def again(self, what, name):
        """... or of one that went back: what was between the two moments is there twice."""
        found, reference = self.records(name), self.reference
        more = len(found) - len(reference)
        back = next((i for i, (a, b) in enumerate(zip(found, reference)) if a != b), len(reference))
        self.amid(what, back - more)
        check(f"{what}: {more} records of {len(reference)} are there twice, and nothing else differs",
              more > 0 and found[back:] == reference[back - more:])


def undisturbed(b):
    with b.start("whole") as machine:
        b.passes("undisturbed", "whole", machine)
    b.reference = b.records("whole")
    check("undisturbed: it was profiled", len(b.reference) > 10000, len(b.reference))


def snapshots(b):
    disk = "/root/migrate/disk"
    if os.path.exists(b.host("disk")):
        os.unlink(b.host("disk"))
    with b.start("saved") as machine:
        machine.add_disk(disk, True)
        b.wait("saved", 2)
        machine.save("middle")
        b.wait("saved", 6)
        machine.qmp("stop")
        machine.load("middle")
        machine.qmp("cont")
        b.passes("loadvm", "saved", machine)
    b.again("loadvm", "saved")
    # In another QEMU, where another guest has run that has no profiling buffer.
    with b.start("loaded", "-no-shutdown", kernel="registers") as machine:
        machine.add_disk(disk, False)
        machine.wait_for("shutdown")
        machine.qmp("system_reset")
        machine.wait_for("prelaunch", "paused")
        machine.load("middle")
        machine.qmp("set-action", shutdown="poweroff")
        machine.qmp("cont")
        check("loadvm, in a new QEMU: it ends with its guest", machine.end() == 0, machine.said)
    found = b.records("loaded")
    check(f"loadvm, in a new QEMU: {len(found)} records are the last of a run that nothing disturbed",
          0 < len(found) < len(b.reference) and found == b.reference[-len(found):], machine.said)
    with b.start("other", "-S", spe=other(b.version)) as machine:
        machine.add_disk(disk, False)
        refused("loadvm, with another --spe", "'version' differs from that of the saved SPE", machine.load, "middle")
        check("... and the machine does not go on", not machine.qmp("query-status")["running"])
        machine.quit()


def other(version):
    return "v1p4" if version != "v1p4" else "v1p1"


def refused(what, text, call, *words):
    try:
        call(*words)
        check(f"{what} is refused", False)
    except Refused as error:
        check(f"{what} is refused: {error}", text in str(error))


def by_file(b):
    with b.start("first") as machine:
        b.wait("first", 2)
        machine.qmp("stop")
        machine.migrate("file:/root/migrate/stream")
        machine.quit()
    with b.start("second", "-incoming", "file:/root/migrate/stream") as machine:
        machine.arrive()
        b.passes("by file", "second", machine)
    b.same("by file", "first", "second")


def by_socket(b):
    """From one QEMU to the next while the guest runs, from its first moments on."""
    names = [f"hop{i}" for i in range(b.hops + 1)]
    machine = b.start(names[0])
    for i, name in enumerate(names[1:]):
        socket = f"unix:/root/migrate/socket{i}"
        following = b.start(name, "-incoming", socket)
        b.wait(names[0], 1)
        machine.migrate(socket)
        machine.quit()
        machine = following
    b.passes("by socket", names[-1], machine)
    b.same("by socket", *names)


def bad_stream(b, what, edit, text):
    with open(b.host("stream"), "rb") as file:
        stream = bytearray(file.read())
    # An image: its length, its version, the length of the unit's, which begins with these letters.
    edit(stream, stream.index(b"VSPEUNIT") - 12)
    with open(b.host("bad"), "wb") as file:
        file.write(stream)
    with b.start("bad_records", "-incoming", "file:/root/migrate/bad") as machine:
        code = machine.end()
        lines = [line for line in machine.said.splitlines() if text in line]
        check(f"{what} is refused: {lines[0] if lines else ''}", code != 0 and lines, code, machine.said)


def put(at, value, size=4):
    def edit(stream, image):
        stream[image + at:image + at + size] = value.to_bytes(size, "little")
    return edit


def refusals(b):
    with b.start("bad_records", "-incoming", "file:/root/migrate/stream", spe=other(b.version)) as machine:
        code = machine.end()
        check("another --spe is refused", code != 0 and "'version' differs from that of the saved SPE" in machine.said,
              code, machine.said)
    bad_stream(b, "the image of another version", put(4, 2), "version 2")
    bad_stream(b, "an image that is too long", put(0, 5000), "5000 bytes long")
    bad_stream(b, "an image that ends early", put(0, 100), "ends after 100 bytes")
    bad_stream(b, "a unit that is too long", put(8, 0xffffffff), "image->unit_size")
    bad_stream(b, "a unit that was damaged", put(12 + 0x300, 1, 1), "checksum")
    with b.plain("plain", "-incoming", "file:/root/migrate/stream") as machine:
        code = machine.end()
        check("a QEMU without the plugin refuses it by its name", code != 0 and "instance 'vspe' 0" in machine.said, code,
              machine.said)


def without_plugin(b):
    """A machine from a QEMU without the plugin, before its guest has begun."""
    with b.plain("plain", "-S") as machine:
        machine.migrate("file:/root/migrate/plain_stream")
        machine.quit()
    with b.start("come", "-incoming", "file:/root/migrate/plain_stream") as machine:
        machine.arrive()
        b.passes("from a QEMU without the plugin", "come", machine)
        said = [line for line in machine.said.splitlines() if "nothing of SPE" in line]
        check("from a QEMU without the plugin: one line says so", len(said) == 1, machine.said)


def blocked(b):
    """A QEMU that does not export what SPE could be saved by; one whose layout is another."""
    with open(b.debian + "/usr/bin/qemu-system-aarch64", "rb") as file:
        qemu = file.read()
    for what, name, put, why in (
            ("a QEMU that does not export it", b"\0vmstate_info_buffer\0", b"\0vmstate_info_buffeR\0", "exports nothing"),
            ("a QEMU of another layout", b"\0vmstate_cpu_common\0", b"\0vmstate_cpu_commoN\0", "in a way that")):
        assert qemu.count(name) == 1
        with open(b.host("patched"), "wb") as file:
            file.write(qemu.replace(name, put))
        os.chmod(b.host("patched"), 0o755)
        with b.start("blocked", "-S", program="/root/migrate/patched") as machine:
            if os.path.exists(b.host("new_disk")):
                os.unlink(b.host("new_disk"))
            machine.add_disk("/root/migrate/new_disk", True)
            refused(f"{what}: migration", why, machine.migrate, "file:/root/migrate/none")
            refused(f"{what}: savevm", why, machine.save, "none")
            machine.quit()
        with b.start("blocked", "-S", "-only-migratable", program="/root/migrate/patched") as machine:
            code = machine.end()
            check(f"{what}, -only-migratable: the plugin is refused", code != 0 and why in machine.said, code,
                  machine.said)


def main():
    debian, vspe, hops, *versions = sys.argv[1:]
    for version in versions:
        print(f"# {version}")
        b = Bench(debian, vspe, int(hops), version)
        undisturbed(b)
        snapshots(b)
        by_file(b)
        by_socket(b)
        if version == versions[0]:
            refusals(b)
            without_plugin(b)
            blocked(b)
    return failed


sys.exit(main())
