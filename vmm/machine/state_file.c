/* SPDX-License-Identifier: BSD-2-Clause */
/* Header and sections of a saved machine: see state_file.h. */
#include "machine/state_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/printable.h"

/*
 * How much to read at first, and later: a wrong length then costs little more than what the file
 * has.
 */
#define STATE_FILE_FIRST (UINT64_C(1) << 16)
#define STATE_FILE_CHUNK (UINT64_C(1) << 24)

#define MAGIC 8

static const struct {
	char magic[MAGIC + 1];
	const char *name;
	const char *written; /* the verb for messages */
	uint32_t since;	     /* the first version of the format that has it */
} kinds[STATE_FILE_KINDS] = {
	[STATE_FILE_MACHINE] = {"VSPESAVE", "a saved machine", "saved", 1},
	[STATE_FILE_RECORDING] = {"VSPERECO", "a recording", "saved", 1},
	[STATE_FILE_MIGRATION] = {"VSPEMIGR", "a migration", "sent", 9},
};

static int state_file_fail(struct state_file *file, const char *text)
{
	(void)snprintf(file->why, sizeof(file->why), "%s", text);
	return -1;
}

static uint64_t get_number(const uint8_t *from, unsigned int size)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < size; i++)
		value |= (uint64_t)from[i] << 8 * i;
	return value;
}

static void put_number(uint8_t *to, uint64_t value, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

/* Continue the checksum over size bytes, of which zlib takes at most 32 bits' worth at a time. */
static void sum_bytes(struct state_file *file, const void *bytes, size_t size)
{
	file->crc = (uint32_t)crc32_z(file->crc, bytes, size);
}

static int write_all(struct state_file *to, const void *bytes, size_t size)
{
	errno = 0;
	if (fwrite(bytes, 1, size, to->file) == size)
		return 0;
	return state_file_fail(to, errno ? strerror(errno) : "cannot be written");
}

int state_file_create(struct state_file *to, FILE *file, enum state_file_kind kind)
{
	uint8_t header[STATE_FILE_HEADER];

	*to = (struct state_file){.file = file, .kind = kind};
	memcpy(header, kinds[kind].magic, MAGIC);
	put_number(header + 8, STATE_FILE_VERSION, 4);
	sum_bytes(to, header, sizeof(header));
	return write_all(to, header, sizeof(header));
}

int state_file_put(struct state_file *to, const char *tag, uint32_t index, const void *bytes,
		   size_t size)
{
	uint8_t head[STATE_FILE_SECTION], tail[4];

	memcpy(head, tag, STATE_FILE_TAG);
	put_number(head + 4, index, 4);
	put_number(head + 8, size, 8);
	sum_bytes(to, head, sizeof(head));
	if (size)
		sum_bytes(to, bytes, size);
	put_number(tail, to->crc, 4);
	if (write_all(to, head, sizeof(head)) < 0 || (size && write_all(to, bytes, size) < 0))
		return -1;
	return write_all(to, tail, sizeof(tail));
}

int state_file_put_state(struct state_file *to, const char *tag, uint32_t index,
			 struct state *state)
{
	int result = state_end(state) ? state_file_put(to, tag, index, state->bytes, state->at)
				      : state_file_fail(to, state->why);

	state_free(state);
	return result;
}

/* Read size bytes, or give the reason why that fails. */
static int read_all(struct state_file *from, void *bytes, size_t size)
{
	errno = 0;
	if (fread(bytes, 1, size, from->file) == size)
		return 0;
	return state_file_fail(from, ferror(from->file) && errno ? strerror(errno) : "truncated");
}

/* The kind of file that it is instead. */
static int refuse_kind(struct state_file *from, const uint8_t *header, enum state_file_kind kind)
{
	const char *other = NULL;

	for (size_t i = 0; i < STATE_FILE_KINDS; i++)
		if (memcmp(header, kinds[i].magic, MAGIC) == 0)
			other = kinds[i].name;
	(void)snprintf(from->why, sizeof(from->why), "%s%snot %s", other ? other : "",
		       other ? ", " : "", kinds[kind].name);
	return -1;
}

int state_file_open(struct state_file *from, FILE *file, enum state_file_kind kind, uint64_t most)
{
	uint8_t header[STATE_FILE_HEADER];
	uint64_t version;

	*from = (struct state_file){.file = file, .kind = kind, .most = most};
	if (read_all(from, header, sizeof(header)) < 0)
		return -1;
	if (memcmp(header, kinds[kind].magic, MAGIC) != 0)
		return refuse_kind(from, header, kind);
	version = get_number(header + 8, 4);
	if (version < kinds[kind].since || version > STATE_FILE_VERSION) {
		(void)snprintf(from->why, sizeof(from->why),
			       "%s in version %" PRIu64 " of the format; this vspe reads %" PRIu32
			       " to %d",
			       kinds[kind].written, version, kinds[kind].since, STATE_FILE_VERSION);
		return -1;
	}
	from->version = (uint32_t)version;
	sum_bytes(from, header, sizeof(header));
	return 0;
}

/* Read the contents, as much as the file really has. */
static int read_contents(struct state_file *from, struct state_section *section, uint64_t size)
{
	uint64_t chunk = STATE_FILE_FIRST;

	section->bytes = NULL;
	section->size = 0;
	do {
		const uint64_t left = size - section->size;
		const size_t n = (size_t)(left < chunk ? left : chunk);
		uint8_t *grown = realloc(section->bytes, section->size + n + 1);

		if (!grown)
			return state_file_fail(from, "no memory");
		section->bytes = grown;
		if (read_all(from, section->bytes + section->size, n) < 0)
			return -1;
		section->size += n;
		chunk = chunk < STATE_FILE_CHUNK ? 2 * chunk : chunk;
	} while (section->size < size);
	return 0;
}

int state_file_next(struct state_file *from, struct state_section *section)
{
	uint8_t head[STATE_FILE_SECTION], tail[4];
	char tag[4 * STATE_FILE_TAG + 1];
	uint64_t size;

	section->bytes = NULL;
	if (read_all(from, head, sizeof(head)) < 0)
		return -1;
	sum_bytes(from, head, sizeof(head));
	memcpy(section->tag, head, STATE_FILE_TAG);
	section->tag[STATE_FILE_TAG] = '\0';
	section->index = (uint32_t)get_number(head + 4, 4);
	size = get_number(head + 8, 8);
	if (from->most && size > from->most) {
		(void)snprintf(from->why, sizeof(from->why),
			       "damaged: section %s %" PRIu32 " has %" PRIu64 " bytes",
			       printable(tag, sizeof(tag), section->tag), section->index, size);
		return -1;
	}
	if (read_contents(from, section, size) == 0) {
		sum_bytes(from, section->bytes, section->size);
		if (read_all(from, tail, sizeof(tail)) == 0 && get_number(tail, 4) == from->crc)
			return 0;
		if (from->why[0] == '\0')
			(void)snprintf(from->why, sizeof(from->why),
				       "damaged: the checksum of section %s %" PRIu32 " is wrong",
				       printable(tag, sizeof(tag), section->tag), section->index);
	}
	free(section->bytes);
	section->bytes = NULL;
	return -1;
}

bool state_file_peek(struct state_file *from, const char *tag)
{
	return ungetc(fgetc(from->file), from->file) == (unsigned char)tag[0];
}

int state_file_get(struct state_file *from, const char *tag, uint32_t index,
		   struct state_section *section)
{
	char other[4 * STATE_FILE_TAG + 1];

	if (state_file_next(from, section) < 0)
		return -1;
	if (memcmp(section->tag, tag, STATE_FILE_TAG) == 0 && section->index == index)
		return 0;
	(void)snprintf(from->why, sizeof(from->why),
		       "damaged: section %s %" PRIu32 " where %.4s %" PRIu32 " was to be",
		       printable(other, sizeof(other), section->tag), section->index, tag, index);
	free(section->bytes);
	section->bytes = NULL;
	return -1;
}

int state_file_get_any(struct state_file *from, const char *tag, struct state_section *section)
{
	char other[4 * STATE_FILE_TAG + 1];

	if (state_file_next(from, section) < 0)
		return -1;
	if (memcmp(section->tag, tag, STATE_FILE_TAG) == 0)
		return 0;
	(void)snprintf(from->why, sizeof(from->why),
		       "damaged: section %s %" PRIu32 " where %.4s was to be",
		       printable(other, sizeof(other), section->tag), section->index, tag);
	free(section->bytes);
	section->bytes = NULL;
	return -1;
}

int state_file_at_end(struct state_file *from)
{
	return fgetc(from->file) == EOF
		       ? 0
		       : state_file_fail(from, "damaged: it goes on behind its end");
}
