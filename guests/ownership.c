/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ownership: whose the profiling buffer is, and who is profiled (Arm ARM D17.4, D17.5). This file:
 * every row of the table of Exception levels and controls, in each Security state.
 * ownership_buffer.c: the owning translation regime. ownership_record.c: what records say of the
 * owner and the profiled.
 */
#include "ownership.h"
#include "boot.h"
#include "spe.h"
#include "tap.h"

#define COUNT	    UINT64_C(0x10000000)
#define ITERATIONS  2048u /* from EL3, which is never profiled */
#define ITERATIONS2 16384u

void spe_idle(uint64_t iterations); /* lib/spe_run.S */

enum owning_state { OWNER_OWN, OWNER_OTHER };
enum owning_level { E2PB_EL2, E2PB_EL1, E2PB_ANY };

/* Bits: PMSCR_EL1's enables, then PMSCR_EL2's. */
enum enable { ENABLE_E0SPE, ENABLE_E1SPE, ENABLE_E0HSPE, ENABLE_E2SPE, ENABLE_OFF, ENABLE_NA };

static const struct ownership {
	const char *name;
	enum owning_state owner;
	bool el2;
	enum owning_level level;
	bool tge;
	enum enable enables[3]; /* by Exception level */
} rows[] = {
#define OWNERSHIP(id, name, owner, el2, e2pb, tge, at2, at1, at0) \
	{name, OWNER_##owner, el2, E2PB_##e2pb, tge, {ENABLE_##at0, ENABLE_##at1, ENABLE_##at2}},
#include "ownership.def"
#undef OWNERSHIP
};

/* Values of {NSPBE,NSPB[1]}. */
static const unsigned int owners[] = {0, 1, 3};

static unsigned int owner_count(void)
{
	return access_level < 3 ? 1 : access_machine.rme ? 3 : 2;
}

static unsigned int owner_of(const struct access_controls *c)
{
	return (c->mdcr_el3 & MDCR3_NSPBE ? 2u : 0) | (unsigned int)field(c->mdcr_el3, 13, 13);
}

static void set_owner(struct access_controls *c, unsigned int owner, bool access)
{
	if (access_level < 3)
		return;
	c->mdcr_el3 &= ~(MDCR3_NSPB(3) | MDCR3_NSPBE);
	c->mdcr_el3 |= MDCR3_NSPB((owner & 1) << 1 | access) | (owner >> 1 ? MDCR3_NSPBE : 0);
}

/* Operations that counted at el while it ran ITERATIONS, as PMSICR_EL1 says. */
static uint64_t count_operations(unsigned int el, unsigned int iterations, unsigned int enables)
{
	struct access_seen seen;

	access_put(SYSREG_PMSICR_EL1, COUNT);
	own_start(enables & 3, enables >> 2);
	if (el == access_level)
		spe_idle(iterations);
	else
		CHECK(own_run(el, OWN_IDLE, iterations, 0, &seen), "EL%u: ESR 0x%lx ELR 0x%lx", el,
		      seen.esr, seen.elr);
	own_stop();
	return COUNT - access_get(SYSREG_PMSICR_EL1);
}

/* Every combination of the four enables at each level: only what the row says counts there. */
static void each_enable(const struct ownership *row, const struct access_controls *c)
{
	unsigned int iterations = access_level == 3 ? ITERATIONS : ITERATIONS2;

	for (unsigned int i = 0; i < 3 * 16; i++) {
		unsigned int el = i / 16, enables = i & 15;
		enum enable enable = row->enables[el];
		bool profiled = enable < ENABLE_OFF && enables >> enable & 1;
		uint64_t n;

		if (enable == ENABLE_NA)
			continue;
		access_count++;
		n = count_operations(el, iterations, enables);
		CHECK(n >= iterations * 2 ? profiled : !profiled,
		      "EL%u, {E2SPE,E0HSPE,E1SPE,E0SPE} 0x%x: %lu operations counted; HCR_EL2 "
		      "0x%lx "
		      "MDCR_EL2 0x%lx SCR_EL3 0x%lx MDCR_EL3 0x%lx",
		      el, enables, n, c->hcr_el2, c->mdcr_el2, c->scr_el3, c->mdcr_el3);
		/* EL3 is not profiled: nothing but the code counts, and the vector between. */
		CHECK(access_level < 3 || n <= iterations * 2 + 4, "EL%u: %lu operations counted",
		      el, n);
	}
}

static bool row_applies(const struct ownership *row, const struct access_controls *c,
			enum state_id state)
{
	bool own = access_level < 3 || owner_of(c) == state_bits(state);
	bool el1 = field(c->mdcr_el2, 13, 12) != 0;

	return own == (row->owner == OWNER_OWN) &&
	       access_el2_enabled(&access_machine, c) == row->el2 &&
	       (row->level == E2PB_ANY || (row->level == E2PB_EL1) == el1);
}

void who_is_profiled(unsigned int index)
{
	static const unsigned int e2pb[] = {0, 2, 3};
	const struct ownership *row = &rows[index];
	unsigned long before = access_count;

	own_program(OWN_VA1, BUFFER_SIZE);
	for (enum state_id state = 0; state < STATES; state++)
		for (unsigned int i = 0; i < owner_count() * 12 && !state_lacks(state); i++) {
			struct access_controls c = state_controls(state);

			set_owner(&c, owners[i / 12], i & 1);
			set_e2pb(&c, e2pb[i / 4 % 3]);
			c.hcr_el2 |= row->tge ? HCR_TGE : 0;
			c.hcr_el2 |= i & 2 && access_machine.vhe ? HCR_E2H : 0;
			if (!row_applies(row, &c, state))
				continue;
			access_set(&c);
			each_enable(row, &c);
		}
	own_done(before, "combinations");
}

/* PMBIDR_EL1.P: a higher level or another Security state owns the buffer. */
static void check_program_bit(const struct access_controls *c, enum state_id state)
{
	unsigned int owner = access_level < 3 ? 1 : owner_of(c), owning_el = 1;
	bool el2 = access_machine.el2 && (owner != 0 || access_level < 3 ||
					  (access_machine.sel2 && c->scr_el3 & SCR_EEL2));
	bool other = access_level == 3 && owner != state_bits(state);

	if (el2 && field(c->mdcr_el2, 13, 12) == 0)
		owning_el = 2;
	for (unsigned int el = 1; el <= 2; el++) {
		bool p = other || owning_el > el;
		struct access_seen seen;

		if (el == 2 && !access_el2_enabled(&access_machine, c))
			continue;
		access_count++;
		if (el == access_level)
			seen.xt = access_get(SYSREG_PMBIDR_EL1);
		else
			seen = access_run(el, access_pc(SYSREG_PMBIDR_EL1, false, 0), 0, 0);
		CHECK(!(seen.xt & PMBIDR_P) == !p,
		      "EL%u: PMBIDR_EL1 is 0x%lx; MDCR_EL2 0x%lx SCR_EL3 0x%lx MDCR_EL3 0x%lx", el,
		      seen.xt, c->mdcr_el2, c->scr_el3, c->mdcr_el3);
	}
	CHECK(access_level < 3 || !(access_get(SYSREG_PMBIDR_EL1) & PMBIDR_P), "P is 1 at EL3");
}

void program_bit(void)
{
	static const unsigned int e2pb[] = {0, 2, 3};
	unsigned long before = access_count;

	for (enum state_id state = 0; state < STATES; state++)
		for (unsigned int i = 0; i < owner_count() * 6 && !state_lacks(state); i++) {
			struct access_controls c = state_controls(state);

			set_owner(&c, owners[i / 6], i & 1);
			set_e2pb(&c, e2pb[i / 2 % 3]);
			access_set(&c);
			check_program_bit(&c, state);
		}
	own_done(before, "reads");
}

enum {
#define OWNERSHIP(id, ...) ROW_##id,
#include "ownership.def"
#undef OWNERSHIP
	ROWS
};

static const char *needs_row(unsigned int row)
{
	const char *why = needs_ownership();

	if (!why && (rows[row].owner == OWNER_OTHER || !rows[row].el2))
		why = needs_el3();
	return why;
}

#define OWNERSHIP(id, ...)                      \
	static void test_##id(void)             \
	{                                       \
		who_is_profiled(ROW_##id);      \
	}                                       \
	static const char *row_needs_##id(void) \
	{                                       \
		return needs_row(ROW_##id);     \
	}
#include "ownership.def"
#undef OWNERSHIP

static const struct test tests[] = {
#define OWNERSHIP(id, name, ...) {"profiled: " name, test_##id, row_needs_##id},
#include "ownership.def"
#undef OWNERSHIP
	{"PMBIDR_EL1.P at each level", program_bit, needs_ownership},
	{"EL1's buffer is written through stage 2", buffer_stage2, access_needs_samples},
	{"stage 2 faults are reported as such", stage2_faults, access_needs_samples},
	{"a stage 1 fault of EL1's buffer", stage1_fault, access_needs_samples},
	{"EL2's buffer is written in EL2's translation regime", buffer_el2, access_needs_samples},
	{"a fault of EL2's buffer", el2_fault, access_needs_samples},
	{"events go to the PMBSR_ELx that PMSEE and EE choose", fault_targets, needs_exceptions},
	{"records have the Exception level and Security state", levels_and_states, needs_loads},
	{"CONTEXTIDR_EL1 and CONTEXTIDR_EL2 packets", contexts, needs_vhe},
	{"physical addresses, as the owner permits", physical_addresses, access_needs_samples},
	{"timestamps, with offsets", timestamps, access_needs_samples},
};

void guest_main(void)
{
	if (!needs_el2()) {
		access_init();
		own_memory_init();
	}
	tap_run("ownership", tests, sizeof(tests) / sizeof(tests[0]));
}
