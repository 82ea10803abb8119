/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stage 1 translation in the VMSAv8-64 form (Arm ARM D8): the regimes EL1&0 and EL2&0 with two
 * ranges of addresses and privileges, EL2 and EL3 with one; 4K, 16K and 64K granules, FEAT_HPDS,
 * FEAT_PAN and FEAT_HAFDBS, the descriptors that FEAT_NV changes, and, if the regime has them,
 * addresses of 52 bits (FEAT_LVA, FEAT_LPA, FEAT_LPA2), FEAT_TTST and FEAT_E0PD.
 */
#include <string.h>

#include "arm/registers.h"
#include "base/assertion.h"
#include "arm/syndrome.h"
#include "arm/walk_form.h"

#define BIT(n) (UINT64_C(1) << (n))

#define DESC_NS	 BIT(5)
#define DESC_NSE BIT(11) /* of EL3 with FEAT_RME */
#define TABLE_NS BIT(63)

#define DESC_USER     BIT(6) /* AP[1] */
#define DESC_READONLY BIT(7) /* AP[2] */
#define DESC_NG	      BIT(11)
#define DESC_GP	      BIT(50)
#define DESC_PXN      BIT(53)
#define DESC_UXN      BIT(54)

/* Table descriptors: limits on all that is below. */
#define TABLE_PXN      BIT(59)
#define TABLE_UXN      BIT(60)
#define TABLE_NO_USER  BIT(61) /* APTable[0] */
#define TABLE_READONLY BIT(62) /* APTable[1] */

/* TCR_ELx.TnSZ; the most with FEAT_TTST (one less with 64K), and the least for 52 bits. */
#define TXSZ_MIN      16
#define TXSZ_MAX      39
#define TXSZ_MAX_TTST 48
#define TXSZ_MIN_WIDE 12

/* One range of the address space, as TCR_ELx describes it. */
struct half {
	uint64_t base;
	unsigned int txsz, granule;  /* granule: log2 of its bytes */
	bool disabled, tagged, flat; /* EPDn, TBIn, HPDn */
	const struct arm_form *form;
};

/* A walk under way. */
struct walk {
	const struct arm_regime *regime;
	bool two; /* ranges */
	unsigned int output_bits;
	bool ha, hd;	 /* TCR_ELx.{HA,HD} */
	int level;	 /* -1 to 3 */
	uint64_t limits; /* TABLE_*, of all tables above */
	bool ns;	 /* a table above, or the first, is Non-secure: NSTable */
	uint64_t at;	 /* address of the descriptor, as stage 1 has it */
	uint64_t at_pa;	 /* ... after stage 2 */
	uint64_t descriptor;
	unsigned int shift; /* log2 of the bytes a descriptor of this level maps */
};

/* n: less than 64. */
static inline uint64_t low_bits(unsigned int n)
{
	return BIT(n) - 1;
}

static bool is_upper(uint64_t va)
{
	return va & BIT(55);
}

/* EL1&0 and EL2&0: an upper range of addresses, unprivileged accesses, ASIDs, TCR_EL1's layout. */
static bool two_ranges(enum arm_regime_kind kind)
{
	return kind == ARM_REGIME_EL10 || kind == ARM_REGIME_EL20;
}

bool arm_tagged(enum arm_regime_kind kind, uint64_t tcr, uint64_t va, bool code)
{
	if (!two_ranges(kind))
		return tcr & TCR_EL2_TBI && !(code && tcr & TCR_EL2_TBID);
	if (is_upper(va))
		return tcr & TCR_EL1_TBI1 && !(code && tcr & TCR_EL1_TBID1);
	return tcr & TCR_EL1_TBI0 && !(code && tcr & TCR_EL1_TBID0);
}

static inline bool is_tagged(const struct arm_regime *regime, uint64_t va, enum arm_access access)
{
	return arm_tagged(regime->kind, regime->tcr, va, access == ARM_EXECUTE);
}

/* A reserved granule means 4K: IMPLEMENTATION DEFINED among the implemented ones. */
static inline struct half select_half(const struct arm_regime *regime, uint64_t va,
				      enum arm_access access)
{
	static const uint8_t tg0[4] = {12, 16, 14, 12};
	static const uint8_t tg1[4] = {12, 14, 12, 16};
	bool two = two_ranges(regime->kind);
	uint64_t tcr = regime->tcr;

	if (two && is_upper(va))
		return (struct half){
			.base = regime->ttbr1,
			.txsz = arm_field(tcr, TCR_EL1_T1SZ),
			.granule = tg1[arm_field(tcr, TCR_EL1_TG1)],
			.disabled = tcr & TCR_EL1_EPD1,
			.tagged = is_tagged(regime, va, access),
			.flat = tcr & TCR_EL1_HPD1,
		};
	return (struct half){
		.base = regime->ttbr0,
		.txsz = arm_field(tcr, TCR_EL1_T0SZ),
		.granule = tg0[arm_field(tcr, TCR_EL1_TG0)],
		.disabled = two && (tcr & TCR_EL1_EPD0),
		.tagged = is_tagged(regime, va, access),
		.flat = tcr & (two ? TCR_EL1_HPD0 : TCR_EL2_HPD),
	};
}

static inline bool size_is_valid(const struct arm_regime *regime, const struct half *half)
{
	const bool big = half->granule == 16;
	const bool wide = big ? regime->features.lva : half->form->wide;
	const unsigned int most = regime->features.ttst ? TXSZ_MAX_TTST - (big ? 1 : 0) : TXSZ_MAX;

	return half->txsz >= (wide ? TXSZ_MIN_WIDE : TXSZ_MIN) && half->txsz <= most;
}

/* TCR_ELx.E0PDn: EL0 has no access to this half. */
static inline bool hidden_from_el0(const struct arm_regime *regime, uint64_t va)
{
	return regime->features.e0pd && two_ranges(regime->kind) &&
	       (regime->tcr & (is_upper(va) ? TCR_EL1_E0PD1 : TCR_EL1_E0PD0));
}

/* SH[1:0] of a leaf. */
static inline uint8_t shareability_of(const struct walk *walk, const struct arm_form *form,
				      uint64_t va)
{
	if (!form->shareability)
		return (uint8_t)arm_field(walk->descriptor, DESCRIPTOR_SH);
	return (uint8_t)arm_field(walk->regime->tcr,
				  walk->two && is_upper(va) ? TCR_EL1_SH1 : TCR_EL1_SH0);
}

/* Set up a walk from TCR_ELx, without the fields of one half. */
static inline void begin_walk(struct walk *walk, const struct arm_regime *regime)
{
	const uint64_t tcr = regime->tcr;

	walk->regime = regime;
	walk->two = two_ranges(regime->kind);
	walk->output_bits = arm_output_bits(arm_field(tcr, walk->two ? TCR_EL1_IPS : TCR_EL2_PS),
					    regime->pa_bits);
	walk->ha = regime->features.access_flag && (tcr & (walk->two ? TCR_EL1_HA : TCR_EL2_HA));
	walk->hd = regime->features.dirty && (tcr & (walk->two ? TCR_EL1_HD : TCR_EL2_HD));
	walk->limits = 0;
	walk->ns = false;
}

uint16_t arm_asid(uint64_t tcr, uint64_t ttbr0, uint64_t ttbr1)
{
	const uint64_t ttbr = tcr & TCR_EL1_A1 ? ttbr1 : ttbr0;

	return (uint16_t)(arm_field(ttbr, TTBR_ELx_ASID) & (tcr & TCR_EL1_AS ? 0xffff : 0xff));
}

static bool fail_walk(struct arm_translation *t, unsigned int fsc, int level)
{
	t->fault = true;
	t->fsc = arm_status_code(fsc, level);
	t->on_walk = fsc == ARM_FSC_EXTERNAL_WALK;
	return false;
}

/* Device memory takes no unaligned access; a fetch is always aligned. */
static bool misaligned(const struct arm_regime *regime, enum arm_access access,
		       const struct arm_translation *t)
{
	return t->device && regime->unaligned && access != ARM_EXECUTE;
}

static bool fail_alignment(struct arm_translation *t)
{
	t->fault = true;
	t->fsc = ARM_FSC_ALIGNMENT;
	return false;
}

static void set_attributes(struct arm_translation *t, uint8_t attr, uint8_t sh)
{
	t->attr = attr;
	t->device = !(attr & 0xf0);
	t->sh = t->device || attr == 0x44 ? 2 : sh; /* Device, Non-cacheable: Outer Shareable */
}

/*
 * SCTLR_ELx.M is 0: flat, Device-nGnRnE for data (Arm ARM D8.2.10), with HCR_EL2.DC Normal
 * Write-Back memory.
 */
static bool translate_off(const struct arm_regime *regime, uint64_t va, enum arm_access access,
			  struct arm_translation *t)
{
	uint64_t address = is_tagged(regime, va, access) ? va & low_bits(56) : va;
	bool user = two_ranges(regime->kind);

	t->page_mask = 0xfff;
	t->global = true;
	t->readable_el0 = t->writable_el0 = t->executable_el0 = user;
	t->readable_el1 = t->writable_el1 = t->executable_el1 = true;
	t->ns = regime->security == ARM_NON_SECURE || regime->security == ARM_REALM;
	t->nse = regime->security == ARM_REALM || regime->security == ARM_ROOT;
	if (regime->default_cacheable)
		set_attributes(t, 0xff, 0);
	else if (access == ARM_EXECUTE)
		set_attributes(t, 0x44, 2);
	else
		set_attributes(t, 0x00, 2);
	if (address >> regime->pa_bits)
		return fail_walk(t, ARM_FSC_ADDRESS_SIZE, 0);
	if (misaligned(regime, access, t))
		return fail_alignment(t);
	t->pa = address;
	return true;
}

/* Is an IPA of Secure state in its Non-secure space? */
static bool secure_ns(const struct arm_regime *regime, bool ns)
{
	return regime->security == ARM_SECURE && ns;
}

/* The stage 2 for an address that stage 1 uses or outputs, or NULL. */
static const struct arm_stage2 *stage2_of(const struct arm_regime *regime, bool ns)
{
	const struct arm_stage2 *stage2 = &regime->stage2[secure_ns(regime, ns)];

	return regime->nested && stage2->on ? stage2 : NULL;
}

static bool fail_stage2(struct arm_translation *t, uint8_t fsc, uint64_t ipa, bool ipa_ns)
{
	t->fault = true;
	t->fsc = fsc;
	t->on_walk = arm_fsc_on_walk(fsc);
	t->stage2 = true;
	t->ipa = ipa;
	t->ipa_ns = ipa_ns;
	return false;
}

/* Translate the address of a stage 1 descriptor by stage 2. */
static bool locate_descriptor(struct walk *walk, enum arm_access access, struct arm_translation *t)
{
	const struct arm_stage2 *stage2 = stage2_of(walk->regime, walk->ns);
	struct arm_stage2_output out;

	if (!stage2)
		return true;
	if (!arm_translate_stage2(walk->regime, stage2, walk->at, access, true, &out)) {
		t->s1ptw = true;
		t->update = access == ARM_WRITE;
		return fail_stage2(t, out.fsc, walk->at, secure_ns(walk->regime, walk->ns));
	}
	walk->at_pa = out.pa;
	return true;
}

/* Read descriptors, level by level, until one maps va. */
static bool find_leaf(struct walk *walk, const struct half *half, uint64_t va,
		      struct arm_translation *t)
{
	unsigned int stride = half->granule - 3;
	unsigned int input = 64 - half->txsz;
	unsigned int below = (input - half->granule - 1) / stride; /* levels after the first */
	uint64_t table;

	walk->level = 3 - (int)below;
	walk->shift = half->granule + stride * below;
	vspe_assert_of(walk->level >= -1 && walk->level <= 3 && walk->shift < input, half->granule,
		       half->txsz);
	table = arm_form_base(half->form, half->base, walk->output_bits, input - walk->shift + 3);
	if (table >> walk->output_bits)
		return fail_walk(t, ARM_FSC_ADDRESS_SIZE, 0);
	va &= low_bits(input);
	for (;;) {
		uint64_t descriptor;

		walk->at = table + (va >> walk->shift) * 8;
		walk->at_pa = walk->at;
		if (walk->regime->nested && !locate_descriptor(walk, ARM_READ, t))
			return false;
		if (!walk->regime->read(walk->regime->ctx, walk->at_pa, &descriptor))
			return fail_walk(t, ARM_FSC_EXTERNAL_WALK, walk->level);
		walk->descriptor = descriptor;
		if (!(descriptor & DESCRIPTOR_VALID))
			return fail_walk(t, ARM_FSC_TRANSLATION, walk->level);
		if (walk->level == 3 || !(descriptor & DESCRIPTOR_TABLE))
			break;
		table = arm_form_output(half->form, descriptor) & ~low_bits(half->granule);
		if (table >> walk->output_bits)
			return fail_walk(t, ARM_FSC_ADDRESS_SIZE, walk->level);
		if (!half->flat || !walk->regime->features.hpds)
			walk->limits |= descriptor;
		walk->ns = walk->ns || (descriptor & TABLE_NS);
		va &= low_bits(walk->shift);
		walk->shift -= stride;
		walk->level++;
	}
	if (walk->level == 3 ? !(walk->descriptor & DESCRIPTOR_TABLE)
			     : walk->level < arm_form_blocks(half->form, half->granule))
		return fail_walk(t, ARM_FSC_TRANSLATION, walk->level);
	return true;
}

/* The output address space: NS and, of EL3 with FEAT_RME, NSE. */
static void set_space(const struct walk *walk, struct arm_translation *t)
{
	uint64_t d = walk->descriptor;

	switch (walk->regime->security) {
	case ARM_NON_SECURE: t->ns = true; break;
	case ARM_SECURE: t->ns = walk->ns || (d & DESC_NS); break;
	case ARM_REALM:
		t->ns = walk->regime->kind == ARM_REGIME_EL10 || (d & DESC_NS);
		t->nse = walk->regime->kind == ARM_REGIME_EL10 || !(d & DESC_NS);
		break;
	case ARM_ROOT:
		t->ns = d & DESC_NS;
		t->nse = d & DESC_NSE;
		break;
	}
}

/* EL2 and EL3: no access is unprivileged, AP[1] is RES1. */
static void set_permissions_one(const struct walk *walk, struct arm_translation *t, bool write)
{
	uint64_t d = walk->descriptor, limits = walk->limits;
	bool wxn = walk->regime->sctlr & SCTLR_ELx_WXN;

	t->readable_el1 = true;
	t->writable_el1 = write;
	t->executable_el1 = !(d & DESC_UXN) && !(limits & TABLE_UXN) && !(wxn && write);
}

/*
 * With HCR_EL2.{NV,NV1} of {1,1} EL1's descriptors have EL2's form: AP[1] counts as 0, and PXN is
 * at the place of UXN.
 */
static void set_permissions_two(const struct walk *walk, struct arm_translation *t, bool write)
{
	const struct arm_regime *regime = walk->regime;
	uint64_t d = walk->descriptor, limits = walk->limits;
	bool wxn = regime->sctlr & SCTLR_ELx_WXN;
	bool user = (d & DESC_USER) && !(limits & TABLE_NO_USER) && !regime->nv1;
	bool uxn = (d & DESC_UXN) || (limits & TABLE_UXN);
	bool pxn = (d & DESC_PXN) || (limits & TABLE_PXN);

	if (regime->nv1) {
		pxn = uxn;
		uxn = false;
	}
	t->readable_el0 = user;
	t->writable_el0 = user && write;
	t->executable_el0 = !uxn && !(wxn && t->writable_el0);
	/* What EL0 may write is never executable at EL1; PAN concerns only data accesses. */
	t->executable_el1 = !pxn && !t->writable_el0 && !(wxn && write);
	t->readable_el1 = !(user && regime->pan);
	t->writable_el1 = write && t->readable_el1;
}

/*
 * Permissions (Arm ARM D8.4). clean: writable, but hardware has to mark the page dirty first. Such
 * a page counts as writable for WXN.
 */
static void set_permissions(const struct walk *walk, struct arm_translation *t, bool *clean)
{
	uint64_t d = walk->descriptor;
	bool write = !(walk->limits & TABLE_READONLY);

	*clean = write && (d & DESC_READONLY) && (d & DESCRIPTOR_DBM) && walk->ha && walk->hd;
	write = write && (!(d & DESC_READONLY) || *clean);
	if (walk->two)
		set_permissions_two(walk, t, write);
	else
		set_permissions_one(walk, t, write);
	if (walk->regime->security == ARM_SECURE && walk->regime->sif && t->ns)
		t->executable_el0 = t->executable_el1 = false;
}

static bool allows_access(const struct arm_translation *t, enum arm_access access, unsigned int el)
{
	switch (access) {
	case ARM_READ: return el == 0 ? t->readable_el0 : t->readable_el1;
	case ARM_WRITE: return el == 0 ? t->writable_el0 : t->writable_el1;
	case ARM_UPDATE: return allows_access(t, ARM_READ, el) && allows_access(t, ARM_WRITE, el);
	default: return el == 0 ? t->executable_el0 : t->executable_el1;
	}
}

/* Access flag, alignment, permissions, and what hardware writes back for them (Arm ARM D8.5). */
static bool check_leaf(struct walk *walk, enum arm_access access, unsigned int el,
		       struct arm_translation *t)
{
	uint64_t updated = walk->descriptor | DESCRIPTOR_AF;
	bool clean;

	if (!(walk->descriptor & DESCRIPTOR_AF) && !walk->ha)
		return fail_walk(t, ARM_FSC_ACCESS_FLAG, walk->level);
	if (misaligned(walk->regime, access, t))
		return fail_alignment(t);
	set_permissions(walk, t, &clean);
	if (!allows_access(t, access, el)) {
		t->writing = access == ARM_UPDATE && allows_access(t, ARM_READ, el);
		return fail_walk(t, ARM_FSC_PERMISSION, walk->level);
	}
	if (clean && (access == ARM_WRITE || access == ARM_UPDATE)) {
		updated &= ~DESC_READONLY;
	} else if (clean) {
		t->writable_el0 = false;
		t->writable_el1 = false;
	}
	if (updated == walk->descriptor || walk->regime->keep)
		return true;
	if (walk->regime->nested && !locate_descriptor(walk, ARM_WRITE, t))
		return false;
	walk->regime->write(walk->regime->ctx, walk->at_pa, updated);
	return true;
}

static bool translate_stage1(const struct arm_regime *regime, uint64_t va, enum arm_access access,
			     unsigned int el, struct arm_translation *t)
{
	struct walk walk;
	struct half half;
	unsigned int index;
	uint64_t base, unused, sign;

	begin_walk(&walk, regime);
	t->asid = walk.two ? arm_asid(regime->tcr, regime->ttbr0, regime->ttbr1) : 0;
	if (regime->off || !(regime->sctlr & SCTLR_ELx_M))
		return translate_off(regime, va, access, t);

	half = select_half(regime, va, access);
	half.form = arm_form_of(regime, half.granule,
				regime->tcr & (two_ranges(regime->kind) ? TCR_EL1_DS : TCR_EL2_DS));
	if (half.disabled || !size_is_valid(regime, &half) ||
	    (el == 0 && hidden_from_el0(regime, va)))
		return fail_walk(t, ARM_FSC_TRANSLATION, 0);
	/* The bits between the tag and the input address all equal bit 55; with one range, 0. */
	unused = (half.tagged ? low_bits(56) : ~UINT64_C(0)) & ~low_bits(64 - half.txsz);
	sign = is_upper(va) && walk.two ? unused : 0;
	if ((va & unused) != sign)
		return fail_walk(t, ARM_FSC_TRANSLATION, 0);
	if (!find_leaf(&walk, &half, va, t))
		return false;

	base = arm_form_output(half.form, walk.descriptor) & ~low_bits(walk.shift);
	if (base >> walk.output_bits)
		return fail_walk(t, ARM_FSC_ADDRESS_SIZE, walk.level);
	t->page_mask = low_bits(walk.shift);
	t->global = !(walk.descriptor & DESC_NG) || !walk.two;
	t->guarded = regime->features.bti && walk.descriptor & DESC_GP;
	set_space(&walk, t);
	index = walk.descriptor >> 2 & 7;
	set_attributes(t, (uint8_t)(regime->mair >> (index * 8)),
		       shareability_of(&walk, half.form, va));
	if (!check_leaf(&walk, access, el, t))
		return false;
	t->pa = base | (va & t->page_mask);
	return true;
}

/* t->pa, which stage 1 has made, is an IPA: put it through stage 2. */
static bool apply_stage2(const struct arm_regime *regime, const struct arm_stage2 *stage2,
			 enum arm_access access, struct arm_translation *t)
{
	uint64_t ipa = t->pa;
	struct arm_stage2_output out;

	if (!arm_translate_stage2(regime, stage2, ipa, access, false, &out)) {
		t->writing = out.writing;
		return fail_stage2(t, out.fsc, ipa, secure_ns(regime, t->ns));
	}
	t->readable_el0 = t->readable_el0 && out.readable;
	t->readable_el1 = t->readable_el1 && out.readable;
	t->writable_el0 = t->writable_el0 && out.writable;
	t->writable_el1 = t->writable_el1 && out.writable;
	t->executable_el0 = t->executable_el0 && out.executable;
	t->executable_el1 = t->executable_el1 && out.executable;
	t->attr = arm_combine_attributes(t->attr, out.memory);
	t->sh = arm_combine_shareability(t->attr, t->sh, out.sh);
	t->device = !(t->attr & 0xf0);
	t->pa = out.pa;
	return true;
}

bool arm_translate(const struct arm_regime *regime, uint64_t va, enum arm_access access,
		   unsigned int el, struct arm_translation *t)
{
	const struct arm_stage2 *stage2;

	memset(t, 0, sizeof(*t));
	if (translate_stage1(regime, va, access, el, t)) {
		stage2 = stage2_of(regime, t->ns);
		if (!stage2 || regime->stage1_only || apply_stage2(regime, stage2, access, t))
			return true;
	}
	t->writing = t->writing || access == ARM_WRITE;
	return false;
}

bool arm_translate_ipa(const struct arm_regime *regime, uint64_t ipa, bool ns,
		       enum arm_access access, struct arm_translation *t)
{
	const struct arm_stage2 *stage2 = stage2_of(regime, ns);

	memset(t, 0, sizeof(*t));
	t->pa = ipa;
	t->ns = ns;
	t->page_mask = 0xfff;
	t->readable_el1 = t->writable_el1 = t->executable_el1 = true;
	set_attributes(t, 0xff, 0);
	if (ipa >> regime->pa_bits)
		return fail_walk(t, ARM_FSC_ADDRESS_SIZE, 0);
	return !stage2 || apply_stage2(regime, stage2, access, t);
}
