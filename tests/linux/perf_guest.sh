# SPDX-License-Identifier: BSD-2-Clause
# In the guest of perf.sh: perf profiles a program of known operations. A line of "NAME COUNT" for each, and a report.
cd /tmp || exit 1
samples() { # FILE NAME
	echo "$2 $(perf script -i "$1" --itrace=i1i 2>/dev/null | wc -l)"
}
profile() { # NAME CONFIGURATION
	perf record -q -o "$1" -e "arm_spe_0/period=4096,jitter=0,ts_enable=1${2:+,$2}/u" -- /root/work || exit 1
	samples "$1" "$1"
}
profile all
profile loads load_filter=1
profile branches branch_filter=1
perf record -q --per-thread -o thread -e arm_spe_0/period=4096,jitter=0/u -- /root/work
samples thread per-thread
perf record -q -a -o system -e arm_spe_0/period=4096,jitter=0/ -- /root/work
samples system system-wide
perf record -q -c 1 -o often -e arm_spe_0/jitter=0/u -- /root/work
samples often interval-1
# What is in perf's buffer when it is asked for it, twice.
perf record -q -S -o snapshot -e arm_spe_0/period=4096,jitter=0/u -- \
	bash -c 'for n in 1 2; do /root/work; kill -USR2 $PPID; sleep 1; done'
samples snapshot snapshot
perf report -i all --stdio --itrace=i1i --sort symbol 2>/dev/null
# Whatever the kernel has to complain of, the driver of SPE among it: warnings and worse.
dmesg -r | grep '^<[0-4]>' >warnings
exit 0
