/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exclusives, compare and swap, and atomic memory operations (FEAT_LSE, FEAT_LSE128), as
 * functions for SOFT_call.
 */
#ifndef VSPE_SOFT_ATOMIC_H
#define VSPE_SOFT_ATOMIC_H

#include "soft/kinds.h"

soft_function soft_op_clrex;
soft_function soft_op_load_exclusive;
soft_function soft_op_store_exclusive;
soft_function soft_op_store_exclusive_may_fail; /* the same, with SOFT_MAY_STORE_EXCLUSIVE_FAIL */
soft_function soft_op_compare_and_swap;
soft_function soft_op_atomic;
soft_function soft_op_atomic_pair;

#endif
