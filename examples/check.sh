#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# examples/check.sh PREFIX [AARCH64_PREFIX]: build and check every example: see common.sh. Exit code 1 if one failed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
failed=0
for check in "$here"/*/check.sh; do
	name=$(basename "$(dirname "$check")")
	output=$("$check" "$@" 2>&1)
	case $? in
	0) echo "ok - $name: $(echo "$output" | tail -n 1)" ;;
	77) echo "ok - $name # $(echo "$output" | tail -n 1)" ;;
	*)
		echo "not ok - $name"
		echo "$output" | sed 's/^/# /'
		failed=1
		;;
	esac
done
exit $failed
