# SPDX-License-Identifier: BSD-2-Clause
"""A disk with Debian on it: debootstrap's first stage here, without root, and its second one in a guest."""
import os
import shutil
import subprocess
import tempfile

from linux_guest.debian import RELEASES, Failure

PACKAGES = ("dbus", "iproute2", "kmod", "linux-perf", "login", "python3", "systemd-sysv", "udev")
TOOLS = {"debootstrap": "debootstrap", "fakeroot": "fakeroot", "mke2fs": "e2fsprogs"}
# One shell, since fakeroot knows who owns a file as long as it runs. Files of the image have the owners that it says. The second
# stage looks for each package in the lists several times: they name no others.
FIRST_STAGE = """set -e
debootstrap --foreign --arch=arm64 --variant=minbase --include="$1" "$2" "$3/root" "$4"
ls "$3/root/var/cache/apt/archives" | sed 's/_.*//' >"$3/names"
for list in "$3"/root/var/lib/apt/lists/*_Packages; do
	awk 'NR == FNR { wanted[$0]; next } $2 in wanted' "$3/names" RS= ORS='\\n\\n' "$list" >"$3/list"
	cat "$3/list" >"$list"
done
printf '/dev/vda / ext4 defaults 0 1\\n' >"$3/root/etc/fstab"
echo vspe >"$3/root/etc/hostname"
printf '127.0.0.1 localhost\\n127.0.1.1 vspe\\n' >"$3/root/etc/hosts"
truncate -s "$5" "$3/disk"
mke2fs -q -t ext4 -L vspe -d "$3/root" "$3/disk"
"""
# The second one configures the packages; what follows it makes a system of them that root can log in to.
SECOND_STAGE = """set -e
mkdir -p /mnt
mount -t ext4 /dev/vda /mnt
mount -t proc proc /mnt/proc
mount --bind /dev /mnt/dev
chroot /mnt /debootstrap/debootstrap --second-stage ||
	{ tail -n 20 /mnt/debootstrap/debootstrap.log; exit 1; }
chroot /mnt passwd -q -d root
chroot /mnt systemd-machine-id-setup
chroot /mnt apt-get clean
for folder in dev proc sys; do
	! mountpoint -q /mnt/$folder || umount /mnt/$folder
done
umount /mnt
"""


def _find_tools():
    # They are where root's are, which is not everybody's PATH.
    path = os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin"
    for tool, package in TOOLS.items():
        if not shutil.which(tool, path=path):
            raise Failure(f"{tool}: not there (package {package})")
    return dict(os.environ, PATH=path, LC_ALL="C")


def make(release, mirror, packages, size, output, configure):
    """Writes `output`, a file of `size` bytes with an ext4 of Debian. `configure(disk, script)` runs `script` in a guest that has
    `disk`, and gives its status. An `output` that is there stays what it is."""
    if os.path.lexists(output):
        raise Failure(f"{output}: is there already")
    environment = _find_tools()
    names = ",".join(sorted({*PACKAGES, *packages}))
    with tempfile.TemporaryDirectory(dir=os.path.dirname(os.path.abspath(output))) as work:
        log = os.path.join(work, "log")
        with open(log, "w", encoding="utf-8") as out:
            done = subprocess.run(["fakeroot", "sh", "-c", FIRST_STAGE, "sh", names, RELEASES[release], work, f"{mirror}/debian", str(size)],
                                  env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out, check=False)
        if done.returncode:
            raise Failure(_reason(log))
        shutil.rmtree(os.path.join(work, "root"))
        script = os.path.join(work, "second-stage")
        with open(script, "w", encoding="utf-8") as file:
            file.write(SECOND_STAGE)
        disk = os.path.join(work, "disk")
        status = configure(disk, script)
        if status:
            raise Failure(f"{output}: the packages' scripts failed in the guest: {status}")
        os.rename(disk, output)


def _reason(log):
    with open(log, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    reasons = [line for line in lines if line.startswith(("E:", "mke2fs:"))]
    return f"debootstrap: {(reasons or lines or ['failed'])[-1]}"
