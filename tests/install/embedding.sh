#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# embedding.sh [--install FOLDER]: do what docs/embedding.md says, with the library that the environment has
# (PKG_CONFIG_PATH, LD_LIBRARY_PATH; or the system's).
#
# In the order of the page, in an empty directory: a block "c first.c" becomes that file, a block "c vmm.c" has to be
# lines of examples/embed/vmm.c, and a block "sh" is run and has to print what a block "text" after it says. The block
# "sh install" is run in FOLDER, which has the packages, by root; it is left out without --install. Then vmm.c is
# compiled with all warnings, linked with embedding_vmm.c, which has the rest of a VMM, and run.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
packages=
[ $# -eq 2 ] && [ "$1" = --install ] && packages=$(cd "$2" && pwd)
[ $# -eq 0 ] || [ -n "$packages" ] || { echo "usage: $0 [--install FOLDER]" >&2; exit 2; }
matcher=-F
. "$top/tests/cli/common.sh"

# NUMBER.KIND[.FILE], a file a block.
mkdir "$work/blocks" "$work/empty"
awk -v to="$work/blocks" '
	!inside && /^```[a-z]/ {
		kind = substr($1, 4)
		file = sprintf("%s/%02d.%s%s", to, ++count, kind, $2 == "" ? "" : "." $2)
		inside = 1
		printf "" >file
		next
	}
	/^```/ { inside = 0; close(file); next }
	inside { print >file }' "$top/docs/embedding.md"
check "the page has blocks" test "$(ls "$work/blocks" | wc -l)" -ge 5

prefix=
for block in "$work"/blocks/*; do
	name=${block##*/}
	case $name in
	*.sh.install)
		[ -n "$packages" ] || continue
		check "$name" exits 0 env -C "$packages" DEBIAN_FRONTEND=noninteractive sh -eu "$block"
		;;
	*.c.first.c) cp "$block" "$work/empty/first.c" ;;
	*.c.*.c)
		check "$name is in examples/embed" exits 0 perl -0777 -e \
			'sub text { open my $file, "<", shift; <$file> } exit(index(text($ARGV[1]), text($ARGV[0])) < 0)' \
			"$block" "$top/examples/embed/${name#*.c.}"
		;;
	*.sh)
		[ -n "$prefix" ] || { prefix=$(pkg-config --variable=prefix vspe) && PATH=$prefix/bin:$PATH; }
		check "$name" exits 0 env -C "$work/empty" sh -eu "$block"
		cp "$work/out" "$work/printed"
		;;
	*.text)
		check "$name is what was printed" diff -u "$block" "$work/printed"
		;;
	*) check "$name is of a kind that is known" false ;;
	esac
done

strict="-std=c11 -Wall -Wextra -Wshadow -Wpedantic -Werror"
check "vmm.c compiles" exits 0 gcc $strict $(pkg-config --cflags vspe) -c "$top/examples/embed/vmm.c" -o "$work/vmm.o"
check "with the rest of a VMM" exits 0 gcc $strict -I"$top/examples/embed" "$top/tests/install/embedding_vmm.c" -o "$work/vmm" \
	$(pkg-config --cflags --libs vspe)
check "it runs" exits 0 "$work/vmm"
check "and has sampled" has out "records: "
sed 's/^/# /' "$work/out"
check "decode.c compiles" exits 0 gcc $strict "$top/examples/embed/decode.c" -o "$work/decode" $(pkg-config --cflags --libs vspe)
# A record with a PC, one that is cut off, and padding.
printf '\260\064\022\0\0\0\0\0\240\230\014\0\001\0\0\260\170\126\0\0\0\0\0\240\230' >"$work/bytes"
check "decode.c runs" exits 0 sh -c '"$1" <"$2"' sh "$work/decode" "$work/bytes"
printf '0x1234: 12 cycles\n0x5678: 0 cycles\n' >"$work/expected"
check "and reads records" diff -u "$work/expected" "$work/out"
exit $failed
