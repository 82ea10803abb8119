/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spe_save() and spe_restore(): a unit that was saved and restored does what it would have done;
 * an image that no unit made is refused, and nothing has changed then.
 */
#include "drive.h"

#include "../../../spe/unit.h"
#include "image.h"
#include <stdio.h>

#define RUNS  100
#define STEPS 300

/* A unit like another, but new. */
static void fresh(struct spe_unit *unit, const struct spe_unit *like, struct drive *d)
{
	struct spe_config config = unit_in(like)->config;
	struct spe_host host = drive_host(d, unit_in(like)->host.random != NULL);

	memset(unit, 0xa5, sizeof(*unit));
	config.seed = 12345; /* is part of what is saved */
	eq(spe_init(unit, sizeof(*unit), &config, &host), 0);
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

	cr_assert_eq(a->digest, b->digest, "seed %llu, step %u", (unsigned long long)seed, step);
	cr_assert_eq(a->dice, b->dice, "seed %llu, step %u", (unsigned long long)seed, step);
	eq(spe_budget(a->unit), spe_budget(b->unit));
	const struct spe_stats mine = stats_of(a->unit), other = stats_of(b->unit);

	eq(memcmp(&mine, &other, sizeof(mine)), 0);
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
	cr_assert_gt(records, 10 * RUNS,
		     "%llu records, %llu events, %llu interrupts: too little to see anything",
		     (unsigned long long)records, (unsigned long long)events,
		     (unsigned long long)interrupts);
	cr_assert_gt(events, 1000 * RUNS,
		     "%llu records, %llu events, %llu interrupts: too little to see anything",
		     (unsigned long long)records, (unsigned long long)events,
		     (unsigned long long)interrupts);
	cr_assert_gt(interrupts, RUNS,
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

	fixture_scene(&f);
	size = spe_save(&f.unit, image, sizeof(image));
	eq(kept("1.4", expected), size);
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

/* An image of an older version: the image of now is made of it. */
static void becomes_an_image_of_now(struct fixture *f, const char *version)
{
	uint8_t image[SPE_IMAGE_MAX], again[SPE_IMAGE_MAX], expected[SPE_IMAGE_MAX];
	size_t size = kept(version, image);

	fixture_scene(f);
	spe_reset(&f->unit);
	eq(spe_restore(&f->unit, image, size, NULL), 0);
	size = spe_save(&f->unit, again, sizeof(again));
	eq(kept("1.4", expected), size);
	cr_assert_arr_eq(again, expected, size);
}

/* Version 1.1 had no high_address: it is as before. */
Test(state, an_image_of_version_1_1)
{
	struct fixture f;

	becomes_an_image_of_now(&f, "1.1");
}

/* Version 1.2 had no layout: records are as before. */
Test(state, an_image_of_version_1_2)
{
	uint8_t image[SPE_IMAGE_MAX];
	struct fixture f;
	size_t size;

	becomes_an_image_of_now(&f, "1.2");
	f.config.layout = SPE_LAYOUT_NEOVERSE;
	f.config.max_size = 6;
	f.config.pbt = false;
	fixture_start(&f);
	size = kept("1.2", image);
	eq(spe_restore(&f.unit, image, size, NULL), -SPE_EIMAGECONFIG);
}

/* Version 1.3 had none of the choices by which J1's pseudocode differs from the text. */
Test(state, an_image_of_version_1_3)
{
	struct fixture f;

	becomes_an_image_of_now(&f, "1.3");
}

/* Version 1.0 had no counts but that of the population. */
Test(state, an_image_of_an_older_minor_version)
{
	static struct fixture was, is;
	uint8_t image[SPE_IMAGE_MAX];
	size_t size = kept("1.0", image);

	fixture_scene(&was);
	fixture_scene(&is);
	spe_reset(&is.unit);
	eq(spe_restore(&is.unit, image, size, NULL), 0);
	eq(stats_of(&is.unit).population, stats_of(&was.unit).population);
	eq(stats_of(&was.unit).feed, 1);
	eq(stats_of(&is.unit).feed, 0);
	eq(stats_of(&was.unit).bytes, 64);
	eq(stats_of(&is.unit).bytes, 0);
	eq(spe_budget(&is.unit), spe_budget(&was.unit));
	go_on(&was);
	go_on(&is);
	cr_assert_gt(was.writes, 4);
	eq(is.writes, was.writes);
	eq(is.base_events[3], was.base_events[3]);
	cr_assert_gt(was.base_events[3], 0, "no collision");
	cr_assert_arr_eq(is.buffer, was.buffer, sizeof(is.buffer));
	eq(stats_of(&is.unit).records, stats_of(&was.unit).records - 1);
}

Test(state, too_small_a_buffer_is_answered_with_the_size)
{
	uint8_t image[SPE_IMAGE_MAX];
	struct fixture f;
	size_t size;

	fixture_scene(&f);
	size = spe_save(&f.unit, NULL, 0);
	cr_assert_gt(size, 1000);
	cr_assert_leq(size, SPE_IMAGE_MAX);
	memset(image, 0x77, sizeof(image));
	eq(spe_save(&f.unit, image, size - 1), size);
	for (size_t i = 0; i < sizeof(image); i++)
		eq(image[i], 0x77);
	eq(spe_save(&f.unit, image, size), size);
	eq(image[0], 'V');
	eq(image[size], 0x77);
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
	cr_assert_gt(refusals, 1000, "%u refused, %u accepted", refusals, accepted);
	cr_assert_gt(accepted, 1000, "%u refused, %u accepted", refusals, accepted);
}
