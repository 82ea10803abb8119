// SPDX-License-Identifier: BSD-2-Clause
/*
 * libFuzzer target: --restore on any file. The checksums are made right first, so that what is
 * behind them is reached: the machine is refused with a reason, or runs a while and can be saved.
 */
#include "../state/seal.h"
#include "../state/try.h"

#define RAM_MOST (UINT64_C(16) << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	uint8_t *image = malloc(size + 1);

	try_require(image != NULL);
	memcpy(image, bytes, size);
	seal(image, size);
	(void)try_image(image, size, RAM_MOST);
	free(image);
	return 0;
}
