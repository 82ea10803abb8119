/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of 9P2000.L about open files: creating, reading, writing and locks. */
#define _GNU_SOURCE /* O_DIRECTORY, DTTOIF() */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/p9_handlers.h"

/* Flags of lopen and lcreate, from Linux's include/net/9p/9p.h (P9_DOTL_*). */
#define L_ACCESS   3u
#define L_EXCLUDE  00000200u
#define L_TRUNCATE 00001000u
#define L_FOLDER   00200000u

#define LOCK_SUCCESS 0
#define LOCK_FREE    2 /* F_UNLCK */

/* Answer with the fid's open file. Closes it on an error. */
static int put_open(struct p9_session *session, struct p9_fid *fid, int fd, struct p9_reply *reply)
{
	struct stat stat;
	int error;

	if (fd < 0)
		return fd;
	if (fstat(fd, &stat) < 0) {
		error = -errno;
		(void)close(fd);
		return error;
	}
	p9_fid_open(&session->fids, fid, fd, S_ISDIR(stat.st_mode));
	p9_put_file(reply, &stat);
	p9_put(reply, 4, 0); /* as much at a time as a message has room for */
	return 0;
}

/* The host's flags. The client appends by itself, as it knows where, and lopen creates nothing. */
static int open_flags(uint64_t flags)
{
	static const int access[] = {O_RDONLY, O_WRONLY, O_RDWR, O_RDWR};

	return access[flags & L_ACCESS] | (flags & L_TRUNCATE ? O_TRUNC : 0);
}

int p9_do_lopen(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	struct p9_fid *fid = p9_fid_of(session, call->numbers[0]);
	const int flags =
		open_flags(call->numbers[1]) | (call->numbers[1] & L_FOLDER ? O_DIRECTORY : 0);

	if (!fid || fid->fd >= 0)
		return -EBADF;
	if (session->read_only && flags & (O_ACCMODE | O_TRUNC))
		return -EROFS;
	if (session->fids.open >= session->open_most)
		return -EMFILE;
	return put_open(session, fid, p9_file_open(session->root, fid->path, flags, 0), reply);
}

/* A folder's fid becomes that of the file created in it. */
int p9_do_lcreate(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	struct p9_fid *fid = p9_fid_of(session, call->numbers[0]);
	const int flags = open_flags(call->numbers[1]) | O_CREAT |
			  (call->numbers[1] & L_EXCLUDE ? O_EXCL : 0);
	char *path;
	int error = p9_path_in(session, call->numbers[0], call->texts[0], &path);

	if (error < 0)
		return error;
	if (fid->fd >= 0)
		error = -EBADF;
	else if (session->fids.open >= session->open_most)
		error = -EMFILE;
	if (error == 0)
		error = put_open(session, fid,
				 p9_file_open(session->root, path, flags,
					      (unsigned int)call->numbers[2] & P9_MODE_MOST),
				 reply);
	if (error < 0) {
		free(path);
		return error;
	}
	free(fid->path);
	fid->path = path;
	return 0;
}

/* Add one entry. False: it does not fit, and the answer stays as it was. */
static bool put_entry(struct p9_reply *reply, size_t room, const struct p9_entry *entry,
		      uint64_t next)
{
	const size_t size = P9_QID + 8 + 1 + 2 + strlen(entry->name);

	if (size > room - reply->at)
		return false;
	p9_put_qid(reply, (uint32_t)DTTOIF(entry->type), 0, entry->inode);
	p9_put(reply, 8, next);
	p9_put(reply, 1, entry->type);
	p9_put_text(reply, entry->name, strlen(entry->name));
	return true;
}

/* How many of the requested bytes fit into an answer. */
static size_t data_room(const struct p9_reply *reply, uint64_t count)
{
	const size_t room = reply->room - reply->at;

	return count < room ? (size_t)count : room;
}

/* Start at offset, the number of an entry. At 0 the folder is read again. */
int p9_do_readdir(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	struct p9_fid *fid = p9_fid_of(session, call->numbers[0]);
	uint64_t n = call->numbers[1];
	size_t start, end;
	int error = 0;

	if (!fid || fid->fd < 0)
		return -EBADF;
	if (!fid->folder)
		return -ENOTDIR;
	if (n == 0 || fid->listing.count == 0)
		error = p9_fid_list(&session->fids, fid);
	if (error < 0)
		return error;
	p9_put(reply, 4, 0); /* how many bytes: below */
	start = reply->at;
	end = start + data_room(reply, call->numbers[2]);
	while (n < fid->listing.count && put_entry(reply, end, &fid->listing.entries[n], n + 1))
		n++;
	if (reply->at == start && n < fid->listing.count)
		return -EINVAL; /* nothing would be the end */
	n = reply->at - start;
	reply->at = P9_HEADER;
	p9_put(reply, 4, n);
	reply->at = start + n;
	return 0;
}

/* The open file of a fid. */
static int file_of(struct p9_session *session, uint64_t number)
{
	const struct p9_fid *fid = p9_fid_of(session, number);

	if (!fid || fid->fd < 0)
		return -EBADF;
	return fid->folder ? -EISDIR : fid->fd;
}

int p9_do_read(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	const int fd = file_of(session, call->numbers[0]);
	size_t room;
	ssize_t got;

	if (fd < 0)
		return fd;
	if (call->numbers[1] > INT64_MAX)
		return -EINVAL;
	p9_put(reply, 4, 0);
	room = data_room(reply, call->numbers[2]);
	got = pread(fd, reply->bytes + reply->at, room, (off_t)call->numbers[1]);
	if (got < 0)
		return -errno;
	reply->at = P9_HEADER;
	p9_put(reply, 4, (uint64_t)got);
	reply->at += (size_t)got;
	session->counts->bytes_read += (uint64_t)got;
	return 0;
}

int p9_do_write(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	const int fd = file_of(session, call->numbers[0]);
	ssize_t put;

	if (fd < 0)
		return fd;
	if (call->numbers[1] > INT64_MAX)
		return -EINVAL;
	put = pwrite(fd, call->data, call->data_size, (off_t)call->numbers[1]);
	if (put < 0)
		return -errno;
	p9_put(reply, 4, (uint64_t)put);
	session->counts->bytes_written += (uint64_t)put;
	return 0;
}

int p9_do_fsync(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	const struct p9_fid *fid = p9_fid_of(session, call->numbers[0]);

	(void)reply;
	if (!fid || fid->fd < 0)
		return -EBADF;
	session->counts->flushes++;
	return (call->numbers[1] ? fdatasync(fid->fd) : fsync(fid->fd)) < 0 ? -errno : 0;
}

/* There is one client, whose kernel has its own locks, so it gets every lock, as from QEMU. */
int p9_do_lock(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	if (!p9_fid_of(session, call->numbers[0]))
		return -EBADF;
	p9_put(reply, 1, LOCK_SUCCESS);
	return 0;
}

int p9_do_getlock(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	if (!p9_fid_of(session, call->numbers[0]))
		return -EBADF;
	p9_put(reply, 1, LOCK_FREE);
	p9_put(reply, 8, call->numbers[2]);
	p9_put(reply, 8, call->numbers[3]);
	p9_put(reply, 4, call->numbers[4]);
	p9_put_text(reply, call->texts[0].bytes, call->texts[0].size);
	return 0;
}
