/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of 9P2000.L as bytes: what is one, and what is not. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "../compare.h"
#include "device/p9_message.h"

/* Tattach: fid 7, no fid of authentication, "me", "", uid 5. */
static const uint8_t attach[] = {0x19, 0,    0, 0, 104, 0x34, 0x12, 7, 0, 0, 0, 0xff, 0xff,
				 0xff, 0xff, 2, 0, 'm', 'e',  0,    0, 5, 0, 0, 0};

/* Twalk: from fid 1 to 2 by "a" and "bc". */
static const uint8_t walk[] = {24, 0, 0, 0, 110, 9, 0, 1,   0, 0, 0,   2,
			       0,  0, 0, 2, 0,	 1, 0, 'a', 2, 0, 'b', 'c'};

/* Twrite: 3 bytes to fid 1, at 2^40. */
static const uint8_t put[] = {26, 0, 0, 0, 118, 9, 0, 1, 0, 0, 0,   0,	 0,
			      0,  0, 0, 1, 0,	0, 3, 0, 0, 0, 'x', 'y', 'z'};

Test(p9_message, fields_are_taken_apart)
{
	struct p9_call call;

	cr_assert_eq(p9_parse(attach, sizeof(attach), &call), 0);
	cr_assert_eq(call.type, 104);
	cr_assert_eq(call.tag, 0x1234);
	cr_assert_eq(call.numbers[0], 7);
	cr_assert_eq(call.numbers[1], 0xffffffff);
	cr_assert_eq(call.numbers[2], 5);
	cr_assert_eq(call.text_count, 2);
	cr_assert_eq(call.texts[0].size, 2);
	cr_assert_arr_eq(call.texts[0].bytes, "me", 2);
	cr_assert_eq(call.texts[1].size, 0);

	cr_assert_eq(p9_parse(walk, sizeof(walk), &call), 0);
	cr_assert_eq(call.text_count, 2);
	cr_assert_arr_eq(call.texts[1].bytes, "bc", 2);

	cr_assert_eq(p9_parse(put, sizeof(put), &call), 0);
	cr_assert_eq(call.numbers[1], UINT64_C(1) << 40);
	cr_assert_eq(call.data_size, 3);
	cr_assert_arr_eq(call.data, "xyz", 3);
}

/* Whatever is cut off, and with the size in front or without it. */
Test(p9_message, what_is_cut_off_is_none)
{
	static const struct {
		const uint8_t *bytes;
		size_t size;
	} rows[] = {{attach, sizeof(attach)}, {walk, sizeof(walk)}, {put, sizeof(put)}};
	uint8_t bytes[64];
	struct p9_call call;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (size_t size = 0; size < rows[i].size; size++) {
			memcpy(bytes, rows[i].bytes, size);
			cr_assert_eq(p9_parse(bytes, size, &call), -EINVAL, "%zu of row %zu", size,
				     i);
			bytes[0] = (uint8_t)size;
			cr_assert_eq(p9_parse(bytes, size, &call), -EINVAL, "%zu of row %zu", size,
				     i);
		}
		memcpy(bytes, rows[i].bytes, rows[i].size);
		bytes[0]++;
		bytes[rows[i].size] = 0;
		cr_assert_eq(p9_parse(bytes, rows[i].size + 1, &call), -EINVAL, "more than row %zu",
			     i);
	}
}

Test(p9_message, lengths_that_cannot_be)
{
	uint8_t bytes[64];
	struct p9_call call;

	memcpy(bytes, put, sizeof(put));
	memset(bytes + 19, 0xff, 4);
	cr_assert_eq(p9_parse(bytes, sizeof(put), &call), -EINVAL, "data of 4 GiB");
	memcpy(bytes, walk, sizeof(walk));
	memset(bytes + 15, 0xff, 2);
	cr_assert_eq(p9_parse(bytes, sizeof(walk), &call), -EINVAL, "65535 names");
	memcpy(bytes, walk, 15);
	bytes[0] = 17 + 2 * 17;
	memset(bytes + 15, 0, sizeof(bytes) - 15);
	bytes[15] = 17;
	cr_assert_eq(p9_parse(bytes, bytes[0], &call), -EINVAL, "17 names");
	bytes[15] = 16;
	bytes[0] = 17 + 2 * 16;
	cr_assert_eq(p9_parse(bytes, bytes[0], &call), 0, "16 names");
}

Test(p9_message, what_there_is_not_is_not_supported)
{
	static const uint8_t types[] = {0, 6, 7, 13, 102, 105, 111, 112, 114, 124, 126, 255};
	uint8_t bytes[] = {11, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0};
	struct p9_call call;

	for (size_t i = 0; i < sizeof(types); i++) {
		bytes[4] = types[i];
		cr_assert_eq(p9_parse(bytes, sizeof(bytes), &call), -EOPNOTSUPP, "%d", types[i]);
		cr_assert_eq(call.tag, 3);
		cr_assert_not(p9_changes(types[i]));
	}
}

Test(p9_message, an_answer_grows_as_far_as_there_is_room)
{
	uint8_t bytes[32];
	struct p9_reply reply;

	memset(bytes, 0xee, sizeof(bytes));
	p9_begin(&reply, bytes, 24);
	p9_put(&reply, 4, 0x01020304);
	p9_put_qid(&reply, S_IFDIR, 1, 2);
	cr_assert_eq(p9_end(&reply, 105, 0x1234), 24);
	cr_assert_arr_eq(bytes, "\x18\0\0\0\x69\x34\x12\4\3\2\1\x80\1\0\0\0\2\0\0\0\0\0\0\0", 24);
	cr_assert_not(reply.full);
	p9_put(&reply, 1, 0);
	cr_assert(reply.full);
	cr_assert_eq(bytes[24], 0xee);
	cr_assert_eq(p9_end_error(&reply, 5, ENOENT), P9_ERROR);
	cr_assert_arr_eq(bytes, "\x0b\0\0\0\7\5\0\2\0\0\0", 11);
}

Test(p9_message, a_text_without_room_is_left_out)
{
	uint8_t bytes[16];
	struct p9_reply reply;

	p9_begin(&reply, bytes, sizeof(bytes));
	p9_put_text(&reply, "1234567", 7);
	cr_assert_not(reply.full);
	cr_assert_eq(reply.at, 16);
	p9_begin(&reply, bytes, sizeof(bytes));
	p9_put_text(&reply, "12345678", 8);
	cr_assert(reply.full);
}
