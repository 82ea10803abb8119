# SPDX-License-Identifier: BSD-2-Clause
# In the guest of perf.sh: perf profiles a program of known operations. A line of "NAME COUNT" for each, and a report.
cd /tmp || exit 1
profile() { # NAME CONFIGURATION
	perf record -q -o "$1" -e "arm_spe_0/period=4096,jitter=0,ts_enable=1${2:+,$2}/u" -- /root/work || exit 1
	echo "$1 $(perf script -i "$1" --itrace=i1i 2>/dev/null | wc -l)"
}
profile all
profile loads load_filter=1
profile branches branch_filter=1
perf report -i all --stdio --itrace=i1i --sort symbol 2>/dev/null
# Whatever the kernel has to complain of, the driver of SPE among it: warnings and worse.
dmesg -r | grep '^<[0-4]>' >warnings
exit 0
