/* SPDX-License-Identifier: BSD-2-Clause */
/* What dsos.c answers from, and dsos_files.c fills in. */
#ifndef VSPE_TRACE_DSOS_PARTS_H
#define VSPE_TRACE_DSOS_PARTS_H

#include "trace/dsos.h"
#include "trace/elf_file.h"

enum dsos_state {
	NOT_LOOKED,
	NO_FILE,
	NO_PATH,
	NO_BUILD_ID,
	NO_MAP,
	OTHER_BUILD_ID,
	BAD_FILE,
	BAD_MAP,
	BAD_PACKING,
	NO_SYMBOLS,
	EXPORTED,
	LOADED
};

struct dso_file {
	enum dsos_state state;
	unsigned int segments;
	struct elf_file_segment segment[ELF_FILE_SEGMENTS]; /* all that are loaded */
	long lines;					    /* its number there, or -1 */
};

struct dsos {
	const struct threads *threads;
	struct dso_file files[THREADS_DSOS];
};

#endif
