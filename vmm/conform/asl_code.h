/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arm's pseudocode as programs: reads functions, types and variables of both dialects, and calls
 * the functions. ASL0 (DDI 0487 up to M.a.a) has blocks by indentation, ASL1 (from M.b on) has
 * them closed by end.
 *
 * The text comes from a user's file, so nothing in it is trusted: steps, calls, memory and widths
 * are bounded, and whatever the reader does not know is an error with its line, never a guess. A
 * value has its kind at run time; a variable keeps the kind and width that it was declared with.
 */
#ifndef VSPE_CONFORM_ASL_CODE_H
#define VSPE_CONFORM_ASL_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conform/asl.h"

/* The widest bits(N); integers are signed and as wide, and overflow is an error. */
#define ASL_WIDTH_MAX 128
#define ASL_ARGUMENTS 16

__extension__ typedef __int128 asl_int128;
__extension__ typedef unsigned __int128 asl_uint128;

enum asl_kind {
	ASL_NOTHING,
	ASL_BOOLEAN,
	ASL_NUMBER,
	ASL_BITS,
	ASL_MEMBER, /* of an enumeration */
	ASL_STRING, /* also a name that stands for itself: asl_host.words */
	ASL_ARRAY,
	ASL_RECORD,
	ASL_TUPLE,
};

struct asl_value {
	enum asl_kind kind;
	uint16_t width; /* of bits */
	uint16_t type;	/* of a member or record; of bits with named fields. 0: none */
	uint32_t count; /* of the parts of an array, record or tuple */
	union {
		bool boolean;
		asl_int128 integer;
		asl_uint128 bits;
		uint32_t member;
		const char *string;
		struct asl_value *parts;
	} u;
};

static inline struct asl_value asl_boolean(bool value)
{
	return (struct asl_value){.kind = ASL_BOOLEAN, .u.boolean = value};
}

static inline struct asl_value asl_number(asl_int128 value)
{
	return (struct asl_value){.kind = ASL_NUMBER, .u.integer = value};
}

static inline asl_uint128 asl_mask(unsigned int width)
{
	return width >= ASL_WIDTH_MAX ? ~(asl_uint128)0 : ((asl_uint128)1 << width) - 1;
}

/* Bits of value above width are dropped. */
static inline struct asl_value asl_bits_value(unsigned int width, asl_uint128 value)
{
	return (struct asl_value){
		.kind = ASL_BITS, .width = (uint16_t)width, .u.bits = value & asl_mask(width)};
}

struct asl_code;

/* A function of the machine, instead of the text's with that name. */
struct asl_hook {
	const char *name;
	/* Sets *result, which is ASL_NOTHING before. False: an error, see asl_code_fail(). */
	bool (*call)(void *ctx, struct asl_code *code, const struct asl_value *arguments,
		     unsigned int count, struct asl_value *result);
};

/* The machine's side. The strings and arrays must outlive the code. */
struct asl_host {
	void *ctx;
	const struct asl_hook *hooks;
	size_t hook_count;
	/*
	 * Names that begin so and that the text does not define stand for themselves, as strings:
	 * "FEAT_". The last one is NULL.
	 */
	const char *const *words;
	/*
	 * Set *value, which has the kind and width already, to what is IMPLEMENTATION DEFINED under
	 * a text. False: unknown, an error.
	 */
	bool (*defined)(void *ctx, const char *text, struct asl_value *value);
	/* The same for an UNKNOWN value. NULL: it is zero, or FALSE. */
	void (*unknown)(void *ctx, struct asl_value *value);
};

struct asl_code *asl_code_new(const struct asl_host *host);
void asl_code_free(struct asl_code *code);

/*
 * Read size bytes of declarations. name is for messages, and must outlive the code. What a weak
 * file declares is left out if an earlier file has declared it. False, and *error, if the text
 * cannot be read.
 */
bool asl_code_read(struct asl_code *code, const char *name, const char *text, size_t size,
		   bool weak, struct asl_error *error);
/* After the last file: join names and what they name. False, and *error, if that cannot be. */
bool asl_code_link(struct asl_code *code, struct asl_error *error);
/* Set all variables to their initial values. False: see asl_code_error(). */
bool asl_code_start(struct asl_code *code);

/* The number of a function for asl_code_call(), or -1 if the text has none of that name. */
int asl_code_function(const struct asl_code *code, const char *name);
/*
 * Call a function. *result, unless NULL, is valid up to the next call. False: see
 * asl_code_error(); variables then have any of their values.
 */
bool asl_code_call(struct asl_code *code, int function, const struct asl_value *arguments,
		   unsigned int count, struct asl_value *result);
/* A variable or constant, to read or to write in its kind; NULL if there is none. */
struct asl_value *asl_code_variable(struct asl_code *code, const char *name);
/* A part of a record, by name; NULL if it has none. */
struct asl_value *asl_code_part(const struct asl_code *code, struct asl_value *record,
				const char *name);

/* The name of a member of an enumeration; static as long as the code. */
const char *asl_code_member(const struct asl_code *code, const struct asl_value *value);
/* End the call with an error. For hooks. Returns false. */
bool asl_code_fail(struct asl_code *code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* "file:line: text" of the last error. */
const char *asl_code_error(const struct asl_code *code);
/* How many steps a call may take; a default is set. */
void asl_code_limit(struct asl_code *code, uint64_t steps);

#endif
