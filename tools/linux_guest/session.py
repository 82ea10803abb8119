# SPDX-License-Identifier: BSD-2-Clause
"""One run of a guest: the command's output on the console, its status and its files."""
import base64
import binascii
import contextlib
import io
import os
import shlex
import subprocess

from linux_guest import cpio

MARK = b"linux-guest: "
HERE = os.path.dirname(os.path.abspath(__file__))


@contextlib.contextmanager
def started(words, **how):
    """A vspe that ends when this program does, and puts the terminal right before."""
    with subprocess.Popen(words, **how) as vspe:
        try:
            yield vspe
        except BaseException:
            vspe.terminate()
            raise


def overlay(modules, command, files, wanted, root=False):
    """The archive that follows the packages' one: the first process and what it needs; `modules` (paths), `command`
    (None: a shell), `files` (pairs of a path here and one there) and what is `wanted` of the guest. With `root`, its
    system is on the first disk."""
    out = io.BytesIO()
    archive = cpio.Archive(out)
    archive.folder("linux-guest")
    for name, there in (("init", "init"), ("session", "linux-guest/session"), ("service", "linux-guest/service"),
                        ("leased", "linux-guest/leased")):
        with open(os.path.join(HERE, name), "rb") as file:
            archive.file(there, file.read(), name in ("init", "leased"))
    if root:
        archive.file("linux-guest/root", b"")
        archive.file("linux-guest/added", "".join(there + "\n" for _, there in files).encode("utf-8", "surrogateescape"))
    for path in modules:
        with open(path, "rb") as file:
            archive.file(f"linux-guest/{os.path.basename(path)}", file.read())
    if command is not None:
        archive.file("linux-guest/command", ("exec " + shlex.join(command) + "\n").encode("utf-8", "surrogateescape"))
        archive.file("linux-guest/wanted", "".join(name + "\n" for name in wanted).encode())
    for here, there in files:
        there = there.lstrip("/")
        archive.folder(there.rpartition("/")[0])
        with open(here, "rb") as file:
            archive.file(there, file.read(), True)
    archive.end()
    return out.getvalue()


class Console:
    """Takes the console's lines. Output of the command goes to `out` at once. `status` is None until it has ended.
    `files` are the contents of the wanted files, in order, None for one that the guest does not have."""

    def __init__(self, out):
        self.out = out
        self.state = "boot"
        self.status = None
        self.files = []
        self.last = []
        self.ended = False
        self._held = False
        self._text = []

    def line(self, line):
        """`line` with its end, as it came in."""
        bare = line.rstrip(b"\r\n")
        if bare.startswith(MARK):
            self._mark(bare[len(MARK):].split())
        elif self.state == "command":
            self._show(line)
        elif self.state == "file":
            self._text.append(bare)
        if self.state == "boot":
            self.last = (self.last + [bare])[-20:]

    def _show(self, line):
        # The first process prints an empty line after the command, to end a last line that has no end.
        if self._held:
            self._write(b"\n")
        self._held = line == b"\n"
        if not self._held:
            self._write(line)

    def _write(self, text):
        """To whoever still reads it: files of the guest are wanted all the same."""
        try:
            self.out.write(text)
            self.out.flush()
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.out.fileno())
            os.close(nowhere)

    def lacks_memory(self):
        """Did its kernel say that the initrd has no room?"""
        return any(text in line for line in self.last
                   for text in (b"Unable to mount root fs", b"Initramfs unpacking failed", b"write error", b"Out of memory"))

    def _mark(self, words):
        self._close_file()
        if words == [b"begin"] and self.state == "boot":
            self.state = "command"
        elif words[:1] == [b"exit"] and len(words) == 2 and words[1].isdigit() and self.state == "command":
            self.status = int(words[1])
            self.state = "after"
        elif words == [b"file"] and self.state == "after":
            self.state = "file"
        elif words == [b"none"] and self.state == "after":
            self.files.append(None)
        elif words == [b"end"] and self.state == "after":
            self.ended = True

    def _close_file(self):
        if self.state != "file":
            return
        try:
            self.files.append(base64.b64decode(b"".join(self._text), validate=True))
        except binascii.Error:
            self.files.append(None)
        self._text = []
        self.state = "after"
