/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guests/lib/platform_acpi.c: what the guests find in ACPI tables, and what they make of broken
 * ones. The tables are made here, by the offsets of ACPI 6.3. Each mapping is a separate allocation
 * of the requested size, so a sanitizer sees reads after its end.
 */
#include <string.h>

#include "../compare.h"
#include "memory.h"

#define BASE UINT64_C(0x10000)
#define RSDP 0x000u
#define XSDT 0x100u
#define FADT 0x1000u
#define MADT 0x2000u
#define GTDT 0x4000u
#define SPCR 0x5000u
#define DBG2 0x6000u
#define END  0x7000u

#define SELF 0x10200u /* the second CPU runs */

static uint8_t memory[END];

static void put(uint32_t at, uint64_t value, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		memory[at + i] = (uint8_t)(value >> 8 * i);
}

static uint32_t size_of(uint32_t table)
{
	uint32_t size = 0;

	for (unsigned int i = 4; i-- > 0;)
		size = size << 8 | memory[table + 4 + i];
	return size;
}

/* Make the sum of size bytes 0 by the byte at sum. */
static void seal_bytes(uint32_t at, uint32_t size, uint32_t sum)
{
	uint8_t total = 0;

	memory[sum] = 0;
	for (uint32_t i = 0; i < size; i++)
		total = (uint8_t)(total + memory[at + i]);
	memory[sum] = (uint8_t)-total;
}

static void seal(uint32_t table)
{
	seal_bytes(table, size_of(table), table + 9);
}

static void seal_rsdp(void)
{
	seal_bytes(RSDP, 20, RSDP + 8);
	seal_bytes(RSDP, 36, RSDP + 32);
}

static void begin(uint32_t table, const char *signature, uint32_t size)
{
	memset(memory + table, 0, size);
	memcpy(memory + table, signature, 4);
	put(table + 4, size, 4);
}

/* Append room for a structure to the MADT. */
static uint32_t add(uint8_t type, uint8_t size)
{
	const uint32_t at = MADT + size_of(MADT);

	put(MADT + 4, size_of(MADT) + size, 4);
	memset(memory + at, 0, size);
	put(at, type, 1);
	put(at + 1, size, 1);
	return at;
}

static uint32_t add_cpu(uint64_t mpidr, uint32_t spe, uint8_t size)
{
	const uint32_t at = add(0x0b, size);

	put(at + 12, 1, 4);
	put(at + 20, 23, 4);
	put(at + 56, 25, 4);
	put(at + 68, mpidr, 8);
	if (size >= 80)
		put(at + 78, spe, 2);
	return at;
}

static uint32_t add_distributor(uint8_t version)
{
	const uint32_t at = add(0x0c, 24);

	put(at + 8, 0x8000000, 8);
	put(at + 20, version, 1);
	return at;
}

static void add_redistributors(uint64_t base, uint32_t size)
{
	const uint32_t at = add(0x0e, 16);

	put(at + 4, base, 8);
	put(at + 12, size, 4);
}

static void begin_madt(void)
{
	begin(MADT, "APIC", 44);
}

/* Add a serial port to DBG2; returns where the next one begins. */
static uint32_t add_port(uint32_t at, uint16_t type, uint16_t subtype, uint64_t base)
{
	put(at, 1, 1);
	put(at + 1, 40, 2);
	put(at + 3, 1, 1);
	put(at + 12, type, 2);
	put(at + 14, subtype, 2);
	put(at + 18, 22, 2);
	put(at + 22 + 4, base, 8);
	return at + 40;
}

/* A machine of three CPUs, one of which does not exist, with a GICv3. */
static void make_machine(void)
{
	static const uint32_t tables[] = {FADT, MADT, GTDT, SPCR, DBG2};
	uint32_t at;

	guest_memory = memory;
	guest_memory_pa = BASE;
	guest_memory_size = END;
	memset(memory, 0, sizeof(memory));
	memcpy(memory + RSDP, "RSD PTR ", 8);
	put(RSDP + 15, 2, 1);
	put(RSDP + 20, 36, 4);
	put(RSDP + 24, BASE + XSDT, 8);
	seal_rsdp();
	begin(XSDT, "XSDT", 36 + 8 * 5);
	for (uint32_t i = 0; i < 5; i++)
		put(XSDT + 36 + 8 * i, BASE + tables[i], 8);
	seal(XSDT);

	begin(FADT, "FACP", 276);
	put(FADT + 129, 3, 2);
	seal(FADT);

	begin_madt();
	add_cpu(0x10100, 21, 80);
	put(add_cpu(0x10500, 30, 80) + 12, 0, 4);
	add_cpu(SELF, 22, 82);
	add_distributor(3);
	add_redistributors(0x80a0000, 0x40000);
	seal(MADT);

	begin(GTDT, "GTDT", 104);
	put(GTDT + 48, 29, 4);
	put(GTDT + 56, 30, 4);
	put(GTDT + 64, 27, 4);
	put(GTDT + 72, 26, 4);
	put(GTDT + 96, 28, 4);
	seal(GTDT);

	begin(SPCR, "SPCR", 80);
	put(SPCR + 36, 3, 1);
	put(SPCR + 40 + 1, 32, 1);
	put(SPCR + 40 + 3, 3, 1);
	put(SPCR + 40 + 4, 0x9000000, 8);
	seal(SPCR);

	begin(DBG2, "DBG2", 44 + 80);
	put(DBG2 + 36, 44, 4);
	put(DBG2 + 40, 2, 4);
	at = add_port(DBG2 + 44, 0x8003, 0, 0xa000000);
	add_port(at, 0x8000, 0x0e, 0xb000000);
	seal(DBG2);
}

TestSuite(platform_acpi, .init = make_machine, .fini = guest_memory_free);

static const struct platform_source *machine(void)
{
	const struct platform_source *source = platform_acpi(BASE + RSDP);

	cr_assert(source);
	return source;
}

Test(platform_acpi, all_of_a_machine)
{
	const struct platform_source *source = machine();
	static const uint32_t intids[] = {29, 30, 27, 26, 28, 22, 23, 25};
	struct platform_gic gic = {0};
	struct platform_uart uart;
	uint64_t mpidr, size;

	cr_assert(source->uart(&uart));
	cr_assert_eq(uart.kind, UART_PL011);
	cr_assert_eq(uart.base, 0x9000000);
	cr_assert_eq(uart.io_width, 4);
	cr_assert_eq(uart.shift, 0);
	cr_assert_str_eq(source->psci(), "hvc");
	cr_assert(source->gic(&gic));
	cr_assert_eq(gic.version, 3);
	cr_assert_eq(gic.base, 0x8000000);
	cr_assert_eq(gic.size, 0x10000);
	cr_assert_eq(gic.regions, 1);
	cr_assert_eq(gic.region[0].base, 0x80a0000);
	cr_assert_eq(gic.region[0].size, 0x40000);
	for (unsigned int i = 0; i < ARRAY_SIZE(intids); i++)
		cr_expect_eq(source->interrupt((enum platform_interrupt)i, SELF), intids[i],
			     "interrupt %u is %u, not %u", i,
			     source->interrupt((enum platform_interrupt)i, SELF), intids[i]);
	cr_expect_eq(source->interrupt(PLATFORM_SPE, 0x10100), 21);
	cr_expect_eq(source->interrupt(PLATFORM_SPE, 0x10500), 0, "of a CPU that is not there");
	cr_assert(source->cpu(0, &mpidr));
	cr_assert_eq(mpidr, 0x10100);
	cr_assert(source->cpu(1, &mpidr));
	cr_assert_eq(mpidr, SELF);
	cr_assert_not(source->cpu(2, &mpidr));
	cr_assert_not(source->memory(BASE, &mpidr, &size));
	cr_assert_null(source->arguments());
}

/* One byte more or less in the tables that lead to the others: there is no machine. */
Test(platform_acpi, roots_are_checked)
{
	static const struct {
		uint32_t at, size;
	} parts[] = {{RSDP, 36}, {XSDT, 36 + 16}, {MADT, 44 + 80 + 80 + 82 + 24 + 16}};

	for (unsigned int part = 0; part < 3; part++)
		for (uint32_t i = 0; i < parts[part].size; i++) {
			const uint8_t old = memory[parts[part].at + i];

			for (unsigned int change = 1; change < 256; change *= 4) {
				memory[parts[part].at + i] = (uint8_t)(old + change);
				cr_expect_null(platform_acpi(BASE + RSDP), "part %u, byte %u", part,
					       i);
				guest_memory_free();
			}
			memory[parts[part].at + i] = old;
		}
	put(RSDP + 15, 0, 1);
	seal_rsdp();
	cr_expect_null(platform_acpi(BASE + RSDP), "revision 0 has no XSDT");
	cr_expect_null(platform_acpi(0));
	cr_expect_null(platform_acpi(UINT64_MAX - 8));
}

/* What a table does not answer, another one does, or none. */
Test(platform_acpi, broken_tables_are_not_there)
{
	const struct platform_source *source;
	struct platform_uart uart;

	memory[FADT + 200] ^= 1;
	memory[GTDT + 3] ^= 1;
	memory[SPCR + 50] ^= 1;
	source = machine();
	cr_expect_null(source->psci());
	cr_expect_eq(source->interrupt(PLATFORM_TIMER_VIRTUAL, SELF), 0);
	cr_expect_eq(source->interrupt(PLATFORM_SPE, SELF), 22);
	cr_assert(source->uart(&uart));
	cr_expect_eq(uart.kind, UART_SBSA);
	cr_expect_eq(uart.base, 0xb000000);
	memory[DBG2 + 60] ^= 1;
	cr_expect_not(machine()->uart(&uart));
}

/* A table that is too short reads as zeros past its end, whatever memory has there. */
Test(platform_acpi, short_tables)
{
	const struct platform_source *source;

	put(GTDT + 4, 96, 4);
	seal(GTDT);
	put(FADT + 4, 129, 4);
	seal(FADT);
	source = machine();
	cr_expect_eq(source->interrupt(PLATFORM_TIMER_HYP, SELF), 26);
	cr_expect_eq(source->interrupt(PLATFORM_TIMER_HYP_VIRTUAL, SELF), 0);
	cr_expect_null(source->psci());
	put(GTDT + 4, 35, 4);
	seal(GTDT);
	cr_expect_eq(machine()->interrupt(PLATFORM_TIMER_HYP, SELF), 0);
	put(GTDT + 4, (2 << 20) + 1, 4);
	cr_expect_eq(machine()->interrupt(PLATFORM_TIMER_HYP, SELF), 0);
}

/* A structure of ACPI 5.1 has no SPE interrupt; the bytes after it are not taken for one. */
Test(platform_acpi, older_gicc)
{
	begin_madt();
	add_cpu(SELF, 0, 76);
	add_distributor(3);
	add_redistributors(0x80a0000, 0x20000);
	seal(MADT);
	cr_expect_eq(machine()->interrupt(PLATFORM_SPE, SELF), 0);
	cr_expect_eq(machine()->interrupt(PLATFORM_PMU, SELF), 23);
}

/* The walk ends at an impossible length; structures before it count. */
Test(platform_acpi, structures_that_do_not_end)
{
	static const uint8_t sizes[] = {0, 1, 3, 81, 255};

	for (unsigned int i = 0; i < sizeof(sizes); i++) {
		struct platform_gic gic = {0};
		uint64_t mpidr;
		uint32_t at;

		begin_madt();
		add_cpu(SELF, 22, 80);
		at = add_distributor(3);
		put(at + 1, sizes[i], 1);
		seal(MADT);
		cr_assert(machine()->cpu(0, &mpidr));
		cr_expect_eq(mpidr, SELF);
		cr_expect_not(machine()->cpu(1, &mpidr));
		cr_expect_not(machine()->gic(&gic), "length %u", sizes[i]);
	}
}

/* Only private and shared interrupts are valid. */
Test(platform_acpi, interrupts_out_of_range)
{
	static const uint32_t wrong[] = {0, 1, 15, 1020, 1023, 4096, 0xffffffff};

	for (unsigned int i = 0; i < ARRAY_SIZE(wrong); i++) {
		put(GTDT + 64, wrong[i], 4);
		seal(GTDT);
		cr_expect_eq(machine()->interrupt(PLATFORM_TIMER_VIRTUAL, SELF), 0, "%u", wrong[i]);
	}
	put(GTDT + 64, 1019, 4);
	seal(GTDT);
	cr_expect_eq(machine()->interrupt(PLATFORM_TIMER_VIRTUAL, SELF), 1019);
}

/* Each CPU names its own: adjacent ones make one region. */
Test(platform_acpi, redistributors_of_cpus)
{
	struct platform_gic gic = {0};

	begin_madt();
	put(add_cpu(0, 21, 80) + 60, 0x8000000, 8);
	put(add_cpu(1, 21, 80) + 60, 0x8020000, 8);
	put(add_cpu(SELF, 21, 80) + 60, 0x8080000, 8);
	add_distributor(0);
	seal(MADT);
	cr_assert(machine()->gic(&gic));
	cr_expect_eq(gic.version, 3);
	cr_expect_eq(gic.regions, 2);
	cr_expect_eq(gic.region[0].base, 0x8000000);
	cr_expect_eq(gic.region[0].size, 0x40000);
	cr_expect_eq(gic.region[1].base, 0x8080000);
	cr_expect_eq(gic.region[1].size, 0x20000);
}

Test(platform_acpi, no_more_regions_than_there_is_room_for)
{
	struct platform_gic gic = {0};

	begin_madt();
	for (uint32_t i = 0; i < 2 * PLATFORM_REGIONS; i++)
		add_redistributors(0x10000000 + UINT64_C(0x100000) * i, 0x20000);
	add_distributor(4);
	seal(MADT);
	cr_assert(machine()->gic(&gic));
	cr_expect_eq(gic.regions, PLATFORM_REGIONS);
}

Test(platform_acpi, gicv2)
{
	for (uint8_t version = 0; version <= 2; version++) {
		struct platform_gic gic = {0};

		begin_madt();
		put(add_cpu(SELF, 0, 80) + 32, 0x8010000, 8);
		add_distributor(version);
		seal(MADT);
		cr_assert(machine()->gic(&gic));
		cr_expect_eq(gic.version, 2);
		cr_expect_eq(gic.base, 0x8000000);
		cr_expect_eq(gic.cpu_base, 0x8010000);
		cr_expect_eq(gic.cpu_size, 0x2000);
	}
	/* A GICv3 without redistributors, or a GICv2 without a CPU interface, does not count. */
	begin_madt();
	add_cpu(SELF, 0, 80);
	add_distributor(3);
	seal(MADT);
	cr_expect_not(machine()->gic(&(struct platform_gic){0}));
}

Test(platform_acpi, psci)
{
	static const char *const methods[] = {NULL, "smc", NULL, "hvc"};

	for (unsigned int flags = 0; flags < 4; flags++) {
		const char *method;

		put(FADT + 129, flags, 2);
		seal(FADT);
		method = machine()->psci();
		if (methods[flags])
			cr_expect_str_eq(method, methods[flags], "flags %u", flags);
		else
			cr_expect_null(method, "flags %u", flags);
	}
}

Test(platform_acpi, kinds_of_ports)
{
	static const struct {
		uint8_t number, bits, access;
		bool known;
		enum uart_kind kind;
		uint32_t io_width, shift;
	} rows[] = {
		{0x00, 8, 1, true, UART_8250, 1, 0},   {0x01, 8, 0, true, UART_8250, 1, 0},
		{0x12, 32, 3, true, UART_8250, 4, 2},  {0x12, 32, 0, true, UART_8250, 4, 2},
		{0x12, 8, 1, true, UART_8250, 1, 0},   {0x03, 32, 3, true, UART_PL011, 4, 0},
		{0x03, 8, 1, true, UART_PL011, 4, 0},  {0x0d, 32, 3, true, UART_SBSA, 4, 0},
		{0x0e, 32, 3, true, UART_SBSA, 4, 0},  {0x02, 8, 1, false, UART_8250, 0, 0},
		{0x15, 32, 3, false, UART_8250, 0, 0},
	};
	struct platform_uart uart;

	memcpy(memory + DBG2, "DBGX", 4); /* of no help */
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		put(SPCR + 36, rows[i].number, 1);
		put(SPCR + 40 + 1, rows[i].bits, 1);
		put(SPCR + 40 + 3, rows[i].access, 1);
		seal(SPCR);
		cr_assert_eq(machine()->uart(&uart), rows[i].known, "row %u", i);
		if (rows[i].known) {
			cr_expect_eq(uart.kind, rows[i].kind, "row %u", i);
			cr_expect_eq(uart.io_width, rows[i].io_width, "row %u", i);
			cr_expect_eq(uart.shift, rows[i].shift, "row %u", i);
		}
	}
	/* In I/O space, or nowhere. */
	put(SPCR + 36, 3, 1);
	put(SPCR + 40, 1, 1);
	seal(SPCR);
	cr_expect_not(machine()->uart(&uart));
	put(SPCR + 40, 0, 1);
	put(SPCR + 40 + 4, 0, 8);
	seal(SPCR);
	cr_expect_not(machine()->uart(&uart));
}

/* Offsets and lengths of DBG2 lead out of it, or do not advance. */
Test(platform_acpi, ports_that_do_not_end)
{
	static const struct {
		uint32_t at, bytes;
		uint64_t value;
	} rows[] = {
		{36, 4, 0xffffffff}, {36, 4, 124},	    {40, 4, 1},		  {44 + 1, 2, 0},
		{44 + 1, 2, 0xffff}, {44 + 40 + 18, 2, 60}, {44 + 40 + 12, 2, 1},
	};
	struct platform_uart uart;

	memory[SPCR + 50] ^= 1;
	cr_assert(machine()->uart(&uart));
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		uint8_t old[4];

		memcpy(old, memory + DBG2 + rows[i].at, sizeof(old));
		put(DBG2 + rows[i].at, rows[i].value, rows[i].bytes);
		seal(DBG2);
		cr_expect_not(machine()->uart(&uart), "row %u", i);
		memcpy(memory + DBG2 + rows[i].at, old, sizeof(old));
	}
	/* However many it claims to have. */
	put(DBG2 + 40, 0xffffffff, 4);
	seal(DBG2);
	cr_expect(machine()->uart(&uart));
}
