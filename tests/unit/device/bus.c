/* SPDX-License-Identifier: BSD-2-Clause */
/* The MMIO bus: an access reaches a device whole, aligned and inside its window, or not at all. */

#include "../compare.h"
#include "device/bus.h"
#include "device_fixture.h"

struct probe {
	struct device device;
	uint64_t offset, value;
	unsigned int accesses, bytes;
};

static uint64_t probe_read(struct device *device, unsigned int cpu, uint64_t offset,
			   unsigned int bytes)
{
	struct probe *probe = (struct probe *)device;

	(void)cpu;
	probe->offset = offset;
	probe->bytes = bytes;
	probe->accesses++;
	return UINT64_C(0x1122334455667788);
}

static void probe_write(struct device *device, unsigned int cpu, uint64_t offset,
			unsigned int bytes, uint64_t value)
{
	struct probe *probe = (struct probe *)device;

	(void)cpu;
	probe->offset = offset;
	probe->bytes = bytes;
	probe->value = value;
	probe->accesses++;
}

/* Registers whose CRn is 5 are its own, and of those it has CRm 0 alone. */
static bool probe_sysreg_read(struct device *device, unsigned int cpu, uint32_t encoding,
			      uint64_t *value)
{
	(void)device;
	*value = cpu;
	return (encoding >> 3 & 15) == 0;
}

static bool probe_sysreg_write(struct device *device, unsigned int cpu, uint32_t encoding,
			       uint64_t value)
{
	struct probe *probe = (struct probe *)device;

	(void)cpu;
	probe->value = value;
	return (encoding >> 3 & 15) == 0;
}

static struct bus bus;

/* What a test has put on it: types live as long as it does. */
static struct device_type types[200];
static struct device *probes[200];
static size_t probe_count;

static void free_probes(void)
{
	bus_free(&bus);
	while (probe_count > 0)
		device_free(probes[--probe_count]);
}

TestSuite(bus, .fini = free_probes);

/* Put a device with one window on the bus. */
static int add(uint64_t base, uint64_t size, struct probe **probe)
{
	struct device_type *type = &types[probe_count];

	*type = (struct device_type){
		.name = "probe",
		.size = sizeof(**probe),
		.windows = {{base, size, false, probe_read, probe_write}},
		.sysregs = {{DEVICE_CRN_MASK, SYSREG_ENCODING(0, 0, 5, 0, 0)}},
		.sysreg_read = probe_sysreg_read,
		.sysreg_write = probe_sysreg_write,
	};
	*probe = (struct probe *)make_device(type, 2);
	probes[probe_count++] = &(*probe)->device;
	return bus_add(&bus, &(*probe)->device);
}

Test(bus, windows_must_not_overlap_or_wrap)
{
	struct probe *probe;

	cr_assert_eq(add(0x1000, 0x1000, &probe), 0);
	cr_assert_eq(add(0x1fff, 1, &probe), -1);
	cr_assert_eq(add(0x0, 0x1001, &probe), -1);
	cr_assert_eq(add(UINT64_MAX - 1, 4, &probe), -1);
	cr_assert_eq(add(0x2000, 0x1000, &probe), 0);
}

Test(bus, a_window_of_no_size_is_none)
{
	struct probe *probe;
	uint64_t value;

	cr_assert_eq(add(0x3000, 0, &probe), 0);
	cr_assert_eq(bus_read(&bus, 0, 0x3000, 4, &value), ENGINE_NONE);
}

Test(bus, has_room_for_any_number)
{
	struct probe *probe;
	uint64_t value;

	for (unsigned int i = 0; i < 200; i++)
		cr_assert_eq(add(i * UINT64_C(0x1000), 0x1000, &probe), 0);
	cr_assert_eq(bus_read(&bus, 0, 199 * UINT64_C(0x1000) + 4, 4, &value), ENGINE_OK);
	cr_assert_eq(probe->offset, 4);
}

Test(bus, a_part_for_each_vcpu)
{
	struct device_type type = {
		.name = "parts",
		.size = sizeof(struct probe),
		.windows = {{0x1000, 0x100, true, probe_read, probe_write}},
	};
	struct probe *probe = (struct probe *)make_device(&type, 3);
	uint64_t value;

	cr_assert_eq(bus_add(&bus, &probe->device), 0);
	cr_assert_eq(bus_read(&bus, 0, 0x12f8, 8, &value), ENGINE_OK);
	cr_assert_eq(probe->offset, 0x2f8);
	cr_assert_eq(bus_read(&bus, 0, 0x1300, 8, &value), ENGINE_NONE);
	device_free(&probe->device);
}

Test(bus, system_registers_by_their_encoding)
{
	struct probe *probe;
	uint64_t value = 9;

	cr_assert_eq(add(0, 0x1000, &probe), 0);
	cr_assert_eq(bus_sysreg_read(&bus, 1, SYSREG_ENCODING(3, 4, 5, 0, 7), &value), ENGINE_OK);
	cr_assert_eq(value, 1);
	cr_assert_eq(bus_sysreg_write(&bus, 0, SYSREG_ENCODING(3, 0, 5, 0, 0), 77), ENGINE_OK);
	cr_assert_eq(probe->value, 77);
	cr_assert_eq(bus_sysreg_read(&bus, 0, SYSREG_ENCODING(3, 0, 5, 1, 0), &value), ENGINE_NONE,
		     "its own, and none that there is");
	cr_assert_eq(bus_sysreg_write(&bus, 0, SYSREG_ENCODING(3, 0, 6, 0, 0), 0), ENGINE_NONE,
		     "nobody's");
}

Test(bus, accesses_reach_the_device_with_their_offset)
{
	struct probe *probe;
	uint64_t value = 0;

	cr_assert_eq(add(0x1000, 0x100, &probe), 0);
	cr_assert_eq(bus_read(&bus, 0, 0x10f8, 8, &value), ENGINE_OK);
	cr_assert_eq(probe->offset, 0xf8);
	cr_assert_eq(value, UINT64_C(0x1122334455667788));
	cr_assert_eq(bus_read(&bus, 0, 0x10ff, 1, &value), ENGINE_OK);
	cr_assert_eq(value, 0x88, "a read is as wide as the access");
	cr_assert_eq(bus_write(&bus, 0, 0x1002, 2, 0xabcdef), ENGINE_OK);
	cr_assert_eq(probe->value, 0xcdef, "a write is as wide as the access");
	cr_assert_eq(probe->bytes, 2);
}

Test(bus, nothing_answers_outside_or_misaligned)
{
	struct probe *probe;
	uint64_t value = 0;

	cr_assert_eq(add(0x1000, 0xfc, &probe), 0);
	cr_assert_eq(bus_read(&bus, 0, 0xffc, 4, &value), ENGINE_NONE);
	cr_assert_eq(bus_read(&bus, 0, 0x10f8, 8, &value), ENGINE_NONE,
		     "only half of it is inside");
	cr_assert_eq(bus_read(&bus, 0, 0x1001, 2, &value), ENGINE_NONE);
	cr_assert_eq(bus_read(&bus, 0, 0x1000, 3, &value), ENGINE_NONE);
	cr_assert_eq(bus_read(&bus, 0, 0x1000, 16, &value), ENGINE_NONE);
	cr_assert_eq(bus_write(&bus, 0, 0x10fc, 4, 0), ENGINE_NONE);
	cr_assert_eq(bus_write(&bus, 0, UINT64_MAX, 1, 0), ENGINE_NONE);
	cr_assert_eq(probe->accesses, 0);
}
