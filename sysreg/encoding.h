/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The encoding of an MRS or MSR (register), or of a SYS instruction, as a constant: what
 * sysreg_encode() makes (Arm ARM C5.1.3).
 */
#ifndef SYSREG_ENCODING_H
#define SYSREG_ENCODING_H

#include <stdint.h>

#define SYSREG_ENCODING(op0, op1, crn, crm, op2) \
	((uint32_t)(((op0) << 14) | ((op1) << 11) | ((crn) << 7) | ((crm) << 3) | (op2)))

#endif
