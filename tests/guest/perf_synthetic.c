// SPDX-License-Identifier: BSD-2-Clause
/*
 * Makes sample records with known contents, of every kind of packet, and writes them both as they
 * are and as perf.data: what perf_script.sh shows to perf.
 *
 *   perf_synthetic GUEST CPUS ROUNDS RAW PERF_DATA
 *
 * GUEST is an AArch64 ELF file with the symbols hot_sixty, hot_thirty and hot_ten. Each round is
 * twenty records per vCPU: of ten each at EL1 and EL0, six, three and one are in these functions.
 * Prints one line a record: cpu, PC as perf shows it, timestamp.
 */
#include "machine/perf_guest.h"

#include <gelf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct buffer {
	uint8_t bytes[256];
	size_t size;
};

static void put(struct buffer *out, uint8_t header, uint64_t payload, unsigned int size)
{
	out->bytes[out->size++] = header;
	for (unsigned int i = 0; i < size; i++)
		out->bytes[out->size++] = (uint8_t)(payload >> (8 * i));
}

static void put_extended(struct buffer *out, unsigned int index, uint8_t base, uint64_t payload,
			 unsigned int size)
{
	out->bytes[out->size++] = (uint8_t)(0x20 | index >> 3);
	put(out, (uint8_t)(base | (index & 7)), payload, size);
}

static uint64_t instruction(uint64_t va, unsigned int el)
{
	return (va & UINT64_C(0x00ffffffffffffff)) | UINT64_C(1) << 63 | (uint64_t)el << 61;
}

/* Every operation type that section D18.2 has, by class. */
static const uint8_t other[] = {0x00, 0x01, 0x02, 0x06, 0x18, 0x2e, 0x88, 0xbc};
static const uint8_t load_store[] = {0x00, 0x01, 0x04, 0x05, 0x06, 0x0e, 0x12, 0x17,
				     0x1a, 0x10, 0x14, 0x15, 0x20, 0x21, 0x25, 0x30,
				     0x31, 0x40, 0x45, 0x28, 0x3d, 0xac};
static const uint8_t branch[] = {0x00, 0x01, 0x02, 0x03, 0x0e, 0x12, 0x1a, 0x18};

#define PICK(table, n) ((table)[(n) % sizeof(table)])

/* Record n: one at a time of all classes, event payload sizes and optional packets. */
static void make(struct buffer *out, unsigned int n, uint64_t pc, unsigned int el, uint64_t when)
{
	static const uint8_t event_headers[] = {0x42, 0x52, 0x62, 0x72};
	unsigned int size = n / 3 % 4, kind = n % 3;

	out->size = 0;
	if (n % 2)
		put(out, 0x64, 0x100 + el, 4);
	if (n % 8 == 3)
		put(out, 0x65, 0x100 + el, 4);
	put(out, 0x98, 1 + n % 4095, 2);
	put(out, 0x99, n % 7, 2);
	put(out, 0xb0, instruction(pc, el), 8);
	if (kind == 1) {
		put(out, 0x9a, n % 5, 2);
		put(out, 0xb2, UINT64_C(0x00ffff0000001000) + 8 * n, 8);
		put(out, 0xb3, UINT64_C(1) << 63 | (UINT64_C(0x41000000) + 8 * n), 8);
		put(out, n % 2 ? 0x43 : 0x53, n % 11, n % 2 ? 1 : 2);
		put(out, 0x49, PICK(load_store, n / 3), 1);
	} else if (kind == 2) {
		put(out, 0xb1, instruction(pc + 64, el), 8);
		put(out, 0xb4, instruction(pc - 64, el), 8);
		put(out, 0x4a, PICK(branch, n / 3), 1);
	} else {
		put_extended(out, 4, 0x98, n % 9, 2);
		put(out, 0x48, PICK(other, n / 3), 1);
	}
	put(out, event_headers[size], 0x2 | (UINT64_C(1) << n % (8u << size)), 1u << size);
	if (n % 5)
		put(out, 0x71, when, 8);
	else
		put(out, 0x01, 0, 0);
	while (out->size % 64)
		out->bytes[out->size++] = 0;
}

static uint64_t find_symbol(Elf *elf, const char *wanted)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		for (int i = 0; gelf_getsym(elf_getdata(section, NULL), i, &symbol); i++) {
			const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);

			if (name && !strcmp(name, wanted))
				return symbol.st_value;
		}
	}
	fprintf(stderr, "no symbol %s\n", wanted);
	exit(2);
}

static void fail(const char *what, int error)
{
	fprintf(stderr, "%s: %s\n", what, strerror(-error));
	exit(2);
}

int main(int argc, char **argv)
{
	static const unsigned int of_ten[10] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 2};
	struct perf_data_guest guest = {.midr = 0x410fd0c0, .counter_hz = 62500000};
	struct perf_guest store;
	struct perf_data *data;
	struct buffer record;
	uint64_t functions[3];
	unsigned int rounds;
	FILE *raw;
	Elf *elf;
	int error, fd;

	if (argc != 6)
		return 2;
	guest.cpus = (unsigned int)atoi(argv[2]);
	rounds = (unsigned int)atoi(argv[3]);
	error = perf_guest_describe(&guest, &store, argv[1], 0, 0);
	if (error)
		fail(argv[1], error);
	fd = open(argv[1], O_RDONLY);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	functions[0] = find_symbol(elf, "hot_sixty");
	functions[1] = find_symbol(elf, "hot_thirty");
	functions[2] = find_symbol(elf, "hot_ten");
	elf_end(elf);
	close(fd);

	raw = fopen(argv[4], "wb");
	if (!raw)
		fail(argv[4], -errno);
	error = perf_data_open(&data, argv[5], &guest);
	if (error)
		fail(argv[5], error);
	for (unsigned int n = 0; n < rounds * 20 * guest.cpus; n++) {
		unsigned int cpu = n % guest.cpus, i = n / guest.cpus % 20, el = i / 10;
		uint64_t pc = functions[of_ten[i % 10]] + 4 * (n % 3), when = 1000 + 10 * n;

		make(&record, n, pc, el, when);
		fwrite(record.bytes, 1, record.size, raw);
		error = perf_data_aux(data, cpu, record.bytes, record.size);
		if (error)
			fail(argv[5], error);
		printf("%u %" PRIx64 " %" PRIu64 "\n", cpu, el ? pc | UINT64_C(0xff) << 56 : pc,
		       n % 5 ? when : 0);
	}
	error = fclose(raw) ? -errno : perf_data_close(data);
	if (error)
		fail(argv[5], error);
	return 0;
}
