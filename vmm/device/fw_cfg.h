/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What firmware learns about its machine, and the guests that it may start: items of bytes, each
 * with a number and some with a name too (QEMU's docs/specs/fw_cfg.rst).
 */
#ifndef VSPE_FW_CFG_H
#define VSPE_FW_CFG_H

#include <stddef.h>
#include <stdint.h>

#define FW_CFG_FILES 16 /* items with a name, at most */
#define FW_CFG_NAME  56 /* bytes of one, with its NUL */

/* The numbers of items without a name. */
enum fw_cfg_item {
	FW_CFG_SIGNATURE = 0x00,
	FW_CFG_ID = 0x01,
	FW_CFG_CPUS = 0x05,
	FW_CFG_KERNEL_SIZE = 0x08,
	FW_CFG_INITRD_SIZE = 0x0b,
	FW_CFG_MAX_CPUS = 0x0f,
	FW_CFG_KERNEL_DATA = 0x11,
	FW_CFG_INITRD_DATA = 0x12,
	FW_CFG_CMDLINE_SIZE = 0x14,
	FW_CFG_CMDLINE_DATA = 0x15,
	FW_CFG_DIRECTORY = 0x19,
	FW_CFG_FIRST_FILE = 0x20,
};

struct fw_cfg_file {
	char name[FW_CFG_NAME];
	const uint8_t *bytes;
	uint32_t size;
};

/* The maker owns the bytes, which must outlive the machine. */
struct fw_cfg_files {
	/* Guests for firmware to start; bytes NULL: none. */
	const uint8_t *kernel, *initrd;
	uint32_t kernel_size, initrd_size;
	const char *cmdline; /* NULL: none */
	struct fw_cfg_file file[FW_CFG_FILES];
	unsigned int files;
};

#endif
