/* SPDX-License-Identifier: BSD-2-Clause */
/* Register pages: the accessors that the software CPU decides. */
#define _GNU_SOURCE /* memmem */
#include "conform/page.h"
#include "base/memory.h"
#include "conform/world_cpu.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define REGISTERS_MOST 32 /* of one page: the m of DBGBVR<m>_EL1 is below */

static const unsigned int widths[] = {2, 3, 4, 4, 3};
static const unsigned int places[] = {14, 11, 7, 3, 0};

/* The first word of text: letters. */
static size_t first_word(const char *text, size_t size)
{
	size_t n = 0;

	while (n < size && text[n] >= 'A' && text[n] <= 'Z')
		n++;
	return n;
}

bool page_cpu_instruction(const char *text, size_t size, bool *write)
{
	static const char *const words[] = {"MRS",  "MSR", "AT",  "DC", "IC",
					    "TLBI", "CFP", "CPP", "DVP"};
	size_t n;

	while (size && (*text == ' ' || *text == '\t'))
		text++, size--;
	n = first_word(text, size);
	if (n < 2 || n + 1 >= size || text[n] != ' ' || memchr(text, '#', size))
		return false;
	if (!(text[n + 1] >= 'A' && text[n + 1] <= 'Z') && text[n + 1] != '<')
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i]) != n || memcmp(words[i], text, n) != 0)
			continue;
		*write = i != 0;
		/* MRS and MSR have Xt; "AT" begins sentences, too, and no instruction is one. */
		return i > 1 ? !memchr(text, '.', size) && n + 2 < size &&
				       (memchr(text + n + 1, ' ', size - n - 1) == NULL ||
					memchr(text, '<', size) || memchr(text, '{', size))
			     : memmem(text, size, "<Xt>", 4) != NULL;
	}
	return false;
}

/* Bits h to l of m, of "m[h:l]" or "m[n]", at the start of text. Returns its length, or 0. */
static size_t index_bits(const char *text, unsigned int *high, unsigned int *low)
{
	int length = 0;

	if (sscanf(text, "%*1[mn][%u:%u]%n", high, low, &length) == 2 && length)
		return (size_t)length;
	length = 0;
	if (sscanf(text, "%*1[mn][%u]%n", high, &length) == 1 && length) {
		*low = *high;
		return (size_t)length;
	}
	return 0;
}

/* One part of an encoding for register m. False: it is of another form. */
static bool part_value(const char *text, unsigned int width, unsigned int m, unsigned int *value,
		       bool *indexed)
{
	unsigned int bits = 0;

	*value = 0;
	while (*text) {
		unsigned int high, low;
		size_t n;

		if (*text == ':') {
			text++;
		} else if (!strncmp(text, "0b", 2)) {
			for (text += 2; *text == '0' || *text == '1'; text++, bits++)
				*value = *value << 1 | (*text == '1');
		} else if ((n = index_bits(text, &high, &low)) && high >= low && high < 5) {
			*value = *value << (high - low + 1) |
				 (m >> low & ((1u << (high - low + 1)) - 1));
			bits += high - low + 1;
			*indexed = true;
			text += n;
		} else {
			return false;
		}
	}
	return bits == width;
}

/* The encoding of register m; *indexed: it depends on m. */
static bool encoding_of(const struct page_encoding *parts, unsigned int m, uint32_t *encoding,
			bool *indexed)
{
	*encoding = 0;
	*indexed = false;
	for (unsigned int i = 0; i < 5; i++) {
		unsigned int value;

		if (!part_value(parts->part[i], widths[i], m, &value, indexed))
			return false;
		*encoding |= value << places[i];
	}
	return true;
}

/* "DBGBVR<m>_EL1" with m for the letter, and without what follows a semicolon or a brace. */
static char *name_of(const char *text, size_t size, unsigned int m)
{
	char *name = memory_need(calloc(1, size + 8));
	size_t n = 0;

	for (size_t i = 0; i < size && text[i] != ';' && text[i] != '{'; i++) {
		if (size - i > 2 && text[i] == '<' && (text[i + 1] == 'm' || text[i + 1] == 'n') &&
		    text[i + 2] == '>') {
			n += (size_t)snprintf(name + n, 4, "%u", m);
			i += 2;
		} else {
			name[n] = text[i];
			if (text[i] == '\n' || text[i] == '\t')
				name[n] = ' ';
			n++;
		}
	}
	while (n && name[n - 1] == ' ')
		n--;
	name[n] = 0;
	return name;
}

/* "when FEAT_A is implemented and FEAT_B is implemented"; false for anything else. */
static bool take_condition(struct page_accessor *a, const char *text)
{
	static const char *const filler[] = {"When", "when", "is", "are", "implemented", "and"};

	while (*text) {
		const size_t n = strcspn(text, " \t\r\n,");
		struct world_cpu_bit bit = {WORLD_CPU_NONE, 0, 0};
		bool known = n == 0;

		for (size_t i = 0; i < sizeof(filler) / sizeof(filler[0]); i++)
			known = known || (strlen(filler[i]) == n && !memcmp(filler[i], text, n));
		if (n > 5 && !memcmp(text, "FEAT_", 5))
			bit = world_cpu_feature(text, n);
		else if (n == 3 && !memcmp(text, "EL", 2))
			bit = world_cpu_level(text, n);
		a->cpu_never = a->cpu_never || bit.kind == WORLD_CPU_ZERO;
		if (bit.kind == WORLD_CPU_BIT) {
			if (a->cpu_needs_count == sizeof(a->cpu_needs) / sizeof(a->cpu_needs[0]))
				return false;
			a->cpu_needs[a->cpu_needs_count++] = bit.first;
		}
		if (!known && bit.kind == WORLD_CPU_NONE)
			return false;
		text += n + (text[n] != 0);
	}
	return true;
}

static void note_lacking(struct page_set *set, char *name)
{
	if (set->lacking_count == set->lacking_room) {
		set->lacking_room = set->lacking_room ? 2 * set->lacking_room : 64;
		set->lacking = memory_need(
			realloc(set->lacking, set->lacking_room * sizeof(*set->lacking)));
	}
	set->lacking[set->lacking_count++] = name;
}

void page_cpu_accessor(struct page_set *set, const char *file, const struct page_accessor *other,
		       const char *instruction, size_t size, const struct page_encoding *parts,
		       const char *code, size_t code_size, const char *condition,
		       const char *refused)
{
	struct page_accessor a = *other;
	bool indexed = true;
	uint32_t encoding, zeroth = 0;

	/* Without an encoding it may be a title. */
	if (!set->cpu || !parts->part[4][0])
		return;
	a.program = NULL;
	if (condition && !refused && !take_condition(&a, condition))
		refused = "the accessor's condition is not known";
	a.problem.line = a.line;
	for (unsigned int m = 0; indexed && m < REGISTERS_MOST; m++) {
		const struct page_accessor *first = m ? &set->accessors[set->count - 1] : NULL;
		bool known = encoding_of(parts, m, &encoding, &indexed);

		/* The encoding has fewer bits of m than 32 registers need. */
		if (m && encoding == zeroth)
			return;
		if (!known || !set->cpu->has(encoding)) {
			if (m == 0)
				note_lacking(set, name_of(instruction, size, 0));
			return;
		}
		if (!a.program && !a.problem.text[0]) {
			if (refused)
				(void)snprintf(a.problem.text, sizeof(a.problem.text), "%s",
					       refused);
			else
				a.program =
					asl_parse_cpu(code, code_size, a.line, a.write, &a.problem);
		}
		zeroth = m ? zeroth : encoding;
		a.m = (uint8_t)m;
		a.shared = first != NULL;
		a.encoding = encoding;
		a.encoded = true;
		page_new_accessor(set, file, &a)->name = name_of(instruction, size, m);
		set->cpu_count++;
	}
}
