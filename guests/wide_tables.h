/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translation tables of 52-bit addresses, in both halves, and calls with them: FEAT_LPA2 with the
 * 4K and 16K granules, FEAT_LVA and FEAT_LPA with 64K (Arm ARM D8.2, D8.3).
 */
#ifndef WIDE_TABLES_H
#define WIDE_TABLES_H

/* struct wide_regs, for wide_code.S. */
#define REGS_TTBR0 0
#define REGS_TTBR1 8
#define REGS_TCR   16
#define REGS_FLAT  24
#define REGS_TO_PA 32 /* and change */

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

struct wide_granule {
	const char *name;
	unsigned int bits; /* log2 of its bytes */
	unsigned int tg0, tg1;
	int first; /* level of lookup, for 52 bits */
	int block; /* the first level of blocks, where output addresses have 52 bits */
	bool ds;   /* TCR_EL1.DS makes the difference */
};

enum { WIDE_4K, WIDE_16K, WIDE_64K, WIDE_COUNT };
extern const struct wide_granule wide_granules[WIDE_COUNT];

/* NULL if the PE has addresses of 52 bits with this granule, else why not: virtual, physical. */
const char *wide_va(const struct wide_granule *g);
const char *wide_pa(const struct wide_granule *g);

/* What leaves are made of. */
#define WIDE_AF	    (UINT64_C(1) << 10)
#define WIDE_RO	    (UINT64_C(1) << 7)
#define WIDE_DBM    (UINT64_C(1) << 51)
#define WIDE_TCR_HA (UINT64_C(1) << 39)
#define WIDE_TCR_HD (UINT64_C(1) << 40)

/* For wide_call(); TTBR0_EL1, TTBR1_EL1 and TCR_EL1. */
struct wide_regs {
	uint64_t ttbr0, ttbr1, tcr;
	uint64_t flat;	 /* TTBR0_EL1 before, of tables that map the image flat */
	uint64_t to_pa;	 /* to add to an address of the image */
	uint64_t change; /* bits of SCTLR_EL1 */
};

extern struct wide_regs wide_regs;

/* New tables, which map the image where it is linked. What has been made before is gone. */
void wide_begin(const struct wide_granule *g);
/*
 * Map one page, or block of a level below 3, of memory for EL1 to read and write and execute. pa
 * has 52 bits. The descriptor, to change as one likes before the next wide_call().
 */
uint64_t *wide_map(uint64_t va, uint64_t pa, int level);
/* All of the image, from va on. */
void wide_map_image(uint64_t va);
/* The descriptor of a level that va is looked up in; NULL if no walk gets there. */
uint64_t *wide_descriptor(uint64_t va, int level);

/*
 * Tables and data big-endian in the next wide_call(): SCTLR_EL1.EE. Nothing can be mapped any more.
 * And can the PE do that?
 */
void wide_other_order(void);
bool wide_has_other_order(void);

/* The PA of something of the image. */
uint64_t wide_image_pa(const void *address);

/*
 * Call a function with wide_regs in force and interrupts as they are; then all is as it was. What
 * is not in the tables, the console for one, is out of its reach.
 */
uint64_t wide_call(uintptr_t function, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3);

/* Functions for that: PAR_EL1 after AT S1E1R and AT S1E1W. */
uint64_t wide_at_read(uint64_t va);
uint64_t wide_at_write(uint64_t va);
/* Where it is, by its own PC. */
uint64_t wide_where(void);
/* *to = value; what was there. */
uint64_t wide_swap(uint64_t to, uint64_t value);

/*
 * LAP operations a lap, and a RET. data is the start of a page; it and the page before are read
 * and written. By number in the lap:
 */
uint64_t wide_loop(uint64_t laps, uint64_t data);
#define LAP	   7
#define LAP_LOAD   0 /* data[0] */
#define LAP_STORE  1 /* data[1] */
#define LAP_BEFORE 3 /* a store to data[-1] */
#define LAP_PAIR   4 /* a load of data[-2] */
#define LAP_BRANCH 6 /* to the first */
#endif
#endif
