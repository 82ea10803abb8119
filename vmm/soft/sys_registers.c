/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System registers by the table in sys_registers.def: who may access them, what traps, what is
 * stored, and the few with a rule of their own (Arm ARM C5, D19).
 */
#include "soft/sys_private.h"

#define MDSCR_ALWAYS UINT64_C(0xb001) /* SS, TDCC, KDE, MDE */
/* EDSCR's bits, writable for a debug monitor that saves them while the OS Lock is locked. */
#define MDSCR_LOCKED UINT64_C(0x6ce04040)
#define CLAIM_TAGS   UINT64_C(0xff)

#define NO 0xff /* no Exception level */

typedef uint64_t sys_reader(struct soft_cpu *cpu);
/* Returns SOFT_AFTER_*. */
typedef uint32_t sys_writer(struct soft_cpu *cpu, uint64_t value);

enum sys_storage { SYS_STORED, SYS_FIXED, SYS_SPECIAL, SYS_FORWARD };

struct sys_register {
	uint8_t read_el, write_el; /* the lowest that may, or NO */
	uint8_t trap;		   /* enum sys_trap */
	uint8_t storage;	   /* enum sys_storage */
	uint8_t after;		   /* SOFT_AFTER_* of a write */
	uint16_t offset;	   /* in struct soft_sys */
	uint64_t mask, reset;	   /* reset: the value of a fixed one */
	sys_reader *read;
	sys_writer *write;
};

bool sys_trapped(const struct soft_sys *sys, enum sys_trap trap)
{
	if (sys->pstate.el != 0)
		return false;
	switch (trap) {
	case SYS_TRAP_NONE: return false;
	case SYS_TRAP_UMA: return !(sys->sctlr[1] & SCTLR_UMA);
	case SYS_TRAP_UCT: return !(sys->sctlr[1] & SCTLR_UCT);
	case SYS_TRAP_UCI: return !(sys->sctlr[1] & SCTLR_UCI);
	case SYS_TRAP_DZE: return !(sys->sctlr[1] & SCTLR_DZE);
	case SYS_TRAP_TDCC: return sys->mdscr_el1 & MDSCR_TDCC;
	case SYS_TRAP_CNTFRQ: return !(sys->cntkctl_el1 & (CNTKCTL_EL0PCTEN | CNTKCTL_EL0VCTEN));
	case SYS_TRAP_EL0PCTEN: return !(sys->cntkctl_el1 & CNTKCTL_EL0PCTEN);
	case SYS_TRAP_EL0VCTEN: return !(sys->cntkctl_el1 & CNTKCTL_EL0VCTEN);
	case SYS_TRAP_EL0VTEN: return !(sys->cntkctl_el1 & CNTKCTL_EL0VTEN);
	case SYS_TRAP_EL0PTEN: return !(sys->cntkctl_el1 & CNTKCTL_EL0PTEN);
	}
	return false;
}

/*
 * Registers with a rule of their own.
 */

static uint64_t read_midr(struct soft_cpu *cpu)
{
	return soft_sys(cpu)->midr;
}

static uint64_t read_mpidr(struct soft_cpu *cpu)
{
	return soft_sys(cpu)->mpidr;
}

static uint64_t read_rvbar(struct soft_cpu *cpu)
{
	return soft_sys(cpu)->rvbar;
}

/* DZP says whether DC ZVA is prohibited where the register is read. */
static uint64_t read_dczid(struct soft_cpu *cpu)
{
	unsigned int words = SOFT_ZVA_SIZE / 4;

	return (uint64_t)__builtin_ctz(words) |
	       (sys_trapped(soft_sys(cpu), SYS_TRAP_DZE) ? UINT64_C(1) << 4 : 0);
}

static uint64_t read_sp_el0(struct soft_cpu *cpu)
{
	return soft_sys(cpu)->sp[0];
}

static uint32_t write_sp_el0(struct soft_cpu *cpu, uint64_t value)
{
	soft_sys(cpu)->sp[0] = value;
	return 0;
}

static uint64_t read_isr(struct soft_cpu *cpu)
{
	const struct soft_sys *sys = soft_sys(cpu);

	return (sys->irq_level ? UINT64_C(1) << 7 : 0) | (sys->fiq_level ? UINT64_C(1) << 6 : 0);
}

static uint64_t read_spsel(struct soft_cpu *cpu)
{
	return soft_sys(cpu)->pstate.sp;
}

static uint32_t write_spsel(struct soft_cpu *cpu, uint64_t value)
{
	soft_set_mode(cpu, soft_sys(cpu)->pstate.el, value & 1);
	return SOFT_AFTER_CONTEXT;
}

static uint64_t read_currentel(struct soft_cpu *cpu)
{
	return (uint64_t)soft_sys(cpu)->pstate.el << 2;
}

static uint64_t read_pan(struct soft_cpu *cpu)
{
	return soft_sys(cpu)->pstate.pan ? UINT64_C(1) << 22 : 0;
}

static uint32_t write_pan(struct soft_cpu *cpu, uint64_t value)
{
	soft_sys(cpu)->pstate.pan = value >> 22 & 1;
	return SOFT_AFTER_CONTEXT;
}

static uint64_t read_nzcv(struct soft_cpu *cpu)
{
	return soft_get_nzcv(cpu) & UINT32_C(0xf0000000);
}

static uint32_t write_nzcv(struct soft_cpu *cpu, uint64_t value)
{
	soft_set_nzcv(cpu, (uint32_t)value & UINT32_C(0xf0000000));
	return 0;
}

static uint64_t read_daif(struct soft_cpu *cpu)
{
	return (uint64_t)soft_sys(cpu)->pstate.daif << 6;
}

static uint32_t write_daif(struct soft_cpu *cpu, uint64_t value)
{
	soft_sys(cpu)->pstate.daif = value >> 6 & 0xf;
	return SOFT_AFTER_IRQ | SOFT_AFTER_CONTEXT; /* D gates software step */
}

static uint64_t read_mdscr(struct soft_cpu *cpu)
{
	return soft_sys(cpu)->mdscr_el1;
}

static uint32_t write_mdscr(struct soft_cpu *cpu, uint64_t value)
{
	struct soft_sys *sys = soft_sys(cpu);
	uint64_t mask = MDSCR_ALWAYS | (sys->os_lock ? MDSCR_LOCKED : 0);

	sys->mdscr_el1 = (sys->mdscr_el1 & ~mask) | (value & mask);
	return SOFT_AFTER_CONTEXT;
}

static uint32_t write_oslar(struct soft_cpu *cpu, uint64_t value)
{
	soft_sys(cpu)->os_lock = value & 1;
	return SOFT_AFTER_CONTEXT;
}

/* OSLM is 0b10: the OS Lock is implemented. */
static uint64_t read_oslsr(struct soft_cpu *cpu)
{
	return UINT64_C(0x8) | (soft_sys(cpu)->os_lock ? UINT64_C(0x2) : 0);
}

static uint64_t read_claimset(struct soft_cpu *cpu)
{
	(void)cpu;
	return CLAIM_TAGS;
}

static uint32_t write_claimset(struct soft_cpu *cpu, uint64_t value)
{
	soft_sys(cpu)->claim_tags |= value & CLAIM_TAGS;
	return 0;
}

static uint64_t read_claimclr(struct soft_cpu *cpu)
{
	return soft_sys(cpu)->claim_tags;
}

static uint32_t write_claimclr(struct soft_cpu *cpu, uint64_t value)
{
	soft_sys(cpu)->claim_tags &= ~value;
	return 0;
}

/* Half of the accessors of registers that are only read or only written. */
#define write_midr	NULL
#define write_mpidr	NULL
#define write_rvbar	NULL
#define write_dczid	NULL
#define write_isr	NULL
#define write_currentel NULL
#define write_oslsr	NULL
#define read_oslar	NULL

/*
 * The table.
 */

enum sys_index {
#define STORED(name, ...)  INDEX_##name,
#define FIXED(name, ...)   INDEX_##name,
#define SPECIAL(name, ...) INDEX_##name,
#define FORWARD(name, ...) INDEX_##name,
#include "soft/sys_registers.def"
#undef STORED
#undef FIXED
#undef SPECIAL
#undef FORWARD
	INDEX_COUNT,
};

#define AFTER_0	      0
#define AFTER_TLB     SOFT_AFTER_TLB
#define AFTER_CONTEXT SOFT_AFTER_CONTEXT

static const struct sys_register registers[INDEX_COUNT] = {
#define STORED(n, op0, op1, crn, crm, op2, rd, wr, t, field, m, r, a) \
	[INDEX_##n] = {.read_el = rd,                                 \
		       .write_el = wr,                                \
		       .trap = SYS_TRAP_##t,                          \
		       .storage = SYS_STORED,                         \
		       .after = AFTER_##a,                            \
		       .offset = offsetof(struct soft_sys, field),    \
		       .mask = m,                                     \
		       .reset = r},
#define FIXED(n, op0, op1, crn, crm, op2, rd, wr, t, value) \
	[INDEX_##n] = {.read_el = rd,                       \
		       .write_el = wr,                      \
		       .trap = SYS_TRAP_##t,                \
		       .storage = SYS_FIXED,                \
		       .reset = value},
#define SPECIAL(n, op0, op1, crn, crm, op2, rd, wr, t, accessor) \
	[INDEX_##n] = {.read_el = rd,                            \
		       .write_el = wr,                           \
		       .trap = SYS_TRAP_##t,                     \
		       .storage = SYS_SPECIAL,                   \
		       .read = read_##accessor,                  \
		       .write = write_##accessor},
#define FORWARD(n, op0, op1, crn, crm, op2, rd, wr, t) \
	[INDEX_##n] = {.read_el = rd, .write_el = wr, .trap = SYS_TRAP_##t, .storage = SYS_FORWARD},
#include "soft/sys_registers.def"
#undef STORED
#undef FIXED
#undef SPECIAL
#undef FORWARD
};

static enum sys_index find(uint32_t encoding)
{
	switch (encoding) {
#define STORED(n, op0, op1, crn, crm, op2, ...)        \
	case SYSREG_ENCODING(op0, op1, crn, crm, op2): \
		return INDEX_##n;
#define FIXED	STORED
#define SPECIAL STORED
#define FORWARD STORED
#include "soft/sys_registers.def"
#undef STORED
#undef FIXED
#undef SPECIAL
#undef FORWARD
	default: return INDEX_COUNT;
	}
}

static uint64_t *stored(struct soft_sys *sys, const struct sys_register *reg)
{
	return (uint64_t *)((char *)sys + reg->offset);
}

static enum sys_result forward(struct soft_cpu *cpu, struct sys_instruction *in)
{
	const struct engine_host *host = soft_host(cpu);
	unsigned int index = soft_index(cpu);
	enum engine_answer answer;

	/* Reading acknowledges (ICC_IAR1_EL1): the lines may change either way. */
	*in->after |= SOFT_AFTER_IRQ;
	if (in->read)
		answer = host->sysreg_read(host->ctx, index, in->encoding, &in->value);
	else
		answer = host->sysreg_write(host->ctx, index, in->encoding, in->value);
	return answer == ENGINE_OK ? SYS_OK : SYS_UNDEFINED;
}

static enum sys_result access(struct soft_cpu *cpu, const struct sys_register *reg,
			      struct sys_instruction *in)
{
	struct soft_sys *sys = soft_sys(cpu);

	switch ((enum sys_storage)reg->storage) {
	case SYS_STORED:
		if (in->read) {
			in->value = *stored(sys, reg);
		} else {
			*stored(sys, reg) =
				(*stored(sys, reg) & ~reg->mask) | (in->value & reg->mask);
			*in->after |= reg->after;
		}
		return SYS_OK;
	case SYS_FIXED:
		if (in->read)
			in->value = reg->reset;
		return SYS_OK;
	case SYS_SPECIAL:
		/* SP_EL0 has no access as a register where it is SP. */
		if (reg == &registers[INDEX_SP_EL0] && !sys->pstate.sp)
			return SYS_UNDEFINED;
		if (in->read)
			in->value = reg->read(cpu);
		else
			*in->after |= reg->write(cpu, in->value);
		return SYS_OK;
	case SYS_FORWARD: return forward(cpu, in);
	}
	return SYS_UNDEFINED;
}

/* op0=3, op1=0, CRn=0, CRm=1..7: the ID registers, of which the unallocated ones read as zero. */
static bool is_id_space(uint32_t encoding)
{
	return encoding >= SYSREG_ENCODING(3, 0, 0, 1, 0) &&
	       encoding <= SYSREG_ENCODING(3, 0, 0, 7, 7);
}

enum sys_result sys_register(struct soft_cpu *cpu, struct sys_instruction *in)
{
	const struct soft_sys *sys = soft_sys(cpu);
	enum sys_index index = find(in->encoding);
	unsigned int lowest;

	if (index == INDEX_COUNT) {
		enum sysreg_id spe = sysreg_find(in->encoding);

		if (spe != SYSREG_COUNT)
			return sys_spe_register(cpu, spe, in);
		if (!is_id_space(in->encoding) || !in->read || sys->pstate.el == 0)
			return SYS_UNDEFINED;
		in->value = soft_id_register(sys, in->encoding);
		return SYS_OK;
	}
	lowest = in->read ? registers[index].read_el : registers[index].write_el;
	if (sys->pstate.el < lowest)
		return SYS_UNDEFINED;
	if (sys_trapped(sys, (enum sys_trap)registers[index].trap))
		return SYS_TRAPPED;
	return access(cpu, &registers[index], in);
}

void sys_registers_reset(struct soft_sys *sys)
{
	for (unsigned int i = 0; i < INDEX_COUNT; i++) {
		if (registers[i].storage == SYS_STORED)
			*stored(sys, &registers[i]) = registers[i].reset;
	}
}
