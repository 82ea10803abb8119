/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of addresses: the functions and objects of AArch64 ELF files, and lists in the format of
 * System.map and /proc/kallsyms. A user named the files, and they may be a guest's, so everything
 * in them is checked. A name has only printable ASCII characters; other bytes become \xNN.
 */
#ifndef VSPE_TRACE_SYMBOLS_H
#define VSPE_TRACE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SYMBOLS_FILES	16u
#define SYMBOLS_MAX	(1u << 20)  /* of all files */
#define SYMBOLS_TEXT	(64u << 20) /* bytes of all names */
#define SYMBOL_NAME_MAX 1024u	    /* bytes of one, as written; longer ones are cut off */

struct symbols;
struct Elf; /* libelf's */

struct symbol {
	const char *name;    /* as in its source: see demangle.h */
	const char *linkage; /* as the file has it */
	uint64_t start;	     /* VA[55:0], in the guest */
	uint64_t size;	     /* bytes; never 0 */
	uint64_t moved;	     /* start minus the file's address for it */
};

struct symbols *symbols_new(void);
/* NULL is allowed. */
void symbols_free(struct symbols *symbols);

/*
 * Add the names of the file at path, which is an ELF file, or else a list of lines "ADDRESS TYPE
 * NAME", where anything that follows is ignored. With moved, the file's first byte of code is at
 * address: for an ELF file that of its first segment in memory, for a list the lowest symbol of
 * code.
 *
 * 0, or a negative errno: those of open(2); -EISDIR for a folder; -ENOEXEC for an ELF file that is
 * damaged, for another machine, or not yet linked; -ENODATA for a truncated one; -ENOMSG for a file
 * that is no list either, or names no code; -EACCES for a kallsyms whose addresses are hidden;
 * -E2BIG for more symbols than there is room for, or more files than SYMBOLS_FILES.
 */
int symbols_add(struct symbols *symbols, const char *path, bool moved, uint64_t address);
/*
 * The same for a file of the kernel below the folder root, with its own addresses. symbols_anchor()
 * moves those of another boot.
 */
int symbols_add_kernel(struct symbols *symbols, int root, const char *path);
/*
 * The address of the first symbol of that name in the upper half. False: there is none. Call it
 * before symbols_find().
 */
bool symbols_address(const struct symbols *symbols, const char *name, uint64_t *address);
/*
 * Do files of symbols_add() have names in the upper half of addresses? Call it before
 * symbols_find().
 */
bool symbols_have_kernel(const struct symbols *symbols);
/*
 * Add the names of a Linux module, an ELF file that is not yet linked, which was loaded at start.
 * Its sections of code follow one another there, as the kernel lays them out (kernel/module/main.c,
 * layout_sections()). 0, -ENOEXEC for any other file, or -E2BIG.
 */
int symbols_add_module(struct symbols *symbols, struct Elf *elf, uint64_t start);
/*
 * Add the names of an ELF file that elf_file_check() accepts, each moved by this much. 0, -ENOEXEC
 * for one that is not yet linked, or -E2BIG.
 */
int symbols_add_elf(struct symbols *symbols, struct Elf *elf, uint64_t moved);
/*
 * The same for the entries of its procedure linkage table, "strlen@plt", which no symbol names. A
 * debug file has none. 0 or -E2BIG.
 */
int symbols_add_plt(struct symbols *symbols, struct Elf *elf, uint64_t moved);
/*
 * Add the names of code that a process made as it ran, from the lines "START SIZE NAME" that it
 * wrote for perf (tools/perf/Documentation/jit-interface.txt), each moved by this much. Addresses
 * and sizes are hexadecimal; other lines are ignored, as in perf. If two begin at one address the
 * later line counts, because its code replaced the other's. 0, -ENOMSG if there is none, -E2BIG,
 * -EIO.
 */
int symbols_add_jit(struct symbols *symbols, FILE *file, uint64_t moved);
/*
 * Set the address of a kernel symbol. A file of symbols_add() that has it elsewhere, and for which
 * no address was given, is from a kernel that moved at its start (KASLR). Its symbols in the upper
 * half of addresses then move too, except those of modules in a list, whose place in this boot it
 * does not have. Call it before symbols_find(). Returns the number of such files.
 */
unsigned int symbols_anchor(struct symbols *symbols, const char *name, uint64_t address);
/* A message for users; static storage, or strerror()'s. */
const char *symbols_strerror(int error);

/*
 * The symbol of code at this address, of which only bits [55:0] count, or -1. Only valid until more
 * are added.
 */
long symbols_find(struct symbols *symbols, uint64_t address);
/* The same for data: a variable of the program. Those of threads (TLS) have no address. */
long symbols_find_data(struct symbols *symbols, uint64_t address);
/* The symbol with a number from symbols_find(). */
struct symbol symbols_get(const struct symbols *symbols, long number);
/* The number after another one, or the first for -1; -1: there is none. */
long symbols_next(struct symbols *symbols, long number);
/* The code at an address, from the ELF files of symbols_add(). 0, or a negative errno. */
int symbols_code(const struct symbols *symbols, uint64_t address, void *code, size_t size);
/* The source lines of the ELF files. The caller adds those of symbols_add_elf(). */
struct lines *symbols_lines(struct symbols *symbols);
/* How many symbols of code were added. */
size_t symbols_count(const struct symbols *symbols);

#endif
