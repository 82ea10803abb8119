#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# symbols.sh PLUGIN: what libvspe-qemu.so does not have itself is QEMU's, glib's or libc's: with a function of the project undefined in it,
# QEMU could not load it, and no linker would have said so.
set -u
strangers=$(nm -D --undefined-only "$1" | awk '$1 == "U" && $2 !~ /@|^qemu_plugin_|^g_/ { print $2 }') || exit 1
if [ -n "$strangers" ]; then
	echo "not ok - undefined in ${1##*/}:" $strangers
	exit 1
fi
echo "ok - nothing of the project is undefined in ${1##*/}"
