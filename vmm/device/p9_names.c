/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of 9P2000.L about names and attributes of files. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "device/p9_handlers.h"

#define L_REMOVE_FOLDER 0x200u /* a flag of unlinkat */

#define GETATTR_BASIC UINT64_C(0x7ff)

/* Bits of setattr: what to set, and to what. */
#define SET_MODE     0x001u
#define SET_SIZE     0x008u
#define SET_ATIME    0x010u
#define SET_MTIME    0x020u
#define SET_ATIME_TO 0x080u
#define SET_MTIME_TO 0x100u

/* The file system's statistics, the same on any host: all of it is free. */
#define FS_MAGIC  UINT64_C(0x01021997) /* V9FS_MAGIC */
#define FS_BLOCK  4096
#define FS_BLOCKS (P9_FILE_MOST / FS_BLOCK)
#define FS_FILES  (UINT64_C(1) << 20)

/* ... and of an existing file. */
static int path_there(struct p9_session *session, uint64_t number, struct p9_text name, char **path)
{
	const int error = p9_path_in(session, number, name, path);

	return error == -EEXIST ? -EINVAL : error;
}

/* Answer with the qid of a new file, or the error. */
static int put_made(struct p9_session *session, int error, const char *path, struct p9_reply *reply)
{
	struct stat stat;

	if (error == 0)
		error = p9_file_stat(session->root, path, &stat);
	if (error == 0)
		p9_put_file(reply, &stat);
	return error;
}

int p9_do_symlink(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	const struct p9_text *target = &call->texts[1];
	char *path, *text;
	int error;

	if (memchr(target->bytes, '\0', target->size))
		return -EINVAL;
	error = p9_path_in(session, call->numbers[0], call->texts[0], &path);
	if (error < 0)
		return error;
	text = strndup(target->bytes, target->size);
	error = text ? p9_file_symlink(session->root, path, text) : -ENOMEM;
	error = put_made(session, error, path, reply);
	free(text);
	free(path);
	return error;
}

int p9_do_mkdir(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	char *path;
	int error = p9_path_in(session, call->numbers[0], call->texts[0], &path);

	if (error < 0)
		return error;
	error = p9_file_mkdir(session->root, path, (unsigned int)call->numbers[1] & P9_MODE_MOST);
	error = put_made(session, error, path, reply);
	free(path);
	return error;
}

/* A guest may not make devices, FIFOs and sockets on the host. */
int p9_do_mknod(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	(void)session, (void)call, (void)reply;
	return -EPERM;
}

int p9_do_link(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	const struct p9_fid *fid = p9_fid_of(session, call->numbers[1]);
	char *path;
	int error = fid ? p9_path_in(session, call->numbers[0], call->texts[0], &path) : -EBADF;

	(void)reply;
	if (error < 0)
		return error;
	error = p9_file_link(session->root, fid->path, path);
	free(path);
	return error;
}

/* Rename a file, and the paths that the client's fids have. Frees to. */
static int rename_to(struct p9_session *session, const char *from, char *to)
{
	const int error = p9_file_rename(session->root, from, to);

	if (error == 0)
		p9_fids_rename(&session->fids, from, to);
	free(to);
	return error;
}

int p9_do_rename(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	const struct p9_fid *fid = p9_fid_of(session, call->numbers[0]);
	char *from, *to;
	int error = fid ? path_there(session, call->numbers[1], call->texts[0], &to) : -EBADF;

	(void)reply;
	if (error < 0)
		return error;
	from = strdup(fid->path); /* which changes */
	if (from) {
		error = rename_to(session, from, to);
	} else {
		error = -ENOMEM;
		free(to);
	}
	free(from);
	return error;
}

int p9_do_renameat(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	char *from, *to;
	int error = path_there(session, call->numbers[0], call->texts[0], &from);

	(void)reply;
	if (error < 0)
		return error;
	error = path_there(session, call->numbers[1], call->texts[1], &to);
	if (error == 0)
		error = rename_to(session, from, to);
	free(from);
	return error;
}

int p9_do_unlinkat(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	const int flags = call->numbers[1] & L_REMOVE_FOLDER ? AT_REMOVEDIR : 0;
	char *path;
	int error = path_there(session, call->numbers[0], call->texts[0], &path);

	(void)reply;
	if (error < 0)
		return error;
	error = p9_file_unlink(session->root, path, flags);
	free(path);
	return error;
}

/* The fid is gone in any case. */
int p9_do_remove(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	struct p9_fid *fid = p9_fid_of(session, call->numbers[0]);
	struct stat stat;
	int error;

	(void)reply;
	if (!fid)
		return -EBADF;
	error = p9_file_stat(session->root, fid->path, &stat);
	if (error == 0)
		error = p9_file_unlink(session->root, fid->path,
				       S_ISDIR(stat.st_mode) ? AT_REMOVEDIR : 0);
	p9_fid_remove(&session->fids, fid);
	return error;
}

int p9_do_readlink(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	const struct p9_fid *fid = p9_fid_of(session, call->numbers[0]);
	char text[PATH_MAX];
	const int size =
		fid ? p9_file_readlink(session->root, fid->path, text, sizeof(text)) : -EBADF;

	if (size < 0)
		return size;
	p9_put_text(reply, text, (size_t)size);
	return 0;
}

static void put_time(struct p9_reply *reply, const struct timespec *time)
{
	p9_put(reply, 8, (uint64_t)time->tv_sec);
	p9_put(reply, 8, (uint64_t)time->tv_nsec);
}

int p9_do_getattr(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	const struct p9_fid *fid = p9_fid_of(session, call->numbers[0]);
	struct stat stat;
	int error = -EBADF;

	if (fid && fid->fd >= 0)
		error = fstat(fid->fd, &stat) < 0 ? -errno : 0;
	else if (fid)
		error = p9_file_stat(session->root, fid->path, &stat);
	if (error < 0)
		return error;
	p9_put(reply, 8, GETATTR_BASIC);
	p9_put_file(reply, &stat);
	p9_put(reply, 4, stat.st_mode);
	p9_put(reply, 4, stat.st_uid);
	p9_put(reply, 4, stat.st_gid);
	p9_put(reply, 8, stat.st_nlink);
	p9_put(reply, 8, stat.st_rdev);
	p9_put(reply, 8, (uint64_t)stat.st_size);
	p9_put(reply, 8, (uint64_t)stat.st_blksize);
	p9_put(reply, 8, (uint64_t)stat.st_blocks);
	put_time(reply, &stat.st_atim);
	put_time(reply, &stat.st_mtim);
	put_time(reply, &stat.st_ctim);
	for (unsigned int i = 0; i < 4; i++) /* birth time, and fields that are not known */
		p9_put(reply, 8, 0);
	return 0;
}

/* A time of setattr: the given one, now, or unchanged. */
static struct timespec time_of(uint64_t valid, unsigned int set, unsigned int set_to,
			       const uint64_t *number)
{
	if (!(valid & set))
		return (struct timespec){.tv_nsec = UTIME_OMIT};
	if (!(valid & set_to))
		return (struct timespec){.tv_nsec = UTIME_NOW};
	return (struct timespec){.tv_sec = (time_t)number[0],
				 .tv_nsec = number[1] < 1000000000 ? (long)number[1] : -1};
}

/*
 * The process owns the file, and this does not change. Trying to is no error: the guest's root has
 * no say here.
 */
int p9_do_setattr(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	const struct p9_fid *fid = p9_fid_of(session, call->numbers[0]);
	const uint64_t valid = call->numbers[1];
	struct timespec times[2];
	struct stat stat;
	int error;

	(void)reply;
	if (!fid)
		return -EBADF;
	error = fid->fd < 0 ? p9_file_stat(session->root, fid->path, &stat) : 0;
	if (error == 0 && valid & SET_SIZE)
		error = p9_file_truncate(session->root, fid->path, fid->fd, call->numbers[5]);
	if (error == 0 && valid & SET_MODE)
		error = p9_file_chmod(session->root, fid->path,
				      (unsigned int)call->numbers[2] & P9_MODE_MOST);
	if (error < 0 || !(valid & (SET_ATIME | SET_MTIME)))
		return error;
	times[0] = time_of(valid, SET_ATIME, SET_ATIME_TO, &call->numbers[6]);
	times[1] = time_of(valid, SET_MTIME, SET_MTIME_TO, &call->numbers[8]);
	return p9_file_times(session->root, fid->path, times);
}

int p9_do_statfs(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	if (!p9_fid_of(session, call->numbers[0]))
		return -EBADF;
	p9_put(reply, 4, FS_MAGIC);
	p9_put(reply, 4, FS_BLOCK);
	for (unsigned int i = 0; i < 3; i++) /* total, free, and available blocks */
		p9_put(reply, 8, FS_BLOCKS);
	p9_put(reply, 8, FS_FILES);
	p9_put(reply, 8, FS_FILES);
	p9_put(reply, 8, 0);
	p9_put(reply, 4, P9_NAME_MAX);
	return 0;
}

int p9_do_xattrwalk(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	(void)session, (void)call, (void)reply;
	return -EOPNOTSUPP;
}

int p9_do_xattrcreate(struct p9_session *session, const struct p9_call *call,
		      struct p9_reply *reply)
{
	return p9_do_xattrwalk(session, call, reply);
}
