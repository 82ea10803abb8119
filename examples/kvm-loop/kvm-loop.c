/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kvm-loop GUEST: the smallest arm64 KVM program whose guest has FEAT_SPE, on a host with it or
 * without.
 *
 * KVM keeps the registers of SPE from its guests, and has no exit for them. libvspe-kvm gets at the
 * accesses, here by a BRK in the place of each, and counts operations, here by single steps; it
 * writes the records to the guest's memory. This program shows them on standard output too, in
 * hexadecimal.
 *
 * The guest has its MMU off, so that its addresses are physical ones, and one vCPU without an
 * interrupt controller. It reads nothing of what is written here while it runs: its own accesses
 * are not cached, and those of this program are.
 */
#include <vspe/kvm.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#define BASE UINT64_C(0x41000000)
#define SIZE 0x200000u

#define CORE(member)                                           \
	(KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | \
	 offsetof(struct kvm_regs, member) / sizeof(uint32_t))
#define X(n) (CORE(regs.regs[0]) + 2 * (uint64_t)(n))

struct vmm {
	int kvm, vm, vcpu;
	struct kvm_run *run;
	uint8_t *memory;
	struct vspe_kvm *spe;
	struct vspe_kvm_vcpu *profiled; /* the vCPU, with its unit */
};

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "kvm-loop: %s: %s\n", what, why);
	exit(1);
}

static int call_kvm(int fd, unsigned long request, const void *argument, const char *what)
{
	int result = ioctl(fd, request, argument);

	if (result < 0)
		fail(what, strerror(errno));
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

/* vspe_kvm_callbacks.irq: the guest has no GIC, so that it is the CPU's IRQ. */
static void set_irq(void *ctx, unsigned int cpu, bool level)
{
	const struct vmm *vmm = ctx;
	const struct kvm_irq_level line = {.irq = KVM_ARM_IRQ_TYPE_CPU << KVM_ARM_IRQ_TYPE_SHIFT |
						  KVM_ARM_IRQ_CPU_IRQ,
					   .level = level};

	(void)cpu;
	call_kvm(vmm->vm, KVM_IRQ_LINE, &line, "KVM_IRQ_LINE");
}

/* .counter: a time that is the same in every run, one operation after the other. */
static uint64_t read_counter(void *ctx, unsigned int cpu, enum spe_timestamp kind)
{
	const struct vmm *vmm = ctx;

	(void)cpu, (void)kind;
	return vspe_kvm_operations(vmm->profiled);
}

/* .data */
static void show_records(void *ctx, unsigned int cpu, const uint8_t *bytes, size_t size)
{
	(void)ctx, (void)cpu;
	for (size_t i = 0; i < size; i++)
		printf("%s%02x", i % 32 ? "" : i ? "\nrecords: " : "records: ", bytes[i]);
	printf("\n");
}

static void create_vm(struct vmm *vmm)
{
	struct kvm_userspace_memory_region slot = {.guest_phys_addr = BASE,
						   .memory_size = SIZE,
						   .userspace_addr = (uintptr_t)vmm->memory};
	struct kvm_vcpu_init init;
	int size;

	vmm->kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (vmm->kvm < 0)
		fail("/dev/kvm", strerror(errno));
	vmm->vm = call_kvm(vmm->kvm, KVM_CREATE_VM, NULL, "KVM_CREATE_VM");
	call_kvm(vmm->vm, KVM_SET_USER_MEMORY_REGION, &slot, "KVM_SET_USER_MEMORY_REGION");
	vmm->vcpu = call_kvm(vmm->vm, KVM_CREATE_VCPU, NULL, "KVM_CREATE_VCPU");
	call_kvm(vmm->vm, KVM_ARM_PREFERRED_TARGET, &init, "KVM_ARM_PREFERRED_TARGET");
	init.features[0] |= 1u << KVM_ARM_VCPU_PSCI_0_2;
	call_kvm(vmm->vcpu, KVM_ARM_VCPU_INIT, &init, "KVM_ARM_VCPU_INIT");
	size = call_kvm(vmm->kvm, KVM_GET_VCPU_MMAP_SIZE, NULL, "KVM_GET_VCPU_MMAP_SIZE");
	vmm->run = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, vmm->vcpu, 0);
	if (vmm->run == MAP_FAILED)
		fail("struct kvm_run", strerror(errno));
	set_register(vmm, CORE(regs.pc), BASE);
}

/* SPE for the guest, whose code is size bytes. */
static void create_spe(struct vmm *vmm, uint64_t size)
{
	const struct vspe_kvm_region memory = {.base = BASE, .size = SIZE, .host = vmm->memory};
	const struct vspe_kvm_range code = {.base = BASE, .size = size};
	struct vspe_kvm_config config;
	struct spe_config unit;
	char why[200] = "";

	if (vspe_kvm_config_defaults(&config, sizeof(config)) < 0)
		fail("libvspe-kvm", vspe_kvm_strerror(VSPE_KVM_ESIZE));
	config.kvm = vmm->kvm;
	config.vm = vmm->vm;
	config.regions = &memory;
	config.region_count = 1;
	config.trap = VSPE_KVM_TRAP_PATCH;
	config.ctx = vmm;
	config.callbacks.irq = set_irq;
	config.callbacks.counter = read_counter;
	config.callbacks.data = show_records;
	spe_config_defaults(&unit, SPE_V1P2);
	unit.events = 0; /* nothing is known of caches */
	unit.lds = false;
	if (vspe_kvm_create(&vmm->spe, &config, why, sizeof(why)) < 0 ||
	    vspe_kvm_vcpu_create(&vmm->profiled, vmm->spe, 0, vmm->vcpu, vmm->run, &unit, why,
				 sizeof(why)) < 0 ||
	    vspe_kvm_patch(vmm->spe, &code, 1) < 0)
		fail("SPE for the guest", why);
}

static void run_guest(struct vmm *vmm)
{
	for (;;) {
		int result = vspe_kvm_before_run(vmm->profiled);

		if (result == VSPE_KVM_RUN) {
			const int error = ioctl(vmm->vcpu, KVM_RUN, NULL) < 0 ? errno : 0;

			result = vspe_kvm_after_run(vmm->profiled, error);
			if (result == VSPE_KVM_YOURS && (error == EINTR || error == EAGAIN))
				continue;
		}
		if (result < 0)
			fail("SPE", vspe_kvm_why(vmm->profiled));
		if (result != VSPE_KVM_YOURS)
			continue;
		if (vmm->run->exit_reason == KVM_EXIT_SYSTEM_EVENT)
			return;
		fprintf(stderr, "kvm-loop: exit %u at 0x%llx\n", vmm->run->exit_reason,
			(unsigned long long)get_register(vmm, CORE(regs.pc)));
		exit(1);
	}
}

int main(int argc, char **argv)
{
	static struct vmm vmm;
	uint64_t sites[VSPE_KVM_SITE_KINDS], size;
	FILE *file;

	file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	if (!file) {
		fprintf(stderr, "usage: kvm-loop GUEST\n");
		return 2;
	}
	vmm.memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (vmm.memory == MAP_FAILED)
		fail("memory", strerror(errno));
	size = fread(vmm.memory, 1, SIZE, file);
	fclose(file);
	create_vm(&vmm);
	create_spe(&vmm, size);
	run_guest(&vmm);
	vspe_kvm_sites(vmm.spe, sites);
	printf("guest: PMSVer %d, %d UNDEFINED, %d interrupts\n", (int)get_register(&vmm, X(6)),
	       (int)get_register(&vmm, X(7)), (int)get_register(&vmm, X(8)));
	printf("kvm-loop: %d accesses patched, %d operations\n", (int)sites[VSPE_KVM_SITE_PATCHED],
	       (int)vspe_kvm_operations(vmm.profiled));
	vspe_kvm_destroy(vmm.spe);
	return 0;
}
