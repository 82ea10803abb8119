#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""conform_console.py VSPE GUESTS: vspe conform --guests --command --console, with a file, a FIFO and a pseudo-terminal.
The software CPU at the other end is the board. In TAP."""
import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import termios
import threading
import time

VSPE, GUESTS = sys.argv[1:]
ROW = "one command platform 13 1 60"
count = failed = 0


def check(name, condition, what=""):
    global count, failed
    count += 1
    print(f"{'ok' if condition else 'not ok'} {count} - {name}")
    if not condition:
        failed += 1
        print("".join(f"# {line}\n" for line in str(what).splitlines()[-30:]), end="")


class Bench:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def script(self, name, text):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    def conform(self, console, script, *rows):
        """Its exit code, and all its output."""
        path = self.folder / "mine.list"
        path.write_text("".join(f"{row}\n" for row in rows or [ROW]))
        command = [VSPE, "conform", "--guests", path, "--guest-dir", GUESTS, "--command", f"{script} %k", "--console", console]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                              timeout=120, check=False)
        return done.returncode, done.stdout

    def passes(self, name, console, script, *rows):
        code, text = self.conform(console, script, *rows)
        check(name, code == 0 and "\nok 1 - one: 13 tests, 1 skipped" in text, f"exit code {code}\n{text}")
        return text

    def fails(self, name, console, script, *what, rows=(ROW,), code=1):
        got, text = self.conform(console, script, *rows)
        check(name, got == code and all(one in text for one in what), f"exit code {got}\n{text}")


def files_and_fifos(bench):
    console = bench.folder / "console"
    board = bench.script("board", f'echo loading; exec {VSPE} run -k "$1" >>{console}')
    bench.passes("a file that is not there yet", console, board)
    bench.passes("... and one with what an earlier run left, for two guests", console, board, ROW, ROW.replace("one", "two"))
    console.unlink()
    os.mkfifo(console)
    bench.passes("a FIFO", console, board)
    slow = bench.script("slow", f'(sleep 1; {VSPE} run -k "$1" >{console}) >/dev/null 2>&1 &')
    bench.passes("a command that only starts the guest", console, slow)
    forever = bench.script("forever", f'{VSPE} run -k "$1" >{console}; exec sleep 100')
    began = time.monotonic()
    bench.passes("a command that does not end by itself", console, forever)
    check("... is ended soon", time.monotonic() - began < 20)
    bench.fails("a command that fails", console, bench.script("broken", "echo no board >&2; exit 3"), "exit code 3: no board")
    late = bench.script("late", f"printf '1..10\\nok 1 - a\\n' >{console}")
    bench.fails("a guest that does not end", console, late, "no end after 11 s", rows=(ROW.replace(" 60", " 1"),))
    bail = bench.script("bail", f"printf '1..10\\nok 1 - a\\nBail out! no GIC\\n' >{console}; sleep 100")
    bench.fails("a guest that gives up", console, bail, "not ok 1 - one: ")


def terminals(bench):
    """The board writes to a separate FIFO, whose bytes are copied to the other end of the line."""
    board, line = pty.openpty()
    name = os.ttyname(line)
    wire = bench.folder / "wire"
    os.mkfifo(wire)
    source = os.open(wire, os.O_RDWR)

    def copy():
        while chunk := os.read(source, 100):
            if chunk == b"end":
                return
            os.write(board, chunk)
    os.write(board, b"1..1\nok 1 - of before\n")
    thread = threading.Thread(target=copy, daemon=True)
    thread.start()
    load = bench.script("load", f'exec {VSPE} run -k "$1" >{wire}')
    text = bench.passes("a terminal", f"{name},115200", load)
    check("... what was there before is nobody's", "of before" not in text, text)
    attributes = termios.tcgetattr(line)
    check("... is raw", not attributes[3] & (termios.ICANON | termios.ECHO) and not attributes[1] & termios.OPOST, attributes)
    check("... with the speed", attributes[4:6] == [termios.B115200] * 2, attributes)
    bench.passes("... at the speed that it has, for two guests", name, load, ROW, ROW.replace("one", "two"))
    os.write(os.open(wire, os.O_WRONLY), b"end")
    thread.join()
    os.close(board)
    bench.fails("a line that was hung up", name, load, code=2 if not os.path.exists(name) else 1, rows=(ROW.replace(" 60", " 1"),))


def refusals(bench):
    nothing = bench.script("nothing", "exit 0")
    for what, console, why in (
            ("a speed that is none", "/dev/tty,12345", "no such speed"),
            ("a speed of 0", "/dev/tty,0", "no such speed"),
            ("a device that is not there", "/dev/vspe-none", "No such file"),
            ("a device that is no terminal", "/dev/null", "no terminal"),
            ("a folder", str(bench.folder), "Is a directory"),
            ("a folder that is not there", str(bench.folder / "none" / "x"), "No such file"),
            ("a speed of a file", f"{bench.folder}/new,115200", "a file has no speed")):
        bench.fails(f"{what} is refused", console, nothing, why, code=2)
    code = subprocess.run([VSPE, "conform", "--guests", "--console", "x"], stderr=subprocess.DEVNULL, check=False).returncode
    check("--console without --command is refused", code == 2)


def main():
    with tempfile.TemporaryDirectory() as folder:
        files_and_fifos(Bench(folder))
    with tempfile.TemporaryDirectory() as folder:
        terminals(Bench(folder))
    with tempfile.TemporaryDirectory() as folder:
        refusals(Bench(folder))
    print(f"1..{count}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
