/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of addresses: the functions and objects of AArch64 ELF files, and lists in the format of
 * System.map and /proc/kallsyms. The files are what a user named, and may be a guest's: all they
 * say is checked, and a name has printable ASCII characters alone, other bytes being written \xNN.
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
	const char *name;    /* as its source has it: see demangle.h */
	const char *linkage; /* as the file has it */
	uint64_t start;	     /* VA[55:0], where the guest has it */
	uint64_t size;	     /* bytes; never 0 */
	uint64_t moved;	     /* start less the address that the file has for it */
};

struct symbols *symbols_new(void);
/* NULL is nothing to do. */
void symbols_free(struct symbols *symbols);

/*
 * Add the names of the file at path, which is an ELF file, or else a list of lines "ADDRESS TYPE
 * NAME" with what follows left aside. With moved, the file's first byte of code is at address: of
 * an ELF file that of its first segment in memory, of a list the lowest symbol of code.
 *
 * 0, or a negative errno: those of open(2); -EISDIR for a folder; -ENOEXEC for an ELF file that is
 * damaged, of another machine, or not yet linked, -ENODATA for one that is cut off; -ENOMSG for a
 * file that is no list either, or names no code; -EACCES for a kallsyms whose addresses are hidden;
 * -E2BIG for more than is held, or more files than SYMBOLS_FILES.
 */
int symbols_add(struct symbols *symbols, const char *path, bool moved, uint64_t address);
/*
 * The same of a file of the kernel's below the folder root, at the addresses that it has: those of
 * another boot are moved by symbols_anchor().
 */
int symbols_add_kernel(struct symbols *symbols, int root, const char *path);
/* The address of the first one of that name in the upper half. false: none. The same. */
bool symbols_address(const struct symbols *symbols, const char *name, uint64_t *address);
/* Do files of symbols_add() have names in the upper half of addresses? Before symbols_find(). */
bool symbols_have_kernel(const struct symbols *symbols);
/*
 * Add the names of a module of Linux, an ELF file that is not yet linked, which was loaded at
 * start: its sections of code follow one another there, as the kernel lays them out
 * (kernel/module/main.c, layout_sections()). 0, -ENOEXEC for what is no such file, or -E2BIG.
 */
int symbols_add_module(struct symbols *symbols, struct Elf *elf, uint64_t start);
/*
 * Add the names of an ELF file that elf_file_check() takes, each moved by so much. 0,
 * -ENOEXEC for one that is not yet linked, or -E2BIG.
 */
int symbols_add_elf(struct symbols *symbols, struct Elf *elf, uint64_t moved);
/*
 * The same of the entries of its procedure linkage table, "strlen@plt", which no symbol names. A
 * debug file has none. 0 or -E2BIG.
 */
int symbols_add_plt(struct symbols *symbols, struct Elf *elf, uint64_t moved);
/*
 * Add the names of code that a process made as it ran, of the lines "START SIZE NAME" that it wrote
 * for perf (tools/perf/Documentation/jit-interface.txt), each moved by so much. Addresses and sizes
 * are hexadecimal; other lines are left aside, as perf does. Of two that begin at one address the
 * later line counts: its code took the other's place. 0, -ENOMSG if there is none, -E2BIG, -EIO.
 */
int symbols_add_jit(struct symbols *symbols, FILE *file, uint64_t moved);
/*
 * The kernel's symbol of that name is at address: files of symbols_add() that have it elsewhere,
 * and were not told where they run, are those of a kernel that was moved as it started (KASLR), and
 * their symbols in the upper half of addresses move with it, but for those of modules in a list:
 * where these are in this boot it does not say. To be called before symbols_find(). Returns how
 * many files that are.
 */
unsigned int symbols_anchor(struct symbols *symbols, const char *name, uint64_t address);
/* What is wrong, for users; static storage, or strerror()'s. */
const char *symbols_strerror(int error);

/*
 * The symbol of code that has this address, of which bits [55:0] count, or -1. Only valid until
 * more are added.
 */
long symbols_find(struct symbols *symbols, uint64_t address);
/* The same of data: a variable of the program's. Those of threads (TLS) have no address. */
long symbols_find_data(struct symbols *symbols, uint64_t address);
/* The one of a number from symbols_find(). */
struct symbol symbols_get(const struct symbols *symbols, long number);
/* The next one after a number, or with -1 the first; -1: there is none. */
long symbols_next(struct symbols *symbols, long number);
/* The code at an address, of the ELF files of symbols_add(). 0, or a negative errno. */
int symbols_code(const struct symbols *symbols, uint64_t address, void *code, size_t size);
/* The source lines of the ELF files, which those of symbols_add_elf() are to be added to. */
struct lines *symbols_lines(struct symbols *symbols);
/* How many were added that are of code. */
size_t symbols_count(const struct symbols *symbols);

#endif
