# SPDX-License-Identifier: BSD-2-Clause
# In the guest of pgo.py: SPE samples the branches of /root/program at EL0, into /tmp/profile.
perf record -q -o /tmp/profile -e arm_spe_0/period=256,jitter=0,branch_filter=1/u -- /root/program >/tmp/said 2>&1
echo "status $?"
