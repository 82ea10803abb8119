// SPDX-License-Identifier: BSD-2-Clause
/* Where the program finds what came with it: in a build tree, or where it was installed to. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

/* From the program's own folder; CMake says where cmake --install puts the guests. */
static const char *const guest_places[] = {"guests", VSPE_INSTALLED_GUESTS};

#define GUEST_PLACES (sizeof(guest_places) / sizeof(guest_places[0]))

/* The program's own folder; "." if it cannot be told. */
static void program_folder(char *path)
{
	const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
	char *slash = NULL;

	if (length > 0) {
		path[length] = '\0';
		slash = strrchr(path, '/');
	}
	if (slash)
		*slash = '\0';
	else
		strcpy(path, ".");
}

int cli_find_guests(char *path, size_t size)
{
	char folder[PATH_MAX], list[2 * PATH_MAX];

	program_folder(folder);
	for (size_t i = 0; i < GUEST_PLACES; i++) {
		snprintf(list, sizeof(list), "%s/%s/guests.list", folder, guest_places[i]);
		if (access(list, R_OK))
			continue;
		/* Without the "..", as messages show it. */
		*strrchr(list, '/') = '\0';
		char *real = realpath(list, NULL);
		snprintf(path, size, "%s", real ? real : list);
		free(real);
		return 0;
	}
	snprintf(path, size, "%s/%s", folder, guest_places[0]);
	return -1;
}
