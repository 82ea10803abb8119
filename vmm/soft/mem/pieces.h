/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The accesses of one instruction of SVE to several places: none is made unless all can be.
 */
#ifndef VSPE_SOFT_PIECES_H
#define VSPE_SOFT_PIECES_H

#include "soft/cpu.h"

/*
 * The most that there are: 64 words of a gather, each of which may cross a page, or elements of
 * which every other one is active, one of which does.
 */
#define SOFT_PIECES (SOFT_VL_MAX / 2 + 1)

/* Bytes in one page, moved from or to those at offset of an image. */
struct soft_piece {
	uint64_t va;
	uint16_t offset, size;
	bool unaligned; /* its elements are */
};

struct soft_pieces {
	uint8_t *image;
	uint8_t element; /* bytes that are aligned together */
	bool write;
	bool gathers; /* vector elements, from wherever they are */
	uint16_t count;
	struct soft_piece at[SOFT_PIECES];
};

/* None yet, of an instruction that begins. */
void soft_pieces_begin(struct soft_cpu *cpu, struct soft_pieces *p, uint8_t *image,
		       unsigned int element, bool write);

/* Elements that follow each other, size bytes of at most a page. */
void soft_pieces_add(struct soft_pieces *p, uint64_t va, unsigned int offset, unsigned int size);

/* Move them all. false: cpu->fault is set, and no memory was changed. */
bool soft_pieces_move(struct soft_cpu *cpu, const struct soft_pieces *p);

/*
 * Read them all, as non-fault loads do: false, and nothing else, if one of them faults, is watched
 * or is Device memory.
 */
bool soft_pieces_try(struct soft_cpu *cpu, const struct soft_pieces *p);

#endif
