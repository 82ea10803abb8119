/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where things are in the virtual address space of a guest; for C, assembler and the linker script.
 *
 * A guest whose main program runs at EL1 (GUEST_EL 1) is in the upper half (TTBR1), so that bits
 * 55:48 of its addresses are ones, as perf expects of EL1 samples. Everything of EL0 is in the
 * lower half (TTBR0).
 *
 * EL3, and EL2 with HCR_EL2.E2H 0, have no upper half. A guest for one of them (GUEST_EL 2 or 3) is
 * all in the lower half, in one set of tables, at the same addresses except for bits 63:48.
 */
#ifndef GUEST_LAYOUT_H
#define GUEST_LAYOUT_H

#ifndef GUEST_EL
#define GUEST_EL 1
#endif

#if GUEST_EL == 1
#define KERNEL_VA 0xffff800000000000 /* the image, in one piece */
#define DATA_VA	  0xffff900000000000 /* data_alloc(): pages whose VA and PA differ */
#define DEVICE_VA 0xffffa00000000000 /* device_map(), rodata_map() */
#else
#define KERNEL_VA 0x0000800000000000
#define DATA_VA	  0x0000900000000000
#define DEVICE_VA 0x0000a00000000000
#define LINEAR_VA 0x0000b00000000000 /* all RAM, at LINEAR_VA + PA */
#endif

#define RAM_PA	0x40000000 /* QEMU's virt board: its device tree, if X0 does not say where */
#define LOAD_PA 0x40200000 /* where the ELF file is loaded; the Image may go anywhere */

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

/* struct lower_context, for the vectors and lower_enter_el2() and lower_enter_el3(). */
#define LOWER_PC     248
#define LOWER_SP_EL0 264
#define LOWER_EXIT   272

/* Immediates of the HVC or SMC with which lower levels talk to the library. */
#define LOWER_VECTOR_EL1 0x7100 /* plus the number of the vector */
#define LOWER_VECTOR_EL2 0x7200
#define LOWER_DONE	 0x7300 /* the end of lower_code() */
#define LOWER_RETURN	 0x7301

/* What is RES1 in Armv8.0; everything else off. SCTLR_ON: with I, C and M. */
#define SCTLR_EL1_OFF 0x30d00800
#define SCTLR_EL2_OFF 0x30c50830 /* EL3's too */
#define SCTLR_ON      0x1005

#endif
