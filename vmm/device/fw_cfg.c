/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU's firmware configuration device over MMIO (docs/specs/fw_cfg.rst), at the address of its
 * "virt" board. A guest selects an item and reads its bytes, or has them copied to its memory.
 * Items are read-only.
 */
#include "device/fw_cfg.h"

#include <string.h>

#include "device/acpi.h"
#include "device/timer.h"
#include "device/tree.h"

#define FW_CFG_BASE UINT64_C(0x09020000)
#define FW_CFG_SIZE 0x18

#define DATA	 0x00 /* and up to 7 bytes after it */
#define SELECTOR 0x08
#define DMA	 0x10

#define ID_TRADITIONAL 1u
#define ID_DMA	       2u

/* FWCfgDmaAccess: control, length, address, big-endian. */
#define DMA_ERROR  1u
#define DMA_READ   2u
#define DMA_SKIP   4u
#define DMA_SELECT 8u
#define DMA_WRITE  16u

/* An entry of the directory: size, number, two of padding, name. */
#define ENTRY	  (8u + FW_CFG_NAME)
#define DIRECTORY (4u + FW_CFG_FILES * ENTRY)

struct fw_cfg {
	struct device device;
	uint16_t item;
	uint32_t offset; /* of the next byte to read */
	uint32_t high;	 /* of the address of a DMA access, until the lower half is written */
	struct dma {
		uint64_t access; /* where its FWCfgDmaAccess is */
		uint64_t to;	 /* of the rest */
		uint32_t left;	 /* bytes left of a DMA access in progress */
		uint64_t resume; /* counter value at which it continues; 0: none in progress */
	} dma;
	uint8_t made[DIRECTORY]; /* an item without bytes elsewhere */
};

_Static_assert(offsetof(struct fw_cfg, device) == 0, "one is cast to the other");

struct bytes {
	const uint8_t *at;
	uint32_t size;
};

static uint64_t take_big_endian(const uint8_t *from, unsigned int bytes)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < bytes; i++)
		value = value << 8 | from[i];
	return value;
}

static void put_big_endian(uint8_t *to, uint64_t value, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		to[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
}

/* Numbers in items are little-endian, ... */
static struct bytes number(struct fw_cfg *fw_cfg, uint32_t value, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		fw_cfg->made[i] = (uint8_t)(value >> 8 * i);
	return (struct bytes){fw_cfg->made, bytes};
}

/* ... except in the directory. */
static struct bytes directory(struct fw_cfg *fw_cfg, const struct fw_cfg_files *files)
{
	uint8_t *to = fw_cfg->made;

	memset(to, 0, sizeof(fw_cfg->made));
	put_big_endian(to, files->files, 4);
	to += 4;
	for (unsigned int i = 0; i < files->files; i++, to += ENTRY) {
		put_big_endian(to, files->file[i].size, 4);
		put_big_endian(to + 4, FW_CFG_FIRST_FILE + i, 2);
		memcpy(to + 8, files->file[i].name, FW_CFG_NAME);
	}
	return (struct bytes){fw_cfg->made, (uint32_t)(to - fw_cfg->made)};
}

/* The selected item; nothing, if none has that number. */
static struct bytes item(struct fw_cfg *fw_cfg)
{
	const struct device_config *config = fw_cfg->device.config;
	const struct fw_cfg_files *files = config->fw_cfg;
	const uint32_t cmdline = files->cmdline ? (uint32_t)strlen(files->cmdline) + 1 : 0;
	const unsigned int file = fw_cfg->item - (unsigned int)FW_CFG_FIRST_FILE;

	switch (fw_cfg->item) {
	case FW_CFG_SIGNATURE: return (struct bytes){(const uint8_t *)"QEMU", 4};
	case FW_CFG_ID: return number(fw_cfg, ID_TRADITIONAL | ID_DMA, 4);
	case FW_CFG_CPUS:
	case FW_CFG_MAX_CPUS: return number(fw_cfg, config->choices.cpus, 2);
	case FW_CFG_KERNEL_SIZE: return number(fw_cfg, files->kernel_size, 4);
	case FW_CFG_KERNEL_DATA: return (struct bytes){files->kernel, files->kernel_size};
	case FW_CFG_INITRD_SIZE: return number(fw_cfg, files->initrd_size, 4);
	case FW_CFG_INITRD_DATA: return (struct bytes){files->initrd, files->initrd_size};
	case FW_CFG_CMDLINE_SIZE: return number(fw_cfg, cmdline, 4);
	case FW_CFG_CMDLINE_DATA: return (struct bytes){(const uint8_t *)files->cmdline, cmdline};
	case FW_CFG_DIRECTORY: return directory(fw_cfg, files);
	default: break;
	}
	if (fw_cfg->item < FW_CFG_FIRST_FILE || file >= files->files)
		return (struct bytes){0};
	return (struct bytes){files->file[file].bytes, files->file[file].size};
}

/* Read count bytes of the item into `to`, unless that is NULL. Beyond its end there are zeros. */
static void advance(struct fw_cfg *fw_cfg, uint8_t *to, uint32_t count)
{
	const struct bytes from = item(fw_cfg);
	const uint32_t left = from.size - (fw_cfg->offset < from.size ? fw_cfg->offset : from.size);
	const uint32_t some = count < left ? count : left;

	if (to && some)
		memcpy(to, from.at + fw_cfg->offset, some);
	if (to)
		memset(to + some, 0, count - some);
	fw_cfg->offset += some;
}

static void select_item(struct fw_cfg *fw_cfg, uint16_t number)
{
	fw_cfg->item = number;
	fw_cfg->offset = 0;
}

/* End a DMA access, for which its driver waits. */
static void end_dma(struct fw_cfg *fw_cfg, bool good)
{
	const struct device_host *host = fw_cfg->device.host;
	uint8_t *access = host->memory(host->ctx, fw_cfg->dma.access, 4);

	fw_cfg->dma = (struct dma){0};
	if (access)
		put_big_endian(access, good ? 0 : DMA_ERROR, 4);
}

/* Read a piece of the rest. */
static void go_on(struct fw_cfg *fw_cfg)
{
	const struct device_host *host = fw_cfg->device.host;
	struct dma *dma = &fw_cfg->dma;
	const uint32_t size = dma->left < DEVICE_PIECE ? dma->left : (uint32_t)DEVICE_PIECE;
	uint8_t *to = host->memory(host->ctx, dma->to, size);

	if (to)
		advance(fw_cfg, to, size);
	dma->to += size;
	dma->left -= size;
	if (!to || dma->left == 0) {
		end_dma(fw_cfg, to != NULL);
		return;
	}
	dma->resume = timer_later(host->now(host->ctx), DEVICE_PAUSE_NS,
				  fw_cfg->device.config->choices.counter_hz);
}

static void fw_cfg_update(struct device *device, uint64_t now)
{
	struct fw_cfg *fw_cfg = (struct fw_cfg *)device;

	if (fw_cfg->dma.resume != 0 && fw_cfg->dma.resume <= now)
		go_on(fw_cfg);
}

static uint64_t fw_cfg_deadline(const struct device *device, uint64_t now)
{
	const struct fw_cfg *fw_cfg = (const struct fw_cfg *)device;

	return fw_cfg->dma.resume > now ? fw_cfg->dma.resume : DEVICE_NEVER;
}

/* One FWCfgDmaAccess. */
static void begin_dma(struct fw_cfg *fw_cfg, const uint8_t *access)
{
	const struct device_host *host = fw_cfg->device.host;
	const uint32_t control = (uint32_t)take_big_endian(access, 4);
	const uint32_t length = (uint32_t)take_big_endian(access + 4, 4);
	const uint64_t address = take_big_endian(access + 8, 8);

	if (control & DMA_SELECT)
		select_item(fw_cfg, (uint16_t)(control >> 16));
	if (control & DMA_READ) {
		if (!host->memory(host->ctx, address, length)) {
			end_dma(fw_cfg, false);
			return;
		}
		fw_cfg->dma.to = address;
		fw_cfg->dma.left = length;
		go_on(fw_cfg);
		return;
	}
	if (control & DMA_SKIP && !(control & DMA_WRITE))
		advance(fw_cfg, NULL, length);
	end_dma(fw_cfg, !(control & DMA_WRITE));
}

/* There is only one at a time: a driver waits for its access to end. */
static void do_dma(struct fw_cfg *fw_cfg, uint64_t address)
{
	const struct device_host *host = fw_cfg->device.host;
	const uint8_t *access = host->memory(host->ctx, address, 16);
	uint8_t copy[16];

	if (!access || fw_cfg->dma.resume != 0)
		return;
	memcpy(copy, access, sizeof(copy));
	fw_cfg->dma.access = address;
	begin_dma(fw_cfg, copy);
}

/* Guest memory gets the bytes in order: the registers are big-endian. */
static uint64_t fw_cfg_read(struct device *device, unsigned int cpu, uint64_t offset,
			    unsigned int bytes)
{
	static const uint8_t dma_signature[] = "QEMU CFG";
	struct fw_cfg *fw_cfg = (struct fw_cfg *)device;
	uint8_t read[8] = {0};
	uint64_t value = 0;

	(void)cpu;
	if (offset < DATA + 8)
		advance(fw_cfg, read, bytes);
	else if (offset >= DMA && offset + bytes <= DMA + 8)
		memcpy(read, dma_signature + (offset - DMA), bytes);
	for (unsigned int i = 0; i < bytes; i++)
		value |= (uint64_t)read[i] << 8 * i;
	return value;
}

static void fw_cfg_write(struct device *device, unsigned int cpu, uint64_t offset,
			 unsigned int bytes, uint64_t value)
{
	struct fw_cfg *fw_cfg = (struct fw_cfg *)device;
	uint8_t written[8] = {0};

	for (unsigned int i = 0; i < bytes; i++)
		written[i] = (uint8_t)(value >> 8 * i);
	value = take_big_endian(written, bytes);
	if (offset == SELECTOR && bytes == 2) {
		select_item(fw_cfg, (uint16_t)value);
	} else if (offset == DMA && bytes == 4) {
		fw_cfg->high = (uint32_t)value;
	} else if ((offset == DMA && bytes == 8) || (offset == DMA + 4 && bytes == 4)) {
		const uint64_t high = (uint64_t)fw_cfg->high << 32;

		fw_cfg->high = 0;
		do_dma(fw_cfg, bytes == 8 ? value : high | value);
		if (fw_cfg->dma.resume != 0)
			device->host->reschedule(device->host->ctx, cpu);
	}
}

static bool fw_cfg_exists(const struct device_config *config)
{
	return config->fw_cfg;
}

static unsigned int fw_cfg_sections(const struct device_config *config)
{
	return config->fw_cfg ? 1 : 0;
}

static void fw_cfg_state(struct device *device, unsigned int cpu, struct state *state)
{
	struct fw_cfg *fw_cfg = (struct fw_cfg *)device;

	(void)cpu;
	STATE_FIELD(state, fw_cfg->item);
	STATE_FIELD(state, fw_cfg->offset);
	STATE_FIELD(state, fw_cfg->high);
	/* Before version 9 none could be in progress. */
	if (!state->loading || state->at < state->size) {
		STATE_FIELD(state, fw_cfg->dma.access);
		STATE_FIELD(state, fw_cfg->dma.to);
		STATE_FIELD(state, fw_cfg->dma.left);
		STATE_FIELD(state, fw_cfg->dma.resume);
	}
	if (fw_cfg->offset > item(fw_cfg).size)
		state_refuse(state, "behind the end of item %u", fw_cfg->item);
}

/* qemu,fw-cfg-mmio.yaml */
static void fw_cfg_node(struct tree *tree, const struct device_config *config)
{
	(void)config;
	tree_begin(tree, "fw-cfg@%llx", (unsigned long long)FW_CFG_BASE);
	tree_string(tree, "compatible", "qemu,fw-cfg-mmio");
	tree_cells(tree, "reg", TREE_TWO_CELLS(FW_CFG_BASE), TREE_TWO_CELLS(FW_CFG_SIZE));
	tree_flag(tree, "dma-coherent");
	tree_end(tree);
}

static void fw_cfg_aml(struct acpi *acpi, const struct device_config *config)
{
	(void)config;
	acpi_device(acpi, "FWCF", "QEMU0002", 0);
	acpi_name(acpi, "_STA", 0xb); /* present, decoding and working, but not to be shown */
	acpi_name(acpi, "_CCA", 1);
	acpi_resources(acpi, (uint32_t)FW_CFG_BASE, FW_CFG_SIZE, 0);
	acpi_close(acpi);
}

const struct device_type device_fw_cfg = {
	.name = "fw_cfg",
	.size = sizeof(struct fw_cfg),
	.exists = fw_cfg_exists,
	.windows = {{FW_CFG_BASE, FW_CFG_SIZE, false, fw_cfg_read, fw_cfg_write}},
	.update = fw_cfg_update,
	.deadline = fw_cfg_deadline,
	.section = "CFG ",
	.part = "fw_cfg",
	.since = 4,
	.sections = fw_cfg_sections,
	.state = fw_cfg_state,
	.node = fw_cfg_node,
	.aml = fw_cfg_aml,
};
