/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each act of acts.def, tried by the process itself. The filter is exactly the product's: a call
 * that it stops comes here by SIGSYS and has done nothing. Only the answer to the signal differs,
 * which ends the product's process. Here sandbox.c's handler stays in force (--wrap=sigaction), and
 * its _exit() leads back to the table (--wrap=_exit), so that one process tries them all.
 *
 * With ACTS_NEEDS the filter also has the needs of that number (enum sandbox_need), for an engine
 * that this host does not have.
 */
#define _GNU_SOURCE
#include "../array.h"
#include "acts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/sandbox.h"
#include "cli/network.h"
#include "cli/share.h"
#include "device/p9_message.h"
#include "device/p9_session.h"

#define INHERITED 9 /* acts.sh opens it */
#define ACTS_MOST 256
#define MESSAGE	  0x7f	 /* of 9P, which does not define it */
#define TYPE	  0x88b5 /* an Ethertype for experiments: no guest sends it */

/* arm64 lacks some of x86-64's calls. */
#ifndef SYS_fork
#define SYS_fork (-1)
#endif

enum outcome { NOT_TRIED, BEGUN, STOPPED, FAILED, DONE };

/* The result of each, in memory that the processes share. */
static struct result {
	enum outcome state;
	int error;
} * board;

static sigjmp_buf back;
static volatile bool trying;

static const char zeros[256];
static char room[4096];
static const struct rlimit endless[] = {{RLIM_INFINITY, RLIM_INFINITY}};
static const struct iovec piece = {room, 16};
static char *const program[] = {(char *)"true", NULL};
static const char *made, *there;

static long call(long number, long a, long b, long c, long d, long e)
{
	return syscall(number, a, b, c, d, e, 0);
}

#define P(pointer)	     ((long)(uintptr_t)(pointer))
#define OPEN(path, flags)    call(SYS_openat, AT_FDCWD, P(path), flags, 0, 0)
#define SOCKET(family, type) call(SYS_socket, family, type, 0, 0, 0)

/* A process that does not belong to vspe. */
static long parent(void)
{
	return getppid() > 0 ? getppid() : 1;
}

static long page(void)
{
	static char pages[8192];

	return (P(pages) + 4095) & -4096L;
}

/* A regular file that is open for writing, or -1. */
static int own_file(void)
{
	struct stat status;

	for (int fd = 0; fd < 64; fd++)
		if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
		    (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY)
			return fd;
	return -1;
}

enum {
	G = ACTS_GUEST,
	F = ACTS_FILES,
	S = ACTS_SHARE | ACTS_SHARE_RO,
	D_ALL = ACTS_NETWORK_ALL | S,
	N = ACTS_NETWORK | ACTS_NETWORK_ALL,
	D = N | S,
};

static const struct act {
	unsigned int where;
	const char *name;
} acts[] = {
#define ACT(where, name, answer) {where, name},
#include "acts.def"
#undef ACT
};

#define ACTS ARRAY_SIZE(acts)

static long act(size_t index)
{
	size_t at = 0;

#define ACT(where, name, answer) \
	if (at++ == index)       \
		return answer;
#include "acts.def"
#undef ACT
	return -1;
}

/* Try one of them, and record the result. */
static void try_one(size_t index)
{
	struct result *result = &board[index];
	const pid_t own = getpid();
	long got;

	result->state = BEGUN;
	trying = true;
	if (sigsetjmp(back, 1) != 0) {
		result->state = STOPPED;
		trying = false;
		return;
	}
	errno = 0;
	got = act(index);
	if (getpid() != own) /* a child must not run another machine */
		syscall(SYS_exit_group, 0);
	result->error = errno;
	result->state = got < 0 ? FAILED : DONE;
	trying = false;
}

void acts_try(enum acts_process process)
{
	made = getenv("ESCAPE_NEW");
	there = getenv("ESCAPE_FILE");
	for (size_t i = 0; i < ACTS; i++)
		if (acts[i].where & process)
			try_one(i);
}

/* Refused by the sandbox, and not for its arguments, which may be wrong on purpose. */
static bool is_refused(int error)
{
	static const int refusals[] = {EPERM, EACCES, ENOSYS, ENOENT,	   EROFS,
				       EXDEV, EFBIG,  EBADF,  EAFNOSUPPORT};

	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
		if (error == refusals[i])
			return true;
	return false;
}

static const char *name_of(enum acts_process process)
{
	return process == ACTS_GUEST   ? "guest"
	       : process == ACTS_FILES ? "guest with files to be opened"
	       : process & S	       ? "folder"
				       : "network";
}

void acts_tell(enum acts_process process)
{
	for (size_t i = 0; i < ACTS; i++) {
		const struct result *result = &board[i];
		const char *what = "went through";

		if (!(acts[i].where & process))
			continue;
		if (result->state == STOPPED)
			what = "stopped by the filter";
		else if (result->state == NOT_TRIED || result->state == BEGUN)
			what = result->state == BEGUN ? "ended the process" : "was not tried";
		else if (result->state == FAILED && is_refused(result->error))
			what = "stopped: refused";
		dprintf(STDERR_FILENO, "act: %s: %s: %s%s%s\n", name_of(process), acts[i].name,
			what, result->state == FAILED ? ": " : "",
			result->state == FAILED ? strerror(result->error) : "");
	}
}

/* Before there is any other process. */
__attribute__((constructor)) static void make_board(void)
{
	_Static_assert(ACTS < ACTS_MOST, "each has its place");
	board = mmap(NULL, ACTS_MOST * sizeof(*board), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (board == MAP_FAILED)
		abort();
}

int __real_sigaction(int number, const struct sigaction *new, struct sigaction *old);
int __wrap_sigaction(int number, const struct sigaction *new, struct sigaction *old);

int __wrap_sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
	struct sigaction again;

	if (number != SIGSYS || !new)
		return __real_sigaction(number, new, old);
	again = *new;
	again.sa_flags &= ~(int)SA_RESETHAND;
	return __real_sigaction(number, &again, old);
}

_Noreturn void __real__exit(int code);
_Noreturn void __wrap__exit(int code);

_Noreturn void __wrap__exit(int code)
{
	if (trying)
		siglongjmp(back, 1);
	__real__exit(code);
}

int __real_sandbox_enter(const struct sandbox *sandbox, const char **what);
int __wrap_sandbox_enter(const struct sandbox *sandbox, const char **what);

int __wrap_sandbox_enter(const struct sandbox *sandbox, const char **what)
{
	const char *needs = getenv("ACTS_NEEDS");
	struct sandbox more = *sandbox;
	const int result = (more.needs |= needs ? (unsigned int)strtoul(needs, NULL, 0) : 0,
			    __real_sandbox_enter(&more, what));

	if (result == 0 && sandbox->needs & SANDBOX_FILES && getenv("ACTS_FILES")) {
		acts_try(ACTS_FILES);
		acts_tell(ACTS_FILES);
	}
	return result;
}

/* The network's process tries them when it gets a frame that no guest sends. */
static struct network *network;

struct network *__real_network_open(const struct network_config *config, char *why, size_t size);
struct network *__wrap_network_open(const struct network_config *config, char *why, size_t size);

struct network *__wrap_network_open(const struct network_config *config, char *why, size_t size)
{
	network = __real_network_open(config, why, size);
	return network;
}

void __real_slirp_input(void *slirp, const uint8_t *frame, int size);
void __wrap_slirp_input(void *slirp, const uint8_t *frame, int size);

void __wrap_slirp_input(void *slirp, const uint8_t *frame, int size)
{
	if (size == 60 && (frame[12] << 8 | frame[13]) == TYPE)
		acts_try(frame[14]);
	else
		__real_slirp_input(slirp, frame, size);
}

static void in_network(enum acts_process process)
{
	const struct virtio_link *link = network ? network_link(network) : NULL;
	const uint8_t frame[60] = {[12] = TYPE >> 8, [13] = TYPE & 0xff, [14] = (uint8_t)process};

	if (link)
		link->send(link->ctx, frame, sizeof(frame));
	acts_tell(process);
}

/* The folder's process tries them when it gets a message that no guest sends. */
static struct share *share;

struct share *__real_share_open(const struct share_config *config, char *why, size_t size);
struct share *__wrap_share_open(const struct share_config *config, char *why, size_t size);

struct share *__wrap_share_open(const struct share_config *config, char *why, size_t size)
{
	share = __real_share_open(config, why, size);
	return share;
}

size_t __real_p9_answer(struct p9_session *session, const uint8_t *bytes, size_t size,
			uint8_t *answer, size_t most);
size_t __wrap_p9_answer(struct p9_session *session, const uint8_t *bytes, size_t size,
			uint8_t *answer, size_t most);

size_t __wrap_p9_answer(struct p9_session *session, const uint8_t *bytes, size_t size,
			uint8_t *answer, size_t most)
{
	if (bytes[4] == MESSAGE)
		acts_try(bytes[5]);
	return __real_p9_answer(session, bytes, size, answer, most);
}

static void in_share(enum acts_process process)
{
	const struct virtio_server *server = share ? share_server(share) : NULL;
	uint8_t *message = server ? server->begin(server->ctx) : NULL;
	const uint8_t bytes[P9_HEADER] = {P9_HEADER, [4] = MESSAGE, [5] = (uint8_t)process};
	struct virtio_answer answer;

	if (message) {
		memcpy(message, bytes, sizeof(bytes));
		server->say(server->ctx, sizeof(bytes), P9_ERROR, false);
		while (server->hear(server->ctx, &answer) == VIRTIO_MORE)
			;
	}
	acts_tell(process);
}

void acts_letter(char letter)
{
	static const struct {
		char letter;
		void (*in)(enum acts_process process);
		enum acts_process process;
	} letters[] = {
		{'+', in_network, ACTS_NETWORK},
		{'-', in_network, ACTS_NETWORK_ALL},
		{'/', in_share, ACTS_SHARE},
		{'%', in_share, ACTS_SHARE_RO},
	};

	for (size_t i = 0; i < ARRAY_SIZE(letters); i++)
		if (letters[i].letter == letter)
			letters[i].in(letters[i].process);
	if (letter == '*') {
		acts_try(ACTS_GUEST);
		acts_tell(ACTS_GUEST);
	}
}
