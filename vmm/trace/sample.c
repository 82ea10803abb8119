/* SPDX-License-Identifier: BSD-2-Clause */
/* A record in the form that the report uses: see sample.h. */
#include "trace/sample.h"

void sample_read(const struct spe_record *record, struct sample *sample)
{
	*sample = (struct sample){
		.has = record->has,
		.pc = record->pc.va,
		.target = record->target.va,
		.previous_target = record->previous.va,
		.el = record->pc.el,
		.ns = record->pc.ns,
		.nse = record->pc.nse,
		.operation = record->type_payload,
		.data = sample_address(record->data_va),
		.va = record->data_va,
		.pa = record->data_pa,
		.events = record->events,
		.time = record->timestamp,
		.context = {record->contextidr_el1, record->contextidr_el2},
		.latency = {record->total_latency, record->issue_latency,
			    record->translation_latency},
		.source = record->data_source,
	};
	if (record->has & SPE_HAS_OPERATION)
		sample->class = (enum record_class)(record->type_header - SPE_TYPE_OTHER);
}

bool sample_passes(const struct sample_filter *filter, int32_t cpu, const struct sample *sample)
{
	if (filter->by_cpu && (cpu < 0 || (uint32_t)cpu != filter->cpu))
		return false;
	return !filter->by_el || (sample->has & SAMPLE_HAS_PC && sample->el == filter->el);
}
