// SPDX-License-Identifier: BSD-2-Clause
/* What a file says is missing from it: see input.h. */
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
