/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What access_code.S and the guests agree on.
 */
#ifndef GUEST_ACCESS_CODE_H
#define GUEST_ACCESS_CODE_H

/* The Xt of accesses: either end, odd and even, and XZR. */
#define ACCESS_RTS	0, 1, 10, 21, 30, 31
#define ACCESS_RT_COUNT 6

/* Immediate of the HVC or SMC by which the code says that it came to its end. */
#define CALL_DONE 0x100

#endif
