/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations by the A64 table: see emulation_op.h. */
#include "emulation_op.h"

#include "a64/a64.h"

/* Bits of the Events packet: instruction retired; accesses of L1 data cache and TLB. */
#define EVENT_RETIRED UINT64_C(0x02)
#define EVENTS_MEMORY UINT64_C(0x14)

static uint64_t read_register(const void *ctx, unsigned int n)
{
	const uint64_t *x = ctx;

	return x[n];
}

void emulation_describe(struct spe_op *op, uint32_t word, const uint64_t x[32],
			enum spe_version version)
{
	const struct a64_insn *insn = a64_decode(word);
	struct a64_operation type =
		a64_operation_type(insn, word, version >= SPE_V1P1 ? A64_TYPE_UNSPECIFIED : 0);
	unsigned int size;

	op->type_header = type.header;
	op->type_payload = type.payload;
	op->flags = type.flags;
	op->events = EVENT_RETIRED;
	if (insn && a64_data_address(insn, word, op->pc, read_register, x, &op->data_va, &size)) {
		op->flags |= SPE_OP_VA_VALID;
		op->events |= EVENTS_MEMORY;
	}
}
