/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guest's files in sections. In the file of a saved machine: deflated, one each. Over a
 * connection: unchanged, in pieces, so that nothing has to wait for a complete one
 * (docs/saved-machine.md).
 */
#ifndef VSPE_MACHINE_STATE_GUEST_H
#define VSPE_MACHINE_STATE_GUEST_H

#include "machine/loader.h"
#include "machine/state_file.h"

#define STATE_GUEST_FIRMWARE "BIOS"
#define STATE_GUEST_KERNEL   "KERN"
#define STATE_GUEST_INITRD   "INRD"
#define STATE_GUEST_PIECE    (UINT64_C(1) << 20) /* bytes of all pieces except the last */

/* All of these return 0, or -1 and why in the state_file. A file without bytes has no section. */

/* A file of a saved machine. */
int state_guest_put(struct state_file *to, const char *tag, const struct loader_file *file);
/* Put piece n of a file over a connection. */
int state_guest_put_piece(struct state_file *to, const char *tag, const struct loader_file *file,
			  uint32_t n);
/* How many pieces it has: at least one, but none for a missing file. */
uint32_t state_guest_pieces(const struct loader_file *file);

/*
 * Get a file of at most this many bytes, which the machine has if name is not NULL, from either
 * kind of stream. The caller frees its bytes, after a failure too.
 */
int state_guest_get(struct state_file *from, const char *tag, const char *name,
		    struct loader_file *file, uint64_t most);

#endif
