/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files below a folder of the host, by their paths from there. The only way to any of them is
 * openat(2), name by name, which neither leaves the folder nor follows a link nor crosses a mount,
 * whatever happens to the names meanwhile. To change a name, its folder is opened in this way
 * first. openat2(2) could do it at once, but its mode and flags are in memory, where a sandbox's
 * filter cannot see them. A path is "" for the folder itself, or names with a slash between them,
 * none of which is "." or "..": p9_path() makes them.
 *
 * All return 0 or a descriptor, or a negative errno.
 */
#ifndef VSPE_P9_FILES_H
#define VSPE_P9_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "device/p9_message.h"

#define P9_NAME_MAX 255	 /* bytes of a name */
#define P9_PATH_MAX 4095 /* ... and of a path */

/*
 * Open with flags of open(2), and with mode if it creates the file. -ENOSYS: this kernel cannot
 * distinguish mounts (before Linux 5.8).
 */
int p9_open_beneath(int root, const char *path, int flags, unsigned int mode);

/*
 * The path of name in the folder path, malloc'ed in to. "." is the folder and ".." its parent, or
 * for the root the root. With making both are refused, because they already exist. -ENOENT: an
 * empty name, or one with a slash or a zero.
 */
int p9_path(const char *path, struct p9_text name, bool making, char **to);

/* Opens a file or folder, and nothing else: opening a device or FIFO could have side effects. */
int p9_file_open(int root, const char *path, int flags, unsigned int mode);
int p9_file_stat(int root, const char *path, struct stat *stat);
/* Returns the number of bytes of text; size is the room for it. */
int p9_file_readlink(int root, const char *path, char *text, size_t size);
int p9_file_symlink(int root, const char *path, const char *target);
int p9_file_mkdir(int root, const char *path, unsigned int mode);
int p9_file_link(int root, const char *from, const char *to);
int p9_file_rename(int root, const char *from, const char *to);
/* flags are those of unlinkat(2). */
int p9_file_unlink(int root, const char *path, int flags);
/* fd is the open file, or -1. */
int p9_file_truncate(int root, const char *path, int fd, uint64_t size);
int p9_file_chmod(int root, const char *path, unsigned int mode);
int p9_file_times(int root, const char *path, const struct timespec times[2]);

/* What is in a folder, including "." and "..", sorted by the bytes of the names. */
struct p9_listing {
	struct p9_entry {
		uint64_t inode;
		uint8_t type; /* DT_* */
		char *name;   /* malloc'ed */
	} * entries;
	size_t count, bytes; /* bytes of memory that it takes */
};

/*
 * List the folder that is open as fd, which stays open. -ENOMEM: it would take more than most
 * bytes. ".." is the folder itself if it is the top. The caller owes p9_listing_free() in any case,
 * which also accepts a listing of zeros.
 */
int p9_folder_list(int fd, bool top, size_t most, struct p9_listing *listing);
void p9_listing_free(struct p9_listing *listing);

#endif
