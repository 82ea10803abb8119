/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small programs for the tests of the interpreter, as the assembler made them.
 */
#ifndef TESTS_SOFT_CORE_PROGRAMS_H
#define TESTS_SOFT_CORE_PROGRAMS_H

#include <stdint.h>

__attribute__((unused)) static const uint32_t program_mixed[] = {
	0x910002df, /* mov sp, x22 */
	0xd28000c9, /* mov x9, #0x6 */
	0x8b090c00, /* add x0, x0, x9, lsl #3 */
	0xf81f0fe0, /* str x0, [sp, #-16]! */
	0xa8c10a81, /* ldp x1, x2, [x20], #16 */
	0xa93f0682, /* stp x2, x1, [x20, #-16] */
	0xeb02003f, /* cmp x1, x2 */
	0x54000048, /* b.hi 0x24 */
	0xcac21c23, /* eor x3, x1, x2, ror #7 */
	0xf27d001f, /* tst x0, #0x8 */
	0x54000040, /* b.eq 0x30 */
	0x94000017, /* bl 0x88 */
	0xf1001484, /* subs x4, x4, #0x5 */
	0x9a80b485, /* csinc x5, x4, x0, lt */
	0x7a41a0a6, /* ccmp w5, w1, #0x6, ge */
	0x9a9f87e6, /* cset x6, ls */
	0xba0000e7, /* adcs x7, x7, x0 */
	0xf82602aa, /* ldadd x6, x10, [x21] */
	0xc85f7eab, /* ldxr x11, [x21] */
	0x9100056b, /* add x11, x11, #0x1 */
	0xc80c7eab, /* stxr w12, x11, [x21] */
	0x35ffffac, /* cbnz w12, 0x48 */
	0xd53b420d, /* mrs x13, nzcv */
	0x8b0d01ce, /* add x14, x14, x13 */
	0xf84107ef, /* ldr x15, [sp], #16 */
	0xd3432df0, /* ubfx x16, x15, #3, #9 */
	0x36100090, /* tbz w16, #2, 0x78 */
	0xf27c0e11, /* ands x17, x16, #0xf0 */
	0x54000041, /* b.ne 0x78 */
	0xf2c24690, /* movk x16, #0x1234, lsl #32 */
	0x9ace5e52, /* crc32cx w18, w18, x14 */
	0xf1000529, /* subs x9, x9, #0x1 */
	0x54fffc41, /* b.ne 0x8 */
	0xd40000e2, /* hvc #0x7 */
	0x9b014c13, /* madd x19, x0, x1, x19 */
	0x6b00027f, /* cmp w19, w0 */
	0x54000044, /* b.mi 0x98 */
	0x9ac90e7c, /* sdiv x28, x19, x9 */
	0xd65f03c0, /* ret */
};

__attribute__((unused)) static const uint32_t program_flags[] = {
	0xd2b80000, /* mov x0, #0xc0000000 */
	0xd51b4200, /* msr nzcv, x0 */
	0x9a9f17e1, /* cset x1, eq */
	0x9a9f57e2, /* cset x2, mi */
	0xd53b4203, /* mrs x3, nzcv */
	0x54000141, /* b.ne 0x3c */
	0x54000125, /* b.pl 0x3c */
	0xeb00001f, /* cmp x0, x0 */
	0xfa40100c, /* ccmp x0, x0, #0xc, ne */
	0xd53b4204, /* mrs x4, nzcv */
	0x9a9f17e5, /* cset x5, eq */
	0x9a9f57e6, /* cset x6, mi */
	0xab1f03e7, /* adds x7, xzr, xzr */
	0xd53b4208, /* mrs x8, nzcv */
	0xd4000002, /* hvc #0x0 */
	0xd4000022, /* hvc #0x1 */
};

__attribute__((unused)) static const uint32_t program_patch_near[] = {
	0xd280000a, /* mov x10, #0x0 */
	0xd2800069, /* mov x9, #0x3 */
	0x94000010, /* bl 0x48 */
	0x8b00014a, /* add x10, x10, x0 */
	0xf1000529, /* subs x9, x9, #0x1 */
	0x54ffffa1, /* b.ne 0x8 */
	0xb90000c5, /* str w5, [x6] */
	0xd50b7b26, /* dc cvau, x6 */
	0xd5033b9f, /* dsb ish */
	0xd50b7526, /* ic ivau, x6 */
	0xd5033b9f, /* dsb ish */
	0xd5033fdf, /* isb */
	0xd2800069, /* mov x9, #0x3 */
	0x94000005, /* bl 0x48 */
	0x8b00014a, /* add x10, x10, x0 */
	0xf1000529, /* subs x9, x9, #0x1 */
	0x54ffffa1, /* b.ne 0x34 */
	0xd4000002, /* hvc #0x0 */
	0xd2800020, /* mov x0, #0x1 */
	0xd65f03c0, /* ret */
};

__attribute__((unused)) static const uint32_t program_patch_far[] = {
	0xd280000a, /* mov x10, #0x0 */
	0xd2800069, /* mov x9, #0x3 */
	0xd63f00c0, /* blr x6 */
	0x8b00014a, /* add x10, x10, x0 */
	0xf1000529, /* subs x9, x9, #0x1 */
	0x54ffffa1, /* b.ne 0x8 */
	0xb90000c5, /* str w5, [x6] */
	0xd50b7b26, /* dc cvau, x6 */
	0xd5033b9f, /* dsb ish */
	0xd50b7526, /* ic ivau, x6 */
	0xd5033b9f, /* dsb ish */
	0xd5033fdf, /* isb */
	0xd2800069, /* mov x9, #0x3 */
	0xd63f00c0, /* blr x6 */
	0x8b00014a, /* add x10, x10, x0 */
	0xf1000529, /* subs x9, x9, #0x1 */
	0x54ffffa1, /* b.ne 0x34 */
	0xd4000002, /* hvc #0x0 */
};

__attribute__((unused)) static const uint32_t program_function[] = {
	0xd2800020, /* mov x0, #0x1 */
	0xd65f03c0, /* ret */
};

__attribute__((unused)) static const uint32_t program_data_beside_code[] = {
	0xd2807d09, /* mov x9, #0x3e8 */
	0xf9400020, /* ldr x0, [x1] */
	0x91000400, /* add x0, x0, #0x1 */
	0xf9000020, /* str x0, [x1] */
	0xf1000529, /* subs x9, x9, #0x1 */
	0x54ffff81, /* b.ne 0x4 */
	0xd4000002, /* hvc #0x0 */
};

__attribute__((unused)) static const uint32_t program_mmu_on[] = {
	0xd518c008, /* msr vbar_el1, x8 */
	0xd5182001, /* msr ttbr0_el1, x1 */
	0xd5182042, /* msr tcr_el1, x2 */
	0xd518a203, /* msr mair_el1, x3 */
	0xd5033fdf, /* isb */
	0xd5181004, /* msr sctlr_el1, x4 */
	0xd5033fdf, /* isb */
};

__attribute__((unused)) static const uint32_t program_pair_across[] = {
	0x9100054a, /* add x10, x10, #0x1 */
	0xa9bf98e5, /* stp x5, x6, [x7, #-8]! */
	0x9100056b, /* add x11, x11, #0x1 */
	0xd4000122, /* hvc #0x9 */
};

__attribute__((unused)) static const uint32_t program_store_across[] = {
	0x9100054a, /* add x10, x10, #0x1 */
	0xf80084e5, /* str x5, [x7], #8 */
	0x9100056b, /* add x11, x11, #0x1 */
	0xd4000122, /* hvc #0x9 */
};

__attribute__((unused)) static const uint32_t program_report[] = {
	0xd5386014, /* mrs x20, far_el1 */
	0xd5385215, /* mrs x21, esr_el1 */
	0xd5384036, /* mrs x22, elr_el1 */
	0xd4000022, /* hvc #0x1 */
};

__attribute__((unused)) static const uint32_t program_waits[] = {
	0xd503207f, /* wfi */
	0x91000400, /* add x0, x0, #0x1 */
	0xd503205f, /* wfe */
	0x91000400, /* add x0, x0, #0x1 */
	0xd50320bf, /* sevl */
	0xd503205f, /* wfe */
	0xd503205f, /* wfe */
	0x91000400, /* add x0, x0, #0x1 */
	0xd4024682, /* hvc #0x1234 */
	0x91000400, /* add x0, x0, #0x1 */
	0xd4000002, /* hvc #0x0 */
};

__attribute__((unused)) static const uint32_t program_interrupt[] = {
	0xd518c008, /* msr vbar_el1, x8 */
	0xd50342ff, /* msr daifclr, #0x2 */
	0x91000421, /* add x1, x1, #0x1 */
	0xb9000043, /* str w3, [x2] */
	0x91000400, /* add x0, x0, #0x1 */
	0xd4000002, /* hvc #0x0 */
};

__attribute__((unused)) static const uint32_t program_abort_loop[] = {
	0xd518c008, /* msr vbar_el1, x8 */
	0x91000400, /* add x0, x0, #0x1 */
	0xf9400045, /* ldr x5, [x2] */
	0xf9000040, /* str x0, [x2] */
	0xca0000c6, /* eor x6, x6, x0 */
	0x36080060, /* tbz w0, #1, 0x20 */
	0xf9400083, /* ldr x3, [x4] */
	0x910004e7, /* add x7, x7, #0x1 */
	0xeb06001f, /* cmp x0, x6 */
	0x54000048, /* b.hi 0x2c */
	0xd1000529, /* sub x9, x9, #0x1 */
	0x94000002, /* bl 0x34 */
	0x17fffff5, /* b 0x4 */
	0x9a89600a, /* csel x10, x0, x9, vs */
	0xd65f03c0, /* ret */
};

__attribute__((unused)) static const uint32_t program_skip_handler[] = {
	0xd5384034, /* mrs x20, elr_el1 */
	0x91001294, /* add x20, x20, #0x4 */
	0xd5184034, /* msr elr_el1, x20 */
	0xd69f03e0, /* eret */
};

__attribute__((unused)) static const uint32_t program_load_exclusive[] = {
	0xc85f7c20, /* ldxr x0, [x1] */
	0xd4000002, /* hvc #0x0 */
};

__attribute__((unused)) static const uint32_t program_store_exclusive[] = {
	0xc8027c23, /* stxr w2, x3, [x1] */
	0xd4000002, /* hvc #0x0 */
};

__attribute__((unused)) static const uint32_t program_plain_store[] = {
	0xf9000023, /* str x3, [x1] */
	0xd4000002, /* hvc #0x0 */
};

__attribute__((unused)) static const uint32_t program_pair_exclusive[] = {
	0xc87f0820, /* ldxp x0, x2, [x1] */
	0x91000400, /* add x0, x0, #0x1 */
	0x91000842, /* add x2, x2, #0x2 */
	0xc8230820, /* stxp w3, x0, x2, [x1] */
	0xd5033f5f, /* clrex */
	0xc8240022, /* stxp w4, x2, x0, [x1] */
	0xd28000a6, /* mov x6, #0x5 */
	0xd28000e7, /* mov x7, #0x7 */
	0xa9402428, /* ldp x8, x9, [x1] */
	0x48287c26, /* casp x8, x9, x6, x7, [x1] */
	0xa9402c2a, /* ldp x10, x11, [x1] */
	0xd4000002, /* hvc #0x0 */
};

__attribute__((unused)) static const uint32_t program_branch_away[] = {
	0xd61f0020, /* br x1 */
};

__attribute__((unused)) static const uint32_t program_stuck_stack[] = {
	0xd518c008, /* msr vbar_el1, x8 */
	0xd2800200, /* mov x0, #0x10 */
	0xf9400001, /* ldr x1, [x0] */
};

__attribute__((unused)) static const uint32_t program_vector_faults[] = {
	0xf9400001, /* ldr x1, [x0] */
	0xd69f03e0, /* eret */
};

__attribute__((unused)) static const uint32_t program_sp_access[] = {
	0xd518c008, /* msr vbar_el1, x8 */
	0x910003e0, /* mov x0, sp */
	0x91001000, /* add x0, x0, #0x4 */
	0x9100001f, /* mov sp, x0 */
	0xf84043e1, /* ldur x1, [sp, #4] */
	0xd4000122, /* hvc #0x9 */
};

#endif
