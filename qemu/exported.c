/* SPDX-License-Identifier: BSD-2-Clause */
/* See exported.h. */
#include "qemu/exported.h"

#include <dlfcn.h>

const char *exported_find(const struct exported *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		*(void **)rows[i].at = dlsym(RTLD_DEFAULT, rows[i].name);
		if (!*(void **)rows[i].at)
			return rows[i].name;
	}
	return NULL;
}
