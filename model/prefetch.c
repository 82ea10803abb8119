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
	const unsigned int most = is_trusted(stream) ? STEPS_MAX : 1;

	for (unsigned int steps = 1; steps <= most; steps++)
		if (delta == (int64_t)steps * stream->stride)
			return steps;
	return 0;
}

/* The stream to which an access to line belongs, or NULL; *oldest: the one to give up for it. */
static struct model_stream *find_stream(struct model_streams *streams, uint32_t count,
					uint64_t line, struct model_stream **oldest)
{
	struct model_stream *found = NULL;

	*oldest = streams->streams;
	for (struct model_stream *s = streams->streams; s < streams->streams + count; s++) {
		if (s->used && same_page(s->line, line))
			return s;
		if (!found && is_trusted(s) && steps_to(s, line))
			found = s;
		if (s->used < (*oldest)->used)
			*oldest = s;
	}
	return found;
}

/* How many of the next lines to request, so that distance of them are on their way; in the page. */
static uint8_t ask_ahead(const struct model_stream *stream, uint8_t *ahead, uint32_t distance)
{
	const uint8_t before = *ahead;

	while (*ahead < distance &&
	       same_page(stream->line, stream->line + (uint64_t)(stream->stride * (*ahead + 1))))
		++*ahead;
	return *ahead - before;
}

struct model_ask model_streams_access(struct model_streams *streams,
				      const struct model_config *config, uint64_t va, bool missed)
{
	const uint32_t distances[2] = {config->prefetch_l1d, config->prefetch_l2};
	const uint64_t line = va >> MODEL_LINE_SHIFT;
	struct model_stream *oldest, *stream;
	struct model_ask ask = {0};
	unsigned int steps;

	stream = find_stream(streams, config->streams, line, &oldest);
	if (stream ? stream->line == line : !missed)
		return ask;
	if (!stream) {
		*oldest = (struct model_stream){.line = line, .used = ++streams->clock};
		return ask;
	}
	steps = steps_to(stream, line);
	ask.crossed = steps && is_trusted(stream) && !same_page(stream->line, line);
	if (!steps) {
		stream->stride = (int16_t)(line - stream->line);
		stream->seen = 0;
	}
	if (!steps || ask.crossed)
		stream->ahead[0] = stream->ahead[1] = 0;
	if (!is_trusted(stream))
		stream->seen++;
	stream->line = line;
	stream->used = ++streams->clock;
	if (!is_trusted(stream))
		return ask;
	ask.stride = stream->stride;
	for (unsigned int level = 0; level < 2; level++) {
		uint8_t *ahead = &stream->ahead[level];

		*ahead = *ahead > steps ? (uint8_t)(*ahead - steps) : 0;
		ask.skip[level] = *ahead;
		ask.count[level] = ask_ahead(stream, ahead, distances[level]);
	}
	return ask;
}
