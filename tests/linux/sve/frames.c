/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of SVE in signal frames, and those of a traced process. */
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <asm/ptrace.h>
#include <asm/sigcontext.h>
#include "state.h"

/* What the handler saw, and what it is to write there. */
static struct {
	size_t vl, count;
	struct state state;
	bool whole;
	const struct state *change, *low, *scribble;
} seen;

static struct _aarch64_ctx *find_context(struct _aarch64_ctx *at, uint32_t magic)
{
	while (at->magic && at->magic != magic) {
		if (at->magic == EXTRA_MAGIC)
			at = (struct _aarch64_ctx *)(uintptr_t)((struct extra_context *)at)->datap;
		else
			at = (struct _aarch64_ctx *)((char *)at + at->size);
	}
	return at->magic ? at : NULL;
}

static void handle(int number, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	struct _aarch64_ctx *first = (struct _aarch64_ctx *)u->uc_mcontext.__reserved;
	struct sve_context *sve = (struct sve_context *)find_context(first, SVE_MAGIC);
	struct fpsimd_context *v = (struct fpsimd_context *)find_context(first, FPSIMD_MAGIC);
	uint8_t *registers;

	(void)info;
	seen.count++;
	seen.vl = sve ? sve->vl : 0;
	if (number == SIGTRAP)
		u->uc_mcontext.pc += 4;
	if (!sve || !v)
		return;
	seen.whole = sve->head.size >= SVE_SIG_CONTEXT_SIZE(sve_vq_from_vl(sve->vl));
	if (!seen.whole)
		return;
	registers = (uint8_t *)sve + SVE_SIG_REGS_OFFSET;
	memcpy(&seen.state, registers, state_size(sve->vl));
	if (seen.change)
		memcpy(registers, seen.change, state_size(sve->vl));
	if (seen.low)
		for (unsigned int n = 0; n < 32; n++)
			memcpy(&v->vregs[n], &seen.low->bytes[n * sve->vl], 16);
	if (seen.scribble)
		sve_write(seen.scribble);
}

void check_signals(size_t vl)
{
	const struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
	struct state a, b, c, out;

	sigaction(SIGTRAP, &action, NULL);
	pattern(&a, vl, vl);
	pattern(&b, vl + 1, vl);
	pattern(&c, vl + 2, vl);

	memset(&seen, 0, sizeof(seen));
	memset(&out, 0, sizeof(out));
	seen.scribble = &b;
	sve_break(&a, &out);
	check(seen.count == 1 && seen.vl == vl && seen.whole && same(&seen.state, &a, vl),
	      "%zu: a handler sees the registers", 8 * vl);
	check(same(&out, &a, vl), "%zu: they are as before when it returns", 8 * vl);

	/* The lowest 128 bits are those of the context of FP and SIMD. */
	seen.change = &b;
	seen.low = &c;
	sve_break(&a, &out);
	for (unsigned int n = 0; n < 32; n++)
		memcpy(&b.bytes[n * vl], &c.bytes[n * vl], 16);
	check(same(&out, &b, vl), "%zu: or as the handler changes them", 8 * vl);
	signal(SIGTRAP, SIG_DFL);
}

/* What the traced child and this process share. */
struct shared {
	struct state in, out;
	int vl; /* prctl(PR_SVE_GET_VL) */
};

static void be_traced(struct shared *shared)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	sve_break(&shared->in, &shared->out);
	raise(SIGSTOP);
	shared->vl = prctl(PR_SVE_GET_VL);
	_exit(0);
}

struct traced {
	struct user_sve_header head;
	struct state state;
	uint8_t more[64];
} __attribute__((aligned(16)));

static bool read_traced(pid_t child, struct traced *traced)
{
	struct iovec space = {traced, sizeof(*traced)};

	return ptrace(PTRACE_GETREGSET, child, (void *)NT_ARM_SVE, &space) == 0;
}

static bool write_traced(pid_t child, struct traced *traced, size_t size)
{
	struct iovec space = {traced, size};

	return ptrace(PTRACE_SETREGSET, child, (void *)NT_ARM_SVE, &space) == 0;
}

static bool skip_instruction(pid_t child)
{
	struct user_pt_regs registers;
	struct iovec space = {&registers, sizeof(registers)};

	if (ptrace(PTRACE_GETREGSET, child, (void *)NT_PRSTATUS, &space))
		return false;
	registers.pc += 4;
	return ptrace(PTRACE_SETREGSET, child, (void *)NT_PRSTATUS, &space) == 0;
}

static bool stops_by(pid_t child, int number)
{
	int status;

	return waitpid(child, &status, 0) == child && WIFSTOPPED(status) &&
	       WSTOPSIG(status) == number;
}

static void trace(pid_t child, struct shared *shared, size_t vl, size_t other)
{
	static struct traced traced;
	struct state changed;
	bool right;

	check(stops_by(child, SIGSTOP) && ptrace(PTRACE_CONT, child, NULL, NULL) == 0 &&
		      stops_by(child, SIGTRAP),
	      "%zu: a traced process stops", 8 * vl);
	right = read_traced(child, &traced);
	check(right && traced.head.vl == vl && traced.head.flags & SVE_PT_REGS_SVE,
	      "%zu: ptrace has its length", 8 * vl);
	check(right && same(&traced.state, &shared->in, vl), "%zu: ... and its registers", 8 * vl);
	pattern(&changed, vl + 4, vl);
	memcpy(&traced.state, &changed, state_size(vl));
	right = write_traced(child, &traced, traced.head.size) && skip_instruction(child) &&
		ptrace(PTRACE_CONT, child, NULL, NULL) == 0 && stops_by(child, SIGSTOP);
	check(right && same(&shared->out, &changed, vl), "%zu: ... and writes them", 8 * vl);
	traced.head.vl = (uint16_t)other;
	right = write_traced(child, &traced, sizeof(traced.head)) &&
		ptrace(PTRACE_CONT, child, NULL, NULL) == 0;
	right &= waitpid(child, NULL, 0) == child;
	check(right && shared->vl == (int)other, "%zu: ... and the length", 8 * vl);
}

void check_ptrace(size_t vl, size_t other)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child;

	if (shared == MAP_FAILED) {
		check(false, "%zu: no memory", 8 * vl);
		return;
	}
	pattern(&shared->in, vl + 3, vl);
	child = fork();
	if (child == 0)
		be_traced(shared);
	trace(child, shared, vl, other);
	munmap(shared, sizeof(*shared));
}
