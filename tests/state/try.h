/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a damaged image of a machine may do: it is refused with one line that says why, or it is a
 * machine, which runs a while and can be saved. Header only; shared by damage.c and the fuzz
 * target.
 */
#ifndef VSPE_TESTS_TRY_H
#define VSPE_TESTS_TRY_H

#include <stdlib.h>
#include <string.h>

#include "cli/console.h"
#include "cli/panic.h"
#include "machine/machine_move.h"
#include "base/tap.h"

#define TRY_LOOKS      4 /* at the console, until it has run long enough */
#define TRY_OPERATIONS 20000

struct try_host {
	unsigned int looks;
	struct console console; /* not open: of what vspe run keeps in an image */
	struct tap tap;
	struct panic panic;
};

static inline void try_put(void *ctx, uint8_t byte)
{
	struct try_host *host = ctx;

	tap_byte(&host->tap, byte);
	(void)panic_byte(&host->panic, byte);
}

static inline enum machine_console_event try_poll(void *ctx, int timeout_ms, uint8_t *bytes,
						  size_t room, size_t *got)
{
	struct try_host *host = ctx;

	(void)timeout_ms;
	(void)bytes;
	(void)room;
	*got = 0;
	return ++host->looks > TRY_LOOKS ? MACHINE_CONSOLE_QUIT : MACHINE_CONSOLE_NONE;
}

static inline bool try_open(void *ctx)
{
	(void)ctx;
	return false;
}

static inline int try_sample(void *ctx, unsigned int cpu, const uint8_t *bytes, size_t size)
{
	(void)ctx;
	(void)cpu;
	(void)bytes;
	(void)size;
	return 0;
}

static inline void try_state(void *ctx, struct state *state)
{
	struct try_host *host = ctx;

	console_state(&host->console, state);
	tap_state(&host->tap, state);
	panic_state(&host->panic, state);
}

static inline struct machine_config try_config(struct try_host *host)
{
	return (struct machine_config){
		.choices.engine = &engine_soft,
		.count_events = true,
		.console = {host, try_put, try_poll, try_open, NULL},
		.sample_ctx = host,
		.sample = try_sample,
		.host_ctx = host,
		.host_state = try_state,
	};
}

enum try_end { TRY_REFUSED, TRY_RUN, TRY_TOO_LARGE };

static inline void try_require(bool condition)
{
	if (!condition)
		abort();
}

/* How a machine comes: from a file, or over a connection. */
static inline struct machine *try_make(struct machine_saved *saved,
				       const struct machine_config *config, bool moved, char *why,
				       size_t size)
{
	struct machine *machine;
	uint64_t pause;

	if (!moved)
		return machine_restore(saved, config, why, size);
	machine = machine_move_make(saved, config, why, size);
	if (!machine || (machine_move_receive(saved, machine, why, size) == 0 &&
			 machine_move_take(saved, &pause, why, size) == 0))
		return machine;
	machine_destroy(machine);
	return NULL;
}

/* most: bytes of memory that the host lends to the machine; moved: it comes over a connection. */
static inline enum try_end try_machine(const uint8_t *image, size_t size, uint64_t most, bool moved)
{
	struct try_host host = {0};
	const struct machine_config config = try_config(&host);
	struct machine_saved *saved;
	struct machine *machine = NULL;
	enum try_end end = TRY_REFUSED;
	char why[256] = "";
	FILE *file = fmemopen((void *)(uintptr_t)image, size, "rb");

	if (!file)
		return TRY_REFUSED;
	saved = (moved ? machine_move_saved : machine_saved_open)(file, &engine_soft, why,
								  sizeof(why));
	if (saved && machine_saved_choices(saved)->ram_size > most)
		end = TRY_TOO_LARGE;
	else if (saved)
		machine = try_make(saved, &config, moved, why, sizeof(why));
	if (machine) {
		end = TRY_RUN;
		machine_save_at(machine, machine_operations(machine) + TRY_OPERATIONS);
		(void)machine_run(machine, why, sizeof(why));
	}
	try_require(end != TRY_REFUSED || (why[0] != '\0' && !strchr(why, '\n')));
	machine_destroy(machine);
	machine_saved_close(saved);
	(void)fclose(file);
	return end;
}

static inline enum try_end try_image(const uint8_t *image, size_t size, uint64_t most)
{
	return try_machine(image, size, most, false);
}

#endif
