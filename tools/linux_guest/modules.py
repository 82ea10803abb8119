# SPDX-License-Identifier: BSD-2-Clause
"""Modules of a kernel that the guest loads, in this order, if they are not built in: the SPE driver, those of virtio,
packets for DHCP, the file system 9P, and ext4 and what systemd needs. init loads them by these names."""
MODULES = ("arm_spe_pmu", "virtio_ring", "virtio", "virtio_mmio", "virtio_blk", "virtio-rng", "virtio_console",
           "af_packet", "failover", "net_failover", "virtio_net", "netfs", "fscache", "9pnet", "9pnet_virtio", "9p",
           "crc32c_generic", "libcrc32c", "crc16", "mbcache", "jbd2", "ext4", "autofs4", "binfmt_misc")
