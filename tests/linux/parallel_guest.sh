# SPDX-License-Identifier: BSD-2-Clause
# In the guest of parallel.py: how long part.S takes on 1 to 8 CPUs, and the times of its samples in each process.
cd /tmp || exit 1
TIMEFORMAT=%R
for cpus in 1 2 4 8; do
	echo "$cpus CPUs: $( { time /root/part $(seq "$cpus"); } 2>&1 ) s"
done
perf record -q -a -o profile -e arm_spe_0/period=100000,ts_enable=1/ -- /root/part $(seq 8) >/dev/null 2>&1
perf script -i profile --itrace=i1i -F comm,tid,time 2>/dev/null | awk '$1 == "part" {
		if (!samples[$2]++) first[$2] = $3 + 0
		last[$2] = $3 + 0 }
	END { for (i in samples) if (samples[i] > 100) printf "process: %d samples in %.6f s\n", samples[i], last[i] - first[i] }'
exit 0
