#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/unit/arm64.sh [TEXT...]: the translator for arm64 hosts, under qemu-aarch64: random programs and short ones, translated and in
# single steps, and what diff_qemu_user compares with QEMU's own execution. TEXT: parts of the names of other tests of
# tests/unit/soft/core_*.c. It needs build/arm64 (tools/build-arm64.sh). Exit code: 77 if something that it needs cannot be had.
set -eu
cd "$(dirname "$0")/../.."
cc=aarch64-linux-gnu-gcc
for program in qemu-aarch64 "$cc"; do
	command -v "$program" >/dev/null || { echo "SKIP: no $program (Debian: qemu-user, gcc-aarch64-linux-gnu)"; exit 77; }
done
[ -r build/arm64/vmm/soft/libsoft.a ] || { echo "SKIP: no build/arm64 (tools/build-arm64.sh)"; exit 77; }
[ $# -gt 0 ] || set -- core_floats core_sequences core_sampled core_translated core_sve_translated core_fault core_exact
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# make PROGRAM SOURCE...
make() {
	program=$1
	shift
	$cc -O2 -static -std=gnu11 -DVSPE_SOURCE_DIR="\"$PWD\"" -Itests/unit/plain -Itests/unit/soft -Itests -Ivmm -I. -Ia64/include \
		-Ispe/include -Ipmu/include -Isysreg/include -Ibuild/arm64/vmm/soft -Ibuild/arm64/a64/tables -Ibuild/arm64/sysreg/tables -o "$work/$program" "$@" \
		tests/unit/plain/clear_cache.c -Wl,--wrap=__clear_cache -Wl,--start-group build/arm64/vmm/soft/libsoft.a \
		build/arm64/vmm/arm/libarm.a build/arm64/vmm/base/libbase.a build/arm64/model/libmodel.a build/arm64/a64/liba64.a build/arm64/pmu/libpmu.a \
		build/arm64/spe/libvspe.a \
		-Wl,--end-group -lm
}

make unit tests/unit/plain/main.c tests/unit/soft/core_*.c
make diff tests/diff/compare.c tests/diff/generate*.c tests/diff/qemu_side.c tests/diff/soft_side.c
$cc -O2 -static -o "$work/runner" tests/diff/user_runner.c
VSPE_TEST_TRANSLATED=1 qemu-aarch64 -cpu cortex-a72 "$work/unit" "$@"
qemu-aarch64 -cpu cortex-a72 "$work/diff" --runner "$work/runner" --qemu qemu-aarch64 --cases 200
