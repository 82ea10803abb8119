/* SPDX-License-Identifier: BSD-2-Clause */
/* INVARIANT() for vmm: see there. */
#ifndef VSPE_BASE_INVARIANT_H
#define VSPE_BASE_INVARIANT_H

#include "../../sysreg/invariant.h" // IWYU pragma: export

#endif
