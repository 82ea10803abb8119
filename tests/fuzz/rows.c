/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Target: the table that Python sees, of any bytes as one buffer and as a file. Each row is what
 * <vspe/decode.h> has of its record, and a file's come as often as the reader says.
 */
#include "input.h"

#include "../../bindings/python/rows.h"

#include <string.h>

static const struct row *row_at(const struct rows *rows, size_t number)
{
	return (const struct row *)rows->records.at + number;
}

/* A row has all of a record, and as many extras as that has. */
static size_t check_row(const struct row *row, const struct spe_record *r)
{
	require(row->has == r->has && row->size == r->size && row->damage == r->damage);
	require(row->pc == r->pc.va && row->pc_el == r->pc.el && row->target == r->target.va);
	require(row->previous == r->previous.va && row->data_va == r->data_va);
	require(row->data_pa == r->data_pa && row->tag == r->tag && row->events == r->events);
	require(row->timestamp == r->timestamp && row->total_latency == r->total_latency);
	require(row->data_source == r->data_source && row->type_header == r->type_header);
	require(row->unknown_bytes == r->unknown_bytes && row->cut_bytes == r->cut_bytes);
	require(row->repeated == r->repeated && row->extra_count == r->extra_count);
	return r->extra_count < SPE_EXTRA_MAX ? r->extra_count : SPE_EXTRA_MAX;
}

static void check_buffer(const uint8_t *bytes, size_t size)
{
	const struct input_origin origin = {3, -1};
	struct rows rows = {0};
	size_t at = 0, number = 0, extras = 0;

	require(rows_decode(&rows, bytes, size, origin, 4096));
	while (at < size) {
		struct spe_record record;
		const size_t length = spe_record_read(bytes + at, size - at, &record);

		if (record.size) {
			require(number < rows_count(&rows));
			require(row_at(&rows, number)->offset == 4096 + at + record.offset);
			extras += check_row(row_at(&rows, number++), &record);
		}
		at += length;
	}
	require(number == rows_count(&rows));
	require(extras == rows.extras.used / sizeof(struct row_extra));
	for (size_t i = 0; i < extras; i++)
		require(((struct row_extra *)(void *)rows.extras.at)[i].row < number);
	rows_fit(&rows.records);
	rows_fit(&rows.extras);
	require(rows.records.mapped >= rows.records.used);
	rows_free(&rows);
}

static void take_record(void *ctx, const struct input_record *record)
{
	struct rows *rows = ctx;

	if (!record->size)
		return;
	require(rows_add(rows, record));
	(void)check_row(row_at(rows, rows_count(rows) - 1), record->decoded);
	require(row_at(rows, rows_count(rows) - 1)->cpu == record->origin.cpu);
}

static void check_file(const uint8_t *bytes, size_t size)
{
	struct rows rows = {0};
	const struct input_sink sink = {.ctx = &rows, .record = take_record};
	struct input_result result;
	char words[INPUT_LINE_WORDS];
	FILE *file = fmemopen((void *)bytes, size, "rb");

	require(file);
	(void)input_read(file, &sink, &result);
	fclose(file);
	require(rows_count(&rows) == result.records);
	for (unsigned int i = 0; i < INPUT_LOSSES; i++)
		require(!*input_loss_words(&result, (enum input_loss)i, words) ==
			!result.losses[i].times);
	require(!*input_damage_words(&result.damage, words) ==
		!(result.damage.bytes || result.damage.records));
	rows_free(&rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	check_buffer(bytes, size);
	if (size)
		check_file(bytes, size);
	return 0;
}
