/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Target: a frame of the guest's, any bytes. What passes is ARP, or IPv4 whose lengths lie one in
 * the other, that is whole, and has no options and no urgent data: said here from the end inwards.
 */
#include "input.h"

#include <string.h>

#include "device/net_check.h"

static size_t number(const uint8_t *at)
{
	return (size_t)at[0] * 256 + at[1];
}

static void check_passed(const uint8_t *ip, size_t room)
{
	const size_t total = number(ip + 2);

	require(ip[0] == 0x45 && total >= 28 && total <= room);
	require((ip[6] & 0xbf) == 0 && ip[7] == 0);
	if (ip[9] == 17)
		require(number(ip + 24) >= 8 && number(ip + 24) + 20 <= total);
	if (ip[9] == 6)
		require(total >= 40 && !(ip[33] & 0x20) && ip[32] >= 0x50 &&
			20u + 4u * (ip[32] / 16u) <= total);
	require(ip[9] == 17 || ip[9] == 6 || ip[9] == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	/* Of exactly that size, so that a sanitizer sees what is read beyond it. */
	uint8_t *frame = malloc(size ? size : 1);
	enum net_verdict verdict;

	require(frame);
	if (size)
		memcpy(frame, bytes, size);
	verdict = net_check(frame, size);
	require(verdict < NET_VERDICTS);
	require(verdict == net_check(frame, size));
	if (verdict == NET_PASS && frame[13] == 6)
		require(frame[12] == 8 && size >= 42);
	else if (verdict == NET_PASS)
		check_passed(frame + 14, size - 14);
	free(frame);
	return 0;
}
