# SPDX-License-Identifier: BSD-2-Clause
"""A kernel of the user's own: its Image, and which of its modules the guest loads."""
import glob
import gzip
import hashlib
import lzma
import os
import shutil
import subprocess
import tempfile

from linux_guest.failure import Failure
from linux_guest.modules import MODULES


def _zstd(path):
    try:
        return subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout
    except FileNotFoundError as error:
        raise Failure(f"{path}: needs zstd (apt install zstd)") from error
    except subprocess.CalledProcessError as error:
        raise Failure(f"{path}: zstd cannot read it") from error


def _plain(path):
    with open(path, "rb") as file:
        return file.read()


def _opened(open_it):
    def read(path):
        try:
            with open_it(path, "rb") as file:
                return file.read()
        except (OSError, EOFError, lzma.LZMAError) as error:
            raise Failure(f"{path}: {error}") from error
    return read


READERS = {".ko": _plain, ".xz": _opened(lzma.open), ".gz": _opened(gzip.open), ".zst": _zstd}


def take_modules(root, out):
    """Those of MODULES that are anywhere below `root`, unpacked into `out`."""
    for name in MODULES:
        spellings = {name, name.replace("-", "_"), name.replace("_", "-")}
        for path in sorted(found for word in spellings
                           for found in glob.glob(f"{glob.escape(root)}/**/{word}.ko*", recursive=True)):
            read = READERS.get(os.path.splitext(path)[1])
            if not read:
                continue
            with open(os.path.join(out, f"{name}.ko"), "wb") as file:
                file.write(read(path))
            break


def images(root):
    """Kernels below `root`, of a package's files."""
    return sorted(path for place in ("boot/vmlinuz-*", "usr/lib/modules/*/vmlinuz", "lib/modules/*/vmlinuz")
                  for path in glob.glob(os.path.join(glob.escape(root), place)))


def _made(cache, words, make):
    """The folder that `make(folder)` filled for `words` when it was asked first."""
    digest = hashlib.sha256("\n".join([*MODULES, *words]).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    folder = os.path.join(cache, "kernels", digest)
    if not os.path.isdir(folder):
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        with tempfile.TemporaryDirectory(dir=os.path.dirname(folder)) as work:
            made = os.path.join(work, "made")
            os.mkdir(made)
            make(work, made)
            try:
                os.rename(made, folder)
            except OSError:  # another one has made the same
                if not os.path.isdir(folder):
                    raise
    return folder


def _digest(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def of_package(cache, deb):
    """Image and modules of the Debian package `deb`."""
    def make(work, made):
        root = os.path.join(work, "root")
        try:
            subprocess.run(["dpkg-deb", "-x", deb, root], capture_output=True, text=True, check=True)
        except FileNotFoundError as error:
            raise Failure("dpkg-deb: not there (package dpkg)") from error
        except subprocess.CalledProcessError as error:
            raise Failure(f"{deb}: {(error.stderr.splitlines() or ['dpkg-deb failed'])[0]}") from error
        found = images(root)
        if not found:
            raise Failure(f"{deb}: has no kernel in /boot; which package of the build has?")
        shutil.copy(found[0], os.path.join(made, "Image"))
        take_modules(root, made)

    folder = _made(cache, ["deb", _digest(deb)], make)
    return os.path.join(folder, "Image"), _modules(folder)


def _is_image(path):
    """An arm64 Image, plain, compressed by gzip, or in the wrapper of an EFI application (Documentation/arch/arm64/booting.rst)."""
    with open(path, "rb") as file:
        head = file.read(64)
    return head[56:60] == b"ARM\x64" or head[:2] == b"\x1f\x8b" or head[:2] == b"MZ" and head[4:8] == b"zimg"


def of_build(image, modules, work):
    """Image and modules of a build of the user's, which may change: nothing is kept but in the folder `work`. `modules` is None, or
    what they were installed to."""
    if not _is_image(image):
        raise Failure(f"--kernel {image}: not an arm64 Image; a build has it in arch/arm64/boot")
    if not modules:
        return os.path.abspath(image), []
    folder = os.path.join(work, "modules")
    os.mkdir(folder)
    take_modules(modules, folder)
    if not os.listdir(folder):
        raise Failure(f"--modules {modules}: none of the guest's drivers is below it; give what INSTALL_MOD_PATH was")
    return os.path.abspath(image), _modules(folder)


def _modules(folder):
    return sorted(glob.glob(os.path.join(glob.escape(folder), "*.ko")))
