/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where things lie in the virtual address space of a guest; for C, assembler and the linker script.
 *
 * The kernel part lies in the upper half (TTBR1), so that bits 55:48 of its addresses are ones, as
 * perf expects of EL1 samples. Everything of EL0 lies in the lower half (TTBR0).
 */
#ifndef GUEST_LAYOUT_H
#define GUEST_LAYOUT_H

#define KERNEL_VA 0xffff800000000000 /* the image, in one piece */
#define DATA_VA	  0xffff900000000000 /* data_alloc(): pages whose VA and PA differ */
#define DEVICE_VA 0xffffa00000000000 /* device_map() and the device tree */

#define LOAD_PA 0x40200000 /* where the ELF file asks to be loaded; the Image goes anywhere */

#define USER_TEXT_VA  0x0000000000400000
#define USER_STACK_VA 0x0000000000800000 /* the stack's top */
#define USER_DATA_VA  0x0000000010000000 /* user_data_alloc() */

#define PAGE_SHIFT 12
#define PAGE_SIZE  4096

#define MAX_CPUS	 8
#define STACK_SIZE	 16384
#define USER_STACK_PAGES 4

/* struct exc_frame, for the vectors. */
#define FRAME_SIZE 288

#endif
