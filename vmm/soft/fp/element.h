/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Elements of a vector register by number; size: they have 1 << size bytes.
 */
#ifndef VSPE_SOFT_ELEMENT_H
#define VSPE_SOFT_ELEMENT_H

#include "soft/cpu.h"

static inline uint64_t soft_element(const union soft_vector *v, unsigned int size, unsigned int i)
{
	switch (size) {
	case 0: return v->b[i];
	case 1: return v->h[i];
	case 2: return v->s[i];
	default: return v->d[i];
	}
}

static inline void soft_set_element(union soft_vector *v, unsigned int size, unsigned int i,
				    uint64_t value)
{
	switch (size) {
	case 0: v->b[i] = (uint8_t)value; break;
	case 1: v->h[i] = (uint16_t)value; break;
	case 2: v->s[i] = (uint32_t)value; break;
	default: v->d[i] = value; break;
	}
}

/* All elements. */
static inline void soft_fill(union soft_vector *v, unsigned int size, uint64_t value)
{
	static const uint64_t ones[] = {UINT64_C(0x0101010101010101), UINT64_C(0x0001000100010001),
					UINT64_C(0x0000000100000001), 1};

	if (size < 3)
		value &= (UINT64_C(1) << (8u << size)) - 1;
	v->d[0] = v->d[1] = value * ones[size];
}

static inline uint64_t soft_sign_extend(uint64_t value, unsigned int size)
{
	const unsigned int up = 64 - (8u << size);

	return (uint64_t)((int64_t)(value << up) >> up);
}

/* Is it Advanced SIMD scalar? The vector instructions of its group have a 0 here, and Q. */
static inline bool soft_is_scalar(uint32_t word)
{
	return word >> 28 & 1;
}

/* Vd = the lowest bytes of r, and 0 above: 1, 2, 4, 8 or 16. */
static inline void soft_put_vector(struct soft_cpu *cpu, unsigned int d, const union soft_vector *r,
				   unsigned int bytes)
{
	union soft_vector *v = &cpu->v[d];

	v->d[0] = bytes >= 8 ? r->d[0] : r->d[0] & ((UINT64_C(1) << 8 * bytes) - 1);
	v->d[1] = bytes == 16 ? r->d[1] : 0;
}

/* The lowest element of Vd, and 0 above. */
static inline void soft_put_scalar(struct soft_cpu *cpu, unsigned int d, uint64_t value)
{
	cpu->v[d].d[0] = value;
	cpu->v[d].d[1] = 0;
}

/* Xd */
static inline void soft_put_x(struct soft_cpu *cpu, unsigned int d, uint64_t value)
{
	cpu->x[d == 31 ? SOFT_X_SINK : d] = value;
}

#endif
