/* SPDX-License-Identifier: BSD-2-Clause */
/* See touched.h. */
#include "soft/mem/touched.h"

void soft_touched_begin(struct soft_cpu *cpu)
{
	cpu->model.touched.count = 0;
}

/* The part of a line that was accessed in the same way before, or NULL. */
static struct soft_touch *find(struct soft_touched *touched, uint64_t line, bool write)
{
	for (unsigned int n = touched->count; n > 0; n--) {
		struct soft_touch *at = &touched->at[n - 1];

		if (at->va / MODEL_LINE == line && at->write == write)
			return at;
	}
	return NULL;
}

/* It has bytes from first to last, too. */
static void extend(struct soft_touch *at, uint64_t first, uint64_t last)
{
	const uint64_t end = at->va + at->size - 1;

	at->holes |= first > end + 1 || last + 1 < at->va;
	last = last > end ? last : end;
	at->va = first < at->va ? first : at->va;
	at->size = (uint8_t)(last - at->va + 1);
}

static void note_line(struct soft_touched *touched, uint64_t first, uint64_t last, bool write,
		      unsigned int el)
{
	struct soft_touch *at = find(touched, first / MODEL_LINE, write);

	if (at)
		extend(at, first, last);
	else if (touched->count < SOFT_TOUCHED)
		touched->at[touched->count++] = (struct soft_touch){
			.va = first,
			.size = (uint8_t)(last - first + 1),
			.write = write,
			.el = (uint8_t)el,
		};
}

void soft_touched_note(struct soft_cpu *cpu, const struct soft_bytes *bytes, bool gathers)
{
	struct soft_touched *touched = &cpu->model.touched;
	const unsigned int el =
		bytes->unprivileged ? soft_unprivileged_el(&cpu->sys) : cpu->sys.pstate.el;
	uint64_t first = bytes->va, left = bytes->size;

	touched->gathers = gathers;
	while (left) {
		const uint64_t here = MODEL_LINE - first % MODEL_LINE;
		const uint64_t size = left < here ? left : here;

		note_line(touched, first, first + size - 1, bytes->write, el);
		first += size;
		left -= size;
	}
}
