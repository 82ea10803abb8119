/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kvm-loop GUEST: the smallest arm64 KVM program whose guest has FEAT_SPE, on a host with it or
 * without.
 *
 * KVM keeps the registers of SPE from its guests, and has no exit for them. So each access in the
 * guest's code is replaced by a BRK, which KVM hands to its user (KVM_GUESTDBG_USE_SW_BP); its
 * number says which it was. Operations are counted by executing the guest in single steps where
 * profiling is enabled. Records go to the guest's memory, and at its end to standard output in
 * hexadecimal.
 *
 * The guest has its MMU off, so that its addresses are physical ones, and one vCPU without an
 * interrupt controller. It reads nothing of what is written here while it runs: its own accesses
 * are not cached, and those of this program are.
 */
#include <vspe/spe.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "operation.h"

#define BASE UINT64_C(0x41000000)
#define SIZE 0x200000u

#define CORE(member)                                           \
	(KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | \
	 offsetof(struct kvm_regs, member) / sizeof(uint32_t))
#define X(n)	 (CORE(regs.regs[0]) + 2 * (uint64_t)(n))
#define PC	 CORE(regs.pc)
#define PSTATE	 CORE(regs.pstate)
#define ESR_EL1	 ARM64_SYS_REG(3, 0, 5, 2, 0)
#define VBAR_EL1 ARM64_SYS_REG(3, 0, 12, 0, 0)

#define PSTATE_EL1H UINT64_C(5)
#define PSTATE_DAIF (UINT64_C(15) << 6)
#define ESR_UNKNOWN (UINT64_C(1) << 25) /* EC 0, IL */
#define EC_BRK	    0x3c
#define EC_STEP	    0x32
#define PATCHES_MAX 64

struct vmm {
	int vm, vcpu;
	struct kvm_run *run;
	uint8_t *memory;
	struct spe_unit unit;
	struct spe_config config;
	struct sysreg_controls controls; /* EL1 as the guest has it: nothing above, and SPE */
	uint32_t patched[PATCHES_MAX];	 /* words that a BRK stands for now */
	unsigned int patches;
	uint64_t steps; /* the guest's time */
	int debug;	/* KVM_GUESTDBG_* as set */
	bool irq;
};

static void fail_call(const char *what)
{
	fprintf(stderr, "kvm-loop: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int call_kvm(int fd, unsigned long request, const void *argument, const char *what)
{
	int result = ioctl(fd, request, argument);

	if (result < 0)
		fail_call(what);
	return result;
}

static uint64_t get_register(const struct vmm *vmm, uint64_t id)
{
	uint64_t value = 0;
	struct kvm_one_reg reg = {.id = id, .addr = (uintptr_t)&value};

	call_kvm(vmm->vcpu, KVM_GET_ONE_REG, &reg, "KVM_GET_ONE_REG");
	return value;
}

static void set_register(const struct vmm *vmm, uint64_t id, uint64_t value)
{
	struct kvm_one_reg reg = {.id = id, .addr = (uintptr_t)&value};

	call_kvm(vmm->vcpu, KVM_SET_ONE_REG, &reg, "KVM_SET_ONE_REG");
}

/* The guest's memory at pa, if size bytes are there. */
static uint8_t *memory_at(const struct vmm *vmm, uint64_t pa, size_t size)
{
	return pa >= BASE && pa <= BASE + SIZE - size ? vmm->memory + (pa - BASE) : NULL;
}

/* spe_host.write */
static struct spe_write_result write_record(void *ctx, uint8_t owning_el, uint64_t va,
					    const uint8_t *bytes, size_t size)
{
	uint8_t *to = memory_at(ctx, va, size);

	(void)owning_el;
	if (!to)
		return (struct spe_write_result){.status = SPE_WRITE_FAULT, .fsc = 0x07};
	memcpy(to, bytes, size);
	return (struct spe_write_result){.status = SPE_WRITE_OK, .written = size};
}

/*
 * Registers.
 */

/* BRK in place of each access, before the guest runs. */
static void patch_accesses(struct vmm *vmm, size_t size)
{
	uint32_t *code = (uint32_t *)vmm->memory;

	for (size_t i = 0; i < size / 4; i++) {
		struct sysreg_access access;

		if (!a64_system_access(code[i], &access) ||
		    (access.reg == SYSREG_COUNT &&
		     sysreg_encoding_of_word(code[i]) != SYSREG_ENCODING_ID_AA64DFR0_EL1))
			continue;
		if (vmm->patches == PATCHES_MAX) {
			errno = ENOSPC;
			fail_call("accesses to patch");
		}
		vmm->patched[vmm->patches] = code[i];
		code[i] = 0xd4200000 | vmm->patches++ << 5;
	}
}

static void inject_undefined(struct vmm *vmm)
{
	set_register(vmm, CORE(elr_el1), get_register(vmm, PC));
	set_register(vmm, CORE(spsr[0]), get_register(vmm, PSTATE));
	set_register(vmm, ESR_EL1, ESR_UNKNOWN);
	set_register(vmm, PC, get_register(vmm, VBAR_EL1) + 0x200);
	set_register(vmm, PSTATE, PSTATE_EL1H | PSTATE_DAIF);
}

/* The MRS or MSR that was at the PC. */
static void access_register(struct vmm *vmm, struct sysreg_access access)
{
	const uint8_t rt = access.rt;
	uint64_t value = access.write && rt < 31 ? get_register(vmm, X(rt)) : 0;

	if (access.reg == SYSREG_COUNT) {
		value = get_register(vmm, ARM64_SYS_REG(3, 0, 0, 5, 0)) &
			~SYSREG_ID_AA64DFR0_EL1_PMSVer_MASK;
		value |= spe_config_id_aa64dfr0(&vmm->config);
	} else if (spe_access(&vmm->unit, &vmm->controls, access, &value).kind != SYSREG_DIRECT) {
		inject_undefined(vmm);
		return;
	}
	if (!access.write && rt < 31)
		set_register(vmm, X(rt), value);
	set_register(vmm, PC, get_register(vmm, PC) + 4);
}

/*
 * The loop.
 */

/* The interrupt and the debug controls as the unit wants them now. Is the guest to be stepped? */
static bool prepare_access(struct vmm *vmm)
{
	const bool stepping = spe_enabled(&vmm->unit), irq = spe_irq_level(&vmm->unit);
	const struct kvm_guest_debug debug = {.control = KVM_GUESTDBG_ENABLE |
							 KVM_GUESTDBG_USE_SW_BP |
							 (stepping ? KVM_GUESTDBG_SINGLESTEP : 0)};
	const struct kvm_irq_level line = {.irq = KVM_ARM_IRQ_TYPE_CPU << KVM_ARM_IRQ_TYPE_SHIFT |
						  KVM_ARM_IRQ_CPU_IRQ,
					   .level = irq};

	if ((int)debug.control != vmm->debug)
		call_kvm(vmm->vcpu, KVM_SET_GUEST_DEBUG, &debug, "KVM_SET_GUEST_DEBUG");
	if (irq != vmm->irq)
		call_kvm(vmm->vm, KVM_IRQ_LINE, &line, "KVM_IRQ_LINE");
	vmm->debug = (int)debug.control;
	vmm->irq = irq;
	return stepping;
}

/* What made KVM_RUN return. False at the guest's end. */
static bool handle_exit(struct vmm *vmm)
{
	const uint32_t esr = vmm->run->debug.arch.hsr, number = esr & 0xffff;
	struct sysreg_access access;

	if (vmm->run->exit_reason == KVM_EXIT_SYSTEM_EVENT)
		return false;
	if (vmm->run->exit_reason != KVM_EXIT_DEBUG ||
	    (esr >> 26 != EC_STEP && (esr >> 26 != EC_BRK || number >= vmm->patches))) {
		fprintf(stderr, "kvm-loop: exit %u at 0x%llx, ESR 0x%x\n", vmm->run->exit_reason,
			(unsigned long long)get_register(vmm, PC), esr);
		exit(1);
	}
	if (esr >> 26 == EC_BRK && a64_system_access(vmm->patched[number], &access))
		access_register(vmm, access);
	return true;
}

static uint64_t read_register(const void *ctx, unsigned int n)
{
	return get_register(ctx, n == 31 ? CORE(sp_el1) : X(n));
}

/* The operation at the PC, which is selected. */
static struct spe_op begin_operation(const struct vmm *vmm)
{
	const struct a64_registers registers = {
		.read = read_register,
		.ctx = vmm,
		.nzcv = get_register(vmm, PSTATE) >> 28 & 15,
	};
	const uint64_t pc = get_register(vmm, PC);
	const uint8_t *at = memory_at(vmm, pc, sizeof(uint32_t));
	struct spe_op op;
	uint32_t word = 0;

	if (at)
		memcpy(&word, at, sizeof(word));
	op = operation_begin(pc, word, vmm->steps, &vmm->config, &registers);
	if (op.flags & SPE_OP_VA_VALID) {
		op.data_pa = op.data_va;
		op.flags |= SPE_OP_PA_VALID;
	}
	return op;
}

static void run_guest(struct vmm *vmm)
{
	bool selected, more;
	struct spe_op op;

	do {
		selected = false;
		if (prepare_access(vmm)) {
			vmm->steps++;
			selected = spe_advance(&vmm->unit, 1) == SPE_SELECTED;
		}
		if (selected)
			op = begin_operation(vmm);
		call_kvm(vmm->vcpu, KVM_RUN, NULL, "KVM_RUN");
		more = handle_exit(vmm);
		if (selected) {
			operation_end(&op, get_register(vmm, PC));
			spe_sample(&vmm->unit, &op);
		}
	} while (more);
}

static void create_vm(struct vmm *vmm)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC), size;
	struct kvm_userspace_memory_region slot = {.guest_phys_addr = BASE, .memory_size = SIZE};
	struct kvm_vcpu_init init;

	if (kvm < 0)
		fail_call("/dev/kvm");
	vmm->vm = call_kvm(kvm, KVM_CREATE_VM, NULL, "KVM_CREATE_VM");
	slot.userspace_addr = (uintptr_t)vmm->memory;
	call_kvm(vmm->vm, KVM_SET_USER_MEMORY_REGION, &slot, "KVM_SET_USER_MEMORY_REGION");
	vmm->vcpu = call_kvm(vmm->vm, KVM_CREATE_VCPU, NULL, "KVM_CREATE_VCPU");
	call_kvm(vmm->vm, KVM_ARM_PREFERRED_TARGET, &init, "KVM_ARM_PREFERRED_TARGET");
	init.features[0] |= 1u << KVM_ARM_VCPU_PSCI_0_2;
	call_kvm(vmm->vcpu, KVM_ARM_VCPU_INIT, &init, "KVM_ARM_VCPU_INIT");
	size = call_kvm(kvm, KVM_GET_VCPU_MMAP_SIZE, NULL, "KVM_GET_VCPU_MMAP_SIZE");
	vmm->run = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, vmm->vcpu, 0);
	if (vmm->run == MAP_FAILED)
		fail_call("struct kvm_run");
	set_register(vmm, PC, BASE);
}

static void create_unit(struct vmm *vmm)
{
	const struct spe_host host = {.ctx = vmm, .write = write_record};
	int error;

	spe_config_defaults(&vmm->config, SPE_V1P2);
	vmm->config.events = 0; /* nothing is known of caches */
	vmm->config.lds = false;
	error = spe_init(&vmm->unit, sizeof(vmm->unit), &vmm->config, &host);
	if (error) {
		fprintf(stderr, "kvm-loop: spe_init: %s\n", spe_strerror(error));
		exit(1);
	}
	vmm->controls =
		(struct sysreg_controls){.features = spe_config_features(&vmm->config), .el = 1};
	spe_update(&vmm->unit, &vmm->controls);
}

int main(int argc, char **argv)
{
	static struct vmm vmm;
	const uint8_t *records;
	uint64_t size;
	FILE *file;

	file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	if (!file) {
		fprintf(stderr, "usage: kvm-loop GUEST\n");
		return 2;
	}
	vmm.memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (vmm.memory == MAP_FAILED)
		fail_call("memory");
	patch_accesses(&vmm, fread(vmm.memory, 1, SIZE, file));
	fclose(file);
	create_unit(&vmm);
	create_vm(&vmm);
	run_guest(&vmm);
	printf("guest: PMSVer %d, %d UNDEFINED, %d interrupts\n", (int)get_register(&vmm, X(6)),
	       (int)get_register(&vmm, X(7)), (int)get_register(&vmm, X(8)));
	printf("kvm-loop: %d accesses patched, %d steps", (int)vmm.patches, (int)vmm.steps);
	size = get_register(&vmm, X(5)) - get_register(&vmm, X(4));
	records = size <= SIZE ? memory_at(&vmm, get_register(&vmm, X(4)), size) : NULL;
	for (uint64_t i = 0; records && i < size; i++)
		printf("%s%02x", i % 32 ? "" : "\nrecords: ", records[i]);
	printf("\n");
	return 0;
}
