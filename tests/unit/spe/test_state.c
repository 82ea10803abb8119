/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spe_save() and spe_restore(): a unit that was saved and restored does what it would have done;
 * an image that no unit made is refused, and nothing has changed then.
 */
#include "drive.h"
#include "fixture.h"
#include <stdio.h>

#define RUNS  200
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
	eq(a->unit->stats.population, b->unit->stats.population);
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
 * A unit with something in every section: v1p5, three operations in flight of which one was sampled,
 * in the middle of an interval with a random tail, a previous branch target, an event of EL1 that
 * waits in PMBSR_EL1 and then was cleared.
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
	eq(kept("1.0", expected), size);
	cr_assert_arr_eq(image, expected, size);
}
