/* SPDX-License-Identifier: BSD-2-Clause */
/* Register pages: finds their files and folders, and recognises their form. */
#include "conform/page.h"
#include "base/input_file.h"
#include "base/printable.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

_Static_assert(PAGE_SIZE_MAX >> 20 == 16, "a message says 16 MiB");

#define FOLDER_DEPTH_MAX 8
#define PATH_SIZE	 4096

/*
 * The page that describes a register. A name for EL2 is on the page of the register it stands for.
 */
static unsigned int page_register(unsigned int reg)
{
	switch (reg) {
	case SYSREG_PMSCR_EL12: return SYSREG_PMSCR_EL1;
	case SYSREG_PMBSR_EL12: return SYSREG_PMBSR_EL1;
	default: return reg;
	}
}

static bool has_accessor(const struct page_set *set, size_t first, unsigned int reg, bool write)
{
	for (size_t i = first; i < set->count; i++)
		if (!set->accessors[i].name && set->accessors[i].reg == reg &&
		    set->accessors[i].write == write)
			return true;
	return false;
}

/* Note accessors that a complete page of Arm's would have, and this one lacks. */
static void find_missing(struct page_set *set, const char *name, size_t first)
{
	for (size_t i = first; i < set->count; i++)
		if (!set->accessors[i].name)
			set->about[page_register(set->accessors[i].reg)] = true;
	for (unsigned int n = 0; n < 2 * SUBJECT_COUNT; n++) {
		const unsigned int reg = n / 2;
		const bool write = n & 1;
		char text[96];

		if (!set->about[page_register(reg)] || !subject_has(reg, write) ||
		    has_accessor(set, first, reg, write))
			continue;
		snprintf(text, sizeof(text),
			 write ? "no accessor MSR %s, <Xt>" : "no accessor MRS <Xt>, %s",
			 subject_name(reg));
		page_new_problem(set, name, 1, text);
	}
}

void page_add_bytes(struct page_set *set, const char *name, const char *bytes, size_t size)
{
	const size_t before = set->count + set->others, first = set->count;
	size_t start = 0;

	memset(set->about, 0, sizeof(set->about));
	/* Skip a byte order mark, and blanks. */
	while (start < size && (strchr(" \t\r\n\xef\xbb\xbf", bytes[start]) && bytes[start]))
		start++;
	set->files++;
	if (start < size && bytes[start] == '<')
		page_read_xml(set, name, bytes, size);
	else
		page_read_text(set, name, bytes, size);
	find_missing(set, name, first);
	if (set->count + set->others == before)
		set->without++;
}

/* Names in a folder come from others, so make them printable. */
static void complain(FILE *messages, const char *path, const char *what)
{
	fputs("vspe conform: ", messages);
	printable_put(messages, path, strlen(path));
	fprintf(messages, ": %s\n", what);
}

static int add_file(struct page_set *set, const char *path, FILE *messages)
{
	int error;
	FILE *file = input_file_stream(path, &error);
	char *bytes = NULL;
	size_t size = 0;
	int result = -1;

	if (file)
		bytes = malloc(PAGE_SIZE_MAX);
	if (bytes)
		size = fread(bytes, 1, PAGE_SIZE_MAX, file);
	if (!bytes || ferror(file)) {
		complain(messages, path, error ? input_file_error(error) : strerror(errno));
	} else if (size == PAGE_SIZE_MAX) {
		complain(messages, path, "larger than 16 MiB, no register page is");
	} else {
		page_add_bytes(set, path, bytes, size);
		result = 0;
	}
	free(bytes);
	if (file)
		fclose(file);
	return result;
}

static bool is_page_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && (!strcmp(dot, ".xml") || !strcmp(dot, ".txt"));
}

static int add_path(struct page_set *set, const char *path, int depth, FILE *messages);

static int add_folder(struct page_set *set, const char *path, int depth, FILE *messages)
{
	struct dirent **entries;
	const int count = scandir(path, &entries, NULL, alphasort);
	int result = 0;

	if (count < 0) {
		complain(messages, path, strerror(errno));
		return -1;
	}
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		char full[PATH_SIZE];
		struct stat st;

		if (result == 0 && name[0] != '.' &&
		    (size_t)snprintf(full, sizeof(full), "%s/%s", path, name) < sizeof(full) &&
		    stat(full, &st) == 0 &&
		    (S_ISDIR(st.st_mode) ? depth < FOLDER_DEPTH_MAX : is_page_name(name)))
			result = add_path(set, full, depth + 1, messages);
		free(entries[i]);
	}
	free(entries);
	return result;
}

static int add_path(struct page_set *set, const char *path, int depth, FILE *messages)
{
	struct stat st;

	if (stat(path, &st)) {
		complain(messages, path, strerror(errno));
		return -1;
	}
	if (S_ISDIR(st.st_mode))
		return add_folder(set, path, depth, messages);
	return add_file(set, path, messages);
}

int page_add(struct page_set *set, const char *path, FILE *messages)
{
	return add_path(set, path, 0, messages);
}
