/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of 9P2000.L as bytes: see p9_message.h. */
#include "device/p9_message.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define QID_FOLDER 0x80
#define QID_LINK   0x02

struct row {
	uint8_t type;
	const char *fields;
	bool changes;
};

static const struct row rows[] = {
#define MESSAGE(number, name, fields, changes) {number, fields, changes},
#include "device/p9_messages.def"
#undef MESSAGE
};

static const struct row *find(uint8_t type)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].type == type)
			return &rows[i];
	return NULL;
}

bool p9_changes(uint8_t type)
{
	const struct row *row = find(type);

	return row && row->changes;
}

/* The rest of a message. */
struct reader {
	const uint8_t *at;
	size_t left;
	bool bad; /* something was not there */
};

/* The next size bytes. NULL: there are fewer. */
static const uint8_t *take(struct reader *reader, size_t size)
{
	const uint8_t *at = reader->at;

	if (reader->bad || size > reader->left) {
		reader->bad = true;
		return NULL;
	}
	reader->at += size;
	reader->left -= size;
	return at;
}

/* The next number, of width bytes; 0 if there are fewer. */
static uint64_t take_number(struct reader *reader, unsigned int width)
{
	const uint8_t *at = take(reader, width);
	uint64_t value = 0;

	while (at && width > 0)
		value = value << 8 | at[--width];
	return value;
}

static void take_text(struct reader *reader, struct p9_call *call)
{
	const size_t size = take_number(reader, 2);
	const uint8_t *at = take(reader, size);

	if (call->text_count == P9_TEXTS)
		reader->bad = true;
	else
		call->texts[call->text_count++] = (struct p9_text){(const char *)at, size};
}

static void take_field(struct reader *reader, char field, struct p9_call *call, uint64_t *number)
{
	switch (field) {
	case 's': take_text(reader, call); break;
	case 'w':
		for (uint64_t n = take_number(reader, 2); n > 0 && !reader->bad; n--)
			take_text(reader, call);
		break;
	case 'D':
		call->data_size = (uint32_t)take_number(reader, 4);
		call->data = take(reader, call->data_size);
		break;
	default:
		*number = take_number(reader, field == 'b'   ? 1
					      : field == 'h' ? 2
					      : field == 'd' ? 4
							     : 8);
		break;
	}
}

int p9_parse(const uint8_t *bytes, size_t size, struct p9_call *call)
{
	struct reader reader = {bytes, size, false};
	const struct row *row;
	unsigned int numbers = 0;

	memset(call, 0, sizeof(*call));
	reader.bad = take_number(&reader, 4) != size;
	call->type = (uint8_t)take_number(&reader, 1);
	call->tag = (uint16_t)take_number(&reader, 2);
	if (reader.bad)
		return -EINVAL;
	row = find(call->type);
	if (!row)
		return -EOPNOTSUPP;
	for (const char *field = row->fields; *field; field++) {
		take_field(&reader, *field, call, &call->numbers[numbers]);
		numbers += strchr("bhdq", *field) != NULL;
	}
	return reader.bad || reader.left > 0 ? -EINVAL : 0;
}

void p9_begin(struct p9_reply *reply, uint8_t *bytes, size_t room)
{
	*reply = (struct p9_reply){.room = room, .at = P9_HEADER};
	reply->bytes = bytes;
}

static void put_at(uint8_t *to, unsigned int width, uint64_t value)
{
	for (unsigned int i = 0; i < width; i++, value >>= 8)
		to[i] = (uint8_t)value;
}

void p9_put(struct p9_reply *reply, unsigned int width, uint64_t value)
{
	reply->full = reply->full || width > reply->room - reply->at;
	if (reply->full)
		return;
	put_at(reply->bytes + reply->at, width, value);
	reply->at += width;
}

void p9_put_text(struct p9_reply *reply, const char *bytes, size_t size)
{
	p9_put(reply, 2, size);
	reply->full = reply->full || size > UINT16_MAX || size > reply->room - reply->at;
	if (reply->full)
		return;
	memcpy(reply->bytes + reply->at, bytes, size);
	reply->at += size;
}

void p9_put_qid(struct p9_reply *reply, uint32_t mode, uint32_t version, uint64_t inode)
{
	p9_put(reply, 1, S_ISDIR(mode) ? QID_FOLDER : S_ISLNK(mode) ? QID_LINK : 0);
	p9_put(reply, 4, version);
	p9_put(reply, 8, inode);
}

size_t p9_end(struct p9_reply *reply, uint8_t type, uint16_t tag)
{
	put_at(reply->bytes, 4, reply->at);
	put_at(reply->bytes + 4, 1, type);
	put_at(reply->bytes + 5, 2, tag);
	return reply->at;
}

size_t p9_end_error(struct p9_reply *reply, uint16_t tag, int error)
{
	p9_begin(reply, reply->bytes, reply->room);
	p9_put(reply, 4, (uint64_t)error);
	return p9_end(reply, P9_RLERROR, tag);
}
