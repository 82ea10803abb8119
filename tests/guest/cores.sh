#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/guest/cores.sh PERF_CORES VSPE GUESTS: cores by name. A guest that profiles itself runs on each core, and its records are
# read by decoders that know one fixed struct (cores.py) and by the stock perf, which sees as many samples as records; perf's
# names of data sources for a core are those that it has for the real one, and those that vspe report has.
set -eu
cores=$1 vspe=$2 guests=$3
here=$(dirname "$0")
# shellcheck source=tests/guest/perf_common.sh
. "$here/perf_common.sh"

# names CORE: what perf mem shows of each data source, a line each in the order of their numbers.
names() {
	run_perf "$work/script" script -i "$work/$1.loads" --itrace=M -F data_src
	sed -E 's/^.*\|LVL ([^|]*)\|SNP ([^|]*)\|.*$/\1 \/ \2/; s/  +/ /g; s/ $//' "$work/script"
}

# perf 6.1's: of 0, 8 and so on to 14.
cat >"$work/neoverse" <<-'END'
	L1 or L1 hit / None
	L2 or L2 hit / None
	L2 or L2 hit / Peer
	L3 or L3 hit / Peer
	L3 or L3 hit / Hit
	L3 or L3 hit / Peer
	Remote N/A or N/A / Peer
	Local RAM or RAM hit / None
END
yes 'L1 hit / N/A' | head -8 >"$work/by-events"

# report CORE COLUMN: what vspe report has in a column of its table of data sources, in the order of their numbers.
report() {
	"$vspe" report --json "$work/$1.loads" | python3 -c '
import json, sys
for row in sorted(json.load(sys.stdin)["sources"]["rows"], key=lambda row: int(row["code"], 16)):
    print(row.get(sys.argv[1], "-"))' "$2"
}

# Arm names of the numbers 0, 8 and so on to 14.
cat >"$work/sources" <<-'END'
	L1D
	L2
	peer core
	local cluster
	system cache
	peer cluster
	remote
	DRAM
END

# same_report CORE: vspe report has names for the data sources of CORE exactly if its records have any; and it says what perf
# shows of them, in the words of perf 6.12, which gives a level once, where 6.1 gives it twice ("L2 or L2 hit").
same_report() {
	report "$1" source >"$work/names"
	case $1 in
	kunpeng920 | fvp) [ ! -s "$work/names" ] || fail "vspe report has data sources of $1" ;;
	*) diff "$work/sources" "$work/names" || fail "vspe report has other names for the data sources of $1" ;;
	esac
	cmp -s "$work/$1.names" "$work/generic.names" && return # perf takes the level from the events
	sed -E 's/^.* or (.* \/ )/\1/' "$work/$1.names" >"$work/perf.words"
	report "$1" perf | diff "$work/perf.words" - || fail "vspe report has other words of perf for the data sources of $1"
}

# same_names CORE TABLE
same_names() {
	diff "$work/$2" "$work/$1.names" || fail "perf has other names for the data sources of $1"
}

"$vspe" run --cpu help >"$work/help"
for core in $(awk '{ print $1 }' "$work/help"); do
	timeout 120 "$vspe" run --cpu "$core" -p micro-ops=1 -k "$guests/hotspot.Image" --tap --timeout 100 \
		--symbols "$guests/hotspot.elf" --perf-data "$work/$core" >"$work/$core.log" ||
		{ cat "$work/$core.log"; fail "hotspot on $core"; }
	"$cores" "$core" "$work/$core.loads" || fail "perf_cores $core"
	run_perf "$work/header" report --header-only -i "$work/$core"
	midr=$("$cores" --midr "$core")
	grep -q "^# cpuid : 0x00000000$midr" "$work/header" || { cat "$work/header"; fail "the CPUID of $core is not $midr"; }
	case $core in
	neoverse-*) python3 -B "$here/cores.py" "$core" "$work/$core" "$work/$core.loads" "$vspe" || fail "the structs of $core" ;;
	esac
	run_perf "$work/dump" report -D -i "$work/$core"
	! grep -q 'Bad packet' "$work/dump" || fail "perf report -D has bad packets of $core"
	packets_of_perf "$work/dump" | sed -E 's/^([0-9]+(( [0-9a-f]{2})+)) .*/\1/' >"$work/perf.packets"
	"$vspe" decode "$work/$core" >"$work/decode"
	packets_of_vspe "$work/decode" | sed -E 's/^([0-9]+(( [0-9a-f]{2})+)) .*/\1/' >"$work/vspe.packets"
	cmp "$work/perf.packets" "$work/vspe.packets" || fail "perf and vspe decode see other packets of $core"
	run_perf "$work/samples" script -i "$work/$core" --itrace=i1i -F ip
	records=$(grep -c '^[0-9]* 71 ' "$work/perf.packets" || true)
	[ "$(wc -l <"$work/samples")" -eq "$records" ] || fail "$core: perf has $(wc -l <"$work/samples") samples of $records records"
	names "$core" >"$work/$core.names"
	case $(perf --version) in
	*' 6.1.'*) case $core in
		neoverse-[nv]1 | neoverse-n2) same_names "$core" neoverse ;;
		*) same_names "$core" by-events ;; # it does not know V2 yet
		esac ;;
	*) case $core in
		neoverse-[nv]1 | neoverse-n2) same_names "$core" neoverse-n1.names ;;
		neoverse-*) ;; # whether it knows that depends on the version
		*) same_names "$core" generic.names ;;
		esac ;;
	esac
	same_report "$core"
done
[ "$(report generic perf | sort -u)" = - ] || fail "vspe report has words of perf for a core that perf does not know"
! cmp -s "$work/generic.names" "$work/neoverse-n1.names" || fail "perf does not know the data sources of neoverse-n1"
echo "PASS"
