/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of a part of the machine on its way to bytes or back. Each part describes what it is
 * made of in one function, field by field, and the same function saves and loads: the two cannot
 * drift apart. In bytes every field has the width that it has in C, little-endian, with nothing
 * between fields; docs/saved-machine.md says what the bytes are put into.
 *
 * What is loaded comes from a file and is not trusted. A field that has no business being larger
 * than something says so; the first that is wrong makes the whole fail, with the reason in why, and
 * the fields behind it keep what they had.
 */
#ifndef VSPE_BASE_STATE_H
#define VSPE_BASE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATE_WHY 160

struct state {
	bool loading; /* else saving */
	bool failed;
	const char *part; /* for messages: "GIC"; static storage */
	uint8_t *bytes;	  /* saving: malloc'ed, grows; loading: the caller's */
	size_t size;	  /* loading: of bytes; saving: room */
	size_t at;
	char why[STATE_WHY]; /* of a failure: a line without newline */
};

/* Begin to save; state_free() is owed. */
void state_save(struct state *state, const char *part);
/* Begin to load size bytes, which stay the caller's and are not changed. */
void state_load(struct state *state, const char *part, const void *bytes, size_t size);
/* All of the part was described: bytes that are left over are a failure. Returns !state->failed. */
bool state_end(struct state *state);
void state_free(struct state *state);

/* The state is not one that can be: the first reason counts. */
void state_refuse(struct state *state, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * A number of size bytes (1, 2, 4 or 8) at at, which is at most max. A bool is one of 1 byte and at
 * most 1.
 */
void state_number(struct state *state, const char *name, void *at, size_t size, uint64_t max);
/* size bytes as they are. */
void state_bytes(struct state *state, void *at, size_t size);

/* What the type of a field allows. */
#define STATE_MAX(field) \
	_Generic((field), bool : 1, default : UINT64_MAX >> (64 - 8 * sizeof(field)))

/* A field of a number type, bool or an enum; with its largest value, if that is less than the
 * type's. */
#define STATE_FIELD(state, field) \
	state_number((state), #field, &(field), sizeof(field), STATE_MAX(field))
#define STATE_UP_TO(state, field, max) state_number((state), #field, &(field), sizeof(field), (max))

/* All elements of an array of numbers. */
#define STATE_ARRAY(state, array)                                                       \
	do {                                                                            \
		for (size_t i_ = 0; i_ < sizeof(array) / sizeof((array)[0]); i_++)      \
			state_number((state), #array, &(array)[i_], sizeof((array)[0]), \
				     STATE_MAX((array)[0]));                            \
	} while (0)

#endif
