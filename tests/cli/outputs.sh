#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/cli/outputs.sh VSPE GUESTS: what is written is whole, or it is said what is missing: closed and full standard
# streams, full disks, files that cannot be, and files that are another one of the same command line.
set -u
vspe=$1
guests=$2
matcher=-F
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/flat.sh"
hotspot=$guests/hotspot.Image

# line NAME CODE PATTERN COMMAND...: the exit code, and one line of standard error with the pattern.
line() {
	local name=$1 code=$2 pattern=$3
	shift 3
	check "$name: exit code $code" exits "$code" "$@"
	check "$name: one line" one_line "$pattern"
}
# refused NAME PATTERN COMMAND...: before anything is run.
refused() {
	local name=$1 pattern=$2
	shift 2
	line "$name" 2 "$pattern" "$@"
	check "$name: nothing was run" test ! -s "$work/out"
}
# with KIB COMMAND...: no file gets larger, as on a disk that is full.
with() {
	local kib=$1
	shift
	(ulimit -f "$kib" && exec "$@")
}
mkdir "$work/dir"
cp "$(dirname "$0")/pages/web.txt" "$work/page"
cd "$work" || exit 1
flat off 52b08000 72800100 d4000002 # power off
flat forever 14000000               # b .
# mov x1, #0x09000000; mov w2, #'x'; str w2, [x1]; mov w0, #0x84000000; movk w0, #8; hvc #0
flat says d2a12001 52800f02 b9000022 52b08000 72800100 d4000002

# --- Descriptors 0 to 2 are open before any file is (case 1).
"$vspe" run "$hotspot" --perf-data data >&- 2>err
check "closed standard output: exit code 5" test $? -eq 5
check "... and that is said" one_line "standard output: Bad file descriptor"
: >out
"$vspe" run says --save image --save-at 3 >out 2>&-
check "closed standard error: exit code 5" test $? -eq 5
check "... and nothing else is in the image" test "$(head -c 8 image)" = VSPESAVE
line "... which is whole" 0 "" "$vspe" run --restore image --stats=json
"$vspe" run says <&- >out 2>err
check "closed standard input is empty" test "$?-$(cat out)-$(cat err)" = 0-x-
"$vspe" run "$hotspot" --tap --perf-data data <&- >&- 2>&-
check "all of them closed: exit code 5" test $? -eq 5
"$vspe" explain --list >&- 2>err
check "explain with a closed standard output: exit code 5" test $? -eq 5
rm -f data image

# --- The machine goes on when it cannot be saved, and so does its profile (case 2).
line "no place to save at an operation" 5 "--save image: File too large: not saved after 20000 operations, the machine goes on" \
	with 16 "$vspe" run "$hotspot" --save image --save-at 20000
check "... and the guest is seen to its end" grep -q "^ok 1" out
check "... and nothing is left" test -z "$(ls | grep image)"
mkfifo fifo
(ulimit -f 1 && exec "$vspe" run forever --timeout 3 --save image <fifo >out 2>err) &
exec 9>fifo
until grep -qs SigQ: "/proc/$!/status" && [ "$((0x$(sed -n 's/^SigCgt:\t//p' "/proc/$!/status") >> 9 & 1))" -eq 1 ]; do
	kill -0 $! || break
done
kill -USR1 $!
until grep -q "goes on" err; do kill -0 $! || break; done
kill -USR1 $!
wait $!
check "no place to save at a signal: exit code 5" test $? -eq 5
check "... each time" test "$(grep -c "the machine goes on" err)" -eq 2
check "... and it went on" grep -q "timed out after 3 s" err
exec 9>&-
line "a full disk for the records" 5 "File too large: " with 300 "$vspe" run "$hotspot" --perf-data data --spe v1p5 --params spe=64
check "... does not end the guest" grep -q "^ok 1" out
check "... says what is lost" grep -q "of [0-9]* records are lost, the others are in " err
partial=$(sed -n 's/.*the others are in //p' err)
lost=$(sed -n 's/.*: \([0-9]*\) of [0-9]* records are lost.*/\1/p' err)
all=$(sed -n 's/.* of \([0-9]*\) records are lost.*/\1/p' err)
check "... nothing has the name of the whole" test ! -e data
check "vspe decode reads what there is" exits 0 "$vspe" decode -s "$partial"
check "... all but what is lost" test "$(sed -n 's/^records  *//p' out)" = "$((all - lost))"
head -c 200000 "$partial" >cut
printf '\0\0\0\0\0\0\0\0' | dd of=cut bs=1 seek=48 conv=notrunc status=none
line "a perf.data file that was never finished" 1 "never finished; read as far as it goes" "$vspe" decode cut
check "... is read" test "$(grep -c ^record out)" -gt 1000
rm -f data*.part cut

# --- The limit of the profile (case 12).
check "a limit" exits 0 "$vspe" run "$hotspot" --perf-data data --perf-data-limit 128K
check "... what has no place is said" one_line "--perf-data-limit: data has no place for the last"
lost=$(sed -n 's/.* the last \([0-9]*\) of.*/\1/p' err)
all=$(sed -n 's/.* of \([0-9]*\) records$/\1/p' err)
check "... and it holds" test "$(stat -c %s data)" -le 131072
check "... and the file is whole" exits 0 "$vspe" decode -s data
if command -v perf >/dev/null; then
	check "... which perf reads" test "$(perf script -i data 2>/dev/null | wc -l)" -gt 100
	check "... and says that it has an end" sh -c 'perf report --stdio -i data 2>&1 | grep -q "AUX data lost 1 times"'
fi
check "... all but what is left out" test "$(sed -n 's/^records  *//p' out)" = "$((all - lost))"
check "no limit" exits 0 "$vspe" run "$hotspot" --perf-data data --perf-data-limit none
check "... and nothing is said" test ! -s err
refused "a limit that is none" "--perf-data-limit 1: neither none nor a number of bytes from 64K on" \
	"$vspe" run off --perf-data data --perf-data-limit 1
refused "a limit of nothing" "--perf-data-limit 1M: only with --perf-data" "$vspe" run off --perf-data-limit 1M
rm -f data

# --- What cannot be written is found out before the run (case 3).
for option in --perf-data --save --dump-dtb; do
	refused "$option without a name" "$option: an empty file name" "$vspe" run says $option ''
	refused "$option in no folder" "$option nodir/x: No such file or directory" "$vspe" run says $option nodir/x
	refused "$option is a folder" "$option dir: Is a directory" "$vspe" run says $option dir
	refused "$option ends in a slash" "$option new/: Is a directory" "$vspe" run says $option new/
	if [ "$(id -u)" -ne 0 ]; then
		chmod a-w dir
		refused "$option in a folder of others" "$option dir/x: Permission denied" "$vspe" run says $option dir/x
		chmod u+w dir
		: >kept && chmod a-w kept
		refused "$option is write-protected" "$option kept: Permission denied" "$vspe" run says $option kept
		rm -f kept
	fi
done
refused "--junit in no folder" "--junit: nodir/x: No such file or directory" "$vspe" conform --only PMSCR --junit nodir/x
refused "--junit without a name" "--junit: an empty file name" "$vspe" conform --only PMSCR --junit ''
refused "guests in no folder" "--guests: nodir/bench/alu.Image: No such file or directory" "$vspe" bench --no-calls --guests nodir

# --- A link stays, and what it leads to is written, as by a shell.
ln -s dir/target dangling
ln -s "$work/dir/absolute" far
ln -s dangling twice
ln -s loop loop
for link in dangling far twice; do
	"$vspe" run "$hotspot" --perf-data $link >/dev/null 2>&1
	check "$link, a link to what is not there: it stays" test -L $link
	check "... and the file is made" test -s $link
	check "... with nothing beside it" test "$(ls dir | wc -l)" -eq 1
	rm -f dir/*
done
refused "a link to itself" "--perf-data loop: Too many levels of symbolic links" "$vspe" run says --perf-data loop
check "... which stays" test -L loop
rm -f dangling far twice loop

# --- No file is written over another (case 4).
cp "$hotspot" k.Image
ln k.Image link
ln -s k.Image symlink
cp "$guests/platform.elf" elf
for other in k.Image ./k.Image link symlink dir/../k.Image; do
	refused "--dump-dtb over the guest, $other" "--dump-dtb $other: the same file as k.Image" "$vspe" run --dump-dtb "$other" k.Image
	refused "--save over the guest, $other" "--save $other: the same file as --kernel k.Image" "$vspe" run --save "$other" -k k.Image
done
refused "--perf-data over the guest" "--perf-data k.Image: the same file as k.Image" "$vspe" run --perf-data k.Image k.Image
refused "--perf-data over the symbols" "--perf-data ./elf: the same file as --symbols elf" \
	"$vspe" run --symbols elf --perf-data ./elf k.Image
refused "two outputs that are none yet" "--dump-dtb dir/x: the same file as --perf-data ./dir/x" \
	"$vspe" run --dump-dtb dir/x --perf-data ./dir/x k.Image
refused "an initrd" "the same file as --initrd elf" "$vspe" run -i elf --save elf k.Image
check "nothing was written over" cmp k.Image "$hotspot"
"$vspe" run "$hotspot" --perf-data data 2>/dev/null >&2
"$vspe" run says --save image --save-at 3 >/dev/null 2>&1
refused "--perf-data over the machine" "--perf-data image: the same file as --restore image" "$vspe" run --restore image --perf-data image
check "... but a machine in the place of the one that was restored" exits 4 "$vspe" run --restore image --save image --save-at 4
refused "the guest of the machine" "--perf-data says: the same file as the guest of image" "$vspe" run --restore image --perf-data says
cp data raw
refused "decode over its input" "--perf-data raw: the same file as raw" "$vspe" decode --perf-data raw raw
check "... and it is as it was" cmp raw data
"$vspe" decode --perf-data raw - <raw >out 2>err
check "decode over standard input" test "$?-$(cat err)" = "2-vspe decode: --perf-data raw: the same file as standard input"
"$vspe" run says --perf-data log >log 2>err
check "standard output is a file" test "$?-$(cat err)" = "2-vspe run: --perf-data log: the same file as standard output"
refused "--junit over a page" "the same file as --asl page" "$vspe" conform --asl page --junit page
: >log
check "one file for both streams" sh -c '"$1" run says >>log 2>&1' - "$vspe"
check "a device is not written over" exits 0 "$vspe" run says --dump-dtb /dev/null -i /dev/null

# --- Files keep what they have.
: >kept && chmod 600 kept
check "a file that is there" exits 0 "$vspe" run says --perf-data kept
check "... keeps its mode" test "$(stat -c %a kept)" = 600

# --- A full standard output or error is no success, whatever is printed (case 5).
full() { # NAME COMMAND...; why, if that was found out before the end
	local name=$1
	shift
	timeout 60 "$@" >/dev/full 2>err </dev/null
	check "$name to a full device: exit code 5" test $? -eq 5
	check "$name: one line" one_line "standard output: ${why:-No space left on device}"
}
if [ -c /dev/full ]; then
	full "run" "$vspe" run says
	full "run --tap" "$vspe" run "$hotspot" --tap
	why="not everything could be written" full "run --help all" "$vspe" run --help all
	full "run --spe help" "$vspe" run --spe help
	full "bench --json" "$vspe" bench --json --no-calls --quick --no-qemu --kernel alu
	full "explain" "$vspe" explain PMSICR_EL1 read --el 1
	full "explain --list" "$vspe" explain --list
	full "conform -l" "$vspe" conform -l
	why="not everything could be written" full "conform" "$vspe" conform --only "PMSICR_EL1 read"
	full "conform --guests -l" "$vspe" conform --guests -l
	full "decode" "$vspe" decode data
	full "decode -j" "$vspe" decode -j data
	full "decode -s" "$vspe" decode -s data
	full "report" "$vspe" report data
	why="not everything could be written" full "report -j" "$vspe" report -j data
	full "report --folded" "$vspe" report --folded data
	full "--version" "$vspe" --version
	full "--help" "$vspe" --help
	"$vspe" run says --stats=json >out 2>/dev/full
	check "counts to a full device: exit code 5" test $? -eq 5
	line "a device tree to a full device" 5 "--dump-dtb: /dev/full: No space left on device" "$vspe" run --dump-dtb /dev/full
	line "JUnit to a full device" 5 "--junit: /dev/full: No space left on device" \
		"$vspe" conform --only "PMSICR_EL1 read" --junit /dev/full
fi
with 1 "$vspe" report --html x.html data >/dev/null 2>err
check "a full disk for a page: exit code 5" test $? -eq 5
check "... and one line" one_line "vspe report: x.html: File too large"
check "... and no page" test -z "$(ls | grep x.html)"
with 1 "$vspe" conform --only PMSCR_EL1 --junit x.xml >/dev/null 2>err
check "a full disk for JUnit: exit code 5" test $? -eq 5
check "... and one line" one_line "--junit: x.xml: File too large"
check "nothing is left" test -z "$(ls | grep part$)"
exit $failed
