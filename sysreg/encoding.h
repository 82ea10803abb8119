/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The encoding of an MRS or MSR (register), or of a SYS instruction, as a constant: the value of
 * sysreg_encode() (Arm ARM C5.1.3); and the trap of it.
 */
#ifndef SYSREG_ENCODING_H
#define SYSREG_ENCODING_H

#include <vspe/sysreg.h>

#define SYSREG_ENCODING(op0, op1, crn, crm, op2) \
	((uint32_t)(((op0) << 14) | ((op1) << 11) | ((crn) << 7) | ((crm) << 3) | (op2)))

/* ESR_ELx.ISS of a trap of it (EC 0x18, ESR_EL2's page): sysreg_encoding_of_iss() goes back. */
static inline uint32_t sysreg_trap_iss(uint32_t encoding, bool read, uint8_t rt)
{
	const uint32_t op0 = encoding >> 14 & 3, op1 = encoding >> 11 & 7, op2 = encoding & 7;
	const uint32_t crn = encoding >> 7 & 15, crm = encoding >> 3 & 15;

	return op0 << 20 | op2 << 17 | op1 << 14 | crn << 10 | (rt & 31u) << 5 | crm << 1 | read;
}

#define SYSREG_TRAP_EC 0x18 /* ESR_ELx.EC of it */

/* The trap of it to an Exception level. */
static inline struct sysreg_route sysreg_trap_to(uint8_t el, uint32_t encoding, bool write,
						 uint8_t rt)
{
	return (struct sysreg_route){
		.kind = SYSREG_TRAP,
		.syndrome = sysreg_trap_iss(encoding, !write, rt),
		.target_el = el,
		.ec = SYSREG_TRAP_EC,
	};
}

#endif
