/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware in flash, and the files that it starts (device/flash.h, device/fw_cfg.h). */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_lock.h"
#include "device/memory_map.h"
#include "machine/machine_state.h"

/* Put firmware below RAM. Once, as it and its variables survive a reset. */
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
	/* The mapping of RAM has room below it. */
	memset(low, 0xff, pages);
	memcpy(low, file->bytes, file->size);
	machine->rom = (struct engine_ram){.base = 0, .size = pages, .host = low};
	machine->flash = (struct flash_store){
		.code = low, .code_size = pages, .variables = low + FLASH_BANK};
	return 0;
}

#define PIECE 0x10000u /* the unit of reading and writing variables, in bytes */

/* Bytes are inverted in memory (device/flash.h). */
static int variables_transfer(const struct machine *machine, uint64_t offset, uint64_t size,
			      bool write)
{
	uint8_t *variables = machine->flash.variables + offset, *bytes = malloc(PIECE);
	bool done = bytes;

	for (uint64_t at = 0; done && at < size; at += PIECE) {
		const size_t some = size - at < PIECE ? (size_t)(size - at) : PIECE;

		for (size_t i = 0; write && i < some; i++)
			bytes[i] = (uint8_t)~variables[at + i];
		errno = EIO; /* for a file that has been truncated */
		done = (write ? pwrite(machine->variables, bytes, some, (off_t)(offset + at))
			      : pread(machine->variables, bytes, some, (off_t)(offset + at))) ==
		       (ssize_t)some;
		/* Memory for erased bytes stays untouched. */
		for (size_t i = 0; done && !write && i < some; i++)
			if (bytes[i] != 0xff)
				variables[at + i] = (uint8_t)~bytes[i];
	}
	free(bytes);
	return done ? 0 : -1;
}

static void variables_wrote(void *ctx, uint64_t offset, uint64_t size)
{
	struct machine *machine = ctx;

	if (variables_transfer(machine, offset, size, true) == 0)
		return;
	machine_finish(machine, MACHINE_ERROR, "--bios-vars: %s: not written: %s",
		       machine->config.variables, strerror(errno));
	machine_end_turn(machine, (unsigned int)machine->running);
}

static int open_variables(struct machine *machine, char *why, size_t size)
{
	const char *path = machine->config.variables;
	struct stat status;

	if (!path)
		return 0;
	machine->variables = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (machine->variables < 0 || fstat(machine->variables, &status) < 0) {
		(void)snprintf(why, size, "--bios-vars: %s: %s", path, strerror(errno));
		return -1;
	}
	if (!S_ISREG(status.st_mode) || (uint64_t)status.st_size != FLASH_BANK) {
		(void)snprintf(why, size,
			       "--bios-vars: %s: not a file of %" PRIu64
			       " bytes; truncate -s 64M makes one",
			       path, FLASH_BANK);
		return -1;
	}
	if (!machine->config.arrives && file_lock(machine->variables, FILE_LOCK_OWN) < 0) {
		(void)snprintf(why, size, "--bios-vars: %s: in use already", path);
		return -1;
	}
	machine->flash.wrote = variables_wrote;
	machine->flash.ctx = machine;
	if (variables_transfer(machine, 0, FLASH_BANK, false) == 0)
		return 0;
	(void)snprintf(why, size, "--bios-vars: %s: %s", path, strerror(errno));
	return -1;
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

	if (!machine->config.choices.firmware)
		return 0;
	if (place(machine, why, size) < 0 || open_variables(machine, why, size) < 0)
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
		.cmdline = machine->config.choices.params,
	};
	if (!machine->config.choices.acpi)
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

void machine_free_firmware(struct machine *machine)
{
	if (machine->variables >= 0)
		(void)close(machine->variables);
	acpi_tables_free(&machine->acpi);
}
