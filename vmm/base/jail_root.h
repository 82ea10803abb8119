/* SPDX-License-Identifier: BSD-2-Clause */
/* Which files and which users a process of jail.h sees. */
#ifndef VSPE_BASE_JAIL_ROOT_H
#define VSPE_BASE_JAIL_ROOT_H

#include "base/jail.h"

/*
 * The parent's, for a process that was started with a user namespace: all users and groups have
 * their own numbers there, if the parent may say so, and otherwise its own user and group, and all
 * others are nobody (65534). 0, or -1: not even that.
 */
int jail_root_users(pid_t process);

/*
 * The process's: its root becomes its folder, or an empty one with nothing but the file of
 * SANDBOX_RESOLVE, as it is now, and then there is a namespace of no users. A folder is the working
 * directory in any case. 0, also where the kernel does not give that, or a negative errno.
 * apart: it has mounts of its own. Without those the root stays as it is, as what is mounted would
 * be so for the whole host.
 */
int jail_root_enter(const struct jail *jail, bool apart);

#endif
