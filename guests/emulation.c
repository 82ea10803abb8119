/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SPE emulated at EL2: see emulation.h. libvspe (vspe/sysreg.h, vspe/spe.h) and the A64 table have
 * all of SPE. This file does its embedder's work: it handles traps, translates addresses, and
 * reports each operation to the unit. Single steps are the software step of the Arm ARM, D2.12.
 */
#include "arch.h"
#include "boot.h"
#include "console.h"
#include "emulation.h"
#include "emulation_op.h"
#include "exception.h"
#include "stage.h"
#include "string.h"
#include "tap.h"

#include <vspe/spe.h>

#define VM_NUMBER      7
#define VM_STACK_PAGES 4
#define VECTOR_SYNC    0x200 /* from the current level, with its own stack */

#define MDCR_HPMN      UINT64_C(0x1f)
#define MDCR_TDE       (UINT64_C(1) << 8)
#define MDCR_TPMS      (UINT64_C(1) << SYSREG_MDCR_EL2_TPMS_LSB)
#define MDCR_E2PB_TRAP (UINT64_C(2) << SYSREG_MDCR_EL2_E2PB_LSB)
#define MDSCR_SS       UINT64_C(1)
#define SPSR_SS	       (UINT64_C(1) << 21)
#define EC_STEP_LOWER  0x32

#define HDFGRTR_PMBIDR (UINT64_C(1) << 63)
#define HDFGRTR_EL2    S3_4_C3_C1_4
#define HDFGWTR_EL2    S3_4_C3_C1_5
#define HDFGRTR2_EL2   S3_4_C3_C1_0
#define HDFGWTR2_EL2   S3_4_C3_C1_1

static struct spe_unit unit;
static struct sysreg_controls machine; /* EL1 as it is, under this EL2 */
static struct sysreg_controls virtual; /* EL1 as the VM has it: with SPE, and nothing above */
static struct vm_window window;
static uint8_t *stack;

extern char vectors_el1[];

/*
 * Memory.
 */

/* Where EL1 reads or writes at va, through both stages; false, and the syndrome, if it faults. */
static bool translate_va(const struct vm *vm, uint64_t va, bool write, uint64_t *pa, uint64_t *par)
{
	uint64_t hcr = read_sysreg(hcr_el2);

	write_sysreg(hcr_el2, vm->cpu.hcr_el2 | (hcr & HCR_E2H));
	isb();
	if (write)
		__asm__ volatile("at s12e1w, %0" ::"r"(va) : "memory");
	else
		__asm__ volatile("at s12e1r, %0" ::"r"(va) : "memory");
	isb();
	*par = read_sysreg(par_el1);
	write_sysreg(hcr_el2, hcr);
	isb();
	*pa = (field(*par, 47, 12) << 12) | (va & (PAGE_SIZE - 1));
	return !(*par & 1);
}

/* spe_host.write: through the tables of EL1, a page at a time. */
static struct spe_write_result write_record(void *ctx, uint8_t owning_el, uint64_t va,
					    const uint8_t *bytes, size_t size)
{
	struct spe_write_result result = {.status = SPE_WRITE_OK};

	(void)owning_el; /* the VM has nothing above EL1 */
	while (result.written < size) {
		size_t part = PAGE_SIZE - (va + result.written) % PAGE_SIZE;
		uint64_t pa, par;

		if (part > size - result.written)
			part = size - result.written;
		if (!translate_va(ctx, va + result.written, true, &pa, &par)) {
			result.status = SPE_WRITE_FAULT;
			result.fsc = (uint8_t)field(par, 6, 1);
			result.stage2 = par >> 9 & 1;
			return result;
		}
		memcpy(linear(pa), bytes + result.written, part);
		result.written += part;
	}
	return result;
}

/*
 * Registers.
 */

/* Features of the machine that decide accesses at EL1. */
static uint32_t machine_features(void)
{
	static const struct {
		uint8_t id, high, least;
		uint32_t feature;
	} table[] = {
		{0, 35, 1, SYSREG_FEAT_SPE},	 {0, 35, 3, SYSREG_FEAT_SPE_FNE},
		{1, 23, 1, SYSREG_FEAT_SPE_NVM}, {1, 19, 1, SYSREG_FEAT_SPE_EXC},
		{2, 59, 1, SYSREG_FEAT_FGT},	 {2, 59, 2, SYSREG_FEAT_FGT2},
		{3, 11, 1, SYSREG_FEAT_VHE},	 {4, 27, 1, SYSREG_FEAT_NV},
		{4, 27, 2, SYSREG_FEAT_NV2},	 {5, 11, 1, SYSREG_FEAT_EL2},
		{5, 15, 1, SYSREG_FEAT_EL3},	 {5, 55, 1, SYSREG_FEAT_RME},
		{5, 39, 1, SYSREG_FEAT_SEL2},
	};
	const uint64_t ids[] = {read_sysreg(id_aa64dfr0_el1),  read_sysreg(S3_0_C0_C5_2),
				read_sysreg(id_aa64mmfr0_el1), read_sysreg(id_aa64mmfr1_el1),
				read_sysreg(S3_0_C0_C7_2),     read_sysreg(id_aa64pfr0_el1)};
	uint32_t features = 0;

	for (unsigned int i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (field(ids[table[i].id], table[i].high, table[i].high - 3) >= table[i].least)
			features |= table[i].feature;
	if ((features & SYSREG_FEAT_SPE) && read_sysreg(S3_0_C9_C9_7) >> 7 & 1) /* PMSIDR_EL1.FDS */
		features |= SYSREG_FEAT_SPE_FDS;
	return features;
}

/*
 * EL2's controls while the VM runs, for the library. EL3, if there is one, has left SPE and its
 * traps to EL2, in the present Security state; EL3's registers are not visible here.
 */
static void read_controls(struct sysreg_controls *c)
{
	const uint64_t owner = vm_window_secure() ? 1 : 3;

	*c = (struct sysreg_controls){
		.features = machine_features(),
		.el = 1,
		.hcr_el2 = HCR_RW | HCR_VM,
		.mdcr_el2 = read_sysreg(mdcr_el2),
		.mdcr_el3 = owner << SYSREG_MDCR_EL3_NSPB_LSB |
			    UINT64_C(1) << SYSREG_MDCR_EL3_EnPMSN_LSB |
			    UINT64_C(1) << SYSREG_MDCR_EL3_EnPMS3_LSB,
		.scr_el3 = (vm_window_secure() ? SCR_EEL2 : SCR_NS) | SCR_FGTEN | SCR_FGTEN2,
	};
	if (c->features & SYSREG_FEAT_FGT) {
		c->hdfgrtr_el2 = read_sysreg(HDFGRTR_EL2);
		c->hdfgwtr_el2 = read_sysreg(HDFGWTR_EL2);
	}
	if (c->features & SYSREG_FEAT_FGT2) {
		c->hdfgrtr2_el2 = read_sysreg(HDFGRTR2_EL2);
		c->hdfgwtr2_el2 = read_sysreg(HDFGWTR2_EL2);
	}
}

const char *needs_traps(void)
{
	const char *why = needs_el2();

	if (!why && field(read_sysreg(id_aa64dfr0_el1), 35, 32) == 0)
		why = "no SPE: its registers are UNDEFINED at EL1, and not trapped";
	return why;
}

/* EL1 takes the exception of an UNDEFINED instruction. */
static void inject_undefined(struct vm *vm)
{
	struct lower_context *c = &vm->cpu;

	c->elr_el1 = c->pc;
	c->spsr_el1 = c->spsr;
	c->esr_el1 = (uint64_t)EC_UNKNOWN << 26 | UINT64_C(1) << 25;
	c->pc = c->vbar_el1 + VECTOR_SYNC;
	c->spsr = SPSR_EL1H | SPSR_DAIF;
	vm->counts.undefined++;
}

/* A trapped MRS or MSR. False if its register is not one of SPE. */
static bool emulate_access(struct vm *vm)
{
	struct lower_context *c = &vm->cpu;
	uint64_t iss = field(c->exit.esr, 24, 0), value;
	struct sysreg_access access = {
		.reg = sysreg_find(sysreg_encoding_of_iss((uint32_t)iss)),
		.write = !(iss & 1),
		.rt = (uint8_t)field(iss, 9, 5),
	};
	const struct sysreg_route route = sysreg_route(&machine, access);

	if (access.reg == SYSREG_COUNT)
		return false;
	vm->counts.wrong +=
		route.kind != SYSREG_TRAP || route.target_el != 2 || route.syndrome != iss;
	virtual.el = (uint8_t)SPSR_EL(c->spsr);
	value = access.rt < 31 ? c->x[access.rt] : 0;
	if (spe_access(&unit, &virtual, access, &value).kind != SYSREG_DIRECT) {
		inject_undefined(vm);
		return true;
	}
	if (access.write)
		vm->counts.writes++;
	else
		vm->counts.reads++;
	if (!access.write && access.rt < 31)
		c->x[access.rt] = value;
	lower_skip(c);
	return true;
}

/*
 * Operations.
 */

/* An operation that is selected and has not executed yet. */
static struct spe_op begin_operation(const struct vm *vm)
{
	const struct lower_context *c = &vm->cpu;
	struct spe_op op = {
		.pc = c->pc,
		.el = (uint8_t)SPSR_EL(c->spsr),
		.ns = true,
		.target_ns = true,
		.contextidr_el1 = (uint32_t)c->contextidr_el1,
		.total_latency = 2,
		.issue_latency = 1,
		.timestamp = counter(),
	};
	uint64_t x[32], pa, par;
	uint32_t word = 0;

	/* If the instruction cannot be read, its own exception comes, and word does not matter. */
	if (translate_va(vm, c->pc, false, &pa, &par))
		memcpy(&word, linear(pa), sizeof(word));
	memcpy(x, c->x, sizeof(c->x));
	x[31] = c->spsr & 1 ? c->sp_el1 : c->sp_el0;
	emulation_describe(&op, word, x, spe_unit_config(&unit)->version);
	if ((op.flags & SPE_OP_VA_VALID) &&
	    translate_va(vm, op.data_va, !(op.flags & SPE_OP_LOAD), &op.data_pa, &par))
		op.flags |= SPE_OP_PA_VALID;
	return op;
}

/* The same when it has executed. */
static void end_operation(const struct vm *vm, struct spe_op *op)
{
	const struct lower_context *c = &vm->cpu;

	if (!(op->flags & SPE_OP_BRANCH))
		return;
	if (c->pc == op->pc + 4) {
		op->flags |= SPE_OP_NOT_TAKEN;
		return;
	}
	op->flags |= SPE_OP_TAKEN;
	op->target = c->pc;
	op->target_el = (uint8_t)SPSR_EL(c->spsr);
}

/* Handle what ended a run. False if it should not have. */
static bool handle_exit(struct vm *vm, bool stepping)
{
	uint64_t class = field(vm->cpu.exit.esr, 31, 26);

	if (vm->cpu.exit.kind != LOWER_SYNC)
		return false;
	if (class == EC_SYSREG)
		return emulate_access(vm);
	return stepping && class == EC_STEP_LOWER;
}

/* One run of EL1: up to a trap, or of one operation where profiling is enabled. */
static bool go_on(struct vm *vm)
{
	struct lower_context *c = &vm->cpu;
	bool stepping, selected = false, irq = spe_irq_level(&unit), good;
	struct spe_op op;

	virtual.el = (uint8_t)SPSR_EL(c->spsr);
	spe_update(&unit, &virtual);
	stepping = spe_enabled(&unit);
	c->spsr = (c->spsr & ~SPSR_SS) | (stepping ? SPSR_SS : 0);
	vm->counts.interrupts += irq && !(c->hcr_el2 & HCR_VI);
	c->hcr_el2 = (c->hcr_el2 & ~HCR_VI) | (irq ? HCR_VI : 0);
	write_sysreg(mdscr_el1, stepping ? MDSCR_SS : 0);
	if (stepping) {
		vm->counts.steps++;
		op = begin_operation(vm);
		selected = spe_advance(&unit, 1) == SPE_SELECTED;
	}
	lower_run(c);
	good = lower_returned(c) || handle_exit(vm, stepping);
	if (selected) {
		end_operation(vm, &op);
		spe_sample(&unit, &op);
	}
	return good;
}

/*
 * For the tests.
 */

struct vm_window emulation_init(struct vm *vm, size_t pages)
{
	window = vm_window_new(pages);
	stack = data_alloc(VM_STACK_PAGES);
	vm->pa = phys_alloc(pages);
	vm->vttbr = vm_window_stage2(&window, VM_NUMBER, vm->pa);
	vm_window_load(vm->vttbr);
	/*
	 * TPMS, and E2PB: EL1 has the machine's buffer, but no access to it, so nobody uses it.
	 * TDE: single steps go to EL2. PMBIDR_EL1 has only a fine-grained trap; without it, EL1
	 * reads the machine's.
	 */
	write_sysreg(mdcr_el2,
		     (read_sysreg(mdcr_el2) & MDCR_HPMN) | MDCR_TPMS | MDCR_E2PB_TRAP | MDCR_TDE);
	if (machine_features() & SYSREG_FEAT_FGT)
		write_sysreg(HDFGRTR_EL2, read_sysreg(HDFGRTR_EL2) | HDFGRTR_PMBIDR);
	write_sysreg(oslar_el1, 0);
	isb();
	read_controls(&machine);
	return window;
}

void emulation_reset(struct vm *vm, unsigned int version)
{
	struct spe_host host = {.ctx = vm, .write = write_record};
	struct spe_config config;
	int error;

	if (version == 0)
		version = (unsigned int)field(read_sysreg(id_aa64dfr0_el1), 35, 32);
	if (version == 0)
		version = SPE_VERSION_DEFAULT;
	spe_config_defaults(&config, version < SPE_V1P5 ? (enum spe_version)version : SPE_V1P5);
	config.count_size = EMULATION_COUNT_SIZE;
	config.interval = EMULATION_INTERVAL;
	/* What the machine does not offer its embedders, or this one does not implement. */
	config.incomplete = true;
	config.exc = config.nvm = config.pbt = false;
	write_sysreg(mdscr_el1, 0);
	*vm = (struct vm){.vttbr = vm->vttbr, .pa = vm->pa};
	memset(linear(vm->pa), 0, window.size);
	lower_init(&vm->cpu, 1, 0);
	vm->cpu.hcr_el2 |= HCR_VM;
	error = spe_init(&unit, sizeof(unit), &config, &host);
	if (error)
		panic("spe_init(): %s", spe_strerror(error));
	virtual = (struct sysreg_controls){.features = spe_config_features(&config), .el = 1};
	spe_update(&unit, &virtual);
}

bool emulation_call(struct vm *vm, uint64_t (*function)(uint64_t), uint64_t argument,
		    uint64_t *result)
{
	struct lower_context *c = &vm->cpu;

	lower_call(c, function, argument, stack + VM_STACK_PAGES * PAGE_SIZE);
	c->vbar_el1 = (uintptr_t)vectors_el1;
	do {
		if (!go_on(vm))
			return tap_fail("ESR 0x%lx FAR 0x%lx ELR 0x%lx; at EL1 ESR 0x%lx ELR 0x%lx",
					c->exit.esr, c->exit.far, c->exit.elr, c->esr_el1,
					c->elr_el1);
	} while (!lower_returned(c));
	write_sysreg(mdscr_el1, 0);
	*result = c->x[0];
	return true;
}

bool emulation_access(struct vm *vm, enum sysreg_id reg, bool write, uint64_t *value,
		      struct sysreg_route *foretold)
{
	struct lower_context *c = &vm->cpu;
	uint32_t sysreg = sysreg_encoding(reg) << 5;
	unsigned int el;
	bool direct;

	*foretold = sysreg_route(&machine, (struct sysreg_access){reg, write, 0});
	c->spsr = SPSR_EL1H | SPSR_DAIF;
	c->x[0] = *value;
	direct = lower_insn(c, write ? A64_MSR(sysreg, 0) : A64_MRS(sysreg, 0));
	switch (foretold->kind) {
	case SYSREG_DIRECT: return direct;
	case SYSREG_UNDEFINED:
		return !direct && lower_vector(c, &el) == VEC_SPX_SYNC && el == 1 &&
		       field(c->esr_el1, 31, 26) == EC_UNKNOWN;
	case SYSREG_TRAP: break;
	default: return false;
	}
	if (direct || c->exit.kind != LOWER_SYNC || field(c->exit.esr, 31, 26) != EC_SYSREG ||
	    !emulate_access(vm))
		return false;
	*value = c->x[0];
	return true;
}

uint64_t emulation_read(enum sysreg_id reg)
{
	return spe_read(&unit, reg);
}

void emulation_write(enum sysreg_id reg, uint64_t value)
{
	spe_write(&unit, reg, value);
}
