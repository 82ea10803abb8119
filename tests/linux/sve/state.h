/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the program state share: a program of Linux that checks SVE's registers. */
#ifndef TESTS_LINUX_SVE_STATE_H
#define TESTS_LINUX_SVE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VL_MAX 256 /* bytes */

/*
 * Z0 to Z31, P0 to P15 and FFR, each right after the one before: as they are in a signal frame, and
 * in what ptrace gives. Only the first state_size() bytes count.
 */
struct state {
	uint8_t bytes[32 * VL_MAX + 17 * VL_MAX / 8];
} __attribute__((aligned(16)));

static inline size_t state_size(size_t vl)
{
	return 32 * vl + 17 * vl / 8;
}

/* registers.S */
void sve_read(struct state *out);
void sve_write(const struct state *in);
void sve_break(const struct state *in, struct state *out);
void sve_spin(const struct state *in, struct state *out, uint64_t count);
long sve_call(const struct state *in, struct state *out, long number, long a, long b);

/* state.c */
void check(bool right, const char *what, ...) __attribute__((format(printf, 2, 3)));
void pattern(struct state *state, uint64_t seed, size_t vl);
bool same(const struct state *a, const struct state *b, size_t vl);
bool is_left_by_call(const struct state *before, const struct state *after, size_t vl);
size_t set_length(size_t vl);

/* The length in bytes, which the compiler must not remember over a change of it. */
static inline size_t length_now(void)
{
	size_t vl;

	__asm__ volatile("cntb %0" : "=r"(vl));
	return vl;
}

/* frames.c */
void check_signals(size_t vl);
void check_ptrace(size_t vl, size_t other);

/* faults.c */
void check_faults(size_t vl);

/* tasks.c */
void check_threads(unsigned int threads, size_t vl_max);
void check_fork(size_t vl, size_t usual);

#endif
