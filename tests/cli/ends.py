#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""tests/cli/ends.py VSPE: however vspe run is ended or stopped, it ends soon and leaves its terminal as it was.

--timeout and each signal end a guest that takes long between two looks at the outside (IC IALLU, and code that
is decoded again each time), and one whose console is not read. On a terminal, everything that ends or stops the
process leaves the terminal as it was, and SIGCONT makes it raw again. No time is measured: each wait ends with
its event, and the limit of the test catches hangs.
"""
import fcntl
import json
import os
import pty
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios

VSPE = sys.argv[1]
FAILED = []


def check(name, good):
    print(f"{'ok' if good else 'not ok'} - {name}", flush=True)
    if not good:
        FAILED.append(name)


def flat(folder, name, words):
    """A flat guest of instruction words, padded to the smallest possible size."""
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(b"".join(struct.pack("<I", word) for word in words).ljust(64, b"\0"))
    return path


def say(text):
    """mov x1, #0x09000000, and a mov and a str for each byte: the console."""
    words = [0xd2a12001]
    for byte in text.encode():
        words += [0x52800002 | byte << 5, 0xb9000022]
    return words


BACK = 0x17ffffff  # b .-4
HINT = b"vspe: Ctrl-A H for help, Ctrl-A X to end the machine\r\n"
# mov x1, #0x09000000; UARTCR is 0x301; then for ever: it sends back what comes, and bit 10 of UARTDR, DR.BE, ends
# it.
ECHO = [0x52806024, 0xb9003024, 0xb9401823, 0x3727ffe3, 0xb9400023, 0x37500063, 0xb9000023, 0x17fffffb]
OFF = [0x52b08000, 0x72800100, 0xd4000002]


def plain():
    """In the child: signals as a login shell leaves them, whatever started the test."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP):
        signal.signal(number, signal.SIG_DFL)


def modes(fd):
    """The settings that raw mode changes."""
    iflag, oflag, cflag, lflag = termios.tcgetattr(fd)[:4]
    return iflag, oflag, cflag, lflag & ~getattr(termios, "PENDIN", 0)


def read_soon(fd, size, got=b""):
    """What comes within a minute; after that nothing will."""
    if not select.select([fd], [], [], 60)[0]:
        sys.exit(f"not ok - nothing more came after {got[-200:]}")
    return os.read(fd, size)


def read_until(fd, text):
    got = b""
    while text not in got:
        got += read_soon(fd, 4096, got)
    return got


class Terminal:
    """vspe run on a separate pty, in a separate process group whose session leader waits for it."""

    def __init__(self, *arguments, stdout=None):
        self.master, self.slave = pty.openpty()
        self.found = modes(self.slave)
        self.run(arguments, stdout)

    def run(self, arguments, stdout):
        # The leader lives until its standard input ends: so vspe's group is not orphaned, and stops as jobs
        # do.
        reader, self.leader = os.pipe()
        answer, say_pid = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            os.setsid()
            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
            os.close(self.leader)
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            pid = os.fork()
            if pid == 0:
                os.setpgid(0, 0)
                os.tcsetpgrp(self.slave, os.getpid())
                signal.signal(signal.SIGTTOU, signal.SIG_DFL)
                plain()
                for fd, to in ((self.slave, 0), (stdout if stdout is not None else self.slave, 1), (self.slave, 2)):
                    os.dup2(fd, to)
                os.execv(VSPE, ["vspe", "run", *arguments])
            os.write(say_pid, struct.pack("i", pid))
            while True:  # what the job does, told on
                _, status = os.waitpid(pid, os.WUNTRACED)
                os.write(say_pid, struct.pack("i", status))
                if not os.WIFSTOPPED(status):
                    os.read(reader, 1)
                    os._exit(0)
        os.close(reader)
        os.close(say_pid)
        self.answer = answer
        self.pid = struct.unpack("i", os.read(answer, 4))[0]

    def status(self):
        """The next thing that happens to vspe."""
        return struct.unpack("i", read_soon(self.answer, 4))[0]

    def read(self, text):
        return read_until(self.master, text)

    def close(self):
        os.close(self.leader)
        os.waitpid(self.child, 0)
        os.close(self.master)
        os.close(self.slave)
        os.close(self.answer)


def ended_by(status, number):
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == number


def slow_guest(folder):
    """A load that aborts, before 63 operations of its block; the vector drops all code, and returns to it."""
    words = say("go\n") + [0xd2a80103, 0xf2810003, 0xd518c003, 0xd2800004, 0xd5033fdf,  # VBAR_EL1 0x40080800, X4 0
                           0xf9400085] + [0x91000421] * 400
    words += [0] * (0xa00 // 4 - len(words)) + [0xd508751f, 0xd69f03e0]  # IC IALLU; ERET
    return flat(folder, "slow", words)


def echo_guest(folder):
    return flat(folder, "echo", say("go\n") + ECHO + OFF)


CHATTER = [0x52800f02, 0xd2a12001, 0xb9000022, BACK]  # x for ever


def end(process):
    """The exit code; None if it does not end."""
    try:
        return process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return None


def slow(folder):
    """The end does not wait for the end of a turn of 2^20 operations, which takes half a minute here."""
    guest = slow_guest(folder)
    for number in None, signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        options = ["--timeout", "1"] if number is None else []
        with open(os.path.join(folder, "stats"), "w+b") as stats:
            vspe = subprocess.Popen([VSPE, "run", "--stats=json", *options, guest], stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=stats, preexec_fn=plain)
            vspe.stdout.readline()
            if number:
                vspe.send_signal(number)
            code = end(vspe)
            stats.seek(0)
            operations = [json.loads(line)["operations"] for line in stats if line.startswith(b"{")]
        check(f"a slow guest: {number.name if number else '--timeout'}",
              code == (-number if number else 124) and len(operations) == 1 and operations[0] % (1 << 20) != 0)


def unread(folder):
    """A console that nobody reads, with the messages on the same pipe."""
    guest = flat(folder, "chatter", CHATTER)
    for number in None, signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        options = ["--timeout", "1"] if number is None else []
        reader, writer = os.pipe()
        vspe = subprocess.Popen([VSPE, "run", *options, guest], stdin=subprocess.DEVNULL, stdout=writer, stderr=writer,
                                preexec_fn=plain)
        wait_until_full(writer)
        if number:
            vspe.send_signal(number)
        check(f"a reader that does not read: {number.name if number else '--timeout'}",
              end(vspe) == (-number if number else 124))
        os.close(writer), os.close(reader)


def wait_for(condition):
    """Wait until the condition holds; the test's own limit catches what never does."""
    while not condition():
        os.sched_yield()


def wait_until_full(writer):
    """Wait until a pipe has no room for one write of vspe."""
    size = fcntl.fcntl(writer, fcntl.F_GETPIPE_SZ)
    waiting = struct.pack("i", 0)
    wait_for(lambda: struct.unpack("i", fcntl.ioctl(writer, termios.FIONREAD, waiting))[0] > size - 4096)


def lost_is_counted(folder):
    """Output that nobody read is counted, if anybody can be informed."""
    guest = flat(folder, "chatter", CHATTER)
    reader, writer = os.pipe()
    done = subprocess.Popen([VSPE, "run", guest], stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.PIPE,
                            preexec_fn=plain)
    wait_until_full(writer)
    done.send_signal(signal.SIGTERM)
    message = done.communicate()[1]
    check("what nobody read is counted", b" bytes lost: nobody read them" in message)
    os.close(writer), os.close(reader)


def every_end(folder):
    """The terminal after each way to end."""
    busy = flat(folder, "busy", say("go\n") + [0x14000000])
    ends = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2,
            signal.SIGPROF, signal.SIGVTALRM, signal.SIGXCPU, signal.SIGIO, signal.SIGPWR, signal.SIGSEGV, signal.SIGBUS,
            signal.SIGILL, signal.SIGFPE, signal.SIGABRT, signal.SIGTRAP, signal.SIGSYS]
    for number in ends:
        terminal = Terminal(busy)
        terminal.read(b"go")
        raw = modes(terminal.slave) != terminal.found
        os.kill(terminal.pid, number)
        status = terminal.status()
        check(f"{number.name}: raw before, ended by it, as found after",
              raw and ended_by(status, number) and modes(terminal.slave) == terminal.found)
        terminal.close()

    others = [("power off", say("go\n") + OFF, [], 0), ("time over", [0x14000000], ["--timeout", "1"], 124),
              ("a guest that is lost", [0xd2800021, 0xd61f0020], [], 3)]
    for name, words, options, code in others:
        terminal = Terminal(*options, flat(folder, "guest", words))
        status = terminal.status()
        check(f"{name}: as found after",
              os.WIFEXITED(status) and os.WEXITSTATUS(status) == code and modes(terminal.slave) == terminal.found)
        terminal.close()

    terminal = Terminal(busy)
    terminal.read(b"go")
    os.write(terminal.master, b"\x01x")
    check("Ctrl-A X: as found after", terminal.status() == 0 and modes(terminal.slave) == terminal.found)
    terminal.close()

    # The same when nobody reads what the guest prints.
    reader, writer = os.pipe()
    terminal = Terminal(flat(folder, "chatter", CHATTER), stdout=writer)
    wait_until_full(writer)
    os.write(terminal.master, b"\x01x")
    check("Ctrl-A X with a full pipe", terminal.status() == 0 and modes(terminal.slave) == terminal.found)
    terminal.close()
    os.close(writer), os.close(reader)


def keys(folder):
    """What may be typed after Ctrl-A."""
    echo = echo_guest(folder)
    terminal = Terminal(echo)
    check("there is a hint at the start", terminal.read(b"go").startswith(HINT))
    os.write(terminal.master, b"\x01h")
    text = terminal.read(b"Ctrl-A Ctrl-A")
    check("Ctrl-A H tells of each", all(b"vspe: Ctrl-A %c " % letter in text for letter in b"HXCSB"))
    os.write(terminal.master, b"\x01C")
    check("Ctrl-A C tells the counts", b" operations in " in terminal.read(b"virtual time"))
    os.write(terminal.master, b"\x01s")
    terminal.read(b"there is neither --save nor --migrate-to")
    os.write(terminal.master, b"1\x01\x012")
    check("Ctrl-A twice is one", terminal.read(b"2").endswith(b"1\\x012"))
    os.write(terminal.master, b"\x01b")
    check("Ctrl-A B is a break", terminal.status() == 0 and modes(terminal.slave) == terminal.found)
    terminal.close()

    saved = os.path.join(folder, "saved")
    terminal = Terminal("--save", saved, echo)
    terminal.read(b"go")
    os.write(terminal.master, b"\x01S")
    status = terminal.status()
    check("Ctrl-A S saves", os.WIFEXITED(status) and os.WEXITSTATUS(status) == 4 and
          modes(terminal.slave) == terminal.found)
    terminal.close()
    terminal = Terminal("--restore", saved)
    os.write(terminal.master, b"on")
    terminal.read(b"on")
    os.write(terminal.master, b"\x01b")
    check("what was saved goes on", terminal.status() == 0)
    terminal.close()


def serial_ends(folder):
    """--serial: a file, nothing, a new terminal, a connection."""
    words = flat(folder, "words", say("0123456789\n") + OFF)
    echo = echo_guest(folder)
    path = os.path.join(folder, "console")
    with open(path, "w", encoding="ascii") as file:
        file.write("x" * 100)
    for end_of, printed in ((path, b"0123456789\n"), ("file:" + path, b"0123456789\n"), ("none", b"")):
        done = subprocess.run([VSPE, "run", "--serial", end_of, words], stdin=subprocess.DEVNULL, capture_output=True,
                              check=False)
        with open(path, "rb") as file:
            written = file.read() if end_of != "none" else b""
        check(f"--serial {end_of[:5]}", (done.returncode, done.stdout, done.stderr, written) == (0, b"", b"", printed))

    # Keys do not work there: a Ctrl-A is just one more byte.
    def talk(vspe, reader, writer):
        read_until(reader, b"go")
        os.write(writer, b"a\x01xb")
        got = read_until(reader, b"b")
        vspe.terminate()
        return end(vspe) == -signal.SIGTERM and got.endswith(b"a\x01xb")

    with socket.create_server(("127.0.0.1", 0)) as server:
        vspe = subprocess.Popen([VSPE, "run", "--serial", f"tcp:localhost:{server.getsockname()[1]}", echo],
                                stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=plain)
        peer = server.accept()[0]
        check("--serial tcp", talk(vspe, peer.fileno(), peer.fileno()))
        peer.close()
    if terminals():
        print(f"ok - --serial pty # SKIP {terminals()}")
        return
    vspe = subprocess.Popen([VSPE, "run", "--raw", "--serial", "pty", echo], stdin=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, preexec_fn=plain)
    name = vspe.stderr.readline().removeprefix(b"vspe: the console is ").rstrip()
    peer = os.open(name, os.O_RDWR | os.O_NOCTTY)
    check("--serial pty", talk(vspe, peer, peer))
    os.close(peer)
    vspe.stderr.close()


def stop_and_go_on(folder):
    terminal = Terminal(echo_guest(folder))
    terminal.read(b"go")
    raw = modes(terminal.slave)
    for _ in range(2):
        os.kill(terminal.pid, signal.SIGTSTP)
        status = terminal.status()
        check("SIGTSTP stops it, and the terminal is as it was found",
              os.WIFSTOPPED(status) and os.WSTOPSIG(status) == signal.SIGTSTP and modes(terminal.slave) == terminal.found)
        os.kill(terminal.pid, signal.SIGCONT)
        os.write(terminal.master, b"a\r")
        terminal.read(b"a")
        wait_for(lambda: modes(terminal.slave) == raw)
    check("SIGCONT makes it raw again", raw != terminal.found)
    # SIGSTOP cannot be caught; a shell restores the terminal, and then SIGCONT comes.
    os.kill(terminal.pid, signal.SIGSTOP)
    terminal.status()
    now = termios.tcgetattr(terminal.slave)
    now[3] |= termios.ICANON | termios.ECHO
    termios.tcsetattr(terminal.slave, termios.TCSANOW, now)
    os.kill(terminal.pid, signal.SIGCONT)
    os.write(terminal.master, b"b\r")
    terminal.read(b"b")
    wait_for(lambda: modes(terminal.slave) == raw)
    os.kill(terminal.pid, signal.SIGTERM)
    check("ended afterwards", ended_by(terminal.status(), signal.SIGTERM) and modes(terminal.slave) == terminal.found)
    terminal.close()


def safe_text(folder):
    """The guest's output cannot harm the terminal, except with --raw; a file or pipe gets it unchanged."""
    harm = "\x1b[31mred\x1b[0m \x1b[6n\x1b]0;title\x07\x1b[?1000h\x1b[?2004h# \n"
    guest = flat(folder, "harm", say(harm) + OFF)
    terminal = Terminal(guest)
    terminal.status()
    check("control sequences are made visible on a terminal",
          terminal.read(b"\r\n\x1b[?2004l") == HINT + b"\x1b[31mred\x1b[0m \\x1b[6n\\x1b]0;title\x07\\x1b[?1000h"
          b"\x1b[?2004h# \r\n\x1b[?2004l")
    terminal.close()
    terminal = Terminal("--raw", guest)
    terminal.status()
    check("--raw passes them", terminal.read(b"# \r\n") == HINT + harm.replace("\n", "\r\n").encode())
    terminal.close()
    done = subprocess.run([VSPE, "run", guest], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    check("a pipe has them as they are", done.stdout == harm.encode())


def limit(folder):
    guest = flat(folder, "words", say("0123456789\n") + OFF)
    for size, printed, message in (("4", b"0123", b"vspe run: --console-limit: 7 bytes of the console dropped\n"),
                                   ("0", b"", b"vspe run: --console-limit: 11 bytes of the console dropped\n"),
                                   ("11", b"0123456789\n", b""), ("1K", b"0123456789\n", b"")):
        done = subprocess.run([VSPE, "run", "--console-limit", size, guest], stdin=subprocess.DEVNULL, capture_output=True,
                              check=False)
        check(f"--console-limit {size}", (done.returncode, done.stdout, done.stderr) == (0, printed, message))


def terminals():
    """Why there are none, or an empty text: a container may lack them."""
    try:
        for fd in pty.openpty():
            os.close(fd)
    except OSError as error:
        return str(error)
    return ""


with tempfile.TemporaryDirectory() as work:
    slow(work)
    unread(work)
    lost_is_counted(work)
    missing = terminals()
    for part in every_end, keys, stop_and_go_on, safe_text:
        if missing:
            print(f"ok - {part.__name__} # SKIP {missing}")
        else:
            part(work)
    limit(work)
    serial_ends(work)
sys.exit(bool(FAILED))
