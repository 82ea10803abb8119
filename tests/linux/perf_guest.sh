# SPDX-License-Identifier: BSD-2-Clause
# In the guest of perf.sh: perf profiles a program of known operations. Prints a line "NAME COUNT" for each, and a
# report.
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
# As in AWS's guide to Graviton: docs/without-metal.md.
perf record -q -C0 -c1000 -a -o aws -e arm_spe_0/branch_filter=1,ts_enable=1,pct_enable=1,pa_enable=1,jitter=1/ -- /root/work
samples aws aws
# The contents of perf's buffer at a request, twice.
perf record -q -S -o snapshot -e arm_spe_0/period=4096,jitter=0/u -- \
	bash -c 'for n in 1 2; do /root/work; kill -USR2 $PPID; sleep 1; done'
samples snapshot snapshot
# As in the documentation of LLVM's Propeller: branches of user and kernel, at uneven intervals.
for jitter in 1 0; do
	perf record -q -o propeller-$jitter -c 10007 -N --no-switch-events \
		-e arm_spe_0/branch_filter=1,load_filter=0,store_filter=0,jitter=$jitter/ -- /root/work
	perf script -i propeller-$jitter --itrace=bl -F ip,brstack >propeller-$jitter.txt 2>/dev/null
done
# What later versions in Debian's backports support.
if [ -e /sys/bus/event_source/devices/arm_spe_0/format/discard ]; then
	profile no-loads load_filter=0,load_filter_mask=1
	profile no-L1D-access inv_event_filter=4
	profile other-sources inv_data_src_filter=1
	profile FP float_filter=1
	profile SIMD simd_filter=1
	profile slow min_latency=26
	profile discarded discard=1
	echo "branches-before $(perf script -i all --itrace=bl -F brstack 2>/dev/null | grep -c '0x4000bc/[MP].*0x0/0x4000bc/')"
	perf mem record -o memory -- /root/work >/dev/null 2>&1
	echo "memory $(perf mem report -i memory --stdio 2>/dev/null | grep -c '%.*L1 ')"
	perf c2c record -o sharing -- /root/work >/dev/null 2>&1
	perf c2c report -i sharing --stdio 2>/dev/null | sed -n 's/^ *Load Operations *: *\([0-9]*\)/c2c-loads \1/p'
fi
perf report -i all --stdio --itrace=i1i --sort symbol 2>/dev/null
# All complaints of the kernel, including its SPE driver: warnings and worse.
dmesg -r | grep '^<[0-4]>' >warnings
exit 0
