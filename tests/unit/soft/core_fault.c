/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults in the middle of a block: exact addresses, exact counts, nothing half done.
 */
#include "../compare.h"
#include "core_support.h"

#include <string.h>

#define ESR_DATA_ABORT_EL1 (UINT64_C(0x25) << 26 | UINT64_C(1) << 25)
#define ISS_WNR		   (UINT64_C(1) << 6)

static struct core_machine *mapped(const uint32_t *program, size_t count, uint64_t hole)
{
	struct core_machine *m = core_new((struct core_options){0});

	CORE_LOAD(m, CODE, program_mmu_on);
	core_load(m, CODE + sizeof(program_mmu_on), program, count);
	CORE_LOAD(m, VECTORS + VECTOR_SYNC, program_report);
	core_map(m, hole);
	core_set(m, 5, UINT64_C(0x1111111111111111));
	core_set(m, 6, UINT64_C(0x2222222222222222));
	return m;
}

/* program is an addition, a store at x7 that faults at far, another addition. */
static void check_store(const uint32_t *program, size_t count, uint64_t x7, uint64_t far)
{
	struct core_machine *m = mapped(program, count, far & ~UINT64_C(0xfff));
	const uint64_t before = sizeof(program_mmu_on) / 4;

	core_set(m, 7, x7);
	cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_HVC);
	cr_assert_eq(m->exit.call_imm, 1);
	cr_assert_eq(core_get(m, 20), far);
	cr_assert_eq(core_get(m, 21),
		     ESR_DATA_ABORT_EL1 | ISS_WNR | 0x7); /* translation, level 3 */
	cr_assert_eq(core_get(m, 22), CODE + sizeof(program_mmu_on) + 4);
	cr_assert_eq(core_get(m, 7), x7, "the base was written back");
	cr_assert_eq(core_get(m, 10), 1);
	cr_assert_eq(core_get(m, 11), 0);
	cr_assert_eq(core_read(m, (x7 & ~UINT64_C(0xfff)) - 8), 0);
	for (uint64_t pa = (far & ~UINT64_C(0xfff)) - 32; pa < far; pa += 8)
		cr_assert_eq(core_read(m, pa), 0, "the page before was written");
	/* the faulting store counts: the addition, it, three MRS and the HVC */
	cr_assert_eq(engine_soft.vcpu_ops(m->cpu[0]), before + 2 + 4);
	core_free(m);
}

Test(core_fault, pair_across_pages_writes_nothing)
{
	check_store(program_pair_across, 4, DATA + 0x1000, DATA + 0x1000);
}

Test(core_fault, unaligned_store_across_pages_writes_nothing)
{
	check_store(program_store_across, 4, DATA + 0x1000 - 3, DATA + 0x1000);
}

/* A store that misses altogether reports its own address. */
Test(core_fault, store_to_nothing)
{
	check_store(program_store_across, 4, DATA + 0x1010, DATA + 0x1010);
}

/* SCTLR_EL1.SA: SP that is the base of an access has to be a multiple of 16 (D1.8.2). */
Test(core_fault, sp_alignment)
{
	struct core_machine *m = mapped(program_sp_access, 5, 0);

	core_set(m, 4, 0x30d00809); /* SCTLR_EL1: M, SA */
	cr_assert_eq(core_run(m, 1000), ENGINE_EXIT_HVC);
	cr_assert_eq(m->exit.call_imm, 1);
	cr_assert_eq(core_get(m, 21), UINT64_C(0x26) << 26 | UINT64_C(1) << 25);
	cr_assert_eq(core_get(m, 22), CODE + sizeof(program_mmu_on) + 16);
	core_free(m);
}

static struct core_machine *profiled_aborts(bool single_step, uint64_t chunk)
{
	struct core_machine *m =
		core_new((struct core_options){.single_step = single_step, .spe = true});

	CORE_LOAD(m, CODE, program_abort_loop);
	CORE_LOAD(m, VECTORS + VECTOR_SYNC, program_skip_handler);
	core_set(m, 2, DATA);
	core_set(m, 4, 0x10); /* nothing there: external abort */
	core_set(m, 8, VECTORS);
	core_profile(m, 256);
	for (uint64_t ops = 0; ops < 200000; ops += chunk)
		cr_assert_eq(core_run(m, chunk < 200000 - ops ? chunk : 200000 - ops),
			     ENGINE_EXIT_BUDGET);
	return m;
}

/* The same operations are sampled, at the same times, however execution is cut up. */
Test(core_fault, samples_survive_aborts)
{
	static const uint64_t chunks[] = {200000, 10007, 999, 31};
	struct core_machine *reference = profiled_aborts(true, 200000);

	/* INTERVAL x 256 + 1 operations apart, the first after 256: D17.3 */
	cr_assert_eq(reference->record_bytes, 64 * ((200000 - 256) / 257 + 1));
	for (size_t n = 0; n < ARRAY_SIZE(chunks); n++) {
		struct core_machine *m = profiled_aborts(false, chunks[n]);

		cr_assert_eq(engine_soft.vcpu_ops(m->cpu[0]), 200000);
		cr_assert(core_same(m, reference));
		cr_assert_eq(m->record_bytes, reference->record_bytes);
		cr_assert_arr_eq(m->records, reference->records, m->record_bytes, "in chunks of %d",
				 (int)chunks[n]);
		core_free(m);
	}
	core_free(reference);
}
