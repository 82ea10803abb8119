/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PSCI calls, SMC64 convention (Arm DEN0028). A guest at EL3 is firmware itself: it has no more
 * than a line of a PL061 (Arm DDI 0190) to power off with.
 */
#include "arch.h"
#include "boot.h"
#include "console.h"
#include "fdt.h"
#include "psci.h"
#include "string.h"

#define PSCI_VERSION	   0x84000000u
#define PSCI_CPU_OFF	   0x84000002u
#define PSCI_CPU_ON	   0xc4000003u
#define PSCI_AFFINITY_INFO 0xc4000004u
#define PSCI_SYSTEM_OFF	   0x84000008u
#define PSCI_SYSTEM_RESET  0x84000009u

#define GPIO_DIR 0x400

static enum { NO_CONDUIT, HVC, SMC, GPIO } conduit;
static volatile uint32_t *gpio;
static uint32_t gpio_line;
static void (*volatile entries[MAX_CPUS])(unsigned int cpu);
static uint64_t start_pa; /* of CPUs that are turned on */

void secondary_c(unsigned int cpu);

/* Linux' binding gpio-poweroff: phandle of the controller, line, flags. */
bool psci_find_gpio(uint64_t *base, uint64_t *size)
{
	struct fdt_node node = {0}, controller;
	uint32_t phandle;

	return fdt_next_compatible(&node, "gpio-poweroff") &&
	       fdt_cell(&node, "gpios", 0, &phandle) && fdt_cell(&node, "gpios", 1, &gpio_line) &&
	       gpio_line <= 7 && fdt_find_phandle(&controller, phandle) &&
	       fdt_is_compatible(&controller, "arm,pl061") && fdt_reg(&controller, 0, base, size);
}

/* An edge: down, then up. Bits 9:2 of the address say which lines a write to the data is for. */
static void pull_gpio(void)
{
	uint32_t mask = UINT32_C(1) << gpio_line;

	gpio[mask] = 0;
	gpio[GPIO_DIR / 4] |= mask;
	gpio[mask] = mask;
}

void psci_init_gpio(volatile void *registers)
{
	gpio = registers;
	conduit = GPIO;
}

bool psci_init(const char *method, const void *secondary_start)
{
	start_pa = (uintptr_t)secondary_start - KERNEL_VA + boot_info.image_pa;
	if (method && strcmp(method, "hvc") == 0)
		conduit = HVC;
	else if (method && strcmp(method, "smc") == 0)
		conduit = SMC;
	return conduit != NO_CONDUIT;
}

void psci_call(uint64_t x[4])
{
	register uint64_t x0 __asm__("x0") = x[0];
	register uint64_t x1 __asm__("x1") = x[1];
	register uint64_t x2 __asm__("x2") = x[2];
	register uint64_t x3 __asm__("x3") = x[3];

	if (conduit == HVC)
		__asm__ volatile("hvc #0"
				 : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)::"x4", "x5", "x6", "x7",
				   "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",
				   "x17", "memory");
	else if (conduit == SMC)
		__asm__ volatile("smc #0"
				 : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)::"x4", "x5", "x6", "x7",
				   "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",
				   "x17", "memory");
	else
		x0 = PSCI_NOT_SUPPORTED;
	x[0] = x0;
	x[1] = x1;
	x[2] = x2;
	x[3] = x3;
}

static int64_t call_psci(uint64_t function, uint64_t a1, uint64_t a2, uint64_t a3)
{
	uint64_t x[4] = {function, a1, a2, a3};

	psci_call(x);
	return (int64_t)x[0];
}

bool psci_there(void)
{
	return conduit == HVC || conduit == SMC;
}

uint32_t psci_version(void)
{
	return (uint32_t)call_psci(PSCI_VERSION, 0, 0, 0);
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
	return call_psci(PSCI_CPU_ON, mpidr, start_pa, cpu);
}

int64_t psci_affinity_info(uint64_t mpidr)
{
	return call_psci(PSCI_AFFINITY_INFO, mpidr, 0, 0);
}

void psci_cpu_off(void)
{
	call_psci(PSCI_CPU_OFF, 0, 0, 0);
	for (;;)
		wfi();
}

int64_t psci_system_reset(void)
{
	return call_psci(PSCI_SYSTEM_RESET, 0, 0, 0);
}

void psci_system_off(void)
{
	if (conduit == GPIO)
		pull_gpio();
	else
		call_psci(PSCI_SYSTEM_OFF, 0, 0, 0);
	for (;;)
		wfi();
}
