/* SPDX-License-Identifier: BSD-2-Clause */
/* Files and users of a process in a jail: see jail_root.h. */
#define _GNU_SOURCE /* the calls for mounts, unshare */
#include "base/jail_root.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/privileges.h"
#include "base/sandbox.h"

#define MAP_SIZE 4095 /* the most bytes that proc(5) takes for a map */

/* A file of /proc/PID, or /proc/self for 0. The descriptor, or -1. */
static int open_proc(pid_t process, const char *name, int flags)
{
	char path[64];

	if (process)
		(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)process, name);
	else
		(void)snprintf(path, sizeof(path), "/proc/self/%s", name);
	return open(path, flags | O_CLOEXEC);
}

static int write_proc(pid_t process, const char *name, const char *text)
{
	const int fd = open_proc(process, name, O_WRONLY);
	const ssize_t size = (ssize_t)strlen(text);
	int result;

	if (fd < 0)
		return -1;
	result = write(fd, text, (size_t)size) == size ? 0 : -1;
	(void)close(fd);
	return result;
}

/*
 * This process's own map, with each number mapped to itself: user_namespaces(7). text is empty if
 * there is none.
 */
static void read_map(const char *name, char text[MAP_SIZE + 1])
{
	const int fd = open_proc(0, name, O_RDONLY);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "re");
	unsigned long first, outside, count;
	size_t used = 0;

	text[0] = '\0';
	if (!file && fd >= 0)
		(void)close(fd);
	while (file && used < MAP_SIZE &&
	       fscanf(file, "%lu %lu %lu", &first, &outside, &count) == 3)
		used += (size_t)snprintf(text + used, MAP_SIZE - used, "%lu %lu %lu\n", first,
					 first, count);
	if (used >= MAP_SIZE)
		text[0] = '\0';
	if (file)
		(void)fclose(file);
}

int jail_root_users(pid_t process)
{
	char users[MAP_SIZE + 1], groups[MAP_SIZE + 1];

	read_map("uid_map", users);
	read_map("gid_map", groups);
	if (write_proc(process, "uid_map", users) == 0)
		return write_proc(process, "gid_map", groups);
	(void)snprintf(users, sizeof(users), "%u %u 1\n", geteuid(), geteuid());
	(void)snprintf(groups, sizeof(groups), "%u %u 1\n", getegid(), getegid());
	return write_proc(process, "uid_map", users) == 0 &&
			       write_proc(process, "setgroups", "deny") == 0 &&
			       write_proc(process, "gid_map", groups) == 0
		       ? 0
		       : -1;
}

/* Give a file of the host the same name in an empty root. 0, or -1. */
static int take_file(int root, const char *path, int file)
{
	char folder[64];
	const char *name = strrchr(path, '/') + 1;
	int made;

	(void)snprintf(folder, sizeof(folder), "%.*s", (int)(name - path - 2), path + 1);
	if (mkdirat(root, folder, 0755) < 0)
		return -1;
	made = openat(root, path + 1, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
	if (made < 0)
		return -1;
	(void)close(made);
	return move_mount(file, "", root, path + 1, MOVE_MOUNT_F_EMPTY_PATH);
}

/*
 * Mount an empty folder over the root of this mount namespace; changes there do not affect the
 * host.
 */
static int lay_empty(const struct jail *jail, int root)
{
	struct mount_attr attributes = {.attr_set = MOUNT_ATTR_RDONLY};
	int file = -1, result;

	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return -1;
	if (jail->needs & SANDBOX_RESOLVE)
		file = open_tree(AT_FDCWD, SANDBOX_NAME_SERVERS,
				 OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	result = move_mount(root, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH);
	if (result == 0 && file >= 0)
		result = take_file(root, SANDBOX_NAME_SERVERS, file);
	if (file >= 0)
		(void)close(file);
	return result < 0 ? -1
			  : mount_setattr(root, "", AT_EMPTY_PATH, &attributes, sizeof(attributes));
}

int jail_root_enter(const struct jail *jail, bool apart)
{
	int root;

	if (jail->folder >= 0) {
		if (fchdir(JAIL_FOLDER) < 0)
			return -errno;
		(void)!chroot(".");
		return 0;
	}
	if (!apart)
		return 0;
	root = privileges_empty_folder(0);
	if (root >= 0 && lay_empty(jail, root) < 0) {
		(void)close(root);
		root = -1;
	}
	if (root >= 0 && fchdir(root) == 0)
		(void)!chroot(".");
	if (root >= 0)
		(void)close(root);
	(void)unshare(CLONE_NEWUSER); /* whose rights over mounts end here */
	return 0;
}
