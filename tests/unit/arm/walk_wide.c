/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of 52-bit addresses, for the tests of their walks. */

#include "../compare.h"
#include "walk_wide.h"

struct word words[16];
unsigned int reads;
struct arm_regime regime;
static unsigned int word_count;

uint64_t *word_at(uint64_t pa)
{
	for (unsigned int i = 0; i < word_count; i++)
		if (words[i].pa == pa)
			return &words[i].value;
	return NULL;
}

void set_word(uint64_t pa, uint64_t value)
{
	uint64_t *word = word_at(pa);

	if (word) {
		*word = value;
		return;
	}
	cr_assert_lt(word_count, ARRAY_SIZE(words));
	words[word_count++] = (struct word){pa, value};
}

static bool read_word(void *ctx, uint64_t pa, uint64_t *descriptor)
{
	const uint64_t *word = word_at(pa);

	(void)ctx;
	reads++;
	if (word)
		*descriptor = *word;
	return word;
}

static void write_word(void *ctx, uint64_t pa, uint64_t descriptor)
{
	(void)ctx;
	set_word(pa, descriptor);
}

static const struct arm_walk_features all = {
	.access_flag = true,
	.dirty = true,
	.hpds = true,
	.lva = true,
	.lpa2_4k = true,
	.lpa2_16k = true,
	.ttst = true,
	.e0pd = true,
};

void reset(void)
{
	word_count = reads = 0;
	regime = (struct arm_regime){
		.kind = ARM_REGIME_EL10,
		.sctlr = 1,
		.mair = 0xff,
		.pa_bits = 52,
		.features = all,
		.security = ARM_NON_SECURE,
		.read = read_word,
		.write = write_word,
	};
}

const struct granule granules[3] = {
	{12, 0, 2, {15, 24, 33, 42, 48}, {48, 39, 30, 21, 12}},
	{14, 2, 1, {0, 16, 27, 38, 48}, {0, 47, 36, 25, 14}},
	{16, 1, 3, {0, 0, 21, 34, 47}, {0, 0, 42, 29, 16}},
};

int start_level(const struct granule *g, unsigned int txsz)
{
	int level = -1;

	while (level < 3 && txsz > g->last[level + 1])
		level++;
	return level;
}

uint8_t code(unsigned int fsc, int level)
{
	if (level < 0)
		return fsc == TRANSLATION ? 0x2b : fsc == ADDRESS_SIZE ? 0x29 : 0x13;
	return (uint8_t)(fsc + (unsigned int)level);
}

uint64_t tcr_of(const struct granule *g, unsigned int txsz, bool ds, bool high)
{
	const uint64_t common = UINT64_C(6) << 32 | (ds ? BIT(59) : 0);

	return high ? common | BIT(7) | txsz << 16 | (uint64_t)g->tg1 << 30
		    : common | BIT(23) | txsz | g->tg0 << 14;
}

uint64_t output(enum form form, uint64_t pa)
{
	switch (form) {
	case LPA: return (pa & BITS(47, 0)) | (pa >> 48 & 0xf) << 12;
	case LPA2: return (pa & BITS(49, 0)) | (pa >> 50 & 3) << 8;
	default: return pa;
	}
}

enum form form_of(const struct granule *g, bool ds)
{
	return g->bits == 16 ? LPA : ds ? LPA2 : NARROW;
}

static uint64_t ttbr_of(enum form form, uint64_t pa)
{
	return form == NARROW ? pa : (pa & BITS(47, 6)) | (pa >> 48 & 0xf) << 2;
}

static uint64_t index_of(const struct walk *w, int level)
{
	const unsigned int top =
		level == w->start ? 64 - w->txsz : w->g->shift[level + 1] + w->g->bits - 3;

	return (w->va & (BIT(top) - 1)) >> w->g->shift[level + 1];
}

uint64_t descriptor_pa(const struct walk *w, int level)
{
	return w->table[level + 1] + 8 * index_of(w, level);
}

void build(struct walk *w, int end, uint64_t value)
{
	const enum form form = form_of(w->g, w->ds);

	w->start = start_level(w->g, w->txsz);
	regime.tcr = tcr_of(w->g, w->txsz, w->ds, w->high);
	if (w->high)
		regime.ttbr1 = ttbr_of(form, w->table[w->start + 1]);
	else
		regime.ttbr0 = ttbr_of(form, w->table[w->start + 1]);
	for (int level = w->start; level < end; level++)
		set_word(descriptor_pa(w, level),
			 output(form, w->table[level + 2]) | PAGE_OR_TABLE);
	set_word(descriptor_pa(w, end), value);
}

struct walk walk_of(const struct granule *g, unsigned int txsz, bool ds, bool high)
{
	struct walk w = {.g = g, .txsz = txsz, .ds = ds, .high = high};
	const uint64_t top = form_of(g, ds) == NARROW ? BITS(46, 45) : BITS(51, 45);

	for (unsigned int i = 0; i < 5; i++)
		w.table[i] = (UINT64_C(0x000b3e5d4c600000) + i * 0x10000) & (top | BITS(44, 0));
	w.va = UINT64_C(0x0009876543219ac8) & (BIT(64 - txsz) - 1);
	if (high)
		w.va |= ~(BIT(64 - txsz) - 1);
	return w;
}

uint64_t pa_of(uint64_t va)
{
	struct arm_translation t;

	cr_assert(arm_translate(&regime, va, ARM_READ, 1, &t), "%#lx: %#x", va, t.fsc);
	return t.pa;
}

uint8_t fault_of(uint64_t va)
{
	struct arm_translation t;

	reads = 0;
	cr_assert_not(arm_translate(&regime, va, ARM_READ, 1, &t), "%#lx is %#lx", va, t.pa);
	cr_assert(t.fault);
	return t.fsc;
}

bool block_at(const struct granule *g, enum form form, int level)
{
	switch (g->bits) {
	case 12: return level == 1 || level == 2 || (level == 0 && form == LPA2);
	case 14: return level == 2 || (level == 1 && form == LPA2);
	default: return level == 2 || (level == 1 && form == LPA);
	}
}
