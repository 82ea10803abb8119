/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loops that vspe bench times. The including file defines how to call a function of libvspe:
 * CALL(f) is f where it is linked in, and a pointer to it where it is in libvspe.so.
 *
 * The yardstick is a plain store of 64 bytes, through the same callback and into the same buffer as
 * the records. What remains in the ratio is the cost of making a record.
 */
#ifndef VSPE_CLI_BENCH_LOOPS_H
#define VSPE_CLI_BENCH_LOOPS_H

#include <stdint.h>

#include "cli/bench.h"

static void enable_unit(struct bench *b, uint64_t interval)
{
	struct spe_unit *unit = &b->unit;

	CALL(spe_write)(unit, SYSREG_PMSCR_EL1, 0);
	CALL(spe_write)(unit, SYSREG_PMBPTR_EL1, BENCH_BUFFER_BASE);
	CALL(spe_write)(unit, SYSREG_PMBLIMITR_EL1, (BENCH_BUFFER_BASE + BENCH_BUFFER_SIZE) | 1);
	CALL(spe_write)(unit, SYSREG_PMBSR_EL1, 0);
	CALL(spe_write)(unit, SYSREG_PMSICR_EL1, 0);
	CALL(spe_write)(unit, SYSREG_PMSIRR_EL1, interval << 8);
	/* TS, PA, E1SPE: with contexts the record would still have 64 bytes. */
	CALL(spe_write)(unit, SYSREG_PMSCR_EL1, 1u << 5 | 1u << 4 | 1u << 3 | 1u << 1);
	CALL(spe_update)(unit, &b->controls);
}

static double time_stores(struct bench *b, uint64_t *sink)
{
	struct spe_write_result (*volatile write)(void *, uint8_t, uint64_t, const uint8_t *,
						  size_t) = b->host.write;
	uint8_t bytes[BENCH_RECORD_SIZE] = {0};
	uint64_t offset = 0;
	double start = bench_cpu_now();

	for (unsigned int i = 0; i < BENCH_CALLS; i++) {
		bytes[i % BENCH_RECORD_SIZE] = (uint8_t)i;
		*sink += write(b, 1, BENCH_BUFFER_BASE + offset, bytes, BENCH_RECORD_SIZE).written;
		offset = (offset + BENCH_RECORD_SIZE) % BENCH_BUFFER_SIZE;
	}
	return bench_cpu_now() - start;
}

static double time_records(struct bench *b, uint64_t *sink)
{
	struct spe_op op = {
		.pc = UINT64_C(0xffff800000001000),
		.data_va = UINT64_C(0xffff800000100000),
		.data_pa = 0x41000000,
		.events = 0x16,
		.contextidr_el1 = 42,
		.flags = SPE_OP_LOAD | SPE_OP_VA_VALID | SPE_OP_PA_VALID,
		.total_latency = 12,
		.issue_latency = 4,
		.translation_latency = 2,
		.type_header = 0x49,
		.el = 1,
		.ns = true,
	};
	struct spe_stats stats = {0};
	double spent = 0;

	enable_unit(b, 1);
	for (unsigned int left = BENCH_CALLS; left > 0;) {
		/*
		 * One buffer's worth at a time, so that it never fills and profiling never stops.
		 */
		unsigned int batch = (unsigned int)(BENCH_BUFFER_SIZE / BENCH_RECORD_SIZE) - 2;

		if (batch > left)
			batch = left;
		CALL(spe_write)(&b->unit, SYSREG_PMBPTR_EL1, BENCH_BUFFER_BASE);
		double start = bench_cpu_now();
		for (unsigned int i = 0; i < batch; i++) {
			CALL(spe_advance)(&b->unit, CALL(spe_budget)(&b->unit));
			op.pc += 4;
			op.timestamp += 257;
			CALL(spe_sample)(&b->unit, &op);
		}
		spent += bench_cpu_now() - start;
		left -= batch;
	}
	CALL(spe_stats)(&b->unit, &stats);
	*sink += stats.records;
	return spent;
}

static double time_advance(struct bench *b, uint64_t *sink)
{
	enable_unit(b, 0xffffff);
	double start = bench_cpu_now();

	for (unsigned int i = 0; i < BENCH_CALLS; i++)
		*sink += (uint64_t)CALL(spe_advance)(&b->unit, 1 + (i & 7)) +
			 CALL(spe_budget)(&b->unit);
	return bench_cpu_now() - start;
}

static double time_register(struct bench *b, uint64_t *sink)
{
	double start = bench_cpu_now();

	for (unsigned int i = 0; i < BENCH_CALLS / 2; i++) {
		CALL(spe_write)(&b->unit, SYSREG_PMSLATFR_EL1, i & 0xfff);
		*sink += CALL(spe_read)(&b->unit, SYSREG_PMSLATFR_EL1);
	}
	return bench_cpu_now() - start;
}

/*
 * What a hypervisor does for each trapped access: a driver's registers in turn, alternately read
 * and written.
 */
static double time_access(struct bench *b, uint64_t *sink)
{
	static const uint8_t registers[] = {
		SYSREG_PMSCR_EL1,  SYSREG_PMSNEVFR_EL1, SYSREG_PMSICR_EL1,    SYSREG_PMSIRR_EL1,
		SYSREG_PMSFCR_EL1, SYSREG_PMSEVFR_EL1,	SYSREG_PMSLATFR_EL1,  SYSREG_PMSIDR_EL1,
		SYSREG_PMBPTR_EL1, SYSREG_PMBSR_EL1,	SYSREG_PMBLIMITR_EL1, SYSREG_PMBIDR_EL1,
	};
	const unsigned int count = sizeof(registers) / sizeof(registers[0]);
	unsigned int next = 0;
	bool write = false;
	double start = bench_cpu_now();

	for (unsigned int i = 0; i < BENCH_CALLS; i++) {
		struct sysreg_access access = {
			.reg = (enum sysreg_id)registers[next],
			.write = write && registers[next] != SYSREG_PMSIDR_EL1 &&
				 registers[next] != SYSREG_PMBIDR_EL1,
			.rt = i & 31,
		};
		uint64_t value = 0;

		*sink += CALL(spe_access)(&b->unit, &b->controls, access, &value).syndrome + value;
		if (++next == count) {
			next = 0;
			write = !write;
		}
	}
	return bench_cpu_now() - start;
}

static double time_route(struct bench *b, uint64_t *sink)
{
	struct sysreg_controls controls[4];

	for (unsigned int i = 0; i < 4; i++) {
		controls[i] = b->controls;
		controls[i].features |= SYSREG_FEAT_EL2 | SYSREG_FEAT_EL3 | SYSREG_FEAT_FGT |
					SYSREG_FEAT_FGT2 | SYSREG_FEAT_NV | SYSREG_FEAT_NV2 |
					SYSREG_FEAT_VHE;
		controls[i].scr_el3 = 1; /* NS */
		controls[i].mdcr_el3 = UINT64_C(3) << SYSREG_MDCR_EL3_NSPB_LSB;
		controls[i].mdcr_el2 = UINT64_C(3) << SYSREG_MDCR_EL2_E2PB_LSB;
		controls[i].el = (uint8_t)(1 + (i & 1));
	}
	controls[2].mdcr_el2 |= UINT64_C(1) << SYSREG_MDCR_EL2_TPMS_LSB;
	double start = bench_cpu_now();

	for (unsigned int i = 0; i < BENCH_CALLS; i++) {
		struct sysreg_access access = {
			.reg = (enum sysreg_id)(i % SYSREG_COUNT),
			.write = i & 1,
			.rt = i & 31,
		};
		struct sysreg_route route = CALL(sysreg_route)(&controls[i & 3], access);

		*sink += (uint64_t)route.kind + route.syndrome;
	}
	return bench_cpu_now() - start;
}

#define BENCH_LOOP_TABLE                                                      \
	{                                                                     \
		[BENCH_STORE] = time_stores, [BENCH_RECORD] = time_records,   \
		[BENCH_ROUTE] = time_route, [BENCH_REGISTER] = time_register, \
		[BENCH_ACCESS] = time_access, [BENCH_ADVANCE] = time_advance, \
	}

#endif
