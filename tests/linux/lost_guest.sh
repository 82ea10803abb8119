#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# In the guest, for lost.py: lost_guest.sh PORT, that of the host's server, from which it fetches until its card has no link.
set -u
cat >/tmp/leased <<'EOS'
#!/bin/bash
[ "$1" = bound ] || exit 0
ip addr add "$ip/$subnet" dev "$interface"
ip route add default via "$router"
EOS
chmod +x /tmp/leased
ip link set eth0 up
udhcpc -i eth0 -n -q -s /tmp/leased 2>/tmp/log || cat /tmp/log
wget -q -O /dev/null "http://10.0.2.2:$1/" &
while [ "$(cat /sys/class/net/eth0/carrier)" = 1 ]; do
	sleep 0.1
	kill -0 $! 2>/dev/null || { echo "fetched"; exit 1; }
done
kill $!
echo "no carrier"
cat /proc/sys/kernel/ostype
