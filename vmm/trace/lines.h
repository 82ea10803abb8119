/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The source lines of addresses, and the functions that a compiler inlined there: DWARF of ELF
 * files, read by libdw. Files are opened when they are added, and read when an address of theirs is
 * first looked up. They are not trusted: a damaged one only loses its lines.
 */
#ifndef VSPE_TRACE_LINES_H
#define VSPE_TRACE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINES_FILES 256u /* kept open */
#define LINES_FRAMES \
	32u /* of functions that are inlined in each other; the outermost ones are cut off */
#define LINES_NONE UINT32_MAX

struct lines;
struct Elf; /* libelf's */

/* Names are those of lines_name(), or LINES_NONE. */
struct lines_frame {
	uint32_t function;
	uint32_t file; /* its path on the compiler's machine */
	uint32_t line; /* from 1; 0: not known */
};

struct lines *lines_new(void);
/* NULL is allowed. */
void lines_free(struct lines *lines);

/*
 * Add a file that elf_file_check() accepts, open as fd, whose addresses are higher in the guest by
 * `moved`. The file that it shares its debug information with (dwz) is looked for below the folder
 * root; -1 is this machine's. If the result is 0 or more, it is the file's number, and lines owns
 * elf and fd. -ENODATA: it has no lines. -E2BIG: there are LINES_FILES.
 */
long lines_add(struct lines *lines, struct Elf *elf, int fd, uint64_t moved, int root);
/* The addresses of file number are higher by this much than given before. */
void lines_move(struct lines *lines, long number, uint64_t by);
/* "yes", or why a file has no lines; static storage. */
const char *lines_state(struct lines *lines, long number);
/* 0, or -EIO or -ENOMEM: a file could not be read, so some of its lines are missing. */
int lines_error(const struct lines *lines);
/* Is there any file? */
bool lines_any(const struct lines *lines);

/*
 * Where the instruction at an address comes from: frames[0] is the innermost, and each next one is
 * the function that it was inlined in, with the line of the call. Returns how many there are; 0:
 * not known.
 */
unsigned int lines_find(struct lines *lines, uint64_t address,
			struct lines_frame frames[LINES_FRAMES]);
/*
 * The field at an offset in the variable that begins at an address: "[2].next", or "[2].next+0x4"
 * for an offset within that. False if nothing is known of it.
 */
bool lines_field(struct lines *lines, uint64_t variable, uint64_t offset, char *text, size_t size);
/* Any bytes; valid until the next lines_find(). NULL for LINES_NONE. */
const char *lines_name(const struct lines *lines, uint32_t name);
/* The last part of a path. */
const char *lines_base(const char *path);

#endif
