/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files that processes have mapped, and their functions. Each has a separate range of
 * addresses, which no program of 52 bits or fewer uses. So a function is the same place in two
 * processes, wherever they have it:
 *
 *   0x001n_nnaa_aaaa_aaaa   address aa_aaaa_aaaa, as linked, of the dso number nnn
 *   0x00nn_aaaa_aaaa_aaaa   address aaaa_aaaa_aaaa of a process, in code that it made as it
 *                           ran: that of the jit_number nn - 0x20
 */
#ifndef VSPE_TRACE_DSOS_H
#define VSPE_TRACE_DSOS_H

#include "trace/lines.h"
#include "trace/symbols.h"
#include "trace/threads.h"

struct dsos;

/* The caller keeps threads, which must outlive the result. NULL if no file is named. */
struct dsos *dsos_new(const struct threads *threads);
/* NULL is allowed. */
void dsos_free(struct dsos *dsos);

/*
 * Look for the files below the folder symfs, and give their functions to symbols, from debug files
 * by build id or path, or from the file itself. NULL is the root of this machine. Another file may
 * have the same path there, so the build id must be known and equal.
 *
 * 0, or a negative errno of the folder. dsos_state() reports a file that is missing, or is not the
 * one that was mapped.
 */
int dsos_load(struct dsos *dsos, const char *symfs, struct symbols *symbols);

/* What is known of a file's functions, in a few words; static storage. */
const char *dsos_state(const struct dsos *dsos, uint32_t number);

/* Does it have source lines: "yes", or why not. NULL: no file has any. */
const char *dsos_lines_state(const struct dsos *dsos, uint32_t number, struct lines *lines);

/* The address of a byte of a dso, or 0 if its offset is too large. */
uint64_t dsos_address(const struct dsos *dsos, uint32_t number, uint64_t offset);
/*
 * The address of a process's data, relative to a nearby map of its program or library: all segments
 * of a file are as far apart in memory as in the file's addresses. 0: in no known file.
 */
uint64_t dsos_data_address(const struct dsos *dsos, struct threads *threads, struct threads_who who,
			   uint64_t address);
/*
 * Are its addresses known, for dsos_address()? Otherwise that encodes an offset in the file. A
 * jit_number has no addresses.
 */
bool dsos_is_read(const struct dsos *dsos, uint32_t number);
/* The difference between those addresses of a dso and its own. */
uint64_t dsos_moved(const struct dsos *dsos, uint32_t number);
/*
 * Is it an address of dsos_address()? If so, gets the file's own address, and a number: of the dso,
 * or THREADS_DSOS and a jit_number.
 */
bool dsos_has(uint64_t address, uint32_t *number, uint64_t *own);

/*
 * The bytes at an address that dsos_address() made, from the file below the folder root. 0, or a
 * negative errno. dsos may be NULL.
 */
int dsos_code(const struct dsos *dsos, int root, uint64_t address, void *code, size_t size);

/*
 * The address at which an instruction of a process is counted: that of its dso. The address itself
 * if it is the kernel's, which is the same for all processes, or has a name in symbols, or is in no
 * dso.
 */
uint64_t dsos_place(const struct dsos *dsos, struct threads *threads, struct threads_who who,
		    struct symbols *symbols, uint64_t address);

/* The dso that has an address of a process, of either kind. False if none is known. */
bool dsos_find(struct threads *threads, struct threads_who who, uint64_t address, uint32_t *number);

/* The last part of its path, or all of "[vdso]". */
const char *dsos_short_name(const struct dsos *dsos, uint32_t number);

#endif
