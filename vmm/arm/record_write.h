/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A record written to the profiling buffer, page by page (Arm ARM D17.7). Each page of the guest is
 * translated separately, and everything before one that faults has been written.
 */
#ifndef VSPE_ARM_RECORD_WRITE_H
#define VSPE_ARM_RECORD_WRITE_H

#include <vspe/spe.h>

#include "arm/walk.h"

/* The address space that the buffer is in. */
struct arm_buffer_space {
	void *ctx;
	/*
	 * Find size bytes at address, all in one page of 4 KiB, that are written right after: *host
	 * is where they are, or NULL if there is no memory. false: the translation failed, and t
	 * says how.
	 */
	bool (*find)(void *ctx, uint64_t address, size_t size, struct arm_translation *t,
		     uint8_t **host);
};

/*
 * The physical or intermediate physical address of a byte that stage 1 does not translate, in
 * *output (Arm ARM D17.7.2), for a PE with pa_bits of physical address and these features of its
 * walks. false: there is no such address, and t is the Address Size fault of stage 1.
 */
bool arm_buffer_output(uint64_t address, bool high_ignored, unsigned int pa_bits,
		       const struct arm_walk_features *features, uint64_t *output,
		       struct arm_translation *t);

/* The result is that of spe_host.write. */
struct spe_write_result arm_write_record(const struct arm_buffer_space *space, uint64_t address,
					 const uint8_t *bytes, size_t size);

#endif
