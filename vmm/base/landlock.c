/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Landlock (landlock(7), Linux 5.13) for sandbox.h. glibc has no functions for it, and the headers
 * of Debian 12 end at the second ABI, so later additions are defined here.
 */
#define _GNU_SOURCE /* O_PATH */
#include "base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/landlock.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* All rights of the first ABI, which end at MAKE_SYM; then what each later one added. */
#define FS_ABI_1     (LANDLOCK_ACCESS_FS_MAKE_SYM * 2 - 1)
#define FS_REFER     (UINT64_C(1) << 13) /* 2 */
#define FS_TRUNCATE  (UINT64_C(1) << 14) /* 3 */
#define NET_BIND     UINT64_C(1)	 /* 4: of TCP */
#define NET_CONNECT  UINT64_C(2)
#define FS_IOCTL     (UINT64_C(1) << 15) /* 5 */
#define SCOPE_SOCKET UINT64_C(1)	 /* 6: abstract ones */
#define SCOPE_SIGNAL UINT64_C(2)

/* What a file needs that gets its name at the end. Its folder is opened, too, to be synced. */
#define FS_NAMES \
	(LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_READ_DIR)

/* Rights to read a folder, and to change it. */
#define FS_READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define FS_CHANGE                                                        \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | \
	 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |  \
	 LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SYM)

/* struct landlock_ruleset_attr of ABI 6. Older kernels take its beginning. */
struct rules {
	uint64_t fs, net, scoped;
};

/*
 * Scope signals, unless children get one when this process ends (PR_SET_PDEATHSIG). The filter
 * leaves no other way to send one, except with KVM, where signals are scoped in any case.
 */
static uint64_t scope_of(unsigned int needs)
{
	return SCOPE_SOCKET |
	       ((needs & (SANDBOX_CHILDREN | SANDBOX_KVM)) == SANDBOX_CHILDREN ? 0 : SCOPE_SIGNAL);
}

static struct rules rules_of(long abi, unsigned int needs, size_t *size)
{
	*size = abi >= 6 ? sizeof(struct rules) : abi >= 4 ? 16 : 8;
	return (struct rules){
		.fs = FS_ABI_1 | (abi >= 2 ? FS_REFER : 0) | (abi >= 3 ? FS_TRUNCATE : 0) |
		      (abi >= 5 ? FS_IOCTL : 0),
		.net = abi >= 4 ? NET_BIND | (needs & SANDBOX_SOCKETS ? 0 : NET_CONNECT) : 0,
		.scoped = abi >= 6 ? scope_of(needs) : 0,
	};
}

/* Names may change in the folder of this file. 0, or a negative errno. */
static int allow_folder(int ruleset, const char *path)
{
	char *copy = realpath(path, NULL); /* through links, as that is how it is replaced */
	struct landlock_path_beneath_attr rule = {.allowed_access = FS_NAMES};
	int result = 0;

	if (!copy)
		copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	rule.parent_fd = open(dirname(copy), O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (rule.parent_fd < 0 ||
	    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0)
		result = -errno;
	if (rule.parent_fd >= 0)
		(void)close(rule.parent_fd);
	free(copy);
	return result;
}

/* A file may be read, wherever links lead now. If it does not exist, nothing may. */
static int allow_reading(int ruleset, const char *path)
{
	struct landlock_path_beneath_attr rule = {.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE};
	int result = 0;

	rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (rule.parent_fd < 0)
		return 0;
	if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0)
		result = -errno;
	(void)close(rule.parent_fd);
	return result;
}

/* Files below a folder may be read, or changed, but no devices or the like may be made. */
static int allow_share(int ruleset, long abi, const struct sandbox *sandbox)
{
	struct landlock_path_beneath_attr rule = {.allowed_access = FS_READ};
	int result = 0;

	if (sandbox->needs & SANDBOX_SHARE_WRITE)
		rule.allowed_access |=
			FS_CHANGE | (abi >= 2 ? FS_REFER : 0) | (abi >= 3 ? FS_TRUNCATE : 0);
	rule.parent_fd = open(sandbox->share, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (rule.parent_fd < 0 ||
	    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0)
		result = -errno;
	if (rule.parent_fd >= 0)
		(void)close(rule.parent_fd);
	return result;
}

static long landlock_abi(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

bool sandbox_has_landlock(void)
{
	return landlock_abi() >= 1;
}

int sandbox_landlock(const struct sandbox *sandbox)
{
	const long abi = landlock_abi();
	struct rules rules;
	size_t size;
	int ruleset, result = (int)abi;

	if (abi < 1) /* not built in, or not enabled */
		return 0;
	rules = rules_of(abi, sandbox->needs, &size);
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
	if (ruleset < 0)
		return -errno;
	for (size_t i = 0; i < sandbox->output_count && result >= 0; i++)
		if (sandbox->outputs[i] && allow_folder(ruleset, sandbox->outputs[i]) < 0)
			result = -errno;
	if (result >= 0 && sandbox->needs & SANDBOX_RESOLVE &&
	    allow_reading(ruleset, SANDBOX_NAME_SERVERS) < 0)
		result = -errno;
	if (result >= 0 && sandbox->needs & SANDBOX_SHARE && allow_share(ruleset, abi, sandbox) < 0)
		result = -errno;
	if (result >= 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) < 0)
		result = -errno;
	(void)close(ruleset);
	return result;
}
