/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many operations the functions of hotspot_code.S execute, counted from their instructions.
 */
#ifndef HOTSPOT_H
#define HOTSPOT_H

/* Iterations a round; each fits MOVZ. */
#define SIXTY_TURNS  10000
#define THIRTY_TURNS 4286
#define TEN_TURNS    2000

#define SIXTY_OPS	   (6 * SIXTY_TURNS + 1)
#define THIRTY_OPS	   (7 * THIRTY_TURNS + 2)
#define TEN_OPS		   (5 * TEN_TURNS + 2)
#define ROUND_OPS	   (SIXTY_OPS + THIRTY_OPS + TEN_OPS + 9)
#define DRIVER_OPS(rounds) ((rounds) * (unsigned long)ROUND_OPS + 4)

/* The bytes that thirty() loads and stores, in turn. */
#define DATA_BYTES 8192

#endif
