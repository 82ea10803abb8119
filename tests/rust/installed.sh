#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# installed.sh PREFIX: do what docs/rust.md says with the crates and the library that are installed under PREFIX, which pkg-config
# finds (PKG_CONFIG_PATH, LD_LIBRARY_PATH), statically too.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
crates=$1/share/vspe/rust
matcher=-F
. "$top/tests/cli/common.sh"
PATH=/usr/bin:$PATH
if ! command -v cargo >/dev/null 2>&1; then
	echo "ok - crates # SKIP cargo is not installed"
	exit 0
fi
block() { awk -v fence="\`\`\`$1" '/^```/ { inside = $0 == fence; next } inside' "$top/docs/rust.md"; }

mkdir -p "$work/first/src"
block "toml Cargo.toml" | sed "s|/usr/share/vspe/rust|$crates|" >"$work/first/Cargo.toml"
block "rust src/main.rs" >"$work/first/src/main.rs"
block text >"$work/wanted"
unset VSPE_LIB_DIR VSPE_STATIC
export CARGO_TARGET_DIR="$work/target"
for static in 0 1; do
	check "docs/rust.md, VSPE_STATIC=$static" exits 0 env -C "$work/first" VSPE_STATIC=$static cargo run --offline --quiet
	check "it prints what the page says" diff "$work/wanted" "$work/out"
	readelf -d "$work/target/debug/first" | grep -c 'libvspe\.so' >"$work/shared"
	check "it has libvspe in it, or finds it" test "$(cat "$work/shared")" -eq $((1 - static))
done
exit $failed
