/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe run: the network, --net. */
#include <arpa/inet.h>
#include <string.h>

#include "base/number.h"
#include "base/sandbox.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/run.h"

#define WORD_MAX 128 /* bytes of a word after a comma */

static const uint8_t default_mac[VIRTIO_NET_MAC] = {0x52, 0x54, 0, 0x12, 0x34, 0x56};

/* Six numbers of two hexadecimal digits. The first is even: a single station. */
static const char *take_mac(struct run_net *net, char *value)
{
	static const char digits[] = "0123456789abcdef";
	const char *wrong = "mac= takes the address of one card, such as 52:54:00:12:34:56";
	bool all_zero = true;

	if (strlen(value) != 3 * VIRTIO_NET_MAC - 1)
		return wrong;
	for (size_t i = 0; i < VIRTIO_NET_MAC; i++, value += 3) {
		const char *high = strchr(digits, value[0] | 0x20),
			   *low = strchr(digits, value[1] | 0x20);

		if (!high || !low || (value[2] && value[2] != ':'))
			return wrong;
		net->mac[i] = (uint8_t)((high - digits) << 4 | (low - digits));
		all_zero = all_zero && net->mac[i] == 0;
	}
	return net->mac[0] & 1 || all_zero ? wrong : NULL;
}

/* [ADDR]:PORT; without ADDR *address stays as it is. */
static bool take_end(char *text, struct in_addr *address, uint16_t *port)
{
	char *colon = strrchr(text, ':');
	uint64_t number;

	if (!colon || !number_read(colon + 1, UINT16_MAX, &number) || number == 0)
		return false;
	*colon = '\0';
	*port = (uint16_t)number;
	return !text[0] || inet_pton(AF_INET, text, address) == 1;
}

/* PROTOCOL:[ADDR]:PORT-[GUEST]:PORT */
static const char *take_forward(struct run_net *net, char *value)
{
	struct network_config *config = &net->config;
	struct network_forward forward = {.host = {htonl(INADDR_LOOPBACK)}};
	char *guest = strchr(value, '-');

	if (config->forward_count == NETWORK_FORWARDS)
		return "more than 16 of hostfwd=";
	forward.udp = strncmp(value, "udp:", 4) == 0;
	if (!guest || (!forward.udp && strncmp(value, "tcp:", 4) != 0))
		return "hostfwd= takes tcp or udp:[ADDR]:PORT-[GUEST]:PORT";
	*guest++ = '\0';
	if (!take_end(value + 4, &forward.host, &forward.host_port) ||
	    !take_end(guest, &forward.guest, &forward.guest_port))
		return "hostfwd= takes IPv4 addresses and ports, as in tcp:127.0.0.1:2222-:22";
	config->forwards[config->forward_count++] = forward;
	return NULL;
}

static const char *take_restrict(struct run_net *net, char *value)
{
	net->config.restricted = strcmp(value, "on") == 0;
	return net->config.restricted || strcmp(value, "off") == 0 ? NULL
								   : "restrict= takes on and off";
}

static const struct {
	const char *name;
	const char *(*take)(struct run_net *net, char *value);
} words[] = {
	{"hostfwd=", take_forward},
	{"restrict=", take_restrict},
	{"mac=", take_mac},
};

/* NULL, or what is wrong with it. */
static const char *take_word(struct run_net *net, char *word)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const size_t length = strlen(words[i].name);

		if (strncmp(word, words[i].name, length) == 0)
			return words[i].take(net, word + length);
	}
	return "after user come restrict=on, hostfwd= and mac=";
}

const char *run_net_take(struct run_options *options, const char *word)
{
	struct run_net net = {.wanted = true, .word = word};
	const char *at = word + strcspn(word, ","), *wrong = NULL;
	char copy[WORD_MAX];

	if (options->net.wanted)
		return "a second network; there is one card";
	memcpy(net.mac, default_mac, sizeof(net.mac));
	if (at - word != 4 || strncmp(word, "user", 4) != 0)
		return "there is user, a network by libslirp";
	while (*at && !wrong) {
		const size_t length = strcspn(++at, ",");

		if (length >= sizeof(copy))
			return "a word that is too long";
		(void)snprintf(copy, sizeof(copy), "%.*s", (int)length, at);
		wrong = take_word(&net, copy);
		at += length;
	}
	if (!wrong)
		options->net = net;
	return wrong;
}

static int refuse(const struct run_options *options, const char *what)
{
	cli_message(stderr, "vspe run: --net %s: %s", options->net.word, what);
	return CLI_USAGE;
}

static void send_nowhere(void *ctx, const uint8_t *frame, size_t size)
{
	(void)ctx, (void)frame, (void)size;
}

const struct virtio_link *run_net_link(const struct run_options *options)
{
	return options->network ? network_link(options->network) : &options->net.nowhere;
}

int run_net_open(struct run_options *options, bool given_realtime)
{
	struct network_config *config = &options->net.config;
	const char *value;
	char why[256];

	if (!options->net.wanted)
		return CLI_GO_ON;
	options->net.nowhere = (struct virtio_link){
		.send = send_nowhere, .outside = network_is_outside(config), .checked = true};
	if (options->recording.replay)
		return CLI_GO_ON;
	if (run_leaves_by(options, &value) || run_comes_by(options, &value))
		return refuse(
			options,
			options->save	      ? "not with --save: what is under way is in no image"
			: options->migrate_to ? "not with --migrate-to: its connections stay here"
			: options->restore
				? "not with --restore: no image has a network"
				: "not with --incoming: no machine that is sent has a network");
	if (network_is_outside(config) && !options->choices.engine->concurrent) {
		if (given_realtime && !options->choices.realtime)
			return refuse(options, "not with --no-realtime: its other end has the "
					       "host's time; restrict=on has nothing from outside");
		options->choices.realtime = true;
	}
	config->free = options->sandbox == CLI_SANDBOX_OFF;
	config->names = !config->restricted && (config->free || sandbox_has_landlock());
	config->user = options->user;
	options->network = network_open(config, why, sizeof(why));
	return options->network ? CLI_GO_ON : refuse(options, why);
}

void run_net_close(struct run_options *options)
{
	network_close(options->network);
	options->network = NULL;
}
