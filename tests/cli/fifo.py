#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fifo.py VSPE GUESTS: each file that is read may be a FIFO. One that nobody writes to is refused in time, and one that somebody writes
to is read as another file is."""
import concurrent.futures
import os
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

VSPE, GUESTS = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
OFF = struct.pack("<3I", 0x52b08000, 0x72800100, 0xd4000002).ljust(64, b"\0")  # PSCI SYSTEM_OFF
ROWS = [("run fifo", "fifo"), ("run -k fifo", "fifo"), ("run -i fifo off", "fifo"), ("run --bios fifo", "fifo"), ("run --model full,fifo off", "fifo"),
        ("run --restore fifo", "--restore fifo"), ("run --replay fifo off", "--replay fifo"), ("run --symbols fifo --perf-data out off", "--symbols fifo"),
        ("report --symbols fifo record", "--symbols fifo"), ("decode --symbols fifo record", "--symbols fifo"),
        ("conform --asl fifo", "fifo"), ("conform --guests fifo", "fifo"), ("report fifo", "fifo"), ("decode fifo", "fifo"),
        ("decode --symbols fifo --perf-data out record", "--symbols fifo")]
# What is written, and may be a FIFO: one that nobody reads from.
WRITTEN = ["--dump-dtb fifo", "--serial file:fifo"]
failed = []


def check(what, good, said=""):
    print(f"{'ok' if good else 'not ok'} - {what}" + ("" if good else f"\n#   {said}"))
    if not good:
        failed.append(what)


def refused(row):
    command, named, *what = row
    what = what[0] if what else "written to"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "off").write_bytes(OFF)
        (Path(folder) / "record").write_bytes(b"\xb0" + bytes(8) + b"\x01")
        os.mkfifo(Path(folder) / "fifo")
        done = subprocess.run([VSPE, *command.split()], cwd=folder, capture_output=True, text=True, timeout=300)
        good = done.returncode == 2 and done.stderr.count("\n") == 1 and f"{named}: a FIFO that nobody has {what}" in done.stderr
        check(f"vspe {command}: nobody has {what}", good, f"{done.returncode}: {done.stderr}")


def opened(fifo, process):
    """The FIFO's end for writing, once the process has the other; None if it ends without."""
    while process.poll() is None:
        try:
            end = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(.02)
            continue
        os.set_blocking(end, True)
        return open(end, "wb")
    return None


def read(command, data):
    with tempfile.TemporaryDirectory() as folder:
        fifo = Path(folder) / "fifo"
        (Path(folder) / "off").write_bytes(OFF)
        os.mkfifo(fifo)
        with subprocess.Popen([VSPE, *command.split()], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True) as process:
            time.sleep(.5)
            with opened(fifo, process) or open(os.devnull, "wb") as file:
                for at in range(0, len(data), 1 << 16):
                    file.write(data[at:at + (1 << 16)])
                    time.sleep(.001)
            said = process.stderr.read()
        check(f"vspe {command}: somebody does", process.returncode == 0, f"{process.returncode}: {said}")


def written(option):
    """To a FIFO whose reader comes later, as to one that waits already."""
    with tempfile.TemporaryDirectory() as folder:
        fifo = Path(folder) / "fifo"
        (Path(folder) / "off").write_bytes(OFF)
        os.mkfifo(fifo)
        with subprocess.Popen([VSPE, "run", *option.split(), "off"], cwd=folder, stderr=subprocess.PIPE, text=True) as process:
            time.sleep(.5)
            data = subprocess.run(["cat", fifo], stdout=subprocess.PIPE, timeout=100, check=True).stdout
            said = process.stderr.read()
        check(f"vspe run {option}: somebody reads", process.returncode == 0 and data, f"{process.returncode}: {said}")


ROWS += [(f"run {option} off", option, "read from") for option in WRITTEN]
with concurrent.futures.ThreadPoolExecutor(len(ROWS)) as pool:
    list(pool.map(refused, ROWS))
written("--dump-dtb fifo")
read("run fifo", OFF)
read("run -k fifo", (GUESTS / "platform.Image").read_bytes())
read("run --model full,fifo off", b"# nothing\n")
sys.exit(bool(failed))
