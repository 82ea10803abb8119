/* SPDX-License-Identifier: BSD-2-Clause */
/* Pointer authentication: see pauth.h. */
#include "soft/sys/pauth.h"

#include "arm/registers.h"
#include "soft/sys/isa.h"
#include "soft/sys/qarma.h"

#define BIT(n) (UINT64_C(1) << (n))

/* Which bits of a pointer are address, code and tag. Bit 55 chooses the range. */
struct layout {
	unsigned int bottom; /* lowest bit of the code */
	bool tagged;	     /* the top byte is a tag and no code */
};

static bool is_data(enum soft_key_name name)
{
	return name & 2;
}

static enum arm_regime_kind regime_here(const struct soft_sys *sys)
{
	return arm_regime_at(&sys->controls, sys->pstate.el);
}

static bool has_two_ranges(const struct soft_sys *sys)
{
	const enum arm_regime_kind kind = regime_here(sys);

	return kind == ARM_REGIME_EL10 || kind == ARM_REGIME_EL20;
}

static uint64_t tcr_here(const struct soft_sys *sys)
{
	return sys->tcr[arm_regime_owner(regime_here(sys))];
}

/* Sizes out of range count as the nearest one: the architecture leaves the choice. */
static unsigned int bottom_bit(const struct soft_sys *sys, bool upper)
{
	const uint64_t tcr = tcr_here(sys);
	const uint64_t ds = has_two_ranges(sys) ? TCR_EL1_DS : TCR_EL2_DS;
	unsigned int size = arm_field(tcr, TCR_EL1_T0SZ), most = 39, least;
	bool big = arm_field(tcr, TCR_EL1_TG0) == 1;

	if (upper && has_two_ranges(sys)) {
		size = arm_field(tcr, TCR_EL1_T1SZ);
		big = arm_field(tcr, TCR_EL1_TG1) == 3;
	}
	if (sys->isa & SOFT_ISA(TTST))
		most = big ? 47 : 48;
	least = (big ? sys->isa & SOFT_ISA(LVA) : sys->isa & SOFT_ISA(LPA2) && tcr & ds) ? 12 : 16;
	size = size < least ? least : size;
	return 64 - (size > most ? most : size);
}

static struct layout layout_of(const struct soft_sys *sys, uint64_t pointer, bool data)
{
	const bool upper = pointer & BIT(55);

	return (struct layout){
		.bottom = bottom_bit(sys, upper),
		.tagged = arm_tagged(regime_here(sys), tcr_here(sys), pointer, !data),
	};
}

/* The bits of the code. */
static uint64_t code_bits(struct layout layout)
{
	const uint64_t all = ~(BIT(layout.bottom) - 1) & ~BIT(55);

	return layout.tagged ? all & (BIT(56) - 1) : all;
}

/* pointer with bit 55 and its code all equal to upper. */
static uint64_t extend(uint64_t pointer, struct layout layout, bool upper)
{
	const uint64_t bits = code_bits(layout) | BIT(55);

	return upper ? pointer | bits : pointer & ~bits;
}

/*
 * The range of a pointer without a code: if one of the two has tags, bit 55 chooses, as it does
 * once there is a code.
 */
static bool is_upper(const struct soft_sys *sys, uint64_t pointer, bool data)
{
	const enum arm_regime_kind kind = regime_here(sys);
	const uint64_t tcr = tcr_here(sys);
	bool tagged = arm_tagged(kind, tcr, pointer & ~BIT(55), !data);

	if (has_two_ranges(sys))
		tagged = tagged || arm_tagged(kind, tcr, pointer | BIT(55), !data);
	return pointer & (tagged ? BIT(55) : BIT(63));
}

bool soft_key_enabled(const struct soft_sys *sys, enum soft_key_name name)
{
	static const uint64_t bits[] = {SCTLR_ELx_EnIA, SCTLR_ELx_EnIB, SCTLR_ELx_EnDA,
					SCTLR_ELx_EnDB};
	const unsigned int owner = arm_regime_owner(regime_here(sys));

	return name == SOFT_KEY_GA || sys->sctlr[owner] & bits[name];
}

unsigned int soft_key_trap(const struct soft_sys *sys)
{
	const struct sysreg_controls *c = &sys->controls;
	const unsigned int el = sys->pstate.el;

	if (el <= 1 && sysreg_el2_enabled(c) && !(el == 0 && sysreg_el0_host(c)) &&
	    !(c->hcr_el2 & HCR_EL2_API))
		return 2;
	if (el <= 2 && sys->levels.el3 && !(c->scr_el3 & SCR_EL3_API))
		return 3;
	return 0;
}

uint64_t soft_sign(const struct soft_sys *sys, uint64_t pointer, uint64_t modifier,
		   enum soft_key_name name)
{
	const bool upper = is_upper(sys, pointer, is_data(name));
	/*
	 * The pointer's bit 55 decides whether the top byte is a tag, its range where the address
	 * ends.
	 */
	const struct layout layout = {
		.bottom = bottom_bit(sys, upper),
		.tagged = layout_of(sys, pointer, is_data(name)).tagged,
	};
	const uint64_t bits = code_bits(layout), all = bits | BIT(55);
	uint64_t code = soft_qarma5(extend(pointer, layout, upper), modifier, sys->keys[name]);

	if (sys->isa & SOFT_ISA(PAuth2))
		code ^= pointer;
	else if ((pointer & all) != 0 && (pointer & all) != all) /* no address: never authentic */
		code ^= layout.tagged ? BIT(54) : BIT(62);
	return (extend(pointer, layout, upper) & ~bits) | (code & bits);
}

bool soft_authenticate(const struct soft_sys *sys, uint64_t *pointer, uint64_t modifier,
		       enum soft_key_name name, bool combined)
{
	const struct layout layout = layout_of(sys, *pointer, is_data(name));
	const uint64_t bits = code_bits(layout);
	const uint64_t plain = extend(*pointer, layout, *pointer & BIT(55));
	const uint64_t code = soft_qarma5(plain, modifier, sys->keys[name]);
	const uint64_t needed = combined ? SOFT_ISA(FPACCOMBINE) : SOFT_ISA(FPAC);

	if (sys->isa & SOFT_ISA(PAuth2)) {
		*pointer ^= code & bits;
		return !(sys->isa & needed) || *pointer == plain;
	}
	if (((*pointer ^ code) & bits) == 0) {
		*pointer = plain;
	} else { /* an error code in two bits: 01 of the A keys, 10 of the B keys */
		const unsigned int at = layout.tagged ? 53 : 61;

		*pointer = (plain & ~(UINT64_C(3) << at)) | UINT64_C(1) << (at + (name & 1));
	}
	return true;
}

uint64_t soft_strip(const struct soft_sys *sys, uint64_t pointer, bool data)
{
	return extend(pointer, layout_of(sys, pointer, data), pointer & BIT(55));
}

uint64_t soft_sign_generic(const struct soft_sys *sys, uint64_t value, uint64_t modifier)
{
	return soft_qarma5(value, modifier, sys->keys[SOFT_KEY_GA]) & ~UINT64_C(0xffffffff);
}
