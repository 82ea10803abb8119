/* SPDX-License-Identifier: BSD-2-Clause */
/* What a process in a jail can do, and what it cannot: it reports by its socket. */
#define _GNU_SOURCE /* O_PATH, CAP_* */
#include "../compare.h"
#include "base/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sandbox.h"

#define WAIT_MS 10000

/* The folder of a test: the jail's is "in"; there are the files "out" and in/file. */
static char folder[64];
static int inside;

static void make_folder(void)
{
	int at;

	(void)strcpy(folder, "/tmp/vspe-jail-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	at = open(folder, O_PATH | O_DIRECTORY);
	cr_assert_eq(mkdirat(at, "in", 0700), 0);
	(void)close(openat(at, "out", O_CREAT | O_WRONLY, 0600));
	(void)close(openat(at, "in/file", O_CREAT | O_WRONLY, 0600));
	inside = openat(at, "in", O_PATH | O_DIRECTORY);
	(void)close(at);
}

static void remove_folder(void)
{
	static const char *const names[] = {"in/file", "in/made", "out"};
	char path[128];

	for (unsigned int i = 0; i < 3; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		(void)unlink(path);
	}
	(void)snprintf(path, sizeof(path), "%s/in", folder);
	cr_assert_eq(rmdir(path), 0);
	cr_assert_eq(rmdir(folder), 0);
	(void)close(inside);
}

/* The work of a process: 0, or what is wrong. */
struct work {
	struct jail jail;
	int (*act)(void);
	bool before; /* done before the jail is entered */
};

static void work(void *ctx, int socket)
{
	const struct work *work = ctx;
	int result = work->before ? work->act() : 0;

	if (jail_enter(&work->jail, NULL, 0) < 0)
		result = 1000;
	else if (!work->before)
		result = work->act();
	(void)!write(socket, &result, sizeof(result));
}

/* Its result; -1 if it was ended instead. */
static int ask(const struct work *what)
{
	struct jail_process process;
	int result = -2;
	ssize_t got;

	cr_assert_eq(jail_start(&what->jail, work, (void *)(uintptr_t)what, &process), 0);
	got = jail_hear(process.socket, &result, sizeof(result), jail_now() + WAIT_MS, NULL);
	jail_end(&process);
	cr_assert_eq(process.socket, -1);
	return got == 0 ? -1 : got == sizeof(result) ? result : -2;
}

static int of_folder(int (*act)(void))
{
	const struct work what = {
		.jail = {.needs = SANDBOX_SHARE | SANDBOX_SHARE_WRITE,
			 .folder = inside,
			 .file_size = 4096,
			 .descriptors = 100},
		.act = act,
	};

	return ask(&what);
}

static int of_nothing(int (*act)(void), bool before)
{
	const struct work what = {
		.jail = {.folder = -1, .descriptors = 100}, .act = act, .before = before};

	return ask(&what);
}

/* Skip a test if the kernel gives no namespaces, or the build has no filter. */
static bool sees_itself_alone(void);

static int own_number(void)
{
	return getpid();
}

static bool sees_itself_alone(void)
{
	return sandbox_has_filter() && of_nothing(own_number, true) == 1;
}

static int see(const char *path)
{
	struct stat stat;

	return fstatat(AT_FDCWD, path, &stat, AT_EMPTY_PATH) == 0 ? 0 : errno;
}

static int see_outside(void)
{
	static const char *const paths[] = {"/etc/passwd",  "../out",	     "/../out", "/proc/1",
					    "/tmp",	    "/etc",	     "/bin/sh", "/dev/null",
					    "../../../etc", "file/../../out"};

	for (unsigned int i = 0; i < ARRAY_SIZE(paths); i++)
		if (see(paths[i]) == 0)
			return (int)i + 1;
	return 0;
}

static int see_inside(void)
{
	return see("file") + see("/file") + see("../file") + see("/..");
}

static int see_nothing(void)
{
	return see("/etc/passwd") == 0 ? 1
	       : see("/proc") == 0     ? 2
	       : see("/file") == 0     ? 3
				       : see("/");
}

Test(jail, nothing_outside_is_seen, .init = make_folder, .fini = remove_folder)
{
	if (!sees_itself_alone())
		cr_skip("no namespaces here");
	cr_assert_eq(of_folder(see_outside), 0, "number %d", of_folder(see_outside));
	cr_assert_eq(of_folder(see_inside), 0);
	cr_assert_eq(of_nothing(see_nothing, false), 0);
}

static int do_nothing(void)
{
	return 0;
}

/* A file system mounted over the root of all processes, including this one's, has no other path. */
Test(jail, the_root_of_others_stays)
{
	struct stat root, above;

	cr_assert_eq(of_nothing(do_nothing, false), 0);
	cr_assert_eq(stat("/", &root), 0);
	cr_assert_eq(stat("/..", &above), 0);
	if (above.st_dev != root.st_dev)
		(void)umount2("/..", MNT_DETACH);
	cr_assert_eq(above.st_dev, root.st_dev);
}

static int open_made(int mode)
{
	return openat(JAIL_FOLDER, "made", O_CREAT | O_RDWR, mode);
}

static int make_file(void)
{
	const int fd = open_made(0755);
	struct stat stat;

	return fd >= 0 && fchmod(fd, 0711) == 0 && fstat(fd, &stat) == 0 ? (int)stat.st_mode & 07777
									 : -errno;
}

static int make_with_rights(void)
{
	return open_made(04755);
}

static int change_to_rights(void)
{
	return fchmod(open_made(0755), 04777);
}

static int make_folder_with_rights(void)
{
	return mkdirat(JAIL_FOLDER, "folder", 02777);
}

static int open_by_memory(void)
{
	static const uint64_t how[3] = {O_CREAT | O_WRONLY, 04755, 0};

	return (int)syscall(SYS_openat2, JAIL_FOLDER, "made", how, sizeof(how));
}

static int start_process(void)
{
	return fork();
}

static int make_socket(void)
{
	return socket(AF_INET, SOCK_STREAM, 0);
}

static int send_signal(void)
{
	return kill(1, 0);
}

static int leave_root(void)
{
	return chroot(".");
}

/* -1: it was ended at once. */
Test(jail, a_folder_is_no_way_to_rights, .init = make_folder, .fini = remove_folder)
{
	static int (*const acts[])(void) = {
		make_with_rights, change_to_rights, make_folder_with_rights,
		open_by_memory,	  start_process,    make_socket,
		send_signal,	  leave_root};

	if (!sandbox_has_filter())
		cr_skip("a build for sanitizers or coverage has no filter");
	cr_assert_eq(of_folder(make_file), 0711);
	for (unsigned int i = 0; i < ARRAY_SIZE(acts); i++)
		cr_expect_eq(of_folder(acts[i]), -1, "number %u", i);
}

static int write_much(void)
{
	const int fd = openat(JAIL_FOLDER, "file", O_RDWR);

	if (pwrite(fd, "x", 1, 4095) != 1)
		return 1;
	return pwrite(fd, "x", 1, 4096) == 1 ? 2 : errno;
}

static int open_many(void)
{
	int fd = 0, count = 0;

	while (count < 1000 && fd >= 0) {
		fd = openat(JAIL_FOLDER, ".", O_RDONLY | O_DIRECTORY);
		count += fd >= 0;
	}
	return count;
}

static int take_memory(void)
{
	int count = 0;

	while (count < 2000 && malloc(1 << 20))
		count++;
	return count;
}

Test(jail, it_has_limits, .init = make_folder, .fini = remove_folder)
{
	if (!sandbox_has_filter())
		cr_skip("a build for sanitizers or coverage has no filter");
	cr_assert_eq(of_folder(write_much), EFBIG);
	cr_assert_eq(of_folder(open_many), 95);
	cr_assert_leq(of_folder(take_memory), 512);
}

/* The parent's descriptors, as this test has more open. */
static int count_descriptors(void)
{
	int count = 0;

	for (int fd = 0; fd < 1000; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

Test(jail, it_has_no_descriptor_but_its_own, .init = make_folder, .fini = remove_folder)
{
	const int more[] = {dup(0), dup(0), dup(0), dup(0)};

	cr_assert_eq(of_nothing(count_descriptors, true), 4);
	if (sandbox_has_filter())
		cr_assert_eq(of_folder(count_descriptors), 5);
	for (unsigned int i = 0; i < 4; i++)
		(void)close(more[i]);
}

/* The only network interface has no other end. */
static int count_networks(void)
{
	struct if_nameindex *all = if_nameindex();
	int count = 0;

	while (all && all[count].if_index)
		count++;
	return count == 1 && strcmp(all[0].if_name, "lo") == 0;
}

static int capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct now[2] = {{0, 0, 0}, {0, 0, 0}};

	return syscall(SYS_capget, &header, now) < 0 ? -errno : (int)now[0].permitted;
}

Test(jail, namespaces_of_its_own)
{
	if (!sees_itself_alone())
		cr_skip("no namespaces here");
	cr_assert_eq(of_nothing(count_networks, true), 1);
	cr_assert_neq(of_nothing(capabilities, true), 0, "before it is entered");
	cr_assert_eq(of_nothing(capabilities, false), -1, "it cannot even ask");
}

/* Its parent learns that there is nothing to hear, and stops waiting on request. */
static int say_nothing(void)
{
	(void)usleep(300000);
	return 5;
}

static bool asked_to_stop(void)
{
	return true;
}

Test(jail, a_silent_one_is_not_waited_for)
{
	const struct work what = {
		.jail = {.off = true, .folder = -1}, .act = say_nothing, .before = true};
	struct jail_process process;
	int result;

	cr_assert_eq(jail_start(&what.jail, work, (void *)(uintptr_t)&what, &process), 0);
	cr_assert_eq(jail_hear(process.socket, &result, sizeof(result), jail_now() + WAIT_MS,
			       asked_to_stop),
		     -ECANCELED);
	cr_assert_eq(jail_hear(process.socket, &result, sizeof(result), jail_now() + 10, NULL),
		     -ETIMEDOUT);
	cr_assert_eq(jail_hear(process.socket, &result, sizeof(result), jail_now() + WAIT_MS, NULL),
		     sizeof(result));
	cr_assert_eq(result, 5);
	cr_assert_eq(jail_hear(process.socket, &result, sizeof(result), jail_now() + WAIT_MS, NULL),
		     0, "it has ended");
	jail_end(&process);
}
