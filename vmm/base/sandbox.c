/* SPDX-License-Identifier: BSD-2-Clause */
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

#include "base/descriptors.h"
#include "base/privileges.h"
#include "base/protections.h"

/*
 * How much a process may add to its address space, without and with the stacks and arenas of
 * threads.
 */
#define MEMORY	       (UINT64_C(4) << 30)
#define MEMORY_THREADS (UINT64_C(16) << 30)
#define MEMORY_PROGRAM (UINT64_C(2) << 30) /* code, libraries and the rest, if not known */

#define ALWAYS UINT32_MAX

#ifndef SYS_SECCOMP
#define SYS_SECCOMP 1 /* si_code of SIGSYS, from <asm/siginfo.h>; glibc 2.36 has no name for it */
#endif

/* Arguments of a call, for a filter; COUNT 0: any arguments. */
struct call {
	unsigned int needs;
	int number;
	uint32_t action;
	unsigned int count;
	struct scmp_arg_cmp arguments[2];
};

/* Global for signal handlers, and because the filter is the process's. */
static struct {
	const char *command;
	int exit_code;
	void (*stop)(void);
} inside;

void sandbox_at_stop(void (*stop)(void))
{
	inside.stop = stop;
}

/*
 * The signal only comes at a forbidden call, and malloc() and stdio make none. So both may be used
 * here.
 */
static void forbidden(int number, siginfo_t *info, void *context)
{
	const char *name;
	char line[256];
	int size;

	(void)context;
	if (inside.stop)
		inside.stop();
	/* Another process sent it: raise it again, as its default action is in force here. */
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
		PRIVILEGES = SANDBOX_PRIVILEGES,
	};
	const struct call calls[] = {
#define CALL(needs, name)	       {needs, SCMP_SYS(name), SCMP_ACT_ALLOW, 0, {{0}}},
#define CALL_FAILS(needs, name, error) {needs, SCMP_SYS(name), SCMP_ACT_ERRNO(error), 0, {{0}}},
#define CALL_IF(needs, name, n, mask, value) \
	{needs, SCMP_SYS(name), SCMP_ACT_ALLOW, 1, {EQUAL(n, mask, value)}},
#define CALL_IF_BOTH(needs, name, n, mask, value, m, mask_m, value_m) \
	{needs,                                                       \
	 SCMP_SYS(name),                                              \
	 SCMP_ACT_ALLOW,                                              \
	 2,                                                           \
	 {EQUAL(n, mask, value), EQUAL(m, mask_m, value_m)}},
#define CALL_FAILS_IF(needs, name, n, mask, value, error) \
	{needs, SCMP_SYS(name), SCMP_ACT_ERRNO(error), 1, {EQUAL(n, mask, value)}},
#define CALL_FAILS_IF_BOTH(needs, name, n, mask, value, m, mask_m, value_m, error) \
	{needs,                                                                    \
	 SCMP_SYS(name),                                                           \
	 SCMP_ACT_ERRNO(error),                                                    \
	 2,                                                                        \
	 {EQUAL(n, mask, value), EQUAL(m, mask_m, value_m)}},
#define CALL_NOT(needs, name, n, value) \
	{needs, SCMP_SYS(name), SCMP_ACT_ALLOW, 1, {UNEQUAL(n, value)}},
#include "base/sandbox_calls.def"
#undef CALL
#undef CALL_FAILS
#undef CALL_IF
#undef CALL_IF_BOTH
#undef CALL_FAILS_IF
#undef CALL_FAILS_IF_BOTH
#undef CALL_NOT
	};
	int error = seccomp_syscall_priority(filter, SCMP_SYS(ioctl), UINT8_MAX);

	for (size_t i = 0; error == 0 && i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].needs == ALWAYS || calls[i].needs & needs)
			error = seccomp_rule_add_array(filter, calls[i].action, calls[i].number,
						       calls[i].count, calls[i].arguments);
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
	/*
	 * After an error libseccomp 2.5 may free memory twice; the process is about to end anyway.
	 */
	if (error == 0)
		seccomp_release(filter);
	return error;
}

/* The number of pages, from proc(5). 0 if it cannot be read. */
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

int sandbox_limit(int resource, uint64_t most, bool reach)
{
	struct rlimit now;

	if (getrlimit((__rlimit_resource_t)resource, &now) < 0)
		return -errno;
	if (now.rlim_max > most)
		now.rlim_max = most;
	if (reach || now.rlim_cur > now.rlim_max)
		now.rlim_cur = now.rlim_max;
	return setrlimit((__rlimit_resource_t)resource, &now) < 0 ? -errno : 0;
}

/* The sanitizers reserve terabytes of addresses, and so allow no limit. */
static int limit_memory(const struct sandbox *sandbox)
{
	uint64_t now = address_space() * (uint64_t)sysconf(_SC_PAGESIZE);

	if (now == 0 && sandbox->mapped > 0)
		now = sandbox->mapped + MEMORY_PROGRAM;
	if (now == 0) {
		protections_lack(sandbox->protections, PROTECTION_MEMORY, false,
				 "/proc/self/statm cannot be read");
		return 0;
	}
	return sandbox_limit(RLIMIT_AS,
			     now + MEMORY + (sandbox->needs & SANDBOX_THREADS ? MEMORY_THREADS : 0),
			     false);
}

/* gcov and sanitizers write files of any size, so their builds have no such limits. */
static int limit_all(const struct sandbox *sandbox, bool last)
{
	int error = sandbox_limit(RLIMIT_CORE, 0, false);

	if (!last || !sandbox_has_filter())
		return error;
	if (error == 0)
		error = limit_memory(sandbox);
	if (error == 0 && sandbox->limits_files)
		error = sandbox_limit(RLIMIT_FSIZE, sandbox->file_size, false);
	return error;
}

/* The capabilities that the process keeps are for files still to be opened. */
static void begin_separate(const struct sandbox *sandbox)
{
	if (descriptors_error() < 0)
		protections_lack(sandbox->protections, PROTECTION_DESCRIPTORS, false, "%s",
				 strerror(-descriptors_error()));
	if (!sandbox_has_filter())
		protections_lack(sandbox->protections, PROTECTION_FILTER, false,
				 "a build for sanitizers or coverage has none");
	if (sandbox->namespaces && !privileges_held())
		privileges_separate(sandbox->namespaces, sandbox->protections);
}

/*
 * The rest, when all files are open. Landlock's rules name paths, so they come before the root is
 * empty.
 */
static int end_privileges(const struct sandbox *sandbox, const char **what)
{
	uint64_t keep = 0;
	int error;

	if (sandbox->namespaces)
		keep = privileges_for_outputs(sandbox->outputs, sandbox->output_count,
					      sandbox->protections);
	*what = "Landlock";
	error = sandbox_has_filter() ? sandbox_landlock(sandbox) : 0;
	if (error < 0)
		return error;
	if (error == 0 && sandbox_has_filter())
		protections_lack(sandbox->protections, PROTECTION_LANDLOCK, false,
				 "the kernel has none");
	*what = "capabilities";
	return sandbox->namespaces ? privileges_end(sandbox->namespaces, keep, sandbox->protections)
				   : 0;
}

int sandbox_enter(const struct sandbox *sandbox, const char **what)
{
	const bool last = !(sandbox->needs & SANDBOX_FILES);
	const bool first = !inside.command;
	unsigned int needs = sandbox->needs;
	int error;

	inside.command = sandbox->command;
	inside.exit_code = sandbox->exit_code;
	if (first)
		begin_separate(sandbox);
	*what = "limits";
	error = limit_all(sandbox, last);
	if (error < 0)
		return error;
	*what = "no new privileges";
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	*what = "SIGSYS";
	error = first ? catch_forbidden() : 0; /* the handler stays */
	if (error == 0 && last)
		error = end_privileges(sandbox, what);
	if (error < 0 || !sandbox_has_filter())
		return error;
	if (!last && privileges_held())
		needs |= SANDBOX_PRIVILEGES;
	*what = "seccomp filter";
	return load_filter(needs);
}
