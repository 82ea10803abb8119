#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/guest/perf_script.sh PERF_SYNTHETIC VSPE: the stock perf reads what we write. Records of every
# kind of packet, on three CPUs and in several chunks, are all listed with their PCs and symbols, none
# of them bad; and perf and vspe decode see the same packets.
set -eu
synthetic=$1 vspe=$2
# shellcheck source=tests/guest/perf_common.sh
. "$(dirname "$0")/perf_common.sh"

# 12000 records: two chunks a CPU.
"$synthetic" 3 200 "$work/guest.elf" "$work/raw" "$work/data" >"$work/log"
records=$(wc -l <"$work/log")

run_perf "$work/script" script -i "$work/data" --itrace=i1i --vmlinux "$work/guest.elf" \
	-F cpu,ip,sym
samples=$(wc -l <"$work/script")
[ "$samples" -eq "$records" ] || fail "$samples samples of $records records"
awk '{ print $1, $2, $3 }' "$work/log" | sort >"$work/wanted"
tr -d '[]' <"$work/script" | awk '{ print $1 + 0, $2, $3 }' | sort >"$work/got"
cmp "$work/wanted" "$work/got" || fail "perf script has other PCs or symbols"

run_perf "$work/report" report -i "$work/data" --itrace=i1i --vmlinux "$work/guest.elf" --stdio \
	--sort symbol
for share in 30.00%:kernel_sixty 15.00%:kernel_thirty 5.00%:kernel_ten \
	30.00%:user_sixty 15.00%:user_thirty 5.00%:user_ten; do
	grep -q "${share%:*} .* ${share#*:}" "$work/report" || {
		cat "$work/report"
		fail "perf report does not have ${share#*:} with ${share%:*}"
	}
done

# Without the guest's symbols perf must not take those of the kernel it runs on.
run_perf "$work/script" script -i "$work/data" --itrace=i1i -F ip,sym
! grep ' ffff' "$work/script" | grep -v 'unknown' || fail "EL1 addresses have names of the host"

# All packets, as perf and as we see them. perf 6.1 has no words for some newer payloads, so only
# those of addresses, counters, contexts, sources and times are compared; bytes always are.
run_perf "$work/dump" report -D -i "$work/data"
! grep -q 'Bad packet' "$work/dump" || fail "perf report -D has bad packets"
packets_of_perf "$work/dump" >"$work/perf.packets"
"$vspe" decode "$work/data" >"$work/decode"
packets_of_vspe "$work/decode" >"$work/vspe.packets"
for side in perf vspe; do
	grep -e ' PC ' -e ' TGT ' -e ' VA ' -e ' PA ' -e ' TS ' -e ' CONTEXT ' \
		-e ' DATA-SOURCE ' -e ' END' -e ' TOT' -e ' ISSUE' -e ' XLAT' -e ' LD GP-REG' \
		-e ' ST GP-REG' "$work/$side.packets" >"$work/$side.words"
	sed -E 's/^([0-9]+(( [0-9a-f]{2})+)).*/\1/' "$work/$side.packets" \
		>"$work/$side.bytes"
done
cmp "$work/perf.bytes" "$work/vspe.bytes" || fail "perf and vspe decode see other packets"
cmp "$work/perf.words" "$work/vspe.words" || fail "perf and vspe decode read packets differently"
ends=$(grep -c -e ' TS ' -e ' END$' "$work/perf.packets")
[ "$ends" -eq "$records" ] || fail "perf report -D has $ends records of $records"

# The raw bytes and the file hold the same records.
[ "$("$vspe" decode --summary "$work/raw" | grep -v padding | grep -v '^bytes  ')" = \
	"$("$vspe" decode --summary "$work/data" | grep -v padding | grep -v '^bytes  ')" ] ||
	fail "the raw records and perf.data differ"

# The same records make the same file.
"$synthetic" 3 200 "$work/guest.elf" "$work/raw" "$work/data2" >/dev/null
cmp "$work/data" "$work/data2" || fail "two files of the same records differ"
echo "PASS: $records records, $(wc -l <"$work/perf.packets") packets"
