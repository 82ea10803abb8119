/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the files of the system side: register bits, and the dispatch of a system instruction
 * from sys_instruction.c to the table of registers, SPE and the table of instructions.
 */
#ifndef VSPE_SOFT_SYS_PRIVATE_H
#define VSPE_SOFT_SYS_PRIVATE_H

#include "a64/a64.h"
#include "soft/cpu.h"
#include "pmu/unit.h"
#include "arm/registers.h"
#include "soft/sys/sys.h"
#include "sysreg/traps.h"

/* CNTKCTL_EL1, and CNTHCTL_EL2 when HCR_EL2.E2H is 1. */

#define SYS_NO	0xff /* no Exception level */
#define SYS_TOP 0xfe /* the highest that is implemented */

/* What a register or an instruction needs to exist. */
enum sys_exists {
	SYS_EXISTS_ALWAYS,
	SYS_EXISTS_EL2,
	SYS_EXISTS_EL3,
	SYS_EXISTS_EL2_ON, /* EL2 is enabled in the Security state */
	SYS_EXISTS_EL23,   /* EL2 and EL3 */
	SYS_EXISTS_SEL2,   /* FEAT_SEL2, and Secure state at EL1 and EL2 */
	SYS_EXISTS_RME,
	SYS_EXISTS_EXC,	    /* FEAT_SPE_EXC */
	SYS_EXISTS_EL2_HCX, /* FEAT_HCX and EL2 */
	SYS_EXISTS_HIGHEST, /* the level whose name it has is the highest implemented */
/* An optional feature of isa.def */
#define ISA(name, word, id, shift, value) SYS_EXISTS_##name,
#define ISA_NEEDS(one, other)
#include "soft/sys/isa.def"
};

/* What traps an access: words of sys_traps.def, whose rows name the control. */
enum sys_trap {
	SYS_TRAP_NONE,
#define EL0(word, ...) SYS_TRAP_##word,
#include "soft/sys/sys_traps.def"
};

enum sys_el2_trap {
	SYS_EL2_NONE,
#define EL2(word, ...)	    SYS_EL2_##word,
#define EL2_READ(word, ...) SYS_EL2_##word,
#include "soft/sys/sys_traps.def"
};

enum sys_el3_trap {
	SYS_EL3_NONE,
#define EL3(word, ...) SYS_EL3_##word,
#include "soft/sys/sys_traps.def"
};

enum sys_when {
	SYS_WHEN_NEVER,
	SYS_WHEN_ALWAYS,
	SYS_WHEN_ANY,	/* of the bits is 1 */
	SYS_WHEN_ALL,	/* of them are 1 */
	SYS_WHEN_NONE,	/* of them is 1 */
	SYS_WHEN_TIMER, /* the same, of a bit that is further up with HCR_EL2.E2H */
	SYS_WHEN_NV_011,
	SYS_WHEN_NV_XX1,
};

/* Bits of a register, and when they trap. */
struct sys_control {
	const char *reg; /* its name */
	uint16_t offset; /* in struct soft_sys */
	uint8_t when;	 /* enum sys_when */
	uint64_t bits;
};

/* The control's bits at their present places; and does it trap? */
uint64_t sys_control_bits(const struct soft_sys *sys, const struct sys_control *control);
bool sys_control_traps(const struct soft_sys *sys, const struct sys_control *control);

/* The controls of a word, up to SYS_CONTROLS, any of which traps an access at the present level. */
#define SYS_CONTROLS 2
struct sys_controls {
	const struct sys_control *of[SYS_CONTROLS]; /* or NULL */
};

struct sys_controls sys_el0_controls(const struct soft_sys *sys, enum sys_trap trap);
struct sys_controls sys_el2_controls(enum sys_el2_trap trap, bool write);
struct sys_controls sys_el3_controls(enum sys_el3_trap trap);

/* The registers with a bit for each access that they trap to EL2. */
enum sys_fgt {
	SYS_FGT_NONE,
	SYS_FGT_HFG,  /* HFGRTR_EL2, HFGWTR_EL2 */
	SYS_FGT_HDFG, /* HDFGRTR_EL2, HDFGWTR_EL2 */
	SYS_FGT_HFGI, /* HFGITR_EL2 */
	SYS_FGTS,
};

/* The bits of HCR_EL2.{IMO,FMO} with which an ICC_* name at EL1 means the virtual register. */
uint64_t sys_virtual_bits(enum sys_el2_trap trap);

/* The register of one of them, for reads or writes; when and bits are not used. */
const struct sys_control *sys_fgt_word(enum sys_fgt fgt, bool write);

/* What becomes of an access at EL1 that sys_rule.nv matches (sysreg/traps.h). */
enum sys_nv {
	SYS_NV_MEMORY,
	SYS_NV_MEMORY_P, /* unless CNTHCTL_EL2.EL1NVPCT is 1 */
	SYS_NV_MEMORY_V, /* unless CNTHCTL_EL2.EL1NVVCT is 1 */
	SYS_NV_TO,	 /* EL1's register of that name */
};

enum sys_host {
	SYS_HOST_NONE,
	SYS_HOST_OTHER, /* at EL2 with HCR_EL2.E2H, another register */
	SYS_HOST_TIMER, /* and at EL0 in a host; another again in Secure state */
	SYS_HOST_ONLY,	/* UNDEFINED unless HCR_EL2.E2H is 1: the EL12 and EL02 names */
};

/* Who may make an access, and where it goes: a row's columns in sys_registers.def. */
struct sys_rule {
	uint8_t lowest[2]; /* [write]: the lowest Exception level that may, or SYS_NO */
	uint8_t exists;	   /* enum sys_exists */
	uint8_t feature;   /* which has to be there besides: enum soft_isa_bit plus 1, or 0 */
	uint8_t el0;	   /* enum sys_trap */
	uint8_t el2;	   /* enum sys_el2_trap */
	uint8_t fgt, bit;  /* enum sys_fgt, the number of the bit */
	uint8_t el3;	   /* enum sys_el3_trap */
	struct sysreg_nv nv;
	uint8_t nv_leads; /* enum sys_nv */
	uint8_t host;	  /* enum sys_host */
	uint16_t reg;	  /* the register that is reached */
	uint16_t offset;  /* from VNCR_EL2.BADDR, in bytes */
	uint16_t other;	  /* with SYS_NV_TO or a sys_host: that register */
	uint16_t secure;  /* SYS_HOST_TIMER: that of Secure EL2 */
};

/* sysreg_route.rule of sys_route(): what decided. The rule has the details. */
enum sys_decider {
	SYS_BY_NOTHING,	 /* nothing is in the way */
	SYS_BY_ACCESSOR, /* there is no such MRS or MSR */
	SYS_BY_EXISTS,	 /* there is no such register */
	SYS_BY_LEVEL,	 /* PSTATE.EL is too low */
	SYS_BY_SECURE,	 /* the Security state has it not: SYS_EL3_LOR, SYS_EL3_ST */
	SYS_BY_HOST,	 /* HCR_EL2.E2H, or ELIsInHost(EL0) at EL0 */
	SYS_BY_FP,	 /* soft_fp_trapped() */
	SYS_BY_SVE,	 /* soft_zcr_trapped() */
	SYS_BY_EL0,
	SYS_BY_TGE, /* HCR_EL2.TGE, of the debug communications channel */
	SYS_BY_EL2,
	SYS_BY_FGT,
	SYS_BY_VIRTUAL, /* HCR_EL2.{FMO,IMO} */
	SYS_BY_EL3,
	SYS_BY_NV,
};

/* In sysreg_route.reg of sys_route(): the ICV_* register of that ICC_* one. */
#define SYS_VIRTUAL 0x8000

/*
 * Where an access at PSTATE.EL ends, by the registers of sys: a pure function. It decides for every
 * system register except those of SPE (sysreg_route()) and of the PMU (pmu_route()), and for every
 * SYS instruction. encoding and rt go into the syndrome of a trap. The register that is reached is
 * a number of sys_registers.c.
 */
struct sysreg_route sys_route(const struct soft_sys *sys, const struct sys_rule *rule,
			      uint32_t encoding, bool write, uint8_t rt);

/*
 * The bits of a register that can be written, and those that read as 1, if they are not constant.
 */
struct sys_bits {
	uint64_t mask, res1;
};

enum sys_layout {
	SYS_LAYOUT_SPSR,
	SYS_LAYOUT_SCTLR_EL1,
	SYS_LAYOUT_TCR_EL1,
	SYS_LAYOUT_TCR_EL3,
	SYS_LAYOUT_HFGRTR_EL2,
	SYS_LAYOUT_HFGWTR_EL2,
	SYS_LAYOUT_SCTLR_EL3,
	SYS_LAYOUT_CNTKCTL_EL1,
	SYS_LAYOUT_SCTLR_EL2,
	SYS_LAYOUT_HCR_EL2,
	SYS_LAYOUT_HCRX_EL2,
	SYS_LAYOUT_MDCR_EL2,
	SYS_LAYOUT_CPACR_EL1,
	SYS_LAYOUT_CPTR_EL2,
	SYS_LAYOUT_CPTR_EL3,
	SYS_LAYOUT_TTBR0_EL2,
	SYS_LAYOUT_TCR_EL2,
	SYS_LAYOUT_VTCR_EL2,
	SYS_LAYOUT_VSTCR_EL2,
	SYS_LAYOUT_HPFAR_EL2,
	SYS_LAYOUT_VMPIDR_EL2,
	SYS_LAYOUT_CNTHCTL_EL2,
	SYS_LAYOUT_HFGITR_EL2,
	SYS_LAYOUT_HDFGRTR_EL2,
	SYS_LAYOUT_HDFGWTR_EL2,
	SYS_LAYOUT_HDFGRTR2_EL2,
	SYS_LAYOUT_HDFGWTR2_EL2,
	SYS_LAYOUT_SCR_EL3,
	SYS_LAYOUT_MDCR_EL3,
};

/* If a level's bits depend on HCR_EL2.E2H, those of the present layout. */
struct sys_bits sys_layout(const struct soft_sys *sys, enum sys_layout layout);

/* The registers that are SPECIAL in sys_registers.def. */
enum sys_special_id {
	SYS_SPECIAL_midr,
	SYS_SPECIAL_mpidr,
	SYS_SPECIAL_ccsidr,
	SYS_SPECIAL_dczid,
	SYS_SPECIAL_rndr,
	SYS_SPECIAL_rvbar,
	SYS_SPECIAL_isr,
	SYS_SPECIAL_sp_el0,
	SYS_SPECIAL_spsel,
	SYS_SPECIAL_currentel,
	SYS_SPECIAL_pan,
	SYS_SPECIAL_pm,
	SYS_SPECIAL_uao,
	SYS_SPECIAL_dit,
	SYS_SPECIAL_ssbs,
	SYS_SPECIAL_nzcv,
	SYS_SPECIAL_fpcr,
	SYS_SPECIAL_fpsr,
	SYS_SPECIAL_daif,
	SYS_SPECIAL_mdscr,
	SYS_SPECIAL_oslar,
	SYS_SPECIAL_oseccr,
	SYS_SPECIAL_oslsr,
	SYS_SPECIAL_claimset,
	SYS_SPECIAL_claimclr,
	SYS_SPECIAL_dbgauthstatus,
};

struct sys_special {
	uint64_t (*read)(struct soft_cpu *cpu);
	void (*write)(struct soft_cpu *cpu, uint64_t value);
};

extern const struct sys_special sys_specials[];

struct sys_operation;

/* A decoded system instruction, and its outcome. */
struct sys_instruction {
	struct a64_system f;
	uint32_t encoding;		       /* SYSREG_ENCODING() */
	uint64_t value;			       /* of Xt for writes; the result of reads */
	bool translation;		       /* written: a register that controls it */
	const struct sys_operation *operation; /* SYSREG_DIRECT, and it is to be done; or NULL */
};

/*
 * Find its row, route it, and execute it if that leads to a register (sys_instruction.c). The route
 * says what is left to do: an exception, an access to memory; or in->operation.
 */
struct sysreg_route sys_execute(struct soft_cpu *cpu, struct sys_instruction *in);

/*
 * The rule of any access by MRS or MSR, or a SYS instruction (sys_instruction.c); NULL: it is
 * UNDEFINED, or SPE's or the PMU's.
 */
const struct sys_rule *sys_instruction_rule(uint32_t encoding, bool read);
/* The rule of sys_registers.def's row of that encoding, or NULL. */
const struct sys_rule *sys_register_rule(uint32_t encoding);
/* How many rows there are; by number, as in sysreg_route.reg, their names and encodings. */
unsigned int sys_register_count(void);
const char *sys_register_name(unsigned int reg);
uint32_t sys_register_encoding(unsigned int reg);
/* Access the register that sys_route() has reached. False: it is UNDEFINED after all. */
bool sys_register_access(struct soft_cpu *cpu, uint16_t reg, struct sys_instruction *in);

/* Access a register of SPE, which libvspe routes (sys_spe.c). */
struct sysreg_route sys_spe_register(struct soft_cpu *cpu, enum sysreg_id reg,
				     struct sys_instruction *in);

/* Access a register of the PMU, which pmu_route() routes (sys_pmu.c). */
struct sysreg_route sys_pmu_register(struct soft_cpu *cpu, enum pmu_register reg,
				     struct sys_instruction *in);

/* MSR (immediate), which may be executed here (sys_pstate.c). */
enum sys_pstate_field {
	SYS_PSTATE_PAN,
	SYS_PSTATE_UAO,
	SYS_PSTATE_DIT,
	SYS_PSTATE_SSBS,
	SYS_PSTATE_SPSEL,
	SYS_PSTATE_PM,
	SYS_PSTATE_DAIFSET,
	SYS_PSTATE_DAIFCLR,
};

void sys_pstate_write(struct soft_cpu *cpu, enum sys_pstate_field field, uint8_t imm);

/* Set every stored register to its reset value. */
void sys_registers_reset(struct soft_sys *sys);
/*
 * Set every stored register to what a write of its value would have left: bits that cannot be
 * written are those of a reset.
 */
void sys_registers_settle(struct soft_sys *sys);
/*
 * Can every stored register have got its value from its reset value, in fresh: are bits that no
 * write by the guest changes the same? false: *encoding is that of the first that cannot.
 */
bool sys_registers_possible(const struct soft_sys *sys, const struct soft_sys *fresh,
			    uint32_t *encoding);
/*
 * After a reset, give the registers of unknown.def the values that draw() returns for their
 * encodings; same: the value is the same for all vCPUs. The caller then calls
 * soft_controls_changed().
 */
void sys_registers_draw(struct soft_cpu *cpu,
			uint64_t (*draw)(const struct soft_cpu *cpu, uint64_t what, bool same));
/* Does unknown.def have a row for that register, and is it stored? */
bool sys_register_drawn(uint32_t encoding);
/* Change to an Exception level and a stack pointer, and report the level to SPE (exception.c). */
void soft_set_mode(struct soft_cpu *cpu, unsigned int el, bool sp);

/*
 * Set the controls of the levels above levels.start, which have been reset, and PMSCR_EL2 as the
 * software there does for a guest that it lets do all it can (levels.c).
 */
void soft_hand_down(struct soft_sys *sys);

#endif
