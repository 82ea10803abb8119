/* SPDX-License-Identifier: BSD-2-Clause */
/* The user that a process becomes which was started as root. */
#ifndef VSPE_BASE_USER_H
#define VSPE_BASE_USER_H

#include <stdbool.h>
#include <sys/types.h>

struct user {
	bool given;
	uid_t uid;
	gid_t gid; /* the only group */
};

/*
 * Parse NAME or UID, optionally followed by :GROUP or :GID; without that the group comes from
 * /etc/passwd. Names only come from /etc/passwd and /etc/group, so no library is loaded to look
 * elsewhere. NULL, or the error, in static storage.
 */
const char *user_find(const char *text, struct user *user);

#endif
