# SPDX-License-Identifier: BSD-2-Clause
# In the guest of perf_files.py: perf records a file of each kind, and says what is in it. All of it, the programs that ran and the
# kernel's symbols go to the disk, as an archive.
cd /tmp && mkdir out && cd out || exit 1
event=arm_spe_0/period=2048,jitter=1,ts_enable=1
program=/root/perf_files
record() { # NAME OPTION...
	local name=$1
	shift
	perf record -q -o "$name" "$@" >/dev/null 2>"$name.errors" || echo "$name: perf record ends with $?"
	perf report -i "$name" --itrace=i1i --stdio -t '|' -F sample,comm,dso,sym >"$name.report" 2>>"$name.errors"
	perf script -i "$name" --itrace=i1i --show-mmap-events -F comm,pid,tid,event,ip,sym,symoff,dso >"$name.script" 2>>"$name.errors"
}
record system -a -e $event/ -- $program work 200
record thread --per-thread -e $event/ -- $program work 100
record snapshot -S -e $event/u -- bash -c "for n in 1 2; do $program work 60; kill -USR2 \$PPID; sleep 1; done"
record several -e cpu-clock -e $event,load_filter=1/u -- $program work 200
record filters -e $event,branch_filter=1,store_filter=1/u -- $program work 200
record inherit -e $event/ -- $program threads 100
record forks -a -e $event/ -- bash -c "for n in 1 2 3; do $program work 20; busybox sha256sum $program; (: ; $program work 1); done"
record module -a -e arm_spe_0/period=512,jitter=1,ts_enable=1/k -- dd if=/dev/vda of=/dev/null bs=4k count=500 iflag=direct
record made -e $event/ -- $program generate 400
# With the lines of the source, which perf asks addr2line and objdump for.
for function in compare fill sum thread; do
	for name in system inherit; do
		perf annotate -i $name --itrace=i1i --stdio -l -n $function >$name.$function.annotate 2>>$name.errors
	done
done
cat /proc/kallsyms >kallsyms
cat /proc/modules >modules
# What ran, and the list of the program that made its code.
sed -n 's/.* (\(\/.*\))$/\1/p' *.script | sort -u | while read -r path; do
	[ ! -f "$path" ] || { mkdir -p "root${path%/*}" && cp "$path" "root$path"; }
done
busybox tar -cf - . | dd of=/dev/vda bs=64k conv=fsync 2>/dev/null
