/* SPDX-License-Identifier: BSD-2-Clause */
/* A PE for targets: see pe.h. */
#include "../array.h"
#include "pe.h"

#include <string.h>

#include "soft/code_memory.h"
#include "soft/mem/code.h"
#include "soft/mem/memory.h"
#include "soft/mem/tlb.h"
#include "soft/tuning.h"

/* The system registers and instructions that the software CPU has. */
#define REGISTER(name, op0, op1, crn, crm, op2, ...)  SYSREG_ENCODING(op0, op1, crn, crm, op2),
#define HOST_NAME(name, op0, op1, crn, crm, op2, ...) SYSREG_ENCODING(op0, op1, crn, crm, op2),
#define OPERATION(name, op1, crn, crm, op2, ...)      SYSREG_ENCODING(1, op1, crn, crm, op2),
static const uint32_t encodings[] = {
#include "soft/sys/sys_operations.def"
#include "soft/sys/sys_registers.def"
};

#define ENCODINGS ARRAY_SIZE(encodings)

/* SPE's: op0 3, CRn 9, CRm 9 or 10, of EL1, EL2 and its other names, and EL3. */
static uint32_t spe_encoding(unsigned int which)
{
	static const uint8_t op1[] = {0, 0, 4, 5, 6, 0, 0, 0};

	return SYSREG_ENCODING(3, op1[which >> 4 & 7], 9, 9 + (which >> 3 & 1), which & 7);
}

uint32_t pe_system_word(unsigned int which, bool read, unsigned int rt)
{
	const unsigned int n = which % (ENCODINGS + 128);
	const uint32_t encoding = n < ENCODINGS ? encodings[n] : spe_encoding(n - ENCODINGS);

	return UINT32_C(0xd5000000) | encoding << 5 | (uint32_t)read << 21 | (rt & 31);
}

static const struct kind {
	struct engine_levels levels;
	enum spe_version version;
	bool branches, micro_ops;
	enum pmu_version pmu;
	enum spe_layout layout;
} kinds[PE_KINDS] = {
	{{.start = 1}, SPE_V1P2, false, false, PMU_NONE, SPE_LAYOUT_GENERIC},
	{{.start = 1}, SPE_V1P5, true, false, PMU_V3P8, SPE_LAYOUT_GENERIC},
	{{.start = 1}, SPE_V1P0, false, true, PMU_V3P1, SPE_LAYOUT_GENERIC},
	{{.start = 2, .el2 = true}, SPE_V1P4, false, false, PMU_V3P7, SPE_LAYOUT_GENERIC},
	{{.start = 3, .el2 = true, .el3 = true},
	 SPE_V1P5,
	 false,
	 false,
	 PMU_V3P5,
	 SPE_LAYOUT_GENERIC},
	{{.start = 3, .el2 = true, .el3 = true, .sel2 = true},
	 SPE_V1P2,
	 true,
	 true,
	 PMU_V3P7,
	 SPE_LAYOUT_GENERIC},
	{{.start = 3, .el2 = true, .el3 = true, .rme = true},
	 SPE_V1P5,
	 true,
	 false,
	 PMU_V3P8,
	 SPE_LAYOUT_GENERIC},
	{{.start = 1}, SPE_V1P1, false, true, PMU_NONE, SPE_LAYOUT_NEOVERSE}, /* padding in
										     records */
};

static void mix(uint64_t *digest, uint64_t value)
{
	*digest = (*digest ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	*digest ^= *digest >> 29;
}

void pe_digest(struct pe *pe, uint64_t value)
{
	mix(&pe->digest, value);
}

static uint64_t host_counter(void *ctx, unsigned int cpu)
{
	const struct pe *pe = ctx;

	(void)cpu;
	return engine_soft.vcpu_ops(pe->vcpu);
}

static void heard(struct pe *pe, uint64_t where, uint64_t value)
{
	pe_digest(pe, where ^ engine_soft.vcpu_ops(pe->vcpu) << 40);
	pe_digest(pe, value);
}

/* A device answers in one page, and elsewhere nothing does. */
static enum engine_answer host_read(void *ctx, unsigned int cpu, uint64_t pa, unsigned int size,
				    uint64_t *value)
{
	(void)cpu;
	heard(ctx, pa, size);
	*value = pa >> 1;
	return pa >> 12 == 0x9000 ? ENGINE_OK : ENGINE_NONE;
}

static enum engine_answer host_write(void *ctx, unsigned int cpu, uint64_t pa, unsigned int size,
				     uint64_t value)
{
	(void)cpu;
	heard(ctx, pa, size ^ value);
	return pa >> 12 == 0x9000 ? ENGINE_OK : ENGINE_NONE;
}

static enum engine_answer host_sysreg_read(void *ctx, unsigned int cpu, uint32_t encoding,
					   uint64_t *value)
{
	(void)cpu;
	heard(ctx, encoding, 0);
	*value = encoding;
	return ENGINE_OK;
}

static enum engine_answer host_sysreg_write(void *ctx, unsigned int cpu, uint32_t encoding,
					    uint64_t value)
{
	(void)cpu;
	heard(ctx, encoding, value);
	return ENGINE_OK;
}

static void host_pmu_irq(void *ctx, unsigned int cpu, bool level)
{
	struct pe *pe = ctx;

	(void)cpu;
	heard(pe, 3, level);
	engine_soft.vcpu_fiq(pe->vcpu, level);
}

static void host_spe_irq(void *ctx, unsigned int cpu, bool level)
{
	struct pe *pe = ctx;

	(void)cpu;
	heard(pe, 1, level);
	engine_soft.vcpu_irq(pe->vcpu, level);
}

static void host_spe_data(void *ctx, unsigned int cpu, const uint8_t *bytes, size_t size)
{
	struct pe *pe = ctx;

	(void)cpu;
	for (size_t i = 0; i < size; i++)
		mix(&pe->records, bytes[i]);
}

#define PAGE_OF(pa) ((pa) | 0x703) /* Normal, inner shareable, AF */

/* For a regime of 39 bits: the device and RAM at their own addresses, and RAM again for EL0. */
static void make_tables(uint8_t *ram)
{
	uint64_t *level1 = (uint64_t *)(ram + (PE_TABLES - PE_RAM));
	uint64_t *level2 = level1 + 512, *level3 = level2 + 512;

	level1[0] = UINT64_C(0x405); /* a block of Device memory: MAIR attribute 1 */
	level1[1] = (PE_TABLES + 0x1000) | 3;
	level1[2] = PE_RAM | 0x741; /* a block, for EL0 too */
	level2[0] = (PE_TABLES + 0x2000) | 3;
	for (uint64_t n = 0; n < PE_RAM_SIZE >> 12; n++)
		level3[n] = PAGE_OF(PE_RAM + (n << 12)) | (n & 1) << 6;
	level3[20] = PAGE_OF(PE_DATA);		       /* the same once more */
	level3[21] = PAGE_OF(PE_DATA + 0x1000) | 0x80; /* which cannot be written */
	level3[22] = (PE_DATA + 0x2000) | 0x303;       /* without AF */
	level3[23] = PAGE_OF(UINT64_C(0x40800000));    /* where nothing is */
}

static void make_vcpu(struct pe *pe, const struct kind *kind, enum pe_way way)
{
	const bool translated = SOFT_JIT && way == PE_TRANSLATED;
	const struct engine_tuning tuning = {
		.single_step = way == PE_SINGLE_STEP,
		.jit = translated ? SOFT_JIT_ON : SOFT_JIT_OFF,
		.jit_at_once = translated,
	};
	struct engine_vcpu_config config = {
		.midr = 0x410fd490,
		.levels = kind->levels,
		.pmu = kind->pmu,
		.tuning = &tuning,
	};
	struct spe_config spe;
	char why[160];

	spe_config_defaults(&spe, kind->version);
	spe.pbt = kind->branches;
	spe.arch_inst = !kind->micro_ops;
	spe.layout = kind->layout;
	config.spe = &spe;
	pe->vcpu = engine_soft.vcpu_create(pe->vm, &config, why, sizeof(why));
	require(pe->vcpu != NULL);
	pe->cpu = (struct soft_cpu *)pe->vcpu;
	pe->unit = *engine_soft.vcpu_spe(pe->vcpu);
	pe->fresh = malloc(offsetof(struct soft_cpu, vm));
	require(pe->fresh != NULL);
	memcpy(pe->fresh, pe->cpu, offsetof(struct soft_cpu, vm));
}

static void make_pe(struct pe *pe, const struct kind *kind, enum pe_way way)
{
	const struct engine_host host = {
		.ctx = pe,
		.ram = {PE_RAM, PE_RAM_SIZE, aligned_alloc(4096, PE_RAM_SIZE)},
		.mmio_read = host_read,
		.mmio_write = host_write,
		.sysreg_read = host_sysreg_read,
		.sysreg_write = host_sysreg_write,
		.counter = host_counter,
		.spe_irq = host_spe_irq,
		.pmu_irq = host_pmu_irq,
		.spe_data = host_spe_data,
	};

	pe->ram = host.ram.host;
	pe->vm = engine_soft.create(&host, 1);
	require(pe->ram && pe->vm);
	make_vcpu(pe, kind, way);
}

void pe_put_back(struct pe *pe, unsigned int kind, enum pe_way way)
{
	if (!pe->vm)
		make_pe(pe, &kinds[kind % PE_KINDS], way);
	/* Page by page: what was decoded is little, and soft_code_drop_all() looks for much. */
	for (uint64_t pa = PE_RAM; pa < PE_RAM + PE_RAM_SIZE; pa += SOFT_PAGE_SIZE)
		soft_code_written(pe->cpu->vm, pa, SOFT_PAGE_SIZE);
	memcpy(pe->cpu, pe->fresh, offsetof(struct soft_cpu, vm));
	*engine_soft.vcpu_spe(pe->vcpu) = pe->unit;
	engine_soft.vcpu_reset(pe->vcpu, PE_RAM, 0);
	pe->digest = pe->records = 1;
	memset(pe->ram, 0, PE_RAM_SIZE);
	make_tables(pe->ram);
	for (unsigned int el = 1; el <= pe->cpu->sys.levels.start; el++)
		pe->cpu->sys.vbar[el] = PE_RAM;
}

void pe_turn_on_mmu(struct pe *pe)
{
	struct soft_sys *sys = &pe->cpu->sys;

	for (unsigned int el = 1; el <= sys->levels.start; el++) {
		sys->sctlr[el] |= 1;
		/* T0SZ 25, cacheable and shareable walks, 40 bits of physical address */
		sys->tcr[el] = el == 1 ? UINT64_C(0x200803519) : UINT64_C(0x80823519);
		sys->ttbr0[el] = PE_TABLES;
		sys->mair[el] = 0x00ff;
	}
	soft_tlb_flush(pe->cpu);
	soft_context_changed(pe->cpu);
}
