/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QARMA5, the architected algorithm of pointer authentication: FEAT_PACQARMA5 (Arm ARM,
 * ComputePAC(); R. Avanzi, "The QARMA Block Cipher Family", 2016: QARMA-64 of five rounds with the
 * S-box sigma 2).
 */
#ifndef VSPE_SOFT_QARMA_H
#define VSPE_SOFT_QARMA_H

#include <stdint.h>

/* A key as system registers hold it: APIAKeyLo_EL1 and APIAKeyHi_EL1, and so on. */
struct soft_key {
	uint64_t lo, hi;
};

/* Encrypt one block under a tweak. */
uint64_t soft_qarma5(uint64_t block, uint64_t tweak, struct soft_key key);

#endif
