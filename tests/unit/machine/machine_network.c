/* SPDX-License-Identifier: BSD-2-Clause */
/* A network card in a machine: a frame that comes from outside wakes a guest that waits. */
#include <stdlib.h>
#include <string.h>

#include "../compare.h"
#include "device/virtio.h"
#include "machine/recording.h"
#include "machine_fixture.h"

#define SLOT  UINT64_C(0x0a000000)
#define INTID 48
#define RINGS UINT64_C(0x40800000)
#define ROOM  (12 + VIRTIO_NET_FRAME)

static struct virtio_device *card;
static struct virtio_link link_of_card;
static unsigned int looks; /* that waited */

static void send_frame(void *ctx, const uint8_t *frame, size_t size)
{
	(void)ctx, (void)frame, (void)size;
}

/* The other end sends a frame when the machine waits the second time. */
static enum machine_console_event poll_link(void *ctx, int timeout_ms, uint8_t *bytes, size_t room,
					    size_t *got)
{
	static const uint8_t frame[60] = {1};

	(void)ctx, (void)bytes, (void)room;
	*got = 0;
	if (timeout_ms != 0 && ++looks == 2)
		cr_assert(virtio_net_receive(card, frame, sizeof(frame)));
	return MACHINE_CONSOLE_NONE;
}

static void begin(void)
{
	machine_fixture_begin();
	looks = 0;
	link_of_card = (struct virtio_link){.send = send_frame, .outside = true};
	card = virtio_net_make((const uint8_t[VIRTIO_NET_MAC]){2}, &link_of_card);
	cr_assert_not_null(card);
}

static void end(void)
{
	free(card);
	machine_fixture_end();
}

TestSuite(machine_network, .init = begin, .fini = end);

/* A driver with one buffer to receive, and its interrupt. */
static void start_card(struct engine_vcpu *vcpu)
{
	static const uint32_t steps[][2] = {
		{0x24, 1},
		{0x20, 1},
		{0x70, 11},
		{0x30, 0},
		{0x38, 2},
		{0x80, (uint32_t)RINGS},
		{0x90, (uint32_t)RINGS + 0x100},
		{0xa0, (uint32_t)RINGS + 0x200},
		{0x44, 1},
		{0x70, 15},
	};
	uint8_t *rings = vcpu->vm->host.ram.host + (RINGS - vcpu->vm->host.ram.base);
	const uint64_t address = RINGS + 0x1000;
	const uint32_t size = ROOM;

	open_gic(vcpu);
	write_mmio(vcpu, 0x08000000, 0x12);
	write_mmio(vcpu, 0x08000080 + INTID / 32 * 4, UINT32_MAX);
	write_mmio(vcpu, 0x08000100 + INTID / 32 * 4, 1u << INTID % 32);
	memcpy(rings, &address, sizeof(address));
	memcpy(rings + 8, &size, sizeof(size));
	rings[12] = 2;
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		write_mmio(vcpu, SLOT + steps[i][0], steps[i][1]);
	rings[0x102] = 1;
	write_mmio(vcpu, SLOT + 0x50, 0);
}

static int guest_waits(struct engine_vcpu *vcpu)
{
	if (vcpu->step == 0)
		start_card(vcpu);
	if (vcpu->irq) {
		const uint8_t *rings = vcpu->vm->host.ram.host + (RINGS - vcpu->vm->host.ram.base);

		cr_assert_eq(read_sysreg(vcpu, IAR1), INTID);
		cr_assert_eq(rings[0x202], 1);
		cr_assert_eq(rings[0x1000 + 12], 1);
		return power_off(vcpu);
	}
	return ENGINE_EXIT_WFI;
}

static struct machine_config network_config(struct virtio_device **devices)
{
	struct machine_config c = config(1);

	c.virtio = devices;
	c.console.poll = poll_link;
	fake_guest = guest_waits;
	return c;
}

Test(machine_network, a_frame_wakes_a_guest_that_waits)
{
	struct virtio_device *devices[DEVICE_VIRTIO] = {card};
	struct machine_config c = network_config(devices);

	cr_assert_eq(run_config(&c), MACHINE_POWER_OFF, "%s", why);
	cr_assert_eq(looks, 2);
	machine_destroy(machine);
}

Test(machine_network, realtime_waits_for_a_frame)
{
	struct virtio_device *devices[DEVICE_VIRTIO] = {card};
	struct machine_config c = network_config(devices);

	c.choices.realtime = true;
	cr_assert_eq(run_config(&c), MACHINE_POWER_OFF, "%s", why);
	machine_destroy(machine);
}

/* Where nothing comes by itself, nothing is waited for. */
Test(machine_network, a_guest_that_only_talks_to_itself_is_stuck)
{
	struct virtio_device *devices[DEVICE_VIRTIO] = {card};
	struct machine_config c = network_config(devices);

	link_of_card.outside = false;
	cr_assert_eq(run_config(&c), MACHINE_STUCK);
	machine_destroy(machine);
}

static enum machine_console_event poll_nothing(void *ctx, int timeout_ms, uint8_t *bytes,
					       size_t room, size_t *got)
{
	(void)ctx, (void)timeout_ms, (void)bytes, (void)room;
	*got = 0;
	return MACHINE_CONSOLE_NONE;
}

/* A machine with a new card, recorded in file or replayed from there. */
static void run_recorded(FILE *file, bool replayed, bool realtime)
{
	struct virtio_device *devices[DEVICE_VIRTIO] = {card};
	struct machine_config c = network_config(devices);

	c.choices.realtime = realtime;
	if (replayed)
		c.console.poll = poll_nothing;
	machine = machine_create(&c, why, sizeof(why));
	cr_assert_not_null(machine, "%s", why);
	cr_assert_eq(replayed ? machine_replay(machine, file, why, sizeof(why))
			      : machine_record(machine, file, "", why, sizeof(why)),
		     0, "%s", why);
	cr_expect_eq(machine_run(machine, why, sizeof(why)), MACHINE_POWER_OFF, "%s", why);
	machine_stats(machine, &stats);
	machine_destroy(machine);
}

Test(machine_network, a_recorded_frame_comes_again)
{
	for (int realtime = 0; realtime < 2; realtime++) {
		FILE *file = tmpfile();
		uint64_t time;

		looks = 0;
		run_recorded(file, false, realtime);
		time = stats.time;
		rewind(file);
		free(card);
		card = virtio_net_make((const uint8_t[VIRTIO_NET_MAC]){2}, &link_of_card);
		run_recorded(file, true, realtime);
		cr_expect_eq(stats.time, time);
		(void)fclose(file);
	}
}
