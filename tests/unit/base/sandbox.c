/* SPDX-License-Identifier: BSD-2-Clause */
/* What each need of a sandbox permits, and what none does; and a kernel that refuses it. */
#define _GNU_SOURCE /* CLONE_*, F_DUPFD_CLOEXEC */
#include "../compare.h"
#include "base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STOPPED	       77 /* the exit code of a process that was stopped, here */
#define SIGSYS_STOPPED 78 /* ... with SIGSYS blocked, and so without a line */

static void open_file(void)
{
	(void)open("/etc/passwd", O_RDONLY);
}

static void open_folder(void)
{
	(void)open("/", O_RDONLY | O_DIRECTORY);
}

static void delete_file(void)
{
	(void)unlinkat(AT_FDCWD, "/nonexistent/file", 0);
}

static void *nothing(void *argument)
{
	return argument;
}

static void start_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, nothing, NULL) == 0)
		(void)pthread_join(thread, NULL);
	else
		_exit(1);
}

static void start_process(void)
{
	if (fork() == 0)
		_exit(0);
}

static void call_kvm(void)
{
	(void)ioctl(0, 0xae80, 0); /* KVM_RUN */
}

static void count_events(void)
{
	(void)syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0);
}

/* ... of another process */
static void count_others(void)
{
	(void)syscall(SYS_perf_event_open, NULL, 1, -1, -1, 0);
}

static void type_in_terminal(void)
{
	(void)ioctl(0, TIOCSTI, "x");
}

static void open_beneath(void)
{
	(void)syscall(SYS_openat, AT_FDCWD, "/tmp", O_PATH | O_NOFOLLOW, 0);
}

/* openat2() has its flags and mode in memory, which the filter cannot read. */
static void open_by_memory(void)
{
	static const uint64_t how[3];

	(void)syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", how, sizeof(how));
}

/* Mode bits with special rights: for running a file, or for the names in a folder. */
static void make_file_with_rights(void)
{
	(void)syscall(SYS_openat, AT_FDCWD, "/nonexistent/file", O_WRONLY | O_CREAT, 04755);
}

static void make_folder_with_rights(void)
{
	(void)syscall(SYS_mkdirat, AT_FDCWD, "/nonexistent/folder", 01777);
}

static void change_to_rights(void)
{
	(void)syscall(SYS_fchmod, -1, 02755);
}

static void change_mode(void)
{
	(void)syscall(SYS_fchmod, -1, 0755);
}

static void make_file(void)
{
	(void)syscall(SYS_openat, AT_FDCWD, "/nonexistent/file", O_WRONLY | O_CREAT, 0755);
}

static void make_folder(void)
{
	(void)syscall(SYS_mkdirat, AT_FDCWD, "/nonexistent/folder", 0700);
}

static void start_program(void)
{
	(void)execl("/bin/true", "true", (char *)NULL);
}

static void make_socket(void)
{
	(void)socket(AF_UNIX, SOCK_STREAM, 0);
}

static void make_code(void)
{
	(void)mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* What every process does. */
static void go_on(void)
{
	void *block = malloc(1 << 20);
	struct timespec now;

	*(volatile char *)block = 1;
	block = realloc(block, 8 << 20);
	free(block);
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	(void)fcntl(2, F_DUPFD_CLOEXEC, 3);
	(void)isatty(0);
	(void)sysconf(_SC_PHYS_PAGES);
	(void)raise(SIGCONT);
}

struct entered {
	int code;
	char text[512];
};

/* In a separate process: enter with needs, and do it. */
static struct entered enter(unsigned int first, unsigned int needs, void (*act)(void))
{
	struct sandbox sandbox = {
		.command = "the test", .needs = first, .exit_code = STOPPED, .share = "/tmp"};
	struct entered entered = {.code = -1};
	const char *what = "";
	int ends[2], status = 0;
	pid_t child;
	ssize_t got;

	cr_assert_eq(pipe(ends), 0);
	child = fork();
	cr_assert_geq(child, 0);
	if (child == 0) {
		(void)dup2(ends[1], 2);
		if (first && sandbox_enter(&sandbox, &what) < 0)
			_exit(2);
		sandbox.needs = needs;
		if (sandbox_enter(&sandbox, &what) < 0)
			_exit(3);
		act();
		_exit(0);
	}
	(void)close(ends[1]);
	got = read(ends[0], entered.text, sizeof(entered.text) - 1);
	entered.text[got > 0 ? got : 0] = '\0';
	(void)close(ends[0]);
	(void)waitpid(child, &status, 0);
	if (WIFEXITED(status))
		entered.code = WEXITSTATUS(status);
	else if (WTERMSIG(status) == SIGSYS) /* glibc starts threads with all signals blocked */
		entered.code = SIGSYS_STOPPED;
	return entered;
}

#define ALL (SANDBOX_FILES | SANDBOX_NAMES | SANDBOX_THREADS | SANDBOX_KVM)

Test(sandbox, each_need_brings_its_calls)
{
	/* The needs that permit it: any of these. */
	static const struct {
		void (*act)(void);
		unsigned int needs;
		const char *name;
	} rows[] = {
		{open_file, SANDBOX_FILES, "openat"},
		{open_folder, SANDBOX_FILES | SANDBOX_NAMES, "openat"},
		{delete_file, SANDBOX_FILES | SANDBOX_NAMES, "unlinkat"},
		{start_thread, SANDBOX_THREADS, "clone"},
		{call_kvm, SANDBOX_KVM, "ioctl"},
		{count_events, SANDBOX_KVM, "perf_event_open"},
		{count_others, 0, "perf_event_open"},
		{type_in_terminal, 0, "ioctl"},
		{start_process, 0, "clone"},
		{start_program, 0, "execve"},
		{make_socket, 0, "socket"},
		{make_code, 0, "mmap"},
		{open_by_memory, SANDBOX_FILES, "openat2"},
		{make_folder, SANDBOX_SHARE_WRITE, "mkdirat"},
	};

	if (!sandbox_has_filter())
		cr_skip("a build for sanitizers or coverage has no filter");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (unsigned int needs = 0; needs <= ALL; needs++) {
			const bool right = rows[i].needs & needs;
			const struct entered entered = enter(0, needs, rows[i].act);

			const int wrong = rows[i].act == start_thread ? SIGSYS_STOPPED : STOPPED;

			cr_assert_eq(entered.code, right ? 0 : wrong, "%s with 0x%x: %d: %s",
				     rows[i].name, needs, entered.code, entered.text);
			if (entered.code != STOPPED)
				continue;
			cr_assert_str_has(entered.text, rows[i].name);
			cr_assert_str_begins(entered.text, "the test: stopped by the sandbox: ");
			cr_assert_eq(strcspn(entered.text, "\n"), strlen(entered.text) - 1,
				     "not one line: %s", entered.text);
		}
	}
	for (unsigned int needs = 0; needs <= ALL; needs++)
		cr_assert_eq(enter(0, needs, go_on).code, 0);
}

/* Sockets of IPv4, but none for raw packets. */
static void make_sockets(void)
{
	if (socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) < 0 ||
	    socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0) < 0)
		_exit(10);
	if (socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, 1) >= 0 || errno != EACCES)
		_exit(11);
}

static void make_packet_socket(void)
{
	(void)socket(AF_INET, SOCK_PACKET, 0);
}

Test(sandbox, sockets_are_no_raw_ones)
{
	if (!sandbox_has_filter())
		cr_skip("a build for sanitizers or coverage has no filter");
	cr_assert_eq(enter(0, SANDBOX_SOCKETS, make_sockets).code, 0);
	cr_assert_eq(enter(0, SANDBOX_SOCKETS, make_packet_socket).code, STOPPED);
}

static void set_mode(void)
{
	(void)fchmod(-1, 0777);
}

static void set_user_id(void)
{
	(void)fchmod(-1, 04777);
}

static void set_sticky(void)
{
	(void)fchmod(-1, 01000);
}

Test(sandbox, a_share_makes_nothing_set_user_id)
{
	const unsigned int needs = SANDBOX_SHARE | SANDBOX_SHARE_WRITE;

	if (!sandbox_has_filter())
		cr_skip("a build for sanitizers or coverage has no filter");
	cr_assert_eq(enter(0, needs, set_mode).code, 0);
	cr_assert_eq(enter(0, needs, set_user_id).code, STOPPED);
	cr_assert_eq(enter(0, needs, set_sticky).code, STOPPED);
}

static bool has_landlock;

static void check_share(void)
{
	if (!has_landlock)
		return;
	if (openat(AT_FDCWD, "/tmp", O_DIRECTORY | O_RDONLY) < 0)
		_exit(10);
	if (openat(AT_FDCWD, "/etc", O_DIRECTORY | O_RDONLY) >= 0 || errno != EACCES)
		_exit(11);
}

/* Files below a folder, by the only call that can stay there; their names only on request. */
Test(sandbox, a_share_brings_one_folder)
{
	const unsigned int both = SANDBOX_SHARE | SANDBOX_SHARE_WRITE;

	if (!sandbox_has_filter())
		cr_skip("a build for sanitizers or coverage has no filter");
	has_landlock = sandbox_has_landlock();
	cr_assert_eq(enter(0, SANDBOX_SHARE, check_share).code, 0);
	cr_assert_eq(enter(both | SANDBOX_FILES, both, check_share).code, 0);
	cr_assert_eq(enter(0, SANDBOX_SHARE, make_folder).code, STOPPED);
	cr_assert_eq(enter(0, both, make_folder).code, 0);
}

/* Opened, created or changed files give nobody the rights of the user. */
Test(sandbox, a_share_gives_no_rights)
{
	static const struct {
		void (*act)(void);
		const char *name;
		bool read, write; /* may a folder to be read, or changed, do it? */
	} rows[] = {
		{open_beneath, "openat", true, true},
		{open_by_memory, "openat2", false, false},
		{make_file, "openat", false, true},
		{make_file_with_rights, "openat", false, false},
		{make_folder_with_rights, "mkdirat", false, false},
		{change_mode, "fchmod", false, true},
		{change_to_rights, "fchmod", false, false},
	};

	if (!sandbox_has_filter())
		cr_skip("a build for sanitizers or coverage has no filter");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (unsigned int write = 0; write < 2; write++) {
			const unsigned int needs = SANDBOX_SHARE | write * SANDBOX_SHARE_WRITE;
			const struct entered entered = enter(0, needs, rows[i].act);
			const bool right = write ? rows[i].write : rows[i].read;

			cr_expect_eq(entered.code, right ? 0 : STOPPED, "%s, %zu, %u: %d: %s",
				     rows[i].name, i, write, entered.code, entered.text);
			if (!right)
				cr_expect_str_has(entered.text, rows[i].name);
		}
	}
}

/* From the needs of files to the remaining ones; and not back. */
Test(sandbox, it_is_entered_twice)
{
	if (!sandbox_has_filter())
		cr_skip("a build for sanitizers or coverage has no filter");
	const struct entered entered = enter(SANDBOX_FILES, 0, go_on);

	cr_assert_eq(entered.code, 0, "%d: %s", entered.code, entered.text);
	cr_assert_eq(enter(SANDBOX_FILES | SANDBOX_THREADS, SANDBOX_THREADS, start_thread).code, 0);
	cr_assert_eq(enter(SANDBOX_FILES, 0, open_file).code, STOPPED);
	cr_assert_eq(enter(SANDBOX_THREADS, SANDBOX_FILES, open_file).code, STOPPED);
}

static void check_limits(void)
{
	struct rlimit core, memory;

	if (getrlimit(RLIMIT_CORE, &core) || core.rlim_max != 0)
		_exit(10);
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		_exit(11);
	if (sandbox_has_filter() &&
	    (getrlimit(RLIMIT_AS, &memory) || memory.rlim_max == RLIM_INFINITY))
		_exit(12);
}

static void check_later(void)
{
}

/* Every build has the limits. Only processes that open files can read them. */
Test(sandbox, limits)
{
	const struct entered entered = enter(0, SANDBOX_FILES, check_later);
	const char *what;
	int status = 0;
	pid_t child = fork();

	cr_assert_eq(entered.code, 0);
	if (child == 0) {
		const struct sandbox sandbox = {.command = "the test", .needs = SANDBOX_FILES};

		/* Limits of the process, not of its filter. */
		if (sandbox_enter(&sandbox, &what) < 0)
			_exit(1);
		if (sandbox_has_filter()) {
			const struct rlimit small = {1u << 30, 1u << 30};

			(void)setrlimit(RLIMIT_AS, &small);
		}
		check_limits();
		_exit(0);
	}
	(void)waitpid(child, &status, 0);
	cr_assert(WIFEXITED(status), "status %d", status);
	cr_assert_eq(WEXITSTATUS(status), 0, "status %d", status);
}

static void take_much(void)
{
	/* More memory than a process may add. */
	if (mmap(NULL, (size_t)1 << 36, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED)
		_exit(1);
}

Test(sandbox, memory_has_a_limit)
{
	if (!sandbox_has_filter())
		cr_skip("a build for sanitizers or coverage has no limit");
	cr_assert_eq(enter(0, 0, take_much).code, 0);
}

/* A kernel without filters is one whose seccomp() fails. */
Test(sandbox, a_kernel_that_has_no_filters)
{
	int status = 0;
	pid_t child;

	if (!sandbox_has_filter())
		cr_skip("a build for sanitizers or coverage has no filter");
	child = fork();
	if (child == 0) {
		const struct sandbox sandbox = {.command = "the test"};
		scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
		const char *what = "";

		if (seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(seccomp), 0) ||
		    seccomp_rule_add(filter, SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(prctl), 1,
				     SCMP_A0(SCMP_CMP_EQ, PR_SET_SECCOMP, 0)) ||
		    seccomp_load(filter))
			_exit(1);
		_exit(sandbox_enter(&sandbox, &what) < 0 && strcmp(what, "seccomp filter") == 0
			      ? 0
			      : 2);
	}
	(void)waitpid(child, &status, 0);
	cr_assert(WIFEXITED(status), "status %d", status);
	cr_assert_eq(WEXITSTATUS(status), 0, "status %d", status);
}
