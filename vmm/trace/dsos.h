/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files that processes have mapped, and their functions. Each has a range of addresses of its
 * own, which no program of 52 bits or fewer has, so that the same function of two processes is one
 * place, wherever they have it:
 *
 *   0x001n_nnaa_aaaa_aaaa   address aa_aaaa_aaaa, as linked, of the dso number nnn
 *   0x00nn_aaaa_aaaa_aaaa   address aaaa_aaaa_aaaa of the process's own in code that it made as it
 *                           ran: that of the jit_number nn - 0x20
 */
#ifndef VSPE_TRACE_DSOS_H
#define VSPE_TRACE_DSOS_H

#include "trace/lines.h"
#include "trace/symbols.h"
#include "trace/threads.h"

struct dsos;

/* threads stays the caller's, and is needed as long as the result; NULL: no file is named. */
struct dsos *dsos_new(const struct threads *threads);
/* NULL is nothing to do. */
void dsos_free(struct dsos *dsos);

/*
 * Look for the files below the folder symfs, and give their functions to symbols: debug files by
 * build id or path, or the file itself. NULL is the root of this machine, where another file may
 * have the same path: there the build id must be known, and be the same.
 *
 * 0, or a negative errno of the folder. That a file is not there, or not what was mapped, is said
 * by dsos_state().
 */
int dsos_load(struct dsos *dsos, const char *symfs, struct symbols *symbols);

/* What is known of a file's functions, in a few words; static storage. */
const char *dsos_state(const struct dsos *dsos, uint32_t number);

/* Has it source lines: "yes", or why not. NULL: nothing there has any. */
const char *dsos_lines_state(const struct dsos *dsos, uint32_t number, struct lines *lines);

/* The address for a byte of a dso, or 0 if it is too far in it. */
uint64_t dsos_address(const struct dsos *dsos, uint32_t number, uint64_t offset);
/*
 * The address for data of a process, by the map of its program or library that is near: all
 * segments of a file are as far from each other in memory as in the file's addresses. 0: in no file
 * that is known.
 */
uint64_t dsos_data_address(const struct dsos *dsos, struct threads *threads, struct threads_who who,
			   uint64_t address);
/*
 * Are its addresses known, for dsos_address()? Otherwise that has an offset in the file. A
 * jit_number has none.
 */
bool dsos_is_read(const struct dsos *dsos, uint32_t number);
/* What those addresses of a dso are higher than its own. */
uint64_t dsos_moved(const struct dsos *dsos, uint32_t number);
/*
 * Is it one of those? Then the file's own address, and a number: of the dso, or THREADS_DSOS and a
 * jit_number.
 */
bool dsos_has(uint64_t address, uint32_t *number, uint64_t *own);

/*
 * The bytes of an address that dsos_address() made, of the file below the folder root. 0, or a
 * negative errno. dsos may be NULL.
 */
int dsos_code(const struct dsos *dsos, int root, uint64_t address, void *code, size_t size);

/*
 * Where an address of an instruction of theirs is counted: that of its dso, or the address itself
 * where it is the kernel's, which has one everywhere, or has a name in symbols, or is of no dso.
 */
uint64_t dsos_place(const struct dsos *dsos, struct threads *threads, struct threads_who who,
		    struct symbols *symbols, uint64_t address);

/* The dso that has an address for them, of either kind. false: none that is known. */
bool dsos_find(struct threads *threads, struct threads_who who, uint64_t address, uint32_t *number);

/* The last part of its path, or all of "[vdso]". */
const char *dsos_short_name(const struct dsos *dsos, uint32_t number);

#endif
