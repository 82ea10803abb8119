/* SPDX-License-Identifier: BSD-2-Clause */
/* A process with one socket: see jail.h. */
#define _GNU_SOURCE /* close_range, CLONE_* */
#include "base/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/jail_root.h"
#include "base/privileges.h"
#include "base/protections.h"
#include "base/sandbox.h"

#define SOCKET	3  /* its number in the process */
#define BEYOND	16 /* above all numbers that the process uses */
#define DATA	(UINT64_C(512) << 20)
#define STEP_MS 50
#define END_MS	200

/* Rights over other users' files, which a process with a folder keeps. */
#define FILE_RIGHTS (UINT64_C(1) << CAP_DAC_OVERRIDE | UINT64_C(1) << CAP_FOWNER)

static const struct sandbox inside = {.command = "vspe: a process of a device", .exit_code = 6};

/* State of a process that is being started, which has a copy: */
static uint64_t rights; /* the parent's, of FILE_RIGHTS */
static bool apart;	/* it has a mount namespace */

static int move(int from, int to)
{
	const int high = fcntl(from, F_DUPFD_CLOEXEC, BEYOND);

	return high < 0 || dup2(high, to) < 0 ? -1 : 0;
}

/* Keep only the socket and the folder. 0, or -1. */
static int keep_descriptors(int socket, int folder)
{
	const int nothing = open("/dev/null", O_RDWR);

	socket = fcntl(socket, F_DUPFD_CLOEXEC, BEYOND);
	if (nothing < 0 || socket < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
	    dup2(nothing, STDOUT_FILENO) < 0 || dup2(nothing, STDERR_FILENO) < 0)
		return -1;
	if ((folder >= 0 && move(folder, JAIL_FOLDER) < 0) || move(socket, SOCKET) < 0)
		return -1;
	return close_range(SOCKET + 1 + (folder >= 0), UINT32_MAX, 0);
}

/*
 * Let this process die with its parent, and give up the parent's terminal. Wait until the parent
 * has prepared everything, for which it sends a byte, or is gone.
 */
static int leave(void)
{
	char go;

	(void)setsid();
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN); /* an error of write(2) */
	return prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || read(SOCKET, &go, 1) != 1 ? -1 : 0;
}

/* Like fork(), but with namespaces. The C library does not notice, and need not. */
static pid_t start(unsigned long spaces)
{
	return spaces ? (pid_t)syscall(SYS_clone, spaces | SIGCHLD, 0, 0, 0, 0) : fork();
}

/* Start a process with these namespaces, and let it work. Its number, or a negative errno. */
static pid_t start_one(const struct jail *jail, unsigned long spaces, const int ends[2],
		       void (*work)(void *ctx, int socket), void *ctx)
{
	static const char go = 0;
	pid_t child;

	apart = spaces & CLONE_NEWNS;
	child = start(spaces);
	if (child < 0)
		return -errno;
	if (child == 0) {
		if (keep_descriptors(ends[1], jail->folder) == 0 && leave() == 0)
			work(ctx, SOCKET);
		_exit(0);
	}
	if ((!(spaces & CLONE_NEWUSER) || jail_root_users(child) == 0) &&
	    write(ends[0], &go, 1) == 1)
		return child;
	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
	return -EPERM;
}

/*
 * Try sets of namespaces, the largest first. A user who is not root only gets any along with a user
 * namespace. A process with the host's network gets that one later, because inside it ports below
 * 1024 are not available.
 */
static int start_most(const struct jail *jail, const int ends[2],
		      void (*work)(void *ctx, int socket), void *ctx)
{
	const unsigned long most = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS |
				   (jail->network ? 0 : CLONE_NEWNET);
	const unsigned long sets[] = {most | (jail->network ? 0 : CLONE_NEWUSER),
				      most | (jail->network ? CLONE_NEWUSER : 0), 0};
	const bool none = jail->off || !sandbox_has_filter();
	pid_t child = -EPERM;

	for (size_t i = none ? 2 : 0; i < 3 && child < 0; i++) {
		child = start_one(jail, sets[i], ends, work, ctx);
		if (i == 1 && child < 0)
			protections_lack(jail->protections, PROTECTION_DEVICES, false, "%s",
					 strerror(-child));
	}
	return child;
}

int jail_start(const struct jail *jail, void (*work)(void *ctx, int socket), void *ctx,
	       struct jail_process *process)
{
	int ends[2];
	pid_t child;

	*process = (struct jail_process){-1, -1};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	rights = jail->folder >= 0 ? privileges_held() & FILE_RIGHTS : 0;
	child = start_most(jail, ends, work, ctx);
	(void)close(ends[1]);
	if (child < 0) {
		(void)close(ends[0]);
		return child;
	}
	process->socket = ends[0];
	process->ended = (int)syscall(SYS_pidfd_open, child, 0);
	return 0;
}

void jail_end(struct jail_process *process)
{
	struct pollfd ended = {.fd = process->ended, .events = POLLIN};
	const int64_t until = jail_now() + END_MS;

	if (process->socket >= 0)
		(void)close(process->socket);
	while (ended.fd >= 0 && jail_now() < until && poll(&ended, 1, STEP_MS) <= 0)
		;
	if (ended.fd >= 0)
		(void)close(ended.fd);
	*process = (struct jail_process){-1, -1};
}

/* Become another user. The kernel then resets PR_SET_PDEATHSIG, so set it again. */
static int become(const struct user *user)
{
	const int error = privileges_become(user, 0);

	return error < 0 ? error : prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 ? -errno : 0;
}

int jail_enter(const struct jail *jail, char *why, size_t size)
{
	struct sandbox sandbox = inside;
	const char *what;
	int error;

	if (jail->off)
		return 0;
	sandbox.needs = jail->needs;
	sandbox.share = "."; /* where jail_root_enter() has put it */
	error = jail_root_enter(jail, apart);
	if (error == 0 && jail->user)
		error = become(jail->user);
	if (error == 0)
		error = privileges_keep(jail->user ? 0 : rights);
	if (error == 0)
		error = sandbox_limit(RLIMIT_FSIZE, jail->file_size, false);
	if (error == 0)
		error = sandbox_limit(RLIMIT_NOFILE, jail->descriptors, true);
	/* The sanitizers have terabytes of data. */
	if (error == 0 && sandbox_has_filter())
		error = sandbox_limit(RLIMIT_DATA, DATA, false);
	if (error == 0)
		error = sandbox_enter(&sandbox, &what);
	if (error < 0)
		(void)snprintf(why, size,
			       "its process has no sandbox: %s; --sandbox off goes without",
			       strerror(-error));
	return error;
}

int64_t jail_now(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

ssize_t jail_hear(int socket, void *bytes, size_t room, int64_t until, bool (*stop)(void))
{
	struct pollfd readable = {.fd = socket, .events = POLLIN};
	ssize_t size;

	for (;;) {
		const int64_t left = until - jail_now();
		const int ready = poll(&readable, 1,
				       left <= 0	? 0
				       : left < STEP_MS ? (int)left
							: STEP_MS);

		if (ready > 0)
			break;
		if (ready < 0 && errno != EINTR)
			return -errno;
		if (stop && stop())
			return -ECANCELED;
		if (left <= 0)
			return -ETIMEDOUT;
	}
	size = read(socket, bytes, room);
	if (size < 0)
		size = errno == ECONNRESET ? 0 : -errno;
	return size;
}

const char *jail_what(ssize_t heard)
{
	return heard == 0	     ? "has ended"
	       : heard == -ETIMEDOUT ? "does not answer"
				     : "makes no sense";
}
