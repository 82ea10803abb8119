/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A library to preload that makes one call of a program fail: INJECT=KIND:N:ERRNO, the N-th call of
 * its kind from the start of main() on. N 0 is none; ERRNO 0 completes half of the request.
 * INJECT_LOG names a file of LOG_SIZE zero bytes, which gets the number of calls of each kind, and
 * the descriptor of the one that failed.
 *
 * System calls are caught with a seccomp filter that raises SIGSYS, because the C library makes its
 * own without a symbol to replace. Allocations are caught by their names.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "../array.h"

enum kind { ALLOC, READ, WRITE, MMAP, FSYNC, OPEN, CLOSE, RENAME, IOCTL, TRUNCATE, KINDS };

static const char *const kind_names[KINDS] = {"alloc", "read",	"write",  "mmap",  "fsync",
					      "open",  "close", "rename", "ioctl", "truncate"};

static const struct {
	int number;
	enum kind kind;
} calls[] = {
	{SYS_read, READ},	 {SYS_pread64, READ},	{SYS_readv, READ},
	{SYS_write, WRITE},	 {SYS_pwrite64, WRITE}, {SYS_writev, WRITE},
	{SYS_mmap, MMAP},	 {SYS_fsync, FSYNC},	{SYS_fdatasync, FSYNC},
	{SYS_openat, OPEN},	 {SYS_close, CLOSE},	{SYS_renameat, RENAME},
	{SYS_renameat2, RENAME}, {SYS_ioctl, IOCTL},	{SYS_ftruncate, TRUNCATE},
#ifdef SYS_open
	{SYS_open, OPEN},	 {SYS_rename, RENAME},
#endif
};

#define CALLS ARRAY_SIZE(calls)

/* What the test reads: LOG_SIZE bytes. */
struct log {
	uint64_t calls[KINDS];
	int64_t fd; /* of the call that failed, or -1; the last member */
	uint64_t failed;
};

static struct log *log_of_calls;
static enum kind wanted_kind;
static uint64_t wanted;
static int wanted_error;
static volatile bool on;

/* Is this the call that must fail? */
static bool is_the_one(enum kind kind, int fd)
{
	const uint64_t n = __atomic_add_fetch(&log_of_calls->calls[kind], 1, __ATOMIC_RELAXED);

	if (kind != wanted_kind || n != wanted)
		return false;
	log_of_calls->failed = 1;
	log_of_calls->fd = fd;
	return true;
}

/* The only place whose calls the filter lets pass. */
long inject_call(long number, long a, long b, long c, long d, long e, long f);
extern const char inject_after[];
#if defined(__x86_64__)
__asm__(".text\n"
	"inject_call:\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	mov %rdx, %rsi\n"
	"	mov %rcx, %rdx\n"
	"	mov %r8, %r10\n"
	"	mov %r9, %r8\n"
	"	mov 8(%rsp), %r9\n"
	"	syscall\n"
	"inject_after:\n"
	"	ret\n");
#define RESULT(context) ((context)->uc_mcontext.gregs[REG_RAX])
#define ARGUMENT(context, n)                                                                    \
	((context)->uc_mcontext.gregs[(const int[]){REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, \
						    REG_R9}[n]])
#elif defined(__aarch64__)
__asm__(".text\n"
	"inject_call:\n"
	"	mov x8, x0\n"
	"	mov x0, x1\n"
	"	mov x1, x2\n"
	"	mov x2, x3\n"
	"	mov x3, x4\n"
	"	mov x4, x5\n"
	"	mov x5, x6\n"
	"	svc #0\n"
	"inject_after:\n"
	"	ret\n");
#define RESULT(context)	     ((context)->uc_mcontext.regs[0])
#define ARGUMENT(context, n) ((context)->uc_mcontext.regs[n])
#endif

static long make_call(const ucontext_t *context, int number, long size)
{
	return inject_call(number, (long)ARGUMENT(context, 0), (long)ARGUMENT(context, 1), size,
			   (long)ARGUMENT(context, 3), (long)ARGUMENT(context, 4),
			   (long)ARGUMENT(context, 5));
}

static void caught(int signal_number, siginfo_t *info, void *data)
{
	ucontext_t *context = data;
	const int number = info->si_syscall;
	const long third = (long)ARGUMENT(context, 2);
	enum kind kind = KINDS;

	(void)signal_number;
	for (size_t i = 0; i < CALLS; i++)
		if (calls[i].number == number)
			kind = calls[i].kind;
	if (!on || kind == KINDS || !is_the_one(kind, (int)ARGUMENT(context, 0))) {
		RESULT(context) = make_call(context, number, third);
	} else if (!wanted_error) { /* of a vector, one element less; nothing else is short */
		const bool shorter = third > 1 && (kind == READ || kind == WRITE);

		RESULT(context) = make_call(context, number, shorter ? third / 2 : third);
	} else {
		if (kind == CLOSE) /* it is closed, whatever it returns */
			(void)make_call(context, number, third);
		RESULT(context) = -wanted_error;
	}
}

static void install_filter(void)
{
	const uintptr_t here = (uintptr_t)inject_after;
	struct sock_filter filter[6 + CALLS + 2];
	struct sock_fprog program = {0, filter};
	struct sigaction action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_NODEFER};
	unsigned short n = 0;
	const uint8_t out = 4 + CALLS;

	filter[n++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer));
	filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)here, 0, 2);
	filter[n++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4);
	filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
						   (uint32_t)(here >> 32), out - 3, 0);
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						   offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < CALLS; i++)
		filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							   (uint32_t)calls[i].number,
							   (uint8_t)(CALLS - i), 0);
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
	program.len = n;
	if (sigaction(SIGSYS, &action, NULL) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0)) {
		fputs("inject: no filter of system calls here\n", stderr);
		_exit(77);
	}
}

/* The program may handle and block all signals, except SIGSYS, which this library needs. */
int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	static int (*real)(int, const struct sigaction *, struct sigaction *);
	struct sigaction mine;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "sigaction");
	if (on && number == SIGSYS)
		return 0;
	if (!action)
		return real(number, NULL, old);
	mine = *action;
	(void)sigdelset(&mine.sa_mask, SIGSYS);
	return real(number, &mine, old);
}

static int change_mask(const char *name, int how, const sigset_t *set, sigset_t *old)
{
	int (*real)(int, const sigset_t *, sigset_t *);
	sigset_t mine;

	*(void **)&real = dlsym(RTLD_NEXT, name);
	if (!set)
		return real(how, NULL, old);
	mine = *set;
	if (how != SIG_UNBLOCK)
		(void)sigdelset(&mine, SIGSYS);
	return real(how, &mine, old);
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	return change_mask("sigprocmask", how, set, old);
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return change_mask("pthread_sigmask", how, set, old);
}

/*
 * libseccomp 2.5 fails without memory: it frees twice what it could not add, or leaves rules out
 * and reports success. Its own calls are not counted.
 */
static struct {
	uintptr_t start, end;
} seccomp;

static int find_seccomp(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	if (!strstr(info->dlpi_name, "libseccomp"))
		return 0;
	for (unsigned int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type == PT_LOAD && header->p_flags & PF_X) {
			seccomp.start = info->dlpi_addr + header->p_vaddr;
			seccomp.end = seccomp.start + header->p_memsz;
		}
	}
	return 1;
}

/* The last constructor, as close to main() as possible. */
__attribute__((constructor)) static void begin(void)
{
	const char *what = getenv("INJECT"), *path = getenv("INJECT_LOG");
	char kind[16];
	int fd;

	if (!what || !path || sscanf(what, "%15[a-z]:%lu:%d", kind, &wanted, &wanted_error) != 3)
		return;
	for (int i = 0; i < KINDS; i++)
		if (strcmp(kind, kind_names[i]) == 0)
			wanted_kind = (enum kind)i;
	fd = open(path, O_RDWR | O_CLOEXEC);
	log_of_calls = mmap(NULL, sizeof(*log_of_calls), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || log_of_calls == MAP_FAILED)
		_exit(77);
	(void)close(fd);
	log_of_calls->fd = -1;
	(void)dl_iterate_phdr(find_seccomp, NULL);
	install_filter();
	on = true;
}

/* --- Allocations: glibc's own, under their other names. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *at, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static bool refused(const void *caller)
{
	const uintptr_t at = (uintptr_t)caller;

	if (!on || (at >= seccomp.start && at < seccomp.end) || !is_the_one(ALLOC, -1))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return refused(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return refused(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *at, size_t size)
{
	return refused(__builtin_return_address(0)) ? NULL : __libc_realloc(at, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return refused(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **at, size_t alignment, size_t size)
{
	void *got = refused(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);

	if (!got)
		return ENOMEM;
	*at = got;
	return 0;
}
