/* SPDX-License-Identifier: BSD-2-Clause */
/* What a process gives up: descriptors, namespaces, root folder, capabilities; and its report. */
#define _GNU_SOURCE
#include "../compare.h"
#include "base/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/protections.h"
#include "base/sandbox.h"
#include "base/user.h"

/* The exit code of a separate process that does act. */
static int in_process(void (*act)(void))
{
	const pid_t child = fork();
	int status = 0;

	if (child == 0) {
		act();
		_exit(0);
	}
	(void)waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define EXPECT(code, condition)      \
	do {                         \
		if (!(condition))    \
			_exit(code); \
	} while (0)

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void close_descriptors(void)
{
	char *words[] = {
		(char *)"--disk=/dev/fd/21,ro", (char *)"/proc/self/fd/23",    (char *)"/dev/fd/",
		(char *)"/dev/fd/-24",		(char *)"/dev/fd/99999999999", (char *)"/dev/fd/1",
		(char *)"a/fd/25/fd/26"};
	const int kept[] = {0, 1, 2, 21, 23, 25, 26}, closed[] = {3, 20, 22, 24, 27, 100};

	for (int fd = 20; fd <= 27; fd++)
		(void)dup2(0, fd);
	(void)dup2(0, 100);
	descriptors_close(ARRAY_SIZE(words), words);
	EXPECT(1, descriptors_error() == 0);
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		EXPECT(10 + (int)i, is_open(kept[i]));
	for (size_t i = 0; i < ARRAY_SIZE(closed); i++)
		EXPECT(20 + (int)i, !is_open(closed[i]));
	descriptors_close_named();
	for (size_t i = 3; i < ARRAY_SIZE(kept); i++)
		EXPECT(30 + (int)i, !is_open(kept[i]));
	EXPECT(40, is_open(2));
}

Test(privileges, descriptors_that_nobody_names_are_closed)
{
	cr_assert_eq(in_process(close_descriptors), 0);
}

static uint64_t permitted(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0, 0, 0}, {0, 0, 0}};

	(void)syscall(SYS_capget, &header, data);
	return data[0].permitted | (uint64_t)data[1].permitted << 32;
}

static void give_up(void)
{
	struct protections protections = {0};

	if (!privileges_held())
		privileges_separate(PRIVILEGES_ALL, &protections);
	EXPECT(1, privileges_end(PRIVILEGES_ALL, 0, &protections) == 0);
	EXPECT(2, permitted() == 0);
	if (!protections.lack[PROTECTION_ROOT].why[0] && sandbox_has_filter()) {
		EXPECT(3, open("/etc/passwd", O_RDONLY) < 0 && errno == ENOENT);
		EXPECT(4, open("../../../etc/passwd", O_RDONLY) < 0 && errno == ENOENT);
		EXPECT(5, mkdir("/folder", 0700) < 0);
	}
	/* Nothing leads back. */
	EXPECT(6, chroot("/") < 0 && errno == EPERM);
	EXPECT(7, setresuid(0, 0, 0) < 0 || geteuid() == 0);
}

Test(privileges, the_end_has_no_capability_and_no_file)
{
	cr_assert_eq(in_process(give_up), 0);
}

static void give_up_twice(void)
{
	struct protections protections = {0};

	privileges_separate(PRIVILEGES_ALL, &protections);
	privileges_separate(PRIVILEGES_ALL, &protections);
	EXPECT(1, privileges_end(PRIVILEGES_ALL, 0, NULL) == 0);
	EXPECT(2, privileges_end(PRIVILEGES_ALL, 0, NULL) == 0);
	EXPECT(3, permitted() == 0);
}

Test(privileges, more_than_once_is_once)
{
	cr_assert_eq(in_process(give_up_twice), 0);
}

static void become(void)
{
	const struct user user = {.given = true, .uid = 65533, .gid = 65532};
	const bool root = geteuid() == 0 && permitted() != 0;
	const int error = privileges_become(&user, 0);
	uid_t real, effective, saved;

	if (!root) {
		EXPECT(1, error == -EPERM);
		return;
	}
	EXPECT(2, error == 0);
	EXPECT(3, getresuid(&real, &effective, &saved) == 0 && real == 65533 &&
			  effective == 65533 && saved == 65533);
	EXPECT(4, getegid() == 65532 && getgroups(0, NULL) == 0);
	EXPECT(5, setresuid(0, 0, 0) < 0);
	EXPECT(6, (permitted() & ~(UINT64_C(1) << CAP_SYS_CHROOT)) == 0);
}

Test(privileges, a_user_is_for_good)
{
	cr_assert_eq(in_process(become), 0);
}

static void open_plain(void)
{
	const uint64_t before = permitted();
	uint64_t entry = 0;
	const int fd = privileges_open_plain("/proc/self/pagemap");

	EXPECT(1, permitted() == before);
	if (fd < 0)
		return;
	/* Present; but nobody may know where (Linux, Documentation/admin-guide/mm/pagemap). */
	EXPECT(2, pread(fd, &entry, sizeof(entry), (off_t)((uintptr_t)&entry / 4096 * 8)) == 8);
	EXPECT(3, sysconf(_SC_PAGESIZE) != 4096 || (entry & ((UINT64_C(1) << 55) - 1)) == 0);
}

Test(privileges, pagemap_has_no_physical_address)
{
	cr_assert_eq(in_process(open_plain), 0);
}

Test(privileges, users)
{
	static const struct {
		const char *text;
		bool good;
		uid_t uid;
		gid_t gid;
	} rows[] = {
		{"12345:678", true, 12345, 678},
		{"12345:root", true, 12345, 0},
		{"4294967294:4294967294", true, 4294967294, 4294967294},
		{"4294967295:1", false, 0, 0},
		{"12345:4294967295", false, 0, 0},
		{"4123456789", false, 0, 0},
		{"0", false, 0, 0},
		{"0:1", false, 0, 0},
		{"root", false, 0, 0},
		{"root:12345", false, 0, 0},
		{"", false, 0, 0},
		{":", false, 0, 0},
		{":5", false, 0, 0},
		{"12345:", false, 0, 0},
		{"12345:6:7", false, 0, 0},
		{"-1:5", false, 0, 0},
		{"no-such-user", false, 0, 0},
		{"no-such-user:5", false, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct user user = {0};
		const char *wrong = user_find(rows[i].text, &user);

		cr_assert_eq(wrong == NULL, rows[i].good, "%s: %s", rows[i].text,
			     wrong ? wrong : "taken");
		if (!rows[i].good)
			continue;
		cr_assert(user.given, "%s", rows[i].text);
		cr_assert_eq(user.uid, rows[i].uid, "%s", rows[i].text);
		cr_assert_eq(user.gid, rows[i].gid, "%s", rows[i].text);
	}
}

Test(privileges, what_is_missing_is_the_first_that_nobody_chose)
{
	struct protections protections = {0};

	cr_assert_eq(protections_missing(&protections), PROTECTION_COUNT);
	protections_lack(NULL, PROTECTION_ROOT, false, "nobody wants to know");
	protections_lack(&protections, PROTECTION_FILE_SIZE, true, "--%s", "record");
	cr_assert_eq(protections_missing(&protections), PROTECTION_COUNT);
	protections_lack(&protections, PROTECTION_LANDLOCK, false, "the first reason");
	protections_lack(&protections, PROTECTION_LANDLOCK, true, "the second");
	cr_assert_eq(protections_missing(&protections), PROTECTION_LANDLOCK);
	cr_assert_str_eq(protections.lack[PROTECTION_LANDLOCK].why, "the first reason");
	for (unsigned int i = 0; i < PROTECTION_COUNT; i++)
		cr_assert(protection_name(i)[0]);
}
