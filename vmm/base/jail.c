// SPDX-License-Identifier: BSD-2-Clause
/* A process with one socket: see jail.h. */
#define _GNU_SOURCE /* close_range, unshare */
#include "base/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sandbox.h"

#define SOCKET	    3 /* its number in the process */
#define DATA	    (UINT64_C(512) << 20)
#define DESCRIPTORS 1024

static const struct sandbox inside = {.command = "vspe: a process of a device", .exit_code = 6};

/* The socket is SOCKET, and there is nothing else. 0, or -1. */
static int keep_socket(int socket)
{
	const int nothing = open("/dev/null", O_RDWR);

	if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(nothing, STDOUT_FILENO) < 0 ||
	    dup2(nothing, STDERR_FILENO) < 0)
		return -1;
	if (socket != SOCKET && dup2(socket, SOCKET) < 0)
		return -1;
	return close_range(SOCKET + 1, UINT32_MAX, 0);
}

/* Whoever ends the parent ends this process, too; and its terminal is not ours. */
static int leave(pid_t parent)
{
	(void)setsid();
	(void)signal(SIGPIPE, SIG_IGN);
	return prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent ? -1 : 0;
}

int jail_start(void (*work)(void *ctx, int socket), void *ctx)
{
	const pid_t parent = getpid();
	int ends[2], error;
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	child = fork();
	if (child == 0) {
		if (leave(parent) == 0 && keep_socket(ends[1]) == 0)
			work(ctx, SOCKET);
		_exit(0);
	}
	error = -errno;
	(void)close(ends[1]);
	if (child > 0)
		return ends[0];
	(void)close(ends[0]);
	return error;
}

static int limit(__rlimit_resource_t resource, uint64_t most)
{
	const struct rlimit limit = {most, most};
	struct rlimit now;

	if (getrlimit(resource, &now) < 0)
		return -errno;
	if (now.rlim_max <= most)
		return 0;
	return setrlimit(resource, &limit) < 0 ? -errno : 0;
}

/* A kernel or a container may not give namespaces; capabilities are dropped all the same. */
static int drop_rights(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};

	(void)unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS);
	return syscall(SYS_capset, &header, none) < 0 ? -errno : 0;
}

int jail_enter(unsigned int needs, bool off)
{
	struct sandbox sandbox = inside;
	const char *what;
	int error;

	if (off)
		return 0;
	sandbox.needs = needs;
	error = drop_rights();
	if (error == 0)
		error = limit(RLIMIT_FSIZE, 0);
	if (error == 0)
		error = limit(RLIMIT_NOFILE, DESCRIPTORS);
	/* The sanitizers have terabytes of data. */
	if (error == 0 && sandbox_has_filter())
		error = limit(RLIMIT_DATA, DATA);
	return error < 0 ? error : sandbox_enter(&sandbox, &what);
}
