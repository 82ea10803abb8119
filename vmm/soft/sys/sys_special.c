/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system registers with special rules for reads and writes, SPECIAL in sys_registers.def (Arm
 * ARM C5.2, D24).
 */
#include "arm/cache.h"
#include "base/splitmix.h"
#include "soft/flags.h"
#include "soft/sys/isa.h"
#include "soft/sys/sys_private.h"

#define MDSCR_ALWAYS (MDSCR_EL1_SS | MDSCR_EL1_TDCC | MDSCR_EL1_KDE | MDSCR_EL1_MDE)
/* EDSCR's bits, writable for a debug monitor that saves them while the OS Lock is locked. */
#define MDSCR_LOCKED UINT64_C(0x6ce04040)
#define CLAIM_TAGS   UINT64_C(0xff)

/* EL2 says what EL1 sees. */
static uint64_t read_midr(struct soft_cpu *cpu)
{
	const struct soft_sys *sys = soft_sys(cpu);

	return sys->pstate.el == 1 && sysreg_el2_enabled(&sys->controls) ? sys->vpidr_el2
									 : sys->midr;
}

static uint64_t read_mpidr(struct soft_cpu *cpu)
{
	const struct soft_sys *sys = soft_sys(cpu);

	if (sys->pstate.el != 1 || !sysreg_el2_enabled(&sys->controls))
		return sys->mpidr;
	return sys->vmpidr_el2 | sys_layout(sys, SYS_LAYOUT_VMPIDR_EL2).res1;
}

static uint64_t read_rvbar(struct soft_cpu *cpu)
{
	return soft_sys(cpu)->rvbar;
}

/* DZP says whether DC ZVA is prohibited where the register is read. */
static uint64_t read_ccsidr(struct soft_cpu *cpu)
{
	const struct soft_sys *sys = soft_sys(cpu);

	return arm_ccsidr((uint32_t)sys->midr, sys->csselr_el1);
}

static uint64_t read_dczid(struct soft_cpu *cpu)
{
	static const struct sys_rule zva = {.el0 = SYS_TRAP_DZE, .el2 = SYS_EL2_TDZ};
	unsigned int words = SOFT_ZVA_SIZE / 4;
	bool prohibited = sys_route(soft_sys(cpu), &zva, 0, true, 0).kind != SYSREG_DIRECT;

	return (uint64_t)__builtin_ctz(words) | (prohibited ? UINT64_C(1) << 4 : 0);
}

static uint64_t read_sp_el0(struct soft_cpu *cpu)
{
	return soft_sys(cpu)->sp[0];
}

static void write_sp_el0(struct soft_cpu *cpu, uint64_t value)
{
	soft_sys(cpu)->sp[0] = value;
}

static uint64_t read_isr(struct soft_cpu *cpu)
{
	return soft_isr(soft_sys(cpu));
}

static uint64_t read_spsel(struct soft_cpu *cpu)
{
	return soft_sys(cpu)->pstate.sp;
}

static void write_spsel(struct soft_cpu *cpu, uint64_t value)
{
	soft_set_mode(cpu, soft_sys(cpu)->pstate.el, value & 1);
}

static uint64_t read_currentel(struct soft_cpu *cpu)
{
	const struct soft_sys *sys = soft_sys(cpu);

	/* A hypervisor that runs at EL1 believes that it is at EL2. */
	if (sys->pstate.el == 1 && (arm_nvx(&sys->controls) & 1))
		return ARM_VALUE(SPSR_ELx_EL, 2);
	return ARM_VALUE(SPSR_ELx_EL, sys->pstate.el);
}

/*
 * Registers of one bit of PSTATE, which are read and written at its place in SPSR_ELx. No operation
 * here takes a time that depends on data (DIT), and no load passes a store (SSBS).
 */
#define PSTATE_BIT(field, bit)                                          \
	static uint64_t read_##field(struct soft_cpu *cpu)              \
	{                                                               \
		return soft_sys(cpu)->pstate.field ? (bit) : 0;         \
	}                                                               \
                                                                        \
	static void write_##field(struct soft_cpu *cpu, uint64_t value) \
	{                                                               \
		soft_sys(cpu)->pstate.field = value & (bit);            \
	}
PSTATE_BIT(pan, SPSR_ELx_PAN)
PSTATE_BIT(uao, SPSR_ELx_UAO)
PSTATE_BIT(dit, SPSR_ELx_DIT)
PSTATE_BIT(ssbs, SPSR_ELx_SSBS)
PSTATE_BIT(pm, SPSR_ELx_PM)

static uint64_t read_nzcv(struct soft_cpu *cpu)
{
	return soft_get_nzcv(cpu);
}

static void write_nzcv(struct soft_cpu *cpu, uint64_t value)
{
	soft_set_nzcv(cpu, (uint32_t)value);
}

/* RNDR, RNDRRS: there is always a number. */
static uint64_t read_rndr(struct soft_cpu *cpu)
{
	soft_set_flags(cpu, 0);
	return splitmix_next(&soft_sys(cpu)->random);
}

static uint64_t read_fpcr(struct soft_cpu *cpu)
{
	return soft_sys(cpu)->fp.fpcr;
}

static void write_fpcr(struct soft_cpu *cpu, uint64_t value)
{
	soft_sys(cpu)->fp.fpcr = (uint32_t)value & soft_fpcr_mask(soft_sys(cpu)->isa);
	cpu->fp_usual = float_is_usual(&soft_sys(cpu)->fp);
}

static uint64_t read_fpsr(struct soft_cpu *cpu)
{
	return soft_sys(cpu)->fp.fpsr;
}

static void write_fpsr(struct soft_cpu *cpu, uint64_t value)
{
	soft_sys(cpu)->fp.fpsr = (uint32_t)value & FPSR_IMPLEMENTED;
	cpu->fp_usual = float_is_usual(&soft_sys(cpu)->fp);
}

static uint64_t read_daif(struct soft_cpu *cpu)
{
	return (uint64_t)soft_sys(cpu)->pstate.daif << 6;
}

static void write_daif(struct soft_cpu *cpu, uint64_t value)
{
	soft_sys(cpu)->pstate.daif = value >> 6 & 0xf;
}

static uint64_t read_mdscr(struct soft_cpu *cpu)
{
	return soft_sys(cpu)->mdscr_el1;
}

static void write_mdscr(struct soft_cpu *cpu, uint64_t value)
{
	struct soft_sys *sys = soft_sys(cpu);
	uint64_t mask = MDSCR_ALWAYS | (sys->os_lock ? MDSCR_LOCKED : 0);

	sys->mdscr_el1 = (sys->mdscr_el1 & ~mask) | (value & mask);
}

/* Without the OS lock reads are UNKNOWN, here what was written last, and writes are ignored. */
static uint64_t read_oseccr(struct soft_cpu *cpu)
{
	return soft_sys(cpu)->oseccr_el1;
}

static void write_oseccr(struct soft_cpu *cpu, uint64_t value)
{
	if (soft_sys(cpu)->os_lock)
		soft_sys(cpu)->oseccr_el1 = (uint32_t)value;
}

static void write_oslar(struct soft_cpu *cpu, uint64_t value)
{
	soft_sys(cpu)->os_lock = value & 1;
}

/* OSLM is 0b10: the OS Lock is implemented. */
static uint64_t read_oslsr(struct soft_cpu *cpu)
{
	return UINT64_C(0x8) | (soft_sys(cpu)->os_lock ? OSLSR_EL1_OSLK : 0);
}

static uint64_t read_claimset(struct soft_cpu *cpu)
{
	(void)cpu;
	return CLAIM_TAGS;
}

static void write_claimset(struct soft_cpu *cpu, uint64_t value)
{
	soft_sys(cpu)->claim_tags |= value & CLAIM_TAGS;
}

static uint64_t read_claimclr(struct soft_cpu *cpu)
{
	return soft_sys(cpu)->claim_tags;
}

static void write_claimclr(struct soft_cpu *cpu, uint64_t value)
{
	soft_sys(cpu)->claim_tags &= ~value;
}

/*
 * Invasive and non-invasive debug: implemented and disabled, in Non-secure state; with EL3 also in
 * Secure state, with FEAT_RME also in Realm and Root state.
 */
static uint64_t read_dbgauthstatus(struct soft_cpu *cpu)
{
	const struct engine_levels *levels = &soft_sys(cpu)->levels;

	return UINT64_C(0xa) | (levels->el3 ? UINT64_C(0xa0) : 0) |
	       (levels->rme ? UINT64_C(0xa000000) | UINT64_C(0xa000) : 0);
}

const struct sys_special sys_specials[] = {
	[SYS_SPECIAL_midr] = {read_midr, NULL},
	[SYS_SPECIAL_mpidr] = {read_mpidr, NULL},
	[SYS_SPECIAL_ccsidr] = {read_ccsidr, NULL},
	[SYS_SPECIAL_dczid] = {read_dczid, NULL},
	[SYS_SPECIAL_rndr] = {read_rndr, NULL},
	[SYS_SPECIAL_rvbar] = {read_rvbar, NULL},
	[SYS_SPECIAL_isr] = {read_isr, NULL},
	[SYS_SPECIAL_sp_el0] = {read_sp_el0, write_sp_el0},
	[SYS_SPECIAL_spsel] = {read_spsel, write_spsel},
	[SYS_SPECIAL_currentel] = {read_currentel, NULL},
	[SYS_SPECIAL_pan] = {read_pan, write_pan},
	[SYS_SPECIAL_uao] = {read_uao, write_uao},
	[SYS_SPECIAL_dit] = {read_dit, write_dit},
	[SYS_SPECIAL_ssbs] = {read_ssbs, write_ssbs},
	[SYS_SPECIAL_pm] = {read_pm, write_pm},
	[SYS_SPECIAL_nzcv] = {read_nzcv, write_nzcv},
	[SYS_SPECIAL_fpcr] = {read_fpcr, write_fpcr},
	[SYS_SPECIAL_fpsr] = {read_fpsr, write_fpsr},
	[SYS_SPECIAL_daif] = {read_daif, write_daif},
	[SYS_SPECIAL_mdscr] = {read_mdscr, write_mdscr},
	[SYS_SPECIAL_oseccr] = {read_oseccr, write_oseccr},
	[SYS_SPECIAL_oslar] = {NULL, write_oslar},
	[SYS_SPECIAL_oslsr] = {read_oslsr, NULL},
	[SYS_SPECIAL_claimset] = {read_claimset, write_claimset},
	[SYS_SPECIAL_claimclr] = {read_claimclr, write_claimclr},
	[SYS_SPECIAL_dbgauthstatus] = {read_dbgauthstatus, NULL},
};
