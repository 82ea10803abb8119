#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/acpi/iasl.sh TABLES: ACPICA's compiler reads the tables that TABLES (tables.c) writes, has nothing to say against them, and
# finds in them what is meant; what it makes of the DSDT, and of what it has read there, is the same AML.
set -u
tables=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v iasl >/dev/null || { echo "SKIP: there is no iasl (Debian: acpica-tools)"; exit 77; }
failures=0
check() {
	local name=$1
	shift
	if "$@" >"$work/out" 2>&1; then
		echo "ok - $name"
	else
		failures=$((failures + 1))
		echo "not ok - $name"
		tail -n 20 "$work/out"
	fi
}

# read_back FOLDER TABLE: nothing is unknown, cut off or wrong.
read_back() {
	(cd "$1" && iasl -d "$2.dat") >"$work/log" 2>&1 && [ -s "$1/$2.dsl" ] &&
		! grep -iE 'error|warning|invalid|unknown|incorrect|exceed' "$work/log" "$1/$2.dsl"
}
# The compiler of Debian 12 writes its own name and date where the maker of the table is.
same_aml() {
	(cd "$1" && iasl -p again DSDT.dsl) >"$work/log" 2>&1 && grep -q "Compilation successful. 0 Errors, 0 Warnings" "$work/log" &&
		cmp <(tail -c +37 "$1/DSDT.dat") <(tail -c +37 "$1/again.aml")
}
for machine in "1 1 0 0" "2 1 2 0" "64 2 8 0" "4 1 0 3"; do
	folder=$work/${machine// /-}
	mkdir "$folder"
	# shellcheck disable=SC2086
	"$tables" "$folder" $machine || exit 1
	nodes=
	[ "${machine##* }" = 0 ] || nodes="SRAT SLIT HMAT"
	for table in FACP APIC GTDT SPCR PPTT DSDT $nodes; do
		check "$machine: $table" read_back "$folder" "$table"
	done
	check "$machine: DSDT compiles to the same" same_aml "$folder"
done
folder=$work/2-1-2-0
check "the interrupt of SPE" grep -E "SPE Overflow Interrupt : 0015" "$folder/APIC.dsl"
check "PSCI" grep -E "Must use HVC for PSCI : 1" "$folder/FACP.dsl"
check "the serial port" grep -E "Interrupt \(ResourceConsumer, Level, ActiveHigh" "$folder/DSDT.dsl"
folder=$work/4-1-0-3
check "the last node has no CPUs" grep -E "Processor Proximity Domain Valid : 0" "$folder/HMAT.dsl"
check "how far it is" grep -E "Locality 2 : 0F 0F 0A|Locality   2 : .*0A" "$folder/SLIT.dsl"
[ "$failures" -eq 0 ]
