/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stands for a hole in vspe: when the guest stores a letter to a page without a device, the process
 * makes the system call of that letter and prints the result. The linker wraps bus_write(), which
 * both engines call for a store. This code is not part of vspe. Five letters run every act of
 * acts.def: * in the guest's process, + in the network's, - in a network's that leads nowhere, / in
 * the folder's, and % in a read-only folder's.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "acts.h"
#include "device/bus.h"

#define HOOK 0x0b000000

enum engine_answer __real_bus_write(struct bus *bus, unsigned int cpu, uint64_t pa,
				    unsigned int bytes, uint64_t value);
enum engine_answer __wrap_bus_write(struct bus *bus, unsigned int cpu, uint64_t pa,
				    unsigned int bytes, uint64_t value);

static long call(long number, long a, long b, long c, long d)
{
	return syscall(number, a, b, c, d, 0, 0);
}

static void attempt(char letter)
{
	const char *file = getenv("ESCAPE_FILE"), *new = getenv("ESCAPE_NEW");
	char *const argv[] = {"touch", (char *)(uintptr_t) new, NULL};
	static uint8_t page[8192];
	struct clone_args args = {.exit_signal = SIGCHLD};
	struct iovec own = {page, 16};
	long f = (long)file, n = (long)new, got = -1;

	if (strchr("*+-/%", letter)) {
		acts_letter(letter);
		return;
	}
	errno = 0;
	switch (letter) {
	case 'w': got = call(SYS_write, 2, (long)"escape: ", 8, 0); break;
	case 'o': got = call(SYS_openat, AT_FDCWD, f, O_RDONLY, 0); break;
	case 'O': got = call(SYS_openat, AT_FDCWD, n, O_CREAT | O_WRONLY, 0600); break;
	case 'D': got = call(SYS_openat, AT_FDCWD, f, O_RDONLY | O_DIRECTORY, 0); break;
	case '2': got = call(SYS_openat2, AT_FDCWD, f, (long)page, 24); break;
	case 'x': got = call(SYS_execve, (long)"/usr/bin/touch", (long)argv, 0, 0); break;
	case 'X': got = call(SYS_execveat, AT_FDCWD, (long)"/usr/bin/touch", (long)argv, 0); break;
	case 's': got = call(SYS_socket, AF_INET, SOCK_STREAM, 0, 0); break;
	case 'n': got = call(SYS_socket, AF_UNIX, SOCK_STREAM, 0, 0); break;
	case 'N': got = call(SYS_socket, AF_PACKET, SOCK_RAW, 0, 0); break;
	case 'B': got = call(SYS_bind, 0, (long)page, 16, 0); break;
	case 'j': got = call(SYS_listen, 0, 1, 0, 0); break;
	case 'S': got = call(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, (long)page); break;
	case 'p': got = call(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0); break;
	case 'P': got = call(SYS_process_vm_readv, getpid(), (long)&own, 1, (long)&own); break;
	case 'f': got = call(SYS_clone, SIGCHLD, 0, 0, 0); break;
	case 'F': got = call(SYS_clone3, (long)&args, sizeof(args), 0, 0); break;
	case 'k': got = call(SYS_kill, 1, 0, 0, 0); break;
	case 'K': got = call(SYS_tgkill, 1, 1, 0, 0); break;
	case 'm': got = call(SYS_mmap, 0, 4096, PROT_EXEC | PROT_READ, 0); break;
	case 'e':
		got = call(SYS_mprotect, ((long)page + 4095) & -4096L, 4096, PROT_EXEC | PROT_READ,
			   0);
		break;
	case 't': got = call(SYS_ioctl, 0, TIOCSTI, (long)"x", 0); break;
	case 'u': got = call(SYS_unlinkat, AT_FDCWD, f, 0, 0); break;
	case 'r': got = call(SYS_renameat2, AT_FDCWD, f, AT_FDCWD, n); break;
	case 'l': got = call(SYS_linkat, AT_FDCWD, f, AT_FDCWD, n); break;
	case 'y': got = call(SYS_symlinkat, f, AT_FDCWD, n, 0); break;
	case 'M': got = call(SYS_mkdirat, AT_FDCWD, n, 0700, 0); break;
	case 'c': got = call(SYS_chdir, (long)"/", 0, 0, 0); break;
	case 'h': got = call(SYS_fchmodat, AT_FDCWD, f, 0777, 0); break;
	case 'g': got = call(SYS_rt_sigaction, SIGSYS, (long)page, 0, 8); break;
	case 'd': got = call(SYS_prctl, 4, 1, 0, 0); break;
	case 'L': got = call(SYS_prlimit64, 0, 4, (long)page, 0); break;
	case 'b': got = call(SYS_bpf, 0, (long)page, 64, 0); break;
	case 'i': got = call(SYS_io_uring_setup, 8, (long)page, 0, 0); break;
	case 'v': got = call(SYS_perf_event_open, (long)page, 0, -1, -1); break;
	case 'U': got = call(SYS_unshare, 0x10000000, 0, 0, 0); break;
	case 'R': got = call(SYS_setuid, 0, 0, 0, 0); break;
	case 'a': got = call(SYS_memfd_create, (long)"x", 0, 0, 0); break;
	case 'C': got = call(SYS_seccomp, 0, 0, 0, 0); break;
#ifdef __x86_64__
	case '8': /* getpid of the 32-bit ABI, whose numbers are others */
		__asm__ volatile("int $0x80"
				 : "=a"(got)
				 : "a"(20)
				 : "memory", "r8", "r9", "r10", "r11");
		break;
	case '3': got = call(0x40000000 | SYS_getpid, 0, 0, 0, 0); break; /* x32 */
#endif
	default: fprintf(stderr, "escape: no call stands for '%c'\n", letter); exit(99);
	}
	fprintf(stderr, "'%c' returned: %s\n", letter, got < 0 ? strerror(errno) : "done");
	/* A child must not run another machine. */
	if (got == 0 && (letter == 'f' || letter == 'F'))
		_exit(0);
}

enum engine_answer __wrap_bus_write(struct bus *bus, unsigned int cpu, uint64_t pa,
				    unsigned int bytes, uint64_t value)
{
	if (pa != HOOK)
		return __real_bus_write(bus, cpu, pa, bytes, value);
	attempt((char)value);
	return ENGINE_OK;
}
