/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks one Ethernet frame and its contents (RFC 894, 826, 791, 768, 9293, 792): see net_check.h.
 */
#include "device/net_check.h"

#define ETHERNET 14 /* bytes of its header */
#define ARP	 28 /* ... of a packet about IPv4 on Ethernet */
#define IPV4	 20 /* ... of a header without options */
#define TCP	 20
#define UDP	 8
#define ICMP	 8

#define TYPE_IPV4 0x0800
#define TYPE_ARP  0x0806

#define PROTOCOL_ICMP 1
#define PROTOCOL_TCP  6
#define PROTOCOL_UDP  17

/*
 * MF, the offset, and the bit that must be 0 (RFC 791): with any of them libslirp takes the packet
 * for a fragment.
 */
#define FRAGMENTED 0xbfff
#define TCP_URG	   0x20

static unsigned int halfword(const uint8_t *at)
{
	return (unsigned int)at[0] << 8 | at[1];
}

static enum net_verdict check_arp(const uint8_t *arp, size_t size)
{
	return size >= ARP && halfword(arp) == 1 && halfword(arp + 2) == TYPE_IPV4 && arp[4] == 6 &&
			       arp[5] == 4
		       ? NET_PASS
		       : NET_MALFORMED;
}

static enum net_verdict check_tcp(const uint8_t *tcp, size_t size)
{
	size_t header;

	if (size < TCP)
		return NET_MALFORMED;
	header = (size_t)(tcp[12] >> 4) * 4;
	if (header < TCP || header > size)
		return NET_MALFORMED;
	return tcp[13] & TCP_URG ? NET_URGENT : NET_PASS;
}

static enum net_verdict check_udp(const uint8_t *udp, size_t size)
{
	return size >= UDP && halfword(udp + 4) >= UDP && halfword(udp + 4) <= size ? NET_PASS
										    : NET_MALFORMED;
}

static enum net_verdict check_protocol(unsigned int protocol, const uint8_t *bytes, size_t size)
{
	switch (protocol) {
	case PROTOCOL_TCP: return check_tcp(bytes, size);
	case PROTOCOL_UDP: return check_udp(bytes, size);
	default: return size >= ICMP ? NET_PASS : NET_MALFORMED;
	}
}

/* A frame may be longer than its packet, as short ones are padded to 60 bytes. */
static enum net_verdict check_ipv4(const uint8_t *ip, size_t size)
{
	size_t header, total;

	if (size < IPV4 || ip[0] >> 4 != 4)
		return NET_MALFORMED;
	header = (size_t)(ip[0] & 15) * 4;
	total = halfword(ip + 2);
	if (header < IPV4 || total < header || total > size)
		return NET_MALFORMED;
	if (ip[9] != PROTOCOL_TCP && ip[9] != PROTOCOL_UDP && ip[9] != PROTOCOL_ICMP)
		return NET_ABSENT;
	if (halfword(ip + 6) & FRAGMENTED)
		return NET_FRAGMENT;
	if (header > IPV4)
		return NET_OPTIONS;
	return check_protocol(ip[9], ip + header, total - header);
}

enum net_verdict net_check(const uint8_t *frame, size_t size)
{
	if (size < ETHERNET)
		return NET_MALFORMED;
	switch (halfword(frame + 12)) {
	case TYPE_IPV4: return check_ipv4(frame + ETHERNET, size - ETHERNET);
	case TYPE_ARP: return check_arp(frame + ETHERNET, size - ETHERNET);
	default: return NET_ABSENT;
	}
}
