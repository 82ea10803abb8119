/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names that <vspe/spe.h> gives to operation types and events mean what the reader of records
 * takes them for: the two have a table each of Arm ARM D18.2.
 */
#include "../compare.h"
#include "trace/record.h"

#include <vspe/spe.h>

Test(spe_names, events_are_those_of_the_reader)
{
	static const struct {
		uint64_t event;
		const char *name;
	} table[] = {
		{SPE_EVENT_EXCEPTION, "EXCEPTION-GEN"}, {SPE_EVENT_RETIRED, "RETIRED"},
		{SPE_EVENT_L1D_ACCESS, "L1D-ACCESS"},	{SPE_EVENT_L1D_REFILL, "L1D-REFILL"},
		{SPE_EVENT_TLB_ACCESS, "TLB-ACCESS"},	{SPE_EVENT_TLB_REFILL, "TLB-REFILL"},
		{SPE_EVENT_MISPREDICTED, "MISPRED"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		unsigned int bit = (unsigned int)__builtin_ctzll(table[i].event);

		cr_assert_eq(table[i].event, UINT64_C(1) << bit);
		cr_assert_str_eq(record_event_name(bit), table[i].name);
	}
}

Test(spe_names, types_are_those_of_the_reader)
{
	static const struct {
		uint8_t header, payload;
		const char *words;
	} table[] = {
		{SPE_TYPE_OTHER, 0, "OTHER INSN-OTHER"},
		{SPE_TYPE_OTHER, SPE_TYPE_CONDITIONAL, "OTHER COND-SELECT"},
		{SPE_TYPE_MEMORY, 0, "LD GP-REG"},
		{SPE_TYPE_MEMORY, SPE_TYPE_STORE, "ST GP-REG"},
		{SPE_TYPE_BRANCH, 0, "B"},
		{SPE_TYPE_BRANCH, SPE_TYPE_CONDITIONAL, "B COND"},
		{SPE_TYPE_BRANCH, SPE_TYPE_INDIRECT, "B IND"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const uint8_t bytes[] = {table[i].header, table[i].payload};
		struct spe_packet packet;
		char text[RECORD_TEXT_MAX];

		cr_assert_eq(spe_packet_read(bytes, sizeof(bytes), &packet), sizeof(bytes));
		cr_assert_str_eq(record_packet_describe(&packet, text, sizeof(text)),
				 table[i].words);
	}
}
