/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of SVE over changes of context, and its length over fork and exec. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "state.h"

#define THREADS_MAX 16
#define SWITCHES    20
#define SPINS_MAX   400
#define SPIN	    500000
#define YIELDS	    200

/* How many threads have had enough changes: each goes on until all have, as one alone has none. */
static volatile unsigned int wanting;

struct task {
	pthread_t thread;
	size_t vl;
	uint64_t seed;
	long switches;	       /* by the kernel's decision, between sve_spin()'s start and end */
	unsigned int wrong[2]; /* of those, and of system calls */
};

static long switches(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) ? 0 : usage.ru_nivcsw;
}

static void *work(void *context)
{
	struct task *task = context;
	const size_t vl = set_length(task->vl);
	const long before = switches();
	struct state in, out;
	bool enough = false;

	for (unsigned int n = 0; n < SPINS_MAX && wanting; n++) {
		pattern(&in, task->seed + n, vl);
		memset(&out, 0, sizeof(out));
		sve_spin(&in, &out, SPIN);
		task->wrong[0] += vl != task->vl || !same(&in, &out, vl);
		task->switches = switches() - before;
		if (!enough && task->switches >= SWITCHES) {
			enough = true;
			__atomic_fetch_sub(&wanting, 1, __ATOMIC_RELAXED);
		}
	}
	for (unsigned int n = 0; n < YIELDS; n++) {
		pattern(&in, task->seed + n, vl);
		memset(&out, 0xff, sizeof(out));
		sve_call(&in, &out, SYS_sched_yield, 0, 0);
		task->wrong[1] += !is_left_by_call(&in, &out, vl);
	}
	return NULL;
}

void check_threads(unsigned int threads, size_t vl_max)
{
	static struct task tasks[THREADS_MAX];
	size_t vl = vl_max;

	wanting = threads;
	for (unsigned int n = 0; n < threads && n < THREADS_MAX; n++) {
		tasks[n] = (struct task){.vl = vl, .seed = (n + 1) * UINT64_C(1000003)};
		vl = vl == 16 ? vl_max : vl / 2;
		if (pthread_create(&tasks[n].thread, NULL, work, &tasks[n]))
			check(false, "thread %u does not start", n);
	}
	for (unsigned int n = 0; n < threads && n < THREADS_MAX; n++) {
		const struct task *task = &tasks[n];

		pthread_join(task->thread, NULL);
		check(task->switches >= SWITCHES && task->wrong[0] == 0,
		      "thread %u, %zu bits: %u wrong over %ld changes of context", n, 8 * task->vl,
		      task->wrong[0], task->switches);
		check(task->wrong[1] == 0, "thread %u, %zu bits: %u wrong after %u yields", n,
		      8 * task->vl, task->wrong[1], YIELDS);
	}
}

/* The exit status of "state length", run by a process that has asked for a length. */
static int length_after_exec(unsigned long wanted, size_t *before)
{
	int status = -1;
	const pid_t child = fork();

	if (child == 0) {
		if (prctl(PR_SVE_SET_VL, wanted) < 0)
			_exit(99);
		if (before && length_now() != *before)
			_exit(98);
		execl("/proc/self/exe", "state", "length", (char *)NULL);
		_exit(97);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void check_exec(size_t vl, size_t usual)
{
	const int length = (int)vl / 16;
	size_t other = vl == 16 ? usual : 16;

	check(length_after_exec(vl, &vl) == (int)usual / 16,
	      "%zu: exec begins with the usual length", 8 * vl);
	check(length_after_exec(vl | PR_SVE_VL_INHERIT, &vl) == length + 32,
	      "%zu: ... or inherits its caller's", 8 * vl);
	set_length(other);
	check(length_after_exec(vl | PR_SVE_SET_VL_ONEXEC, &other) == length,
	      "%zu: ... or has what is set for exec alone", 8 * vl);
	set_length(vl);
}

/* The child has the length and, as after each call, the lowest bits of the vectors. */
void check_fork(size_t vl, size_t usual)
{
	static struct state in, out;
	int status = -1;
	pid_t child;

	pattern(&in, vl + 5, vl);
	memset(&out, 0xff, sizeof(out));
	fflush(stdout);
	child = (pid_t)sve_call(&in, &out, SYS_clone, SIGCHLD, 0);
	if (child == 0)
		_exit(length_now() == vl && is_left_by_call(&in, &out, vl) ? 42 : 1);
	waitpid(child, &status, 0);
	check(WIFEXITED(status) && WEXITSTATUS(status) == 42 && is_left_by_call(&in, &out, vl),
	      "%zu: fork keeps the length and what calls keep", 8 * vl);
	check_exec(vl, usual);
}
