/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accesses from lower Exception levels: see access_run.h.
 */
#include "access_run.h"
#include "arch.h"
#include "boot.h"
#include "exception.h"
#include "spe.h"
#include "tap.h"

#define HDFGRTR_EL2  S3_4_C3_C1_4
#define HDFGWTR_EL2  S3_4_C3_C1_5
#define HDFGRTR2_EL2 S3_4_C3_C1_0
#define HDFGWTR2_EL2 S3_4_C3_C1_1

#define EE(value) ((value)&UINT64_C(3) << 8) /* of PMSCR_ELx */

extern char access_idle_hvc[], access_idle_smc[];
extern char access_own[], access_lower_hvc[], access_lower_smc[], access_lower_end[];

/* The code of the accesses is in the order of statement.def. */
enum code_order {
#define ACCESS(name, ...) CODE_##name,
#include "conform/statement.def"
#undef ACCESS
};
#define ACCESS(name, ...)                                                                     \
	_Static_assert((int)CODE_##name == (int)SYSREG_##name, "statement.def is in another " \
							       "order");
#include "conform/statement.def"
#undef ACCESS

struct access_machine access_machine;
unsigned int access_level;
unsigned long access_count;
volatile uint64_t *access_vncr;

static struct access_controls now;     /* as last written */
static uint64_t held[SYSREG_COUNT][3]; /* what values[0], values[1] and zero read back as */
struct lower_context access_context;

static const uint8_t rts[ACCESS_RT_COUNT] = {ACCESS_RTS};

struct access_machine access_probe(void)
{
	uint64_t pfr0 = read_sysreg(id_aa64pfr0_el1), dfr0 = read_sysreg(id_aa64dfr0_el1);
	uint64_t mmfr0 = read_sysreg(id_aa64mmfr0_el1), nv = read_sysreg(S3_0_C0_C7_2);
	uint64_t dfr2 = read_sysreg(ID_AA64DFR2_EL1), version = field(dfr0, 35, 32);
	bool el3 = field(read_sysreg(CurrentEL), 3, 2) == 3;
	struct access_machine m = {
		.el2 = field(pfr0, 11, 8),
		.el3 = el3,
		.sel2 = el3 && field(pfr0, 39, 36),
		.rme = el3 && field(pfr0, 55, 52),
		.vhe = field(read_sysreg(id_aa64mmfr1_el1), 11, 8),
		.nv = field(nv, 27, 24),
		.nv2 = field(nv, 27, 24) >= 2,
		.fgt = field(mmfr0, 59, 56),
		.fgt2 = field(mmfr0, 59, 56) >= 2,
		.spe = version,
		.fne = version >= PMSVER_V1P2,
		.nvm = version && field(dfr2, 23, 20),
		.exc = version && field(dfr2, 19, 16),
	};

	return m;
}

/* Whether main at EL2 runs with HCR_EL2.E2H. */
static bool is_host(void)
{
	return access_level == 2 && access_machine.vhe && now.hcr_el2 & HCR_E2H;
}

static enum sysreg_id own_name(enum sysreg_id reg)
{
	switch (reg) {
	case SYSREG_PMSCR_EL1:
	case SYSREG_PMSCR_EL12: return is_host() ? SYSREG_PMSCR_EL12 : SYSREG_PMSCR_EL1;
	case SYSREG_PMBSR_EL1:
	case SYSREG_PMBSR_EL12:
		return is_host() && access_machine.exc ? SYSREG_PMBSR_EL12 : SYSREG_PMBSR_EL1;
	default: return reg;
	}
}

bool access_reachable(enum sysreg_id reg)
{
	return access_exists(&access_machine, reg) &&
	       (statement_facts[reg].whose != WHOSE_EL3 || access_level == 3);
}

static uint64_t own_access(enum sysreg_id reg, bool write, uint64_t value)
{
	uintptr_t code = (uintptr_t)access_own + own_name(reg) * 16u + (write ? 8 : 0);

	value = ((uint64_t(*)(uint64_t))code)(value);
	isb();
	return value;
}

uint64_t access_get(enum sysreg_id reg)
{
	return own_access(reg, false, 0);
}

void access_put(enum sysreg_id reg, uint64_t value)
{
	own_access(reg, true, value);
}

struct access_controls access_open(void)
{
	static struct access_controls open;
	static bool known;

	if (!known) {
		known = true;
		open.hcr_el2 = read_sysreg(hcr_el2) & ~HCR_E2H;
		open.mdcr_el2 = (read_sysreg(mdcr_el2) & ~MDCR2_TPMS) | MDCR2_E2PB(3);
		for (unsigned int write = 0; write < 2; write++) {
			open.fgt[WORD_HDFG][write] = access_fgt_open(WORD_HDFG, write);
			open.fgt[WORD_HDFG2][write] = access_fgt_open(WORD_HDFG2, write);
		}
		if (access_level == 3) {
			open.scr_el3 = read_sysreg(scr_el3) | SCR_NS;
			open.mdcr_el3 = read_sysreg(mdcr_el3) | MDCR3_NSPB(3) | MDCR3_ENPMSN |
					MDCR3_ENPMS3 | MDCR3_ENPMS4;
			if (access_machine.exc)
				open.mdcr_el3 |= MDCR3_PMSEE(1);
		}
	}
	return open;
}

#define SET(member, reg)                              \
	do {                                          \
		if (now.member != c->member) {        \
			write_sysreg(reg, c->member); \
			now.member = c->member;       \
		}                                     \
	} while (0)

void access_set(const struct access_controls *c)
{
	const struct access_machine *m = &access_machine;

	if (access_level == 3) {
		SET(mdcr_el3, mdcr_el3);
		access_context.mdcr_el2 = c->mdcr_el2;
	} else {
		if ((now.hcr_el2 ^ c->hcr_el2) & HCR_E2H)
			el2_set_host(c->hcr_el2 & HCR_E2H);
		SET(mdcr_el2, mdcr_el2);
	}
	access_context.hcr_el2 = c->hcr_el2;
	access_context.scr_el3 = c->scr_el3;
	if (m->fgt) {
		SET(fgt[WORD_HDFG][0], HDFGRTR_EL2);
		SET(fgt[WORD_HDFG][1], HDFGWTR_EL2);
	}
	if (m->fgt2) {
		SET(fgt[WORD_HDFG2][0], HDFGRTR2_EL2);
		SET(fgt[WORD_HDFG2][1], HDFGWTR2_EL2);
	}
	now.hcr_el2 = c->hcr_el2;
	isb();
	/* EE decides which PMBSR_ELx is reached. */
	if (m->exc && (now.pmscr_el1 != c->pmscr_el1 || now.pmscr_el2 != c->pmscr_el2)) {
		access_put(SYSREG_PMSCR_EL2, c->pmscr_el2);
		access_put(SYSREG_PMSCR_EL1, c->pmscr_el1);
		now.pmscr_el1 = c->pmscr_el1;
		now.pmscr_el2 = c->pmscr_el2;
	}
}

/*
 * What the register reads as after a write of one of values[], or of zero, with EE of PMSCR_ELx
 * from the controls.
 */
static uint64_t with_ee(const struct access_controls *c, enum sysreg_id reg, uint64_t value)
{
	if (own_name(reg) == own_name(SYSREG_PMSCR_EL1))
		return value | EE(c->pmscr_el1);
	return reg == SYSREG_PMSCR_EL2 ? value | EE(c->pmscr_el2) : value;
}

void access_map_code(const void *start, const void *end)
{
	uintptr_t page = (uintptr_t)start & ~(uintptr_t)(PAGE_SIZE - 1);

	for (; boot_info.el == 2 && page < (uintptr_t)end; page += PAGE_SIZE) {
		uint64_t pa = mmu_translate(page);

		if (mmu_translate(pa) == 0)
			map_page(pa, pa, MAP_USER_TEXT);
	}
}

void access_init(void)
{
	struct access_controls c;

	access_level = boot_info.el;
	access_machine = access_probe();
	lower_init(&access_context, 1, 0);
	c = access_open();
	now = (struct access_controls){.hcr_el2 = c.hcr_el2, .mdcr_el2 = ~c.mdcr_el2};
	now.mdcr_el3 = ~c.mdcr_el3;
	access_set(&c);
	access_map_code(access_own, access_lower_end);
	if (!access_machine.spe)
		return;
	access_machine.fds = access_get(SYSREG_PMSIDR_EL1) & PMSIDR_FDS;
	access_put(SYSREG_PMBLIMITR_EL1, 0);
	for (enum sysreg_id reg = 0; reg < SYSREG_COUNT; reg++)
		for (unsigned int i = 0; i < 3; i++) {
			if (!access_reachable(reg) || own_name(reg) != reg)
				continue;
			if (statement_facts[reg].writable)
				access_put(reg, i < 2 ? statement_facts[reg].values[i] : 0);
			held[reg][i] = access_get(reg);
		}
	for (unsigned int i = 0; i < 3; i++) {
		held[SYSREG_PMSCR_EL12][i] = held[SYSREG_PMSCR_EL1][i];
		held[SYSREG_PMBSR_EL12][i] = held[SYSREG_PMBSR_EL1][i];
	}
}

static enum access_outcome outcome_of(const struct access_seen *seen)
{
	if (field(seen->esr, 31, 26) == EC_UNKNOWN)
		return OUTCOME_UNDEFINED;
	return seen->el == 3 ? OUTCOME_TRAP_EL3 : OUTCOME_TRAP_EL2;
}

/* The exception that ended the run, at the level that took it. */
static void look_at_registers(struct access_seen *seen)
{
	const struct lower_exit *x = &access_context.exit;
	int vector = lower_vector(&access_context, &seen->el);

	if (vector < 0) {
		seen->el = access_level;
		seen->vector = VEC_EL0_SYNC + x->kind;
		seen->esr = x->esr;
		seen->elr = x->elr;
		seen->spsr = x->spsr;
		seen->far = x->far;
		seen->hpfar = x->hpfar;
		return;
	}
	seen->vector = (unsigned int)vector;
	seen->esr = seen->el == 1 ? access_context.esr_el1 : access_context.esr_el2;
	seen->elr = seen->el == 1 ? access_context.elr_el1 : access_context.elr_el2;
	seen->spsr = seen->el == 1 ? access_context.spsr_el1 : access_context.spsr_el2;
	seen->far = seen->el == 1 ? access_context.far_el1 : access_context.far_el2;
	seen->hpfar = access_context.hpfar_el2;
}

struct access_seen access_go(unsigned int el, uint64_t pc)
{
	struct access_seen seen = {0};
	uint64_t ec;

	access_context.pc = pc;
	access_context.spsr = SPSR_DAIF | el << 2 | (el != 0);
	lower_run(&access_context);
	ec = field(access_context.exit.esr, 31, 26);
	if (access_context.exit.kind == LOWER_SYNC && (ec == EC_HVC64 || ec == EC_SMC64) &&
	    (access_context.exit.esr & 0xffff) == CALL_DONE) {
		seen.outcome = OUTCOME_REGISTER;
		seen.elr = access_context.exit.elr;
		return seen;
	}
	look_at_registers(&seen);
	seen.outcome = outcome_of(&seen);
	return seen;
}

struct access_seen access_run(unsigned int el, uint64_t pc, unsigned int xt, uint64_t value)
{
	struct access_seen seen;

	for (unsigned int i = 0; i < 31; i++)
		access_context.x[i] = (i + 1) * UINT64_C(0x0101010101010101);
	if (xt < 31)
		access_context.x[xt] = value;
	seen = access_go(el, pc);
	seen.xt = xt < 31 ? access_context.x[xt] : 0;
	return seen;
}

uint64_t access_pc(enum sysreg_id reg, bool write, unsigned int rt)
{
	const char *code = access_level == 3 ? access_lower_smc : access_lower_hvc;

	return lower_address(code) + (reg * ACCESS_RT_COUNT + rt) * 16u + (write ? 8 : 0);
}

/* Registers of the lower level, all but Xt. */
static bool others_kept(unsigned int xt)
{
	for (unsigned int i = 0; i < 31; i++)
		if (i != xt && access_context.x[i] != (i + 1) * UINT64_C(0x0101010101010101))
			return false;
	return true;
}

struct checked {
	const struct access_controls *c;
	const struct statement_fact *f;
	enum sysreg_id reg;
	bool write;
	unsigned int el, xt;
	uint64_t pc, written;
	struct access_expectation expect;
};

static bool report_wrong(const struct checked *k, const char *what, uint64_t seen,
			 uint64_t expected)
{
	return tap_fail("%s of %s at EL%u, X%u: %s 0x%lx, not 0x%lx (expected %s; HCR_EL2 0x%lx "
			"MDCR_EL2 0x%lx SCR_EL3 0x%lx MDCR_EL3 0x%lx HDFGxTR 0x%lx HDFGxTR2 0x%lx)",
			k->write ? "MSR" : "MRS", k->f->name, k->el, k->xt, what, seen, expected,
			access_outcome_name(k->expect.outcome), k->c->hcr_el2, k->c->mdcr_el2,
			k->c->scr_el3, k->c->mdcr_el3, k->c->fgt[WORD_HDFG][k->write],
			k->c->fgt[WORD_HDFG2][k->write]);
}

#define SAME(what, seen, expected) \
	((uint64_t)(seen) == (uint64_t)(expected) ? true : report_wrong(k, what, seen, expected))

/* PMBIDR_EL1.{P,AddrMode} differ by the level that reads them. */
static uint64_t common_value(enum sysreg_id reg, uint64_t value)
{
	return reg == SYSREG_PMBIDR_EL1 ? value & ~(uint64_t)0xd0 : value;
}

/* The exception: where to, what it says, what it left alone. */
static bool exception_right(const struct checked *k, const struct access_seen *seen)
{
	bool undefined = k->expect.outcome == OUTCOME_UNDEFINED;
	uint64_t esr = UINT64_C(1) << 25; /* IL */
	unsigned int el = k->expect.outcome == OUTCOME_TRAP_EL3 ? 3 : 2;
	uint64_t mode = k->el == 0 ? SPSR_EL0T : (uint64_t)k->el << 2 | 1;

	if (undefined)
		el = k->el == 0
			     ? (access_el2_enabled(&access_machine, k->c) && k->c->hcr_el2 & HCR_TGE
					? 2
					: 1)
			     : k->el;
	else
		esr |= (uint64_t)EC_SYSREG << 26 | k->f->iss | k->xt << 5 | !k->write;
	/* With FEAT_NV, EL1 sees its own exceptions come from EL2. */
	if (el == 1 && k->el == 1 && k->c->hcr_el2 & HCR_NV)
		mode = seen->spsr & 0x1f;
	return SAME("exception to EL", seen->el, el) &&
	       SAME("vector", seen->vector, el == k->el ? VEC_SPX_SYNC : VEC_EL0_SYNC) &&
	       SAME("ESR_ELx", seen->esr, esr) && SAME("ELR_ELx", seen->elr, k->pc) &&
	       SAME("SPSR_ELx.M", seen->spsr & 0x1f, mode) &&
	       SAME("Xt", seen->xt, k->xt < 31 ? k->written : 0);
}

/* As a hypervisor does: transfer the value to or from Xt, and continue after the instruction. */
static bool emulate_access(const struct checked *k, const struct access_seen *seen)
{
	uint64_t magic = UINT64_C(0x5a5a00005a5a0000) + access_count,
		 given = k->write ? k->written : magic;
	struct access_seen after = access_run(k->el, seen->elr + 4, k->xt, given);

	return SAME("after emulation, outcome", after.outcome, OUTCOME_REGISTER) &&
	       SAME("after emulation, return address", after.elr, k->pc + 8) &&
	       SAME("after emulation, Xt", after.xt, k->xt < 31 ? given : 0);
}

static bool memory_right(const struct checked *k, const struct access_seen *seen, uint64_t before)
{
	unsigned int at = k->f->offset / 8;
	uint64_t value = access_vncr[at];

	if (k->write) {
		if (!SAME("memory", value, k->written))
			return false;
	} else if (!SAME("memory", value, before) ||
		   !SAME("Xt", seen->xt, k->xt < 31 ? before : 0)) {
		return false;
	}
	/* The rest of the page is as it was. */
	for (unsigned int i = 0; i < 512; i++)
		if (i != at && !SAME("other memory", access_vncr[i], i * UINT64_C(0x100000001)))
			return false;
	return true;
}

/* What to write, with Xt: a value that the register reached keeps. */
static uint64_t value_for(const struct checked *k)
{
	enum sysreg_id reg = k->expect.outcome == OUTCOME_REGISTER ? k->expect.reg : k->reg;

	return k->xt == 31 ? 0 : with_ee(k->c, reg, statement_facts[reg].values[1]);
}

static bool register_right(const struct checked *k, const struct access_seen *seen)
{
	enum sysreg_id reg = k->expect.reg;
	uint64_t is = access_reachable(reg) ? access_get(reg) : 0,
		 want = with_ee(k->c, reg, held[reg][0]);

	/* Zero in PMSCR_ELx clears EE, too: restore what the controls say. */
	if (k->write && access_reachable(reg))
		access_put(reg, with_ee(k->c, reg, statement_facts[reg].values[0]));
	if (k->write)
		want = k->xt < 31 ? with_ee(k->c, reg, held[reg][1]) : held[reg][2];
	else if (!SAME("Xt", common_value(reg, seen->xt), k->xt < 31 ? common_value(reg, want) : 0))
		return false;
	return SAME("the register", common_value(reg, is), common_value(reg, want));
}

bool access_check(const struct access_controls *c, unsigned int el, enum sysreg_id reg, bool write,
		  unsigned int rt)
{
	const struct statement_fact *f = &statement_facts[reg];
	struct checked check = {c, f, reg, write, el, rts[rt], 0, 0, {0, 0}}, *k = &check;
	bool values = access_reachable(reg), right;
	struct access_seen seen;
	uint64_t before = 0;

	k->pc = access_pc(reg, write, rt);
	k->expect = access_expect(&access_machine, c, el, reg, write);
	k->written = ~UINT64_C(0) << 32 | f->values[1];
	if (write)
		k->written = value_for(k);
	access_count++;
	if (k->expect.outcome == OUTCOME_REGISTER)
		values = access_reachable(k->expect.reg);
	if (values && f->writable) {
		access_put(reg, with_ee(c, reg, f->values[0]));
		if (k->expect.outcome == OUTCOME_REGISTER && k->expect.reg != reg)
			access_put(k->expect.reg,
				   with_ee(c, k->expect.reg,
					   statement_facts[k->expect.reg].values[0]));
	}
	if (access_vncr) {
		for (unsigned int i = 0; i < 512; i++)
			access_vncr[i] = i * UINT64_C(0x100000001);
		before = access_vncr[f->offset / 8];
	}
	seen = access_run(el, k->pc, k->xt, k->written);
	/* Seen from outside, memory and the register differ only in which of them has the value. */
	if (k->expect.outcome == OUTCOME_MEMORY && seen.outcome == OUTCOME_REGISTER)
		seen.outcome = OUTCOME_MEMORY;
	if (seen.outcome != k->expect.outcome)
		return report_wrong(k, access_outcome_name(seen.outcome), seen.esr, 0);
	switch (seen.outcome) {
	case OUTCOME_REGISTER:
		return SAME("return address", seen.elr, k->pc + 8) && register_right(k, &seen) &&
		       SAME("other registers kept", others_kept(k->xt), true);
	case OUTCOME_MEMORY: right = memory_right(k, &seen, before); break;
	default: right = exception_right(k, &seen); break;
	}
	right = right && SAME("other registers kept", others_kept(k->xt), true);
	if (right && values)
		right = SAME("the register", common_value(reg, access_get(reg)),
			     common_value(reg, with_ee(c, reg, held[reg][0])));
	if (right && (seen.outcome == OUTCOME_TRAP_EL2 || seen.outcome == OUTCOME_TRAP_EL3))
		right = emulate_access(k, &seen);
	return right;
}

void access_check_all(const struct access_controls *c, unsigned int el, bool all)
{
	static unsigned int turn;

	for (enum sysreg_id reg = 0; reg < SYSREG_COUNT; reg++)
		for (unsigned int write = 0; write < 2; write++) {
			for (unsigned int rt = 0; all && rt < ACCESS_RT_COUNT; rt++)
				access_check(c, el, reg, write, rt);
			if (!all)
				access_check(c, el, reg, write, turn++ % ACCESS_RT_COUNT);
		}
}

void access_check_own(const struct access_controls *c)
{
	uintptr_t code = (uintptr_t)access_own;
	struct access_expectation expect;
	struct expected e;

	for (enum sysreg_id reg = 0; reg < SYSREG_COUNT; reg++)
		for (unsigned int write = 0; write < 2; write++) {
			const struct statement_fact *f = &statement_facts[reg];
			struct checked check = {c, f, reg, write, access_level, 0, 0, 0, {0, 0}},
				       *k = &check;
			uint64_t value, given;

			k->pc = code + reg * 16u + (write ? 8 : 0);
			expect = k->expect =
				access_expect(&access_machine, c, access_level, reg, write);
			access_count++;
			if (expect.outcome == OUTCOME_REGISTER &&
			    statement_facts[expect.reg].writable)
				access_put(expect.reg,
					   with_ee(c, expect.reg,
						   statement_facts[expect.reg].values[0]));
			given = write ? value_for(k) : 0;
			expect_begin();
			value = ((uint64_t(*)(uint64_t))k->pc)(given);
			e = expect_end();
			if (expect.outcome == OUTCOME_UNDEFINED) {
				if (SAME("exceptions", e.count, 1) &&
				    SAME("ESR_ELx", e.esr, UINT64_C(1) << 25))
					SAME("ELR_ELx", e.elr, k->pc);
			} else if (SAME("exceptions", e.count, 0)) {
				struct access_seen seen = {.xt = value};

				register_right(k, &seen);
			}
		}
}

/*
 * Makes more selections than can be in flight at once; a filter drops all, so nothing is written.
 */
static bool samples_collide(void)
{
	const uint64_t selections = 24;
	struct access_controls c = access_open();
	bool collide;

	access_set(&c);
	access_put(SYSREG_PMBLIMITR_EL1, 0);
	access_put(SYSREG_PMBSR_EL1, 0);
	access_put(SYSREG_PMBPTR_EL1, 0);
	access_put(SYSREG_PMSFCR_EL1, PMSFCR_FT | PMSFCR_LD);
	access_put(SYSREG_PMSIRR_EL1, PMSIRR_INTERVAL(1));
	access_put(SYSREG_PMSICR_EL1, 0);
	access_put(SYSREG_PMBLIMITR_EL1, UINT64_C(16) * PAGE_SIZE | PMBLIMITR_E);
	access_put(SYSREG_PMSCR_EL1, PMSCR_E1SPE);
	access_run(1, lower_address(access_level == 3 ? access_idle_smc : access_idle_hvc), 0,
		   selections * spe_spacing(1) / 2);
	access_put(SYSREG_PMSCR_EL1, 0);
	psb_csync();
	isb();
	collide = access_get(SYSREG_PMBSR_EL1) & PMBSR_COLL;
	access_put(SYSREG_PMBLIMITR_EL1, 0);
	access_put(SYSREG_PMBSR_EL1, 0);
	return collide;
}

const char *access_needs_samples(void)
{
	static enum { UNKNOWN, COLLIDE, EXACT } known;
	const char *why = needs_el2();

	if (!why)
		why = needs_operations();
	if (!why && known == UNKNOWN)
		known = samples_collide() ? COLLIDE : EXACT;
	return !why && known == COLLIDE ? "samples collide: PMBSR_EL1.COLL" : why;
}
