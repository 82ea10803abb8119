/* SPDX-License-Identifier: BSD-2-Clause */
/* Which files and users a process of jail.h sees. */
#ifndef VSPE_BASE_JAIL_ROOT_H
#define VSPE_BASE_JAIL_ROOT_H

#include "base/jail.h"

/*
 * Called by the parent, for a process that was started with a user namespace. All users and groups
 * keep their numbers there, if the parent may do that. Otherwise only its own user and group do,
 * and all others are nobody (65534). 0, or -1: not even that.
 */
int jail_root_users(pid_t process);

/*
 * Called by the process. Its root becomes its folder, or an empty one with only the file of
 * SANDBOX_RESOLVE, as it is now, and it then gets a namespace without users. A folder becomes the
 * working directory in any case. 0, even if the kernel refuses, or a negative errno. apart: it has
 * a mount namespace. Without one the root stays as it is, because its mounts would affect the whole
 * host.
 */
int jail_root_enter(const struct jail *jail, bool apart);

#endif
