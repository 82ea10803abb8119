/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guest memory in the file of a saved machine: pages that are not all zero, a section for each MiB,
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
 * A descriptor that shows which pages of RAM were ever written to, which the caller closes, or -1
 * if the host does not provide it.
 */
int state_ram_open(void);
/* Returns pages if it is right about an address that was written to, and -1 otherwise. */
int state_ram_trusted(int pages, const uint8_t *touched);
/*
 * A bit for each of count pages (STATE_RAM_PAGES at most) that the host ever gave to the guest; for
 * all of them if pages, from state_ram_trusted(), is -1. The others are zero.
 */
void state_ram_there(int pages, const uint8_t *host, unsigned int count,
		     uint8_t there[STATE_RAM_BITMAP]);
/*
 * Put all sections of RAM. 0, or -1 and to->why. touched: an address in RAM that is not zero.
 * pages: from state_ram_open(), or -1, in which case every page is read.
 */
int state_ram_save(struct state_file *to, const struct engine_ram *ram, uint64_t touched,
		   int pages);

/* Load a section into RAM that is zero. 0, or -1 and a line in why. */
int state_ram_load(const struct engine_ram *ram, const struct state_section *section, char *why,
		   size_t size);

/* Deflate in one call, also for the guest's files. malloc'ed; NULL: no memory. */
uint8_t *state_deflate(const uint8_t *bytes, size_t size, size_t *deflated);
/* Inflate to exactly this many bytes. False if the result has another size. */
bool state_inflate(const uint8_t *from, size_t from_size, uint8_t *bytes, size_t size);

#endif
