/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scalar double precision: bodies that attract each other, advanced step by step.
 */
#include "arch.h"
#include "bench.h"

#define BODIES 5

struct body {
	double at[3], speed[3], mass;
};

static double square_root(double x)
{
	double root;

	__asm__("fsqrt %d0, %d1" : "=w"(root) : "w"(x));
	return root;
}

static void advance(struct body *bodies, double step)
{
	for (int i = 0; i < BODIES; i++) {
		for (int j = i + 1; j < BODIES; j++) {
			struct body *a = &bodies[i], *b = &bodies[j];
			double apart[3], square = 0, pull;

			for (int k = 0; k < 3; k++) {
				apart[k] = a->at[k] - b->at[k];
				square += apart[k] * apart[k];
			}
			pull = step / (square * square_root(square));
			for (int k = 0; k < 3; k++) {
				a->speed[k] -= apart[k] * b->mass * pull;
				b->speed[k] += apart[k] * a->mass * pull;
			}
		}
	}
	for (int i = 0; i < BODIES; i++)
		for (int k = 0; k < 3; k++)
			bodies[i].at[k] += step * bodies[i].speed[k];
}

static uint64_t run_float(void *data, uint64_t iterations)
{
	struct body *bodies = data;
	uint64_t sum = 0;

	write_sysreg(cpacr_el1, UINT64_C(3) << 20);
	isb();
	for (int i = 0; i < BODIES; i++) {
		bodies[i].mass = 1.0 / (i + 1);
		for (int k = 0; k < 3; k++) {
			bodies[i].at[k] = i * (k + 1.5) - 3 * k;
			bodies[i].speed[k] = 0.25 * (i - k);
		}
	}
	for (uint64_t i = 0; i < iterations; i++)
		advance(bodies, 0.001);
	for (int i = 0; i < BODIES; i++)
		for (int k = 0; k < 3; k++) {
			union {
				double d;
				uint64_t x;
			} at = {.d = bodies[i].at[k]};

			sum = sum * 31 + at.x;
		}
	return sum;
}

const struct bench bench = {.pages = 1, .iterations = 560000, .run = run_float};
