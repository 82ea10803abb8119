/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware configuration device, as QEMU's docs/specs/fw_cfg.rst has it. */
#include <string.h>

#include "../compare.h"
#include "device/fw_cfg.h"
#include "device_fixture.h"

#define SELECTOR 0x08
#define DMA	 0x10

static const uint8_t kernel[] = {0x4d, 0x5a, 3, 4, 5}, table[] = {0xaa, 0xbb};
static struct fw_cfg_files files = {
	.kernel = kernel,
	.kernel_size = sizeof(kernel),
	.cmdline = "quiet",
	.file = {{"etc/first", kernel, 3},
		 {"etc/second", table, sizeof(table)},
		 {"none", kernel, 5}},
	.files = 2,
};
static struct device *fw_cfg;

static void setup(void)
{
	host_config.fw_cfg = &files;
	fw_cfg = make_device(&device_fw_cfg, 3);
	memset(host_ram, 0xee, HOST_RAM);
}

static void teardown(void)
{
	device_free(fw_cfg);
	host_config.fw_cfg = NULL;
}

TestSuite(fw_cfg, .init = setup, .fini = teardown);

static void select_item(uint16_t number)
{
	window_set(fw_cfg, SELECTOR, 2, (uint16_t)(number >> 8 | number << 8));
}

static uint64_t read_item(uint16_t number, unsigned int bytes)
{
	select_item(number);
	return window_get(fw_cfg, 0, bytes);
}

static void put32(uint64_t at, uint32_t value)
{
	for (unsigned int i = 0; i < 4; i++)
		host_ram[at + i] = (uint8_t)(value >> (24 - 8 * i));
}

/* An access whose structure is at the start of RAM: what it leaves in control. */
static uint32_t dma(uint32_t control, uint32_t length, uint64_t address)
{
	put32(0, control);
	put32(4, length);
	put32(8, (uint32_t)(address >> 32));
	put32(12, (uint32_t)address);
	window_set(fw_cfg, DMA, 8, __builtin_bswap64(HOST_RAM_BASE));
	return (uint32_t)host_ram[0] << 24 | (uint32_t)host_ram[1] << 16 |
	       (uint32_t)host_ram[2] << 8 | host_ram[3];
}

Test(fw_cfg, it_tells_what_it_is)
{
	cr_assert_eq(read_item(FW_CFG_SIGNATURE, 4), 0x554d4551u, "QEMU");
	cr_assert_eq(read_item(FW_CFG_ID, 4), 3, "it has DMA");
	cr_assert_eq(window_get(fw_cfg, DMA, 8), UINT64_C(0x47464320554d4551), "QEMU CFG");
	cr_assert_eq(window_get(fw_cfg, DMA + 4, 4), 0x47464320u);
	cr_assert_eq(read_item(FW_CFG_CPUS, 2), 3);
	cr_assert_eq(read_item(FW_CFG_MAX_CPUS, 2), 3);
}

Test(fw_cfg, items_are_read_on_and_end_in_zeros)
{
	cr_assert_eq(read_item(FW_CFG_KERNEL_SIZE, 4), sizeof(kernel));
	cr_assert_eq(read_item(FW_CFG_KERNEL_DATA, 2), 0x5a4d);
	cr_assert_eq(window_get(fw_cfg, 0, 8), 0x050403, "and nothing behind it");
	cr_assert_eq(window_get(fw_cfg, 0, 1), 0);
	cr_assert_eq(read_item(FW_CFG_KERNEL_DATA, 1), 0x4d, "selecting begins anew");
	cr_assert_eq(read_item(FW_CFG_CMDLINE_SIZE, 4), 6, "with its NUL");
	cr_assert_eq(read_item(FW_CFG_CMDLINE_DATA, 8), UINT64_C(0x7465697571));
	cr_assert_eq(read_item(FW_CFG_INITRD_SIZE, 4), 0);
	cr_assert_eq(read_item(FW_CFG_INITRD_DATA, 8), 0);
	cr_assert_eq(read_item(FW_CFG_FIRST_FILE + 2, 8), 0, "there are two files");
	cr_assert_eq(read_item(0xffff, 8), 0);
}

Test(fw_cfg, the_directory_names_the_files)
{
	uint8_t bytes[4 + 2 * 64];

	select_item(FW_CFG_DIRECTORY);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)window_get(fw_cfg, 0, 1);
	cr_assert_arr_eq(bytes, ((const uint8_t[]){0, 0, 0, 2, 0, 0, 0, 3, 0, 0x20, 0, 0}), 12);
	cr_assert_str_eq((const char *)bytes + 12, "etc/first");
	cr_assert_arr_eq(bytes + 68, ((const uint8_t[]){0, 0, 0, 2, 0, 0x21, 0, 0}), 8);
	cr_assert_str_eq((const char *)bytes + 76, "etc/second");
	cr_assert_eq(window_get(fw_cfg, 0, 8), 0);
	cr_assert_eq(read_item(FW_CFG_FIRST_FILE + 1, 2), 0xbbaa);
}

Test(fw_cfg, dma_reads_selects_and_skips)
{
	cr_assert_eq(dma(FW_CFG_KERNEL_DATA << 16 | 8 | 2, 3, HOST_RAM_BASE + 0x100), 0);
	cr_assert_arr_eq(host_ram + 0x100, kernel, 3);
	cr_assert_eq(host_ram[0x103], 0xee);
	cr_assert_eq(dma(2, 3, HOST_RAM_BASE + 0x200), 0, "on from there");
	cr_assert_arr_eq(host_ram + 0x200, ((const uint8_t[]){4, 5, 0, 0xee}), 4);
	cr_assert_eq(dma(FW_CFG_KERNEL_DATA << 16 | 8 | 4, 4, 0), 0, "a skip needs no memory");
	cr_assert_eq(window_get(fw_cfg, 0, 1), 5);
	cr_assert_eq(dma(4, UINT32_MAX, 0), 0);
	cr_assert_eq(window_get(fw_cfg, 0, 1), 0);
}

Test(fw_cfg, dma_reaches_ram_alone)
{
	const uint32_t read = FW_CFG_KERNEL_DATA << 16 | 8 | 2;

	cr_assert_eq(dma(read, 1, HOST_RAM_BASE - 1), 1);
	cr_assert_eq(dma(read, 2, HOST_RAM_BASE + HOST_RAM - 1), 1);
	cr_assert_eq(dma(read, 1, UINT64_MAX), 1);
	cr_assert_eq(dma(read, UINT32_MAX, HOST_RAM_BASE), 1);
	cr_assert_eq(dma(read, 1, HOST_RAM_BASE + HOST_RAM - 1), 0);
	cr_assert_eq(dma(FW_CFG_KERNEL_DATA << 16 | 8 | 16, 1, HOST_RAM_BASE + 0x100), 1,
		     "items are read-only");
	cr_assert_eq(host_ram[0x100], 0xee);
}

Test(fw_cfg, dma_by_two_halves_of_its_address)
{
	put32(0, FW_CFG_KERNEL_DATA << 16 | 8 | 2);
	put32(4, 1);
	put32(8, 0);
	put32(12, (uint32_t)HOST_RAM_BASE + 0x100);
	window_set(fw_cfg, DMA, 4, 0);
	cr_assert_eq(host_ram[0x100], 0xee, "the upper half alone does nothing");
	window_set(fw_cfg, DMA + 4, 4, __builtin_bswap32((uint32_t)HOST_RAM_BASE));
	cr_assert_eq(host_ram[0x100], kernel[0]);
	host_ram[0x100] = 0xee;
	window_set(fw_cfg, DMA, 4, __builtin_bswap32(1));
	window_set(fw_cfg, DMA + 4, 4, __builtin_bswap32((uint32_t)HOST_RAM_BASE));
	cr_assert_eq(host_ram[0x100], 0xee, "there is no memory at 4 GiB and more");
}

Test(fw_cfg, there_is_none_without_firmware)
{
	const struct device_config without = {.choices.cpus = 1};

	cr_assert(device_exists(&device_fw_cfg, &host_config));
	cr_assert_not(device_exists(&device_fw_cfg, &without));
}
