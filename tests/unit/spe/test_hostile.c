/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guest that writes anything anywhere, under controls that change at random: nothing is written
 * outside the buffer that the registers describe, and everything sampled is accounted for.
 */
#include "../../array.h"
#include "fixture.h"

#include "../../../spe/unit.h"

struct hostile {
	struct spe_unit unit;
	uint64_t state;
	uint64_t fed, filtered;
	unsigned int writes;
};

static uint64_t dice(struct hostile *h)
{
	h->state ^= h->state << 13;
	h->state ^= h->state >> 7;
	h->state ^= h->state << 17;
	return h->state;
}

static struct spe_write_result write_checked(void *ctx, uint8_t owning_el, uint64_t va,
					     const uint8_t *bytes, size_t size)
{
	struct hostile *h = ctx;
	uint64_t limit = unit_in(&h->unit)->pmblimitr & ~UINT64_C(0xfff);
	struct spe_write_result result = {.status = SPE_WRITE_OK, .written = size};
	unsigned int sum = 0;

	for (size_t i = 0; i < size; i++) /* for the sanitizer to see */
		sum += bytes[i];
	cr_assert_neq(sum, 0);
	cr_assert_leq(size, (size_t)1 << unit_in(&h->unit)->config.max_size);
	cr_assert_geq(owning_el, 1);
	cr_assert_leq(owning_el, 2);
	cr_assert_lt(va, limit, "0x%llx, limit 0x%llx", (unsigned long long)va,
		     (unsigned long long)limit);
	cr_assert_leq(size, limit - va, "0x%llx, limit 0x%llx", (unsigned long long)va,
		      (unsigned long long)limit);
	cr_assert(unit_in(&h->unit)->pmblimitr & LIMIT_E);
	cr_assert_not(unit_in(&h->unit)->pmbsr & SR_S);
	h->writes++;
	if (dice(h) % 8 == 0) {
		result.status = dice(h) % 2 ? SPE_WRITE_FAULT : SPE_WRITE_EXTERNAL_ABORT;
		result.written = (size_t)(dice(h) % (2 * size));
		result.fsc = (uint8_t)dice(h);
		result.stage2 = dice(h) % 2;
	}
	return result;
}

static struct spe_write_result write_untranslated(void *ctx, const struct spe_untranslated *to,
						  const uint8_t *bytes, size_t size)
{
	struct hostile *h = ctx;
	struct spe_write_result result;

	cr_assert(unit_in(&h->unit)->config.nvm);
	cr_assert(unit_in(&h->unit)->pmblimitr & LIMIT_NVM);
	if (to->kind != SPE_ADDRESS_PHYSICAL)
		cr_assert_eq(to->kind, SPE_ADDRESS_INTERMEDIATE);
	result = write_checked(ctx, to->owning_el, to->address, bytes, size);
	result.gpc = dice(h) % 4 == 0;
	result.mss2 = (uint16_t)dice(h);
	return result;
}

static void count_event(void *ctx, uint16_t event, uint64_t n)
{
	struct hostile *h = ctx;

	h->fed += event == 0x4001 ? n : 0;
	h->filtered += event == 0x4002 ? n : 0;
}

static void no_serror(void *ctx)
{
	(void)ctx;
}

/* Values near what makes sense, often enough. */
static uint64_t value(struct hostile *h)
{
	switch (dice(h) % 6) {
	case 0: return 0;
	case 1: return dice(h);
	case 2: return dice(h) >> (dice(h) % 64);
	case 3: return dice(h) & 0x7fff;
	case 4: return ((dice(h) & 0xf) << 12) | LIMIT_E;
	default: return E0SPE | E1SPE | CX | PA | TS;
	}
}

/* What a driver does. */
static void restart(struct hostile *h)
{
	spe_write(&h->unit, SYSREG_PMBSR_EL1, 0);
	spe_write(&h->unit, SYSREG_PMBPTR_EL1, dice(h) & 0x7fff);
	spe_write(&h->unit, SYSREG_PMBLIMITR_EL1, 0x8000 | LIMIT_E);
	spe_write(&h->unit, SYSREG_PMSFCR_EL1, dice(h) % 4 ? 0 : dice(h));
	spe_write(&h->unit, SYSREG_PMSCR_EL1, E0SPE | E1SPE | (dice(h) & 0x78));
}

static void update(struct hostile *h)
{
	struct sysreg_controls c = {
		.features = (uint32_t)dice(h) & 0x7fff,
		.el = (uint8_t)(dice(h) & 3),
		.aarch32 = dice(h) % 16 == 0,
		.halted = dice(h) % 16 == 0,
		.hcr_el2 = dice(h),
		.mdcr_el2 = dice(h),
		.mdcr_el3 = dice(h),
		.scr_el3 = dice(h),
	};

	/* mostly a plain PE at EL1, or little would ever be sampled */
	if (dice(h) % 4 != 0)
		c = (struct sysreg_controls){.features = SYSREG_FEAT_SPE, .el = 1};
	spe_update(&h->unit, &c);
}

static void random_config(struct hostile *h, struct spe_config *config)
{
	do {
		spe_config_defaults(config, (enum spe_version)(1 + dice(h) % 6));
		config->fds = dice(h) % 2;
		config->pbt = dice(h) % 2;
		config->crr = dice(h) % 2;
		config->eft = config->fpf = dice(h) % 2;
		config->sme = dice(h) % 4 == 0;
		config->nvm = dice(h) % 2;
		config->exc = dice(h) % 2;
		config->dpfzs = dice(h) % 2;
		config->altclk = (uint8_t)(dice(h) % 2);
		config->incomplete = true;
		config->sve = dice(h) % 2;
		config->tme = dice(h) % 2;
		config->mte = dice(h) % 2;
		config->gcs = dice(h) % 2;
		config->ecv = dice(h) % 2;
		config->pbt_all = dice(h) % 2;
		config->extended_headers = dice(h) % 4 == 0;
		config->extra_packets = (uint8_t)(dice(h) % (SPE_EXTRA_MAX + 1));
		config->ignore_writes = dice(h) % 8 == 0;
		config->empty_filter = (enum spe_empty_filter)(dice(h) % 2);
		config->partial = (enum spe_partial)(dice(h) % 2);
		config->pointer = (enum spe_pointer)(dice(h) % 3);
		config->oversize = (enum spe_oversize)(dice(h) % 2);
		config->late_record = (enum spe_late_record)(dice(h) % 2);
		config->walk_ea = dice(h) % 2;
		config->pbt_taken = dice(h) % 2;
		config->load_enabled = dice(h) % 2;
		config->tail_rnd = dice(h) % 2;
		config->keep_dl = dice(h) % 2;
		config->fault_lag = config->version >= SPE_V1P5 ? (uint8_t)(dice(h) % 4) : 0;
		config->reserved_nspb = (enum spe_reserved_nspb)(dice(h) % 3);
		config->pointer_res0 = (uint8_t)(dice(h) % 4);
		config->max_buffer = dice(h) % 4 == 0 ? 0x4000 : 0;
		config->arch_inst = dice(h) % 2;
		config->lds = dice(h) % 2;
		config->ernd = dice(h) % 2;
		config->count_size = dice(h) % 2 ? 12 : 16;
		config->max_size = (uint8_t)(6 + dice(h) % 6);
		config->align = (uint8_t)(dice(h) % 12);
		config->events_size = (uint8_t)(1u << dice(h) % 4);
		config->source_size = (uint8_t)(1 + dice(h) % 2);
		config->in_flight = (uint8_t)(1 + dice(h) % 8);
		config->lifetime = (uint32_t)(dice(h) % 600);
		config->misspeculated = (struct spe_population){true, dice(h) % 2};
		config->reload = (enum spe_reload)(dice(h) % 2);
		config->interval_zero = (enum spe_interval_zero)(dice(h) % 3);
		config->external_abort = (enum spe_external_abort)(dice(h) % 4);
		config->seed = dice(h);
	} while (spe_config_check(config, NULL));
}

static void random_op(struct hostile *h, struct spe_op *op)
{
	static struct spe_extra random_extra[12];
	uint8_t *bytes = (uint8_t *)op;

	memset(op, 0, sizeof(*op));
	for (size_t i = 0; i < offsetof(struct spe_op, ns); i++)
		bytes[i] = (uint8_t)dice(h);
	op->ns = dice(h) % 2;
	op->extra = random_extra;
	op->extra_count = (uint8_t)(dice(h) % 12);
	for (size_t i = 0; i < ARRAY_SIZE(random_extra); i++)
		random_extra[i] = (struct spe_extra){
			.address = i >= 6, .index = (uint8_t)(dice(h) % 40), .value = dice(h)};
}

Test(hostile, random_guests)
{
	unsigned int writes = 0;

	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct hostile h = {.state = seed * UINT64_C(0x9e3779b97f4a7c15)};
		struct spe_host host = {.ctx = &h,
					.write = write_checked,
					.write_untranslated = write_untranslated,
					.pmu_event = count_event,
					.serror = no_serror};
		const struct spe_stats *stats = &unit_in(&h.unit)->stats;
		struct spe_config config;
		struct spe_op op;

		random_config(&h, &config);
		eq(spe_init(&h.unit, sizeof(h.unit), &config, &host), 0);
		for (unsigned int i = 0; i < 5000; i++) {
			uint64_t budget = spe_budget(&h.unit);

			switch (dice(&h) % 8) {
			case 0:
				spe_write(&h.unit, (enum sysreg_id)(dice(&h) % SYSREG_COUNT),
					  value(&h));
				break;
			case 1:
				spe_branch(&h.unit, (enum spe_branch_kind)(dice(&h) % 4),
					   &(struct spe_target){.va = dice(&h), .el = 1});
				spe_read(&h.unit, (enum sysreg_id)(dice(&h) % SYSREG_COUNT));
				break;
			case 2: update(&h); break;
			case 3: spe_advance(&h.unit, 1 + dice(&h) % budget); break;
			case 4: restart(&h); break;
			default:
				spe_advance(&h.unit, budget);
				random_op(&h, &op);
				if (dice(&h) % 4 != 0)
					spe_sample(&h.unit, &op);
			}
			cr_assert_geq(spe_budget(&h.unit), 1);
			eq(spe_budget(&h.unit) == UINT64_MAX, !spe_enabled(&h.unit));
		}
		eq(stats->feed, h.fed);
		eq(stats->filtrate, h.filtered);
		eq(stats->records + stats->lost + stats->discarded, stats->filtrate);
		writes += h.writes;
	}
	cr_assert_gt(writes, 10000u, "only %u records", writes);
}
