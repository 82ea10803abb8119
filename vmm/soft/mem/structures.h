/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LD1 to LD4, ST1 to ST4 and LD1R to LD4R, for SOFT_call: elements of up to four vector registers.
 * FEAT_LRCPC3: one register, or an element of one, with acquire or release.
 */
#ifndef VSPE_SOFT_STRUCTURES_H
#define VSPE_SOFT_STRUCTURES_H

#include "soft/kinds.h"

soft_function soft_op_structures; /* all elements */
soft_function soft_op_structure;  /* one, or one to all */

soft_function soft_op_ordered_vector;	 /* LDAPUR, STLUR */
soft_function soft_op_ordered_structure; /* LDAP1, STL1 */

#endif
