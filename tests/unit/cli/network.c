/* SPDX-License-Identifier: BSD-2-Clause */
/* The word of --net, and the network that it makes, from the card's end of the cable. */
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../compare.h"
#include "cli/run.h"

static struct run_options options;

/* NULL, or what is wrong. */
static const char *take(const char *word)
{
	options = (struct run_options){0};
	return run_net_take(&options, word);
}

Test(network, a_word_says_what_there_is)
{
	static const uint8_t usual[] = {0x52, 0x54, 0, 0x12, 0x34, 0x56},
			     own[] = {0x02, 0xab, 0xCD, 0, 0, 1};
	const struct network_config *config = &options.net.config;

	cr_assert_null(take("user"));
	cr_assert(options.net.wanted);
	cr_assert(network_is_outside(config));
	cr_assert_arr_eq(options.net.mac, usual, 6);
	cr_assert_null(take("user,restrict=on,mac=02:ab:CD:00:00:01"));
	cr_assert_not(network_is_outside(config));
	cr_assert_arr_eq(options.net.mac, own, 6);
	cr_assert_null(take("user,restrict=on,restrict=off"));
	cr_assert_not(config->restricted);
	cr_assert_null(take("user,hostfwd=tcp::2222-:22,hostfwd=udp:0.0.0.0:53-10.0.2.16:54,"
			    "restrict=on"));
	cr_assert(network_is_outside(config), "what is forwarded comes from outside");
	cr_assert_eq(config->forward_count, 2);
	cr_assert_not(config->forwards[0].udp);
	cr_assert_eq(config->forwards[0].host.s_addr, htonl(0x7f000001), "not from everywhere");
	cr_assert_eq(config->forwards[0].host_port, 2222);
	cr_assert_eq(config->forwards[0].guest.s_addr, 0, "whoever DHCP gave an address");
	cr_assert_eq(config->forwards[0].guest_port, 22);
	cr_assert(config->forwards[1].udp);
	cr_assert_eq(config->forwards[1].host.s_addr, 0);
	cr_assert_eq(config->forwards[1].guest.s_addr, htonl(0x0a000210));
}

Test(network, a_word_that_says_something_else_is_refused)
{
	static const char *const words[] = {
		"",
		"users",
		"use",
		"tap",
		"user,",
		"user,restrict",
		"user,restrict=",
		"user,restrict=o",
		"user,mac=",
		"user,mac=02:00:00:00:00",
		"user,mac=02:00:00:00:00:0g",
		"user,mac=02-00-00-00-00-01",
		"user,mac=03:00:00:00:00:01",
		"user,mac=00:00:00:00:00:00",
		"user,hostfwd=",
		"user,hostfwd=tcp",
		"user,hostfwd=tcp::1",
		"user,hostfwd=tcp::1-",
		"user,hostfwd=tcp::1-1",
		"user,hostfwd=sctp::1-:1",
		"user,hostfwd=tcp::65536-:1",
		"user,hostfwd=tcp::1-:0",
		"user,hostfwd=tcp:localhost:1-:1",
		"user,hostfwd=tcp:1.2.3:1-:1",
		"user,hostfwd=tcp::-1-:1",
	};
	char many[1024] = "user";

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		cr_expect_not_null(take(words[i]), "%s", words[i]);
		cr_expect_not(options.net.wanted, "%s", words[i]);
	}
	for (unsigned int i = 0; i < NETWORK_FORWARDS; i++)
		strcat(many, ",hostfwd=tcp::1-:1");
	cr_expect_null(take(many));
	strcat(many, ",hostfwd=tcp::1-:1");
	cr_expect_not_null(take(many));
	memset(many + 5, 'a', 900);
	cr_expect_not_null(take(many));
}

/* What the other end looks at of the card and its machine. */
static struct network *network;
static struct virtio_device *card;
static uint64_t now;

static uint64_t host_now(void *ctx)
{
	(void)ctx;
	return now;
}

static const struct device_host host = {.now = host_now};
static const uint8_t mac[VIRTIO_NET_MAC] = {0x52, 0x54, 0, 0x12, 0x34, 0x56};

static void open_network(const struct network_config *config)
{
	char why[256];

	network = network_open(config, why, sizeof(why));
	cr_assert_not_null(network, "%s", why);
	card = virtio_net_make(mac, network_link(network));
	cr_assert_not_null(card);
	card->host = &host;
	network_plug(network, card, 1000000000);
}

static void close_network(void)
{
	network_close(network);
	free(card);
}

/* The next frame that has arrived: its size, 0 if none has. */
static size_t next_frame(uint8_t frame[VIRTIO_NET_FRAME])
{
	static uint8_t buffer[12 + VIRTIO_NET_FRAME];
	const struct virtio_chain chain = {
		.count = 1, .parts = {{buffer, sizeof(buffer)}}, .write_size = sizeof(buffer)};
	uint32_t written;

	if (!card->can(card, 0))
		return 0;
	cr_assert_eq(card->request(card, 0, &chain, &written), 0);
	memcpy(frame, buffer + 12, written - 12);
	return written - 12;
}

/* ARP: who has 10.0.2.HOST? Asked by 10.0.2.15. */
static void ask_who_has(uint8_t host_number)
{
	uint8_t frame[42] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0,
			     0,	   8,	 6,    0,    1,	   8,	 0, 6, 4, 0, 1};
	const struct virtio_link *link = network_link(network);

	memcpy(frame + 6, mac, 6);
	memcpy(frame + 22, mac, 6);
	memcpy(frame + 28, ((const uint8_t[]){10, 0, 2, 15}), 4);
	memcpy(frame + 38, ((const uint8_t[]){10, 0, 2, host_number}), 4);
	link->send(link->ctx, frame, sizeof(frame));
}

Test(network, the_router_answers_at_once)
{
	const struct network_config config = {.restricted = true};
	uint8_t frame[VIRTIO_NET_FRAME];

	if (!network_exists())
		cr_skip_test("built without libslirp");
	open_network(&config);
	cr_assert_not(network_link(network)->outside);
	ask_who_has(2);
	cr_assert_geq(next_frame(frame), 42);
	cr_assert_arr_eq(frame, mac, 6);
	cr_assert_eq(frame[21], 2, "a reply");
	cr_assert_arr_eq(frame + 28, ((const uint8_t[]){10, 0, 2, 2}), 4);
	cr_assert_eq(next_frame(frame), 0);
	/* The machine starts anew: its clock does, too. */
	now = 5000000000;
	ask_who_has(3);
	cr_assert_geq(next_frame(frame), 42);
	now = 0;
	ask_who_has(3);
	cr_assert_geq(next_frame(frame), 42);
	ask_who_has(77);
	cr_assert_eq(next_frame(frame), 0, "nobody is there");
	close_network();
}

/* The one process that this test has started. */
static pid_t its_process(void)
{
	FILE *file = fopen("/proc/thread-self/children", "r");
	int pid = 0;

	cr_assert_not_null(file);
	cr_assert_eq(fscanf(file, "%d", &pid), 1);
	(void)fclose(file);
	return pid;
}

/* The card notices at the next frame, or at the next look for one; nothing else happens. */
Test(network, a_process_that_is_killed)
{
	for (unsigned int look = 0; look < 2; look++) {
		const struct network_config config = {.restricted = !look};
		uint8_t frame[VIRTIO_NET_FRAME];
		struct pollfd fds[NETWORK_FDS];

		if (!network_exists())
			cr_skip_test("built without libslirp");
		open_network(&config);
		ask_who_has(2);
		cr_assert_gt(next_frame(frame), 0);
		cr_assert_eq(card->config[VIRTIO_NET_MAC], 1);
		cr_assert_eq(kill(its_process(), SIGKILL), 0);
		cr_assert_gt(waitpid(-1, NULL, 0), 0);
		cr_assert_eq(network_fill(network, fds, NETWORK_FDS), look);
		fds[0].revents = POLLIN;
		network_look(network, fds, look);
		cr_assert_eq(card->config[VIRTIO_NET_MAC], !look);
		ask_who_has(2);
		cr_assert_eq(card->config[VIRTIO_NET_MAC], 0);
		cr_assert(card->changed);
		cr_assert_eq(next_frame(frame), 0);
		cr_assert_eq(network_fill(network, fds, NETWORK_FDS), 0);
		ask_who_has(2);
		close_network();
	}
}

/*
 * The last fragment of a packet whose first never came, past the card's checks: it kills libslirp
 * 4.7.0, and this process survives.
 */
Test(network, a_frame_that_libslirp_dies_of)
{
	const struct network_config config = {.restricted = true};
	uint8_t frame[98] = {0x52, 0x55, 10, 0, 2, 2,  0x52, 0x54, 0, 0x12, 0x34, 0x56,
			     8,	   0,	 69, 0, 0, 84, 0,    1,	   0, 1,    64,	  17,
			     0x62, 0x87, 10, 0, 2, 15, 10,   0,	   2, 2};
	uint8_t answer[VIRTIO_NET_FRAME];
	const struct virtio_link *link;

	if (!network_exists())
		cr_skip_test("built without libslirp");
	open_network(&config);
	link = network_link(network);
	link->send(link->ctx, frame, sizeof(frame));
	ask_who_has(2);
	cr_assert_eq(next_frame(answer) > 0, card->config[VIRTIO_NET_MAC] == 1);
	printf("libslirp %s\n", card->config[VIRTIO_NET_MAC] ? "lives" : "is dead");
	close_network();
}

/* It has its socket, and no other descriptor of this process. */
Test(network, its_process_has_one_socket)
{
	const struct network_config config = {.restricted = true};
	char path[64], target[256];
	unsigned int found = 0;

	if (!network_exists())
		cr_skip_test("built without libslirp");
	open_network(&config);
	for (unsigned int fd = 0; fd < 1024; fd++) {
		ssize_t size;

		(void)snprintf(path, sizeof(path), "/proc/%d/fd/%u", (int)its_process(), fd);
		size = readlink(path, target, sizeof(target) - 1);
		if (size < 0)
			continue;
		target[size] = '\0';
		found++;
		if (fd < 3)
			cr_expect_str_eq(target, "/dev/null", "%u", fd);
		else {
			cr_expect_str_neq(target, "/dev/null");
			cr_expect_eq(fd, 3, "%s", target);
		}
	}
	if (geteuid() == 0)
		cr_assert_eq(found, 4);
	close_network();
}

/* A port of the host's that is free now. */
static uint16_t free_port(struct sockaddr_in *address)
{
	socklen_t size = sizeof(*address);
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*address =
		(struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	cr_assert_eq(bind(fd, (struct sockaddr *)address, size), 0);
	cr_assert_eq(getsockname(fd, (struct sockaddr *)address, &size), 0);
	(void)close(fd);
	return ntohs(address->sin_port);
}

/* Wait for a message about the sockets, as long as a test may last. */
static void look(void)
{
	struct pollfd fds[NETWORK_FDS];
	const size_t count = network_fill(network, fds, NETWORK_FDS);

	cr_assert_gt(count, 0);
	cr_assert_gt(poll(fds, count, 60000), 0);
	network_look(network, fds, count);
}

Test(network, a_connection_of_the_hosts_comes_as_frames)
{
	struct network_config config = {.restricted = true, .forward_count = 1};
	struct sockaddr_in address;
	uint8_t frame[VIRTIO_NET_FRAME];
	int fd;

	if (!network_exists())
		cr_skip_test("built without libslirp");
	config.forwards[0] = (struct network_forward){.host = {htonl(INADDR_LOOPBACK)},
						      .host_port = free_port(&address),
						      .guest_port = 80};
	open_network(&config);
	cr_assert(network_link(network)->outside);
	ask_who_has(2); /* so the router knows where 10.0.2.15 is */
	cr_assert_gt(next_frame(frame), 0);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	cr_assert_eq(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	look();
	cr_assert_geq(next_frame(frame), 54);
	cr_assert_arr_eq(frame + 30, ((const uint8_t[]){10, 0, 2, 15}), 4);
	cr_assert_eq(frame[23], 6, "TCP");
	cr_assert_eq(frame[36] << 8 | frame[37], 80);
	cr_assert_eq(frame[47] & 0x3f, 2, "SYN");
	(void)close(fd);
	close_network();
}

Test(network, a_port_that_is_not_free_is_named)
{
	struct network_config config = {.forward_count = 2};
	struct sockaddr_in address;
	char why[256], port[16];

	if (!network_exists())
		cr_skip_test("built without libslirp");
	config.forwards[0] = (struct network_forward){.host = {htonl(INADDR_LOOPBACK)},
						      .host_port = free_port(&address),
						      .guest_port = 80};
	config.forwards[1] = config.forwards[0];
	cr_assert_null(network_open(&config, why, sizeof(why)));
	(void)snprintf(port, sizeof(port), "%u", ntohs(address.sin_port));
	cr_assert_str_has(why, port);
	cr_assert_str_has(why, "127.0.0.1");
	cr_assert_str_has(why, "in use");
}
