/* SPDX-License-Identifier: BSD-2-Clause */
/* loop BITS COUNT: the loop of loop.S with vectors of BITS bits, COUNT times. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>

#define ELEMENTS_MAX 64

void sve_loop(const uint32_t *from, uint32_t *to, const uint32_t *offsets, uint64_t count);

/* Each element of a gather or scatter is STEP elements after the one before. */
#define STEP 19

uint32_t from[4096] __attribute__((aligned(4096))), to[4096] __attribute__((aligned(4096)));

int main(int argc, char **argv)
{
	const int vl = argc == 3 ? atoi(argv[1]) / 8 : 0;
	uint32_t offsets[ELEMENTS_MAX];

	if (vl == 0 || (prctl(PR_SVE_SET_VL, vl) & PR_SVE_VL_LEN_MASK) != vl)
		return 2;
	for (uint32_t i = 0; i < ELEMENTS_MAX; i++)
		offsets[i] = i * STEP;
	sve_loop(from, to, offsets, strtoull(argv[2], NULL, 0));
	return 0;
}
