/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a process is protected by, a row each, and which of it is not in force and why: what the
 * kernel refuses, and what an option goes without. Whoever asks for a protection fills it in, and
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

/* All zero: all of them are in force. */
struct protections {
	struct protection_lack {
		char why[128]; /* empty: in force */
		bool chosen;   /* an option of the user's goes without it */
	} lack[PROTECTION_COUNT];
};

const char *protection_name(enum protection which);

/* One is not in force, for the reason that is said first of it. NULL: nobody wants to know. */
__attribute__((format(printf, 4, 5))) void protections_lack(struct protections *protections,
							    enum protection which, bool chosen,
							    const char *format, ...);

/* The first that is missing although no option goes without it, or PROTECTION_COUNT. */
enum protection protections_missing(const struct protections *protections);

#endif
