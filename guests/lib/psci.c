/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PSCI calls, SMC64 convention (Arm DEN0028).
 */
#include "arch.h"
#include "boot.h"
#include "console.h"
#include "fdt.h"
#include "psci.h"
#include "string.h"

#define PSCI_VERSION		0x84000000u
#define PSCI_CPU_OFF		0x84000002u
#define PSCI_CPU_ON		0xc4000003u
#define PSCI_AFFINITY_INFO	0xc4000004u
#define PSCI_SYSTEM_OFF		0x84000008u
#define PSCI_INVALID_PARAMETERS (-2)

static enum { NO_CONDUIT, HVC, SMC } conduit;
static void (*volatile entries[MAX_CPUS])(unsigned int cpu);

extern char secondary_start[];
void secondary_c(unsigned int cpu);

bool psci_init(void)
{
	static const char *const compatible[] = {"arm,psci-1.0", "arm,psci-0.2"};
	struct fdt_node node = {0};
	const char *method;

	for (unsigned int i = 0; i < 2 && !node.name; i++)
		if (!fdt_next_compatible(&node, compatible[i]))
			node.name = NULL;
	if (!node.name)
		return false;
	method = fdt_string(&node, "method");
	if (method && strcmp(method, "hvc") == 0)
		conduit = HVC;
	else if (method && strcmp(method, "smc") == 0)
		conduit = SMC;
	return conduit != NO_CONDUIT;
}

static int64_t call(uint64_t function, uint64_t a1, uint64_t a2, uint64_t a3)
{
	register uint64_t x0 __asm__("x0") = function;
	register uint64_t x1 __asm__("x1") = a1;
	register uint64_t x2 __asm__("x2") = a2;
	register uint64_t x3 __asm__("x3") = a3;

	if (conduit == NO_CONDUIT)
		return -1;
	if (conduit == HVC)
		__asm__ volatile("hvc #0"
				 : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)::"x4", "x5", "x6", "x7",
				   "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",
				   "x17", "memory");
	else
		__asm__ volatile("smc #0"
				 : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)::"x4", "x5", "x6", "x7",
				   "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",
				   "x17", "memory");
	return (int64_t)x0;
}

uint32_t psci_version(void)
{
	return (uint32_t)call(PSCI_VERSION, 0, 0, 0);
}

void secondary_c(unsigned int cpu)
{
	entries[cpu](cpu);
	psci_cpu_off();
}

int64_t psci_cpu_on(uint64_t mpidr, unsigned int cpu, void (*entry)(unsigned int cpu))
{
	if (cpu == 0 || cpu >= MAX_CPUS)
		return PSCI_INVALID_PARAMETERS;
	entries[cpu] = entry;
	dsb();
	return call(PSCI_CPU_ON, mpidr, (uintptr_t)secondary_start - KERNEL_VA + boot_info.image_pa,
		    cpu);
}

int64_t psci_affinity_info(uint64_t mpidr)
{
	return call(PSCI_AFFINITY_INFO, mpidr, 0, 0);
}

void psci_cpu_off(void)
{
	call(PSCI_CPU_OFF, 0, 0, 0);
	for (;;)
		wfi();
}

void psci_system_off(void)
{
	call(PSCI_SYSTEM_OFF, 0, 0, 0);
	for (;;)
		wfi();
}
