/* SPDX-License-Identifier: BSD-2-Clause */
/* See prefetch.h. */
#include "prefetch.h"

/* Lines of a page. */
#define PAGE_LINES 64

/* A trusted stream may pass over so many lines less one. */
#define STEPS_MAX 4

static bool same_page(uint64_t a, uint64_t b)
{
	return (a ^ b) / PAGE_LINES == 0;
}

static bool is_trusted(const struct model_stream *stream)
{
	return stream->seen == MODEL_STREAM_TRUSTED;
}

/* The steps of a stream to a line; 0: it does not lead there. */
static unsigned int steps_to(const struct model_stream *stream, uint64_t line)
{
	const int64_t delta = (int64_t)(line - stream->line);

	if (delta == stream->stride)
		return 1;
	for (unsigned int steps = 2; is_trusted(stream) && steps <= STEPS_MAX; steps++)
		if (delta == (int64_t)steps * stream->stride)
			return steps;
	return 0;
}

static bool is_in_page(const struct model_stream *stream, uint64_t line)
{
	return stream->used && same_page(stream->line, line);
}

static uint8_t *guess_of(struct model_streams *streams, uint64_t line)
{
	const uint64_t page = line / PAGE_LINES;

	return &streams->guesses[(page ^ page / MODEL_STREAM_GUESSES) % MODEL_STREAM_GUESSES];
}

/* The stream to which an access to line belongs, or NULL; *oldest: the one to give up for it. */
static struct model_stream *find_stream(struct model_streams *streams, uint32_t count,
					uint64_t line, struct model_stream **oldest)
{
	struct model_stream *found = NULL;

	*oldest = streams->streams;
	for (struct model_stream *s = streams->streams; s < streams->streams + count; s++) {
		if (is_in_page(s, line))
			return s;
		if (!found && is_trusted(s) && steps_to(s, line))
			found = s;
		if (s->used < (*oldest)->used)
			*oldest = s;
	}
	return found;
}

/*
 * The stream has come steps further, with *ahead of its next lines asked for. Ask for the next
 * ones, so that distance of them are, in the page. Returns how many.
 */
static uint32_t ask_ahead(uint64_t line, int64_t stride, uint8_t *ahead, unsigned int steps,
			  uint32_t distance, uint32_t *skip)
{
	uint32_t asked = *ahead > steps ? *ahead - steps : 0;

	*skip = asked;
	while (asked < distance && same_page(line, line + (asked + 1) * (uint64_t)stride))
		asked++;
	*ahead = (uint8_t)asked;
	return asked - *skip;
}

bool model_streams_access(struct model_streams *streams, const struct model_config *config,
			  uint64_t va, bool missed, struct model_ask *ask)
{
	const uint64_t line = va >> MODEL_LINE_SHIFT;
	struct model_stream *oldest, *stream = &streams->streams[*guess_of(streams, line)];
	unsigned int steps;

	if (!is_in_page(stream, line)) {
		stream = find_stream(streams, config->streams, line, &oldest);
		if (stream || missed)
			*guess_of(streams, line) =
				(uint8_t)((stream ? stream : oldest) - streams->streams);
	}
	if (stream ? stream->line == line : !missed)
		return false;
	if (!stream) {
		*oldest = (struct model_stream){.line = line, .used = ++streams->clock};
		return false;
	}
	steps = steps_to(stream, line);
	ask->crossed = steps && is_trusted(stream) && !same_page(stream->line, line);
	if (!steps) {
		stream->stride = (int16_t)(line - stream->line);
		stream->seen = 0;
	}
	if (!steps || ask->crossed)
		stream->ahead[0] = stream->ahead[1] = 0;
	if (!is_trusted(stream))
		stream->seen++;
	stream->line = line;
	stream->used = ++streams->clock;
	if (!is_trusted(stream))
		return false;
	ask->stride = stream->stride;
	ask->count[0] = ask_ahead(line, ask->stride, &stream->ahead[0], steps, config->prefetch_l1d,
				  &ask->skip[0]);
	ask->count[1] = ask_ahead(line, ask->stride, &stream->ahead[1], steps, config->prefetch_l2,
				  &ask->skip[1]);
	return ask->crossed || ask->count[0] || ask->count[1];
}
