#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# examples/kvm-loop/check.sh PREFIX [AARCH64_PREFIX]: build it with the installed libvspe-kvm for aarch64, run it on an
# arm64 host, which is this machine, or Debian's kernel in QEMU on others; check its records.
set -eu
. "$(dirname "$0")/../common.sh"
needs make make
needs pkg-config pkg-config
needs aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
needs perf linux-perf

library_of "$aarch64_prefix"
build make -C "$here"

if [ "$(uname -m)" = aarch64 ] && [ -w /dev/kvm ]; then
	timeout 60 "$here/kvm-loop" "$here/guest.bin" >"$work/console" || fail "kvm-loop"
else
	needs qemu-system-aarch64 qemu-system-arm
	top=$examples/..
	[ -x "$top/tools/debian-kernel.sh" ] || skip "no arm64 host with KVM, and no tools/debian-kernel.sh to make one"
	image=${VSPE_LINUX_IMAGE:-}
	[ -n "$image" ] || image=$("$top/tools/debian-kernel.sh" "$top/build/debian" 2>"$work/err") ||
		skip "$(tail -n 1 "$work/err")"
	# The first and only process of that host.
	cat >"$work/init.c" <<-'END'
		#include <fcntl.h>
		#include <sys/mount.h>
		#include <sys/reboot.h>
		#include <sys/wait.h>
		#include <unistd.h>
		int main(void)
		{
			int console;

			mount("dev", "/dev", "devtmpfs", 0, "");
			console = open("/dev/console", O_RDWR);
			for (int fd = 0; fd < 3; fd++)
				dup2(console, fd);
			if (fork() == 0)
				return execl("/kvm-loop", "kvm-loop", "/guest.bin", NULL);
			wait(NULL);
			return reboot(RB_POWER_OFF);
		}
	END
	build "${CROSS_COMPILE:-aarch64-linux-gnu-}gcc" -static -O2 -o "$work/init" "$work/init.c"
	. "$top/tests/linux/initrd.sh"
	{
		cpio_folder dev
		cpio_program init "$work/init"
		cpio_program kvm-loop "$here/kvm-loop"
		cpio_file guest.bin "$here/guest.bin"
		cpio_end
	} >"$work/initrd"
	timeout 100 qemu-system-aarch64 -machine virt,virtualization=on,gic-version=3 -cpu neoverse-n1 -m 512 -nic none \
		-display none -monitor none -serial stdio -no-reboot -kernel "$image" -initrd "$work/initrd" \
		-append "console=ttyAMA0 quiet loglevel=1 panic=-1" </dev/null 2>&1 |
		tr -d '\r' | head -c 1000000 >"$work/console"
fi
printf '%s\n' "guest: PMSVer 3, 1 UNDEFINED, 1 interrupts" "kvm-loop: 15 accesses patched, 18020 operations" >"$work/lines"
grep '^guest\|^kvm-loop' "$work/console" | diff "$work/lines" - || { tail -n 20 "$work/console"; fail "its console"; }
records_of "$work/console" >"$work/raw"
check_guest "$work/raw"
