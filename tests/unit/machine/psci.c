/* SPDX-License-Identifier: BSD-2-Clause */
/* PSCI 1.1 (DEN 0022): functions, arguments and error codes. */

#include "../compare.h"
#include "machine/psci.h"

#define RAM_BASE UINT64_C(0x40000000)
#define RAM_SIZE UINT64_C(0x1000000)

static bool on[4] = {true, false, true, false};
static const struct psci_view view = {
	.cpus = 4, .on = on, .ram_base = RAM_BASE, .ram_size = RAM_SIZE};

static struct psci_result call(uint64_t function, uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t x[4] = {function, a, b, c};

	return psci_call(&view, 0, x);
}

static int64_t value(uint64_t function, uint64_t a, uint64_t b, uint64_t c)
{
	struct psci_result result = call(function, a, b, c);

	cr_assert_eq(result.action, PSCI_RETURN);
	return result.value;
}

Test(psci, versions)
{
	cr_assert_eq(value(0x84000000, 0, 0, 0), 0x10001);
	cr_assert_eq(value(0x80000000, 0, 0, 0), 0x10001, "SMCCC 1.1");
	cr_assert_eq(value(0x84000006, 0, 0, 0), 2, "no Trusted OS");
}

Test(psci, unknown_functions_are_not_supported)
{
	const uint64_t x[4] = {0x84000000};

	cr_assert_eq(value(0x84000005, 0, 0, 0), PSCI_NOT_SUPPORTED, "MIGRATE");
	cr_assert_eq(value(0xc4000000, 0, 0, 0), PSCI_NOT_SUPPORTED, "VERSION has no 64-bit form");
	cr_assert_eq(value(0xc4000008, 0, 0, 0), PSCI_NOT_SUPPORTED);
	cr_assert_eq(value(0xc4000050, 0, 0, 0), PSCI_NOT_SUPPORTED, "TRNG_VERSION of 64 bits");
	cr_assert_eq(value(0x84000054, 0, 0, 0), PSCI_NOT_SUPPORTED);
	cr_assert_eq(value(0, 0, 0, 0), PSCI_NOT_SUPPORTED);
	cr_assert_eq(psci_call(&view, 1, x).value, PSCI_NOT_SUPPORTED, "HVC #1");
}

Test(psci, features_tell_what_there_is)
{
	static const uint32_t there[] = {0x84000000, 0x84000001, 0xc4000001, 0x84000002,
					 0x84000003, 0xc4000003, 0x84000004, 0xc4000004,
					 0x84000006, 0x84000008, 0x84000009, 0x8400000a,
					 0x84000012, 0xc4000012, 0x80000000};
	static const uint32_t not_there[] = {0x84000005, 0xc4000002, 0xc4000009,
					     0x84000007, 0x8400000b, 0x80008000,
					     0x84000050, 0x84000053, 0xc4000053};

	for (size_t i = 0; i < ARRAY_SIZE(there); i++)
		cr_assert_eq(value(0x8400000a, there[i], 0, 0), PSCI_SUCCESS, "%x", there[i]);
	for (size_t i = 0; i < ARRAY_SIZE(not_there); i++)
		cr_assert_eq(value(0x8400000a, not_there[i], 0, 0), PSCI_NOT_SUPPORTED, "%x",
			     not_there[i]);
	cr_assert_eq(value(0x80000001, 0x80000001, 0, 0), PSCI_SUCCESS);
	cr_assert_eq(value(0x80000001, 0x80008000, 0, 0), PSCI_NOT_SUPPORTED, "ARCH_WORKAROUND_1");
}

Test(psci, cpu_on)
{
	struct psci_result result =
		call(0xc4000003, 1, RAM_BASE + 0x1000, UINT64_C(0xabcdef012345));

	cr_assert_eq(result.action, PSCI_CPU_ON);
	cr_assert_eq(result.value, PSCI_SUCCESS);
	cr_assert_eq(result.target, 1);
	cr_assert_eq(result.entry, RAM_BASE + 0x1000);
	cr_assert_eq(result.context, UINT64_C(0xabcdef012345));
}

Test(psci, cpu_on_errors)
{
	cr_assert_eq(value(0xc4000003, 4, RAM_BASE, 0), PSCI_INVALID_PARAMETERS, "no such vCPU");
	cr_assert_eq(value(0xc4000003, 0x100, RAM_BASE, 0), PSCI_INVALID_PARAMETERS, "Aff1");
	cr_assert_eq(value(0xc4000003, UINT64_C(1) << 32, RAM_BASE, 0), PSCI_INVALID_PARAMETERS);
	cr_assert_eq(value(0xc4000003, 2, RAM_BASE, 0), PSCI_ALREADY_ON);
	cr_assert_eq(value(0xc4000003, 0, RAM_BASE, 0), PSCI_ALREADY_ON, "the caller");
	cr_assert_eq(value(0xc4000003, 1, RAM_BASE - 4, 0), PSCI_INVALID_ADDRESS);
	cr_assert_eq(value(0xc4000003, 1, RAM_BASE + RAM_SIZE, 0), PSCI_INVALID_ADDRESS);
	cr_assert_eq(value(0xc4000003, 1, RAM_BASE + 2, 0), PSCI_INVALID_ADDRESS, "not aligned");
}

Test(psci, the_32_bit_convention_passes_w_registers)
{
	struct psci_result result = call(UINT64_C(0xffffffff84000003), UINT64_C(0x7700000001),
					 UINT64_C(0x7700000000) | RAM_BASE, UINT64_C(0x770000abcd));

	cr_assert_eq(result.action, PSCI_CPU_ON);
	cr_assert_eq(result.target, 1);
	cr_assert_eq(result.entry, RAM_BASE);
	cr_assert_eq(result.context, 0xabcd);
}

Test(psci, affinity_info)
{
	cr_assert_eq(value(0xc4000004, 0, 0, 0), 0, "on");
	cr_assert_eq(value(0xc4000004, 1, 0, 0), 1, "off");
	cr_assert_eq(value(0xc4000004, 1, 1, 0), 0, "some vCPU of the cluster is on");
	cr_assert_eq(value(0xc4000004, 1, 3, 0), 0);
	cr_assert_eq(value(0xc4000004, 1, 4, 0), PSCI_INVALID_PARAMETERS);
	cr_assert_eq(value(0xc4000004, 9, 0, 0), PSCI_INVALID_PARAMETERS);
	cr_assert_eq(value(0xc4000004, 0x100, 1, 0), PSCI_INVALID_PARAMETERS, "no such cluster");
}

/* 16 vCPUs share Aff1, so the 18th is 1.1. */
Test(psci, affinities)
{
	static bool many[40] = {[0] = true, [17] = true};
	const struct psci_view wide = {
		.cpus = 40, .on = many, .ram_base = RAM_BASE, .ram_size = RAM_SIZE};
	const struct {
		uint64_t function, mpidr, argument;
		int64_t value;
	} calls[] = {
		{0xc4000003, 0x101, RAM_BASE, PSCI_ALREADY_ON},
		{0xc4000003, 0x11, RAM_BASE, PSCI_INVALID_PARAMETERS},
		{0xc4000003, 0x208, RAM_BASE, PSCI_INVALID_PARAMETERS},
		{0xc4000004, 0x101, 0, 0},
		{0xc4000004, 0x100, 0, 1},
		{0xc4000004, 0x110, 0, PSCI_INVALID_PARAMETERS},
		{0xc4000004, 0x107, 1, 0}, /* of the cluster, as Aff0 is not looked at */
		{0xc4000004, 0x200, 1, 1},
		{0xc4000004, 0x300, 1, PSCI_INVALID_PARAMETERS},
		{0xc4000004, 0x300, 2, 0},
		{0xc4000004, 0x10000, 2, PSCI_INVALID_PARAMETERS},
		{0xc4000004, UINT64_C(1) << 32, 3, PSCI_INVALID_PARAMETERS},
	};

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		const uint64_t x[4] = {calls[i].function, calls[i].mpidr, calls[i].argument};

		cr_assert_eq(psci_call(&wide, 0, x).value, calls[i].value, "%zu", i);
	}
	cr_assert_eq(psci_call(&wide, 0, (const uint64_t[]){0xc4000003, 0x10f, RAM_BASE, 0}).target,
		     31);
}

Test(psci, cpu_suspend)
{
	struct psci_result result = call(0xc4000001, 0, 0, 0);

	cr_assert_eq(result.action, PSCI_STANDBY);
	cr_assert_eq(result.value, PSCI_SUCCESS);
	result = call(0xc4000001, 1u << 16 | 1u << 24 | 5, RAM_BASE + 8, 99);
	cr_assert_eq(result.action, PSCI_POWER_DOWN);
	cr_assert_eq(result.entry, RAM_BASE + 8);
	cr_assert_eq(result.context, 99);
	cr_assert_eq(value(0xc4000001, 1u << 16, 0, 0), PSCI_INVALID_ADDRESS);
	cr_assert_eq(value(0xc4000001, 1u << 17, 0, 0), PSCI_INVALID_PARAMETERS, "reserved bit");
	cr_assert_eq(value(0x84000001, 1u << 31, 0, 0), PSCI_INVALID_PARAMETERS);
}

Test(psci, off_and_reset)
{
	cr_assert_eq(call(0x84000002, 0, 0, 0).action, PSCI_CPU_OFF);
	cr_assert_eq(call(0x84000008, 0, 0, 0).action, PSCI_SYSTEM_OFF);
	cr_assert_eq(call(0x84000009, 0, 0, 0).action, PSCI_SYSTEM_RESET);
}

/* 5.13 */
Test(psci, system_reset2)
{
	cr_assert_eq(call(0x84000012, 0, 0, 0).action, PSCI_WARM_RESET);
	cr_assert_eq(call(0xc4000012, 0, UINT64_MAX, 0).action, PSCI_WARM_RESET, "the cookie");
	cr_assert_eq(value(0x84000012, 1, 0, 0), PSCI_INVALID_PARAMETERS);
	cr_assert_eq(value(0xc4000012, 0x80000000, 0, 0), PSCI_INVALID_PARAMETERS, "a vendor's");
}

/* DEN 0098, chapter 2. */
Test(psci, random_numbers_are_found)
{
	static const uint32_t there[] = {0x84000050, 0x84000051, 0x84000052, 0x84000053,
					 0xc4000053};
	const struct psci_result uuid = call(0x84000052, 0, 0, 0);

	cr_assert_eq(value(0x84000050, 0, 0, 0), 0x10000, "version 1.0");
	for (size_t i = 0; i < ARRAY_SIZE(there); i++)
		cr_assert_eq(value(0x84000051, there[i], 0, 0), PSCI_SUCCESS, "%x", there[i]);
	cr_assert_eq(value(0x84000051, 0x84000000, 0, 0), PSCI_NOT_SUPPORTED);
	cr_assert_eq(value(0x84000051, 0xc4000050, 0, 0), PSCI_NOT_SUPPORTED);
	cr_assert_eq(uuid.action, PSCI_VALUES);
	cr_assert_gt(uuid.value, 0, "NOT_SUPPORTED is no UUID");
	cr_assert_lt(uuid.value, UINT32_MAX, "NOT_SUPPORTED is no UUID");
	for (unsigned int i = 0; i < 3; i++)
		cr_assert_leq(uuid.values[i], UINT32_MAX);
}

/* 1 to 96 bits in W1 to W3, or to 192 in X1 to X3; the highest are in the first. */
Test(psci, random_numbers)
{
	for (unsigned int width = 32; width <= 64; width += 32) {
		const uint32_t id = width == 64 ? 0xc4000053 : 0x84000053;
		uint64_t seen[3] = {0, 0, 0};

		cr_assert_eq(value(id, 0, 0, 0), PSCI_INVALID_PARAMETERS);
		cr_assert_eq(value(id, 3 * width + 1, 0, 0), PSCI_INVALID_PARAMETERS);
		for (unsigned int bits = 1; bits <= 3 * width; bits++) {
			struct psci_result result = call(id, bits, 0, 0), again = result;
			uint64_t state = bits, same = bits;

			cr_assert_eq(result.action, PSCI_RANDOM);
			cr_assert_eq(result.value, PSCI_SUCCESS);
			psci_random(&result, &state);
			psci_random(&again, &same);
			for (unsigned int i = 0; i < 3; i++) {
				const unsigned int below = (2 - i) * width;
				const unsigned int have = bits > below ? bits - below : 0;

				cr_assert_eq(result.values[i], again.values[i]);
				seen[i] |= result.values[i];
				if (have < 64)
					cr_assert_eq(result.values[i] >> have, 0,
						     "%u bits of %u, X%u", bits, width, i + 1);
			}
			cr_assert_neq(state, bits, "the next are others");
		}
		for (uint64_t n = 0, state = 0; n < 64; n++) {
			struct psci_result result = call(id, 3 * width, 0, 0);

			psci_random(&result, &state);
			for (unsigned int i = 0; i < 3; i++)
				seen[i] |= result.values[i];
		}
		for (unsigned int i = 0; i < 3; i++)
			cr_assert_eq(seen[i], UINT64_MAX >> (64 - width), "X%u", i + 1);
	}
}
