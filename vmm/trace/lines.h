/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The source lines of addresses, and the functions that a compiler inlined there: DWARF of ELF
 * files, read by libdw. Files are opened when they are added, and read when an address of theirs is
 * first looked for. They may be anybody's: what is wrong with one costs its lines.
 */
#ifndef VSPE_TRACE_LINES_H
#define VSPE_TRACE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINES_FILES 256u /* kept open */
#define LINES_FRAMES \
	32u /* of functions that are inlined in each other; the outer ones are cut off */
#define LINES_NONE UINT32_MAX

struct lines;
struct Elf; /* libelf's */

/* Names are those of lines_name(), or LINES_NONE. */
struct lines_frame {
	uint32_t function;
	uint32_t file; /* its path, as the compiler had it */
	uint32_t line; /* from 1; 0: not known */
};

struct lines *lines_new(void);
/* NULL is nothing to do. */
void lines_free(struct lines *lines);

/*
 * Add a file that elf_file_check() takes, open as fd, whose addresses are moved by so much in the
 * guest; the file that it shares its debug information with (dwz) is looked for below the folder
 * root, -1 being this machine's. With a result of 0 or more, the file's number, elf and fd belong
 * to lines. -ENODATA: it has no lines. -E2BIG: there are LINES_FILES.
 */
long lines_add(struct lines *lines, struct Elf *elf, int fd, uint64_t moved, int root);
/* The file number runs by so much higher than was said. */
void lines_move(struct lines *lines, long number, uint64_t by);
/* Why a file has no lines, or "yes"; static storage. */
const char *lines_state(struct lines *lines, long number);
/* 0, or -EIO or -ENOMEM: a file could not be read, and lines of it are missing. */
int lines_error(const struct lines *lines);
/* Is there a file? */
bool lines_any(const struct lines *lines);

/*
 * Where the instruction at an address is from: frames[0] is the innermost, each next one the
 * function that it was inlined in, with the line of the call. How many there are; 0: not known.
 */
unsigned int lines_find(struct lines *lines, uint64_t address,
			struct lines_frame frames[LINES_FRAMES]);
/*
 * The field of a variable that begins at an address, so many bytes in it: "[2].next", or
 * "[2].next+0x4" for what lies in that. false: nothing is known of it.
 */
bool lines_field(struct lines *lines, uint64_t variable, uint64_t offset, char *text, size_t size);
/* Any bytes; valid until the next lines_find(). NULL for LINES_NONE. */
const char *lines_name(const struct lines *lines, uint32_t name);
/* The last part of a path. */
const char *lines_base(const char *path);

#endif
