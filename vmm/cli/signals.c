/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals of vspe run: see signals.h. */
#include "cli/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define TICK_NS	   100000000L /* between calls of wake */
#define TICK	   (SIGRTMAX - 1)
#define STACK_SIZE 65536 /* of the handlers: a fault may be a stack overflow */

enum tick { TICK_AGAIN, TICK_TIME_OVER };

/* What a signal does. */
enum act { ACT_END, ACT_FATAL, ACT_STOP, ACT_CONTINUE, ACT_IGNORE };

/*
 * Signals without a handler here end the process by their default action, which leaves the terminal
 * as it is. So the table has all that can.
 */
static const struct row {
	int signal;
	enum act act;
} rows[] = {
	{SIGINT, ACT_END},
	{SIGTERM, ACT_END},
	{SIGHUP, ACT_END},
	{SIGQUIT, ACT_END},
	{SIGALRM, ACT_END},
	{SIGUSR1, ACT_END},
	{SIGUSR2, ACT_END},
	{SIGVTALRM, ACT_END},
	{SIGPROF, ACT_END},
	{SIGXCPU, ACT_END},
	{SIGPOLL, ACT_END},
	{SIGPWR, ACT_END},
	{SIGSTKFLT, ACT_END},
	{SIGSEGV, ACT_FATAL},
	{SIGBUS, ACT_FATAL},
	{SIGILL, ACT_FATAL},
	{SIGFPE, ACT_FATAL},
	{SIGABRT, ACT_FATAL},
	{SIGTRAP, ACT_FATAL},
	{SIGTSTP, ACT_STOP},
	{SIGCONT, ACT_CONTINUE},
	/* write() reports it. */
	{SIGPIPE, ACT_IGNORE},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* Global, as handlers cannot reach it otherwise. */
static struct {
	bool open;
	volatile sig_atomic_t ended, over, save;
	int save_signal;
	volatile int terminal; /* in raw mode, or -1 */
	struct termios raw, cooked;
	void (*wake)(void *ctx);
	void *wake_ctx;
	void (*leave)(void *ctx);
	void *leave_ctx;
	timer_t again, time;
	bool timers;
	void *stack;
	stack_t stack_before;
	struct sigaction before[ROWS], tick_before;
} state = {.terminal = -1};

/* Do nothing while another job has the terminal. */
static void set_terminal(const struct termios *mode)
{
	const int fd = state.terminal;
	const pid_t group = fd < 0 ? -1 : tcgetpgrp(fd);

	if (fd < 0 || (group >= 0 && group != getpgrp()))
		return;
	if (mode == &state.cooked && state.leave)
		state.leave(state.leave_ctx);
	(void)tcsetattr(fd, TCSANOW, mode);
}

void signals_leave_terminal(void)
{
	set_terminal(&state.cooked);
}

static void start_timer(timer_t timer, unsigned int seconds)
{
	const struct timespec period = {.tv_nsec = TICK_NS};
	const struct itimerspec when = {
		.it_value = {.tv_sec = (time_t)seconds, .tv_nsec = seconds ? 0 : TICK_NS},
		.it_interval = period,
	};

	(void)timer_settime(timer, 0, &when, NULL);
}

static void call_wake(void)
{
	if (state.wake)
		state.wake(state.wake_ctx);
}

static void on_end(int signal)
{
	const int error = errno;

	if (signal == state.save_signal) {
		state.save = 1;
	} else {
		if (!state.ended)
			state.ended = signal;
		state.over = 1;
	}
	if (state.timers)
		start_timer(state.again, 0);
	call_wake();
	errno = error;
}

static void on_tick(int signal, siginfo_t *info, void *context)
{
	const int error = errno;

	(void)signal, (void)context;
	if (info->si_value.sival_int == TICK_TIME_OVER)
		state.over = 1;
	call_wake();
	errno = error;
}

/* Raise it again: here its default action is in force, and it is not blocked. */
static void on_fatal(int signal)
{
	set_terminal(&state.cooked);
	(void)raise(signal);
}

static void on_continue(int signal)
{
	const int error = errno;

	(void)signal;
	set_terminal(&state.raw);
	errno = error;
}

/* Use the default action, so that the parent sees which signal it was. */
static void on_stop(int signal)
{
	const struct sigaction stop = {.sa_handler = SIG_DFL};
	const int error = errno;
	struct sigaction mine;
	sigset_t only, mask;

	set_terminal(&state.cooked);
	(void)sigaction(signal, &stop, &mine);
	(void)sigemptyset(&only);
	(void)sigaddset(&only, signal);
	(void)pthread_sigmask(SIG_UNBLOCK, &only, &mask);
	(void)raise(signal);
	(void)pthread_sigmask(SIG_SETMASK, &mask, NULL);
	(void)sigaction(signal, &mine, NULL);
	set_terminal(&state.raw);
	errno = error;
}

static struct sigaction action_of(enum act act)
{
	static void (*const handlers[])(int) = {
		[ACT_END] = on_end,	      [ACT_FATAL] = on_fatal, [ACT_STOP] = on_stop,
		[ACT_CONTINUE] = on_continue, [ACT_IGNORE] = SIG_IGN,
	};
	struct sigaction action = {.sa_handler = handlers[act]};

	action.sa_flags = SA_RESTART | SA_ONSTACK;
	if (act == ACT_FATAL)
		action.sa_flags = (int)(SA_RESETHAND | SA_NODEFER | SA_ONSTACK);
	(void)sigemptyset(&action.sa_mask);
	/* SIGCONT would make the terminal raw while SIGTSTP still has its default action. */
	if (act == ACT_STOP)
		(void)sigaddset(&action.sa_mask, SIGCONT);
	return action;
}

static int make_timer(timer_t *timer, enum tick tick)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = TICK};

	event.sigev_value.sival_int = tick;
	return timer_create(CLOCK_MONOTONIC, &event, timer);
}

/* A tick is there to interrupt system calls, so it has no SA_RESTART. */
static int make_timers(void)
{
	struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	(void)sigemptyset(&action.sa_mask);
	(void)sigaction(TICK, &action, &state.tick_before);
	if (make_timer(&state.again, TICK_AGAIN) < 0)
		return -errno;
	if (make_timer(&state.time, TICK_TIME_OVER) < 0) {
		const int error = -errno;

		(void)timer_delete(state.again);
		return error;
	}
	state.timers = true;
	return 0;
}

static void make_stack(void)
{
	stack_t stack = {.ss_size = STACK_SIZE};

	state.stack = stack.ss_sp = malloc(STACK_SIZE);
	if (state.stack && sigaltstack(&stack, &state.stack_before) < 0) {
		free(state.stack);
		state.stack = NULL;
	}
}

int signals_open(int save_signal)
{
	int error;

	state.ended = state.over = state.save = 0;
	state.save_signal = save_signal;
	state.terminal = -1;
	state.wake = NULL;
	state.leave = NULL;
	make_stack();
	error = make_timers();
	for (size_t i = 0; i < ROWS; i++) {
		const struct sigaction action = action_of(rows[i].act);

		(void)sigaction(rows[i].signal, NULL, &state.before[i]);
		/* nohup(1), and a shell without job control, ignore some signals: keep that. */
		if (rows[i].act != ACT_END || state.before[i].sa_handler != SIG_IGN)
			(void)sigaction(rows[i].signal, &action, NULL);
	}
	state.open = true;
	if (error < 0)
		signals_close();
	return error;
}

int signals_terminal(int fd, const struct termios *cooked, const struct termios *raw)
{
	state.cooked = *cooked;
	state.raw = *raw;
	state.terminal = fd;
	if (tcsetattr(fd, TCSANOW, raw) == 0)
		return 0;
	state.terminal = -1;
	return -errno;
}

void signals_leave(void (*leave)(void *ctx), void *ctx)
{
	state.leave_ctx = ctx;
	state.leave = leave;
}

void signals_wake(void (*wake)(void *ctx), void *ctx, unsigned int seconds)
{
	state.wake_ctx = ctx;
	state.wake = wake;
	if (seconds)
		start_timer(state.time, seconds);
}

int signals_ended(void)
{
	return state.ended;
}

bool signals_over(void)
{
	return state.over;
}

bool signals_take_save(void)
{
	static const struct itimerspec never;
	const bool save = state.save;

	state.save = 0;
	if (save && !state.over)
		(void)timer_settime(state.again, 0, &never, NULL);
	return save;
}

void signals_close(void)
{
	if (!state.open)
		return;
	state.open = false;
	state.wake = NULL;
	state.leave = NULL;
	set_terminal(&state.cooked);
	state.terminal = -1;
	if (state.timers) {
		(void)timer_delete(state.again);
		(void)timer_delete(state.time);
	}
	state.timers = false;
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].signal == state.save_signal)
			(void)signal(state.save_signal, SIG_IGN);
		else
			(void)sigaction(rows[i].signal, &state.before[i], NULL);
	/* A tick may still be pending. */
	if (state.tick_before.sa_handler != SIG_DFL)
		(void)sigaction(TICK, &state.tick_before, NULL);
	else
		(void)signal(TICK, SIG_IGN);
	if (state.stack)
		(void)sigaltstack(&state.stack_before, NULL);
	free(state.stack);
	state.stack = NULL;
}
