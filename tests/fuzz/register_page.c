/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer target: the reader of register pages and of their pseudocode, on any bytes. What it
 * accepts is evaluated in worlds of which nothing, and then everything, is known. The software CPU
 * has every encoding here.
 */
#include "conform/page.h"

#include <stdlib.h>
#include <string.h>

static void evaluate(const struct page_accessor *a, const uint8_t *bytes, size_t size)
{
	struct world w = {.asked = -1};

	/* Each question is answered from the bytes; there are no more questions than bits. */
	for (size_t n = 0;; n++) {
		struct outcome outcome;

		w.asked = -1;
		w.lacks = NULL;
		w.el = size ? bytes[0] & 3 : 0;
		outcome = page_decide(a, &w, a->reg, a->write);
		if (w.asked < 0 && w.lacks)
			return;
		if (w.asked < 0) {
			if ((unsigned int)outcome.kind > OUTCOME_LAST)
				abort();
			return;
		}
		if (n > WORLD_ALL || w.known[w.asked])
			abort();
		w.known[w.asked] = true;
		w.value[w.asked] = size && (bytes[n % size] & 1);
	}
}

static bool has_all(uint32_t encoding)
{
	return encoding <= UINT16_MAX;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct cpu_subject cpu = {.has = has_all};
	struct page_set set = {.cpu = &cpu};

	page_add_bytes(&set, "fuzz", (const char *)bytes, size);
	for (size_t i = 0; i < set.count; i++) {
		if (set.accessors[i].program)
			evaluate(&set.accessors[i], bytes, size);
		else if (!set.accessors[i].problem.text[0])
			abort(); /* unread without a word */
	}
	page_free(&set);
	return 0;
}
