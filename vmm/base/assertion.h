/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe_assert() for vmm: see there. */
#ifndef VSPE_BASE_ASSERTION_H
#define VSPE_BASE_ASSERTION_H

#include "../../sysreg/assertion.h" // IWYU pragma: export

#endif
