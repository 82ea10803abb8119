/* SPDX-License-Identifier: BSD-2-Clause */
/* What words and registers say to a machine model, the value of --model, and what was counted. */
#include <stdlib.h>
#include <string.h>

#include "../compare.h"
#include "arm/model_counts.h"
#include "arm/model_facts.h"
#include "arm/model_mode.h"

Test(model_facts, cacheable)
{
	static const struct {
		uint8_t attr;
		bool cacheable;
	} rows[] = {{0xff, true},  {0x44, false}, {0x00, false}, {0x04, false},
		    {0x4f, false}, {0xf4, false}, {0xbb, true},	 {0x0c, false}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		cr_expect_eq(model_cacheable(rows[i].attr), rows[i].cacheable, "0x%x",
			     rows[i].attr);
}

Test(model_facts, bypassed)
{
	const uint64_t m = SCTLR_ELx_M, c = SCTLR_ELx_C, i = SCTLR_ELx_I;
	static const uint64_t dc = HCR_EL2_DC, tge = HCR_EL2_TGE;

	cr_assert_not(model_bypassed(m | c, 0, true));
	cr_assert(model_bypassed(m | i, 0, true));
	cr_assert(model_bypassed(c | i, 0, true));
	cr_assert(model_bypassed(m | c | i, tge, true));
	cr_assert_not(model_bypassed(0, dc, true));
	cr_assert_not(model_bypassed(i, 0, false));
	cr_assert(model_bypassed(m | c, 0, false));
	cr_assert_not(model_bypassed(0, dc, false));
}

#define LDR_X1_X2      0xf9400041u /* LDR X1, [X2] */
#define MRS_CYCLES_X0  0xd53b9d00u /* MRS X0, PMCCNTR_EL0 */
#define MRS_MIDR_X0    0xd5380000u
#define PRFM_L1_X0     0xf9800000u /* PRFM PLDL1KEEP, [X0] */
#define PRFM_CODE2_X0  0xf980000au /* PRFM PLIL2KEEP, [X0] */
#define PRFM_STORE3_X0 0xf9800014u /* PRFM PSTL3KEEP, [X0] */
#define PRFM_NONE_X0   0xf9800018u /* PRFM #24, [X0] */

static struct model_needs needs_of(uint32_t word)
{
	return model_needs_of(a64_decode(word), word);
}

Test(model_facts, needs)
{
	cr_assert_eq(needs_of(LDR_X1_X2).registers.reads, A64_SET_X(2));
	cr_assert_eq(needs_of(LDR_X1_X2).registers.writes, A64_SET_X(1));
	cr_assert_not(needs_of(LDR_X1_X2).alone);
	cr_assert(needs_of(MRS_CYCLES_X0).alone);
	cr_assert_not(needs_of(MRS_MIDR_X0).alone);
	cr_assert_eq(model_needs_of(NULL, LDR_X1_X2).registers.reads, 0);
}

Test(model_facts, prefetches)
{
	struct model_prefetch wanted;

	cr_assert(model_prefetches(a64_decode(PRFM_L1_X0)));
	cr_assert_not(model_prefetches(a64_decode(LDR_X1_X2)));
	cr_assert_not(model_prefetches(NULL));
	cr_assert(model_prefetch_of(PRFM_L1_X0, &wanted));
	cr_assert_not(wanted.code);
	cr_assert_eq(wanted.level, 1);
	cr_assert(model_prefetch_of(PRFM_CODE2_X0, &wanted));
	cr_assert(wanted.code);
	cr_assert_eq(wanted.level, 2);
	cr_assert(model_prefetch_of(PRFM_STORE3_X0, &wanted));
	cr_assert_not(wanted.code);
	cr_assert_eq(wanted.level, 3);
	cr_assert_not(model_prefetch_of(PRFM_NONE_X0, &wanted));
}

Test(model_mode, values)
{
	static const struct {
		const char *value;
		int result;
		uint32_t mode;
	} rows[] = {
		{"off", 0, MODEL_OFF}, {"warm", 0, MODEL_WARM}, {"full", 0, MODEL_FULL},
		{"sampled", -1, 0},    {"sampled=7", -1, 0},	{"warm=7", -1, 0},
		{"off,file", -1, 0},   {"ful", -1, 0},		{"", -1, 0},
	};
	struct model_wish wish;
	char what[128];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		what[0] = '\0';
		cr_assert_eq(model_wish_read(rows[i].value, &wish, what, sizeof(what)),
			     rows[i].result, "%s", rows[i].value);
		cr_assert_eq(what[0] != '\0', rows[i].result < 0, "%s", rows[i].value);
		if (rows[i].result < 0)
			continue;
		cr_assert_eq(wish.mode, rows[i].mode, "%s", rows[i].value);
		cr_assert_str_eq(model_mode_word(wish.mode), rows[i].value);
	}
}

static uint64_t told, cycles;

static void note_count(void *ctx, const char *name, uint64_t value)
{
	(void)ctx;
	told++;
	if (strcmp(name, "CPU_CYCLES") == 0)
		cycles = value;
}

/* Two cores, added up; the line has room for the largest numbers. */
Test(model_counts, added_and_told)
{
	const struct model_config config = model_config_of("generic");
	const struct model_ram ram = {0};
	void *memory = calloc(1, model_size(&config, 2, &ram));
	struct model *model;
	uint64_t counts[MODEL_COUNTS] = {0};
	char line[MODEL_COUNTS_LINE];

	cr_assert(memory);
	model = model_init(memory, &config, 2, &ram);
	model->cores[0].counts[MODEL_CPU_CYCLES] = 5;
	model->cores[1].counts[MODEL_CPU_CYCLES] = 7;
	model->cores[1].operations = 3;
	model_counts_add(model, counts);
	free(memory);
	model_counts_tell(counts, "full", NULL, note_count);
	cr_assert_eq(told, MODEL_COUNTS);
	cr_assert_eq(cycles, 12);
	cr_assert_eq(counts[MODEL_EVENTS], 3);
	model_counts_line(counts, "full", line, sizeof(line));
	cr_assert_str_begins(line, "model full: ");
	cr_assert_str_has(line, " of 3 operations: ");
	cr_assert_str_has(line, " CPU_CYCLES 12 ");
	memset(counts, 0xff, sizeof(counts));
	model_counts_line(counts, "full", line, sizeof(line));
	cr_assert_lt(strlen(line), sizeof(line) - 1);
	model_counts_line(counts, "warm", line, sizeof(line));
	cr_assert_str_has(line, " of all operations: ");
	cr_assert_str_has(line, " L1D_CACHE_REFILL ");
	cr_assert_str_lacks(line, "CYCLES", "of no order");
	cr_assert_str_lacks(line, "STALL", "of no order");
	cr_assert_str_lacks(line, " L1D_CACHE ", "of misses alone");
	cr_assert_str_lacks(line, "BR_", "of misses alone");
}
