/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What ACPI tells of nodes: see acpi_numa.h. A node is a proximity domain of its number. Section
 * numbers are of ACPI 6.5.
 */
#include "machine/acpi_numa.h"

#include "device/memory_map.h"
#include "machine/numa_option.h"

/* SRAT structures (5.2.16): of a part of memory, and of a PE. */
#define SRAT_MEMORY	 1
#define SRAT_MEMORY_SIZE 40
#define SRAT_GICC	 3
#define SRAT_GICC_SIZE	 18
#define SRAT_ENABLED	 1u

/* HMAT structures (5.2.28). */
#define HMAT_DOMAIN	 0
#define HMAT_DOMAIN_SIZE 40
#define HMAT_HAS_CPUS	 1u /* the domain of CPUs nearest to it is given */
#define HMAT_LOCALITY	 1
#define HMAT_HEADER_SIZE 32
#define HMAT_LATENCY	 0    /* of reads and writes */
#define HMAT_PICOSECONDS 1000 /* a cycle is given as a nanosecond: machines have no clock rate */

/* System Resource Affinity Table (5.2.16). */
static void write_srat(struct acpi *acpi, const struct choices *choices)
{
	const struct model_nodes *nodes = &choices->numa;
	uint64_t base = MAP_RAM;

	acpi_begin(acpi, "SRAT", 3);
	acpi_u32(acpi, 1); /* reserved, for compatibility */
	acpi_zeros(acpi, 8);
	for (unsigned int cpu = 0; cpu < choices->cpus; cpu++) {
		acpi_u8(acpi, SRAT_GICC);
		acpi_u8(acpi, SRAT_GICC_SIZE);
		acpi_u32(acpi, model_node_of(nodes, cpu));
		acpi_u32(acpi, cpu);
		acpi_u32(acpi, SRAT_ENABLED);
		acpi_u32(acpi, 0); /* clock domain */
	}
	for (uint32_t n = 0; n < nodes->count; n++) {
		acpi_u8(acpi, SRAT_MEMORY);
		acpi_u8(acpi, SRAT_MEMORY_SIZE);
		acpi_u32(acpi, n);
		acpi_zeros(acpi, 2);
		acpi_u64(acpi, base);
		acpi_u64(acpi, nodes->node[n].size);
		acpi_zeros(acpi, 4);
		acpi_u32(acpi, SRAT_ENABLED);
		acpi_zeros(acpi, 8);
		base += nodes->node[n].size;
	}
	acpi_end(acpi);
}

/* System Locality Information Table (5.2.17). */
static void write_slit(struct acpi *acpi, const struct choices *choices)
{
	const uint32_t count = choices->numa.count;

	acpi_begin(acpi, "SLIT", 1);
	acpi_u64(acpi, count);
	for (uint32_t n = 0; n < count * count; n++)
		acpi_u8(acpi, (uint8_t)numa_distance(choices, n / count, n % count));
	acpi_end(acpi);
}

/* Memory Proximity Domain Attributes (5.2.28.3). */
static void write_domain(struct acpi *acpi, const struct model_nodes *nodes, uint32_t n)
{
	const bool cpus = nodes->node[n].cores;

	acpi_u16(acpi, HMAT_DOMAIN);
	acpi_zeros(acpi, 2);
	acpi_u32(acpi, HMAT_DOMAIN_SIZE);
	acpi_u16(acpi, cpus ? HMAT_HAS_CPUS : 0);
	acpi_zeros(acpi, 2);
	acpi_u32(acpi, cpus ? n : 0);
	acpi_u32(acpi, n);
	acpi_zeros(acpi, 20);
}

/* System Locality Latency and Bandwidth Information (5.2.28.4): latencies. */
static void write_latencies(struct acpi *acpi, const struct choices *choices)
{
	const struct model_nodes *nodes = &choices->numa;
	uint32_t initiators = 0;

	for (uint32_t n = 0; n < nodes->count; n++)
		initiators += nodes->node[n].cores != 0;
	acpi_u16(acpi, HMAT_LOCALITY);
	acpi_zeros(acpi, 2);
	acpi_u32(acpi, HMAT_HEADER_SIZE + 4 * (initiators + nodes->count) +
			       2 * initiators * nodes->count);
	acpi_u8(acpi, 0); /* of memory itself */
	acpi_u8(acpi, HMAT_LATENCY);
	acpi_zeros(acpi, 2); /* no least size of a transfer */
	acpi_u32(acpi, initiators);
	acpi_u32(acpi, nodes->count);
	acpi_zeros(acpi, 4);
	acpi_u64(acpi, HMAT_PICOSECONDS);
	for (uint32_t n = 0; n < nodes->count; n++)
		if (nodes->node[n].cores)
			acpi_u32(acpi, n);
	for (uint32_t n = 0; n < nodes->count; n++)
		acpi_u32(acpi, n);
	for (uint32_t from = 0; from < nodes->count; from++)
		for (uint32_t to = 0; nodes->node[from].cores && to < nodes->count; to++)
			acpi_u16(acpi, (uint16_t)numa_latency(choices, from, to));
}

/* Heterogeneous Memory Attribute Table (5.2.28). */
static void write_hmat(struct acpi *acpi, const struct choices *choices)
{
	acpi_begin(acpi, "HMAT", 2);
	acpi_zeros(acpi, 4);
	for (uint32_t n = 0; n < choices->numa.count; n++)
		write_domain(acpi, &choices->numa, n);
	write_latencies(acpi, choices);
	acpi_end(acpi);
}

size_t acpi_numa_write(struct acpi *acpi, const struct choices *choices, size_t *at)
{
	if (!choices->numa.count)
		return 0;
	at[0] = acpi->size;
	write_srat(acpi, choices);
	at[1] = acpi->size;
	write_slit(acpi, choices);
	at[2] = acpi->size;
	write_hmat(acpi, choices);
	return ACPI_NUMA_TABLES;
}
