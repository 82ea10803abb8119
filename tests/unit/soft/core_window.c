/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pipeline of --model warm: it has the operations of a window before each sample, which is as
 * long as any queue. In code whose loads keep missing, what is older has no part in a latency, and
 * latencies are those of --model full.
 */
#include "../compare.h"
#include "core_support.h"
#include "soft/cpu.h"
#include "soft/model/model.h"
#include "soft/tuning.h"

#include <string.h>

#define BEGIN	 (CODE + sizeof(program_mmu_on))
#define INTERVAL 256
#define RECORD	 64
#define SAMPLES	 200

/* X0 goes through 64 KB by 65 lines at a time, which no prefetcher follows. */
static const uint32_t program_missing[] = {
	0xf8606a82, /* ldr x2, [x20, x0] */
	0x91000443, /* add x3, x2, #1: waits for the load */
	0x91400400, /* add x0, x0, #1, lsl #12 */
	0x91010000, /* add x0, x0, #64 */
	0x92403c00, /* and x0, x0, #0xffff */
	0x927ae400, /* and x0, x0, #0xffffffffffffffc0 */
	0x8b040084, /* add x4, x4, x4 */
	0x17fffff9, /* b .-28 */
};

/* Headers of counter packets: the total and the issue latency. */
enum { TOTAL = 0x98, ISSUE = 0x99 };

static unsigned int latency_of(const uint8_t *record, uint8_t which)
{
	for (const uint8_t *p = record; p<record + RECORD && * p> 1; p += 1 + (1 << (*p >> 4 & 3)))
		if (*p == which)
			return p[1] | (unsigned int)p[2] << 8;
	return 0;
}

static struct core_machine *run_missing(enum model_mode mode, uint64_t pieces)
{
	struct engine_tuning tuning = {.model.mode = mode, .machine = model_default};
	struct core_machine *m;

	tuning.machine.l1d_size = 4096;
	tuning.machine.l2_size = 8192;
	tuning.machine.llc_size = 16384;
	m = core_new((struct core_options){.spe = true, .model = &tuning});
	core_map(m, RAM_BASE + RAM_SIZE);
	CORE_LOAD(m, CODE, program_mmu_on);
	CORE_LOAD(m, BEGIN, program_missing);
	core_set(m, 20, DATA);
	core_profile(m, INTERVAL);
	for (uint64_t left = ARRAY_SIZE(program_mmu_on) + (INTERVAL + 1) * SAMPLES; left > 0;) {
		const uint64_t piece = left < pieces ? left : pieces;

		core_run(m, piece);
		left -= piece;
	}
	return m;
}

Test(core_window, a_busy_pipeline_is_that_of_full)
{
	struct core_machine *full = run_missing(MODEL_FULL, UINT64_MAX);
	struct core_machine *warm = run_missing(MODEL_WARM, UINT64_MAX);
	unsigned int waited = 0, samples = 0;

	cr_assert_eq(full->record_bytes, warm->record_bytes);
	for (size_t n = RECORD; n < full->record_bytes; n += RECORD) {
		const uint8_t *f = full->records + n, *w = warm->records + n;

		cr_expect_eq(latency_of(w, TOTAL), latency_of(f, TOTAL), "record %zu", n / RECORD);
		cr_expect_eq(latency_of(w, ISSUE), latency_of(f, ISSUE), "record %zu", n / RECORD);
		waited += latency_of(w, ISSUE) > model_default.issue;
		samples++;
	}
	cr_expect_gt(samples, SAMPLES / 2);
	cr_expect_gt(waited, samples / 2, "%u of %u waited", waited, samples);
	core_free(full);
	core_free(warm);
}

/* A run that ends anywhere in a window goes on in it. */
Test(core_window, runs_in_pieces)
{
	struct core_machine *whole = run_missing(MODEL_WARM, UINT64_MAX);

	for (uint64_t pieces = 1; pieces < 2 * SOFT_MODEL_WINDOW; pieces += 13) {
		struct core_machine *m = run_missing(MODEL_WARM, pieces);

		cr_assert_eq(m->record_bytes, whole->record_bytes);
		cr_expect_arr_eq(m->records, whole->records, m->record_bytes, "pieces of %lu",
				 (unsigned long)pieces);
		core_free(m);
	}
	core_free(whole);
}
