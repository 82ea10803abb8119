/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spe_save() and spe_restore(): a unit that was saved and restored does what it would have done;
 * an image that no unit made is refused, and nothing has changed then.
 */
#include "drive.h"
#include "fixture.h"
#include <stdio.h>

#define RUNS  100
#define STEPS 300

/* A unit like another, but new. */
static void fresh(struct spe_unit *unit, const struct spe_unit *like, struct drive *d)
{
	struct spe_config config = like->config;
	struct spe_host host = drive_host(d, like->host.random != NULL);

	memset(unit, 0xa5, sizeof(*unit));
	config.seed = 12345; /* is part of what is saved */
	eq(spe_init(unit, &config, &host), 0);
}

/* The unit of a drive goes to another place by way of bytes. */
static void move(struct drive *d, struct spe_unit *to)
{
	uint8_t image[SPE_IMAGE_MAX], again[SPE_IMAGE_MAX];
	const char *field = "none";
	const size_t size = spe_save(d->unit, image, sizeof(image));
	uint64_t random = d->random;

	fresh(to, d->unit, d);
	d->random = random; /* spe_init() asked for a byte */
	eq(spe_restore(to, image, size, &field), 0);
	cr_assert_null(field);
	eq(spe_save(to, again, sizeof(again)), size);
	cr_assert_arr_eq(image, again, size);
	memset(d->unit, 0x5a, sizeof(*d->unit));
	d->unit = to;
}

static void same(const struct drive *a, const struct drive *b, uint64_t seed, unsigned int step)
{
	uint8_t image_a[SPE_IMAGE_MAX], image_b[SPE_IMAGE_MAX];
	const size_t size = spe_save(a->unit, image_a, sizeof(image_a));

	cr_assert(a->digest == b->digest && a->dice == b->dice, "seed %llu, step %u",
		  (unsigned long long)seed, step);
	eq(spe_budget(a->unit), spe_budget(b->unit));
	eq(memcmp(&a->unit->stats, &b->unit->stats, sizeof(a->unit->stats)), 0);
	eq(spe_save(b->unit, image_b, sizeof(image_b)), size);
	cr_assert_arr_eq(image_a, image_b, size);
}

Test(state, a_unit_moved_after_every_step_does_the_same)
{
	uint64_t records = 0, events = 0, interrupts = 0;

	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct spe_unit stays, moves[2];
		struct drive a, b;

		drive_init(&a, &stays, seed);
		drive_init(&b, &moves[0], seed);
		for (unsigned int i = 0; i < STEPS; i++) {
			drive_step(&a);
			drive_step(&b);
			move(&b, &moves[(i + 1) % 2]);
			same(&a, &b, seed, i);
		}
		records += a.records;
		events += a.events;
		interrupts += a.interrupts;
	}
	cr_assert(records > 10 * RUNS && events > 1000 * RUNS && interrupts > RUNS,
		  "%llu records, %llu events, %llu interrupts: too little to see anything",
		  (unsigned long long)records, (unsigned long long)events,
		  (unsigned long long)interrupts);
}

Test(state, a_unit_moved_once_at_a_thousand_points_does_the_same)
{
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		const unsigned int point = (unsigned int)(seed * 7919 % STEPS);
		struct spe_unit stays, moves[2];
		struct drive a, b;

		drive_init(&a, &stays, seed + 5000);
		drive_init(&b, &moves[0], seed + 5000);
		for (unsigned int i = 0; i < STEPS; i++) {
			drive_step(&a);
			drive_step(&b);
			if (i == point)
				move(&b, &moves[1]);
		}
		same(&a, &b, seed, STEPS);
	}
}

/*
 * A unit with something in every section: v1p5, three operations in flight of which one was
 * sampled, in the middle of an interval with a random tail, a previous branch target, an event of
 * EL1 that waits in PMBSR_EL1 and then was cleared.
 */
static void scene(struct fixture *f)
{
	const struct spe_target target = {.va = UINT64_C(0xffff800008004320), .el = 1, .ns = true};
	struct spe_op op = fixture_load();

	fixture_init(f, SPE_V1P5);
	f->config.in_flight = 5;
	f->config.lifetime = 100000;
	f->config.max_size = 7;
	f->config.seed = UINT64_C(0x0123456789abcdef);
	f->controls.features |= HIGHER;
	f->controls.mdcr_el2 = E2PB_EL1;
	f->controls.mdcr_el3 = NSPB_NS;
	f->controls.scr_el3 = SCR_NS;
	fixture_start(f);
	spe_write(&f->unit, SYSREG_PMSCR_EL2, CX | PA | TS | PCT);
	spe_write(&f->unit, SYSREG_PMSCR_EL1, E0SPE | E1SPE | CX | PA | TS);
	spe_write(&f->unit, SYSREG_PMSIRR_EL1, 0x501);
	spe_write(&f->unit, SYSREG_PMSEVFR_EL1, 0x82);
	spe_write(&f->unit, SYSREG_PMSLATFR_EL1, 0x10);
	spe_write(&f->unit, SYSREG_PMSFCR_EL1, 0x60004);
	fixture_sample(f, &op);
	spe_branch(&f->unit, SPE_BRANCH_TAKEN, &target);
	eq(fixture_select(f), SPE_SELECTED);
	spe_write(&f->unit, SYSREG_PMSCR_EL1, E0SPE | E1SPE | PA);
	eq(fixture_select(f), SPE_SELECTED);
	eq(spe_advance(&f->unit, 321), SPE_NOT_SELECTED);
	spe_write(&f->unit, SYSREG_PMBSR_EL1, SR_COLL);
}

/* An image that is kept in the source, made of the scene by the version that its name says. */
static size_t kept(const char *version, uint8_t *image)
{
	char path[512];
	size_t size;
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/tests/unit/spe/images/%s.img", VSPE_SOURCE_DIR,
		       version);
	file = fopen(path, "rb");
	cr_assert_not_null(file, "%s", path);
	size = fread(image, 1, SPE_IMAGE_MAX, file);
	(void)fclose(file);
	return size;
}

Test(state, an_image_has_the_same_bytes_on_every_host)
{
	uint8_t image[SPE_IMAGE_MAX], expected[SPE_IMAGE_MAX];
	struct fixture f;
	size_t size;

	scene(&f);
	size = spe_save(&f.unit, image, sizeof(image));
	eq(kept("1.1", expected), size);
	cr_assert_arr_eq(image, expected, size);
}

/* What the unit of the scene does next, as bytes: it samples what is in flight and goes on. */
static void go_on(struct fixture *f)
{
	struct spe_op op = fixture_load();

	spe_sample(&f->unit, &op);
	spe_sample(&f->unit, &op);
	for (unsigned int i = 0; i < 20; i++)
		if (fixture_select(f) == SPE_SELECTED)
			spe_sample(&f->unit, &op);
}

/* Version 1.0 had no counts but that of the population. */
Test(state, an_image_of_an_older_minor_version)
{
	static struct fixture was, is;
	uint8_t image[SPE_IMAGE_MAX];
	size_t size = kept("1.0", image);

	scene(&was);
	scene(&is);
	spe_reset(&is.unit);
	eq(spe_restore(&is.unit, image, size, NULL), 0);
	eq(is.unit.stats.population, was.unit.stats.population);
	eq(was.unit.stats.feed, 1);
	eq(is.unit.stats.feed, 0);
	eq(was.unit.stats.bytes, 64);
	eq(is.unit.stats.bytes, 0);
	eq(spe_budget(&is.unit), spe_budget(&was.unit));
	go_on(&was);
	go_on(&is);
	cr_assert(was.writes > 4);
	eq(is.writes, was.writes);
	eq(is.base_events[3], was.base_events[3]);
	cr_assert(was.base_events[3] > 0, "no collision");
	cr_assert_arr_eq(is.buffer, was.buffer, sizeof(is.buffer));
	eq(is.unit.stats.records, was.unit.stats.records - 1);
}

Test(state, too_small_a_buffer_is_answered_with_the_size)
{
	uint8_t image[SPE_IMAGE_MAX];
	struct fixture f;
	size_t size;

	scene(&f);
	size = spe_save(&f.unit, NULL, 0);
	cr_assert(size > 1000 && size <= SPE_IMAGE_MAX);
	memset(image, 0x77, sizeof(image));
	eq(spe_save(&f.unit, image, size - 1), size);
	for (size_t i = 0; i < sizeof(image); i++)
		eq(image[i], 0x77);
	eq(spe_save(&f.unit, image, size), size);
	eq(image[0], 'V');
	eq(image[size], 0x77);
}

/* CRC-32, by its definition as a division; written here a second time on purpose. */
static void seal(uint8_t *image, size_t size)
{
	uint32_t remainder = ~UINT32_C(0);

	for (size_t bit = 0; bit < 8 * (size - 8); bit++) {
		const bool one = (image[bit / 8] >> bit % 8 & 1) != (remainder & 1);

		remainder = remainder >> 1 ^ (one ? UINT32_C(0xedb88320) : 0);
	}
	remainder = ~remainder;
	memset(image + size - 8, 0, 8);
	for (unsigned int i = 0; i < 4; i++)
		image[size - 8 + i] = (uint8_t)(remainder >> 8 * i);
}

/* It is refused for this reason, and nothing has changed. */
static void refused(struct spe_unit *unit, const uint8_t *image, size_t size, int error,
		    const char *expected)
{
	static struct spe_unit before;
	const char *field = "nothing";

	before = *unit;
	cr_assert(spe_restore(unit, image, size, &field) == -error, "error %d was expected, of %s",
		  error, expected ? expected : "nothing");
	eq(memcmp(&before, unit, sizeof(before)), 0);
	if (expected)
		cr_assert_str_eq(field, expected);
	else
		cr_assert_null(field);
	eq(spe_restore(unit, image, size, NULL), -error);
}

static uint64_t word(const uint8_t *image, size_t at)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < 8; i++)
		value |= (uint64_t)image[at + i] << 8 * i;
	return value;
}

static void set_word(uint8_t *image, size_t at, uint64_t value)
{
	for (unsigned int i = 0; i < 8; i++)
		image[at + i] = (uint8_t)(value >> 8 * i);
}

Test(state, what_is_no_whole_image_is_refused)
{
	uint8_t image[SPE_IMAGE_MAX + 1];
	struct fixture f;
	size_t size;

	scene(&f);
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
	image[10] = 1;
	seal(image, size);
	for (size_t bit = 8 * 16; bit < 8 * size; bit++) {
		image[bit / 8] ^= (uint8_t)(1u << bit % 8);
		refused(&f.unit, image, size, SPE_EIMAGESUM, NULL);
		image[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	eq(spe_restore(&f.unit, image, size, NULL), 0);
}

/* Every field of a configuration is compared, and named; but the seed is state. */
Test(state, another_configuration_is_refused_by_the_field)
{
	static const char *const fields[] = {
#define SECTION(minor, letters)
#define CONFIG(minor, field) #field,
#define VALUE(minor, member, text)
#include "../../../spe/state.def"
#undef SECTION
#undef CONFIG
#undef VALUE
	};
	uint8_t image[SPE_IMAGE_MAX];
	struct fixture f;
	size_t size;

	scene(&f);
	size = spe_save(&f.unit, image, sizeof(image));
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
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
	eq(f.unit.config.seed, f.config.seed - 1);
}

/* What an image holds, after its head. */
static const char *const names[] = {
#define SECTION(minor, letters)	   #letters,
#define CONFIG(minor, field)	   "config." #field,
#define VALUE(minor, member, text) text,
#include "../../../spe/state.def"
#undef SECTION
#undef CONFIG
#undef VALUE
};

/* Where a value is, by the name that state.def gives it: the index-th of that name. */
static size_t place(const char *name, unsigned int index)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0 && index-- == 0)
			return 16 + 8 * i;
	cr_assert_fail("no value is called %s", name);
	return 0;
}

/* Values that a unit cannot come to, each alone in an image that is right otherwise. */
Test(state, impossible_values_are_refused_by_their_name)
{
	static const struct {
		const char *name;
		unsigned int index;
		uint64_t value;
		const char *blamed; /* NULL: by its own name */
	} table[] = {
		{"CONF", 0, 0, NULL},
		{"CONF", 0, 0x38ul << 32 | 0x464e4f44, NULL},
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

	scene(&f);
	size = spe_save(&f.unit, image, sizeof(image));
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
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

/* A held load, and what cannot go with it. */
Test(state, a_load_that_no_member_has_used)
{
	uint8_t image[SPE_IMAGE_MAX];
	struct fixture f;
	size_t size;

	fixture_init(&f, SPE_V1P2);
	eq(f.unit.hold, 1);
	size = spe_save(&f.unit, image, sizeof(image));
	eq(spe_budget(&f.unit), 0x101);
	spe_reset(&f.unit);
	eq(spe_restore(&f.unit, image, size, NULL), 0);
	eq(spe_budget(&f.unit), 0x101);
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

/* Refused or harmless: nothing changed, or a unit that works and is saved as the same bytes. */
static bool harmless(struct drive *d, const uint8_t *image, size_t size)
{
	static struct spe_unit before;
	uint8_t again[SPE_IMAGE_MAX];
	const char *field = NULL;
	int error;

	before = *d->unit;
	error = spe_restore(d->unit, image, size, &field);
	if (error) {
		eq(memcmp(&before, d->unit, sizeof(before)), 0);
		eq(field != NULL, error == -SPE_EIMAGEVALUE || error == -SPE_EIMAGECONFIG);
		return false;
	}
	cr_assert_null(field);
	eq(spe_save(d->unit, again, sizeof(again)), size);
	cr_assert_arr_eq(again, image, size);
	for (unsigned int i = 0; i < 40; i++)
		drive_step(d);
	*d->unit = before;
	return true;
}

/* Damage one image in the way that kind says; with, usually, a checksum that is right again. */
static size_t damage(uint8_t *image, size_t size, const uint8_t *other, uint64_t random)
{
	const size_t at = (size_t)(random >> 32) % size;
	const size_t value = at & ~(size_t)7;

	switch (random % 8) {
	case 0: return at;					  /* a truncation */
	case 1: memcpy(image + at, other + at, size - at); break; /* splices */
	case 2: memcpy(image, other, at); break;
	case 3: memcpy(image + value, other + value, 8); break;
	case 4: set_word(image, value, random >> 8); break;
	case 5: set_word(image, value, UINT64_MAX << (random >> 8 & 63)); break;
	default:
		for (unsigned int i = 0; i <= (random >> 8 & 3); i++) {
			const size_t bit = (at * 8 + i * (random >> 10 & 0xff)) % (8 * size);

			image[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
	}
	if (random >> 24 & 7)
		seal(image, size);
	return size;
}

Test(state, damaged_images_are_refused_or_harmless)
{
	unsigned int accepted = 0, refusals = 0;
	uint64_t random = 88172645463325252u;

	for (uint64_t seed = 1; seed <= 60; seed++) {
		uint8_t whole[SPE_IMAGE_MAX], other[SPE_IMAGE_MAX], image[SPE_IMAGE_MAX];
		static struct spe_unit unit;
		struct drive d;
		size_t size = 0;

		drive_init(&d, &unit, seed);
		for (unsigned int i = 0; i < 200; i++) {
			drive_step(&d);
			if (i == 80 + seed)
				size = spe_save(&unit, other, sizeof(other));
		}
		eq(spe_save(&unit, whole, sizeof(whole)), size);
		for (unsigned int i = 0; i < 200; i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			memcpy(image, whole, size);
			if (harmless(&d, image, damage(image, size, other, random)))
				accepted++;
			else
				refusals++;
		}
	}
	cr_assert(refusals > 1000 && accepted > 1000, "%u refused, %u accepted", refusals,
		  accepted);
}

/* docs/state.md says where each value is, and leaves none out. */
Test(state, the_document_has_every_value_at_its_place)
{
	size_t rows = 0, places = 0;
	char line[512], name[64];
	bool sections = false;
	FILE *file = fopen(VSPE_SOURCE_DIR "/docs/state.md", "r");

	cr_assert_not_null(file);
	while (fgets(line, sizeof(line), file)) {
		unsigned int offset, index, config;

		sections = sections || strncmp(line, "## Sections", 11) == 0;
		if (!sections)
			continue;
		if (sscanf(line, "| 0x%x | place %u |", &offset, &index) == 2) {
			eq(offset, place("flight.age", index));
			places++;
		} else if (sscanf(line, "| 0x%x | `%63[^`]` |", &offset, name) == 2) {
			const char *known = names[(offset - 16) / 8];

			config = strncmp(known, "config.", 7) == 0 ? 7 : 0;
			cr_assert_str_eq(name, known + config);
			rows++;
		}
	}
	(void)fclose(file);
	eq(places, 7);
	eq(rows + 10 * places, sizeof(names) / sizeof(names[0]));
}
