/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the assembler start to the guest's own main program, and off.
 */
#include "arch.h"
#include "boot.h"
#include "console.h"
#include "fdt.h"
#include "gic.h"
#include "psci.h"

void start_c(void) __attribute__((noreturn));

void start_c(void)
{
	/* Without a device tree there is neither a console to complain on nor a way to power off.
	 */
	if (fdt_open(boot_info.dtb_pa)) {
		bool psci = psci_init();

		console_init();
		mmu_init();
		if (!psci)
			panic("no PSCI in the device tree, or at EL3 no gpio-poweroff");
		if (!gic_init())
			panic("no GICv3 and no GICv2 in the device tree");
		guest_main();
		psci_system_off();
	}
	for (;;)
		wfi();
}
