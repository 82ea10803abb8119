// SPDX-License-Identifier: BSD-2-Clause
/* The host side of the console: see console.h. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/console.h"

#define CONSOLE_ESCAPE 0x01 /* Ctrl-A */

static int console_raw(struct console *console)
{
	struct termios raw;

	if (!isatty(console->in))
		return 0;
	if (tcgetattr(console->in, &console->saved) < 0)
		return -errno;
	raw = console->saved;
	raw.c_iflag &=
		~(tcflag_t)(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON);
	raw.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
	raw.c_cflag &= ~(tcflag_t)(CSIZE | PARENB);
	raw.c_cflag |= CS8;
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	if (tcsetattr(console->in, TCSANOW, &raw) < 0)
		return -errno;
	console->terminal = true;
	return 0;
}

/* Those that are read. */
static void console_signals(const struct console *console, sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGQUIT);
	if (console->save_signal)
		sigaddset(set, console->save_signal);
}

int console_save_on(struct console *console, int signal_number)
{
	sigset_t set;

	console->save_signal = signal_number;
	console_signals(console, &set);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0 || signalfd(console->signals, &set, 0) < 0)
		return -errno;
	return 0;
}

void console_state(struct console *console, struct state *state)
{
	uint32_t typed = (uint32_t)console->typed;

	STATE_UP_TO(state, typed, CONSOLE_TYPED);
	if (state->failed)
		return;
	console->typed = typed;
	state_bytes(state, console->input, typed);
}

int console_open(struct console *console, int in, int out)
{
	sigset_t set;
	int error;

	memset(console, 0, sizeof(*console));
	console->in = in;
	console->out = out;
	console->input_open = true;
	console_signals(console, &set);
	sigaddset(&set, SIGPIPE); /* a broken pipe is seen by write() */
	if (sigprocmask(SIG_BLOCK, &set, &console->saved_mask) < 0)
		return -errno;
	sigdelset(&set, SIGPIPE);
	console->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	error = console->signals < 0 ? -errno : console_raw(console);
	if (error < 0)
		console_close(console);
	return error;
}

static void console_flush(struct console *console)
{
	size_t done = 0;

	while (done < console->used && !console->output_broken) {
		ssize_t wrote = write(console->out, console->buffer + done, console->used - done);

		if (wrote >= 0) {
			done += (size_t)wrote;
		} else if (errno == EAGAIN) {
			struct pollfd fd = {.fd = console->out, .events = POLLOUT};

			(void)poll(&fd, 1, -1);
		} else if (errno != EINTR) {
			console->output_broken = true;
		}
	}
	console->used = 0;
}

void console_close(struct console *console)
{
	console_flush(console);
	if (console->terminal)
		(void)tcsetattr(console->in, TCSANOW, &console->saved);
	console->terminal = false;
	if (console->signals >= 0)
		close(console->signals);
	console->signals = -1;
	/* A SIGPIPE of our own is not to come now. */
	if (console->output_broken)
		(void)signal(SIGPIPE, SIG_IGN);
	(void)sigprocmask(SIG_SETMASK, &console->saved_mask, NULL);
}

void console_put(void *ctx, uint8_t byte)
{
	struct console *console = ctx;

	console->buffer[console->used++] = byte;
	if (console->tap)
		console->tap(console->tap_ctx, byte);
	if (byte == '\n' || console->used == CONSOLE_BUFFER)
		console_flush(console);
}

size_t console_filter(struct console *console, uint8_t *bytes, size_t count, bool *quit)
{
	size_t kept = 0;

	if (!console->terminal)
		return count;
	for (size_t i = 0; i < count; i++) {
		if (!console->escape && bytes[i] == CONSOLE_ESCAPE) {
			console->escape = true;
			continue;
		}
		if (console->escape && (bytes[i] == 'x' || bytes[i] == 'X'))
			*quit = true;
		else if (!console->escape || bytes[i] == CONSOLE_ESCAPE)
			bytes[kept++] = bytes[i];
		console->escape = false;
	}
	return kept;
}

bool console_input_open(void *ctx)
{
	const struct console *console = ctx;

	return console->input_open || console->typed > 0;
}

static bool console_read(struct console *console, size_t count)
{
	ssize_t got = read(console->in, console->input + console->typed, count);
	bool quit = false;

	if (got > 0)
		console->typed += console_filter(console, console->input + console->typed,
						 (size_t)got, &quit);
	else if (got == 0 || (errno != EAGAIN && errno != EINTR))
		console->input_open = false;
	return quit;
}

/* Hand over input that was read. */
static size_t console_take(struct console *console, uint8_t *bytes, size_t room)
{
	size_t count = console->typed < room ? console->typed : room;

	memcpy(bytes, console->input, count);
	console->typed -= count;
	memmove(console->input, console->input + count, console->typed);
	return count;
}

enum machine_console_event console_poll(void *ctx, int timeout_ms, uint8_t *bytes, size_t room,
					size_t *got)
{
	struct console *console = ctx;
	struct pollfd fds[2] = {{.fd = console->signals, .events = POLLIN},
				{.fd = -1, .events = POLLIN}};
	struct signalfd_siginfo info;
	/* A terminal is read ahead of the guest, or Ctrl-A X would not be seen when it stops
	 * reading. */
	size_t ahead = console->terminal      ? CONSOLE_TYPED
		       : room < CONSOLE_TYPED ? room
					      : CONSOLE_TYPED;
	size_t want = ahead > console->typed ? ahead - console->typed : 0;

	*got = 0;
	console_flush(console);
	if (console->output_broken)
		return MACHINE_CONSOLE_BROKEN;
	if (console->input_open && want > 0)
		fds[1].fd = console->in;
	if (console->typed > 0 && room > 0)
		timeout_ms = 0;
	if (poll(fds, 2, timeout_ms) > 0) {
		if (fds[0].revents && read(console->signals, &info, sizeof(info)) == sizeof(info)) {
			if ((int)info.ssi_signo == console->save_signal)
				return MACHINE_CONSOLE_SAVE;
			console->signal = (int)info.ssi_signo;
			return MACHINE_CONSOLE_SIGNAL;
		}
		if (fds[1].revents && console_read(console, want))
			return MACHINE_CONSOLE_QUIT;
	}
	*got = console_take(console, bytes, room);
	return MACHINE_CONSOLE_NONE;
}
