# SPDX-License-Identifier: BSD-2-Clause
# In the guest of migrated.py: perf profiles a program that is run so many times, and the kernel that starts it.
cd /tmp || exit 1
perf record -q -o data -e arm_spe_0/period=65536,jitter=0,ts_enable=1/ -- \
	bash -c 'for n in $(seq "$1"); do /root/work; done' work "$1" || exit 1
echo "samples $(perf script -i data --itrace=i1i 2>/dev/null | wc -l)"
dmesg -r | grep '^<[0-4]>'
exit 0
