/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU_* rows of world.def, by name. */
#include "conform/world_cpu.h"

#include <string.h>

static const struct world_cpu_row rows[] = {
#define FIELD(reg, member, field, lsb, width) \
	{#reg, #field, WORLD_##reg##_##field, lsb, lsb, width},
#define CPU_FIELD(reg, field, lsb, host, width) \
	{#reg, #field, WORLD_CPU_##reg##_##field, lsb, host, width},
#include "conform/world.def"
};

static const struct {
	const char *reg, *name;
	uint8_t width, value;
} fixed[] = {
#define CPU_FIXED(reg, field, width, value) {#reg, #field, width, value},
#include "conform/world.def"
};

static const struct {
	const char *name;
	struct world_cpu_bit bit;
} features[] = {
#define CPU_FEATURE(name)     {#name, {WORLD_CPU_BIT, WORLD_CPU_FEAT_##name, 0}},
#define CPU_WITH(name, level) {#name, {WORLD_CPU_BIT, WORLD_FEAT_##level, 0}},
#define CPU_HAS(name)	      {#name, {WORLD_CPU_ONE, 0, 0}},
#include "conform/world.def"
	{"SEL2", {WORLD_CPU_BIT, WORLD_FEAT_SEL2, 0}},
	{"RME", {WORLD_CPU_BIT, WORLD_FEAT_RME, 0}},
};

/* The features that it may have, and the levels. */
static const struct world_cpu_choice optional[] = {
#define CPU_FEATURE(name) {#name, WORLD_CPU_FEAT_##name},
#include "conform/world.def"
	{"EL2", WORLD_FEAT_EL2},
	{"EL3", WORLD_FEAT_EL3},
	{"SEL2", WORLD_FEAT_SEL2},
	{"RME", WORLD_FEAT_RME},
};

static const struct {
	uint16_t one, other;
} needs[] = {
	{WORLD_CPU_FEAT_HCX, WORLD_FEAT_EL2},
#define CPU_NEEDS(a, b) {WORLD_CPU_FEAT_##a, WORLD_CPU_FEAT_##b},
#include "conform/world.def"
	{WORLD_FEAT_SEL2, WORLD_FEAT_EL2},    {WORLD_FEAT_SEL2, WORLD_FEAT_EL3},
	{WORLD_FEAT_RME, WORLD_FEAT_EL2},     {WORLD_FEAT_RME, WORLD_FEAT_EL3},
};

/* Bits of libvspe's that come with EL2 in this CPU. */
static const uint16_t with_el2[] = {WORLD_FEAT_FGT, WORLD_FEAT_FGT2, WORLD_FEAT_VHE, WORLD_FEAT_NV,
				    WORLD_FEAT_NV2};
/* And what it never has. */
static const uint16_t never[] = {WORLD_HALTED, WORLD_SDD, WORLD_PRIORITY, WORLD_FEAT_SECURE};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool same(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && !memcmp(name, text, length);
}

struct world_cpu_bit world_cpu_feature(const char *name, size_t length)
{
	if (length > 5 && !memcmp(name, "FEAT_", 5))
		for (size_t i = 0; i < COUNT(features); i++)
			if (same(features[i].name, name + 5, length - 5))
				return features[i].bit;
	return (struct world_cpu_bit){WORLD_CPU_ZERO, 0, 0};
}

struct world_cpu_bit world_cpu_level(const char *name, size_t length)
{
	if (same("EL2", name, length))
		return (struct world_cpu_bit){WORLD_CPU_BIT, WORLD_FEAT_EL2, 0};
	if (same("EL3", name, length))
		return (struct world_cpu_bit){WORLD_CPU_BIT, WORLD_FEAT_EL3, 0};
	return (struct world_cpu_bit){WORLD_CPU_ONE, 0, 0};
}

struct world_cpu_bit world_cpu_find(const char *reg, size_t reg_length, const char *name,
				    size_t length)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		if (same(rows[i].reg, reg, reg_length) && same(rows[i].name, name, length))
			return (struct world_cpu_bit){WORLD_CPU_BIT, rows[i].first, rows[i].width};
	for (size_t i = 0; i < COUNT(fixed); i++)
		if (same(fixed[i].reg, reg, reg_length) && same(fixed[i].name, name, length))
			return (struct world_cpu_bit){
				fixed[i].value ? WORLD_CPU_ONE : WORLD_CPU_ZERO, 0, fixed[i].width};
	return (struct world_cpu_bit){WORLD_CPU_NONE, 0, 0};
}

int world_cpu_number(const char *name, size_t length)
{
#define CPU_NUMBER(text, value)        \
	if (same(#text, name, length)) \
		return (value);
#include "conform/world.def"
	return -1;
}

int world_cpu_call(const char *name, size_t length)
{
#define CPU_CALL(text, value)          \
	if (same(#text, name, length)) \
		return (value);
#include "conform/world.def"
	return -1;
}

/* Some texts name the register that they are about first. */
int world_cpu_choice(const char *text, size_t length)
{
#define CPU_CHOICE(words, value)                                                    \
	if (length >= sizeof(words) - 1 &&                                          \
	    !memcmp(text + length - (sizeof(words) - 1), words, sizeof(words) - 1)) \
		return (value);
#include "conform/world.def"
	return -1;
}

const char *world_cpu_same(const char *name)
{
#define CPU_SAME(one, other)     \
	if (!strcmp(name, #one)) \
		return #other;
#include "conform/world.def"
	return name;
}

const struct world_cpu_row *world_cpu_row(unsigned int n)
{
	return n < COUNT(rows) ? &rows[n] : NULL;
}

struct world_cpu_choice world_cpu_optional(unsigned int n)
{
	return n < COUNT(optional) ? optional[n] : (struct world_cpu_choice){NULL, 0};
}

void world_cpu_set(struct world *w, unsigned int bit, bool known, bool value)
{
	w->known[bit] = known;
	w->value[bit] = value;
	if (bit != WORLD_FEAT_EL2)
		return;
	for (size_t i = 0; i < COUNT(with_el2); i++) {
		w->known[with_el2[i]] = known;
		w->value[with_el2[i]] = value;
	}
	/* The same for all that is constant: EL2 is the first that world_cpu_possible() asks. */
	for (size_t i = 0; i < COUNT(never); i++)
		w->known[never[i]] = known;
}

bool world_cpu_contradicts(const struct world *w)
{
	for (size_t i = 0; i < COUNT(needs); i++)
		if (w->known[needs[i].one] && w->value[needs[i].one] && w->known[needs[i].other] &&
		    !w->value[needs[i].other])
			return true;
	return false;
}

bool world_cpu_possible(struct world *w)
{
	/* All that needs it is known from it on. */
	(void)world_is(w, WORLD_FEAT_EL2);
	if (w->asked >= 0)
		return true;
	if (world_cpu_contradicts(w) || !world_possible(w))
		return false;
	/* No machine starts at EL3 without EL2. */
	if (w->el == 3 && !world_is(w, WORLD_FEAT_EL2))
		return false;
	/* EL1 and, with a host, its guests are not there while HCR_EL2.TGE is 1. */
	return !(w->el == 1 && world_el2_enabled(w) && world_is(w, WORLD_HCR_EL2_TGE));
}
