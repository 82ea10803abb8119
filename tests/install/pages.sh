#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# pages.sh VSPE DOCS: there is a man page for each subcommand, with each of its options; every page is without warnings, and
# what pages refer to is there.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
vspe=$1
made=$2 # the folder of the pages that the build makes
matcher=-F
. "$top/tests/cli/common.sh"

clean() {
	mandoc -T lint -W warning "$1" >"$work/lint" 2>&1 && return
	sed 's/^/# /' "$work/lint"
	return 1
}
options() { # of a --help: what stands before the descriptions
	"$vspe" "$1" --help all | sed -n 's/^  \{0,6\}\(-[^ ,]*\(, --[^ ]*\)\{0,1\}\).*/\1/p' |
		grep -o -e '--*[a-z][a-z0-9-]*' | sort -u
}
shows() { # PAGE OPTION...
	page=$1
	shift
	mandoc -T ascii "$made/$page" | sed 's/.\x08//g' >"$work/text"
	for option in "$@"; do
		grep -q -e "\(^\|[^a-z0-9-]\)$option\($\|[^a-z0-9-]\)" "$work/text" || { echo "# $page: no $option"; return 1; }
	done
}

groups() { # of a --help: each option with the heading that it stands below
	"$vspe" "$1" --help all | awk '/^[A-Z][A-Za-z ]*:$/ { group = $0; sub(":", "", group) }
		/^  (-[a-z],|   ) --/ { sub("^  (-[a-z],|   ) ", ""); sub("[^a-z0-9-].*", ""); print group ": " $0 }' | sort
}
page_groups() { # the same of a man page
	awk '/^\.Ss / { group = substr($0, 5) }
		/^\.It .*Fl -/ && group != "" {
			for (n = 2; n < NF; n++) if ($n == "Fl" && $(n + 1) ~ /^-/) print group ": -" $(n + 1) }' "$1" | sort -u
}
same_groups() { # COMMAND PAGE
	groups "$1" >"$work/groups"
	page_groups "$2" | grep -x -F -f "$work/groups" >"$work/page_groups"
	diff -u "$work/groups" "$work/page_groups" >"$work/diff" && return
	sed 's/^/# /' "$work/diff"
	return 1
}

for page in "$top"/docs/*.[1-9] "$made"/*.[1-9]; do
	check "${page##*/} is without warnings" clean "$page"
	sed -n 's/^\.Xr \(vspe[a-z-]*\|libvspe\) \([1-9]\).*/\1.\2/p' "$page" | sort -u >"$work/references"
	for reference in $(cat "$work/references"); do
		check "${page##*/} refers to $reference" test -f "$top/docs/$reference" -o -f "$made/$reference"
	done
done
commands=$("$vspe" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
check "there are subcommands" test -n "$commands"
for command in $commands; do
	check "vspe(1) refers to vspe-$command(1)" grep -q "^\.Xr vspe-$command 1" "$top/docs/vspe.1"
	found=$(options "$command")
	check "vspe $command has options" test -n "$found"
	"$vspe" "$command" --help all | grep -q '^Basic:$' &&
		check "vspe-$command(1) has the groups of --help" same_groups "$command" "$made/vspe-$command.1"
	check "vspe-$command(1) has every option" shows "vspe-$command.1" $found
done
exit $failed
