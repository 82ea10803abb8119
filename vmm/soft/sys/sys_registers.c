/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System registers by the table in sys_registers.def: what is stored, what the machine has, and the
 * effect of an access after sys_route.c has said where it goes (Arm ARM C5, D24).
 */
#include "arm/cache.h"
#include "soft/sys/isa.h"
#include "soft/sys/sys_private.h"

/* What a write sets off. */
#define AFTER_0	       0
#define AFTER_TLB      (1u << 0) /* translations may have changed: sys_instruction.translation */
#define AFTER_CONTROLS (1u << 1) /* soft_sys.controls: soft_controls_changed() */
#define AFTER_OFFSETS  (1u << 2) /* soft_timer_offsets() */
/* HCR_EL2 and SCR_EL3. */
#define AFTER_ALL (AFTER_TLB | AFTER_CONTROLS | AFTER_OFFSETS)

enum sys_storage {
	SYS_STORED,
	SYS_LAYOUT,
	SYS_FIXED,
	SYS_SPECIAL,
	SYS_IDENTIFIES,
	SYS_FORWARD,
	SYS_COPIED,
	SYS_PHYSICAL_COUNTER,
	SYS_VIRTUAL_COUNTER,
	SYS_NAME, /* of another register: never reached */
};

struct sys_register {
	const char *name;
	struct sys_rule rule;
	uint8_t storage;   /* enum sys_storage */
	uint8_t how;	   /* enum sys_layout or sys_special_id */
	uint8_t after;	   /* AFTER_* */
	uint16_t encoding; /* SYSREG_ENCODING() */
	uint16_t offset;   /* in struct soft_sys */
	uint64_t mask;
	uint64_t reset; /* of a fixed one, its value */
};

/*
 * The table.
 */

enum sys_index {
#define REGISTER(name, ...)  INDEX_##name,
#define HOST_NAME(name, ...) INDEX_##name,
#include "soft/sys/sys_registers.def"
#undef REGISTER
#undef HOST_NAME
	INDEX_COUNT,
};

/* The columns of a row, as members of struct sys_register. */
#define LEVEL_0	  0
#define LEVEL_1	  1
#define LEVEL_2	  2
#define LEVEL_3	  3
#define LEVEL_TOP SYS_TOP

#define LOWEST(read, write) .rule.lowest = {LEVEL_##read, LEVEL_##write}
#define RW(level)	    .rule.lowest = {LEVEL_##level, LEVEL_##level}
#define RO(level)	    .rule.lowest = {LEVEL_##level, SYS_NO}
#define WO(level)	    .rule.lowest = {SYS_NO, LEVEL_##level}
#define EXISTS(what)	    .rule.exists = SYS_EXISTS_##what
#define NEEDS(name)	    .rule.feature = 1 + SOFT_ISA_BIT_##name
#define TRAP_EL0(word)	    .rule.el0 = SYS_TRAP_##word
#define TRAP_EL2(word)	    .rule.el2 = SYS_EL2_##word
#define TRAP_EL3(word)	    .rule.el3 = SYS_EL3_##word
#define FGT(words, b)	    .rule.fgt = SYS_FGT_##words, .rule.bit = (b)
#define NVX_111      \
	{            \
		7, 7 \
	}
#define NVX_1x1      \
	{            \
		5, 5 \
	}
#define NVX_101      \
	{            \
		7, 5 \
	}
#define NV(nvx, o)	   .rule.nv = NVX_##nvx, .rule.offset = (o)
#define NV_UNLESS(counter) .rule.nv_leads = SYS_NV_MEMORY_##counter
#define NV_TO(r)	   .rule.nv = NVX_1x1, .rule.nv_leads = SYS_NV_TO, .rule.other = INDEX_##r
#define HOST(r)		   .rule.host = SYS_HOST_OTHER, .rule.other = INDEX_##r
#define HOST_TIMER(r, s) \
	.rule.host = SYS_HOST_TIMER, .rule.other = INDEX_##r, .rule.secure = INDEX_##s

#define IN(field) .offset = offsetof(struct soft_sys, field)
#define STORED(field, m, r, a) \
	.storage = SYS_STORED, IN(field), .mask = (m), .reset = (r), .after = AFTER_##a
#define LAYOUT(field, layout, r, a)                                                 \
	.storage = SYS_LAYOUT, .how = SYS_LAYOUT_##layout, IN(field), .reset = (r), \
	.after = AFTER_##a
#define FIXED(value)  .storage = SYS_FIXED, .reset = (value)
#define IDENTIFIES    .storage = SYS_IDENTIFIES
#define SPECIAL(name) .storage = SYS_SPECIAL, .how = SYS_SPECIAL_##name
#define FORWARD	      .storage = SYS_FORWARD
#define COPIED(field) .storage = SYS_COPIED, IN(field)
#define COUNTER(kind) .storage = SYS_##kind##_COUNTER

static const struct sys_register registers[INDEX_COUNT] = {
#define REGISTER(n, op0, op1, crn, crm, op2, ...)                            \
	[INDEX_##n] = {.name = #n,                                           \
		       .encoding = SYSREG_ENCODING(op0, op1, crn, crm, op2), \
		       .rule.reg = INDEX_##n,                                \
		       __VA_ARGS__},
#define HOST_NAME(n, op0, op1, crn, crm, op2, ...) \
	REGISTER_OF_HOST(n, SYSREG_ENCODING(op0, op1, crn, crm, op2), __VA_ARGS__, )
#define REGISTER_OF_HOST(n, e, target, ...)           \
	[INDEX_##n] = {.name = #n,                    \
		       .encoding = (e),               \
		       .storage = SYS_NAME,           \
		       .rule.lowest = {2, 2},         \
		       .rule.exists = SYS_EXISTS_EL2, \
		       .rule.host = SYS_HOST_ONLY,    \
		       .rule.reg = INDEX_##target,    \
		       __VA_ARGS__},
#include "soft/sys/sys_registers.def"
#undef REGISTER
#undef HOST_NAME
};

static enum sys_index find_register(uint32_t encoding)
{
	switch (encoding) {
#define REGISTER(n, op0, op1, crn, crm, op2, ...)      \
	case SYSREG_ENCODING(op0, op1, crn, crm, op2): \
		return INDEX_##n;
#define HOST_NAME REGISTER
#include "soft/sys/sys_registers.def"
#undef REGISTER
#undef HOST_NAME
	default: return INDEX_COUNT;
	}
}

static uint64_t *stored_value(struct soft_sys *sys, const struct sys_register *reg)
{
	return (uint64_t *)((char *)sys + reg->offset);
}

static bool ask_machine(struct soft_cpu *cpu, struct sys_instruction *in, uint32_t encoding)
{
	const struct engine_host *host = soft_host(cpu);
	unsigned int index = soft_index(cpu);
	enum engine_answer answer;

	if (in->f.read)
		answer = host->sysreg_read(host->ctx, index, encoding, &in->value);
	else
		answer = host->sysreg_write(host->ctx, index, encoding, in->value);
	return answer == ENGINE_OK;
}

/* The effective CNTPOFF_EL2 for EL1 and EL0. */
static uint64_t physical_offset(const struct soft_sys *sys)
{
	bool applies = sysreg_el2_enabled(&sys->controls) && !sysreg_el0_host(&sys->controls);

	return applies && arm_cntpoff_on(&sys->controls, sys->cnthctl_el2) ? sys->cntpoff_el2 : 0;
}

void soft_timer_offsets(struct soft_cpu *cpu)
{
	struct soft_sys *sys = soft_sys(cpu);
	const struct engine_host *host = soft_host(cpu);
	/* A host reads the virtual counter without its offset; EL1's timer keeps it. */
	uint64_t voff = sys->cntvoff_el2, poff = physical_offset(sys);

	if (voff != sys->sent_voff)
		host->sysreg_write(host->ctx, soft_index(cpu),
				   registers[INDEX_CNTVOFF_EL2].encoding, voff);
	if (poff != sys->sent_poff)
		host->sysreg_write(host->ctx, soft_index(cpu),
				   registers[INDEX_CNTPOFF_EL2].encoding, poff);
	sys->sent_voff = voff;
	sys->sent_poff = poff;
}

/* The counters: with EL2 they are CNTPCT_EL0, less the offset for the level of the read. */
static bool read_counter(struct soft_cpu *cpu, struct sys_instruction *in, bool virtual)
{
	const struct soft_sys *sys = soft_sys(cpu);
	enum sys_index index = INDEX_CNTPCT_EL0;
	uint64_t offset = 0;
	bool known;

	if (virtual && !sys->levels.el2)
		index = INDEX_CNTVCT_EL0;
	else if (virtual && !(sys->pstate.el == 0 && sysreg_el0_host(&sys->controls)) &&
		 !(sys->pstate.el == 2 && arm_el2_host(&sys->controls)))
		offset = sys->cntvoff_el2;
	else if (!virtual && sys->pstate.el < 2)
		offset = physical_offset(sys);
	known = ask_machine(cpu, in, registers[index].encoding);
	in->value -= offset;
	return known;
}

bool soft_timed_out(struct soft_cpu *cpu, uint64_t until)
{
	struct sys_instruction in = {.f.read = 1};

	return !read_counter(cpu, &in, true) || in.value >= until;
}

static void register_written(struct soft_cpu *cpu, const struct sys_register *reg,
			     struct sys_instruction *in)
{
	in->translation = reg->after & AFTER_TLB;
	if (reg->after & AFTER_CONTROLS)
		soft_controls_changed(cpu);
	if (reg->after & AFTER_OFFSETS)
		soft_timer_offsets(cpu);
}

static bool access_stored(struct soft_cpu *cpu, const struct sys_register *reg,
			  struct sys_instruction *in)
{
	struct soft_sys *sys = soft_sys(cpu);
	uint64_t *value = stored_value(sys, reg);

	if (in->f.read) {
		in->value = *value;
		return true;
	}
	*value = (*value & ~reg->mask) | (in->value & reg->mask);
	register_written(cpu, reg, in);
	return true;
}

static bool access_layout(struct soft_cpu *cpu, const struct sys_register *reg,
			  struct sys_instruction *in)
{
	struct soft_sys *sys = soft_sys(cpu);
	struct sys_bits bits = sys_layout(sys, (enum sys_layout)reg->how);
	uint64_t *value = stored_value(sys, reg);

	if (in->f.read) {
		in->value = (*value & bits.mask) | bits.res1;
		return true;
	}
	*value = (*value & ~bits.mask) | (in->value & bits.mask);
	register_written(cpu, reg, in);
	return true;
}

static bool access_special(struct soft_cpu *cpu, const struct sys_register *reg,
			   struct sys_instruction *in)
{
	const struct sys_special *special = &sys_specials[reg->how];

	/* SP_EL0 cannot be accessed as a register while it is SP. */
	if (reg->how == SYS_SPECIAL_sp_el0 && !soft_sys(cpu)->pstate.sp)
		return false;
	if (in->f.read)
		in->value = special->read(cpu);
	else
		special->write(cpu, in->value);
	return true;
}

bool sys_register_access(struct soft_cpu *cpu, uint16_t reached, struct sys_instruction *in)
{
	const struct sys_register *reg = &registers[reached & ~SYS_VIRTUAL];
	const uint32_t encoding =
		reg->encoding | (reached & SYS_VIRTUAL ? ENGINE_SYSREG_VIRTUAL : 0);

	switch ((enum sys_storage)reg->storage) {
	case SYS_STORED: return access_stored(cpu, reg, in);
	case SYS_LAYOUT: return access_layout(cpu, reg, in);
	case SYS_FIXED:
		if (in->f.read)
			in->value = reg->reset;
		return true;
	case SYS_IDENTIFIES: in->value = soft_id_register(soft_sys(cpu), encoding); return true;
	case SYS_SPECIAL: return access_special(cpu, reg, in);
	case SYS_COPIED:
		if (!in->f.read)
			*stored_value(soft_sys(cpu), reg) = in->value;
		return ask_machine(cpu, in, encoding);
	case SYS_FORWARD: return ask_machine(cpu, in, encoding);
	case SYS_PHYSICAL_COUNTER: return read_counter(cpu, in, false);
	case SYS_VIRTUAL_COUNTER: return read_counter(cpu, in, true);
	case SYS_NAME: break;
	}
	return false;
}

const struct sys_rule *sys_register_rule(uint32_t encoding)
{
	const enum sys_index index = find_register(encoding);

	return index == INDEX_COUNT ? NULL : &registers[index].rule;
}

unsigned int sys_register_count(void)
{
	return INDEX_COUNT;
}

const char *sys_register_name(unsigned int reg)
{
	return registers[reg].name;
}

uint32_t sys_register_encoding(unsigned int reg)
{
	return registers[reg].encoding;
}

void sys_registers_reset(struct soft_sys *sys)
{
	for (unsigned int i = 0; i < INDEX_COUNT; i++) {
		if (registers[i].storage == SYS_STORED || registers[i].storage == SYS_LAYOUT)
			*stored_value(sys, &registers[i]) = registers[i].reset;
	}
}

void sys_registers_settle(struct soft_sys *sys)
{
	/* Twice, as HCR_EL2.E2H decides which bits some registers have. */
	for (unsigned int i = 0; i < 2 * INDEX_COUNT; i++) {
		const struct sys_register *reg = &registers[i % INDEX_COUNT];
		uint64_t mask = reg->mask, *value;

		if (reg->storage != SYS_STORED && reg->storage != SYS_LAYOUT)
			continue;
		if (reg->storage == SYS_LAYOUT)
			mask = sys_layout(sys, (enum sys_layout)reg->how).mask;
		value = stored_value(sys, reg);
		*value = (*value & mask) | (reg->reset & ~mask);
	}
}

bool sys_registers_possible(const struct soft_sys *sys, const struct soft_sys *fresh,
			    uint32_t *encoding)
{
	for (unsigned int i = 0; i < INDEX_COUNT; i++) {
		const struct sys_register *reg = &registers[i];
		struct sys_bits bits = {.mask = reg->mask};

		if (reg->storage != SYS_STORED && reg->storage != SYS_LAYOUT)
			continue;
		if (reg->storage == SYS_LAYOUT)
			bits = sys_layout(sys, (enum sys_layout)reg->how);
		/* Registers of the machine's own levels stay as they were handed down. */
		if (reg->rule.lowest[true] > sys->levels.start && i != INDEX_SP_EL1 &&
		    i != INDEX_SP_EL2)
			bits.mask = 0;
		*encoding = reg->encoding;
		if ((*stored_value((struct soft_sys *)(uintptr_t)sys, reg) ^
		     *stored_value((struct soft_sys *)(uintptr_t)fresh, reg)) &
		    ~bits.mask)
			return false;
	}
	return true;
}

/* The parts of registers that a reset leaves UNKNOWN. */
static const struct sys_unknown {
	uint16_t reg;
	bool same;
	uint64_t always, highest, start; /* bits that keep their value */
} unknowns[] = {
#define UNKNOWN(name)				  {.reg = INDEX_##name},
#define SAME(name)				  {.reg = INDEX_##name, .same = true},
#define BUT(name, always, highest, start, reason) {INDEX_##name, false, always, highest, start},
#define DEFINED(name, reason)			  {.reg = INDEX_##name, .always = UINT64_MAX},
#define PMU(...)
#include "soft/sys/unknown.def"
};

static void draw_register(struct soft_cpu *cpu, const struct sys_register *reg, uint64_t value,
			  uint64_t bits)
{
	struct sys_instruction in = {.value = value & bits};
	struct soft_sys *sys = soft_sys(cpu);

	switch ((enum sys_storage)reg->storage) {
	case SYS_LAYOUT: bits &= sys_layout(sys, (enum sys_layout)reg->how).mask; break;
	case SYS_SPECIAL: sys_specials[reg->how].write(cpu, value & bits); return;
	case SYS_FORWARD: (void)ask_machine(cpu, &in, reg->encoding); return;
	default: bits &= reg->mask;
	}
	*stored_value(sys, reg) = (*stored_value(sys, reg) & ~bits) | (value & bits);
}

/* The level of a register: SP_ELx are accessed from the level above. */
static unsigned int register_level(const struct sys_register *reg)
{
	const unsigned int lowest = reg->rule.lowest[true];

	return lowest == 0 ? 1 : lowest;
}

static bool is_highest(const struct engine_levels *levels, unsigned int el)
{
	return el == 3 || (!levels->el3 && (el == 2 || !levels->el2));
}

void sys_registers_draw(struct soft_cpu *cpu,
			uint64_t (*draw)(const struct soft_cpu *cpu, uint64_t what, bool same))
{
	const struct soft_sys fresh = *soft_sys(cpu);

	for (size_t n = 0; n < sizeof(unknowns) / sizeof(unknowns[0]); n++) {
		const struct sys_unknown *row = &unknowns[n];
		const struct sys_register *reg = &registers[row->reg];
		const unsigned int el = register_level(reg);
		uint64_t known = row->always;

		if (is_highest(&fresh.levels, el))
			known |= row->highest;
		if (el == fresh.levels.start)
			known |= row->start;
		if (el <= fresh.levels.start &&
		    sys_route(&fresh, &reg->rule, reg->encoding, true, 0).kind == SYSREG_DIRECT)
			draw_register(cpu, reg, draw(cpu, reg->encoding, row->same), ~known);
	}
}

bool sys_register_drawn(uint32_t encoding)
{
	const enum sys_index index = find_register(encoding);

	for (size_t n = 0; n < sizeof(unknowns) / sizeof(unknowns[0]); n++)
		if (unknowns[n].reg == index)
			return true;
	return index == INDEX_COUNT ||
	       (registers[index].storage != SYS_STORED && registers[index].storage != SYS_LAYOUT);
}
