/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * <vspe/pmu.h> as an embedder uses it: reported operations are counted, a guest's accesses are
 * answered, and events from the SPE of the same PE arrive.
 */
#include "../../array.h"
#include "../compare.h"
#include <string.h>
#include <vspe/pmu.h>

#define PMCR	   sysreg_encode(3, 3, 9, 12, 0)
#define PMCNTENSET sysreg_encode(3, 3, 9, 12, 1)
#define PMOVSCLR   sysreg_encode(3, 3, 9, 12, 3)
#define PMOVSSET   sysreg_encode(3, 3, 9, 14, 3)
#define PMCEID0	   sysreg_encode(3, 3, 9, 12, 6)
#define PMCCNTR	   sysreg_encode(3, 3, 9, 13, 0)
#define PMUSERENR  sysreg_encode(3, 3, 9, 14, 0)
#define PMINTENSET sysreg_encode(3, 0, 9, 14, 1)
#define PMUACR	   sysreg_encode(3, 0, 9, 14, 4)
#define COUNTER(n) sysreg_encode(3, 3, 14, 8 + (n) / 8, (n) % 8)
#define TYPE(n)	   sysreg_encode(3, 3, 14, 12 + (n) / 8, (n) % 8)
#define E	   UINT64_C(1)
#define LP	   (UINT64_C(1) << 7)
#define FZS	   (UINT64_C(1) << 32)
#define BUFFER	   UINT64_C(0x10000)

struct pe {
	struct sysreg_controls controls;
	struct pmu_unit pmu;
	struct spe_unit spe;
	unsigned int told; /* by spe_host.pmu_event */
};

static const struct pmu_config usual = {
	.version = PMU_V3P7,
	.events = UINT64_C(1) << PMU_LD_RETIRED | UINT64_C(1) << PMU_EXC_TAKEN,
	.more = {PMU_STALL_BACKEND_ST},
};

static struct spe_write_result write_record(void *ctx, uint8_t el, uint64_t va,
					    const uint8_t *bytes, size_t size)
{
	(void)ctx;
	(void)el;
	(void)va;
	(void)bytes;
	(void)size;
	return (struct spe_write_result){.status = SPE_WRITE_OK};
}

static void tell_host(void *ctx, uint16_t event, uint64_t count)
{
	(void)event;
	((struct pe *)ctx)->told += (unsigned int)count;
}

/* At EL1, with an SPE or none. */
static void set_up(struct pe *pe, const struct pmu_config *config, bool spe)
{
	const struct spe_host host = {.ctx = pe, .write = write_record, .pmu_event = tell_host};
	struct spe_config spe_config;

	memset(pe, 0, sizeof(*pe));
	pe->controls.el = 1;
	if (spe) {
		spe_config_defaults(&spe_config, SPE_V1P2);
		cr_assert_eq(spe_init(&pe->spe, sizeof(pe->spe), &spe_config, &host), 0);
		pe->controls.features = spe_config_features(&spe_config);
		spe_update(&pe->spe, &pe->controls);
	}
	cr_assert_eq(pmu_init(&pe->pmu, sizeof(pe->pmu), config, spe ? &pe->spe : NULL), 0);
	pmu_update(&pe->pmu, &pe->controls);
}

static struct sysreg_route access_to(struct pe *pe, uint32_t encoding, bool write, uint64_t *value)
{
	return pmu_access(&pe->pmu, &pe->controls, encoding, write, 3, value);
}

static void put(struct pe *pe, uint32_t encoding, uint64_t value)
{
	cr_assert_eq(access_to(pe, encoding, true, &value).kind, SYSREG_DIRECT);
}

static uint64_t get(struct pe *pe, uint32_t encoding)
{
	uint64_t value = 0xdead;

	cr_assert_eq(access_to(pe, encoding, false, &value).kind, SYSREG_DIRECT);
	return value;
}

static void step(struct pe *pe, uint64_t n, uint64_t events)
{
	const struct pmu_step what = {.begun = n, .retired = n, .events = events};

	pmu_advance(&pe->pmu, &what);
}

Test(pmu_unit, configurations)
{
	const struct {
		struct pmu_config config;
		int error;
		const char *field;
	} rows[] = {
		{{.version = PMU_V3P1}, 0, NULL},
		{{.version = PMU_V3P9, .el2 = true, .el3 = true, .sel2 = true, .rme = true},
		 0,
		 NULL},
		{{.version = PMU_NONE}, -PMU_EVERSION, "version"},
		{{.version = PMU_V3}, -PMU_EVERSION, "version"},
		{{.version = (enum pmu_version)10}, -PMU_EVERSION, "version"},
		{{.version = PMU_V3P5, .el2 = true, .sel2 = true}, -PMU_ELEVELS, "sel2"},
		{{.version = PMU_V3P5, .rme = true}, -PMU_ELEVELS, "rme"},
		{{.version = PMU_V3P5, .events = UINT64_C(1) << PMU_CPU_CYCLES},
		 -PMU_EEVENTS,
		 "events"},
		{{.version = PMU_V3P5, .events = 1}, -PMU_EEVENTS, "events"},
		{{.version = PMU_V3P5, .more = {0, PMU_LD_RETIRED}}, -PMU_EEVENTS, "more"},
		{{.version = PMU_V3P5, .more = {SPE_PMU_SAMPLE_POP}}, -PMU_EEVENTS, "more"},
		{{.version = PMU_V3P5, .more = {0xc0, 0, 0xc0}}, -PMU_EEVENTS, "more"},
	};
	struct pmu_unit unit;

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *field = NULL;

		cr_expect_eq(pmu_config_check(&rows[i].config, &field), rows[i].error, "%u", i);
		cr_expect_str_eq(field ? field : "", rows[i].field ? rows[i].field : "", "%u", i);
		cr_expect_eq(pmu_init(&unit, sizeof(unit), &rows[i].config, NULL), rows[i].error);
	}
	cr_expect_eq(pmu_unit_size(), sizeof(unit));
	cr_expect_eq(pmu_init(&unit, sizeof(unit) - 1, &usual, NULL), -PMU_ESIZE);
	cr_expect_str_eq(pmu_strerror(0), "no error");
	cr_expect_str_eq(pmu_strerror(-PMU_ESIZE), pmu_strerror(PMU_ESIZE));
	cr_expect_str_eq(pmu_strerror(-PMU_EIMAGECONFIG - 1), "unknown error");
	cr_expect_eq(pmu_config_id_aa64dfr0(&usual), 7 << 8);
	cr_expect_eq(pmu_config_id_aa64dfr1(&usual), 0);
	cr_expect_eq(pmu_config_id_aa64dfr1(&rows[1].config), UINT64_C(1) << 36);
}

/* Exact to the operation: the budget ends at the overflow, which interrupts until it is cleared. */
Test(pmu_unit, counts_and_interrupts)
{
	struct pe pe;

	set_up(&pe, &usual, false);
	cr_expect_eq(pmu_budget(&pe.pmu), UINT64_MAX, "nothing counts");
	put(&pe, TYPE(0), PMU_INST_RETIRED);
	put(&pe, TYPE(1), PMU_LD_RETIRED);
	put(&pe, TYPE(2), PMU_STALL_BACKEND_ST);
	put(&pe, TYPE(3), PMU_ST_RETIRED); /* which nobody reports */
	put(&pe, COUNTER(0), UINT32_MAX - 99);
	put(&pe, PMINTENSET, 1);
	put(&pe, PMCNTENSET, 0xf | UINT64_C(1) << 31);
	put(&pe, PMCR, E);
	cr_expect_eq(pmu_budget(&pe.pmu), 100);
	cr_expect_eq(pmu_wanted(&pe.pmu), UINT64_C(1) << PMU_LD_RETIRED);
	step(&pe, 99, UINT64_C(1) << PMU_LD_RETIRED | UINT64_C(1) << PMU_ST_RETIRED);
	pmu_event(&pe.pmu, PMU_STALL_BACKEND_ST, 7);
	pmu_event(&pe.pmu, PMU_LD_RETIRED, 2);
	pmu_event(&pe.pmu, PMU_ST_RETIRED, 2);
	pmu_event(&pe.pmu, PMU_INST_RETIRED, 1000); /* the unit's own */
	pmu_event(&pe.pmu, PMU_CPU_CYCLES, 1000);   /* ... without config.cycles */
	cr_expect_eq(pmu_budget(&pe.pmu), 1);
	cr_expect_not(pmu_irq_level(&pe.pmu));
	step(&pe, 1, 0);
	cr_expect(pmu_irq_level(&pe.pmu));
	cr_expect_eq(get(&pe, COUNTER(0)), UINT64_C(1) << 32);
	cr_expect_eq(get(&pe, COUNTER(1)), 3);
	cr_expect_eq(get(&pe, COUNTER(2)), 7);
	cr_expect_eq(get(&pe, COUNTER(3)), 0);
	cr_expect_eq(get(&pe, PMCCNTR), 100);
	put(&pe, PMOVSCLR, 1);
	cr_expect_not(pmu_irq_level(&pe.pmu));
	cr_expect_eq(get(&pe, PMCEID0) & 0xffffffff, 0x40020341,
		     "SW_INCR, LD_RETIRED, INST_RETIRED, EXC_TAKEN, CPU_CYCLES, CHAIN: %llx",
		     (unsigned long long)get(&pe, PMCEID0));
	pmu_reset(&pe.pmu);
	pmu_update(&pe.pmu, &pe.controls);
	cr_expect_eq(get(&pe, PMCR) & E, 0);
	cr_expect_eq(get(&pe, COUNTER(0)), 0);
}

/* With config.cycles the caller counts cycles, not operations. */
Test(pmu_unit, cycles_are_told)
{
	const struct pmu_config config = {.version = PMU_V3P5, .cycles = true};
	const struct pmu_step what = {.begun = 10, .retired = 9, .cycles = 25};
	struct pe pe;

	set_up(&pe, &config, false);
	put(&pe, TYPE(0), PMU_CPU_CYCLES);
	put(&pe, PMCNTENSET, 1 | UINT64_C(1) << 31);
	put(&pe, PMCR, E);
	cr_expect_eq(pmu_budget(&pe.pmu), UINT64_MAX);
	pmu_advance(&pe.pmu, &what);
	pmu_event(&pe.pmu, PMU_CPU_CYCLES, 5);
	cr_expect_eq(get(&pe, PMCCNTR), 30);
	cr_expect_eq(get(&pe, COUNTER(0)), 30);
}

Test(pmu_unit, outcomes_of_accesses)
{
	struct sysreg_route route;
	uint64_t value = 77;
	struct pe pe;

	set_up(&pe, &(const struct pmu_config){.version = PMU_V3P9, .el2 = true}, false);
	cr_expect(pmu_is_register(PMCCNTR));
	cr_expect_not(pmu_is_register(SYSREG_ENCODING_PMSCR_EL1));
	cr_expect_eq(access_to(&pe, SYSREG_ENCODING_PMSCR_EL1, false, &value).kind,
		     SYSREG_UNDEFINED);
	cr_expect_eq(access_to(&pe, COUNTER(PMU_COUNTERS), false, &value).kind, SYSREG_UNDEFINED);
	pe.controls.el = 0;
	route = access_to(&pe, PMCCNTR, false, &value);
	cr_expect_eq(route.kind, SYSREG_TRAP);
	cr_expect_eq(route.target_el, 1);
	cr_expect_eq(route.ec, 0x18);
	/* op0 3, op2 0, op1 3, CRn 9, Rt 3, CRm 13, a read */
	cr_expect_eq(route.syndrome, 3 << 20 | 3 << 14 | 9 << 10 | 3 << 5 | 13 << 1 | 1);
	cr_expect_eq(sysreg_encoding_of_iss(route.syndrome), PMCCNTR);
	cr_expect_eq(value, 77, "not done");
	/* An access that passes, but reads as zero and ignores writes. */
	pe.controls.el = 1;
	put(&pe, PMUSERENR, 1 << 4);
	put(&pe, PMCCNTR, 1234);
	pe.controls.el = 0;
	cr_expect_eq(access_to(&pe, PMCCNTR, false, &value).kind, SYSREG_RAZ_WI);
	cr_expect_eq(value, 0);
	value = 5;
	cr_expect_eq(access_to(&pe, PMCCNTR, true, &value).kind, SYSREG_RAZ_WI);
	cr_expect_eq(value, 5);
	pe.controls.el = 1;
	put(&pe, PMUACR, UINT64_C(1) << 31);
	pe.controls.el = 0;
	cr_expect_eq(get(&pe, PMCCNTR), 1234);
	/* MDCR_EL2.TPM */
	pe.controls.features |= SYSREG_FEAT_EL2;
	pe.controls.el = 1;
	pe.controls.mdcr_el2 = 1 << 6 | PMU_COUNTERS;
	route = access_to(&pe, PMCR, true, &value);
	cr_expect_eq(route.kind, SYSREG_TRAP);
	cr_expect_eq(route.target_el, 2);
	cr_expect_eq(route.syndrome & 1, 0);
}

/* A buffer of two records, every 16th operation: samples are counted, and a full buffer freezes. */
static void profile(struct pe *pe)
{
	spe_write(&pe->spe, SYSREG_PMBPTR_EL1, BUFFER);
	spe_write(&pe->spe, SYSREG_PMBLIMITR_EL1, (BUFFER + 0x1000) | 1 | 1u << 5);
	spe_write(&pe->spe, SYSREG_PMSIRR_EL1, 1 << 8);
	spe_write(&pe->spe, SYSREG_PMSCR_EL1, 1 << 1);
}

/* Report operations to both units; returns how many, until the buffer is full. */
static uint64_t run_until_full(struct pe *pe)
{
	const struct spe_op op = {
		.events = SPE_EVENT_RETIRED, .el = 1, .ns = true, .type_header = SPE_TYPE_OTHER};
	uint64_t n = 0;

	while (!spe_irq_level(&pe->spe) && n < 100000) {
		const enum spe_selection what = spe_advance(&pe->spe, 1);

		n++;
		step(pe, 1, 0);
		if (what == SPE_SELECTED)
			spe_sample(&pe->spe, &op);
	}
	return n;
}

Test(pmu_unit, hears_its_spe)
{
	struct spe_stats stats;
	struct pe pe, moved;
	uint64_t n;

	set_up(&pe, &usual, true);
	put(&pe, TYPE(0), SPE_PMU_SAMPLE_POP);
	put(&pe, TYPE(1), SPE_PMU_SAMPLE_FEED);
	put(&pe, TYPE(2), PMU_INST_RETIRED);
	put(&pe, PMCNTENSET, 7 | UINT64_C(1) << 31);
	put(&pe, PMCR, E | LP | FZS);
	profile(&pe);
	n = run_until_full(&pe);
	spe_stats(&pe.spe, &stats);
	cr_expect_gt(stats.feed, 1);
	cr_expect_eq(get(&pe, COUNTER(0)), stats.population);
	cr_expect_eq(get(&pe, COUNTER(1)), stats.feed);
	cr_expect_eq(get(&pe, COUNTER(2)), n, "the one that filled the buffer, too");
	cr_expect_geq(pe.told, stats.population + stats.feed, "the callback hears it, too");
	/* Frozen: event counters, but not cycles. */
	cr_expect_eq(pmu_budget(&pe.pmu), UINT64_MAX - get(&pe, PMCCNTR) + 1);
	step(&pe, 5, 0);
	cr_expect_eq(get(&pe, COUNTER(2)), n);
	cr_expect_eq(get(&pe, PMCCNTR), n + 5);
	/* Until profiling continues. */
	spe_write(&pe.spe, SYSREG_PMBSR_EL1, 0);
	step(&pe, 5, 0);
	cr_expect_eq(get(&pe, COUNTER(2)), n + 5);
	/* Both may be moved, and are connected again. */
	memcpy(&moved, &pe, sizeof(moved));
	memset(&pe, 0xff, sizeof(pe));
	pmu_connect(&moved.pmu, &moved.spe);
	put(&moved, COUNTER(0), 0);
	cr_expect_neq(spe_advance(&moved.spe, 1), SPE_COLLIDED);
	cr_expect_eq(get(&moved, COUNTER(0)), 1);
}

/* Saved state comes back. Impossible state is refused, and nothing changes. */
Test(pmu_unit, images)
{
	uint8_t image[PMU_IMAGE_MAX], again[PMU_IMAGE_MAX];
	const struct pmu_config other = {.version = PMU_V3P5, .events = usual.events};
	struct pe a, b, before;
	const char *field;
	size_t size;

	set_up(&a, &usual, false);
	put(&a, TYPE(0), PMU_INST_RETIRED);
	put(&a, PMCNTENSET, 1);
	put(&a, PMCR, E);
	step(&a, 42, 0);
	size = pmu_save(&a.pmu, NULL, 0);
	cr_assert_leq(size, sizeof(image));
	cr_assert_eq(pmu_save(&a.pmu, image, sizeof(image)), size);
	set_up(&b, &usual, false);
	cr_assert_eq(pmu_restore(&b.pmu, image, size, &field), 0);
	cr_expect_null(field);
	step(&b, 1, 0);
	cr_expect_eq(get(&b, COUNTER(0)), 43);
	cr_assert_eq(pmu_restore(&b.pmu, image, size, NULL), 0);
	cr_expect_eq(pmu_save(&b.pmu, again, sizeof(again)), size);
	cr_expect_arr_eq(image, again, size);
	before = b;
	for (size_t i = 0; i < size; i++) {
		memcpy(again, image, size);
		again[i] ^= 0x10;
		cr_expect_lt(pmu_restore(&b.pmu, again, size, &field), 0, "%zu", i);
		cr_expect_lt(pmu_restore(&b.pmu, image, i, &field), 0);
		cr_expect_null(field);
	}
	cr_expect_arr_eq(&before, &b, sizeof(b));
	again[8]++; /* another major version */
	set_up(&b, &other, false);
	cr_expect_eq(pmu_restore(&b.pmu, image, size, &field), -PMU_EIMAGECONFIG);
	cr_expect_str_eq(field, "version");
}
