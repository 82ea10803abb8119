/* SPDX-License-Identifier: BSD-2-Clause */
/* Socket addresses as options spell them. No name is ever looked up. */
#ifndef VSPE_CLI_ADDRESS_H
#define VSPE_CLI_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

/* The message for a value that address_read() refuses. */
#define ADDRESS_WORDS                                                                            \
	"neither tcp:HOST:PORT, with an address or localhost and a number from 1 to 65535, nor " \
	"unix:PATH"

struct address {
	struct sockaddr_storage to;
	socklen_t size;
};

/*
 * HOST:PORT, where HOST is localhost, an IPv4 address, or an IPv6 address in brackets. False if
 * text is anything else.
 */
bool address_read_tcp(const char *text, struct address *address);
/* tcp:HOST:PORT or unix:PATH. In tcp::PORT the host is localhost. */
bool address_read(const char *text, struct address *address);

#endif
