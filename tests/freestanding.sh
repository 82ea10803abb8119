#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# libvspe for aarch64 needs nothing: no symbol but memcpy and memset, and holds no writable data.
# freestanding.sh ARCHIVE NM OBJDUMP-PREFIX
set -eu
archive=$1
prefix=${2:-aarch64-linux-gnu-}
linked=$(mktemp)
trap 'rm -f "$linked"' EXIT

"${prefix}ld" -r --whole-archive "$archive" -o "$linked"
undefined=$("${prefix}nm" -u "$linked" | awk '{ print $2 }' | grep -vx -e memcpy -e memset || true)
if [ -n "$undefined" ]; then
	echo "libvspe calls out: $undefined" >&2
	exit 1
fi
writable=$("${prefix}size" -A "$linked" | awk '$1 ~ /^\.(data|bss|tdata|tbss)/ && $1 !~ /^\.data\.rel\.ro/ { sum += $2 } END { print sum + 0 }')
if [ "$writable" -ne 0 ]; then
	echo "libvspe holds $writable bytes of writable data" >&2
	exit 1
fi
"${prefix}size" -A "$linked" | awk '$1 ~ /^\.text/ { sum += $2 } END { print "libvspe: " sum " bytes of text, no writable data, calls only memcpy and memset" }'
