/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A folder as the guest's process sees it: memory for a message and its answer, and a socket. The
 * guest waits for each answer, so that runs repeat, but not for ever. If an answer takes longer the
 * guest goes on and retries; if none arrives at all the process counts as lost.
 */
#define _GNU_SOURCE /* O_PATH, MAP_ANONYMOUS */
#include "cli/share.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/sandbox.h"
#include "cli/cli.h"
#include "cli/share_files.h"
#include "cli/signals.h"

#define START_MS 10000
/* The guest waits this long for an answer at first, and then this long at each retry. */
#define HOLD_MS	 1000
#define AGAIN_MS 50

struct share {
	struct jail_process process; /* no socket: it has ended */
	struct share_memory *memory;
	struct virtio_server server;
	unsigned int answer_ms;
	bool waiting; /* an answer is still to come */
	size_t room;  /* ... of at most this many bytes */
	int64_t said; /* when the message was sent, by jail_now() */
};

static void lose(struct share *share, const char *what)
{
	(void)close(share->process.socket);
	share->process.socket = -1;
	cli_message(stderr,
		    "vspe: --share: its process %s: the guest's folder is gone, and each "
		    "request fails now",
		    what);
}

static bool fits(const struct share *share, const struct share_heard *heard)
{
	return heard->size >= P9_HEADER && heard->size <= share->room;
}

/* Wait for an answer. 0, VIRTIO_MORE, or -EIO: its process is lost. */
static int wait_for(struct share *share, struct share_heard *heard)
{
	const int64_t last = share->said + share->answer_ms;
	int64_t until = share->said + HOLD_MS;
	ssize_t got;

	if (until < jail_now() + AGAIN_MS)
		until = jail_now() + AGAIN_MS;
	got = jail_hear(share->process.socket, heard, sizeof(*heard), until < last ? until : last,
			signals_over);
	if (got == -ECANCELED || (got == -ETIMEDOUT && jail_now() < last))
		return VIRTIO_MORE;
	share->waiting = false;
	if (got == sizeof(*heard) && fits(share, heard))
		return 0;
	lose(share, jail_what(got));
	return -EIO;
}

/* Without a process the message may go anywhere. */
static uint8_t *share_begin(void *ctx)
{
	struct share *share = ctx;
	struct share_heard heard;

	if (share->waiting && wait_for(share, &heard) == VIRTIO_MORE)
		return NULL;
	return share->memory->message;
}

static void share_say(void *ctx, size_t size, size_t room, bool anew)
{
	struct share *share = ctx;
	const struct share_said said = {(uint32_t)size, (uint32_t)room, anew};

	if (share->process.socket < 0)
		return;
	share->room = room;
	share->said = jail_now();
	share->waiting = write(share->process.socket, &said, sizeof(said)) == sizeof(said);
	if (!share->waiting)
		lose(share, jail_what(0));
}

static int share_hear(void *ctx, struct virtio_answer *answer)
{
	struct share *share = ctx;
	struct share_heard heard;
	const int error = share->waiting ? wait_for(share, &heard) : -EIO;

	if (error != 0)
		return error;
	*answer = (struct virtio_answer){share->memory->answer, heard.size, heard.counts};
	return 0;
}

/* 0 once it is ready, or -1 and why. */
static int start(struct share *share, const struct share_config *config, int folder, char *why,
		 size_t size)
{
	struct share_start start = {
		.jail = {.off = config->free,
			 .needs = SANDBOX_SHARE | (config->read_only ? 0 : SANDBOX_SHARE_WRITE),
			 .folder = folder,
			 .protections = cli_protections(),
			 .user = config->user,
			 .file_size = config->read_only ? 0 : P9_FILE_MOST,
			 .descriptors = P9_FIDS + SHARE_SPARE},
		.read_only = config->read_only,
		.memory = share->memory,
	};
	const int error = jail_start(&start.jail, share_serve, &start, &share->process);
	ssize_t got;

	if (error < 0) {
		(void)snprintf(why, size, "its process: %s", strerror(-error));
		return -1;
	}
	/* Hide it from processes that start later. */
	(void)madvise(share->memory, sizeof(*share->memory), MADV_DONTFORK);
	got = jail_hear(share->process.socket, why, size - 1, jail_now() + START_MS, NULL);
	if (got == 1)
		return 0;
	if (got > 1)
		why[got] = '\0';
	else
		(void)snprintf(why, size, "its process %s", jail_what(got));
	return -1;
}

static struct share *make(const struct share_config *config)
{
	struct share *share = calloc(1, sizeof(*share));

	if (!share)
		return NULL;
	*share = (struct share){
		.process = {-1, -1},
		.memory = mmap(NULL, sizeof(*share->memory), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0),
		.server = {share, share_begin, share_say, share_hear},
		.answer_ms = config->answer_ms,
	};
	if (share->memory != MAP_FAILED)
		return share;
	free(share);
	return NULL;
}

struct share *share_open(const struct share_config *config, char *why, size_t size)
{
	const int folder = open(config->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	const int error = folder < 0 ? errno : ENOMEM;
	struct share *share = folder < 0 ? NULL : make(config);
	int result = -1;

	(void)signal(SIGPIPE, SIG_IGN); /* write() then reports a process that has ended */
	if (share)
		result = start(share, config, folder, why, size);
	else
		(void)snprintf(why, size, "%s", strerror(error));
	if (folder >= 0)
		(void)close(folder);
	if (result == 0)
		return share;
	share_close(share);
	return NULL;
}

void share_close(struct share *share)
{
	if (!share)
		return;
	jail_end(&share->process);
	(void)munmap(share->memory, sizeof(*share->memory));
	free(share);
}

const struct virtio_server *share_server(const struct share *share)
{
	return &share->server;
}
