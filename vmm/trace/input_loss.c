/* SPDX-License-Identifier: BSD-2-Clause */
/* Losses that a file itself reports: see input.h. */
#include "trace/input.h"
#include "trace/report_share.h"

#include <inttypes.h>

const char *input_loss_name(enum input_loss loss)
{
	static const char *const names[INPUT_LOSSES] = {
		[INPUT_TRUNCATED] = "buffer full, records lost",
		[INPUT_PARTIAL] = "gaps, records lost",
		[INPUT_COLLISION] = "collisions, samples lost",
		[INPUT_LOST_SAMPLES] = "samples lost",
		[INPUT_LOST_EVENTS] = "other events of perf lost",
	};

	return names[loss];
}

const char *input_loss_first(const struct input_loss_count *count, char text[INPUT_FIRST_WORDS])
{
	const bool known = count->first.cpu >= 0 || count->first.tid >= 0;
	char origin[INPUT_ORIGIN_WORDS] = "", at[20] = "";

	if (known)
		(void)input_origin_words(count->first, origin);
	if (count->aux)
		(void)snprintf(at, sizeof(at), "0x%" PRIx64, count->first_offset);
	(void)snprintf(text, INPUT_FIRST_WORDS, "%s%s%s", origin, known && count->aux ? " at " : "",
		       at);
	return text;
}

bool input_loss_share(const struct input_result *result, enum input_loss loss, uint64_t *share)
{
	const struct input_loss_count *count = &result->losses[loss];

	if (loss == INPUT_LOST_SAMPLES && count->lost) {
		*share = report_share(count->lost, count->lost + result->records);
		return true;
	}
	*share = count->bytes ? report_share(count->bytes, result->aux_bytes) : 0;
	return count->bytes != 0;
}

const char *input_loss_words(const struct input_result *result, enum input_loss loss,
			     char text[INPUT_LINE_WORDS])
{
	const struct input_loss_count *count = &result->losses[loss];
	char lost[32] = "", part[64] = "", first[INPUT_FIRST_WORDS];
	uint64_t share;

	*text = 0;
	if (!count->times)
		return text;
	if (count->lost)
		(void)snprintf(lost, sizeof(lost), "%" PRIu64 ", told of ", count->lost);
	if (input_loss_share(result, loss, &share))
		(void)snprintf(part, sizeof(part), ", up to %" PRIu64 ".%02" PRIu64 " per cent",
			       share / 100, share % 100);
	input_loss_first(count, first);
	(void)snprintf(text, INPUT_LINE_WORDS, "%s: %s%" PRIu64 " time%s%s%s%s",
		       input_loss_name(loss), lost, count->times, count->times == 1 ? "" : "s",
		       part, *first ? ", first: " : "", first);
	return text;
}

const char *input_damage_words(const struct input_damage *damage, char text[INPUT_LINE_WORDS])
{
	char origin[INPUT_ORIGIN_WORDS];

	*text = 0;
	if (damage->bytes || damage->records)
		(void)snprintf(text, INPUT_LINE_WORDS,
			       "%" PRIu64 " bytes skipped in unknown or cut packets, %" PRIu64
			       " records without an end; first damage in the record at 0x%" PRIx64
			       " of %s",
			       damage->bytes, damage->records, damage->first,
			       input_origin_words(damage->origin, origin));
	return text;
}
