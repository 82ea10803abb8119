/* SPDX-License-Identifier: BSD-2-Clause */
/* The other end of the serial port: see serial.h. */
#define _GNU_SOURCE /* ptsname_r */
#include "cli/serial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/output.h"
#include "cli/address.h"
#include "cli/cli.h"

#define FILE_LIMIT (UINT64_C(1) << 30)

static int fail(char *why, size_t size)
{
	(void)snprintf(why, size, "%s", strerror(errno));
	return -1;
}

static int open_none(struct serial *serial, const char *text, char *why, size_t size)
{
	(void)text;
	serial->in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	serial->out = open("/dev/null", O_WRONLY | O_CLOEXEC);
	return serial->in < 0 || serial->out < 0 ? fail(why, size) : 0;
}

static int open_file(struct serial *serial, const char *text, char *why, size_t size)
{
	struct stat status;
	int out;

	serial->in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (serial->in < 0)
		return fail(why, size);
	if (stat(text, &status) == 0 && !S_ISREG(status.st_mode))
		out = output_open_other(text);
	else if ((out = open(text, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666)) < 0)
		out = -errno;
	serial->out = out < 0 ? -1 : out;
	if (out < 0)
		(void)snprintf(why, size, "%s", output_error(out));
	return out < 0 ? -1 : 0;
}

/*
 * The process keeps the terminal's other side open too. While nobody else has it open there is no
 * end of input, and output stays.
 */
static int open_pty(struct serial *serial, const char *text, char *why, size_t size)
{
	struct termios raw;
	int end;

	(void)text;
	serial->in = serial->out = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (serial->in < 0 || grantpt(serial->in) < 0 || unlockpt(serial->in) < 0 ||
	    ptsname_r(serial->in, serial->name, sizeof(serial->name)) != 0)
		return fail(why, size);
	end = open(serial->name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (end < 0 || tcgetattr(end, &raw) < 0)
		return fail(why, size);
	cfmakeraw(&raw);
	if (tcsetattr(end, TCSANOW, &raw) < 0 || fcntl(serial->in, F_SETFL, O_NONBLOCK) < 0)
		return fail(why, size);
	serial->is_terminal = true;
	return 0;
}

static int open_tcp(struct serial *serial, const char *text, char *why, size_t size)
{
	struct address address;

	if (!address_read_tcp(text, &address)) {
		(void)snprintf(why, size,
			       "not tcp:HOST:PORT with an address or localhost, and a number "
			       "from 1 to 65535");
		return -1;
	}
	serial->in = serial->out = socket(address.to.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (serial->in < 0 ||
	    connect(serial->in, (const struct sockaddr *)&address.to, address.size) < 0 ||
	    fcntl(serial->in, F_SETFL, O_NONBLOCK) < 0)
		return fail(why, size);
	return 0;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): as every end is. */
static int open_stdio(struct serial *serial, const char *text, char *why, size_t size)
{
	(void)text, (void)why, (void)size;
	serial->in = STDIN_FILENO;
	serial->out = STDOUT_FILENO;
	serial->is_standard = true;
	serial->is_terminal = isatty(STDIN_FILENO);
	return 0;
}

int serial_open(struct serial *serial, const char *text, char *why, size_t size)
{
	static const struct {
		const char *word;
		bool has_more;
		int (*open)(struct serial *serial, const char *text, char *why, size_t size);
	} ends[] = {
		{"stdio", false, open_stdio}, {"none", false, open_none}, {"pty", false, open_pty},
		{"tcp:", true, open_tcp},     {"file:", true, open_file},
	};

	*serial = (struct serial){.in = -1, .out = -1};
	if (!text)
		text = "stdio";
	(void)snprintf(serial->name, sizeof(serial->name), "%s",
		       strcmp(text, "stdio") == 0 ? "standard output" : text);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		const size_t length = strlen(ends[i].word);

		if (strncmp(text, ends[i].word, length) == 0 && (ends[i].has_more || !text[length]))
			return ends[i].open(serial, text + length, why, size);
	}
	/* An unknown kind of word is not a file: such a file is spelled ./WORD. */
	if (text[strcspn(text, ":/")] == ':') {
		(void)snprintf(why, size,
			       "there are stdio, pty, none, FILE, file:FILE and tcp:HOST:PORT");
		return -1;
	}
	return open_file(serial, text, why, size);
}

static bool is_file(const struct serial *serial)
{
	struct stat status;

	return fstat(serial->out, &status) == 0 && S_ISREG(status.st_mode);
}

int serial_begin(const struct serial *serial)
{
	if (serial->is_standard || !is_file(serial))
		return 0;
	return ftruncate(serial->out, 0) < 0 ? -errno : 0;
}

uint64_t serial_limit(const struct serial *serial)
{
	return is_file(serial) ? FILE_LIMIT : UINT64_MAX;
}

void serial_greet(const struct serial *serial)
{
	if (serial->is_terminal && !serial->is_standard)
		cli_message(stderr, "vspe: the console is %s", serial->name);
	else if (serial->is_terminal && isatty(STDERR_FILENO))
		cli_message(stderr, "vspe: Ctrl-A H for help, Ctrl-A X to end the machine");
}
