#!/bin/busybox sh
# SPDX-License-Identifier: BSD-2-Clause
# The first process of the arm64 host that run.sh boots. It runs each row in /rows and prints to the console the output
# of vspe, its messages, the checksums of its output and of its perf.data, its exit code, and the seconds it took.
# perf.data files are printed in full: QEMU executes each instruction here, so reading one would take longer than the
# guest did.
/bin/busybox mkdir -p /dev /proc /sys /tmp
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox --install -s /bin
exec </dev/null >/dev/console 2>&1
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs tmp /tmp

# row NAME SECONDS ARGUMENT...: one vspe run; with same set, its perf.data too.
same=
row() {
	name=$1 seconds=$2 status=0
	shift 2
	echo "@row $name begin"
	rm -f perf.data
	read -r started _ </proc/uptime
	timeout -s KILL $((seconds + 5)) ./vspe run --tap --timeout "$seconds" --perf-data perf.data "$@" \
		>/tmp/out 2>/tmp/err || status=$?
	read -r ended _ </proc/uptime
	head -c 100000 /tmp/out
	echo
	tail -n 20 /tmp/err | sed 's/^/@err /'
	[ ! -e perf.data ] || echo "@row $name data $(sha256sum <perf.data)"
	[ -z "$same" ] || gzip -1 -c perf.data | base64 | sed "s/^/@bytes $name /"
	same=
	echo "@row $name out $(sha256sum </tmp/out)"
	echo "@row $name exit $status from $started to $ended"
}

echo "@host $(uname -r) $(nproc) CPUs, KVM $([ -c /dev/kvm ] && echo yes || echo no)"
. /rows
echo "@host done"
poweroff -f
