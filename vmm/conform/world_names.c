/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of a PE bit by bit: names, places, and the command that shows it. */
#include "conform/world_names.h"

#include <inttypes.h>
#include <string.h>

static const struct world_field fields[] = {
#define ROW(reg, member, field, lsb, width) \
	{#reg, #field, WORLD_##reg##_##field, lsb, width, offsetof(union world_controls, member)},
#define FIELD(reg, member, field, lsb, width)	  ROW(reg, c.member, field, lsb, width)
#define PMU_FIELD(reg, member, field, lsb, width) ROW(reg, pmu.member, field, lsb, width)
#include "conform/world.def"
	{"EDSCR", "SDD", WORLD_SDD, 16, 1, 0},
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static const struct feature {
	const char *name;
	uint32_t library; /* SYSREG_FEAT_*, or PMU_FEAT_* */
	bool pmu, usual;
} features[] = {
#define SYSREG_FEAT_SPE_FnE	 SYSREG_FEAT_SPE_FNE
#define SYSREG_FEAT_SPE_nVM	 SYSREG_FEAT_SPE_NVM
#define FEATURE(name, usual)	 {#name, SYSREG_FEAT_##name, false, usual},
#define PMU_FEATURE(name, usual) {#name, PMU_FEAT_##name, true, usual},
#include "conform/world.def"
};

#define FEATURES (sizeof(features) / sizeof(features[0]))

static bool same_name(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && !memcmp(name, text, length);
}

const struct world_field *world_find_field(const char *reg, size_t reg_length, const char *name,
					   size_t name_length)
{
	for (size_t i = 0; i < FIELDS; i++)
		if (same_name(fields[i].reg, reg, reg_length) &&
		    same_name(fields[i].name, name, name_length))
			return &fields[i];
	return NULL;
}

int world_find_feature(const char *name, size_t length)
{
	if (length < 5 || memcmp(name, "FEAT_", 5) != 0)
		return -1;
	for (size_t i = 0; i < FEATURES; i++)
		if (i != WORLD_FEAT_EL2 && i != WORLD_FEAT_EL3 && i != WORLD_FEAT_SECURE &&
		    same_name(features[i].name, name + 5, length - 5))
			return (int)i;
	return -1;
}

int world_find_level(const char *name, size_t length)
{
	if (same_name("EL2", name, length))
		return WORLD_FEAT_EL2;
	return same_name("EL3", name, length) ? WORLD_FEAT_EL3 : -1;
}

static void set_bit(union world_controls *u, unsigned int bit)
{
	struct sysreg_controls *c = &u->c;

	if (bit < FEATURES) {
		*(features[bit].pmu ? &u->pmu.features : &c->features) |= features[bit].library;
		return;
	}
	switch (bit) {
	case WORLD_HALTED: c->halted = true; return;
	case WORLD_SDD: c->edscr_sdd = true; return;
	case WORLD_PRIORITY: c->el3_trap_has_priority_sdd = true; return;
	default: break;
	}
	for (size_t i = 0; i < FIELDS; i++)
		if (bit - fields[i].first < fields[i].width)
			u->words[fields[i].offset / sizeof(u->words[0])] |=
				UINT64_C(1) << (fields[i].lsb + bit - fields[i].first);
}

struct world_place world_place(unsigned int bit)
{
	union world_controls u;
	size_t word = 0;

	memset(&u, 0, sizeof(u));
	set_bit(&u, bit);
	while (word < WORLD_WORDS - 1 && u.words[word] == 0)
		word++;
	return (struct world_place){.word = word, .mask = u.words[word]};
}

bool world_needs(unsigned int feature, unsigned int other)
{
#define NEEDS(a, b)                                               \
	if (feature == WORLD_FEAT_##a && other == WORLD_FEAT_##b) \
		return true;
#include "conform/world.def"
	return false;
}

bool world_usual(unsigned int feature)
{
	return features[feature].usual;
}

/* Fields by name if they make up the whole value, else the value. */
static void print_register(const char *reg, uint64_t value, FILE *out)
{
	uint64_t rest = value;

	for (size_t i = 0; i < FIELDS; i++)
		if (!strcmp(fields[i].reg, reg))
			rest &= ~((UINT64_MAX >> (64 - fields[i].width)) << fields[i].lsb);
	if (rest) {
		fprintf(out, " --set %s=0x%" PRIx64, reg, value);
		return;
	}
	for (size_t i = 0; i < FIELDS; i++) {
		const uint64_t mask = UINT64_MAX >> (64 - fields[i].width);

		if (!strcmp(fields[i].reg, reg) && (value >> fields[i].lsb & mask))
			fprintf(out, " --set %s.%s=%" PRIu64, reg, fields[i].name,
				value >> fields[i].lsb & mask);
	}
}

/* Registers that accesses to SPE's registers, or the PMU's, depend on. */
static void print_registers(const void *controls, bool pmu, FILE *out)
{
	static const struct {
		const char *name;
		bool spe, pmu;
	} registers[] = {
		{"SCR_EL3", true, true},	{"HCR_EL2", true, true},
		{"MDCR_EL2", true, true},	{"MDCR_EL3", true, true},
		{"HDFGRTR_EL2", true, true},	{"HDFGWTR_EL2", true, true},
		{"HDFGRTR2_EL2", true, true},	{"HDFGWTR2_EL2", true, true},
		{"PMSCR_EL1", true, false},	{"PMSCR_EL2", true, false},
		{"PMUSERENR_EL0", false, true}, {"PMUACR_EL1", false, true},
		{"PMSELR_EL0", false, true},
	};

	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++) {
		const struct world_field *field = fields;
		uint64_t value;

		if (!(pmu ? registers[i].pmu : registers[i].spe))
			continue;
		while (strcmp(field->reg, registers[i].name) != 0)
			field++;
		memcpy(&value, (const char *)controls + field->offset, sizeof(value));
		print_register(field->reg, value, out);
	}
}

void world_print_command(const struct sysreg_controls *c, enum sysreg_id reg, bool write,
			 uint8_t rt, FILE *out)
{
	const char *name = sysreg_name(reg);

	fprintf(out, "vspe explain %s %s --el %u --zero", name ? name : "?",
		write ? "write" : "read", c->el);
	if (rt)
		fprintf(out, " --rt %u", rt);
	for (size_t i = 0; i < FEATURES && !features[i].pmu; i++) {
		const bool there = (c->features & features[i].library) != 0;

		if (there != features[i].usual)
			fprintf(out, " --%sfeature FEAT_%s", there ? "" : "no-", features[i].name);
	}
	if (c->aarch32)
		fputs(" --aarch32", out);
	if (c->halted)
		fputs(" --halted", out);
	if (c->edscr_sdd)
		fputs(" --set EDSCR.SDD=1", out);
	if (c->el3_trap_has_priority_sdd)
		fputs(" --sdd-priority", out);
	/* explain starts in Non-secure state. */
	if (!(c->scr_el3 & 1))
		fputs(" --set SCR_EL3.NS=0", out);
	print_registers(c, false, out);
}

void world_print_state(const union world_controls *u, FILE *out)
{
	const struct sysreg_controls *c = &u->c;

	fprintf(out, "EL%u", c->el);
	for (size_t i = 0; i < FEATURES; i++)
		if ((features[i].pmu ? u->pmu.features : c->features) & features[i].library)
			fprintf(out, " %s", features[i].name);
	fprintf(out, "%s%s%s%s", c->aarch32 ? ", AArch32" : "", c->halted ? ", halted" : "",
		c->edscr_sdd ? ", EDSCR.SDD" : "",
		c->el3_trap_has_priority_sdd ? ", EL3 has priority" : "");
	print_registers(u, true, out);
}

struct world world_of_controls(const union world_controls *u)
{
	struct world w = {.el = u->pe.el, .asked = -1};

	for (unsigned int bit = 0; bit < WORLD_BITS; bit++) {
		const struct world_place p = world_place(bit);

		w.known[bit] = true;
		w.value[bit] = (u->words[p.word] & p.mask) != 0;
	}
	return w;
}
