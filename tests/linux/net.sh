#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/linux/net.sh VSPE: Debian's own driver of the network card. The guest gets an address by DHCP and fetches a file over TCP from a
# server of the host's; a client of the host's is let in by hostfwd; and where nothing gets out two runs are the same.
set -u
vspe=$1
top=$(cd "$(dirname "$0")/../.." && pwd)
here=$(cd "$(dirname "$0")" && pwd)
matcher=-E
. "$top/tests/cli/common.sh"
guest=$top/tools/linux-guest
"$guest" image >"$work/image" 2>"$work/err" || { echo "SKIP: $(tail -n 1 "$work/err")"; exit 77; }
if "$vspe" run --net user missing 2>&1 | grep -q 'without libslirp'; then
	echo "SKIP: this vspe is built without libslirp"
	exit 77
fi

mkdir "$work/served"
seq 1 300000 >"$work/served/numbers"
python3 -B "$here/net_server.py" "$work/served" >"$work/port" 2>"$work/server" &
server=$!
trap 'kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
for _ in $(seq 100); do [ -s "$work/port" ] && break; sleep 0.1; done
read -r port free <"$work/port" || { echo "no server: $(cat "$work/server")"; exit 1; }

boot() { "$guest" run --vspe "$vspe" --no-spe --timeout 300 --seed 5 --stats=json --add "$here/net_guest.sh" "$@"; }
sum=$(sha256sum <"$work/served/numbers")
for run in 1 2; do
	check "run $run" exits 0 boot --net user -- bash /root/net_guest.sh fetch "$port"
	check "an address and a name server before the command" has out '^before: 10\.0\.2\.15/24 by 10\.0\.2\.3$'
	check "an address by DHCP" has out '^address 10\.0\.2\.15 of 10\.0\.2\.2$'
	check "the file is whole" has out "^fetched $sum"
	check "no frame is lost" has err '"device":"net",.*"failed":0,"broken":0'
done

check "a server in the guest" exits 0 boot --net "user,hostfwd=tcp::$free-:80,restrict=on" --add "$work/served/numbers" -- \
	bash /root/net_guest.sh serve "$port"
# The guest may be gone before all that it sent was read.
for _ in $(seq 600); do [ -e "$work/served/got" ] && break; sleep 0.1; done
check "... is reached from the host" [ "$(cat "$work/served/got")" = "$sum" ]
check "... and with restrict=on it does not get out" has out '^not fetched$'

for run in 1 2; do
	check "restricted run $run" exits 0 boot --net user,restrict=on,mac=52:54:00:ab:cd:ef -- bash /root/net_guest.sh restricted "$port"
	check "... has an address by DHCP" has out '^address 10\.0\.2\.15 of 10\.0\.2\.2$'
	check "... and its own" has out '^52:54:00:ab:cd:ef$'
	check "... and no way out" has out '^not fetched$'
	cp "$work/out" "$work/out$run"
	cp "$work/err" "$work/err$run"
done
check "the second restricted run says the same" cmp "$work/out1" "$work/out2"
check "... and takes as many operations" cmp "$work/err1" "$work/err2"
exit "$failed"
