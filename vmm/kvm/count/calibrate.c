/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a perf event counts of a guest on this host: events per instruction, and whether it counts
 * instructions that are never completed because they end in an exception. The Arm ARM's
 * INST_RETIRED leaves that to the PE (D13.11). So it is measured, with a small guest that executes
 * one of each kind between two BRKs.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kvm/count/count.h"
#include "kvm/pe/pe.h"
#include "kvm/trap/trap.h"
#include "kvm/unit/unit.h"

#define RAM_SIZE	UINT64_C(0x10000) /* the largest page of a host, from address 0 on */
#define NO_RAM		RAM_SIZE
#define UNALIGNED	UINT64_C(0xff1) /* faults with SCTLR_EL1.A */
#define CODE_SIZE	0x1000
#define START		0x800
#define LOOP		0xf00
#define DATA		UINT64_C(0x2000)
#define GICD_TYPER	4
#define GIC_DISTRIBUTOR UINT64_C(0x8000000)
#define GIC_CPUS	UINT64_C(0x80a0000)  /* redistributors or CPU interfaces */
#define PSCI_CALL	UINT64_C(0x84000000) /* PSCI_VERSION */
#define HANDLER		4		     /* instructions of the vector's */
#define RUNS		3		     /* the first is for KVM to map the memory */
#define SHORT_RUN	64		     /* of NOPs */
#define LONG_RUN	192

/* The vectors, where the handler skips the instruction at ELR_EL1, and the program. */
__asm__(".pushsection .rodata.kvm_calibration, \"a\"\n"
	"	.balign	8\n"
	"	.globl	kvm_calibration\n"
	"	.hidden	kvm_calibration\n"
	"kvm_calibration:\n"
	"	.org	kvm_calibration + 0x200\n"
	"	mrs	x9, elr_el1\n"
	"	add	x9, x9, #4\n"
	"	msr	elr_el1, x9\n"
	"	eret\n"
	"	.org	kvm_calibration + 0x800\n"
	"	brk	#0\n"
	"	.rept	64\n"
	"	nop\n"
	"	.endr\n"
	"	brk	#1\n"
	"	.rept	192\n"
	"	nop\n"
	"	.endr\n"
	"	brk	#2\n"
	"	ldr	w1, [x3]\n"
	"	brk	#3\n"
	"	hvc	#0\n"
	"	brk	#4\n"
	"	svc	#0\n"
	"	nop\n"
	"	brk	#5\n"
	"	.inst	0\n"
	"	brk	#6\n"
	"	ldr	w1, [x12]\n"
	"	brk	#7\n"
	"	mrs	x1, id_aa64isar0_el1\n"
	"	brk	#8\n"
	"	ldr	w1, [x13]\n"
	"	brk	#9\n"
	"	wfi\n"
	"	brk	#10\n"
	"	.org	kvm_calibration + 0xf00\n"
	"1:	add	x1, x1, #1\n"
	"	ldr	x2, [x4]\n"
	"	add	x2, x2, x1\n"
	"	cbnz	x3, 2f\n"
	"	nop\n"
	"2:	str	x2, [x4]\n"
	"	b	1b\n"
	"	.org	kvm_calibration + 0x1000\n"
	"	.popsection\n");
extern const uint8_t kvm_calibration[CODE_SIZE] __attribute__((visibility("hidden")));

/* The instruction before the BRK of the same number. */
enum {
	MARK_START,
	MARK_SHORT,
	MARK_LONG,
	MARK_MMIO,
	MARK_HVC,
	MARK_SVC,
	MARK_UNDEFINED,
	MARK_ABORT,
	MARK_SYSTEM,
	MARK_GIC,
	MARK_WFI,
	MARKS
};

/* Run until the next BRK, and skip it. false: that failed. */
static bool run_to_mark(struct vspe_kvm_vcpu *vcpu)
{
	struct kvm_run *run = vcpu->run;

	for (;;) {
		if (ioctl(vcpu->calls.fd, KVM_RUN, 0) < 0) {
			if (errno == EINTR || errno == EAGAIN) {
				(void)kvm_signal_drain(vcpu->sampler.signal);
				continue;
			}
			kvm_calls_fail(&vcpu->calls, "KVM_RUN");
			return false;
		}
		if (run->exit_reason == KVM_EXIT_MMIO)
			continue;
		if (run->exit_reason != KVM_EXIT_DEBUG ||
		    arm_ec_of(run->debug.arch.hsr) != ARM_EC_BRK) {
			errno = EPROTO;
			kvm_calls_fail(&vcpu->calls, "the guest that calibrates the event");
			return false;
		}
		kvm_set(vcpu, KVM_CORE(regs.pc), kvm_get(vcpu, KVM_CORE(regs.pc)) + 4);
		return !vcpu->calls.error;
	}
}

/* Between BRK n - 1 and BRK n: events, and the increase of KVM's statistics. */
struct measured {
	uint64_t events[MARKS];
	uint64_t grown[MARKS][KVM_ANSWERED_KINDS];
};

static void measure_run(struct vspe_kvm_vcpu *vcpu, const struct kvm_alarm *alarm,
			const struct kvm_costs *costs, struct measured *m)
{
	uint64_t last = 0, told[KVM_ANSWERED_KINDS] = {0};

	vcpu->counter.fd = kvm_event_open(vcpu, true, true, 0);
	kvm_set(vcpu, KVM_SYSREG(VBAR_EL1), 0);
	kvm_set(vcpu, KVM_SYSREG(SCTLR_EL1), kvm_get(vcpu, KVM_SYSREG(SCTLR_EL1)) | SCTLR_ELx_A);
	kvm_set(vcpu, KVM_CORE(regs.pc), START);
	kvm_set_x(vcpu, 0, PSCI_CALL);
	kvm_set_x(vcpu, 12, UNALIGNED);
	kvm_set_x(vcpu, 3, NO_RAM);
	kvm_set_x(vcpu, 13, GIC_DISTRIBUTOR + GICD_TYPER);
	for (unsigned int n = 0; n < MARKS && !vcpu->calls.error && run_to_mark(vcpu); n++) {
		const uint64_t now = kvm_event_count(vcpu);

		m->events[n] = now - last;
		last = now;
		for (unsigned int kind = 0; kind < KVM_ANSWERED_KINDS; kind++) {
			const uint64_t stat = kvm_answered_read(vcpu, costs->stat_at[kind]);

			m->grown[n][kind] = stat - told[kind];
			told[kind] = stat;
		}
		/* The call has its answer there. */
		kvm_set_x(vcpu, 0, PSCI_CALL);
		/* No interrupt ends the WFI; a signal does (Arm ARM D1.7 lets it end any time). */
		kvm_alarm_every(alarm, n + 1 == MARK_WFI ? 1 : 0);
	}
	kvm_counter_close(vcpu);
}

/*
 * Is the rest of a count that of one instruction, or nothing? Any other count cannot be corrected.
 */
static bool is_counted(struct kvm_costs *costs, uint64_t count, uint64_t others)
{
	if (count != others && count != others + costs->multiplier)
		costs->noisy = true;
	return count > others;
}

static int judge_costs(struct kvm_costs *costs, const struct measured *m, unsigned int multiplier,
		       char *why, size_t size)
{
	const uint64_t *counts = m->events;
	const uint64_t between = counts[MARK_LONG] - counts[MARK_SHORT];
	const uint64_t handled = (uint64_t)HANDLER * multiplier;
	uint64_t brk;

	if (between != (uint64_t)(LONG_RUN - SHORT_RUN) * multiplier) {
		(void)snprintf(why, size,
			       "the event counts %" PRIu64
			       " of %u instructions on this host, not %u each",
			       between, LONG_RUN - SHORT_RUN, multiplier);
		return -1;
	}
	costs->multiplier = multiplier;
	costs->brk = is_counted(costs, counts[MARK_SHORT], (uint64_t)SHORT_RUN * multiplier);
	brk = costs->brk ? multiplier : 0;
	costs->mmio = is_counted(costs, counts[MARK_MMIO], brk);
	costs->answered[KVM_ANSWERED_MMIO] = kvm_judge_answered(
		counts[MARK_GIC], brk, multiplier, m->grown[MARK_GIC][KVM_ANSWERED_MMIO]);
	costs->answered[KVM_ANSWERED_HVC] = kvm_judge_answered(
		counts[MARK_HVC], brk, multiplier, m->grown[MARK_HVC][KVM_ANSWERED_HVC]);
	costs->svc = is_counted(costs, counts[MARK_SVC], brk + handled);
	costs->undefined = is_counted(costs, counts[MARK_UNDEFINED], brk + handled);
	costs->abort = is_counted(costs, counts[MARK_ABORT], brk + handled);
	costs->answered[KVM_ANSWERED_WFI] = kvm_judge_answered(
		counts[MARK_WFI], brk, multiplier, m->grown[MARK_WFI][KVM_ANSWERED_WFI]);
	costs->system = counts[MARK_SYSTEM] == brk + multiplier;
	return 0;
}

/* All measurements of a vCPU; see its error. */
static void measure_all(struct vspe_kvm_vcpu *vcpu, struct kvm_costs *costs,
			struct measured runs[RUNS])
{
	const struct kvm_guest_debug debug = {.control =
						      KVM_GUESTDBG_ENABLE | KVM_GUESTDBG_USE_SW_BP};
	struct kvm_alarm alarm;

	if (ioctl(vcpu->calls.fd, KVM_SET_GUEST_DEBUG, &debug) < 0) {
		kvm_calls_fail(&vcpu->calls, "KVM_SET_GUEST_DEBUG");
		return;
	}
	kvm_answered_find(vcpu, costs);
	if (!kvm_alarm_open(vcpu, &alarm))
		return;
	for (unsigned int i = 0; i < RUNS && !vcpu->calls.error; i++)
		measure_run(vcpu, &alarm, costs, &runs[i]);
	kvm_set_x(vcpu, 4, DATA);
	costs->skid = kvm_measure_skid(vcpu, &alarm, LOOP);
	kvm_alarm_close(vcpu, &alarm);
}

static int measure_vm(struct vspe_kvm *vm, const struct kvm_sampler *sampler,
		      struct kvm_costs *costs, char *why, size_t size)
{
	struct vspe_kvm_vcpu vcpu = {
		.vm = vm, .calls.fd = -1, .counter = {.fd = -1, .stats = -1}, .sampler = *sampler};
	const uint64_t gic_at[2] = {GIC_DISTRIBUTOR, GIC_CPUS};
	const uint32_t type = kvm_has_gic(vm->fd, KVM_DEV_TYPE_ARM_VGIC_V3)
				      ? KVM_DEV_TYPE_ARM_VGIC_V3
				      : KVM_DEV_TYPE_ARM_VGIC_V2;
	const int run_size = kvm_run_size(vm->kvm, why, size);
	struct measured runs[RUNS] = {0};
	int gic = -1, result = -1;

	*costs = (struct kvm_costs){0};
	if (run_size > 0)
		vcpu.calls.fd = kvm_make_vcpu(vm->fd, 0, 1u << KVM_ARM_VCPU_PSCI_0_2, why, size);
	if (vcpu.calls.fd >= 0)
		vcpu.run = kvm_map_run(vcpu.calls.fd, (size_t)run_size, why, size);
	if (vcpu.run)
		gic = kvm_make_gic(vm->fd, type, gic_at, why, size);
	if (gic >= 0) {
		measure_all(&vcpu, costs, runs);
		result = vcpu.calls.error ? -1 : 0;
	}
	if (vcpu.calls.error)
		(void)snprintf(why, size, "%s: %s", vcpu.calls.failed, strerror(vcpu.calls.error));
	if (result == 0)
		result = judge_costs(costs, &runs[RUNS - 1], sampler->multiplier, why, size);
	costs->vectors = kvm_vectors_can_count(vm);
	if (result == 0)
		costs->noisy = costs->noisy || memcmp(&runs[1].events, &runs[2].events,
						      sizeof(runs[1].events)) != 0;
	kvm_answered_close(&vcpu);
	if (vcpu.run)
		(void)munmap(vcpu.run, (size_t)run_size);
	if (gic >= 0)
		(void)close(gic);
	if (vcpu.calls.fd >= 0)
		(void)close(vcpu.calls.fd);
	return result;
}

int kvm_calibrate(int kvm, const struct kvm_sampler *sampler, struct kvm_costs *costs, char *why,
		  size_t size)
{
	void *ram =
		mmap(NULL, RAM_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct kvm_userspace_memory_region slot = {.memory_size = RAM_SIZE,
							 .userspace_addr = (uintptr_t)ram};
	struct vspe_kvm vm = {.cpus = 1, .kvm = kvm};
	int result = -1;

	if (ram == MAP_FAILED) {
		(void)snprintf(why, size, "memory for it: %s", strerror(errno));
		return -1;
	}
	memcpy(ram, kvm_calibration, CODE_SIZE);
	vm.fd = kvm_make_vm(kvm, &slot, why, size);
	if (vm.fd >= 0) {
		result = measure_vm(&vm, sampler, costs, why, size);
		(void)close(vm.fd);
	}
	(void)munmap(ram, RAM_SIZE);
	return result;
}
