/* SPDX-License-Identifier: BSD-2-Clause */
/* The controls of sys_traps.def as data, and the one function that says whether one traps. */
#include "soft/sys/sys_private.h"

/* By how many bits CNTHCTL_EL2.EL1PCTEN and EL1PCEN (EL1PTEN) are higher when HCR_EL2.E2H is 1. */
#define E2H_DISTANCE 10

#define CONTROL(n, member, w, b)                                                              \
	{                                                                                     \
		.reg = #n, .offset = offsetof(struct soft_sys, member), .when = SYS_WHEN_##w, \
		.bits = (b)                                                                   \
	}
#define ANY(n, member, b)   CONTROL(n, member, ANY, b)
#define ALL(n, member, b)   CONTROL(n, member, ALL, b)
#define NONE(n, member, b)  CONTROL(n, member, NONE, b)
#define TIMER(n, member, b) CONTROL(n, member, TIMER, b)
#define ALWAYS                          \
	{                               \
		.when = SYS_WHEN_ALWAYS \
	}
#define NEVER                          \
	{                              \
		.when = SYS_WHEN_NEVER \
	}
#define NV_011                          \
	{                               \
		.when = SYS_WHEN_NV_011 \
	}
#define NV_XX1                          \
	{                               \
		.when = SYS_WHEN_NV_XX1 \
	}

/* [word][in a host] */
static const struct sys_control of_el0[][2] = {
#define EL0(word, ...)	    [SYS_TRAP_##word][0] = __VA_ARGS__,
#define EL0_HOST(word, ...) [SYS_TRAP_##word][1] = __VA_ARGS__,
#include "soft/sys/sys_traps.def"
};

/* [word][write] */
static const struct sys_control of_el2[][2] = {
#define EL2(word, ...)	     [SYS_EL2_##word] = {__VA_ARGS__, __VA_ARGS__},
#define EL2_READ(word, ...)  [SYS_EL2_##word][0] = __VA_ARGS__,
#define EL2_WRITE(word, ...) [SYS_EL2_##word][1] = __VA_ARGS__,
#include "soft/sys/sys_traps.def"
};

static const struct sys_control of_el2_too[] = {
#define EL2_TOO(word, ...) [SYS_EL2_##word] = __VA_ARGS__,
#include "soft/sys/sys_traps.def"
};

static const struct sys_control of_el3[] = {
#define EL3(word, ...) [SYS_EL3_##word] = __VA_ARGS__,
#include "soft/sys/sys_traps.def"
};

static const struct sys_control words[SYS_FGTS][2] = {
	/* [register][write] */
	[SYS_FGT_HFG] = {ANY(HFGRTR_EL2, hfgrtr_el2, 0), ANY(HFGWTR_EL2, hfgwtr_el2, 0)},
	[SYS_FGT_HDFG] = {ANY(HDFGRTR_EL2, controls.hdfgrtr_el2, 0),
			  ANY(HDFGWTR_EL2, controls.hdfgwtr_el2, 0)},
	[SYS_FGT_HFGI] = {ANY(HFGITR_EL2, hfgitr_el2, 0), ANY(HFGITR_EL2, hfgitr_el2, 0)},
};

#define TOO (sizeof(of_el2_too) / sizeof(of_el2_too[0]))

uint64_t sys_control_bits(const struct soft_sys *sys, const struct sys_control *control)
{
	const bool up = control->when == SYS_WHEN_TIMER && arm_el2_host(&sys->controls);

	return up ? control->bits << E2H_DISTANCE : control->bits;
}

bool sys_control_traps(const struct soft_sys *sys, const struct sys_control *control)
{
	const uint64_t value = *(const uint64_t *)((const char *)sys + control->offset);
	const uint64_t bits = sys_control_bits(sys, control);

	switch ((enum sys_when)control->when) {
	case SYS_WHEN_NEVER: break;
	case SYS_WHEN_ALWAYS: return true;
	case SYS_WHEN_ANY: return value & bits;
	case SYS_WHEN_ALL: return (value & bits) == bits;
	case SYS_WHEN_NONE:
	case SYS_WHEN_TIMER: return !(value & bits);
	case SYS_WHEN_NV_011: return arm_nvx(&sys->controls) == 3;
	case SYS_WHEN_NV_XX1: return sys->pstate.el == 1 && arm_nvx(&sys->controls) & 1;
	}
	return false;
}

struct sys_controls sys_el0_controls(const struct soft_sys *sys, enum sys_trap trap)
{
	return (struct sys_controls){{&of_el0[trap][sysreg_el0_host(&sys->controls)], NULL}};
}

struct sys_controls sys_el2_controls(enum sys_el2_trap trap, bool write)
{
	return (struct sys_controls){
		{&of_el2[trap][write], (size_t)trap < TOO ? &of_el2_too[trap] : NULL}};
}

struct sys_controls sys_el3_controls(enum sys_el3_trap trap)
{
	return (struct sys_controls){{&of_el3[trap], NULL}};
}

const struct sys_control *sys_fgt_word(enum sys_fgt fgt, bool write)
{
	return &words[fgt][write];
}
