/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ACPI tables as firmware puts them together: what an operating system finds in them (ACPI
 * Specification 6.3).
 */
#include <stdlib.h>
#include <string.h>

#include "../compare.h"
#include "acpi_install.h"
#include "device/virtio.h"

static struct acpi_install installed;

static const struct device_config plain = {.choices.cpus = 2,
					   .choices.levels = {.start = 1},
					   .choices.spe = true,
					   .choices.pmu = PMU_V3P1,
					   .midr = 0x000f0560};

static void install(const struct device_config *config)
{
	const char *wrong = acpi_install(config, &installed);

	cr_assert_null(wrong, "%s", wrong);
}

static void teardown(void)
{
	acpi_install_free(&installed);
}

TestSuite(acpi_tables, .fini = teardown);

static const uint8_t *table(const char *signature)
{
	return acpi_find(&installed, signature);
}

static uint64_t field(const char *signature, size_t at, unsigned int bytes)
{
	const uint8_t *from = table(signature);

	cr_assert_not_null(from, "%s", signature);
	cr_assert_leq(at + bytes, acpi_number(from + 4, 4), "%s has %zu", signature, at);
	return acpi_number(from + at, bytes);
}

/* Structure n of that type in the MADT, or NULL. */
static const uint8_t *madt(uint8_t type, unsigned int n)
{
	const uint8_t *from = table("APIC"), *end = from + acpi_number(from + 4, 4);

	for (const uint8_t *at = from + 44; at < end; at += at[1]) {
		cr_assert_geq(at[1], 2);
		if (at[0] == type && n-- == 0)
			return at;
	}
	return NULL;
}

Test(acpi_tables, every_table_has_its_length_and_sum)
{
	static const char *const there[] = {"FACP", "APIC", "GTDT", "SPCR", "PPTT", "DSDT"};

	install(&plain);
	for (size_t i = 0; i < ARRAY_SIZE(there); i++)
		cr_assert_not_null(table(there[i]), "%s", there[i]);
	cr_assert_null(table("MCFG"), "there is no PCI");
}

Test(acpi_tables, gicc_has_the_interrupts_of_spe_and_the_pmu)
{
	struct device_config without = plain;

	install(&plain);
	for (unsigned int i = 0; i < 2; i++) {
		const uint8_t *gicc = madt(0x0b, i);

		cr_assert_not_null(gicc);
		cr_assert_eq(gicc[1], 80);
		cr_assert_eq(acpi_number(gicc + 8, 4), i, "UID");
		cr_assert_eq(acpi_number(gicc + 12, 4), 1, "enabled");
		cr_assert_eq(acpi_number(gicc + 20, 4), 23, "performance interrupt");
		cr_assert_eq(acpi_number(gicc + 56, 4), 0, "no maintenance interrupt at EL1");
		cr_assert_eq(acpi_number(gicc + 68, 8), i, "MPIDR");
		cr_assert_eq(acpi_number(gicc + 78, 2), 21, "SPE overflow interrupt");
	}
	cr_assert_null(madt(0x0b, 2));
	teardown();
	without.choices.spe = false, without.choices.pmu = PMU_NONE;
	install(&without);
	cr_assert_eq(acpi_number(madt(0x0b, 0) + 20, 4), 0);
	cr_assert_eq(acpi_number(madt(0x0b, 0) + 78, 2), 0);
}

Test(acpi_tables, affinity_of_more_than_a_cluster)
{
	struct device_config many = plain;

	many.choices.cpus = 64;
	install(&many);
	cr_assert_eq(acpi_number(madt(0x0b, 17) + 68, 8), 0x101);
	cr_assert_not_null(madt(0x0b, 63));
}

Test(acpi_tables, the_gic_is_where_the_device_tree_has_it)
{
	install(&plain);
	cr_assert_eq(acpi_number(madt(0x0c, 0) + 8, 8), 0x08000000, "GICD");
	cr_assert_eq(madt(0x0c, 0)[20], 3, "a GICv3");
	cr_assert_eq(acpi_number(madt(0x0e, 0) + 4, 8), 0x080a0000, "GICR");
	cr_assert_eq(acpi_number(madt(0x0e, 0) + 12, 4), 2 * 0x20000);
}

Test(acpi_tables, psci_is_called_as_the_level_demands)
{
	static const uint16_t flags[] = {[1] = 3, [2] = 1, [3] = 0};

	for (uint8_t el = 1; el <= 3; el++) {
		struct device_config config = plain;

		config.choices.levels =
			(struct engine_levels){.start = el, .el2 = true, .el3 = el == 3};
		install(&config);
		cr_assert_eq(field("FACP", 129, 2), flags[el], "EL%u", el);
		cr_assert_eq(field("FACP", 112, 4), 1u << 20, "hardware-reduced");
		cr_assert_eq(field("GTDT", 96, 4), el == 1 ? 0 : 28, "EL2's virtual timer");
		cr_assert_eq(acpi_number(madt(0x0b, 0) + 56, 4), el == 1 ? 0 : 25);
		teardown();
	}
}

Test(acpi_tables, timers)
{
	static const uint32_t intids[] = {29, 30, 27, 26};

	install(&plain);
	for (size_t i = 0; i < 4; i++) {
		cr_assert_eq(field("GTDT", 48 + 8 * i, 4), intids[i]);
		cr_assert_eq(field("GTDT", 52 + 8 * i, 4), 4, "level, high, always on");
	}
	cr_assert_eq(field("GTDT", 36, 8), UINT64_MAX, "no counter in memory");
}

Test(acpi_tables, the_console_is_the_pl011)
{
	install(&plain);
	cr_assert_eq(field("SPCR", 36, 1), 3, "Arm PL011");
	cr_assert_eq(field("SPCR", 44, 8), 0x09000000);
	cr_assert_eq(field("SPCR", 54, 4), 33);
}

/* Each PE has three private caches, and they lead to its level 2. */
Test(acpi_tables, caches)
{
	const uint8_t *pptt, *end;
	unsigned int leaves = 0, caches = 0;

	install(&plain);
	pptt = table("PPTT");
	end = pptt + acpi_number(pptt + 4, 4);
	for (const uint8_t *at = pptt + 36; at < end; at += at[1]) {
		cr_assert_geq(at[1], 20);
		caches += at[0] == 1;
		if (at[0] != 0 || !(at[4] & 8))
			continue;
		cr_assert_eq(acpi_number(at + 12, 4), leaves++, "UID");
		cr_assert_eq(acpi_number(at + 16, 4), 2);
		for (size_t i = 0; i < 2; i++) {
			const uint8_t *cache = pptt + acpi_number(at + 20 + 4 * i, 4);
			const uint8_t *next = pptt + acpi_number(cache + 8, 4);

			cr_assert_eq(cache[0], 1);
			cr_assert_eq(acpi_number(cache + 12, 4),
				     acpi_number(cache + 16, 4) * cache[20] *
					     acpi_number(cache + 22, 2),
				     "sets, ways and lines make the size");
			cr_assert_eq(next[0], 1);
			cr_assert_gt(acpi_number(next + 12, 4), acpi_number(cache + 12, 4));
		}
	}
	cr_assert_eq(leaves, 2);
	cr_assert_eq(caches, 6);
}

/* Two nodes with a PE each, and slow memory. */
static struct device_config with_nodes(void)
{
	struct device_config config = plain;

	config.choices.ram_size = UINT64_C(1) << 30;
	config.choices.numa =
		(struct model_nodes){.count = 3,
				     .node = {{.size = UINT64_C(512) << 20, .cores = 1},
					      {.size = UINT64_C(256) << 20, .cores = 2},
					      {.size = UINT64_C(256) << 20, .latency = 400}}};
	return config;
}

/* ACPI 6.5, 5.2.16: a GICC affinity has 18 bytes, one of memory 40. */
Test(acpi_tables, srat_says_which_node_has_what)
{
	const struct device_config config = with_nodes();
	static const uint64_t bases[] = {0x40000000, 0x60000000, 0x70000000};

	install(&config);
	cr_assert_eq(field("SRAT", 8, 1), 3, "revision");
	cr_assert_eq(field("SRAT", 4, 4), 48 + 2 * 18 + 3 * 40);
	for (size_t i = 0; i < 2; i++) {
		cr_assert_eq(field("SRAT", 48 + 18 * i, 2), 0x1203);
		cr_assert_eq(field("SRAT", 50 + 18 * i, 4), i, "domain");
		cr_assert_eq(field("SRAT", 54 + 18 * i, 4), i, "UID");
		cr_assert_eq(field("SRAT", 58 + 18 * i, 4), 1, "enabled");
	}
	for (size_t i = 0; i < 3; i++) {
		const size_t at = 84 + 40 * i;

		cr_assert_eq(field("SRAT", at, 2), 0x2801);
		cr_assert_eq(field("SRAT", at + 2, 4), i, "domain");
		cr_assert_eq(field("SRAT", at + 8, 8), bases[i]);
		cr_assert_eq(field("SRAT", at + 16, 8), config.choices.numa.node[i].size);
		cr_assert_eq(field("SRAT", at + 28, 4), 1, "enabled");
	}
}

Test(acpi_tables, slit_and_hmat_say_how_far_nodes_are)
{
	static const uint8_t distances[] = {10, 15, 20, 15, 10, 20, 20, 20, 10};
	static const uint16_t latencies[] = {200, 310, 400, 310, 200, 400};
	const struct device_config config = with_nodes();
	const size_t table = 40 + 3 * 40; /* the latencies, after the domains */

	install(&config);
	cr_assert_eq(field("SLIT", 8, 1), 1, "revision");
	cr_assert_eq(field("SLIT", 36, 8), 3);
	for (size_t i = 0; i < 9; i++)
		cr_assert_eq(field("SLIT", 44 + i, 1), distances[i], "%zu", i);
	cr_assert_eq(field("HMAT", 8, 1), 2, "revision");
	for (size_t i = 0; i < 3; i++) {
		cr_assert_eq(field("HMAT", 40 + 40 * i, 2), 0, "a memory's domain");
		cr_assert_eq(field("HMAT", 48 + 40 * i, 2), i < 2, "has PEs");
		cr_assert_eq(field("HMAT", 52 + 40 * i, 4), i < 2 ? i : 0);
		cr_assert_eq(field("HMAT", 56 + 40 * i, 4), i);
	}
	cr_assert_eq(field("HMAT", table, 2), 1, "latency or bandwidth");
	cr_assert_eq(field("HMAT", table + 4, 4), 32 + 5 * 4 + 6 * 2, "its bytes");
	cr_assert_eq(field("HMAT", 4, 4), table + 32 + 5 * 4 + 6 * 2);
	cr_assert_eq(field("HMAT", table + 9, 1), 0, "latency of an access");
	cr_assert_eq(field("HMAT", table + 12, 4), 2, "domains with PEs");
	cr_assert_eq(field("HMAT", table + 16, 4), 3, "domains with memory");
	cr_assert_eq(field("HMAT", table + 24, 8), 1000, "picoseconds");
	for (size_t i = 0; i < 5; i++)
		cr_assert_eq(field("HMAT", table + 32 + 4 * i, 4), i < 2 ? i : i - 2);
	for (size_t i = 0; i < 6; i++)
		cr_assert_eq(field("HMAT", table + 52 + 2 * i, 2), latencies[i], "%zu", i);
}

/* A node with PEs is a package. */
Test(acpi_tables, packages_are_nodes)
{
	const struct device_config config = with_nodes();
	const uint8_t *pptt, *end;
	unsigned int packages = 0, leaves = 0;

	install(&config);
	pptt = table("PPTT");
	end = pptt + acpi_number(pptt + 4, 4);
	for (const uint8_t *at = pptt + 36; at < end; at += at[1]) {
		packages += at[0] == 0 && at[4] & 1;
		if (at[0] == 0 && at[4] & 8)
			cr_assert_eq(acpi_number(pptt + acpi_number(at + 8, 4) + 12, 4), leaves++,
				     "the package's number");
	}
	cr_assert_eq(packages, 2);
	teardown();
	install(&plain);
	cr_assert_null(table("SRAT"));
	cr_assert_null(table("SLIT"));
	cr_assert_null(table("HMAT"));
}

static bool dsdt_has(const char *text)
{
	const uint8_t *dsdt = table("DSDT");
	const size_t size = acpi_number(dsdt + 4, 4), length = strlen(text);

	for (size_t i = 0; i + length <= size; i++)
		if (memcmp(dsdt + i, text, length) == 0)
			return true;
	return false;
}

Test(acpi_tables, the_dsdt_has_what_the_device_tree_has)
{
	struct virtio_device disk = {0};
	struct device_config config = plain;

	install(&plain);
	cr_assert(dsdt_has("ARMH0011"));
	cr_assert(dsdt_has("ACPI0007"));
	cr_assert_not(dsdt_has("LNRO0005"));
	teardown();
	config.virtio[0] = &disk;
	install(&config);
	cr_assert(dsdt_has("LNRO0005"));
}
