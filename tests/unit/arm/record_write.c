/* SPDX-License-Identifier: BSD-2-Clause */
/* Records written page by page: where they are cut, and what of them is there after a fault. */
#include <criterion/criterion.h>
#include <string.h>

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
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
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
