/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vspe decode: its output, its messages about damage, its exit codes, and that no input makes it do
 * anything else.
 */
#include "../compare.h"
#include "cli/cli.h"
#include "cli/decode.h"
#include "trace/perf_data.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A load at EL1 with all its packets, and a branch at EL0 with an End packet. */
static const uint8_t records[] = {
	0x64, 0x07, 0x00, 0x00, 0x00,			      /* 00 context */
	0x98, 0x05, 0x00,				      /* 05 total */
	0x9a, 0x01, 0x00,				      /* 08 translation */
	0xb0, 0x44, 0x00, 0x08, 0x40, 0x00, 0x00, 0x00, 0xa0, /* 0b PC */
	0xb2, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0xff, 0x00, /* 14 VA */
	0xb3, 0x00, 0x10, 0x00, 0x41, 0x00, 0x00, 0x00, 0x80, /* 1d PA */
	0x43, 0x08,					      /* 26 source */
	0x49, 0x00,					      /* 28 operation */
	0x52, 0x16, 0x10,				      /* 2a events */
	0x71, 0xe8, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* 2d timestamp */
	0x00, 0x00,					      /* 36 padding */
	0xb0, 0x48, 0x00, 0x08, 0x40, 0x00, 0x00, 0x00, 0x80, /* 38 PC */
	0xb1, 0x60, 0x00, 0x08, 0x40, 0x00, 0x00, 0x00, 0x80, /* 41 target */
	0x4a, 0x01, 0x42, 0x02, 0x01,			      /* 4a operation, events, end */
};

struct result {
	int code;
	char *out, *messages;
};

static struct result decode_wished(const void *bytes, size_t size, const struct decode_wish *wish)
{
	struct result result = {0};
	size_t out_size, messages_size;
	FILE *out = open_memstream(&result.out, &out_size);
	FILE *messages = open_memstream(&result.messages, &messages_size);
	/* fmemopen() does not accept an empty buffer. */
	FILE *in = size ? fmemopen((void *)bytes, size, "rb") : fopen("/dev/null", "rb");

	result.code = decode_input(in, "f", wish, out, messages);
	fclose(in);
	fclose(out);
	fclose(messages);
	return result;
}

static struct result decode(const void *bytes, size_t size, enum decode_format format)
{
	return decode_wished(bytes, size, &(struct decode_wish){.format = format});
}

static void release(struct result *result)
{
	free(result->out);
	free(result->messages);
}

Test(decode, text_has_a_line_a_packet)
{
	struct result result = decode(records, sizeof(records), DECODE_TEXT);

	cr_assert_eq(result.code, 0);
	cr_assert_str_eq(result.messages, "");
	cr_assert_str_eq(
		result.out,
		"record 0 cpu 0 offset 0x0 size 54\n"
		"  00000000:  64 07 00 00 00                 CONTEXT 0x7 el1\n"
		"  00000005:  98 05 00                       LAT 5 TOT\n"
		"  00000008:  9a 01 00                       LAT 1 XLAT\n"
		"  0000000b:  b0 44 00 08 40 00 00 00 a0     PC 0x40080044 el1 ns=1\n"
		"  00000014:  b2 00 10 00 00 00 00 ff 00     VA 0xff000000001000\n"
		"  0000001d:  b3 00 10 00 41 00 00 00 80     PA 0x41001000 ns=1 ch=0 pat=0\n"
		"  00000026:  43 08                          DATA-SOURCE 8\n"
		"  00000028:  49 00                          LD GP-REG\n"
		"  0000002a:  52 16 10                       EV RETIRED L1D-ACCESS TLB-ACCESS "
		"E[12]\n"
		"  0000002d:  71 e8 03 00 00 00 00 00 00     TS 1000\n"
		"record 1 cpu 0 offset 0x38 size 23\n"
		"  00000038:  b0 48 00 08 40 00 00 00 80     PC 0x40080048 el0 ns=1\n"
		"  00000041:  b1 60 00 08 40 00 00 00 80     TGT 0x40080060 el0 ns=1\n"
		"  0000004a:  4a 01                          B COND\n"
		"  0000004c:  42 02                          EV RETIRED\n"
		"  0000004e:  01                             END\n");
	release(&result);
}

Test(decode, json_has_an_object_a_line)
{
	struct result result = decode(records, sizeof(records), DECODE_JSON);
	struct json_object *object, *field, *inner;
	char *line = strtok(result.out, "\n");

	cr_assert_eq(result.code, 0);
	object = json_tokener_parse(line);
	cr_assert(json_object_object_get_ex(object, "pc", &field));
	cr_assert(json_object_object_get_ex(field, "address", &inner));
	cr_assert_str_eq(json_object_get_string(inner), "0x40080044");
	cr_assert(json_object_object_get_ex(field, "el", &inner));
	cr_assert_eq(json_object_get_int(inner), 1);
	cr_assert(json_object_object_get_ex(object, "latency", &field));
	cr_assert(json_object_object_get_ex(field, "total", &inner));
	cr_assert_eq(json_object_get_int(inner), 5);
	cr_assert(json_object_object_get_ex(object, "data_va", &field));
	cr_assert_str_eq(json_object_get_string(field), "0xff000000001000");
	cr_assert(json_object_object_get_ex(object, "operation", &field));
	cr_assert_str_eq(json_object_get_string(field), "LD GP-REG");
	cr_assert(json_object_object_get_ex(object, "events", &field));
	cr_assert_eq(json_object_array_length(field), 4);
	cr_assert(json_object_object_get_ex(object, "timestamp", &field));
	cr_assert_eq(json_object_get_int(field), 1000);
	cr_assert(json_object_object_get_ex(object, "contextidr_el1", &field));
	cr_assert_eq(json_object_get_int(field), 7);
	json_object_put(object);

	object = json_tokener_parse(strtok(NULL, "\n"));
	cr_assert(json_object_object_get_ex(object, "target", &field));
	cr_assert(json_object_object_get_ex(object, "class", &field));
	cr_assert_str_eq(json_object_get_string(field), "branch");
	cr_assert_eq(json_object_object_get_ex(object, "timestamp", &field), 0);
	json_object_put(object);
	cr_assert_null(strtok(NULL, "\n"));
	release(&result);
}

Test(decode, json_loses_no_packet_of_a_damaged_record)
{
	/* Two events packets, one unknown, and a cut one. */
	static const uint8_t bytes[] = {0x42, 0x02, 0x42, 0x04, 0x40, 0xab, 0x71, 0x01};
	struct result result = decode(bytes, sizeof(bytes), DECODE_JSON);

	cr_assert_eq(result.code, 1);
	cr_assert_str_eq(result.out,
			 "{\"record\":0,\"cpu\":0,\"offset\":0,\"size\":8,\"complete\":false,"
			 "\"events\":[\"RETIRED\"],\"repeated\":[\"EV L1D-ACCESS\"],"
			 "\"unknown\":[\"40ab\",\"7101\"]}\n");
	release(&result);
}

/* The first record is of EL1, the second of EL0. */
Test(decode, one_level_and_one_vcpu)
{
	struct decode_wish wish = {.format = DECODE_TEXT, .filter = {.by_el = true, .el = 0}};
	struct result result = decode_wished(records, sizeof(records), &wish);

	cr_assert_eq(result.code, 0);
	cr_assert_str_begins(result.out, "record 1 cpu 0 offset 0x38 size 23\n");
	cr_assert_str_lacks(result.out, "el1");
	release(&result);
	wish.filter.by_cpu = true;
	result = decode_wished(records, sizeof(records), &wish);
	cr_assert_str_begins(result.out, "record 1 cpu 0 ");
	release(&result);
	wish.filter.cpu = 1;
	result = decode_wished(records, sizeof(records), &wish);
	cr_assert_eq(result.code, 0);
	cr_assert_str_eq(result.out, "");
	cr_assert_str_eq(result.messages,
			 "vspe decode: f: no record of that --el and --cpu in it\n");
	release(&result);
}

Test(decode, summary_of_a_level_as_json)
{
	const struct decode_wish wish = {.format = DECODE_SUMMARY_JSON,
					 .filter = {.by_el = true, .el = 1}};
	struct result result = decode_wished(records, sizeof(records), &wish);

	cr_assert_str_eq(
		result.out,
		"{\"records\":1,\"without_an_end\":0,\"bytes\":54,\"bytes_of_padding\":0,"
		"\"bytes_skipped\":0,\"at\":{\"EL1\":1},\"class\":{\"load/store\":1},"
		"\"packets\":{\"timestamp\":1,\"events\":1,\"data_source\":1,"
		"\"operation_type\":1,\"context\":1,\"counter\":2,\"address\":3},"
		"\"event\":{\"RETIRED\":1,\"L1D-ACCESS\":1,\"TLB-ACCESS\":1,\"E[12]\":1}}\n");
	release(&result);
}

Test(decode, addresses_of_instructions_have_names)
{
	static const char map[] = "40080040 T first\n40080048 t second\n40080060 T \x1b<third>\n";
	char path[] = "/tmp/vspe-symbols-XXXXXX";
	const int fd = mkstemp(path);
	struct decode_wish wish = {.symbols = symbols_new()};
	struct result result;

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, map, sizeof(map) - 1), (ssize_t)sizeof(map) - 1);
	close(fd);
	cr_assert_eq(symbols_add(wish.symbols, path, false, 0), 0);
	unlink(path);
	result = decode_wished(records, sizeof(records), &wish);
	cr_assert_str_has(result.out, " PC 0x40080044 el1 ns=1 first+0x4\n");
	cr_assert_str_has(result.out, " PC 0x40080048 el0 ns=1 second+0x0\n");
	cr_assert_str_has(result.out, " TGT 0x40080060 el0 ns=1 \\x1b<third>+0x0\n");
	cr_assert_str_has(result.out, " VA 0xff000000001000\n");
	release(&result);
	wish.format = DECODE_JSON;
	result = decode_wished(records, sizeof(records), &wish);
	cr_assert_str_has(result.out, "\"nse\":false,\"symbol\":\"first+0x4\"}");
	release(&result);
	symbols_free(wish.symbols);
}

Test(decode, summary_counts)
{
	struct result result = decode(records, sizeof(records), DECODE_SUMMARY);

	cr_assert_eq(result.code, 0);
	cr_assert_str_has(result.out, "records                  2\n");
	cr_assert_str_has(result.out, "bytes of padding         2\n");
	cr_assert_str_has(result.out, "at EL0                   1\n");
	cr_assert_str_has(result.out, "class load/store         1\n");
	cr_assert_str_has(result.out, "event RETIRED            2\n");
	release(&result);
}

Test(decode, damage_is_counted_and_the_next_record_found)
{
	uint8_t bytes[sizeof(records) + 4];
	struct result result;

	/* Four bytes that begin no packet, between the records. */
	memcpy(bytes, records, 0x38);
	memset(bytes + 0x38, 0x05, 4);
	memcpy(bytes + 0x3c, records + 0x38, sizeof(records) - 0x38);
	result = decode(bytes, sizeof(bytes), DECODE_TEXT);
	cr_assert_eq(result.code, 1);
	cr_assert_str_eq(result.messages,
			 "vspe decode: f: 4 bytes skipped in unknown or cut packets, 0 records "
			 "without an end; first damage in the record at 0x38 of cpu 0\n");
	cr_assert_str_has(result.out, "PC 0x40080048 el0 ns=1\n");
	release(&result);

	result = decode(records, sizeof(records) - 1, DECODE_TEXT);
	cr_assert_eq(result.code, 1);
	cr_assert_str_has(result.messages, "0 bytes skipped");
	cr_assert_str_has(result.messages, "1 records without an end");
	cr_assert_str_has(result.out, "size 22 unfinished\n");
	release(&result);
}

Test(decode, nothing_is_no_damage)
{
	static const uint8_t zero[1000];
	struct result result = decode(zero, sizeof(zero), DECODE_TEXT);

	cr_assert_eq(result.code, 0);
	cr_assert_str_eq(result.out, "");
	release(&result);
	result = decode(zero, 0, DECODE_TEXT);
	cr_assert_eq(result.code, 2); /* but an empty file has no buffer in it */
	release(&result);
}

/* Input is read in pieces: where they end must not show. */
Test(decode, records_across_pieces_are_whole)
{
	const size_t copies = 5000;
	uint8_t *bytes = malloc(copies * sizeof(records));
	struct result result;

	for (size_t i = 0; i < copies; i++)
		memcpy(bytes + i * sizeof(records), records, sizeof(records));
	result = decode(bytes, copies * sizeof(records), DECODE_SUMMARY);
	cr_assert_eq(result.code, 0);
	cr_assert_str_has(result.out, "records                  10000\n");
	release(&result);
	free(bytes);
}

/* A perf.data file of two CPUs with many chunks, as bytes. */
static uint8_t *make_perf_data(size_t *size)
{
	const struct perf_data_guest guest = {
		.name = "g", .cpus = 2, .midr = 1, .counter_hz = 1000000000};
	char path[] = "/tmp/vspe-decode-XXXXXX";
	int fd = mkstemp(path);
	struct perf_data *data;
	uint8_t *bytes;
	FILE *file;

	close(fd);
	cr_assert_eq(perf_data_open(&data, path, &guest), 0);
	for (unsigned int i = 0; i < 4000; i++) {
		cr_assert_eq(perf_data_aux(data, 0, records, 0x38), 0);
		cr_assert_eq(perf_data_aux(data, 0, records, 0x38), 0);
		cr_assert_eq(perf_data_aux(data, 1, records + 0x38, 23), 0);
	}
	cr_assert_eq(perf_data_close(data), 0);
	perf_data_free(data);
	file = fopen(path, "rb");
	fseek(file, 0, SEEK_END);
	*size = (size_t)ftell(file);
	rewind(file);
	bytes = malloc(*size);
	cr_assert_eq(fread(bytes, 1, *size, file), *size);
	fclose(file);
	unlink(path);
	return bytes;
}

Test(decode, perf_data_is_read_by_cpu)
{
	size_t size;
	uint8_t *bytes = make_perf_data(&size);
	struct result result = decode(bytes, size, DECODE_TEXT);
	char *at;

	cr_assert_eq(result.code, 0);
	cr_assert_str_eq(result.messages, "");
	cr_assert_str_has(result.out, "record 7999 cpu 0 offset ");
	cr_assert_str_lacks(result.out, "record 8000 ");
	at = strstr(result.out, "record 3999 cpu 1 offset ");
	cr_assert_not_null(at);
	cr_assert_str_has(at, "PC 0x40080048 el0 ns=1\n");
	release(&result);
	free(bytes);
}

/* Everything before the damage is read; without any record there, the input is wrong. */
Test(decode, damaged_perf_data_is_one_line_and_exit_code_1_or_2)
{
	size_t size;
	uint8_t *bytes = make_perf_data(&size);
	struct result result;

	/* Cut in the header, before the events, in an event, in its data. */
	for (size_t cut = 8; cut < 4096; cut += 7) {
		unsigned int whole = 0, unfinished = 0;

		result = decode(bytes, cut, DECODE_SUMMARY);
		cr_assert_eq(
			sscanf(result.out, "records %u\nwithout an end %u", &whole, &unfinished),
			2);
		cr_assert_eq(result.code, whole + unfinished ? 1 : 2);
		cr_assert_eq(strchr(result.messages, '\n'), strrchr(result.messages, '\n'));
		cr_assert_str_has(result.messages, "vspe decode: f: perf.data file ");
		release(&result);
	}
	memcpy(bytes, "2ELIFREP", 8);
	result = decode(bytes, size, DECODE_SUMMARY);
	cr_assert_eq(result.code, 2);
	cr_assert_str_eq(result.messages,
			 "vspe decode: f: perf.data file of a big-endian machine\n");
	release(&result);
	free(bytes);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Random bytes, and records and files with random changes: any of the exit codes, and no crash. */
Test(decode, any_input_has_an_outcome)
{
	size_t size;
	uint8_t *good = make_perf_data(&size), *bytes = malloc(8192);
	uint32_t random = 2024;

	for (unsigned int round = 0; round < 3000; round++) {
		size_t length = next_random(&random) % 8192, changes = next_random(&random) % 8;
		struct result result;

		switch (round % 3) {
		case 0:
			for (size_t i = 0; i < length; i++)
				bytes[i] = (uint8_t)next_random(&random);
			break;
		case 1:
			for (size_t i = 0; i < length; i++)
				bytes[i] = records[i % sizeof(records)];
			break;
		default: memcpy(bytes, good, length); break;
		}
		for (size_t i = 0; i < changes && length; i++) {
			size_t at = next_random(&random) % length;

			bytes[at] = (uint8_t)next_random(&random);
		}
		result = decode(bytes, length, (enum decode_format)(next_random(&random) % 3));
		cr_assert_geq(result.code, 0, "round %u", round);
		cr_assert_leq(result.code, 2, "round %u", round);
		cr_assert_eq(result.code != 0, result.messages[0] != 0, "round %u", round);
		release(&result);
	}
	free(good);
	free(bytes);
}

static int command(const char *first, const char *second)
{
	/* A sandbox would apply to the test, too. */
	char *arguments[] = {(char *)"decode", (char *)"--no-sandbox", (char *)first,
			     (char *)second, NULL};

	return cmd_decode(second ? 4 : first ? 3 : 2, arguments);
}

Test(decode, wrong_use_is_exit_code_2)
{
	cr_assert_eq(command(NULL, NULL), 2);
	cr_assert_eq(command("one", "two"), 2);
	cr_assert_eq(command("--nonsense", "f"), 2);
	cr_assert_eq(command("/nowhere/at/all", NULL), 2);
	cr_assert_eq(command("/", NULL), 2); /* a folder */
	cr_assert_eq(command("--help", NULL), 0);
	cr_assert_eq(command("/dev/null", NULL), 2);
}
