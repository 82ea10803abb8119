/* SPDX-License-Identifier: BSD-2-Clause */
/* Files below a folder of the host: see p9_files.h. */
#define _GNU_SOURCE /* O_PATH, statx() */
#include "device/p9_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Open what a folder has under that name, without following a link. */
static int open_name(int folder, const char *name, int flags, unsigned int mode)
{
	int fd;

	do
		fd = openat(folder, name, flags | O_CLOEXEC | O_NOFOLLOW,
			    flags & O_CREAT ? mode : 0);
	while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

/* The mount that a file is in, and its type. 0, or a negative errno. */
static int mount_of(int fd, uint64_t *mount, unsigned int *type)
{
	struct statx now;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_MNT_ID, &now) < 0)
		return -errno;
	*mount = now.stx_mnt_id;
	*type = now.stx_mode & S_IFMT;
	return now.stx_mask & STATX_MNT_ID ? 0 : -ENOSYS;
}

/* Check that fd is on that mount, and is a folder unless it is the last step. Closes it if not. */
static int check_step(int fd, uint64_t mount, bool last)
{
	unsigned int type = 0;
	uint64_t other = mount;
	int error = mount_of(fd, &other, &type);

	if (error == 0 && other != mount)
		error = -EXDEV;
	else if (error == 0 && !last && type != S_IFDIR)
		error = type == S_IFLNK ? -ELOOP : -ENOTDIR;
	if (error == 0)
		return fd;
	(void)close(fd);
	return error;
}

int p9_open_beneath(int root, const char *path, int flags, unsigned int mode)
{
	unsigned int type;
	uint64_t mount = 0;
	int folder = root, fd = mount_of(root, &mount, &type);

	while (fd >= 0) {
		const size_t size = strcspn(path, "/");
		const bool last = !path[size];
		char name[P9_NAME_MAX + 1] = ".";

		if (size > 0)
			(void)snprintf(name, sizeof(name), "%.*s", (int)size, path);
		fd = open_name(folder, name, last ? flags : O_PATH, mode);
		if (folder != root)
			(void)close(folder);
		if (fd >= 0)
			fd = check_step(fd, mount, last);
		if (last)
			break;
		path += size + 1;
		folder = fd;
	}
	return fd;
}

/* Cut the last name off. */
static int path_above(const char *path, char **to)
{
	const char *slash = strrchr(path, '/');

	*to = strndup(path, slash ? (size_t)(slash - path) : 0);
	return *to ? 0 : -ENOMEM;
}

static bool name_is(struct p9_text name, const char *text)
{
	return name.size == strlen(text) && memcmp(name.bytes, text, name.size) == 0;
}

int p9_path(const char *path, struct p9_text name, bool making, char **to)
{
	const size_t length = strlen(path);
	size_t start;

	if (name.size == 0 || memchr(name.bytes, '/', name.size) ||
	    memchr(name.bytes, '\0', name.size))
		return -ENOENT;
	if (name.size > P9_NAME_MAX || length + 1 + name.size > P9_PATH_MAX)
		return -ENAMETOOLONG;
	if (name_is(name, "..") && !making)
		return path_above(path, to);
	if (name_is(name, "..") || (name_is(name, ".") && making))
		return -EEXIST;
	if (name_is(name, "."))
		name.size = 0;
	start = length + (length > 0 && name.size > 0);
	*to = malloc(start + name.size + 1);
	if (!*to)
		return -ENOMEM;
	memcpy(*to, path, length);
	if (start > length)
		(*to)[length] = '/';
	memcpy(*to + start, name.bytes, name.size);
	(*to)[start + name.size] = '\0';
	return 0;
}

/* Open the folder that contains a name. The root itself has no name. */
static int open_parent(int root, const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	char *above;
	int fd = path[0] ? path_above(path, &above) : -EBUSY;

	if (fd < 0)
		return fd;
	*name = slash ? slash + 1 : path;
	fd = p9_open_beneath(root, above, O_PATH | O_DIRECTORY, 0);
	free(above);
	return fd;
}

/* The result of a call; closes fd. */
static int finish(int fd, int result)
{
	const int error = result < 0 ? -errno : result;

	if (fd >= 0)
		(void)close(fd);
	return error;
}

int p9_file_stat(int root, const char *path, struct stat *stat)
{
	const int fd = p9_open_beneath(root, path, O_PATH, 0);

	return fd < 0 ? fd : finish(fd, fstat(fd, stat));
}

/* 0, or the reason not to open such a file with flags. */
static int check_kind(const struct stat *stat, int flags)
{
	if (S_ISLNK(stat->st_mode))
		return -ELOOP;
	if (S_ISDIR(stat->st_mode))
		return (flags & O_ACCMODE) != O_RDONLY || flags & (O_TRUNC | O_CREAT) ? -EISDIR : 0;
	return S_ISREG(stat->st_mode) ? 0 : -EPERM;
}

/*
 * Check the kind first, as opening a device may have side effects. Check it again afterwards, as
 * another file may be there by then; that open does not block.
 */
int p9_file_open(int root, const char *path, int flags, unsigned int mode)
{
	struct stat stat;
	int error = p9_file_stat(root, path, &stat), fd;

	if (error == 0 && flags & O_CREAT && flags & O_EXCL)
		return -EEXIST;
	if (error == 0)
		error = check_kind(&stat, flags);
	if (error == -ENOENT && flags & O_CREAT)
		error = 0;
	if (error < 0)
		return error;
	fd = p9_open_beneath(root, path, flags | O_NONBLOCK | O_NOCTTY, mode);
	if (fd < 0)
		return fd;
	error = fstat(fd, &stat) < 0 ? -errno : check_kind(&stat, flags);
	if (error == 0)
		return fd;
	(void)close(fd);
	return error;
}

int p9_file_readlink(int root, const char *path, char *text, size_t size)
{
	const int fd = p9_open_beneath(root, path, O_PATH, 0);
	int result;

	if (fd < 0)
		return fd;
	result = finish(fd, (int)readlinkat(fd, "", text, size));
	return result == -ENOENT ? -EINVAL : result; /* no link */
}

int p9_file_symlink(int root, const char *path, const char *target)
{
	const char *name;
	const int fd = open_parent(root, path, &name);

	return fd < 0 ? fd : finish(fd, symlinkat(target, fd, name));
}

int p9_file_mkdir(int root, const char *path, unsigned int mode)
{
	const char *name;
	const int fd = open_parent(root, path, &name);

	return fd < 0 ? fd : finish(fd, mkdirat(fd, name, mode));
}

int p9_file_unlink(int root, const char *path, int flags)
{
	const char *name;
	const int fd = open_parent(root, path, &name);

	return fd < 0 ? fd : finish(fd, unlinkat(fd, name, flags));
}

/* For two names, each in its folder: linkat() without flags, or renameat(). */
static int two_names(int root, const char *from, const char *to, bool link)
{
	const char *old_name, *new_name;
	const int old = open_parent(root, from, &old_name);
	int new, result;

	if (old < 0)
		return old;
	new = open_parent(root, to, &new_name);
	if (new < 0) {
		(void)close(old);
		return new;
	}
	result = link ? linkat(old, old_name, new, new_name, 0)
		      : renameat(old, old_name, new, new_name);
	result = finish(new, result);
	(void)close(old);
	return result;
}

int p9_file_link(int root, const char *from, const char *to)
{
	return two_names(root, from, to, true);
}

int p9_file_rename(int root, const char *from, const char *to)
{
	return two_names(root, from, to, false);
}

int p9_file_truncate(int root, const char *path, int fd, uint64_t size)
{
	int opened;

	if (size > INT64_MAX)
		return -EFBIG;
	if (fd >= 0 && ftruncate(fd, (off_t)size) == 0)
		return 0;
	opened = p9_file_open(root, path, O_WRONLY, 0);
	return opened < 0 ? opened : finish(opened, ftruncate(opened, (off_t)size));
}

/* Before Linux 6.6 no call for it works without either following links or /proc. */
int p9_file_chmod(int root, const char *path, unsigned int mode)
{
	const int fd = p9_file_open(root, path, O_RDONLY, 0);

	return fd < 0 ? fd : finish(fd, fchmod(fd, mode));
}

int p9_file_times(int root, const char *path, const struct timespec times[2])
{
	const char *name = ".";
	const int fd = path[0] ? open_parent(root, path, &name)
			       : p9_open_beneath(root, path, O_PATH | O_DIRECTORY, 0);

	return fd < 0 ? fd : finish(fd, utimensat(fd, name, times, AT_SYMLINK_NOFOLLOW));
}

static int compare_names(const void *left, const void *right)
{
	return strcmp(((const struct p9_entry *)left)->name,
		      ((const struct p9_entry *)right)->name);
}

static int add_entry(struct p9_listing *listing, size_t most, const struct dirent *from,
		     uint64_t inode)
{
	const size_t bytes = sizeof(*listing->entries) + strlen(from->d_name) + 1;
	struct p9_entry *more = listing->entries;

	if (bytes > most - listing->bytes)
		return -ENOMEM;
	if ((listing->count & (listing->count - 1)) == 0) /* twice as many */
		more = realloc(more, (2 * listing->count + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	listing->entries = more;
	more[listing->count] = (struct p9_entry){inode, from->d_type, strdup(from->d_name)};
	if (!more[listing->count].name)
		return -ENOMEM;
	listing->count++;
	listing->bytes += bytes;
	return 0;
}

int p9_folder_list(int fd, bool top, size_t most, struct p9_listing *listing)
{
	const int copy = p9_open_beneath(fd, "", O_RDONLY | O_DIRECTORY, 0);
	const struct dirent *entry;
	struct stat self;
	int error = 0;
	DIR *folder;

	p9_listing_free(listing);
	if (copy < 0)
		return copy;
	if (fstat(copy, &self) < 0)
		return finish(copy, -1);
	folder = fdopendir(copy);
	if (!folder)
		return finish(copy, -1);
	errno = 0;
	while (error == 0 && (entry = readdir(folder))) {
		const bool above = top && strcmp(entry->d_name, "..") == 0;

		error = add_entry(listing, most, entry, above ? self.st_ino : entry->d_ino);
		errno = 0;
	}
	if (error == 0)
		error = -errno;
	(void)closedir(folder);
	if (listing->count > 0)
		qsort(listing->entries, listing->count, sizeof(*listing->entries), compare_names);
	return error;
}

void p9_listing_free(struct p9_listing *listing)
{
	for (size_t i = 0; i < listing->count; i++)
		free(listing->entries[i].name);
	free(listing->entries);
	*listing = (struct p9_listing){0};
}
