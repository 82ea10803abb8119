/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every device of the list owes, whichever it is: nothing of two devices is the same, a reset
 * is a reset, what is saved comes back, and no access can hurt it.
 */
#include <stdlib.h>
#include <string.h>

#include "../compare.h"
#include "../described.h"
#include "device/bus.h"
#include "device/gic.h"
#include "device_fixture.h"

#define CPUS	 3
#define ACCESSES 20000

static uint64_t draw(uint64_t *random)
{
	*random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *random >> 16;
}

/* The bytes of a device and of all its vCPUs; to be freed. */
static struct state save(struct device *device)
{
	struct state state;

	state_save(&state, device->type->name);
	for (unsigned int i = 0; i < device_sections(device); i++)
		device->type->state(device, i, &state);
	cr_assert(state_end(&state), "%s", state.why);
	return state;
}

static void load(struct device *device, const struct state *from)
{
	struct state state;

	state_load(&state, device->type->name, from->bytes, from->at);
	for (unsigned int i = 0; i < device_sections(device); i++)
		device->type->state(device, i, &state);
	cr_assert(state_end(&state), "%s", state.why);
}

static bool same(const struct state *a, const struct state *b)
{
	return a->at == b->at && (a->at == 0 || memcmp(a->bytes, b->bytes, a->at) == 0);
}

/* An access to a register that the device may have, or to any of its CRn. */
static void disturb_sysreg(struct device *device, uint64_t *random)
{
	const struct device_type *type = device->type;
	const struct device_sysregs *match = &type->sysregs[draw(random) % DEVICE_SYSREGS];
	const uint32_t any = (uint32_t)draw(random) & UINT32_C(0x1ffff);
	uint64_t value = draw(random) << 32 ^ draw(random);

	if (!match->mask)
		return;
	if (draw(random) & 1)
		(void)type->sysreg_write(device, (unsigned int)(draw(random) % CPUS),
					 (any & ~match->mask) | match->value, value);
	else
		(void)type->sysreg_read(device, (unsigned int)(draw(random) % CPUS),
					(any & ~match->mask) | match->value, &value);
}

static void disturb_window(struct device *device, uint64_t *random)
{
	const struct device_window *window = &device->type->windows[draw(random) % DEVICE_WINDOWS];
	const unsigned int bytes = 1u << draw(random) % 4;
	uint64_t value = draw(random) << 32 ^ draw(random);

	if (!window->size)
		return;
	if (bytes < 8)
		value &= (UINT64_C(1) << 8 * bytes) - 1;
	if (window->write && draw(random) & 1)
		window->write(device, (unsigned int)(draw(random) % CPUS),
			      draw(random) % device_window_size(window, device->config) & -bytes,
			      bytes, value);
	else
		(void)window->read(
			device, (unsigned int)(draw(random) % CPUS),
			draw(random) % device_window_size(window, device->config) & -bytes, bytes);
}

/* Whatever can happen to it. */
static void disturb(struct device *device, uint64_t *random)
{
	const struct device_type *type = device->type;
	const unsigned int cpu = (unsigned int)(draw(random) % CPUS);

	host_now += draw(random) % 1000;
	switch (draw(random) % 8) {
	case 0:
		if (type->controller)
			type->controller->set_line(device, cpu,
						   (unsigned int)(16 + draw(random) % 112),
						   draw(random) & 1);
		break;
	case 1:
		if (device_takes_input(device)) {
			const uint8_t bytes[DEVICE_CONSOLE_ROOM] = {1, 2, 3};
			const size_t room = type->console->room(device);

			cr_assert_leq(room, DEVICE_CONSOLE_ROOM);
			type->console->receive(device, bytes, draw(random) % (room + 1));
		}
		break;
	case 2:
		if (type->update)
			type->update(device, host_now);
		if (type->deadline)
			cr_assert_gt(type->deadline(device, host_now), host_now);
		if (type->update_cpu)
			type->update_cpu(device, cpu, host_now);
		if (type->deadline_cpu)
			cr_assert_gt(type->deadline_cpu(device, cpu, host_now), host_now);
		break;
	case 3:
		if (type->reset_cpu && draw(random) % 16 == 0)
			type->reset_cpu(device, cpu, draw(random) & 1);
		break;
	case 4: disturb_sysreg(device, random); break;
	default: disturb_window(device, random); break;
	}
}

Test(device_list, a_type_is_whole)
{
	for (size_t i = 0; i < DEVICE_COUNT; i++) {
		const struct device_type *type = device_types[i];

		cr_assert_not_null(type->name);
		if (type->size)
			cr_assert_gt(type->size, sizeof(struct device), "%s", type->name);
		for (size_t n = 0; n < DEVICE_WINDOWS; n++)
			if (type->windows[n].size)
				cr_assert_not_null(type->windows[n].read, "%s", type->name);
		cr_assert_eq(type->sysregs[0].mask != 0, type->sysreg_read && type->sysreg_write,
			     "%s", type->name);
		if (type->state) {
			cr_assert_not_null(type->section, "%s", type->name);
			cr_assert_eq(strlen(type->section), 4, "%s", type->name);
			cr_assert(type->part, "%s", type->name);
			cr_assert(type->size || type->sections, "%s", type->name);
		}
		cr_assert(!type->size || type->state, "%s keeps what is not saved", type->name);
		cr_assert_eq(type->update != NULL, type->deadline != NULL, "%s", type->name);
	}
}

Test(device_list, nothing_is_of_two_devices)
{
	struct device *devices[DEVICE_COUNT];
	struct bus bus = {0};

	for (size_t i = 0; i < DEVICE_COUNT; i++) {
		const struct device_type *a = device_types[i];

		devices[i] = make_device(a, DEVICE_MAX_CPUS);
		/* What is there or not there together with another may be where that is. */
		if (device_exists(a, &host_config))
			cr_assert_eq(bus_add(&bus, devices[i]), 0, "%s", a->name);
		for (size_t j = 0; j < i; j++) {
			const struct device_type *b = device_types[j];

			cr_assert_str_neq(a->name, b->name);
			if (a->section && b->section)
				cr_assert_str_neq(a->section, b->section);
			for (size_t n = 0; n < DEVICE_INTERRUPTS * DEVICE_INTERRUPTS; n++) {
				const unsigned int intid = a->interrupts[n / DEVICE_INTERRUPTS];

				if (intid)
					cr_assert_neq(intid, b->interrupts[n % DEVICE_INTERRUPTS],
						      "%s and %s", a->name, b->name);
			}
		}
	}
	bus_free(&bus);
	for (size_t i = 0; i < DEVICE_COUNT; i++)
		device_free(devices[i]);
}

Test(device_list, no_register_is_of_two_devices)
{
	for (uint32_t encoding = 0; encoding < UINT32_C(0x20000); encoding++) {
		unsigned int owners = 0;

		for (size_t i = 0; i < DEVICE_COUNT; i++) {
			bool mine = false;

			for (size_t n = 0; n < DEVICE_SYSREGS; n++) {
				const struct device_sysregs *match = &device_types[i]->sysregs[n];

				mine |= match->mask && (encoding & match->mask) == match->value;
			}
			owners += mine;
		}
		cr_assert_leq(owners, 1, "%x", encoding);
	}
}

/* Every register that a device knows is among those that it says it has. */
Test(device_list, no_register_is_missed)
{
	for (size_t i = 0; i < DEVICE_COUNT; i++) {
		const struct device_type *type = device_types[i];
		struct device *device = make_device(type, CPUS);
		uint64_t value;

		for (uint32_t encoding = 0; encoding < UINT32_C(0x20000) && type->sysreg_read;
		     encoding++) {
			bool mine = false;

			for (size_t n = 0; n < DEVICE_SYSREGS; n++)
				mine |= type->sysregs[n].mask &&
					(encoding & type->sysregs[n].mask) ==
						type->sysregs[n].value;
			if (mine)
				continue;
			cr_assert_not(type->sysreg_read(device, 0, encoding, &value), "%s: %x",
				      type->name, encoding);
			cr_assert_not(type->sysreg_write(device, 0, encoding, 0), "%s: %x",
				      type->name, encoding);
		}
		device_free(device);
	}
}

Test(device_list, every_offset_and_size_can_be_accessed)
{
	for (size_t i = 0; i < DEVICE_COUNT; i++) {
		if (!device_exists(device_types[i], &host_config))
			continue;
		struct device *device = make_device(device_types[i], CPUS);

		for (size_t n = 0; n < DEVICE_WINDOWS; n++) {
			const struct device_window *window = &device->type->windows[n];
			const uint64_t size = device_window_size(window, device->config);

			for (unsigned int bytes = 1; bytes <= 8; bytes *= 2) {
				for (uint64_t at = 0; at < size; at += bytes) {
					(void)window->read(device, 0, at, bytes);
					if (window->write)
						window->write(device, 0, at, bytes, 0);
				}
			}
		}
		device_free(device);
	}
}

Test(device_list, a_reset_forgets_everything)
{
	uint64_t random = 1;

	for (size_t i = 0; i < DEVICE_COUNT; i++) {
		if (!device_exists(device_types[i], &host_config))
			continue;
		struct device *device = make_device(device_types[i], CPUS);
		struct state first = save(device), again;

		for (unsigned int n = 0; n < ACCESSES; n++)
			disturb(device, &random);
		device_reset(device);
		again = save(device);
		cr_assert(same(&first, &again), "%s", device->type->name);
		state_free(&first);
		state_free(&again);
		device_free(device);
	}
}

/* Saved at random points, it goes on as the one that was not. */
Test(device_list, what_is_saved_comes_back_and_goes_on_alike)
{
	for (size_t i = 0; i < DEVICE_COUNT; i++) {
		if (!device_exists(device_types[i], &host_config))
			continue;
		uint64_t random = i;
		struct device *one = make_device(device_types[i], CPUS);
		struct device *other = make_device(device_types[i], CPUS);

		for (unsigned int n = 0; n < 200; n++) {
			struct state before, after;
			uint64_t twice;

			for (unsigned int times = 0; times < 20; times++)
				disturb(one, &random);
			before = save(one);
			load(other, &before);
			after = save(other);
			cr_assert(same(&before, &after), "%s", one->type->name);
			state_free(&before);
			state_free(&after);
			twice = random;
			for (unsigned int times = 0; times < 20; times++) {
				const uint64_t now = host_now;

				disturb(one, &random);
				host_now = now;
				disturb(other, &twice);
			}
			before = save(one);
			after = save(other);
			cr_assert(same(&before, &after), "%s goes another way", one->type->name);
			state_free(&before);
			state_free(&after);
		}
		device_free(one);
		device_free(other);
	}
}

static void describe_device(void *object, struct state *state)
{
	struct device *device = object;

	device->type->state(device, 0, state);
}

/*
 * How many of the bytes that a device keeps are not in its section, of a machine of one vCPU:
 * padding, other vCPUs, what follows from the configuration, what is made anew. A field that was
 * forgotten makes it another number.
 */
Test(device_list, no_field_is_forgotten)
{
	static const struct {
		const struct device_type *type;
		size_t slack;
	} rows[] = {
		/* The number of vCPUs, and padding: a byte in each interrupt and interface. */
		{&device_gic, (DEVICE_MAX_CPUS - 1) * sizeof(struct gic_cpu) + 119},
		/* vCPUs of 176 bytes; a line and padding in each of the 7 timers. */
		{&device_timer, (DEVICE_MAX_CPUS - 1) * 176 + 7 * 6},
		{&device_pl011, 5},
		{&device_pl061, 7},
		{&device_pl031, 9},
	};
	size_t owed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct device *device = make_device(rows[i].type, 1);
		const size_t size = rows[i].type->size, head = sizeof(*device);

		cr_expect_eq(size - head - described(device, head, size, describe_device),
			     rows[i].slack, "%s: %zu", rows[i].type->name,
			     size - head - described(device, head, size, describe_device));
		device_free(device);
	}
	for (size_t i = 0; i < DEVICE_COUNT; i++)
		owed += device_types[i]->size != 0 && device_exists(device_types[i], &host_config);
	cr_assert_eq(ARRAY_SIZE(rows), owed, "a device has no row here");
}
