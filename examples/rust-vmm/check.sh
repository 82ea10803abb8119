#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# examples/rust-vmm/check.sh PREFIX [AARCH64_PREFIX]: build it with Debian 13's crates and the installed libvspe-kvm for
# aarch64, run it on an arm64 host as kvm-loop, and compare its records with those of kvm-loop, byte for byte. The crates are
# this system's, if it has them, or those of a Debian 13 in the folder that VSPE_DEBIAN_13 names, which gets what is missing.
set -eu
. "$(dirname "$0")/../common.sh"
crates='librust-kvm-ioctls-dev librust-kvm-bindings-dev librust-vm-memory-dev'
needs make make
needs pkg-config pkg-config
needs aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
library_of "$aarch64_prefix"
[ -e "${pc%vspe.pc}vspe-kvm.pc" ] || skip "$aarch64_prefix has no libvspe-kvm"

registry=/usr/share/cargo/registry
root=${VSPE_DEBIAN_13:-}
if [ -n "$root" ]; then
	root=$(cd "$root" && pwd)
	mkdir -p "$root/root"
	place=$(mktemp -d "$root/root/rust-vmm.XXXXXX")
	trap 'rm -rf "$work" "$place"' EXIT
	inside() { chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
	[ -e "$root/usr/share/doc/librust-kvm-ioctls-dev" ] && [ -d "$root/usr/lib/rustlib/aarch64-unknown-linux-gnu" ] ||
		inside sh -c "dpkg --add-architecture arm64 && apt-get update && apt-get install -y --no-install-recommends \
			cargo rustc $crates libstd-rust-dev:arm64 gcc-aarch64-linux-gnu libc6-dev-arm64-cross" >"$work/apt.log" 2>&1 ||
		skip "Debian 13's crates cannot be had: $(tail -n 1 "$work/apt.log")"
elif ls -d $registry/kvm-ioctls-0.19* >/dev/null 2>&1; then
	place=$work/place
	mkdir "$place"
	inside() { "$@"; }
else
	skip "there are no crates of KVM here (Debian 13: $crates), and VSPE_DEBIAN_13 names no folder with a Debian 13"
fi

# All that it is built from, at a place that the other system sees; paths in it are that system's.
at=${place#"$root"}
cp -R "$here/src" "$here/Cargo.toml" "$place"
cp -R "$aarch64_prefix/share/vspe/rust" "$place/crates"
mkdir "$place/lib" "$place/.cargo"
cp "${pc%/pkgconfig/vspe.pc}"/libvspe*.a "$place/lib"
sed -i "s|/usr/share/vspe/rust|$at/crates|" "$place/Cargo.toml"
cat >"$place/.cargo/config.toml" <<-END
	[source.crates-io]
	replace-with = "debian"
	[source.debian]
	directory = "$registry"
	[build]
	target = "aarch64-unknown-linux-gnu"
	[target.aarch64-unknown-linux-gnu]
	linker = "aarch64-linux-gnu-gcc"
	rustflags = ["-C", "target-feature=+crt-static", "-D", "warnings"]
END
build inside sh -c "cd $at && VSPE_LIB_DIR=$at/lib VSPE_STATIC=1 cargo build --release --offline"

loop=$work/examples/kvm-loop
build make -C "$loop"
on_kvm "$work/loop" "$loop/kvm-loop" "$loop/guest.bin"
on_kvm "$work/rust" "$place/target/aarch64-unknown-linux-gnu/release/rust-vmm" "$loop/guest.bin"
for program in loop rust; do
	records_of "$work/$program" >"$work/$program.raw"
	sed -n 's/^kvm-loop: \|^rust-vmm: //p; /^guest: /p' "$work/$program" >"$work/$program.said"
done
[ -s "$work/loop.raw" ] || { tail -n 20 "$work/loop"; fail "kvm-loop has no records"; }
cmp "$work/loop.raw" "$work/rust.raw" || { tail -n 20 "$work/rust"; fail "other records than those of kvm-loop"; }
diff "$work/loop.said" "$work/rust.said" || fail "it says other things than kvm-loop"
echo "$(wc -c <"$work/rust.raw") bytes of records, those of kvm-loop"
