/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guest memory in the file of a saved machine: pages that are not all zero, a MiB a section,
 * deflated (docs/saved-machine.md).
 */
#ifndef VSPE_MACHINE_STATE_RAM_H
#define VSPE_MACHINE_STATE_RAM_H

#include "engine.h"
#include "machine/state_file.h"

#define STATE_RAM_TAG	 "RAM "
#define STATE_PAGE	 4096u
#define STATE_RAM_PAGES	 256u /* in a section */
#define STATE_RAM_BLOCK	 ((uint64_t)STATE_RAM_PAGES * STATE_PAGE)
#define STATE_RAM_BITMAP (STATE_RAM_PAGES / 8)

/*
 * What tells which pages of RAM were ever written to: a descriptor, which is the caller's to close,
 * or -1 if the host does not say.
 */
int state_ram_open(void);
/*
 * pages if it tells the truth about an address that was written to, and -1 otherwise.
 */
int state_ram_trusted(int pages, const uint8_t *touched);
/* Which of count pages (STATE_RAM_PAGES at most) the host ever gave to the guest, a bit each; all
 * of them if pages, of state_ram_trusted(), is -1. The others are zero. */
void state_ram_there(int pages, const uint8_t *host, unsigned int count,
		     uint8_t there[STATE_RAM_BITMAP]);
/*
 * All sections of RAM. 0, or -1 and to->why. touched: an address in RAM that is not zero. pages: of
 * state_ram_open(), or -1, and then every page is looked at.
 */
int state_ram_save(struct state_file *to, const struct engine_ram *ram, uint64_t touched,
		   int pages);

/* What a section has, into RAM that is zero. 0, or -1 and a line in why. */
int state_ram_load(const struct engine_ram *ram, const struct state_section *section, char *why,
		   size_t size);

/* Deflate at once, as the files of the guest are too. malloc'ed; NULL: no memory. */
uint8_t *state_deflate(const uint8_t *bytes, size_t size, size_t *deflated);
/* Inflate what has to become exactly this many bytes. false: it does not. */
bool state_inflate(const uint8_t *from, size_t from_size, uint8_t *bytes, size_t size);

#endif
