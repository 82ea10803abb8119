/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file that a machine is saved in, and that of a recording: a header and sections, as in
 * docs/saved-machine.md. Nothing in it is trusted; the readers of sections interpret them.
 */
#ifndef VSPE_MACHINE_STATE_FILE_H
#define VSPE_MACHINE_STATE_FILE_H

#include <stdio.h>

#include "base/state.h"

#define STATE_FILE_VERSION 9 /* that is written; 1 to 8 are read too */
#define STATE_FILE_TAG	   4 /* letters */
#define STATE_FILE_HEADER  12
#define STATE_FILE_SECTION 16 /* bytes before a section's contents; 4 follow them */

enum state_file_kind {
	STATE_FILE_MACHINE,   /* machine_save.h */
	STATE_FILE_RECORDING, /* recording.h */
	STATE_FILE_MIGRATION, /* machine_move.h: a connection instead of a file */
	STATE_FILE_KINDS
};

struct state_file {
	FILE *file; /* the caller's */
	enum state_file_kind kind;
	uint32_t version; /* of a file that is read */
	uint64_t most;	  /* the most bytes of a section to read; 0: any number */
	uint32_t crc;	  /* of everything so far except the checksums */
	char why[256];	  /* of the last failure: a line without newline */
};

struct state_section {
	char tag[STATE_FILE_TAG + 1];
	uint32_t index;
	size_t size;
	uint8_t *bytes; /* malloc'ed, with room for one more; the caller frees it */
};

/* All of these return 0, or -1 and why. A failure is final. */

/* Begin a file, at its start. */
int state_file_create(struct state_file *to, FILE *file, enum state_file_kind kind);
/* Put a section. */
int state_file_put(struct state_file *to, const char *tag, uint32_t index, const void *bytes,
		   size_t size);
/* Put the bytes saved in state, and free that. */
int state_file_put_state(struct state_file *to, const char *tag, uint32_t index,
			 struct state *state);

/* Read the header of a file whose sections have at most this many bytes (0: any number). */
int state_file_open(struct state_file *from, FILE *file, enum state_file_kind kind, uint64_t most);
/* Read the next section, whichever it is. */
int state_file_next(struct state_file *from, struct state_section *section);
/* Does the next section's tag begin with the first letter of this one? */
bool state_file_peek(struct state_file *from, const char *tag);
/* Read the next section, which must be this one. */
int state_file_get(struct state_file *from, const char *tag, uint32_t index,
		   struct state_section *section);
/* ... or one with this tag and any index. */
int state_file_get_any(struct state_file *from, const char *tag, struct state_section *section);
/* Nothing may follow. */
int state_file_at_end(struct state_file *from);

#endif
