/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer target: --incoming from any peer: the machine is refused with a reason, or runs a
 * while. */
#include "sealed.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	sealed_machine(bytes, size, true);
	return 0;
}
