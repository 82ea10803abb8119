/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the tests of sysreg share: a platform on which nothing traps, and words for the outcomes.
 * The bit numbers stand here again, from the register pages: the tests do not ask the code under
 * test.
 */
#ifndef TESTS_SYSREG_COMMON_H
#define TESTS_SYSREG_COMMON_H

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>
#include <vspe/sysreg.h>

#define BIT(n) (UINT64_C(1) << (n))

#define HCR_E2H BIT(34)
#define HCR_NV	BIT(42)
#define HCR_NV1 BIT(43)
#define HCR_NV2 BIT(45)

#define MDCR2_TPMS    BIT(14)
#define MDCR2_E2PB(v) ((uint64_t)(v) << 12)

#define MDCR3_NSPBE    BIT(11)
#define MDCR3_NSPB(v)  ((uint64_t)(v) << 12)
#define MDCR3_ENPMSN   BIT(36)
#define MDCR3_ENPMS3   BIT(42)
#define MDCR3_PMSEE(v) ((uint64_t)(v) << 51)
#define MDCR3_ENPMS4   BIT(55)

#define SCR_NS	   BIT(0)
#define SCR_EEL2   BIT(18)
#define SCR_FGTEN  BIT(27)
#define SCR_FGTEN2 BIT(59)
#define SCR_NSE	   BIT(62)

#define PMSCR_EE(v) ((uint64_t)(v) << 8)

#define HDFG_NPMSNEVFR BIT(62)
#define HDFG2_NPMSDSFR BIT(19)
#define HDFG2_NPMBMAR  BIT(24)

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

/* The names of the fields of ESR_ELx.ISS for EC 0x18, from the page of ESR_EL2. */
static inline struct sysreg_route trap(enum sysreg_id reg, bool write, uint8_t rt, uint8_t el)
{
	const uint32_t e = sysreg_encoding(reg);
	const uint32_t op0 = e >> 14, op1 = e >> 11 & 7, crn = e >> 7 & 15, crm = e >> 3 & 15;
	const uint32_t op2 = e & 7;

	return (struct sysreg_route){
		.kind = SYSREG_TRAP,
		.reg = reg,
		.target_el = el,
		.syndrome = op0 << 20 | op2 << 17 | op1 << 14 | crn << 10 | (uint32_t)rt << 5 |
			    crm << 1 | (write ? 0u : 1u),
	};
}

static inline struct sysreg_route nvmem(enum sysreg_id reg, uint16_t offset)
{
	return (struct sysreg_route){.kind = SYSREG_NVMEM, .reg = reg, .nvmem_offset = offset};
}

static inline bool same_route(struct sysreg_route a, struct sysreg_route b)
{
	return a.kind == b.kind && a.reg == b.reg && a.target_el == b.target_el &&
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
