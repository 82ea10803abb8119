/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What nv_code.S and nv.c agree on.
 */
#ifndef GUEST_NV_CODE_H
#define GUEST_NV_CODE_H

#define NV_SLED_PAIRS 1024

#endif
