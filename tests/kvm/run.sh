#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/kvm/run.sh [OPTION...] LIST VSPE GUESTS LINUX: run the rows of a list (soft.list says what is in one) with an arm64
# vspe on an arm64 host, which is Debian's kernel in qemu-system-aarch64, or in VSPE itself. VSPE is this machine's own,
# GUESTS the folder of the guests' images, LINUX that of the programs of tests/linux.
#
#   --host NAME    what the host's kernel runs on: qemu (the default), or vspe, whose software CPU it has at EL2
#   --cpu NAME     QEMU: neoverse-n1 (KVM with VHE; the default), cortex-a72 (KVM without), or another of QEMU's
#   --gic N        QEMU: the host's GIC, which is what its KVM has for guests: 3 (the default) or 2
#   --icount       QEMU: count time by instructions, 2 ns each: exact and repeatable, and slower
#   --rows REGEX   only rows whose names, NAME.MODE, match all of this
#   --arguments A  more arguments for every row, of KVM: --kvm-trap and others
#   --append TEXT  more for the host's command line
#   --vspe FILE    the arm64 vspe, if it is there already (tools/build-arm64.sh builds it)
#   --seconds N    stop after so many seconds of this machine's CPU, which is for what hangs (1200)
#   --keep FOLDER  leave the console and the initrd there
#
# VSPE_LINUX_IMAGE names the kernel, if it is there already (tools/debian-kernel.sh gets it). Exit code: 0 if all rows
# are right, 1 if not, 77 if something that this needs cannot be had, 2 for wrong use.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
usage() { echo "run.sh: $*" >&2; exit 2; }
skip() { echo "SKIP: $*"; exit 77; }

host=qemu cpu=neoverse-n1 gic=3 append='' icount='' rows='.*' arm64='' seconds=1200 keep='' more='' of_qemu=''
while [ $# -gt 0 ]; do
	case $1 in
	--icount) icount=1 of_qemu=$1; shift; continue ;;
	--host|--cpu|--gic|--append|--rows|--arguments|--vspe|--seconds|--keep) [ $# -ge 2 ] || usage "$1: a value is missing" ;;
	-*) usage "$1: no such option" ;;
	*) break ;;
	esac
	case $1 in
	--host) host=$2 ;;
	--cpu) cpu=$2 of_qemu="$1 $2" ;;
	--gic) gic=$2 of_qemu="$1 $2" ;;
	--append) append=$2 ;;
	--rows) rows=$2 ;;
	--arguments) more=$2 ;;
	--vspe) arm64=$2 ;;
	--seconds) seconds=$2 ;;
	--keep) keep=$2 ;;
	esac
	shift 2
done
[ $# -eq 4 ] || usage "LIST, VSPE, GUESTS and LINUX are needed"
list=$1 vspe=$2 guests=$3 linux=$4
[ -r "$list" ] || usage "$list: cannot be read"
[[ $host = qemu || $host = vspe ]] || usage "--host $host: not qemu or vspe"
[ "$host" = qemu ] || [ -z "$of_qemu" ] || usage "$of_qemu: only with --host qemu"
[ "$host" = vspe ] || command -v qemu-system-aarch64 >/dev/null || skip "qemu-system-aarch64 is not installed (Debian: qemu-system-arm)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -n "$keep" ] || keep=$work
mkdir -p "$keep"
# get NAME COMMAND...: the command's output, or a skip with the last of its messages.
get() {
	local -n into=$1
	shift
	into=$("$@" 2>"$work/err") || skip "$(tail -n 1 "$work/err")"
}
if [ -z "$arm64" ]; then
	arm64=$("$top/tools/build-arm64.sh" 2>"$work/err") || {
		[ $? -ne 77 ] || skip "$(tail -n 1 "$work/err")"
		cat "$work/err"
		exit 1
	}
fi
image=${VSPE_LINUX_IMAGE:-}
[ -n "$image" ] || get image "$top/tools/debian-kernel.sh" "$top/build/debian"
get root "$top/tools/debian-arm64.sh" "$top/build/debian-arm64" busybox-static

"$vspe" conform --guests "$top/tests/guest/guests.list" --guest-dir "$guests" --list >"$work/guests.list" || exit 1

# Modes of the list: their seconds and arguments.
declare -A mode_seconds mode_arguments
while read -r word name limit fields; do
	[ "$word" = mode ] || continue
	mode_seconds[$name]=$limit mode_arguments[$name]=$fields
done <"$list"

# Those whose records must be the software CPU's, except for what records.sed removes.
same=$(awk '$1 == "same" { print $2 }' "$list")

# Those in which no interrupt of the perf event may be useless.
idle=$(awk '$1 == "idle" { print $2 }' "$list")

# each COMMAND...: call it with NAME.MODE, the mode, and the fields of every selected row.
each() {
	local name modes mode fields
	while read -r name modes fields; do
		[[ $name =~ ^[a-z] && $name != mode && $name != same && $name != idle ]] || continue
		# If a row only has its modes, guests.list has the rest: on, image, plan, skips, seconds, arguments.
		[ -n "$fields" ] || fields=$(sed -n "s/^guest $name [^ ]* \([^ ]*\)[.]Image \([^ ]* [^ ]*\) [^ ]*/\1 \2/p" "$work/guests.list")
		for mode in ${modes//,/ }; do
			[[ $name.$mode =~ ^($rows)$ ]] || continue
			[ -n "${mode_seconds[$mode]:-}" ] || usage "$list: $name: there is no mode $mode"
			# shellcheck disable=SC2086 # fields are separated by blanks
			"$@" "$name.$mode" "$mode" $fields
		done
	done <"$list"
}

# The host's commands.
command_of() {
	local name=$1 mode=$2 image=$3 plan=$4 arguments
	shift 5
	if [[ $image = linux* ]]; then
		# Where modules are patched, one with its signature.
		local initrd=linux-initrd words=
		[[ ${mode_arguments[$mode]} != *--kvm-patch-modules* ]] || initrd=linux-signed
		[ "$image" = linux ] || initrd=linux-pmu words='\ --\ kvm'
		set -- "$@" --initrd "$initrd" --mem 256 --params "console=ttyAMA0\\ quiet\\ panic=-1$words" linux
	else
		set -- "$@" "guests/$image.Image"
	fi
	[[ ,$same, != *,${name%.*},* ]] || echo "same=1"
	[[ ,$idle, != *,${name%.*},* ]] || set -- --stats "$@"
	arguments=" $*"
	# Stepping takes longer than the time limit of a guest's tests. The software CPU counts
	# operations.
	if [ "$mode" != soft ] && [[ $image != linux* && $plan != exit=* ]]; then
		if [[ $arguments = *" -p "* ]]; then
			arguments=${arguments/ -p / -p deadline=600\\ }
		else
			arguments=" -p deadline=600$arguments"
		fi
	fi
	echo "row $name ${mode_seconds[$mode]} ${mode_arguments[$mode]} $more$arguments"
}
image_of() { [[ $3 = linux* ]] || echo "$3"; }

# libraries PROGRAM: the libraries of a dynamic program, and its loader.
libraries() {
	local name file
	for name in $(aarch64-linux-gnu-readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
		for file in /usr/aarch64-linux-gnu/lib "$root/lib/aarch64-linux-gnu" "$root/usr/lib/aarch64-linux-gnu"; do
			[ ! -e "$file/$name" ] || break
		done
		echo "$file/$name"
		libraries "$file/$name"
	done
}

ln -s "$(realpath "$vspe")" "$work/vspe"
ln -s "$(realpath "$guests")" "$work/guests"
. "$top/tests/linux/initrd.sh"
each command_of >"$work/rows"
[ -s "$work/rows" ] || usage "--rows $rows: no row of $list has such a name"
spe_initrd "$linux/spe" "$image" "$work" >"$work/linux-signed"
spe_initrd "$linux/spe" "$image" "$work" unsigned >"$work/linux-initrd"
spe_initrd "$linux/pmu" "$image" "$work" unsigned >"$work/linux-pmu"
{
	cpio_folder bin
	cpio_folder guests
	cpio_program bin/busybox "$root/bin/busybox"
	cpio_program init "$here/init.sh"
	cpio_program vspe "$arm64"
	cpio_folder lib
	for file in $(libraries "$arm64" | sort -u); do
		cpio_program "lib/${file##*/}" "$file"
	done
	cpio_file rows "$work/rows"
	for guest in $(each image_of | sort -u); do
		cpio_file "guests/$guest.Image" "$guests/$guest.Image"
	done
	if grep -q ' linux$' "$work/rows"; then
		cpio_file linux "$image"
		cpio_file linux-initrd "$work/linux-initrd"
		cpio_file linux-signed "$work/linux-signed"
		cpio_file linux-pmu "$work/linux-pmu"
	fi
	cpio_end
} >"$keep/initrd"

accelerator=(-accel tcg,thread=multi -smp 2)
[ -z "$icount" ] || accelerator=(-accel "tcg,thread=single" -icount "shift=1,sleep=off" -smp 1)
# v3p7: Linux 6.1 sets up EL2 as if there were no PMU from v3p8 on, so that KVM's guests would count nothing.
parameters="console=ttyAMA0 quiet loglevel=1 panic=-1 $append"
if [ "$host" = vspe ]; then
	machine=("$work/vspe" run --el 2 --mem 1024 --pmu v3p7 --timeout $((4 * seconds)) --initrd "$keep/initrd"
		--params "$parameters" "$image")
	cpu="vspe's software CPU"
else
	machine=(qemu-system-aarch64 -machine "virt,virtualization=on,gic-version=$gic" -cpu "$cpu" "${accelerator[@]}" -m 1024
		-nic none -display none -monitor none -serial stdio -no-reboot
		-kernel "$image" -initrd "$keep/initrd" -append "$parameters")
fi
# The limit is CPU time, since this machine may have other work; the second limit is for a host that does nothing.
host() {
	ulimit -t "$seconds"
	exec timeout $((4 * seconds)) "${machine[@]}" </dev/null 2>&1
}
TIMEFORMAT='%U %S'
{ time (host) | stdbuf -o0 head -c 20000000 >"$keep/console"; } 2>"$work/times"
sed -i 's/\r//g' "$keep/console"
took=$(awk '{ printf "%.0f", $1 + $2 }' "$work/times")
grep '^@host' "$keep/console" | sed -n '1s/^@host /# the host: Linux /p'

# The console of the row, without the lines of the test; and those lines.
console_of() { sed -n "/^@bytes /d; /^@row $1 begin\$/,/^@row $1 exit /p" "$keep/console"; }
said_of() { sed -n "s/^@row $1 $2 //p" "$keep/console"; }

# The entries of tests/guest/known.def for the emulator that the host runs on, in any version.
: >"$work/known"
[ "$host" = vspe ] || sed -n 's/^qemu\t[^\t]*\t"\([^"]*\)".*/\1/p' "$top/tests/guest/known.def" >"$work/known"

total=0 failures=0
# judge NAME MODE IMAGE PLAN SKIPS ARGUMENT...
judge() {
	local name=$1 mode=$2 image=$3 plan=$4 skips=$5 code times problem=
	shift 5
	total=$((total + 1))
	read -r code times <<<"$(said_of "$name" exit)"
	console_of "$name" | grep -v '^@' >"$work/out"
	if [ -z "$code" ]; then
		problem="it did not end"
	elif [[ $plan = exit=* ]]; then
		[ "$code" = "${plan#exit=}" ] || problem="exit code $code, not ${plan#exit=}"
	elif [ "$code" -gt 1 ]; then
		problem="exit code $code"
	else
		problem=$(grep -v '^\[ *[0-9.]*\] reboot: \|^$' "$work/out" |
			awk -v plan="$plan" -v skips="$skips" -v knowns="$work/known" -f "$here/tap.awk")
		if [ -z "$problem" ] && [ "$code" -eq 1 ] && ! grep -q '^not ok' "$work/out"; then
			problem="exit code 1"
		fi
	fi
	if [ -z "$problem" ] && [ "$mode" = soft ]; then
		problem=$(compare "$name" "$image" "$@")
	fi
	if [ -z "$problem" ] && [[ ,$same, == *,${name%.*},* ]]; then
		problem=$(compare_records "$name" "$image" "$@")
	fi
	if [ -z "$problem" ] && [[ ,$idle, == *,${name%.*},* && ${mode_arguments[$mode]} == *--kvm-sampler\ perf* ]]; then
		console_of "$name" | grep -q '^@err .* interrupts [1-9][0-9]*, in vain 0\(;\|$\)' ||
			problem="interrupts of the event came in vain, or none came"
	fi
	if [ -z "$problem" ]; then
		echo "ok - $name ($(awk '{ printf "%.2f", $4 - $2 }' <<<"$times") s)"
	else
		failures=$((failures + 1))
		echo "not ok - $name: $problem"
		tail -n 30 "$work/out"
		console_of "$name" | sed -n 's/^@err //p'
	fi
}

# compare NAME IMAGE ARGUMENT...: the differences from the same command here.
compare() {
	local name=$1 image=$2 limit=${mode_seconds[soft]}
	shift 2
	rm -f "$work/perf.data"
	# shellcheck disable=SC2086 # arguments are separated by blanks
	(cd "$work" && timeout "$limit" ./vspe run --tap --timeout "$limit" --perf-data perf.data \
		${mode_arguments[soft]} "$@" "guests/$image.Image" </dev/null >here 2>err) ||
		{ echo "here: $(tail -n 1 "$work/err")"; return; }
	[ "$(said_of "$name" out)" = "$(sha256sum <"$work/here")" ] || echo "the console is another than here"
	[ "$(said_of "$name" data)" = "$(sha256sum <"$work/perf.data")" ] || echo "the perf.data is another than here"
}

# records FILE [ARGUMENT...]: what must be the same in a perf.data; with a machine model, all except the
# time.
records() {
	local file=$1 but=(-f "$here/records.sed")
	shift
	[[ " $* " != *" --model "* ]] || but=(-e 's/,"timestamp":[0-9]*//')
	"$work/vspe" decode --json "$file" | sed "${but[@]}" | sha256sum
}

# compare_records NAME IMAGE ARGUMENT...: the same for the records of a guest on KVM and on the software CPU
# here.
compare_records() {
	local name=$1 image=$2
	shift 2
	eval "set -- $*" # backslashes, as in the host's shell
	rm -f "$work/perf.data"
	(cd "$work" && timeout 60 ./vspe run --timeout 60 --perf-data perf.data "$@" "guests/$image.Image" </dev/null \
		>here 2>err) || { echo "here: $(tail -n 1 "$work/err")"; return; }
	sed -n "s/^@bytes $name //p" "$keep/console" | base64 -d 2>>"$work/err" | gzip -dc >"$work/there" 2>>"$work/err" ||
		{ echo "its perf.data did not arrive"; return; }
	[ "$(records "$work/there" "$@")" = "$(records "$work/perf.data" "$@")" ] ||
		echo "the records are others than those of the software CPU"
}

each judge
grep -q '^@host done' "$keep/console" || {
	failures=$((failures + 1))
	echo "not ok - the host did not end (it had $took s of $seconds)"
	tail -n 20 "$keep/console"
}
echo "# $total rows, $failures failures, $took s of this machine's CPU with $cpu${icount:+, counting instructions}"
[ "$failures" -eq 0 ]
