/* SPDX-License-Identifier: BSD-2-Clause */
/* The host side of the console: see console.h. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/signals.h"

#define CONSOLE_WAIT_MS 100  /* how often to check for a request to end */
#define CONSOLE_WORK_MS 1000 /* ... at console.work */
#define CONSOLE_FDS	2    /* input, and what console.work waits for */

static int console_raw(struct console *console)
{
	struct termios cooked, raw;

	if (!isatty(console->in))
		return 0;
	if (tcgetattr(console->in, &cooked) < 0)
		return -errno;
	raw = cooked;
	raw.c_iflag &=
		~(tcflag_t)(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON);
	raw.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
	raw.c_cflag &= ~(tcflag_t)(CSIZE | PARENB);
	raw.c_cflag |= CS8;
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	console->terminal = true;
	return signals_terminal(console->in, &cooked, &raw);
}

/* Restore the screen for another program: undo what the guest did to it. */
static void console_leave_screen(void *ctx)
{
	const struct console *console = ctx;
	char text[SAFE_TEXT_UNDO];

	if (console->visible)
		(void)!write(console->out, text, safe_text_undo(&console->safe, text));
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

int console_open(struct console *console, int in, int out, bool keys, int save_signal)
{
	int error = signals_open(save_signal);

	memset(console, 0, sizeof(*console));
	console->in = in;
	console->out = out;
	console->input_open = true;
	console->limit = UINT64_MAX;
	console->visible = isatty(out);
	console->can_save = save_signal != 0;
	if (error < 0)
		return error;
	error = keys ? console_raw(console) : 0;
	if (error < 0)
		signals_close();
	else
		signals_leave(console_leave_screen, console);
	return error;
}

/* Take count bytes that were just read to the end of the input. */
static void console_typed(struct console *console, size_t count)
{
	uint8_t *bytes = console->input + console->typed;

	if (console->terminal)
		count = console_keys_take(&console->keys, bytes, count);
	if (console->keys.breaks && !console->has_break) {
		console->has_break = true;
		console->break_at = console->typed + console->keys.break_at;
	}
	console->keys.breaks = false;
	console->typed += count;
}

static void console_read(struct console *console, size_t count)
{
	ssize_t got = read(console->in, console->input + console->typed, count);

	if (got > 0)
		console_typed(console, (size_t)got);
	else if (got == 0 || (errno != EAGAIN && errno != EINTR))
		console->input_open = false;
}

static bool console_quit(const struct console *console)
{
	return console->keys.typed >> CONSOLE_KEY_QUIT & 1;
}

/*
 * Wait until output can be written. False if the process is to end and nobody reads. Keep reading
 * the terminal's keys, because Ctrl-A X can make such an end.
 */
static bool console_can_write(struct console *console)
{
	struct pollfd fds[2] = {{.fd = console->out, .events = POLLOUT}, {.events = POLLIN}};

	do {
		const bool look =
			console->terminal && console->input_open && console->typed < CONSOLE_TYPED;

		fds[1].fd = look ? console->in : -1;
		if (poll(fds, 2, CONSOLE_WAIT_MS) <= 0)
			continue;
		if (fds[0].revents)
			return true;
		console_read(console, CONSOLE_TYPED - console->typed);
	} while (!signals_over() && !console_quit(console));
	return false;
}

static void console_flush(struct console *console)
{
	size_t done = 0;

	while (done < console->used && !console->output_broken && !console->unread) {
		ssize_t wrote = -1;

		/* PIPE_BUF bytes always fit into a pipe that poll() says is writable. */
		if (!console_can_write(console))
			console->unread = true;
		else
			wrote = write(console->out, console->buffer + done, console->used - done);
		if (wrote >= 0)
			done += (size_t)wrote;
		else if (!console->unread && errno != EAGAIN && errno != EINTR) {
			console->output_broken = true;
			console->output_error = -errno;
		}
	}
	if (!console->output_broken)
		console->lost += console->used - done;
	console->used = 0;
}

static void console_append(struct console *console, const char *text, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		console->buffer[console->used++] = (uint8_t)text[i];
		if (text[i] == '\n' || console->used == CONSOLE_BUFFER)
			console_flush(console);
	}
}

void console_put(void *ctx, uint8_t byte)
{
	struct console *console = ctx;
	char text[SAFE_TEXT_MAX] = {(char)byte};
	size_t count = 1;

	if (console->tap)
		console->tap(console->tap_ctx, byte);
	if (console->limit == 0) {
		console->dropped++;
		return;
	}
	if (console->limit != UINT64_MAX)
		console->limit--;
	if (console->visible)
		count = safe_text_put(&console->safe, byte, text);
	console_append(console, text, count);
}

void console_close(struct console *console)
{
	char text[SAFE_TEXT_MAX];
	size_t count;

	if (console->visible) {
		count = safe_text_end(&console->safe, text);
		console_append(console, text, count);
	}
	console_flush(console);
	signals_close();
	console->terminal = false;
}

bool console_input_open(void *ctx)
{
	const struct console *console = ctx;

	return console->input_open || console->typed > 0 || console->has_break;
}

/* Hand over input that was read, up to a break. */
static size_t console_take(struct console *console, uint8_t *bytes, size_t room)
{
	const size_t ready = console->has_break ? console->break_at : console->typed;
	const size_t count = ready < room ? ready : room;

	memcpy(bytes, console->input, count);
	console->typed -= count;
	console->break_at -= console->has_break ? count : 0;
	memmove(console->input, console->input + count, console->typed);
	return count;
}

/* Report the keys that leave the machine as it is. */
static void console_tell_keys(struct console *console)
{
	static const enum console_key keys[] = {CONSOLE_KEY_HELP, CONSOLE_KEY_COUNTS,
						CONSOLE_KEY_SAVE};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!(keys[i] == CONSOLE_KEY_SAVE && console->can_save) &&
		    console_keys_typed(&console->keys, keys[i]) && console->key)
			console->key(console->tap_ctx, keys[i]);
}

enum machine_console_event console_asked(void *ctx)
{
	struct console *console = ctx;
	bool save;

	console_tell_keys(console);
	if (console->output_broken)
		return MACHINE_CONSOLE_BROKEN;
	if (console_quit(console))
		return MACHINE_CONSOLE_QUIT;
	console->signal = signals_ended();
	if (console->signal)
		return MACHINE_CONSOLE_SIGNAL;
	save = signals_take_save();
	if (console_keys_typed(&console->keys, CONSOLE_KEY_SAVE) || save)
		return MACHINE_CONSOLE_SAVE;
	return MACHINE_CONSOLE_NONE;
}

/* Take the break if it is next and the guest has room for it. */
static bool console_take_break(struct console *console, size_t room)
{
	if (!console->has_break || console->break_at > 0 || room == 0)
		return false;
	console->has_break = false;
	return true;
}

enum machine_console_event console_poll(void *ctx, int timeout_ms, uint8_t *bytes, size_t room,
					size_t *got)
{
	struct console *console = ctx;
	struct pollfd fds[CONSOLE_FDS + NETWORK_FDS] = {{.fd = -1, .events = POLLIN}, {.fd = -1}};
	size_t sockets = 0;
	enum machine_console_event asked;
	/*
	 * Read a terminal ahead of the guest. Otherwise Ctrl-A X would go unseen once the guest
	 * stops reading.
	 */
	size_t ahead = console->terminal      ? CONSOLE_TYPED
		       : room < CONSOLE_TYPED ? room
					      : CONSOLE_TYPED;
	size_t want = ahead > console->typed ? ahead - console->typed : 0;

	*got = 0;
	console_flush(console);
	asked = console_asked(console);
	if (asked != MACHINE_CONSOLE_NONE)
		return asked;
	if (console->work && console->work(console->tap_ctx, &fds[1]))
		return MACHINE_CONSOLE_SAVE;
	if (fds[1].fd >= 0 && (timeout_ms < 0 || timeout_ms > CONSOLE_WORK_MS))
		timeout_ms = CONSOLE_WORK_MS;
	if (console->input_open && want > 0)
		fds[0].fd = console->in;
	if ((console->typed > 0 || console->has_break) && room > 0)
		timeout_ms = 0;
	if (console->network)
		sockets = network_fill(console->network, &fds[CONSOLE_FDS], NETWORK_FDS);
	if (poll(fds, CONSOLE_FDS + sockets, timeout_ms) > 0 && fds[0].revents)
		console_read(console, want);
	if (console->network)
		network_look(console->network, &fds[CONSOLE_FDS], sockets);
	asked = console_asked(console);
	if (asked == MACHINE_CONSOLE_NONE && console_take_break(console, room))
		return MACHINE_CONSOLE_BREAK;
	if (asked == MACHINE_CONSOLE_NONE)
		*got = console_take(console, bytes, room);
	return asked;
}
