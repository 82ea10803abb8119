/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of symbols share: symbols.c owns them, symbols_elf.c and symbols_list.c read
 * files, and symbols_keep.c stores what they find.
 */
#ifndef VSPE_TRACE_SYMBOLS_PARTS_H
#define VSPE_TRACE_SYMBOLS_PARTS_H

#include "trace/symbols.h"

#include <stdio.h>

#define SYMBOLS_BITS UINT64_C(0x00ffffffffffffff) /* of an address, those that count */
/* The assumed size of a list's last symbol, as nothing gives it. */
#define SYMBOLS_LAST 4096u

struct symbols_entry {
	uint64_t start, end; /* end is 0: to the next one, up to limit */
	uint64_t limit;
	uint64_t moved;
	uint32_t name;	  /* offset in text, as it is shown */
	uint32_t linkage; /* ... as the file has it */
	uint32_t rank;	  /* at one address the lowest is shown */
	bool module;	  /* of a list's line with a module's name */
	enum symbols_kind {
		SYMBOLS_CODE,
		SYMBOLS_DATA,
		SYMBOLS_NEITHER, /* only ends the previous one */
	} kind;
};

struct symbols {
	struct symbols_entry *entries;
	size_t count, room;
	size_t functions; /* that were kept */
	char *text;
	size_t used, text_room;
	unsigned int files;
	struct symbols_file {
		size_t first, end; /* of its entries, until they are sorted */
		bool placed;	   /* its address was given */
		long lines;	   /* its number there, or -1 */
		char *path;
		int root;    /* the folder that it is below, as if that were "/"; -1: none */
		uint64_t by; /* of an ELF file: how far it is from its linked address */
	} file[SYMBOLS_FILES];
	struct lines *lines;
	bool sorted;
};

/* Keep a symbol, with a name of length bytes. 0 or -E2BIG. */
int symbols_keep(struct symbols *symbols, struct symbols_entry entry, const char *name,
		 size_t length);
/* The number of leading underscores, up to 15. */
unsigned int symbols_underscores(const char *name);

/*
 * Add the symbols of an ELF file of size bytes, or of a list, as symbols_add() does. by gets how
 * far they are from their addresses in the file.
 */
int symbols_read_elf(struct symbols *symbols, struct Elf *elf, uint64_t size, bool moved,
		     uint64_t address, uint64_t *by);
int symbols_read_list(struct symbols *symbols, FILE *file, bool moved, uint64_t address);

#endif
