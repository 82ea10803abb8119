# SPDX-License-Identifier: BSD-2-Clause
# In the guest of c2c.sh: perf c2c looks for lines that the threads of shared.S share. A line for each: the name, and what perf has of
# the line of the cells, if it is in its table; or of the gate, which is at 0x412200.
cd /tmp || exit 1
line() { # NAME [ADDRESS]
	echo "$* $(perf c2c report -i "$1" --stdio --no-source 2>/dev/null | sed -n "/Shared Data Cache Line Table/,/Distribution Pareto/s/^ *[0-9][0-9]* *${2:-0x412000} *[0-9]* *[0-9]* *[0-9.]*% *\\([0-9]*\\) .*/\\1 peer loads/p")"
}
perf c2c record -q -o together -- /root/shared >/dev/null 2>&1
line together
perf c2c record -q -o apart -- /root/shared 2 >/dev/null 2>&1
line apart
# As perf c2c record has it, with jitter.
perf record -q -o jitter -d -W --phys-data -e arm_spe_0/ts_enable=1,pa_enable=1,load_filter=1,store_filter=1,min_latency=30,jitter=1/ -- \
	/root/shared 2 3 >/dev/null 2>&1
line jitter
for way in "lock 2 3 4" "pass 2 3 4 5"; do
	set -- $way
	perf c2c record -q -o "$1" -- /root/shared "${@:2}" >/dev/null 2>&1
	line "$1"
	line "$1" 0x412200
done
exit 0
