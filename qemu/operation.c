/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sampled operation, from its instruction and the registers before it. QEMU has neither caches
 * nor a pipeline: events and latencies are those of arm/model.h, or with model=warm those of the
 * machine model. Arm ARM D17.4, D18.2.
 */
#include "qemu/operation.h"

#include "a64/a64.h"
#include "arm/levels.h"
#include "arm/model.h"
#include "base/splitmix.h"
#include "qemu/buffer.h"
#include "qemu/level.h"
#include "qemu/line.h"
#include "qemu/model.h"

#include <vspe/a64.h>

#define PAGE_SHIFT 12

/* ADD and SUB (immediate), of 64 bits and without flags (Arm ARM C4.1.92) */
#define ADD_SUB_MASK  UINT32_C(0xbf800000)
#define ADD_IMMEDIATE UINT32_C(0x91000000)
#define SUB_BIT	      UINT32_C(0x40000000)

/* Contiguous loads of SVE: LDFF1 and LDNF1 (Arm ARM C4.1) */
#define FIRST_FAULT_MASK UINT32_C(0xfe00e000)
#define FIRST_FAULT	 UINT32_C(0xa4006000)
#define NON_FAULT_MASK	 UINT32_C(0xfe10e000)
#define NON_FAULT	 UINT32_C(0xa410a000)

uint64_t place_pc(const struct vcpu *v, const struct place *place)
{
	const uint64_t pc = register_get(&v->registers, QEMU_pc);

	return place->va + ((pc - place->va + 0xfff) & ~UINT64_C(0xfff));
}

/* The registers that the address of a load or store is made of, and no others. */
static bool is_address_late(const struct a64_insn *insn, uint32_t word,
			    const struct written *written)
{
	const unsigned int n = word >> 5 & 31, m = word >> 16 & 31;

	if (written->registers & A64_SET_X(n))
		return insn->address != A64_ADDR_LITERAL;
	return (insn->address == A64_ADDR_REGISTER || a64_is_sve(insn)) &&
	       (written->registers & A64_SET_X(m) || written->added[m]);
}

bool operation_is_late(uint32_t word, const struct written *written)
{
	const struct a64_insn *insn = a64_decode(word);
	const struct a64_operation type = a64_operation_type(insn, word, 0);
	uint64_t target;

	if (!insn)
		return false;
	/* The next instruction does not tell whether it was taken. */
	if (a64_branch_target(insn, word, 0, &target) && target == 4)
		return true;
	if (a64_is_sve(insn) && written->vectors)
		return true;
	if (type.flags & (SPE_OP_LOAD | SPE_OP_STORE))
		return is_address_late(insn, word, written);
	return written->flags && insn->when == A64_WHEN_HOLDS && !(type.flags & SPE_OP_BRANCH);
}

bool operation_tells_accesses(uint32_t word)
{
	const struct a64_insn *insn = a64_decode(word);

	return (word & FIRST_FAULT_MASK) != FIRST_FAULT && (word & NON_FAULT_MASK) != NON_FAULT &&
	       !(insn &&
		 (insn->operation == A64_OP_GATHER_SVE || insn->operation == A64_OP_SCATTER_SVE));
}

static int64_t signed_field(uint32_t word, unsigned int lsb, unsigned int width)
{
	return (int64_t)((uint64_t)(word >> lsb) << (64 - width)) >> (64 - width);
}

/* Does it add a number to the register of its bits [9:5], without writing that in any other way? */
static bool adds(const struct a64_insn *insn, uint32_t word, int64_t *number)
{
	const struct a64_bytes *bytes = &insn->bytes;
	const int64_t immediate = (int64_t)(word >> 10 & 0xfff) << (word >> 22 & 1 ? 12 : 0);

	switch (insn->address) {
	case A64_ADDR_PRE9:
	case A64_ADDR_POST9: *number = signed_field(word, 12, 9); return true;
	case A64_ADDR_PAIR_PRE:
	case A64_ADDR_PAIR_POST:
		*number = signed_field(word, 15, 7) *
			  (INT64_C(1)
			   << (bytes->shift + (word >> bytes->lsb & ((1u << bytes->width) - 1))));
		return true;
	default: break;
	}
	*number = word & SUB_BIT ? -immediate : immediate;
	return (word & ADD_SUB_MASK) == ADD_IMMEDIATE && (word & 31) == (word >> 5 & 31);
}

void operation_written(uint32_t word, struct written *written)
{
	const struct a64_insn *insn = a64_decode(word);
	const struct a64_register_sets sets = a64_register_sets(insn, word);
	const unsigned int n = word >> 5 & 31;
	int64_t number;

	/* An instruction that is not in the table may write anything. */
	if (!insn) {
		written->registers = UINT64_MAX;
		written->flags = written->vectors = true;
		return;
	}
	if (adds(insn, word, &number)) {
		written->added[n] += number;
		written->registers |= (sets.writes | sets.base) & ~A64_SET_X(n);
	} else {
		written->registers |= sets.writes | sets.base;
	}
	written->flags |= sets.writes_flags;
	written->vectors |= a64_is_sve(insn) || sets.writes >> 32;
}

/* The present physical offset. It is rarely needed, so it is not kept. */
static uint64_t physical_offset(const struct vcpu *v)
{
	const struct registers *r = &v->registers;

	return arm_cntpoff_on(&v->controls, register_get(r, QEMU_CNTHCTL_EL2))
		       ? register_get(r, QEMU_CNTPOFF_EL2)
		       : 0;
}

/* CNTVCT_EL0 or CNTPCT_EL0, as QEMU's timer counts: a tick is a whole number of nanoseconds. */
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
	switch (kind) {
	case SPE_TIMESTAMP_VIRTUAL: return count - known->cntvoff_el2;
	case SPE_TIMESTAMP_OFFSET: return count - physical_offset(v);
	default: return count;
	}
}

/* The present physical address of data. QEMU walks the tables, which is slow. */
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

/* The registers as they will be when the instruction executes: it may be planned earlier. */
struct reader {
	const struct registers *registers;
	unsigned int base;
	int64_t moved;
};

static uint64_t read_x(const void *ctx, unsigned int n)
{
	const struct reader *reader = ctx;
	const uint64_t value = register_x(reader->registers, n);

	return n == reader->base ? value + (uint64_t)reader->moved : value;
}

static uint64_t read_vector(const void *ctx, unsigned int n, unsigned int index)
{
	const struct reader *reader = ctx;

	return n < 32 ? register_z(reader->registers, n, index)
		      : register_p(reader->registers, n - 32, index);
}

/* Read only the registers that the instruction needs. */
static void describe(struct vcpu *v, const struct place *place)
{
	struct plan *plan = &v->plan;
	const struct reader reader = {
		.registers = &v->registers,
		.base = place->word >> 5 & 31,
		.moved = place->armed ? 0 : place->moved,
	};
	const struct a64_registers registers = {
		.read = read_x,
		.ctx = &reader,
		.nzcv = (uint8_t)(place->conditional
					  ? ARM_GET(SPSR_ELx_NZCV,
						    register_get(&v->registers, QEMU_cpsr))
					  : 0),
		/* vg counts 64 bits. */
		.vl = plan->vector ? (uint16_t)(8 * register_get(&v->registers, QEMU_vg)) : 0,
		.chosen = plan->vector ? (uint32_t)splitmix_next(&v->chosen) : 0,
		.read_sve = v->registers.z[0] ? read_vector : NULL,
	};
	struct a64_access access;

	(void)a64_describe(&plan->op, &access, place->word, &plugin.config, &registers);
	if (!(plan->op.flags & SPE_OP_VA_VALID))
		return;
	arm_model_address(&plan->op, access.element);
	plan->size = access.size;
	plan->data_pa_valid = translate(v, plan->op.data_va, &plan->data_pa);
}

void operation_plan(struct vcpu *v, const struct place *place, uint64_t pc, uint64_t ahead)
{
	const struct arm_security_state state = arm_security_at(&v->controls, v->controls.el);
	const struct known *known = level_known(v);
	struct plan *plan = &v->plan;

	*plan = (struct plan){
		.any = true,
		.exclusive = place->exclusive,
		.trusted = place->armed,
		.ahead = ahead,
		.word = place->word,
		.vector = place->vector,
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
		describe(v, place);
}

/* Has a store-exclusive failed? Its status register says so; one to XZR is unknown. */
static bool exclusive_failed(const struct vcpu *v, const struct plan *plan)
{
	const unsigned int rs = plan->word >> 16 & 31;

	return plan->exclusive && rs != 31 && register_x(&v->registers, rs) != 0;
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

	const bool accesses = !plan->excepted && plan->data_pa_valid;
	const bool failed = accesses && exclusive_failed(v, plan);

	/* It was trapped, perhaps: vectors and predicates may be another program's. */
	if (plan->vector && plan->excepted && !plan->aborted) {
		op->flags &= ~(uint32_t)SPE_OP_VA_VALID;
		op->events &= ~(uint64_t)(SPE_EVENT_PARTIAL_PREDICATE | SPE_EVENT_EMPTY_PREDICATE);
	}
	if (op->flags & SPE_OP_VA_VALID && !plugin.modelled)
		arm_model_translated(op, false);
	if (plan->excepted)
		arm_model_excepted(op);
	else if (op->flags & SPE_OP_BRANCH)
		finish_branch(plan, op, end);
	else if (accesses && (failed || plugin.modelled))
		arm_model_not_accessed(op, plan->data_pa);
	else if (accesses)
		arm_model_accessed(op, plan->data_pa, buffer_is_ram(plan->data_pa));
	if (plugin.modelled)
		model_finish(v, failed, op);
	plan->any = false;
	spe_sample(&v->unit, op);
}
