/* SPDX-License-Identifier: BSD-2-Clause */
/* The user whom a process becomes that was started as root. */
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
 * NAME or UID, and then :GROUP or :GID; without it the group is that of /etc/passwd. Names are
 * those of /etc/passwd and /etc/group: no library is loaded to ask anybody else. NULL; or what is
 * wrong, in static storage.
 */
const char *user_find(const char *text, struct user *user);

#endif
