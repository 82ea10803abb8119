/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs cases as a Linux program for arm64: under qemu-aarch64, or on an arm64 machine.
 *
 * Reads one struct case_input after the other from standard input and writes a struct case_output
 * for each to standard output. A signal handler does the work: at the end of a case it has all
 * registers in its signal frame, and it returns with those of the next.
 */
#define _GNU_SOURCE
#include "../array.h"
#include "case.h"
#include <asm/sigcontext.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static struct case_input inputs[CASE_BATCH];
static struct case_output outputs[CASE_BATCH];
static unsigned int cases, current;
static uint64_t thread_pointer; /* the runner's: a case may change TPIDR_EL0 */
static uint64_t *const scratch = (uint64_t *)CASE_SCRATCH;

static uint64_t read_thread_pointer(void)
{
	uint64_t value;

	__asm__ volatile("mrs %0, tpidr_el0" : "=r"(value));
	return value;
}

static void write_thread_pointer(uint64_t value)
{
	__asm__ volatile("msr tpidr_el0, %0" : : "r"(value));
}

static int write_all(const void *data, size_t size)
{
	const char *next = data;

	while (size) {
		ssize_t n = write(STDOUT_FILENO, next, size);

		if (n <= 0)
			return -1;
		next += n;
		size -= (size_t)n;
	}
	return 0;
}

/* The vector registers of a signal frame: the kernel puts them first. */
static struct fpsimd_context *vectors(const mcontext_t *context)
{
	return (struct fpsimd_context *)context->__reserved;
}

/* SVE's registers of a signal frame; NULL without SVE. Those of long vectors are elsewhere. */
static struct sve_context *scalable(const mcontext_t *context)
{
	uintptr_t at = (uintptr_t)context->__reserved;

	for (;;) {
		const struct _aarch64_ctx *head = (const struct _aarch64_ctx *)at;

		if (head->magic == SVE_MAGIC)
			return (struct sve_context *)at;
		if (head->magic == 0)
			return NULL;
		if (head->magic == EXTRA_MAGIC)
			at = (uintptr_t)((const struct extra_context *)at)->datap;
		else
			at += head->size;
	}
}

/* Between a frame and a case. */
static void move_scalable(const mcontext_t *context, struct case_sve *sve, int in)
{
	struct sve_context *frame = scalable(context);
	const unsigned int vl = frame ? frame->vl : 0, vq = vl / 16;

	if (!in)
		sve->vl = vl;
	for (unsigned int n = 0; n < 32 && vl; n++) {
		uint8_t *z = (uint8_t *)frame + SVE_SIG_ZREG_OFFSET(vq, n);

		memcpy(in ? z : sve->z[n], in ? sve->z[n] : z, vl);
	}
	for (unsigned int n = 0; n < 17 && vl; n++) { /* FFR follows P15 */
		uint8_t *p = (uint8_t *)frame + SVE_SIG_PREG_OFFSET(vq, n);

		memcpy(in ? p : sve->p[n], in ? sve->p[n] : p, vl / 8);
	}
}

static void start_case(mcontext_t *context)
{
	struct case_input *input = &inputs[current];

	case_fill(input->memory_seed, scratch);
	for (unsigned int i = 0; i < 31; i++)
		context->regs[i] = input->x[i];
	memcpy(vectors(context)->vregs, input->v, sizeof(input->v));
	if (input->sve.vl)
		move_scalable(context, &input->sve, 1);
	vectors(context)->fpcr = (uint32_t)input->fpcr;
	vectors(context)->fpsr = (uint32_t)input->fpsr;
	context->sp = input->sp;
	context->pc = CASE_CODE + (uint64_t)current * CASE_SLOT;
	context->pstate = (context->pstate & ~UINT64_C(0xf0000000)) | input->nzcv;
	write_thread_pointer(0);
	__asm__ volatile("clrex");
}

static void end_case(const mcontext_t *context, int signal, const siginfo_t *info)
{
	struct case_output *output = &outputs[current];

	for (unsigned int i = 0; i < 31; i++)
		output->x[i] = context->regs[i];
	memcpy(output->v, vectors(context)->vregs, sizeof(output->v));
	if (inputs[current].sve.vl)
		move_scalable(context, &output->sve, 0);
	output->fpcr = vectors(context)->fpcr;
	output->fpsr = vectors(context)->fpsr;
	output->sp = context->sp;
	output->pc = context->pc;
	output->nzcv = context->pstate & UINT64_C(0xf0000000);
	for (unsigned int i = 0; i < CASE_BYTES / 8; i++)
		output->memory[i] = scratch[i];
	output->far = signal == SIGSEGV || signal == SIGBUS ? (uint64_t)info->si_addr : 0;
	switch (signal) {
	case SIGTRAP: output->end = CASE_END_BRK; break;
	case SIGILL: output->end = CASE_END_UNDEFINED; break;
	case SIGSEGV: output->end = CASE_END_ABORT; break;
	case SIGBUS: output->end = CASE_END_ALIGNMENT; break;
	default: output->end = CASE_END_OTHER; break;
	}
}

/* SIGUSR1 starts the first case. libc needs the runner's thread pointer. */
static void handler(int signal, siginfo_t *info, void *frame)
{
	mcontext_t *context = &((ucontext_t *)frame)->uc_mcontext;

	if (signal != SIGUSR1) {
		write_thread_pointer(thread_pointer);
		end_case(context, signal, info);
		current++;
	}
	if (current == cases)
		_exit(write_all(outputs, cases * sizeof(outputs[0])) ? 1 : 0);
	start_case(context);
}

static int map(uint64_t address, size_t size, int protection)
{
	void *at = (void *)address;

	return mmap(at, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		    0) == at
		       ? 0
		       : -1;
}

int main(void)
{
	static const int signals[] = {SIGUSR1, SIGTRAP, SIGILL, SIGSEGV, SIGBUS, SIGFPE};
	static char stack[65536];
	const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	size_t size = 0;
	ssize_t n;

	while (size < sizeof(inputs) &&
	       (n = read(STDIN_FILENO, (char *)inputs + size, sizeof(inputs) - size)) > 0)
		size += (size_t)n;
	cases = (unsigned int)(size / sizeof(inputs[0]));
	if (!cases || size % sizeof(inputs[0]))
		return 2;

	if (map(CASE_CODE & ~UINT64_C(0xfff), (size_t)(CASE_BATCH + 1) * CASE_SLOT,
		PROT_READ | PROT_WRITE | PROT_EXEC) ||
	    map(CASE_SCRATCH, CASE_BYTES, PROT_READ | PROT_WRITE))
		return 3;
	for (unsigned int i = 0; i < cases; i++)
		memcpy((char *)CASE_CODE + (size_t)i * CASE_SLOT, inputs[i].code, CASE_SLOT);
	__builtin___clear_cache((char *)CASE_CODE, (char *)CASE_CODE + (size_t)cases * CASE_SLOT);

	thread_pointer = read_thread_pointer();
	if (sigaltstack(&alternate, NULL))
		return 4;
	sigfillset(&action.sa_mask);
	for (unsigned int i = 0; i < ARRAY_SIZE(signals); i++)
		if (sigaction(signals[i], &action, NULL))
			return 5;
	raise(SIGUSR1);
	return 6; /* the handler never returns here */
}
