/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the program finds the files that came with it: in a build tree, or where it is installed.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

/* The program's folder, or "." if it is not known. */
static void program_folder(char *path)
{
	const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
	char *end;

	path[length > 0 ? length : 0] = '\0';
	end = strrchr(path, '/');
	if (!end) {
		path[0] = '.';
		end = path + 1;
	}
	*end = '\0';
}

/* The first of the places, relative to the program's folder, that has the file. -1 if none has. */
static int find_place(char *path, size_t size, const char *const places[2], const char *file)
{
	char folder[PATH_MAX], probe[2 * PATH_MAX];

	program_folder(folder);
	for (int i = 0; i < 2; i++) {
		snprintf(probe, sizeof(probe), "%s/%s/%s", folder, places[i], file);
		if (access(probe, R_OK))
			continue;
		/* Remove "..", for messages. */
		*strrchr(probe, '/') = '\0';
		char *real = realpath(probe, NULL);
		snprintf(path, size, "%s", real ? real : probe);
		free(real);
		return 0;
	}
	snprintf(path, size, "%s/%s", folder, places[0]);
	return -1;
}

int cli_find_guests(char *path, size_t size)
{
	static const char *const places[] = {"guests", VSPE_INSTALLED_GUESTS};

	return find_place(path, size, places, "guests.list");
}

int cli_find_library(char *path, size_t size)
{
	static const char *const places[] = {"spe", VSPE_INSTALLED_LIBRARIES};
	char folder[PATH_MAX];
	const int error = find_place(folder, sizeof(folder), places, VSPE_LIBRARY_NAME);

	snprintf(path, size, "%s/%s", folder, VSPE_LIBRARY_NAME);
	return error;
}

int cli_find_plugin(char *path, size_t size)
{
	static const char *const places[] = {"qemu", VSPE_INSTALLED_PLUGINS};
	char folder[PATH_MAX];
	const int error = find_place(folder, sizeof(folder), places, VSPE_PLUGIN_NAME);

	snprintf(path, size, "%s/%s", folder, VSPE_PLUGIN_NAME);
	return error;
}

int cli_find_linux(char *path, size_t size)
{
	static const char *const places[] = {"linux", VSPE_INSTALLED_LINUX};
	char folder[PATH_MAX];
	const int error = find_place(folder, sizeof(folder), places, "linux-guest");

	snprintf(path, size, "%s/linux-guest", folder);
	return error;
}

bool cli_find_program(char *path, size_t size, const char *name)
{
	const char *folders = getenv("PATH");

	if (strchr(name, '/')) {
		snprintf(path, size, "%s", name);
		return access(path, X_OK) == 0;
	}
	for (; folders && *folders; folders += strspn(folders, ":")) {
		const size_t length = strcspn(folders, ":");

		snprintf(path, size, "%.*s/%s", (int)length, folders, name);
		if (access(path, X_OK) == 0)
			return true;
		folders += length;
	}
	return false;
}
