/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other end of the guest's serial port, the console: what --serial says. It is opened before
 * the sandbox is entered, which allows no more than to read and write it.
 */
#ifndef VSPE_CLI_SERIAL_H
#define VSPE_CLI_SERIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct serial {
	int in, out;	  /* file descriptors, the process's until it ends */
	bool is_standard; /* they are standard input and output */
	bool is_terminal; /* somebody types */
	char name[64];	  /* of what comes out, for messages: "standard output" */
};

/*
 * text: stdio, none, pty, tcp:HOST:PORT, which is connected to (HOST is localhost, an address, or
 * an IPv6 address in brackets), or a file, which is written; NULL is stdio. A file that is there is
 * not changed. 0, or -1 with a line in why that does not name text.
 */
int serial_open(struct serial *serial, const char *text, char *why, size_t size);

/* A file becomes empty. 0, or a negative errno. */
int serial_begin(const struct serial *serial);

/* Bytes that may come out if nobody says otherwise: a guest is not to fill the disk with a file.
 * UINT64_MAX: any number. */
uint64_t serial_limit(const struct serial *serial);

/* The line that whoever types needs, on standard error. */
void serial_greet(const struct serial *serial);

#endif
