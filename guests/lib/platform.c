/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the firmware says of the machine: see platform.h.
 */
#include "arch.h"
#include "boot.h"
#include "efi.h"
#include "platform.h"
#include "string.h"

#define MPIDR_AFFINITY UINT64_C(0xff00ffffff)

static const struct platform_source *source;
static uint64_t first_cpu; /* the affinity of the CPU that was started */

static uint64_t affinity(void)
{
	return read_sysreg(mpidr_el1) & MPIDR_AFFINITY;
}

bool platform_open(void)
{
	/* An EFI application gets no device tree in X0: firmware's configuration table names it. */
	if (efi_handed.started)
		boot_info.dtb_pa = efi_handed.dtb_pa;
	first_cpu = affinity();
	source = platform_tree(boot_info.dtb_pa);
	if (!source)
		source = platform_acpi(efi_handed.rsdp_pa);
	return source;
}

const char *platform_source(void)
{
	return source->name;
}

bool platform_uart(struct platform_uart *uart)
{
	return source->uart(uart);
}

const char *platform_psci(void)
{
	return source->psci();
}

bool platform_gic(struct platform_gic *gic)
{
	*gic = (struct platform_gic){0};
	return source->gic(gic);
}

/* EFI knows what firmware keeps to itself; memory nodes have that, too. */
bool platform_memory(uint64_t pa, uint64_t *base, uint64_t *size)
{
	if (!efi_handed.started)
		return source->memory(pa, base, size);
	*base = efi_handed.ram_start;
	*size = efi_handed.ram_end - efi_handed.ram_start;
	return pa >= *base && pa - *base < *size;
}

uint32_t platform_interrupt(enum platform_interrupt which)
{
	return source->interrupt(which, affinity());
}

bool platform_cpu(unsigned int n, uint64_t *mpidr)
{
	unsigned int others = 0;

	if (n == 0) {
		*mpidr = first_cpu;
		return true;
	}
	for (unsigned int i = 0; source->cpu(i, mpidr); i++)
		if (*mpidr != first_cpu && ++others == n)
			return true;
	return false;
}

unsigned int platform_cpus(void)
{
	unsigned int count = 0;
	uint64_t mpidr;

	while (source->cpu(count, &mpidr))
		count++;
	return count;
}

static uint64_t parse_number(const char *text)
{
	uint64_t value = 0, base = 10;

	if (text[0] == '0' && text[1] == 'x') {
		base = 16;
		text += 2;
	}
	for (;; text++) {
		unsigned int digit;

		if (*text >= '0' && *text <= '9')
			digit = (unsigned int)(*text - '0');
		else if (base == 16 && (*text | 0x20) >= 'a' && (*text | 0x20) <= 'f')
			digit = (unsigned int)((*text | 0x20) - 'a' + 10);
		else
			return value;
		value = value * base + digit;
	}
}

uint64_t bootarg(const char *name, uint64_t fallback)
{
	const char *args = efi_handed.arguments[0] ? efi_handed.arguments : source->arguments();
	size_t length = strlen(name);

	while (args && *args != '\0') {
		if (strncmp(args, name, length) == 0 && args[length] == '=')
			return parse_number(args + length + 1);
		while (*args != '\0' && *args != ' ')
			args++;
		while (*args == ' ')
			args++;
	}
	return fallback;
}
