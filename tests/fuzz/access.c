/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer target: sequences of register accesses. Controls, configuration and operations are
 * taken from the bytes; every access goes through sysreg_route(), and where it is direct to the
 * unit. The explained route has to be the same, and the second statement of the rules has to agree.
 */
#include "conform/subject.h"
#include "input.h"

#include <stdlib.h>
#include <string.h>
#include <vspe/spe.h>

static struct spe_write_result write_bytes(void *ctx, uint8_t owning_el, uint64_t va,
					   const uint8_t *bytes, size_t size)
{
	uint8_t *kept = ctx;

	(void)va;
	if (size > 2048 || owning_el < 1 || owning_el > 2)
		abort();
	memcpy(kept, bytes, size); /* reads all of them, for the sanitizer */
	if (kept[0] == 0x77)
		return (struct spe_write_result){
			.status = SPE_WRITE_FAULT, .written = size / 2, .fsc = 0x07};
	return (struct spe_write_result){.status = SPE_WRITE_OK, .written = size};
}

static struct spe_write_result write_untranslated(void *ctx, const struct spe_untranslated *to,
						  const uint8_t *bytes, size_t size)
{
	(void)to;
	return write_bytes(ctx, 1, 0, bytes, size);
}

static void count_event(void *ctx, uint16_t event, uint64_t count)
{
	(void)ctx;
	if (event == 0 || count == 0)
		abort();
}

static void take_controls(struct input *in, struct sysreg_controls *c)
{
	const uint64_t bits = input_number(in, 1);

	c->el = bits & 3;
	c->aarch32 = (bits & 0x1c) == 0x1c;
	c->halted = bits >> 5 & 1;
	c->edscr_sdd = bits >> 6 & 1;
	c->el3_trap_has_priority_sdd = bits >> 7;
	c->features = (uint32_t)input_number(in, 2);
	c->hcr_el2 = input_number(in, 8);
	c->mdcr_el2 = input_number(in, 3);
	c->mdcr_el3 = input_number(in, 7);
	c->scr_el3 = input_number(in, 8);
	c->hdfgrtr_el2 = input_number(in, 8);
	c->hdfgwtr_el2 = input_number(in, 8);
	c->hdfgrtr2_el2 = input_number(in, 4);
	c->hdfgwtr2_el2 = input_number(in, 4);
	c->pmscr_el1 = input_number(in, 2);
	c->pmscr_el2 = input_number(in, 2);
}

/* The same controls, as the second statement sees them. */
static void check_route(const struct sysreg_controls *c, struct sysreg_access access,
			struct sysreg_route route)
{
	struct sysreg_step steps[SYSREG_STEPS_MAX];
	size_t count;
	const struct sysreg_route explained =
		sysreg_explain(c, access, steps, SYSREG_STEPS_MAX, &count);
	const union world_controls u = {.c = *c};
	struct world w = world_of_controls(&u);
	struct vspe_subject_outcome stated, got;

	if (count == 0 || count > SYSREG_STEPS_MAX || explained.kind != route.kind ||
	    explained.reg != route.reg || explained.syndrome != route.syndrome)
		abort();
	/* The statement is of AArch64. */
	if (c->aarch32)
		return;
	stated = subject_expected(statement(&w, access.reg, access.write), access.reg, access.write,
				  access.rt & 31);
	got = subject_ask(&subject_libvspe, access.reg, &u,
			  (struct vspe_subject_access){.encoding = sysreg_encoding(access.reg),
						       .write = access.write,
						       .rt = access.rt & 31});
	if (!subject_agrees(&got, &stated))
		abort();
}

static void access_register(struct input *in, struct spe_unit *unit, struct sysreg_controls *c)
{
	const uint64_t choice = input_number(in, 1);
	const struct sysreg_access access = {(enum sysreg_id)(input_number(in, 1) % SYSREG_COUNT),
					     choice & 1, (uint8_t)(choice >> 1 & 31)};
	const struct sysreg_route route = sysreg_route(c, access);

	check_route(c, access, route);
	if (route.kind != SYSREG_DIRECT)
		return;
	if (access.write) {
		spe_write(unit, route.reg, input_number(in, 8));
		return;
	}
	/* Reading changes nothing that can be read. */
	if (spe_read(unit, route.reg) != spe_read(unit, route.reg))
		abort();
}

static void run_operations(struct input *in, struct spe_unit *unit)
{
	const uint64_t budget = spe_budget(unit);
	const uint64_t n = 1 + input_number(in, 2);
	struct spe_op op = {
		.pc = input_number(in, 4),
		.data_va = input_number(in, 2),
		.events = input_number(in, 4),
		.flags = (uint32_t)input_number(in, 2),
		.total_latency = (uint16_t)input_number(in, 2),
		.type_header = (uint8_t)(0x48 + input_number(in, 1) % 3),
		.type_payload = (uint8_t)input_number(in, 1),
		.el = (uint8_t)input_number(in, 1) & 3,
	};

	if (spe_advance(unit, n & 1 ? budget : n) == SPE_SELECTED)
		spe_sample(unit, &op);
	if (spe_budget(unit) == 0)
		abort();
}

/* A configuration that spe_config_check() may refuse. */
static int set_up(struct input *in, struct spe_unit *unit, uint8_t *kept)
{
	const struct spe_host host = {.ctx = kept,
				      .write = write_bytes,
				      .write_untranslated = write_untranslated,
				      .pmu_event = count_event};
	struct spe_config config;
	const uint64_t bits = input_number(in, 4);

	spe_config_defaults(&config, (enum spe_version)(SPE_V1P0 + input_number(in, 1) % 6));
	config.align = bits & 15;
	config.max_size = bits >> 4 & 15;
	config.count_size = bits >> 8 & 1 ? 12 : 16;
	config.pbt = bits >> 9 & 1;
	config.eft = config.fpf = bits >> 10 & 1;
	config.ernd = bits >> 11 & 1;
	config.lds = bits >> 12 & 1;
	config.reload = bits >> 13 & 1 ? SPE_RELOAD_AFTER_TAIL : SPE_RELOAD_BEFORE_TAIL;
	config.in_flight = bits >> 14 & 7;
	config.events_size = bits >> 17 & 15;
	config.partial = bits >> 21 & 1 ? SPE_PARTIAL_REWOUND : SPE_PARTIAL_KEPT;
	config.late_record = bits >> 23 & 1 ? SPE_LATE_EVENT : SPE_LATE_DISCARDED;
	config.walk_ea = bits >> 24 & 1;
	config.load_enabled = bits >> 27 & 1;
	config.tail_rnd = bits >> 28 & 1;
	config.keep_dl = bits >> 29 & 1;
	config.fault_lag = config.version >= SPE_V1P5 ? bits >> 25 & 3 : 0;
	config.oversize = bits >> 22 & 1 ? SPE_OVERSIZE_EVENT : SPE_OVERSIZE_REFUSED;
	config.seed = bits;
	return spe_init(unit, sizeof(*unit), &config, &host);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static uint8_t kept[2048];
	struct input in = {bytes, bytes + size};
	struct sysreg_controls controls;
	struct spe_unit unit;

	memset(&controls, 0, sizeof(controls));
	if (set_up(&in, &unit, kept))
		return 0;
	while (in.at < in.end) {
		switch (input_number(&in, 1) & 7) {
		case 0:
			take_controls(&in, &controls);
			spe_update(&unit, &controls);
			break;
		case 1: run_operations(&in, &unit); break;
		case 2:
			controls.el = input_number(&in, 1) & 3;
			spe_update(&unit, &controls);
			break;
		case 3: spe_reset(&unit); break;
		case 4: spe_synchronize(&unit); break;
		default: access_register(&in, &unit, &controls); break;
		}
	}
	return 0;
}
