/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Buffer management events by the rules of Arm ARM D17.8 and D17.9: which PMBSR_ELx, which
 * syndrome, when, and what the architecture leaves open.
 */
#include "../../array.h"
#include "fixture.h"

#define SCR_EA	(UINT64_C(1) << 3)
#define SCR_GPF (UINT64_C(1) << 48)
#define HCR_TEA (UINT64_C(1) << 37)
#define HCR_GPF (UINT64_C(1) << 48)

static const enum sysreg_id status_of[] = {0, SYSREG_PMBSR_EL1, SYSREG_PMBSR_EL2, SYSREG_PMBSR_EL3};

/* A PE of v1p5 at Non-secure EL1, with all Exception levels; owner is the level of the buffer. */
static void levels(struct fixture *f, unsigned int pmsee, unsigned int ee2, unsigned int owner)
{
	fixture_init(f, SPE_V1P5);
	f->controls.features |= HIGHER;
	f->controls.scr_el3 = SCR_NS;
	f->controls.mdcr_el2 = owner == 1 ? E2PB_EL1 : 0;
	f->controls.mdcr_el3 = NSPB_NS | PMSEE(pmsee);
	fixture_start(f);
	spe_write(&f->unit, SYSREG_PMSCR_EL2, EE(ee2));
	spe_write(&f->unit, SYSREG_PMSCR_EL1, E0SPE | E1SPE);
}

/* A row of tables D17-5 to D17-7; ANY stands for each value, LOW for EE of 0b00 and 0b01. */
#define ANY 9
#define LOW 8
struct row {
	unsigned int pmsee, scr, ee2, owner, hcr;
	unsigned int to[3]; /* whose PMBSR_ELx, of what the table has as columns */
};

static bool stands_for(unsigned int cell, unsigned int value)
{
	return cell == ANY || cell == value || (cell == LOW && value < 2);
}

/* The rows that match a combination; there must be exactly one. */
static unsigned int row_of(const struct row *rows, size_t count, const struct row *at,
			   unsigned int n)
{
	unsigned int to = 0;

	for (size_t i = 0; i < count; i++) {
		const struct row *r = &rows[i];

		if (!stands_for(r->pmsee, at->pmsee) || !stands_for(r->scr, at->scr) ||
		    !stands_for(r->ee2, at->ee2) || !stands_for(r->owner, at->owner) ||
		    !stands_for(r->hcr, at->hcr))
			continue;
		eq(to, 0);
		to = r->to[n];
	}
	return to;
}

/* The event of a fault, or of a full buffer, is in this PMBSR_ELx; the others do not change. */
static void goes_to(const struct row *at, uint64_t scr, uint64_t hcr,
		    const struct spe_write_result *fault, unsigned int el)
{
	struct spe_op op = fixture_load();
	struct fixture f;

	levels(&f, at->pmsee, at->ee2, at->owner);
	f.controls.scr_el3 |= at->scr ? scr : 0;
	f.controls.hcr_el2 |= at->hcr ? hcr : 0;
	spe_update(&f.unit, &f.controls);
	for (unsigned int n = 1; n <= 3; n++)
		spe_write(&f.unit, status_of[n], SR_COLL | SR_EC(n) | n);
	if (fault)
		f.fail = *fault;
	else
		spe_write(&f.unit, SYSREG_PMBPTR_EL1, BUFFER_VA + BUFFER_SIZE - 64);
	fixture_sample(&f, &op);
	for (unsigned int n = 1; n <= 3; n++) {
		const uint64_t value = fixture_read(&f, status_of[n]);

		cr_assert_eq(n == el ? value & (SR_S | SR_COLL) : value,
			     n == el ? SR_S | SR_COLL : SR_COLL | SR_EC(n) | n,
			     "PMSEE %u, SCR %u, EE %u, owner EL%u, HCR %u: PMBSR_EL%u, not EL%u's",
			     at->pmsee, at->scr, at->ee2, at->owner, at->hcr, n, el);
	}
	eq(spe_enabled(&f.unit), 0);
}

/* RULE("RHJXHT") RULE("IJVQRY") RULE("RNXZXG") Tables D17-5 to D17-7, each combination. */
Test(management, the_tables_of_targets)
{
	static const struct row protection[] = {
		{0, ANY, ANY, ANY, ANY, {1, 1, 1}}, {1, ANY, LOW, ANY, ANY, {1, 1, 1}},
		{1, ANY, 2, 2, ANY, {2, 2, 2}},	    {1, ANY, 2, 1, 0, {1, 2, 2}},
		{1, ANY, 2, 1, 1, {2, 2, 2}},	    {1, ANY, 3, ANY, ANY, {2, 2, 2}},
		{2, 0, LOW, ANY, ANY, {1, 1, 3}},   {2, 0, 2, 2, ANY, {2, 2, 3}},
		{2, 0, 2, 1, 0, {1, 2, 3}},	    {2, 0, 2, 1, 1, {2, 2, 3}},
		{2, 0, 3, ANY, ANY, {2, 2, 3}},	    {2, 1, ANY, ANY, ANY, {3, 3, 3}},
		{3, ANY, ANY, ANY, ANY, {3, 3, 3}},
	};
	static const struct row external[] = {
		{0, ANY, ANY, ANY, ANY, {1, 1, 0}}, {1, ANY, LOW, ANY, ANY, {1, 1, 0}},
		{1, ANY, 2, 2, ANY, {2, 2, 0}},	    {1, ANY, 2, 1, 0, {1, 2, 0}},
		{1, ANY, 2, 1, 1, {2, 2, 0}},	    {1, ANY, 3, ANY, ANY, {2, 2, 0}},
		{2, 0, LOW, ANY, ANY, {1, 1, 0}},   {2, 0, 2, 2, ANY, {2, 2, 0}},
		{2, 0, 2, 1, 0, {1, 2, 0}},	    {2, 0, 2, 1, 1, {2, 2, 0}},
		{2, 0, 3, ANY, ANY, {2, 2, 0}},	    {2, 1, ANY, ANY, ANY, {3, 3, 0}},
		{3, ANY, ANY, ANY, ANY, {3, 3, 0}},
	};
	static const struct row others[] = {
		{0, ANY, ANY, ANY, ANY, {1, 1, 1}}, {1, ANY, LOW, ANY, ANY, {1, 1, 1}},
		{1, ANY, 2, 2, ANY, {2, 2, 1}},	    {1, ANY, 2, 1, ANY, {1, 2, 1}},
		{1, ANY, 3, ANY, ANY, {2, 2, 2}},   {2, ANY, LOW, ANY, ANY, {1, 1, 1}},
		{2, ANY, 2, 2, ANY, {2, 2, 1}},	    {2, ANY, 2, 1, ANY, {1, 2, 1}},
		{2, ANY, 3, ANY, ANY, {2, 2, 2}},   {3, ANY, ANY, ANY, ANY, {3, 3, 3}},
	};
	const struct spe_write_result gpc = {.status = SPE_WRITE_FAULT, .gpc = true};
	const struct spe_write_result gpf[2] = {fixture_fault(0, 0x28, false),
						fixture_fault(0, 0x26, true)};
	const struct spe_write_result walk[2] = {fixture_fault(0, 0x14, false),
						 fixture_fault(0, 0x17, true)};
	const struct spe_write_result plain[2] = {fixture_fault(0, 0x07, false),
						  fixture_fault(0, 0x0f, true)};

	for (unsigned int n = 0; n < 4 * 2 * 4 * 2 * 2; n++) {
		const struct row at = {n & 3,	   n >> 2 & 1, n >> 3 & 3, 1 + (n >> 5 & 1),
				       n >> 6 & 1, {0}};

		for (unsigned int s = 0; s < 2; s++) {
			goes_to(&at, SCR_GPF, HCR_GPF, &gpf[s], row_of(protection, 13, &at, s));
			goes_to(&at, SCR_EA, HCR_TEA, &walk[s], row_of(external, 13, &at, s));
			goes_to(&at, SCR_EA | SCR_GPF, HCR_TEA | HCR_GPF, &plain[s],
				row_of(others, 10, &at, s));
		}
		goes_to(&at, SCR_GPF, HCR_GPF, &gpc, row_of(protection, 13, &at, 2));
		goes_to(&at, SCR_EA, HCR_TEA, NULL, row_of(others, 10, &at, 2));
	}
}

/* RULE("RFJDLW") Every possible reason for an event, each with its own syndrome. */
Test(management, reasons)
{
	for (int reason = 0; reason < 4; reason++) {
		struct spe_op op = fixture_load();
		struct fixture f;

		fixture_init(&f, SPE_V1P2);
		switch (reason) {
		case 0: f.fail = fixture_fault(0, 0x07, false); break;
		case 1: f.fail = fixture_abort(0, false); break;
		case 2: spe_write(&f.unit, SYSREG_PMBPTR_EL1, BUFFER_VA + BUFFER_SIZE - 64); break;
		default:
			f.config.late_record = SPE_LATE_EVENT;
			fixture_start(&f);
			eq(fixture_select(&f), SPE_SELECTED);
			spe_write(&f.unit, SYSREG_PMBLIMITR_EL1, BUFFER_VA + BUFFER_SIZE);
			spe_sample(&f.unit, &op);
		}
		if (reason < 3)
			fixture_sample(&f, &op);
		eq(fixture_read(&f, SYSREG_PMBSR_EL1), reason == 0 ? SR_S | SR_EC(0x24) | 0x07
						       : reason == 1
							       ? SR_S | SR_EA | SR_EC(0x24) | 0x10
						       : reason == 2 ? SR_S | 1
								     : SR_S | SR_DL);
	}
}

/*
 * RULE("RWVKFM") Reported synchronously: no operation is sampled between the cause and the event.
 */
Test(management, nothing_is_sampled_after_an_event)
{
	for (enum spe_version v = SPE_V1P0; v <= SPE_V1P5; v++) {
		for (int full = 0; full < 2; full++) {
			struct spe_op op = fixture_load();
			struct fixture f;

			fixture_init(&f, v);
			if (full)
				spe_write(&f.unit, SYSREG_PMBPTR_EL1, BUFFER_VA + BUFFER_SIZE - 64);
			else
				f.fail = fixture_fault(0, 0x07, false);
			fixture_sample(&f, &op);
			eq(spe_advance(&f.unit, 1 << 20), SPE_NOT_SELECTED);
			eq(spe_irq_level(&f.unit), 1);
			eq(f.base_events[0], 257);
			eq(stats_of(&f.unit).feed, 1);
		}
	}
}

/* A unit that reports faults so many samples later. */
static void start_late(struct fixture *f, uint8_t lag)
{
	fixture_init(f, SPE_V1P5);
	f->config.fault_lag = lag;
	fixture_start(f);
}

/* RULE("RTHGCR") From v1p5 on samples may be lost between a fault and its event. */
Test(management, a_fault_reported_later)
{
	for (uint8_t lag = 1; lag < 5; lag++) {
		struct spe_op op = fixture_load();
		struct fixture f;

		start_late(&f, lag);
		fixture_sample(&f, &op);
		f.fail = fixture_fault(9, 0x07, false);
		fixture_sample(&f, &op);
		for (unsigned int i = 0; i < lag; i++) {
			eq(fixture_read(&f, SYSREG_PMBSR_EL1), 0);
			eq(spe_enabled(&f.unit), 1);
			eq(spe_room(&f.unit), 0);
			fixture_sample(&f, &op);
		}
		eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_S | SR_DL | SR_EC(0x24) | 0x07);
		eq(fixture_read(&f, SYSREG_PMBPTR_EL1), BUFFER_VA + 64 + 9);
		eq(spe_enabled(&f.unit), 0);
		eq(f.writes, 2);
		eq(stats_of(&f.unit).lost, 1u + lag);
		eq(stats_of(&f.unit).faults, 1);
		/* from there on all is as before */
		spe_write(&f.unit, SYSREG_PMBPTR_EL1, BUFFER_VA);
		spe_write(&f.unit, SYSREG_PMBSR_EL1, 0);
		fixture_sample(&f, &op);
		eq(f.last_va, BUFFER_VA);
		eq(stats_of(&f.unit).records, 2);
	}
}

/*
 * RULE("RTRDTK") RULE("IMLGHW") PSB CSYNC does not complete before the event; nor does disabling.
 */
Test(management, a_late_fault_is_reported_at_psb_csync)
{
	for (int how = 0; how < 3; how++) {
		struct spe_op op = fixture_load();
		struct fixture f;

		start_late(&f, 200);
		spe_synchronize(&f.unit);
		eq(fixture_read(&f, SYSREG_PMBSR_EL1), 0);
		f.fail = fixture_fault(0, 0x0f, true);
		fixture_sample(&f, &op);
		fixture_sample(&f, &op);
		eq(fixture_read(&f, SYSREG_PMBSR_EL1), 0);
		switch (how) {
		case 0: spe_synchronize(&f.unit); break;
		case 1: spe_write(&f.unit, SYSREG_PMSCR_EL1, 0); break;
		default: f.controls.el = 2; spe_update(&f.unit, &f.controls);
		}
		eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_S | SR_EC(0x25) | 0x0f);
		eq(stats_of(&f.unit).lost, 2);
		spe_write(&f.unit, SYSREG_PMBSR_EL1, 0);
		spe_synchronize(&f.unit);
		eq(fixture_read(&f, SYSREG_PMBSR_EL1), 0);
	}
}

/* A reset forgets a fault that waits; an image keeps it. */
Test(management, a_late_fault_is_saved)
{
	uint8_t image[SPE_IMAGE_MAX];
	struct spe_op op = fixture_load();
	struct fixture f;
	size_t size;

	start_late(&f, 7);
	f.fail = fixture_fault(0, 0x07, false);
	fixture_sample(&f, &op);
	fixture_sample(&f, &op);
	size = spe_save(&f.unit, image, sizeof(image));
	spe_reset(&f.unit);
	spe_synchronize(&f.unit);
	eq(fixture_read(&f, SYSREG_PMBSR_EL1), 0);
	eq(spe_restore(&f.unit, image, size, NULL), 0);
	for (unsigned int i = 0; i < 6; i++)
		fixture_sample(&f, &op);
	eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_S | SR_EC(0x24) | 0x07);
}

/*
 * RULE("IVJVKZ") RULE("IQRKCL") Samples that a fault loses have been counted by the PMU; nothing is
 * ever written from the limit on.
 */
Test(management, lost_samples_are_counted)
{
	struct spe_op op = fixture_load();
	struct fixture f;

	start_late(&f, 3);
	f.fail = fixture_fault(0, 0x07, false);
	for (unsigned int i = 0; i < 4; i++)
		fixture_sample(&f, &op);
	eq(f.base_events[1], 4);
	eq(f.base_events[2], 4);
	eq(stats_of(&f.unit).records, 0);
	/* any pointer, any limit */
	for (uint64_t pointer = 0; pointer < 0x300; pointer += 8) {
		const uint64_t limit = BUFFER_VA + 0x1000;

		fixture_init(&f, SPE_V1P2);
		f.config.align = 0;
		fixture_start(&f);
		spe_write(&f.unit, SYSREG_PMBLIMITR_EL1, limit | LIMIT_E);
		spe_write(&f.unit, SYSREG_PMBPTR_EL1, limit - 0x180 + pointer);
		for (unsigned int i = 0; i < 16 && spe_enabled(&f.unit); i++)
			fixture_sample(&f, &op);
		eq(spe_enabled(&f.unit), 0);
		for (uint64_t at = 0x1000; at < BUFFER_SIZE; at++)
			eq(f.buffer[at], 0xee);
	}
}

/*
 * RULE("RMYXZK") The pointer is at the faulting address, less than a record after the last whole
 * one. DL says that it is not right after that one; with keep_dl it does not.
 */
Test(management, the_pointer_after_a_fault)
{
	for (size_t written = 0; written < 64; written++) {
		for (uint64_t choice = 0; choice < 4; choice++) {
			const bool before = choice & 1, keep = choice & 2;
			struct spe_op op = fixture_load();
			uint64_t status;
			struct fixture f;

			fixture_init(&f, SPE_V1P2);
			f.config.keep_dl = keep;
			fixture_start(&f);
			fixture_sample(&f, &op);
			spe_write(&f.unit, SYSREG_PMBSR_EL1, before ? SR_DL : 0);
			f.fail = fixture_fault(written, 0x07, false);
			fixture_sample(&f, &op);
			status = fixture_read(&f, SYSREG_PMBSR_EL1);
			eq(fixture_read(&f, SYSREG_PMBPTR_EL1), BUFFER_VA + 64 + written);
			eq(status,
			   SR_S | SR_EC(0x24) | 0x07 | ((written && !keep) || before ? SR_DL : 0));
		}
	}
}

/* RULE("RDTGVZ") RULE("IXQRTS") RULE("ICTRLW") Faults come before aborts, both before "full". */
Test(management, priorities)
{
	static const struct {
		struct spe_write_result result;
		uint64_t pmbsr;
	} table[] = {
		{{.status = SPE_WRITE_FAULT, .fsc = 0x07}, SR_S | SR_EC(0x24) | 0x07},
		{{.status = SPE_WRITE_EXTERNAL_ABORT}, SR_S | SR_EA | SR_EC(0x24) | 0x10},
		{{.status = SPE_WRITE_OK}, SR_S | 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct spe_op op = fixture_load();
		struct fixture f;

		fixture_init(&f, SPE_V1P4);
		f.config.version = SPE_V1P2;
		f.config.fds = f.config.crr = false;
		f.config.external_abort = SPE_ABORT_SYNC;
		fixture_start(&f);
		/* the last record that fits */
		spe_write(&f.unit, SYSREG_PMBPTR_EL1, BUFFER_VA + BUFFER_SIZE - 64);
		f.fail = table[i].result;
		fixture_sample(&f, &op);
		eq(fixture_read(&f, SYSREG_PMBSR_EL1), table[i].pmbsr);
		eq(stats_of(&f.unit).full, i == 2);
	}
}

/*
 * RULE("RJFYNW") RULE("ITCPLL") RULE("IFDVRZ") RULE("IKDMQG") From v1p3 on external aborts on
 * writes are not reported, and PMBIDR_EL1.EA says what becomes of them.
 */
Test(management, external_aborts_by_version)
{
	for (enum spe_version v = SPE_V1P0; v <= SPE_V1P5; v++) {
		for (int choice = SPE_ABORT_SYNC; choice <= SPE_ABORT_SERROR; choice++) {
			const bool reported = choice <= SPE_ABORT_ASYNC;
			struct spe_op op = fixture_load();
			const char *field = NULL;
			struct fixture f;

			fixture_init(&f, v);
			eq(f.config.external_abort,
			   v >= SPE_V1P3 ? SPE_ABORT_IGNORE : SPE_ABORT_SYNC);
			f.config.external_abort = (enum spe_external_abort)choice;
			if (v >= SPE_V1P3 && reported) {
				eq(spe_config_check(&f.config, &field), -SPE_EABORT);
				cr_assert_str_eq(field, "external_abort");
				continue;
			}
			fixture_start(&f);
			eq(fixture_read(&f, SYSREG_PMBIDR_EL1) >> 8 & 15,
			   choice == SPE_ABORT_IGNORE	? 1
			   : choice == SPE_ABORT_SERROR ? 2
							: 0);
			f.fail = fixture_abort(0, false);
			fixture_sample(&f, &op);
			eq(!!(fixture_read(&f, SYSREG_PMBSR_EL1) & SR_EA), reported);
			eq(spe_enabled(&f.unit), !reported);
			eq(stats_of(&f.unit).lost, 1);
		}
	}
}

/* RULE("D17.8.3.1/flags") From v1p3 on flags and dirty state are managed, and PMBIDR_EL1.F is 1. */
Test(management, flag_updates_by_version)
{
	for (enum spe_version v = SPE_V1P0; v <= SPE_V1P5; v++) {
		const char *field = NULL;
		struct fixture f;

		fixture_init(&f, v);
		eq(fixture_read(&f, SYSREG_PMBIDR_EL1) >> 5 & 1, 1);
		f.config.flag_update = false;
		eq(spe_config_check(&f.config, &field), v >= SPE_V1P3 ? -SPE_EFLAGUPDATE : 0);
		if (v >= SPE_V1P3) {
			cr_assert_str_eq(field, "flag_update");
			continue;
		}
		fixture_start(&f);
		eq(fixture_read(&f, SYSREG_PMBIDR_EL1) >> 5 & 1, 0);
	}
}

/* RULE("D17.8.3/walk-ea") */
/*
 * RULE("IQNXKH") An external abort on a walk is an MMU fault, in every version, with EA or without.
 */
Test(management, external_aborts_on_walks)
{
	static const struct {
		uint8_t fsc;
		bool stage2, walk;
	} table[] = {{0x12, false, true},  {0x14, false, true},	 {0x17, true, true},
		     {0x11, false, false}, {0x18, false, false}, {0x07, true, false}};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		for (enum spe_version v = SPE_V1P0; v <= SPE_V1P5; v++) {
			for (int ea = 0; ea < 2; ea++) {
				struct spe_op op = fixture_load();
				struct fixture f;

				fixture_init(&f, v);
				f.config.walk_ea = ea;
				fixture_start(&f);
				f.fail = fixture_fault(0, table[i].fsc, table[i].stage2);
				fixture_sample(&f, &op);
				eq(fixture_read(&f, SYSREG_PMBSR_EL1),
				   SR_S | SR_EC(table[i].stage2 ? 0x25 : 0x24) | table[i].fsc |
					   (ea && table[i].walk ? SR_EA : 0));
				eq(stats_of(&f.unit).faults, 1);
			}
		}
	}
}

/* RULE("RBPFPN") RULE("IXPWQC") Reported aborts: the EC by what was being read, EA, DL, the
 * pointer. */
Test(management, reported_aborts)
{
	static const struct {
		enum spe_external_abort choice;
		struct spe_write_result result;
		uint64_t pmbsr;
	} table[] = {
		{SPE_ABORT_SYNC, {.written = 0}, SR_EC(0x24) | 0x10},
		{SPE_ABORT_SYNC, {.written = 5}, SR_EC(0x24) | 0x10 | SR_DL},
		{SPE_ABORT_SYNC, {.stage2 = true}, SR_EC(0x25) | 0x10},
		{SPE_ABORT_SYNC, {.gpc = true}, SR_EC(0x1e)},
		{SPE_ABORT_ASYNC, {.written = 0}, SR_EC(0x24) | 0x11 | SR_DL},
		{SPE_ABORT_ASYNC, {.stage2 = true}, SR_EC(0x25) | 0x11 | SR_DL},
		{SPE_ABORT_ASYNC, {.gpc = true}, SR_EC(0x1e) | SR_DL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct spe_op op = fixture_load();
		struct fixture f;

		fixture_init(&f, SPE_V1P2);
		f.config.external_abort = table[i].choice;
		fixture_start(&f);
		f.fail = table[i].result;
		f.fail.status = SPE_WRITE_EXTERNAL_ABORT;
		fixture_sample(&f, &op);
		cr_assert_eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_S | SR_EA | table[i].pmbsr,
			     "row %zu: 0x%llx", i,
			     (unsigned long long)fixture_read(&f, SYSREG_PMBSR_EL1));
		if (table[i].choice == SPE_ABORT_SYNC)
			eq(fixture_read(&f, SYSREG_PMBPTR_EL1),
			   BUFFER_VA + table[i].result.written);
		eq(spe_enabled(&f.unit), 0);
	}
}

/*
 * RULE("IVPLMK") RULE("IZGGXW") Ignored, or the PE's: PMBSR_ELx does not change, profiling goes on.
 */
Test(management, aborts_that_are_not_reported)
{
	for (int choice = SPE_ABORT_IGNORE; choice <= SPE_ABORT_SERROR; choice++) {
		struct spe_op op = fixture_load();
		struct fixture f;

		fixture_init(&f, SPE_V1P5);
		f.config.external_abort = (enum spe_external_abort)choice;
		fixture_start(&f);
		spe_write(&f.unit, SYSREG_PMBSR_EL1, SR_COLL | SR_DL);
		f.fail = fixture_abort(0, false);
		fixture_sample(&f, &op);
		eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_COLL | SR_DL);
		eq(fixture_read(&f, SYSREG_PMBPTR_EL1), BUFFER_VA + 64);
		eq(f.serrors, choice == SPE_ABORT_SERROR);
		fixture_sample(&f, &op);
		eq(f.last_va, BUFFER_VA + 64);
	}
}

/*
 * RULE("RSXWCP") RULE("RVCYWL") RULE("D17.8.5/access-not-allowed") A record that is due where the
 * buffer is not enabled, or is another Security state's, is lost, with an event or without.
 */
Test(management, records_that_come_too_late)
{
	for (int choice = SPE_LATE_DISCARDED; choice <= SPE_LATE_EVENT; choice++) {
		for (int how = 0; how < 5; how++) {
			const bool event = choice == SPE_LATE_EVENT && how < 3;
			struct spe_op op = fixture_load();
			uint64_t before;
			struct fixture f;

			levels(&f, 1, 1, 1);
			f.config.late_record = (enum spe_late_record)choice;
			fixture_start(&f);
			spe_write(&f.unit, SYSREG_PMBSR_EL1, SR_COLL | SR_EC(3) | 5);
			eq(fixture_select(&f), SPE_SELECTED);
			switch (how) {
			case 0:
				spe_write(&f.unit, SYSREG_PMBLIMITR_EL1, BUFFER_VA + BUFFER_SIZE);
				break;
			case 1: f.controls.scr_el3 = 0; break;
			case 2: f.controls.halted = true; break;
			case 3: spe_write(&f.unit, SYSREG_PMBSR_EL1, SR_S); break; /* stopped */
			default: /* Discard mode never writes */
				spe_write(&f.unit, SYSREG_PMBLIMITR_EL1, LIMIT_DISCARD);
			}
			spe_update(&f.unit, &f.controls);
			before = fixture_read(&f, SYSREG_PMBSR_EL1);
			spe_sample(&f.unit, &op);
			eq(fixture_read(&f, SYSREG_PMBSR_EL1),
			   event ? SR_S | SR_DL | SR_COLL : before);
			eq(f.writes, 0);
			eq(stats_of(&f.unit).lost, 1);
			eq(stats_of(&f.unit).refused, event);
			eq(fixture_read(&f, SYSREG_PMBPTR_EL1), BUFFER_VA);
		}
	}
}

/* RULE("RPVRNK") With or without a Context synchronization event: a new value counts at once. */
Test(management, register_writes_count_at_once)
{
	struct spe_op op = fixture_load();
	struct fixture f;

	fixture_init(&f, SPE_V1P2);
	eq(fixture_select(&f), SPE_SELECTED);
	spe_write(&f.unit, SYSREG_PMBPTR_EL1, BUFFER_VA + 0x100);
	spe_sample(&f.unit, &op);
	eq(f.last_va, BUFFER_VA + 0x100);
	eq(fixture_select(&f), SPE_SELECTED);
	spe_write(&f.unit, SYSREG_PMSFCR_EL1, 4);
	spe_write(&f.unit, SYSREG_PMSLATFR_EL1, 0xfff);
	spe_sample(&f.unit, &op);
	eq(f.writes, 1);
}

/* RULE("IWZSLB") Whether an operation is selected goes by PMSCR_ELx as it is for that operation. */
Test(management, selection_goes_by_the_controls_of_the_operation)
{
	struct fixture f;

	fixture_init(&f, SPE_V1P2);
	eq(spe_advance(&f.unit, spe_budget(&f.unit) - 1), SPE_NOT_SELECTED);
	spe_write(&f.unit, SYSREG_PMSCR_EL1, 0);
	eq(spe_advance(&f.unit, 1), SPE_NOT_SELECTED);
	spe_write(&f.unit, SYSREG_PMSCR_EL1, E1SPE);
	eq(spe_advance(&f.unit, 1), SPE_SELECTED);
}

/* PMBIDR_EL1.MaxBuffSize: the largest possible buffer, to the byte. */
Test(management, the_edges_of_the_largest_buffer)
{
	static const struct {
		uint64_t bytes;
		uint16_t field; /* PMBIDR_EL1.MaxBuffSize; 0: cannot be said */
	} table[] = {
		{0x1000, 0x0001},
		{UINT64_C(511) << 12, 0x01ff},
		{UINT64_C(512) << 12, 0x0200},
		{UINT64_C(1023) << 12, 0x03ff},
		{UINT64_C(1024) << 12, 0x0400},
		{UINT64_C(1025) << 12, 0},
		{UINT64_C(1026) << 12, 0x0401},
		{UINT64_C(1023) << 42, 0x3fff}, /* 4092 TB */
		{UINT64_C(1024) << 42, 0},
		{0x1800, 0},
		{0xfff, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const uint64_t limit = UINT64_C(0x0080000000000000);
		struct spe_op op = fixture_load();
		struct fixture f;

		fixture_init(&f, SPE_V1P2);
		f.config.max_buffer = table[i].bytes;
		if (!table[i].field) {
			eq(spe_config_check(&f.config, NULL), -SPE_EMAXBUFFER);
			continue;
		}
		fixture_start(&f);
		eq(fixture_read(&f, SYSREG_PMBIDR_EL1) >> 32, table[i].field);
		spe_write(&f.unit, SYSREG_PMBLIMITR_EL1, limit | LIMIT_E);
		spe_write(&f.unit, SYSREG_PMBPTR_EL1, limit - table[i].bytes);
		eq(spe_room(&f.unit), table[i].bytes - 64);
		spe_write(&f.unit, SYSREG_PMBPTR_EL1, limit - table[i].bytes - 1);
		eq(spe_room(&f.unit), 0);
		fixture_sample(&f, &op);
		eq(f.writes, 0);
		eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_S | 4);
	}
}
