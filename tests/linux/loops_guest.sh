# SPDX-License-Identifier: BSD-2-Clause
# In the guest of loops.py: loops_guest.sh PROGRAM...: SPE samples the branches of each at EL0, into /tmp/PROGRAM.
for program in "$@"; do
	perf record -q -o "/tmp/$program" -e arm_spe_0/period=1024,jitter=1,branch_filter=1/u -- "/root/$program" long >/tmp/said 2>&1
	echo "$program status $?"
done
