/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which of the guest's frames reach libslirp: none that is known to crash its versions in Debian 12
 * and 13, and none with contradictory lengths. docs/devices.md has the list.
 */
#ifndef VSPE_NET_CHECK_H
#define VSPE_NET_CHECK_H

#include <stddef.h>
#include <stdint.h>

enum net_verdict {
	NET_PASS,
	NET_ABSENT,    /* something that the network lacks, such as IPv6: dropped */
	NET_MALFORMED, /* contradictory lengths, or an invalid header */
	NET_OPTIONS,   /* options of IPv4 */
	NET_FRAGMENT,  /* a part of a packet of IPv4 */
	NET_URGENT,    /* TCP's urgent data */
	NET_VERDICTS,
};

/* An Ethernet frame without its check sequence: any bytes, any size. */
enum net_verdict net_check(const uint8_t *frame, size_t size);

#endif
