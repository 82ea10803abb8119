# SPDX-License-Identifier: BSD-2-Clause
"""An archive that Linux unpacks as its first file system: cpio, format newc (the kernel's
Documentation/driver-api/early-userspace/buffer-format.rst). Owners are root, times are 0 and names are in order: the same
files make the same bytes."""
import os
import stat

# Nobody reads manuals in this guest.
LEFT_OUT = ("usr/share/man", "usr/share/locale", "usr/share/info", "usr/share/lintian", "usr/share/bug",
            "usr/share/bash-completion")


class Archive:
    """Writes members to `out`, a binary file. Folders have to come before what is in them."""

    def __init__(self, out):
        self.out = out
        self.inode = 0
        self.folders = set()

    def _member(self, name, mode, data=b""):
        self.inode += 1
        raw = name.encode("utf-8", "surrogateescape") + b"\0"
        fields = (self.inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(raw), 0)
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + raw
        for part in (head, data):
            self.out.write(part)
            self.out.write(bytes(-len(part) % 4))

    def folder(self, name):
        """`name`, and those that it is in."""
        parts = name.split("/")
        for count in range(1, len(parts) + 1):
            path = "/".join(parts[:count])
            if path and path not in self.folders:
                self.folders.add(path)
                self._member(path, stat.S_IFDIR | 0o755)

    def file(self, name, data, executable=False):
        self._member(name, stat.S_IFREG | (0o755 if executable else 0o644), data)

    def link(self, name, target):
        self._member(name, stat.S_IFLNK | 0o777, target.encode("utf-8", "surrogateescape"))

    def tree(self, root):
        """All of the folder `root` but LEFT_OUT. Devices and sockets are passed over: packages have none."""
        for path, folders, files in os.walk(root):
            inside = os.path.relpath(path, root)
            inside = "" if inside == "." else inside
            folders[:] = sorted(name for name in folders if os.path.join(inside, name) not in LEFT_OUT)
            self.folder(inside)
            for name in sorted(files) + [name for name in folders if os.path.islink(os.path.join(path, name))]:
                self.copy(os.path.join(path, name), os.path.join(inside, name))

    def copy(self, path, name):
        """The file or link `path` of this system, as `name`."""
        info = os.lstat(path)
        if stat.S_ISLNK(info.st_mode):
            self.link(name, os.readlink(path))
        elif stat.S_ISREG(info.st_mode):
            with open(path, "rb") as file:
                self.file(name, file.read(), bool(info.st_mode & 0o100))

    def end(self):
        self._member("TRAILER!!!", 0)
