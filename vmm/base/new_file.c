// SPDX-License-Identifier: BSD-2-Clause
/* Files that appear at once: see new_file.h. */
#include "base/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of the call that has just failed: never 0. */
static int last_error(void)
{
	int error = errno;

	return error > 0 ? -error : -EIO;
}

static int find_path(struct new_file *new, const char *path)
{
	struct stat status;

	if (!stat(path, &status) && !S_ISREG(status.st_mode))
		return S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL;
	new->path = realpath(path, NULL);
	if (!new->path && errno == ENOENT) /* a new file; its folder shows when it is made */
		new->path = strdup(path);
	return new->path ? 0 : last_error();
}

/* In the same folder, so that rename(2) can replace the file in one step. */
static int open_temporary(struct new_file *new)
{
	size_t size = strlen(new->path) + 32;
	int fd, error;

	new->temporary = malloc(size);
	if (!new->temporary)
		return -ENOMEM;
	(void)snprintf(new->temporary, size, "%s.%ld.part", new->path, (long)getpid());
	fd = open(new->temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
	if (fd < 0)
		return last_error();
	new->file = fdopen(fd, "wb");
	if (new->file)
		return 0;
	error = last_error();
	(void)close(fd);
	(void)unlink(new->temporary);
	return error;
}

static void forget_file(struct new_file *new)
{
	free(new->path);
	free(new->temporary);
	*new = (struct new_file){0};
}

int new_file_open(struct new_file *new, const char *path)
{
	int error;

	*new = (struct new_file){0};
	error = find_path(new, path);
	if (!error)
		error = open_temporary(new);
	if (error)
		forget_file(new);
	return error;
}

/* The new name in its folder, too. Best effort: not every file system can. */
static void sync_folder(const char *path)
{
	char *copy = strdup(path);
	int fd = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd >= 0) {
		(void)fsync(fd);
		(void)close(fd);
	}
	free(copy);
}

int new_file_commit(struct new_file *new, bool durable, int error)
{
	if (!error && durable && (fflush(new->file) || fsync(fileno(new->file))))
		error = last_error();
	if (fclose(new->file) && !error)
		error = last_error();
	if (!error && rename(new->temporary, new->path))
		error = last_error();
	if (error)
		(void)unlink(new->temporary);
	else if (durable)
		sync_folder(new->path);
	forget_file(new);
	return error;
}

void new_file_abandon(struct new_file *new)
{
	if (!new->file)
		return;
	(void)fclose(new->file);
	(void)unlink(new->temporary);
	forget_file(new);
}
