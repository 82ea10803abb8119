/* SPDX-License-Identifier: BSD-2-Clause */
/* Cryptography of SVE2: each segment is what a vector of Advanced SIMD is there. */
#include "soft/sve/sve.h"

/* AESE, AESD */
void soft_sve_aes(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve2_crypto_two f = a64_get_sve2_crypto_two(op->word);

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		soft_aes_round(&cpu->z[c][f.zdn], &cpu->z[c][f.zm], f.o2);
	soft_sve_written(cpu, f.zdn);
}

/* AESMC, AESIMC */
void soft_sve_aes_mix(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve2_aes_mix f = a64_get_sve2_aes_mix(op->word);

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		soft_aes_mix(&cpu->z[c][f.zdn], &cpu->z[c][f.zdn], f.op);
	soft_sve_written(cpu, f.zdn);
}

void soft_sve_sm4(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve2_crypto_two f = a64_get_sve2_crypto_two(op->word);

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		soft_sm4(&cpu->z[c][f.zdn], &cpu->z[c][f.zdn], &cpu->z[c][f.zm], false);
	soft_sve_written(cpu, f.zdn);
}

void soft_sve_sm4_key(struct soft_cpu *cpu, const struct soft_op *op)
{
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		soft_sm4(&cpu->z[c][op->rd], &cpu->z[c][op->rn], &cpu->z[c][op->rm], true);
	soft_sve_written(cpu, op->rd);
}
