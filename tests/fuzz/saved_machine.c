/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer target: --restore on any file: the machine is refused with a reason, or runs a while
 * and can be saved. */
#include "sealed.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	sealed_machine(bytes, size, false);
	return 0;
}
