/* SPDX-License-Identifier: BSD-2-Clause */
/* PSCI 1.1: see psci.h. Section numbers are those of DEN 0022 unless another document is named. */
#include <stddef.h>

#include "arm/affinity.h"
#include "base/splitmix.h"
#include "machine/psci.h"

#define SMCCC_64 0x40000000u

#define SMCCC_VERSION	      0x80000000u
#define SMCCC_ARCH_FEATURES   0x80000001u
#define PSCI_FN_VERSION	      0x84000000u
#define PSCI_FN_SUSPEND	      0x84000001u
#define PSCI_FN_OFF	      0x84000002u
#define PSCI_FN_ON	      0x84000003u
#define PSCI_FN_AFFINITY_INFO 0x84000004u
#define PSCI_FN_MIGRATE_TYPE  0x84000006u
#define PSCI_FN_SYSTEM_OFF    0x84000008u
#define PSCI_FN_SYSTEM_RESET  0x84000009u
#define PSCI_FN_FEATURES      0x8400000au
#define PSCI_FN_SYSTEM_RESET2 0x84000012u
#define TRNG_VERSION	      0x84000050u
#define TRNG_FEATURES	      0x84000051u
#define TRNG_GET_UUID	      0x84000052u
#define TRNG_RND	      0x84000053u

#define SMCCC_VERSION_1_1 0x10001
#define PSCI_VERSION_1_1  0x10001
#define PSCI_NO_MIGRATION 2 /* MIGRATE_INFO_TYPE: no Trusted OS */
#define PSCI_INFO_ON	  0
#define PSCI_INFO_OFF	  1
#define PSCI_WARM	  0 /* reset_type of SYSTEM_RESET2; those of vendors have bit 31 */
#define TRNG_VERSION_1_0  0x10000
#define TRNG_REGISTERS	  3 /* of random bits */

/* CPU_SUSPEND's power_state in the original format: StateID, StateType [16], PowerLevel [25:24]. */
#define PSCI_STATE_POWER_DOWN (1u << 16)
#define PSCI_STATE_RESERVED   0xfcfe0000u

/* The UUID of this source of random numbers, in SMCCC's form with byte 0 in W0[7:0]. */
static const uint32_t trng_uuid[4] = {0x9e54b27cu, 0x4a13c8f0u, 0x61d7059bu, 0x2fe83ac4u};

/* Arguments; x[0] is the called identifier. */
struct psci_function {
	uint32_t id;
	bool smc64; /* there is a 64-bit form too */
	struct psci_result (*call)(const struct psci_view *view, const uint64_t x[4]);
};

static struct psci_result psci_return(int64_t value)
{
	return (struct psci_result){.action = PSCI_RETURN, .value = value};
}

static bool psci_entry_valid(const struct psci_view *view, uint64_t entry)
{
	return entry >= view->ram_base && entry - view->ram_base < view->ram_size &&
	       (entry & 3) == 0;
}

static struct psci_result psci_version(const struct psci_view *view, const uint64_t x[4])
{
	(void)view;
	(void)x;
	return psci_return(PSCI_VERSION_1_1);
}

static struct psci_result psci_suspend(const struct psci_view *view, const uint64_t x[4])
{
	uint64_t state = x[1];

	if (state & ~(uint64_t)UINT32_MAX || state & PSCI_STATE_RESERVED)
		return psci_return(PSCI_INVALID_PARAMETERS);
	if (!(state & PSCI_STATE_POWER_DOWN))
		return (struct psci_result){.action = PSCI_STANDBY, .value = PSCI_SUCCESS};
	if (!psci_entry_valid(view, x[2]))
		return psci_return(PSCI_INVALID_ADDRESS);
	return (struct psci_result){.action = PSCI_POWER_DOWN, .entry = x[2], .context = x[3]};
}

static struct psci_result psci_off(const struct psci_view *view, const uint64_t x[4])
{
	(void)view;
	(void)x;
	return (struct psci_result){.action = PSCI_CPU_OFF};
}

static struct psci_result psci_on(const struct psci_view *view, const uint64_t x[4])
{
	int target = arm_affinity_index(x[1], view->cpus);

	if (target < 0)
		return psci_return(PSCI_INVALID_PARAMETERS);
	if (view->on[target])
		return psci_return(PSCI_ALREADY_ON);
	if (!psci_entry_valid(view, x[2]))
		return psci_return(PSCI_INVALID_ADDRESS);
	return (struct psci_result){.action = PSCI_CPU_ON,
				    .value = PSCI_SUCCESS,
				    .target = (unsigned int)target,
				    .entry = x[2],
				    .context = x[3]};
}

/* 5.7: on if any vCPU that the affinity names is on; fields below the level are ignored. */
static struct psci_result psci_affinity_info(const struct psci_view *view, const uint64_t x[4])
{
	const uint64_t level = x[2];
	int64_t answer = PSCI_INVALID_PARAMETERS;

	if (level > 3)
		return psci_return(PSCI_INVALID_PARAMETERS);
	for (unsigned int i = 0; i < view->cpus; i++) {
		if ((x[1] ^ arm_affinity(i)) >> 8 * level != 0)
			continue;
		if (view->on[i])
			return psci_return(PSCI_INFO_ON);
		answer = PSCI_INFO_OFF;
	}
	return psci_return(answer);
}

static struct psci_result psci_migrate_type(const struct psci_view *view, const uint64_t x[4])
{
	(void)view;
	(void)x;
	return psci_return(PSCI_NO_MIGRATION);
}

static struct psci_result psci_system_off(const struct psci_view *view, const uint64_t x[4])
{
	(void)view;
	(void)x;
	return (struct psci_result){.action = PSCI_SYSTEM_OFF};
}

static struct psci_result psci_system_reset(const struct psci_view *view, const uint64_t x[4])
{
	(void)view;
	(void)x;
	return (struct psci_result){.action = PSCI_SYSTEM_RESET};
}

/* 5.13: memory keeps its contents. There are no vendor types. */
static struct psci_result psci_system_reset2(const struct psci_view *view, const uint64_t x[4])
{
	(void)view;
	if ((uint32_t)x[1] != PSCI_WARM)
		return psci_return(PSCI_INVALID_PARAMETERS);
	return (struct psci_result){.action = PSCI_WARM_RESET};
}

static struct psci_result psci_smccc_version(const struct psci_view *view, const uint64_t x[4])
{
	(void)view;
	(void)x;
	return psci_return(SMCCC_VERSION_1_1);
}

static struct psci_result psci_features(const struct psci_view *view, const uint64_t x[4]);
static struct psci_result psci_arch_features(const struct psci_view *view, const uint64_t x[4]);

/* DEN 0098, chapter 2. */
static struct psci_result trng_version(const struct psci_view *view, const uint64_t x[4])
{
	(void)view;
	(void)x;
	return psci_return(TRNG_VERSION_1_0);
}

static struct psci_result trng_features(const struct psci_view *view, const uint64_t x[4]);

static struct psci_result trng_get_uuid(const struct psci_view *view, const uint64_t x[4])
{
	(void)view;
	(void)x;
	return (struct psci_result){.action = PSCI_VALUES,
				    .value = trng_uuid[0],
				    .values = {trng_uuid[1], trng_uuid[2], trng_uuid[3]}};
}

static struct psci_result trng_rnd(const struct psci_view *view, const uint64_t x[4])
{
	const unsigned int width = x[0] & SMCCC_64 ? 64 : 32;

	(void)view;
	if (x[1] == 0 || x[1] > TRNG_REGISTERS * width)
		return psci_return(PSCI_INVALID_PARAMETERS);
	return (struct psci_result){.action = PSCI_RANDOM,
				    .value = PSCI_SUCCESS,
				    .bits = (unsigned int)x[1],
				    .width = width};
}

/* The lowest bits are in the last register; bits that were not requested are 0. */
void psci_random(struct psci_result *result, uint64_t *state)
{
	for (unsigned int n = 0; n < TRNG_REGISTERS; n++) {
		const unsigned int below = n * result->width;
		const unsigned int bits = result->bits <= below ? 0
					  : result->bits - below < result->width
						  ? result->bits - below
						  : result->width;

		result->values[TRNG_REGISTERS - 1 - n] =
			bits ? splitmix_next(state) >> (64 - bits) : 0;
	}
}

static const struct psci_function psci_functions[] = {
	{SMCCC_VERSION, false, psci_smccc_version},
	{SMCCC_ARCH_FEATURES, false, psci_arch_features},
	{PSCI_FN_VERSION, false, psci_version},
	{PSCI_FN_SUSPEND, true, psci_suspend},
	{PSCI_FN_OFF, false, psci_off},
	{PSCI_FN_ON, true, psci_on},
	{PSCI_FN_AFFINITY_INFO, true, psci_affinity_info},
	{PSCI_FN_MIGRATE_TYPE, false, psci_migrate_type},
	{PSCI_FN_SYSTEM_OFF, false, psci_system_off},
	{PSCI_FN_SYSTEM_RESET, false, psci_system_reset},
	{PSCI_FN_FEATURES, false, psci_features},
	{PSCI_FN_SYSTEM_RESET2, true, psci_system_reset2},
	{TRNG_VERSION, false, trng_version},
	{TRNG_FEATURES, false, trng_features},
	{TRNG_GET_UUID, false, trng_get_uuid},
	{TRNG_RND, true, trng_rnd},
};

#define PSCI_FUNCTIONS (sizeof(psci_functions) / sizeof(psci_functions[0]))

static const struct psci_function *psci_lookup(uint32_t id)
{
	for (size_t i = 0; i < PSCI_FUNCTIONS; i++) {
		const struct psci_function *function = &psci_functions[i];

		if (id == function->id || (function->smc64 && id == (function->id | SMCCC_64)))
			return function;
	}
	return NULL;
}

static bool psci_is_trng(const struct psci_function *function)
{
	return function->id >= TRNG_VERSION && function->id <= TRNG_RND;
}

static struct psci_result trng_features(const struct psci_view *view, const uint64_t x[4])
{
	const struct psci_function *function = psci_lookup((uint32_t)x[1]);

	(void)view;
	return psci_return(function && psci_is_trng(function) ? PSCI_SUCCESS : PSCI_NOT_SUPPORTED);
}

/* 5.15: also accepts SMCCC_VERSION. CPU_SUSPEND's flags: original format, no OS initiation. */
static struct psci_result psci_features(const struct psci_view *view, const uint64_t x[4])
{
	const struct psci_function *function = psci_lookup((uint32_t)x[1]);

	(void)view;
	return psci_return(function && function->id != SMCCC_ARCH_FEATURES &&
					   !psci_is_trng(function)
				   ? PSCI_SUCCESS
				   : PSCI_NOT_SUPPORTED);
}

static struct psci_result psci_arch_features(const struct psci_view *view, const uint64_t x[4])
{
	(void)view;
	return psci_return((uint32_t)x[1] == SMCCC_VERSION || (uint32_t)x[1] == SMCCC_ARCH_FEATURES
				   ? PSCI_SUCCESS
				   : PSCI_NOT_SUPPORTED);
}

struct psci_result psci_call(const struct psci_view *view, uint16_t imm, const uint64_t x[4])
{
	uint32_t id = (uint32_t)x[0];
	const struct psci_function *function = psci_lookup(id);
	uint64_t mask = id & SMCCC_64 ? UINT64_MAX : UINT32_MAX;
	/* The 32-bit convention passes W registers: their upper halves are no arguments. */
	uint64_t arguments[4] = {id, x[1] & mask, x[2] & mask, x[3] & mask};

	/* DEN 0028 2.9: the immediate is zero in a compliant call. */
	if (!function || imm != 0)
		return psci_return(PSCI_NOT_SUPPORTED);
	/* power_state and lowest_affinity_level are 32-bit arguments in both conventions. */
	if (function->call == psci_suspend)
		arguments[1] &= UINT32_MAX;
	if (function->call == psci_affinity_info)
		arguments[2] &= UINT32_MAX;
	return function->call(view, arguments);
}

const char *psci_method(const struct engine_levels *levels)
{
	switch (levels->start) {
	case 3: return NULL;
	case 2: return "smc";
	default: return "hvc";
	}
}

void psci_node(struct tree *tree, const struct engine_levels *levels)
{
	const char *method = psci_method(levels);

	if (!method)
		return;
	tree_begin(tree, "psci");
	tree_list(tree, "compatible", "arm,psci-1.0\0arm,psci-0.2");
	tree_string(tree, "method", method);
	tree_end(tree);
}
