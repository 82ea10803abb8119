/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The perf.data writer, read back by a separate reader that only knows perf.data-file-format.txt
 * and perf_event.h of Linux.
 */
#include "../compare.h"
#include "trace/perf_data.h"
#include "trace/record.h"
#include "trace/perf_guest.h"
#include "trace/perf_header.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static void make_folder(void)
{
	strcpy(folder, "/tmp/vspe-perf-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
}

static const char *path_of(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* Removes the folder; it must hold only the files that a test made on purpose. */
static void remove_folder(void)
{
	struct dirent *entry;
	DIR *directory = opendir(folder);

	while ((entry = readdir(directory))) {
		cr_expect_str_lacks(entry->d_name, ".part", "left behind: %s", entry->d_name);
		unlink(path_of(entry->d_name));
	}
	closedir(directory);
	rmdir(folder);
}

TestSuite(perf_data, .init = make_folder, .fini = remove_folder);

static const struct perf_data_map maps[] = {{0x40080000, 0x3000, 0x10000},
					    {0x50000000, 0x1000, 0x20000}};

static const char *const words[] = {"vspe", "run", "guests/hotspot.elf"};

static struct perf_data_guest guest(unsigned int cpus)
{
	return (struct perf_data_guest){
		.words = words,
		.word_count = 3,
		.name = "guests/hotspot.elf",
		.maps = maps,
		.map_count = 2,
		.anchor = "_start",
		.anchor_address = 0x40080000,
		.cpus = cpus,
		.midr = 0x410fd0c0,
		.memory = 262144,
		.counter_hz = 62500000,
		.min_interval = 1024,
	};
}

/* The mini reader. */
struct image {
	uint8_t *bytes;
	size_t size;
};

static uint64_t get(const struct image *image, uint64_t at, unsigned int size)
{
	uint64_t value = 0;

	cr_assert_leq(at + size, image->size);
	for (unsigned int i = size; i-- > 0;)
		value = value << 8 | image->bytes[at + i];
	return value;
}

static struct image load(const char *name)
{
	FILE *file = fopen(path_of(name), "rb");
	struct image image = {0};
	struct stat status;

	cr_assert_not_null(file);
	fstat(fileno(file), &status);
	image.size = (size_t)status.st_size;
	image.bytes = malloc(image.size + 1);
	cr_assert_eq(fread(image.bytes, 1, image.size, file), image.size);
	fclose(file);
	return image;
}

/* Calls visit for every event of the stream and returns their number. */
static unsigned int each_event(const struct image *image, uint32_t type,
			       void (*visit)(const struct image *image, uint64_t at, void *ctx),
			       void *ctx)
{
	uint64_t at = get(image, 40, 8), end = at + get(image, 48, 8);
	unsigned int count = 0;

	while (at < end) {
		uint64_t size = get(image, at + 6, 2);

		cr_assert_geq(size, 8);
		cr_assert_eq(size % 8, 0);
		if (get(image, at, 4) == type) {
			count++;
			if (visit)
				visit(image, at, ctx);
		}
		at += size;
		if (get(image, at - size, 4) == 71)
			at += get(image, at - size + 8, 8);
	}
	cr_assert_eq(at, end);
	return count;
}

/* Offset and size of the section of a feature bit; asserts that it exists and is in the file. */
static uint64_t feature(const struct image *image, unsigned int bit, uint64_t *size)
{
	uint64_t table = get(image, 40, 8) + get(image, 48, 8), bits = get(image, 72, 8);

	cr_assert(bits >> bit & 1);
	for (unsigned int b = 0; b < bit; b++)
		table += 16 * (bits >> b & 1);
	*size = get(image, table + 8, 8);
	cr_assert_leq(get(image, table, 8) + *size, image->size);
	return get(image, table, 8);
}

/* A record of 64 bytes: context, PC, timestamp, padding. */
static void make_record(uint8_t *bytes, uint32_t context, uint64_t number)
{
	memset(bytes, 0, 64);
	bytes[0] = 0x64;
	memcpy(bytes + 1, &(uint8_t[4]){(uint8_t)context, (uint8_t)(context >> 8)}, 4);
	bytes[5] = 0xb0;
	bytes[8] = 0x08;
	bytes[9] = 0x40;
	bytes[13] = 0xa0;
	bytes[14] = 0x71;
	for (unsigned int i = 0; i < 8; i++)
		bytes[15 + i] = (uint8_t)(number >> (8 * i));
}

static struct perf_data *start(const char *name, unsigned int cpus)
{
	struct perf_data_guest about = guest(cpus);
	struct perf_data *data;

	cr_assert_eq(perf_data_open(&data, path_of(name), &about), 0);
	return data;
}

/* Writes count records in turns and keeps each CPU's. */
static void write_records(const char *name, unsigned int cpus, uint64_t count,
			  struct image *expected)
{
	struct perf_data *data = start(name, cpus);
	uint8_t bytes[64];

	for (uint64_t n = 0; n < count; n++) {
		unsigned int cpu = (unsigned int)(n % cpus);

		make_record(bytes, 7, n);
		if (expected) {
			memcpy(expected[cpu].bytes + expected[cpu].size, bytes, 64);
			expected[cpu].size += 64;
		}
		cr_assert_eq(perf_data_aux(data, cpu, bytes, 64), 0);
	}
	cr_assert_eq(perf_data_close(data), 0);
	perf_data_free(data);
}

Test(perf_data, the_header_is_that_of_perfile2)
{
	struct image image;

	write_records("f", 1, 10, NULL);
	image = load("f");
	cr_assert_arr_eq(image.bytes, "PERFILE2", 8);
	cr_assert_eq(get(&image, 8, 8), 104);
	cr_assert_eq(get(&image, 16, 8), 112 + 16); /* attribute and its ids' extent */
	cr_assert_eq(get(&image, 32, 8), 112 + 16); /* one of them */
	/* The attribute has its own size, and at least one id: perf reads the first. */
	cr_assert_eq(get(&image, get(&image, 24, 8) + 4, 4), 112);
	cr_assert_eq(get(&image, get(&image, 24, 8) + 112 + 8, 8), 8);
	cr_assert_eq(get(&image, get(&image, get(&image, 24, 8) + 112, 8), 8), 1);
	free(image.bytes);
}

static void check_info(const struct image *image, uint64_t at, void *ctx)
{
	uint64_t attr = get(image, 24, 8);

	(void)ctx;
	cr_assert_eq(get(image, at + 8, 4), 4); /* PERF_AUXTRACE_ARM_SPE */
	cr_assert_eq(get(image, at + 6, 2), 16 + 8 * (4 + 2 * 7));
	/* perf finds the event by the PMU type: before 6.14 in the first word, then in the third */
	cr_assert_eq(get(image, at + 16, 8), get(image, attr, 4));
	cr_assert_eq(get(image, at + 24, 8), 4); /* words before the CPUs */
	cr_assert_eq(get(image, at + 32, 8), get(image, attr, 4));
	cr_assert_eq(get(image, at + 40, 8), 2);
	for (uint64_t cpu = 0; cpu < 2; cpu++) {
		const uint64_t own = at + 48 + 56 * cpu;

		cr_assert_eq(get(image, own, 8), UINT64_C(0x1010101010101010));
		cr_assert_eq(get(image, own + 8, 8), cpu);
		cr_assert_eq(get(image, own + 16, 8), 4);
		cr_assert_eq(get(image, own + 24, 8), 0x410fd0c0);
		cr_assert_eq(get(image, own + 32, 8), get(image, attr, 4));
		cr_assert_eq(get(image, own + 40, 8), 1024);
	}
}

static void check_time(const struct image *image, uint64_t at, void *ctx)
{
	uint64_t shift = get(image, at + 8, 8), mult = get(image, at + 16, 8);

	(void)ctx;
	/* 62.5 MHz: 16 ns a tick, without losing a bit; perf keeps 32 bits of the multiplier. */
	cr_assert_leq(mult, UINT32_MAX);
	cr_assert_eq((1000 * mult) >> shift, 16000);
}

Test(perf_data, events_that_perf_needs_are_there)
{
	struct image image;

	write_records("f", 2, 10, NULL);
	image = load("f");
	cr_assert_eq(each_event(&image, 70, check_info, NULL), 1);
	cr_assert_eq(each_event(&image, 79, check_time, NULL), 1);
	cr_assert_eq(each_event(&image, 71, NULL, NULL), 2); /* AUXTRACE, one a CPU */
	cr_assert_eq(each_event(&image, 11, NULL, NULL), 2); /* AUX */
	cr_assert_eq(each_event(&image, 1, NULL, NULL), 1);  /* MMAP of EL1 */
	/* COMM: without context, context 7, and perf's "no thread"; two maps each. */
	cr_assert_eq(each_event(&image, 3, NULL, NULL), 3);
	cr_assert_eq(each_event(&image, 10, NULL, NULL), 6);
	free(image.bytes);
}

struct aux_check {
	struct image found[3];
	uint64_t offsets[64];
	unsigned int count;
};

static void gather_aux(const struct image *image, uint64_t at, void *ctx)
{
	struct aux_check *check = ctx;
	uint64_t size = get(image, at + 8, 8), cpu = get(image, at + 40, 4);
	struct image *found = &check->found[cpu];

	cr_assert_eq(get(image, at + 6, 2), 48);
	cr_assert_eq(get(image, at + 32, 4), cpu);	   /* one queue a CPU */
	cr_assert_eq(get(image, at + 16, 8), found->size); /* no hole */
	cr_assert_lt(cpu, 3);
	found->bytes = realloc(found->bytes, found->size + size);
	memcpy(found->bytes + found->size, image->bytes + at + 48, size);
	found->size += size;
	check->offsets[check->count++] = at;
}

Test(perf_data, aux_data_is_what_was_written_and_the_index_finds_it)
{
	struct image expected[3], image;
	struct aux_check check = {0};
	uint64_t at, size;

	/* More than two chunks a CPU. */
	for (unsigned int cpu = 0; cpu < 3; cpu++)
		expected[cpu] = (struct image){malloc(UINT64_C(64) * 10000), 0};
	write_records("f", 3, 30000, expected);
	image = load("f");
	cr_assert_eq(each_event(&image, 71, gather_aux, &check), 9);
	for (unsigned int cpu = 0; cpu < 3; cpu++) {
		cr_assert_eq(check.found[cpu].size, expected[cpu].size);
		cr_assert_arr_eq(check.found[cpu].bytes, expected[cpu].bytes, expected[cpu].size);
		free(check.found[cpu].bytes);
		free(expected[cpu].bytes);
	}
	at = feature(&image, 18, &size);
	cr_assert_eq(size, 8 + 16 * 9);
	cr_assert_eq(get(&image, at, 8), 9);
	for (unsigned int i = 0; i < 9; i++) {
		cr_assert_eq(get(&image, at + 8 + 16 * i, 8), check.offsets[i]);
		/* perf compares it with the size of the event without its data. */
		cr_assert_eq(get(&image, at + 16 + 16 * i, 8), 48);
	}
	free(image.bytes);
}

Test(perf_data, features_describe_the_guest_and_nothing_of_the_host)
{
	const uint64_t wanted = 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 9 | 1 << 11 |
				1 << 12 | 1 << 14 | 1 << 16 | 1 << 18;
	struct image image;
	uint64_t at, size;

	write_records("f", 2, 1, NULL);
	image = load("f");
	cr_assert_eq(get(&image, 72, 8), wanted);
	at = feature(&image, 3, &size);
	cr_assert_str_eq((char *)image.bytes + at + 4, "vspe");
	at = feature(&image, 11, &size);
	cr_assert_eq(get(&image, at, 4), 3);
	cr_assert_eq(size, 4 + 3 * 68);
	for (unsigned int i = 0; i < 3; i++) {
		cr_assert_eq(get(&image, at + 4 + 68 * i, 4), 64);
		cr_assert_str_eq((char *)image.bytes + at + 8 + 68 * i, words[i]);
	}
	at = feature(&image, 6, &size);
	cr_assert_str_eq((char *)image.bytes + at + 4, "aarch64");
	at = feature(&image, 7, &size);
	cr_assert_eq(get(&image, at, 4), 2);
	cr_assert_eq(get(&image, at + 4, 4), 2);
	at = feature(&image, 9, &size);
	cr_assert_str_eq((char *)image.bytes + at + 4, "0x00000000410fd0c0");
	/* One node, its number, memory in KiB: all and free, its CPUs. */
	at = feature(&image, 14, &size);
	cr_assert_eq(get(&image, at, 4), 1);
	cr_assert_eq(get(&image, at + 4, 4), 0);
	cr_assert_eq(get(&image, at + 8, 8), 262144);
	cr_assert_eq(get(&image, at + 16, 8), 0);
	cr_assert_str_eq((char *)image.bytes + at + 28, "0-1");
	at = feature(&image, 16, &size);
	cr_assert_str_eq((char *)image.bytes + at + 12, "arm_spe_0");
	/* The last section ends with the file. */
	at = feature(&image, 18, &size);
	cr_assert_eq(at + size, image.size);
	free(image.bytes);
}

/* As many words as fit. */
Test(perf_data, a_long_command_is_cut_off)
{
	static char word[6000];
	const char *many[100];
	struct perf_format_event out;

	for (unsigned int i = 0; i < 100; i++)
		many[i] = "word";
	perf_header_cmdline(&out, many, 43);
	cr_assert_eq(perf_format_get_u32(out.bytes), 43);
	perf_header_cmdline(&out, many, 100);
	cr_assert_lt(out.size, 3100);
	cr_assert_eq(out.size, 4 + 68 * (size_t)perf_format_get_u32(out.bytes));
	cr_assert_str_eq((char *)out.bytes + out.size - 64, "...");
	memset(word, 'x', sizeof(word) - 1);
	many[1] = word;
	perf_header_cmdline(&out, many, 2);
	cr_assert_eq(out.size, 4 + 2 * 68);
	cr_assert_str_eq((char *)out.bytes + out.size - 64, "...");
}

static void check_kernel_map(const struct image *image, uint64_t at, void *ctx)
{
	(void)ctx;
	cr_assert_eq(get(image, at + 4, 2), 1); /* PERF_RECORD_MISC_KERNEL */
	/* It includes every EL1 address as perf sees it, top byte 0xFF. */
	cr_assert_eq(get(image, at + 16, 8), UINT64_C(0xff00000000000000));
	cr_assert_eq(get(image, at + 24, 8), UINT64_C(0x00ffffffffffffff));
	cr_assert_eq(get(image, at + 32, 8), UINT64_C(0xff00000040080000));
	cr_assert_str_eq((char *)image->bytes + at + 40, "[kernel.kallsyms]_start");
}

static void check_user_map(const struct image *image, uint64_t at, void *ctx)
{
	unsigned int *next = ctx;
	const struct perf_data_map *map = &maps[(*next)++ % 2];

	cr_assert_eq(get(image, at + 4, 2), 2); /* PERF_RECORD_MISC_USER */
	cr_assert_eq(get(image, at + 16, 8), map->start);
	cr_assert_eq(get(image, at + 24, 8), map->size);
	cr_assert_eq(get(image, at + 32, 8), map->file_offset);
	cr_assert_str_eq((char *)image->bytes + at + 72, "guests/hotspot.elf");
}

Test(perf_data, maps_name_el1_and_el0)
{
	unsigned int next = 0;
	struct image image;

	write_records("f", 1, 1, NULL);
	image = load("f");
	each_event(&image, 1, check_kernel_map, NULL);
	each_event(&image, 10, check_user_map, &next);
	free(image.bytes);
}

Test(perf_data, the_same_records_give_the_same_file)
{
	struct image one, two;

	write_records("one", 2, 9000, NULL);
	write_records("two", 2, 9000, NULL);
	one = load("one");
	two = load("two");
	cr_assert_eq(one.size, two.size);
	cr_assert_arr_eq(one.bytes, two.bytes, one.size);
	free(one.bytes);
	free(two.bytes);
}

static void check_gap(const struct image *image, uint64_t at, void *ctx)
{
	(void)ctx;
	cr_assert_eq(get(image, at + 24, 8), 4); /* PERF_AUX_FLAG_PARTIAL */
	cr_assert_eq(get(image, at + 16, 8), 128);
}

Test(perf_data, a_record_that_was_cut_off_is_left_out_and_flagged)
{
	struct perf_data *data = start("f", 1);
	struct perf_data_stats stats;
	uint8_t bytes[64];
	struct image image;

	make_record(bytes, 1, 1);
	perf_data_aux(data, 0, bytes, 64);
	perf_data_aux(data, 0, bytes, 20); /* a fault in the timestamp */
	make_record(bytes, 1, 2);
	perf_data_aux(data, 0, bytes, 64);
	perf_data_stats(data, &stats);
	cr_assert_eq(stats.records, 2);
	cr_assert_eq(stats.unfinished, 1);
	cr_assert_eq(stats.bytes, 128);
	cr_assert_eq(perf_data_close(data), 0);
	perf_data_free(data);
	image = load("f");
	cr_assert_eq(each_event(&image, 11, check_gap, NULL), 1);
	free(image.bytes);
}

Test(perf_data, a_record_is_never_divided_between_two_chunks)
{
	/* 48 bytes do not divide the size of a chunk. */
	struct perf_data *data = start("f", 1);
	struct aux_check check = {0};
	struct image image;
	uint8_t bytes[64];

	make_record(bytes, 1, 1);
	for (unsigned int n = 0; n < 2 * PERF_DATA_CHUNK / 23; n++)
		cr_assert_eq(perf_data_aux(data, 0, bytes, 23), 0);
	cr_assert_eq(perf_data_close(data), 0);
	perf_data_free(data);
	image = load("f");
	each_event(&image, 71, gather_aux, &check);
	for (unsigned int i = 0; i < check.count; i++)
		cr_assert_eq(get(&image, check.offsets[i] + 48, 1), 0x64);
	cr_assert_geq(check.count, 2);
	free(check.found[0].bytes);
	free(image.bytes);
}

Test(perf_data, padding_beyond_a_chunk_is_kept)
{
	struct perf_data *data = start("f", 1);
	struct perf_data_stats stats;
	uint8_t *zero = calloc(1, 3 * PERF_DATA_CHUNK);
	struct image image;

	make_record(zero + 3 * PERF_DATA_CHUNK - 64, 1, 1);
	cr_assert_eq(perf_data_aux(data, 0, zero, 3 * PERF_DATA_CHUNK), 0);
	perf_data_stats(data, &stats);
	cr_assert_eq(stats.bytes, 3 * PERF_DATA_CHUNK);
	cr_assert_eq(stats.records, 1);
	cr_assert_eq(perf_data_close(data), 0);
	perf_data_free(data);
	image = load("f");
	cr_assert_gt(image.size, 3 * PERF_DATA_CHUNK);
	free(image.bytes);
	free(zero);
}

Test(perf_data, contexts_beyond_the_limit_are_counted)
{
	struct perf_data *data = start("f", 1);
	struct perf_data_stats stats;
	uint8_t bytes[64];

	for (uint32_t context = 100; context < 100 + PERF_DATA_CONTEXTS + 5; context++) {
		make_record(bytes, context, 1);
		cr_assert_eq(perf_data_aux(data, 0, bytes, 64), 0);
	}
	perf_data_stats(data, &stats);
	cr_assert_eq(stats.contexts_lost, 5);
	cr_assert_eq(perf_data_close(data), 0);
	perf_data_free(data);
}

Test(perf_data, without_records_there_is_a_file_that_says_so)
{
	struct image image;

	write_records("f", 2, 0, NULL);
	image = load("f");
	cr_assert_eq(each_event(&image, 71, NULL, NULL), 0);
	free(image.bytes);
}

Test(perf_data, what_was_there_stays_until_the_new_file_is_whole)
{
	struct perf_data *data;
	struct image image;
	FILE *file = fopen(path_of("f"), "w");

	fputs("old", file);
	fclose(file);
	data = start("f", 1);
	image = load("f");
	cr_assert_eq(image.size, 3);
	free(image.bytes);
	perf_data_free(data);
	image = load("f");
	cr_assert_eq(image.size, 3);
	free(image.bytes);
	write_records("f", 1, 1, NULL);
	image = load("f");
	cr_assert_gt(image.size, 3);
	free(image.bytes);
}

Test(perf_data, what_cannot_be_done_is_refused)
{
	struct perf_data_guest about = guest(1);
	char long_name[5000];
	struct perf_data *data;

	cr_assert_eq(perf_data_open(&data, "/nowhere/at/all", &about), -ENOENT);
	cr_assert_null(data);
	cr_assert_eq(perf_data_open(&data, "/dev/null", &about), -EINVAL);
	cr_assert_eq(perf_data_open(&data, folder, &about), -EISDIR);
	about.cpus = 0;
	cr_assert_eq(perf_data_open(&data, path_of("f"), &about), -EINVAL);
	about = guest(1);
	about.counter_hz = 0;
	cr_assert_eq(perf_data_open(&data, path_of("f"), &about), -EINVAL);
	about = guest(1);
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = 0;
	about.name = long_name;
	cr_assert_eq(perf_data_open(&data, path_of("f"), &about), -ENAMETOOLONG);
	cr_assert_eq(perf_data_close(NULL), 0);

	data = start("f", 2);
	cr_assert_eq(perf_data_aux(data, 2, (const uint8_t *)"", 1), -EINVAL);
	perf_data_free(data);
}

static uint64_t records_in(const struct image *found)
{
	struct record_totals totals = {0};

	record_count(&totals, found->bytes, found->size);
	cr_assert_eq(totals.incomplete + totals.unknown, 0);
	return totals.records;
}

/* The events end where the header says, and their AUX data have this many records. */
static void check_whole(const struct image *image, uint64_t records)
{
	struct aux_check check = {0};

	cr_assert_leq(get(image, 40, 8) + get(image, 48, 8), image->size);
	each_event(image, 71, gather_aux, &check);
	cr_assert_eq(records_in(&check.found[0]), records);
	free(check.found[0].bytes);
}

/* No file grows beyond this. Tests lift the limit again, for a coverage build's profile. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

Test(perf_data, a_failed_write_keeps_what_could_be_written)
{
	/* A file may not grow beyond 300 KiB: a disk without room fails in the same place. */
	const unsigned int records = 100000;
	struct perf_data *data = start("f", 1);
	struct perf_data_stats stats;
	struct image image;
	uint8_t bytes[64];
	int error = 0;

	limit_files(300 * 1024);
	make_record(bytes, 1, 1);
	for (unsigned int n = 0; n < records; n++)
		error = perf_data_aux(data, 0, bytes, 64);
	cr_assert_eq(error, -EFBIG);
	cr_assert_eq(perf_data_close(data), -EFBIG);
	limit_files(RLIM_INFINITY);
	cr_assert_neq(access(path_of("f"), F_OK), 0);
	perf_data_stats(data, &stats);
	cr_assert_eq(stats.records, records);
	/* All space except the names of threads, the features and the index has records. */
	cr_assert_geq(records - stats.lost, (300 * 1024 - 8192) / 64);
	/* ... and the padding after the last record. */
	cr_assert_geq(stats.lost_bytes, 64 * stats.lost);
	cr_assert_lt(stats.lost_bytes, 64 * stats.lost + 64);
	cr_assert_str_begins(perf_data_partial(data), path_of("f"));
	image = load(strrchr(perf_data_partial(data), '/') + 1);
	check_whole(&image, records - stats.lost);
	cr_assert_eq(get(&image, 72, 8) != 0, 1); /* with its features */
	free(image.bytes);
	perf_data_free(data);
}

Test(perf_data, a_file_without_place_for_its_end_has_few_features)
{
	struct perf_data *data = start("f", 1);
	struct image image;
	uint8_t bytes[64];

	/* A chunk and its events fit, and nothing else. */
	limit_files(PERF_DATA_CHUNK + 2048);
	make_record(bytes, 1, 1);
	for (unsigned int n = 0; n < 2 * PERF_DATA_CHUNK / 64; n++)
		(void)perf_data_aux(data, 0, bytes, 64);
	cr_assert_eq(perf_data_close(data), -EFBIG);
	limit_files(RLIM_INFINITY);
	cr_assert_not_null((void *)perf_data_partial(data));
	image = load(strrchr(perf_data_partial(data), '/') + 1);
	check_whole(&image, PERF_DATA_CHUNK / 64);
	cr_assert_eq(get(&image, 72, 8), 1u << 6 | 1u << 7 | 1u << 9); /* as when written */
	free(image.bytes);
	perf_data_free(data);
}

Test(perf_data, without_a_record_in_it_there_is_no_partial_file)
{
	struct perf_data *data = start("f", 1);
	struct perf_data_stats stats;
	uint8_t bytes[64];

	limit_files(4096);
	make_record(bytes, 1, 1);
	for (unsigned int n = 0; n < 1000; n++)
		cr_assert_eq(perf_data_aux(data, 0, bytes, 64), 0);
	cr_assert_eq(perf_data_close(data), -EFBIG);
	limit_files(RLIM_INFINITY);
	cr_assert_null((void *)perf_data_partial(data));
	perf_data_stats(data, &stats);
	cr_assert_eq(stats.lost, 1000);
	perf_data_free(data);
}

/* Records of two vCPUs, each with a new Context packet, up to a limit. */
Test(perf_data, the_limit_holds_and_what_has_no_place_is_counted)
{
	const uint64_t limits[] = {65536, 100000, 300 * 1024, 700001, 1 << 20};
	const unsigned int records = 20000;

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		struct perf_data *data = start("f", 2);
		struct perf_data_stats stats;
		struct aux_check check = {0};
		struct image image;
		uint8_t bytes[64];

		perf_data_limit(data, limits[i]);
		for (unsigned int n = 0; n < records; n++) {
			make_record(bytes, 100 + n % 50, n);
			cr_assert_eq(perf_data_aux(data, n % 2, bytes, 64), 0);
		}
		cr_assert_eq(perf_data_close(data), 0);
		perf_data_stats(data, &stats);
		perf_data_free(data);
		image = load("f");
		cr_assert_leq(image.size, limits[i]);
		each_event(&image, 71, gather_aux, &check);
		cr_assert_eq(records_in(&check.found[0]) + records_in(&check.found[1]),
			     records - stats.lost);
		cr_assert_gt(stats.lost, 0);
		/* What is left unused is less than what follows the records. */
		cr_assert_gt(records - stats.lost, (limits[i] - 40000) / 64);
		free(check.found[0].bytes);
		free(check.found[1].bytes);
		free(image.bytes);
	}
}

/* An ELF file with one executable segment, one that is not, and two symbols. */
struct tiny_elf {
	Elf64_Ehdr header;
	Elf64_Phdr segments[2];
	Elf64_Shdr sections[3];
	Elf64_Sym symbols[3];
	char strings[16];
};

static struct tiny_elf make_elf(void)
{
	struct tiny_elf elf = {
		.header = {.e_type = ET_EXEC,
			   .e_machine = EM_AARCH64,
			   .e_version = EV_CURRENT,
			   .e_phoff = offsetof(struct tiny_elf, segments),
			   .e_shoff = offsetof(struct tiny_elf, sections),
			   .e_ehsize = sizeof(Elf64_Ehdr),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = 2,
			   .e_shentsize = sizeof(Elf64_Shdr),
			   .e_shnum = 3,
			   .e_shstrndx = 2},
		.segments = {{.p_type = PT_LOAD,
			      .p_flags = PF_R | PF_X,
			      .p_offset = 0x40,
			      .p_vaddr = 0x40080000,
			      .p_memsz = 0x100},
			     {.p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_memsz = 0x100}},
		.sections = {{0},
			     {.sh_type = SHT_SYMTAB,
			      .sh_offset = offsetof(struct tiny_elf, symbols),
			      .sh_size = 3 * sizeof(Elf64_Sym),
			      .sh_link = 2,
			      .sh_entsize = sizeof(Elf64_Sym)},
			     {.sh_type = SHT_STRTAB,
			      .sh_offset = offsetof(struct tiny_elf, strings),
			      .sh_size = 16}},
		.symbols = {{0},
			    {.st_name = 1, .st_shndx = 1, .st_value = 0x40080040},
			    {.st_name = 7, .st_shndx = 1, .st_value = 0x40080010}},
	};

	memcpy(elf.strings, "\0_text\0_start", 14);
	memcpy(elf.header.e_ident, ELFMAG, SELFMAG);
	elf.header.e_ident[EI_CLASS] = ELFCLASS64;
	elf.header.e_ident[EI_DATA] = ELFDATA2LSB;
	elf.header.e_ident[EI_VERSION] = EV_CURRENT;
	return elf;
}

static int describe(const void *bytes, size_t size, struct perf_data_guest *about,
		    struct perf_guest *store)
{
	FILE *file = fopen(path_of("g"), "wb");

	cr_assert_eq(fwrite(bytes, 1, size, file), size);
	fclose(file);
	return perf_guest_describe(about, store, path_of("g"), 0x40200000, 0x5000);
}

Test(perf_data, an_elf_guest_gives_its_executable_segments_and_start)
{
	struct tiny_elf elf = make_elf();
	struct perf_data_guest about;
	struct perf_guest store;

	cr_assert_eq(describe(&elf, sizeof(elf), &about, &store), 0);
	cr_assert_eq(about.map_count, 1);
	cr_assert_eq(about.maps[0].start, 0x40080000);
	cr_assert_eq(about.maps[0].size, 0x100);
	cr_assert_eq(about.maps[0].file_offset, 0x40);
	/* _start rather than _text: a name that the kernel of perf's machine does not have. */
	cr_assert_str_eq(about.anchor, "_start");
	cr_assert_eq(about.anchor_address, 0x40080010);
}

Test(perf_data, an_image_is_where_it_was_loaded)
{
	struct perf_data_guest about;
	struct perf_guest store;

	cr_assert_eq(describe("no ELF at all", 13, &about, &store), 0);
	cr_assert_eq(about.map_count, 1);
	cr_assert_eq(about.maps[0].start, 0x40200000);
	cr_assert_eq(about.maps[0].size, 0x5000);
	/* A name that neither the guest's ELF file nor the kernel of perf's machine has. */
	cr_assert_str_eq(about.anchor, "vspe_guest_image");
}

Test(perf_data, an_elf_file_that_is_none_of_ours_is_refused)
{
	struct tiny_elf elf = make_elf();
	struct perf_data_guest about;
	struct perf_guest store;

	elf.header.e_machine = EM_X86_64;
	cr_assert_eq(describe(&elf, sizeof(elf), &about, &store), -ENOEXEC);
	elf = make_elf();
	elf.header.e_ident[EI_CLASS] = ELFCLASS32;
	cr_assert_eq(describe(&elf, sizeof(elf), &about, &store), -ENOEXEC);
	cr_assert_eq(perf_guest_describe(&about, &store, path_of("none"), 0, 0), -ENOENT);
	/* Every truncation, and every single byte changed: no crash. */
	elf = make_elf();
	for (size_t size = 0; size < sizeof(elf); size += 3)
		describe(&elf, size, &about, &store);
	for (size_t i = 0; i < sizeof(elf); i++) {
		((uint8_t *)&elf)[i] ^= 0xff;
		describe(&elf, sizeof(elf), &about, &store);
		((uint8_t *)&elf)[i] ^= 0xff;
	}
}
