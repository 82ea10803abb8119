/* SPDX-License-Identifier: BSD-2-Clause */
/* The fixture of the tests of the profiling unit. */
#include "fixture.h"

static struct spe_write_result write_buffer(void *ctx, uint8_t owning_el, uint64_t va,
					    const uint8_t *bytes, size_t size)
{
	struct fixture *f = ctx;
	struct spe_write_result result = {.status = SPE_WRITE_OK, .written = size};
	size_t n = size;

	f->writes++;
	f->last_va = va;
	f->last_el = owning_el;
	if (f->fail.status != SPE_WRITE_OK) {
		result = f->fail;
		n = result.written < size ? result.written : size;
		f->fail.status = SPE_WRITE_OK;
		if (n == 0)
			return result;
	}
	cr_assert_geq(va, BUFFER_VA, "write of %zu bytes at 0x%llx, outside the buffer", n,
		      (unsigned long long)va);
	cr_assert_leq(va + n, BUFFER_VA + BUFFER_SIZE,
		      "write of %zu bytes at 0x%llx, outside the buffer", n,
		      (unsigned long long)va);
	memcpy(f->buffer + (va - BUFFER_VA), bytes, n);
	return result;
}

static struct spe_write_result write_untranslated(void *ctx, const struct spe_untranslated *to,
						  const uint8_t *bytes, size_t size)
{
	struct fixture *f = ctx;

	f->untranslated++;
	f->last_untranslated = *to;
	return write_buffer(ctx, to->owning_el, to->address, bytes, size);
}

static void count_event(void *ctx, uint16_t event, uint64_t count)
{
	struct fixture *f = ctx;

	if (event >= 0x4000 && event <= 0x4003)
		f->base_events[event - 0x4000] += count;
	else if (event >= 0x812a && event <= 0x812f)
		f->feed_events[event - 0x812a] += count;
	else if (event == 0x8122 || event == 0x8123)
		f->new_events[event - 0x8122] += count;
	else if (event == 0x8348 || event == 0x8349)
		f->new_events[2 + event - 0x8348] += count;
	else
		f->other_events += count;
}

static void serror(void *ctx)
{
	((struct fixture *)ctx)->serrors++;
}

void fixture_start(struct fixture *f)
{
	f->host = (struct spe_host){.ctx = f,
				    .write = write_buffer,
				    .write_untranslated = write_untranslated,
				    .pmu_event = count_event,
				    .serror = serror};
	eq(spe_init(&f->unit, sizeof(f->unit), &f->config, &f->host), 0);
	spe_write(&f->unit, SYSREG_PMSIRR_EL1, 0x100);
	spe_write(&f->unit, SYSREG_PMSCR_EL1, E0SPE | E1SPE);
	spe_write(&f->unit, SYSREG_PMBPTR_EL1, BUFFER_VA);
	spe_write(&f->unit, SYSREG_PMBLIMITR_EL1, (BUFFER_VA + BUFFER_SIZE) | LIMIT_E);
	spe_update(&f->unit, &f->controls);
}

void fixture_init(struct fixture *f, enum spe_version version)
{
	memset(f, 0, sizeof(*f));
	memset(f->buffer, 0xee, sizeof(f->buffer));
	spe_config_defaults(&f->config, version);
	f->controls.features = spe_config_features(&f->config);
	f->controls.el = 1;
	fixture_start(f);
}

enum spe_selection fixture_select(struct fixture *f)
{
	uint64_t budget = spe_budget(&f->unit);

	cr_assert_neq(budget, UINT64_MAX, "profiling is disabled");
	if (budget > 1)
		eq(spe_advance(&f->unit, budget - 1), SPE_NOT_SELECTED);
	return spe_advance(&f->unit, 1);
}

void fixture_sample(struct fixture *f, const struct spe_op *op)
{
	eq(fixture_select(f), SPE_SELECTED);
	spe_sample(&f->unit, op);
}

void fixture_holds(struct fixture *f, const uint8_t *expected, size_t size)
{
	eq(f->writes, 1);
	eq(fixture_read(f, SYSREG_PMBPTR_EL1), BUFFER_VA + size);
	for (size_t i = 0; i < size; i++)
		cr_assert_eq(f->buffer[i], expected[i], "byte %zu is %02x, expected %02x", i,
			     f->buffer[i], expected[i]);
	eq(f->buffer[size], 0xee);
}

struct spe_op fixture_load(void)
{
	return (struct spe_op){
		.pc = 0xffff800008001234,
		.data_va = 0xffff000012345678,
		.data_pa = 0x0000000052345678,
		.timestamp = 0x1122334455667788,
		.events = 0x2,
		.contextidr_el1 = 0xa1b2c3d4,
		.contextidr_el2 = 0x0badcafe,
		.flags = SPE_OP_LOAD | SPE_OP_VA_VALID | SPE_OP_PA_VALID,
		.total_latency = 0x123,
		.issue_latency = 0x45,
		.translation_latency = 0x6,
		.data_source = 0x8,
		.type_header = 0x49,
		.type_payload = 0x00,
		.el = 1,
		.ns = true,
	};
}

void fixture_scene(struct fixture *f)
{
	const struct spe_target target = {.va = UINT64_C(0xffff800008004320), .el = 1, .ns = true};
	struct spe_op op = fixture_load();

	fixture_init(f, SPE_V1P5);
	f->config.in_flight = 5;
	f->config.lifetime = 100000;
	f->config.max_size = 7;
	f->config.seed = UINT64_C(0x0123456789abcdef);
	f->controls.features |= HIGHER;
	f->controls.mdcr_el2 = E2PB_EL1;
	f->controls.mdcr_el3 = NSPB_NS;
	f->controls.scr_el3 = SCR_NS;
	fixture_start(f);
	spe_write(&f->unit, SYSREG_PMSCR_EL2, CX | PA | TS | PCT);
	spe_write(&f->unit, SYSREG_PMSCR_EL1, E0SPE | E1SPE | CX | PA | TS);
	spe_write(&f->unit, SYSREG_PMSICR_EL1, 0x101); /* what it was before 1.4 */
	spe_write(&f->unit, SYSREG_PMSIRR_EL1, 0x501);
	spe_write(&f->unit, SYSREG_PMSEVFR_EL1, 0x82);
	spe_write(&f->unit, SYSREG_PMSLATFR_EL1, 0x10);
	spe_write(&f->unit, SYSREG_PMSFCR_EL1, 0x60004);
	fixture_sample(f, &op);
	spe_branch(&f->unit, SPE_BRANCH_TAKEN, &target);
	eq(fixture_select(f), SPE_SELECTED);
	spe_write(&f->unit, SYSREG_PMSCR_EL1, E0SPE | E1SPE | PA);
	eq(fixture_select(f), SPE_SELECTED);
	eq(spe_advance(&f->unit, 321), SPE_NOT_SELECTED);
	spe_write(&f->unit, SYSREG_PMBSR_EL1, SR_COLL);
}
