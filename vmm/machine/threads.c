/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine on a concurrent engine (engine.h): a thread runs each vCPU, and the original thread
 * handles the console and the clock of --timeout. machine->lock protects everything that they
 * share.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "machine/machine_state.h"

#define POLL_NS	   10000000 /* between checks of the console */
#define LOOK_POLLS 100	    /* ... between checks whether the guest makes progress */

/* The vCPUs from a power on to the next. */
struct machine_threads {
	struct machine *machine;
	atomic_bool stop;
	unsigned int started;
	struct machine_thread {
		struct machine_threads *all;
		unsigned int cpu;
		pthread_t thread;
	} vcpu[MACHINE_MAX_CPUS];
};

static enum engine_answer locked_mmio_read(void *ctx, unsigned int cpu, uint64_t pa,
					   unsigned int size, uint64_t *value)
{
	struct machine *machine = ctx;
	enum engine_answer answer;

	(void)pthread_mutex_lock(&machine->lock);
	answer = bus_read(&machine->bus, cpu, pa, size, value);
	(void)pthread_mutex_unlock(&machine->lock);
	return answer;
}

static enum engine_answer locked_mmio_write(void *ctx, unsigned int cpu, uint64_t pa,
					    unsigned int size, uint64_t value)
{
	struct machine *machine = ctx;
	enum engine_answer answer;

	(void)pthread_mutex_lock(&machine->lock);
	answer = bus_write(&machine->bus, cpu, pa, size, value);
	(void)pthread_mutex_unlock(&machine->lock);
	return answer;
}

static void locked_note(void *ctx, const char *line)
{
	struct machine *machine = ctx;

	(void)pthread_mutex_lock(&machine->lock);
	machine->config.note(machine->config.note_ctx, line);
	(void)pthread_mutex_unlock(&machine->lock);
}

static void locked_spe_data(void *ctx, unsigned int cpu, const uint8_t *bytes, size_t size)
{
	struct machine *machine = ctx;

	(void)pthread_mutex_lock(&machine->lock);
	if (machine->config.sample(machine->config.sample_ctx, cpu, bytes, size) < 0) {
		machine_finish(machine, MACHINE_ERROR, "the sample records cannot be written");
		(void)pthread_cond_signal(&machine->changed);
	}
	(void)pthread_mutex_unlock(&machine->lock);
}

void machine_lock_host(struct machine *machine)
{
	machine->host.mmio_read = locked_mmio_read;
	machine->host.mmio_write = locked_mmio_write;
	if (machine->host.note)
		machine->host.note = locked_note;
	if (machine->host.spe_data)
		machine->host.spe_data = locked_spe_data;
	machine->host.sysreg_read = NULL;
	machine->host.sysreg_write = NULL;
	machine->host.counter = NULL;
}

static void thread_exit(struct machine *machine, unsigned int cpu, const struct engine_exit *exit)
{
	machine->stats.vcpu[cpu].exits[exit->reason]++;
	switch (exit->reason) {
	case ENGINE_EXIT_OFF: machine_finish(machine, MACHINE_POWER_OFF, "%s", ""); break;
	case ENGINE_EXIT_RESET:
		if (machine->request == MACHINE_GO_ON) {
			machine->request = MACHINE_RESET;
			machine->warm = exit->warm;
		}
		break;
	case ENGINE_EXIT_LOST:
	case ENGINE_EXIT_ERROR: machine_finish_vcpu(machine, cpu, exit); break;
	default: return; /* a concurrent engine handles the others itself */
	}
	(void)pthread_cond_signal(&machine->changed);
}

static void *thread_run(void *argument)
{
	const struct machine_thread *self = argument;
	struct machine *machine = self->all->machine;
	struct engine_exit exit = {.reason = ENGINE_EXIT_BUDGET};

	while (!atomic_load(&self->all->stop)) {
		exit = (struct engine_exit){.reason = ENGINE_EXIT_BUDGET};
		machine->config.choices.engine->vcpu_run(machine->vcpu[self->cpu].engine,
							 UINT64_MAX, &exit);
		(void)pthread_mutex_lock(&machine->lock);
		thread_exit(machine, self->cpu, &exit);
		(void)pthread_mutex_unlock(&machine->lock);
		if (exit.reason != ENGINE_EXIT_BUDGET)
			break;
	}
	return NULL;
}

/*
 * The process's signals are only for the original thread, as their handlers share data with it and
 * no other. Block all except those that a thread causes itself.
 */
static void block_process_signals(sigset_t *before)
{
	static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGABRT, SIGTRAP};
	sigset_t blocked;

	(void)sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		(void)sigdelset(&blocked, own[i]);
	(void)pthread_sigmask(SIG_SETMASK, &blocked, before);
}

/* A thread inherits the blocked signals. */
static void threads_start(struct machine_threads *threads)
{
	struct machine *machine = threads->machine;
	sigset_t before;

	block_process_signals(&before);
	for (unsigned int i = 0; i < machine->config.choices.cpus; i++) {
		struct machine_thread *one = &threads->vcpu[i];
		int error;

		one->all = threads;
		one->cpu = i;
		error = pthread_create(&one->thread, NULL, thread_run, one);
		if (error) {
			machine_finish(machine, MACHINE_ERROR, "no thread for vCPU %u: %s", i,
				       strerror(error));
			break;
		}
		threads->started++;
	}
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void threads_stop(struct machine_threads *threads)
{
	struct machine *machine = threads->machine;

	atomic_store(&threads->stop, true);
	for (unsigned int i = 0; i < threads->started; i++)
		machine->config.choices.engine->vcpu_request_exit(machine->vcpu[i].engine);
	for (unsigned int i = 0; i < threads->started; i++)
		(void)pthread_join(threads->vcpu[i].thread, NULL);
}

static void threads_look(const struct machine_threads *threads)
{
	const struct machine *machine = threads->machine;

	for (unsigned int i = 0; i < threads->started && machine->config.choices.engine->vcpu_look;
	     i++)
		machine->config.choices.engine->vcpu_look(machine->vcpu[i].engine);
}

void machine_run_threads(struct machine *machine)
{
	struct machine_threads *threads = calloc(1, sizeof(*threads));
	struct timespec until;
	unsigned int polls = 0;

	if (!threads) {
		machine_finish(machine, MACHINE_ERROR, "no memory");
		return;
	}
	threads->machine = machine;
	machine_start_clock(machine);
	(void)pthread_mutex_lock(&machine->lock);
	threads_start(threads);
	while (machine->request == MACHINE_GO_ON) {
		machine_poll(machine, MACHINE_SITE_TURN, 0);
		if (machine->request != MACHINE_GO_ON)
			break;
		machine_update_devices(machine);
		if (++polls % LOOK_POLLS == 0)
			threads_look(threads);
		(void)clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += POLL_NS;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		(void)pthread_cond_timedwait(&machine->changed, &machine->lock, &until);
	}
	(void)pthread_mutex_unlock(&machine->lock);
	threads_stop(threads);
	/* Write out all output. */
	machine_poll(machine, MACHINE_SITE_TURN, 0);
	free(threads);
}
