/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The register pages: which bit of which control register traps which register, in which
 * direction and with which polarity; the offsets of NV2; the table of NSPB.
 */
#include "common.h"

enum pair { NONE, HDFG, HDFG2 };
enum coarse { NO_COARSE, TPMS, E2PB };

/* Section 2.1, for the registers of EL1. A negative bit is one that traps when 0. */
static const struct row {
	enum sysreg_id reg;
	enum pair pair;
	int read_bit, write_bit; /* -1: none */
	bool traps_when;
	enum coarse coarse;
	int enable;	 /* bit of MDCR_EL3 that traps to EL3 when 0, or -1 */
	int offset;	 /* of NV2, or -1 */
	const char *nvx; /* the redirected {NV2,NV1,NV}, x for either */
} rows[] = {
	{SYSREG_PMSCR_EL1, HDFG, 26, 26, 1, TPMS, -1, 0x828, "111"},
	{SYSREG_PMSICR_EL1, HDFG, 29, 29, 1, TPMS, -1, 0x838, "1x1"},
	{SYSREG_PMSIRR_EL1, HDFG, 31, 31, 1, TPMS, -1, 0x840, "1x1"},
	{SYSREG_PMSFCR_EL1, HDFG, 28, 28, 1, TPMS, -1, -1, ""},
	{SYSREG_PMSEVFR_EL1, HDFG, 27, 27, 1, TPMS, -1, 0x830, "1x1"},
	{SYSREG_PMSLATFR_EL1, HDFG, 32, 32, 1, TPMS, -1, 0x848, "1x1"},
	{SYSREG_PMSIDR_EL1, HDFG, 30, -1, 1, TPMS, -1, -1, ""},
	{SYSREG_PMSNEVFR_EL1, HDFG, 62, 62, 0, TPMS, 36, 0x850, "1x1"},
	{SYSREG_PMSDSFR_EL1, HDFG2, 19, 19, 0, TPMS, 42, 0x858, "1x1"},
	{SYSREG_PMBLIMITR_EL1, HDFG, 23, 23, 1, E2PB, -1, 0x800, "1x1"},
	{SYSREG_PMBPTR_EL1, HDFG, 24, 24, 1, E2PB, -1, 0x810, "1x1"},
	{SYSREG_PMBSR_EL1, HDFG, 25, 25, 1, E2PB, -1, 0x820, "1x1"},
	{SYSREG_PMBMAR_EL1, HDFG2, 24, 24, 0, E2PB, 55, -1, ""},
	{SYSREG_PMBIDR_EL1, HDFG, 63, -1, 1, NO_COARSE, -1, -1, ""},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static bool has_accessor(const struct row *r, bool write)
{
	return !write || r->write_bit >= 0;
}

Test(traps, nothing_traps_by_default)
{
	for (const struct row *r = rows; r < rows + ROWS; r++)
		for (int write = 0; write < 2; write++)
			for (uint8_t el = 1; el < 4; el++) {
				const struct sysreg_controls c = open_controls(el);

				if (has_accessor(r, write))
					assert_route(&c, r->reg, write, direct(r->reg));
			}
}

/* Of all 256 bits of the four registers exactly the row's bit of its direction traps. */
Test(traps, fine_grained_bits)
{
	for (const struct row *r = rows; r < rows + ROWS; r++)
		for (int n = 0; n < 4 * 64 * 2; n++) {
			const bool write = n & 1;
			const int bit = n >> 1 & 63, which = n >> 7;
			struct sysreg_controls c = open_controls(1);
			uint64_t *const fgt[] = {&c.hdfgrtr_el2, &c.hdfgwtr_el2, &c.hdfgrtr2_el2,
						 &c.hdfgwtr2_el2};
			const bool right_register =
				which == (r->pair == HDFG2 ? 2 : 0) + (write ? 1 : 0);
			const bool right_bit = bit == (write ? r->write_bit : r->read_bit);

			if (!has_accessor(r, write))
				continue;
			*fgt[which] ^= BIT(bit);
			assert_route(&c, r->reg, write,
				     right_register && right_bit ? trap(r->reg, write, 0, 2)
								 : direct(r->reg));
			/* The polarity: the bit has now the value that traps. */
			if (right_register && right_bit)
				cr_assert_eq(*fgt[which] >> bit & 1, r->traps_when, "%s",
					     sysreg_name(r->reg));
			/* Fine-grained traps are of EL1 alone. */
			c.el = 2;
			assert_route(&c, r->reg, write, direct(r->reg));
			c.el = 3;
			assert_route(&c, r->reg, write, direct(r->reg));
		}
}

/* All bits set to what traps. */
static struct sysreg_controls all_fine_grained(void)
{
	struct sysreg_controls c = open_controls(1);

	c.hdfgrtr_el2 = c.hdfgwtr_el2 = ~HDFG_NPMSNEVFR;
	c.hdfgrtr2_el2 = c.hdfgwtr2_el2 = 0;
	return c;
}

Test(traps, fine_grained_traps_need_their_feature_and_el2)
{
	for (const struct row *r = rows; r < rows + ROWS; r++) {
		struct sysreg_controls c = all_fine_grained();

		assert_route(&c, r->reg, false, trap(r->reg, false, 0, 2));
		c.features &= ~(r->pair == HDFG2 ? SYSREG_FEAT_FGT : SYSREG_FEAT_FGT2);
		assert_route(&c, r->reg, false, trap(r->reg, false, 0, 2));
		c.features &= ~(SYSREG_FEAT_FGT | SYSREG_FEAT_FGT2);
		assert_route(&c, r->reg, false, direct(r->reg));
		c = all_fine_grained();
		c.features &= ~SYSREG_FEAT_EL2;
		assert_route(&c, r->reg, false, direct(r->reg));
	}
}

/* SCR_EL3.FGTEn == 0 turns HDFGxTR off; FGTEn2 == 0 makes the n-bits of HDFGxTR2 trap. */
Test(traps, fine_grained_enables_of_el3)
{
	for (const struct row *r = rows; r < rows + ROWS; r++) {
		struct sysreg_controls c = all_fine_grained();

		c.scr_el3 &= ~(r->pair == HDFG2 ? SCR_FGTEN : SCR_FGTEN2);
		assert_route(&c, r->reg, false, trap(r->reg, false, 0, 2));
		c.scr_el3 &= ~(SCR_FGTEN | SCR_FGTEN2);
		assert_route(&c, r->reg, false,
			     r->pair == HDFG2 ? trap(r->reg, false, 0, 2) : direct(r->reg));
		c = open_controls(1);
		c.scr_el3 &= ~(SCR_FGTEN | SCR_FGTEN2);
		assert_route(&c, r->reg, false,
			     r->pair == HDFG2 ? trap(r->reg, false, 0, 2) : direct(r->reg));
		/* Without EL3 there is nothing to enable. */
		c.features &= ~SYSREG_FEAT_EL3;
		assert_route(&c, r->reg, false, direct(r->reg));
		c = all_fine_grained();
		c.scr_el3 &= ~(SCR_FGTEN | SCR_FGTEN2);
		c.features &= ~SYSREG_FEAT_EL3;
		assert_route(&c, r->reg, false, trap(r->reg, false, 0, 2));
	}
}

/* Section 2.2: TPMS traps at 1; E2PB traps at 00, 01 and 10 alike as 'x0' says; nothing else of
 * MDCR_EL2. */
Test(traps, coarse_traps_to_el2)
{
	for (const struct row *r = rows; r < rows + ROWS; r++)
		for (int n = 0; n < 128; n++) {
			const bool write = n & 1;
			const int bit = n >> 1;
			struct sysreg_controls c = open_controls(1);
			const bool traps = (r->coarse == TPMS && bit == 14) ||
					   (r->coarse == E2PB && bit == 12);

			if (!has_accessor(r, write))
				continue;
			c.mdcr_el2 ^= BIT(bit);
			assert_route(&c, r->reg, write,
				     traps ? trap(r->reg, write, 0, 2) : direct(r->reg));
			c.features &= ~SYSREG_FEAT_EL2;
			assert_route(&c, r->reg, write, direct(r->reg));
		}
	for (int e2pb = 0; e2pb < 4; e2pb++) {
		struct sysreg_controls c = open_controls(1);

		c.mdcr_el2 = MDCR2_E2PB(e2pb);
		assert_route(&c, SYSREG_PMBPTR_EL1, false,
			     e2pb & 1 ? direct(SYSREG_PMBPTR_EL1)
				      : trap(SYSREG_PMBPTR_EL1, false, 0, 2));
	}
}

/* Section 2.3: of MDCR_EL3, NSPB traps all but PMBIDR_EL1, and EnPMSN, EnPMS3, EnPMS4 one each. */
Test(traps, bits_of_mdcr_el3)
{
	for (const struct row *r = rows; r < rows + ROWS; r++)
		for (int n = 0; n < 256; n++) {
			const bool write = n & 1;
			const int bit = n >> 1 & 63;
			struct sysreg_controls c = open_controls(n & 128 ? 2 : 1);
			const bool nspb = r->reg != SYSREG_PMBIDR_EL1 && (bit == 12 || bit == 13);

			if (!has_accessor(r, write))
				continue;
			c.mdcr_el3 ^= BIT(bit);
			assert_route(&c, r->reg, write,
				     nspb || bit == r->enable ? trap(r->reg, write, 0, 3)
							      : direct(r->reg));
			c.features &= ~SYSREG_FEAT_EL3;
			assert_route(&c, r->reg, write, direct(r->reg));
			c = open_controls(3);
			c.mdcr_el3 ^= BIT(bit);
			assert_route(&c, r->reg, write, direct(r->reg));
		}
}

/* The effective {NV2,NV1,NV}: redirected when it matches the row's pattern, else the register. */
Test(traps, nv2_offsets)
{
	for (const struct row *r = rows; r < rows + ROWS; r++)
		for (int n = 0; n < 16; n++) {
			const bool write = n & 8;
			const bool nv2 = n & 4, nv1 = n & 2, nv = n & 1;
			const char *p = r->nvx;
			const bool match = r->offset >= 0 && nv && nv2 && (p[1] == 'x' || nv1);
			struct sysreg_controls c = open_controls(1);

			if (!has_accessor(r, write))
				continue;
			c.hcr_el2 = (nv2 ? HCR_NV2 : 0) | (nv1 ? HCR_NV1 : 0) | (nv ? HCR_NV : 0);
			assert_route(&c, r->reg, write,
				     match ? nvmem(r->reg, (uint16_t)r->offset) : direct(r->reg));
			/* Not from EL2 or EL3, nor without the features, nor with EL2 disabled. */
			c.el = 2;
			assert_route(&c, r->reg, write, direct(r->reg));
			c.el = 3;
			assert_route(&c, r->reg, write, direct(r->reg));
			c.el = 1;
			c.features &= ~SYSREG_FEAT_NV2;
			assert_route(&c, r->reg, write, direct(r->reg));
			c.features = ALL_FEATURES & ~SYSREG_FEAT_NV;
			assert_route(&c, r->reg, write, direct(r->reg));
			c.features = ALL_FEATURES & ~SYSREG_FEAT_EL2;
			assert_route(&c, r->reg, write, direct(r->reg));
			c.features = ALL_FEATURES;
			c.scr_el3 &= ~SCR_NS;
			c.mdcr_el3 &= ~BIT(13); /* NSPB 01: Secure */
			assert_route(&c, r->reg, write, direct(r->reg));
			c.scr_el3 |= SCR_EEL2;
			assert_route(&c, r->reg, write,
				     match ? nvmem(r->reg, (uint16_t)r->offset) : direct(r->reg));
			c.features &= ~SYSREG_FEAT_SEL2;
			assert_route(&c, r->reg, write, direct(r->reg));
		}
}

/* The table of section 2.3: the states whose accesses trap to EL3. */
Test(traps, nspb_table)
{
	enum { S = 1, NS = 2, R = 4 };
	static const struct {
		int nspbe, nspb, traps;
		bool without_rme; /* the row is there without FEAT_RME too */
	} table[] = {
		{0, 0, S | NS | R, true}, {0, 1, NS | R, true},	     {0, 2, S | NS | R, true},
		{0, 3, S | R, true},	  {1, 2, S | NS | R, false}, {1, 3, S | NS, false},
	};
	static const struct {
		int state;
		uint64_t scr;
	} states[] = {{S, 0}, {NS, SCR_NS}, {R, SCR_NS | SCR_NSE}};

	for (size_t t = 0; t < sizeof(table) / sizeof(table[0]); t++)
		for (size_t s = 0; s < 3; s++)
			for (unsigned int n = 0; n < 2 * SYSREG_COUNT; n++) {
				const enum sysreg_id reg = (enum sysreg_id)(n / 2);
				const bool write = n & 1,
					   rme = states[s].state == R || !table[t].without_rme;
				const bool traps = table[t].traps & states[s].state;
				struct sysreg_controls c = open_controls(2);

				if (reg == SYSREG_PMBIDR_EL1 || reg == SYSREG_PMBSR_EL3 ||
				    !sysreg_writable(reg))
					continue;
				c.hcr_el2 = sysreg_encoding(reg) >> 11 & 1 ? HCR_E2H : 0;
				c.mdcr_el3 &= ~MDCR3_NSPB(3);
				c.mdcr_el3 |= MDCR3_NSPB(table[t].nspb) |
					      (table[t].nspbe ? MDCR3_NSPBE : 0);
				c.scr_el3 = (c.scr_el3 & ~SCR_NS) | states[s].scr | SCR_EEL2;
				for (int pass = rme; pass < 2; pass++) {
					c.features = ALL_FEATURES | (pass ? SYSREG_FEAT_RME : 0);
					cr_assert_eq(sysreg_route(&c, access_to(reg, write)).kind,
						     traps ? SYSREG_TRAP : SYSREG_DIRECT,
						     "%s, NSPBE:NSPB %d:%d, state %d, RME %d",
						     sysreg_name(reg), table[t].nspbe,
						     table[t].nspb, states[s].state, pass);
				}
			}
}

/* No RME: NSPBE and NSE are ignored. */
Test(traps, nspbe_without_rme)
{
	struct sysreg_controls c = open_controls(1);

	c.mdcr_el3 |= MDCR3_NSPBE;
	assert_route(&c, SYSREG_PMSICR_EL1, false, direct(SYSREG_PMSICR_EL1));
	c.mdcr_el3 &= ~MDCR3_NSPBE;
	c.scr_el3 |= SCR_NSE;
	assert_route(&c, SYSREG_PMSICR_EL1, false, direct(SYSREG_PMSICR_EL1));
	c.features |= SYSREG_FEAT_RME;
	assert_route(&c, SYSREG_PMSICR_EL1, false, trap(SYSREG_PMSICR_EL1, false, 0, 3));
}

/* Reserved values, where the architecture leaves the choice: they trap from every Security state.
 */
Test(traps, reserved_nspb)
{
	static const uint64_t states[] = {0, SCR_NS, SCR_NS | SCR_NSE};

	for (int nspb = 0; nspb < 2; nspb++)
		for (size_t s = 0; s < 3; s++) {
			struct sysreg_controls c = open_controls(1);

			c.features |= SYSREG_FEAT_RME;
			c.mdcr_el3 &= ~MDCR3_NSPB(3);
			c.mdcr_el3 |= MDCR3_NSPBE | MDCR3_NSPB(nspb);
			c.scr_el3 = (c.scr_el3 & ~SCR_NS) | states[s];
			assert_route(&c, SYSREG_PMSIRR_EL1, true,
				     trap(SYSREG_PMSIRR_EL1, true, 0, 3));
		}
}
