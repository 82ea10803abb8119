// SPDX-License-Identifier: BSD-2-Clause
/* Firmware in flash, and what it is given to start (device/flash.h, device/fw_cfg.h). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "device/memory_map.h"
#include "machine/machine_state.h"

/* In front of RAM: once, as it and its variables stay over a reset. */
static int place(struct machine *machine, char *why, size_t size)
{
	const struct loader_file *file = &machine->files.firmware;
	uint8_t *low = machine->ram.host - MAP_RAM;
	const size_t pages = (file->size + 0xfff) & ~(size_t)0xfff;

	if (file->size == 0 || file->size > FLASH_BANK) {
		(void)snprintf(why, size, "--bios: %s: %zu bytes, not from 1 to %" PRIu64,
			       file->name, file->size, FLASH_BANK);
		return -1;
	}
	/* Where the host has nothing else there is room. */
	memset(low, 0xff, pages);
	memcpy(low, file->bytes, file->size);
	machine->rom = (struct engine_ram){.base = 0, .size = pages, .host = low};
	machine->flash = (struct flash_store){
		.code = low, .code_size = pages, .variables = low + FLASH_BANK};
	return 0;
}

static void add_file(struct fw_cfg_files *files, const char *name, const struct acpi *bytes)
{
	struct fw_cfg_file *file = &files->file[files->files++];

	(void)snprintf(file->name, sizeof(file->name), "%s", name);
	file->bytes = bytes->bytes;
	file->size = (uint32_t)bytes->size;
}

int machine_prepare_firmware(struct machine *machine, char *why, size_t size)
{
	struct fw_cfg_files *files = &machine->fw_cfg;
	struct acpi_tables *acpi = &machine->acpi;

	if (!machine->config.firmware)
		return 0;
	if (place(machine, why, size) < 0)
		return -1;
	if (machine->files.kernel.size > UINT32_MAX || machine->files.initrd.size > UINT32_MAX) {
		(void)snprintf(why, size, "--bios: a guest of 4 GiB or more");
		return -1;
	}
	*files = (struct fw_cfg_files){
		.kernel = machine->files.kernel.bytes,
		.kernel_size = (uint32_t)machine->files.kernel.size,
		.initrd = machine->files.initrd.bytes,
		.initrd_size = (uint32_t)machine->files.initrd.size,
		.cmdline = machine->config.params,
	};
	if (!machine->config.acpi)
		return 0;
	if (acpi_tables_build(&machine->device_config, acpi) < 0) {
		(void)snprintf(why, size, "no memory");
		return -1;
	}
	add_file(files, ACPI_RSDP_FILE, &acpi->rsdp);
	add_file(files, ACPI_TABLES_FILE, &acpi->tables);
	add_file(files, ACPI_LOADER_FILE, &acpi->loader);
	return 0;
}
