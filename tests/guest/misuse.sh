#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# misuse.sh VSPE GUESTS [ROW...]: the guests of guests.list once more, with --spe check: nothing that the software CPU does is a
# misuse of libvspe. Without rows all that have SPE.
set -u
here=$(cd "$(dirname "$0")" && pwd)
vspe=$1 guests=$2
shift 2
rows=" $* "
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
run=0 failed=0

# With check among the words of --spe.
with_check() {
	said=
	while [ $# -gt 0 ]; do
		case $1 in
		--spe)
			said="$said --spe $2,check"
			spe=1
			shift
			;;
		*) said="$said $1" ;;
		esac
		shift
	done
	[ -n "${spe:-}" ] || said="$said --spe check"
}

grep -v '^#' "$here/guests.list" >"$work/list"
while read -r name on image _ _ seconds arguments; do
	[ "$on" = vspe ] || continue
	[ "$rows" = "  " ] || case $rows in *" $name "*) ;; *) continue ;; esac
	case " $arguments " in *" --no-spe "*) continue ;; esac
	case $image in *.elf) file=$guests/$image ;; *) file=$guests/$image.Image ;; esac
	spe=
	# shellcheck disable=SC2086 # words
	with_check $arguments
	# shellcheck disable=SC2086 # words
	timeout "$((seconds * 2))" "$vspe" run -k "$file" $said --stats </dev/null >"$work/console" 2>"$work/stats"
	run=$((run + 1))
	if ! grep -q ' misuse.update 0 ' "$work/stats"; then
		echo "not ok - $name: nothing is told of misuse"
		tail -n 3 "$work/stats"
		failed=1
	elif grep -o ' misuse\.[a-z]* [1-9][0-9]*' "$work/stats" >"$work/misuse"; then
		echo "not ok - $name:$(sort -u "$work/misuse" | tr -d '\n')"
		failed=1
	fi
done <"$work/list"
if [ "$run" -eq 0 ]; then
	echo "not ok - no such row of guests.list"
	exit 1
fi
[ "$failed" -eq 0 ] && echo "ok - no misuse in $run runs"
exit "$failed"
