/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The register pages: which bit of which control register traps which register, in which
 * direction and with which polarity; the offsets of NV2; the table of NSPB.
 */
#include "../../array.h"
#include "common.h"

/* The registers of EL1 come first in the statement. */
#define ROWS SYSREG_PMSCR_EL2

/* The register of a row. */
static enum sysreg_id reg_of(const struct statement_fact *r)
{
	return (enum sysreg_id)(r - statement_facts);
}

/* The bit of MDCR_EL3 that traps to EL3 when 0, or -1. */
static int enable_of(const struct statement_fact *r)
{
	switch (r->guard) {
	case GUARD_EnPMSN: return WORLD_MDCR_EL3_EnPMSN_LSB;
	case GUARD_EnPMS3: return WORLD_MDCR_EL3_EnPMS3_LSB;
	case GUARD_EnPMS4: return WORLD_MDCR_EL3_EnPMS4_LSB;
	default: return -1;
	}
}

Test(traps, nothing_traps_by_default)
{
	for (const struct statement_fact *r = statement_facts; r < statement_facts + ROWS; r++)
		for (int write = 0; write < 2; write++)
			for (uint8_t el = 1; el < 4; el++) {
				const struct sysreg_controls c = open_controls(el);

				if (statement_has(reg_of(r), write))
					assert_route(&c, reg_of(r), write, direct(reg_of(r)));
			}
}

/* Of all 256 bits of the four registers exactly the row's bit of its direction traps. */
Test(traps, fine_grained_bits)
{
	for (const struct statement_fact *r = statement_facts; r < statement_facts + ROWS; r++)
		for (int n = 0; n < 4 * 64 * 2; n++) {
			const bool write = n & 1;
			const int bit = n >> 1 & 63, which = n >> 7;
			struct sysreg_controls c = open_controls(1);
			uint64_t *const fgt[] = {&c.hdfgrtr_el2, &c.hdfgwtr_el2, &c.hdfgrtr2_el2,
						 &c.hdfgwtr2_el2};
			const bool right_register =
				which == (r->word == WORD_HDFG2 ? 2 : 0) + (write ? 1 : 0);
			const bool right_bit = bit == r->fgt_bit[write];

			if (!statement_has(reg_of(r), write))
				continue;
			*fgt[which] ^= BIT(bit);
			assert_route(&c, reg_of(r), write,
				     right_register && right_bit ? trap(reg_of(r), write, 0, 2)
								 : direct(reg_of(r)));
			/* The polarity: the bit has now the value that traps. */
			if (right_register && right_bit)
				cr_assert_eq(*fgt[which] >> bit & 1, r->fgt_traps, "%s",
					     sysreg_name(reg_of(r)));
			/* Fine-grained traps are of EL1 alone. */
			c.el = 2;
			assert_route(&c, reg_of(r), write, direct(reg_of(r)));
			c.el = 3;
			assert_route(&c, reg_of(r), write, direct(reg_of(r)));
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
	for (const struct statement_fact *r = statement_facts; r < statement_facts + ROWS; r++) {
		struct sysreg_controls c = all_fine_grained();

		assert_route(&c, reg_of(r), false, trap(reg_of(r), false, 0, 2));
		c.features &= ~(r->word == WORD_HDFG2 ? SYSREG_FEAT_FGT : SYSREG_FEAT_FGT2);
		assert_route(&c, reg_of(r), false, trap(reg_of(r), false, 0, 2));
		c.features &= ~(SYSREG_FEAT_FGT | SYSREG_FEAT_FGT2);
		assert_route(&c, reg_of(r), false, direct(reg_of(r)));
		c = all_fine_grained();
		c.features &= ~SYSREG_FEAT_EL2;
		assert_route(&c, reg_of(r), false, direct(reg_of(r)));
	}
}

/* SCR_EL3.FGTEn == 0 turns HDFGxTR off; FGTEn2 == 0 makes the n-bits of HDFGxTR2 trap. */
Test(traps, fine_grained_enables_of_el3)
{
	for (const struct statement_fact *r = statement_facts; r < statement_facts + ROWS; r++) {
		struct sysreg_controls c = all_fine_grained();

		c.scr_el3 &= ~(r->word == WORD_HDFG2 ? SCR_FGTEN : SCR_FGTEN2);
		assert_route(&c, reg_of(r), false, trap(reg_of(r), false, 0, 2));
		c.scr_el3 &= ~(SCR_FGTEN | SCR_FGTEN2);
		assert_route(&c, reg_of(r), false,
			     r->word == WORD_HDFG2 ? trap(reg_of(r), false, 0, 2)
						   : direct(reg_of(r)));
		c = open_controls(1);
		c.scr_el3 &= ~(SCR_FGTEN | SCR_FGTEN2);
		assert_route(&c, reg_of(r), false,
			     r->word == WORD_HDFG2 ? trap(reg_of(r), false, 0, 2)
						   : direct(reg_of(r)));
		/* Without EL3 there is nothing to enable. */
		c.features &= ~SYSREG_FEAT_EL3;
		assert_route(&c, reg_of(r), false, direct(reg_of(r)));
		c = all_fine_grained();
		c.scr_el3 &= ~(SCR_FGTEN | SCR_FGTEN2);
		c.features &= ~SYSREG_FEAT_EL3;
		assert_route(&c, reg_of(r), false, trap(reg_of(r), false, 0, 2));
	}
}

/* Section 2.2: TPMS traps at 1; E2PB traps at 00, 01 and 10 alike as 'x0' says; nothing else of
 * MDCR_EL2. */
Test(traps, coarse_traps_to_el2)
{
	for (const struct statement_fact *r = statement_facts; r < statement_facts + ROWS; r++)
		for (int n = 0; n < 128; n++) {
			const bool write = n & 1;
			const int bit = n >> 1;
			struct sysreg_controls c = open_controls(1);
			const bool traps =
				(r->coarse == COARSE_TPMS && bit == WORLD_MDCR_EL2_TPMS_LSB) ||
				(r->coarse == COARSE_E2PB && bit == WORLD_MDCR_EL2_E2PB_LSB);

			if (!statement_has(reg_of(r), write))
				continue;
			c.mdcr_el2 ^= BIT(bit);
			assert_route(&c, reg_of(r), write,
				     traps ? trap(reg_of(r), write, 0, 2) : direct(reg_of(r)));
			c.features &= ~SYSREG_FEAT_EL2;
			assert_route(&c, reg_of(r), write, direct(reg_of(r)));
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
	for (const struct statement_fact *r = statement_facts; r < statement_facts + ROWS; r++)
		for (int n = 0; n < 256; n++) {
			const bool write = n & 1;
			const int bit = n >> 1 & 63;
			struct sysreg_controls c = open_controls(n & 128 ? 2 : 1);
			const bool nspb =
				reg_of(r) != SYSREG_PMBIDR_EL1 && (bit == 12 || bit == 13);

			if (!statement_has(reg_of(r), write))
				continue;
			c.mdcr_el3 ^= BIT(bit);
			assert_route(&c, reg_of(r), write,
				     nspb || bit == enable_of(r) ? trap(reg_of(r), write, 0, 3)
								 : direct(reg_of(r)));
			c.features &= ~SYSREG_FEAT_EL3;
			assert_route(&c, reg_of(r), write, direct(reg_of(r)));
			c = open_controls(3);
			c.mdcr_el3 ^= BIT(bit);
			assert_route(&c, reg_of(r), write, direct(reg_of(r)));
		}
}

/* The effective {NV2,NV1,NV}: redirected when it matches the row's pattern, else the register. */
Test(traps, nv2_offsets)
{
	for (const struct statement_fact *r = statement_facts; r < statement_facts + ROWS; r++)
		for (int n = 0; n < 16; n++) {
			const bool write = n & 8;
			const bool nv2 = n & 4, nv1 = n & 2, nv = n & 1;
			const bool match = r->redirect != REDIRECT_NONE && nv && nv2 &&
					   (r->redirect != REDIRECT_111 || nv1);
			struct sysreg_controls c = open_controls(1);

			if (!statement_has(reg_of(r), write))
				continue;
			c.hcr_el2 = (nv2 ? HCR_NV2 : 0) | (nv1 ? HCR_NV1 : 0) | (nv ? HCR_NV : 0);
			assert_route(&c, reg_of(r), write,
				     match ? nvmem(reg_of(r), r->offset) : direct(reg_of(r)));
			/* Not from EL2 or EL3, nor without the features, nor with EL2 disabled. */
			c.el = 2;
			assert_route(&c, reg_of(r), write, direct(reg_of(r)));
			c.el = 3;
			assert_route(&c, reg_of(r), write, direct(reg_of(r)));
			c.el = 1;
			c.features &= ~SYSREG_FEAT_NV2;
			assert_route(&c, reg_of(r), write, direct(reg_of(r)));
			c.features = ALL_FEATURES & ~SYSREG_FEAT_NV;
			assert_route(&c, reg_of(r), write, direct(reg_of(r)));
			c.features = ALL_FEATURES & ~SYSREG_FEAT_EL2;
			assert_route(&c, reg_of(r), write, direct(reg_of(r)));
			c.features = ALL_FEATURES;
			c.scr_el3 &= ~SCR_NS;
			c.mdcr_el3 &= ~BIT(13); /* NSPB 01: Secure */
			assert_route(&c, reg_of(r), write, direct(reg_of(r)));
			c.scr_el3 |= SCR_EEL2;
			assert_route(&c, reg_of(r), write,
				     match ? nvmem(reg_of(r), r->offset) : direct(reg_of(r)));
			c.features &= ~SYSREG_FEAT_SEL2;
			assert_route(&c, reg_of(r), write, direct(reg_of(r)));
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

	for (size_t t = 0; t < ARRAY_SIZE(table); t++)
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

/* Reserved values, where the architecture leaves a choice: they trap from every Security state. */
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
