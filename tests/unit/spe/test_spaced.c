/* SPDX-License-Identifier: BSD-2-Clause */
/* spe_sample_spaced(): many operations at once have the effect of one after the other. */
#include "drive.h"
#include "fixture.h"

#include "../../../spe/unit.h"

#define OPS   24u
#define IMAGE 8192u

static void one_by_one(struct spe_unit *unit, uint64_t members, const struct spe_op *const ops[],
		       size_t n)
{
	const uint64_t spacing = spe_spacing_fixed(unit);

	for (size_t i = 0; i < n; i++) {
		if (spe_advance(unit, i ? spacing : members) == SPE_SELECTED)
			spe_sample(unit, ops[i]);
	}
}

static void same_units(const struct spe_unit *one, const struct spe_unit *other)
{
	static uint8_t images[2][IMAGE];
	const struct spe_stats stats[2] = {stats_of(one), stats_of(other)};
	const size_t size = spe_save(one, images[0], IMAGE);

	cr_assert_gt(size, 0);
	cr_assert_leq(size, IMAGE);
	eq(spe_save(other, images[1], IMAGE), size);
	cr_assert_arr_eq(images[0], images[1], size);
	cr_assert_arr_eq(&stats[0], &stats[1], sizeof(stats[0]));
	eq(spe_budget(one), spe_budget(other));
}

/* Loads, branches of both outcomes and plain operations. */
static void make_ops(struct spe_op ops[OPS], const struct spe_op *pointers[OPS])
{
	for (unsigned int i = 0; i < OPS; i++) {
		ops[i] = fixture_load();
		ops[i].pc += 4 * (uint64_t)i | (i % 2 ? UINT64_C(0x5a) << 56 : 0);
		ops[i].timestamp += i;
		ops[i].total_latency = (uint16_t)(5 + i / 8);
		if (i % 4 != 0) {
			ops[i].flags = i % 4 == 1   ? SPE_OP_BRANCH | SPE_OP_TAKEN
				       : i % 4 == 2 ? SPE_OP_BRANCH | SPE_OP_NOT_TAKEN
						    : 0;
			ops[i].type_header = i % 4 == 3 ? SPE_TYPE_OTHER : SPE_TYPE_BRANCH;
		}
		pointers[i] = &ops[i];
	}
}

/* The usual records: there is a shorter way for those. */
static void start(struct fixture *f, enum spe_version version)
{
	fixture_init(f, version);
	f->config.mte = f->config.gcs = f->config.pbt = false;
	fixture_start(f);
	cr_assert_not(unit_of(&f->unit)->format.unusual);
}

/* Nobody listens to its PMU events. */
static void unwatched(struct spe_unit *unit)
{
	unit_of(unit)->host.pmu_event = NULL;
	unit_of(unit)->watched = 0;
}

/* The same fixture twice, one of them with all operations at once. Returns the records written. */
static uint64_t compare(struct fixture *one, bool counted, uint64_t members, size_t n)
{
	static struct fixture other;
	const struct spe_op *pointers[OPS];
	struct spe_op ops[OPS];
	uint64_t before = stats_of(&one->unit).records;

	make_ops(ops, pointers);
	if (!counted)
		unwatched(&one->unit);
	other = *one;
	unit_of(&other.unit)->host.ctx = &other;
	spe_sample_spaced(&one->unit, members, pointers, n);
	one_by_one(&other.unit, members, pointers, n);
	same_units(&one->unit, &other.unit);
	cr_assert_leq(one->writes, other.writes);
	eq(one->last_el, other.last_el);
	eq(one->serrors, other.serrors);
	cr_assert_arr_eq(one->buffer, other.buffer, sizeof(one->buffer));
	cr_assert_arr_eq(one->base_events, other.base_events, sizeof(one->base_events));
	cr_assert_arr_eq(one->feed_events, other.feed_events, sizeof(one->feed_events));
	return stats_of(&one->unit).records - before;
}

Test(spaced, writes_the_records)
{
	struct fixture f;

	for (unsigned int counted = 0; counted < 2; counted++) {
		start(&f, SPE_V1P5);
		spe_write(&f.unit, SYSREG_PMSCR_EL1, E0SPE | E1SPE | CX | PA | TS);
		eq(compare(&f, counted, spe_budget(&f.unit), OPS), OPS);
		eq(spe_budget(&f.unit), 0x101);
		eq(compare(&f, counted, spe_budget(&f.unit), OPS), OPS);
		/* None is selected at the claimed place of the first. */
		eq(compare(&f, counted, spe_budget(&f.unit) - 1, 3), 2);
		eq(compare(&f, counted, 1, 0), 0);
	}
}

Test(spaced, ends_with_the_buffer)
{
	struct fixture f;

	for (unsigned int room = 1; room <= OPS + 1; room += 4) {
		start(&f, SPE_V1P5);
		spe_write(&f.unit, SYSREG_PMBPTR_EL1, BUFFER_VA + BUFFER_SIZE - 64 * room);
		eq(compare(&f, false, spe_budget(&f.unit), OPS), room < OPS ? room : OPS);
		eq(spe_enabled(&f.unit), room > OPS);
	}
}

Test(spaced, reports_a_write_that_fails)
{
	const struct spe_write_result results[] = {
		fixture_fault(0, 7, false), fixture_fault(20, 7, true), fixture_abort(0, false),
		fixture_abort(63, true), fixture_abort(64, true)};
	struct fixture f;

	for (unsigned int i = 0; i < 5; i++) {
		for (unsigned int choice = 0; choice < 4; choice++) {
			start(&f, choice > 1 ? SPE_V1P5 : SPE_V1P2);
			f.config.external_abort = (enum spe_external_abort)choice;
			f.config.fault_lag = choice > 1 ? 2 : 0;
			fixture_start(&f);
			eq(compare(&f, false, spe_budget(&f.unit), 3), 3);
			f.fail = results[i];
			/* It failed with nothing left: so it was the last of one record. */
			(void)compare(&f, false, spe_budget(&f.unit), i == 4 ? 1 : OPS);
		}
	}
}

/* In Discard mode, filtered out, not captured, while another is in flight, or disabled. */
Test(spaced, does_what_the_unit_says)
{
	struct fixture f;

	start(&f, SPE_V1P5);
	spe_write(&f.unit, SYSREG_PMBLIMITR_EL1,
		  (BUFFER_VA + BUFFER_SIZE) | LIMIT_E | LIMIT_DISCARD);
	eq(compare(&f, false, spe_budget(&f.unit), OPS), 0);
	eq(stats_of(&f.unit).discarded, OPS);

	start(&f, SPE_V1P5);
	spe_write(&f.unit, SYSREG_PMSFCR_EL1, 1u << 1 | 1u << 17); /* FT, LD */
	eq(compare(&f, false, spe_budget(&f.unit), OPS), OPS / 4);

	start(&f, SPE_V1P5);
	unit_of(&f.unit)->not_captured = SPE_OP_BRANCH;
	eq(compare(&f, false, spe_budget(&f.unit), OPS), OPS / 2);
	eq(stats_of(&f.unit).not_captured, OPS / 2);

	start(&f, SPE_V1P5);
	f.config.lifetime = 0x101;
	fixture_start(&f);
	eq(compare(&f, false, spe_budget(&f.unit), OPS), OPS / 2);
	eq(stats_of(&f.unit).collisions, OPS / 2);

	start(&f, SPE_V1P5);
	eq(fixture_select(&f), SPE_SELECTED); /* and not sampled yet: it comes next */
	eq(compare(&f, false, spe_budget(&f.unit), OPS), 0);

	start(&f, SPE_V1P5);
	spe_write(&f.unit, SYSREG_PMSCR_EL1, 0);
	eq(compare(&f, false, 0x101, OPS), 0);
}

/*
 * A host that does not distinguish records: what is written where, and the address from which on
 * writes fail.
 */
struct bytes {
	struct drive drive;
	uint64_t digest, count, end;
	struct spe_write_result failure;
};

static struct spe_write_result write_bytes(void *ctx, uint8_t owning_el, uint64_t va,
					   const uint8_t *bytes, size_t size)
{
	struct bytes *host = ctx; /* its drive is the first member */
	struct spe_write_result result = {.status = SPE_WRITE_OK, .written = size};

	if (host->end - va < size) {
		result = host->failure;
		result.written = (size_t)(host->end - va);
		host->end = UINT64_MAX;
	}
	for (size_t i = 0; i < result.written; i++)
		host->digest = (host->digest ^ (va + i) ^ (uint64_t)bytes[i] << 32 ^
				(uint64_t)owning_el << 48) *
			       UINT64_C(0x9e3779b97f4a7c15);
	host->count += result.written;
	return result;
}

/* The same again, with writes that fail at any byte of the first record or a later one. */
Test(spaced, fails_at_any_byte)
{
	static struct spe_unit units[2];
	static struct bytes hosts[2];
	const struct spe_op *pointers[OPS];
	struct spe_op ops[OPS];
	uint64_t count = 0, failed = 0;

	make_ops(ops, pointers);
	for (uint64_t seed = 1; seed <= 3000; seed++) {
		size_t most;

		drive_init(&hosts[0].drive, &units[0], seed);
		drive_init(&hosts[1].drive, &units[1], seed);
		for (unsigned int step = 0; step < seed % 50; step++) {
			drive_step(&hosts[0].drive);
			drive_step(&hosts[1].drive);
		}
		for (unsigned int n = 0; n < 2; n++) {
			unit_of(&units[n])->host.write = write_bytes;
			unwatched(&units[n]);
			hosts[n].failure = (struct spe_write_result){
				.status = seed % 3 ? SPE_WRITE_FAULT : SPE_WRITE_EXTERNAL_ABORT,
				.fsc = 7};
			hosts[n].end = unit_of(&units[n])->pmbptr + seed % 700;
			hosts[n].digest = hosts[n].count = 0;
		}
		most = spe_spacing_fixed(&units[0]) ? OPS : 1;
		spe_sample_spaced(&units[0], spe_budget(&units[0]), pointers, most);
		one_by_one(&units[1], spe_budget(&units[1]), pointers, most);
		eq(hosts[0].digest, hosts[1].digest);
		eq(hosts[0].count, hosts[1].count);
		same_units(&units[0], &units[1]);
		count += hosts[0].count;
		failed += hosts[0].end == UINT64_MAX;
	}
	cr_assert_gt(count, 10000);
	cr_assert_gt(failed, 50);
}

/* Any unit in any state, with and without a listener for events. */
Test(spaced, is_the_same_in_any_state)
{
	static struct spe_unit units[2];
	static struct bytes hosts[2];
	const struct spe_op *pointers[OPS];
	struct spe_op ops[OPS];
	uint64_t bytes = 0;

	make_ops(ops, pointers);
	for (uint64_t seed = 1; seed <= 300; seed++) {
		for (unsigned int n = 0; n < 2; n++) {
			drive_init(&hosts[n].drive, &units[n], seed);
			unit_of(&units[n])->host.write = write_bytes;
			hosts[n].end = UINT64_MAX;
			if (seed % 4)
				unwatched(&units[n]);
		}
		for (unsigned int step = 0; step < 40; step++) {
			const uint64_t budget = spe_budget(&units[0]);
			const size_t most = spe_spacing_fixed(&units[0]) ? OPS : 1;

			if (budget != UINT64_MAX && step % 8 == 7) {
				spe_sample_spaced(&units[0], budget, pointers, most);
				one_by_one(&units[1], budget, pointers, most);
			} else {
				drive_step(&hosts[0].drive);
				drive_step(&hosts[1].drive);
			}
			eq(hosts[0].digest, hosts[1].digest);
			eq(hosts[0].drive.digest, hosts[1].drive.digest);
			same_units(&units[0], &units[1]);
		}
		bytes += hosts[0].count;
	}
	cr_assert_gt(bytes, 64 * 1000);
}
