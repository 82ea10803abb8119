/* SPDX-License-Identifier: BSD-2-Clause */
/* What --share takes, and its folder as the device sees it; its process may be lost. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../compare.h"
#include "base/jail.h"
#include "cli/run.h"
#include "device/p9_message.h"

#define ROOM 8192

static const uint8_t version[] = {21, 0, 0,   0,   100, 255, 255, 0,   32,  0,	0,
				  8,  0, '9', 'P', '2', '0', '0', '0', '.', 'L'};
static const uint8_t statfs[] = {11, 0, 0, 0, 8, 1, 0, 1, 0, 0, 0};

static struct run_options options;
static struct share *share;
static const struct virtio_server *server;

Test(share, a_word_says_what_there_is)
{
	cr_assert_null(run_share_take(&options, "folder,ro,tag=results"));
	cr_assert(options.share.wanted);
	cr_assert(options.share.read_only);
	cr_assert_str_eq(options.share.path, "folder");
	cr_assert_str_eq(options.share.tag, "results");
	cr_assert_not_null(run_share_take(&options, "another"), "there is one");
}

static void open_with(unsigned int answer_ms)
{
	const struct share_config config = {
		.path = "/tmp", .read_only = true, .answer_ms = answer_ms};
	char why[256] = "";

	share = share_open(&config, why, sizeof(why));
	cr_assert_not_null(share, "%s", why);
	server = share_server(share);
}

Test(share, what_is_no_folder_is_refused)
{
	struct share_config config = {.path = "/missing"};
	char why[256];

	cr_assert_null(share_open(&config, why, sizeof(why)));
	cr_assert_str_eq(why, "No such file or directory");
	config.path = "/etc/passwd";
	cr_assert_null(share_open(&config, why, sizeof(why)));
	cr_assert_str_eq(why, "Not a directory");
}

/* Say a message, for which there is room. */
static void say(const uint8_t *message, bool anew)
{
	uint8_t *bytes = server->begin(server->ctx);

	cr_assert_not_null(bytes);
	memcpy(bytes, message, message[0]);
	server->say(server->ctx, message[0], ROOM, anew);
}

/* The type of its answer. */
static int hear(void)
{
	struct virtio_answer answer;
	const int error = server->hear(server->ctx, &answer);

	return error ? error : answer.bytes[4];
}

Test(share, messages_are_answered_in_their_order)
{
	open_with(SHARE_ANSWER_MS);
	say(version, true);
	cr_assert_eq(hear(), 101);
	say(version, false);
	say(statfs, false);
	cr_assert_eq(hear(), P9_RLERROR, "that of the second one: there is no fid");
	say(version, false);
	cr_assert_eq(hear(), 101);
	cr_assert_eq(hear(), -EIO, "there is no other");
	share_close(share);
}

/* A signal for the one process that this one has. */
static void send_signal(int number)
{
	char path[64];
	FILE *file;
	int child = 0;

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children", getpid(), getpid());
	file = fopen(path, "re");
	cr_assert(file);
	cr_assert_eq(fscanf(file, "%d", &child), 1);
	cr_assert_gt(child, 1);
	(void)fclose(file);
	cr_assert_eq(kill(child, number), 0);
}

static void check_gone(void)
{
	for (unsigned int i = 0; i < 3; i++) {
		say(version, false);
		cr_assert_eq(hear(), -EIO);
	}
	share_close(share);
}

Test(share, a_process_that_is_killed)
{
	open_with(SHARE_ANSWER_MS);
	say(version, true);
	cr_assert_eq(hear(), 101);
	send_signal(SIGKILL);
	check_gone();
}

/* The guest goes on meanwhile, and hears of it when it goes on. */
Test(share, a_process_that_stops_for_a_while)
{
	open_with(SHARE_ANSWER_MS);
	send_signal(SIGSTOP);
	say(version, true);
	cr_assert_eq(hear(), VIRTIO_MORE);
	cr_assert_null(server->begin(server->ctx), "it may still read the message");
	send_signal(SIGCONT);
	while (hear() == VIRTIO_MORE)
		continue;
	say(statfs, false);
	cr_assert_eq(hear(), P9_RLERROR);
	share_close(share);
}

Test(share, a_process_that_is_silent)
{
	const int64_t start = jail_now();
	int heard;

	open_with(1200);
	send_signal(SIGSTOP);
	say(version, true);
	do
		heard = hear();
	while (heard == VIRTIO_MORE);
	cr_assert_eq(heard, -EIO);
	cr_assert_geq(jail_now() - start, 1200);
	check_gone();
}
