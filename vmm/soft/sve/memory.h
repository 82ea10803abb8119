/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads and stores of SVE. */
#ifndef VSPE_SOFT_SVE_MEMORY_H
#define VSPE_SOFT_SVE_MEMORY_H

#include "soft/kinds.h"

#define FUNCTION(name) SOFT_sve_##name,
enum soft_sve_memory {
#include "soft/sve/memory.def"
};
#define FUNCTION(name) soft_function soft_sve_##name;
#include "soft/sve/memory.def"

#endif
