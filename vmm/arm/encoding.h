/* SPDX-License-Identifier: BSD-2-Clause */
/* SYSREG_ENCODING() for vmm: see sysreg/encoding.h. */
#ifndef VSPE_ARM_ENCODING_H
#define VSPE_ARM_ENCODING_H

#include "../../sysreg/encoding.h" // IWYU pragma: export

#endif
