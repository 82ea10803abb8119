/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What perf must know about a guest's file to name its addresses, from the ELF file if it is one,
 * otherwise from where the image was loaded.
 */
#ifndef VSPE_TRACE_PERF_GUEST_H
#define VSPE_TRACE_PERF_GUEST_H

#include "trace/perf_data.h"

#include <stdbool.h>

#define PERF_GUEST_MAPS 16u

/* Storage for what a struct perf_data_guest points to. No resources to free. */
struct perf_guest {
	struct perf_data_map maps[PERF_GUEST_MAPS];
	uint64_t vectors; /* of a Linux kernel: the symbol in its file; 0: not one */
};

/*
 * Fill in name, build id, maps, anchor and anchor_address of guest; the caller sets the other
 * fields. name is the path of the file with the guest's symbols, an AArch64 ELF file or, of a Linux
 * kernel, System.map or kallsyms; or of its image. load and size say where in memory an image is.
 * Its addresses at EL0 are taken to be equal to that, and those at EL1 to be the ones it was linked
 * for. With a size of 0 it must be a file of symbols. guest points into store and name, which must
 * live until perf_data_open(). Executable segments beyond PERF_GUEST_MAPS have no names in perf.
 * Returns 0 or a negative errno: -ENOENT and others of open(2), -EISDIR for a folder, -ENOEXEC for
 * a damaged ELF file or one for another machine, -ENODATA for a truncated one; -EACCES and -E2BIG
 * of symbols_add().
 */
int perf_guest_describe(struct perf_data_guest *guest, struct perf_guest *store, const char *name,
			uint64_t load, uint64_t size);
/*
 * How far the kernel runs from where its file has it, judging by its vectors. False if that is
 * impossible, as the kernel moves by multiples of 64 KiB (arch/arm64/kernel/kaslr.c, head.S).
 */
bool perf_guest_moved(const struct perf_guest *store, uint64_t vectors, uint64_t *by);
/* A message for users; static storage, or strerror()'s. */
const char *perf_guest_strerror(int error);

#endif
