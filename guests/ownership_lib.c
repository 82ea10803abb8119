/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of the guest ownership share: see ownership.h.
 */
#include "ownership.h"
#include "boot.h"
#include "exception.h"
#include "spe.h"
#include "string.h"
#include "tap.h"

#define SCR_STATE (SCR_NS | SCR_NSE | SCR_EEL2)
#define DATA	  (S1_NORMAL | S1_EL0 | S1_PXN | S1_UXN)
#define DATA2	  (S1_NORMAL | S1_EL0 | S1_UXN)
#define CODE	  (S1_NORMAL | S1_EL0 | S1_RO)

static const struct state {
	uint64_t scr;
	unsigned int bits;
} states[] = {
#define STATE(id, name, scr, owner) {scr, owner},
#include "el3.def"
#undef STATE
};

extern char own_code[], own_code_end[];
extern char own_idle_hvc[], own_idle_smc[], own_idle_svc[];
extern char own_load_hvc[], own_load_smc[], own_load_svc[];

uint64_t own_pa[BUFFER_PAGES], own_data;
struct stage own_stage1;
static struct stage stage_el2; /* of a main at EL3 */

const char *needs_ownership(void)
{
	const char *why = needs_el2();

	return why ? why : needs_spe();
}

/* The one record of a buffer need not be of a load. */
const char *needs_loads(void)
{
	const char *why = access_needs_samples();

	return needs_too(why, own_records() > 1,
			 "a buffer has room for few records: PMBIDR_EL1.MaxBuffSize");
}

const char *needs_exceptions(void)
{
	const char *why = access_needs_samples();

	return !why && !access_machine.exc ? "no FEAT_SPE_EXC" : why;
}

const char *needs_vhe(void)
{
	const char *why = access_needs_samples();

	return !why && !access_machine.vhe ? "no FEAT_VHE" : why;
}

const char *state_lacks(enum state_id state)
{
	if (access_level < 3)
		return state == 0 ? NULL : "started below EL3";
	if (state == STATE_secure_el2 && !access_machine.sel2)
		return "no FEAT_SEL2";
	return state == STATE_realm && !access_machine.rme ? "no FEAT_RME" : NULL;
}

unsigned int state_bits(enum state_id state)
{
	return states[state].bits;
}

struct access_controls state_controls(enum state_id state)
{
	struct access_controls c = access_open();
	unsigned int owner = states[state].bits;

	if (access_level < 3)
		return c;
	c.scr_el3 = (c.scr_el3 & ~SCR_STATE) | states[state].scr;
	c.mdcr_el3 &= ~(MDCR3_NSPB(3) | MDCR3_NSPBE);
	c.mdcr_el3 |= MDCR3_NSPB((owner & 1) << 1 | 1) | (owner >> 1 ? MDCR3_NSPBE : 0);
	return c;
}

void set_e2pb(struct access_controls *c, unsigned int e2pb)
{
	c->mdcr_el2 = (c->mdcr_el2 & ~MDCR2_E2PB(3)) | MDCR2_E2PB(e2pb);
}

static void flush_tables(void)
{
	dsb();
	stage_flush();
}

void own_map1(uint64_t va, uint64_t ipa)
{
	*stage_entry(&own_stage1, va, 3) = ipa ? ipa | DATA | 3 : 0;
	flush_tables();
}

void own_map2(uint64_t va, uint64_t pa)
{
	if (access_level == 2) {
		mmu_unmap(va);
		if (pa)
			map_page(va, pa, MAP_DATA);
		return;
	}
	*stage_entry(&stage_el2, va, 3) = pa ? pa | DATA2 | 3 : 0;
	__asm__ volatile("dsb sy\n\ttlbi alle2\n\tdsb sy\n\tisb" ::: "memory");
}

static void map_image(const struct stage *s)
{
	stage_map(s, boot_info.image_pa, boot_info.image_pa,
		  (boot_info.image_size + PAGE_SIZE - 1) & ~(uint64_t)(PAGE_SIZE - 1), CODE);
	stage_map(s, own_data, own_data, PAGE_SIZE, DATA2);
}

void own_memory_init(void)
{
	struct lower_context *c = &access_context;

	for (unsigned int i = BUFFER_PAGES; i-- > 0;)
		own_pa[i] = phys_alloc(1);
	own_data = phys_alloc(1);
	own_stage1 = stage1_new();
	map_image(&own_stage1);
	if (access_level == 3) {
		stage_el2 = stage1_new();
		map_image(&stage_el2);
		c->ttbr0_el2 = stage_el2.root;
		c->tcr_el2 = STAGE1_TCR_EL2;
		c->mair_el2 = STAGE_MAIR;
		c->sctlr_el2 = SCTLR_EL2_OFF | SCTLR_ON;
	} else {
		map_page(own_data, own_data, MAP_USER_DATA);
		access_map_code(own_code, own_code_end);
	}
	for (unsigned int i = 0; i < BUFFER_PAGES; i++) {
		own_map1(OWN_VA1 + i * PAGE_SIZE, own_pa[i]);
		own_map2(OWN_VA2 + i * PAGE_SIZE, own_pa[i]);
	}
	c->ttbr0_el1 = own_stage1.root;
	c->tcr_el1 = STAGE1_TCR;
	c->mair_el1 = STAGE_MAIR;
	c->sctlr_el1 = SCTLR_EL1_OFF | SCTLR_ON;
}

static uint64_t code_at(unsigned int el, enum own_code code)
{
	const char *calls[2][3] = {{own_idle_svc, own_idle_hvc, own_idle_smc},
				   {own_load_svc, own_load_hvc, own_load_smc}};

	return lower_address(calls[code][el == 0 ? 0 : access_level - 1]);
}

bool own_run(unsigned int el, enum own_code code, uint64_t iterations, uint64_t address,
	     struct access_seen *seen)
{
	uint64_t pc = code_at(el, code), end = pc + (code == OWN_LOAD ? 16 : 12);

	access_context.x[0] = iterations;
	access_context.x[1] = address;
	*seen = access_go(el, pc);
	if (el == 0)
		return seen->outcome != OUTCOME_REGISTER && seen->elr == end &&
		       field(seen->esr, 31, 26) == EC_SVC64;
	return seen->outcome == OUTCOME_REGISTER && seen->elr == end;
}

void own_stop(void)
{
	access_put(SYSREG_PMSCR_EL1, 0);
	access_put(SYSREG_PMSCR_EL2, 0);
	psb_csync();
	isb();
}

void own_start(uint64_t pmscr_el1, uint64_t pmscr_el2)
{
	access_put(SYSREG_PMSCR_EL1, pmscr_el1);
	access_put(SYSREG_PMSCR_EL2, pmscr_el2);
}

void own_program(uint64_t pointer, uint64_t size)
{
	own_stop();
	access_put(SYSREG_PMBLIMITR_EL1, 0);
	access_put(SYSREG_PMBSR_EL1, 0);
	if (access_machine.exc) {
		access_put(SYSREG_PMBSR_EL2, 0);
		if (access_level == 3)
			access_put(SYSREG_PMBSR_EL3, 0);
	}
	access_put(SYSREG_PMBPTR_EL1, pointer);
	access_put(SYSREG_PMSFCR_EL1, 0);
	access_put(SYSREG_PMSEVFR_EL1, 0);
	access_put(SYSREG_PMSLATFR_EL1, 0);
	if (access_machine.fne)
		access_put(SYSREG_PMSNEVFR_EL1, 0);
	access_put(SYSREG_PMSIRR_EL1, PMSIRR_INTERVAL(1));
	access_put(SYSREG_PMSICR_EL1, 0);
	if (size)
		access_put(SYSREG_PMBLIMITR_EL1, (pointer + size) | PMBLIMITR_E);
}

const uint8_t *own_bytes(uint64_t size)
{
	static uint8_t copy[BUFFER_SIZE];

	for (unsigned int i = 0; i < BUFFER_PAGES && i * PAGE_SIZE < size; i++)
		memcpy(copy + i * PAGE_SIZE, linear(own_pa[i]), PAGE_SIZE);
	return copy;
}

void own_done(unsigned long before, const char *what)
{
	struct access_controls open = access_open();

	own_program(0, 0);
	access_set(&open);
	tap_note("%lu %s", access_count - before, what);
}

/* One is room for the last record, with which the buffer would be full. */
unsigned int own_iterations(void)
{
	uint64_t room = spe_window(BUFFER_SIZE) / spe_caps.max_record - 1;
	uint64_t most = (room * spe_spacing(1) + spe_spacing(1) / 2) / 3;

	return most < OWN_ITERATIONS ? (unsigned int)most : OWN_ITERATIONS;
}

unsigned int own_records(void)
{
	return own_iterations() == OWN_ITERATIONS ? OWN_ITERATIONS * 3 / 257 - 1 : 1;
}

/* Loads by main itself, at EL2. */
static void run_here(void)
{
	const volatile uint64_t *data = linear(own_data);

	for (unsigned int i = own_iterations(); i > 0; i--)
		(void)*data;
}

unsigned int own_profile(uint64_t pointer, unsigned int el, uint64_t pmscr_el1, uint64_t pmscr_el2,
			 struct record *records, unsigned int max)
{
	struct access_seen seen;
	unsigned int count = 0;
	const uint8_t *bytes;
	struct record r;
	uint64_t used;
	long size;

	own_program(pointer, spe_window(BUFFER_SIZE));
	own_start(pmscr_el1, pmscr_el2);
	if (el == access_level)
		run_here();
	else
		CHECK(own_run(el, OWN_LOAD, own_iterations(), own_data, &seen),
		      "EL%u: ESR 0x%lx ELR 0x%lx FAR 0x%lx", el, seen.esr, seen.elr, seen.far);
	own_stop();
	used = access_get(SYSREG_PMBPTR_EL1) - pointer;
	CHECK(access_get(SYSREG_PMBSR_EL1) == 0, "PMBSR_EL1 0x%lx", access_get(SYSREG_PMBSR_EL1));
	if (!CHECK(used <= BUFFER_SIZE, "PMBPTR_EL1 0x%lx", access_get(SYSREG_PMBPTR_EL1)))
		return 0;
	bytes = own_bytes(used);
	for (uint64_t at = 0; at < used; at += (uint64_t)size) {
		size = record_parse(bytes + at, used - at, &r);
		if (size == 0 || !CHECK(size > 0, "damaged record at 0x%lx", at))
			break;
		if (r.el == el && count < max)
			records[count++] = r;
	}
	access_put(SYSREG_PMBLIMITR_EL1, 0);
	return count;
}
