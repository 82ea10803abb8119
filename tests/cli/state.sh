#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/cli/state.sh VSPE GUESTS: vspe run --save, --save-at and --restore as a user meets them: what is printed,
# recorded and counted afterwards, which options go together, and what is refused.
set -u
vspe=$1
guests=$2
matcher=-F
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/flat.sh"

run() { timeout 60 "$vspe" run "$@"; }

# refused NAME PATTERN ARGUMENT...: exit code 2, one line with the pattern, and nothing was run.
refused() {
	local name=$1 pattern=$2
	shift 2
	check "$name: exit code 2" exits 2 run "$@"
	check "$name: one line" one_line "$pattern"
	check "$name: nothing was printed" test ! -s "$work/out"
}

# --- Console, records and counts.
hotspot=$guests/hotspot.Image
# records FILE: its packets, without their offsets.
records() { "$vspe" decode "$1" | sed -n 's/^ *[0-9a-f]*: *//p'; }
check "whole run" exits 0 run "$hotspot" --cntfrq 2000000000 --tap --stats=json --perf-data "$work/whole.data"
cp "$work/out" "$work/whole.out"
cp "$work/err" "$work/whole.err"
check "saved at an operation" exits 4 run "$hotspot" --cntfrq 2000000000 --tap --perf-data "$work/one.data" --save "$work/image" --save-at 2345678
check "it says so" one_line "saved in $work/image after 2345678 operations"
cp "$work/out" "$work/one.out"
check "restored and saved again" exits 4 run --restore "$work/image" --perf-data "$work/two.data" --save "$work/image2" \
	--save-at 9999999
cat "$work/out" >>"$work/one.out"
check "restored" exits 0 run --restore "$work/image2" --tap --stats=json --perf-data "$work/three.data"
cat "$work/out" >>"$work/one.out"
check "the console is that of the whole run" cmp "$work/one.out" "$work/whole.out"
check "the counts are those of the whole run" cmp "$work/err" "$work/whole.err"
for part in one two three; do
	records "$work/$part.data"
done >"$work/parts"
records "$work/whole.data" >"$work/all"
check "the records are those of the whole run" cmp "$work/parts" "$work/all"
check "there are some in each part" test "$(grep -c PC "$work/all")" -gt 10000
check "one operation at a time" exits 0 run --restore "$work/image2" --tap --stats=json --single-step
check "... counts the same" cmp "$work/err" "$work/whole.err"
run "$hotspot" --cntfrq 2000000000 --save "$work/again" --save-at 2345678 </dev/null >/dev/null 2>&1
check "the same image again" cmp "$work/image" "$work/again"
check "an image takes the place of the one that was restored" exits 4 run --restore "$work/again" --save "$work/again" \
	--save-at 9999999
check "... and is the same" cmp "$work/image2" "$work/again"
check "nothing else is left" test -z "$(ls "$work" | grep part$)"

# --- --tap judges the whole output of the guest.
# mov x1, #0x09000000, then a mov and a str a byte; off: mov w0, #0x84000000; movk w0, #8; hvc #0
say() {
	local i
	for ((i = 0; i < ${#1}; i++)); do
		printf '%08x ' $((0x52800002 | $(printf %d "'${1:i:1}") << 5)) $((0xb9000022))
	done
}
# shellcheck disable=SC2046
flat "$work/tap" d2a12001 $(say $'1..2\nok 1\nok 2\n') 52b08000 72800100 d4000002
check "saved in a line of TAP" exits 4 run --tap "$work/tap" --save "$work/image" --save-at 24
check "the rest is judged with what was before" exits 0 run --tap --restore "$work/image"
check "... and is the rest" test "$(cat "$work/out")" != "$(printf '1..2\nok 1\nok 2')"
# shellcheck disable=SC2046
flat "$work/tap" d2a12001 $(say $'1..2\nnot ok 1\nok 2\n') 52b08000 72800100 d4000002
check "saved behind a failure" exits 4 run "$work/tap" --save "$work/image" --save-at 32
check "the failure is known" exits 1 run --tap --restore "$work/image"
check "... and told" one_line "tap: 1 of 2 tests failed"

# --- At a signal: busy, waiting, and without --save.
flat "$work/forever" 14000000        # b .
flat "$work/waits" d503207f 17ffffff # wfi; b .-4
# mov x1, #0x09000000; mov w4, #0x301; str w4, [x1, #0x30] (UARTCR); mov w2, #0x10; str w2, [x1, #0x38] (UARTIMSC); wfi; b .-4
flat "$work/idle" d2a12001 52806024 b9003024 52800202 b9003822 d503207f 17ffffff
# mov x1, #0x09000000; mov w4, #0x301; str w4, [x1, #0x30]; ldr w3, [x1, #0x18] (UARTFR); tbnz w3, #4, .-4; ldr w3, [x1]; str w3, [x1]; and off
flat "$work/echo" d2a12001 52806024 b9003024 b9401823 3727ffe3 b9400023 b9000023 52b08000 72800100 d4000002
# is_ready PID STATE: the process has a handler of SIGUSR1 (signal 10, so bit 9 of the last word), and is in this state:
# R, it executes the guest, or S, it waits for input.
is_ready() {
	local status caught
	status=$(cat "/proc/$1/status" 2>/dev/null) || return
	caught=$(sed -n 's/^SigCgt:.*\(....\)$/\1/p' <<<"$status")
	((0x${caught:-0} >> 9 & 1)) && [[ $status == *State:[[:space:]]$2* ]]
}
# signal NAME GUEST STATE: save it by SIGUSR1, sent again and again until it has gone. Its standard input stays open.
signal() {
	local pid
	rm -f "$work/image"
	"$vspe" run "$2" --save "$work/image" <"$work/fifo" >"$work/out" 2>"$work/err" &
	pid=$!
	exec 9>"$work/fifo"
	until is_ready "$pid" "$3"; do :; done
	while kill -USR1 "$pid" 2>/dev/null; do :; done
	wait "$pid"
	got=$?
	exec 9>&-
	check "$1: exit code 4" test "$got" -eq 4
	check "$1: it says so" one_line "saved in $work/image after"
}
mkfifo "$work/fifo"
signal "a busy guest" "$work/forever" R
check "it goes on" exits 124 run --restore "$work/image" --timeout 1
signal "a guest that is idle until there is input" "$work/idle" S
check "it still is" exits 3 run --restore "$work/image"
signal "a guest that looks for input" "$work/echo" R
printf x >"$work/x"
timeout 20 "$vspe" run --restore "$work/image" <"$work/x" >"$work/out" 2>"$work/err"
check "it gets its input" test "$?-$(cat "$work/out")" = 0-x
check "saved in WFI" exits 4 run "$work/waits" --save "$work/image" --save-at 1
check "it waits on" exits 3 run --restore "$work/image"
check "... for ever" one_line "every vCPU waits"

# --- A reset loads the guest again; a restored machine takes it from the image. movk w0, #9 is SYSTEM_RESET.
flat "$work/reset" 52b08000 72800120 d4000002
check "saved behind resets" exits 4 run "$work/reset" --save "$work/later" --save-at 500
check "saved before some of them" exits 4 run "$work/reset" --save "$work/image" --save-at 100
cp "$work/reset" "$work/resets"
mv "$work/reset" "$work/gone"
check "restored without the guest's file" exits 4 run --restore "$work/image" --save "$work/image" --save-at 500
check "the same machine" cmp "$work/image" "$work/later"

# --- Ends without an image.
rm -f "$work/image"
flat "$work/off" 52b08000 72800100 d4000002
check "the guest ends before" exits 0 run "$work/off" --save "$work/image" --save-at 1000
check "... and that is said" one_line "--save-at 1000: nothing was saved, it ended after 3 operations"
check "no file" test ! -e "$work/image"
check "no signal came" exits 0 run "$work/off" --save "$work/image"
check "no file either" test "$(ls "$work" | grep -c '^image$\|part$')" -eq 0

# --- Options that describe the machine.
flat "$work/other" 14000000 14000000
truncate -s 100 "$work/other"
printf initrd >"$work/initrd"
printf others >"$work/initrd2"
exits 4 run "$work/forever" --initrd "$work/initrd" -p "a b" -m 16 -c 2 --el 2 --spe v1p5,no-ernd --seed 9 --save "$work/image" \
	--save-at 1000 || failed=1
saved=$work/image
check "they may all be said again" exits 124 run --restore "$saved" "$work/forever" --initrd "$work/initrd" -p "a b" -m 16 -c 2 \
	--el 2 --spe v1p5,no-ernd --seed 9 --timeout 1
gzip -c "$work/forever" >"$work/forever.gz"
check "the guest in another form" exits 124 run --restore "$saved" "$work/forever.gz" --timeout 1
refused "another --mem" "--mem 32: the machine in $saved has 16" --restore "$saved" -m 32
refused "another --numa" "--numa 2: the machine in $saved has no nodes" --restore "$saved" --numa 2
refused "another --cpus" "--cpus 1: the machine in $saved has 2" --restore "$saved" -c 1
refused "another --el" "--el 1: the machine in $saved starts at EL2 in Non-secure state" --restore "$saved" --el 1
refused "another state" "--el 2 --secure: the machine in $saved starts at EL2 in Non-secure state" --restore "$saved" --el 2 --secure
refused "another version" "--spe v1p2: the machine in $saved has v1p5" --restore "$saved" --spe v1p2
refused "another feature" "--spe v1p5: the machine in $saved has no-ernd" --restore "$saved" --spe v1p5
exits 4 run --cpu neoverse-n1 --spe v1p1,interval=256 "$work/forever" --save "$work/core" --save-at 1000 || failed=1
check "--spe of the core of the machine" exits 124 run --restore "$work/core" --spe v1p1,interval=256 --timeout 1
check "... with the core" exits 124 run --restore "$work/core" --cpu neoverse-n1 --spe v1p1,interval=256 --timeout 1
refused "another interval" "--spe v1p1,interval=512: the machine in $work/core has interval=256" --restore "$work/core" --spe v1p1,interval=512
refused "what the core's layout has no place for" "--spe v1p5: 'pbt'" --restore "$work/core" --spe v1p5
refused "another core" "--cpu neoverse-v1: the machine in $work/core has neoverse-n1" --restore "$work/core" --cpu neoverse-v1
refused "no SPE" "--spe off: the machine in $saved has SPE" --restore "$saved" --no-spe
refused "a PMU" "--pmu v3p5: the machine in $saved has none" --restore "$saved" --pmu v3p5
run --pmu v3p5 "$guests/pmu-profile.Image" --save "$work/pmu" --save-at 900000 </dev/null >/dev/null 2>&1
refused "another PMU" "--pmu v3p8: the machine in $work/pmu has v3p5" --restore "$work/pmu" --pmu v3p8
refused "no PMU" "--pmu off: the machine in $work/pmu has v3p5" --restore "$work/pmu" --pmu off
check "the same PMU" exits 0 run --restore "$work/pmu" --pmu v3p5 --tap
check "... goes on" grep -q "^ok 5 " "$work/out"
run --pmu v3p9 "$guests/pmu.Image" --save "$work/pmu" --save-at 2000000 </dev/null >/dev/null 2>&1
check "PMUv3p9, while EL0 has some counters" exits 0 run --restore "$work/pmu" --tap
check "... goes on" grep -q "^ok 25 " "$work/out"
refused "another frequency" "--cntfrq 5000000: the machine in $saved has 1000000000" --restore "$saved" --cntfrq 5000000
refused "another seed" "--seed 8: the machine in $saved has 9" --restore "$saved" --seed 8
refused "another seed in --spe" "has seed=0x9" --restore "$saved" --spe v1p5,no-ernd,seed=8
check "a model may begin" exits 124 run --restore "$saved" --model full --stats --timeout 1
check "it is there" grep -q '^vspe: model full: ' "$work/err"
check "no model may be said" exits 124 run --restore "$saved" --model off --timeout 1
echo "l1i.size 4K" >"$work/model"
check "a machine with a model is saved" exits 4 run -m 16 --model "full,$work/model" --save "$work/modelled" --save-at 5000 "$work/forever"
check "it may be said again" exits 124 run --restore "$work/modelled" --model "full,$work/model" --timeout 1
# A reset begins a new model, and the counts of the one before are kept.
modelled() { sed -n 's/.*"modelled_operations":\([0-9]*\).*/\1/p' "$work/err"; }
check "after resets" exits 4 run "$work/resets" --model full --stats=json --save "$work/counted" --save-at 100
check "the model has seen all" test "$(modelled)" = 100
check "restored" exits 4 run --restore "$work/counted" --stats=json --save "$work/counted" --save-at 500
check "it still has" test "$(modelled)" = 500
check "or not" exits 124 run --restore "$work/modelled" --stats --timeout 1
check "it is there again" grep -q '^vspe: model full: ' "$work/err"
check "optional instructions are saved" exits 4 run -m 16 --isa aes,rng --save "$work/optional" --save-at 5000 "$work/forever"
check "they need not be said again" exits 124 run --restore "$work/optional" --timeout 1
check "but may" exits 124 run --restore "$work/optional" --isa aes,rng --timeout 1
refused "others" "--isa aes: the machine in $work/optional has aes,rng" --restore "$work/optional" --isa aes
refused "any where there were none" "--isa aes: the machine in $saved has none" --restore "$saved" --isa aes
refused "another mode" "--model off: the machine in $work/modelled has full" --restore "$work/modelled" --model off
refused "another mode" "--model warm: the machine in $work/modelled has full" --restore "$work/modelled" --model warm
refused "another model" "--model full: the machine in $work/modelled has full of another file" --restore "$work/modelled" --model full
refused "other --params" "--params c: the machine in $saved has others" --restore "$saved" -p c
refused "another guest" "--kernel $work/other: the machine in $saved was made with another file" --restore "$saved" "$work/other"
refused "another initrd" "--initrd $work/initrd2: the machine in $saved was made with another file" --restore "$saved" -i \
	"$work/initrd2"
refused "no such guest" "$work/none" --restore "$saved" "$work/none"
refused "a --save-at that is over" "--save-at 999: the machine in $saved has executed 1000 operations already" --restore "$saved" \
	--save "$work/new" --save-at 999
refused "--save-at without --save" "--save-at 5: only with --save" "$work/off" --save-at 5
refused "a --save-at that is no number" "--save-at many" "$work/off" --save "$work/new" --save-at many
refused "--save without a guest" "no guest given" --save "$work/new" --dump-dtb "$work/dtb"
refused "--save with KVM" "--save $work/new: not with --engine kvm" --engine kvm "$work/off" --save "$work/new"
refused "--restore with KVM" "--restore $saved: not with --engine kvm" --engine kvm --restore "$saved"
refused "--save into a folder" "--save $work: Is a directory" "$work/off" --save "$work"
refused "--save where there is no folder" "--save $work/none/x: No such file" "$work/off" --save "$work/none/x"
refused "--save into a device" "--save /dev/null: not a regular file" "$work/off" --save /dev/null
check "the device tree of a saved machine" exits 124 run --restore "$saved" --dump-dtb "$work/dtb" --timeout 1
check "... is there" test -s "$work/dtb"
mv "$work/forever" "$work/moved"
refused "symbols of a guest that is gone" "$work/forever: No such file or directory; --symbols names another" --restore "$saved" \
	--perf-data "$work/data"
check "the records of a guest that is gone" exits 124 run --restore "$saved" --perf-data "$work/data" --symbols \
	"$guests/platform.elf" --timeout 1

# --- A core by name: after a restore the guest reads MIDR_EL1 and prints it to the UART, byte by byte.
# mrs x1, midr_el1; movz x2, #0x900, lsl 16; 4 times: strb w1, [x2]; lsr w1, w1, #8; then movz x0, #0x8400, lsl 16; movk x0, #8; hvc
flat "$work/midr" d503201f d503201f d5380001 d2a12002 39000041 53087c21 39000041 53087c21 39000041 53087c21 39000041 52b08000 \
	72800100 d4000002
check "a core is saved" exits 4 run --cpu neoverse-v1 "$work/midr" --save "$work/core" --save-at 2
run --restore "$work/core" </dev/null >"$work/out" 2>/dev/null
check "... and restored" test "$(od -An -tx1 "$work/out" | tr -d ' \n')" = 02d41f41
check "it may be said again" exits 0 run --restore "$work/core" --cpu neoverse-v1
refused "another --cpu" "--cpu generic: the machine in $work/core has neoverse-v1" --restore "$work/core" --cpu generic
run "$work/midr" </dev/null >"$work/out" 2>/dev/null
check "no core" test "$(od -An -tx1 "$work/out" | tr -d ' \n')" = 60050f00

# --- Files that are not images.
damaged() { # NAME PATTERN: of $work/bad
	refused "$1" "--restore $work/bad: $2" --restore "$work/bad"
}
refused "no such image" "--restore $work/none: No such file" --restore "$work/none"
: >"$work/bad" && damaged "an empty file" "truncated"
cp "$work/off" "$work/bad" && damaged "another file" "not a saved machine"
size=$(stat -c %s "$saved")
head -c $((size - 1)) "$saved" >"$work/bad" && damaged "cut off by a byte" "truncated"
head -c 2000 "$saved" >"$work/bad" && damaged "cut off" "truncated"
{ cat "$saved" && echo; } >"$work/bad" && damaged "longer" "damaged: it goes on behind its end"
{ head -c 8 "$saved" && printf '\x0a' && tail -c +10 "$saved"; } >"$work/bad"
damaged "another version" "saved in version 10 of the format; this vspe reads 1 to 9"
{ head -c 1000 "$saved" && printf '\xa5\x5a' && tail -c +1003 "$saved"; } >"$work/bad"
damaged "damaged" "damaged: the checksum of section"

# version_1 IMAGE FILE: its first section, with the checksum, as in version 1 of the format. The others are not read.
version_1() {
	python3 - "$1" >"$2" <<-'PYTHON'
		import sys, zlib
		image = bytearray(open(sys.argv[1], "rb").read())
		image[8] = 1
		end = 12 + 16 + int.from_bytes(image[20:28], "little")
		core = b"\1\7\0\0\0generic" + bytes(4)  # and no PMU: since version 3
		core += b"\1" + bytes(8) + (1767225600).to_bytes(4, "little")  # seeds and the clock: since version 4
		core += (1000000000).to_bytes(4, "little")  # CNTFRQ_EL0: since version 5
		assert image[end - len(core):end] == core
		del image[end - len(core):end]
		end -= len(core)
		image[20:28] = (end - 28).to_bytes(8, "little")
		image[end:end + 4] = zlib.crc32(image[:end]).to_bytes(4, "little")
		sys.stdout.buffer.write(image)
	PYTHON
}
for count in 16 17; do
	check "$count vCPUs are saved" exits 4 run -c "$count" --time serial --save "$work/new" --save-at 2 "$work/off"
	version_1 "$work/new" "$work/bad"
	case $count in
	16) damaged "16 vCPUs of version 1 are read on" "damaged: the checksum of section KERN 0 is wrong" ;;
	17) damaged "17 vCPUs of version 1 had another MPIDR_EL1" \
		"configuration: 17 vCPUs, saved in version 1 of the format: MPIDR_EL1 was another beyond the first 16" ;;
	esac
done

# The seeds of the fuzz target are images of version 1.
for seed in "$(dirname "$0")"/../fuzz/corpus/saved_machine/*; do
	run --restore "$seed" --save "$work/new" --save-at 1000000 </dev/null >"$work/out" 2>"$work/err"
	check "the fuzz seed $(basename "$seed") is not refused" test $? -ne 2
done

exit "$failed"
