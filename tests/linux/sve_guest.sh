# SPDX-License-Identifier: BSD-2-Clause
# In the guest of sve.py: sve_guest.sh MOST THREADS BITS COPIES COUNT PROFILE...: what the programs state and kernels
# say, with vectors of up to MOST bits; and SPE samples COPIES of the program loop, a CPU for each, with vectors of BITS
# bits. The packets are in /tmp/packets.gz.
most=$1 threads=$2 bits=$3 copies=$4 count=$5
shift 5
[ "$threads" = 0 ] || /root/state "$most" "$threads"
/root/kernels "$most"
# Only the programs are profiled. perf would spend most of its time with the kernel's names.
busybox mount --bind /dev/null /proc/kallsyms
cat >/tmp/loops <<END
for n in \$(seq 0 $((copies - 1))); do busybox taskset \$((1 << n)) /root/loop $bits $count & done
wait
END
profile() { # NAME CONFIGURATION
	perf record -q -o "/tmp/$1" -e "arm_spe_0/period=1024,jitter=1$2/u" -- sh /tmp/loops || echo "not ok - perf record: $?"
	echo "profile $1"
	# Not to a pipe, which newer perfs write to in small pieces.
	perf script -D -i "/tmp/$1" >/tmp/dump 2>/dev/null
	sed -n -E -e '/PERF_RECORD_AUXTRACE /p' \
		-e 's/^\.  [0-9a-f]+:  ([0-9a-f]{2} )+ *((PC|OTHER|SVE-OTHER|LD|ST|B|EV|VA|TS|END)( .*)?)$/\2/p' /tmp/dump
}
for name in "$@"; do
	case $name in
	all) profile all "" ;;
	partial) profile partial ,event_filter=0x20000 ;;
	empty) profile empty ,event_filter=0x40000 ;;
	esac
done | busybox gzip -c >/tmp/packets.gz
perf report --stdio --stdio-color never --itrace=i1i --sort simd,sym -i /tmp/all 2>/dev/null |
	sed -n 's/^ *[0-9.]*% /simd &/p'
exit 0
