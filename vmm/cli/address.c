/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of sockets: see address.h. */
#include "cli/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/un.h>

#include "base/number.h"

static bool read_host(const char *host, uint16_t port, struct address *address)
{
	struct sockaddr_in *four = (struct sockaddr_in *)&address->to;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address->to;

	*address = (struct address){.size = 0};
	if (inet_pton(AF_INET, strcmp(host, "localhost") == 0 ? "127.0.0.1" : host,
		      &four->sin_addr) == 1) {
		four->sin_family = AF_INET;
		four->sin_port = htons(port);
		address->size = sizeof(*four);
	} else if (inet_pton(AF_INET6, host, &six->sin6_addr) == 1) {
		six->sin6_family = AF_INET6;
		six->sin6_port = htons(port);
		address->size = sizeof(*six);
	}
	return address->size > 0;
}

bool address_read_tcp(const char *text, struct address *address)
{
	const char *colon = strrchr(text, ':');
	const bool bracket = colon && colon > text + 1 && text[0] == '[' && colon[-1] == ']';
	const size_t length = colon ? (size_t)(colon - text) - (bracket ? 2 : 0) : 0;
	char host[INET6_ADDRSTRLEN];
	uint64_t port;

	if (length == 0 || length >= sizeof(host) || !number_read(colon + 1, UINT16_MAX, &port) ||
	    port == 0)
		return false;
	memcpy(host, text + bracket, length);
	host[length] = '\0';
	return read_host(host, (uint16_t)port, address);
}

static bool read_unix(const char *path, struct address *address)
{
	struct sockaddr_un *at = (struct sockaddr_un *)&address->to;
	const size_t length = strlen(path);

	*address = (struct address){.size = sizeof(*at)};
	if (length == 0 || length >= sizeof(at->sun_path))
		return false;
	at->sun_family = AF_UNIX;
	memcpy(at->sun_path, path, length);
	return true;
}

bool address_read(const char *text, struct address *address)
{
	static const char tcp[] = "tcp:", path[] = "unix:";
	uint64_t port;

	if (strncmp(text, path, strlen(path)) == 0)
		return read_unix(text + strlen(path), address);
	if (strncmp(text, tcp, strlen(tcp)) != 0)
		return false;
	text += strlen(tcp);
	if (text[0] != ':')
		return address_read_tcp(text, address);
	return number_read(text + 1, UINT16_MAX, &port) && port > 0 &&
	       read_host("localhost", (uint16_t)port, address);
}
