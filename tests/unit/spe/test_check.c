/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors of an embedder, and what is not one: spe_config.check. */
#include "../../array.h"
#include "fixture.h"

struct heard {
	struct fixture f;
	unsigned int count;
	enum spe_misuse what;
	const char *why;
};

static void hear(void *ctx, enum spe_misuse what, const char *why)
{
	struct heard *h = ctx;

	h->count++;
	h->what = what;
	h->why = why;
}

static struct spe_write_result write_nothing(void *ctx, uint8_t owning_el, uint64_t va,
					     const uint8_t *bytes, size_t size)
{
	(void)ctx, (void)owning_el, (void)va, (void)bytes;
	return (struct spe_write_result){.status = SPE_WRITE_OK, .written = size};
}

/* A unit with checks, of h->f's configuration; without pmu_event, as the fixture has one. */
static void begin(struct heard *h)
{
	struct fixture *f = &h->f;

	f->config.check = true;
	f->host = (struct spe_host){.ctx = h, .write = write_nothing, .misuse = hear};
	eq(spe_init(&f->unit, sizeof(f->unit), &f->config, &f->host), 0);
	spe_update(&f->unit, &f->controls);
	spe_write(&f->unit, SYSREG_PMSIRR_EL1, 0x100);
	spe_write(&f->unit, SYSREG_PMSCR_EL1, E0SPE | E1SPE);
	spe_write(&f->unit, SYSREG_PMBPTR_EL1, BUFFER_VA);
	spe_write(&f->unit, SYSREG_PMBLIMITR_EL1, (BUFFER_VA + BUFFER_SIZE) | LIMIT_E);
}

static void setup(struct heard *h)
{
	memset(h, 0, sizeof(*h));
	fixture_init(&h->f, SPE_V1P2);
	begin(h);
}

/* So many of this kind, and none of another. */
static void heard_only(const struct heard *h, enum spe_misuse what, unsigned int count)
{
	const struct spe_stats stats = stats_of(&h->f.unit);

	for (unsigned int i = 0; i < SPE_MISUSES; i++)
		cr_assert_eq(stats.misuse[i], i == what ? count : 0, "%s: %llu, %s",
			     spe_misuse_name((enum spe_misuse)i),
			     (unsigned long long)stats.misuse[i], h->why ? h->why : "not heard");
	eq(h->count, count);
	if (count)
		eq(h->what, what);
}

#define nothing_heard(h) heard_only(h, SPE_MISUSE_UPDATE, 0)

static struct sysreg_route read_register(struct heard *h, struct sysreg_controls *controls)
{
	const struct sysreg_access access = {SYSREG_PMBIDR_EL1, false, 0};
	uint64_t value;

	return spe_access(&h->f.unit, controls, access, &value);
}

Test(check, names)
{
	cr_assert_str_eq(spe_misuse_name(SPE_MISUSE_UPDATE), "update");
	cr_assert_str_eq(spe_misuse_name(SPE_MISUSE_UNSAMPLED), "unsampled");
	cr_assert_str_eq(spe_misuse_name(SPE_MISUSE_BUDGET), "budget");
	cr_assert_str_eq(spe_misuse_name(SPE_MISUSE_OPERATION), "operation");
	cr_assert_str_eq(spe_misuse_name((enum spe_misuse)SPE_MISUSES), "unknown");
}

Test(check, use_as_documented_is_silent)
{
	struct spe_op op = fixture_load();
	struct sysreg_controls *controls;
	struct heard h;

	setup(&h);
	controls = &h.f.controls;
	for (unsigned int i = 0; i < 100; i++) {
		eq(fixture_select(&h.f), SPE_SELECTED);
		/* It takes an exception: its level before that counts. */
		op.el = controls->el;
		controls->el ^= 1;
		spe_update(&h.f.unit, controls);
		spe_sample(&h.f.unit, &op);
		(void)read_register(&h, controls);
	}
	eq(fixture_select(&h.f), SPE_SELECTED);
	spe_abandon(&h.f.unit);
	eq(fixture_select(&h.f), SPE_SELECTED);
	spe_collide(&h.f.unit);
	spe_write(&h.f.unit, SYSREG_PMSCR_EL1, 0);
	spe_advance(&h.f.unit, UINT64_MAX - 1);
	spe_sample(&h.f.unit, &op);
	nothing_heard(&h);
}

Test(check, unwatched_units_hear_nothing)
{
	struct spe_op op = fixture_load();
	struct heard h;

	setup(&h);
	h.f.config.check = false;
	eq(spe_init(&h.f.unit, sizeof(h.f.unit), &h.f.config, &h.f.host), 0);
	(void)read_register(&h, &h.f.controls);
	spe_update(&h.f.unit, &h.f.controls);
	spe_write(&h.f.unit, SYSREG_PMSIRR_EL1, 0x100);
	spe_write(&h.f.unit, SYSREG_PMSCR_EL1, E0SPE | E1SPE);
	spe_write(&h.f.unit, SYSREG_PMBPTR_EL1, BUFFER_VA);
	spe_write(&h.f.unit, SYSREG_PMBLIMITR_EL1, (BUFFER_VA + BUFFER_SIZE) | LIMIT_E);
	op.flags |= SPE_OP_TAKEN;
	op.el = 3;
	for (unsigned int i = 0; i < 30; i++)
		(void)spe_advance(&h.f.unit, UINT64_MAX);
	spe_sample(&h.f.unit, &op);
	nothing_heard(&h);
}

/* Every control that decides, one at a time, and some that do not. */
Test(check, an_access_with_other_controls)
{
	static const struct {
		uint8_t el;
		bool halted, heard;
		uint32_t features; /* besides */
		uint64_t mdcr_el2, hcr_el2, hdfgrtr_el2;
	} changes[] = {
		{.el = 1, .mdcr_el2 = E2PB_EL1},
		{.el = 1, .mdcr_el2 = E2PB_EL1, .hdfgrtr_el2 = 1},
		{.el = 1, .mdcr_el2 = E2PB_EL1, .hcr_el2 = 1},
		{.el = 1, .mdcr_el2 = E2PB_EL1 | 1},
		{.el = 2, .mdcr_el2 = E2PB_EL1, .heard = true},
		{.el = 1, .mdcr_el2 = E2PB_EL1, .features = SYSREG_FEAT_NV, .heard = true},
		{.el = 1, .mdcr_el2 = E2PB_EL1, .halted = true, .heard = true},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(changes); i++) {
		struct sysreg_controls controls;
		struct heard h;

		memset(&h, 0, sizeof(h));
		fixture_init(&h.f, SPE_V1P2);
		h.f.controls.features |= SYSREG_FEAT_EL2;
		h.f.controls.mdcr_el2 = E2PB_EL1;
		begin(&h);
		controls = h.f.controls;
		controls.el = changes[i].el;
		controls.features |= changes[i].features;
		controls.halted = changes[i].halted;
		controls.mdcr_el2 = changes[i].mdcr_el2;
		controls.hcr_el2 = changes[i].hcr_el2;
		controls.hdfgrtr_el2 = changes[i].hdfgrtr_el2;
		eq(read_register(&h, &controls).kind, SYSREG_DIRECT);
		heard_only(&h, SPE_MISUSE_UPDATE, changes[i].heard);
		spe_update(&h.f.unit, &controls);
		(void)read_register(&h, &controls);
		heard_only(&h, SPE_MISUSE_UPDATE, changes[i].heard);
	}
}

Test(check, before_the_first_update)
{
	struct heard h;

	setup(&h);
	eq(spe_init(&h.f.unit, sizeof(h.f.unit), &h.f.config, &h.f.host), 0);
	(void)read_register(&h, &h.f.controls);
	heard_only(&h, SPE_MISUSE_UPDATE, 1);
}

/* An access that does not reach the unit does not depend on the unit's controls. */
Test(check, an_access_that_is_a_trap)
{
	struct sysreg_controls controls;
	struct heard h;

	setup(&h);
	controls = h.f.controls;
	controls.el = 0;
	eq(read_register(&h, &controls).kind, SYSREG_UNDEFINED);
	nothing_heard(&h);
}

Test(check, an_operation_of_another_place)
{
	for (unsigned int i = 0; i < 4; i++) {
		struct spe_op op = fixture_load();
		struct heard h;

		setup(&h);
		op.el = i == 1 ? 0 : 1;
		op.ns = i != 2;
		op.nse = i == 3;
		fixture_sample(&h.f, &op);
		heard_only(&h, SPE_MISUSE_UPDATE, i != 0);
		eq(stats_of(&h.f.unit).records, 1);
	}
}

/* Nothing is known of an operation that was selected before an image was made. */
Test(check, an_operation_out_of_an_image)
{
	struct spe_op op = fixture_load();
	uint8_t image[SPE_IMAGE_MAX];
	struct heard h;
	size_t size;

	setup(&h);
	eq(spe_advance(&h.f.unit, spe_budget(&h.f.unit) + 1), SPE_SELECTED);
	heard_only(&h, SPE_MISUSE_BUDGET, 1);
	size = spe_save(&h.f.unit, image, sizeof(image));
	h.f.config.check = false;
	eq(spe_init(&h.f.unit, sizeof(h.f.unit), &h.f.config, &h.f.host), 0);
	eq(spe_restore(&h.f.unit, image, size, NULL), 0);
	eq(stats_of(&h.f.unit).misuse[SPE_MISUSE_BUDGET], 0);
	h.f.config.check = true;
	eq(spe_init(&h.f.unit, sizeof(h.f.unit), &h.f.config, &h.f.host), 0);
	eq(spe_restore(&h.f.unit, image, size, NULL), 0);
	h.count = 0;
	op.el = 0;
	spe_sample(&h.f.unit, &op);
	nothing_heard(&h);
	eq(stats_of(&h.f.unit).records, 1);
}

Test(check, more_than_the_budget)
{
	struct heard h;

	setup(&h);
	eq(spe_advance(&h.f.unit, spe_budget(&h.f.unit)), SPE_SELECTED);
	spe_abandon(&h.f.unit);
	nothing_heard(&h);
	eq(spe_advance(&h.f.unit, spe_budget(&h.f.unit) + 1), SPE_SELECTED);
	heard_only(&h, SPE_MISUSE_BUDGET, 1);
}

Test(check, more_than_the_budget_at_once)
{
	const struct spe_op op = fixture_load();
	const struct spe_op *ops[3] = {&op, &op, &op};
	struct heard h;

	setup(&h);
	spe_sample_spaced(&h.f.unit, spe_budget(&h.f.unit), ops, 3);
	nothing_heard(&h);
	spe_sample_spaced(&h.f.unit, spe_budget(&h.f.unit) + 7, ops, 3);
	heard_only(&h, SPE_MISUSE_BUDGET, 1);
	eq(stats_of(&h.f.unit).records, 6);
}

/* Found once the window of SPE_MISUSE_WINDOW members has passed, and at each selection after it. */
Test(check, never_sampled)
{
	const struct spe_op op = fixture_load();

	for (unsigned int in_flight = 1; in_flight <= 3; in_flight++) {
		uint64_t first;
		struct heard h;

		memset(&h, 0, sizeof(h));
		fixture_init(&h.f, SPE_V1P2);
		h.f.config.in_flight = (uint8_t)in_flight;
		h.f.config.lifetime = 1000;
		begin(&h);
		eq(fixture_select(&h.f), SPE_SELECTED);
		first = stats_of(&h.f.unit).population;
		for (unsigned int i = 1; i < in_flight; i++)
			eq(fixture_select(&h.f), SPE_SELECTED);
		for (;;) {
			const uint64_t budget = spe_budget(&h.f.unit);

			if (stats_of(&h.f.unit).population - first + budget >= SPE_MISUSE_WINDOW)
				break;
			eq(spe_advance(&h.f.unit, budget), SPE_COLLIDED);
		}
		nothing_heard(&h);
		eq(fixture_select(&h.f), SPE_COLLIDED);
		eq(fixture_select(&h.f), SPE_COLLIDED);
		heard_only(&h, SPE_MISUSE_UNSAMPLED, 2);
		for (unsigned int i = 0; i < in_flight; i++)
			spe_sample(&h.f.unit, &op);
		eq(fixture_select(&h.f), SPE_SELECTED);
		heard_only(&h, SPE_MISUSE_UNSAMPLED, 2);
	}
}

/* Sampled, but long in flight by the configuration: a collision, and no misuse. */
Test(check, in_flight_for_long)
{
	const struct spe_op op = fixture_load();
	struct heard h;

	memset(&h, 0, sizeof(h));
	fixture_init(&h.f, SPE_V1P2);
	h.f.config.lifetime = 100000;
	begin(&h);
	fixture_sample(&h.f, &op);
	for (unsigned int i = 0; i < 100; i++)
		eq(fixture_select(&h.f), SPE_COLLIDED);
	nothing_heard(&h);
}

#define LOAD   (SPE_OP_LOAD | SPE_OP_VA_VALID)
#define BRANCH SPE_TYPE_BRANCH
#define OTHER  SPE_TYPE_OTHER
#define MEMORY SPE_TYPE_MEMORY

static const struct spe_extra extras[] = {{false, 16, 1}, {false, 7, 1}, {true, 6, 1}};
static const struct spe_extra theirs[] = {{false, 15, 1}};

/* Possible operations, and the same with one thing wrong. */
static const struct {
	struct spe_op op;
	const char *why; /* as it begins; NULL: nothing */
} operations[] = {
	{{.type_header = OTHER}, NULL},
	{{.type_header = 0}, "type_header is no"},
	{{.type_header = MEMORY, .flags = LOAD}, NULL},
	{{.type_header = MEMORY, .flags = LOAD | SPE_OP_STORE}, NULL},
	{{.type_header = MEMORY, .type_payload = 1, .flags = SPE_OP_STORE}, NULL},
	{{.type_header = MEMORY, .type_payload = 1, .flags = LOAD},
	 "a load or store by type_payload"},
	{{.type_header = MEMORY, .flags = SPE_OP_STORE}, "a load or store by type_payload"},
	{{.type_header = MEMORY}, "a load or store by type_payload"},
	{{.type_header = OTHER, .flags = SPE_OP_LOAD}, "a load or store, but"},
	{{.type_header = OTHER, .flags = SPE_OP_STORE}, "a load or store, but"},
	{{.type_header = BRANCH, .flags = SPE_OP_BRANCH | SPE_OP_TAKEN}, NULL},
	{{.type_header = BRANCH, .flags = SPE_OP_BRANCH | LOAD}, NULL}, /* FEAT_GCS */
	{{.type_header = BRANCH}, "a branch by type_header"},
	{{.type_header = OTHER, .flags = SPE_OP_BRANCH}, "a branch, but"},
	{{.type_header = BRANCH, .type_payload = 1, .flags = SPE_OP_BRANCH | SPE_OP_NOT_TAKEN},
	 NULL},
	{{.type_header = OTHER, .type_payload = 1, .flags = SPE_OP_NOT_TAKEN}, NULL},
	{{.type_header = BRANCH, .flags = SPE_OP_BRANCH | SPE_OP_NOT_TAKEN}, "not taken, but"},
	{{.type_header = OTHER, .flags = SPE_OP_NOT_TAKEN}, "not taken, but"},
	{{.type_header = MEMORY, .type_payload = 1, .flags = SPE_OP_STORE | SPE_OP_NOT_TAKEN},
	 "not taken, but"},
	{{.type_header = BRANCH,
	  .type_payload = 1,
	  .flags = SPE_OP_BRANCH | SPE_OP_TAKEN | SPE_OP_NOT_TAKEN},
	 "taken, and not"},
	{{.type_header = OTHER, .type_payload = 1, .flags = SPE_OP_TAKEN}, "taken, but no branch"},
	{{.type_header = BRANCH, .flags = SPE_OP_BRANCH, .events = SPE_EVENT_MISPREDICTED}, NULL},
	{{.type_header = OTHER, .events = SPE_EVENT_MISPREDICTED}, "mispredicted"},
	{{.type_header = OTHER, .flags = SPE_OP_VA_VALID}, "a data address"},
	{{.type_header = MEMORY, .flags = LOAD | SPE_OP_PA_VALID}, NULL},
	{{.type_header = MEMORY, .flags = SPE_OP_LOAD | SPE_OP_PA_VALID}, "a physical address"},
	{{.type_header = MEMORY, .flags = SPE_OP_LOAD | SPE_OP_TAG_CHECKED}, "a physical address"},
	{{.type_header = OTHER, .flags = SPE_OP_MISSPECULATED}, NULL},
	{{.type_header = OTHER, .flags = SPE_OP_MISSPECULATED, .events = SPE_EVENT_RETIRED},
	 "misspeculated, and"},
	{{.type_header = OTHER, .total_latency = 4, .issue_latency = 4}, NULL},
	{{.type_header = OTHER, .total_latency = 4, .issue_latency = 5}, "issue_latency"},
	{{.type_header = OTHER, .target_el = 4}, "no such Exception"},
	{{.type_header = OTHER, .flags = SPE_OP_NO_INSTRUCTION}, "not a member"},
	{{.type_header = OTHER, .extra_count = 2, .extra = extras + 1}, NULL},
	{{.type_header = OTHER, .extra_count = 3, .extra = extras}, "extra_count"},
	{{.type_header = OTHER, .extra_count = 2, .extra = extras}, "extra packets"},
	{{.type_header = OTHER, .extra_count = 1, .extra = theirs}, "extra packets"},
};

Test(check, operations_that_contradict_themselves)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(operations); i++) {
		struct spe_op op = operations[i].op;
		const char *why = operations[i].why;
		struct heard h;

		memset(&h, 0, sizeof(h));
		fixture_init(&h.f, SPE_V1P2);
		h.f.config.misspeculated = (struct spe_population){true, false};
		h.f.config.extra_packets = 2;
		h.f.config.max_size = 8;
		begin(&h);
		op.el = 1;
		op.ns = true;
		fixture_sample(&h.f, &op);
		heard_only(&h, SPE_MISUSE_OPERATION, why != NULL);
		if (why)
			cr_assert_str_begins(h.why, why, "%u: %s", i, h.why);
	}
}

/* Counted, also without a callback. */
Test(check, without_a_callback)
{
	struct heard h;

	setup(&h);
	h.f.host.misuse = NULL;
	eq(spe_init(&h.f.unit, sizeof(h.f.unit), &h.f.config, &h.f.host), 0);
	(void)read_register(&h, &h.f.controls);
	eq(stats_of(&h.f.unit).misuse[SPE_MISUSE_UPDATE], 1);
	eq(h.count, 0);
}
