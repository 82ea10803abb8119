#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/cli/doctor.sh VSPE: vspe doctor on this host, and with a PATH in which there is nothing, and then all that it looks for.
set -u
vspe=$(realpath "$1")
matcher=-E
. "$(dirname "$0")/common.sh"
mkdir "$work/none" "$work/all"
for tool in apt-get dpkg-deb debootstrap fakeroot mke2fs sfdisk mformat; do
	printf '#!/bin/sh\n' >"$work/all/$tool"
done
printf '#!/bin/sh\necho "QEMU emulator version 11.1.0"\n' >"$work/all/qemu-system-aarch64"
printf '#!/bin/sh\necho Python 3.12.0\n' >"$work/all/python3"
printf '#!/bin/sh\necho "perf version 6.12"; echo "auxtrace: [ on  ]  # HAVE_AUXTRACE_SUPPORT"\n' >"$work/all/perf"
chmod +x "$work/all/"*

# A build for the sanitizers has no filter of system calls, which vspe needs.
code=0
"$vspe" doctor >"$work/first"
grep -q '^  ok *sandbox' "$work/first" || code=1
doctor() { PATH=$1 "$vspe" doctor "${@:2}"; }
state() { python3 -B - "$work/out" "$1" "$2" <<'END'; } # CHECK MEMBER
import json, sys
print([check.get(sys.argv[3]) for check in json.load(open(sys.argv[1]))["checks"] if check["name"] == sys.argv[2]][0])
END

check "without a program, nothing is missing that is needed" exits "$code" doctor "$work/none"
check "... and the programs are" has out '^  missing  perf +no perf in PATH'
check "... with what they are for" has out '^ +for: perf report'
check "... and what mends it" has out '^ +fix: sudo apt install linux-perf'
check "... all on standard output" test ! -s "$work/err"
check "JSON of the same" exits "$code" doctor "$work/none" --json
check "... has the state" test "$(state perf ok) $(state perf optional) $(state memory optional)" = "False True False"
check "... and the fix" test "$(state perf fix)" = "sudo apt install linux-perf"
check "with all programs" exits "$code" doctor "$work/all" --json
for name in perf qemu python3 linux-image linux-disk; do
	check "... $name is there" test "$(state $name ok) $(state $name fix)" = "True None"
done
check "a vspe that has no guests with it" cp "$vspe" "$work/vspe"
vspe=$work/vspe
check "... lacks something" exits 1 doctor "$work/all"
check "... which is said" has out '^  missing  guests '
check "a word too many is refused" exits 2 doctor "$work/all" more
check "... in one line" one_line "'more' is too much"
exit "$failed"
