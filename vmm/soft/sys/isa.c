/* SPDX-License-Identifier: BSD-2-Clause */
/* The optional instructions: see isa.h. */
#include "soft/sys/isa.h"

#include <stdio.h>
#include <string.h>

#include "arm/registers.h"
#include "soft/fp/float.h"

static const struct {
	const char *name;
	uint64_t isa;
} cores[] = {
#define FEATURE(name)			    SOFT_ISA(name)
#define CORE(name, midr, sources, isa, ...) {(name), (isa)},
#include "spe/cores.def"
};

static const struct {
	const char *word;
	uint32_t id;
	uint8_t shift, value;
} rows[] = {
#define ISA(name, word, id, shift, value) {(word), (id), (shift), (value)},
#define ISA_NEEDS(one, other)
#include "soft/sys/isa.def"
};

static const struct {
	uint8_t one, other;
} needs[] = {
#define ISA(name, word, id, shift, value)
#define ISA_NEEDS(one, other) {SOFT_ISA_BIT_##one, SOFT_ISA_BIT_##other},
#include "soft/sys/isa.def"
};

uint64_t soft_isa_of_core(const char *core)
{
	for (size_t i = 0; i < sizeof(cores) / sizeof(cores[0]); i++)
		if (strcmp(cores[i].name, core) == 0)
			return cores[i].isa;
	return 0;
}

uint16_t soft_isa_sve_vl(const char *core)
{
	static const struct {
		const char *name;
		uint16_t bits;
	} lengths[] = {
#define CORE_SVE(name, bits) {(name), (bits)},
#include "spe/cores.def"
	};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		if (strcmp(lengths[i].name, core) == 0)
			return lengths[i].bits / 8;
	return 32;
}

uint64_t soft_isa_find(const char *word, size_t size)
{
	for (unsigned int n = 0; n < SOFT_ISA_COUNT; n++)
		if (strlen(rows[n].word) == size && memcmp(rows[n].word, word, size) == 0)
			return UINT64_C(1) << n;
	return 0;
}

void soft_isa_words(uint64_t isa, char *text, size_t size)
{
	size_t used = 0;

	(void)snprintf(text, size, "none");
	for (unsigned int n = 0; n < SOFT_ISA_COUNT && used < size; n++)
		if (isa >> n & 1)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "," : "",
						 rows[n].word);
}

bool soft_isa_possible(uint64_t isa, const char **one, const char **other)
{
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		if (!(isa >> needs[i].one & 1) || isa >> needs[i].other & 1)
			continue;
		*one = rows[needs[i].one].word;
		*other = rows[needs[i].other].word;
		return false;
	}
	return true;
}

uint64_t soft_isa_id_fields(uint64_t isa, uint32_t encoding)
{
	uint64_t fields = 0;

	for (unsigned int n = 0; n < SOFT_ISA_COUNT; n++) {
		const uint64_t value = (uint64_t)rows[n].value << rows[n].shift;
		const uint64_t field = UINT64_C(0xf) << rows[n].shift;

		if (isa >> n & 1 && rows[n].id == encoding && value > (fields & field))
			fields = (fields & ~field) | value;
	}
	/* Advanced SIMD has half precision if and only if floating point has. */
	if (encoding == ARM_ID_AA64PFR0_EL1)
		fields |= (fields & UINT64_C(0xf) << 16) << 4;
	/* GPA: generic authentication comes with that of addresses, and by the same algorithm. */
	if (encoding == ARM_ID_AA64ISAR1_EL1 && isa & SOFT_ISA(PAuth))
		fields |= UINT64_C(1) << 24;
	/* Of SVE, those that Advanced SIMD has too. */
	if (encoding == ARM_ID_AA64ZFR0_EL1 && isa & SOFT_ISA(SVE))
		fields |= (isa & SOFT_ISA(I8MM) ? UINT64_C(1) << 44 : 0) |
			  (isa & SOFT_ISA(BF16) ? UINT64_C(1) << 20 : 0);
	return fields;
}

uint8_t soft_pa_bits(uint64_t isa)
{
	return isa & SOFT_ISA(LPA) ? 52 : 40;
}

uint32_t soft_fpcr_mask(uint64_t isa)
{
	return isa & SOFT_ISA(FP16) ? FPCR_IMPLEMENTED : FPCR_IMPLEMENTED & ~FPCR_FZ16;
}

/* Half precision by the field ftype; conversions from it came with FP. */
static bool is_scalar_half(const struct a64_insn *insn, uint32_t word)
{
	return insn->feature == A64_FEAT_FP && insn->group == A64_GROUP_VECTOR &&
	       insn->id != A64_FCVT && (word & UINT32_C(0x7ec00000)) == UINT32_C(0x1ec00000);
}

/* Between halves and fixed-point numbers: immh is 001x. */
static bool is_fixed_half(const struct a64_insn *insn, uint32_t word)
{
	switch (insn->id) {
	case A64_SCVTF_VECTOR_FIXED:
	case A64_UCVTF_VECTOR_FIXED:
	case A64_FCVTZS_VECTOR_FIXED:
	case A64_FCVTZU_VECTOR_FIXED:
	case A64_SCVTF_SCALAR_FIXED:
	case A64_UCVTF_SCALAR_FIXED:
	case A64_FCVTZS_SCALAR_FIXED:
	case A64_FCVTZU_SCALAR_FIXED: return !(word >> 21 & 3);
	default: return false;
	}
}

/* The bits that the instruction needs. */
static uint64_t needed(const struct a64_insn *insn, uint32_t word)
{
	static const uint64_t of_feature[] = {
		[A64_FEAT_UAO] = SOFT_ISA(UAO),
		[A64_FEAT_DIT] = SOFT_ISA(DIT),
		[A64_FEAT_SSBS] = SOFT_ISA(SSBS2),
		[A64_FEAT_AES] = SOFT_ISA(AES),
		[A64_FEAT_SHA1] = SOFT_ISA(SHA1),
		[A64_FEAT_SHA256] = SOFT_ISA(SHA256),
		[A64_FEAT_RDM] = SOFT_ISA(RDM),
		[A64_FEAT_DOTPROD] = SOFT_ISA(DotProd),
		[A64_FEAT_FP16] = SOFT_ISA(FP16),
		[A64_FEAT_LRCPC] = SOFT_ISA(LRCPC),
		[A64_FEAT_FLAGM] = SOFT_ISA(FlagM),
		[A64_FEAT_FLAGM2] = SOFT_ISA(FlagM2),
		[A64_FEAT_FCMA] = SOFT_ISA(FCMA),
		[A64_FEAT_JSCVT] = SOFT_ISA(JSCVT),
		[A64_FEAT_FRINTTS] = SOFT_ISA(FRINTTS),
		[A64_FEAT_SHA512] = SOFT_ISA(SHA512),
		[A64_FEAT_SHA3] = SOFT_ISA(SHA3),
		[A64_FEAT_SM3] = SOFT_ISA(SM3),
		[A64_FEAT_SM4] = SOFT_ISA(SM4),
		[A64_FEAT_LRCPC2] = SOFT_ISA(LRCPC2),
		[A64_FEAT_FHM] = SOFT_ISA(FHM),
		[A64_FEAT_I8MM] = SOFT_ISA(I8MM),
		[A64_FEAT_BF16] = SOFT_ISA(BF16),
		[A64_FEAT_SB] = SOFT_ISA(SB),
		[A64_FEAT_SVE] = SOFT_ISA(SVE),
		[A64_FEAT_F32MM] = SOFT_ISA(F32MM),
		[A64_FEAT_F64MM] = SOFT_ISA(F64MM),
		[A64_FEAT_PAUTH] = SOFT_ISA(PAuth),
		[A64_FEAT_MOPS] = SOFT_ISA(MOPS),
		[A64_FEAT_CSSC] = SOFT_ISA(CSSC),
		[A64_FEAT_WFXT] = SOFT_ISA(WFxT),
		[A64_FEAT_LSE128] = SOFT_ISA(LSE128),
		[A64_FEAT_LRCPC3] = SOFT_ISA(LRCPC3),
		[A64_FEAT_HBC] = SOFT_ISA(HBC),
		[A64_FEAT_SVE2] = SOFT_ISA(SVE2),
		[A64_FEAT_SVE_AES] = SOFT_ISA(SVE_AES),
		[A64_FEAT_SVE_SHA3] = SOFT_ISA(SVE_SHA3),
		[A64_FEAT_SVE_SM4] = SOFT_ISA(SVE_SM4),
		[A64_FEAT_SVE_BITPERM] = SOFT_ISA(SVE_BitPerm),
		[A64_FEAT_SVE_PMULL128] = SOFT_ISA(SVE_PMULL128),
	};

	if (a64_is_sve(insn))
		return SOFT_ISA(SVE) | of_feature[insn->feature];
	if (insn->feature == A64_FEAT_FCMA && (word >> 22 & 3) == 1)
		return SOFT_ISA(FCMA) | SOFT_ISA(FP16);
	if (insn->feature < sizeof(of_feature) / sizeof(of_feature[0]) && of_feature[insn->feature])
		return of_feature[insn->feature];
	if (is_scalar_half(insn, word) || is_fixed_half(insn, word))
		return SOFT_ISA(FP16);
	if (insn->id == A64_PMULL && (word >> 22 & 3) == 3)
		return SOFT_ISA(PMULL);
	return 0;
}

bool soft_isa_has(uint64_t isa, const struct a64_insn *insn, uint32_t word)
{
	const uint64_t bits = needed(insn, word);

	return (isa & bits) == bits;
}
