# SPDX-License-Identifier: BSD-2-Clause
"""Packages of Debian's arm64, with all that they depend on, by an apt that keeps its state in a folder of its own. Nothing of
this system changes, and nobody has to be root."""
import fcntl
import glob
import hashlib
import lzma
import os
import shutil
import subprocess
import tempfile

from linux_guest import cpio

# The suite of each, and the one whose packages are newer than that has, if any.
RELEASES = {"12": ("bookworm", None), "13": ("trixie", None), "13-backports": ("trixie", "trixie-backports")}
KERNELS = {"cloud": "linux-image-cloud-arm64", "generic": "linux-image-arm64"}
PACKAGES = ("bash", "busybox-static", "coreutils", "grep", "linux-perf", "sed")
# Of the kernel: the SPE driver, those of virtio, packets for DHCP, the file system 9P, and ext4 and what systemd wants, as far as they are not built in, in the order
# of their loading.
MODULES = ("arm_spe_pmu", "virtio_ring", "virtio", "virtio_mmio", "virtio_blk", "virtio-rng", "virtio_console",
           "af_packet", "failover", "net_failover", "virtio_net", "netfs", "fscache", "9pnet", "9pnet_virtio", "9p",
           "crc32c_generic", "libcrc32c", "crc16", "mbcache", "jbd2", "ext4", "autofs4", "binfmt_misc")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
# What packages of Debian 12 put into /bin belongs to /usr/bin, as base-files has it.
MERGED = ("bin", "sbin", "lib")
ACCOUNTS = {"etc/passwd": b"root:x:0:0:root:/root:/bin/bash\n", "etc/group": b"root:x:0:\n", "etc/hostname": b"vspe\n",
            "etc/hosts": b"127.0.0.1 localhost vspe\n"}


class Failure(Exception):
    """What the user is told, in one line."""


class Debian:
    """One release in a folder of its own below `cache`. What has been made stays what it is, without a look at the mirror,
    until `update`: the same command boots the same bytes."""

    def __init__(self, cache, release, mirror, update):
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
            raise Failure(f"{KEYRING}: not there (package debian-archive-keyring)")
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

    def _run(self, *command):
        env = dict(os.environ, APT_CONFIG=os.path.join(self.folder, "apt.conf"), LC_ALL="C")
        try:
            done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        except FileNotFoundError as error:
            raise Failure(f"{command[0]}: not there; packages come by apt") from error
        if done.returncode:
            reasons = [line for line in done.stderr.splitlines() if line[:2] in ("E:", "W:")]
            raise Failure(f"{command[0]}: {(reasons or done.stderr.splitlines() or ['failed'])[0]}")
        return done.stdout

    def _update(self):
        self._run("apt-get", "-qq", "-o", "APT::Update::Error-Mode=any", "update")
        self._write("updated", "")

    def _need_lists(self):
        if not os.path.exists(os.path.join(self.folder, "updated")):
            self._update()

    def _made(self, words, make):
        """The lines that `make()` gave for `words` when it was asked first."""
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
        self._run("apt-get", "-qq", "-y", "--download-only", "install", *packages)
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
        """The packages that `package` depends on whose names begin so."""
        lines = (line.split() for line in self._run("apt-cache", "depends", package).splitlines())
        return [words[1] for words in lines if words[0] == "Depends:" and words[1].startswith(beginnings)]

    def _kernel_packages(self, kernel):
        """The package that follows the newest kernel names it. Since Linux 7 it is one that depends on those with its files."""
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
                self._run("sh", "-ec", 'cd "$1"; shift; apt-get -qq download "$@"; for deb in *.deb; do dpkg-deb -x "$deb" root; done; '
                          "mkdir made", "sh", work, *packages)
                self._take_kernel(work, package)
                os.makedirs(os.path.dirname(folder), exist_ok=True)
                os.rename(os.path.join(work, "made"), folder)
        return [os.path.join(folder, "Image"), *sorted(glob.glob(os.path.join(glob.escape(folder), "*.ko")))]

    @staticmethod
    def _take_kernel(work, package):
        images = [path for place in ("root/boot/vmlinuz-*", "root/usr/lib/modules/*/vmlinuz")
                  for path in glob.glob(os.path.join(work, place))]
        if not images:
            raise Failure(f"{package}: has no kernel")
        shutil.copy(images[0], os.path.join(work, "made/Image"))
        for name in MODULES:
            for path in glob.glob(os.path.join(work, f"root/**/{name}.ko*"), recursive=True):
                with (lzma.open if path.endswith(".xz") else open)(path, "rb") as file:
                    module = file.read()
                with open(os.path.join(work, f"made/{name}.ko"), "wb") as file:
                    file.write(module)
        if not os.path.exists(os.path.join(work, f"made/{MODULES[0]}.ko")):
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
            with tempfile.TemporaryDirectory(dir=self.folder) as work:
                self._pack(debs, work)
                os.rename(os.path.join(work, "cpio"), path)
        return [path]

    def _pack(self, debs, work):
        root = os.path.join(work, "root")
        for deb in debs:
            self._run("dpkg-deb", "-x", deb, root)
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
