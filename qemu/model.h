/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * With model=warm: what the machine model (vspe/model.h) is shown of a guest while operations are
 * counted, and what it says of the sampled one. docs/qemu.md says what it does not see.
 */
#ifndef VSPE_QEMU_MODEL_H
#define VSPE_QEMU_MODEL_H

#include "qemu/plugin.h"

/* Make the model, of so many cores. Returns NULL, or why it cannot be. */
const char *model_begin(unsigned int cores);

/* Is there one, and does it matter now? */
bool model_watches(void);

/* Tell QEMU of the callbacks for a block. They come before those that count it. */
void model_watch(struct qemu_plugin_tb *tb, struct block *block);

/*
 * The planned operation has finished: set its latencies, its events of caches and branches, and its
 * data source. unaccessed: its address was translated, and that was all.
 */
void model_finish(struct vcpu *v, bool unaccessed, struct spe_op *op);

#endif
