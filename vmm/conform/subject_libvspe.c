/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libvspe as a subject: what `vspe conform` tests by default.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vspe/pmu.h>
#include <vspe/spe.h>
#include <vspe/subject.h>

#include "../../pmu/route.h"

/*
 * A PE as the libraries see it, in the same bytes. The suite makes billions of calls, and a copy
 * would take longer than the answer.
 */
struct libraries {
	struct sysreg_controls spe;
	struct pmu_controls pmu;
};
union view {
	struct vspe_subject_pe pe;
	struct libraries libraries;
};
#define SAME(mine, theirs)                                        \
	static_assert(offsetof(struct vspe_subject_pe, mine) ==   \
			      offsetof(struct libraries, theirs), \
		      #mine)
SAME(features, spe.features);
SAME(el, spe.el);
SAME(aarch32, spe.aarch32);
SAME(halted, spe.halted);
SAME(edscr_sdd, spe.edscr_sdd);
SAME(el3_trap_has_priority_sdd, spe.el3_trap_has_priority_sdd);
SAME(hcr_el2, spe.hcr_el2);
SAME(mdcr_el2, spe.mdcr_el2);
SAME(mdcr_el3, spe.mdcr_el3);
SAME(scr_el3, spe.scr_el3);
SAME(hdfgrtr_el2, spe.hdfgrtr_el2);
SAME(hdfgwtr_el2, spe.hdfgwtr_el2);
SAME(hdfgrtr2_el2, spe.hdfgrtr2_el2);
SAME(hdfgwtr2_el2, spe.hdfgwtr2_el2);
SAME(pmscr_el1, spe.pmscr_el1);
SAME(pmscr_el2, spe.pmscr_el2);
SAME(pmu_features, pmu.features);
SAME(pmu_counters, pmu.counters);
SAME(pmuserenr_el0, pmu.pmuserenr);
SAME(pmuacr_el1, pmu.pmuacr);
SAME(pmselr_el0, pmu.pmselr);
static_assert(sizeof(struct vspe_subject_pe) == sizeof(struct libraries), "nothing else");
static_assert(VSPE_SUBJECT_FEAT_SPE == SYSREG_FEAT_SPE &&
		      VSPE_SUBJECT_FEAT_SPE_FnE == SYSREG_FEAT_SPE_FNE &&
		      VSPE_SUBJECT_FEAT_SPE_FDS == SYSREG_FEAT_SPE_FDS &&
		      VSPE_SUBJECT_FEAT_SPE_nVM == SYSREG_FEAT_SPE_NVM &&
		      VSPE_SUBJECT_FEAT_SPE_EXC == SYSREG_FEAT_SPE_EXC &&
		      VSPE_SUBJECT_FEAT_FGT == SYSREG_FEAT_FGT &&
		      VSPE_SUBJECT_FEAT_FGT2 == SYSREG_FEAT_FGT2 &&
		      VSPE_SUBJECT_FEAT_VHE == SYSREG_FEAT_VHE &&
		      VSPE_SUBJECT_FEAT_NV == SYSREG_FEAT_NV &&
		      VSPE_SUBJECT_FEAT_NV2 == SYSREG_FEAT_NV2 &&
		      VSPE_SUBJECT_FEAT_RME == SYSREG_FEAT_RME &&
		      VSPE_SUBJECT_FEAT_SEL2 == SYSREG_FEAT_SEL2 &&
		      VSPE_SUBJECT_EL2 == SYSREG_FEAT_EL2 && VSPE_SUBJECT_EL3 == SYSREG_FEAT_EL3 &&
		      VSPE_SUBJECT_SECURE == SYSREG_FEAT_SECURE,
	      "features of the PE");
static_assert(VSPE_SUBJECT_FEAT_PMUv3 == PMU_FEAT_PMUv3 &&
		      VSPE_SUBJECT_FEAT_PMUv3p4 == PMU_FEAT_PMUv3p4 &&
		      VSPE_SUBJECT_FEAT_PMUv3p9 == PMU_FEAT_PMUv3p9 &&
		      VSPE_SUBJECT_FEAT_PMUv3_ICNTR == PMU_FEAT_PMUv3_ICNTR,
	      "features of the PMU");

static const struct libraries *see(const struct vspe_subject_pe *pe)
{
	return &((const union view *)pe)->libraries;
}

/* A route in the suite's words; reached is the encoding of the register that it names. */
static void tell(struct sysreg_route route, uint32_t reached, struct vspe_subject_outcome *outcome)
{
	switch (route.kind) {
	case SYSREG_DIRECT:
		outcome->kind = VSPE_SUBJECT_DIRECT;
		outcome->encoding = reached;
		break;
	case SYSREG_TRAP:
		outcome->kind = VSPE_SUBJECT_TRAP;
		outcome->target_el = route.target_el;
		outcome->ec = route.ec;
		outcome->iss = route.syndrome;
		break;
	case SYSREG_NVMEM:
		outcome->kind = VSPE_SUBJECT_MEMORY;
		outcome->offset = route.nvmem_offset;
		break;
	case SYSREG_RAZ_WI: outcome->kind = VSPE_SUBJECT_RAZ_WI; break;
	case SYSREG_UNDEFINED: outcome->kind = VSPE_SUBJECT_UNDEFINED; break;
	}
}

static void route_spe(void *ctx, const struct vspe_subject_pe *pe,
		      const struct vspe_subject_access *access,
		      struct vspe_subject_outcome *outcome)
{
	const struct sysreg_access asked = {sysreg_find(access->encoding), access->write,
					    access->rt};
	const struct sysreg_route route = sysreg_route(&see(pe)->spe, asked);

	(void)ctx;
	tell(route, sysreg_encoding((enum sysreg_id)route.reg), outcome);
}

static void condition_spe(void *ctx, const struct vspe_subject_pe *pe,
			  const struct vspe_subject_access *access, char *text, size_t size)
{
	struct sysreg_step steps[SYSREG_STEPS_MAX];
	size_t count, at = 0, i = 0;

	(void)ctx;
	(void)sysreg_explain(
		&see(pe)->spe,
		(struct sysreg_access){sysreg_find(access->encoding), access->write, access->rt},
		steps, SYSREG_STEPS_MAX, &count);
	while (i < count && !steps[i].value)
		i++;
	text[0] = '\0';
	for (unsigned int t = 0; i < count && t < steps[i].count && at < size; t++)
		at += (size_t)snprintf(text + at, size - at, "%s%s", t ? " && " : "",
				       steps[i].terms[t].text);
}

/*
 * PMU registers by encoding: pmu_find() searches all of them, which takes longer than the decision.
 * Op0 is always 3.
 */
static const uint8_t pmu_registers[1 << 14] = {
#define NUMBER(op1, crn, crm, op2)		(VSPE_SUBJECT_ENCODING(0, op1, crn, crm, op2))
#define REGISTER(name, op1, crn, crm, op2, ...) [NUMBER(op1, crn, crm, op2)] = PMU_##name + 1,
#include "../../pmu/registers.def"
#undef REGISTER
};

static void route_pmu(void *ctx, const struct vspe_subject_pe *pe,
		      const struct vspe_subject_access *access,
		      struct vspe_subject_outcome *outcome)
{
	const struct libraries *l = see(pe);
	const unsigned int found =
		access->encoding >> 14 == 3 ? pmu_registers[access->encoding & 0x3fff] : 0;
	struct sysreg_route route = {.kind = SYSREG_UNDEFINED};

	(void)ctx;
	if (found)
		route = pmu_route(&l->spe, &l->pmu, (enum pmu_register)(found - 1), access->write,
				  access->rt);
	tell(route, pmu_encoding((enum pmu_register)route.reg), outcome);
}

/*
 * The unit.
 */

struct unit {
	struct spe_unit unit;
	struct vspe_subject_host host;
};

static struct spe_write_result write_record(void *ctx, uint8_t owning_el, uint64_t va,
					    const uint8_t *bytes, size_t size)
{
	struct unit *u = ctx;
	const struct vspe_subject_write w = u->host.write(u->host.ctx, va, bytes, size);

	(void)owning_el;
	return (struct spe_write_result){.status = (enum spe_write_status)w.status,
					 .written = w.written,
					 .fsc = w.fsc,
					 .stage2 = w.stage2,
					 .gpc = w.gpc,
					 .mss2 = w.mss2};
}

/* The suite has no physical buffers: this is never called, but must exist. */
static struct spe_write_result write_untranslated(void *ctx, const struct spe_untranslated *to,
						  const uint8_t *bytes, size_t size)
{
	return write_record(ctx, to->owning_el, to->address, bytes, size);
}

static void count_event(void *ctx, uint16_t event, uint64_t count)
{
	struct unit *u = ctx;

	u->host.pmu_event(u->host.ctx, event, count);
}

static uint8_t draw(void *ctx)
{
	struct unit *u = ctx;

	return u->host.random(u->host.ctx);
}

static void raise_serror(void *ctx)
{
	struct unit *u = ctx;

	u->host.serror(u->host.ctx);
}

static struct spe_config config_of(const struct vspe_subject_config *asked)
{
	struct spe_config c;

	spe_config_defaults(&c, (enum spe_version)asked->version);
#define TAKE(name) c.name = asked->name;
	TAKE(ernd)
	TAKE(lds)
	TAKE(fds)
	TAKE(crr)
	TAKE(pbt)
	TAKE(eft)
	TAKE(pbt_all)
	TAKE(sve)
	TAKE(mte)
	TAKE(extended_headers)
	TAKE(walk_ea)
	TAKE(count_size)
	TAKE(events_size)
	TAKE(source_size)
	TAKE(max_size)
	TAKE(align)
	TAKE(altclk)
	TAKE(extra_packets)
	TAKE(fault_lag)
	TAKE(events)
	TAKE(seed)
#undef TAKE
	c.fpf = asked->eft;
	c.sources = UINT64_MAX;
	/* EL1 owns the buffer and gets every event; addresses are virtual. */
	c.incomplete = true;
	c.exc = false;
	c.reload = asked->reload_after_tail ? SPE_RELOAD_AFTER_TAIL : SPE_RELOAD_BEFORE_TAIL;
	c.empty_filter = asked->empty_filter_rejects ? SPE_EMPTY_FILTER_NO_SAMPLES
						     : SPE_EMPTY_FILTER_IGNORED;
	c.partial = asked->partial_rewound ? SPE_PARTIAL_REWOUND : SPE_PARTIAL_KEPT;
	c.late_record = asked->late_event ? SPE_LATE_EVENT : SPE_LATE_DISCARDED;
	c.layout = (enum spe_layout)asked->layout;
	c.external_abort = (enum spe_external_abort)asked->external_abort;
	return c;
}

static void *create(void *ctx, const struct vspe_subject_pe *pe, struct vspe_subject_config *config,
		    const struct vspe_subject_host *host)
{
	const struct spe_config c = config_of(config);
	struct unit *u = malloc(sizeof(*u));
	const struct spe_host mine = {.ctx = u,
				      .write = write_record,
				      .write_untranslated = write_untranslated,
				      .pmu_event = config->pmu_events ? count_event : NULL,
				      .random = config->random_own ? NULL : draw,
				      .serror = raise_serror};

	(void)ctx;
	if (!u)
		return NULL;
	u->host = *host;
	if (spe_init(&u->unit, sizeof(u->unit), &c, &mine)) {
		free(u);
		return NULL;
	}
	spe_update(&u->unit, &see(pe)->spe);
	return u;
}

static void destroy(void *unit)
{
	free(unit);
}

static uint64_t read_register(void *unit, uint32_t encoding)
{
	return spe_read(&((struct unit *)unit)->unit, sysreg_find(encoding));
}

static void write_register(void *unit, uint32_t encoding, uint64_t value)
{
	spe_write(&((struct unit *)unit)->unit, sysreg_find(encoding), value);
}

static bool advance(void *unit, uint64_t n)
{
	return spe_advance(&((struct unit *)unit)->unit, n) == SPE_SELECTED;
}

static uint64_t budget(void *unit)
{
	return spe_budget(&((struct unit *)unit)->unit);
}

static void sample(void *unit, const struct vspe_subject_operation *o)
{
	struct spe_unit *u = &((struct unit *)unit)->unit;
	struct spe_extra extra[SPE_EXTRA_MAX];
	struct spe_op op;

	if (!o) {
		spe_abandon(u);
		return;
	}
	op = (struct spe_op){
#define TAKE(name) .name = o->name,
		TAKE(pc) TAKE(target) TAKE(data_va) TAKE(data_pa) TAKE(timestamp) TAKE(events)
			TAKE(contextidr_el1) TAKE(contextidr_el2) TAKE(flags) TAKE(total_latency)
				TAKE(issue_latency) TAKE(translation_latency)
					TAKE(alternate_latency) TAKE(data_source) TAKE(type_header)
						TAKE(type_payload) TAKE(el) TAKE(target_el) TAKE(ns)
							TAKE(nse) TAKE(target_ns) TAKE(target_nse)
								TAKE(tag) TAKE(extra_count)
#undef TAKE
									.extra = extra};
	for (unsigned int i = 0; i < o->extra_count && i < SPE_EXTRA_MAX; i++)
		extra[i] = (struct spe_extra){o->extra[i].address, o->extra[i].index,
					      o->extra[i].value};
	spe_sample(u, &op);
}

static void branch(void *unit, const struct vspe_subject_target *target)
{
	const struct spe_target t = {target->va, target->el, target->ns, target->nse};

	spe_branch(&((struct unit *)unit)->unit, SPE_BRANCH_TAKEN, &t);
}

static void synchronize(void *unit)
{
	spe_synchronize(&((struct unit *)unit)->unit);
}

static bool enabled(void *unit)
{
	return spe_enabled(&((struct unit *)unit)->unit);
}

static bool interrupt(void *unit)
{
	return spe_irq_level(&((struct unit *)unit)->unit);
}

/*
 * The counters.
 */

#define TOLD 0x06u /* LD_RETIRED */

static void *counters_create(void *ctx, struct vspe_subject_counters *is)
{
	const struct pmu_config config = {.version = (enum pmu_version)is->version,
					  .el2 = is->el2,
					  .el3 = is->el3,
					  .sel2 = is->sel2,
					  .rme = is->rme,
					  .events = UINT64_C(1) << TOLD};
	struct pmu_unit *u = malloc(sizeof(*u));

	(void)ctx;
	is->counters = PMU_COUNTERS;
	is->instruction_counter = is->version >= PMU_V3P9;
	if (u && pmu_init(u, sizeof(*u), &config, NULL)) {
		free(u);
		return NULL;
	}
	return u;
}

static uint64_t counters_access(void *counters, const struct vspe_subject_pe *pe, uint32_t encoding,
				bool write, uint64_t value)
{
	const struct sysreg_route route =
		pmu_access(counters, &see(pe)->spe, encoding, write, 0, &value);

	return write || route.kind != SYSREG_DIRECT ? 0 : value;
}

static void counters_advance(void *counters, const struct vspe_subject_pe *pe, uint64_t n)
{
	pmu_update(counters, &see(pe)->spe);
	pmu_advance(counters, &(struct pmu_step){.begun = n, .retired = n});
}

static uint64_t counters_budget(void *counters, const struct vspe_subject_pe *pe)
{
	pmu_update(counters, &see(pe)->spe);
	return pmu_budget(counters);
}

static void counters_event(void *counters, const struct vspe_subject_pe *pe, uint16_t event)
{
	pmu_update(counters, &see(pe)->spe);
	pmu_event(counters, event, 1);
}

static bool counters_interrupt(void *counters, const struct vspe_subject_pe *pe)
{
	pmu_update(counters, &see(pe)->spe);
	return pmu_irq_level(counters);
}

const struct vspe_subject subject_libvspe = {
	.version = VSPE_SUBJECT_VERSION,
	.size = sizeof(struct vspe_subject),
	.name = "libvspe",
	.spe_access = route_spe,
	.pmu_access = route_pmu,
	.spe_condition = condition_spe,
	.unit_create = create,
	.unit_destroy = destroy,
	.unit_read = read_register,
	.unit_write = write_register,
	.unit_advance = advance,
	.unit_budget = budget,
	.unit_sample = sample,
	.unit_branch = branch,
	.unit_synchronize = synchronize,
	.unit_enabled = enabled,
	.unit_interrupt = interrupt,
	.counters_create = counters_create,
	.counters_destroy = destroy,
	.counters_access = counters_access,
	.counters_advance = counters_advance,
	.counters_budget = counters_budget,
	.counters_event = counters_event,
	.counters_interrupt = counters_interrupt,
};
