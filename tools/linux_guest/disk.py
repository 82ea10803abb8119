# SPDX-License-Identifier: BSD-2-Clause
"""A disk with Debian on it: debootstrap's first stage here, without root, and its second one in a guest."""
import hashlib
import os
import shutil
import subprocess
import tempfile

from linux_guest.debian import KERNELS, RELEASES
from linux_guest.failure import Failure

PACKAGES = ("dbus", "e2fsprogs", "iproute2", "kmod", "linux-perf", "login", "python3", "systemd-sysv", "udev")
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
# The card of --net user, its DHCP and its name server.
mkdir -p "$3/root/etc/systemd/network"
printf '[Match]\\nType=ether\\n\\n[Network]\\nDHCP=ipv4\\n' >"$3/root/etc/systemd/network/80-dhcp.network"
printf 'nameserver 10.0.2.3\\n' >"$3/root/etc/resolv.conf"
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
chroot /mnt systemctl -q enable systemd-networkd
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
            raise Failure(f"{tool}: not there (apt install {package})")
    return dict(os.environ, PATH=path, LC_ALL="C")


def make(options, cache, progress, configure):
    """Writes options.output, a file of a disk with an ext4 of Debian. A disk of the same words that was made before is in the folder
    `cache`, and is copied. `configure(disk, script)` runs `script` in a guest that has `disk`, and gives its status. An output that is
    there stays what it is."""
    suite, newer = RELEASES[options.release]
    if newer:
        raise Failure(f"--release {options.release}: has a kernel and programs, not a whole system; the disk of another release boots "
                      "with them")
    if os.path.lexists(options.output):
        raise Failure(f"{options.output}: is there already")
    environment = _find_tools({**TOOLS, **UEFI_TOOLS} if options.uefi else TOOLS)
    size = options.size or 2 << 30
    names = sorted({*PACKAGES, *options.package, *((KERNELS[options.kernel], *UEFI_PACKAGES) if options.uefi else ())})
    with open(__file__, "rb") as file:
        code = file.read()
    words = [suite, str(size), options.kernel if options.uefi else "", *names]
    kept = os.path.join(cache, "disks", hashlib.sha256(code + "\n".join(words).encode()).hexdigest()[:16])
    if options.update or not os.path.exists(kept):
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        with tempfile.TemporaryDirectory(dir=os.path.dirname(kept)) as work:
            _make(options, names, suite, size, work, environment, progress, configure)
            os.rename(os.path.join(work, "disk"), kept)
    progress.step(f"copying the disk to {options.output}")
    new = f"{options.output}.part"
    done = subprocess.run(["cp", "--sparse=always", "--reflink=auto", kept, new], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure((done.stderr.splitlines() or ["cp failed"])[0])
    os.rename(new, options.output)


def _make(options, names, suite, size, work, environment, progress, configure):
    mirror = options.mirror.rstrip("/")
    commands = [(f"fetching and unpacking {len(names)} packages and what they depend on",
                 ["fakeroot", "sh", "-c", FIRST_STAGE, "sh", ",".join(names), suite, work, f"{mirror}/debian", str(size),
                  str(ROOT_START) if options.uefi else ""])]
    if options.uefi:
        commands.append(("making partitions, with GRUB",
                         ["sh", "-c", SYSTEM_PARTITION, "sh", work, str(SYSTEM_START), str(SYSTEM_SIZE), str(ROOT_START)]))
    for what, command in commands:
        progress.step(what)
        _run(command, environment, progress)
    with open(os.path.join(work, "names"), encoding="utf-8") as file:
        count = len(file.readlines())
    shutil.rmtree(os.path.join(work, "root"))
    script = os.path.join(work, "second-stage")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SECOND_STAGE)
    progress.step(f"configuring {count} packages in a guest, which takes some minutes")
    status = configure(os.path.join(work, "disk"), script, count)
    if status:
        raise Failure(f"{options.output}: the packages' scripts failed in the guest: {status}")


def _run(command, environment, progress):
    """debootstrap says what it does, a line a package: those that it fetches, checks and unpacks."""
    lines = []
    found = 0
    with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace") as run:
        for line in run.stdout:
            lines = (lines + [line.rstrip()])[-50:]
            if line.startswith("I: "):
                found += 1
                progress.move(1 - 300 / (300 + found), line[3:].rstrip())
    progress.end()
    if run.returncode:
        reasons = [line for line in lines if line.startswith(("E:", "mke2fs:", "sfdisk:", "mformat", "mcopy"))]
        raise Failure(f"making the disk: {(reasons or lines or ['failed'])[-1]}")
