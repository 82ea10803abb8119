/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the system side share among themselves: register bits, and the dispatch of a
 * system instruction from sys_instruction.c to the table of registers, SPE and the table of
 * instructions.
 */
#ifndef VSPE_SOFT_SYS_PRIVATE_H
#define VSPE_SOFT_SYS_PRIVATE_H

#include "a64/a64.h"
#include "soft/cpu.h"
#include "pmu/unit.h"
#include "arm/registers.h"
#include "soft/sys/sys.h"

/* CNTKCTL_EL1, and CNTHCTL_EL2 when HCR_EL2.E2H is 1. */

#define SYS_NO	0xff /* no Exception level */
#define SYS_TOP 0xfe /* the highest that is implemented */

/* What a register or an instruction needs in order to be there. */
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
#define ISA(name, word, id, shift, value, cores) SYS_EXISTS_##name,
#define ISA_NEEDS(one, other)
#include "soft/sys/isa.def"
};

/*
 * The controls by which the level of the operating system traps what EL0 could do otherwise: those
 * of EL1, or in a host those of EL2. The trap is EC 0x18.
 */
enum sys_trap {
	SYS_TRAP_NONE,
	SYS_TRAP_UMA,	   /* SCTLR_EL1.UMA: DAIF; a host has no such bit and always traps */
	SYS_TRAP_UCT,	   /* SCTLR_ELx.UCT: CTR_EL0 */
	SYS_TRAP_UCI,	   /* SCTLR_ELx.UCI: cache maintenance */
	SYS_TRAP_DZE,	   /* SCTLR_ELx.DZE: DC ZVA */
	SYS_TRAP_ENRCTX,   /* SCTLR_ELx.EnRCTX: CFP, DVP and CPP RCTX */
	SYS_TRAP_TDCC,	   /* MDSCR_EL1.TDCC: debug communications channel */
	SYS_TRAP_CNTFRQ,   /* CNTKCTL_EL1, CNTHCTL_EL2: neither counter may be read */
	SYS_TRAP_EL0PCTEN, /* CNTKCTL_EL1.EL0PCTEN or CNTHCTL_EL2.EL0PCTEN, and so on */
	SYS_TRAP_EL0VCTEN,
	SYS_TRAP_EL0VTEN,
	SYS_TRAP_EL0PTEN,
	SYS_TRAP_FP, /* as instructions of floating-point are: soft_fp_trapped(), of all levels */
};

/* Does the level of the operating system trap this at EL0? */
bool sys_trapped(const struct soft_sys *sys, enum sys_trap trap);

/* What EL2 can trap of the accesses of EL1, and of EL0 but in a host, besides the fine-grained. */
enum sys_el2_trap {
	SYS_EL2_NONE,
	SYS_EL2_VM,   /* HCR_EL2.TVM writes, TRVM reads */
	SYS_EL2_TID1, /* HCR_EL2.TID1, and so on */
	SYS_EL2_TID2,
	SYS_EL2_TID2_4, /* TID2 or TID4 */
	SYS_EL2_TID3,
	SYS_EL2_TIDCP,
	SYS_EL2_TACR,
	SYS_EL2_APK,
	SYS_EL2_TLOR,
	SYS_EL2_NV1,   /* HCR_EL2.{NV2,NV1,NV} is 011 */
	SYS_EL2_TCPAC, /* CPTR_EL2 */
	SYS_EL2_TDA,   /* MDCR_EL2: this or TDE */
	SYS_EL2_TDOSA,
	SYS_EL2_TDRA,
	SYS_EL2_TDCC, /* or TDA or TDE; of EL0 under HCR_EL2.TGE always */
	SYS_EL2_PCT,  /* CNTHCTL_EL2.EL1PCTEN */
	SYS_EL2_PT,   /* CNTHCTL_EL2.EL1PCEN, EL1PTEN */
	SYS_EL2_VCT,  /* CNTHCTL_EL2.EL1TVCT */
	SYS_EL2_VT,   /* CNTHCTL_EL2.EL1TVT */
	SYS_EL2_ICC0, /* ICH_HCR_EL2.TALL0; the virtual register with HCR_EL2.FMO */
	SYS_EL2_ICC1, /* ICH_HCR_EL2.TALL1; the virtual register with HCR_EL2.IMO */
	SYS_EL2_ICC,  /* ICH_HCR_EL2.TC; the virtual register with either */
	SYS_EL2_DIR,  /* ICH_HCR_EL2.{TC,TDIR}; the virtual register with either */
	SYS_EL2_SGI,  /* ICH_HCR_EL2.TC, HCR_EL2.{FMO,IMO} */
	SYS_EL2_TTLB,
	SYS_EL2_TTLBIS, /* or TTLB */
	SYS_EL2_TTLBOS, /* the same */
	SYS_EL2_TPCP,
	SYS_EL2_TOCU,  /* or TPU */
	SYS_EL2_TICAB, /* or TPU */
	SYS_EL2_TSW,
	SYS_EL2_TDZ,
	SYS_EL2_AT,
};

/* What EL3 can trap of lower levels. */
enum sys_el3_trap {
	SYS_EL3_NONE,
	SYS_EL3_TCPAC, /* CPTR_EL3 */
	SYS_EL3_TDA,   /* MDCR_EL3 */
	SYS_EL3_TDOSA,
	SYS_EL3_TDCC, /* or TDA */
	SYS_EL3_TLOR, /* SCR_EL3 */
	SYS_EL3_LOR,  /* the same; there is no such register in Secure state */
	SYS_EL3_FGTEN,
	SYS_EL3_FGTEN2,
	SYS_EL3_ECVEN,
	SYS_EL3_APK,
	SYS_EL3_HXEN,
	SYS_EL3_ST,   /* of Secure EL1; UNDEFINED elsewhere, and with Secure EL2 */
	SYS_EL3_ICC0, /* SCR_EL3.FIQ */
	SYS_EL3_ICC1, /* SCR_EL3.IRQ */
	SYS_EL3_ICC,  /* both */
};

/* The registers with a bit for each thing that they trap to EL2. */
enum sys_fgt {
	SYS_FGT_NONE,
	SYS_FGT_HFG,  /* HFGRTR_EL2, HFGWTR_EL2 */
	SYS_FGT_HDFG, /* HDFGRTR_EL2, HDFGWTR_EL2 */
	SYS_FGT_HFGI, /* HFGITR_EL2 */
};

/*
 * What nested virtualisation makes of an access at EL1, by the effective HCR_EL2.{NV2,NV1,NV}. All
 * the names of EL2's registers trap to EL2 with xx1 besides.
 */
enum sys_nv {
	SYS_NV_NONE,
	SYS_NV_111, /* memory */
	SYS_NV_1x1,
	SYS_NV_101,
	SYS_NV_101P, /* memory, or a trap by CNTHCTL_EL2.EL1NVPCT */
	SYS_NV_101V, /* memory, or a trap by CNTHCTL_EL2.EL1NVVCT */
	SYS_NV_TO,   /* 1x1: EL1's register of that name */
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
	uint8_t nv;	   /* enum sys_nv */
	uint8_t host;	   /* enum sys_host */
	uint16_t reg;	   /* the register that is reached */
	uint16_t offset;   /* from VNCR_EL2.BADDR, in bytes */
	uint16_t other;	   /* with SYS_NV_TO or a sys_host: that register */
	uint16_t secure;   /* SYS_HOST_TIMER: that of Secure EL2 */
};

/* In sysreg_route.reg of sys_route(): the ICV_* register of that ICC_* one. */
#define SYS_VIRTUAL 0x8000

/*
 * Where an access at PSTATE.EL ends, by the registers of sys: a pure function. Every system
 * register but those of SPE (sysreg_route()) and of the PMU (pmu_route()), and every SYS
 * instruction, is decided here. encoding and rt go into the syndrome of a trap. The register that
 * is reached is a number of sys_registers.c.
 */
struct sysreg_route sys_route(const struct soft_sys *sys, const struct sys_rule *rule,
			      uint32_t encoding, bool write, uint8_t rt);

/* The bits of a register that can be written, and those that read as 1, where that depends. */
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
	SYS_LAYOUT_CPTR_EL2,
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

/* Where a level's bits depend on HCR_EL2.E2H, those of the present layout. */
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

/* A system instruction taken apart, and what came of it. */
struct sys_instruction {
	struct a64_system f;
	uint32_t encoding;		       /* SYSREG_ENCODING() */
	uint64_t value;			       /* of Xt for writes; the result of reads */
	bool translation;		       /* written: a register that controls it */
	const struct sys_operation *operation; /* SYSREG_DIRECT, and it is to be done; or NULL */
};

/*
 * Find its row, route it, and do it where that leads to a register (sys_instruction.c). What is
 * left to do is the route's: an exception, an access to memory; or in->operation.
 */
struct sysreg_route sys_execute(struct soft_cpu *cpu, struct sys_instruction *in);

/* The rule of sys_registers.def's row of that encoding, or NULL. */
const struct sys_rule *sys_register_rule(uint32_t encoding);
/* An access to the register that sys_route() says is reached. False: it is UNDEFINED after all. */
bool sys_register_access(struct soft_cpu *cpu, uint16_t reg, struct sys_instruction *in);

/* An access to a register of SPE, which libvspe routes (sys_spe.c). */
struct sysreg_route sys_spe_register(struct soft_cpu *cpu, enum sysreg_id reg,
				     struct sys_instruction *in);

/* An access to a register of the PMU, which pmu_route() routes (sys_pmu.c). */
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

/* Put every stored register into its reset value. */
void sys_registers_reset(struct soft_sys *sys);
/*
 * Can every stored register have come to its value from its reset value, in fresh: is nothing else
 * in the bits that no write by the guest changes? false: *encoding is that of the first that
 * cannot.
 */
bool sys_registers_possible(const struct soft_sys *sys, const struct soft_sys *fresh,
			    uint32_t *encoding);
/*
 * Give what unknown.def has, after a reset, the value that draw() has for each register's encoding,
 * which is the same for all vCPUs where same is true. Whoever calls it calls
 * soft_controls_changed().
 */
void sys_registers_draw(struct soft_cpu *cpu,
			uint64_t (*draw)(const struct soft_cpu *cpu, uint64_t what, bool same));
/* Has unknown.def a row of that register, if it is one that is stored? */
bool sys_register_drawn(uint32_t encoding);
/* Change to an Exception level and a stack pointer, and tell SPE of the level (exception.c). */
void soft_set_mode(struct soft_cpu *cpu, unsigned int el, bool sp);

/*
 * Put the controls of the levels above levels.start, reset before, and PMSCR_EL2 as the software
 * there leaves them for a guest that it lets do all it can (levels.c).
 */
void soft_hand_down(struct soft_sys *sys);

#endif
