/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts the state of a part of the machine to bytes and back. Each part describes its fields in
 * one function, which both saves and loads them, so that the two cannot drift apart. In bytes every
 * field has its width in C, little-endian, with nothing between fields; docs/saved-machine.md says
 * where the bytes go.
 *
 * Loaded bytes come from a file and are not trusted. A field with a limit says so. The first wrong
 * field makes everything fail, with the reason in why, and the fields after it keep their values.
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
	uint8_t *bytes;	  /* saving: malloc'ed, grows; loading: owned by the caller */
	size_t size;	  /* loading: of bytes; saving: room */
	size_t at;
	char why[STATE_WHY]; /* of a failure: a line without newline */
};

/* Begin to save. The caller owes state_free(). */
void state_save(struct state *state, const char *part);
/* Begin to load size bytes, which the caller keeps, and which do not change. */
void state_load(struct state *state, const char *part, const void *bytes, size_t size);
/*
 * Check that all of the part was described: remaining bytes are a failure. Returns !state->failed.
 */
bool state_end(struct state *state);
void state_free(struct state *state);

/* The state is impossible; the first reason counts. */
void state_refuse(struct state *state, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * A number of size bytes (1, 2, 4 or 8) at `at`, which must not exceed max. A bool has 1 byte and a
 * max of 1.
 */
void state_number(struct state *state, const char *name, void *at, size_t size, uint64_t max);
/* size bytes as they are. */
void state_bytes(struct state *state, void *at, size_t size);

/* The largest value of a field's type. */
#define STATE_MAX(field) \
	_Generic((field), bool : 1, default : UINT64_MAX >> (64 - 8 * sizeof(field)))

/*
 * A field of a number type, bool or an enum; with its largest value, if that is less than the
 * type's.
 */
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
