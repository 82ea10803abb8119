/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A PE of the software CPU for targets that execute on it: one of several kinds, with a little
 * memory, a page of a device, and a digest of all that leaves it.
 */
#ifndef VSPE_TESTS_FUZZ_PE_H
#define VSPE_TESTS_FUZZ_PE_H

#include "engine.h"
#include "input.h"
#include "soft/cpu.h"

#define PE_RAM	    UINT64_C(0x40000000)
#define PE_RAM_SIZE UINT64_C(0x10000)
#define PE_DATA	    (PE_RAM + 0x2000)
#define PE_TABLES   (PE_RAM + 0xc000)
#define PE_KINDS    8 /* of Exception levels and units */

/* It is made once and put back before each input: no input knows of those before it. */
struct pe {
	struct engine_vm *vm; /* NULL: it is yet to be made */
	struct engine_vcpu *vcpu;
	struct soft_cpu *cpu; /* the first member of vcpu */
	struct soft_cpu *fresh;
	struct spe_unit unit;
	uint8_t *ram;
	uint64_t digest; /* of what came out, but for records ... */
	/* ... and of these. Nothing but PSB CSYNC puts a record in order with an access: those of a
	 * block may be written when it is finished. */
	uint64_t records;
};

/* How it executes: where there is no translator, as in a build with sanitizers, the last two are
 * the same. */
enum pe_way { PE_SINGLE_STEP, PE_BLOCKS, PE_TRANSLATED, PE_WAYS };

/* As after reset, with tables in memory that map RAM and the device. */
void pe_put_back(struct pe *pe, unsigned int kind, enum pe_way way);
/* Turn on the MMU of all levels, with these tables. */
void pe_turn_on_mmu(struct pe *pe);
void pe_digest(struct pe *pe, uint64_t value);

/* The MRS or MSR, or SYS, of one of the encodings that the software CPU knows. */
uint32_t pe_system_word(unsigned int which, bool read, unsigned int rt);

#endif
