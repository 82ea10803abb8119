/* SPDX-License-Identifier: BSD-2-Clause */
/* The events, latencies and data sources of the model, for each kind of access. */

#include "../compare.h"
#include "arm/model.h"

/*
 * RULE("D18.2.6/E2") RULE("D18.2.6/E4") RULE("D18.2.6/E5") RULE("D18.2.6/E11")
 * RULE("D18.2.4/source")
 * RULE("RJMMZP"), RULE("D17.6.4/translation"), RULE("D17.6.4/events"),
 * RULE("D17.6.4.6/alignment")
 */
Test(model, of_accesses)
{
	static const struct {
		uint32_t flags;
		uint64_t va;
		bool walked, ram;
		uint64_t events;
		uint16_t translation, total;
		uint16_t source;
	} rows[] = {
		{SPE_OP_LOAD, 0x1000, false, true, 0x12, 1, 6, 0xf},
		{SPE_OP_LOAD, 0x1000, true, true, 0x32, 16, 21, 0xf},
		{SPE_OP_LOAD, 0x1004, false, true, 0x812, 1, 6, 0xf},
		{SPE_OP_LOAD, 0x1000, false, false, 0x12, 1, 70, 0xf},
		{SPE_OP_STORE, 0x1000, false, true, 0x12, 1, 3, 0},
		{SPE_OP_STORE, 0x1001, true, false, 0x832, 16, 82, 0},
		{SPE_OP_LOAD | SPE_OP_STORE, 0x1000, false, true, 0x12, 1, 6, 0xf},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct spe_op op = {.flags = rows[i].flags, .data_va = rows[i].va};

		arm_model_begin(&op);
		arm_model_address(&op, 8);
		arm_model_translated(&op, rows[i].walked);
		arm_model_accessed(&op, 0x40001000, rows[i].ram);
		cr_expect_eq(op.events, rows[i].events, "row %u", i);
		cr_expect_eq(op.issue_latency, 1);
		cr_expect_eq(op.translation_latency, rows[i].translation, "row %u", i);
		cr_expect_eq(op.total_latency, rows[i].total, "row %u", i);
		cr_expect_eq(op.data_source, rows[i].source, "row %u", i);
		cr_expect_eq(op.data_pa, 0x40001000);
		cr_expect_eq(op.flags, rows[i].flags | SPE_OP_VA_VALID | SPE_OP_PA_VALID);
	}
}

/* RULE("D18.2.6/E0") */
/* RULE("D17.6/outcome") RULE("D17.6.3/exception") What generates an exception is no branch. */
Test(model, of_an_exception)
{
	struct spe_op op = {.flags = SPE_OP_BRANCH | SPE_OP_TAKEN,
			    .type_header = SPE_TYPE_BRANCH,
			    .type_payload = 0x02};

	arm_model_begin(&op);
	cr_expect_eq(op.total_latency, 2);
	arm_model_excepted(&op);
	cr_expect_eq(op.events, 0x3);
	cr_expect_eq(op.flags, 0);
	cr_expect_eq(op.type_header, SPE_TYPE_OTHER);
	cr_expect_eq(op.type_payload, 0);
}

/* A load that faults stays one. */
Test(model, of_a_load_with_an_exception)
{
	struct spe_op op = {.flags = SPE_OP_LOAD | SPE_OP_VA_VALID,
			    .type_header = SPE_TYPE_MEMORY,
			    .type_payload = 0x04};

	arm_model_begin(&op);
	arm_model_excepted(&op);
	cr_expect_eq(op.flags, SPE_OP_LOAD | SPE_OP_VA_VALID);
	cr_expect_eq(op.type_header, SPE_TYPE_MEMORY);
	cr_expect_eq(op.type_payload, 0x04);
}

/* RULE("D17.6.4/missing") No event tells of an access that was not made, but that of the TLB. */
Test(model, of_a_store_exclusive_that_failed)
{
	struct spe_op op = {.flags = SPE_OP_STORE, .data_va = 0x1000};

	arm_model_begin(&op);
	arm_model_address(&op, 8);
	arm_model_translated(&op, false);
	arm_model_not_accessed(&op, 0x40001000);
	cr_expect_eq(op.events, 0x12);
	cr_expect_eq(op.data_pa, 0x40001000);
	cr_expect_eq(op.flags, SPE_OP_STORE | SPE_OP_VA_VALID | SPE_OP_PA_VALID);
}
