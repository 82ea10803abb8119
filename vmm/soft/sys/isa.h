/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which optional instructions of isa.def a machine has: a set, with a bit for each row in their
 * order.
 */
#ifndef VSPE_SOFT_ISA_H
#define VSPE_SOFT_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "a64/a64.h"

enum soft_isa_bit {
#define ISA(name, word, id, shift, value) SOFT_ISA_BIT_##name,
#define ISA_NEEDS(one, other)
#include "soft/sys/isa.def"
	SOFT_ISA_COUNT
};

/* Characters that the words of all of them need, with commas and the end. */
enum {
	SOFT_ISA_WORDS = sizeof("none")
#define ISA(name, word, id, shift, value) +sizeof(word)
#define ISA_NEEDS(one, other)
#include "soft/sys/isa.def"
};

_Static_assert(SOFT_ISA_COUNT < 64, "a set of them is 64 bits");

#define SOFT_ISA(name) (UINT64_C(1) << SOFT_ISA_BIT_##name)
#define SOFT_ISA_ALL   ((UINT64_C(1) << SOFT_ISA_COUNT) - 1)

/* Those of the core of this name (spe/cores.def). */
uint64_t soft_isa_of_core(const char *core);

/* Bytes of the longest vector of SVE that the core of this name has; if it has none, 32. */
uint16_t soft_isa_sve_vl(const char *core);

/* The one with this word, of size characters; 0: there is none. */
uint64_t soft_isa_find(const char *word, size_t size);

/* Their words, with commas between them: "aes,sha1"; "none" for none. */
void soft_isa_words(uint64_t isa, char *text, size_t size);

/* Does none lack another that it needs? Otherwise *one and *other are their words. */
bool soft_isa_possible(uint64_t isa, const char **one, const char **other);

/* Their fields of an ID register. */
uint64_t soft_isa_id_fields(uint64_t isa, uint32_t encoding);

/* The size of physical addresses: 52 bits with FEAT_LPA, else 40. */
uint8_t soft_pa_bits(uint64_t isa);

/* The existing bits of FPCR: FZ16 comes with half-precision arithmetic. */
uint32_t soft_fpcr_mask(uint64_t isa);

/* Is the instruction of this row and word present? One without a feature of isa.def always is. */
bool soft_isa_has(uint64_t isa, const struct a64_insn *insn, uint32_t word);

#endif
