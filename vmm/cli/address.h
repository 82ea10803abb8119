/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of sockets, as options have them. Nobody is asked for a name. */
#ifndef VSPE_CLI_ADDRESS_H
#define VSPE_CLI_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

/* What is wrong with one of address_read(), for messages. */
#define ADDRESS_WORDS                                                                            \
	"neither tcp:HOST:PORT, with an address or localhost and a number from 1 to 65535, nor " \
	"unix:PATH"

struct address {
	struct sockaddr_storage to;
	socklen_t size;
};

/*
 * HOST:PORT; HOST is localhost, an IPv4 address, or an IPv6 address in brackets. false: it is
 * none.
 */
bool address_read_tcp(const char *text, struct address *address);
/* tcp:HOST:PORT or unix:PATH; of tcp::PORT HOST is localhost. */
bool address_read(const char *text, struct address *address);

#endif
