#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# check.sh LIBRARY_FOLDER TABLES TARGET: the crates of bindings/rust: tests, examples of the documentation, clippy, rustfmt,
# rustdoc, and that their declarations are those of the headers. Nothing is fetched. What cargo makes goes to TARGET.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# The distribution's Rust before the user's: it is the oldest that the crates support.
PATH=/usr/bin:$PATH
VSPE_LIB_DIR=$1 VSPE_STATIC=1 CARGO_TARGET_DIR=$3 CARGO_NET_OFFLINE=true RUSTDOCFLAGS='-D warnings' RUST_BACKTRACE=0
export VSPE_LIB_DIR VSPE_STATIC CARGO_TARGET_DIR CARGO_NET_OFFLINE RUSTDOCFLAGS RUST_BACKTRACE
tables=$2
failed=0
if ! command -v cargo >/dev/null 2>&1; then
	echo "SKIP cargo is not installed"
	exit 77
fi
cd "$top/bindings/rust" || exit 1
mkdir -p "$CARGO_TARGET_DIR" || exit 1
log=$CARGO_TARGET_DIR/check.log

check() { # NAME COMMAND...
	name=$1
	shift
	if "$@" >"$log" 2>&1; then
		echo "ok - $name"
	else
		tail -n 60 "$log"
		echo "not ok - $name"
		failed=1
	fi
}

# The declarations are those that are committed; another bindgen words them differently.
declarations() {
	./bindgen.sh "$tables" --no-layout-tests >"$CARGO_TARGET_DIR/bindings.rs" &&
		diff vspe-sys/src/bindings.rs "$CARGO_TARGET_DIR/bindings.rs"
}

# The same of libvspe-kvm, which is for arm64.
declarations_kvm() {
	vspe-kvm-sys/bindgen.sh "$tables" >"$CARGO_TARGET_DIR/bindings-kvm.rs" &&
		diff vspe-kvm-sys/src/bindings.rs "$CARGO_TARGET_DIR/bindings-kvm.rs"
}

# Sizes and offsets: bindgen's tests of them, generated together with the declarations.
layouts() {
	rm -rf "$CARGO_TARGET_DIR/layouts" && mkdir "$CARGO_TARGET_DIR/layouts" &&
		cp vspe-sys/src/lib.rs "$CARGO_TARGET_DIR/layouts" &&
		./bindgen.sh "$tables" >"$CARGO_TARGET_DIR/layouts/bindings.rs" &&
		rustc --test --edition 2021 -A deref_nullptr "$CARGO_TARGET_DIR/layouts/lib.rs" -o "$CARGO_TARGET_DIR/layouts/test" &&
		"$CARGO_TARGET_DIR/layouts/test" | tee "$CARGO_TARGET_DIR/layouts/said" && grep -q '[1-9][0-9]* passed' "$CARGO_TARGET_DIR/layouts/said"
}

check "tests, and examples of the documentation" cargo test --offline --locked
check "without std" cargo check --offline --locked -p vspe --no-default-features
check "rustdoc" cargo doc --offline --locked --no-deps
if cargo clippy --version >/dev/null 2>&1; then
	check "clippy" cargo clippy --offline --locked --all-targets -- -D warnings
else
	echo "ok - clippy # SKIP it is not installed"
fi
if cargo fmt --version >/dev/null 2>&1; then
	check "rustfmt" cargo fmt --all -- --check
else
	echo "ok - rustfmt # SKIP it is not installed"
fi
case $(bindgen --version 2>&1) in
"bindgen 0.60."*)
	check "declarations of the headers" declarations
	check "those of libvspe-kvm" declarations_kvm
	check "sizes and offsets" layouts
	;;
*) echo "ok - declarations of the headers # SKIP bindgen 0.60 is not installed" ;;
esac
exit $failed
