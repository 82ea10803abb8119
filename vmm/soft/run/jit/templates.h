/* SPDX-License-Identifier: BSD-2-Clause */
/* The templates, by file: computations, flags and branches, memory, vectors. */
#ifndef VSPE_SOFT_RUN_JIT_TEMPLATES_H
#define VSPE_SOFT_RUN_JIT_TEMPLATES_H

#include "soft/run/jit/translator.h"
#include "soft/mem/memory.h"

/*
 * Values of an argument: two operands; a shift of the second, and its inverse; and multiplications.
 */
enum { T_ADD, T_OR, T_AND, T_SUB, T_XOR };
enum {
	T_LSL = 1 << 4,
	T_LSR = 2 << 4,
	T_ASR = 3 << 4,
	T_ROR = 4 << 4,
	T_SHIFTS = 7 << 4,
	T_NOT = 1 << 8,
};
enum { T_TIMES, T_PLUS, T_MINUS, T_SIGNED = 4 };
soft_template t_put_imm, t_put_reg, t_put_extended, t_put_move, t_put_move_imm, t_put_move_keep,
	t_put_shift, t_put_shift_by, t_put_field, t_put_insert, t_put_extract, t_put_multiply,
	t_put_multiply_long, t_put_multiply_high, t_put_divide, t_put_clz, t_put_rev, t_put_nothing;
/* Reverse bytes: in the register, in each 16 bits, in each 32. */
enum { T_REV, T_REV16, T_REV32 };

/* More values of an argument: ADDS, SUBS, CMP. */
enum { T_SUBS = 0, T_ADDS = 1, T_CMP = 2 };
soft_template t_put_flags, t_put_flags_imm, t_put_flags_extended, t_put_logic, t_put_logic_imm;
/*
 * ADC and SBC, by T_ADDS and T_SUBS; CCMN and CCMP, by the same shifted by eight, with the
 * condition.
 */
#define T_IMMEDIATE 4 /* Rm is the operand itself */
soft_template t_put_carry, t_put_compare_if;

/* A system register that the fast loop reads. */
soft_template t_put_read_system;

/* Conditions as they are encoded. */
#define T_CONDITION(c, mask, e, ...) T_CONDITION_##c,
enum { SOFT_CONDITIONS(T_CONDITION, ) T_CONDITIONS };
#undef T_CONDITION
/* ... and what is done to the operand that is selected if the condition does not hold. */
enum { T_INCREMENT = 1 << 8, T_INVERT = 2 << 8, T_NEGATE = 3 << 8, T_SELECTS = 3 << 8 };
soft_template t_put_select;

soft_template t_put_branch, t_put_jump, t_put_branch_if, t_put_compare_zero, t_put_test_bit;
soft_template t_put_compare_imm_branch, t_put_compare_branch, t_put_subtract_branch,
	t_put_logic_imm_branch, t_put_logic_branch;

/* The bytes of a load or store; signed: what is loaded is sign-extended to all of the register. */
#define T_SIGNED_ACCESS	       0x100
#define T_ACCESS_BYTES(access) ((access)&0xff)
soft_template t_put_load, t_put_store, t_put_load_pair, t_put_store_pair;

/*
 * How an atomic operation combines memory with a register; and the row for the function of a
 * SOFT_call, or NULL.
 */
enum t_atomic { T_ATOMIC_ADD, T_ATOMIC_CLEAR, T_ATOMIC_XOR, T_ATOMIC_SET, T_ATOMIC_SWAP };
const struct template_row *t_atomic_row(const struct soft_op *op);

/*
 * The first four bytes of soft_cpu.monitor after a load-exclusive of so many bytes; and those of
 * their bits that must be the same before a store-exclusive.
 */
_Static_assert(offsetof(struct soft_monitor, set) == 0 &&
		       offsetof(struct soft_monitor, watched) == 1 &&
		       offsetof(struct soft_monitor, size) == 2,
	       "set as one");
#define T_MONITOR(bytes) (1u | (unsigned int)(bytes) << 16)
#define T_MONITOR_MASK	 0x00ff00ff

/* Is it LDTR, STTR or the like? Those have separate entries of the software TLB. */
static inline bool t_unprivileged(const struct soft_op *op)
{
	return op->kind >= SOFT_MEMORY_FIRST && op->aux & SOFT_AUX_UNPRIVILEGED;
}

/* The register of a base, Rn or SP, after the checks. */
unsigned int t_put_base(struct translator *t, const struct soft_op *op, unsigned int slot);
/*
 * The address of an access of enum soft_form, whose base is Rn or SP. Returns the base's register
 * if that is the address and is not written before the access.
 */
unsigned int t_put_address(struct translator *t, const struct soft_op *op, bool sp,
			   unsigned int form, bool stays);
/*
 * Find the address's entry of the software TLB. The address + offset must be aligned to bytes, and
 * in the entry's page. side: the entry's member for reads or writes.
 */
void t_put_entry(struct translator *t, const struct soft_op *op, size_t side, unsigned int address,
		 unsigned int offset, unsigned int bytes);
/* Check that the same entry, which is for writes, also lets the page be read. */
void t_put_also_read(struct translator *t, const struct soft_op *op);
/* ... and get what to add to an address for the host's. */
void t_put_offset(struct translator *t);
/*
 * The same if the access may begin before the entry has been read: the value to add is expected to
 * be that of the last time, at this place, and is compared.
 */
void t_put_expected_offset(struct translator *t);
/*
 * Both, if bytes from the address on are in a page that the software TLB has, and, in Device
 * memory, each element is aligned.
 */
void t_put_vector_entry(struct translator *t, const struct soft_op *op, size_t side,
			unsigned int address, unsigned int element, unsigned int bytes);
/* reg += the immediate. */
void t_add_imm(struct translator *t, const struct soft_op *op, unsigned int reg);
/* The access is certain: write the base back, if its form says so. */
void t_write_back(struct translator *t, const struct soft_op *op, bool sp, unsigned int form);

/*
 * Computations with vectors, by the host's instructions for them or a call of the function; a
 * constant; accesses of so many bytes.
 */
#define T_TWO 0x80 /* registers */
soft_template t_put_vector, t_put_vector_immediate, t_put_vector_load, t_put_vector_store;
soft_template t_put_vector_inline;
/* Call the function in op->imm, which may look at and change all that the vCPU has. */
void t_call_function(struct translator *t, const struct soft_op *op);

/*
 * SVE; and the row for the function of a SOFT_call, or NULL. The address of an access: base and
 * index << shift, or a number below 4096 either way. Returns its register.
 */
soft_template t_put_sve;
const struct template_row *t_sve_row(const struct soft_op *op);
unsigned int t_put_indexed(struct translator *t, unsigned int base, unsigned int index,
			   unsigned int shift);
unsigned int t_put_displaced(struct translator *t, unsigned int base, int32_t by);

/*
 * A row of lanes.def on all elements of so many segments: those of Zacc, which lanes such as
 * FMLA's change, Zn and Zm, to Zd. Is there code of the host's for it?
 */
struct t_segments {
	unsigned int lane, size, count;
	unsigned int d, acc, n, m;
	bool is_float;
};
#define T_SEGMENT(n, c) ((n) + 32 * (c)) /* segment c of Zn, numbered as Vn are */
bool t_has_segments(const struct translator *t, const struct t_segments *s);
void t_put_segments(struct translator *t, const struct soft_op *op, const struct t_segments *s);

#endif
