/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counters: a vCPU that has SPE, a PMU and a machine model of libvspe, and nothing else. It follows
 * a ring of pointers that is larger than L1D, and smaller than L2. A counter of SAMPLE_FEED
 * overflows with every tenth sample, one of INST_RETIRED says how many instructions there were, one
 * of L1D_CACHE_REFILL how many of them missed, and all agree with the records in the buffer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vspe/decode.h>
#include <vspe/model.h>
#include <vspe/pmu.h>

#define BUFFER	     0x10000u
#define SIZE	     0x4000u
#define INSTRUCTIONS 50000u
#define RING	     0x40000u /* bytes */
#define LINE	     64u

static uint8_t memory[SIZE];
static struct sysreg_controls controls = {.el = 1};
static struct spe_unit spe;
static struct pmu_unit pmu;
static struct spe_model *model;

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

/* Execute a load: it is counted before its record is written. */
static void execute(uint64_t n)
{
	/* All lines of the ring, in steps too large for a prefetcher, which stays in a page. */
	const uint64_t pa = 0x80000000 + n * 37 * LINE % RING;
	const struct spe_model_facts facts = {.place = SPE_MODEL_RAM, .size = 8};
	struct pmu_step step = {.begun = 1, .retired = 1};
	struct spe_op op = {.pc = 0x400000 + n % 8 * 4,
			    .data_va = pa,
			    .data_pa = pa,
			    .type_header = SPE_TYPE_MEMORY,
			    .flags = SPE_OP_LOAD | SPE_OP_VA_VALID | SPE_OP_PA_VALID,
			    .events = SPE_EVENT_RETIRED,
			    .el = 1,
			    .ns = true};
	const enum spe_selection selection = spe_advance(&spe, 1);

	spe_model_alone(model, 0, &facts, &op);
	if (op.events & SPE_EVENT_L1D_REFILL)
		step.events |= UINT64_C(1) << PMU_L1D_CACHE_REFILL;
	pmu_advance(&pmu, &step);
	if (selection == SPE_SELECTED)
		spe_sample(&spe, &op);
}

/* The records that are in the buffer, of any data source or of one. */
static uint64_t count_records(size_t size, bool any, unsigned int source)
{
	struct spe_record record;
	uint64_t count = 0;

	for (size_t at = 0; at < size;) {
		at += spe_record_read(memory + at, size - at, &record);
		count += record.size != 0 && (any || record.data_source == source);
	}
	return count;
}

/* A machine with a core of the built-in model. */
static int make_model(void)
{
	struct spe_model_config config;
	size_t size;

	spe_model_config_defaults(&config, NULL);
	size = spe_model_size(&config, 1);
	return spe_model_init(malloc(size), size, &config, 1, &model);
}

int main(void)
{
	const uint32_t pmcr = sysreg_encode(3, 3, 9, 12, 0), pmcntenset = pmcr + 1;
	const uint32_t pmovsclr = pmcr + 3, pmintenset = sysreg_encode(3, 0, 9, 14, 1);
	const uint32_t counter = sysreg_encode(3, 3, 14, 8, 0);
	const uint32_t type = sysreg_encode(3, 3, 14, 12, 0);
	const struct pmu_config pmu_config = {.version = PMU_V3P7,
					      .events = UINT64_C(1) << PMU_L1D_CACHE_REFILL};
	const struct spe_host host = {.write = write_record};
	uint64_t overflows = 0, records, samples, instructions, refills, misses, far, near;
	size_t used;
	struct spe_config config;

	spe_config_defaults(&config, SPE_V1P2);
	if (spe_init(&spe, sizeof(spe), &config, &host) ||
	    pmu_init(&pmu, sizeof(pmu), &pmu_config, &spe) || make_model())
		return 1;
	controls.features = spe_config_features(&config);
	spe_update(&spe, &controls);
	pmu_update(&pmu, &controls);

	/* Counter 0: samples, to overflow after ten. 1: instructions. 2: misses. */
	access_to(type, true, SPE_PMU_SAMPLE_FEED);
	access_to(type + 1, true, PMU_INST_RETIRED);
	access_to(type + 2, true, PMU_L1D_CACHE_REFILL);
	access_to(counter, true, UINT32_MAX - 9);
	access_to(pmintenset, true, 1);
	access_to(pmcntenset, true, 7);
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
	used = spe_read(&spe, SYSREG_PMBPTR_EL1) - BUFFER;
	records = count_records(used, true, 0);
	near = count_records(used, false, SPE_MODEL_FROM_L2);
	far = count_records(used, false, SPE_MODEL_FROM_DRAM);
	samples = overflows * 10 + ((access_to(counter, false, 0) + 10) & UINT32_MAX);
	instructions = access_to(counter + 1, false, 0);
	refills = access_to(counter + 2, false, 0);
	if (!spe_model_count(model, 0, PMU_L1D_CACHE_REFILL, &misses))
		return 1;
	printf("%llu instructions, %llu records, %llu samples counted in %llu overflows\n",
	       (unsigned long long)instructions, (unsigned long long)records,
	       (unsigned long long)samples, (unsigned long long)overflows);
	printf("%llu loads missed L1D; %llu records have data from L2, %llu from memory\n",
	       (unsigned long long)refills, (unsigned long long)near, (unsigned long long)far);
	/* The first time round, lines come from memory, later from L2. */
	return instructions != INSTRUCTIONS || records == 0 || samples != records ||
	       refills != misses || refills != INSTRUCTIONS || near + far != records ||
	       far != RING / LINE / 257;
}
