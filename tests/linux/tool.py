#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What tools/linux-guest does without a guest: archives, the console's lines, wrong uses."""
import base64
import io
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tools"))
FOLDER = os.path.join(TOP, "tools/linux_guest")
from linux_guest import cpio, session  # noqa: E402


def members(data):
    """Each member's name, mode and contents, as the kernel reads them."""
    found, at = [], 0
    while True:
        assert data[at:at + 6] == b"070701"
        mode, size, length = (int(data[at + place:at + place + 8], 16) for place in (14, 54, 94))
        name = data[at + 110:at + 110 + length - 1].decode()
        at += (110 + length + 3) & ~3
        if name == "TRAILER!!!":
            assert at == len(data)
            return found
        found.append((name, mode, data[at:at + size]))
        at += (size + 3) & ~3


def console(*lines):
    out = io.BytesIO()
    made = session.Console(out)
    for line in lines:
        made.line(line)
    return made, out.getvalue()


class Archives(unittest.TestCase):
    def test_tree(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "usr/share/man/man1"))
            os.makedirs(os.path.join(root, "usr/bin"))
            os.symlink("usr/bin", os.path.join(root, "bin"))
            for name in ("usr/bin/b", "usr/bin/a", "usr/share/man/man1/a.1"):
                with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                    file.write(name)
            os.chmod(os.path.join(root, "usr/bin/a"), 0o755)
            out = io.BytesIO()
            archive = cpio.Archive(out)
            archive.tree(root)
            archive.end()
        self.assertEqual(members(out.getvalue()), [
            ("bin", 0o120777, b"usr/bin"), ("usr", 0o40755, b""), ("usr/bin", 0o40755, b""),
            ("usr/bin/a", 0o100755, b"usr/bin/a"), ("usr/bin/b", 0o100644, b"usr/bin/b"), ("usr/share", 0o40755, b"")])

    def test_overlay(self):
        with tempfile.TemporaryDirectory() as folder:
            module = os.path.join(folder, "driver.ko")
            with open(module, "wb") as file:
                file.write(b"driver")
            files = self.overlay([module])
        self.assertEqual(files["linux-guest/driver.ko"], b"driver")
        self.assertTrue(files["init"].startswith(b"#!/bin/busybox sh\n"))
        self.assertNotIn("linux-guest/root", files)
        self.assertEqual(files["linux-guest/command"], b"exec sh -c 'echo $1; true'\n")
        self.assertEqual(files["linux-guest/wanted"], b"/tmp/d\n")
        with open(__file__, "rb") as file:
            self.assertEqual(files["a/b/c"], file.read())
        self.assertIn("a/b", files)

    @staticmethod
    def overlay(modules):
        return {name: data for name, _, data in members(session.overlay(
            FOLDER, modules, ["sh", "-c", "echo $1; true"], [(__file__, "/a/b/c")], ["/tmp/d"]))}

    def test_shell(self):
        self.assertNotIn("linux-guest/command", [name for name, _, _ in members(session.overlay(FOLDER, [], None, [], []))])

    def test_root(self):
        files = {name: data for name, _, data in members(session.overlay(FOLDER, [], None, [(__file__, "/a/b")], [], True))}
        self.assertEqual(files["linux-guest/added"], b"/a/b\n")
        self.assertIn("linux-guest/root", files)


class Consoles(unittest.TestCase):
    def test_command(self):
        made, out = console(b"[ 0.1] boots\r\n", b"linux-guest: begin\r\n", b"one\n", b"\n", b"two\n", b"\n", b"linux-guest: exit 7\n",
                            b"linux-guest: file\n", base64.b64encode(b"contents") + b"\n", b"linux-guest: none\n", b"linux-guest: end\n",
                            b"[ 9.9] power\n")
        self.assertEqual(out, b"one\n\ntwo\n")
        self.assertEqual((made.status, made.files, made.ended), (7, [b"contents", None], True))

    def test_broken_off(self):
        made, out = console(b"[ 0.1] boots\n", b"linux-guest: begin\n", b"one\n")
        self.assertEqual((out, made.status, made.ended), (b"one\n", None, False))

    def test_garbled_file(self):
        made, _ = console(b"linux-guest: begin\n", b"linux-guest: exit 0\n", b"linux-guest: file\n", b"[ 1.0] not base64\n",
                          b"linux-guest: end\n")
        self.assertEqual(made.files, [None])


class WrongUses(unittest.TestCase):
    def test_wrong_uses(self):
        for words, says in ((["walk"], "walk"), (["run", "--release", "11"], "11"), (["run", "--kernel", "rt"], "rt"),
                            (["run", "--add", "/no/such/file"], "/no/such/file"), (["run", "--add", __file__ + ":here"], "here"),
                            (["run", "--get", "tmp/file", "--", "true"], "tmp/file"), (["run", "--get", "/tmp/file"], "--get"),
                            (["run", "--"], "--"), (["run", "-i", "file"], "-i"), (["run", "--params=quiet"], "--params"),
                            (["image", "--cpus=2"], "--cpus"), (["run", "--output", "file"], "--output"),
                            (["run", "--root", "/no/such/disk,ro"], "/no/such/disk"), (["image", "--root", __file__], "--root"),
                            (["run", "--root", __file__, "--package", "gcc"], "--package"), (["disk"], "--output"),
                            (["disk", "--output", "file", "--size", "3"], "3"), (["run", "--size", "2G"], "--size"),
                            (["disk", "--output", "file", "--add", __file__], "--add"),
                            (["run", "--vspe", "/no/such/vspe"], "/no/such/vspe")):
            done = subprocess.run([os.path.join(TOP, "tools/linux-guest"), *words], stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, check=False)
            with self.subTest(words=words):
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
                self.assertIn(says, done.stderr)


if __name__ == "__main__":
    unittest.main()
