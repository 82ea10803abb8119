/* SPDX-License-Identifier: BSD-2-Clause */
/* Guests whose console is not the command's output: see guest_console.h. */
#define _GNU_SOURCE /* cfmakeraw, CRTSCTS */
#include "conform/guest_console.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/tap.h"

/* How often to check a file, or a terminal that was hung up. */
#define TICK_MS 50

/* How long a machine may take to power off when its guest is done, and after SIGTERM. */
#define SETTLE_MS 2000
#define TERM_MS	  5000

static const struct {
	unsigned int speed;
	speed_t code;
} speeds[] = {
	{9600, B9600},	     {19200, B19200},	  {38400, B38400},     {57600, B57600},
	{115200, B115200},   {230400, B230400},	  {460800, B460800},   {500000, B500000},
	{921600, B921600},   {1000000, B1000000}, {1500000, B1500000}, {2000000, B2000000},
	{3000000, B3000000}, {4000000, B4000000},
};

/* A guest's console. */
struct line {
	int fd;
	bool file;  /* it grows, and is never polled */
	bool ready; /* the last poll found something */
	struct tap tap;
	struct guest_stream *heard;
	bool *large;
};

static speed_t find_speed(unsigned int speed)
{
	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++)
		if (speeds[i].speed == speed)
			return speeds[i].code;
	return B0;
}

/* Pass every byte at once, whatever the terminal's earlier settings. */
static bool set_terminal(int fd, unsigned int speed)
{
	struct termios t;

	if (tcgetattr(fd, &t))
		return false;
	cfmakeraw(&t);
	t.c_cflag |= CLOCAL | CREAD;
	t.c_cflag &= ~(tcflag_t)(CSTOPB | CRTSCTS);
	t.c_cc[VMIN] = 1;
	t.c_cc[VTIME] = 0;
	if (speed && (cfsetispeed(&t, find_speed(speed)) || cfsetospeed(&t, find_speed(speed))))
		return false;
	return tcsetattr(fd, TCSANOW, &t) == 0;
}

/*
 * Open for reading, without waiting for a writer. A FIFO is opened for both, so that it has no end
 * when a writer closes it. Discards what an earlier guest left.
 */
static int open_console(const struct guest_console *console, bool *file)
{
	int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, fd, error = 0;
	struct stat status;
	char left[4096];

	if (stat(console->path, &status) == 0 && !S_ISCHR(status.st_mode))
		flags = O_RDWR | O_NONBLOCK | O_CLOEXEC;
	fd = open(console->path, flags);
	if (fd < 0 || fstat(fd, &status))
		return -errno;
	*file = S_ISREG(status.st_mode);
	if (*file)
		error = ftruncate(fd, 0) ? -errno : 0;
	else if (S_ISCHR(status.st_mode) && (!isatty(fd) || !set_terminal(fd, console->speed)))
		error = -ENOTTY;
	else if (S_ISCHR(status.st_mode))
		(void)tcflush(fd, TCIFLUSH);
	else if (!S_ISFIFO(status.st_mode))
		error = -EINVAL;
	while (!error && !*file && read(fd, left, sizeof(left)) > 0)
		;
	if (error) {
		(void)close(fd);
		return error;
	}
	return fd;
}

/* Split into the path, and the number after the last comma. */
static void split_console(struct guest_console *console, const char *text)
{
	const char *comma = strrchr(text, ',');
	const bool speed =
		comma && comma[1] && strspn(comma + 1, "0123456789") == strlen(comma + 1);

	console->path = strndup(text, speed ? (size_t)(comma - text) : strlen(text));
	if (!console->path)
		memory_out();
	console->speed = speed ? (unsigned int)strtoul(comma + 1, NULL, 10) : 0;
	if (speed && console->speed == 0)
		console->speed = UINT32_MAX;
}

/* A mistyped path must not make a file among the devices. */
static int make_file(const char *path)
{
	int fd;

	if (access(path, F_OK) == 0)
		return 0;
	if (strncmp(path, "/dev/", 5) == 0)
		return -ENOENT;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	return fd < 0 || close(fd) ? -errno : 0;
}

bool guest_console_set(struct guest_console *console, const char *text, char *why, size_t size)
{
	bool file = false;
	int fd;

	split_console(console, text);
	if (console->speed && find_speed(console->speed) == B0) {
		snprintf(why, size, "no such speed; 115200 is one");
		return false;
	}
	fd = make_file(console->path);
	if (fd == 0)
		fd = open_console(console, &file);
	if (fd < 0) {
		snprintf(why, size, "%s",
			 fd == -ENOTTY	 ? "a device that is no terminal"
			 : fd == -EINVAL ? "no terminal, FIFO or file"
					 : strerror(-fd));
		return false;
	}
	(void)close(fd);
	if (console->speed && file) {
		snprintf(why, size, "a file has no speed");
		return false;
	}
	return true;
}

/* Read what is there. False if there is nothing. */
static bool hear(struct line *line)
{
	const size_t before = line->heard->size;

	(void)guest_stream_collect(line->fd, line->heard, line->large);
	for (size_t i = before; i < line->heard->size; i++)
		tap_byte(&line->tap, (uint8_t)line->heard->bytes[i]);
	return line->heard->size != before;
}

static bool guest_done(const struct line *line)
{
	const struct tap *tap = &line->tap;

	return tap->bailed || (tap->planned && tap->passed + tap->failed >= tap->plan);
}

/* Wait a tick, or until something arrives. A line that was ready but empty is hung up. */
static void wait_tick(struct line *line, const struct guest_process *process)
{
	struct pollfd polls[3] = {{process->out, POLLIN, 0},
				  {process->err, POLLIN, 0},
				  {line->file || line->ready ? -1 : line->fd, POLLIN, 0}};

	(void)poll(polls, 3, TICK_MS);
	line->ready = polls[2].revents != 0;
}

/* Collect what the command prints, until it closes the stream. */
static void collect_words(struct guest_process *process, struct guest_output *output)
{
	int *const fds[2] = {&process->out, &process->err};

	for (unsigned int i = 0; i < 2; i++) {
		struct pollfd ready = {*fds[i], POLLIN, 0};

		if (*fds[i] < 0 || poll(&ready, 1, 0) <= 0)
			continue;
		if (!guest_stream_collect(*fds[i], &output->err, &output->large)) {
			(void)close(*fds[i]);
			*fds[i] = -1;
		}
	}
}

/* End the command. False if it had already ended by itself. */
static bool end_command(pid_t pid, int *status)
{
	const int64_t until = guest_process_ms() + TERM_MS;

	if (waitpid(pid, status, WNOHANG) == pid)
		return false;
	(void)kill(pid, SIGTERM);
	while (guest_process_ms() < until) {
		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		(void)poll(NULL, 0, TICK_MS);
	}
	(void)kill(pid, SIGKILL);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	return true;
}

/*
 * Listen until the guest is done, and then until its machine ends by itself. True if the command
 * has ended.
 */
static bool listen_to(struct line *line, struct guest_process *process, int64_t until,
		      struct guest_output *output)
{
	int64_t done = 0;
	bool ended = false;

	for (;;) {
		const bool heard = hear(line);
		const int64_t now = guest_process_ms();

		collect_words(process, output);
		if (!done && guest_done(line))
			done = now;
		output->late = !done && now >= until;
		if (output->large || output->late || (done && now - done >= SETTLE_MS))
			return ended;
		/* All of the guest's last output is here. */
		if (ended && !heard && (done || output->status))
			return true;
		if (!ended)
			ended = waitpid(process->pid, &output->status, WNOHANG) == process->pid;
		line->ready = line->ready && !heard;
		if (!heard)
			wait_tick(line, process);
	}
}

int guest_console_run(char *const argv[], unsigned int seconds, const struct guest_console *console,
		      struct guest_output *output)
{
	struct line line = {.heard = &output->out, .large = &output->large};
	struct guest_process process = {-1, -1, -1};
	int error = 0;

	*output = (struct guest_output){0};
	tap_init(&line.tap);
	line.fd = open_console(console, &line.file);
	if (line.fd < 0)
		error = line.fd;
	if (!error)
		error = guest_process_start(argv, &process);
	if (!error) {
		const int64_t until = guest_process_ms() + (int64_t)seconds * 1000;

		if (!listen_to(&line, &process, until, output) &&
		    end_command(process.pid, &output->status))
			output->status = 0;
		collect_words(&process, output);
	}
	guest_process_close(&process);
	if (line.fd >= 0)
		(void)close(line.fd);
	guest_stream_end(&output->out);
	guest_stream_end(&output->err);
	return error;
}
