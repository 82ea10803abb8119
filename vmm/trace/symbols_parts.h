/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of symbols share: symbols.c has them, symbols_elf.c and symbols_list.c read files,
 * and give symbols_keep.c what they find.
 */
#ifndef VSPE_TRACE_SYMBOLS_PARTS_H
#define VSPE_TRACE_SYMBOLS_PARTS_H

#include "trace/symbols.h"

#include <stdio.h>

#define SYMBOLS_BITS UINT64_C(0x00ffffffffffffff) /* of an address, those that count */
/* How far the last symbol of a list reaches: nothing tells. */
#define SYMBOLS_LAST 4096u

struct symbols_entry {
	uint64_t start, end; /* end is 0: up to the next one, and to limit */
	uint64_t limit;
	uint64_t moved;
	uint32_t name;	  /* offset in text, as it is shown */
	uint32_t linkage; /* ... as the file has it */
	uint32_t rank;	  /* of those at one address the lowest is shown */
	bool module;	  /* of a list's line with a module's name */
	enum symbols_kind {
		SYMBOLS_CODE,
		SYMBOLS_DATA,
		SYMBOLS_NEITHER, /* it only ends the one before */
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
		bool placed;	   /* where it runs was said */
		long lines;	   /* its number there, or -1 */
		char *path;
		int root;    /* the folder that it is below, as if that were "/"; -1: none */
		uint64_t by; /* of an ELF file: how far it is from where it was linked for */
	} file[SYMBOLS_FILES];
	struct lines *lines;
	bool sorted;
};

/* Keep one, of a name of length bytes. 0 or -E2BIG. */
int symbols_keep(struct symbols *symbols, struct symbols_entry entry, const char *name,
		 size_t length);
/* How many underscores it begins with, up to 15. */
unsigned int symbols_underscores(const char *name);

/*
 * Add those of an ELF file of size bytes, or of a list, as symbols_add() does. by gets how far they
 * are from where the file has them.
 */
int symbols_read_elf(struct symbols *symbols, struct Elf *elf, uint64_t size, bool moved,
		     uint64_t address, uint64_t *by);
int symbols_read_list(struct symbols *symbols, FILE *file, bool moved, uint64_t address);

#endif
