/* SPDX-License-Identifier: BSD-2-Clause */
/* The callbacks in QEMU's translation of a block. */
#ifndef VSPE_QEMU_TRANSLATE_H
#define VSPE_QEMU_TRANSLATE_H

#include "qemu/plugin.h"

/* A block was translated, and can be given callbacks. */
void translate_block(struct qemu_plugin_tb *tb, void *ctx);

/* No translation is there any more. */
void translate_flush(void *ctx);

#endif
