/* SPDX-License-Identifier: BSD-2-Clause */
/* A client of 9P2000.L and a folder: what the client gets, and that it gets nothing else. */
#define _GNU_SOURCE /* O_PATH */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../compare.h"
#include "device/p9_session.h"

#define ROOM	  8192
#define OPEN_MOST 200
#define NO_FID	  0xffffffffu

/* Numbers of messages. */
enum {
	STATFS = 8,
	LOPEN = 12,
	LCREATE = 14,
	SYMLINK = 16,
	MKNOD = 18,
	RENAME = 20,
	READLINK = 22,
	GETATTR = 24,
	SETATTR = 26,
	XATTRWALK = 30,
	READDIR = 40,
	FSYNC = 50,
	LOCK = 52,
	GETLOCK = 54,
	LINK = 70,
	MKDIR = 72,
	RENAMEAT = 74,
	UNLINKAT = 76,
	VERSION = 100,
	ATTACH = 104,
	FLUSH = 108,
	WALK = 110,
	READ = 116,
	WRITE = 118,
	CLUNK = 120,
	REMOVE = 122
};

static struct p9_session session;
static struct virtio_counts counts;
static char folder[64]; /* its root is the folder "in"; all else is outside */
static uint8_t message[ROOM], answer[ROOM];
static size_t answer_size;

static uint64_t number_at(size_t at, unsigned int width)
{
	uint64_t value = 0;

	cr_assert_leq(at + width, answer_size);
	while (width > 0)
		value = value << 8 | answer[at + --width];
	return value;
}

static size_t put_number(size_t at, unsigned int width, uint64_t value)
{
	for (unsigned int i = 0; i < width; i++, value >>= 8)
		message[at + i] = (uint8_t)value;
	return at + width;
}

/*
 * Send a message, whose fields are letters: d and q are numbers (int and uint64_t), h one of two
 * bytes, b of one, s a text. 0, or the error.
 */
static int say(uint8_t type, const char *fields, ...)
{
	size_t at = P9_HEADER;
	va_list list;

	va_start(list, fields);
	for (; *fields; fields++) {
		if (*fields == 's') {
			const char *text = va_arg(list, const char *);

			at = put_number(at, 2, strlen(text));
			memcpy(message + at, text, strlen(text));
			at += strlen(text);
		} else if (*fields == 'q') {
			at = put_number(at, 8, va_arg(list, uint64_t));
		} else {
			at = put_number(at,
					*fields == 'd'	 ? 4
					: *fields == 'h' ? 2
							 : 1,
					va_arg(list, unsigned int));
		}
	}
	va_end(list);
	(void)put_number(0, 4, at);
	message[4] = type;
	(void)put_number(5, 2, 77);
	answer_size = p9_answer(&session, message, at, answer, ROOM);
	cr_assert_eq(number_at(0, 4), answer_size);
	cr_assert_eq(number_at(5, 2), 77);
	if (answer[4] != P9_RLERROR) {
		cr_assert_eq(answer[4], type + 1);
		return 0;
	}
	cr_assert_eq(answer_size, P9_ERROR);
	return (int)number_at(7, 4);
}

static const char *in(const char *name)
{
	static char path[2][256];
	static unsigned int n;

	n ^= 1;
	(void)snprintf(path[n], sizeof(path[n]), "%s/%s", folder, name);
	return path[n];
}

static void make_file(const char *name, const char *text)
{
	FILE *file = fopen(in(name), "w");

	cr_assert_not_null(file);
	(void)fputs(text, file);
	(void)fclose(file);
}

static const char *text_of(const char *name)
{
	static char text[64];
	FILE *file = fopen(in(name), "r");
	size_t size = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	text[size] = '\0';
	if (file)
		(void)fclose(file);
	return file ? text : "(no file)";
}

static void start(bool read_only)
{
	session = (struct p9_session){.root = open(in("in"), O_PATH | O_DIRECTORY),
				      .read_only = read_only,
				      .open_most = OPEN_MOST,
				      .counts = &counts};
	counts = (struct virtio_counts){0};
	cr_assert_geq(session.root, 0);
	cr_assert_eq(say(VERSION, "ds", ROOM, "9P2000.L"), 0);
	cr_assert_eq(number_at(7, 4), ROOM);
	cr_assert_eq(say(ATTACH, "ddssd", 1, NO_FID, "", "", 0), 0);
}

static void stop(void)
{
	p9_session_end(&session);
	(void)close(session.root);
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *at)
{
	(void)stat, (void)type, (void)at;
	return remove(path);
}

/* in/file, in/sub/inner, in/up -> .., in/away -> outside, in/self -> file; and outside */
static void open_folder(void)
{
	(void)strcpy(folder, "/tmp/vspe-p9-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(mkdir(in("in"), 0700), 0);
	cr_assert_eq(mkdir(in("in/sub"), 0700), 0);
	make_file("outside", "secret");
	make_file("in/file", "text of a file");
	make_file("in/sub/inner", "inner");
	cr_assert_eq(symlink("..", in("in/up")), 0);
	cr_assert_eq(symlink(in("outside"), in("in/away")), 0);
	cr_assert_eq(symlink("file", in("in/self")), 0);
	start(false);
}

static void close_folder(void)
{
	stop();
	cr_assert_str_eq(text_of("outside"), "secret");
	(void)nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Walk from the root to fid by one name. */
static int step(unsigned int fid, const char *name)
{
	return say(WALK, "ddhs", 1, fid, 1, name);
}

TestSuite(p9_session, .init = open_folder, .fini = close_folder);

Test(p9_session, a_version_that_there_is_not)
{
	cr_assert_eq(say(VERSION, "ds", ROOM, "9P2000.u"), 0);
	cr_assert_eq(number_at(11, 2), 7);
	cr_assert_arr_eq(answer + 13, "unknown", 7);
	cr_assert_eq(say(ATTACH, "ddssd", 1, NO_FID, "", "", 0), EPROTO);
	cr_assert_eq(say(VERSION, "ds", 4095, "9P2000.L"), EMSGSIZE);
	cr_assert_eq(say(VERSION, "ds", UINT32_MAX, "9P2000.L"), 0);
	cr_assert_eq(number_at(7, 4), P9_SIZE_MOST);
}

/* A version message begins a new session: fids are forgotten. */
Test(p9_session, a_version_forgets)
{
	cr_assert_eq(step(2, "file"), 0);
	cr_assert_eq(say(LOPEN, "dd", 2, 0), 0);
	cr_assert_eq(session.fids.open, 1);
	cr_assert_eq(say(VERSION, "ds", ROOM, "9P2000.L"), 0);
	cr_assert_eq(session.fids.open, 0);
	cr_assert_eq(say(GETATTR, "dq", 1, UINT64_MAX), EBADF);
}

Test(p9_session, a_file_is_read)
{
	cr_assert_eq(step(2, "file"), 0);
	cr_assert_eq(number_at(7, 2), 1);
	cr_assert_eq(say(READ, "dqd", 2, UINT64_C(0), 100), EBADF, "not open");
	cr_assert_eq(say(LOPEN, "dd", 2, 0), 0);
	cr_assert_eq(say(LOPEN, "dd", 2, 0), EBADF, "open");
	cr_assert_eq(say(READ, "dqd", 2, UINT64_C(5), 100), 0);
	cr_assert_eq(number_at(7, 4), 9);
	cr_assert_arr_eq(answer + 11, "of a file", 9);
	cr_assert_eq(say(READ, "dqd", 2, UINT64_C(0), UINT32_MAX), 0);
	cr_assert_eq(number_at(7, 4), 14);
	cr_assert_eq(say(READ, "dqd", 2, UINT64_C(14), 100), 0);
	cr_assert_eq(number_at(7, 4), 0);
	cr_assert_eq(say(READ, "dqd", 2, UINT64_MAX, 100), EINVAL);
	cr_assert_eq(counts.bytes_read, 23);
	cr_assert_eq(counts.failed, 3);
	cr_assert_eq(say(CLUNK, "d", 2), 0);
	cr_assert_eq(say(CLUNK, "d", 2), EBADF);
}

Test(p9_session, a_file_is_made_and_written)
{
	struct stat stat;

	cr_assert_eq(say(WALK, "ddh", 1, 2, 0), 0);
	cr_assert_eq(say(LCREATE, "dsddd", 2, "new", 2 | 0100 | 0200, 07777, 0), 0);
	cr_assert_eq(say(WRITE, "dqdbb", 2, UINT64_C(1), 2, 'h', 'i'), 0);
	cr_assert_eq(number_at(7, 4), 2);
	cr_assert_eq(counts.bytes_written, 2);
	cr_assert_eq(say(FSYNC, "dd", 2, 0), 0);
	cr_assert_eq(counts.flushes, 1);
	cr_assert_arr_eq(text_of("in/new"), "\0hi", 4);
	cr_assert_eq(lstat(in("in/new"), &stat), 0);
	cr_assert_eq(stat.st_mode & 07000, 0, "no set-user-ID");
	cr_assert_eq(say(WALK, "ddh", 1, 3, 0), 0);
	cr_assert_eq(say(LCREATE, "dsddd", 3, "new", 0200, 0600, 0), EEXIST);
	cr_assert_eq(say(LCREATE, "dsddd", 3, "file", 1 | 01000, 0600, 0), 0, "which is there");
	cr_assert_str_eq(text_of("in/file"), "");
}

/* Names that lead outside, in each message that has a name. */
Test(p9_session, no_name_leads_outside)
{
	static const struct {
		const char *name;
		int walk, make;
	} rows[] = {
		{"", ENOENT, ENOENT},
		{"/etc", ENOENT, ENOENT},
		{"../outside", ENOENT, ENOENT},
		{"sub/inner", ENOENT, ENOENT},
		{"..", 0, EEXIST},
		{".", 0, EEXIST},
	};

	cr_assert_eq(step(3, "file"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *name = rows[i].name;
		const int make = rows[i].make, there = make == EEXIST ? EINVAL : make;

		cr_expect_eq(step(2, name), rows[i].walk, "'%s'", name);
		if (rows[i].walk == 0)
			cr_expect_eq(say(CLUNK, "d", 2), 0);
		cr_expect_eq(say(LCREATE, "dsddd", 1, name, 1, 0600, 0), make, "'%s'", name);
		cr_expect_eq(say(SYMLINK, "dssd", 1, name, "x", 0), make, "'%s'", name);
		cr_expect_eq(say(MKDIR, "dsdd", 1, name, 0700, 0), make, "'%s'", name);
		cr_expect_eq(say(LINK, "dds", 1, 3, name), make, "'%s'", name);
		cr_expect_eq(say(RENAME, "dds", 3, 1, name), there, "'%s'", name);
		cr_expect_eq(say(RENAMEAT, "dsds", 1, name, 1, "y"), there, "'%s'", name);
		cr_expect_eq(say(RENAMEAT, "dsds", 1, "file", 1, name), there, "'%s'", name);
		cr_expect_eq(say(UNLINKAT, "dsd", 1, name, 0x200), there, "'%s'", name);
	}
	cr_assert_eq(session.fids.count, 2);
}

/* A zero within a name is not its end. */
Test(p9_session, a_name_has_no_zero)
{
	cr_assert_eq(say(WALK, "ddhhbbbbb", 1, 2, 1, 5, 'f', 'i', 'l', 'e', 0), ENOENT);
	cr_assert_eq(say(SYMLINK, "dshbbd", 1, "link", 2, 'a', 0, 0), EINVAL);
}

Test(p9_session, above_the_root_is_the_root)
{
	uint64_t root;

	cr_assert_eq(say(GETATTR, "dq", 1, UINT64_MAX), 0);
	root = number_at(20, 8);
	cr_assert_eq(say(WALK, "ddhsss", 1, 2, 3, "..", "..", ".."), 0);
	cr_assert_eq(number_at(7, 2), 3);
	cr_assert_eq(say(GETATTR, "dq", 2, UINT64_MAX), 0);
	cr_assert_eq(number_at(20, 8), root);
	cr_assert_eq(say(WALK, "ddhssss", 2, 2, 4, "sub", "..", "sub", "inner"), 0);
	cr_assert_eq(number_at(7, 2), 4);
	cr_assert_eq(say(WALK, "ddhsss", 2, 3, 3, "..", "..", "outside"), 0);
	cr_assert_eq(number_at(7, 2), 2, "as far as it leads");
	cr_assert_eq(say(GETATTR, "dq", 3, UINT64_MAX), EBADF);
}

/* A link is a separate file, which the guest reads itself, and no message follows it. */
Test(p9_session, links_are_not_followed)
{
	static const char *const links[] = {"up", "away", "self"};
	struct stat stat;

	for (size_t i = 0; i < 3; i++) {
		cr_assert_eq(step(2, links[i]), 0);
		cr_assert_eq(answer[9], 2, "a link");
		cr_expect_eq(say(LOPEN, "dd", 2, 0), ELOOP, "%s", links[i]);
		cr_expect_eq(say(LOPEN, "dd", 2, 1 | 01000), ELOOP, "%s", links[i]);
		cr_expect_eq(say(SETATTR, "dddddqqqqq", 2, 8, 0, 0, 0, UINT64_C(0), UINT64_C(0),
				 UINT64_C(0), UINT64_C(0), UINT64_C(0)),
			     ELOOP, "%s", links[i]);
		cr_expect_eq(say(SETATTR, "dddddqqqqq", 2, 1, 0777, 0, 0, UINT64_C(0), UINT64_C(0),
				 UINT64_C(0), UINT64_C(0), UINT64_C(0)),
			     ELOOP, "%s", links[i]);
		cr_expect_eq(say(MKDIR, "dsdd", 2, "x", 0700, 0), ENOTDIR, "%s", links[i]);
		cr_expect_eq(say(WALK, "ddhs", 2, 3, 1, "outside"), ELOOP, "%s", links[i]);
		cr_assert_eq(say(CLUNK, "d", 2), 0);
		cr_expect_eq(say(LCREATE, "dsddd", 1, links[i], 1, 0600, 0), ELOOP, "%s", links[i]);
	}
	cr_assert_eq(step(2, "up"), 0);
	cr_assert_eq(say(READLINK, "d", 2), 0);
	cr_assert_eq(number_at(7, 2), 2);
	cr_assert_arr_eq(answer + 9, "..", 2);
	cr_assert_eq(say(READLINK, "d", 1), EINVAL);
	/* Times are the link's. */
	cr_assert_eq(step(3, "away"), 0);
	cr_assert_eq(say(SETATTR, "dddddqqqqq", 3, 0x20 | 0x100, 0, 0, 0, UINT64_C(0), UINT64_C(0),
			 UINT64_C(0), UINT64_C(1000), UINT64_C(5)),
		     0);
	cr_assert_eq(lstat(in("in/away"), &stat), 0);
	cr_assert_eq(stat.st_mtim.tv_sec, 1000);
	cr_assert_eq(lstat(in("outside"), &stat), 0);
	cr_assert_neq(stat.st_mtim.tv_sec, 1000);
}

/* The host, or another client, replaces a folder that has a fid. */
Test(p9_session, a_folder_that_becomes_a_link)
{
	cr_assert_eq(say(WALK, "ddhs", 1, 2, 1, "sub"), 0);
	cr_assert_eq(say(WALK, "ddhss", 1, 3, 2, "sub", "inner"), 0);
	cr_assert_eq(rename(in("in/sub"), in("in/old")), 0);
	cr_assert_eq(symlink("..", in("in/sub")), 0);
	cr_assert_eq(mkdir(in("sub-outside"), 0700), 0);
	cr_assert_eq(say(LOPEN, "dd", 3, 0), ELOOP);
	cr_assert_eq(say(WALK, "ddhs", 2, 4, 1, "outside"), ELOOP);
	cr_assert_eq(say(MKDIR, "dsdd", 2, "x", 0700, 0), ENOTDIR);
	cr_assert_eq(say(UNLINKAT, "dsd", 2, "outside", 0), ENOTDIR);
	cr_assert_eq(say(RENAMEAT, "dsds", 2, "outside", 1, "mine"), ENOTDIR);
	cr_assert_eq(say(RENAMEAT, "dsds", 1, "file", 2, "outside"), ENOTDIR);
	cr_assert_eq(say(LINK, "dds", 1, 3, "mine"), ENOTDIR);
	cr_assert_eq(say(REMOVE, "d", 3), ELOOP);
	cr_assert_eq(say(GETATTR, "dq", 3, UINT64_MAX), EBADF, "gone in any case");
}

Test(p9_session, what_is_renamed_keeps_its_fids)
{
	cr_assert_eq(say(WALK, "ddhs", 1, 2, 1, "sub"), 0);
	cr_assert_eq(say(WALK, "ddhss", 1, 3, 2, "sub", "inner"), 0);
	cr_assert_eq(say(MKDIR, "dsdd", 1, "subway", 0700, 0), 0);
	cr_assert_eq(step(4, "subway"), 0);
	cr_assert_eq(say(RENAMEAT, "dsds", 1, "sub", 1, "long-name"), 0);
	cr_assert_eq(say(LOPEN, "dd", 3, 0), 0);
	cr_assert_eq(say(RENAME, "dds", 3, 1, "moved"), 0);
	cr_assert_str_eq(text_of("in/moved"), "inner");
	cr_assert_eq(say(GETATTR, "dq", 4, UINT64_MAX), 0, "a name that begins so");
	cr_assert_eq(say(UNLINKAT, "dsd", 1, "long-name", 0), EISDIR);
	cr_assert_eq(say(REMOVE, "d", 2), 0);
	cr_assert_neq(access(in("in/long-name"), F_OK), 0);
	cr_assert_eq(say(RENAME, "dds", 1, 4, "x"), EBUSY, "the root");
	cr_assert_eq(say(REMOVE, "d", 1), EBUSY);
}

/* Names sorted, the same in parts and at once; and read again from the start. */
Test(p9_session, a_folder_is_listed_in_order)
{
	static const char *const names[] = {".", "..", "away", "file", "self", "sub", "up"};
	uint64_t offset = 0;
	size_t n = 0;

	cr_assert_eq(say(WALK, "ddh", 1, 2, 0), 0);
	cr_assert_eq(say(LOPEN, "dd", 2, 0200000), 0);
	do {
		cr_assert_eq(say(READDIR, "dqd", 2, offset, 60), 0);
		for (size_t at = 11; at < answer_size;) {
			const size_t size = number_at(at + 22, 2);

			cr_assert_lt(n, 7);
			cr_assert_eq(size, strlen(names[n]));
			cr_assert_arr_eq(answer + at + 24, names[n], size);
			cr_assert_eq(answer[at] == 0x80, n < 2 || n == 5, "%s", names[n]);
			offset = number_at(at + 13, 8);
			at += 24 + size;
			n++;
		}
	} while (answer_size > 11);
	cr_assert_eq(n, 7);
	cr_assert_eq(say(READDIR, "dqd", 2, UINT64_C(0), 20), EINVAL, "no room for one");
	make_file("in/a", "");
	cr_assert_eq(say(READDIR, "dqd", 2, UINT64_C(2), 28), 0);
	cr_assert_arr_eq(answer + 11 + 24, "away", 4, "as it was");
	cr_assert_eq(say(READDIR, "dqd", 2, UINT64_C(0), 100), 0);
	cr_assert_eq(say(READDIR, "dqd", 2, UINT64_C(2), 28), 0);
	cr_assert_eq(answer[11 + 24], 'a');
	cr_assert_eq(number_at(11 + 22, 2), 1, "as it is");
}

Test(p9_session, nothing_but_files_is_opened_or_made)
{
	cr_assert_eq(mkfifo(in("in/fifo"), 0600), 0);
	cr_assert_eq(step(2, "fifo"), 0);
	cr_assert_eq(say(LOPEN, "dd", 2, 0), EPERM);
	cr_assert_eq(say(LCREATE, "dsddd", 1, "fifo", 1, 0600, 0), EPERM);
	cr_assert_eq(say(MKNOD, "dsdddd", 1, "null", 020666, 1, 3, 0), EPERM);
	cr_assert_eq(say(MKNOD, "dsdddd", 1, "pipe", 010666, 0, 0, 0), EPERM);
	cr_assert_eq(say(LOPEN, "dd", 1, 1), EISDIR);
	cr_assert_eq(say(XATTRWALK, "dds", 1, 9, "user.x"), EOPNOTSUPP);
	cr_assert_eq(say(102, "dssd", 1, "", "", 0), EOPNOTSUPP, "auth");
}

Test(p9_session, attributes_are_set_but_no_owner)
{
	struct stat stat;

	cr_assert_eq(step(2, "file"), 0);
	cr_assert_eq(say(SETATTR, "dddddqqqqq", 2, 1 | 2 | 4 | 8, 06751, 12345, 12345, UINT64_C(4),
			 UINT64_C(0), UINT64_C(0), UINT64_C(0), UINT64_C(0)),
		     0);
	cr_assert_eq(lstat(in("in/file"), &stat), 0);
	cr_assert_eq(stat.st_mode & 07777, 0751);
	cr_assert_eq(stat.st_uid, geteuid());
	cr_assert_eq(stat.st_gid, getegid());
	cr_assert_eq(stat.st_size, 4);
	cr_assert_eq(say(GETATTR, "dq", 2, UINT64_MAX), 0);
	cr_assert_eq(number_at(28, 4), stat.st_mode);
	cr_assert_eq(number_at(56, 8), 4);
	cr_assert_eq(say(SETATTR, "dddddqqqqq", 2, 8, 0, 0, 0, UINT64_MAX, UINT64_C(0), UINT64_C(0),
			 UINT64_C(0), UINT64_C(0)),
		     EFBIG);
	cr_assert_eq(say(SETATTR, "dddddqqqqq", 2, 0x120, 0, 0, 0, UINT64_C(0), UINT64_C(0),
			 UINT64_C(0), UINT64_C(0), UINT64_MAX),
		     EINVAL, "nanoseconds");
}

/* The same on every host. */
Test(p9_session, the_file_system_is_any)
{
	cr_assert_eq(say(STATFS, "d", 1), 0);
	cr_assert_eq(number_at(7, 4), 0x01021997);
	cr_assert_eq(number_at(15, 8), UINT64_C(1) << 28);
	cr_assert_eq(say(LOCK, "dbdqqds", 1, 1, 0, UINT64_C(0), UINT64_C(0), 1, "me"), 0);
	cr_assert_eq(answer[7], 0);
	cr_assert_eq(say(GETLOCK, "dbqqds", 1, 1, UINT64_C(3), UINT64_C(4), 5, "me"), 0);
	cr_assert_eq(answer[7], 2);
	cr_assert_eq(number_at(8, 8), 3);
	cr_assert_eq(say(FLUSH, "h", 3), 0);
}

Test(p9_session, one_that_is_read_only_stays_as_it_is)
{
	stop();
	start(true);
	cr_assert_eq(step(2, "file"), 0);
	cr_assert_eq(step(3, "sub"), 0);
	cr_assert_eq(say(LOPEN, "dd", 2, 1), EROFS);
	cr_assert_eq(say(LOPEN, "dd", 2, 01000), EROFS);
	cr_assert_eq(say(LCREATE, "dsddd", 1, "new", 1, 0600, 0), EROFS);
	cr_assert_eq(say(SYMLINK, "dssd", 1, "new", "x", 0), EROFS);
	cr_assert_eq(say(MKDIR, "dsdd", 1, "new", 0700, 0), EROFS);
	cr_assert_eq(say(MKNOD, "dsdddd", 1, "new", 0, 0, 0, 0), EROFS);
	cr_assert_eq(say(LINK, "dds", 1, 2, "new"), EROFS);
	cr_assert_eq(say(RENAME, "dds", 2, 1, "new"), EROFS);
	cr_assert_eq(say(RENAMEAT, "dsds", 1, "file", 1, "new"), EROFS);
	cr_assert_eq(say(UNLINKAT, "dsd", 1, "file", 0), EROFS);
	cr_assert_eq(say(REMOVE, "d", 3), EROFS);
	cr_assert_eq(say(SETATTR, "dddddqqqqq", 2, 8, 0, 0, 0, UINT64_C(0), UINT64_C(0),
			 UINT64_C(0), UINT64_C(0), UINT64_C(0)),
		     EROFS);
	cr_assert_eq(say(LOPEN, "dd", 2, 0), 0);
	cr_assert_eq(say(WRITE, "dqdb", 2, UINT64_C(0), 1, 'x'), EROFS);
	cr_assert_str_eq(text_of("in/file"), "text of a file");
}

/* How much a client can have at once. */
Test(p9_session, fids_have_a_limit)
{
	unsigned int fid = 2, open = 0;

	while (say(WALK, "ddh", 1, fid, 0) == 0)
		fid++;
	cr_assert_eq(number_at(7, 4), ENFILE);
	cr_assert_eq(session.fids.count, P9_FIDS);
	while (open < fid && say(LOPEN, "dd", 2 + open, 0) == 0)
		open++;
	cr_assert_eq(number_at(7, 4), EMFILE);
	cr_assert_eq(open, OPEN_MOST);
	cr_assert_eq(say(LCREATE, "dsddd", 2 + open, "new", 1, 0600, 0), EMFILE);
	cr_assert_neq(access(in("in/new"), F_OK), 0, "nothing is made");
	cr_assert_eq(say(CLUNK, "d", 2), 0);
	cr_assert_eq(say(LOPEN, "dd", 2 + open, 0), 0, "there is room again");
}

Test(p9_session, fids_are_one_file_each)
{
	cr_assert_eq(step(2, "file"), 0);
	cr_assert_eq(step(2, "sub"), EBADF, "it is there");
	cr_assert_eq(say(ATTACH, "ddssd", 2, NO_FID, "", "", 0), EBADF);
	cr_assert_eq(say(WALK, "ddh", 9, 3, 0), EBADF);
	cr_assert_eq(say(LOPEN, "dd", 2, 0), 0);
	cr_assert_eq(say(WALK, "ddhs", 2, 2, 1, ".."), EINVAL, "it is open");
	cr_assert_eq(say(WALK, "ddhs", 1, 1, 1, "sub"), 0, "one may move");
	cr_assert_eq(say(WALK, "ddhs", 1, 3, 1, "inner"), 0);
	cr_assert_eq(say(READDIR, "dqd", 2, UINT64_C(0), 100), ENOTDIR);
}

/* Longer than any path: the earlier names still exist. */
Test(p9_session, a_path_has_an_end)
{
	char name[257] = {0};
	int error = 0;

	memset(name, 'n', 256);
	cr_assert_eq(say(MKDIR, "dsdd", 1, name, 0700, 0), ENAMETOOLONG);
	name[255] = '\0';
	for (unsigned int i = 0; i < 20 && error == 0; i++) {
		error = say(MKDIR, "dsdd", 1, name, 0700, 0);
		if (error == 0)
			cr_assert_eq(say(WALK, "ddhs", 1, 1, 1, name), 0);
	}
	cr_assert_eq(error, ENAMETOOLONG);
}

/* The paths that a client can make are bounded, whatever the host's paths may be. */
Test(p9_session, a_path_is_made_up_to_its_end)
{
	char path[P9_PATH_MAX + 1] = {0}, *to;

	memset(path, 'p', P9_PATH_MAX - 5);
	cr_assert_eq(p9_path(path, (struct p9_text){"name", 4}, false, &to), 0);
	cr_assert_eq(strlen(to), P9_PATH_MAX);
	free(to);
	cr_assert_eq(p9_path(path, (struct p9_text){"name5", 5}, false, &to), -ENAMETOOLONG);
}
