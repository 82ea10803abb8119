/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vector registers, and what lanes.def does with their elements.
 */
#ifndef VSPE_SOFT_LANES_H
#define VSPE_SOFT_LANES_H

#include "soft/fp/float.h"

/* V0 to V31: element 0 is the lowest. */
union soft_vector {
	uint8_t b[16];
	uint16_t h[8];
	uint32_t s[4];
	uint64_t d[2];
};

/* SVE: 16 segments of 128 bits make the longest vector, and a predicate has a bit for each byte. */
#define SOFT_SEGMENTS	16
#define SOFT_VL_MAX	(16 * SOFT_SEGMENTS) /* bytes */
#define SOFT_PREDICATES 17		     /* P0 to P15, and FFR */
#define SOFT_FFR	16

union soft_predicate {
	uint8_t b[SOFT_VL_MAX / 8];
	uint16_t h[SOFT_SEGMENTS]; /* of each segment */
	uint64_t d[SOFT_VL_MAX / 64];
};

/*
 * Vd from Vn and Vm, and from the old Vd; k is the amount of a shift. count: elements that the
 * instruction has; the following ones in *d are undefined afterwards.
 */
typedef void soft_lanes(struct float_state *fp, union soft_vector *d, const union soft_vector *n,
			const union soft_vector *m, unsigned int k, unsigned int count);

#define LANES(name, e)	 SOFT_lane_##name,
#define COUNTED(name, e) SOFT_lane_##name,
#define FLOATS(name, e)	 SOFT_lane_##name,
enum soft_lane {
#include "soft/fp/lanes.def"
	SOFT_LANES
};

/* By enum soft_lane, and the size of an element: 1 << size bytes. NULL: there is none. */
extern soft_lanes *const soft_lanes_table[SOFT_LANES][4];

#endif
