/* SPDX-License-Identifier: BSD-2-Clause */
/* What of the guest's frames goes on to the network: each rule, at its edge. */
#include <string.h>

#include "../compare.h"
#include "device/net_check.h"

/* A frame of each kind that passes; sizes are those of packets, without Ethernet's 14 bytes. */
enum kind { ARP, UDP, TCP, PING, KINDS };

static const struct {
	uint8_t type[2], bytes[48];
	size_t size;
} made[KINDS] = {
	[ARP] = {{8, 6}, {0, 1, 8, 0, 6, 4, 0, 1}, 28},
	[UDP] = {{8, 0}, {0x45, 0, 0, 32, 0, 1, 0x40, 0, 64, 17, [24] = 0, 12}, 32},
	[TCP] = {{8, 0}, {0x45, 0, 0, 44, 0, 1, 0, 0, 64, 6, [32] = 0x60, 0x18}, 44},
	[PING] = {{8, 0}, {0x45, 0, 0, 28, 0, 1, 0, 0, 64, 1, [20] = 8}, 28},
};

static const struct {
	const char *what;
	enum kind kind;
	size_t at;     /* of the packet: a byte that is another one */
	uint8_t value; /* ... of 14 it is Ethernet's type */
	int longer;    /* bytes of the frame more, or fewer */
	enum net_verdict verdict;
} rows[] = {
	{"filled up", UDP, 8, 64, 20, NET_PASS},
	{"an ARP cut off", ARP, 0, 0, -1, NET_MALFORMED},
	{"ARP of other hardware", ARP, 1, 6, 0, NET_MALFORMED},
	{"ARP of another protocol", ARP, 2, 9, 0, NET_MALFORMED},
	{"ARP of long addresses", ARP, 4, 16, 0, NET_MALFORMED},
	{"ARP of IPv6", ARP, 5, 16, 0, NET_MALFORMED},
	{"no whole header", UDP, 0, 0x45, -13, NET_MALFORMED},
	{"version 6 in a frame of 4", UDP, 0, 0x65, 0, NET_MALFORMED},
	{"a header that is too short", UDP, 0, 0x44, 0, NET_MALFORMED},
	{"options", UDP, 0, 0x46, 0, NET_OPTIONS},
	{"a header longer than the packet", PING, 0, 0x48, 0, NET_MALFORMED},
	{"longer than the frame", UDP, 3, 33, 0, NET_MALFORMED},
	{"much longer than the frame", UDP, 2, 0xff, 0, NET_MALFORMED},
	{"shorter than its header", UDP, 3, 19, 0, NET_MALFORMED},
	{"a first fragment", UDP, 6, 0x20, 0, NET_FRAGMENT},
	{"a last fragment", UDP, 7, 1, 0, NET_FRAGMENT},
	{"a fragment at the end", UDP, 6, 0x1f, 0, NET_FRAGMENT},
	{"the bit that is 0", UDP, 6, 0x80, 0, NET_FRAGMENT},
	{"an ICMP fragment", PING, 7, 185, 0, NET_FRAGMENT},
	{"IGMP", UDP, 9, 2, 0, NET_ABSENT},
	{"a datagram without its header", UDP, 3, 27, 0, NET_MALFORMED},
	{"a datagram longer than its packet", UDP, 25, 13, 0, NET_MALFORMED},
	{"a datagram shorter than its header", UDP, 25, 7, 0, NET_MALFORMED},
	{"a datagram shorter than its packet", UDP, 25, 8, 0, NET_PASS},
	{"a segment without its header", TCP, 3, 39, 0, NET_MALFORMED},
	{"a segment's header that is too short", TCP, 32, 0x40, 0, NET_MALFORMED},
	{"a segment's header longer than it", TCP, 32, 0x70, 0, NET_MALFORMED},
	{"a segment's smallest header", TCP, 32, 0x50, 0, NET_PASS},
	{"urgent data", TCP, 33, 0x38, 0, NET_URGENT},
	{"all other flags", TCP, 33, 0xdf, 0, NET_PASS},
	{"a message without its header", PING, 3, 27, 0, NET_MALFORMED},
};

static size_t make(enum kind kind, uint8_t frame[128])
{
	memset(frame, 0, 128);
	memcpy(frame + 12, made[kind].type, 2);
	memcpy(frame + 14, made[kind].bytes, made[kind].size);
	return 14 + made[kind].size;
}

Test(net_check, each_rule)
{
	uint8_t frame[128];
	size_t size;

	for (unsigned int kind = 0; kind < KINDS; kind++) {
		size = make(kind, frame);
		cr_expect_eq(net_check(frame, size), NET_PASS, "kind %u", kind);
		for (size_t cut = 0; cut < size; cut++)
			cr_expect_eq(net_check(frame, cut), NET_MALFORMED, "%u to %zu", kind, cut);
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size = make(rows[i].kind, frame);
		frame[14 + rows[i].at] = rows[i].value;
		cr_expect_eq(net_check(frame, (size_t)((int)size + rows[i].longer)),
			     rows[i].verdict, "%s", rows[i].what);
	}
}

/* IPv6, VLANs, NC-SI and the like: the network has none of them. */
Test(net_check, other_types_go_nowhere)
{
	uint8_t frame[128];
	const size_t size = make(UDP, frame);

	for (unsigned int type = 0; type < 0x10000; type++) {
		frame[12] = (uint8_t)(type >> 8);
		frame[13] = (uint8_t)type;
		if (type != 0x0800 && type != 0x0806)
			cr_assert_eq(net_check(frame, size), NET_ABSENT, "type 0x%04x", type);
	}
}
