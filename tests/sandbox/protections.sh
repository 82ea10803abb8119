#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# protections.sh VSPE GUEST: --stats reports protections that the kernel lacks, and --sandbox strict refuses to run
# without them; descriptors, the user, and limits of files.
set -u
vspe=$1
guest=$2
matcher=-E
. "$(dirname "$0")/../cli/common.sh"

cp "$guest" "$work/guest"
run() { # CODE OPTION...
	want=$1
	shift
	printf . | exits_with "$want" "$vspe" run "$@" "$work/guest"
}
exits_with() {
	want=$1
	shift
	"$@" >"$work/out" 2>"$work/err"
	got=$?
	[ "$got" = "$want" ] && return
	echo "# exit code $got instead of $want: $*"
	head -n 20 "$work/err"
	return 1
}
lacks() { has err "^vspe: sandbox: no $1: $2"; }
not() { ! "$@"; }

# Descriptors: the files that options name can be read, all else is closed.
head -c 4096 /dev/zero >"$work/disk"
check "a descriptor that a word names" sh -c 'printf . | "$1" run --disk /dev/fd/7,ro "$2" 7<"$3" >/dev/null' sh "$vspe" "$work/guest" "$work/disk"
check "... and in the middle of a word" sh -c 'printf . | "$1" run --kernel=/proc/self/fd/8 8<"$2" >/dev/null' sh "$vspe" "$work/guest"
check "console output by a descriptor" sh -c 'printf . | "$1" run --serial /dev/fd/5 --timeout 1 "$2" 5>"$3"; [ $? = 124 ]' sh "$vspe" \
	"$work/guest" "$work/console"

# Limits of files: an option that prevents them is named.
check "--record" run 0 --stats --record "$work/recording"
check "... has no limit, and says so" lacks "limit of files" "--record writes"
check "--perf-data-limit none" run 0 --stats --perf-data "$work/data" --perf-data-limit none
check "... too" lacks "limit of files" "--perf-data-limit none"
check "--perf-data" run 0 --stats --perf-data "$work/data"
check "... has one" not grep -q "limit of files" "$work/err"
check "--sandbox off" run 0 --stats --sandbox off
check "... misses nothing that was not asked for" not grep -q "^vspe: sandbox: no" "$work/err"

if run 0 --stats && grep -q "no filter of system calls" "$work/err"; then
	check "a build without a filter is refused by strict" run 3 --sandbox strict
	exit $failed
fi

# A kernel without namespaces: a limit of 0, set in a user namespace if that is possible.
cat >"$work/inside" <<-'INSIDE'
	echo 0 >/proc/sys/user/max_user_namespaces || exit 77
	setpriv --bounding-set=-all --inh-caps=-all "$@"
INSIDE
nowhere() { unshare -Ur sh "$work/inside" "$@"; }
if nowhere true 2>/dev/null; then
	check "no namespaces: the guest runs" exits_with 0 nowhere "$vspe" run --stats --timeout 60 "$work/guest" <<-'INPUT'
		.
	INPUT
	for name in "user namespace" "mount namespace" "network namespace" "IPC namespace" "UTS namespace" "empty root folder"; do
		check "... without $name" lacks "$name" "."
	done
	check "... each once" [ "$(grep '^vspe: sandbox: no' "$work/err" | sort | uniq -d | wc -l)" = 0 ]
	check "... and in JSON" sh -c 'printf . | unshare -Ur sh "$1" "$2" run --stats=json "$3" 2>&1 | grep -q "unprotected.*user namespace"' sh \
		"$work/inside" "$vspe" "$work/guest"
	for device in "--net user,restrict=on" "--share $work"; do
		# shellcheck disable=SC2086 # an option and its value
		check "... $device runs" sh -c 'printf . | unshare -Ur sh "$@"' sh "$work/inside" "$vspe" run --stats $device "$work/guest" 2>"$work/err"
		check "... and says so" lacks "namespaces of a device's process" "."
	done
	check "strict refuses it" exits_with 3 nowhere "$vspe" run --sandbox strict "$work/guest" </dev/null
	check "... in one line" one_line "^vspe run: --sandbox strict: no user namespace: .*; --sandbox on goes without$"
	check "and vspe decode too" exits_with 3 nowhere "$vspe" decode --sandbox strict "$work/guest" </dev/null
else
	echo "ok - a kernel without namespaces # SKIP it cannot be had here"
fi

# Root may choose another user; anybody else may not.
if [ "$(id -u)" != 0 ]; then
	check "--user for who is not root" run 2 --user nobody
	check "... says so" one_line "--user nobody: not started as root"
	exit $failed
fi
check "root" run 0 --stats
check "... is told" lacks "unprivileged user" "started as root"
check "root, and strict" run 3 --sandbox strict
check "... in one line" one_line "no unprivileged user: started as root"
chmod 711 "$work"
check "--user, a folder of root's" run 2 --user nobody --perf-data "$work/users.data"
check "... is refused before anything runs" one_line "--perf-data .*users.data: Permission denied"
mkdir "$work/users"
chown 65533:65533 "$work/users"
check "--user, a folder of his" run 0 --stats --user 65533:65533 --perf-data "$work/users/data"
check "... whose file is his" [ "$(stat -c %u:%g "$work/users/data")" = 65533:65533 ]
check "... and root is told no more" not grep -q "unprivileged user" "$work/err"
check "root, a folder of another's" run 0 --stats --perf-data "$work/users/roots"
check "... keeps what that needs" lacks "dropped capabilities" "CAP_DAC_OVERRIDE"
check "... and the file is there" test -s "$work/users/roots"
if command -v setpriv >/dev/null; then
	check "--user for who is not root" sh -c 'cp "$1" "$3/vspe" && ! printf . | setpriv --reuid 65533 --regid 65533 --clear-groups "$3/vspe" run --user nobody "$2" 2>"$3/said"' \
		sh "$vspe" "$work/guest" "$work"
	check "... says so" grep -q "not started as root" "$work/said"
fi
exit $failed
