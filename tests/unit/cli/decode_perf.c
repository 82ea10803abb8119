/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vspe decode --perf-data: the file has the records that the bytes have, wherever they are cut into
 * pieces; what cannot be had is one line and leaves no file.
 */
#include "../compare.h"
#include "cli/cli.h"
#include "cli/decode.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A record of 23 bytes and padding to 64; the number is its timestamp. */
#define RECORD 64
static void make_record(uint8_t *at, uint32_t number)
{
	static const uint8_t packets[] = {
		0xb0, 0x44, 0x00, 0x08, 0x40, 0x00, 0x00, 0x00, 0xa0, /* PC */
		0x48, 0x00, 0x42, 0x02,				      /* operation, events */
		0x71, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* timestamp */
	};

	memset(at, 0, RECORD);
	memcpy(at, packets, sizeof(packets));
	for (unsigned int i = 0; i < 4; i++)
		at[14 + i] = (uint8_t)(number >> 8 * i);
}

static char folder[] = "/tmp/vspe-decode-perf-XXXXXX";
static char path[64];

static void setup(void)
{
	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/perf.data", folder);
}

static void teardown(void)
{
	unlink(path);
	rmdir(folder);
}

TestSuite(decode_perf, .init = setup, .fini = teardown);

/* decode_to_perf_data() of these bytes; what it said is to be freed. */
static int convert(const void *bytes, size_t size, const char *to, const char *symbols, char **said)
{
	FILE *in = size ? fmemopen((void *)bytes, size, "rb") : fopen("/dev/null", "rb");
	size_t length;
	FILE *messages = open_memstream(said, &length);
	int code = decode_to_perf_data(in, "f", to, symbols, NULL, NULL, messages);

	fclose(in);
	fclose(messages);
	return code;
}

/* What vspe decode prints of a file. */
static char *text_of(FILE *in)
{
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	cr_assert_not_null(in);
	cr_assert_eq(decode_input(in, "f", &(struct decode_wish){0}, out, stderr), 0);
	fclose(in);
	fclose(out);
	return text;
}

Test(decode_perf, has_the_same_records_at_the_same_offsets)
{
	/* More than three pieces of input, and than one chunk of the file. */
	const size_t count = 6000, size = count * RECORD;
	uint8_t *bytes = malloc(size);
	char *wanted, *got, *said;

	for (size_t i = 0; i < count; i++)
		make_record(bytes + i * RECORD, (uint32_t)i);
	cr_assert_eq(convert(bytes, size, path, NULL, &said), 0);
	cr_assert_str_eq(said, "");
	wanted = text_of(fmemopen(bytes, size, "rb"));
	got = text_of(fopen(path, "rb"));
	cr_assert_str_has(got, "record 5999 cpu 0 offset 0x5dbc0 size 22\n");
	cr_assert_str_eq(got, wanted);
	free(wanted);
	free(got);
	free(said);
	free(bytes);
}

/* Padding of any length before a record, so that the record lies across pieces of input. */
Test(decode_perf, padding_does_not_matter)
{
	static uint8_t bytes[200000];
	char *wanted, *got, *said;

	for (size_t zeros = 65536 - 30; zeros < sizeof(bytes) - RECORD; zeros += 65536 - 40) {
		memset(bytes, 0, sizeof(bytes));
		make_record(bytes + zeros, 7);
		cr_assert_eq(convert(bytes, sizeof(bytes), path, NULL, &said), 0);
		free(said);
		wanted = text_of(fmemopen(bytes, sizeof(bytes), "rb"));
		got = text_of(fopen(path, "rb"));
		cr_assert_str_begins(got, "record 0 cpu 0 offset ");
		cr_assert_str_has(got, " TS 7\n");
		cr_assert_str_has(wanted, " TS 7\n");
		free(wanted);
		free(got);
	}
}

Test(decode_perf, a_record_without_an_end_is_left_out_and_counted)
{
	uint8_t bytes[3 * RECORD];
	char *got, *said;

	for (uint32_t i = 0; i < 3; i++)
		make_record(bytes + (size_t)i * RECORD, i);
	cr_assert_eq(convert(bytes, 2 * RECORD + 10, path, NULL, &said), 1);
	cr_assert_str_eq(said, "vspe decode: f: 1 records without an end, left out\n");
	got = text_of(fopen(path, "rb"));
	cr_assert_str_has(got, "record 1 cpu 0");
	cr_assert_str_lacks(got, "record 2 cpu 0");
	free(got);
	free(said);
}

Test(decode_perf, no_bytes_make_a_file_without_records)
{
	char *got, *said;

	cr_assert_eq(convert(NULL, 0, path, NULL, &said), 0);
	got = text_of(fopen(path, "rb"));
	cr_assert_str_eq(got, "");
	free(got);
	free(said);
}

Test(decode_perf, what_cannot_be_done_is_one_line_and_no_file)
{
	static const char *const inputs[] = {"PERFILE2 and more", "2ELIFREP and more"};
	char *said;

	for (size_t i = 0; i < 2; i++) {
		cr_assert_eq(convert(inputs[i], strlen(inputs[i]), path, NULL, &said), 2);
		cr_assert_str_eq(said, "vspe decode: f: --perf-data takes raw records, and this is "
				       "a perf.data file, which perf reads as it is\n");
		cr_assert_eq(access(path, F_OK), -1);
		free(said);
	}
	cr_assert_eq(convert("", 0, "/nowhere/at/all", NULL, &said), 2);
	cr_assert_str_eq(said,
			 "vspe decode: --perf-data /nowhere/at/all: No such file or directory\n");
	free(said);
	cr_assert_eq(convert("", 0, path, "/dev/null", &said), 2);
	cr_assert_str_eq(said, "vspe decode: --symbols /dev/null: not an AArch64 ELF file\n");
	free(said);
	cr_assert_eq(convert("", 0, path, "/nowhere/elf", &said), 2);
	cr_assert_str_eq(said, "vspe decode: --symbols /nowhere/elf: No such file or directory\n");
	free(said);
	cr_assert_eq(access(path, F_OK), -1);
}

static int command(const char *arguments[])
{
	/* A sandbox would be one for the test, too. */
	const char *all[8] = {arguments[0], "--no-sandbox"};
	int count = 2;

	for (; arguments[count - 1]; count++)
		all[count] = arguments[count - 1];
	return cmd_decode(count, (char **)all);
}

Test(decode_perf, the_options_go_together_or_are_refused)
{
	cr_assert_eq(command((const char *[]){"decode", "--perf-data", path, "/dev/null", NULL}),
		     0);
	cr_assert_eq(access(path, F_OK), 0);
	unlink(path);
	cr_assert_eq(command((const char *[]){"decode", "--perf-data", NULL}), 2);
	cr_assert_eq(command((const char *[]){"decode", "--perf-data", path, NULL}), 2);
	cr_assert_eq(command((const char *[]){"decode", "--symbols", "x", "/dev/null", NULL}), 2);
	cr_assert_eq(
		command((const char *[]){"decode", "-j", "--perf-data", path, "/dev/null", NULL}),
		2);
	cr_assert_eq(
		command((const char *[]){"decode", "-s", "--perf-data", path, "/dev/null", NULL}),
		2);
	cr_assert_eq(access(path, F_OK), -1);
}
