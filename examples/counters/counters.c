/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counters: a vCPU that has SPE and a PMU of libvspe, and nothing else. A counter of SAMPLE_FEED
 * overflows with every tenth sample, one of INST_RETIRED says how many instructions there were, and
 * both agree with the records in the buffer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vspe/decode.h>
#include <vspe/pmu.h>

#define BUFFER	     0x10000u
#define SIZE	     0x4000u
#define INSTRUCTIONS 50000u

static uint8_t memory[SIZE];
static struct sysreg_controls controls = {.el = 1};
static struct spe_unit spe;
static struct pmu_unit pmu;

static struct spe_write_result write_record(void *ctx, uint8_t el, uint64_t va,
					    const uint8_t *bytes, size_t size)
{
	(void)ctx;
	(void)el;
	if (va < BUFFER || va - BUFFER > SIZE - size)
		return (struct spe_write_result){.status = SPE_WRITE_FAULT, .fsc = 0x07};
	memcpy(memory + (va - BUFFER), bytes, size);
	return (struct spe_write_result){.status = SPE_WRITE_OK};
}

/* What a guest does by MSR and MRS. */
static uint64_t access_to(uint32_t encoding, bool write, uint64_t value)
{
	if (pmu_access(&pmu, &controls, encoding, write, 0, &value).kind != SYSREG_DIRECT)
		abort();
	return value;
}

/* Execute an instruction: it is counted before its record is written. */
static void execute(uint64_t n)
{
	const struct pmu_step step = {.begun = 1, .retired = 1};
	const struct spe_op op = {.pc = 0x400000 + n % 8 * 4,
				  .type_header = SPE_TYPE_OTHER,
				  .events = SPE_EVENT_RETIRED,
				  .el = 1,
				  .ns = true};
	const enum spe_selection selection = spe_advance(&spe, 1);

	pmu_advance(&pmu, &step);
	if (selection == SPE_SELECTED)
		spe_sample(&spe, &op);
}

/* The records that are in the buffer. */
static uint64_t count_records(size_t size)
{
	struct spe_record record;
	uint64_t count = 0;

	for (size_t at = 0; at < size; count += record.size != 0)
		at += spe_record_read(memory + at, size - at, &record);
	return count;
}

int main(void)
{
	const uint32_t pmcr = sysreg_encode(3, 3, 9, 12, 0), pmcntenset = pmcr + 1;
	const uint32_t pmovsclr = pmcr + 3, pmintenset = sysreg_encode(3, 0, 9, 14, 1);
	const uint32_t counter = sysreg_encode(3, 3, 14, 8, 0);
	const uint32_t type = sysreg_encode(3, 3, 14, 12, 0);
	const struct pmu_config pmu_config = {.version = PMU_V3P7};
	const struct spe_host host = {.write = write_record};
	uint64_t overflows = 0, records, samples, instructions;
	struct spe_config config;

	spe_config_defaults(&config, SPE_V1P2);
	if (spe_init(&spe, sizeof(spe), &config, &host) ||
	    pmu_init(&pmu, sizeof(pmu), &pmu_config, &spe))
		return 1;
	controls.features = spe_config_features(&config);
	spe_update(&spe, &controls);
	pmu_update(&pmu, &controls);

	/* Counter 0: samples, to overflow after ten. Counter 1: instructions. */
	access_to(type, true, SPE_PMU_SAMPLE_FEED);
	access_to(type + 1, true, PMU_INST_RETIRED);
	access_to(counter, true, UINT32_MAX - 9);
	access_to(pmintenset, true, 1);
	access_to(pmcntenset, true, 3);
	access_to(pmcr, true, 1);
	/* A buffer, a sample every 257 instructions, of EL1. */
	spe_write(&spe, SYSREG_PMBPTR_EL1, BUFFER);
	spe_write(&spe, SYSREG_PMBLIMITR_EL1, (BUFFER + SIZE) | 1);
	spe_write(&spe, SYSREG_PMSIRR_EL1, 1 << 8);
	spe_write(&spe, SYSREG_PMSCR_EL1, 1 << 1);

	for (uint64_t n = 0; n < INSTRUCTIONS; n++) {
		execute(n);
		if (!pmu_irq_level(&pmu))
			continue;
		overflows++; /* what the guest's handler of the interrupt does */
		access_to(counter, true, UINT32_MAX - 9);
		access_to(pmovsclr, true, 1);
	}
	records = count_records(spe_read(&spe, SYSREG_PMBPTR_EL1) - BUFFER);
	samples = overflows * 10 + ((access_to(counter, false, 0) + 10) & UINT32_MAX);
	instructions = access_to(counter + 1, false, 0);
	printf("%llu instructions, %llu records, %llu samples counted in %llu overflows\n",
	       (unsigned long long)instructions, (unsigned long long)records,
	       (unsigned long long)samples, (unsigned long long)overflows);
	return instructions != INSTRUCTIONS || records == 0 || samples != records;
}
