#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""tests/cli/wrong_uses.py VSPE GUESTS [--update]: what vspe prints for the wrong uses in wrong_uses.txt.

A row there is a shell line after "$ ", then the exit code and all of standard error. Standard output stays empty,
and no file appears or changes. --update writes the present messages. Read them line by line, as a user would.
"""
import concurrent.futures
import gzip
import hashlib
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

VSPE, GUESTS = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
TABLE = Path(__file__).with_name("wrong_uses.txt")
LIMIT = "100"  # seconds, for what does not end
PAGES = TABLE.parent / "pages"


def words(*numbers):
    return b"".join(struct.pack("<I", number) for number in numbers).ljust(64, b"\0")


def elf(at=0x40080000, machine=183, kind=2, bits=2, order=1, entry=None, offset=0x1000):
    """An ELF file of one segment at a physical address."""
    head = b"\x7fELF" + bytes([bits, order, 1]) + bytes(9)
    head += struct.pack("<HHIQQQIHHHHHH", kind, machine, 1, at if entry is None else entry, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    head += struct.pack("<IIQQQQQQ", 1, 5, offset, at, at, 64, 64, 0x1000)
    return head.ljust(0x1000, b"\0") + words(0x14000000)


def perf_data(*events, pipe=False):
    stream = b"".join(struct.pack("<IHH", kind, 0, 8 + len(body)) + body for kind, body in events)
    if pipe:
        return b"PERFILE2" + struct.pack("<Q", 16) + stream
    return b"PERFILE2" + struct.pack("<12Q", 104, 136, 104, 0, 104, len(stream), 0, 0, 0, 0, 0, 0) + stream


def info(kind):
    return 70, struct.pack("<II", kind, 0) + bytes(16)


def files():
    """The files that the rows name, in the folder where they run."""
    off = words(0x52b08000, 0x72800100, 0xd4000002)
    good = (GUESTS / "platform.elf").read_bytes()
    image = (GUESTS / "platform.Image").read_bytes()
    page = (PAGES / "present.xml").read_bytes()
    made = {
        "off": off, "forever": words(0x14000000), "empty": b"", "tiny": b"x" * 63, "initrd": b"initrd",
        "good.elf": good, "cut.elf": good[:len(good) // 2], "head.elf": good[:40], "x86.elf": elf(machine=62),
        "arm.elf": elf(machine=40), "elf32": elf(bits=1), "big.elf": elf(order=2), "object.elf": elf(kind=1),
        "low.elf": elf(at=0x3fff0000), "header.elf": elf(at=0x3fff0000, offset=0), "high.elf": elf(at=0x90000000),
        "lost.elf": elf(entry=0x1000), "cut.Image": image[:100], "be.Image": image[:24] + b"\x01" + image[25:],
        "far.Image": image[:8] + struct.pack("<QQ", 0x400000, 0x10000) + image[24:],
        "off.gz": gzip.compress(off), "cut.gz": gzip.compress(image)[:2000], "twice.gz": gzip.compress(gzip.compress(image)),
        "bad.gz": gzip.compress(off)[:10] + b"\xff" * 40, "bomb.gz": gzip.compress(bytes(8 << 20)),
        "xz": b"\xfd7zXZ\0".ljust(64), "zst": b"\x28\xb5\x2f\xfd".ljust(64), "bz2": b"BZh9".ljust(64),
        "lz4": b"\x02\x21\x4c\x18".ljust(64), "script": b"#!/bin/sh".ljust(64), "uimage": b"\x27\x05\x19\x56".ljust(64),
        "dtb": b"\xd0\x0d\xfe\xed".ljust(64), "exe": b"MZ".ljust(64, b"\0"), "big": bytes(2 << 20),
        "garbage": b"\xff\xfe garbage", "page.xml": page, "cut.xml": page[:400], "other.txt": b"nothing of Arm's\n",
        "no-spe.data": perf_data((3, bytes(24))), "zip.data": perf_data((81, bytes(24))),
        "pt.data": perf_data(info(1)), "cs.data": perf_data(info(3)), "odd.data": perf_data(info(77)),
        "pipe.data": perf_data((3, bytes(24)), pipe=True), "be.data": b"2ELIFREP".ljust(200, b"\0"),
        "head.data": b"PERFILE2" + bytes(20), "cut.data": perf_data((3, bytes(24)))[:120],
        "bad.data": perf_data((3, bytes(24)))[:110] + b"\x01\0" + bytes(24), "short.data": b"PERF",
        "where.data": b"PERFILE2" + struct.pack("<12Q", 104, 136, 8, 0, 8, 8, 0, 0, 0, 0, 0, 0),
        "trace.data": perf_data(info(4), (71, struct.pack("<QQQIIII", 1 << 40, 0, 0, 0, 0, 0, 0))),
        "no.list": b"a vspe nowhere 1 0 5\n", "columns.list": b"a vspe platform 1\n", "plan.list": b"a vspe platform x 0 5\n",
        "skips.list": b"a vspe platform 1 2 5\n", "time.list": b"a vspe platform 1 0 0\n", "quote.list": b"a vspe platform 1 0 5 'x\n",
        "name.list": b"A vspe platform 1 0 5\n", "twice.list": b"a vspe platform 7 0 5\na vspe platform 7 0 5\n",
        "none.list": b"# nothing\n", "qemu.list": b"a qemu platform 7 0 5\n",
        "image": b"VSPE", "record": bytes(64), "hidden.map": b"0000000000000000 T _text\n", "data.map": b"ffff800010000000 D data\n",
        "long.map": b"ffff800010000000 T " + b"x" * 4000, "address.map": b"1ffff800010000000 T main\n",
    }
    for name, content in made.items():
        Path(name).write_bytes(content)
    for folder in "folder", "closed":
        Path(folder).mkdir()
    os.symlink("loop", "loop")
    os.symlink("off", "link")
    subprocess.run([VSPE, "run", "forever", "--save", "saved", "--save-at", "1000", "--seed", "7"], check=False,
                   stdin=subprocess.DEVNULL, capture_output=True)
    saved = Path("saved").read_bytes()
    Path("cut.saved").write_bytes(saved[:-1])
    Path("long.saved").write_bytes(saved + b"\n")
    at = saved.index(b"GIC ") + 64  # in the contents of that section
    Path("bad.saved").write_bytes(saved[:at] + b"\xa5\x5a" + saved[at + 2:])
    Path("new.saved").write_bytes(saved[:8] + b"\x63" + saved[9:])


def snapshot():
    """All files with their contents."""
    return {str(path): "" if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()
            for path in Path().rglob("*") if not path.is_symlink()}


def say(command):
    """The exit code and standard error, as the table writes them; and what is wrong with the rest."""
    done = subprocess.run(["timeout", LIMIT, "sh", "-c", command], stdin=subprocess.DEVNULL, capture_output=True,
                          check=False)
    text = done.stderr.decode(errors="backslashreplace")
    return f"{done.returncode} {text.strip()}", [f"standard output: {done.stdout[:200]}"] * bool(done.stdout)


def main():
    table = TABLE.read_text()
    rows = re.findall(r"^\$ (.*)\n((?:[^$#\n].*\n)*)", table, re.M)
    commands = [command for command, _ in rows]
    failures = [f"{command}: twice" for command in set(commands) if commands.count(command) > 1]
    work = tempfile.mkdtemp()
    os.chdir(work)
    os.environ["PATH"] = f"{VSPE.parent}:{os.environ['PATH']}"
    os.environ["LC_ALL"] = "C"
    try:
        files()
        before = snapshot()
        with concurrent.futures.ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
            answers = list(pool.map(say, commands))
        if snapshot() != before:
            failures += [f"file {name} came, went or changed" for name in snapshot().items() ^ before.items()]
    finally:
        os.chdir("/")
        shutil.rmtree(work)
    for (command, want), (got, wrong) in zip(rows, answers):
        if got != want.strip() and sys.argv[3:] != ["--update"]:
            failures.append(f"{command}\n#   is:   {got}\n#   want: {want.strip()}")
        failures += [f"{command}: {what}" for what in wrong]
    if sys.argv[3:] == ["--update"]:
        answer = dict(zip(commands, answers))
        TABLE.write_text(re.sub(r"^\$ (.*)\n((?:[^$#\n].*\n)*)", lambda row: f"$ {row[1]}\n{answer[row[1]][0]}\n", table,
                                flags=re.M))
    for failure in failures:
        print(f"# {failure}")
    print(f"{'not ok' if failures else 'ok'} - {len(rows)} wrong uses")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
