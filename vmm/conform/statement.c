// SPDX-License-Identifier: BSD-2-Clause
/*
 * The second statement of the access rules. Source: the Arm ARM, from the register
 * pages of the Arm ARM; the page of PMBSR_EL12 gives that accessor to FEAT_SPE_EXC alone.
 */
#include "conform/statement.h"

#include <inttypes.h>
#include <string.h>

#define NONE (-1)

/*
 * Words, first that holds decides:
 * Sn SDDp && T_NSPB, Se SDDp && the register's enable of EL3 is 0: UNDEFINED
 * F, Fn FGT of a bit that traps when 1, when 0; F2n FGT2: EL2.  T TPMS, P E2PB 'x0': EL2
 * N T_NSPB, E the enable of EL3 is 0: EL3, or UNDEFINED when EL3SDDUndef().  X NVx 'xx1': EL2
 * M1x1, M101, M111 NVx, Mee 1x1 with the condition on EE: memory.  U UNDEFINED
 * H not E2H: UNDEFINED.  h E2H, e E2H && EffEE2 != 00: the register named second.  R the register
 * named first
 */
static const struct accessor {
	const char *el[4];
	int exists, fgt_read, fgt_write, enable; /* enum world_bit, or NONE */
	unsigned int enable_width;
	uint16_t offset;
	enum sysreg_id reached, host;
	uint8_t op1, crm, op2;
	bool read_only, needs_el3;
} accessors[SYSREG_COUNT] = {
#define FGT(name)  WORLD_HDFGRTR_EL2_##name, WORLD_HDFGWTR_EL2_##name
#define FGT2(name) WORLD_HDFGRTR2_EL2_##name, WORLD_HDFGWTR2_EL2_##name
#define NO_FGT	   NONE, NONE
#define TEMPLATE_A                                    \
	{                                             \
		"U", "Sn F T N M1x1 R", "Sn N R", "R" \
	}
#define BUFFER                                        \
	{                                             \
		"U", "Sn F P N M1x1 R", "Sn N R", "R" \
	}
#define ALIAS                                      \
	{                                          \
		"U", "M101 X U", "H Sn N R", "H R" \
	}
#define SAME(name) SYSREG_##name, SYSREG_##name
	/* clang-format off */
	[SYSREG_PMSICR_EL1] = {TEMPLATE_A, NONE, FGT(PMSICR_EL1), NONE, 0, 0x838, SAME(PMSICR_EL1), 0, 9, 2, 0, 0},
	[SYSREG_PMSIRR_EL1] = {TEMPLATE_A, NONE, FGT(PMSIRR_EL1), NONE, 0, 0x840, SAME(PMSIRR_EL1), 0, 9, 3, 0, 0},
	[SYSREG_PMSEVFR_EL1] = {TEMPLATE_A, NONE, FGT(PMSEVFR_EL1), NONE, 0, 0x830, SAME(PMSEVFR_EL1), 0, 9, 5, 0, 0},
	[SYSREG_PMSLATFR_EL1] = {TEMPLATE_A, NONE, FGT(PMSLATFR_EL1), NONE, 0, 0x848, SAME(PMSLATFR_EL1), 0, 9, 6, 0, 0},
	[SYSREG_PMSFCR_EL1] = {{"U", "Sn F T N R", "Sn N R", "R"}, NONE, FGT(PMSFCR_EL1), NONE, 0, 0, SAME(PMSFCR_EL1), 0, 9, 4, 0, 0},
	[SYSREG_PMSIDR_EL1] = {{"U", "Sn F T N R", "Sn N R", "R"}, NONE, WORLD_HDFGRTR_EL2_PMSIDR_EL1, NONE, NONE, 0, 0, SAME(PMSIDR_EL1), 0, 9, 7, 1, 0},
	[SYSREG_PMSCR_EL1] = {{"U", "Sn F T N M111 R", "Sn N h R", "R"}, NONE, FGT(PMSCR_EL1), NONE, 0, 0x828, SYSREG_PMSCR_EL1, SYSREG_PMSCR_EL2, 0, 9, 0, 0, 0},
	[SYSREG_PMSNEVFR_EL1] = {{"U", "Sn Se Fn T N E M1x1 R", "Sn Se N E R", "R"}, WORLD_FEAT_SPE_FnE, FGT(nPMSNEVFR_EL1), WORLD_MDCR_EL3_EnPMSN, 1, 0x850, SAME(PMSNEVFR_EL1), 0, 9, 1, 0, 0},
	[SYSREG_PMSDSFR_EL1] = {{"U", "Se Sn F2n T E N M1x1 R", "Sn Se N E R", "R"}, WORLD_FEAT_SPE_FDS, FGT2(nPMSDSFR_EL1), WORLD_MDCR_EL3_EnPMS3, 1, 0x858, SAME(PMSDSFR_EL1), 0, 10, 4, 0, 0},
	[SYSREG_PMBLIMITR_EL1] = {BUFFER, NONE, FGT(PMBLIMITR_EL1), NONE, 0, 0x800, SAME(PMBLIMITR_EL1), 0, 10, 0, 0, 0},
	[SYSREG_PMBPTR_EL1] = {BUFFER, NONE, FGT(PMBPTR_EL1), NONE, 0, 0x810, SAME(PMBPTR_EL1), 0, 10, 1, 0, 0},
	[SYSREG_PMBSR_EL1] = {{"U", "Sn F P N Mee R", "Sn N e R", "R"}, NONE, FGT(PMBSR_EL1), NONE, 0, 0x820, SYSREG_PMBSR_EL1, SYSREG_PMBSR_EL2, 0, 10, 3, 0, 0},
	[SYSREG_PMBMAR_EL1] = {{"U", "Se Sn F2n P E N R", "Sn Se N E R", "R"}, WORLD_FEAT_SPE_nVM, FGT2(nPMBMAR_EL1), WORLD_MDCR_EL3_EnPMS4, 1, 0, SAME(PMBMAR_EL1), 0, 10, 5, 0, 0},
	[SYSREG_PMBIDR_EL1] = {{"U", "F R", "R", "R"}, NONE, WORLD_HDFGRTR_EL2_PMBIDR_EL1, NONE, NONE, 0, 0, SAME(PMBIDR_EL1), 0, 10, 7, 1, 0},
	[SYSREG_PMSCR_EL2] = {{"U", "X U", "Sn N R", "R"}, NONE, NO_FGT, NONE, 0, 0, SAME(PMSCR_EL2), 4, 9, 0, 0, 0},
	[SYSREG_PMBSR_EL2] = {{"U", "X U", "Sn Se N E R", "R"}, WORLD_FEAT_SPE_EXC, NO_FGT, WORLD_MDCR_EL3_PMSEE, 2, 0, SAME(PMBSR_EL2), 4, 10, 3, 0, 0},
	[SYSREG_PMSCR_EL12] = {ALIAS, NONE, NO_FGT, NONE, 0, 0x828, SAME(PMSCR_EL1), 5, 9, 0, 0, 0},
	[SYSREG_PMBSR_EL12] = {ALIAS, WORLD_FEAT_SPE_EXC, NO_FGT, NONE, 0, 0x820, SAME(PMBSR_EL1), 5, 10, 3, 0, 0},
	[SYSREG_PMBSR_EL3] = {{"U", "U", "U", "R"}, WORLD_FEAT_SPE_EXC, NO_FGT, NONE, 0, 0, SAME(PMBSR_EL3), 6, 10, 3, 0, 1},
	/* clang-format on */
};

static bool is(const char *word, size_t length, const char *name)
{
	return strlen(name) == length && !memcmp(word, name, length);
}

static bool fgt(struct world *w, int bit, bool traps_when)
{
	return world_el2_enabled(w) && world_is(w, WORLD_FEAT_FGT) &&
	       (!world_is(w, WORLD_FEAT_EL3) || world_is(w, WORLD_SCR_EL3_FGTEn)) &&
	       world_is(w, (unsigned int)bit) == traps_when;
}

static bool fgt2n(struct world *w, int bit)
{
	return world_el2_enabled(w) && world_is(w, WORLD_FEAT_FGT2) &&
	       ((world_is(w, WORLD_FEAT_EL3) && !world_is(w, WORLD_SCR_EL3_FGTEn2)) ||
		!world_is(w, (unsigned int)bit));
}

static bool enable_off(struct world *w, const struct accessor *a)
{
	return world_is(w, WORLD_FEAT_EL3) &&
	       world_field(w, (unsigned int)a->enable, a->enable_width) == 0;
}

static bool nspb(struct world *w)
{
	return world_is(w, WORLD_FEAT_EL3) && world_nspb_trap(w);
}

static bool ee_lets_memory(struct world *w)
{
	const unsigned int nvx = world_nvx(w);

	return (nvx & 5) == 5 && (world_pmscr_el2_ee(w) == 0 ||
				  world_field(w, WORLD_PMSCR_EL1_EE, 2) == 0 || nvx == 7);
}

/* The conditions that lead to EL2 or to memory. */
static bool word_of_el2(struct world *w, const struct accessor *a, int fgt_bit, const char *word,
			size_t n, struct outcome *then)
{
	*then = (struct outcome){.kind = SYSREG_TRAP, .target_el = 2};
	if (is(word, n, "F") || is(word, n, "Fn"))
		return fgt(w, fgt_bit, n == 1);
	if (is(word, n, "F2n"))
		return fgt2n(w, fgt_bit);
	if (is(word, n, "T"))
		return world_el2_enabled(w) && world_is(w, WORLD_MDCR_EL2_TPMS);
	if (is(word, n, "P"))
		return world_el2_enabled(w) && !world_is(w, WORLD_MDCR_EL2_E2PB);
	if (is(word, n, "X"))
		return world_nvx(w) & 1;
	*then = (struct outcome){.kind = SYSREG_NVMEM, .offset = a->offset};
	if (is(word, n, "M1x1"))
		return (world_nvx(w) & 5) == 5;
	if (is(word, n, "M111"))
		return world_nvx(w) == 7;
	if (is(word, n, "M101"))
		return world_nvx(w) == 5;
	return is(word, n, "Mee") && ee_lets_memory(w);
}

/* Whether the word's condition holds, and then what comes of it. */
static bool word_holds(struct world *w, const struct accessor *a, int fgt_bit, const char *word,
		       size_t n, struct outcome *then)
{
	const struct outcome undefined = {.kind = SYSREG_UNDEFINED};

	*then = undefined;
	if (is(word, n, "U"))
		return true;
	if (is(word, n, "Sn"))
		return world_sdd_undef_priority(w) && nspb(w);
	if (is(word, n, "Se"))
		return world_sdd_undef_priority(w) && enable_off(w, a);
	if (is(word, n, "H"))
		return !world_el_is_in_host_el2(w);
	if (is(word, n, "N") || is(word, n, "E")) {
		if (!(word[0] == 'N' ? nspb(w) : enable_off(w, a)))
			return false;
		if (!world_sdd_undef(w))
			*then = (struct outcome){.kind = SYSREG_TRAP, .target_el = 3};
		return true;
	}
	*then = (struct outcome){.kind = SYSREG_DIRECT, .reg = a->host};
	if (is(word, n, "h"))
		return world_el_is_in_host_el2(w);
	if (is(word, n, "e"))
		return world_pmscr_el2_ee(w) != 0 && world_el_is_in_host_el2(w);
	then->reg = a->reached;
	if (is(word, n, "R"))
		return true;
	return word_of_el2(w, a, fgt_bit, word, n, then);
}

struct outcome statement(struct world *w, enum sysreg_id reg, bool write)
{
	const struct accessor *a = &accessors[reg];
	const int fgt_bit = write ? a->fgt_write : a->fgt_read;
	const char *word = a->el[w->el & 3];
	struct outcome then = {.kind = SYSREG_UNDEFINED};

	if ((write && a->read_only) || !world_is(w, WORLD_FEAT_SPE))
		return then;
	if (a->exists != NONE && !world_is(w, (unsigned int)a->exists))
		return then;
	if (a->needs_el3 && !world_is(w, WORLD_FEAT_EL3))
		return then;
	for (;;) {
		const size_t n = strcspn(word, " ");

		/* Every list ends with a word that always holds. */
		if (word_holds(w, a, fgt_bit, word, n, &then) || !word[n])
			return then;
		word += n + 1;
	}
}

uint32_t statement_encoding(enum sysreg_id reg)
{
	const struct accessor *a = &accessors[reg];

	return 3u << 14 | (uint32_t)a->op1 << 11 | 9u << 7 | (uint32_t)a->crm << 3 | a->op2;
}

uint32_t statement_iss(enum sysreg_id reg, bool write, uint8_t rt)
{
	const struct accessor *a = &accessors[reg];

	return 3u << 20 | (uint32_t)a->op2 << 17 | (uint32_t)a->op1 << 14 | 9u << 10 |
	       (uint32_t)rt << 5 | (uint32_t)a->crm << 1 | (write ? 0u : 1u);
}

bool statement_writable(enum sysreg_id reg)
{
	return !accessors[reg].read_only;
}

struct sysreg_route outcome_route(struct outcome outcome, enum sysreg_id reg, bool write,
				  uint8_t rt)
{
	struct sysreg_route route = {.kind = outcome.kind, .reg = reg};

	switch (outcome.kind) {
	case SYSREG_DIRECT: route.reg = outcome.reg; break;
	case SYSREG_UNDEFINED: break;
	case SYSREG_TRAP:
		route.target_el = outcome.target_el;
		route.syndrome = statement_iss(reg, write, rt);
		break;
	case SYSREG_NVMEM: route.nvmem_offset = outcome.offset; break;
	}
	return route;
}

void route_print(struct sysreg_route route, FILE *out)
{
	const char *name = sysreg_name(route.reg);

	switch (route.kind) {
	case SYSREG_DIRECT:
		fprintf(out, "access to %s", name ? name : "an unknown register");
		break;
	case SYSREG_UNDEFINED: fputs("UNDEFINED", out); break;
	case SYSREG_TRAP:
		fprintf(out, "exception to EL%u, EC 0x18, ISS 0x%06" PRIx32, route.target_el,
			route.syndrome);
		break;
	case SYSREG_NVMEM:
		fprintf(out, "memory at VNCR_EL2.BADDR + 0x%03x", route.nvmem_offset);
		break;
	}
}
