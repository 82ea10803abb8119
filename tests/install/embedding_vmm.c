/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rest of a VMM around examples/embed/vmm.c: memory of two pages, a guest that loads in a loop,
 * and a driver. Goes through each step of docs/embedding.md, and ends with 0 if the results are
 * right.
 */
#include "vmm.c"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#define PAGE 0x1000u
/* At address 0; a record may cross pages, and leave memory at its end. */
#define MEMORY (4 * PAGE)

static uint8_t memory[MEMORY];
static struct {
	unsigned int el, ec, count;
	uint32_t iss;
} taken;
static unsigned int level, translations;
static unsigned int counter_level; /* that of the PMU */
static uint64_t now;

#define MUST(condition)                                                         \
	do {                                                                    \
		if (!(condition)) {                                             \
			fprintf(stderr, "line %d: " #condition "\n", __LINE__); \
			exit(1);                                                \
		}                                                               \
	} while (0)

uint8_t *translate(struct vcpu *vcpu, unsigned int el, uint64_t va, struct spe_write_result *fault)
{
	(void)vcpu;
	MUST(el == 1 || el == 2);
	translations++;
	if (va < MEMORY)
		return memory + va;
	fault->fsc = 0x07;
	fault->stage2 = false;
	return NULL;
}

void take_exception(struct vcpu *vcpu, unsigned int el, unsigned int ec, uint32_t iss)
{
	(void)vcpu;
	taken.el = el;
	taken.ec = ec;
	taken.iss = iss;
	taken.count++;
}

void set_interrupt_line(struct vcpu *vcpu, unsigned int intid, bool high)
{
	(void)vcpu;
	MUST(intid == 21 || intid == 23);
	*(intid == 21 ? &level : &counter_level) = high;
}

uint64_t system_counter(void)
{
	return now;
}

uint64_t execute(struct vcpu *vcpu, uint64_t n, struct spe_op *op)
{
	now += n;
	vcpu->pc += 4 * n;
	vcpu->x[2] = 8 * now;
	describe(vcpu, 0xf9400043, 0, op); /* LDR X3, [X2] */
	MUST(op->data_va == 8 * now && op->flags == (SPE_OP_LOAD | SPE_OP_VA_VALID));
	MUST(op->type_header == SPE_TYPE_MEMORY && op->events == SPE_EVENT_RETIRED);
	return n;
}

/* MSR and MRS by the word of the instruction, with X1. */
static void msr(struct vcpu *vcpu, enum sysreg_id reg, uint64_t value)
{
	vcpu->x[1] = value;
	MUST(executed_msr(vcpu, 0xd5000000u | sysreg_encoding(reg) << 5 | 1));
}

static uint64_t mrs(struct vcpu *vcpu, enum sysreg_id reg)
{
	vcpu->x[1] = 0xbad;
	MUST(executed_msr(vcpu, 0xd5200000u | sysreg_encoding(reg) << 5 | 1));
	return vcpu->x[1];
}

static void profile(struct vcpu *vcpu, uint64_t buffer, uint64_t limit)
{
	msr(vcpu, SYSREG_PMBLIMITR_EL1, 0);
	msr(vcpu, SYSREG_PMBSR_EL1, 0);
	msr(vcpu, SYSREG_PMBPTR_EL1, buffer);
	msr(vcpu, SYSREG_PMSIRR_EL1, 1 << 8 | 1);
	msr(vcpu, SYSREG_PMSCR_EL1, 1 << 1 | 1 << 5);
	msr(vcpu, SYSREG_PMBLIMITR_EL1, limit | 1);
}

static void start(struct vcpu *vcpu, uint32_t features)
{
	const char *field;

	memset(vcpu, 0, sizeof(*vcpu));
	memset(&taken, 0, sizeof(taken));
	vcpu->cntvoff_el2 = 1000;
	vcpu->controls.features = features;
	MUST(vcpu_init(vcpu, 3, &field) == 0);
	vcpu_reset(vcpu, 1);
}

/* Accesses, and their results. */
static void accesses(struct vcpu *vcpu)
{
	start(vcpu, SYSREG_FEAT_EL2 | SYSREG_FEAT_NV | SYSREG_FEAT_NV2);
	MUST(id_aa64dfr0(vcpu, ~UINT64_C(0)) == 0xfffffff3ffffffff);
	MUST(mrs(vcpu, SYSREG_PMSIDR_EL1) == spe_read(&vcpu->spe, SYSREG_PMSIDR_EL1));
	MUST(!executed_msr(vcpu, 0xd5380500)); /* ID_AA64DFR0_EL1 is not SPE's */
	mdcr_el2_written(vcpu, 1 << 14);       /* TPMS */
	mrs(vcpu, SYSREG_PMSIRR_EL1);
	MUST(taken.count == 1 && taken.el == 2 && taken.ec == 0x18);
	/* The syndrome leads to the same access. */
	level_changed(vcpu, 2);
	MUST(trapped_msr(vcpu, taken.iss) && taken.count == 1 && vcpu->x[1] == 0);
	level_changed(vcpu, 0);
	mrs(vcpu, SYSREG_PMSIRR_EL1);
	MUST(taken.count == 2 && taken.el == 1 && taken.ec == 0);
	level_changed(vcpu, 1);
	mdcr_el2_written(vcpu, 0);
	vcpu->controls.hcr_el2 = UINT64_C(1) << 42 | UINT64_C(1) << 45; /* NV, NV2 */
	vcpu->vncr_el2 = PAGE;
	msr(vcpu, SYSREG_PMSIRR_EL1, 0x1234);
	MUST(taken.count == 2 && memory[PAGE + 0x840] == 0x34 && memory[PAGE + 0x841] == 0x12);
	MUST(mrs(vcpu, SYSREG_PMSIRR_EL1) == 0x1234);
	vcpu->vncr_el2 = MEMORY;
	msr(vcpu, SYSREG_PMSIRR_EL1, 0x1234);
	MUST(taken.count == 3 && taken.el == 2 && taken.ec == 0x25 && taken.iss == 0x2047);
}

/* The timestamp of a record of execute(), which is its last packet. */
static uint64_t timestamp(uint64_t record)
{
	uint64_t value = 0;

	MUST(memory[record + 34] == 0x71);
	for (unsigned int i = 0; i < 8; i++)
		value |= (uint64_t)memory[record + 35 + i] << 8 * i;
	return value;
}

static struct spe_stats stats_of(const struct vcpu *vcpu)
{
	struct spe_stats stats;

	spe_stats(&vcpu->spe, &stats);
	return stats;
}

/* The counter unit counts what the vCPU did, and what its SPE sampled. */
static void counters(struct vcpu *vcpu)
{
	static struct pmu_unit pmu;
	const uint32_t pmcr = sysreg_encode(3, 3, 9, 12, 0), enable = pmcr + 1;
	const uint32_t counter = sysreg_encode(3, 3, 14, 8, 0);
	const uint32_t type = sysreg_encode(3, 3, 14, 12, 0);
	const char *field;

	start(vcpu, 0);
	MUST(counters_init(vcpu, &pmu, &field) == 0);
	vcpu->x[0] = PMU_INST_RETIRED;
	MUST(access_counter(vcpu, &pmu, type, true, 0));
	vcpu->x[0] = SPE_PMU_SAMPLE_FEED;
	MUST(access_counter(vcpu, &pmu, type + 1, true, 0));
	vcpu->x[0] = UINT32_MAX - 999;
	MUST(access_counter(vcpu, &pmu, counter, true, 0));
	vcpu->x[0] = 3;
	MUST(access_counter(vcpu, &pmu, enable, true, 0));
	vcpu->x[0] = 1;
	MUST(access_counter(vcpu, &pmu, sysreg_encode(3, 0, 9, 14, 1), true, 0));
	MUST(access_counter(vcpu, &pmu, pmcr, true, 0));
	MUST(!access_counter(vcpu, &pmu, SYSREG_ENCODING_PMSCR_EL1, true, 0));
	profile(vcpu, PAGE / 2, PAGE);
	run(vcpu, 1000);
	counters_advance(vcpu, &pmu, 999, 0);
	MUST(!counter_level);
	counters_advance(vcpu, &pmu, 1, 0);
	MUST(counter_level);
	MUST(access_counter(vcpu, &pmu, counter, false, 1) && vcpu->x[1] == UINT64_C(1) << 32);
	MUST(access_counter(vcpu, &pmu, counter + 1, false, 1));
	MUST(vcpu->x[1] > 0 && vcpu->x[1] == stats_of(vcpu).feed);
}

/* Until the buffer is full; then saved, and continued twice. */
static void samples(struct vcpu *vcpu)
{
	static struct vcpu other;
	uint8_t image[SPE_IMAGE_MAX];
	const char *field;
	uint64_t before;
	size_t size;

	start(vcpu, 0);
	profile(vcpu, PAGE / 2, PAGE);
	run(vcpu, 5000);
	MUST(stats_of(vcpu).records > 10 && translations > stats_of(vcpu).records);
	MUST(vcpu->pmu_events[0] == 5000 && vcpu->pmu_events[1] == stats_of(vcpu).feed);
	MUST(memory[PAGE / 2] != 0 && level == 0);
	/* Without EL2 the time is physical; with EL2 it is virtual. */
	MUST(timestamp(PAGE / 2) > 256 && timestamp(PAGE / 2) < 513);
	before = now;
	start(&other, SYSREG_FEAT_EL2);
	mdcr_el2_written(&other, 3 << 12); /* E2PB: EL1 owns the buffer */
	profile(&other, PAGE, 2 * PAGE);
	run(&other, 600);
	MUST(stats_of(&other).records >= 1);
	MUST(timestamp(PAGE) + 1000 > before + 256 && timestamp(PAGE) + 1000 < before + 513);
	/* restore from an image, while the vCPU that was saved still exists */
	start(&other, 0);
	size = vcpu_save(vcpu, image, 0);
	MUST(size <= sizeof(image) && vcpu_save(vcpu, image, sizeof(image)) == size);
	MUST(vcpu_restore(&other, image, size - 1, &field) == -SPE_EIMAGE);
	other.controls = vcpu->controls;
	MUST(vcpu_restore(&other, image, size, &field) == 0);
	while (level == 0)
		run(vcpu, 1000);
	MUST(mrs(vcpu, SYSREG_PMBSR_EL1) == (1 << 17 | 1)); /* S, buffer full */
	level = 0;
	while (level == 0)
		run(&other, 1000);
	MUST(stats_of(vcpu).records == stats_of(&other).records);
	profile(vcpu, MEMORY - 32, MEMORY + PAGE); /* it faults half-way */
	MUST(level == 0);
	while (level == 0)
		run(vcpu, 1000);
	MUST(mrs(vcpu, SYSREG_PMBSR_EL1) == (UINT64_C(0x24) << 26 | 1 << 19 | 1 << 17 | 7));
	MUST(mrs(vcpu, SYSREG_PMBPTR_EL1) == MEMORY);
	vcpu_reset(vcpu, 1);
	MUST(spe_budget(&vcpu->spe) == UINT64_MAX);
}

/* Two loads of a line, through a machine model: from memory, then from L1D. */
static void sources(void)
{
	struct spe_op op = {.flags = SPE_OP_LOAD | SPE_OP_VA_VALID | SPE_OP_PA_VALID};
	struct spe_model_config config;
	struct spe_model *model;
	size_t size;

	spe_model_config_defaults(&config, spe_core_find("neoverse-n1"));
	size = spe_model_size(&config, 2);
	MUST(spe_model_init(malloc(size), size, &config, 2, &model) == 0);
	show(model, 1, 0xf9400043, true, &op); /* LDR X3, [X2] */
	MUST(op.data_source == SPE_MODEL_FROM_DRAM && op.events & SPE_EVENT_L1D_REFILL);
	show(model, 1, 0xf9400043, false, &op);
	show(model, 1, 0xf9400043, true, &op);
	MUST(op.data_source == SPE_MODEL_FROM_L1D && !(op.events & SPE_EVENT_L1D_REFILL));
	free(model);
}

int main(void)
{
	static struct vcpu vcpu;

	accesses(&vcpu);
	samples(&vcpu);
	printf("records: %llu\n", (unsigned long long)stats_of(&vcpu).records);
	counters(&vcpu);
	sources();
	return 0;
}
