/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Target: a walk of translation tables of any contents, under any registers. It ends, and reads no
 * address that the PE does not have. A second walk gives the same result, for the whole page that
 * it found and without updates of descriptors. The result allows the requested access.
 */
#include "input.h"

#include <string.h>

#include "arm/walk.h"

#define TABLES_SIZE 4096u
/* Stage 1 has up to 5 tables, and stage 2 translates each of their addresses by up to 4. */
#define READS_MOST 64

#define BIT(n) (UINT64_C(1) << (n))

struct memory {
	uint64_t words[TABLES_SIZE / 8];
	unsigned int reads, writes;
	uint8_t pa_bits;
};

/* All of physical memory repeats this one: whatever a descriptor says, there is a next one. */
static bool read_word(void *ctx, uint64_t pa, uint64_t *descriptor)
{
	struct memory *m = ctx;

	require(!(pa & 7) && !(pa >> m->pa_bits) && ++m->reads <= READS_MOST);
	if ((pa & 0xff000) == 0xfa000)
		return false;
	*descriptor = m->words[pa % TABLES_SIZE / 8];
	return true;
}

/*
 * Hardware sets AF, and AP[2] or S2AP[1], in descriptors that it has read. The write is checked
 * here and dropped: as memory repeats, it could change another descriptor of the same walk.
 */
static void write_word(void *ctx, uint64_t pa, uint64_t descriptor)
{
	struct memory *m = ctx;

	require(m->reads > 0 && !(pa & 7) && !(pa >> m->pa_bits));
	require(((m->words[pa % TABLES_SIZE / 8] ^ descriptor) & ~(BIT(10) | BIT(7))) == 0);
	m->writes++;
}

static void take_stage2(struct input *in, struct arm_stage2 *stage2, uint64_t bits)
{
	stage2->on = bits & 1;
	stage2->protected_walks = bits & 2;
	stage2->uncached_data = bits & 4;
	stage2->uncached_code = bits & 8;
	stage2->vtcr = input_number(in, 4);
	stage2->vttbr = input_number(in, 6);
}

static struct arm_regime take_regime(struct input *in, struct memory *m)
{
	static const uint8_t sizes[] = {32, 36, 40, 42, 44, 48, 52, 40};
	const uint64_t what = input_number(in, 3);
	struct arm_regime regime = {
		.kind = (enum arm_regime_kind)(what & 3),
		.pa_bits = sizes[what >> 2 & 7],
		.security = (enum arm_security)(what >> 5 & 3),
		.pan = what >> 7 & 1,
		.off = (what >> 8 & 7) == 7,
		.default_cacheable = (what >> 11 & 3) == 3,
		.nv1 = what >> 13 & 1,
		.sif = what >> 14 & 1,
		.stage1_only = what >> 15 & 1,
		.nested = what >> 16 & 1,
		.ctx = m,
		.read = read_word,
		.write = write_word,
	};
	const uint64_t features = input_number(in, 1);

	regime.features = (struct arm_walk_features){
		.access_flag = features & 1,
		.dirty = (features & 3) == 3,
		.hpds = features & 4,
		.lva = features & 8,
		.lpa2_4k = features & 16,
		.lpa2_16k = features & 32,
		.ttst = features & 64,
		.e0pd = features & 128,
	};
	regime.sctlr = input_number(in, 7) | 1;
	regime.tcr = input_number(in, 8);
	regime.ttbr0 = input_number(in, 8);
	regime.ttbr1 = input_number(in, 8);
	regime.mair = input_number(in, 2) * UINT64_C(0x0001000100010001);
	/* Stage 2 is of EL1&0. */
	if (regime.nested && regime.kind == ARM_REGIME_EL10) {
		take_stage2(in, &regime.stage2[0], what >> 17);
		take_stage2(in, &regime.stage2[1], what >> 20);
	}
	m->pa_bits = regime.pa_bits;
	return regime;
}

static bool same(const struct arm_translation *a, const struct arm_translation *b)
{
	return a->fault == b->fault && a->fsc == b->fsc && a->pa == b->pa &&
	       a->page_mask == b->page_mask && a->readable_el0 == b->readable_el0 &&
	       a->readable_el1 == b->readable_el1 && a->executable_el0 == b->executable_el0 &&
	       a->executable_el1 == b->executable_el1 && a->device == b->device &&
	       a->attr == b->attr && a->sh == b->sh && a->ns == b->ns && a->nse == b->nse &&
	       a->stage2 == b->stage2 && a->ipa == b->ipa && a->s1ptw == b->s1ptw;
}

/* Privileged or not: what el is to the regime. */
static bool allowed(const struct arm_translation *t, enum arm_access access, bool privileged)
{
	switch (access) {
	case ARM_READ: return privileged ? t->readable_el1 : t->readable_el0;
	case ARM_WRITE: return privileged ? t->writable_el1 : t->writable_el0;
	case ARM_EXECUTE: return privileged ? t->executable_el1 : t->executable_el0;
	case ARM_UPDATE:
		return allowed(t, ARM_READ, privileged) && allowed(t, ARM_WRITE, privileged);
	}
	return false;
}

static void check(struct memory *m, struct arm_regime *regime, uint64_t va, enum arm_access access,
		  unsigned int el)
{
	struct arm_translation kept = {0}, first = {0}, again = {0};
	bool done;

	/* Without updates, then with them. */
	m->reads = m->writes = 0;
	regime->keep = true;
	done = arm_translate(regime, va, access, el, &kept);
	require(m->writes == 0 && done == !kept.fault);
	regime->keep = false;
	m->reads = 0;
	/* Stage 2's permission to update a descriptor is only checked for an update. */
	if (!arm_translate(regime, va, access, el, &first) && first.update)
		return;
	require(same(&first, &kept));
	if (!done)
		return;
	require((first.page_mask & (first.page_mask + 1)) == 0 && first.page_mask >= 0xfff);
	require(!(first.pa >> regime->pa_bits));
	require((first.pa & 0xfff) == (va & 0xfff));
	require(allowed(&first, access, el > 0));
	/* Any other address in the page leads to the same page. */
	m->reads = 0;
	require(arm_translate(regime, va ^ (0xff8 & first.page_mask), access, el, &again));
	require(again.pa == (first.pa ^ 0xff8) && again.page_mask == first.page_mask);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct memory m;
	struct input in = {bytes, bytes + size};
	struct arm_regime regime = take_regime(&in, &m);
	const uint64_t what = input_number(&in, 1);
	const uint64_t va = input_number(&in, 8);
	/* The regimes of EL2 and EL3 have no unprivileged level. */
	unsigned int el = what & 1;

	if (regime.kind == ARM_REGIME_EL2 || (el && regime.kind == ARM_REGIME_EL20))
		el = 2;
	else if (regime.kind == ARM_REGIME_EL3)
		el = 3;
	for (size_t i = 0; i < TABLES_SIZE / 8; i++)
		m.words[i] = 0;
	/* Words and their places, in turns until the input ends. */
	while (input_left(&in)) {
		const size_t at = (size_t)input_number(&in, 2) % (TABLES_SIZE / 8);

		m.words[at] = input_number(&in, 8);
	}
	regime.unaligned = what >> 3 & 1;
	check(&m, &regime, va, (enum arm_access)(what >> 1 & 3), el);
	return 0;
}
