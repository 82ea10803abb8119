/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions that the plugin executes instead of QEMU, or before it does. */
#ifndef VSPE_QEMU_ACCESS_H
#define VSPE_QEMU_ACCESS_H

#include "qemu/plugin.h"

/* Request a callback before the instruction, if the plugin must know of it. */
void access_watch(struct qemu_plugin_insn *insn, struct place *place);

/* Is it one of those that are always watched? */
bool access_is_watched(uint32_t word);

/* The machine is reset: all units become as after power-on. All vCPUs are stopped. */
void access_reset(void *ctx);

#endif
