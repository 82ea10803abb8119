# SPDX-License-Identifier: BSD-2-Clause
# For bash scripts: functions that write an initrd to standard output, a cpio archive of the format newc, member
# by member.
cpio_inode=0

# cpio_entry NAME MODE [FILE]: a member, each part padded to 4 bytes.
cpio_entry() {
	local size=0
	[ $# -lt 3 ] || size=$(stat -L -c %s "$3")
	printf '070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%s\0' \
		$((++cpio_inode)) "$2" 0 0 1 0 "$size" 0 0 0 0 $((${#1} + 1)) 0 "$1"
	head -c $((-(110 + ${#1} + 1) & 3)) /dev/zero
	[ $# -lt 3 ] || cat "$3"
	head -c $((-size & 3)) /dev/zero
}
cpio_folder() { cpio_entry "$1" $((8#040755)); }
cpio_file() { cpio_entry "$1" $((8#100644)) "$2"; }
cpio_program() { cpio_entry "$1" $((8#100755)) "$2"; }
cpio_end() { cpio_entry 'TRAILER!!!' 0; }

# program_init: the C source of the first process of an initrd of program_initrd, which starts the
# only other one.
program_init() {
	cat <<-'END'
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
				return execl("/program", "program", "/file", NULL);
			wait(NULL);
			return reboot(RB_POWER_OFF);
		}
	END
}

# program_initrd INIT PROGRAM FILE: INIT is program_init, built; it executes the static PROGRAM with FILE, and powers off.
program_initrd() {
	cpio_folder dev
	cpio_program init "$1"
	cpio_program program "$2"
	cpio_file file "$3"
	cpio_end
}

# spe_module IMAGE FILE: unpacks the SPE driver of the kernel IMAGE into FILE, from the folders of Debian's
# packages (boot/vmlinuz-VERSION and lib/modules/VERSION). VSPE_LINUX_SPE_MODULE names the driver if it is
# elsewhere.
spe_module() {
	local version module
	version=$(basename "$1")
	version=${version#*-}
	module=${VSPE_LINUX_SPE_MODULE:-$(dirname "$1")/../lib/modules/$version/kernel/drivers/perf/arm_spe_pmu.ko}
	if [ -e "$module" ]; then
		cat "$module" >"$2"
	elif [ -e "$module.xz" ]; then
		xz -dc "$module.xz" >"$2"
	else
		return 1
	fi
}

# spe_initrd INIT IMAGE WORK [unsigned]: an initrd whose INIT (spe.c) finds the SPE driver of the kernel IMAGE, if that
# is a module. unsigned: without the end of its signature, so the kernel sees none. It loads a patched module only if it
# is not signed.
spe_initrd() {
	cpio_folder dev
	cpio_folder proc
	cpio_folder sys
	cpio_program init "$1"
	if spe_module "$2" "$3/arm_spe_pmu.ko"; then
		[ "${4:-}" != unsigned ] || truncate -s -1 "$3/arm_spe_pmu.ko"
		cpio_file arm_spe_pmu.ko "$3/arm_spe_pmu.ko"
	fi
	cpio_end
}
