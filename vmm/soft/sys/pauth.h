/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pointer authentication: FEAT_PAuth, FEAT_PAuth2, FEAT_FPAC and FEAT_FPACCOMBINE (Arm ARM D8.10,
 * AddPAC(), Auth(), Strip()). All of it follows from registers.
 */
#ifndef VSPE_SOFT_PAUTH_H
#define VSPE_SOFT_PAUTH_H

#include <stdbool.h>
#include <stdint.h>

#include "soft/sys/sys.h"

/* As instructions number them: bit 0 is the B key, bit 1 the keys of data. */
enum soft_key_name { SOFT_KEY_IA, SOFT_KEY_IB, SOFT_KEY_DA, SOFT_KEY_DB, SOFT_KEY_GA };

/* SCTLR_ELx.{EnIA,EnIB,EnDA,EnDB}: does the key count here? That of PACGA always does. */
bool soft_key_enabled(const struct soft_sys *sys, enum soft_key_name name);

/* The level that traps the use of a key here, by HCR_EL2.API or SCR_EL3.API; 0: none does. */
unsigned int soft_key_trap(const struct soft_sys *sys);

/* pointer with a code in the bits above the address. */
uint64_t soft_sign(const struct soft_sys *sys, uint64_t pointer, uint64_t modifier,
		   enum soft_key_name name);

/*
 * *pointer without its code or, if that is wrong, one that no access can use. combined: as a part
 * of a branch or a load. false: the code is wrong, and with FEAT_FPAC that generates an exception.
 */
bool soft_authenticate(const struct soft_sys *sys, uint64_t *pointer, uint64_t modifier,
		       enum soft_key_name name, bool combined);

/* pointer to data or to code without its code, right or wrong. */
uint64_t soft_strip(const struct soft_sys *sys, uint64_t pointer, bool data);

/* PACGA: 32 bits in the upper half. */
uint64_t soft_sign_generic(const struct soft_sys *sys, uint64_t value, uint64_t modifier);

#endif
