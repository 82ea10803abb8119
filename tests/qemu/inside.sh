# SPDX-License-Identifier: BSD-2-Clause
# What the scripts of this folder share, sourced: QEMU of Debian 13's backports, in the Debian of the folder $debian, and $home in it, which
# is the script's own folder /root/$name there. work is that of tests/cli/common.sh.
[ "$(id -u)" -eq 0 ] || { echo "SKIP: another Debian needs root"; exit 77; }
home=$debian/root/$name
rm -rf "$home"
mkdir -p "$home/qemu"
mount -t proc proc "$debian/proc" || { echo "SKIP: nothing can be mounted"; exit 77; }
trap 'umount "$debian/proc"; rm -rf "$work"' EXIT
inside() { timeout 900 chroot "$debian" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@" </dev/null; }

# records FILE: what two ways of execution have to agree on.
records() {
	"$vspe" decode --json "$1" | python3 -c '
import json, sys
for line in sys.stdin:
    record = json.loads(line)
    record["events"] = [event for event in record["events"] if "TLB" not in event]
    for name in list(record):
        if name in ("timestamp", "counters", "data_pa", "data_source_name", "offset", "size"):
            del record[name]
    print(json.dumps(record, sort_keys=True))'
}

# What vspe of this Debian needs has the same names there, but for libcapstone, which is copied.
echo "deb http://deb.debian.org/debian trixie-backports main" >"$debian/etc/apt/sources.list.d/backports.list"
{
	inside apt-get update && inside env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends -t trixie-backports qemu-system-arm \
		libjson-c5 libslirp0 libseccomp2 libelf1t64 libdw1t64 libexpat1 libfdt1 &&
		ldd "$vspe" | sed -n 's/.*libcapstone.* => \([^ ]*\).*/\1/p' | xargs -r cp -L -t "$debian/usr/local/lib" && inside ldconfig
} >"$work/apt" 2>&1 || { echo "SKIP: QEMU of Debian 13's backports cannot be had: $(tail -n 1 "$work/apt")"; exit 77; }
