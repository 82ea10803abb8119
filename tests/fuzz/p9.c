/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer target: messages of 9P2000.L, as they come and with a valid header, to a folder with a
 * file, a folder and links that lead outside. The first byte says whether it is read-only. Nothing
 * outside changes, nothing changes if it is read-only, and each answer is valid.
 */
#define _GNU_SOURCE /* O_PATH */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/p9_session.h"
#include "input.h"

#define SIZE 4096

static char folder[64];
static uint8_t message[SIZE], answer[SIZE];

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *at)
{
	(void)stat, (void)type;
	return at->level > 0 ? remove(path) : 0;
}

static void clear(void)
{
	(void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void remove_folder(void)
{
	clear();
	(void)rmdir(folder);
}

static void make_file(int at, const char *name)
{
	const int fd = openat(at, name, O_CREAT | O_WRONLY, 0600);

	require(fd >= 0 && write(fd, "text", 4) == 4);
	(void)close(fd);
}

/* DIR/out, and the root DIR/in with f, d/f, u -> .. and o -> ../out. */
static int make_folder(void)
{
	int at, root;

	if (!folder[0]) {
		(void)strcpy(folder, "/tmp/vspe-p9-fuzz-XXXXXX");
		require(mkdtemp(folder) && atexit(remove_folder) == 0);
	}
	clear();
	at = open(folder, O_PATH | O_DIRECTORY);
	require(at >= 0 && mkdirat(at, "in", 0700) == 0);
	make_file(at, "out");
	root = openat(at, "in", O_PATH | O_DIRECTORY);
	require(root >= 0 && mkdirat(root, "d", 0700) == 0);
	make_file(root, "f");
	make_file(root, "d/f");
	require(symlinkat("..", root, "u") == 0 && symlinkat("../out", root, "o") == 0);
	(void)close(at);
	return root;
}

static void say(struct p9_session *session, size_t size)
{
	const uint8_t type = message[4];
	const size_t got = p9_answer(session, message, size, answer, sizeof(answer));

	require(got >= P9_HEADER && got <= sizeof(answer));
	require(answer[0] + 256u * answer[1] == got && answer[2] == 0 && answer[3] == 0);
	require(answer[4] == P9_RLERROR ? got == P9_ERROR : answer[4] == (uint8_t)(type + 1));
}

/* A message of the input: its type, its length, and what follows the header. */
static void next(struct p9_session *session, struct input *in)
{
	const uint8_t type = (uint8_t)input_number(in, 1);
	size_t size = P9_HEADER + input_number(in, 1);

	message[4] = type & 127;
	for (size_t i = 5; i < size; i++)
		message[i] = (uint8_t)input_number(in, 1);
	message[0] = (uint8_t)size;
	message[1] = (uint8_t)(size >> 8);
	message[2] = message[3] = 0;
	if (type & 128) /* a false size */
		size = 1 + size / 2;
	say(session, size);
}

static void check(int root, bool read_only)
{
	unsigned int names = 0; /* "." and ".." among them */
	char text[8] = "";
	DIR *all;
	struct stat stat;
	int at = openat(root, "..", O_PATH | O_DIRECTORY), fd = openat(at, "out", O_RDONLY);

	require(fd >= 0 && read(fd, text, sizeof(text)) == 4 && memcmp(text, "text", 4) == 0);
	(void)close(fd);
	require(fstatat(at, "out", &stat, 0) == 0 && (stat.st_mode & 07777) == 0600);
	for (all = opendir(folder); all && readdir(all);)
		names++;
	require(names == 4 && closedir(all) == 0);
	(void)close(at);
	if (read_only)
		require(fstatat(root, "d/f", &stat, 0) == 0 && stat.st_size == 4 &&
			stat.st_nlink == 1 && (stat.st_mode & 07777) == 0600);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const uint8_t version[] = {21, 0, 0,   0,   100, 255, 255, 0,   16,  0,	0,
					  8,  0, '9', 'P', '2', '0', '0', '0', '.', 'L'};
	static const uint8_t attach[] = {23,  0,   0,	0, 104, 0, 0, 1, 0, 0, 0, 255,
					 255, 255, 255, 0, 0,	0, 0, 0, 0, 0, 0};
	static struct p9_session session;
	struct input in = {bytes, bytes + size};
	struct virtio_counts counts = {0};

	session = (struct p9_session){.counts = &counts, .open_most = 64};
	session.read_only = input_number(&in, 1) & 1;
	session.root = make_folder();
	memcpy(message, version, sizeof(version));
	say(&session, sizeof(version));
	memcpy(message, attach, sizeof(attach));
	say(&session, sizeof(attach));
	require(session.fids.count == 1);
	while (in.at < in.end)
		next(&session, &in);
	p9_session_end(&session);
	require(session.fids.count == 0 && session.fids.open == 0 && session.fids.listed == 0);
	check(session.root, session.read_only);
	(void)close(session.root);
	return 0;
}
