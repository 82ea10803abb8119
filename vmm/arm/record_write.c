/* SPDX-License-Identifier: BSD-2-Clause */
/* A record written page by page: see record_write.h. */
#include "arm/record_write.h"
#include "base/assertion.h"
#include "arm/syndrome.h"

#include <string.h>

#define PAGE 4096u /* nothing translates smaller pieces */

bool arm_buffer_output(uint64_t address, bool high_ignored, unsigned int pa_bits,
		       const struct arm_walk_features *features, uint64_t *output,
		       struct arm_translation *t)
{
	/* With FEAT_LPA, which shows in pa_bits, or FEAT_LPA2 there can be 52 bits. */
	const bool wide = pa_bits > 48 || features->lpa2_4k || features->lpa2_16k;

	*output = high_ignored ? address << (wide ? 12 : 16) >> (wide ? 12 : 16) : address;
	if (*output >> pa_bits == 0)
		return true;
	*t = (struct arm_translation){.fault = true, .fsc = ARM_FSC_ADDRESS_SIZE};
	return false;
}

static struct spe_write_result write_part(const struct arm_buffer_space *space, uint64_t address,
					  const uint8_t *bytes, size_t size)
{
	struct arm_translation t = {0};
	uint8_t *host = NULL;

	if (!space->find(space->ctx, address, size, &t, &host))
		return (struct spe_write_result){
			.status = SPE_WRITE_FAULT,
			.fsc = t.fsc,
			.stage2 = t.stage2,
		};
	if (!host)
		return (struct spe_write_result){
			.status = SPE_WRITE_EXTERNAL_ABORT,
			.fsc = ARM_FSC_EXTERNAL,
		};
	memcpy(host, bytes, size);
	return (struct spe_write_result){.status = SPE_WRITE_OK, .written = size};
}

struct spe_write_result arm_write_record(const struct arm_buffer_space *space, uint64_t address,
					 const uint8_t *bytes, size_t size)
{
	struct spe_write_result result = {.status = SPE_WRITE_OK};

	while (result.written < size && result.status == SPE_WRITE_OK) {
		const uint64_t at = address + result.written;
		const size_t here = PAGE - at % PAGE;
		const size_t n = size - result.written < here ? size - result.written : here;
		struct spe_write_result part = write_part(space, at, bytes + result.written, n);

		part.written += result.written;
		result = part;
		vspe_assert_of(result.written <= size && (result.status || n), result.written,
			       size);
	}
	return result;
}
