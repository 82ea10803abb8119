/* SPDX-License-Identifier: BSD-2-Clause */
/* Which files of a command line are the same: see files.h. */
#include "cli/files.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "cli/options.h"

#define NAME_SIZE 512 /* of an option and its file in a message */

/* What a name stands for: a file, or a name that its folder does not have yet. */
struct identity {
	bool known; /* false: nothing that could be overwritten */
	dev_t device;
	ino_t inode;
	const char *name; /* NULL: the file is there */
};

static struct identity identity_of(const struct stat *status)
{
	return (struct identity){.known = S_ISREG(status->st_mode),
				 .device = status->st_dev,
				 .inode = status->st_ino};
}

static struct identity identify_path(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct identity identity = {0};
	struct stat status;
	char *copy;

	if (!stat(path, &status))
		return identity_of(&status);
	copy = strdup(path);
	if (copy && !stat(dirname(copy), &status))
		identity = (struct identity){.known = true,
					     .device = status.st_dev,
					     .inode = status.st_ino,
					     .name = slash ? slash + 1 : path};
	free(copy);
	return identity;
}

static struct identity identify_stream(int fd)
{
	struct stat status;

	if (fstat(fd, &status))
		return (struct identity){.known = false};
	return identity_of(&status);
}

static bool same(const struct identity *one, const struct identity *other)
{
	return one->known && other->known && one->device == other->device &&
	       one->inode == other->inode && !one->name == !other->name &&
	       (!one->name || strcmp(one->name, other->name) == 0);
}

bool cli_same_file(const char *one, const char *other)
{
	const struct identity a = identify_path(one), b = identify_path(other);

	return same(&a, &b);
}

void cli_files_add(struct cli_files *files, const struct cli_option *option, const char *path,
		   enum cli_file_kind kind)
{
	for (size_t i = 0; kind == CLI_FILE_OUTPUT && i < files->count; i++) {
		if (files->files[i].option == option) {
			files->files[i].path = path;
			return;
		}
	}
	files->files =
		memory_need(realloc(files->files, (files->count + 1) * sizeof(*files->files)));
	files->files[files->count++] = (struct cli_file){option, path, kind};
}

/* "--OPTION PATH", or the path alone. */
static void name_file(const struct cli_file *file, char *text, size_t size)
{
	if (file->option)
		(void)snprintf(text, size, "--%s %s", file->option->name, file->path);
	else
		(void)snprintf(text, size, "%s", file->path);
}

static bool refuse_same(const struct cli_file *file, const char *other, char *what, size_t size)
{
	char name[NAME_SIZE];

	name_file(file, name, sizeof(name));
	(void)snprintf(what, size, "%s: the same file as %s", name, other);
	return false;
}

/* A saved machine may replace the one that was restored. */
static bool may_replace(const struct cli_file *one, const struct cli_file *other)
{
	return one->option && one->option->replaces && other->option &&
	       strcmp(one->option->replaces, other->option->name) == 0;
}

/* Compare the i-th file, an output, with the others. */
static bool check_others(const struct cli_files *files, size_t i, char *what, size_t size)
{
	const struct cli_file *file = &files->files[i];
	char name[NAME_SIZE];

	for (size_t n = 0; n < files->count; n++) {
		const struct cli_file *other = &files->files[n];

		if (n == i || may_replace(file, other) || may_replace(other, file) ||
		    !cli_same_file(file->path, other->path))
			continue;
		name_file(other, name, sizeof(name));
		return refuse_same(file, name, what, size);
	}
	return true;
}

static bool check_streams(const struct cli_file *file, char *what, size_t size)
{
	static const char *const names[] = {"standard input", "standard output", "standard error"};
	const struct identity identity = identify_path(file->path);

	for (int fd = 0; fd <= 2; fd++) {
		const struct identity stream = identify_stream(fd);

		if ((file->kind == CLI_FILE_OUTPUT || fd != 0) && same(&identity, &stream))
			return refuse_same(file, names[fd], what, size);
	}
	return true;
}

bool cli_files_check(const struct cli_files *files, char *what, size_t size)
{
	for (size_t i = 0; i < files->count; i++) {
		const struct cli_file *file = &files->files[i];

		if (!*file->path) {
			(void)snprintf(
				what, size, "%s%s%san empty file name", file->option ? "--" : "",
				file->option ? file->option->name : "", file->option ? ": " : "");
			return false;
		}
		if (!check_streams(file, what, size) ||
		    (file->kind == CLI_FILE_OUTPUT && !check_others(files, i, what, size)))
			return false;
	}
	return true;
}
