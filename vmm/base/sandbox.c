// SPDX-License-Identifier: BSD-2-Clause
/* The sandbox: see sandbox.h. */
#define _GNU_SOURCE /* clone(), F_SETSIG, AT_EMPTY_PATH */
#include "base/sandbox.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* What a process may add to its address space, and for the stacks and arenas of threads. */
#define MEMORY	       (UINT64_C(4) << 30)
#define MEMORY_THREADS (UINT64_C(16) << 30)

#define ALWAYS UINT32_MAX

#ifndef SYS_SECCOMP
#define SYS_SECCOMP 1 /* si_code of SIGSYS, of <asm/siginfo.h>; glibc 2.36 has no name for it */
#endif

/* One argument of a call, for a filter; COUNT 0: any arguments. */
struct call {
	unsigned int needs;
	int number;
	uint32_t action;
	unsigned int count;
	struct scmp_arg_cmp argument;
};

/* Used by signal handlers: of the process, as its filter is. */
static struct {
	const char *command;
	int exit_code;
	void (*stop)(void);
} inside;

void sandbox_at_stop(void (*stop)(void))
{
	inside.stop = stop;
}

bool sandbox_has_filter(void)
{
#ifdef SANDBOX_WITHOUT_FILTER
	return false;
#else
	return true;
#endif
}

/*
 * The signal comes at the forbidden call and nowhere else, and none of those that malloc() and
 * stdio make is forbidden: so both may be used here.
 */
static void forbidden(int number, siginfo_t *info, void *context)
{
	const char *name;
	char line[256];
	int size;

	(void)context;
	if (inside.stop)
		inside.stop();
	/* Somebody sent it: by its default action, which is in force again here. */
	if (info->si_code != SYS_SECCOMP) {
		(void)raise(number);
		return;
	}
	name = seccomp_syscall_resolve_num_arch(info->si_arch, info->si_syscall);
	size = snprintf(line, sizeof(line),
			"%s: stopped by the sandbox: system call %s (%d) is not among those it "
			"needs\n",
			inside.command, name ? name : "unknown", info->si_syscall);
	(void)!write(STDERR_FILENO, line, (size_t)size);
	_exit(inside.exit_code);
}

static int catch_forbidden(void)
{
	const struct sigaction action = {
		.sa_sigaction = forbidden,
		.sa_flags = (int)(SA_SIGINFO | SA_RESETHAND | SA_NODEFER),
	};
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGSYS);
	return sigaction(SIGSYS, &action, NULL) < 0 || sigprocmask(SIG_UNBLOCK, &set, NULL) < 0
		       ? -errno
		       : 0;
}

#define EQUAL(n, mask, value)                                                      \
	{                                                                          \
		.arg = (n), .op = SCMP_CMP_MASKED_EQ, .datum_a = (uint64_t)(mask), \
		.datum_b = (uint64_t)(value)                                       \
	}
#define UNEQUAL(n, value)                                         \
	{                                                         \
		.arg = (n), .op = SCMP_CMP_NE, .datum_a = (value) \
	}

static int add_calls(scmp_filter_ctx filter, unsigned int needs, uint32_t pid)
{
	enum {
		FILES = SANDBOX_FILES,
		NAMES = SANDBOX_NAMES,
		THREADS = SANDBOX_THREADS,
		KVM = SANDBOX_KVM,
		SOCKETS = SANDBOX_SOCKETS,
		RESOLVE = SANDBOX_RESOLVE,
		SHARE = SANDBOX_SHARE,
		SHARE_WRITE = SANDBOX_SHARE_WRITE,
		PROCESSES = SANDBOX_PROCESSES,
		DWARF = SANDBOX_DWARF,
	};
	const struct call calls[] = {
#define CALL(needs, name)	       {needs, SCMP_SYS(name), SCMP_ACT_ALLOW, 0, {0}},
#define CALL_FAILS(needs, name, error) {needs, SCMP_SYS(name), SCMP_ACT_ERRNO(error), 0, {0}},
#define CALL_IF(needs, name, n, mask, value) \
	{needs, SCMP_SYS(name), SCMP_ACT_ALLOW, 1, EQUAL(n, mask, value)},
#define CALL_FAILS_IF(needs, name, n, mask, value, error) \
	{needs, SCMP_SYS(name), SCMP_ACT_ERRNO(error), 1, EQUAL(n, mask, value)},
#define CALL_NOT(needs, name, n, value) \
	{needs, SCMP_SYS(name), SCMP_ACT_ALLOW, 1, UNEQUAL(n, value)},
#include "base/sandbox_calls.def"
#undef CALL
#undef CALL_FAILS
#undef CALL_IF
#undef CALL_FAILS_IF
#undef CALL_NOT
	};
	int error = seccomp_syscall_priority(filter, SCMP_SYS(ioctl), UINT8_MAX);

	for (size_t i = 0; error == 0 && i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].needs == ALWAYS || calls[i].needs & needs)
			error = seccomp_rule_add_array(filter, calls[i].action, calls[i].number,
						       calls[i].count, &calls[i].argument);
	return error;
}

static int load_filter(unsigned int needs)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_TRAP);
	int error;

	if (!filter)
		return -EINVAL;
	error = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_TRAP);
	if (error == 0)
		error = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
	if (error == 0)
		error = add_calls(filter, needs, (uint32_t)getpid());
	if (error == 0)
		error = seccomp_load(filter);
	/* After an error libseccomp 2.5 may free what it has freed; the process is about to end. */
	if (error == 0)
		seccomp_release(filter);
	return error;
}

/* Pages, from proc(5). 0 if it cannot be read. */
static uint64_t address_space(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (!file)
		return 0;
	if (fscanf(file, "%lu", &pages) != 1)
		pages = 0;
	(void)fclose(file);
	return pages;
}

/* Never above what is the limit already. */
static int limit(__rlimit_resource_t resource, uint64_t most)
{
	struct rlimit now;

	if (getrlimit(resource, &now) < 0)
		return -errno;
	if (now.rlim_max > most)
		now.rlim_max = most;
	if (now.rlim_cur > now.rlim_max)
		now.rlim_cur = now.rlim_max;
	return setrlimit(resource, &now) < 0 ? -errno : 0;
}

/* The sanitizers reserve terabytes of addresses, and so may not have a limit there. */
static int limit_memory(unsigned int needs)
{
	const uint64_t now = sandbox_has_filter() ? address_space() : 0;

	if (now == 0)
		return 0;
	return limit(RLIMIT_AS, now * (uint64_t)sysconf(_SC_PAGESIZE) + MEMORY +
					(needs & SANDBOX_THREADS ? MEMORY_THREADS : 0));
}

int sandbox_enter(const struct sandbox *sandbox, const char **what)
{
	const bool last = !(sandbox->needs & SANDBOX_FILES);
	const bool first = !inside.command;
	int error;

	inside.command = sandbox->command;
	inside.exit_code = sandbox->exit_code;
	*what = "limits";
	error = limit(RLIMIT_CORE, 0);
	if (error == 0 && last)
		error = limit_memory(sandbox->needs);
	if (error < 0)
		return error;
	*what = "no new privileges";
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	*what = "SIGSYS";
	error = first ? catch_forbidden() : 0; /* what is caught stays so */
	if (error < 0 || !sandbox_has_filter())
		return error;
	*what = "Landlock";
	error = last ? sandbox_landlock(sandbox) : 0;
	if (error < 0)
		return error;
	*what = "seccomp filter";
	return load_filter(sandbox->needs);
}
