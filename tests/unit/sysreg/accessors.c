/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spe-facts section 3: the ordered conditions of every accessor of every register, written down as
 * the section has them and evaluated one after another, and compared with sysreg_route() on random
 * controls. Every condition of every accessor must have decided often.
 */
#include "common.h"

/*
 * Words: Sn SDDp && T_NSPB, Se SDDp && the register's enable of EL3 is 0: UNDEFINED
 * F, Fn FGT of a bit that traps when 1, when 0; F2n FGT2: EL2.  T TPMS, P E2PB 'x0': EL2
 * N T_NSPB, E the enable of EL3 is 0: EL3, or UNDEFINED when EL3SDDUndef().  X NVx 'xx1': EL2
 * M1x1, M101, M111 NVx, Mee 1x1 with the condition on EE: memory.  U UNDEFINED
 * H not E2H: UNDEFINED.  h E2H, e E2H && EffEE2 != 00: the register named second.  R the register
 * named first
 */
static const struct accessor {
	enum sysreg_id reg;
	uint32_t exists;
	const char *el[4]; /* [0] is not looked at */
	unsigned int fgt_bit, enable_lsb, enable_mask, offset;
	enum sysreg_id reached, host;
	int read_only;
} accessors[] = {
	/* clang-format off */
	{SYSREG_PMSICR_EL1, 0, {"", "Sn F T N M1x1 R", "Sn N R", "R"}, 29, 0, 0, 0x838, SYSREG_PMSICR_EL1, 0, 0},
	{SYSREG_PMSIRR_EL1, 0, {"", "Sn F T N M1x1 R", "Sn N R", "R"}, 31, 0, 0, 0x840, SYSREG_PMSIRR_EL1, 0, 0},
	{SYSREG_PMSEVFR_EL1, 0, {"", "Sn F T N M1x1 R", "Sn N R", "R"}, 27, 0, 0, 0x830, SYSREG_PMSEVFR_EL1, 0, 0},
	{SYSREG_PMSLATFR_EL1, 0, {"", "Sn F T N M1x1 R", "Sn N R", "R"}, 32, 0, 0, 0x848, SYSREG_PMSLATFR_EL1, 0, 0},
	{SYSREG_PMSFCR_EL1, 0, {"", "Sn F T N R", "Sn N R", "R"}, 28, 0, 0, 0, SYSREG_PMSFCR_EL1, 0, 0},
	{SYSREG_PMSIDR_EL1, 0, {"", "Sn F T N R", "Sn N R", "R"}, 30, 0, 0, 0, SYSREG_PMSIDR_EL1, 0, true},
	{SYSREG_PMSCR_EL1, 0, {"", "Sn F T N M111 R", "Sn N h R", "R"}, 26, 0, 0, 0x828, SYSREG_PMSCR_EL1, SYSREG_PMSCR_EL2, 0},
	{SYSREG_PMSNEVFR_EL1, SYSREG_FEAT_SPE_FNE, {"", "Sn Se Fn T N E M1x1 R", "Sn Se N E R", "R"}, 62, 36, 1, 0x850, SYSREG_PMSNEVFR_EL1, 0, 0},
	{SYSREG_PMSDSFR_EL1, SYSREG_FEAT_SPE_FDS, {"", "Se Sn F2n T E N M1x1 R", "Sn Se N E R", "R"}, 19, 42, 1, 0x858, SYSREG_PMSDSFR_EL1, 0, 0},
	{SYSREG_PMBLIMITR_EL1, 0, {"", "Sn F P N M1x1 R", "Sn N R", "R"}, 23, 0, 0, 0x800, SYSREG_PMBLIMITR_EL1, 0, 0},
	{SYSREG_PMBPTR_EL1, 0, {"", "Sn F P N M1x1 R", "Sn N R", "R"}, 24, 0, 0, 0x810, SYSREG_PMBPTR_EL1, 0, 0},
	{SYSREG_PMBMAR_EL1, SYSREG_FEAT_SPE_NVM, {"", "Se Sn F2n P E N R", "Sn Se N E R", "R"}, 24, 55, 1, 0, SYSREG_PMBMAR_EL1, 0, 0},
	{SYSREG_PMBIDR_EL1, 0, {"", "F R", "R", "R"}, 63, 0, 0, 0, SYSREG_PMBIDR_EL1, 0, true},
	{SYSREG_PMSCR_EL2, 0, {"", "X U", "Sn N R", "R"}, 0, 0, 0, 0, SYSREG_PMSCR_EL2, 0, 0},
	{SYSREG_PMSCR_EL12, 0, {"", "M101 X U", "H Sn N R", "H R"}, 0, 0, 0, 0x828, SYSREG_PMSCR_EL1, 0, 0},
	{SYSREG_PMBSR_EL2, SYSREG_FEAT_SPE_EXC, {"", "X U", "Sn Se N E R", "R"}, 0, 51, 3, 0, SYSREG_PMBSR_EL2, 0, 0},
	{SYSREG_PMBSR_EL12, 0, {"", "M101 X U", "H Sn N R", "H R"}, 0, 0, 0, 0x820, SYSREG_PMBSR_EL1, 0, 0},
	{SYSREG_PMBSR_EL3, SYSREG_FEAT_SPE_EXC | SYSREG_FEAT_EL3, {"", "U", "U", "R"}, 0, 0, 0, 0, SYSREG_PMBSR_EL3, 0, 0},
	{SYSREG_PMBSR_EL1, 0, {"", "Sn F P N Mee R", "Sn N e R", "R"}, 25, 0, 0, 0x820, SYSREG_PMBSR_EL1, SYSREG_PMBSR_EL2, 0},
	/* clang-format on */
};

#define ACCESSORS (sizeof(accessors) / sizeof(accessors[0]))

static bool has(const struct sysreg_controls *c, uint32_t feature)
{
	return (c->features & feature) == feature;
}

static bool el2_enabled(const struct sysreg_controls *c)
{
	if (!has(c, SYSREG_FEAT_EL2))
		return false;
	return !has(c, SYSREG_FEAT_EL3) || (c->scr_el3 & SCR_NS) ||
	       (has(c, SYSREG_FEAT_SEL2) && (c->scr_el3 & SCR_EEL2));
}

static bool nspb_trap(const struct sysreg_controls *c)
{
	const bool ns = c->scr_el3 & SCR_NS, nse = c->scr_el3 & SCR_NSE;

	if (!has(c, SYSREG_FEAT_EL3))
		return false;
	if (!(c->mdcr_el3 & MDCR3_NSPB(1)))
		return true;
	if (!!(c->mdcr_el3 & MDCR3_NSPB(2)) != ns)
		return true;
	return has(c, SYSREG_FEAT_RME) && !!(c->mdcr_el3 & MDCR3_NSPBE) != nse;
}

static bool sdd_undef(const struct sysreg_controls *c)
{
	return c->halted && c->edscr_sdd;
}

static const char *nvx(const struct sysreg_controls *c)
{
	const bool nv2 = has(c, SYSREG_FEAT_NV2) && (c->hcr_el2 & HCR_NV2);

	if (!el2_enabled(c) || !has(c, SYSREG_FEAT_NV) || !(c->hcr_el2 & HCR_NV))
		return "000";
	if (c->hcr_el2 & HCR_NV1)
		return nv2 ? "111" : "011";
	return nv2 ? "101" : "001";
}

static bool nvx_is(const struct sysreg_controls *c, const char *pattern)
{
	const char *value = nvx(c);

	for (int i = 0; i < 3; i++)
		if (pattern[i] != 'x' && pattern[i] != value[i])
			return false;
	return true;
}

static bool e2h(const struct sysreg_controls *c)
{
	return el2_enabled(c) && has(c, SYSREG_FEAT_VHE) && (c->hcr_el2 & HCR_E2H);
}

static unsigned int eff_ee2(const struct sysreg_controls *c)
{
	if (!has(c, SYSREG_FEAT_SPE_EXC))
		return 0;
	if (has(c, SYSREG_FEAT_EL3) && !(c->mdcr_el3 & MDCR3_PMSEE(3)))
		return 0;
	return el2_enabled(c) ? c->pmscr_el2 >> 8 & 3 : 1;
}

static bool fgt(const struct sysreg_controls *c, const struct accessor *a, bool write, bool value)
{
	const uint64_t reg = write ? c->hdfgwtr_el2 : c->hdfgrtr_el2;

	return el2_enabled(c) && has(c, SYSREG_FEAT_FGT) &&
	       (!has(c, SYSREG_FEAT_EL3) || (c->scr_el3 & SCR_FGTEN)) &&
	       (reg >> a->fgt_bit & 1) == value;
}

static bool fgt2n(const struct sysreg_controls *c, const struct accessor *a, bool write)
{
	const uint64_t reg = write ? c->hdfgwtr2_el2 : c->hdfgrtr2_el2;

	return el2_enabled(c) && has(c, SYSREG_FEAT_FGT2) &&
	       ((has(c, SYSREG_FEAT_EL3) && !(c->scr_el3 & SCR_FGTEN2)) ||
		!(reg >> a->fgt_bit & 1));
}

static bool enable_off(const struct sysreg_controls *c, const struct accessor *a)
{
	return has(c, SYSREG_FEAT_EL3) && !(c->mdcr_el3 >> a->enable_lsb & a->enable_mask);
}

static bool is(const char *word, size_t length, const char *name)
{
	return strlen(name) == length && !memcmp(word, name, length);
}

/* Whether the word's condition holds, and then what comes of it. */
static bool word_holds(const struct sysreg_controls *c, const struct accessor *a, bool write,
		       const char *w, size_t n, struct sysreg_route *route)
{
	const bool sddp = sdd_undef(c) && c->el3_trap_has_priority_sdd;

	*route = undefined(a->reg);
	if (is(w, n, "Sn"))
		return sddp && nspb_trap(c);
	if (is(w, n, "Se"))
		return sddp && enable_off(c, a);
	if (is(w, n, "H"))
		return !e2h(c);
	if (is(w, n, "U"))
		return true;
	*route = trap(a->reg, write, 5, 2);
	if (is(w, n, "F") || is(w, n, "Fn"))
		return fgt(c, a, write, n == 1);
	if (is(w, n, "F2n"))
		return fgt2n(c, a, write);
	if (is(w, n, "T"))
		return el2_enabled(c) && (c->mdcr_el2 & MDCR2_TPMS);
	if (is(w, n, "P"))
		return el2_enabled(c) && !(c->mdcr_el2 & MDCR2_E2PB(1));
	if (is(w, n, "X"))
		return nvx_is(c, "xx1");
	*route = sdd_undef(c) ? undefined(a->reg) : trap(a->reg, write, 5, 3);
	if (is(w, n, "N"))
		return nspb_trap(c);
	if (is(w, n, "E"))
		return enable_off(c, a);
	*route = nvmem(a->reg, (uint16_t)a->offset);
	if (is(w, n, "Mee"))
		return nvx_is(c, "1x1") &&
		       (eff_ee2(c) == 0 || !(c->pmscr_el1 & PMSCR_EE(3)) || nvx_is(c, "111"));
	if (w[0] == 'M')
		return nvx_is(c, w + 1);
	*route = direct(w[0] == 'R' ? a->reached : a->host);
	if (is(w, n, "h"))
		return e2h(c);
	if (is(w, n, "e"))
		return e2h(c) && eff_ee2(c) != 0;
	cr_assert(is(w, n, "R"), "unknown word %s", w);
	return true;
}

/* The accessor, word by word. Returns the index of the word that decided, or -1. */
static int walk(const struct sysreg_controls *c, const struct accessor *a, bool write,
		struct sysreg_route *route)
{
	const char *w = a->el[c->el];

	*route = undefined(a->reg);
	if (!has(c, SYSREG_FEAT_SPE | a->exists) || c->el == 0 || c->aarch32 ||
	    (write && a->read_only))
		return -1;
	for (int i = 0;; i++) {
		const size_t n = strcspn(w, " ");

		if (word_holds(c, a, write, w, n, route))
			return i;
		cr_assert_eq(w[n], ' ', "accessor without an end");
		w += n + 1;
	}
}

/* xorshift64*: the numbers are the same everywhere. */
static uint64_t next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545F4914F6CDD1D);
}

/* A random register in which each of the bits of mask is as likely to be as in base as not. */
static uint64_t mix(uint64_t *state, uint64_t base, uint64_t mask)
{
	const uint64_t first = next(state), keep = first | next(state);

	return (base & (keep | ~mask)) | (next(state) & mask & ~keep) |
	       (next(state) & ~mask); /* bits that must not matter: anything */
}

static struct sysreg_controls random_controls(uint64_t *state)
{
	const struct sysreg_controls open = open_controls(0);
	const uint64_t bits = next(state);
	struct sysreg_controls c = {
		.features = (uint32_t)mix(state, ALL_FEATURES, ALL_FEATURES | SYSREG_FEAT_RME),
		.el = bits & 3,
		.aarch32 = (bits >> 2 & 31) == 0,
		.halted = bits >> 7 & 1,
		.edscr_sdd = bits >> 8 & 1,
		.el3_trap_has_priority_sdd = bits >> 9 & 1,
		.hcr_el2 = next(state),
		.mdcr_el2 = mix(state, open.mdcr_el2, MDCR2_TPMS | MDCR2_E2PB(3)),
		.mdcr_el3 = mix(state, open.mdcr_el3,
				MDCR3_NSPB(3) | MDCR3_NSPBE | MDCR3_ENPMSN | MDCR3_ENPMS3 |
					MDCR3_ENPMS4 | MDCR3_PMSEE(3)),
		.scr_el3 = mix(state, open.scr_el3,
			       SCR_NS | SCR_NSE | SCR_EEL2 | SCR_FGTEN | SCR_FGTEN2),
		.hdfgrtr_el2 = next(state),
		.hdfgwtr_el2 = next(state),
		.hdfgrtr2_el2 = next(state),
		.hdfgwtr2_el2 = next(state),
		.pmscr_el1 = next(state),
		.pmscr_el2 = next(state),
	};

	/* Mostly a platform with everything, so that the late conditions come to be asked. */
	if (bits >> 10 & 3)
		c.features |= ALL_FEATURES;
	return c;
}

#define WORDS_MAX 10
#define ROUNDS	  200000

Test(accessors, same_as_written)
{
	static size_t decided[ACCESSORS][4][WORDS_MAX];
	uint64_t state = 0x5350452d31;

	for (size_t i = 0; i < ROUNDS; i++) {
		const struct sysreg_controls c = random_controls(&state);

		for (size_t k = 0; k < 2 * ACCESSORS; k++) {
			const struct accessor *a = &accessors[k / 2];
			const struct sysreg_access access = {a->reg, k & 1, 5};
			struct sysreg_route want;
			const int word = walk(&c, a, access.write, &want);
			const struct sysreg_route got = sysreg_route(&c, access);

			if (!same_route(got, want))
				cr_assert_fail("%s, write %d, EL%u, round %zu: got " SHOW_ROUTE
					       ", expected " SHOW_ROUTE,
					       sysreg_name(a->reg), access.write, c.el, i,
					       ROUTE_ARGS(got), ROUTE_ARGS(want));
			if (word >= 0)
				decided[k / 2][c.el][word]++;
		}
	}
	for (size_t k = 0; k < ACCESSORS; k++)
		for (unsigned int el = 1; el < 4; el++) {
			const char *w = accessors[k].el[el];

			for (size_t i = 0; w; i++) {
				cr_assert_gt(
					decided[k][el][i], 100, "%s EL%u: \"%s\" decided %zu times",
					sysreg_name(accessors[k].reg), el, w, decided[k][el][i]);
				w = strchr(w, ' ');
				w = w ? w + 1 : NULL;
			}
		}
}

Test(accessors, every_register_is_written_down)
{
	bool there[SYSREG_COUNT] = {false};

	for (size_t k = 0; k < ACCESSORS; k++)
		there[accessors[k].reg] = true;
	for (size_t i = 0; i < SYSREG_COUNT; i++)
		cr_assert(there[i], "%s", sysreg_name((enum sysreg_id)i));
}
