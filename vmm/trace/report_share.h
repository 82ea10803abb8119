/* SPDX-License-Identifier: BSD-2-Clause */
/* Shares of a sample and how certain they are, in whole numbers, so that all machines agree. */
#ifndef VSPE_TRACE_REPORT_SHARE_H
#define VSPE_TRACE_REPORT_SHARE_H

#include <stdint.h>

#define REPORT_WHOLE 10000u /* a share of everything: 1 is a hundredth of a per cent */

/*
 * The share of count in total, 0 to REPORT_WHOLE, rounded to the nearest; 0 of 0 is 0. count is at
 * most total.
 */
uint64_t report_share(uint64_t count, uint64_t total);

/*
 * Wilson's 95 per cent interval of that share (E. B. Wilson, 1927; z is 1.96): *low is rounded
 * down, *high up. For a total of 0 it is the whole range. It takes the records for independent
 * draws.
 */
void report_interval(uint64_t count, uint64_t total, uint64_t *low, uint64_t *high);

/* sum / count in hundredths, to the nearest; count is not 0. */
uint64_t report_mean(uint64_t sum, uint64_t count);

#endif
