/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_cores --midr CORE: its MIDR_EL1, in hexadecimal.
 * perf_cores CORE PERF_DATA: a perf.data of a machine of that core, with a load from each data
 * source that Arm's Neoverse cores have a number for, the PC of each being 0x1000 and 4 times the
 * number. Cores whose records have no data source have the same loads without.
 */
#include "trace/perf_data.h"
#include "machine/machine.h"

#include <stdio.h>
#include <string.h>
#include <vspe/spe.h>

#define BUFFER	 UINT64_C(0x10000)
#define PMSCR_EL UINT64_C(0x23) /* TS, E1SPE, E0SPE */

static struct spe_write_result write_record(void *ctx, uint8_t owning_el, uint64_t va,
					    const uint8_t *bytes, size_t size)
{
	(void)owning_el, (void)va;
	(void)perf_data_aux(ctx, 0, bytes, size); /* the close fails where this does */
	return (struct spe_write_result){.status = SPE_WRITE_OK, .written = size};
}

static void write_loads(const struct spe_config *config, struct perf_data *data)
{
	static const uint8_t sources[] = {0, 8, 9, 10, 11, 12, 13, 14};
	static struct spe_unit unit;
	const struct spe_host host = {.ctx = data, .write = write_record};
	const struct sysreg_controls controls = {.features = spe_config_features(config), .el = 1};

	if (spe_init(&unit, sizeof(unit), config, &host))
		return;
	spe_write(&unit, SYSREG_PMSIRR_EL1, 0x100);
	spe_write(&unit, SYSREG_PMSCR_EL1, PMSCR_EL);
	spe_write(&unit, SYSREG_PMBPTR_EL1, BUFFER);
	spe_write(&unit, SYSREG_PMBLIMITR_EL1, 2 * BUFFER | 1);
	spe_update(&unit, &controls);
	for (size_t i = 0; i < sizeof(sources); i++) {
		const struct spe_op op = {
			.pc = 0x1000u + 4u * sources[i],
			.data_va = 0x20000u + 64u * sources[i],
			.timestamp = 1000 + i,
			.events = SPE_EVENT_RETIRED | SPE_EVENT_L1D_ACCESS | SPE_EVENT_TLB_ACCESS,
			.flags = SPE_OP_LOAD | SPE_OP_VA_VALID,
			.total_latency = 10,
			.issue_latency = 2,
			.translation_latency = 1,
			.data_source = sources[i],
			.type_header = SPE_TYPE_MEMORY,
			.ns = true,
		};

		(void)spe_advance(&unit, spe_budget(&unit));
		spe_sample(&unit, &op);
	}
}

int main(int argc, char **argv)
{
	const bool midr = argc == 3 && !strcmp(argv[1], "--midr");
	const struct spe_core *core = argc == 3 ? spe_core_find(argv[1 + midr]) : NULL;
	struct perf_data_guest guest = {.name = "none", .cpus = 1, .counter_hz = 1000000000};
	struct spe_config config;
	struct perf_data *data;
	int error;

	if (!core) {
		fprintf(stderr, "usage: perf_cores CORE PERF_DATA, or --midr CORE\n");
		return 2;
	}
	if (midr) {
		printf("%08x\n", machine_midr(core));
		return 0;
	}
	guest.midr = machine_midr(core);
	spe_config_core(&config, core, core->version);
	error = perf_data_open(&data, argv[2], &guest);
	if (!error) {
		write_loads(&config, data);
		error = perf_data_close(data);
		perf_data_free(data);
	}
	if (error)
		fprintf(stderr, "perf_cores: %s: %s\n", argv[2], strerror(-error));
	return error ? 2 : 0;
}
