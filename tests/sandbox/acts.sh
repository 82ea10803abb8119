#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# acts.sh VSPE_ESCAPE GUEST: each process of vspe tries all acts of acts.def that it has no right to: each is stopped.
set -u
vspe=$1
guest=$2
matcher=-F
. "$(dirname "$0")/../cli/common.sh"

mkdir "$work/outside" "$work/inside"
echo untouched >"$work/outside/file"
export ESCAPE_FILE="$work/outside/file" ESCAPE_NEW="$work/outside/new"

# A descriptor that nobody named stays open in whoever starts vspe: number 9, which has a secret.
try() { # LETTERS OPTION...
	letters=$1
	shift
	printf '%s.' "$letters" | timeout 60 "$vspe" run "$@" "$guest" >"$work/out" 2>"$work/err" 9<"$work/outside/file"
}
untouched() { [ "$(cat "$ESCAPE_FILE")" = untouched ] && [ "$(ls "$work/outside")" = file ]; }

all_stopped() { # NAME LEAST LETTERS OPTION...
	process=$1
	least=$2
	shift 2
	try "$@"
	check "$process: the guest goes on after all" [ $? = 0 ]
	grep '^act: ' "$work/err" | grep -v ': stopped' >"$work/through"
	sed 's/^act: /# /' "$work/err" | grep '^# '
	check "$process: every act is stopped" [ ! -s "$work/through" ]
	sed 's/^/# NOT STOPPED: /' "$work/through"
	count=$(grep -c '^act: ' "$work/err")
	check "$process: $count acts, of at least $least" [ "$count" -ge "$least" ]
	check "$process: and they have done nothing" untouched
}

try w
if ! "$vspe" run --sandbox strict --dump-dtb "$work/dtb" 2>&1 | grep -q 'filter of system calls'; then :; else
	echo "a build for sanitizers or coverage has no filter"
	exit 77
fi

all_stopped "guest" 100 '*'
all_stopped "guest, single steps" 100 '*' --single-step
all_stopped "guest, without the translator" 100 '*' --jit off
all_stopped "guest with files that get their names at the end" 100 '*' --perf-data "$work/inside/perf.data" \
	--save "$work/inside/saved"
all_stopped "guest that is recorded" 100 '*' --record "$work/inside/recording"
if [ "$(id -u)" = 0 ]; then
	chmod 711 "$work"
	chmod 777 "$work/inside"
	all_stopped "guest of another user" 100 '*' --user nobody --perf-data "$work/inside/others.data"
	check "... whose file it is" [ "$(stat -c %U "$work/inside/others.data")" = nobody ]
fi
# What --engine kvm needs, of enum sandbox_need: the same filter on a host that has no KVM for guests of Arm's.
export ACTS_NEEDS=12
all_stopped "guest with what KVM needs" 95 '*'
unset ACTS_NEEDS

export ACTS_FILES=1
all_stopped "guest with files to be opened" 60 ''
unset ACTS_FILES

all_stopped "folder" 95 '/' --share "$work/inside"
all_stopped "folder that is read alone" 95 '%' --share "$work/inside,ro"

if "$vspe" run --net user missing 2>&1 | grep -q 'without libslirp'; then
	echo "ok - network # SKIP this vspe is built without libslirp"
else
	all_stopped "network" 95 '+' --net user
	all_stopped "network that nothing gets out of" 95 '-' --net user,restrict=on
fi
exit $failed
