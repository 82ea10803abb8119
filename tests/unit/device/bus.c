// SPDX-License-Identifier: BSD-2-Clause
/* The MMIO bus: an access reaches a device whole, aligned and inside its window, or not at all. */
#include <criterion/criterion.h>

#include "device/bus.h"

struct probe {
	uint64_t offset, value;
	unsigned int accesses, bytes;
};

static uint64_t probe_read(void *ctx, unsigned int cpu, uint64_t offset, unsigned int bytes)
{
	struct probe *probe = ctx;

	(void)cpu;
	probe->offset = offset;
	probe->bytes = bytes;
	probe->accesses++;
	return UINT64_C(0x1122334455667788);
}

static void probe_write(void *ctx, unsigned int cpu, uint64_t offset, unsigned int bytes,
			uint64_t value)
{
	struct probe *probe = ctx;

	(void)cpu;
	probe->offset = offset;
	probe->bytes = bytes;
	probe->value = value;
	probe->accesses++;
}

static struct bus_device device(struct probe *probe, uint64_t base, uint64_t size)
{
	return (struct bus_device){base, size, probe, probe_read, probe_write};
}

Test(bus, windows_must_not_overlap_wrap_or_be_empty)
{
	struct probe probe = {0};
	struct bus bus = {0};
	struct bus_device d = device(&probe, 0x1000, 0x1000);

	cr_assert_eq(bus_add(&bus, &d), 0);
	d = device(&probe, 0x1fff, 1);
	cr_assert_eq(bus_add(&bus, &d), -1);
	d = device(&probe, 0x0, 0x1001);
	cr_assert_eq(bus_add(&bus, &d), -1);
	d = device(&probe, 0x3000, 0);
	cr_assert_eq(bus_add(&bus, &d), -1);
	d = device(&probe, UINT64_MAX - 1, 4);
	cr_assert_eq(bus_add(&bus, &d), -1);
	d = device(&probe, 0x2000, 0x1000);
	cr_assert_eq(bus_add(&bus, &d), 0);
}

Test(bus, full_bus_refuses)
{
	struct probe probe = {0};
	struct bus bus = {0};

	for (unsigned int i = 0; i <= BUS_MAX_DEVICES; i++) {
		struct bus_device d = device(&probe, i * 0x1000u, 0x1000);

		cr_assert_eq(bus_add(&bus, &d), i < BUS_MAX_DEVICES ? 0 : -1);
	}
}

Test(bus, accesses_reach_the_device_with_their_offset)
{
	struct probe probe = {0};
	struct bus bus = {0};
	struct bus_device d = device(&probe, 0x1000, 0x100);
	uint64_t value = 0;

	bus_add(&bus, &d);
	cr_assert_eq(bus_read(&bus, 0, 0x10f8, 8, &value), ENGINE_OK);
	cr_assert_eq(probe.offset, 0xf8);
	cr_assert_eq(value, UINT64_C(0x1122334455667788));
	cr_assert_eq(bus_read(&bus, 0, 0x10ff, 1, &value), ENGINE_OK);
	cr_assert_eq(value, 0x88, "a read is as wide as the access");
	cr_assert_eq(bus_write(&bus, 0, 0x1002, 2, 0xabcdef), ENGINE_OK);
	cr_assert_eq(probe.value, 0xcdef, "a write is as wide as the access");
	cr_assert_eq(probe.bytes, 2);
}

Test(bus, nothing_answers_outside_or_misaligned)
{
	struct probe probe = {0};
	struct bus bus = {0};
	struct bus_device d = device(&probe, 0x1000, 0xfc);
	uint64_t value = 0;

	bus_add(&bus, &d);
	cr_assert_eq(bus_read(&bus, 0, 0xffc, 4, &value), ENGINE_NONE);
	cr_assert_eq(bus_read(&bus, 0, 0x10f8, 8, &value), ENGINE_NONE,
		     "only half of it is inside");
	cr_assert_eq(bus_read(&bus, 0, 0x1001, 2, &value), ENGINE_NONE);
	cr_assert_eq(bus_read(&bus, 0, 0x1000, 3, &value), ENGINE_NONE);
	cr_assert_eq(bus_read(&bus, 0, 0x1000, 16, &value), ENGINE_NONE);
	cr_assert_eq(bus_write(&bus, 0, 0x10fc, 4, 0), ENGINE_NONE);
	cr_assert_eq(bus_write(&bus, 0, UINT64_MAX, 1, 0), ENGINE_NONE);
	cr_assert_eq(probe.accesses, 0);
}
