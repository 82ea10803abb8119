/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * library GUEST: what vspe's engine and the examples do not use of libvspe-kvm, on an arm64 host
 * with KVM and a perf event of two cycles an instruction (QEMU's -icount): errors, regions, the
 * signal that the library sets up itself, a reset. GUEST is guest.bin of the examples. TAP on
 * standard output.
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
#include <unistd.h>

#define BASE	    UINT64_C(0x41000000)
#define SIZE	    0x200000u
#define PC	    (KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | 64u)
#define RECORDS_MAX 0x10000u

static int kvm, number, failures;
static uint8_t *image;
static size_t image_size;

struct machine {
	int vm, vcpu;
	struct kvm_run *run;
	size_t run_size;
	uint8_t *memory;
	struct vspe_kvm *spe;
	struct vspe_kvm_vcpu *profiled;
	uint8_t records[RECORDS_MAX];
	size_t size;
};

static void say(bool right, const char *what)
{
	printf("%sok %d - %s\n", right ? "" : "not ", ++number, what);
	failures += !right;
}

static void set_irq(void *ctx, unsigned int cpu, bool level)
{
	const struct machine *m = ctx;
	const struct kvm_irq_level line = {.irq = KVM_ARM_IRQ_TYPE_CPU << KVM_ARM_IRQ_TYPE_SHIFT |
						  KVM_ARM_IRQ_CPU_IRQ,
					   .level = level};

	(void)cpu;
	if (ioctl(m->vm, KVM_IRQ_LINE, &line) < 0)
		perror("KVM_IRQ_LINE");
}

static uint64_t no_time(void *ctx, unsigned int cpu, enum spe_timestamp kind)
{
	(void)ctx, (void)cpu, (void)kind;
	return 0;
}

static void keep_records(void *ctx, unsigned int cpu, const uint8_t *bytes, size_t size)
{
	struct machine *m = ctx;

	(void)cpu;
	if (size > RECORDS_MAX - m->size)
		return;
	memcpy(m->records + m->size, bytes, size);
	m->size += size;
}

static struct machine *make_machine(void)
{
	struct machine *m = calloc(1, sizeof(*m));
	struct kvm_userspace_memory_region slot = {.guest_phys_addr = BASE, .memory_size = SIZE};
	struct kvm_one_reg pc = {.id = PC, .addr = (uintptr_t) & (uint64_t){BASE}};
	struct kvm_vcpu_init init = {0};

	m->memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(m->memory, image, image_size);
	slot.userspace_addr = (uintptr_t)m->memory;
	m->vm = ioctl(kvm, KVM_CREATE_VM, 0);
	m->vcpu = -1;
	if (ioctl(m->vm, KVM_SET_USER_MEMORY_REGION, &slot) == 0)
		m->vcpu = ioctl(m->vm, KVM_CREATE_VCPU, 0);
	(void)ioctl(m->vm, KVM_ARM_PREFERRED_TARGET, &init);
	init.features[0] |= 1u << KVM_ARM_VCPU_PSCI_0_2;
	m->run_size = (size_t)ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	m->run = mmap(NULL, m->run_size, PROT_READ | PROT_WRITE, MAP_SHARED, m->vcpu, 0);
	if (m->vcpu < 0 || ioctl(m->vcpu, KVM_ARM_VCPU_INIT, &init) < 0 || m->run == MAP_FAILED ||
	    ioctl(m->vcpu, KVM_SET_ONE_REG, &pc) < 0) {
		perror("library: KVM");
		exit(1);
	}
	return m;
}

static void free_machine(struct machine *m)
{
	vspe_kvm_destroy(m->spe);
	(void)munmap(m->run, m->run_size);
	(void)close(m->vcpu);
	(void)close(m->vm);
	(void)munmap(m->memory, SIZE);
	free(m);
}

static struct vspe_kvm_config config_of(struct machine *m, const struct vspe_kvm_region *regions,
					size_t count)
{
	struct vspe_kvm_config config;

	(void)vspe_kvm_config_defaults(&config, sizeof(config));
	config.kvm = kvm;
	config.vm = m->vm;
	config.regions = regions;
	config.region_count = count;
	config.ctx = m;
	config.callbacks = (struct vspe_kvm_callbacks){
		.irq = set_irq, .counter = no_time, .data = keep_records};
	return config;
}

static struct spe_config unit_config(void)
{
	struct spe_config unit;

	spe_config_defaults(&unit, SPE_V1P2);
	return unit;
}

/* To the guest's end; or until so many KVM_RUNs have come to something of the library's. */
static bool run_machine(struct machine *m, unsigned int turns)
{
	while (turns-- > 0) {
		int result = vspe_kvm_before_run(m->profiled), error = 0;

		if (result == VSPE_KVM_RUN) {
			error = ioctl(m->vcpu, KVM_RUN, NULL) < 0 ? errno : 0;
			result = vspe_kvm_after_run(m->profiled, error);
		}
		if (result < 0) {
			printf("# %s\n", vspe_kvm_why(m->profiled));
			return false;
		}
		if (result == VSPE_KVM_YOURS && !error)
			return m->run->exit_reason == KVM_EXIT_SYSTEM_EVENT;
	}
	return true;
}

/* A run of the guest with SPE; its records are in the machine. NULL: that failed. */
static struct machine *profile(struct vspe_kvm_config *chosen, const struct vspe_kvm_region *parts,
			       size_t count, unsigned int turns)
{
	struct machine *m = make_machine();
	const uint64_t end = BASE + image_size;
	struct vspe_kvm_region regions[2];
	struct vspe_kvm_range code[2] = {0};
	struct vspe_kvm_config config;
	struct spe_config unit = unit_config();
	char why[200] = "";

	for (size_t i = 0; i < count; i++) {
		regions[i] = parts[i];
		regions[i].host = m->memory + (parts[i].base - BASE);
		code[i].base = parts[i].base;
		code[i].size =
			parts[i].base + parts[i].size < end ? parts[i].size : end - parts[i].base;
	}
	config = config_of(m, regions, count);
	config.trap = chosen->trap;
	config.sampler = chosen->sampler;
	config.event = chosen->event;
	config.multiplier = chosen->multiplier;
	config.margin = chosen->margin;
	if (vspe_kvm_create(&m->spe, &config, why, sizeof(why)) == 0 &&
	    vspe_kvm_vcpu_create(&m->profiled, m->spe, 0, m->vcpu, m->run, &unit, why,
				 sizeof(why)) == 0 &&
	    vspe_kvm_patch(m->spe, code, count) == 0 && run_machine(m, turns))
		return m;
	printf("# %s\n", why);
	free_machine(m);
	return NULL;
}

static void test_errors(void)
{
	struct machine *m = make_machine();
	struct vspe_kvm_region region = {BASE, SIZE, m->memory};
	const struct vspe_kvm_range beyond = {.base = BASE + SIZE - 4096, .size = 8192};
	struct vspe_kvm_config config;
	struct spe_config unit = unit_config();
	struct vspe_kvm *vm;
	struct vspe_kvm_vcpu *vcpu;
	char why[200] = "";
	const char *field = "";

	say(vspe_kvm_config_defaults(&config, sizeof(config) - 8) == -VSPE_KVM_ESIZE,
	    "a config of another size is refused");
	config = config_of(m, &region, 1);
	config.intid = 40;
	say(vspe_kvm_create(&vm, &config, why, sizeof(why)) == -VSPE_KVM_EVALUE && !vm &&
		    strcmp(why, "intid") == 0,
	    "a value out of its range is named");
	region.base += 1;
	config = config_of(m, &region, 1);
	say(vspe_kvm_create(&vm, &config, why, sizeof(why)) == -VSPE_KVM_EVALUE &&
		    strcmp(why, "regions") == 0,
	    "so is a region that is no pages");
	region.base -= 1;
	say(vspe_kvm_create(&vm, &config, why, sizeof(why)) == 0, "a VM");
	say(vspe_kvm_patch(vm, &beyond, 1) == -VSPE_KVM_ERANGE,
	    "a range that leaves its region is refused");
	unit.pbt = true;
	say(vspe_kvm_lacks(&unit, &field) && strcmp(field, "pbt") == 0 &&
		    vspe_kvm_vcpu_create(&vcpu, vm, 0, m->vcpu, m->run, &unit, why, sizeof(why)) ==
			    -VSPE_KVM_ESPE &&
		    !vcpu,
	    "a unit that no guest of KVM can have is refused");
	say(vspe_kvm_native(m->vcpu) == 0, "this kernel gives no guest SPE");
	unit.pbt = false;
	say(vspe_kvm_vcpu_create(&vcpu, vm, 1, m->vcpu, m->run, &unit, why, sizeof(why)) ==
		    -VSPE_KVM_EVALUE,
	    "an index of no vCPU is refused");
	say(vspe_kvm_vcpu_create(&vcpu, vm, 0, m->vcpu, m->run, &unit, why, sizeof(why)) == 0,
	    "a vCPU");
	say(vspe_kvm_after_run(vcpu, EBADF) == -VSPE_KVM_ECALL &&
		    strncmp(vspe_kvm_why(vcpu), "KVM_RUN: ", 9) == 0,
	    "a KVM_RUN that fails is said");
	say(vspe_kvm_before_run(vcpu) == -VSPE_KVM_ECALL, "... and stays so");
	vspe_kvm_destroy(vm);
	free_machine(m);
}

static bool same(const struct machine *m, const struct machine *as)
{
	return m && as && m->size == as->size && m->size > 0 &&
	       memcmp(m->records, as->records, m->size) == 0;
}

static void test_records(void)
{
	const struct vspe_kvm_region whole = {.base = BASE, .size = SIZE};
	/* The buffer is in the second. */
	const struct vspe_kvm_region parts[] = {{.base = BASE, .size = 0x2000},
						{.base = BASE + 0x2000, .size = SIZE - 0x2000}};
	struct vspe_kvm_config config;
	struct machine *reference, *m;
	struct vspe_kvm_stats stats;

	(void)vspe_kvm_config_defaults(&config, sizeof(config));
	config.trap = VSPE_KVM_TRAP_PATCH;
	reference = profile(&config, &whole, 1, UINT32_MAX);
	say(reference && reference->size == 70 * 64, "70 records");
	m = profile(&config, parts, 2, UINT32_MAX);
	say(same(m, reference), "the same with memory in two regions");
	if (m)
		free_machine(m);
	config.trap = VSPE_KVM_TRAP_STEP;
	m = profile(&config, &whole, 1, UINT32_MAX);
	say(same(m, reference), "... with every instruction stepped");
	if (m)
		free_machine(m);
	config.trap = VSPE_KVM_TRAP_BREAKPOINT;
	config.sampler = VSPE_KVM_SAMPLER_PERF;
	config.event = VSPE_KVM_EVENT_CYCLES;
	config.multiplier = 2;
	m = profile(&config, &whole, 1, UINT32_MAX);
	say(same(m, reference), "... with breakpoints, a perf event and a signal of the library's");
	memset(&stats, 0, sizeof(stats));
	if (m)
		vspe_kvm_stats(m->profiled, &stats);
	say(m && stats.interrupts > 0 && stats.skid == 0 && stats.in_vain == 0,
	    "... whose interrupts were counted");
	if (m)
		free_machine(m);
	config.multiplier = 3;
	say(!profile(&config, &whole, 1, 1), "an event that counts otherwise is refused");
	if (reference)
		free_machine(reference);
}

static void test_reset(void)
{
	const struct vspe_kvm_region whole = {.base = BASE, .size = SIZE};
	struct vspe_kvm_config config;
	struct machine *m;
	bool before, after;

	(void)vspe_kvm_config_defaults(&config, sizeof(config));
	m = profile(&config, &whole, 1, 2000);
	say(m != NULL, "a guest in the middle of its work");
	if (!m)
		return;
	before = spe_read(vspe_kvm_unit(m->profiled), SYSREG_PMBLIMITR_EL1) & 1;
	vspe_kvm_vcpu_reset(m->profiled);
	after = spe_read(vspe_kvm_unit(m->profiled), SYSREG_PMBLIMITR_EL1) & 1;
	say(before && !after, "a reset disables its buffer");
	free_machine(m);
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;

	kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	image = malloc(SIZE);
	if (!file || kvm < 0 || !image) {
		fprintf(stderr, "library: no guest, no /dev/kvm or no memory\n");
		return 2;
	}
	image_size = fread(image, 1, SIZE, file);
	(void)fclose(file);
	test_errors();
	test_records();
	test_reset();
	printf("1..%d\n", number);
	return failures != 0;
}
