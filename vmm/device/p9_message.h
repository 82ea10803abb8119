/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of 9P2000.L as bytes: a request becomes a struct p9_call, and an answer is put together.
 * Pure functions. All numbers are little-endian; a message begins with its size, type and tag. The
 * sources are Linux's include/net/9p/9p.h and what QEMU's hw/9pfs answers to its client.
 */
#ifndef VSPE_P9_MESSAGE_H
#define VSPE_P9_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define P9_HEADER  7  /* bytes: size, type, tag */
#define P9_ERROR   11 /* ... of an answer that is an error */
#define P9_NUMBERS 10 /* fields of a message at most */
#define P9_TEXTS   16 /* ... and texts, the names of one walk */
#define P9_QID	   13 /* bytes of what tells a file */

enum p9_answer {
	P9_RLERROR = 7,
	P9_RREADDIR = 41,
	P9_RREAD = 117,
};

/* Text of a message: not ended by a zero, and any bytes. */
struct p9_text {
	const char *bytes;
	size_t size;
};

/* A request. Its texts and data lie in the bytes it was made of. */
struct p9_call {
	uint8_t type;
	uint16_t tag;
	uint64_t numbers[P9_NUMBERS]; /* in their order, texts left out */
	struct p9_text texts[P9_TEXTS];
	unsigned int text_count;
	const uint8_t *data;
	uint32_t data_size;
};

/*
 * Take a message of size bytes apart, which is all of it. 0, -EINVAL: it is none, or -EOPNOTSUPP:
 * there is no such message. type and tag are there if size is P9_HEADER or more.
 */
int p9_parse(const uint8_t *bytes, size_t size, struct p9_call *call);
/* Does a message change the folder? False for what is none. */
bool p9_changes(uint8_t type);

/* An answer that grows. */
struct p9_reply {
	uint8_t *bytes;
	size_t room, at;
	bool full; /* something had no room, and was left out */
};

/* Begin an answer in room bytes, P9_ERROR or more; and end it. How many bytes it has. */
void p9_begin(struct p9_reply *reply, uint8_t *bytes, size_t room);
size_t p9_end(struct p9_reply *reply, uint8_t type, uint16_t tag);
/* The answer is an error instead, a number of Linux's. How many bytes it has. */
size_t p9_end_error(struct p9_reply *reply, uint16_t tag, int error);

void p9_put(struct p9_reply *reply, unsigned int width, uint64_t value);
void p9_put_text(struct p9_reply *reply, const char *bytes, size_t size);
/* What tells a file: kind is st_mode, of which the type matters. */
void p9_put_qid(struct p9_reply *reply, uint32_t mode, uint32_t version, uint64_t inode);

#endif
