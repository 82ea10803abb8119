/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of C++ and Rust: see demangle.h. libiberty reads them. */
#include "trace/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

/* A name of n bytes can stand for one of 2^n, which libiberty prints piece by piece. */
#define TEXT_MAX 16384u
/* libiberty needs a stack that grows with the name. */
#define NAME_MAX_BYTES 4096u

struct text {
	char *out;
	size_t size, used, printed;
	jmp_buf too_long;
};

static void take(const char *piece, size_t length, void *opaque)
{
	struct text *text = opaque;
	size_t fits = text->size - 1 - text->used;

	text->printed += length;
	if (text->printed > TEXT_MAX)
		longjmp(text->too_long, 1);
	if (fits > length)
		fits = length;
	memcpy(text->out + text->used, piece, fits);
	text->used += fits;
}

bool demangle(const char *name, char *out, size_t size)
{
	struct text text = {.out = out, .size = size};
	const bool mangled = (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R'));

	if (!mangled || strlen(name) > NAME_MAX_BYTES || setjmp(text.too_long))
		return false;
	if (!rust_demangle_callback(name, DMGL_RUST, take, &text)) {
		text.used = text.printed = 0;
		if (!cplus_demangle_v3_callback(name, DMGL_NO_OPTS, take, &text))
			return false;
	}
	out[text.used] = '\0';
	return text.used > 0;
}
