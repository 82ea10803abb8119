# SPDX-License-Identifier: BSD-2-Clause
"""A disk with Debian on it: debootstrap's first stage here, without root, and its second one in a guest."""
import os
import shutil
import subprocess
import tempfile

from linux_guest.debian import KERNELS, RELEASES, Failure

PACKAGES = ("dbus", "iproute2", "kmod", "linux-perf", "login", "python3", "systemd-sysv", "udev")
UEFI_PACKAGES = ("grub-efi-arm64-bin", "initramfs-tools")
TOOLS = {"debootstrap": "debootstrap", "fakeroot": "fakeroot", "mke2fs": "e2fsprogs"}
UEFI_TOOLS = {"sfdisk": "fdisk", "mformat": "mtools"}
# MiB, of a disk with partitions
SYSTEM_START, SYSTEM_SIZE = 1, 64
ROOT_START = SYSTEM_START + SYSTEM_SIZE
# One shell, since fakeroot knows who owns a file as long as it runs. Files of the image have the owners that it says. The second
# stage looks for each package in the lists several times: they name no others.
FIRST_STAGE = """set -e
debootstrap --foreign --arch=arm64 --variant=minbase --include="$1" "$2" "$3/root" "$4"
ls "$3/root/var/cache/apt/archives" | sed 's/_.*//' >"$3/names"
for list in "$3"/root/var/lib/apt/lists/*_Packages; do
	awk 'NR == FNR { wanted[$0]; next } $2 in wanted' "$3/names" RS= ORS='\\n\\n' "$list" >"$3/list"
	cat "$3/list" >"$list"
done
printf 'LABEL=vspe / ext4 defaults 0 1\\n' >"$3/root/etc/fstab"
echo vspe >"$3/root/etc/hostname"
printf '127.0.0.1 localhost\\n127.0.1.1 vspe\\n' >"$3/root/etc/hosts"
truncate -s "$5" "$3/disk"
if [ -z "$6" ]; then
	mke2fs -q -t ext4 -L vspe -d "$3/root" "$3/disk"
	exit
fi
# What GRUB does not know is left out of the file system.
mkdir -p "$3/root/etc/initramfs-tools/conf.d"
echo COMPRESS=gzip >"$3/root/etc/initramfs-tools/conf.d/vspe"
mke2fs -q -t ext4 -O ^orphan_file,^metadata_csum_seed -L vspe -d "$3/root" -E "offset=$(($6 << 20))" "$3/disk" \
	"$((($5 >> 10) - ($6 << 10) - 1024))k"
"""
# An EFI system partition with GRUB, which finds the kernel on the other one.
SYSTEM_PARTITION = """set -e
printf 'label: gpt\n start=%sMiB, size=%sMiB, type=uefi\n start=%sMiB, type=linux\n' "$2" "$3" "$4" |
	sfdisk -q "$1/disk"
for package in "$1"/root/var/cache/apt/archives/grub-efi-arm64-*.deb; do # -bin of Debian 12, -unsigned of 13
	dpkg-deb --fsys-tarfile "$package" | tar -xOf - ./usr/lib/grub/arm64-efi/monolithic/gcdaa64.efi 2>/dev/null >>"$1/grub" || :
done
[ -s "$1/grub" ] || { echo "E: GRUB's packages have no gcdaa64.efi"; exit 1; }
cat >"$1/grub.cfg" <<-'LINES'
	search --no-floppy --set=root --label vspe
	linux /vmlinuz root=LABEL=vspe console=ttyAMA0
	initrd /initrd.img
	boot
LINES
partition=$1/disk@@${2}M
mformat -i "$partition" -F -T $(($3 << 11)) -v EFI ::
mmd -i "$partition" ::EFI ::EFI/BOOT ::boot ::boot/grub
mcopy -i "$partition" "$1/grub" ::EFI/BOOT/BOOTAA64.EFI
mcopy -i "$partition" "$1/grub.cfg" ::boot/grub/grub.cfg
"""
# The second one configures the packages; what follows it makes a system of them that root can log in to.
SECOND_STAGE = """set -e
mkdir -p /mnt
mount -t ext4 "$(if [ -e /dev/vda2 ]; then echo /dev/vda2; else echo /dev/vda; fi)" /mnt
mount -t proc proc /mnt/proc
mount --bind /dev /mnt/dev
chroot /mnt /debootstrap/debootstrap --second-stage ||
	{ tail -n 20 /mnt/debootstrap/debootstrap.log; exit 1; }
chroot /mnt passwd -q -d root
chroot /mnt systemd-machine-id-setup
chroot /mnt apt-get clean
for folder in dev proc sys; do
	if grep -q " /mnt/$folder " /proc/mounts; then umount /mnt/$folder; fi
done
umount /mnt
"""


def _find_tools(tools):
    # They are where root's are, which is not everybody's PATH.
    path = os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin"
    for tool, package in tools.items():
        if not shutil.which(tool, path=path):
            raise Failure(f"{tool}: not there (package {package})")
    return dict(os.environ, PATH=path, LC_ALL="C")


def make(release, mirror, packages, size, output, configure, uefi=None):
    """Writes `output`, a file of `size` bytes with an ext4 of Debian. `configure(disk, script)` runs `script` in a guest that has
    `disk`, and gives its status. An `output` that is there stays what it is. `uefi` is the kernel, "cloud" or "generic", of a disk
    that firmware can start: one with partitions."""
    suite, newer = RELEASES[release]
    if newer:
        raise Failure(f"--release {release}: has a kernel and programs, no whole system; the disk of another release boots with them")
    if os.path.lexists(output):
        raise Failure(f"{output}: is there already")
    environment = _find_tools({**TOOLS, **UEFI_TOOLS} if uefi else TOOLS)
    names = ",".join(sorted({*PACKAGES, *packages, *((KERNELS[uefi], *UEFI_PACKAGES) if uefi else ())}))
    with tempfile.TemporaryDirectory(dir=os.path.dirname(os.path.abspath(output))) as work:
        log = os.path.join(work, "log")
        commands = [["fakeroot", "sh", "-c", FIRST_STAGE, "sh", names, suite, work, f"{mirror}/debian", str(size),
                     str(ROOT_START) if uefi else ""]]
        if uefi:
            commands.append(["sh", "-c", SYSTEM_PARTITION, "sh", work, str(SYSTEM_START), str(SYSTEM_SIZE), str(ROOT_START)])
        for command in commands:
            with open(log, "w", encoding="utf-8") as out:
                done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out, check=False)
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
    reasons = [line for line in lines if line.startswith(("E:", "mke2fs:", "sfdisk:", "mformat", "mcopy"))]
    return f"making the disk: {(reasons or lines or ['failed'])[-1]}"
