/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Images that spe_restore() refuses (docs/state.md): each kind of damage, each value that no unit
 * comes to, each field of another configuration, by its error and its name, and nothing changes.
 */
#include "../../array.h"
#include "image.h"

#include "../../../spe/unit.h"
#include <stdio.h>

/* It is refused for this reason, and nothing has changed. */
static void refused(struct spe_unit *unit, const uint8_t *image, size_t size, int error,
		    const char *expected)
{
	static struct spe_unit before;
	const char *field = "nothing";

	before = *unit;
	cr_assert_eq(spe_restore(unit, image, size, &field), -error, "error %d was expected, of %s",
		     error, expected ? expected : "nothing");
	eq(memcmp(&before, unit, sizeof(before)), 0);
	if (expected)
		cr_assert_str_eq(field, expected);
	else
		cr_assert_null(field);
	eq(spe_restore(unit, image, size, NULL), -error);
}

Test(image, what_is_no_whole_image_is_refused)
{
	uint8_t image[SPE_IMAGE_MAX + 1];
	struct fixture f;
	size_t size;

	fixture_scene(&f);
	size = spe_save(&f.unit, image, sizeof(image));
	for (size_t n = 0; n < size; n++)
		refused(&f.unit, image, n, SPE_EIMAGE, NULL);
	refused(&f.unit, image, size + 1, SPE_EIMAGE, NULL);
	for (size_t i = 0; i < 8; i++) {
		image[i] ^= 0x20;
		refused(&f.unit, image, size, SPE_EIMAGE, NULL);
		image[i] ^= 0x20;
	}
	image[12]++; /* the length */
	seal(image, size);
	refused(&f.unit, image, size, SPE_EIMAGE, NULL);
	image[12]--;
	image[8] = 2; /* major version */
	refused(&f.unit, image, size, SPE_EIMAGEVERSION, NULL);
	image[8] = 1;
	image[10]++; /* minor version: a later library made it */
	refused(&f.unit, image, size, SPE_EIMAGEVERSION, NULL);
	image[10] = 0; /* of which an image is shorter */
	seal(image, size);
	refused(&f.unit, image, size, SPE_EIMAGE, NULL);
	image[10] = 4;
	seal(image, size);
	for (size_t bit = 8 * 16; bit < 8 * size; bit++) {
		image[bit / 8] ^= (uint8_t)(1u << bit % 8);
		refused(&f.unit, image, size, SPE_EIMAGESUM, NULL);
		image[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	eq(spe_restore(&f.unit, image, size, NULL), 0);
}

/* Every field of a configuration is compared, and named; but the seed is state. */
Test(image, another_configuration_is_refused_by_the_field)
{
	static const char *const fields[] = {
#define SECTION(minor, letters)
#define CONFIG(at, minor, field) [at] = #field,
#define CONFIG_END
#define VALUE(minor, member, text)
#include "../../../spe/state.def"
#undef SECTION
#undef CONFIG
#undef CONFIG_END
#undef VALUE
	};
	uint8_t image[SPE_IMAGE_MAX];
	struct fixture f;
	size_t size;

	fixture_scene(&f);
	size = spe_save(&f.unit, image, sizeof(image));
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const size_t at = 16 + 8 + 8 * i;
		const uint64_t value = word(image, at);

		for (unsigned int bit = 0; bit < 64; bit += 9) {
			set_word(image, at, value ^ UINT64_C(1) << bit);
			seal(image, size);
			refused(&f.unit, image, size, SPE_EIMAGECONFIG, fields[i]);
		}
		set_word(image, at, value);
	}
	f.config.seed++;
	f.config.events |= 0x100;
	fixture_start(&f);
	seal(image, size);
	refused(&f.unit, image, size, SPE_EIMAGECONFIG, "events");
	f.config.events &= ~UINT64_C(0x100);
	fixture_start(&f);
	eq(spe_restore(&f.unit, image, size, NULL), 0);
	eq(spe_unit_config(&f.unit)->seed, f.config.seed - 1);
}

/* What an image holds, after its head. */
static const char *const names[] = {
#define SECTION(minor, letters)	   #letters,
#define CONFIG(at, minor, field)   [1 + (at)] = "config." #field,
#define CONFIG_END		   [66] =
#define VALUE(minor, member, text) text,
#include "../../../spe/state.def"
#undef SECTION
#undef CONFIG
#undef VALUE
};

/* Where a value is, by the name that state.def gives it: the index-th of that name. */
static size_t place(const char *name, unsigned int index)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i], name) == 0 && index-- == 0)
			return 16 + 8 * i;
	cr_assert_fail("no value is called %s", name);
	return 0;
}

/* Values that a unit cannot come to, each alone in an image that is right otherwise. */
Test(image, impossible_values_are_refused_by_their_name)
{
	static const struct {
		const char *name;
		unsigned int index;
		uint64_t value;
		const char *blamed; /* NULL: by its own name */
	} table[] = {
		{"CONF", 0, 0, NULL},
		{"CONF", 0, 0x3bul << 32 | 0x464e4f44, NULL},
		{"CTRL", 0, 0x11ul << 32 | 0x4c525443, NULL},
		{"features", 0, 1ul << 32, NULL},
		{"PSTATE.EL", 0, 4, NULL},
		{"PSTATE.EL", 0, 256, NULL},
		{"aarch32", 0, 2, NULL},
		{"halted", 0, 3, NULL},
		{"EDSCR.SDD", 0, 2, NULL},
		{"PMSCR_EL1", 0, 1ul << 2, NULL},
		{"PMSCR_EL1", 0, 1ul << 12, NULL},
		{"PMSCR_EL2", 0, 1ul << 63, NULL},
		{"PMSIRR_EL1", 0, 2, NULL},
		{"PMSFCR_EL1", 0, 1ul << 5, NULL},
		{"PMSEVFR_EL1", 0, 1, NULL},
		{"PMSNEVFR_EL1", 0, 1, NULL},
		{"PMSLATFR_EL1", 0, 0x1000, NULL},
		{"PMBLIMITR_EL1", 0, 1ul << 8, NULL},
		{"PMBMAR_EL1", 0, 1ul << 10, NULL},
		{"PMBSR_EL1", 0, 1ul << 20, NULL},
		{"PMBSR_EL2", 0, 1ul << 56, NULL},
		{"PMBSR_EL3", 0, 1ul << 24, NULL},
		{"population", 0, 0, "flight.age"},
		{"population", 0, 0xb5d, "flight.age"}, /* that of the oldest: selected at 0 */
		{"passed", 0, 0x3b000000, NULL},
		{"passed", 0, 0xa00, NULL},
		{"COUNT", 0, 1ul << 32, NULL},
		{"COUNT", 0, 1, "passed"},
		{"ECOUNT", 0, 0x100, NULL},
		{"ECOUNT", 0, 100, "passed"},
		{"hold", 0, 2, NULL},
		{"next_random", 0, 0x100, NULL},
		{"previous.valid", 0, 0, "previous"},
		{"previous.valid", 0, 2, NULL},
		{"previous.el", 0, 4, "previous"},
		{"previous.ns", 0, 2, NULL},
		{"flight_count", 0, 0, "flight_sampled"},
		{"flight_count", 0, 2, "flight"},
		{"flight_count", 0, 5, "flight.age"}, /* two selected at once */
		{"flight_count", 0, 6, NULL},
		{"flight_count", 0, 255, NULL},
		{"flight_sampled", 0, 4, NULL},
		{"flight.age", 0, 0x59c, NULL}, /* as the next */
		{"flight.age", 1, 0xb5e, NULL}, /* older than the one before it */
		{"flight.age", 0, ~0ul, NULL},
		{"flight.age", 7, 1, "flight"},
		{"flight.timestamp", 0, 4, NULL},
		{"flight.timestamp", 3, 1, "flight"},
		{"flight.context1", 2, 2, NULL},
		{"flight.pa", 5, 1, "flight"},
		{"flight.previous.valid", 0, 2, NULL},
		{"flight.previous.valid", 3, 1, "flight"},
		{"flight.previous.valid", 1, 0, "flight.previous"},
		{"flight.previous.va", 0, 1, "flight.previous"},
		{"flight.previous.el", 1, 4, "flight.previous"},
		{"flight.previous.nse", 4, 1, "flight.previous"},
		{"STAT", 0, 0, NULL},
	};
	uint8_t image[SPE_IMAGE_MAX];
	struct fixture f;
	size_t size;

	fixture_scene(&f);
	size = spe_save(&f.unit, image, sizeof(image));
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const size_t at = place(table[i].name, table[i].index);
		const uint64_t value = word(image, at);

		set_word(image, at, table[i].value);
		seal(image, size);
		refused(&f.unit, image, size, SPE_EIMAGEVALUE,
			table[i].blamed ? table[i].blamed : table[i].name);
		set_word(image, at, value);
	}
	seal(image, size);
	eq(spe_restore(&f.unit, image, size, NULL), 0);
}

/* What changes one value of the image that the unit would have now is refused, by this name. */
static void cannot_be(struct fixture *f, const char *name, uint64_t value, const char *blamed)
{
	uint8_t image[SPE_IMAGE_MAX];
	const size_t size = spe_save(&f->unit, image, sizeof(image));

	set_word(image, place(name, 0), value);
	seal(image, size);
	refused(&f->unit, image, size, SPE_EIMAGEVALUE, blamed);
}

/* Members that passed: fewer than up to the selection, and than there were; none while disabled. */
Test(image, members_that_passed)
{
	uint8_t image[SPE_IMAGE_MAX];
	struct fixture f;
	uint64_t budget;
	size_t size;

	fixture_scene(&f);
	budget = spe_budget(&f.unit);
	cannot_be(&f, "passed", 321 + budget, "passed");
	cannot_be(&f, "PMBLIMITR_EL1", 0, "passed");
	size = spe_save(&f.unit, image, sizeof(image));
	set_word(image, place("passed", 0), 321 + budget - 1);
	seal(image, size);
	eq(spe_restore(&f.unit, image, size, NULL), 0);
	eq(spe_budget(&f.unit), 1);
	fixture_init(&f, SPE_V1P2);
	(void)spe_advance(&f.unit, 2);
	cannot_be(&f, "population", 1, "passed");
	cannot_be(&f, "passed", 3, "passed");
}

/* Without FEAT_SPE_PBT no operation has a previous branch target. */
Test(image, previous_target_without_pbt)
{
	struct fixture f;

	fixture_init(&f, SPE_V1P2);
	eq(fixture_select(&f), SPE_SELECTED);
	cannot_be(&f, "flight.previous.valid", 1, "flight.previous");
}

/* A held load, and what cannot go with it. */
Test(image, a_load_that_no_member_has_used)
{
	uint8_t image[SPE_IMAGE_MAX];
	struct fixture f;
	size_t size;

	fixture_init(&f, SPE_V1P2);
	size = spe_save(&f.unit, image, sizeof(image));
	eq(spe_budget(&f.unit), 0x101);
	set_word(image, place("COUNT", 0), 0x100);
	set_word(image, place("hold", 0), 1);
	seal(image, size);
	spe_reset(&f.unit);
	eq(spe_restore(&f.unit, image, size, NULL), 0);
	eq(spe_budget(&f.unit), 0x101);
	eq(spe_read(&f.unit, SYSREG_PMSICR_EL1), 0);
	set_word(image, place("COUNT", 0), 0);
	seal(image, size);
	refused(&f.unit, image, size, SPE_EIMAGEVALUE, "hold");
	set_word(image, place("COUNT", 0), 0x100);
	set_word(image, place("ECOUNT", 0), 1);
	seal(image, size);
	refused(&f.unit, image, size, SPE_EIMAGEVALUE, "hold");
	set_word(image, place("ECOUNT", 0), 0);
	set_word(image, place("PMBLIMITR_EL1", 0), 0); /* profiling is not enabled */
	seal(image, size);
	refused(&f.unit, image, size, SPE_EIMAGEVALUE, "hold");
	f.config.ernd = false;
	fixture_start(&f);
	(void)spe_advance(&f.unit, 1);
	size = spe_save(&f.unit, image, sizeof(image));
	set_word(image, place("ECOUNT", 0), 1);
	seal(image, size);
	refused(&f.unit, image, size, SPE_EIMAGEVALUE, "ECOUNT");
}

/* docs/state.md says where each value is, and leaves none out but the other places of flights. */
Test(image, the_document_has_every_value_at_its_place)
{
	const size_t other_places = 7 * 10;
	char line[512], *name, *rest;
	bool sections = false;
	size_t values = 0;
	FILE *file = fopen(VSPE_SOURCE_DIR "/docs/state.md", "r");

	cr_assert_not_null(file);
	while (fgets(line, sizeof(line), file)) {
		unsigned int offset;

		sections = sections || strncmp(line, "## Sections", 11) == 0;
		if (!sections || sscanf(line, "0x%x ", &offset) != 1)
			continue;
		(void)strtok_r(line, " \n", &rest);
		while ((name = strtok_r(NULL, " \n", &rest))) {
			const char *known = names[(offset - 16) / 8];

			if (strncmp(known, "config.", 7) == 0)
				known += 7;
			cr_assert_str_eq(name, known, "offset 0x%x", offset);
			offset += 8;
			values++;
		}
	}
	(void)fclose(file);
	eq(values + other_places, ARRAY_SIZE(names));
}
