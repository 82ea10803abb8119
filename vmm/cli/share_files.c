/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of a folder, in its process: see share_files.h. */
#define _GNU_SOURCE /* O_PATH */
#include "cli/share_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * How many files can be open: a caching client keeps one open for each that it has written. As many
 * descriptors as the host allows this process, less those that it needs itself.
 */
static unsigned int open_most(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return SHARE_SPARE;
	if (limit.rlim_cur < P9_FIDS + SHARE_SPARE) {
		limit.rlim_cur = P9_FIDS + SHARE_SPARE;
		if (limit.rlim_cur > limit.rlim_max)
			limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
		(void)getrlimit(RLIMIT_NOFILE, &limit);
	}
	if (limit.rlim_cur >= P9_FIDS + SHARE_SPARE)
		return P9_FIDS;
	return (unsigned int)(limit.rlim_cur > 2 * SHARE_SPARE ? limit.rlim_cur - SHARE_SPARE
							       : limit.rlim_cur / 2);
}

/* Can this user open files below it on this host? 0, or -1 and why. */
static int prepare(const struct share_start *start, char *why, size_t size)
{
	const int folder = p9_open_beneath(JAIL_FOLDER, "", O_RDONLY | O_DIRECTORY, 0);

	if (folder < 0) {
		(void)snprintf(why, size, "%s",
			       folder == -ENOSYS
				       ? "this kernel does not tell mounts apart (Linux 5.8)"
				       : strerror(-folder));
		return -1;
	}
	(void)close(folder);
	return jail_enter(&start->jail, why, size) < 0 ? -1 : 0;
}

static int tell(int socket, const void *bytes, size_t size)
{
	ssize_t told;

	do
		told = write(socket, bytes, size);
	while (told < 0 && errno == EINTR);
	return told < 0 ? -1 : 0;
}

/* Receive the sizes of the next message. False if they are invalid, or the other side is gone. */
static bool hear(int socket, struct share_said *said)
{
	ssize_t got;

	do
		got = read(socket, said, sizeof(*said));
	while (got < 0 && errno == EINTR);
	return got == sizeof(*said) && said->size >= P9_HEADER && said->size <= P9_SIZE_MOST &&
	       said->room >= P9_ERROR && said->room <= P9_SIZE_MOST;
}

/* Copy a message before parsing it. heard gets the counts. */
static void serve(struct p9_session *session, struct share_memory *memory, int socket,
		  struct share_heard *heard)
{
	static uint8_t message[P9_SIZE_MOST];
	struct share_said said;

	do {
		if (!hear(socket, &said))
			return;
		memset(heard, 0, sizeof(*heard));
		memcpy(message, memory->message, said.size);
		if (said.anew)
			p9_session_end(session);
		heard->size =
			(uint32_t)p9_answer(session, message, said.size, memory->answer, said.room);
	} while (tell(socket, heard, sizeof(*heard)) == 0);
}

void share_serve(void *ctx, int socket)
{
	const struct share_start *start = ctx;
	struct share_heard heard;
	struct p9_session session = {
		.root = JAIL_FOLDER, .read_only = start->read_only, .counts = &heard.counts};
	static const uint8_t ready = 0;
	char why[256];

	session.open_most = open_most();
	if (prepare(start, why, sizeof(why)) < 0) {
		(void)tell(socket, why, strlen(why));
		return;
	}
	if (tell(socket, &ready, sizeof(ready)) == 0)
		serve(&session, start->memory, socket, &heard);
	p9_session_end(&session);
}
