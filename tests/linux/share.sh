#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/linux/share.sh VSPE: Debian's own 9P mounts a folder of the host's: what one side writes the other reads, names are sorted,
# one that is read-only stays as it is, nothing outside is reached, and two runs are the same. Debian's kernel for virtual machines
# has no 9P: the other one has.
set -u
vspe=$1
top=$(cd "$(dirname "$0")/../.." && pwd)
matcher=-E
. "$top/tests/cli/common.sh"
guest=$top/tools/linux-guest
"$guest" image --kernel generic >"$work/image" 2>"$work/err" || { echo "SKIP: $(tail -n 1 "$work/err")"; exit 77; }

# FOLDER: with 300 files of known sums, a folder in a folder, and links that lead out. Times are those of one moment.
fill() {
	mkdir -p "$1/many" "$1/deep/er"
	for n in $(seq 300); do seq "$n" "$((n + 50))" >"$1/many/file$n"; done
	seq 1 300000 >"$1/numbers"
	echo inner >"$1/deep/er/inner"
	ln -s ../outside "$1/out"
	ln -s deep/er "$1/short"
	find "$1" -exec touch -h -d @1700000000 {} +
}
echo secret >"$work/outside"
fill "$work/shared"
boot() { "$guest" run --vspe "$vspe" --kernel generic --no-spe --timeout 300 --seed 5 --stats=json --add "$(dirname "$0")/share_guest.sh" "$@"; }

check "a run" exits 0 boot --share "$work/shared,tag=results" -- bash /root/share_guest.sh write results
check "the guest mounts it" has out '^mounted$'
check "... reads a file as it is" has out "^$(sha256sum <"$work/shared/numbers")"
check "... and 300 of them" has out "^$(cd "$work/shared/many" && cat $(LC_ALL=C ls | grep file) | sha256sum)"
check "... whose names are sorted" has out '^300 sorted$'
check "... and a link within" has out '^inner$'
check "the links that lead out lead nowhere" has out '^nothing outside$'
check "what the guest writes is on the host" [ "$(sha256sum <"$work/shared/made/copy")" = "$(seq 1 200000 | sha256sum)" ]
check "... renamed" [ ! -e "$work/shared/before" ]
check "... and cut" [ "$(cat "$work/shared/made/cut")" = 0123 ]
check "... with its mode" [ "$(stat -c %a "$work/shared/made/copy")" = 640 ]
check "... and none that gives rights" [ -z "$(find "$work/shared" -perm /7000)" ]
check "... a second name" [ "$work/shared/made/copy" -ef "$work/shared/made/second" ]
check "... a link" [ "$(readlink "$work/shared/made/link")" = /anywhere ]
check "no device is made" has out '^no device$'
check "what is deleted is gone" [ ! -e "$work/shared/deep" ]
check "nothing outside is touched" [ "$(cat "$work/outside")" = secret ]
check "no request breaks a rule" has err '"device":"share",.*"broken":0'

fill "$work/ro"
find "$work/ro" -printf '%p %m %s %T@\n' | sort >"$work/before"
for run in 1 2; do
	check "read-only run $run" exits 0 boot --share "$work/ro,ro" -- bash /root/share_guest.sh read share
	cp "$work/out" "$work/out$run"
	cp "$work/err" "$work/err$run"
done
check "the guest reads it" has out "^$(sha256sum <"$work/ro/numbers")"
check "... and can change nothing" [ "$(grep -c '^refused$' "$work/out")" = 7 ]
find "$work/ro" -printf '%p %m %s %T@\n' | sort >"$work/after"
check "... which the host sees, too" cmp "$work/before" "$work/after"
check "the second run says the same" cmp "$work/out1" "$work/out2"
check "... and takes as many operations" cmp "$work/err1" "$work/err2"
exit "$failed"
