#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# In the guest, for net.sh: net_guest.sh WHAT PORT. PORT is that of the host's server.
set -u
what=$1
port=$2
# What vspe linux has set up by itself before this.
echo "before: $(ip -4 -o addr show eth0 | sed 's/.* inet \([^ ]*\) .*/\1/') by $(sed -n 's/^nameserver //p' /etc/resolv.conf)"
cat >/tmp/leased <<'EOS'
#!/bin/bash
[ "$1" = bound ] || exit 0
echo "address $ip of $serverid"
ip addr add "$ip/$subnet" dev "$interface"
ip route add default via "$router"
EOS
chmod +x /tmp/leased
ip link set eth0 up
cat /sys/class/net/eth0/address
udhcpc -i eth0 -n -q -s /tmp/leased 2>/tmp/log || cat /tmp/log
if timeout 60 wget -q -O /tmp/numbers "http://10.0.2.2:$port/numbers" 2>/tmp/log; then
	echo "fetched $(sha256sum </tmp/numbers)"
else
	echo "not fetched"
fi
[ "$what" = serve ] && timeout 200 nc -l -p 80 </root/numbers
exit 0
