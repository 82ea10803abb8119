/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the tests of sysreg share: a platform on which nothing traps, and words for the outcomes.
 * What a register is and where bits lie is of the second statement (vmm/conform/statement.def and
 * world.def): the tests do not ask the code under test.
 */
#ifndef TESTS_SYSREG_COMMON_H
#define TESTS_SYSREG_COMMON_H

#include <inttypes.h>
#include <string.h>
#include <vspe/sysreg.h>

#include "../compare.h"
#include "conform/statement.h"

#define BIT(n) (UINT64_C(1) << (n))

#define HCR_E2H BIT(WORLD_HCR_EL2_E2H_LSB)
#define HCR_NV	BIT(WORLD_HCR_EL2_NV_LSB)
#define HCR_NV1 BIT(WORLD_HCR_EL2_NV1_LSB)
#define HCR_NV2 BIT(WORLD_HCR_EL2_NV2_LSB)

#define MDCR2_TPMS    BIT(WORLD_MDCR_EL2_TPMS_LSB)
#define MDCR2_E2PB(v) ((uint64_t)(v) << WORLD_MDCR_EL2_E2PB_LSB)

#define MDCR3_NSPBE    BIT(WORLD_MDCR_EL3_NSPBE_LSB)
#define MDCR3_NSPB(v)  ((uint64_t)(v) << WORLD_MDCR_EL3_NSPB_LSB)
#define MDCR3_ENPMSN   BIT(WORLD_MDCR_EL3_EnPMSN_LSB)
#define MDCR3_ENPMS3   BIT(WORLD_MDCR_EL3_EnPMS3_LSB)
#define MDCR3_PMSEE(v) ((uint64_t)(v) << WORLD_MDCR_EL3_PMSEE_LSB)
#define MDCR3_ENPMS4   BIT(WORLD_MDCR_EL3_EnPMS4_LSB)

#define SCR_NS	   BIT(WORLD_SCR_EL3_NS_LSB)
#define SCR_EEL2   BIT(WORLD_SCR_EL3_EEL2_LSB)
#define SCR_FGTEN  BIT(WORLD_SCR_EL3_FGTEn_LSB)
#define SCR_FGTEN2 BIT(WORLD_SCR_EL3_FGTEn2_LSB)
#define SCR_NSE	   BIT(WORLD_SCR_EL3_NSE_LSB)

#define PMSCR_EE(v) ((uint64_t)(v) << WORLD_PMSCR_EL1_EE_LSB)

#define HDFG_NPMSNEVFR BIT(WORLD_HDFGRTR_EL2_nPMSNEVFR_EL1_LSB)
#define HDFG2_NPMSDSFR BIT(WORLD_HDFGRTR2_EL2_nPMSDSFR_EL1_LSB)
#define HDFG2_NPMBMAR  BIT(WORLD_HDFGRTR2_EL2_nPMBMAR_EL1_LSB)

#define ALL_FEATURES                                                                         \
	(SYSREG_FEAT_SPE | SYSREG_FEAT_SPE_FNE | SYSREG_FEAT_SPE_FDS | SYSREG_FEAT_SPE_NVM | \
	 SYSREG_FEAT_SPE_EXC | SYSREG_FEAT_FGT | SYSREG_FEAT_FGT2 | SYSREG_FEAT_VHE |        \
	 SYSREG_FEAT_NV | SYSREG_FEAT_NV2 | SYSREG_FEAT_SEL2 | SYSREG_FEAT_EL2 | SYSREG_FEAT_EL3)

/* Non-secure state, buffer owned by Non-secure EL1, everything enabled: no access of EL1 traps. */
static inline struct sysreg_controls open_controls(uint8_t el)
{
	return (struct sysreg_controls){
		.features = ALL_FEATURES,
		.el = el,
		.mdcr_el2 = MDCR2_E2PB(3),
		.mdcr_el3 =
			MDCR3_NSPB(3) | MDCR3_ENPMSN | MDCR3_ENPMS3 | MDCR3_ENPMS4 | MDCR3_PMSEE(1),
		.scr_el3 = SCR_NS | SCR_FGTEN | SCR_FGTEN2,
		.hdfgrtr_el2 = HDFG_NPMSNEVFR,
		.hdfgwtr_el2 = HDFG_NPMSNEVFR,
		.hdfgrtr2_el2 = HDFG2_NPMSDSFR | HDFG2_NPMBMAR,
		.hdfgwtr2_el2 = HDFG2_NPMSDSFR | HDFG2_NPMBMAR,
	};
}

static inline struct sysreg_access access_to(enum sysreg_id reg, bool write)
{
	return (struct sysreg_access){.reg = reg, .write = write, .rt = 0};
}

static inline struct sysreg_route direct(enum sysreg_id reg)
{
	return (struct sysreg_route){.kind = SYSREG_DIRECT, .reg = reg};
}

static inline struct sysreg_route undefined(enum sysreg_id reg)
{
	return (struct sysreg_route){.kind = SYSREG_UNDEFINED, .reg = reg};
}

static inline struct sysreg_route trap(enum sysreg_id reg, bool write, uint8_t rt, uint8_t el)
{
	return (struct sysreg_route){
		.kind = SYSREG_TRAP,
		.reg = reg,
		.target_el = el,
		.ec = 0x18,
		.syndrome = statement_iss(reg, write, rt),
	};
}

static inline struct sysreg_route nvmem(enum sysreg_id reg, uint16_t offset)
{
	return (struct sysreg_route){.kind = SYSREG_NVMEM, .reg = reg, .nvmem_offset = offset};
}

static inline bool same_route(struct sysreg_route a, struct sysreg_route b)
{
	return a.kind == b.kind && a.reg == b.reg && a.target_el == b.target_el && a.ec == b.ec &&
	       a.syndrome == b.syndrome && a.nvmem_offset == b.nvmem_offset;
}

#define SHOW_ROUTE "{kind %d, %s, EL%u, ISS %#" PRIx32 ", offset %#x}"
#define ROUTE_ARGS(r)                                                                   \
	(int)(r).kind, sysreg_name((r).reg), (unsigned int)(r).target_el, (r).syndrome, \
		(unsigned int)(r).nvmem_offset

/* Fails unless the access of reg in these controls goes there. */
#define assert_route(controls, reg_, write_, expected_)                                       \
	do {                                                                                  \
		const struct sysreg_route got_ =                                              \
			sysreg_route((controls), access_to((reg_), (write_)));                \
		const struct sysreg_route want_ = (expected_);                                \
		cr_assert(same_route(got_, want_),                                            \
			  "%s of %s at EL%u: got " SHOW_ROUTE ", expected " SHOW_ROUTE,       \
			  (write_) ? "write" : "read", sysreg_name(reg_),                     \
			  (unsigned int)(controls)->el, ROUTE_ARGS(got_), ROUTE_ARGS(want_)); \
	} while (0)

#endif
