/* SPDX-License-Identifier: BSD-2-Clause */
/* Which core wrote the records: see input_core.h. */
#include "trace/input_core.h"

#include "base/memory.h"
#include "trace/input.h"
#include "trace/perf_format.h"

#include <stdlib.h>
#include <string.h>

/* AUXTRACE_INFO of SPE from version 2 on, in words of eight bytes: its head, then each CPU's. */
#define INFO_V1_WORDS	2u /* all that version 1 had */
#define INFO_HEAD_WORDS 1u /* index of the head's word with its size */
#define INFO_CPU_NUMBER 1u /* of a CPU's words: comes after a magic number */
#define INFO_CPU_WORDS	2u /* how many follow */
#define INFO_CPU_MIDR	3u
#define INFO_CPU_LEAST	4u

#define CPUID_MAX 64u /* the most bytes of a CPUID that are used; perf writes 19 */

uint32_t input_core(const struct input_cores *cores, int32_t cpu)
{
	if (!cores->each)
		return cores->all;
	if (cpu < 0)
		return cores->same;
	return (uint32_t)cpu < INPUT_CPUS && cores->each[cpu] ? cores->each[cpu] : INPUT_ANY_MIDR;
}

void input_cores_free(struct input_cores *cores)
{
	free(cores->each);
	*cores = (struct input_cores){0};
}

static void set_core(struct input_cores *cores, uint64_t cpu, uint64_t midr)
{
	if (cpu >= INPUT_CPUS || midr == 0 || midr > UINT32_MAX)
		return;
	if (!cores->each)
		cores->each = memory_need(calloc(INPUT_CPUS, sizeof(*cores->each)));
	cores->each[cpu] = (uint32_t)midr;
	cores->same = cores->same == 0 || cores->same == midr ? (uint32_t)midr : INPUT_ANY_MIDR;
}

static uint64_t word_of(const uint8_t *bytes, size_t number)
{
	return perf_format_get_u64(bytes + 8 * number);
}

void input_cores_trace(struct input_cores *cores, const uint8_t *bytes, size_t size)
{
	const size_t words = size / 8;
	size_t at;

	if (words <= INFO_V1_WORDS || word_of(bytes, INFO_HEAD_WORDS) > words)
		return;
	at = (size_t)word_of(bytes, INFO_HEAD_WORDS);
	while (words - at >= INFO_CPU_LEAST) {
		const uint64_t more = word_of(bytes, at + INFO_CPU_WORDS);

		set_core(cores, word_of(bytes, at + INFO_CPU_NUMBER),
			 word_of(bytes, at + INFO_CPU_MIDR));
		if (more >= words - at - INFO_CPU_WORDS)
			break;
		at += INFO_CPU_WORDS + 1 + (size_t)more;
	}
}

/* A CPUID section: the size of a string, and the string, "0x00000000414fd0c1". */
static void read_cpuid(struct input_cores *cores, const uint8_t *bytes, size_t size)
{
	char text[CPUID_MAX + 1];
	unsigned long long value;
	char *end;

	if (size < 4)
		return;
	size -= 4;
	if (size > CPUID_MAX)
		size = CPUID_MAX;
	memcpy(text, bytes + 4, size);
	text[size] = '\0';
	if (strncmp(text, "0x", 2) != 0)
		return;
	value = strtoull(text + 2, &end, 16);
	if (end != text + 2 && value <= UINT32_MAX)
		cores->all = (uint32_t)value;
}

void input_cores_feature(struct input_cores *cores, const uint8_t *bytes, size_t size)
{
	if (size > 8 && perf_format_get_u64(bytes) == PERF_FORMAT_CPUID)
		read_cpuid(cores, bytes + 8, size - 8);
}

/* Skip size bytes, which are few in a valid file. */
static int pass(FILE *file, uint64_t size)
{
	uint8_t piece[4096];

	while (size) {
		const size_t part = size < sizeof(piece) ? (size_t)size : sizeof(piece);

		if (fread(piece, 1, part, file) != part)
			return -1;
		size -= part;
	}
	return 0;
}

void input_cores_sections(struct input_cores *cores, FILE *file, uint64_t at, const uint8_t *header)
{
	const int row = perf_format_section(header, PERF_FORMAT_CPUID);
	uint8_t section[16], text[4 + CPUID_MAX];
	uint64_t start, size;

	if (row < 0 || pass(file, sizeof(section) * (uint64_t)row) ||
	    fread(section, 1, sizeof(section), file) != sizeof(section))
		return;
	at += sizeof(section) * ((uint64_t)row + 1);
	start = perf_format_get_u64(section);
	size = perf_format_get_u64(section + 8);
	if (size > sizeof(text))
		size = sizeof(text);
	if (start >= at && pass(file, start - at) == 0 && fread(text, 1, size, file) == size)
		read_cpuid(cores, text, (size_t)size);
}
