#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tools/qemu-guests.sh [--only TEXT] [GUESTS [LIST]]: start the guests on qemu-system-aarch64, which has no SPE:
# each has to boot, skip with a reason what needs SPE, pass the rest, and power off. GUESTS is the
# folder of their images, build/release/guests if it is not given; LIST is tests/guest/guests.list,
# whose rows for qemu say what exactly has to come of it. An image of the list without such a row is a
# failure. Output is TAP; exit code 0 if all passed, 1 if one failed, 2 for wrong input, 77 without QEMU.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
qemu=${QEMU:-qemu-system-aarch64}
only=

complain() { echo "qemu-guests.sh: $*" >&2; exit 2; }

if [ "${1-}" = --only ]; then
	[ $# -ge 2 ] || complain "--only needs a value"
	only=$2
	shift 2
fi
case ${1-} in -*) complain "$1: there is no such option" ;; esac
[ $# -le 2 ] || complain "$3: one folder and one list is all that is taken"
guests=${1:-$top/build/release/guests} list=${2:-$top/tests/guest/guests.list}
[ -d "$guests" ] || complain "$guests: no such folder; build first, or name it"
[ -r "$list" ] || complain "$list: cannot be read"
command -v "$qemu" >/dev/null || { echo "SKIP: $qemu is not installed (Debian: qemu-system-arm)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Rows for qemu; and images without any.
grep -E '^[a-z][^[:space:]]*[[:space:]]+qemu(-[a-z0-9]+)?[[:space:]]' "$list" | grep -F -- "$only" >"$work/rows" ||
	complain "$list: no row for qemu${only:+ with $only in it}"
missing=
[ -n "$only" ] || missing=$(awk '
	/^[a-z]/ {
		image = $3
		sub(/[.]elf$/, "", image)
		if ($2 ~ /^qemu/) there[image]
		else if (!(image in seen)) { seen[image]; order[++n] = image }
	}
	END { for (i = 1; i <= n; i++) if (!(order[i] in there)) print order[i] }' "$list")

# shellcheck disable=SC2086
set -- $missing
echo "TAP version 13"
echo "1..$(($(wc -l <"$work/rows") + $#))"
number=0 failed=0
for image; do
	number=$((number + 1)) failed=$((failed + 1))
	echo "not ok $number - $image: $list has no row for it on qemu"
done

: >"$work/reasons"
while read -r name on image plan skips seconds arguments; do
	# One argument a line: quotes hold what is between them together, as everywhere else.
	IFS='
'
	# shellcheck disable=SC2046
	set -- $(printf '%s\n' "$arguments" | xargs -r printf '%s\n')
	unset IFS
	case $image in
	*.elf) file=$guests/$image ;;
	*) file=$guests/$image.Image ;;
	esac
	number=$((number + 1))
	if "$top/tests/guest/run_guest.sh" "$on" "$qemu" "$file" "$plan" "$skips" "$seconds" "$@" \
		</dev/null >"$work/output" 2>&1; then
		echo "ok $number - $name: $plan tests, $skips skipped"
		tr -d '\r' <"$work/output" | sed -n 's/^ok .* # SKIP //p' >>"$work/reasons"
	else
		failed=$((failed + 1))
		echo "not ok $number - $name"
		sed 's/^/#   /' "$work/output"
		echo "#   reproduce: tools/qemu-guests.sh --only $name $guests $list"
	fi
done <"$work/rows"
if [ -s "$work/reasons" ]; then
	echo "# skipped tests, by reason:"
	sort "$work/reasons" | uniq -c | sort -k1,1nr -k2 | sed 's/^/# /'
fi
echo "# $number guests on $qemu: $((number - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
