/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What of the guest's frames goes on to libslirp: nothing that its versions of Debian 12 and 13 are
 * known to die of, and nothing whose lengths contradict each other. docs/devices.md has the list.
 */
#ifndef VSPE_NET_CHECK_H
#define VSPE_NET_CHECK_H

#include <stddef.h>
#include <stdint.h>

enum net_verdict {
	NET_PASS,
	NET_ABSENT,    /* nothing that the network has, such as IPv6: it goes nowhere */
	NET_MALFORMED, /* lengths that contradict each other, or a header that is none */
	NET_OPTIONS,   /* options of IPv4 */
	NET_FRAGMENT,  /* a part of a packet of IPv4 */
	NET_URGENT,    /* TCP's urgent data */
	NET_VERDICTS,
};

/* A frame of Ethernet without its check sequence: any bytes, any size. */
enum net_verdict net_check(const uint8_t *frame, size_t size);

#endif
