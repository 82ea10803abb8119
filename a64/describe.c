/* SPDX-License-Identifier: BSD-2-Clause */
/* libvspe's view of the A64 table for its embedders: see vspe/a64.h. */
#include "a64/a64.h"
#include <vspe/a64.h>

static void describe_access(struct spe_op *op, struct a64_access *access,
			    const struct a64_insn *insn, uint32_t word,
			    const struct a64_registers *registers)
{
	unsigned int size;

	if (!(op->flags & (SPE_OP_LOAD | SPE_OP_STORE)))
		return;
	if (!a64_data_address(insn, word, op->pc, registers->read, registers->ctx, &op->data_va,
			      &size) &&
	    !a64_vector_address(insn, word, registers, &op->data_va, &size))
		return;
	op->flags |= SPE_OP_VA_VALID;
	access->size = (uint16_t)size;
	access->element = (uint8_t)a64_element_size(insn, word);
	access->unprivileged =
		insn->address == A64_ADDR_UNPRIVILEGED || insn->feature == A64_FEAT_LSUI;
}

static void describe_target(struct spe_op *op, const struct a64_insn *insn, uint32_t word,
			    const struct a64_registers *registers)
{
	const unsigned int n = a64_rn(word);

	if (insn->target == A64_TARGET_ERET || insn->target == A64_TARGET_AUTHENTICATED)
		return;
	if (insn->target == A64_TARGET_REGISTER)
		op->target = n == 31 ? 0 : registers->read(registers->ctx, n);
	else
		(void)a64_branch_target(insn, word, op->pc, &op->target);
	op->target_el = op->el;
	op->target_ns = op->ns;
	op->target_nse = op->nse;
}

bool a64_describe(struct spe_op *op, struct a64_access *access, uint32_t word,
		  const struct spe_config *config, const struct a64_registers *registers)
{
	const unsigned int have = a64_types(config);
	const struct a64_insn *insn = a64_decode(word);
	const unsigned int length = registers->vl > 16 ? registers->vl : 16;
	const struct a64_operation type =
		a64_with_length(a64_operation_type(insn, word, have), length);
	struct a64_access unwanted;

	if (!access)
		access = &unwanted;
	*access = (struct a64_access){0};
	op->type_header = type.header;
	op->type_payload = type.payload;
	op->flags = type.flags;
	op->events &= ~(uint64_t)(SPE_EVENT_PARTIAL_PREDICATE | SPE_EVENT_EMPTY_PREDICATE);
	if (!insn)
		return false;
	op->events |= a64_predicate_events(insn, word, registers);
	if (!a64_holds(insn, word, registers->nzcv, registers->read, registers->ctx)) {
		op->flags |= SPE_OP_NOT_TAKEN;
	} else if (op->flags & SPE_OP_BRANCH) {
		op->flags |= SPE_OP_TAKEN;
		describe_target(op, insn, word, registers);
	}
	describe_access(op, access, insn, word, registers);
	return true;
}

bool a64_system_access(uint32_t word, struct sysreg_access *access)
{
	const struct a64_insn *insn = a64_decode(word);

	if (!insn || (insn->id != A64_MRS && insn->id != A64_MSR))
		return false;
	*access = (struct sysreg_access){
		.reg = sysreg_find(a64_encoding(word)),
		.write = insn->id == A64_MSR,
		.rt = (uint8_t)a64_rt(word),
	};
	return true;
}

bool a64_summarize(struct a64_summary *summary, uint32_t word)
{
	const struct a64_insn *insn = a64_decode(word);

	*summary = (struct a64_summary){a64_register_sets(insn, word), a64_flow(insn)};
	return insn != NULL;
}
