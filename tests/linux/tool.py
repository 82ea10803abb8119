#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What tools/linux-guest does without a guest: archives, the console's lines, wrong uses."""
import base64
import gzip
import io
import lzma
import os
import pty
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tools"))
FOLDER = os.path.join(TOP, "tools/linux_guest")
from linux_guest import command as command_of, cpio, kernel, options as options_of, pgo, progress, session  # noqa: E402
from linux_guest.failure import Failure  # noqa: E402


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
            modules, ["sh", "-c", "echo $1; true"], [(__file__, "/a/b/c")], ["/tmp/d"]))}

    def test_shell(self):
        self.assertNotIn("linux-guest/command", [name for name, _, _ in members(session.overlay([], None, [], []))])

    def test_root(self):
        files = {name: data for name, _, data in members(session.overlay([], None, [(__file__, "/a/b")], [], True))}
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


class Words(unittest.TestCase):
    """What vspe run is started with."""

    def words(self, *given, size=0):
        options, rest, command = options_of.parse([*given, "--vspe", "/bin/true", "--", "true"])
        self.assertEqual(command, ["true"])
        with tempfile.NamedTemporaryFile() as initrd:
            initrd.truncate(size)
            return command_of.Guest(options, rest).words("Image", initrd.name, rest)

    def test_as_much_memory_as_the_files_need(self):
        for size, given, expected in ((100 << 20, (), "--mem 1024 "), (324 << 20, (), "--mem 1280 "),
                                      (1 << 30, ("-m", "512"), "-m 512")):
            with self.subTest(size=size, given=given):
                words = " ".join(self.words(*given, size=size))
                self.assertIn(expected, words)
                self.assertEqual(words.count("--mem") + words.count("-m "), 1)

    def test_a_guest_in_memory_ends_when_it_resets_itself(self):
        self.assertIn("--no-reboot", self.words())
        self.assertNotIn("--no-reboot", self.words("--root", __file__))
        self.assertEqual(self.words("--no-reboot").count("--no-reboot"), 1)

    def test_a_core_with_data_sources_where_nothing_is_said(self):
        self.assertIn("--cpu neoverse-n1 --spe archinst --model warm", " ".join(self.words("--cpus", "2")))
        for word in ("--spe=v1p5", "--cpu=max", "--no-spe", "--isa=all", "--model=off", "--engine=kvm"):
            with self.subTest(word=word):
                self.assertNotIn("neoverse-n1", self.words(word))

    def test_the_clock_of_the_host_where_there_is_a_way_out(self):
        for given, expected in ((("--net", "user"), True), (("--net=user,hostfwd=tcp::8080-:80",), True), ((), False),
                                (("--net", "user,restrict=on"), False),
                                (("--net=user", "--record=file"), False), (("--net=user", "--replay=file"), False), (("--net=user", "--rtc=0"), False), (("--net=none",), False)):
            with self.subTest(given=given):
                self.assertEqual("--rtc host" in " ".join(self.words(*given)), expected)

    def test_both_spellings_of_an_option(self):
        words = ["--net", "user", "--model=full", "--cpus", "2", "--net=none", "--model", "warm", "--rng"]
        self.assertEqual(options_of.values(words, "--net"), ["user", "none"])
        self.assertEqual(options_of.without(words, "--model"), ["--net", "user", "--cpus", "2", "--net=none", "--rng"])

    def test_memory(self):
        self.assertIn("--mem 1024", " ".join(self.words()))
        self.assertEqual([word for word in self.words("-m", "512") if word in ("--mem", "-m")], ["-m"])

    def test_a_program_and_its_arguments(self):
        for words in (["pgo", "--period", "512", "--spe=v1p2", __file__, "--period", "x"], ["pgo", "--quiet", __file__, "--period", "x"],
                      ["pgo", "--timeout", "300", __file__, "--period", "x"], ["pgo", "--cpus", "2", "--", __file__, "--period", "x"]):
            with self.subTest(words=words):
                self.assertEqual(options_of.parse(words)[2], [__file__, "--period", "x"])


class Kernels(unittest.TestCase):
    def test_modules_of_a_build(self):
        with tempfile.TemporaryDirectory() as folder:
            deep = os.path.join(folder, "lib/modules/7.3.0/kernel/drivers")
            os.makedirs(deep)
            for name, made in (("arm_spe_pmu.ko.xz", lzma.compress(b"spe")), ("virtio_rng.ko.gz", gzip.compress(b"rng")), ("9p.ko", b"9p"),
                               ("9pnet.ko.sig", b"no module"), ("other.ko", b"other")):
                with open(os.path.join(deep, name), "wb") as file:
                    file.write(made)
            work = os.path.join(folder, "work")
            os.mkdir(work)
            own = os.path.join(folder, "Image")
            Path(own).write_bytes(bytes(56) + b"ARM\x64")
            image, modules = kernel.of_build(own, folder, work)
            self.assertEqual(image, own)
            found = {os.path.basename(path): Path(path).read_bytes() for path in modules}
            self.assertEqual(found, {"arm_spe_pmu.ko": b"spe", "virtio-rng.ko": b"rng", "9p.ko": b"9p"})

    def test_what_is_none(self):
        with tempfile.TemporaryDirectory() as folder:
            own = os.path.join(folder, "Image")
            Path(own).write_bytes(b"\x1f\x8b")
            with self.assertRaisesRegex(Failure, "none of the guest's drivers"):
                kernel.of_build(own, folder, folder)
            with self.assertRaisesRegex(Failure, "not an arm64 Image"):
                kernel.of_build(__file__, None, folder)
            path = os.path.join(folder, "arm_spe_pmu.ko.xz")
            with open(path, "wb") as file:
                file.write(b"not xz")
            with self.assertRaisesRegex(Failure, "arm_spe_pmu.ko.xz"):
                kernel.take_modules(folder, folder)
            with self.assertRaisesRegex(Failure, "arm_spe_pmu.ko.xz: dpkg-deb"):
                kernel.of_package(folder, path)

    def test_programs_to_optimise(self):
        head = bytearray(b"\x7fELF\x02\x01" + bytes(58))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program")
            for kind, machine, base in ((2, 183, 0), (3, 183, 0xaaaaaaaa0000), (2, 62, None), (1, 183, None)):
                struct.pack_into("<HH", head, 16, kind, machine)
                with open(path, "wb") as file:
                    file.write(head)
                with self.subTest(kind=kind, machine=machine):
                    if base is not None:
                        self.assertEqual(pgo.base_of(path), base)
                        continue
                    with self.assertRaisesRegex(Failure, "not a 64-bit"):
                        pgo.base_of(path)
            with open(path, "wb") as file:
                file.write(b"x")
            with self.assertRaisesRegex(Failure, "not a program"):
                pgo.base_of(path)


class Shown(unittest.TestCase):
    def test_a_file_has_a_line_a_step(self):
        out = io.StringIO()
        made = progress.Progress(file=out)
        made.step("fetching")
        made.move(0.5, "one")
        made.end()
        self.assertEqual(out.getvalue(), "vspe linux: fetching\n")

    def test_a_terminal_has_a_bar(self):
        master, slave = pty.openpty()
        with open(slave, "w", encoding="utf-8") as out:
            made = progress.Progress(file=out)
            made.step("fetching")
            made.move(0.5, "one\x1b[2J")
            made.end()
            shown = b""
            while not shown.endswith(b"\r\x1b[K"):
                shown += os.read(master, 4096)
        self.assertRegex(shown, rb"vspe linux: fetching\r\n\r\x1b\[K\[#{15} {15}\]  50 % one\[2J\r\x1b\[K$")
        os.close(master)

    def test_quiet(self):
        out = io.StringIO()
        progress.Progress(True, out).step("fetching")
        self.assertEqual(out.getvalue(), "")


class WrongUses(unittest.TestCase):
    def test_wrong_uses(self):
        for words, says in ((["walk"], "walk"), (["dsik", "--output", "x"], "did you mean disk"), (["run", "--kernel-deb", "/no/such"], "/no/such"),
                            (["run", "--relaese=13"], "did you mean --release"),
                            (["run", "--modules", FOLDER], "--modules"), (["run", "--kernel-deb", __file__, "--kernel", "generic"], "--kernel-deb"),
                            (["disk", "--output", "x", "--kernel", __file__], "a disk has one of Debian's"), (["run", "--period", "256"], "--period"),
                            (["pgo", "--period", "9", "x"], "9"), (["run", "--release", "11"], "11"), (["run", "--kernel", "rt"], "rt"),
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


class Initrd(unittest.TestCase):
    """An initrd is replaced whole: who has the earlier one open, or opens it meanwhile, reads one of both."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.packed, self.path = (os.path.join(self.folder.name, name) for name in ("packed", "initrd"))
        Path(self.packed).write_bytes(b"p" * (3 << 20))

    def made(self, rest):
        return command_of.Guest.initrd(None, self.packed, rest, self.path)

    def test_replaced(self):
        self.assertEqual(self.made(b"one"), self.path)
        with open(self.path, "rb") as earlier:
            self.made(b"another")
            self.assertEqual(earlier.read()[3 << 20:], b"one")
        self.assertEqual(Path(self.path).read_bytes()[3 << 20:], b"another")
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["initrd", "packed"])

    def test_failure_leaves_the_earlier_one(self):
        self.made(b"one")
        with self.assertRaises(TypeError):
            self.made("no bytes")
        self.assertEqual(Path(self.path).read_bytes()[3 << 20:], b"one")
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["initrd", "packed"])

    def test_link_stays(self):
        os.symlink("there", self.path)
        self.made(b"one")
        self.assertTrue(os.path.islink(self.path))
        self.assertEqual(Path(self.folder.name, "there").read_bytes()[3 << 20:], b"one")


if __name__ == "__main__":
    unittest.main()
