/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The protections of a process, a row each, and which of them are missing and why: the kernel
 * refuses them, or an option does without. The code that requests a protection fills this in, and
 * --stats and --sandbox strict read it.
 */
#ifndef VSPE_BASE_PROTECTIONS_H
#define VSPE_BASE_PROTECTIONS_H

#include <stdbool.h>
#include <stddef.h>

#define PROTECTIONS(X)                                 \
	X(DESCRIPTORS, "closed descriptors")           \
	X(USER, "unprivileged user")                   \
	X(USER_NAMESPACE, "user namespace")            \
	X(MOUNT_NAMESPACE, "mount namespace")          \
	X(NETWORK_NAMESPACE, "network namespace")      \
	X(IPC_NAMESPACE, "IPC namespace")              \
	X(UTS_NAMESPACE, "UTS namespace")              \
	X(ROOT, "empty root folder")                   \
	X(DEVICES, "namespaces of a device's process") \
	X(CAPABILITIES, "dropped capabilities")        \
	X(FILE_SIZE, "limit of files")                 \
	X(MEMORY, "limit of memory")                   \
	X(LANDLOCK, "Landlock")                        \
	X(FILTER, "filter of system calls")

enum protection {
#define X(name, text) PROTECTION_##name,
	PROTECTIONS(X)
#undef X
		PROTECTION_COUNT,
};

/* All zero: every protection is in force. */
struct protections {
	struct protection_lack {
		char why[128]; /* empty: in force */
		bool chosen;   /* the user's option does without it */
	} lack[PROTECTION_COUNT];
};

const char *protection_name(enum protection which);

/* One is missing, for the first reason that was given. protections may be NULL. */
__attribute__((format(printf, 4, 5))) void protections_lack(struct protections *protections,
							    enum protection which, bool chosen,
							    const char *format, ...);

/* The first one that is missing without an option's doing, or PROTECTION_COUNT. */
enum protection protections_missing(const struct protections *protections);

#endif
