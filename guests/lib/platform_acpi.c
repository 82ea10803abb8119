/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine by its ACPI tables (ACPI Specification 6.3; SPCR and DBG2 are Microsoft's): see
 * platform.h. AML is not interpreted, so what only the DSDT has is not found.
 *
 * A table counts if its length is possible and its sum is 0. No byte after its end is read.
 */
#include "boot.h"
#include "platform.h"
#include "string.h"

#define HEADER	   36u
#define MAX_SIZE   (UINT32_C(2) << 20)
#define MAX_TABLES 128u /* that the XSDT names */
#define PA_LIMIT   (UINT64_C(1) << 48)

#define RSDP_OLD_SIZE 20u
#define RSDP_SIZE     36u

struct acpi_table {
	const uint8_t *bytes;
	uint32_t size; /* 0: there is none */
};

enum { FADT, MADT, GTDT, SPCR, DBG2, TABLES };

static const char signatures[TABLES][5] = {"FACP", "APIC", "GTDT", "SPCR", "DBG2"};
static struct acpi_table tables[TABLES];

/* A little-endian number of bytes bytes; 0 if the table is too short. Tables are not aligned. */
static uint64_t get(const struct acpi_table *table, uint32_t at, unsigned int bytes)
{
	uint64_t value = 0;

	if (at > table->size || bytes > table->size - at)
		return 0;
	for (unsigned int i = bytes; i-- > 0;)
		value = value << 8 | table->bytes[at + i];
	return value;
}

static bool sum_is_zero(const uint8_t *bytes, uint32_t size)
{
	uint8_t sum = 0;

	for (uint32_t i = 0; i < size; i++)
		sum = (uint8_t)(sum + bytes[i]);
	return sum == 0;
}

static bool same(const uint8_t *bytes, const char *text, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		if (bytes[i] != (uint8_t)text[i])
			return false;
	return true;
}

/* Can there be something of this size? A guest at EL2 maps 4 GiB only. */
static bool is_place(uint64_t pa, uint64_t size)
{
	const uint64_t limit = GUEST_EL == 2 ? UINT64_C(1) << 32 : PA_LIMIT;

	return pa != 0 && pa < limit && size <= limit - pa;
}

/* The table at pa; of size 0 if its signature differs, or it is broken. */
static struct acpi_table open_table(uint64_t pa, const char *signature)
{
	struct acpi_table table = {NULL, HEADER};
	uint32_t size;

	if (!is_place(pa, HEADER))
		return (struct acpi_table){0};
	table.bytes = rodata_map(pa, HEADER);
	size = (uint32_t)get(&table, 4, 4);
	if (!same(table.bytes, signature, 4) || size < HEADER || size > MAX_SIZE ||
	    !is_place(pa, size))
		return (struct acpi_table){0};
	table = (struct acpi_table){rodata_map(pa, size), size};
	return sum_is_zero(table.bytes, size) ? table : (struct acpi_table){0};
}

static bool has_signature(uint64_t pa, const char *signature)
{
	return is_place(pa, HEADER) && same(rodata_map(pa, HEADER), signature, 4);
}

static void open_tables(const struct acpi_table *xsdt)
{
	for (uint32_t n = 0; n < MAX_TABLES && HEADER + n * 8 + 8 <= xsdt->size; n++) {
		const uint64_t pa = get(xsdt, HEADER + n * 8, 8);

		for (unsigned int i = 0; i < TABLES; i++)
			if (tables[i].size == 0 && has_signature(pa, signatures[i]))
				tables[i] = open_table(pa, signatures[i]);
	}
}

/*
 * The next structure of a table that lists them, whose first two bytes are type and length. *at is
 * its offset, 0 before the first; false at the end, and if a length is wrong.
 */
static bool next_structure(const struct acpi_table *table, uint32_t first, uint32_t *at,
			   struct acpi_table *found)
{
	uint32_t next = *at == 0 ? first : *at + (uint32_t)get(table, *at + 1, 1);
	uint32_t size = (uint32_t)get(table, next + 1, 1);

	if (size < 2 || size > table->size - next)
		return false;
	*at = next;
	*found = (struct acpi_table){table->bytes + next, size};
	return true;
}

/* Structures of the MADT (5.2.12). */
#define MADT_FIRST	 44u
#define GICC		 0x0b
#define GICC_FLAGS	 12u
#define GICC_ENABLED	 1u
#define GICC_PERFORMANCE 20u
#define GICC_BASE	 32u
#define GICC_MAINTENANCE 56u
#define GICC_GICR	 60u
#define GICC_MPIDR	 68u
#define GICC_SPE	 78u
#define GICD		 0x0c
#define GICD_BASE	 8u
#define GICD_VERSION	 20u
#define GICR		 0x0e
#define GICR_BASE	 4u
#define GICR_LENGTH	 12u

/* Not in the tables: the architecture gives the size of the frames. */
#define GICD_SIZE    UINT64_C(0x10000)
#define GICD_SIZE_V2 UINT64_C(0x1000)
#define GICC_SIZE    UINT64_C(0x2000)
#define GICR_PAIR    UINT64_C(0x20000)

static bool next_madt(uint32_t *at, uint8_t type, struct acpi_table *found)
{
	while (next_structure(&tables[MADT], MADT_FIRST, at, found))
		if (found->bytes[0] == type)
			return true;
	return false;
}

/* The next CPU that exists, in the MADT's order. */
static bool next_cpu(uint32_t *at, struct acpi_table *found)
{
	while (next_madt(at, GICC, found))
		if (get(found, GICC_FLAGS, 4) & GICC_ENABLED)
			return true;
	return false;
}

static bool acpi_cpu(unsigned int n, uint64_t *mpidr)
{
	struct acpi_table cpu;
	uint32_t at = 0;

	for (unsigned int i = 0; next_cpu(&at, &cpu); i++)
		if (i == n) {
			*mpidr = get(&cpu, GICC_MPIDR, 8);
			return true;
		}
	return false;
}

static void add_region(struct platform_gic *gic, uint64_t base, uint64_t size)
{
	const unsigned int last = gic->regions - 1;

	if (base == 0 || size == 0)
		return;
	if (gic->regions > 0 && gic->region[last].base + gic->region[last].size == base) {
		gic->region[last].size += size;
		return;
	}
	if (gic->regions == PLATFORM_REGIONS)
		return;
	gic->region[gic->regions].base = base;
	gic->region[gic->regions++].size = size;
}

static void find_redistributors(struct platform_gic *gic)
{
	struct acpi_table found;
	uint32_t at = 0;

	while (next_madt(&at, GICR, &found))
		add_region(gic, get(&found, GICR_BASE, 8), get(&found, GICR_LENGTH, 4));
	at = 0;
	while (next_cpu(&at, &found))
		add_region(gic, get(&found, GICC_GICR, 8), GICR_PAIR);
}

/* A GICD structure of version 0 leaves it to the hardware: a GICv3 has redistributors. */
static bool acpi_gic(struct platform_gic *gic)
{
	struct acpi_table found;
	uint32_t at = 0;

	if (!next_madt(&at, GICD, &found))
		return false;
	gic->base = get(&found, GICD_BASE, 8);
	gic->version = (unsigned int)get(&found, GICD_VERSION, 1);
	if (gic->version != 1 && gic->version != 2)
		find_redistributors(gic);
	gic->version = gic->regions ? 3 : 2;
	gic->size = gic->version == 3 ? GICD_SIZE : GICD_SIZE_V2;
	at = 0;
	if (gic->version == 2 && next_cpu(&at, &found)) {
		gic->cpu_base = get(&found, GICC_BASE, 8);
		gic->cpu_size = GICC_SIZE;
	}
	return gic->base && (gic->version == 3 || gic->cpu_base);
}

/* GTDT (5.2.24) */
#define GTDT_SECURE	 48u
#define GTDT_PHYSICAL	 56u
#define GTDT_VIRTUAL	 64u
#define GTDT_HYP	 72u
#define GTDT_HYP_VIRTUAL 96u

static bool find_gicc(uint64_t mpidr, struct acpi_table *found)
{
	uint32_t at = 0;

	while (next_cpu(&at, found))
		if (get(found, GICC_MPIDR, 8) == mpidr)
			return true;
	return false;
}

static uint32_t acpi_interrupt(enum platform_interrupt which, uint64_t mpidr)
{
	static const struct {
		uint8_t table, at, bytes;
	} rows[] = {
		[PLATFORM_TIMER_SECURE] = {GTDT, GTDT_SECURE, 4},
		[PLATFORM_TIMER_PHYSICAL] = {GTDT, GTDT_PHYSICAL, 4},
		[PLATFORM_TIMER_VIRTUAL] = {GTDT, GTDT_VIRTUAL, 4},
		[PLATFORM_TIMER_HYP] = {GTDT, GTDT_HYP, 4},
		[PLATFORM_TIMER_HYP_VIRTUAL] = {GTDT, GTDT_HYP_VIRTUAL, 4},
		[PLATFORM_SPE] = {MADT, GICC_SPE, 2},
		[PLATFORM_PMU] = {MADT, GICC_PERFORMANCE, 4},
		[PLATFORM_MAINTENANCE] = {MADT, GICC_MAINTENANCE, 4},
	};
	struct acpi_table from = tables[rows[which].table];
	uint32_t intid;

	if (rows[which].table == MADT && !find_gicc(mpidr, &from))
		return 0;
	intid = (uint32_t)get(&from, rows[which].at, rows[which].bytes);
	return intid >= 16 && intid < 1020 ? intid : 0;
}

/* FADT (5.2.9, 5.2.9.4) */
#define FADT_ARM_BOOT 129u
#define ARM_PSCI      1u
#define ARM_PSCI_HVC  2u

static const char *acpi_psci(void)
{
	const uint64_t flags = get(&tables[FADT], FADT_ARM_BOOT, 2);

	if (!(flags & ARM_PSCI))
		return NULL;
	return flags & ARM_PSCI_HVC ? "hvc" : "smc";
}

/* SPCR and DBG2 have the same numbers for kinds of ports (DBG2, table 3). */
#define SPCR_TYPE    36u
#define SPCR_ADDRESS 40u
#define DBG2_OFFSET  36u
#define DBG2_COUNT   40u
#define DBG2_LENGTH  1u
#define DBG2_TYPE    12u
#define DBG2_SUBTYPE 14u
#define DBG2_BASE    18u
#define DBG2_SERIAL  0x8000u

static const struct {
	uint8_t number;
	enum uart_kind kind;
	uint64_t size;
} uarts[] = {
	{0x00, UART_8250, 0x100},  {0x01, UART_8250, 0x100},  {0x03, UART_PL011, 0x1000},
	{0x0d, UART_SBSA, 0x1000}, {0x0e, UART_SBSA, 0x1000}, {0x12, UART_8250, 0x100},
};

/* Generic Address Structure (5.2.3.2): the bits of a register, the size of an access. */
#define GAS_SPACE  0u
#define GAS_BITS   1u
#define GAS_ACCESS 3u
#define GAS_BASE   4u
#define GAS_DWORD  3u
#define GAS_SIZE   12u

/* A register of an 8250 has the size of one access, and registers follow each other. */
static bool port_uart(struct platform_uart *uart, uint64_t number, const struct acpi_table *address)
{
	const uint64_t access = get(address, GAS_ACCESS, 1), bits = get(address, GAS_BITS, 1);
	const bool wide = access == GAS_DWORD || (access == 0 && bits == 32);

	if (address->size < GAS_SIZE || get(address, GAS_SPACE, 1) != 0 ||
	    get(address, GAS_BASE, 8) == 0)
		return false;
	for (size_t i = 0; i < sizeof(uarts) / sizeof(uarts[0]); i++)
		if (uarts[i].number == number) {
			*uart = (struct platform_uart){.kind = uarts[i].kind,
						       .base = get(address, GAS_BASE, 8),
						       .size = uarts[i].size};
			uart->io_width = wide || uart->kind != UART_8250 ? 4 : 1;
			uart->shift = wide && uart->kind == UART_8250 ? 2 : 0;
			return true;
		}
	return false;
}

/* The part of a table from at on; nothing if that is past the end. */
static struct acpi_table part(const struct acpi_table *table, uint64_t at)
{
	return at < table->size ? (struct acpi_table){table->bytes + at, table->size - (uint32_t)at}
				: (struct acpi_table){0};
}

static bool dbg2_uart(struct platform_uart *uart)
{
	struct acpi_table port = part(&tables[DBG2], get(&tables[DBG2], DBG2_OFFSET, 4));

	for (uint64_t i = get(&tables[DBG2], DBG2_COUNT, 4); i > 0 && port.size > 0; i--) {
		const struct acpi_table address = part(&port, get(&port, DBG2_BASE, 2));
		const uint64_t length = get(&port, DBG2_LENGTH, 2);

		if (get(&port, DBG2_TYPE, 2) == DBG2_SERIAL &&
		    port_uart(uart, get(&port, DBG2_SUBTYPE, 2), &address))
			return true;
		if (length == 0)
			return false;
		port = part(&port, length);
	}
	return false;
}

static bool acpi_uart(struct platform_uart *uart)
{
	const struct acpi_table address = part(&tables[SPCR], SPCR_ADDRESS);

	return port_uart(uart, get(&tables[SPCR], SPCR_TYPE, 1), &address) || dbg2_uart(uart);
}

/* EFI has the memory map, and platform.c has read it already. */
static bool acpi_memory(uint64_t pa, uint64_t *base, uint64_t *size)
{
	(void)pa;
	(void)base;
	(void)size;
	return false;
}

static const char *acpi_arguments(void)
{
	return NULL;
}

static const struct platform_source acpi = {
	.name = "ACPI tables",
	.uart = acpi_uart,
	.psci = acpi_psci,
	.gic = acpi_gic,
	.memory = acpi_memory,
	.interrupt = acpi_interrupt,
	.cpu = acpi_cpu,
	.arguments = acpi_arguments,
};

/* pa is RSDP's (5.2.5.3), of revision 2 or later: older ones lead to no XSDT. */
const struct platform_source *platform_acpi(uint64_t pa)
{
	struct acpi_table rsdp = {NULL, RSDP_SIZE}, xsdt;
	uint32_t size;

	if (!is_place(pa, RSDP_SIZE))
		return NULL;
	rsdp.bytes = rodata_map(pa, RSDP_SIZE);
	size = (uint32_t)get(&rsdp, 20, 4);
	if (!same(rsdp.bytes, "RSD PTR ", 8) || get(&rsdp, 15, 1) < 2 || size < RSDP_SIZE ||
	    size > PAGE_SIZE || !is_place(pa, size) || !sum_is_zero(rsdp.bytes, RSDP_OLD_SIZE) ||
	    !sum_is_zero(rodata_map(pa, size), size))
		return NULL;
	for (unsigned int i = 0; i < TABLES; i++)
		tables[i].size = 0;
	xsdt = open_table(get(&rsdp, 24, 8), "XSDT");
	open_tables(&xsdt);
	return tables[MADT].size > 0 ? &acpi : NULL;
}
