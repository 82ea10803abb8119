/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The head of an image, in a separate page. It is the header of an arm64 Image (Linux
 * Documentation/arch/arm64/booting.rst). Its first instruction is harmless and reads "MZ", which
 * makes it an EFI application, too: its last word leads to the PE/COFF header (PE Format,
 * Microsoft; UEFI 2.10, 2.1.1). There are two sections, of whole pages: one is executed, one is
 * written. The file has the layout of memory, so file offsets are addresses, and nothing needs
 * relocation.
 */
#include "layout.h"

#define MACHINE_ARM64	    0xaa64
#define CHARACTERISTICS	    0x0206 /* executable, no line numbers, no debug information */
#define PE32_PLUS	    0x020b
#define SUBSYSTEM_EFI	    10 /* an application */
#define DLL_NX_COMPAT	    0x0100 /* what is written is not executed */
#define SECTION_TEXT	    0x60000020 /* code, executed, read */
#define SECTION_DATA	    0xc0000040 /* data, read, written */
#define FILE_ALIGNMENT	    512
#define DIRECTORIES	    6

	.section .head, "ax"
	.globl	_start
_start:
	add	x13, x18, #0x16		/* "MZ" in its low half */
	b	boot
	.quad	0			/* text_offset: any 2 MiB boundary */
	.quad	__image_size
	.quad	0xa			/* little-endian, 4 KiB pages, anywhere in RAM */
	.quad	0, 0, 0
	.ascii	"ARM\x64"
	.long	pe_header - _start

	.balign	8
pe_header:
	.ascii	"PE\0\0"
	.short	MACHINE_ARM64
	.short	(sections_end - sections) / 40
	.long	0			/* when it was made */
	.long	0, 0			/* symbols */
	.short	sections - optional
	.short	CHARACTERISTICS

optional:
	.short	PE32_PLUS
	.byte	0, 0			/* the linker's version */
	.long	__pe_text_size
	.long	__pe_data_size
	.long	0
	.long	__pe_entry
	.long	PAGE_SIZE		/* BaseOfCode */
	.quad	0			/* ImageBase: no preference */
	.long	PAGE_SIZE		/* SectionAlignment */
	.long	FILE_ALIGNMENT
	.short	0, 0, 0, 0, 0, 0	/* versions */
	.long	0
	.long	__image_size		/* SizeOfImage */
	.long	PAGE_SIZE		/* SizeOfHeaders */
	.long	0			/* CheckSum */
	.short	SUBSYSTEM_EFI
	.short	DLL_NX_COMPAT
	.quad	0, 0, 0, 0		/* stacks and heaps */
	.long	0
	.long	DIRECTORIES
	.fill	DIRECTORIES, 8, 0

sections:
	.ascii	".text\0\0\0"
	.long	__pe_text_size		/* in memory */
	.long	PAGE_SIZE
	.long	__pe_text_size		/* in the file */
	.long	PAGE_SIZE
	.long	0, 0, 0
	.long	SECTION_TEXT

	.ascii	".data\0\0\0"
	.long	__pe_data_memory
	.long	__pe_data
	.long	__pe_data_size
	.long	__pe_data
	.long	0, 0, 0
	.long	SECTION_DATA
sections_end:

	.balign	PAGE_SIZE
