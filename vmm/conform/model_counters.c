/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares a counter unit with stepped_counters.h, in random scripts: registers are written, the PE
 * changes its level, state and MDCR_ELx, operations are executed, and all state is compared.
 */
#include "conform/model.h"
#include "conform/stepped_counters.h"
#include "conform/subject.h"

#include <inttypes.h>
#include <string.h>

#define SCRIPTS	       40
#define SCRIPT_ACTIONS 500
#define COUNTERS_MAX   31

struct pair {
	const struct vspe_subject *subject;
	void *counters;
	struct vspe_subject_pe pe, open; /* now; at its highest level, with nothing trapped */
	struct stepped_counters s;
	struct model_run *run;
	uint64_t random;
};

static uint64_t below(struct pair *p, uint64_t limit)
{
	return model_random(&p->random) % limit;
}

static bool chance(struct pair *p, unsigned int of)
{
	return below(p, of) == 0;
}

static uint64_t read_subject(struct pair *p, enum pmu_register reg)
{
	return p->subject->counters_access(p->counters, &p->open,
					   subject_stated_encoding(SUBJECT_PMU + reg), false, 0);
}

static void write_subject(struct pair *p, enum pmu_register reg, uint64_t value)
{
	(void)p->subject->counters_access(p->counters, &p->open,
					  subject_stated_encoding(SUBJECT_PMU + reg), true, value);
}

static enum pmu_register value_register(unsigned int n)
{
	switch (n) {
	case CYCLE: return PMU_PMCCNTR_EL0;
	case INSTRUCTION: return PMU_PMICNTR_EL0;
	default: return (enum pmu_register)(PMU_PMEVCNTR0_EL0 + n);
	}
}

static enum pmu_register type_register(unsigned int n)
{
	switch (n) {
	case CYCLE: return PMU_PMCCFILTR_EL0;
	case INSTRUCTION: return PMU_PMICFILTR_EL0;
	default: return (enum pmu_register)(PMU_PMEVTYPER0_EL0 + n);
	}
}

/* The reference at the highest level, for what happens during an access there. */
static void write_both(struct pair *p, enum pmu_register reg, uint64_t value)
{
	struct stepped_counters *s = &p->s;
	const struct stepped_counters was = *s;

	s->level = p->open.el;
	s->state = s->level < 3 ? was.state : s->is.rme ? ROOT : SECURE;
	stepped_write(s, reg, value);
	s->level = was.level;
	s->state = was.state;
	write_subject(p, reg, value);
}

static bool same(struct pair *p, const char *what, unsigned int n, uint64_t got, uint64_t expected)
{
	p->run->cases++;
	if (got == expected)
		return true;
	fprintf(p->run->why,
		"%s %u is 0x%" PRIx64 " instead of 0x%" PRIx64
		", PMUVer %u, EL%u, MDCR_EL2 0x%" PRIx64 ", MDCR_EL3 0x%" PRIx64
		", SCR_EL3 0x%" PRIx64 ", PMCR_EL0 0x%" PRIx64 "\n",
		what, n, got, expected, p->s.is.version, p->s.level, p->s.el2, p->s.el3,
		p->pe.scr_el3, p->s.control);
	return false;
}

static bool same_counter(struct pair *p, unsigned int n)
{
	return same(p, "the value of counter", n, read_subject(p, value_register(n)),
		    p->s.value[n]) &&
	       same(p, "the type of counter", n,
		    read_subject(p, type_register(n)) & stepped_type_bits(&p->s, n), p->s.type[n]);
}

static bool same_state(struct pair *p)
{
	struct stepped_counters *s = &p->s;
	const bool level = p->subject->counters_interrupt(p->counters, &p->pe);

	for (unsigned int n = 0; n < ALL; n++)
		if (stepped_has(s, n) && !same_counter(p, n))
			return false;
	return same(p, "PMOVSSET_EL0 of unit", 0, read_subject(p, PMU_PMOVSSET_EL0),
		    s->overflowed) &&
	       same(p, "PMCNTENSET_EL0 of unit", 0, read_subject(p, PMU_PMCNTENSET_EL0),
		    s->enabled) &&
	       same(p, "PMINTENSET_EL1 of unit", 0, read_subject(p, PMU_PMINTENSET_EL1),
		    s->interrupts) &&
	       same(p, "the level of the interrupt of unit", 0, level, stepped_interrupts(s));
}

/* Another Exception level, Security state and MDCR_ELx, with bits of its features only. */
static void change_pe(struct pair *p)
{
	struct stepped_counters *s = &p->s;
	const bool new = s->is.version >= V3P7, long_counters = s->is.version >= V3P5;
	const unsigned int highest = s->is.el3 ? 3 : s->is.el2 ? 2 : 1;
	bool ns = true, nse = false, eel2 = false;

	s->el2 = s->el3 = 0;
	if (s->is.el2)
		s->el2 = below(p, s->is.counters + 1u) |
			 (model_random(&p->random) &
			  (B(EL2_HPME) | B(EL2_HPMD) |
			   (long_counters ? B(EL2_HCCD) | B(EL2_HLP) : 0) |
			   (new ? B(EL2_HPMFZO) : 0)));
	if (s->is.el3) {
		s->el3 = model_random(&p->random) &
			 (B(EL3_SPME) | (long_counters ? B(EL3_SCCD) : 0) |
			  (new ? B(EL3_MCCD) | B(EL3_MPMX) : 0));
		ns = !chance(p, 3);
		nse = s->is.rme && ns && chance(p, 3);
		eel2 = s->is.sel2 && !chance(p, 3);
	}
	s->level = (uint8_t)below(p, highest + 1);
	s->state = nse ? REALM : ns ? NON_SECURE : SECURE;
	if (s->level == 2 && !s->is.el2)
		s->level = 1;
	if (s->level == 2 && !ns && !eel2)
		s->level = 1;
	if (s->level == 3)
		s->state = s->is.rme ? ROOT : SECURE;
	p->pe.el = s->level;
	p->pe.mdcr_el2 = s->el2;
	p->pe.mdcr_el3 = s->el3 | B(WORLD_MDCR_EL3_EnPM2_LSB);
	p->pe.scr_el3 = (uint64_t)ns << WORLD_SCR_EL3_NS_LSB |
			(uint64_t)nse << WORLD_SCR_EL3_NSE_LSB |
			(uint64_t)eel2 << WORLD_SCR_EL3_EEL2_LSB;
	p->open = p->pe;
	p->open.el = (uint8_t)highest;
}

/* Values shortly before an overflow of 32 or 64 bits, and others. */
static uint64_t draw_value(struct pair *p)
{
	const uint64_t value = model_random(&p->random);

	switch (below(p, 4)) {
	case 0: return value;
	case 1: return (value | UINT32_MAX) - below(p, 8);
	case 2: return UINT64_MAX - below(p, 8);
	default: return below(p, 8);
	}
}

static uint64_t draw_type(struct pair *p, unsigned int n)
{
	static const uint16_t events[] = {INST_RETIRED, CPU_CYCLES, CHAIN,
					  SW_INCR,	LD_RETIRED, CHAIN};
	const uint64_t filter = model_random_sparse(&p->random, 1 + (unsigned int)below(p, 3))
				<< 16;

	return ((filter & ~UINT64_C(0xffff)) |
		events[below(p, sizeof(events) / sizeof(events[0]))]) &
	       stepped_type_bits(&p->s, n);
}

static void change_counter(struct pair *p)
{
	unsigned int n = (unsigned int)below(p, p->s.is.counters + 2u);
	const bool type = chance(p, 2);
	uint64_t value;

	n = n < p->s.is.counters ? n : n == p->s.is.counters ? CYCLE : INSTRUCTION;
	if (!stepped_has(&p->s, n))
		return;
	value = type ? draw_type(p, n) : draw_value(p);
	if (type)
		p->s.type[n] = value;
	else
		stepped_write_counter(&p->s, n, value);
	if (n < CYCLE && chance(p, 3)) {
		write_subject(p, PMU_PMSELR_EL0, n);
		write_subject(p, type ? PMU_PMXEVTYPER_EL0 : PMU_PMXEVCNTR_EL0, value);
	} else {
		write_subject(p, type ? type_register(n) : value_register(n), value);
	}
}

static void change_register(struct pair *p)
{
	static const enum pmu_register registers[] = {
		PMU_PMCR_EL0,	    PMU_PMCR_EL0,     PMU_PMCNTENSET_EL0, PMU_PMCNTENSET_EL0,
		PMU_PMCNTENCLR_EL0, PMU_PMOVSCLR_EL0, PMU_PMOVSCLR_EL0,	  PMU_PMOVSSET_EL0,
		PMU_PMSWINC_EL0,    PMU_PMSWINC_EL0,  PMU_PMINTENSET_EL1, PMU_PMINTENCLR_EL1,
		PMU_PMZR_EL0};
	const enum pmu_register reg = registers[below(p, sizeof(registers) / sizeof(registers[0]))];
	uint64_t value = model_random(&p->random) & (B(33) - 1);

	if (reg == PMU_PMZR_EL0 && p->s.is.version < V3P9)
		return;
	if (reg == PMU_PMCR_EL0)
		value = (value & ~(B(CR_P) | B(CR_C))) | (chance(p, 8) ? B(CR_P) : 0) |
			(chance(p, 8) ? B(CR_C) : 0) | (chance(p, 4) ? 0 : B(CR_E));
	if (reg == PMU_PMSWINC_EL0)
		value &= B(CYCLE) - 1;
	if (reg == PMU_PMOVSSET_EL0)
		value = model_random_sparse(&p->random, 4) & (B(33) - 1);
	write_both(p, reg, value);
}

/* As many operations as pass without a further look at the unit, or one. */
static bool run_operations(struct pair *p)
{
	const struct vspe_subject *subject = p->subject;
	const uint64_t budget =
		subject->counters_budget ? subject->counters_budget(p->counters, &p->pe) : 1;
	uint64_t n;

	if (budget == 0)
		return same(p, "the budget of unit", 0, 0, 1);
	n = 1 + below(p, budget < 20 ? budget : 20);
	subject->counters_advance(p->counters, &p->pe, n);
	for (uint64_t i = 0; i < n; i++)
		stepped_execute(&p->s);
	return true;
}

static void tell_event(struct pair *p)
{
	p->subject->counters_event(p->counters, &p->pe, LD_RETIRED);
	stepped_event(&p->s, stepped_counting(&p->s), LD_RETIRED, UINT64_MAX);
}

static bool act(struct pair *p)
{
	switch (below(p, 8)) {
	case 0: change_pe(p); break;
	case 1: change_counter(p); break;
	case 2: change_register(p); break;
	case 3:
		if (p->subject->counters_event)
			tell_event(p);
		break;
	default:
		if (!run_operations(p))
			return false;
	}
	return same_state(p);
}

/* Both as after a reset, with every register that is UNKNOWN then written. */
static bool start(struct pair *p, unsigned int version, FILE *why)
{
	const struct vspe_subject *subject = p->subject;
	struct stepped_counters *s = &p->s;

	memset(s, 0, sizeof(*s));
	s->is = (struct vspe_subject_counters){.version = (uint8_t)version,
					       .counters = 6,
					       .el2 = !chance(p, 4),
					       .el3 = !chance(p, 3),
					       .instruction_counter = version >= V3P9};
	s->is.sel2 = s->is.el2 && s->is.el3 && chance(p, 2);
	s->is.rme = s->is.el3 && chance(p, 3);
	memset(&p->pe, 0, sizeof(p->pe));
	p->counters = subject->counters_create(subject->ctx, &s->is);
	if (!p->counters || s->is.version < V3P1 || s->is.version > V3P9 || s->is.counters < 1 ||
	    s->is.counters > COUNTERS_MAX) {
		fputs("counters_create() makes no unit\n", why);
		return false;
	}
	p->pe.features = VSPE_SUBJECT_FEAT_FGT2 | (s->is.el2 ? VSPE_SUBJECT_EL2 : 0u) |
			 (s->is.el3 ? VSPE_SUBJECT_EL3 : 0u) |
			 (s->is.sel2 ? VSPE_SUBJECT_FEAT_SEL2 : 0u) |
			 (s->is.rme ? VSPE_SUBJECT_FEAT_RME : 0u);
	p->pe.hdfgrtr2_el2 = p->pe.hdfgwtr2_el2 = UINT64_MAX;
	change_pe(p);
	write_both(p, PMU_PMCR_EL0, 0);
	write_both(p, PMU_PMCNTENCLR_EL0, UINT64_MAX);
	write_both(p, PMU_PMINTENCLR_EL1, UINT64_MAX);
	write_both(p, PMU_PMOVSCLR_EL0, UINT64_MAX);
	for (unsigned int n = 0; n < ALL; n++)
		if (stepped_has(s, n)) {
			write_subject(p, value_register(n), 0);
			write_subject(p, type_register(n), 0);
		}
	return same_state(p);
}

static bool run_scripts(struct model_run *run, unsigned int version)
{
	bool passed = true;

	for (unsigned int i = 0; passed && i < SCRIPTS; i++) {
		struct pair p = {.subject = run->subject, .run = run, .random = version * 1000 + i};

		passed = start(&p, version, run->why);
		for (unsigned int k = 0; passed && k < SCRIPT_ACTIONS; k++)
			passed = act(&p);
		if (!passed)
			fprintf(run->why, "script %u\n", i);
		if (p.counters && run->subject->counters_destroy)
			run->subject->counters_destroy(p.counters);
	}
	return passed;
}

#define VERSION(name)                                 \
	static bool run_##name(struct model_run *run) \
	{                                             \
		return run_scripts(run, name);        \
	}
VERSION(V3P1)
VERSION(V3P4)
VERSION(V3P5)
VERSION(V3P7)
VERSION(V3P8)
VERSION(V3P9)

const struct model models_counters[] = {
	{"counters: FEAT_PMUv3p1, random scripts", run_V3P1, MODEL_COUNTERS},
	{"counters: FEAT_PMUv3p4, random scripts", run_V3P4, MODEL_COUNTERS},
	{"counters: FEAT_PMUv3p5, random scripts", run_V3P5, MODEL_COUNTERS},
	{"counters: FEAT_PMUv3p7, random scripts", run_V3P7, MODEL_COUNTERS},
	{"counters: FEAT_PMUv3p8, random scripts", run_V3P8, MODEL_COUNTERS},
	{"counters: FEAT_PMUv3p9, random scripts", run_V3P9, MODEL_COUNTERS},
	{0},
};
