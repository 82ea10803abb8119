/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operations for both sides. The unit's side (flags, operation type) is from Arm ARM D18.2.7; for
 * the other side each instruction has a function of the pseudocode, which it calls.
 */
#include "conform/functions_op.h"
#include "conform/model_op.h"

#define LONGEST_CYCLES 3u

enum op_kind {
	KIND_OTHER,
	KIND_BRANCH,
	KIND_GENERAL,
	KIND_EXTENDED,
	KIND_SIMD_FP,
	KIND_SVE,
	KIND_SVE_OTHER,
	KIND_COPY,
	KIND_SET,
	KINDS
};

static const char *const kind_names[KINDS] = {
	"other operation",
	"branch",
	"load or store",
	"extended load or store",
	"SIMD&FP load or store",
	"SVE load or store",
	"SVE operation",
	"memory copy",
	"memory set",
};

static bool chosen(const struct functions_op *o, unsigned int bit)
{
	return o->choice >> bit & 1;
}

static bool is_there(const struct spe_config *c, enum op_kind kind)
{
	switch (kind) {
	case KIND_SVE:
	case KIND_SVE_OTHER: return c->sve && c->version >= SPE_V1P1;
	case KIND_COPY:
	case KIND_SET: return c->version >= SPE_V1P3;
	default: return true;
	}
}

/* What the bits of choice mean; each function below and its tell_ function use the same. */
#define LOAD	 0u
#define FIRST	 1u
#define SECOND	 2u
#define THIRD	 3u
#define PASSED	 4u
#define VL_SHIFT 8u

/* Bits of choice that stand for nothing are cleared, so that both sides see the same. */
static void settle(const struct spe_config *c, struct functions_op *o)
{
	const uint64_t fp_simd = UINT64_C(1) << SECOND | UINT64_C(1) << THIRD;

	/* Without FEAT_SPE_FPF the type of another operation has no FP and ASIMD. */
	if (o->kind == KIND_OTHER && !c->eft)
		o->choice &= ~fp_simd;
	/* PRED of a load is reported from v1p2 on. */
	if (o->kind == KIND_SVE && c->version < SPE_V1P2)
		o->choice &= ~(UINT64_C(1) << SECOND);
}

static unsigned int vector_code(const struct functions_op *o)
{
	return (unsigned int)(o->choice >> VL_SHIFT) % 7;
}

static uint32_t memory_flags(const struct functions_op *o)
{
	return chosen(o, LOAD) ? SPE_OP_LOAD : SPE_OP_STORE;
}

static void set_type(struct spe_op *op, unsigned int header, unsigned int payload, uint32_t flags)
{
	op->type_header = (uint8_t)header;
	op->type_payload = (uint8_t)payload;
	op->flags |= flags;
}

/* FIRST: it has a condition. SECOND: FP. THIRD: SIMD. */
static void describe_other(struct functions_op *o)
{
	const bool conditional = chosen(o, FIRST), fp = chosen(o, SECOND), simd = chosen(o, THIRD);

	set_type(&o->op, 0x48, (unsigned int)simd << 2 | (unsigned int)fp << 1 | conditional,
		 (fp ? SPE_OP_FP : 0) | (simd ? SPE_OP_SIMD : 0));
	if (conditional && !chosen(o, PASSED))
		o->op.flags |= SPE_OP_NOT_TAKEN;
}

static const struct branch {
	const char *type;
	uint8_t class; /* CR */
	bool indirect;
} branches[] = {
	{"BranchType_DIR", 3, false},	  {"BranchType_INDIR", 3, true},
	{"BranchType_DIRCALL", 1, false}, {"BranchType_INDCALL", 1, true},
	{"BranchType_RET", 2, true},
};

static const struct branch *branch_of(const struct functions_op *o)
{
	const uint64_t which = o->choice >> VL_SHIFT & 7;

	/* Only direct branches have conditions. */
	return &branches[chosen(o, FIRST) ? 0 : which == 7 ? 4 : which & 3];
}

static void describe_branch(struct functions_op *o)
{
	const struct branch *b = branch_of(o);
	const bool conditional = chosen(o, FIRST), taken = !conditional || chosen(o, PASSED);

	set_type(&o->op, 0x4a,
		 (unsigned int)b->class << 3 | (unsigned int)b->indirect << 1 | conditional,
		 SPE_OP_BRANCH | (taken ? SPE_OP_TAKEN : SPE_OP_NOT_TAKEN));
}

/* FIRST: acquire or release. SECOND: exclusive. THIRD: atomic. */
static void describe_extended(struct functions_op *o)
{
	const unsigned int payload = (unsigned int)chosen(o, FIRST) << 4 |
				     (unsigned int)chosen(o, SECOND) << 3 |
				     (unsigned int)chosen(o, THIRD) << 2 | 2 | !chosen(o, LOAD);
	const bool both = chosen(o, THIRD) && chosen(o, LOAD);

	set_type(&o->op, 0x49, payload, memory_flags(o) | (both ? SPE_OP_STORE : 0));
}

static void describe(struct functions_op *o)
{
	const unsigned int store = !chosen(o, LOAD), evl = vector_code(o) << 4;
	const unsigned int pred = (unsigned int)chosen(o, SECOND) << 2;

	switch ((enum op_kind)o->kind) {
	case KIND_OTHER: describe_other(o); break;
	case KIND_BRANCH: describe_branch(o); break;
	case KIND_GENERAL: set_type(&o->op, 0x49, store, memory_flags(o)); break;
	case KIND_EXTENDED: describe_extended(o); break;
	case KIND_SIMD_FP: /* FIRST: a scalar */
		set_type(&o->op, 0x49, 4 | store,
			 memory_flags(o) | (chosen(o, FIRST) ? SPE_OP_FP : SPE_OP_SIMD));
		break;
	case KIND_SVE: /* FIRST: gather or scatter. SECOND: predicated. */
		set_type(&o->op, 0x49, (unsigned int)chosen(o, FIRST) << 7 | evl | 8 | pred | store,
			 memory_flags(o));
		break;
	case KIND_SVE_OTHER: /* FIRST: FP. SECOND: predicated. */
		set_type(&o->op, 0x48, evl | 8 | pred | (unsigned int)chosen(o, FIRST) << 1,
			 chosen(o, FIRST) ? SPE_OP_FP : 0);
		break;
	case KIND_COPY: set_type(&o->op, 0x49, 0x20 | store, memory_flags(o)); break;
	case KIND_SET: set_type(&o->op, 0x49, 0x25, SPE_OP_STORE); break;
	case KINDS: break;
	}
}

static bool accesses_memory(const struct functions_op *o)
{
	return o->op.type_header == 0x49;
}

struct functions_op functions_op(const struct spe_config *c, uint64_t random)
{
	struct functions_op o = {.op = model_op(c, &random)};
	const uint64_t r = model_random(&random);

	o.choice = model_random(&random);
	do
		o.kind = (unsigned int)(model_random(&random) % KINDS);
	while (!is_there(c, (enum op_kind)o.kind));
	settle(c, &o);
	o.op.flags = 0;
	o.op.el = r & 1;
	o.op.target_el = r >> 1 & 1;
	o.op.ns = r >> 2 & 1;
	o.op.nse = o.op.ns && (r >> 3 & 1);
	o.op.target_ns = o.op.ns;
	o.op.target_nse = o.op.nse;
	if (r >> 4 & 1)
		o.op.total_latency &= 0xff;
	describe(&o);
	if (accesses_memory(&o) && (r >> 8 & 7)) {
		o.op.flags |= SPE_OP_VA_VALID | SPE_OP_PA_VALID;
		o.op.flags |= r >> 11 & 1 ? SPE_OP_TAG_CHECKED : 0;
		o.op.flags |= r >> 12 & 1 ? SPE_OP_PA_NON_SECURE : 0;
	}
	o.op.data_pa &= (UINT64_C(1) << 56) - 1;
	return o;
}

const char *functions_op_name(const struct functions_op *o)
{
	return kind_names[o->kind];
}

/* ---- calls for the pseudocode */

static void tell_branch(struct functions_machine *m, const struct functions_op *o)
{
	const struct branch *b = branch_of(o);
	const struct asl_value arguments[] = {
		asl_bits_value(64, o->op.target), machine_member(m, b->type),
		asl_boolean(chosen(o, FIRST)), asl_boolean(o->op.flags & SPE_OP_TAKEN)};

	/* It is called where the branch went to. */
	machine_set_part(m, "PSTATE", "EL",
			 o->op.flags & SPE_OP_TAKEN ? o->op.target_el : o->op.el);
	machine_call(m, CALL_BRANCH, arguments, 4);
}

static void tell_kind(struct functions_machine *m, const struct functions_op *o)
{
	static const int lengths[] = {32, 64, 128, 256, 512, 1024, 2048};
	const struct asl_value load = asl_boolean(chosen(o, LOAD)),
			       first = asl_boolean(chosen(o, FIRST)),
			       second = asl_boolean(chosen(o, SECOND)),
			       third = asl_boolean(chosen(o, THIRD)),
			       passed = asl_boolean(chosen(o, PASSED)),
			       length = asl_number(lengths[vector_code(o)]);

	switch ((enum op_kind)o->kind) {
	case KIND_OTHER:
		machine_call(m, CALL_OTHER, (struct asl_value[]){first, passed, second, third}, 4);
		break;
	case KIND_BRANCH: tell_branch(m, o); break;
	case KIND_GENERAL: machine_call(m, CALL_GENERAL, &load, 1); break;
	case KIND_EXTENDED:
		machine_call(m, CALL_EXTENDED, (struct asl_value[]){first, second, third, load}, 4);
		break;
	case KIND_SIMD_FP:
		machine_call(m, CALL_SIMD_FP, (struct asl_value[]){load, first}, 2);
		break;
	case KIND_SVE:
		machine_call(m, CALL_SVE, (struct asl_value[]){first, length, second, load}, 4);
		break;
	case KIND_SVE_OTHER:
		machine_call(m, CALL_SVE_OTHER, (struct asl_value[]){length, second, first}, 3);
		break;
	case KIND_COPY: machine_call(m, CALL_COPY, NULL, 0); break;
	case KIND_SET: machine_call(m, CALL_SET, NULL, 0); break;
	case KINDS: break;
	}
}

/* The functions choose which half of a copy is sampled. */
static void follow_copy(struct functions_machine *m, struct functions_op *o)
{
	const bool load = machine_is_member(m, "SPESampleOpAttr", "op_type", "SPEOpType_Load");

	if (o->kind != KIND_COPY)
		return;
	o->op.flags &= ~(SPE_OP_LOAD | SPE_OP_STORE);
	o->op.flags |= load ? SPE_OP_LOAD : SPE_OP_STORE;
	o->op.type_payload = load ? 0x20 : 0x21;
}

static void tell_access(struct functions_machine *m, const struct functions_op *o)
{
	const char *space = !o->op.ns ? "PAS_Secure" : o->op.nse ? "PAS_Realm" : "PAS_NonSecure";
	struct asl_value arguments[3] = {asl_boolean(o->op.flags & SPE_OP_LOAD)};
	const struct asl_value *access, *address;

	if (o->op.flags & SPE_OP_PA_NON_SECURE)
		space = "PAS_NonSecure";
	machine_set_member(m, "MachineAccess", "acctype", "AccessType_GPR");
	machine_set_part(m, "MachineAccess", "tagchecked", o->op.flags & SPE_OP_TAG_CHECKED);
	machine_set_part(m, "MachinePhysical", "address", o->op.data_pa);
	machine_set_member(m, "MachinePhysical", "paspace", space);
	machine_set_part(m, "MachineAddress", "vaddress", o->op.data_va);
	access = asl_code_variable(m->code, "MachineAccess");
	address = asl_code_variable(m->code, "MachineAddress");
	if (m->failed || !access || !address)
		return;
	*asl_code_part(m->code, asl_code_variable(m->code, "MachineAddress"), "paddress") =
		*asl_code_variable(m->code, "MachinePhysical");
	arguments[1] = *access;
	arguments[2] = *address;
	machine_call(m, CALL_LOAD_STORE, arguments, 3);
}

/* The PMU event of each bit of the Events packet, whose function sets it; 0: none. */
static uint16_t event_of(const struct spe_config *c, unsigned int bit)
{
	static const uint16_t events[24] = {
		0x09, 0x08, 0x04, 0, 0x25, 0x34,   0,	   0x10, 0x32,	 0x33,	 0x31,	 0x4020,
		0,    0,    0,	  0, 0,	   0x8079, 0x8075, 0x50, 0x4009, 0x8214, 0x8244, 0x8194};

	if (bit == 3)
		return c->version >= SPE_V1P4 ? 0x39 : 0x03;
	return bit < 24 ? events[bit] : 0;
}

static void tell_events(struct functions_machine *m, const struct functions_op *o)
{
	const uint64_t events = model_op_events(m->config, &o->op);

	for (unsigned int bit = 0; bit < 24; bit++) {
		const uint16_t event = event_of(m->config, bit);
		const struct asl_value argument = asl_bits_value(16, event);

		if (event && (events >> bit & 1))
			machine_call(m, CALL_EVENT, &argument, 1);
	}
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Counters: SPECycle() for the last cycles, and their values for those before them. */
static void tell_latencies(struct functions_machine *m, const struct functions_op *o)
{
	const struct asl_value translation = asl_number(2), alternate = asl_number(4);
	const struct spe_op *op = &o->op;
	unsigned int cycles = least(LONGEST_CYCLES, least(op->total_latency, op->issue_latency));

	if (m->config->altclk)
		cycles = least(cycles, op->alternate_latency);
	machine_set_element(m, "SPESampleCounter", 0, op->total_latency - cycles);
	machine_set_element(m, "SPESampleCounter", 1, op->issue_latency - cycles);
	if (op->flags & SPE_OP_VA_VALID) {
		machine_call(m, CALL_START_COUNTER, &translation, 1);
		machine_set_element(m, "SPESampleCounter", 2, op->translation_latency);
		machine_call(m, CALL_STOP_COUNTER, &translation, 1);
	}
	if (m->config->altclk) {
		machine_call(m, CALL_START_COUNTER, &alternate, 1);
		machine_set_element(m, "SPESampleCounter", 4, op->alternate_latency - cycles);
	}
	for (unsigned int i = 0; i < cycles; i++)
		machine_call(m, CALL_CYCLE, NULL, 0);
}

bool functions_op_tell(struct functions_machine *m, struct functions_op *o)
{
	tell_kind(m, o);
	follow_copy(m, o);
	if (o->op.flags & SPE_OP_VA_VALID)
		tell_access(m, o);
	tell_latencies(m, o);
	tell_events(m, o);
	return !m->failed;
}
