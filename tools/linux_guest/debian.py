# SPDX-License-Identifier: BSD-2-Clause
"""Packages of Debian's arm64 with all their dependencies, by an apt that keeps its state in a separate folder. Nothing
of this system changes, and you need not be root."""
import fcntl
import glob
import hashlib
import os
import shutil
import subprocess
import tempfile

from linux_guest import cpio, kernel as kernels
from linux_guest.failure import Failure
from linux_guest.modules import MODULES
from linux_guest.progress import Progress

# The suite of each release, and the suite of its newer packages, if any.
RELEASES = {"12": ("bookworm", None), "13": ("trixie", None), "13-backports": ("trixie", "trixie-backports")}
KERNELS = {"cloud": "linux-image-cloud-arm64", "generic": "linux-image-arm64"}
PACKAGES = ("bash", "busybox-static", "coreutils", "grep", "linux-perf", "sed")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
# Debian 12's base-files moves what packages put into /bin to /usr/bin.
MERGED = ("bin", "sbin", "lib")
ACCOUNTS = {"etc/passwd": b"root:x:0:0:root:/root:/bin/bash\n", "etc/group": b"root:x:0:\n", "etc/hostname": b"vspe\n",
            "etc/hosts": b"127.0.0.1 localhost vspe\n"}


class Debian:
    """One release, in a separate folder below `cache`. What it has stays as it is until `update`, and the mirror is not
    consulted: the same command boots the same bytes."""

    def __init__(self, cache, release, mirror, update, progress=None):
        self.progress = progress or Progress(quiet=True)
        self.release, self.mirror = release, mirror
        self.folder = os.path.join(os.path.abspath(cache), release)
        for name in ("state/lists/partial", "cache/archives/partial", "preferences.d"):
            os.makedirs(os.path.join(self.folder, name), exist_ok=True)
        # Two at once would write the same files.
        self.lock = open(os.path.join(self.folder, "lock"), "w", encoding="utf-8")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self._configure(*RELEASES[release], mirror)
        if update:
            self._update()
            shutil.rmtree(os.path.join(self.folder, "sets"), ignore_errors=True)
            for path in glob.glob(os.path.join(self.folder, "root-*.cpio")):
                os.unlink(path)

    def close(self):
        self.lock.close()

    def _write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def _configure(self, suite, newer, mirror):
        if not os.path.exists(KEYRING):
            raise Failure(f"{KEYRING}: not there (apt install debian-archive-keyring)")
        self._write("status", "")
        places = [f"/debian {suite} main", f"/debian {suite}-updates main", f"/debian-security {suite}-security main"]
        if newer:
            places.append(f"/debian {newer} main")
        self._write("sources.list", "".join(f"deb [arch=arm64 signed-by={KEYRING}] {mirror}{place}\n" for place in places))
        self._write("apt.conf", f'''Dir::State "{self.folder}/state";
Dir::State::status "{self.folder}/status";
Dir::Cache "{self.folder}/cache";
Dir::Log "{self.folder}";
Dir::Etc::sourcelist "{self.folder}/sources.list";
Dir::Etc::sourceparts "-";
Dir::Etc::preferences "-";
Dir::Etc::preferencesparts "{self.folder}/preferences.d";
APT::Default-Release "{newer or ''}";
APT::Architecture "arm64";
APT::Architectures {{ "arm64"; }};
APT::Install-Recommends "false";
Acquire::Languages "none";
APT::Sandbox::User "";
''')

    def _start(self, command, **words):
        env = dict(os.environ, APT_CONFIG=os.path.join(self.folder, "apt.conf"), LC_ALL="C")
        try:
            return subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, text=True, errors="replace", **words)
        except FileNotFoundError as error:
            raise Failure(f"{command[0]}: not there; packages come by apt") from error

    @staticmethod
    def _check(command, status, said):
        if status:
            reasons = [line for line in said.splitlines() if line[:2] in ("E:", "W:")]
            raise Failure(f"{command[0]}: {(reasons or said.splitlines() or ['failed'])[0]}")

    def _run(self, *command):
        with self._start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            out, said = run.communicate()
        self._check(command, run.returncode, said)
        return out

    def _fetch(self, *command, **words):
        """The same for a command that fetches; apt reports its progress: dlstatus:FILES:PER
        CENT:WORDS."""
        reader, writer = os.pipe()
        with tempfile.TemporaryFile("w+", errors="replace") as said, open(reader, encoding="utf-8", errors="replace") as lines:
            try:
                run = self._start([*command, "-o", f"APT::Status-Fd={writer}"], pass_fds=(writer,), stdout=said, stderr=said, **words)
            finally:
                os.close(writer)
            with run:
                for line in lines:
                    kind, *parts = line.rstrip("\n").split(":", 3)
                    if kind == "dlstatus" and len(parts) == 3:
                        self.progress.move(float(parts[1]) / 100, parts[2])
            said.seek(0)
            self._check(command, run.returncode, said.read())
        self.progress.end()

    def _announce(self, what, *command):
        """Says how much will be fetched, if anything."""
        sizes = [int(line.split()[2]) for line in self._run(*command).splitlines() if line.startswith("'")]
        if sizes:
            files = f"{len(sizes)} package{'s' if len(sizes) > 1 else ''}"
            self.progress.step(f"fetching {what}: {files}, {sum(sizes) / 1e6:.1f} MB")

    def _update(self):
        self.progress.step(f"fetching the lists of Debian {self.release}'s packages from {self.mirror}")
        self._fetch("apt-get", "-qq", "-o", "APT::Update::Error-Mode=any", "update")
        self._write("updated", "")

    def _need_lists(self):
        if not os.path.exists(os.path.join(self.folder, "updated")):
            self._update()

    def _made(self, words, make):
        """The lines that `make()` gave for `words` the first time."""
        path = os.path.join(self.folder, "sets", hashlib.sha256("\n".join(words).encode()).hexdigest()[:16])
        if not os.path.exists(path):
            self._need_lists()
            lines = make()
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path + ".new", "w", encoding="utf-8") as file:
                file.write("".join(line + "\n" for line in lines))
            os.rename(path + ".new", path)
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()

    def _closure(self, packages):
        """Files of `packages` and of all that these depend on."""
        install = ("apt-get", "-qq", "-y", "--download-only", "install", *packages)
        self._announce("the guest's programs", *install, "--print-uris")
        self._fetch(*install)
        found = []
        for line in self._run("apt-get", "-s", "install", *packages).splitlines():
            if not line.startswith("Inst "):
                continue
            name, version = line.split()[1], line.split()[2].lstrip("(").replace(":", "%3a")
            files = glob.glob(os.path.join(self.folder, "cache/archives", f"{glob.escape(name)}_{version}_*.deb"))
            if not files:
                raise Failure(f"{name}: apt has not fetched {version}")
            found.append(files[0])
        return sorted(found)

    def _needs(self, package, *beginnings):
        """The packages that `package` depends on whose names begin with one of `beginnings`."""
        lines = (line.split() for line in self._run("apt-cache", "depends", package).splitlines())
        return [words[1] for words in lines if words[0] == "Depends:" and words[1].startswith(beginnings)]

    def _kernel_packages(self, kernel):
        """A package that follows the newest kernel names it. Since Linux 7 that one depends on those with its files."""
        for package in self._needs(KERNELS[kernel], "linux-image-"):
            return [package, *self._needs(package, "linux-binary-", "linux-modules-")]
        raise Failure(f"{KERNELS[kernel]}: depends on no kernel")

    def kernel(self, kernel):
        """Image and unpacked MODULES of the kernel, "cloud" or "generic"; the newest that the lists name."""
        image, *modules = self._made(("kernel", kernel, *MODULES), lambda: self._make_kernel(self._kernel_packages(kernel)))
        return image, modules

    def _make_kernel(self, packages):
        package = packages[0]
        wanted = hashlib.sha256("\n".join(MODULES).encode()).hexdigest()[:8]
        folder = os.path.join(self.folder, "modules", f"{package}-{wanted}")
        if not os.path.exists(folder):
            with tempfile.TemporaryDirectory(dir=self.folder) as work:
                download = ("apt-get", "-qq", "download", *packages)
                self._announce("the kernel", *download, "--print-uris")
                self._fetch(*download, cwd=work)
                for deb in glob.glob(os.path.join(glob.escape(work), "*.deb")):
                    self._run("dpkg-deb", "-x", deb, os.path.join(work, "root"))
                self._take_kernel(work, package)
                os.makedirs(os.path.dirname(folder), exist_ok=True)
                os.rename(os.path.join(work, "made"), folder)
        return [os.path.join(folder, "Image"), *sorted(glob.glob(os.path.join(glob.escape(folder), "*.ko")))]

    @staticmethod
    def _take_kernel(work, package):
        made = os.path.join(work, "made")
        os.mkdir(made)
        images = kernels.images(os.path.join(work, "root"))
        if not images:
            raise Failure(f"{package}: has no kernel")
        shutil.copy(images[0], os.path.join(made, "Image"))
        kernels.take_modules(os.path.join(work, "root"), made)
        if not os.path.exists(os.path.join(made, f"{MODULES[0]}.ko")):
            raise Failure(f"{package}: has no SPE driver")

    def initrd(self, packages):
        """An archive with PACKAGES and `packages`, made once for each set."""
        names = sorted({*PACKAGES, *packages})
        digest = hashlib.sha256()
        for path in (__file__, cpio.__file__):
            with open(path, "rb") as file:
                digest.update(file.read())
        code = digest.hexdigest()
        return self._made(("initrd", code, *names), lambda: self._make_initrd(names, code))[0]

    def _make_initrd(self, names, code):
        debs = self._closure(names)
        text = "\n".join([code, *map(os.path.basename, debs)])
        path = os.path.join(self.folder, f"root-{hashlib.sha256(text.encode()).hexdigest()[:16]}.cpio")
        if not os.path.exists(path):
            self.progress.step(f"unpacking {len(debs)} packages into an initrd")
            with tempfile.TemporaryDirectory(dir=self.folder) as work:
                self._pack(debs, work)
                os.rename(os.path.join(work, "cpio"), path)
        return [path]

    def _pack(self, debs, work):
        root = os.path.join(work, "root")
        for done, deb in enumerate(debs):
            self.progress.move(done / len(debs), os.path.basename(deb))
            self._run("dpkg-deb", "-x", deb, root)
        self.progress.end()
        for name in MERGED:
            path = os.path.join(root, name)
            if os.path.islink(path):
                continue  # Debian 13's base-files has them
            if os.path.isdir(path):
                shutil.copytree(path, os.path.join(root, "usr", name), symlinks=True, dirs_exist_ok=True)
                shutil.rmtree(path)
            os.symlink(os.path.join("usr", name), path)
        if not os.path.lexists(os.path.join(root, "usr/bin/sh")):
            os.symlink("bash", os.path.join(root, "usr/bin/sh"))
        for name, data in ACCOUNTS.items():
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if not os.path.exists(path):
                with open(path, "wb") as file:
                    file.write(data)
        with open(os.path.join(work, "cpio"), "wb") as out:
            archive = cpio.Archive(out)
            archive.tree(root)
            archive.end()
