# SPDX-License-Identifier: BSD-2-Clause
# What the scripts of this folder share, sourced: a folder that goes with the script, and checks that print a line of
# TAP each and set failed. The script's own matcher of lines is grep -F or grep -E: matcher=-F or -E before this.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

check() { # NAME CONDITION...
	name=$1
	shift
	if "$@"; then
		echo "ok - $name"
	else
		echo "not ok - $name"
		failed=1
	fi
}

# For tests of vspe linux: its kernel and initrd, whose paths are the lines of $work/image, or a skip.
linux_image() {
	"$vspe" linux image >"$work/image" 2>"$work/err" || { echo "SKIP: $(tail -n 1 "$work/err")"; exit 77; }
}

exits() { # CODE COMMAND...: its output goes to $work/out and $work/err
	want=$1
	shift
	"$@" >"$work/out" 2>"$work/err" </dev/null
	got=$?
	[ "$got" = "$want" ] && return
	echo "# exit code $got instead of $want: $*"
	grep -A 4 '^ *not ok' "$work/out" | head -n 40 # of a report in TAP
	head -n 20 "$work/out" "$work/err"
	return 1
}

has() { grep -q "$matcher" -- "$2" "$work/$1" || { echo "# not in $1: $2"; tail -n 20 "$work/$1"; return 1; }; }

one_line() { [ "$(wc -l <"$work/err")" -eq 1 ] && has err "$1"; } # PATTERN: standard error is one line that has it
