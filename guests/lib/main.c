/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the assembler start to the guest's own main program, and off.
 */
#include "arch.h"
#include "boot.h"
#include "console.h"
#include "gic.h"
#include "platform.h"
#include "psci.h"

void start_c(const void *secondary_start) __attribute__((noreturn));

/*
 * A way to power off, and to turn on other CPUs, if the machine has one: not if main runs at EL3.
 */
static bool init_power(const void *secondary_start)
{
	uint64_t base, size;

	if (boot_info.el < 3 && psci_init(platform_psci(), secondary_start))
		return true;
	if (!psci_find_gpio(&base, &size))
		return false;
	psci_init_gpio(device_map(base, size));
	return true;
}

static void init_console(void)
{
	struct platform_uart uart;

	if (platform_uart(&uart))
		console_init(&uart, device_map(uart.base, uart.size));
}

static void init_memory(void)
{
	uint64_t base, size;

	if (!platform_memory(boot_info.image_pa, &base, &size))
		panic("the image at PA 0x%lx is in no memory of the %s", boot_info.image_pa,
		      platform_source());
	mmu_init(base, size);
}

/* start.S calls this with the address where other CPUs start later. */
void start_c(const void *secondary_start)
{
	/* Without this there is no console for an error message and no way to power off. */
	if (platform_open()) {
		bool psci = init_power(secondary_start);

		init_console();
		init_memory();
		/* The lower levels of such a guest would take calls for EL3, which has no code. */
		if (boot_info.el == 2 && !psci_there())
			panic("a guest for EL2, and the machine leaves EL3 to it");
		if (!psci)
			panic("no PSCI in the %s, and no gpio-poweroff", platform_source());
		if (!gic_init())
			panic("no GICv3 and no GICv2 in the %s", platform_source());
		guest_main();
		psci_system_off();
	}
	for (;;)
		wfi();
}
