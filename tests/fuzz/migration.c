// SPDX-License-Identifier: BSD-2-Clause
/*
 * libFuzzer target: --incoming from any peer. The checksums are made right first, so that what is
 * behind them is reached: the machine is refused with a reason, or runs a while.
 */
#include "../state/seal.h"
#include "../state/try.h"

#define RAM_MOST (UINT64_C(16) << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	uint8_t *sent = malloc(size + 1);

	try_require(sent != NULL);
	memcpy(sent, bytes, size);
	seal(sent, size);
	(void)try_machine(sent, size, RAM_MOST, true);
	free(sent);
	return 0;
}
