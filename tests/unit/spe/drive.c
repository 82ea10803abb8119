/* SPDX-License-Identifier: BSD-2-Clause */
/* A PE that does anything at all with its profiling unit. */
#include "drive.h"
#include <stdlib.h>
#include <string.h>

#define BUFFER	0x4000u
#define LIMIT_E 1u

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static uint64_t dice(struct drive *d)
{
	return next(&d->dice);
}

/* FNV-1a, a word at a time. */
static void note(struct drive *d, uint64_t value)
{
	d->digest = (d->digest ^ value) * UINT64_C(0x100000001b3);
	d->digest ^= d->digest >> 29;
}

static struct spe_write_result deliver(struct drive *d, uint64_t to, const uint8_t *bytes,
				       size_t size)
{
	struct spe_write_result result = {.status = SPE_WRITE_OK, .written = size};

	if (size > 2048)
		abort();
	d->records++;
	note(d, to);
	note(d, size);
	for (size_t i = 0; i < size; i++)
		note(d, bytes[i]);
	if (dice(d) % 16 == 0) {
		result.status = dice(d) % 2 ? SPE_WRITE_FAULT : SPE_WRITE_EXTERNAL_ABORT;
		result.written = (size_t)(dice(d) % (2 * size));
		result.fsc = (uint8_t)dice(d);
		result.stage2 = dice(d) % 2;
		result.gpc = dice(d) % 4 == 0;
		result.mss2 = (uint16_t)dice(d);
	}
	return result;
}

static struct spe_write_result write_virtual(void *ctx, uint8_t owning_el, uint64_t va,
					     const uint8_t *bytes, size_t size)
{
	note(ctx, owning_el);
	return deliver(ctx, va, bytes, size);
}

static struct spe_write_result write_untranslated(void *ctx, const struct spe_untranslated *to,
						  const uint8_t *bytes, size_t size)
{
	note(ctx, (uint64_t)to->kind | to->owning_el << 8 | to->attributes << 16 |
			  (uint64_t)to->shareability << 24 | (uint64_t)to->ns << 32 |
			  (uint64_t)to->nse << 33);
	return deliver(ctx, to->address, bytes, size);
}

static void count_event(void *ctx, uint16_t event, uint64_t count)
{
	struct drive *d = ctx;

	d->events += count;
	note(d, event);
	note(d, count);
}

static uint8_t random_byte(void *ctx)
{
	struct drive *d = ctx;

	return (uint8_t)(next(&d->random) >> 24);
}

static void serror(void *ctx)
{
	note(ctx, 0x5e);
}

struct spe_host drive_host(struct drive *d, bool random)
{
	return (struct spe_host){
		.ctx = d,
		.write = write_virtual,
		.write_untranslated = write_untranslated,
		.pmu_event = count_event,
		.random = random ? random_byte : NULL,
		.serror = serror,
	};
}

void drive_config(struct drive *d, struct spe_config *config)
{
	do {
		spe_config_defaults(config, (enum spe_version)(1 + dice(d) % 6));
		config->ernd = dice(d) % 2;
		config->lds = dice(d) % 2;
		config->fds = config->fds && dice(d) % 2;
		config->pbt = config->pbt || dice(d) % 2;
		config->pbt_all = dice(d) % 2;
		config->pbt_isb = dice(d) % 2;
		config->mte = dice(d) % 4 == 0;
		config->gcs = dice(d) % 4 == 0;
		config->ecv = dice(d) % 2;
		config->count_size = dice(d) % 2 ? 12 : 16;
		config->max_size = (uint8_t)(6 + dice(d) % 3);
		config->align = (uint8_t)(dice(d) % (config->max_size + 1u));
		config->pointer_res0 = (uint8_t)(dice(d) % (config->align + 1u));
		config->max_buffer = dice(d) % 4 ? 0 : 0x2000;
		config->in_flight = (uint8_t)(1 + dice(d) % SPE_IN_FLIGHT_MAX);
		config->lifetime = dice(d) % 2 ? 0 : (uint32_t)(dice(d) % 2000);
		config->extra_packets = (uint8_t)(dice(d) % 2);
		config->ignore_writes = dice(d) % 8 == 0;
		config->reload = (enum spe_reload)(dice(d) % 2);
		config->external_abort = (enum spe_external_abort)(dice(d) % 4);
		config->partial = (enum spe_partial)(dice(d) % 2);
		config->pointer = (enum spe_pointer)(dice(d) % 3);
		config->oversize = (enum spe_oversize)(dice(d) % 2);
		config->late_record = (enum spe_late_record)(dice(d) % 2);
		config->walk_ea = dice(d) % 2;
		config->pbt_taken = dice(d) % 2;
		config->load_enabled = dice(d) % 2;
		config->tail_rnd = dice(d) % 2;
		config->keep_dl = dice(d) % 2;
		config->fault_lag = config->version >= SPE_V1P5 ? (uint8_t)(dice(d) % 4) : 0;
		config->reserved_nspb = (enum spe_reserved_nspb)(dice(d) % 3);
		config->seed = dice(d);
	} while (spe_config_check(config, NULL) != 0);
}

static void controls(struct drive *d)
{
	struct sysreg_controls c = {
		.features = (uint32_t)dice(d) & 0x7fff,
		.el = (uint8_t)(dice(d) & 3),
		.aarch32 = dice(d) % 16 == 0,
		.halted = dice(d) % 16 == 0,
		.hcr_el2 = dice(d),
		.mdcr_el2 = dice(d),
		.mdcr_el3 = dice(d),
		.scr_el3 = dice(d),
	};

	/* mostly a plain PE, or little would ever be sampled */
	if (dice(d) % 8 != 0)
		c = (struct sysreg_controls){.features = SYSREG_FEAT_SPE, .el = dice(d) % 8 != 0};
	spe_update(d->unit, &c);
}

/* What a driver does to profile again. */
static void restart(struct drive *d)
{
	spe_write(d->unit, SYSREG_PMBLIMITR_EL1, 0);
	spe_write(d->unit, SYSREG_PMBSR_EL1, 0);
	spe_write(d->unit, SYSREG_PMBPTR_EL1, (dice(d) % BUFFER) & ~UINT64_C(0xff));
	spe_write(d->unit, SYSREG_PMSIRR_EL1, (1 + dice(d) % 4) << 8 | dice(d) % 2);
	spe_write(d->unit, SYSREG_PMSFCR_EL1, dice(d) % 4 ? 0 : dice(d));
	spe_write(d->unit, SYSREG_PMSCR_EL1, 3 | (dice(d) & 0xf8));
	spe_write(d->unit, SYSREG_PMBLIMITR_EL1, BUFFER | LIMIT_E);
}

static void sample(struct drive *d)
{
	const struct spe_extra extra = {.index = 16, .value = dice(d) & 0xffff};
	struct spe_op op = {
		.pc = dice(d),
		.target = dice(d),
		.data_va = dice(d),
		.data_pa = dice(d),
		.timestamp = dice(d),
		.events = dice(d),
		.contextidr_el1 = (uint32_t)dice(d),
		.contextidr_el2 = (uint32_t)dice(d),
		.flags = (uint32_t)dice(d) & 0x1fff,
		.total_latency = (uint16_t)dice(d),
		.issue_latency = (uint16_t)dice(d),
		.data_source = (uint16_t)dice(d),
		.type_header = (uint8_t)(0x48 + dice(d) % 3),
		.type_payload = (uint8_t)dice(d),
		.el = dice(d) & 3,
		.tag = (uint8_t)dice(d),
		.extra_count = dice(d) & 1,
		.extra = &extra,
	};

	note(d, spe_timestamp_kind(d->unit));
	spe_sample(d->unit, &op);
}

/* Members pass: some, all but one, or up to the selection, which may be sampled later. */
static void run(struct drive *d)
{
	uint64_t budget = spe_budget(d->unit), n = budget;

	note(d, budget);
	if (budget == UINT64_MAX)
		return;
	switch (dice(d) % 4) {
	case 0: n = 1 + dice(d) % budget; break;
	case 1: n = budget > 1 ? budget - 1 : 1; break;
	default: break;
	}
	note(d, spe_advance(d->unit, n));
	if (dice(d) % 4 != 0)
		sample(d);
}

static void look(struct drive *d)
{
	struct spe_syndrome syndrome = {0};

	for (unsigned int reg = 0; reg < SYSREG_COUNT; reg++)
		note(d, spe_read(d->unit, (enum sysreg_id)reg));
	note(d, spe_room(d->unit));
	note(d, spe_spacing_min(d->unit));
	note(d, spe_spacing_fixed(d->unit));
	note(d, spe_pmu_frozen(d->unit, dice(d)));
	note(d, spe_exception_level(d->unit, dice(d) % 2, &syndrome));
	note(d, syndrome.iss);
	note(d, spe_follows_branches(d->unit));
}

static void branch(struct drive *d)
{
	const struct spe_target target = {
		.va = dice(d), .el = dice(d) & 7, .ns = dice(d) & 1, .nse = dice(d) & 1};

	spe_branch(d->unit, (enum spe_branch_kind)(dice(d) % 4), &target);
}

void drive_init(struct drive *d, struct spe_unit *unit, uint64_t seed)
{
	struct spe_config config;
	struct spe_host host;

	*d = (struct drive){
		.unit = unit, .dice = seed * UINT64_C(0x9e3779b97f4a7c15) | 1, .random = seed | 1};
	for (int i = 0; i < 8; i++)
		(void)dice(d);
	drive_config(d, &config);
	host = drive_host(d, dice(d) % 4 == 0);
	if (spe_init(unit, sizeof(*unit), &config, &host) != 0)
		abort();
	restart(d);
	controls(d);
}

void drive_step(struct drive *d)
{
	switch (dice(d) % 32) {
	case 0: spe_write(d->unit, (enum sysreg_id)(dice(d) % SYSREG_COUNT), dice(d)); break;
	case 1:
		spe_write(d->unit, (enum sysreg_id)(dice(d) % SYSREG_COUNT), dice(d) & 0xfff);
		break;
	case 2: controls(d); break;
	case 3:
		spe_write(d->unit, SYSREG_PMSICR_EL1, dice(d) & UINT64_C(0xff0000000000ffff));
		break;
	case 4: sample(d); break;
	case 5: dice(d) % 2 ? spe_abandon(d->unit) : spe_collide(d->unit); break;
	case 6:
		if (dice(d) % 8 == 0)
			spe_reset(d->unit);
		break;
	case 7: look(d); break;
	case 8:
	case 9: branch(d); break;
	case 10: spe_synchronize(d->unit); break;
	default: run(d);
	}
	if (spe_irq_level(d->unit)) {
		d->interrupts++;
		note(d, 0x112);
	}
	if (spe_budget(d->unit) == UINT64_MAX && dice(d) % 4 == 0) {
		restart(d);
		controls(d);
	}
}
