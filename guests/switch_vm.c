/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hypervisor of the guest switch: see switch.h. A context of SPE is switched as in the Arm ARM,
 * D17.9 (synchronization) and PMSICR_EL1 (how to save and restore it).
 */
#include "arch.h"
#include "console.h"
#include "deadline.h"
#include "exception.h"
#include "gic.h"
#include "stage.h"
#include "string.h"
#include "switch.h"
#include "tap.h"
#include "vm_window.h"

#define VM_STACK_PAGES 2

/* EL2's physical timer. */
#define TIMER_INTID    26
#define CNTHP_CTL_EL2  S3_4_C14_C2_1
#define CNTHP_TVAL_EL2 S3_4_C14_C2_0

/* The virtual CPU interface (Arm IHI 0069). */
#define ICH_AP1R0_EL2	S3_4_C12_C9_0
#define ICH_HCR_EL2	S3_4_C12_C11_0
#define ICH_VMCR_EL2	S3_4_C12_C11_7
#define ICH_LR0_EL2	S3_4_C12_C12_0
#define ICC_IAR1_EL1	S3_0_C12_C12_0
#define ICC_EOIR1_EL1	S3_0_C12_C12_1
#define LR_PENDING	(UINT64_C(1) << 62)
#define LR_STATE	(UINT64_C(3) << 62)
#define LR_GROUP1	(UINT64_C(1) << 60)
#define LR_PRIORITY(n)	((uint64_t)(n) << 48)
#define ICC_PMR_EL1	S3_0_C4_C6_0
#define ICC_IGRPEN1_EL1 S3_0_C12_C12_7

/* PMSCR_EL1 is PMSCR_EL2 to a host at EL2 (HCR_EL2.E2H). */
static uint64_t read_pmscr(void)
{
	return read_sysreg(hcr_el2) & HCR_E2H ? read_sysreg(PMSCR_EL12) : read_sysreg(PMSCR_EL1);
}

static void write_pmscr(uint64_t value)
{
	if (read_sysreg(hcr_el2) & HCR_E2H)
		write_sysreg(PMSCR_EL12, value);
	else
		write_sysreg(PMSCR_EL1, value);
}

/*
 * Samples of the VM must be in its memory before its stage 2 goes, and PMBPTR_EL1, PMBSR_EL1 and
 * PMSICR_EL1 must be final: PSB CSYNC, DSB, and ISB for the registers. EL2 is not profiled, so they
 * do not change.
 */
static void spe_save(struct vm *vm)
{
	struct spe_context *c = &vm->spe;

	psb_csync();
	isb();
	c->pmscr = read_pmscr();
#define SWITCH(name, reg, condition) \
	if (condition)               \
		c->name = read_sysreg(reg);
	SPE_CONTEXT(SWITCH)
#undef SWITCH
	/* The disabled buffer's other registers may be written: no samples are left. */
	write_sysreg(PMBLIMITR_EL1, 0);
	isb();
}

/* Profiling begins with the ERET to EL1, when all registers are set. */
static void spe_restore(const struct vm *vm)
{
	const struct spe_context *c = &vm->spe;

	write_sysreg(PMBLIMITR_EL1, 0);
	isb();
	write_pmscr(c->pmscr);
#define SWITCH(name, reg, condition)        \
	if (condition) {                    \
		write_sysreg(reg, c->name); \
		isb();                      \
	}
	SPE_CONTEXT(SWITCH)
#undef SWITCH
}

/*
 * The buffer interrupt is a level of the loaded context. While the VM has it, EL2 masks it. Once
 * the VM has ended it and PMBSR_EL1.S is 0, the next one may come.
 */
static void take_buffer_interrupt(struct vm *vm)
{
	vm->list_register = LR_PENDING | LR_GROUP1 | LR_PRIORITY(0xa0) | spe_caps.intid;
	vm->irq_injected = true;
	vm->interrupts++;
}

/* EL2 masks interrupts: it looks for them when they end a run of a VM. */
static enum exc_return not_here(struct exc_frame *frame, uint32_t intid)
{
	panic("interrupt %u at EL2, ELR 0x%lx", intid, frame->elr);
}

static void mask_buffer_interrupt(const struct vm *vm)
{
	if (vm->program->interrupts)
		gic_enable(spe_caps.intid, vm->irq_injected ? NULL : not_here);
}

static void enter_vm(struct vm *vm)
{
	if (!vm->program->interrupts)
		return;
	write_sysreg(ICH_VMCR_EL2, vm->vmcr);
	write_sysreg(ICH_AP1R0_EL2, vm->active);
	write_sysreg(ICH_LR0_EL2, vm->list_register);
	write_sysreg(ICH_HCR_EL2, 1);
	isb();
}

static void leave_vm(struct vm *vm)
{
	if (!vm->program->interrupts)
		return;
	vm->vmcr = read_sysreg(ICH_VMCR_EL2);
	vm->active = read_sysreg(ICH_AP1R0_EL2);
	vm->list_register = read_sysreg(ICH_LR0_EL2);
	write_sysreg(ICH_HCR_EL2, 0);
	isb();
	psb_csync();
	isb();
	if (vm->irq_injected && !(vm->list_register & LR_STATE) &&
	    !(read_sysreg(PMBSR_EL1) & PMBSR_S)) {
		vm->irq_injected = false;
		mask_buffer_interrupt(vm);
	}
}

/* Returns whether it was the timer. */
static bool interrupt_vm(struct vm *vm)
{
	uint32_t intid = (uint32_t)read_sysreg(ICC_IAR1_EL1) & 0xffffff;

	if (intid >= GIC_SPURIOUS)
		return false;
	if (intid == TIMER_INTID)
		write_sysreg(CNTHP_CTL_EL2, 0);
	isb();
	write_sysreg(ICC_EOIR1_EL1, intid);
	isb();
	if (intid == spe_caps.intid && vm->program->interrupts) {
		take_buffer_interrupt(vm);
		mask_buffer_interrupt(vm);
	}
	return intid == TIMER_INTID;
}

static struct vm_window memory;
static struct window *window; /* there */
static uint8_t *stacks[VM_COUNT];

void vm_copy(const struct vm *vm, size_t offset, void *to, size_t size)
{
	vm_window_copy(&memory, vm->pa, offset, to, size);
}

bool vm_owns(const struct vm *vm, uint64_t pa)
{
	return pa >= vm->pa && pa - vm->pa < sizeof(struct window);
}

void vm_init_all(struct vm *vms)
{
	memory = vm_window_new(WINDOW_PAGES);
	window = (struct window *)memory.va;
	for (unsigned int i = 0; i < VM_COUNT; i++) {
		stacks[i] = data_alloc(VM_STACK_PAGES);
		vms[i].pa = phys_alloc(WINDOW_PAGES);
		vms[i].vttbr = vm_window_stage2(&memory, i + 1, vms[i].pa);
	}
}

/* Words of the window's data in which a VM leaves results for EL2. */
#define WORD_LOG_USED 510
#define WORD_CHANGED  511

/* At EL1: append the records in the buffer to the log, without what is between them. */
static void gather_records(struct window *w)
{
	uint64_t *used = &w->data.words[WORD_LOG_USED];
	uint64_t left = read_sysreg(PMBPTR_EL1) - (uintptr_t)w->buffer;
	const uint8_t *at = w->buffer;

	if (left > sizeof(w->buffer))
		left = 0;
	while (left) {
		struct record r;
		long size;
		uint64_t bytes;

		if (*at == 0) { /* padding */
			at++;
			left--;
			continue;
		}
		size = record_parse(at, left, &r);
		bytes = size > 0 ? (uint64_t)size : left;
		if (bytes > sizeof(w->log) - *used)
			return;
		memcpy(w->log + *used, at, bytes);
		*used += bytes;
		at += bytes;
		left -= bytes;
	}
}

/* At EL1: the buffer is full. Only the ERET of the handler is profiled. */
static enum exc_return vm_irq(struct exc_frame *frame, enum exc_vector vector)
{
	uint64_t intid = read_sysreg(ICC_IAR1_EL1) & 0xffffff;

	enum exc_return how;

	(void)vector;
	if (intid >= GIC_SPURIOUS)
		return EXC_RETURN;
	spe_drain();
	gather_records(window);
	how = spe_resume(frame, (uintptr_t)window->buffer);
	write_sysreg(ICC_EOIR1_EL1, intid);
	isb();
	return how;
}

/* At EL1: which registers have lost the VM's values? */
static uint64_t changed_bits(const struct spe_setup *setup)
{
	return (uint64_t)(read_sysreg(PMSIRR_EL1) != setup->pmsirr) << 0 |
	       (uint64_t)(read_sysreg(PMSFCR_EL1) != setup->pmsfcr) << 1 |
	       (uint64_t)(read_sysreg(PMSEVFR_EL1) != setup->pmsevfr) << 2 |
	       (uint64_t)(read_sysreg(PMSLATFR_EL1) != setup->pmslatfr) << 3 |
	       (uint64_t)(read_sysreg(PMBLIMITR_EL1) != (setup->limit | setup->limit_flags)) << 4;
}

typedef uint64_t work_function(uint64_t laps, uint64_t *words);

/* At EL1: the VM's whole program. */
static uint64_t vm_main(uint64_t argument)
{
	const struct vm_program *p = (const struct vm_program *)argument;
	struct window *w = window;
	struct spe_setup setup = {
		.pointer = (uintptr_t)w->buffer,
		.limit = (uintptr_t)w->buffer + p->buffer_size,
		.limit_flags = PMBLIMITR_E,
		.pmsirr = p->pmsirr,
		.pmsicr = p->pmsicr,
		.pmsfcr = p->pmsfcr,
		.pmsevfr = p->pmsevfr,
		.pmslatfr = p->pmslatfr,
	};
	uint64_t result;

	if (!p->profile)
		return ((work_function *)p->work)(p->laps, w->data.words);
	spe_program(&setup);
	if (p->interrupts) {
		write_sysreg(ICC_PMR_EL1, 0xff);
		write_sysreg(ICC_IGRPEN1_EL1, 1);
		isb();
		irq_enable();
	}
	result = spe_run_el1(p->pmscr, p->work, p->laps, (uintptr_t)w->data.words);
	irq_disable();
	w->data.words[WORD_CHANGED] = changed_bits(&setup);
	gather_records(w);
	return result;
}

void vm_reset(struct vm *vm, const struct vm_program *program)
{
	unsigned int number = (unsigned int)(vm->vttbr >> 48) - 1;

	*vm = (struct vm){.program = program, .pa = vm->pa, .vttbr = vm->vttbr};
	memset(linear(vm->pa), 0, sizeof(struct window));
	lower_init(&vm->cpu, 1, 0);
	lower_call(&vm->cpu, vm_main, (uintptr_t)program,
		   stacks[number] + VM_STACK_PAGES * PAGE_SIZE);
	vm->cpu.vbar_el1 = (uintptr_t)vectors_el1;
	vm->cpu.contextidr_el1 = 0x1000 + number;
	vm->cpu.hcr_el2 |= HCR_VM;
	exc_hooks[VEC_SPX_IRQ] = vm_irq;
}

static void load_vm(struct vm *vm, const struct schedule *schedule)
{
	vm_window_load(vm->vttbr);
	if (vm->program->profile) {
		if (schedule->forget_pmsicr)
			vm->spe.pmsicr = read_sysreg(PMSICR_EL1);
		spe_restore(vm);
	}
	mask_buffer_interrupt(vm);
	if (schedule->turns == TURNS_TIMER) {
		deadline_release_timer();
		gic_enable(TIMER_INTID, not_here);
		write_sysreg(CNTHP_TVAL_EL2, schedule->slice);
		write_sysreg(CNTHP_CTL_EL2, 1);
	}
	vm->turns++;
}

static void unload_vm(struct vm *vm)
{
	write_sysreg(CNTHP_CTL_EL2, 0);
	if (vm->program->profile)
		spe_save(vm);
	if (vm->program->interrupts)
		gic_enable(spe_caps.intid, NULL);
	vm_window_load(0);
}

/* One turn. False if the VM did something unexpected. */
static bool run_turn(struct vm *vm, const struct schedule *schedule)
{
	for (;;) {
		struct lower_exit exit;

		enter_vm(vm);
		exit = lower_run(&vm->cpu);
		leave_vm(vm);
		if (exit.kind == LOWER_IRQ) {
			if (interrupt_vm(vm))
				return true;
		} else if (exit.kind == LOWER_SYNC && lower_returned(&vm->cpu)) {
			vm->done = true;
			return true;
		} else if (exit.kind != LOWER_SYNC || field(exit.esr, 31, 26) != EC_HVC64 ||
			   (exit.esr & 0xffff) != SWITCH_YIELD) {
			tap_fail("%s: ESR 0x%lx FAR 0x%lx ELR 0x%lx; at EL1 ESR 0x%lx ELR 0x%lx",
				 vm->program->name, exit.esr, exit.far, exit.elr, vm->cpu.esr_el1,
				 vm->cpu.elr_el1);
			return false;
		} else if (schedule->turns == TURNS_YIELD) {
			return true;
		}
	}
}

bool vm_run(struct vm *vms, unsigned int count, const struct schedule *schedule)
{
	unsigned int left = count;

	for (unsigned int i = 0; left > 0; i = (i + 1) % count) {
		bool good;

		if (vms[i].done)
			continue;
		load_vm(&vms[i], schedule);
		good = run_turn(&vms[i], schedule);
		unload_vm(&vms[i]);
		if (!good)
			return false;
		left -= vms[i].done;
	}
	for (unsigned int i = 0; i < count; i++) {
		uint64_t lost;

		vm_copy(&vms[i], WORD_CHANGED * 8, &lost, sizeof(lost));
		CHECK(lost == 0, "%s: registers changed: 0x%lx", vms[i].program->name, lost);
	}
	return true;
}

uint64_t vm_result(const struct vm *vm)
{
	return vm->cpu.x[0];
}

uint64_t vm_log_used(const struct vm *vm)
{
	uint64_t used;

	vm_copy(vm, WORD_LOG_USED * 8, &used, sizeof(used));
	return used <= sizeof(window->log) ? used : 0;
}
