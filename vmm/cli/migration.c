/* SPDX-License-Identifier: BSD-2-Clause */
/* The sending side of a migration: see migration.h. */
#define _GNU_SOURCE /* fopencookie */
#include "cli/migration.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/printable.h"
#include "cli/carrier.h"
#include "cli/signals.h"

#define STEP_NS 3000000u	    /* of work between operations of the guest */
#define ROOM	(UINT64_C(2) << 20) /* that the ring needs for a piece */
#define WAIT_MS 1		    /* between looks at signals and at the ring */
#define SECOND	UINT64_C(1000000000)

enum stage {
	STAGE_NONE,
	STAGE_CONNECTS,
	STAGE_SENDS, /* while the guest runs, and afterwards */
	STAGE_CLOSES /* it has failed, and the carrier has yet to report its end */
};

struct migration {
	struct carrier carrier;
	enum stage stage;
	struct machine_move *move;
	FILE *file;		 /* writes to the ring */
	bool waits, ready, runs; /* the receiver has said so */
	bool given;		 /* the machine belongs to the receiver now */
	/*
	 * When something was last taken or said, how much had been taken by then, and when the
	 * guest stopped.
	 */
	uint64_t heard, taken, stopped;
	struct migration_stats stats;
	char why[160]; /* of a failure to write */
};

static uint64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

static bool say(const struct migration *migration, enum carrier_word word)
{
	const uint8_t byte = (uint8_t)word;

	return write(migration->carrier.process.socket, &byte, 1) == 1;
}

/* Handle a message of the carrier's. 0, or -1 and why. */
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

/* Handle all messages of the carrier so far. 0, or -1 and why. */
static int hear(struct migration *migration, char *why, size_t size)
{
	uint8_t message[1 + CARRIER_BYTES];
	ssize_t got;

	while ((got = read(migration->carrier.process.socket, message, sizeof(message))) > 0)
		if (take_message(migration, message, (size_t)got, why, size) < 0)
			return -1;
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	migration->stage = STAGE_NONE;
	(void)snprintf(why, size, "its process has ended");
	return -1;
}

static int check_silence(struct migration *migration, char *why, size_t size)
{
	const uint64_t taken = atomic_load(&migration->carrier.ring->taken);

	if (taken != migration->taken) {
		migration->taken = taken;
		migration->heard = now_ns();
	}
	if (now_ns() - migration->heard < MIGRATION_SILENCE_S * SECOND)
		return 0;
	(void)snprintf(why, size, "nothing was heard for %d s", MIGRATION_SILENCE_S);
	return -1;
}

static uint64_t ring_left(const struct migration *migration)
{
	return atomic_load(&migration->carrier.ring->written) -
	       atomic_load(&migration->carrier.ring->taken);
}

/*
 * Wait until the ring holds at most this many bytes, or until *said. A signal that requests the end
 * also ends the wait, as long as this side still owns the machine. 0, or -1 and why.
 */
static int wait_until(struct migration *migration, uint64_t most, const bool *said, char *why,
		      size_t size)
{
	(void)say(migration, CARRIER_DATA);
	while (said ? !*said : ring_left(migration) > most) {
		struct pollfd fd = {.fd = migration->carrier.process.socket, .events = POLLIN};
		bool failed;

		(void)poll(&fd, 1, WAIT_MS);
		failed = hear(migration, why, size) < 0 || check_silence(migration, why, size) < 0;
		/* It may have said so just before it ended. */
		if (said && *said)
			return 0;
		if (failed)
			return -1;
		if (!migration->given && signals_over()) {
			(void)snprintf(why, size, "the end was asked for");
			return -1;
		}
	}
	return 0;
}

/* Writes to migration.file. Only a stopped machine has to wait for room. */
static ssize_t ring_write(void *cookie, const char *bytes, size_t size)
{
	struct migration *migration = cookie;
	struct carrier_ring *ring = migration->carrier.ring;
	size_t done = 0;

	while (done < size) {
		const uint64_t written = atomic_load(&ring->written), at = written % CARRIER_RING;
		uint64_t n = CARRIER_RING - ring_left(migration);

		if (n == 0) {
			if (wait_until(migration, CARRIER_RING - ROOM, NULL, migration->why,
				       sizeof(migration->why)) < 0) {
				errno = EIO;
				return 0;
			}
			continue;
		}
		n = n < CARRIER_RING - at ? n : CARRIER_RING - at;
		n = n < size - done ? n : size - done;
		memcpy(ring->bytes + at, bytes + done, n);
		atomic_store(&ring->written, written + n);
		migration->stats.bytes += n;
		done += n;
	}
	return (ssize_t)size;
}

struct migration *migration_open(const struct address *address, bool open, const struct user *user,
				 char *why, size_t size)
{
	struct migration *migration = calloc(1, sizeof(*migration));
	int error;

	if (!migration) {
		(void)snprintf(why, size, "no memory");
		return NULL;
	}
	error = carrier_start(&migration->carrier, address, open, user);
	if (error == 0)
		return migration;
	(void)snprintf(why, size, "its process: %s", strerror(-error));
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
	carrier_stop(&migration->carrier);
	free(migration);
}

int migration_prepare(struct migration *migration, struct machine *machine)
{
	static const cookie_io_functions_t calls = {.write = ring_write};

	migration->move = machine_move_open(machine);
	migration->file = fopencookie(migration, "wb", calls);
	if (!migration->move || !migration->file)
		return -1;
	return setvbuf(migration->file, NULL, _IONBF, 0) == 0 ? 0 : -1;
}

/* It has failed, whichever side caused it. */
static void give_up(struct migration *migration)
{
	if (migration->stage == STAGE_NONE)
		return;
	migration->stage = STAGE_CLOSES;
	(void)say(migration, CARRIER_QUIT);
}

bool migration_begin(struct migration *migration, char *why, size_t size)
{
	struct carrier_ring *ring = migration->carrier.ring;

	if (migration->stage == STAGE_CLOSES && hear(migration, why, size) == 0) {
		(void)snprintf(why, size, "the connection before has not ended yet");
		return false;
	}
	migration->waits = migration->ready = migration->runs = migration->given = false;
	migration->stats = (struct migration_stats){0};
	migration->why[0] = '\0';
	migration->taken = 0;
	migration->heard = now_ns();
	atomic_store(&ring->written, 0);
	atomic_store(&ring->taken, 0);
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
	if (migration->stage == STAGE_CLOSES) {
		/* There may have been no room for the word. */
		(void)say(migration, CARRIER_QUIT);
		return hear(migration, why, size) < 0 ? MIGRATION_NOTHING : MIGRATION_GOES_ON;
	}
	if (hear(migration, why, size) < 0 || check_silence(migration, why, size) < 0)
		more = -1;
	if (more > 0 && migration->stage == STAGE_CONNECTS)
		return MIGRATION_GOES_ON;
	while (more > 0 && now_ns() - start < STEP_NS) {
		if (ring_left(migration) > CARRIER_RING - ROOM)
			break;
		more = machine_move_step(migration->move, why, size);
		/* The guest must not pause for work that the receiver has yet to do. */
		if (more == 0 && !migration->waits) {
			more = 1;
			break;
		}
	}
	(void)say(migration, CARRIER_DATA);
	if (more >= 0)
		return more ? MIGRATION_GOES_ON : MIGRATION_STOP;
	give_up(migration);
	return MIGRATION_FAILED;
}

bool migration_waits_for(const struct migration *migration, struct pollfd *fd)
{
	*fd = (struct pollfd){.fd = migration->carrier.process.socket, .events = POLLIN};
	return migration->stage != STAGE_NONE;
}

/* Send the rest to the receiver, which confirms that it has all. 0, or -1 and why. */
static int send_rest(struct migration *migration, char *why, size_t size)
{
	int more;

	do
		more = machine_move_rest(migration->move, why, size);
	while (more > 0);
	if (more == 0)
		more = wait_until(migration, 0, &migration->ready, why, size);
	else if (migration->why[0])
		(void)snprintf(why, size, "%s", migration->why);
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
	migration->given = true;
	machine_move_stats(migration->move, &migration->stats.move);
	if (wait_until(migration, 0, &migration->runs, what, sizeof(what)) < 0) {
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
