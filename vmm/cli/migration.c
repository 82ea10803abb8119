// SPDX-License-Identifier: BSD-2-Clause
/* The side that a machine leaves: see migration.h. */
#define _GNU_SOURCE /* fopencookie */
#include "cli/migration.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/printable.h"
#include "cli/carrier.h"
#include "cli/signals.h"

#define STEP_NS	   3000000u	       /* of work between operations of the guest */
#define QUEUE_MOST (UINT64_C(1) << 20) /* beyond that nothing is added to what waits */
#define WAIT_MS	   100		       /* between looks at signals */
#define SECOND	   UINT64_C(1000000000)

enum stage {
	STAGE_NONE,
	STAGE_CONNECTS,
	STAGE_SENDS, /* while the guest runs, and afterwards */
	STAGE_CLOSES /* it has failed, and the carrier has yet to say that it is over */
};

struct migration {
	int carrier; /* its socket */
	enum stage stage;
	struct machine_move *move;
	FILE *file; /* what is written to it is queued */
	uint8_t *queue;
	size_t queued, sent, room; /* bytes there, of them sent already, and room for */
	bool waits, ready, runs;   /* the receiver has said so */
	uint64_t heard, stopped;   /* when it took or said something last; when the guest stopped */
	struct migration_stats stats;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* What is written to migration.file. */
static ssize_t queue_write(void *cookie, const char *bytes, size_t size)
{
	struct migration *migration = cookie;

	if (migration->sent == migration->queued)
		migration->sent = migration->queued = 0;
	if (size > migration->room - migration->queued) {
		const size_t room = 2 * (migration->queued + size);
		uint8_t *grown = realloc(migration->queue, room);

		if (!grown) {
			errno = ENOMEM;
			return 0;
		}
		migration->queue = grown;
		migration->room = room;
	}
	memcpy(migration->queue + migration->queued, bytes, size);
	migration->queued += size;
	return (ssize_t)size;
}

struct migration *migration_open(const struct address *address, bool open, char *why, size_t size)
{
	struct migration *migration = calloc(1, sizeof(*migration));

	if (!migration) {
		(void)snprintf(why, size, "no memory");
		return NULL;
	}
	migration->carrier = carrier_start(address, open);
	if (migration->carrier >= 0)
		return migration;
	(void)snprintf(why, size, "its process: %s", strerror(-migration->carrier));
	free(migration);
	return NULL;
}

void migration_close(struct migration *migration)
{
	if (!migration)
		return;
	if (migration->file)
		(void)fclose(migration->file);
	machine_move_close(migration->move);
	(void)close(migration->carrier);
	free(migration->queue);
	free(migration);
}

int migration_prepare(struct migration *migration, struct machine *machine)
{
	static const cookie_io_functions_t calls = {.write = queue_write};

	migration->move = machine_move_open(machine);
	migration->file = fopencookie(migration, "wb", calls);
	if (!migration->move || !migration->file)
		return -1;
	return setvbuf(migration->file, NULL, _IONBF, 0) == 0 ? 0 : -1;
}

static bool say(const struct migration *migration, enum carrier_word word)
{
	const uint8_t byte = (uint8_t)word;

	return write(migration->carrier, &byte, 1) == 1;
}

/* It has failed, whoever is to blame. */
static void give_up(struct migration *migration)
{
	migration->queued = migration->sent = 0;
	if (migration->stage == STAGE_NONE)
		return;
	migration->stage = STAGE_CLOSES;
	/* If there is no room for it, what is on its way is not taken by the other side, and the
	 * carrier gives up, too. */
	(void)say(migration, CARRIER_QUIT);
}

/* A message of the carrier's. 0, or -1 and why. */
static int take_message(struct migration *migration, const uint8_t *message, size_t size, char *why,
			size_t room)
{
	char text[512];

	migration->heard = now_ns();
	switch (message[0]) {
	case CARRIER_CONNECT:
		if (migration->stage == STAGE_CONNECTS)
			migration->stage = STAGE_SENDS;
		return 0;
	case CARRIER_DATA:
		for (size_t i = 1; i < size; i++) {
			migration->waits |= message[i] == MIGRATION_WAITS;
			migration->ready |= message[i] == MIGRATION_READY;
			migration->runs |= message[i] == MIGRATION_RUNS;
		}
		return 0;
	default:
		migration->stage = STAGE_NONE;
		(void)snprintf(text, sizeof(text), "%.*s", (int)(size - 1 < 100 ? size - 1 : 100),
			       (const char *)message + 1);
		(void)printable(why, room, text);
		return -1;
	}
}

/* All that the carrier has said. 0, or -1 and why. */
static int hear(struct migration *migration, char *why, size_t size)
{
	uint8_t message[1 + CARRIER_BYTES];
	ssize_t got;

	while ((got = read(migration->carrier, message, sizeof(message))) > 0)
		if (take_message(migration, message, (size_t)got, why, size) < 0)
			return -1;
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	migration->stage = STAGE_NONE;
	(void)snprintf(why, size, "its process has ended");
	return -1;
}

/* As much of the queue as the carrier takes now. 0, or -1 and why. */
static int drain(struct migration *migration, char *why, size_t size)
{
	uint8_t word = CARRIER_DATA;

	while (migration->sent < migration->queued) {
		const size_t left = migration->queued - migration->sent;
		const size_t n = left < CARRIER_BYTES ? left : CARRIER_BYTES;
		const struct iovec parts[] = {{&word, 1}, {migration->queue + migration->sent, n}};

		if (writev(migration->carrier, parts, 2) < 0) {
			if (errno == EAGAIN || errno == EINTR)
				return 0;
			(void)snprintf(why, size, "%s", strerror(errno));
			return -1;
		}
		migration->sent += n;
		migration->stats.bytes += n;
		migration->heard = now_ns();
	}
	return 0;
}

static int check_silence(const struct migration *migration, char *why, size_t size)
{
	if (now_ns() - migration->heard < MIGRATION_SILENCE_S * SECOND)
		return 0;
	(void)snprintf(why, size, "nothing was heard for %d s", MIGRATION_SILENCE_S);
	return -1;
}

bool migration_begin(struct migration *migration, char *why, size_t size)
{
	if (migration->stage == STAGE_CLOSES && hear(migration, why, size) == 0) {
		(void)snprintf(why, size, "the connection before has not ended yet");
		return false;
	}
	migration->waits = migration->ready = migration->runs = false;
	migration->stats = (struct migration_stats){0};
	migration->queued = migration->sent = 0;
	migration->heard = now_ns();
	clearerr(migration->file);
	if (machine_move_begin(migration->move, migration->file, why, size) < 0)
		return false;
	if (!say(migration, CARRIER_CONNECT)) {
		(void)snprintf(why, size, "its process: %s", strerror(errno));
		return false;
	}
	migration->stage = STAGE_CONNECTS;
	return true;
}

enum migration_step migration_step(struct migration *migration, char *why, size_t size)
{
	const uint64_t start = now_ns();
	int more = 1;

	if (migration->stage == STAGE_NONE)
		return MIGRATION_NOTHING;
	if (migration->stage == STAGE_CLOSES)
		return hear(migration, why, size) < 0 ? MIGRATION_NOTHING : MIGRATION_GOES_ON;
	if (hear(migration, why, size) < 0 || check_silence(migration, why, size) < 0)
		more = -1;
	if (more > 0 && migration->stage == STAGE_CONNECTS)
		return MIGRATION_GOES_ON;
	while (more > 0 && now_ns() - start < STEP_NS) {
		if (drain(migration, why, size) < 0)
			more = -1;
		else if (migration->queued - migration->sent > QUEUE_MOST)
			break;
		else if ((more = machine_move_step(migration->move, why, size)) == 0 &&
			 !migration->waits)
			return MIGRATION_GOES_ON;
	}
	if (more >= 0)
		return more ? MIGRATION_GOES_ON : MIGRATION_STOP;
	give_up(migration);
	return MIGRATION_FAILED;
}

bool migration_waits_for(const struct migration *migration, struct pollfd *fd)
{
	const bool full = migration->stage == STAGE_SENDS;

	*fd = (struct pollfd){.fd = migration->carrier,
			      .events = (short)(POLLIN | (full ? POLLOUT : 0))};
	return migration->stage != STAGE_NONE;
}

/* Until the queue has no more than that, or *said. mine: the machine is, and a signal ends it. 0,
 * or -1 and why. */
static int wait_until(struct migration *migration, size_t most, const bool *said, bool mine,
		      char *why, size_t size)
{
	while (drain(migration, why, size) == 0) {
		const size_t left = migration->queued - migration->sent;
		struct pollfd fd = {.fd = migration->carrier,
				    .events = (short)(POLLIN | (left ? POLLOUT : 0))};

		if (hear(migration, why, size) < 0 || check_silence(migration, why, size) < 0)
			return -1;
		if (said ? *said : left <= most)
			return 0;
		if (mine && signals_over()) {
			(void)snprintf(why, size, "the end was asked for");
			return -1;
		}
		(void)poll(&fd, 1, WAIT_MS);
	}
	return -1;
}

/* The receiver gets what is left, and says that it has all. 0, or -1 and why. */
static int send_rest(struct migration *migration, char *why, size_t size)
{
	int more;

	do {
		more = machine_move_rest(migration->move, why, size);
		if (more >= 0 &&
		    wait_until(migration, more ? QUEUE_MOST : 0, NULL, true, why, size) < 0)
			more = -1;
	} while (more > 0);
	if (more == 0 && wait_until(migration, 0, &migration->ready, true, why, size) < 0)
		more = -1;
	return more;
}

enum migration_end migration_finish(struct migration *migration, char *why, size_t size)
{
	char what[160];

	migration->stopped = now_ns();
	if (send_rest(migration, why, size) < 0 ||
	    machine_move_give(migration->move, now_ns() - migration->stopped, why, size) < 0) {
		give_up(migration);
		return MIGRATION_NOT;
	}
	machine_move_stats(migration->move, &migration->stats.move);
	if (wait_until(migration, 0, &migration->runs, false, what, sizeof(what)) < 0) {
		(void)snprintf(why, size,
			       "it was given the machine, and has not said that it runs it: %s",
			       what);
		return MIGRATION_UNKNOWN;
	}
	migration->stats.pause = now_ns() - migration->stopped;
	return MIGRATION_DONE;
}

void migration_stats(const struct migration *migration, struct migration_stats *stats)
{
	*stats = migration->stats;
}
