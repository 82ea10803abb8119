#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# package.sh CRATES TARGET: the crates as they are packaged and installed, in the folder CRATES. They build from their
# archives with the feature "vendored", without an installed library, and the build script uses the target's tools.
# Nothing is fetched.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
matcher=-F
. "$top/tests/cli/common.sh"
# The distribution's Rust before the user's: it is the oldest that the crates support.
PATH=/usr/bin:$PATH
crates=$1
CARGO_TARGET_DIR=$2 CARGO_NET_OFFLINE=true RUST_BACKTRACE=0
export CARGO_TARGET_DIR CARGO_NET_OFFLINE RUST_BACKTRACE
unset VSPE_LIB_DIR VSPE_STATIC
if ! command -v cargo >/dev/null 2>&1; then
	echo "SKIP cargo is not installed"
	exit 77
fi
cd "$top/bindings/rust" || exit 1
mkdir -p "$CARGO_TARGET_DIR" || exit 1
made() { # COMMAND...: it succeeds; what it said is shown if not
	"$@" >"$work/said" 2>&1 && return
	tail -n 40 "$work/said" | sed 's/^/# /'
	return 1
}
example() { # of what is packaged, without a library that is there
	env PKG_CONFIG=false cargo run --offline --locked --quiet --manifest-path "$crates/Cargo.toml" -p vspe \
		--features vendored --example instructions | tee "$work/answer" && grep -q '^9 records$' "$work/answer"
}
package() { # CRATE OPTION...: as it would be published, which builds it from its archive
	crate=$1
	shift
	env PKG_CONFIG=false cargo package --offline --allow-dirty --manifest-path "$crates/$crate/Cargo.toml" --features vendored "$@"
}
has_file() { cargo package --offline --allow-dirty --list --manifest-path "$crates/$1/Cargo.toml" | grep -qx "$2"; }
# A cross build needs another target's tools: without any, the message names the variables to set.
names() { # TEXT VARIABLE=VALUE...
	text=$1
	shift
	! env TARGET=aarch64-unknown-linux-gnu HOST=x86_64-unknown-linux-gnu OUT_DIR="$CARGO_TARGET_DIR" \
		CARGO_MANIFEST_DIR="$crates/vspe-sys" "$@" "$CARGO_TARGET_DIR/build_script" >"$work/answer" 2>&1 &&
		grep -q -e "$text" "$work/answer"
}
cross() { # the sources for arm64, if there is a compiler for it
	command -v aarch64-linux-gnu-gcc >/dev/null || return 0
	env TARGET=aarch64-unknown-linux-gnu HOST=x86_64-unknown-linux-gnu OUT_DIR="$CARGO_TARGET_DIR" CARGO_MANIFEST_DIR="$crates/vspe-sys" \
		CARGO_FEATURE_VENDORED=1 "$CARGO_TARGET_DIR/build_script" && readelf -h "$CARGO_TARGET_DIR/libvspe.a" | grep -q AArch64
}
check "the example, vendored" made example
check "vspe-sys is packaged" made package vspe-sys
check "vspe is packaged" made package vspe --config "patch.crates-io.vspe-sys.path='$crates/vspe-sys'"
for crate in vspe vspe-sys; do
	check "$crate has its licence" made has_file $crate LICENSE
	check "$crate has a README" made has_file $crate README.md
done
check "the build script" made rustc --edition 2021 -o "$CARGO_TARGET_DIR/build_script" vspe-sys/build.rs
check "... asks the target's pkg-config" names 'aarch64-linux-gnu-none: No such file' PKG_CONFIG_aarch64_unknown_linux_gnu=aarch64-linux-gnu-none
check "... has the target's folder" names '/nowhere: there is no libvspe' VSPE_LIB_DIR_aarch64-unknown-linux-gnu=/nowhere
check "... has the target's compiler" names 'no-such-cc' CARGO_FEATURE_VENDORED=1 CC_aarch64-unknown-linux-gnu=no-such-cc
check "... compiles for another target" made cross
exit "$failed"
