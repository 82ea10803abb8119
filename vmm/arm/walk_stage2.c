/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stage 2 translation of the EL1&0 regime in the VMSAv8-64 form (Arm ARM D8): 4K, 16K and 64K
 * granules, concatenated first tables, FEAT_HAFDBS, FEAT_LPA and FEAT_LPA2; the combination of
 * memory attributes without FEAT_S2FWB. There is no FEAT_XNX or FEAT_TTST.
 */
#include "arm/registers.h"
#include "arm/syndrome.h"
#include "arm/walk_form.h"

#define BIT(n) (UINT64_C(1) << (n))

#define DESC_READ  BIT(6) /* S2AP[0] */
#define DESC_WRITE BIT(7) /* S2AP[1] */
#define DESC_XN	   BIT(54)

#define T0SZ_MAX 39

/* MemAttr[3:0] */
#define MEMORY_DEVICE(memory) (!((memory)&0xc))
#define MEMORY_UNCACHED	      0x5 /* Normal, Inner and Outer Non-cacheable */

#define SH_NONE	 0
#define SH_OUTER 2
#define SH_INNER 3

/* A walk under way. */
struct walk {
	const struct arm_regime *regime;
	unsigned int granule;	  /* log2 of its bytes */
	unsigned int input_bits;  /* 64 - T0SZ */
	unsigned int output_bits; /* PS */
	const struct arm_form *form;
	int level; /* -1 to 3 */
	unsigned int shift;
	uint64_t at; /* address of the descriptor */
	uint64_t descriptor;
};

static uint64_t low_bits(unsigned int n)
{
	return n >= 64 ? ~UINT64_C(0) : BIT(n) - 1;
}

static bool fail_walk(struct arm_stage2_output *out, unsigned int fsc, int level)
{
	out->fsc = arm_status_code(fsc, level);
	return false;
}

#define RESERVED 4 /* no level */

/*
 * The level at which the walk begins by VTCR_EL2.{SL2,SL0}. SL2 counts with 4K and DS, and 16K
 * begins at level 0 only with DS (FEAT_LPA2).
 */
static int level_of(const struct walk *walk, uint64_t vtcr)
{
	const int sl0 = (int)arm_field(vtcr, VTCR_EL2_SL0);
	const bool ds = walk->form->shareability;

	if (walk->granule == 12 && ds && vtcr & VTCR_EL2_SL2)
		return sl0 == 0 ? -1 : RESERVED;
	if (sl0 == 3)
		return walk->granule == 14 && ds ? 0 : RESERVED;
	return (walk->granule == 12 ? 2 : 3) - sl0;
}

/*
 * A first level is reserved if the PE does not implement its bits of address. Its table must have
 * at least 1 bit of index, and at most 4 bits more than a single table.
 */
static bool first_level(struct walk *walk, uint64_t vtcr)
{
	const unsigned int stride = walk->granule - 3;
	unsigned int least;

	walk->level = level_of(walk, vtcr);
	if (walk->level == RESERVED)
		return false;
	if (walk->granule == 12
		    ? walk->level <= 0 && walk->regime->pa_bits <= 42
		    : walk->level <= 1 && walk->regime->pa_bits <= (walk->granule == 14 ? 40 : 42))
		return false;
	walk->shift = walk->granule + stride * (unsigned int)(3 - walk->level);
	least = walk->shift + 1;
	return walk->input_bits >= least && walk->input_bits <= least + stride - 1 + 4;
}

/* VTCR_EL2. A reserved granule means 4K, as in stage 1. */
static bool begin_walk(struct walk *walk, const struct arm_regime *regime, uint64_t vtcr)
{
	static const uint8_t tg0[4] = {12, 16, 14, 12};
	const unsigned int t0sz = arm_field(vtcr, VTCR_EL2_T0SZ);
	const unsigned int granule = tg0[arm_field(vtcr, VTCR_EL2_TG0)];
	const struct arm_form *form = arm_form_of(regime, granule, vtcr & VTCR_EL2_DS);
	const unsigned int most = form->wide ? 52 : 48;
	const unsigned int pa_bits = regime->pa_bits < most ? regime->pa_bits : most;

	*walk = (struct walk){
		.regime = regime,
		.granule = granule,
		.input_bits = 64 - t0sz,
		.output_bits = arm_output_bits(arm_field(vtcr, VTCR_EL2_PS), pa_bits),
		.form = form,
	};
	return t0sz <= T0SZ_MAX && walk->input_bits <= pa_bits && first_level(walk, vtcr);
}

static bool find_leaf(struct walk *walk, uint64_t vttbr, uint64_t ipa,
		      struct arm_stage2_output *out)
{
	const unsigned int stride = walk->granule - 3;
	uint64_t table = arm_form_base(walk->form, vttbr, walk->output_bits,
				       walk->input_bits - walk->shift + 3);

	if (table >> walk->output_bits)
		return fail_walk(out, ARM_FSC_ADDRESS_SIZE, 0);
	for (;;) {
		walk->at = table + (ipa >> walk->shift) * 8;
		if (!walk->regime->read(walk->regime->ctx, walk->at, &walk->descriptor))
			return fail_walk(out, ARM_FSC_EXTERNAL_WALK, walk->level);
		if (!(walk->descriptor & DESCRIPTOR_VALID))
			return fail_walk(out, ARM_FSC_TRANSLATION, walk->level);
		if (walk->level == 3 || !(walk->descriptor & DESCRIPTOR_TABLE))
			break;
		table = arm_form_output(walk->form, walk->descriptor) & ~low_bits(walk->granule);
		if (table >> walk->output_bits)
			return fail_walk(out, ARM_FSC_ADDRESS_SIZE, walk->level);
		ipa &= low_bits(walk->shift);
		walk->shift -= stride;
		walk->level++;
	}
	if (walk->level == 3 ? !(walk->descriptor & DESCRIPTOR_TABLE)
			     : walk->level < arm_form_blocks(walk->form, walk->granule))
		return fail_walk(out, ARM_FSC_TRANSLATION, walk->level);
	return true;
}

/* The effective MemAttr[3:0]. A reserved value is Device-nGnRnE, the safest. */
static uint8_t memory_of(const struct arm_stage2 *stage2, uint64_t descriptor,
			 enum arm_access access, bool walk)
{
	const uint8_t memory = descriptor >> 2 & 0xf;

	if (MEMORY_DEVICE(memory)) /* a fetch or a walk from there is as from Normal memory */
		return access == ARM_EXECUTE || walk ? MEMORY_UNCACHED : memory;
	if (!(memory & 3))
		return 0;
	if (access == ARM_EXECUTE ? stage2->uncached_code : stage2->uncached_data)
		return MEMORY_UNCACHED;
	return memory;
}

/* Access flag, alignment, permissions, and what hardware writes back for them. */
static bool check_leaf(const struct walk *walk, const struct arm_stage2 *stage2,
		       enum arm_access access, bool is_walk, struct arm_stage2_output *out)
{
	const uint64_t d = walk->descriptor;
	const bool ha = stage2->vtcr & VTCR_EL2_HA, hd = ha && (stage2->vtcr & VTCR_EL2_HD);
	const bool clean = hd && (d & DESCRIPTOR_DBM) && !(d & DESC_WRITE);
	uint64_t updated = d | DESCRIPTOR_AF;
	bool allowed;

	if (!(d & DESCRIPTOR_AF) && !ha)
		return fail_walk(out, ARM_FSC_ACCESS_FLAG, walk->level);
	out->memory = memory_of(stage2, d, access, is_walk);
	if (walk->regime->unaligned && MEMORY_DEVICE(out->memory)) { /* as the access has it */
		out->fsc = ARM_FSC_ALIGNMENT;
		return false;
	}
	out->readable = d & DESC_READ;
	out->writable = d & DESC_WRITE;
	out->executable = !(d & DESC_XN);
	switch (access) {
	case ARM_READ: allowed = out->readable; break;
	case ARM_WRITE: allowed = out->writable || clean; break;
	case ARM_UPDATE: allowed = out->readable && (out->writable || clean); break;
	default: allowed = out->executable; break;
	}
	if (is_walk && stage2->protected_walks && MEMORY_DEVICE(d >> 2 & 0xf))
		allowed = false;
	if (!allowed) {
		out->writing = access == ARM_UPDATE && out->readable;
		return fail_walk(out, ARM_FSC_PERMISSION, walk->level);
	}
	if (clean && (access == ARM_WRITE || access == ARM_UPDATE)) {
		updated |= DESC_WRITE;
		out->writable = true;
	}
	if (updated != d && !walk->regime->keep)
		walk->regime->write(walk->regime->ctx, walk->at, updated);
	return true;
}

bool arm_translate_stage2(const struct arm_regime *regime, const struct arm_stage2 *stage2,
			  uint64_t ipa, enum arm_access access, bool is_walk,
			  struct arm_stage2_output *out)
{
	struct walk walk;
	uint64_t base;

	*out = (struct arm_stage2_output){0};
	if (!begin_walk(&walk, regime, stage2->vtcr) || ipa >> walk.input_bits)
		return fail_walk(out, ARM_FSC_TRANSLATION, 0);
	if (!find_leaf(&walk, stage2->vttbr, ipa, out))
		return false;
	base = arm_form_output(walk.form, walk.descriptor) & ~low_bits(walk.shift);
	if (base >> walk.output_bits)
		return fail_walk(out, ARM_FSC_ADDRESS_SIZE, walk.level);
	if (!check_leaf(&walk, stage2, access, is_walk, out))
		return false;
	out->pa = base | (ipa & low_bits(walk.shift));
	out->sh = (uint8_t)(walk.form->shareability ? arm_field(stage2->vtcr, VTCR_EL2_SH0)
						    : arm_field(walk.descriptor, DESCRIPTOR_SH));
	return true;
}

/*
 * Combine the inner or outer half of a Normal attribute with that of stage 2: 1 is NC, 2 WT, 3 WB.
 */
static unsigned int combine_cacheability(unsigned int half, unsigned int stage2)
{
	const bool write_back = half & 4;

	if (half == 4 || stage2 == 1)
		return 4; /* Non-cacheable */
	/* Write-Through is x0RW, Write-Back x1RW; bit 3 says that it is not transient */
	return write_back && stage2 == 2 ? half & ~4u : half;
}

uint8_t arm_combine_attributes(uint8_t attr, uint8_t memory)
{
	const bool device = !(attr & 0xf0);

	if (device && MEMORY_DEVICE(memory)) /* both are in the order of strength */
		return (attr & 0xc) < (memory & 3) << 2 ? attr & 0xc : (uint8_t)((memory & 3) << 2);
	if (device)
		return attr;
	if (MEMORY_DEVICE(memory))
		return (uint8_t)((memory & 3) << 2);
	return (uint8_t)(combine_cacheability(attr >> 4, memory >> 2) << 4 |
			 combine_cacheability(attr & 0xf, memory & 3));
}

uint8_t arm_combine_shareability(uint8_t combined_attr, uint8_t sh1, uint8_t sh2)
{
	if (!(combined_attr & 0xf0) || combined_attr == 0x44)
		return SH_OUTER;
	if (sh1 == SH_OUTER || sh2 == SH_OUTER)
		return SH_OUTER;
	return sh1 == SH_INNER || sh2 == SH_INNER ? SH_INNER : SH_NONE;
}
