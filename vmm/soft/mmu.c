/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stage 1 translation of the EL1&0 regime in the VMSAv8-64 form (Arm ARM D8): 4K, 16K and 64K
 * granules, 48-bit virtual addresses, FEAT_HPDS, FEAT_PAN and FEAT_HAFDBS.
 */
#include <string.h>

#include "soft/mmu.h"

#define BIT(n) (UINT64_C(1) << (n))

#define SCTLR_M	  BIT(0)
#define SCTLR_WXN BIT(19)

#define TCR_A1 BIT(22)
#define TCR_AS BIT(36)
#define TCR_HA BIT(39)
#define TCR_HD BIT(40)

#define DESC_VALID    BIT(0)
#define DESC_TABLE    BIT(1) /* at level 3: page */
#define DESC_USER     BIT(6) /* AP[1] */
#define DESC_READONLY BIT(7) /* AP[2] */
#define DESC_AF	      BIT(10)
#define DESC_NG	      BIT(11)
#define DESC_DBM      BIT(51)
#define DESC_PXN      BIT(53)
#define DESC_UXN      BIT(54)

/* Table descriptors: limits on all that is below. */
#define TABLE_PXN      BIT(59)
#define TABLE_UXN      BIT(60)
#define TABLE_NO_USER  BIT(61) /* APTable[0] */
#define TABLE_READONLY BIT(62) /* APTable[1] */

/* TCR_EL1.T0SZ and T1SZ without FEAT_TTST and FEAT_LVA. */
#define TXSZ_MIN 16
#define TXSZ_MAX 39

/* One half of the address space, as TCR_EL1 describes it. */
struct half {
	uint64_t base;
	unsigned int txsz, granule;  /* granule: log2 of its bytes */
	bool disabled, tagged, flat; /* EPDn, TBIn, HPDn */
};

/* A walk under way. */
struct walk {
	const struct mmu_regime *regime;
	unsigned int output_bits;
	unsigned int level;
	uint64_t limits; /* TABLE_*, of all tables above */
	uint64_t at;	 /* address of the descriptor */
	uint64_t descriptor;
	unsigned int shift; /* log2 of the bytes a descriptor of this level maps */
};

static uint64_t low_bits(unsigned int n)
{
	return n >= 64 ? ~UINT64_C(0) : BIT(n) - 1;
}

static bool upper(uint64_t va)
{
	return va & BIT(55);
}

bool mmu_tagged(uint64_t tcr, uint64_t va)
{
	return tcr & (upper(va) ? BIT(38) : BIT(37));
}

/* A reserved granule means 4K: IMPLEMENTATION DEFINED among those that are implemented. */
static struct half select_half(const struct mmu_regime *regime, uint64_t va)
{
	static const uint8_t tg0[4] = {12, 16, 14, 12};
	static const uint8_t tg1[4] = {12, 14, 12, 16};
	uint64_t tcr = regime->tcr;

	if (upper(va))
		return (struct half){
			.base = regime->ttbr1,
			.txsz = tcr >> 16 & 0x3f,
			.granule = tg1[tcr >> 30 & 3],
			.disabled = tcr & BIT(23),
			.tagged = mmu_tagged(tcr, va),
			.flat = tcr & BIT(42),
		};
	return (struct half){
		.base = regime->ttbr0,
		.txsz = tcr & 0x3f,
		.granule = tg0[tcr >> 14 & 3],
		.disabled = tcr & BIT(7),
		.tagged = mmu_tagged(tcr, va),
		.flat = tcr & BIT(41),
	};
}

/* TCR_EL1.IPS, no larger than what is implemented; reserved values mean the largest. */
static unsigned int output_bits(const struct mmu_regime *regime)
{
	static const uint8_t sizes[8] = {32, 36, 40, 42, 44, 48, 48, 48};
	unsigned int size = sizes[regime->tcr >> 32 & 7];

	return size < regime->pa_bits ? size : regime->pa_bits;
}

static uint16_t current_asid(const struct mmu_regime *regime)
{
	uint64_t ttbr = (regime->tcr & TCR_A1) ? regime->ttbr1 : regime->ttbr0;

	return (uint16_t)(ttbr >> 48 & ((regime->tcr & TCR_AS) ? 0xffff : 0xff));
}

static bool fail(struct soft_translation *t, unsigned int fsc, unsigned int level)
{
	t->fault = true;
	t->fsc = (uint8_t)(fsc | level);
	t->on_walk = fsc == SOFT_FSC_EXTERNAL_WALK;
	return false;
}

static void set_attributes(struct soft_translation *t, uint8_t attr, uint8_t sh)
{
	t->attr = attr;
	t->device = !(attr & 0xf0);
	t->sh = t->device || attr == 0x44 ? 2 : sh; /* Device, Non-cacheable: Outer Shareable */
}

/* SCTLR_EL1.M is 0: flat, Device-nGnRnE for data (Arm ARM D8.2.10). */
static bool translate_off(const struct mmu_regime *regime, uint64_t va, enum soft_access access,
			  struct soft_translation *t)
{
	unsigned int top = mmu_tagged(regime->tcr, va) ? 56 : 64;
	uint64_t address = va & low_bits(top);

	t->page_mask = 0xfff;
	t->global = true;
	t->readable_el0 = t->writable_el0 = t->executable_el0 = true;
	t->readable_el1 = t->writable_el1 = t->executable_el1 = true;
	if (access == SOFT_EXECUTE)
		set_attributes(t, 0x44, 2);
	else
		set_attributes(t, 0x00, 2);
	if (address >> regime->pa_bits)
		return fail(t, SOFT_FSC_ADDRESS_SIZE, 0);
	t->pa = address;
	return true;
}

/* Read descriptors down to the one that maps va. */
static bool find_leaf(struct walk *walk, const struct half *half, uint64_t va,
		      struct soft_translation *t)
{
	unsigned int stride = half->granule - 3;
	unsigned int input = 64 - half->txsz;
	unsigned int levels = (input - half->granule + stride - 1) / stride;
	uint64_t table;

	walk->level = 4 - levels;
	walk->shift = half->granule + stride * (3 - walk->level);
	table = half->base & low_bits(48) & ~low_bits(input - walk->shift + 3);
	if (table >> walk->output_bits)
		return fail(t, SOFT_FSC_ADDRESS_SIZE, 0);
	va &= low_bits(input);
	for (;;) {
		uint64_t descriptor;

		walk->at = table + (va >> walk->shift) * 8;
		if (!walk->regime->read(walk->regime->ctx, walk->at, &descriptor))
			return fail(t, SOFT_FSC_EXTERNAL_WALK, walk->level);
		walk->descriptor = descriptor;
		if (!(descriptor & DESC_VALID))
			return fail(t, SOFT_FSC_TRANSLATION, walk->level);
		if (walk->level == 3 || !(descriptor & DESC_TABLE))
			break;
		table = descriptor & low_bits(48) & ~low_bits(half->granule);
		if (table >> walk->output_bits)
			return fail(t, SOFT_FSC_ADDRESS_SIZE, walk->level);
		if (!half->flat)
			walk->limits |= descriptor;
		va &= low_bits(walk->shift);
		walk->shift -= stride;
		walk->level++;
	}
	/* Level 3 has pages only; blocks are at levels 1 and 2 with 4K, else at level 2. */
	if (walk->level == 3 ? !(walk->descriptor & DESC_TABLE)
			     : walk->level < (half->granule == 12 ? 1u : 2u))
		return fail(t, SOFT_FSC_TRANSLATION, walk->level);
	return true;
}

/*
 * Permissions (Arm ARM D8.4). clean: writable, but that hardware has to mark the page dirty first;
 * such a page counts as writable for WXN.
 */
static void set_permissions(const struct walk *walk, struct soft_translation *t, bool *clean)
{
	uint64_t d = walk->descriptor, limits = walk->limits;
	bool wxn = walk->regime->sctlr & SCTLR_WXN;
	bool dirty_managed = (walk->regime->tcr & TCR_HA) && (walk->regime->tcr & TCR_HD);
	bool user = (d & DESC_USER) && !(limits & TABLE_NO_USER);
	bool write = !(limits & TABLE_READONLY);

	*clean = write && (d & DESC_READONLY) && (d & DESC_DBM) && dirty_managed;
	write = write && (!(d & DESC_READONLY) || *clean);
	t->readable_el0 = user;
	t->writable_el0 = user && write;
	t->executable_el0 = !(d & DESC_UXN) && !(limits & TABLE_UXN) && !(wxn && t->writable_el0);
	/* What EL0 may write is never executable at EL1; PAN is about data accesses only. */
	t->executable_el1 =
		!(d & DESC_PXN) && !(limits & TABLE_PXN) && !t->writable_el0 && !(wxn && write);
	t->readable_el1 = !(user && walk->regime->pan);
	t->writable_el1 = write && t->readable_el1;
}

static bool allowed(const struct soft_translation *t, enum soft_access access, unsigned int el)
{
	switch (access) {
	case SOFT_READ: return el == 0 ? t->readable_el0 : t->readable_el1;
	case SOFT_WRITE: return el == 0 ? t->writable_el0 : t->writable_el1;
	default: return el == 0 ? t->executable_el0 : t->executable_el1;
	}
}

/* Access flag, permissions, and what hardware writes back for them (Arm ARM D8.5). */
static bool check_leaf(struct walk *walk, enum soft_access access, unsigned int el,
		       struct soft_translation *t)
{
	uint64_t updated = walk->descriptor | DESC_AF;
	bool clean;

	if (!(walk->descriptor & DESC_AF) && !(walk->regime->tcr & TCR_HA))
		return fail(t, SOFT_FSC_ACCESS_FLAG, walk->level);
	set_permissions(walk, t, &clean);
	if (!allowed(t, access, el))
		return fail(t, SOFT_FSC_PERMISSION, walk->level);
	if (clean && access == SOFT_WRITE) {
		updated &= ~DESC_READONLY;
	} else if (clean) {
		t->writable_el0 = false;
		t->writable_el1 = false;
	}
	if (updated != walk->descriptor && !walk->regime->keep)
		walk->regime->write(walk->regime->ctx, walk->at, updated);
	return true;
}

bool mmu_translate(const struct mmu_regime *regime, uint64_t va, enum soft_access access,
		   unsigned int el, struct soft_translation *t)
{
	struct walk walk = {.regime = regime, .output_bits = output_bits(regime)};
	struct half half;
	unsigned int index;
	uint64_t base, unused, sign;

	memset(t, 0, sizeof(*t));
	t->asid = current_asid(regime);
	if (!(regime->sctlr & SCTLR_M))
		return translate_off(regime, va, access, t);

	half = select_half(regime, va);
	if (half.disabled || half.txsz < TXSZ_MIN || half.txsz > TXSZ_MAX)
		return fail(t, SOFT_FSC_TRANSLATION, 0);
	/* The bits between the tag and the input address all equal bit 55. */
	unused = low_bits(half.tagged ? 56 : 64) & ~low_bits(64 - half.txsz);
	sign = upper(va) ? unused : 0;
	if ((va & unused) != sign)
		return fail(t, SOFT_FSC_TRANSLATION, 0);
	if (!find_leaf(&walk, &half, va, t))
		return false;

	base = walk.descriptor & low_bits(48) & ~low_bits(walk.shift);
	if (base >> walk.output_bits)
		return fail(t, SOFT_FSC_ADDRESS_SIZE, walk.level);
	t->page_mask = low_bits(walk.shift);
	t->global = !(walk.descriptor & DESC_NG);
	index = walk.descriptor >> 2 & 7;
	set_attributes(t, (uint8_t)(regime->mair >> (index * 8)), walk.descriptor >> 8 & 3);
	if (!check_leaf(&walk, access, el, t))
		return false;
	t->pa = base | (va & t->page_mask);
	return true;
}

/*
 * The vCPU's own tables, in guest RAM.
 */

static uint8_t *ram_at(const struct engine_ram *ram, uint64_t pa)
{
	uint64_t offset = pa - ram->base;

	return pa >= ram->base && offset <= ram->size - 8 ? ram->host + offset : NULL;
}

static bool read_descriptor(void *ctx, uint64_t pa, uint64_t *descriptor)
{
	const uint8_t *at = ram_at(&soft_host(ctx)->ram, pa);

	if (!at)
		return false;
	memcpy(descriptor, at, sizeof(*descriptor));
	return true;
}

static void write_descriptor(void *ctx, uint64_t pa, uint64_t descriptor)
{
	uint8_t *at = ram_at(&soft_host(ctx)->ram, pa);

	if (at)
		memcpy(at, &descriptor, sizeof(descriptor));
}

struct mmu_regime soft_regime(struct soft_cpu *cpu)
{
	const struct soft_sys *sys = soft_sys(cpu);

	return (struct mmu_regime){
		.sctlr = sys->sctlr[1],
		.tcr = sys->tcr[1],
		.ttbr0 = sys->ttbr0[1],
		.ttbr1 = sys->ttbr1[1],
		.mair = sys->mair[1],
		.pa_bits = SOFT_PA_BITS,
		.pan = sys->pstate.pan,
		.ctx = cpu,
		.read = read_descriptor,
		.write = write_descriptor,
	};
}

bool soft_translate_as(struct soft_cpu *cpu, uint64_t va, enum soft_access access, unsigned int el,
		       bool pan, struct soft_translation *t)
{
	struct mmu_regime regime = soft_regime(cpu);

	regime.pan = pan;
	return mmu_translate(&regime, va, access, el, t);
}

bool soft_translate(struct soft_cpu *cpu, uint64_t va, enum soft_access access, unsigned int el,
		    struct soft_translation *t)
{
	return soft_translate_as(cpu, va, access, el, soft_sys(cpu)->pstate.pan, t);
}
