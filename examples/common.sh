# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# What the checks of the examples share, sourced after "set -eu": check.sh PREFIX AARCH64_PREFIX, where PREFIX is where
# vspe and libvspe are installed, and AARCH64_PREFIX where a libvspe for aarch64 is, if that is not PREFIX. Both may be
# /usr. Sets $work with a copy of the examples in $work/examples, $here in it, $vspe; exit code 77 is a skip.
[ $# -eq 1 ] || [ $# -eq 2 ] || { echo "usage: $0 PREFIX [AARCH64_PREFIX]" >&2; exit 2; }
prefix=$(cd "$1" && pwd) aarch64_prefix=$(cd "${2:-$1}" && pwd)
examples=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$examples" "$work/examples"
here=$work/examples/$(basename "$(cd "$(dirname "$0")" && pwd)")
vspe=$prefix/bin/vspe
# No settings or pager of whoever runs this.
export HOME="$work" PERF_CONFIG=/dev/null PERF_PAGER=cat LC_ALL=C

skip() { echo "SKIP: $*"; exit 77; }
fail() { echo "FAIL: $*"; exit 1; }
needs() { # COMMAND PACKAGE
	command -v "$1" >/dev/null || skip "there is no $1 here (Debian: $2)"
}

# The library of a prefix for pkg-config, CMake and the loader.
library_of() {
	pc=
	for candidate in "$1"/lib/pkgconfig "$1"/lib64/pkgconfig "$1"/lib/*/pkgconfig; do
		[ ! -e "$candidate/vspe.pc" ] || pc=$candidate/vspe.pc
	done
	[ -n "$pc" ] || fail "$1 has no vspe.pc"
	PKG_CONFIG_PATH=$(dirname "$pc") CMAKE_PREFIX_PATH=$1
	export PKG_CONFIG_PATH CMAKE_PREFIX_PATH
	# Where the loader does not look by itself.
	[ "$1" = /usr ] || export LD_LIBRARY_PATH="${PKG_CONFIG_PATH%/pkgconfig}"
}

# build COMMAND...: what it prints is shown if it fails.
build() { "$@" >"$work/build.log" 2>&1 || { tail -n 40 "$work/build.log"; fail "$*"; }; }

# run_perf OUT ARGUMENT...: perf has no unwinder for arm64 on other machines, and likes to see Context packets.
run_perf() {
	out=$1
	shift
	timeout 60 perf "$@" >"$out" 2>"$work/complaints" || { cat "$work/complaints"; fail "perf $*"; }
}

# One line a record, its packets' words but for timestamps.
words_of() {
	"$vspe" decode "$1" | awk '
	$1 == "record" { if (NR > 1) print line; line = ""; next }
	{
		sub(/^ +[0-9a-f]+: +([0-9a-f][0-9a-f] )+ */, "")
		sub(/ +$/, "")
		line = line (line == "" ? "" : " | ") $0
	}
	END { print line }'
}

# records_of LOG: the bytes that the lines "records: " of a console have in hexadecimal.
records_of() { sed -n 's/^records: //p' "$1" | perl -ne 'chomp; print pack "H*", $_'; }

# check_guest RAW [ELF]: the records of guest/guest.S are of the operations that its code and the interval say, as perf
# reads them.
check_guest() {
	elf=$here/guest.elf
	# perf takes addresses of EL1 for those of a kernel, in the upper half, whatever they are.
	"${CROSS_COMPILE:-aarch64-linux-gnu-}objcopy" --change-addresses 0xff00000000000000 "$elf" "$work/symbols.elf"
	"$vspe" decode --perf-data "$work/perf.data" --symbols "$work/symbols.elf" "$1" || fail "vspe decode"
	run_perf "$work/script" script -i "$work/perf.data" --itrace=i1i --vmlinux "$work/symbols.elf" \
		-F addr,ip,sym,symoff,phys_addr
	awk '{ print $3, $1, $4 }' "$work/script" >"$work/got"
	awk -f "$examples/guest/expected.awk" >"$work/wanted"
	diff "$work/wanted" "$work/got" >"$work/diff" || {
		head -n 20 "$work/diff"
		fail "perf shows other samples than the guest has to have"
	}
	echo "$(wc -l <"$work/got") records, as they have to be"
}

# on_kvm OUT PROGRAM FILE: run a static program for arm64 with that file on KVM: of this machine, or of Debian's arm64 kernel
# in QEMU. What it prints goes to OUT, with what that host says.
on_kvm() {
	out=$1 program=$2 file=$3
	if [ "$(uname -m)" = aarch64 ] && [ -w /dev/kvm ]; then
		timeout 60 "$program" "$file" >"$out" || fail "${program##*/}"
		return
	fi
	needs qemu-system-aarch64 qemu-system-arm
	top=$examples/..
	[ -x "$top/tools/debian-kernel.sh" ] || skip "no arm64 host with KVM, and no tools/debian-kernel.sh to make one"
	image=${VSPE_LINUX_IMAGE:-}
	[ -n "$image" ] || image=$("$top/tools/debian-kernel.sh" "$top/build/debian" 2>"$work/err") ||
		skip "$(tail -n 1 "$work/err")"
	. "$top/tests/linux/initrd.sh"
	program_init >"$work/init.c"
	build "${CROSS_COMPILE:-aarch64-linux-gnu-}gcc" -static -O2 -o "$work/init" "$work/init.c"
	program_initrd "$work/init" "$program" "$file" >"$work/initrd"
	timeout 100 qemu-system-aarch64 -machine virt,virtualization=on,gic-version=3 -cpu neoverse-n1 -m 512 -nic none \
		-display none -monitor none -serial stdio -no-reboot -kernel "$image" -initrd "$work/initrd" \
		-append "console=ttyAMA0 quiet loglevel=1 panic=-1" </dev/null 2>&1 |
		tr -d '\r' | head -c 1000000 >"$out"
}
