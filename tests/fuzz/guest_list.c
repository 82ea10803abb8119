/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Target: a list of guests, of any bytes. What is refused has one line that says where; what is
 * taken has all of its columns, within their limits, and names that differ.
 */
#include "file.h"

#include <string.h>

#include "conform/guest_list.h"

static void check_row(const struct guest_list *list, size_t n)
{
	const struct guest_row *row = &list->rows[n];
	const size_t length = strlen(row->image);

	require(row->name[0] && row->on && length > 4);
	require(!strcmp(row->image + length - 4, ".elf") ||
		(length > 6 && !strcmp(row->image + length - 6, ".Image")));
	require(row->skips <= row->plan && row->seconds > 0 && row->line > 0);
	for (size_t i = 0; i < row->argument_count; i++)
		require(row->arguments[i] != NULL);
	for (size_t i = 0; i < n; i++)
		require(strcmp(list->rows[i].name, row->name) != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct guest_list list;
	char why[256] = "";

	if (!guest_list_read(&list, file_of(bytes, size), why, sizeof(why))) {
		require(why[0] && !strchr(why, '\n') && !list.rows);
		return 0;
	}
	require(!why[0]);
	for (size_t i = 0; i < list.count; i++)
		check_row(&list, i);
	guest_list_free(&list);
	return 0;
}
