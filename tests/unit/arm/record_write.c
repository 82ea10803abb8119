/* SPDX-License-Identifier: BSD-2-Clause */
/* Records written page by page: where they are cut, and what of them is there after a fault. */
#include <string.h>

#include "../compare.h"
#include "arm/record_write.h"
#include "arm/syndrome.h"

#define PAGE 4096u

struct space {
	uint8_t memory[3 * PAGE];
	unsigned int calls, faults_at, missing_at; /* pages */
};

static struct space space;

static bool find(void *ctx, uint64_t address, size_t size, struct arm_translation *t,
		 uint8_t **host)
{
	struct space *s = ctx;

	s->calls++;
	cr_expect_gt(size, 0);
	cr_expect_eq(address / PAGE, (address + size - 1) / PAGE, "in one page");
	if (address / PAGE == s->faults_at) {
		*t = (struct arm_translation){
			.fault = true, .fsc = ARM_FSC_PERMISSION | 3, .stage2 = true};
		return false;
	}
	*host = address / PAGE == s->missing_at ? NULL : s->memory + address;
	return true;
}

static struct spe_write_result write_at(uint64_t address, size_t size)
{
	static uint8_t bytes[2 * PAGE + 128];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7 + 1);
	space.calls = 0;
	memset(space.memory, 0, sizeof(space.memory));
	return arm_write_record(&(struct arm_buffer_space){&space, find}, address, bytes, size);
}

/* So many bytes from address on, and none besides. */
static void expect_written(uint64_t address, size_t size)
{
	for (size_t i = 0; i < sizeof(space.memory); i++) {
		const uint8_t expected =
			i >= address && i < address + size ? (uint8_t)((i - address) * 7 + 1) : 0;

		cr_assert_eq(space.memory[i], expected, "byte %zu", i);
	}
}

/* RULE("D17.7.7/pages"), RULE("D17.7.7/device") */
Test(record_write, is_cut_at_pages)
{
	static const struct {
		uint64_t address;
		size_t size;
		unsigned int calls;
	} rows[] = {
		{0, 64, 1},	 {PAGE - 64, 64, 1},	     {PAGE - 63, 64, 2}, {PAGE - 1, 2, 2},
		{PAGE, PAGE, 1}, {PAGE - 64, PAGE + 128, 3}, {100, 2 * PAGE, 3}, {5, 0, 0},
	};

	space.faults_at = space.missing_at = 99;
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct spe_write_result r = write_at(rows[i].address, rows[i].size);

		cr_expect_eq(r.status, SPE_WRITE_OK);
		cr_expect_eq(r.written, rows[i].size);
		cr_expect_eq(space.calls, rows[i].calls, "row %u", i);
		expect_written(rows[i].address, rows[i].size);
	}
}

Test(record_write, stops_at_a_fault)
{
	struct spe_write_result r;

	space.faults_at = 1;
	space.missing_at = 99;
	r = write_at(PAGE - 16, 2 * PAGE);
	cr_expect_eq(r.status, SPE_WRITE_FAULT);
	cr_expect_eq(r.written, 16);
	cr_expect_eq(r.fsc, ARM_FSC_PERMISSION | 3);
	cr_expect(r.stage2);
	expect_written(PAGE - 16, 16);
	r = write_at(PAGE, 64);
	cr_expect_eq(r.status, SPE_WRITE_FAULT);
	cr_expect_eq(r.written, 0);
}

Test(record_write, finds_no_memory)
{
	struct spe_write_result r;

	space.faults_at = 99;
	space.missing_at = 2;
	r = write_at(2 * PAGE - 1, 64);
	cr_expect_eq(r.status, SPE_WRITE_EXTERNAL_ABORT);
	cr_expect_eq(r.written, 1);
	cr_expect_eq(r.fsc, ARM_FSC_EXTERNAL);
	cr_expect_not(r.stage2);
}

/*
 * RULE("RQJNFT"), RULE("RXBFCM") Bits from PAMax on fault; those above 48 bits of address, or 52
 * with FEAT_LPA or FEAT_LPA2, may be ignored.
 */
Test(record_write, addresses_that_stage_1_does_not_translate)
{
	static const struct {
		unsigned int pa_bits;
		bool lpa2_4k, lpa2_16k;
		unsigned int ignored_from;
	} rows[] = {
		{32, false, false, 48}, {48, false, false, 48}, {52, false, false, 52},
		{40, true, false, 52},	{40, false, true, 52},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct arm_walk_features features = {.lpa2_4k = rows[i].lpa2_4k,
							   .lpa2_16k = rows[i].lpa2_16k};

		for (unsigned int bit = 12; bit < 128; bit++) {
			const bool ignored = bit >= 64, high = bit % 64 >= rows[i].ignored_from;
			const uint64_t address = UINT64_C(1) << bit % 64 | 0xabc;
			struct arm_translation t = {0};
			uint64_t output = 0;

			if (bit % 64 < 12)
				continue;
			if (!arm_buffer_output(address, ignored, rows[i].pa_bits, &features,
					       &output, &t)) {
				cr_assert_geq(bit % 64, rows[i].pa_bits, "row %zu, bit %u", i, bit);
				cr_assert(!ignored || !high, "row %zu, bit %u", i, bit);
				cr_assert(t.fault);
				cr_assert_eq(t.fsc, ARM_FSC_ADDRESS_SIZE);
				cr_assert_not(t.stage2);
				continue;
			}
			if (!ignored || !high)
				cr_assert_lt(bit % 64, rows[i].pa_bits, "row %zu, bit %u", i, bit);
			cr_assert_eq(output, ignored && high ? 0xabc : address);
		}
	}
}
