/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Target: the debug information of an ELF file of any bytes. An address of its code has some frames
 * or none, each time the same, of names that are there; demangled names, and fields of variables,
 * end where they have room.
 */
#include "file.h"

#include <string.h>

#include "trace/demangle.h"
#include "trace/lines.h"
#include "trace/symbols.h"

#define ASKED 256u

static unsigned int ask(struct lines *lines, uint64_t address, struct lines_frame *frames)
{
	const unsigned int count = lines_find(lines, address, frames);

	require(count <= LINES_FRAMES);
	for (unsigned int i = 0; i < count; i++) {
		const char *function = lines_name(lines, frames[i].function);
		const char *file = lines_name(lines, frames[i].file);

		require(!function || strlen(function) < 4096);
		require(!file || strlen(lines_base(file)) < 4096);
	}
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct lines_frame frames[LINES_FRAMES], again[LINES_FRAMES];
	struct symbols *symbols = symbols_new();
	struct lines *lines = symbols_lines(symbols);
	unsigned int asked = 0;
	char field[48];

	if (symbols_add(symbols, file_of(bytes, size), false, 0) == 0) {
		for (long i = symbols_next(symbols, -1); i >= 0 && asked < ASKED;
		     i = symbols_next(symbols, i)) {
			const struct symbol symbol = symbols_get(symbols, i);
			char name[64];

			if (demangle(symbol.linkage, name, sizeof(name)))
				require(strlen(name) < sizeof(name));
			for (uint64_t at = 0; at < symbol.size && asked < ASKED; at += 4, asked++) {
				const unsigned int count = ask(lines, symbol.start + at, frames);

				require(ask(lines, symbol.start + at, again) == count);
				require(memcmp(frames, again, count * sizeof(*frames)) == 0);
			}
		}
	}
	for (uint64_t at = 0x400000; at < 0x440000; at += 0x24) {
		const long number = symbols_find_data(symbols, at);
		struct symbol symbol;

		if (number < 0)
			continue;
		symbol = symbols_get(symbols, number);
		if (lines_field(lines, symbol.start, at - symbol.start, field, sizeof(field)))
			require(strlen(field) < sizeof(field));
	}
	symbols_free(symbols);
	return 0;
}
