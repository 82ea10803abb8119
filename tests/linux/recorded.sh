#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/linux/recorded.sh VSPE: runs that have input from outside, recorded and replayed. A replay prints the same, and executes as
# many operations: of what is typed at a terminal whose time is the host's, and of a file that comes over the network.
set -u
vspe=$1
top=$(cd "$(dirname "$0")/../.." && pwd)
here=$(cd "$(dirname "$0")" && pwd)
matcher=-E
. "$top/tests/cli/common.sh"
guest=$top/tools/linux-guest
"$guest" image >"$work/image" 2>"$work/err" || { echo "SKIP: $(tail -n 1 "$work/err")"; exit 77; }
{ read -r kernel; read -r initrd; } <<<"$(tr ' ' '\n' <"$work/image")"

# same WHAT: what the last command printed, and counted, is what the one before did. Its sandbox is another one.
counted() { sed 's/,"unprotected":{[^}]*}//' "$work/err"; }
keep() { cp "$work/out" "$work/out1"; counted >"$work/counted1"; }
same() {
	check "$1: the same is printed" cmp "$work/out1" "$work/out"
	check "$1: as many operations" diff "$work/counted1" <(counted)
}

typed() {
	"$vspe" run --kernel "$kernel" --initrd "$initrd" --mem 1024 --seed 5 --timeout 300 --stats=json --cpus 2 --no-spe \
		--params "console=ttyAMA0 quiet panic=-1" "$@"
}
# A shell that says where each line came; the prompt tells that it can be asked.
ask() {
	local n=0
	until grep -q 'root@vspe' "$work/out" 2>/dev/null || [ $((n += 1)) -gt 2000 ]; do sleep 0.1; done
	for line in 'cat /proc/uptime' 'sleep 0.2; sed 2q /proc/interrupts' 'poweroff -f'; do
		echo "$line"
		sleep 0.7
	done
}
session() { ask | typed "$@"; }
check "a session at the terminal" exits 0 session --realtime --record "$work/session"
check "... has its answers" has out 'arch_timer'
keep
check "the session again" exits 0 typed --replay "$work/session" </dev/null
same "the session"
check "the session without the translator" exits 0 typed --jit off --replay "$work/session" </dev/null
same "without the translator"

if "$vspe" run --net user missing 2>&1 | grep -q 'without libslirp'; then
	exit "$failed"
fi
mkdir "$work/served"
seq 1 300000 >"$work/served/numbers"
python3 -B "$here/net_server.py" "$work/served" >"$work/port" 2>"$work/server" &
server=$!
trap 'kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
for _ in $(seq 100); do [ -s "$work/port" ] && break; sleep 0.1; done
read -r port _ <"$work/port" || { echo "no server: $(cat "$work/server")"; exit 1; }

boot() {
	"$guest" run --vspe "$vspe" --timeout 300 --seed 5 --stats=json --no-spe --net user --add "$here/net_guest.sh" "$@" -- \
		bash /root/net_guest.sh fetch "$port"
}
check "a file from a server" exits 0 boot --record "$work/fetched"
check "... is whole" has out "^fetched $(sha256sum <"$work/served/numbers")"
keep
kill "$server"
wait "$server" 2>/dev/null
check "the file again, without the server" exits 0 boot --replay "$work/fetched"
same "the file"
check "another machine is refused" exits 2 boot --replay "$work/fetched" --cpus 2
check "... by name" has err 'of another machine: it has cpus 1, this one cpus 2'
exit "$failed"
