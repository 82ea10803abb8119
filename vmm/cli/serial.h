/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other end of the guest's serial port, the console, as --serial says. It opens before the
 * sandbox, which only allows reading and writing it.
 */
#ifndef VSPE_CLI_SERIAL_H
#define VSPE_CLI_SERIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct serial {
	int in, out;	  /* file descriptors, open until the process ends */
	bool is_standard; /* they are standard input and output */
	bool is_terminal; /* somebody types */
	char name[64];	  /* of the output, for messages: "standard output" */
};

/*
 * text is stdio, none, pty, tcp:HOST:PORT to connect to (HOST is localhost, an address, or an IPv6
 * address in brackets), or a file to write; NULL is stdio. An existing file stays as it is for now.
 * 0, or -1 with a line in why that does not name text.
 */
int serial_open(struct serial *serial, const char *text, char *why, size_t size);

/* Truncates a file. 0, or a negative errno. */
int serial_begin(const struct serial *serial);

/*
 * The default limit on output: a guest must not fill the disk with a file. UINT64_MAX: any number.
 */
uint64_t serial_limit(const struct serial *serial);

/* Print the line that the user needs in order to type, on standard error. */
void serial_greet(const struct serial *serial);

#endif
