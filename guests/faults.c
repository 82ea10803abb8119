/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * faults: which of two errors of one access is reported, for every pair of errors and each kind of
 * access, at EL0 and EL1 with both stages of translation, and at EL2 (Arm ARM D8.15.5, D1.4.5.6).
 * Also where the fault goes and what the syndrome says. faults.def has the order. Needs no SPE.
 *
 * Both are accepted where the architecture allows either. Tests are skipped on a machine that makes
 * unaligned accesses to Device memory, or whose external aborts are asynchronous, if they need the
 * opposite.
 */
#include "arch.h"
#include "boot.h"
#include "exception.h"
#include "faults.h"

static const struct {
	const char *text;
	unsigned int order, step, first, last;
} causes[CAUSES] = {
#define CAUSE(name, order, step, first, last, text) {text, order, step, first, last},
#include "faults.def"
};

static unsigned int place_of(const struct scene *scene, enum cause cause)
{
	return causes[cause].order + causes[cause].step * scene->levels[cause];
}

/* What a cause is in a syndrome. */
struct report {
	unsigned int fsc;
	bool stage2, s1ptw;
	bool external;
	uint64_t ipa; /* in HPFAR_EL2; 0: not valid */
};

static struct report report_of(const struct scene *scene, enum cause cause)
{
	const unsigned int level = scene->levels[cause];
	const uint64_t table = UINT64_C(0x4000000000) + ((uint64_t)level << 30);

	switch (cause) {
	case CAUSE_ALIGNMENT:
	case CAUSE_MEMORY_TYPE: return (struct report){.fsc = FSC_ALIGNMENT};
	case CAUSE_TABLE_BASE: return (struct report){.fsc = 0};
	case CAUSE_WALK_STAGE2:
		return (struct report){.fsc = 4 + 3, .stage2 = true, .s1ptw = true, .ipa = table};
	case CAUSE_WALK_EXTERNAL: return (struct report){.fsc = 0x14 + level, .external = true};
	case CAUSE_TRANSLATION: return (struct report){.fsc = 4 + level};
	case CAUSE_ADDRESS_SIZE: return (struct report){.fsc = level};
	case CAUSE_ACCESS_FLAG: return (struct report){.fsc = 8 + level};
	case CAUSE_PERMISSION: return (struct report){.fsc = 12 + level};
	case CAUSE_S2_TRANSLATION:
		return (struct report){.fsc = 4 + level, .stage2 = true, .ipa = TARGET_IPA};
	case CAUSE_S2_ADDRESS_SIZE:
		return (struct report){.fsc = level, .stage2 = true, .ipa = TARGET_IPA};
	case CAUSE_S2_ACCESS_FLAG:
		return (struct report){.fsc = 8 + level, .stage2 = true, .ipa = TARGET_IPA};
	case CAUSE_S2_MEMORY_TYPE: return (struct report){.fsc = FSC_ALIGNMENT, .stage2 = true};
	case CAUSE_S2_PERMISSION: return (struct report){.fsc = 12 + level, .stage2 = true};
	case CAUSE_WATCHPOINT: return (struct report){.fsc = FSC_DEBUG};
	default: return (struct report){.fsc = FSC_EXTERNAL, .external = true};
	}
}

unsigned int scene_fsc(const struct scene *scene, enum cause cause)
{
	return report_of(scene, cause).fsc;
}

/* The class of an exception that goes to taken. */
static unsigned int class_of(const struct scene *scene, enum cause cause, enum taken taken)
{
	const unsigned int same = scene->el == (unsigned int)taken;

	if (cause == CAUSE_WATCHPOINT)
		return 0x34 + same;
	if (scene->access == FETCH)
		return cause == CAUSE_ALIGNMENT ? EC_PC_ALIGN : EC_INSN_LOWER + same;
	return EC_DATA_LOWER + same;
}

/* The syndrome, where the architecture defines it. */
static bool syndrome_is(const struct scene *scene, enum cause cause, const struct report *r,
			const struct outcome *o)
{
	const struct access_kind *a = &accesses[scene->access];
	uint64_t iss = r->fsc | (r->s1ptw ? ESR_S1PTW : 0);
	uint64_t mask = ESR_S1PTW | ESR_WNR | 0x3f;

	if (ESR_EC(o->esr) != class_of(scene, cause, o->taken) || !field(o->esr, 25, 25))
		return false;
	if (scene->access == FETCH && cause == CAUSE_ALIGNMENT)
		return field(o->esr, 24, 0) == 0;
	if (a->write)
		iss |= ESR_WNR;
	if (a->read && a->write) /* another test looks at it */
		mask &= ~ESR_WNR;
	if (r->s1ptw)
		mask &= ~UINT64_C(3); /* another test looks at the level */
	if (r->stage2) {
		mask |= field(~UINT64_C(0), 10, 0) << 14;
		iss |= r->s1ptw ? 0 : a->iss;
	}
	return (o->esr & mask) == (iss & mask);
}

/* FAR: the address; for a watchpoint and DC ZVA, any address of the access. */
static bool address_is(const struct scene *scene, enum cause cause, const struct report *r,
		       uint64_t far)
{
	const uint64_t va = scene_address(scene);

	if (r->external && r->fsc == FSC_EXTERNAL) /* FnV */
		return true;
	if (cause == CAUSE_WATCHPOINT || scene->access == ZERO_BLOCK)
		return far >> 11 == va >> 11; /* the largest block */
	return far == va;
}

static bool is_report(const struct scene *scene, enum cause cause, const struct outcome *o)
{
	const struct report r = report_of(scene, cause);
	const enum taken where = r.stage2 || scene->el == 2 ? TAKEN_EL2 : TAKEN_EL1;

	if (o->taken != where || !syndrome_is(scene, cause, &r, o) ||
	    !address_is(scene, cause, &r, o->far))
		return false;
	return !r.ipa || (o->hpfar & UINT64_C(0xfffffffffff0)) == r.ipa >> 12 << 4;
}

/* An exclusive or an atomic that its memory does not support: that may have any priority. */
static bool is_unsupported(const struct scene *scene, const struct outcome *o)
{
	const bool odd = scene->causes[CAUSE_MEMORY_TYPE] || scene->causes[CAUSE_S2_MEMORY_TYPE] ||
			 scene->causes[CAUSE_EXTERNAL];

	return odd && accesses[scene->access].exclusive &&
	       (ESR_EC(o->esr) & ~1u) == EC_DATA_LOWER && ESR_FSC(o->esr) == FSC_UNSUPPORTED;
}

/*
 * Is the outcome that of the first cause? A store-exclusive may also fail before any check, because
 * there was no load-exclusive.
 */
static bool is_right(const struct scene *scene, const struct outcome *o)
{
	unsigned int least = ~0u;

	if (o->taken == TAKEN_NONE)
		return scene->access == STORE_EXCLUSIVE && o->status == 1;
	for (unsigned int n = 0; n < CAUSES; n++)
		if (scene->causes[n] && place_of(scene, (enum cause)n) < least)
			least = place_of(scene, (enum cause)n);
	for (unsigned int n = 0; n < CAUSES; n++)
		if (scene->causes[n] && place_of(scene, (enum cause)n) == least &&
		    is_report(scene, (enum cause)n, o))
			return true;
	return is_unsupported(scene, o);
}

void scene_add(struct scene *scene, enum cause cause, unsigned int level)
{
	scene->causes[cause] = true;
	scene->levels[cause] = level;
}

/* May a machine lack this, or report it asynchronously? */
static bool is_open(enum cause cause)
{
	return cause == CAUSE_MEMORY_TYPE || cause == CAUSE_S2_MEMORY_TYPE ||
	       cause == CAUSE_WALK_EXTERNAL || cause == CAUSE_EXTERNAL;
}

/* Can this level of a walk abort? The root of main's own tables at EL2 cannot be spoilt. */
static bool has_level(unsigned int el, enum cause cause, unsigned int level)
{
	return !(el == 2 && cause == CAUSE_WALK_EXTERNAL && level == 0);
}

/* Found out once. */
bool scene_reports(enum access access, unsigned int el, enum cause cause)
{
	static enum { UNKNOWN, THERE, AWAY } known[ACCESSES][3][CAUSES];

	if (!scene_can(access, el, cause))
		return false;
	if (!is_open(cause))
		return true;
	if (known[access][el][cause] == UNKNOWN) {
		struct scene scene = {.access = access, .el = el};
		struct outcome o;

		scene_add(&scene, cause, causes[cause].last);
		o = scene_run(&scene);
		known[access][el][cause] =
			o.taken == TAKEN_NONE || o.taken == TAKEN_SERROR ? AWAY : THERE;
	}
	return known[access][el][cause] == THERE;
}

/* No scene has both: one field would need two values. */
static bool excludes(const struct scene *scene, enum cause a, enum cause b)
{
	return a == CAUSE_WALK_STAGE2 && b == CAUSE_WALK_EXTERNAL &&
	       scene->levels[a] == scene->levels[b];
}

static void say(const struct scene *scene, const struct outcome *o)
{
	static const char *const names[] = {"nothing", "EL1", "EL2", "SError"};

	tap_fail("%s at EL%u: %s, ESR 0x%lx FAR 0x%lx HPFAR 0x%lx", accesses[scene->access].name,
		 scene->el, names[o->taken], o->esr, o->far, o->hpfar);
	for (unsigned int n = 0; n < CAUSES; n++)
		if (scene->causes[n])
			tap_note("  has: %s%s%u", causes[n].text, causes[n].step ? ", level " : " ",
				 scene->levels[n]);
}

static unsigned int tried; /* by the present test */

void scene_check(const struct scene *scene, const struct outcome *outcome)
{
	tried++;
	if (!is_right(scene, outcome))
		say(scene, outcome);
}

void scene_try(const struct scene *scene)
{
	const struct outcome o = scene_run(scene);

	scene_check(scene, &o);
}

void scene_levels(enum cause cause, unsigned int *first, unsigned int *last)
{
	*first = causes[cause].first;
	*last = causes[cause].last;
}

/* Every level of both, with one kind of access at one Exception level. */
static void try_levels(struct scene scene, enum cause a, enum cause b)
{
	for (unsigned int i = causes[a].first; i <= causes[a].last; i++)
		for (unsigned int j = causes[b].first; j <= causes[b].last; j++) {
			if (!has_level(scene.el, a, i) || !has_level(scene.el, b, j))
				continue;
			scene_add(&scene, a, i);
			scene_add(&scene, b, j);
			if (!excludes(&scene, a, b) && (a != b || i == j))
				scene_try(&scene);
		}
}

static void try_all(enum cause a, enum cause b)
{
	tried = 0;
	for (unsigned int access = 0; access < ACCESSES; access++)
		for (unsigned int el = 0; el < 3; el++) {
			struct scene scene = {.access = (enum access)access, .el = el};

			if (scene_reports(scene.access, el, a) &&
			    scene_reports(scene.access, el, b))
				try_levels(scene, a, b);
		}
	CHECK(tried, "nothing was tried");
}

/* Is there an access that can have both? */
static bool have_both(enum cause a, enum cause b)
{
	for (unsigned int access = 0; access < ACCESSES; access++)
		for (unsigned int el = 0; el < 3; el++)
			if (scene_reports((enum access)access, el, a) &&
			    scene_reports((enum access)access, el, b))
				return true;
	return false;
}

static const char *needs(enum cause a, enum cause b)
{
	static const char *const away[CAUSES] = {
		[CAUSE_MEMORY_TYPE] = "unaligned accesses to Device memory are made",
		[CAUSE_S2_MEMORY_TYPE] = "unaligned accesses to Device memory are made",
		[CAUSE_WALK_EXTERNAL] = "no synchronous external abort on a walk",
		[CAUSE_EXTERNAL] = "no synchronous external abort",
	};

	if (needs_el2())
		return needs_el2();
	if (have_both(a, b))
		return NULL;
	if (!have_both(a, a))
		return away[a];
	return have_both(b, b) ? "no access has both" : away[b];
}

#define CAUSE(name, order, step, first, last, text)       \
	static void alone_##name(void)                    \
	{                                                 \
		try_all(CAUSE_##name, CAUSE_##name);      \
	}                                                 \
	static const char *needs_##name(void)             \
	{                                                 \
		return needs(CAUSE_##name, CAUSE_##name); \
	}                                                 \
	_Static_assert(sizeof(text) > 1, "a text");
#define PAIR(one, other)                                  \
	static void pair_##one##_##other(void)            \
	{                                                 \
		try_all(CAUSE_##one, CAUSE_##other);      \
	}                                                 \
	static const char *needs_##one##_##other(void)    \
	{                                                 \
		return needs(CAUSE_##one, CAUSE_##other); \
	}
#include "faults.def"

static const struct test tests[] = {
#define CAUSE(name, order, step, first, last, text) {"alone: " #name, alone_##name, needs_##name},
#include "faults.def"
#define PAIR(one, other) \
	{"pair: " #one " and " #other, pair_##one##_##other, needs_##one##_##other},
#include "faults.def"
#define MORE(function, skip, name) {name, function, skip},
#include "faults_more.def"
#undef MORE
};

/* Every pair is there. */
#define PAIR(one, other) +1
_Static_assert(0
#include "faults.def"
		       == CAUSES * (CAUSES - 1) / 2,
	       "a pair is missing in faults.def");

void guest_main(void)
{
	if (!needs_el2())
		scene_init();
	tap_run("faults", tests, sizeof(tests) / sizeof(tests[0]));
}
