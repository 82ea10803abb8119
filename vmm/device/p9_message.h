/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of 9P2000.L as bytes: parses a request into a struct p9_call, and builds an answer. Pure
 * functions. All numbers are little-endian; a message begins with its size, type and tag. The
 * sources are Linux's include/net/9p/9p.h and the answers of QEMU's hw/9pfs to its client.
 */
#ifndef VSPE_P9_MESSAGE_H
#define VSPE_P9_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define P9_HEADER  7  /* bytes: size, type, tag */
#define P9_ERROR   11 /* ... of an error answer */
#define P9_NUMBERS 10 /* fields of a message at most */
#define P9_TEXTS   16 /* ... and texts: the names of one walk */
#define P9_QID	   13 /* bytes of a file's identity */

enum p9_answer {
	P9_RLERROR = 7,
	P9_RREADDIR = 41,
	P9_RREAD = 117,
};

/* Text in a message: any bytes, without a final zero. */
struct p9_text {
	const char *bytes;
	size_t size;
};

/* A request. Its texts and data point into the message. */
struct p9_call {
	uint8_t type;
	uint16_t tag;
	uint64_t numbers[P9_NUMBERS]; /* in their order, without the texts */
	struct p9_text texts[P9_TEXTS];
	unsigned int text_count;
	const uint8_t *data;
	uint32_t data_size;
};

/*
 * Parse a message of exactly size bytes. 0, -EINVAL: it is malformed, or -EOPNOTSUPP: there is no
 * such message. type and tag are set if size is P9_HEADER or more.
 */
int p9_parse(const uint8_t *bytes, size_t size, struct p9_call *call);
/* Does a message change the folder? False for an unknown type. */
bool p9_changes(uint8_t type);

/* An answer under construction. */
struct p9_reply {
	uint8_t *bytes;
	size_t room, at;
	bool full; /* something did not fit, and was left out */
};

/* Begin an answer in room bytes, P9_ERROR or more; and end it. Returns its size in bytes. */
void p9_begin(struct p9_reply *reply, uint8_t *bytes, size_t room);
size_t p9_end(struct p9_reply *reply, uint8_t type, uint16_t tag);
/* Make the answer an error instead, with a Linux number. Returns its size in bytes. */
size_t p9_end_error(struct p9_reply *reply, uint16_t tag, int error);

void p9_put(struct p9_reply *reply, unsigned int width, uint64_t value);
void p9_put_text(struct p9_reply *reply, const char *bytes, size_t size);
/* The identity of a file; only the type in mode, which is st_mode, counts. */
void p9_put_qid(struct p9_reply *reply, uint32_t mode, uint32_t version, uint64_t inode);

#endif
