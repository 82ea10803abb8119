#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/qemu/migrate.sh DEBIAN VSPE PLUGIN GUESTS [HOPS [VERSION...]]: in the QEMU of Debian 13's backports a profile
# goes on after savevm and loadvm and after migrations, with the records of a run that nothing disturbed (migrate.py
# says in which ways), for each version of SPE, v1p2 if none is given; HOPS times by socket, in a guest that runs as
# many times longer.
set -u
debian=$1 vspe=$2 plugin=$3 guests=$4
hops=${5:-1}
shift $(($# < 5 ? $# : 5))
here=$(dirname "$(realpath "$0")")
matcher=-E
name=migrate
. "$here/../cli/common.sh"
. "$here/inside.sh"

cp "$vspe" "$home/vspe"
cp "$plugin" "$home/libvspe-qemu.so"
cp "$guests/hotspot.Image" "$home/hotspot"
cp "$guests/registers.Image" "$home/registers"
python3 -B "$here/migrate.py" "$debian" "$vspe" "$hops" "${@:-v1p2}"
