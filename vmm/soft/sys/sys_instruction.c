/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One system instruction: its row, among the fields of PSTATE, the SYS instructions and the system
 * registers; where that and the controls send it; and its effect (Arm ARM C5, D24). Operations on
 * memory are handed back.
 */
#include "soft/sys/isa.h"
#include "soft/sys/sys_operations.h"

enum row_kind { ROW_NONE, ROW_PSTATE, ROW_OPERATION, ROW_REGISTER, ROW_ID, ROW_SPE, ROW_PMU };

struct row {
	enum row_kind kind;
	unsigned int index;	     /* in its table; enum sysreg_id, enum pmu_register */
	const struct sys_rule *rule; /* NULL: nobody traps it, and it is UNDEFINED; or SPE, PMU */
};

/*
 * The tables.
 */

/* MSR (immediate): CRm is the value, or part of the name. */
static const struct {
	uint8_t op1, op2, crm, crm_mask;
	uint8_t field; /* enum sys_pstate_field */
	struct sys_rule rule;
} pstate_rows[] = {
	{0, 3, 0, 0, SYS_PSTATE_UAO, {.lowest = {SYS_NO, 1}, .exists = SYS_EXISTS_UAO}},
	{0, 4, 0, 0, SYS_PSTATE_PAN, {.lowest = {SYS_NO, 1}}},
	{0, 5, 0, 0, SYS_PSTATE_SPSEL, {.lowest = {SYS_NO, 1}}},
	{1, 0, 2, 14, SYS_PSTATE_PM, {.lowest = {SYS_NO, 1}, .exists = SYS_EXISTS_EXC}},
	{3, 1, 0, 0, SYS_PSTATE_SSBS, {.lowest = {SYS_NO, 0}, .exists = SYS_EXISTS_SSBS2}},
	{3, 2, 0, 0, SYS_PSTATE_DIT, {.lowest = {SYS_NO, 0}, .exists = SYS_EXISTS_DIT}},
	{3, 6, 0, 0, SYS_PSTATE_DAIFSET, {.lowest = {SYS_NO, 0}, .el0 = SYS_TRAP_UMA}},
	{3, 7, 0, 0, SYS_PSTATE_DAIFCLR, {.lowest = {SYS_NO, 0}, .el0 = SYS_TRAP_UMA}},
};

static const struct sys_operation operations[] = {
#define FGT_NONE    .fgt = SYS_FGT_NONE
#define FGT_HFGI(b) .fgt = SYS_FGT_HFGI, .bit = (b)
#define OPERATION_OF(feat, name, op1, crn, crm, op2, el, ex, e0, e2, f, operation, arg) \
	{.encoding = SYSREG_ENCODING(1, op1, crn, crm, op2),                            \
	 .rule = {.lowest = {SYS_NO, el},                                               \
		  .exists = SYS_EXISTS_##ex,                                            \
		  .feature = (feat),                                                    \
		  .el0 = SYS_TRAP_##e0,                                                 \
		  .el2 = SYS_EL2_##e2,                                                  \
		  FGT_##f},                                                             \
	 .kind = SYS_##operation,                                                       \
	 .argument = (arg)},
#define OPERATION(...)		     OPERATION_OF(0, __VA_ARGS__)
#define FEATURE_OPERATION(feat, ...) OPERATION_OF(SOFT_ISA_BIT_##feat + 1, __VA_ARGS__)
#include "soft/sys/sys_operations.def"
#undef OPERATION
};

/* The row of the ID space, and of the space for implementations, which has nothing here. */
static const struct sys_rule id_rule = {.lowest = {1, SYS_NO}, .el2 = SYS_EL2_TID3};
static const struct sys_rule other_rule = {.lowest = {1, 1}, .el2 = SYS_EL2_TIDCP};

static struct row pstate_row(const struct a64_system *f)
{
	for (unsigned int n = 0; n < sizeof(pstate_rows) / sizeof(pstate_rows[0]); n++) {
		if (pstate_rows[n].op1 == f->op1 && pstate_rows[n].op2 == f->op2 &&
		    (f->crm & pstate_rows[n].crm_mask) == pstate_rows[n].crm)
			return (struct row){ROW_PSTATE, n, &pstate_rows[n].rule};
	}
	return (struct row){ROW_NONE, 0, NULL};
}

/* What no table has. */
static struct row other_row(const struct a64_system *f)
{
	if ((f->op0 & 1) && (f->crn == 11 || f->crn == 15))
		return (struct row){ROW_NONE, 0, &other_rule};
	return (struct row){ROW_NONE, 0, NULL};
}

static struct row operation_row(const struct sys_instruction *in)
{
	for (unsigned int n = 0; n < sizeof(operations) / sizeof(operations[0]); n++) {
		if (operations[n].encoding == in->encoding)
			return (struct row){ROW_OPERATION, n, &operations[n].rule};
	}
	return other_row(&in->f);
}

/* op0=3, op1=0, CRn=0, CRm=1..7: the ID registers, where unallocated ones read as zero. */
static bool is_id_space(uint32_t encoding)
{
	return encoding >= SYSREG_ENCODING(3, 0, 0, 1, 0) &&
	       encoding <= SYSREG_ENCODING(3, 0, 0, 7, 7);
}

static struct row register_row(const struct sys_instruction *in)
{
	const struct sys_rule *rule = sys_register_rule(in->encoding);
	enum pmu_register pmu;
	enum sysreg_id spe;

	if (rule)
		return (struct row){ROW_REGISTER, 0, rule};
	spe = sysreg_find(in->encoding);
	if (spe != SYSREG_COUNT)
		return (struct row){ROW_SPE, spe, NULL};
	pmu = pmu_find(in->encoding);
	if (pmu != PMU_REGISTERS)
		return (struct row){ROW_PMU, pmu, NULL};
	if (is_id_space(in->encoding))
		return (struct row){ROW_ID, 0, &id_rule};
	return other_row(&in->f);
}

static struct row find_row(const struct sys_instruction *in)
{
	switch (in->f.op0) {
	case 0:
		/* Rt is 31 and L 0, CRn 4. */
		if (in->f.read || in->f.rt != 31 || in->f.crn != 4)
			return (struct row){ROW_NONE, 0, NULL};
		return pstate_row(&in->f);
	case 1: return operation_row(in);
	default: return register_row(in);
	}
}

const struct sys_rule *sys_instruction_rule(uint32_t encoding, bool read)
{
	const struct sys_instruction in = {.encoding = encoding,
					   .f = {.read = read,
						 .op0 = (uint8_t)(encoding >> 14),
						 .op1 = encoding >> 11 & 7,
						 .crn = encoding >> 7 & 15,
						 .crm = encoding >> 3 & 15,
						 .op2 = encoding & 7}};

	return find_row(&in).rule;
}

/* The row's register or instruction may be accessed here. */
static bool carry_out(struct soft_cpu *cpu, const struct row *row, uint16_t reg,
		      struct sys_instruction *in)
{
	switch (row->kind) {
	case ROW_NONE: break;
	case ROW_PSTATE:
		sys_pstate_write(cpu, (enum sys_pstate_field)pstate_rows[row->index].field,
				 (uint8_t)in->f.crm);
		return true;
	case ROW_OPERATION: in->operation = &operations[row->index]; return true;
	case ROW_REGISTER: return sys_register_access(cpu, reg, in);
	case ROW_ID: in->value = soft_id_register(&cpu->sys, in->encoding); return true;
	case ROW_SPE:
	case ROW_PMU: break;
	}
	return false;
}

struct sysreg_route sys_execute(struct soft_cpu *cpu, struct sys_instruction *in)
{
	const struct row row = find_row(in);
	struct sysreg_route route = {.kind = SYSREG_UNDEFINED};

	if (row.kind == ROW_SPE)
		return sys_spe_register(cpu, (enum sysreg_id)row.index, in);
	if (row.kind == ROW_PMU)
		return sys_pmu_register(cpu, (enum pmu_register)row.index, in);
	if (!row.rule)
		return route;
	route = sys_route(&cpu->sys, row.rule, in->encoding, !in->f.read, (uint8_t)in->f.rt);
	if (route.kind == SYSREG_DIRECT && !carry_out(cpu, &row, route.reg, in))
		route.kind = SYSREG_UNDEFINED;
	return route;
}
