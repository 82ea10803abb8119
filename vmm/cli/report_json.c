/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe report --json: one object for each section. */
#include "cli/json.h"
#include "cli/report_output.h"

#include <inttypes.h>

/* Shares and means as people write them: "60.01" becomes the number 60.01 in the output. */
static struct json_object *json_hundredths(uint64_t number)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%" PRIu64 ".%02" PRIu64, number / 100, number % 100);
	return json_object_new_double_s((double)number / 100, text);
}

static struct json_object *json_cells(const uint64_t *cells)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int i = 0; i < REPORT_CELLS_MAX; i++)
		json_append(list, json_object_new_uint64(cells[i]));
	return list;
}

static void add_cell(struct json_object *object, const struct report_column *column,
		     const struct report_cell *cell)
{
	char text[REPORT_CELL_TEXT];
	struct json_object *value;

	if (cell->none) /* json-c's null */
		return;
	switch (column->kind) {
	case REPORT_COUNT: value = json_object_new_uint64(cell->number); break;
	case REPORT_SHARE:
	case REPORT_MEAN: value = json_hundredths(cell->number); break;
	case REPORT_CELLS:
	case REPORT_USERS: value = json_cells(cell->cells); break;
	default:
		/* Readers of JSON keep 53 bits of a number: addresses are strings. */
		value = json_object_new_string(report_cell_words(column, cell, text));
		break;
	}
	json_add(object, column->key, value);
}

static struct json_object *json_section(const struct report_section *section,
					const struct report_rows *rows)
{
	struct json_object *object = json_object_new_object(), *list = json_object_new_array();
	const unsigned int columns = report_columns(section);

	json_add(object, "title", json_object_new_string(section->title));
	json_add(object, "rows", list);
	for (size_t row = 0; row < rows->count; row++) {
		struct json_object *entry = json_object_new_object();

		for (unsigned int n = 0; n < columns; n++)
			add_cell(entry, &section->columns[n], &rows->rows[row][n]);
		json_append(list, entry);
	}
	json_add(object, "left_off", json_object_new_uint64(rows->left_off));
	json_add(object, "dropped", json_object_new_uint64(rows->dropped));
	if (rows->remark)
		json_add(object, "remark", json_object_new_string(rows->remark));
	return object;
}

void report_print_json(FILE *out, const struct report_print *print)
{
	struct json_object *object = json_object_new_object();

	for (size_t i = 0; i < report_section_count; i++) {
		struct report_rows rows;

		if (!report_prints(print, &report_sections[i]))
			continue;
		report_fill(print->report, &report_sections[i], print->view, &rows);
		json_add(object, report_sections[i].key, json_section(&report_sections[i], &rows));
		report_rows_free(&rows);
	}
	json_print(out, object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
}
