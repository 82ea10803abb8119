/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes sample records with known contents, of every kind of packet, and writes them both as they
 * are and as perf.data, together with an ELF file for their addresses: what perf_script.sh shows to
 * perf.
 *
 *   perf_synthetic CPUS ROUNDS GUEST RAW PERF_DATA
 *
 * Each round is twenty records per vCPU, ten each at EL1 and EL0; of ten, six, three and one are in
 * the functions kernel_sixty, kernel_thirty and kernel_ten, or those named user_. Prints one line a
 * record: cpu, PC as perf shows it, symbol, timestamp.
 */
#include "trace/perf_guest.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT	      UINT64_C(0xffff000040080000)
#define USER	      UINT64_C(0x0000000000400000)
#define FUNCTION_SIZE 64
#define SECTION_SIZE  256

static const char *const functions[2][3] = {
	{"user_sixty", "user_thirty", "user_ten"},
	{"kernel_sixty", "kernel_thirty", "kernel_ten"},
};

/* The guest: EL1 code in the upper half, EL0 code in the lower, as our guests are. */
struct guest_file {
	Elf64_Ehdr header;
	Elf64_Phdr segments[2];
	Elf64_Shdr sections[6];
	Elf64_Sym symbols[8];
	char strings[128];
	char section_names[64];
	uint8_t code[2][SECTION_SIZE];
};

static uint32_t add_string(char *table, size_t *used, const char *string)
{
	size_t at = *used;

	strcpy(table + at, string);
	*used += strlen(string) + 1;
	return (uint32_t)at;
}

static void make_symbols(struct guest_file *file)
{
	size_t used = 1, count = 1;

	file->symbols[count++] = (Elf64_Sym){.st_name = add_string(file->strings, &used, "_start"),
					     .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					     .st_shndx = 1,
					     .st_value = TEXT,
					     .st_size = FUNCTION_SIZE};
	for (unsigned int el = 0; el < 2; el++) {
		for (unsigned int i = 0; i < 3; i++) {
			file->symbols[count++] = (Elf64_Sym){
				.st_name = add_string(file->strings, &used, functions[el][i]),
				.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				.st_shndx = el ? 1 : 2,
				.st_value = (el ? TEXT : USER) + FUNCTION_SIZE * (i + 1),
				.st_size = FUNCTION_SIZE};
		}
	}
}

static void make_sections(struct guest_file *file)
{
	size_t used = 1;
	char *names = file->section_names;

	for (unsigned int i = 0; i < 2; i++) {
		file->segments[i] = (Elf64_Phdr){.p_type = PT_LOAD,
						 .p_flags = PF_R | PF_X,
						 .p_offset = offsetof(struct guest_file, code[i]),
						 .p_vaddr = i ? USER : TEXT,
						 .p_filesz = SECTION_SIZE,
						 .p_memsz = SECTION_SIZE};
		file->sections[1 + i] =
			(Elf64_Shdr){.sh_name = add_string(names, &used, i ? ".user" : ".text"),
				     .sh_type = SHT_PROGBITS,
				     .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				     .sh_addr = i ? USER : TEXT,
				     .sh_offset = offsetof(struct guest_file, code[i]),
				     .sh_size = SECTION_SIZE};
	}
	file->sections[3] = (Elf64_Shdr){.sh_name = add_string(names, &used, ".symtab"),
					 .sh_type = SHT_SYMTAB,
					 .sh_offset = offsetof(struct guest_file, symbols),
					 .sh_size = sizeof(file->symbols),
					 .sh_link = 4,
					 .sh_info = 1,
					 .sh_entsize = sizeof(Elf64_Sym)};
	file->sections[4] = (Elf64_Shdr){.sh_name = add_string(names, &used, ".strtab"),
					 .sh_type = SHT_STRTAB,
					 .sh_offset = offsetof(struct guest_file, strings),
					 .sh_size = sizeof(file->strings)};
	file->sections[5] = (Elf64_Shdr){.sh_name = add_string(names, &used, ".shstrtab"),
					 .sh_type = SHT_STRTAB,
					 .sh_offset = offsetof(struct guest_file, section_names),
					 .sh_size = sizeof(file->section_names)};
}

static void make_guest(const char *path)
{
	static struct guest_file file;
	FILE *out = fopen(path, "wb");

	memcpy(file.header.e_ident, ELFMAG, SELFMAG);
	file.header.e_ident[EI_CLASS] = ELFCLASS64;
	file.header.e_ident[EI_DATA] = ELFDATA2LSB;
	file.header.e_ident[EI_VERSION] = EV_CURRENT;
	file.header.e_type = ET_EXEC;
	file.header.e_machine = EM_AARCH64;
	file.header.e_version = EV_CURRENT;
	file.header.e_entry = TEXT;
	file.header.e_phoff = offsetof(struct guest_file, segments);
	file.header.e_shoff = offsetof(struct guest_file, sections);
	file.header.e_ehsize = sizeof(Elf64_Ehdr);
	file.header.e_phentsize = sizeof(Elf64_Phdr);
	file.header.e_phnum = 2;
	file.header.e_shentsize = sizeof(Elf64_Shdr);
	file.header.e_shnum = 6;
	file.header.e_shstrndx = 5;
	make_symbols(&file);
	make_sections(&file);
	if (!out || fwrite(&file, sizeof(file), 1, out) != 1 || fclose(out)) {
		perror(path);
		exit(2);
	}
}

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
	unsigned int rounds;
	FILE *raw;
	int error;

	if (argc != 6)
		return 2;
	guest.cpus = (unsigned int)atoi(argv[1]);
	rounds = (unsigned int)atoi(argv[2]);
	make_guest(argv[3]);
	error = perf_guest_describe(&guest, &store, argv[3], 0, 0);
	if (error)
		fail(argv[3], error);
	raw = fopen(argv[4], "wb");
	if (!raw)
		fail(argv[4], -errno);
	error = perf_data_open(&data, argv[5], &guest);
	if (error)
		fail(argv[5], error);
	for (unsigned int n = 0; n < rounds * 20 * guest.cpus; n++) {
		unsigned int cpu = n % guest.cpus, i = n / guest.cpus % 20, el = i / 10;
		unsigned int function = of_ten[i % 10];
		uint64_t pc = (el ? TEXT : USER) + FUNCTION_SIZE * (function + 1) + 4 * (n % 3);
		uint64_t when = 1000 + 10 * n;

		make(&record, n, pc, el, when);
		fwrite(record.bytes, 1, record.size, raw);
		error = perf_data_aux(data, cpu, record.bytes, record.size);
		if (error)
			fail(argv[5], error);
		printf("%u %" PRIx64 " %s %" PRIu64 "\n", cpu, pc, functions[el][function],
		       n % 5 ? when : 0);
	}
	error = fclose(raw) ? -errno : perf_data_close(data);
	if (error)
		fail(argv[5], error);
	perf_data_free(data);
	return 0;
}
