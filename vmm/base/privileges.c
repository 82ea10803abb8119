/* SPDX-License-Identifier: BSD-2-Clause */
/* Namespaces, capabilities and user: see privileges.h. */
#define _GNU_SOURCE /* unshare, setresuid, faccessat */
#include "base/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <libgen.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/protections.h"
#include "base/sandbox.h"
#include "base/user.h"

#define BIT(capability) (UINT64_C(1) << (capability))
#define CAPABILITIES	64

/* CAP_PERFMON exists since Linux 5.8. */
#define OTHERS_FILES (BIT(CAP_DAC_OVERRIDE) | BIT(CAP_FOWNER))

static const struct {
	unsigned int which;
	int flag;
	enum protection protection;
} namespaces_of[] = {
	{PRIVILEGES_USER, CLONE_NEWUSER, PROTECTION_USER_NAMESPACE},
	{PRIVILEGES_MOUNT, CLONE_NEWNS, PROTECTION_MOUNT_NAMESPACE},
	{PRIVILEGES_NETWORK, CLONE_NEWNET, PROTECTION_NETWORK_NAMESPACE},
	{PRIVILEGES_IPC, CLONE_NEWIPC, PROTECTION_IPC_NAMESPACE},
	{PRIVILEGES_UTS, CLONE_NEWUTS, PROTECTION_UTS_NAMESPACE},
};

#define NAMESPACES (sizeof(namespaces_of) / sizeof(namespaces_of[0]))

/* Global, as the process's privileges are. */
static struct {
	unsigned int separated; /* the namespaces that it requested */
	int root;		/* an empty folder, or -1 */
	bool was_root;		/* and still is; a user namespace hides it */
} own = {.root = -1};

/* The capabilities that are effective, or that are permitted. */
static uint64_t capabilities(bool effective)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0, 0, 0}, {0, 0, 0}};

	if (syscall(SYS_capget, &header, data) < 0)
		return 0;
	return effective ? data[0].effective | (uint64_t)data[1].effective << 32
			 : data[0].permitted | (uint64_t)data[1].permitted << 32;
}

static int set_capabilities(uint64_t effective, uint64_t permitted)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct data[2] = {
		{(uint32_t)effective, (uint32_t)permitted, 0},
		{(uint32_t)(effective >> 32), (uint32_t)(permitted >> 32), 0}};

	return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

int privileges_keep(uint64_t keep)
{
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (capabilities(true) & BIT(CAP_SETPCAP))
		for (unsigned int n = 0; n < CAPABILITIES; n++)
			(void)prctl(PR_CAPBSET_DROP, n, 0, 0, 0);
	keep &= capabilities(false);
	return set_capabilities(keep, keep);
}

uint64_t privileges_held(void)
{
	return capabilities(true);
}

/* All at once, or if that is refused, one after the other. */
static void unshare_each(unsigned int namespaces, struct protections *protections)
{
	int flags = 0;

	for (size_t i = 0; i < NAMESPACES; i++)
		flags |= namespaces & namespaces_of[i].which ? namespaces_of[i].flag : 0;
	if (flags == 0 || unshare(flags) == 0)
		return;
	for (size_t i = 0; i < NAMESPACES; i++)
		if (namespaces & namespaces_of[i].which && unshare(namespaces_of[i].flag) < 0)
			protections_lack(protections, namespaces_of[i].protection, false, "%s",
					 strerror(errno));
}

int privileges_empty_folder(unsigned int attributes)
{
	const int context = fsopen("tmpfs", FSOPEN_CLOEXEC);
	int folder = -1;

	if (context < 0)
		return -1;
	if (fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		folder = fsmount(context, FSMOUNT_CLOEXEC,
				 attributes | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
					 MOUNT_ATTR_NOEXEC);
	(void)close(context);
	return folder;
}

void privileges_separate(unsigned int namespaces, struct protections *protections)
{
	own.was_root = own.was_root || geteuid() == 0;
	if (!sandbox_has_filter())
		return;
	unshare_each(namespaces & ~own.separated, protections);
	own.separated |= namespaces;
	if (own.root < 0)
		own.root = privileges_empty_folder(MOUNT_ATTR_RDONLY);
	if (own.root < 0)
		protections_lack(protections, PROTECTION_ROOT, false, "%s", strerror(errno));
	/*
	 * In a user namespace all capabilities are there. privileges_end() drops the last of them.
	 */
	if (namespaces & PRIVILEGES_USER)
		(void)privileges_keep(BIT(CAP_SYS_CHROOT));
}

int privileges_become(const struct user *user, uint64_t keep)
{
	const uint64_t needed = BIT(CAP_SETUID) | BIT(CAP_SETGID);

	if ((capabilities(true) & needed) != needed)
		return -EPERM;
	if (setgroups(0, NULL) < 0 || setresgid(user->gid, user->gid, user->gid) < 0 ||
	    prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0 ||
	    setresuid(user->uid, user->uid, user->uid) < 0)
		return -errno;
	own.was_root = false;
	(void)prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);
	/* Make the permitted ones effective again: dropping the others needs one of them. */
	(void)set_capabilities(capabilities(false), capabilities(false));
	return privileges_keep(BIT(CAP_SYS_CHROOT) | keep);
}

static void enter_empty_root(struct protections *protections)
{
	if (own.root < 0)
		return;
	if (fchdir(own.root) < 0 || chroot(".") < 0)
		protections_lack(protections, PROTECTION_ROOT, false, "%s", strerror(errno));
	(void)close(own.root);
	own.root = -1;
}

int privileges_end(unsigned int namespaces, uint64_t keep, struct protections *protections)
{
	if (sandbox_has_filter()) {
		if (keep)
			namespaces &= ~(unsigned int)PRIVILEGES_USER;
		if (namespaces & ~own.separated)
			privileges_separate(namespaces, protections);
		enter_empty_root(protections);
	}
	if (own.was_root || geteuid() == 0)
		protections_lack(protections, PROTECTION_USER, false,
				 "started as root, and nobody else since");
	return privileges_keep(keep);
}

uint64_t privileges_for_counters(struct protections *protections)
{
	const uint64_t keep = BIT(CAP_PERFMON) & capabilities(true);
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = 2;

	if (file && fscanf(file, "%d", &level) != 1)
		level = 2;
	if (file)
		(void)fclose(file);
	if (level <= 1 || !keep)
		return 0;
	protections_lack(protections, PROTECTION_CAPABILITIES, false,
			 "CAP_PERFMON stays: kernel.perf_event_paranoid is not 1 or less");
	protections_lack(protections, PROTECTION_USER_NAMESPACE, false,
			 "CAP_PERFMON would go with it");
	return keep;
}

/* Can this process give the file at path its name without capabilities? */
static bool may_name(const char *path)
{
	char *copy = realpath(path, NULL);
	struct stat folder, file;
	bool may;

	if (!copy)
		copy = strdup(path);
	if (!copy)
		return false;
	may = lstat(copy, &file) < 0 || file.st_uid == geteuid();
	(void)dirname(copy);
	may = stat(copy, &folder) < 0 || folder.st_uid == geteuid() ||
	      (faccessat(AT_FDCWD, copy, W_OK | X_OK, AT_EACCESS) == 0 &&
	       (may || !(folder.st_mode & S_ISVTX)));
	free(copy);
	return may;
}

uint64_t privileges_for_outputs(const char *const *paths, size_t count,
				struct protections *protections)
{
	const uint64_t permitted = capabilities(false), keep = OTHERS_FILES & permitted;
	uint64_t needed = 0;

	if (!keep || set_capabilities(0, permitted) < 0)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (paths[i] && !may_name(paths[i]))
			needed = keep;
	(void)set_capabilities(permitted, permitted);
	if (!needed)
		return 0;
	protections_lack(protections, PROTECTION_CAPABILITIES, false,
			 "CAP_DAC_OVERRIDE and CAP_FOWNER stay: a file is written in another "
			 "user's folder");
	protections_lack(protections, PROTECTION_USER_NAMESPACE, false,
			 "CAP_DAC_OVERRIDE would go with it");
	return needed;
}

int privileges_open_plain(const char *path)
{
	const uint64_t effective = capabilities(true), permitted = capabilities(false);
	int fd, error;

	if (effective && set_capabilities(0, permitted) < 0)
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	error = errno;
	if (effective && set_capabilities(effective, permitted) < 0 && fd >= 0) {
		error = errno;
		(void)close(fd);
		fd = -1;
	}
	errno = error;
	return fd;
}
