/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stage 1 walks with addresses of 52 bits: a regime, tables of a handful of doublewords anywhere,
 * and what the Arm ARM says of both (D8.2, D8.3), written down a second time.
 */
#ifndef VSPE_TESTS_WALK_WIDE_H
#define VSPE_TESTS_WALK_WIDE_H

#include "arm/walk.h"

#define BIT(n)	      (UINT64_C(1) << (n))
#define BITS(hi, lo)  ((~UINT64_C(0) >> (63 - (hi) + (lo))) << (lo))
#define PAGE_OR_TABLE 3
#define BLOCK	      1
#define AF	      BIT(10)

#define TRANSLATION   0x04
#define ADDRESS_SIZE  0x00
#define ACCESS_FLAG   0x08
#define PERMISSION    0x0c
#define EXTERNAL_WALK 0x14

/* As the tables of D8.2 have them: to which TxSZ a walk begins at each level, from -1 on. */
struct granule {
	unsigned int bits, tg0, tg1;
	unsigned int last[5];
	unsigned int shift[5]; /* of what a descriptor maps */
};

extern const struct granule granules[3];

#define FOR_EACH_GRANULE(g) for (const struct granule *g = granules; g < granules + 3; g++)

/* Where an output address is in a descriptor. */
enum form { NARROW, LPA, LPA2 };

/* A walk to va, in a half of the address space; the tables by level, from -1 on. */
struct walk {
	const struct granule *g;
	unsigned int txsz;
	bool ds, high;
	uint64_t va, table[5];
	int start;
};

/* All of memory, in the order in which it was set. */
struct word {
	uint64_t pa, value;
};

extern struct word words[16];
extern unsigned int reads; /* since the last fault_of() began */
extern struct arm_regime regime;

/* EL1&0 with all that there is, IPS of 52 bits and, in MAIR, Normal memory. */
void reset(void);
uint64_t *word_at(uint64_t pa);
void set_word(uint64_t pa, uint64_t value);

int start_level(const struct granule *g, unsigned int txsz);
uint8_t code(unsigned int fsc, int level);
uint64_t tcr_of(const struct granule *g, unsigned int txsz, bool ds, bool high);
uint64_t output(enum form form, uint64_t pa);
enum form form_of(const struct granule *g, bool ds);
/* May a descriptor be that of a block, from level -1 to 2? */
bool block_at(const struct granule *g, enum form form, int level);

/* Anywhere: with bits above 48, but in those that the form has. */
struct walk walk_of(const struct granule *g, unsigned int txsz, bool ds, bool high);
/* Tables from the first level down to that of level end, which holds value. */
void build(struct walk *w, int end, uint64_t value);
uint64_t descriptor_pa(const struct walk *w, int level);

/* What EL1 reads at va; or the status code of the fault. */
uint64_t pa_of(uint64_t va);
uint8_t fault_of(uint64_t va);

#endif
