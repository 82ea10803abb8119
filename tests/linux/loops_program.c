/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program of Linux for loops.py, whose way leads past code of cases that the compiler knows
 * nothing of: 128 functions with six of them each. As it is, they are rare and long, as errors are
 * in large programs, and the way is spread over more lines than an L1I has. With SHORT they are a
 * store in a quarter of all cases. The exit status is made of what was computed.
 */
#include <stdint.h>

#include "../array.h"

#define ROUNDS 200u
#define EXIT   93

static volatile uint32_t journal[64];

/* What is done of a case: as much code as it takes to tell of it. */
#define TELL(x, n) journal[(n) % 64] = (x) ^ (n)*40503u
#define TELL4(x, n)              \
	TELL(x, n);              \
	TELL((x) >> 1, (n) + 1); \
	TELL((x) >> 2, (n) + 2); \
	TELL((x) >> 3, (n) + 3)
#define TELL16(x, n)          \
	TELL4(x, n);          \
	TELL4(~(x), (n) + 4); \
	TELL4(-(x), (n) + 8); \
	TELL4((x)*3, (n) + 12)

#ifdef SHORT
#define LIMIT	   64
#define CASE(x, n) journal[(n) % 64] = (x)
#else
#define LIMIT 2
#define CASE(x, n)    \
	TELL16(x, n); \
	x ^= journal[(n) % 64]
#endif

#define CHECK(x, n)                           \
	x = x * 1664525u + 1013904223u + (n); \
	if ((x >> 20 & 0xff) < LIMIT) {       \
		CASE(x, n);                   \
	}

#define OP(name, n)                                                \
	static uint32_t __attribute__((noinline)) name(uint32_t x) \
	{                                                          \
		CHECK(x, n + 1)                                    \
		CHECK(x, n + 2)                                    \
		CHECK(x, n + 3)                                    \
		CHECK(x, n + 4)                                    \
		CHECK(x, n + 5)                                    \
		CHECK(x, n + 6)                                    \
		return x ^ x >> 15;                                \
	}

/* clang-format off */
#define OPS8(name, n)                                                                   \
	OP(name##0, n) OP(name##1, n + 10) OP(name##2, n + 20) OP(name##3, n + 30)      \
	OP(name##4, n + 40) OP(name##5, n + 50) OP(name##6, n + 60) OP(name##7, n + 70)
#define NAMES8(name) name##0, name##1, name##2, name##3, name##4, name##5, name##6, name##7

OPS8(op0, 1000) OPS8(op1, 1100) OPS8(op2, 1200) OPS8(op3, 1300)
OPS8(op4, 1400) OPS8(op5, 1500) OPS8(op6, 1600) OPS8(op7, 1700)
OPS8(op8, 1800) OPS8(op9, 1900) OPS8(opa, 2000) OPS8(opb, 2100)
OPS8(opc, 2200) OPS8(opd, 2300) OPS8(ope, 2400) OPS8(opf, 2500)

static uint32_t (*const ops[])(uint32_t) = {
	NAMES8(op0), NAMES8(op1), NAMES8(op2), NAMES8(op3), NAMES8(op4), NAMES8(op5), NAMES8(op6), NAMES8(op7),
	NAMES8(op8), NAMES8(op9), NAMES8(opa), NAMES8(opb), NAMES8(opc), NAMES8(opd), NAMES8(ope), NAMES8(opf)};
/* clang-format on */

/* With an argument it takes 20 times as long. */
__asm__(".globl _start\n"
	"_start:	ldr	x0, [sp]\n"
	"	b	start\n");

void start(uint64_t arguments);
void start(uint64_t arguments)
{
	uint32_t x = 1, rounds = arguments > 1 ? 20 * ROUNDS : ROUNDS;

	for (uint32_t i = 0; i < rounds; i++)
		for (uint32_t n = 0; n < ARRAY_SIZE(ops); n++)
			x = ops[n](x);
	register uint64_t status __asm__("x0") = x % 113;
	register uint64_t number __asm__("x8") = EXIT;
	__asm__ volatile("svc #0" ::"r"(status), "r"(number));
	__builtin_unreachable();
}
