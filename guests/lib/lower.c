/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lower Exception levels: see lower.h.
 */
#include "arch.h"
#include "boot.h"
#include "console.h"
#include "deadline.h"
#include "lower.h"
#include "string.h"

unsigned int lower_enter_el2(struct lower_context *c);
#if GUEST_EL >= 3
unsigned int lower_enter_el3(struct lower_context *c);
#endif

extern char lower_vectors_hvc[], lower_vectors_el1_smc[], lower_vectors_el2_smc[];
extern char lower_return_hvc[], lower_return_smc[];
extern uint64_t user_root[];

#define CPTR_OPEN	  0x33ffu		/* RES1, no traps ... */
#define CPTR_TZ		  0x0100u		/* ... but this one, with SVE */
#define CPTR_HOST_OPEN	  (3u << 20 | 3u << 16) /* E2H: FPEN, ZEN */
#define CNTHCTL_OPEN	  3u			/* EL1PCTEN, EL1PCEN */
#define CNTHCTL_HOST_OPEN (3u << 10 | 3u)	/* E2H: the same, and EL0 its counters */
#define MAIN_MAIR	  0x44ff00u		/* as in start.S */
#define EL1_TCR                                                                                  \
	(16 | UINT64_C(0x35) << 8 | UINT64_C(1) << 23 | UINT64_C(16) << 16 | UINT64_C(2) << 30 | \
	 UINT64_C(2) << 32)

const char *needs_el2(void)
{
	return boot_info.el < 2 ? "started at EL1" : NULL;
}

const char *needs_el3(void)
{
	return boot_info.el < 3 ? "started below EL3" : NULL;
}

uint64_t lower_address(const void *symbol)
{
	return mmu_translate((uintptr_t)symbol);
}

static uint64_t cptr_open(void)
{
	return field(read_sysreg(id_aa64pfr0_el1), 35, 32) ? CPTR_OPEN & ~CPTR_TZ : CPTR_OPEN;
}

void el2_set_host(bool host)
{
	uint64_t hcr = read_sysreg(hcr_el2) & ~(HCR_E2H | HCR_TGE);

	/* At no time is there a format of CPTR_EL2 in force that its value is not meant for, and
	 * traps. */
	if (host)
		hcr |= HCR_E2H | HCR_TGE;
	write_sysreg(hcr_el2, hcr);
	isb();
	write_sysreg(cptr_el2, host ? CPTR_HOST_OPEN : cptr_open());
	write_sysreg(cnthctl_el2, host ? CNTHCTL_HOST_OPEN : CNTHCTL_OPEN);
	dsb();
	__asm__ volatile("tlbi alle2\n\tdsb nsh\n\tisb" ::: "memory");
}

void lower_init(struct lower_context *c, unsigned int el, uint64_t pc)
{
	bool hvc = boot_info.el == 2;

	*c = (struct lower_context){0};
	c->pc = pc;
	c->spsr = SPSR_DAIF | (el ? el << 2 | 1 : 0);
	c->hcr_el2 = HCR_RW | HCR_IMO | HCR_FMO | HCR_AMO;
	c->sctlr_el1 = SCTLR_EL1_OFF;
	c->vbar_el1 = lower_address(hvc ? lower_vectors_hvc : lower_vectors_el1_smc);
	c->sctlr_el2 = SCTLR_EL2_OFF;
	c->vbar_el2 = lower_address(lower_vectors_el2_smc);
	c->cptr_el2 = cptr_open();
	c->cnthctl_el2 = CNTHCTL_OPEN;
#if GUEST_EL >= 3
	if (boot_info.el == 3) {
		c->scr_el3 = read_sysreg(scr_el3);
		c->mdcr_el2 = read_sysreg(mdcr_el2);
	}
#endif
}

/* The registers of EL1 by the names that mean them at main's level. */
static void load_el1(const struct lower_context *c, bool e2h)
{
#define LOWER_EL1(name, crn, crm, op2)                             \
	if (e2h)                                                   \
		write_sysreg(S3_5_##crn##_##crm##_##op2, c->name); \
	else                                                       \
		write_sysreg(S3_0_##crn##_##crm##_##op2, c->name);
#define LOWER_PLAIN(name, reg) write_sysreg(reg, c->name);
#define LOWER_EL2(name, reg)
#include "lower.def"
#undef LOWER_EL1
#undef LOWER_PLAIN
#undef LOWER_EL2
}

static void save_el1(struct lower_context *c, bool e2h)
{
#define LOWER_EL1(name, crn, crm, op2)                          \
	c->name = e2h ? read_sysreg(S3_5_##crn##_##crm##_##op2) \
		      : read_sysreg(S3_0_##crn##_##crm##_##op2);
#define LOWER_PLAIN(name, reg) c->name = read_sysreg(reg);
#define LOWER_EL2(name, reg)
#include "lower.def"
#undef LOWER_EL1
#undef LOWER_PLAIN
#undef LOWER_EL2
}

static unsigned int run_from_el2(struct lower_context *c)
{
	uint64_t host = read_sysreg(hcr_el2);
	bool e2h = host & HCR_E2H;
	unsigned int vector;

	load_el1(c, e2h);
	write_sysreg(hcr_el2, (c->hcr_el2 & ~HCR_E2H) | (host & HCR_E2H));
	isb();
	vector = lower_enter_el2(c);
	c->exit.hpfar = read_sysreg(hpfar_el2);
	/* HCR_EL2.VSE is what has become of it. */
	c->hcr_el2 = (c->hcr_el2 & ~HCR_VSE) | (read_sysreg(hcr_el2) & HCR_VSE);
	write_sysreg(hcr_el2, host);
	isb();
	save_el1(c, e2h);
	return vector;
}

#if GUEST_EL >= 3
static bool have_el2(void)
{
	return field(read_sysreg(id_aa64pfr0_el1), 11, 8) != 0;
}

static unsigned int run_from_el3(struct lower_context *c)
{
	uint64_t host = read_sysreg(scr_el3), host_hcr = 0;
	unsigned int vector;

	load_el1(c, false);
	if (have_el2()) {
		host_hcr = read_sysreg(hcr_el2);
#define LOWER_EL1(name, crn, crm, op2)
#define LOWER_PLAIN(name, reg)
#define LOWER_EL2(name, reg) write_sysreg(reg, c->name);
#include "lower.def"
#undef LOWER_EL2
		write_sysreg(hcr_el2, c->hcr_el2);
	}
	write_sysreg(scr_el3, c->scr_el3);
	isb();
	vector = lower_enter_el3(c);
	write_sysreg(scr_el3, host);
	isb();
	if (have_el2()) {
#define LOWER_EL2(name, reg) c->name = read_sysreg(reg);
#include "lower.def"
#undef LOWER_EL1
#undef LOWER_PLAIN
#undef LOWER_EL2
		c->hcr_el2 = read_sysreg(hcr_el2);
		write_sysreg(hcr_el2, host_hcr);
		isb();
	}
	c->exit.hpfar = c->hpfar_el2;
	save_el1(c, false);
	return vector;
}
#endif

struct lower_exit lower_run(struct lower_context *c)
{
	unsigned int vector = 0;

	if (boot_info.el == 2)
		vector = run_from_el2(c);
#if GUEST_EL >= 3
	else if (boot_info.el == 3)
		vector = run_from_el3(c);
#endif
	else
		panic("no level below is ours");
	c->exit.elr = c->pc;
	c->exit.spsr = c->spsr;
	c->exit.kind = (enum lower_kind)(vector & 3);
	deadline_check();
	return c->exit;
}

void lower_skip(struct lower_context *c)
{
	c->pc += 4;
}

/* The immediate of the call that ended the run, if it is one to the library; or -1. */
static int library_call(const struct lower_context *c)
{
	uint64_t class = field(c->exit.esr, 31, 26);

	if (c->exit.kind != LOWER_SYNC || class != (boot_info.el == 2 ? EC_HVC64 : EC_SMC64))
		return -1;
	return (int)(c->exit.esr & 0xffff);
}

int lower_vector(const struct lower_context *c, unsigned int *el)
{
	int call = library_call(c);
	unsigned int level = 0;

	if ((call & ~15) == LOWER_VECTOR_EL1)
		level = 1;
	else if ((call & ~15) == LOWER_VECTOR_EL2)
		level = 2;
	if (level == 0)
		return -1;
	if (el)
		*el = level;
	return call & 15;
}

uint64_t lower_code_page(void)
{
	static uint64_t page;

	if (page == 0)
		page = phys_alloc(1);
	return page;
}

/* At EL0 an SVC is the end: to EL1, whose vector reflects it, or to main. */
static bool lower_finished(const struct lower_context *c, uint64_t end)
{
	if (SPSR_EL(c->exit.spsr) != 0 && library_call(c) == LOWER_DONE)
		return c->pc == end + 4;
	if (lower_vector(c, NULL) == 8)
		return field(c->esr_el1, 31, 26) == EC_SVC64 && c->elr_el1 == end + 4;
	return c->exit.kind == LOWER_SYNC && field(c->exit.esr, 31, 26) == EC_SVC64 &&
	       c->pc == end + 4;
}

bool lower_code(struct lower_context *c, const uint32_t *words, unsigned int count)
{
	uint64_t start = c->code ? c->code : lower_code_page();
	uint32_t *page = linear(lower_code_page());
	uint32_t last = A64_SVC(LOWER_DONE);
	uint64_t spsr = c->spsr;

	if (count > LOWER_WORDS)
		panic("%u instructions are too many", count);
	if (SPSR_EL(spsr) != 0)
		last = boot_info.el == 2 ? A64_HVC(LOWER_DONE) : A64_SMC(LOWER_DONE);
	memcpy(page, words, count * sizeof(*words));
	page[count] = last;
	/* To memory, as the level below may fetch with the MMU and the caches off. */
	for (uintptr_t at = (uintptr_t)page; at < (uintptr_t)page + (LOWER_WORDS + 1) * 4; at += 16)
		__asm__ volatile("dc civac, %0" ::"r"(at) : "memory");
	__asm__ volatile("dsb sy\n\tic ialluis\n\tdsb ish\n\tisb" ::: "memory");
	c->pc = start;
	lower_run(c);
	if (!lower_finished(c, start + count * 4))
		return false;
	if (lower_vector(c, NULL) >= 0)
		c->spsr = c->spsr_el1;
	c->pc = start + count * 4;
	return true;
}

bool lower_insn(struct lower_context *c, uint32_t word)
{
	return lower_code(c, &word, 1);
}

void lower_call(struct lower_context *c, uint64_t (*function)(uint64_t), uint64_t argument,
		void *stack)
{
	c->pc = (uintptr_t)function;
	c->spsr = SPSR_DAIF | SPSR_EL1H;
	c->x[0] = argument;
	c->x[30] = (uintptr_t)(boot_info.el == 2 ? lower_return_hvc : lower_return_smc);
	c->sp_el1 = (uintptr_t)stack;
	c->ttbr0_el1 = lower_address(user_root);
	c->tcr_el1 = EL1_TCR;
	c->mair_el1 = MAIN_MAIR;
	c->sctlr_el1 = SCTLR_EL1_OFF | SCTLR_ON;
	c->vbar_el1 = (uintptr_t)(boot_info.el == 2 ? lower_vectors_hvc : lower_vectors_el1_smc);
}

bool lower_returned(const struct lower_context *c)
{
	return library_call(c) == LOWER_RETURN;
}
