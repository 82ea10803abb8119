/* SPDX-License-Identifier: BSD-2-Clause */
/* The user that a process becomes: see user.h. */
#define _GNU_SOURCE /* fgetpwent, fgetgrent */
#include "base/user.h"

#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

#define NAME_SIZE 256
#define NOBODY	  (UINT32_MAX - 1) /* above it is (uid_t)-1, which means none */

/* Find a user by name, or by number if name is NULL. */
static bool find_passwd(const char *name, struct user *user)
{
	FILE *file = fopen("/etc/passwd", "re");
	const struct passwd *entry = NULL;
	bool found = false;

	while (file && !found && (entry = fgetpwent(file)))
		found = name ? strcmp(entry->pw_name, name) == 0 : entry->pw_uid == user->uid;
	if (found)
		*user = (struct user){.given = true, .uid = entry->pw_uid, .gid = entry->pw_gid};
	if (file)
		(void)fclose(file);
	return found;
}

static bool find_group(const char *name, gid_t *gid)
{
	FILE *file = fopen("/etc/group", "re");
	const struct group *entry = NULL;
	bool found = false;

	while (file && !found && (entry = fgetgrent(file)))
		found = strcmp(entry->gr_name, name) == 0;
	if (found)
		*gid = entry->gr_gid;
	if (file)
		(void)fclose(file);
	return found;
}

const char *user_find(const char *text, struct user *user)
{
	char name[NAME_SIZE];
	const size_t length = strcspn(text, ":");
	const char *group = text[length] ? text + length + 1 : NULL;
	uint64_t number;
	bool found;

	if (length == 0 || length >= sizeof(name))
		return "not NAME or UID, and then :GROUP or :GID";
	memcpy(name, text, length);
	name[length] = '\0';
	if (number_read(name, NOBODY, &number)) {
		*user = (struct user){.given = true, .uid = (uid_t)number};
		found = find_passwd(NULL, user) || group;
		if (!found)
			return "/etc/passwd does not say which group: UID:GID does";
	} else if (!find_passwd(name, user)) {
		return "no such user in /etc/passwd; UID:GID takes any";
	}
	if (group && number_read(group, NOBODY, &number))
		user->gid = (gid_t)number;
	else if (group && !find_group(group, &user->gid))
		return "no such group in /etc/group; UID:GID takes any";
	if (user->uid == 0)
		return "this is root, whose rights are to be given up";
	return NULL;
}
