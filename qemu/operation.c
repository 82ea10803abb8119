/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sampled operation from its instruction and the registers before it. QEMU has neither caches nor
 * a pipeline: events and latencies are those of arm/model.h. Arm ARM D17.4, D18.2.
 */
#include "qemu/operation.h"

#include "a64/a64.h"
#include "arm/levels.h"
#include "arm/model.h"
#include "qemu/buffer.h"
#include "qemu/level.h"
#include "qemu/line.h"

#include <vspe/a64.h>

#define PAGE_SHIFT 12

uint64_t place_pc(const struct vcpu *v, const struct place *place)
{
	const uint64_t pc = register_get(&v->registers, QEMU_pc);

	return place->va + ((pc - place->va + 0xfff) & ~UINT64_C(0xfff));
}

static bool is_exclusive_store(uint32_t word)
{
	const struct a64_insn *insn = a64_decode(word);

	return insn && insn->operation == A64_OP_STORE_EXCLUSIVE;
}

bool operation_is_late(uint32_t word, uint64_t written, bool flags)
{
	const struct a64_insn *insn = a64_decode(word);
	const struct a64_operation type = a64_operation_type(insn, word, 0);
	uint64_t target;

	if (!insn)
		return false;
	/* Whether it was taken, what follows does not tell. */
	if (a64_branch_target(insn, word, 0, &target) && target == 4)
		return true;
	if (type.flags & (SPE_OP_LOAD | SPE_OP_STORE))
		return a64_register_sets(insn, word).reads & written;
	return flags && insn->when == A64_WHEN_HOLDS && !(type.flags & SPE_OP_BRANCH);
}

/* CNTVCT_EL0 or CNTPCT_EL0, as QEMU's timer counts: in whole nanoseconds a tick. */
static uint64_t timestamp(const struct vcpu *v, const struct known *known)
{
	const enum spe_timestamp kind = spe_timestamp_kind(&v->unit);
	const uint64_t frequency = known->cntfrq_el0;
	uint64_t count;

	if (kind == SPE_TIMESTAMP_NONE)
		return 0;
	count = line_clock();
	if (frequency && frequency < 1000000000)
		count /= 1000000000 / frequency;
	return kind == SPE_TIMESTAMP_VIRTUAL ? count - known->cntvoff_el2 : count;
}

/* The physical address of data, as it is now; QEMU walks the tables, and takes its time. */
static bool translate(struct vcpu *v, uint64_t va, uint64_t *pa)
{
	const uint64_t page = va >> PAGE_SHIFT << PAGE_SHIFT;
	struct translation *t = &v->data[(va >> PAGE_SHIFT) % TRANSLATIONS];

	if (!t->any || t->va != page || t->el != v->controls.el || t->epoch != v->known.epoch) {
		*t = (struct translation){
			.el = v->controls.el, .epoch = v->known.epoch, .va = page};
		t->any = qemu_plugin_translate_vaddr(page, &t->pa);
	}
	*pa = t->pa + (va - page);
	return t->any;
}

static uint64_t read_x(const void *ctx, unsigned int n)
{
	return register_x(ctx, n);
}

/* Registers are asked for as far as the instruction needs them. */
static void describe(struct vcpu *v)
{
	struct plan *plan = &v->plan;
	const struct a64_insn *insn = a64_decode(plan->word);
	const bool conditional = insn && insn->when == A64_WHEN_HOLDS;
	const struct a64_registers registers = {
		.read = read_x,
		.ctx = &v->registers,
		.nzcv = (uint8_t)(conditional ? ARM_GET(SPSR_ELx_NZCV,
							register_get(&v->registers, QEMU_cpsr))
					      : 0),
	};
	struct a64_access access;

	(void)a64_describe(&plan->op, &access, plan->word, &plugin.config, &registers);
	if (!(plan->op.flags & SPE_OP_VA_VALID))
		return;
	arm_model_address(&plan->op, access.element);
	plan->data_pa_valid = translate(v, plan->op.data_va, &plan->data_pa);
}

void operation_plan(struct vcpu *v, const struct place *place, uint64_t pc, uint64_t ahead)
{
	const struct arm_security_state state = arm_security_at(&v->controls, v->controls.el);
	const struct known *known = level_known(v);
	struct plan *plan = &v->plan;

	*plan = (struct plan){
		.any = true,
		.trusted = place->armed,
		.ahead = ahead,
		.word = place->word,
		.op =
			{
				.pc = pc,
				.timestamp = timestamp(v, known),
				.contextidr_el1 = (uint32_t)known->contextidr_el1,
				.contextidr_el2 = (uint32_t)known->contextidr_el2,
				.type_header = SPE_TYPE_OTHER,
				.el = v->controls.el,
				.ns = state.ns,
				.nse = state.nse,
				.target_ns = state.ns,
				.target_nse = state.nse,
			},
	};
	arm_model_begin(&plan->op);
	if (!v->controls.aarch32 && !v->illegal)
		describe(v);
}

/* Of a store-exclusive, told by its status register; one to XZR tells nothing. */
static bool exclusive_failed(const struct vcpu *v, const struct plan *plan)
{
	const unsigned int rs = plan->word >> 16 & 31;

	return is_exclusive_store(plan->word) && rs != 31 && register_x(&v->registers, rs) != 0;
}

static void finish_branch(const struct plan *plan, struct spe_op *op, const struct outcome *end)
{
	const bool conditional = op->type_payload & SPE_TYPE_CONDITIONAL;

	if (!plan->trusted) {
		op->flags &= ~(uint32_t)(SPE_OP_TAKEN | SPE_OP_NOT_TAKEN);
		op->flags |= conditional && end->pc == op->pc + 4 ? SPE_OP_NOT_TAKEN : SPE_OP_TAKEN;
	}
	if (!(op->flags & SPE_OP_TAKEN))
		return;
	op->target = end->pc;
	op->target_el = end->el;
}

void operation_finish(struct vcpu *v, const struct outcome *end)
{
	struct plan *plan = &v->plan;
	struct spe_op *op = &plan->op;

	if (op->flags & SPE_OP_VA_VALID)
		arm_model_translated(op, false);
	if (plan->excepted)
		arm_model_excepted(op);
	else if (op->flags & SPE_OP_BRANCH)
		finish_branch(plan, op, end);
	else if (plan->data_pa_valid && exclusive_failed(v, plan))
		arm_model_not_accessed(op, plan->data_pa);
	else if (plan->data_pa_valid)
		arm_model_accessed(op, plan->data_pa, buffer_is_ram(plan->data_pa));
	plan->any = false;
	spe_sample(&v->unit, op);
}
