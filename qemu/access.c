/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accesses to the registers of SPE: the callback before an MRS or MSR answers it and continues
 * after it, so that QEMU never raises the exception for a register that it does not have. A trap to
 * EL2 or EL3 takes its exception if QEMU lets a plugin raise one; otherwise it is left to QEMU,
 * which makes it UNDEFINED (docs/decisions/qemu.md, QEMU-4 and QEMU-8).
 */
#include "qemu/access.h"

#include "arm/levels.h"
#include "arm/registers.h"
#include "arm/syndrome.h"
#include "qemu/buffer.h"
#include "qemu/count.h"
#include "qemu/exception.h"
#include "qemu/level.h"
#include "qemu/line.h"
#include "qemu/watch.h"

#include <vspe/a64.h>

#define PSB_CSYNC UINT32_C(0xd503223f)
#define ERET_MASK UINT32_C(0xfffff3ff) /* ERET, ERETAA, ERETAB */
#define ERET	  UINT32_C(0xd69f03e0)
#define CALL_MASK UINT32_C(0xffe0001f)
#define HVC	  UINT32_C(0xd4000002)
#define SMC	  UINT32_C(0xd4000003)
#define SYS_MASK  UINT32_C(0xfff80000)
#define SYS	  UINT32_C(0xd5080000)

/* PSCI (Arm DEN 0022) */
#define CPU_OFF UINT32_C(0x84000002)

static bool is_tlbi(uint32_t word)
{
	const unsigned int crn = word >> 12 & 15;

	return (word & SYS_MASK) == SYS && (crn == 8 || crn == 9);
}

/* Is it a register that level.c keeps, by any of its names? */
static bool is_kept(const struct sysreg_access *access, uint32_t word)
{
	static const uint32_t kept[] = {
		ARM_HCR_EL2,	    ARM_MDCR_EL2,	 ARM_MDCR_EL3,	     ARM_SCR_EL3,
		ARM_SCTLR_EL1,	    ARM_SCTLR_EL12,	 ARM_SCTLR_EL2,	     ARM_TCR_EL1,
		ARM_TCR_EL12,	    ARM_TCR_EL2,	 ARM_TTBR0_EL1,	     ARM_TTBR0_EL12,
		ARM_TTBR0_EL2,	    ARM_TTBR1_EL1,	 ARM_TTBR1_EL12,     ARM_TTBR1_EL2,
		ARM_CONTEXTIDR_EL1, ARM_CONTEXTIDR_EL12, ARM_CONTEXTIDR_EL2, ARM_CNTVOFF_EL2,
		ARM_CNTFRQ_EL0,	    ARM_VTTBR_EL2,	 ARM_VTCR_EL2,
	};
	const uint32_t encoding = sysreg_encoding_of_word(word);

	for (size_t i = 0; access->write && i < sizeof(kept) / sizeof(kept[0]); i++)
		if (kept[i] == encoding)
			return true;
	return false;
}

static struct outcome behind(const struct vcpu *v, const struct place *place)
{
	return (struct outcome){place_pc(v, place) + 4, v->controls.el};
}

/* The instruction has been executed here: skip it. Does not return. */
static void skip(struct vcpu *v, const struct place *place)
{
	const uint64_t pc = place_pc(v, place) + 4;

	count_leave(v);
	qemu_plugin_set_pc(pc);
}

/* Make the access to memory that FEAT_NV2 turns a register access into. false: it has faulted. */
static bool access_memory(struct vcpu *v, const struct place *place, bool write, uint16_t offset,
			  uint64_t *value)
{
	const uint64_t va = arm_vncr_address(register_get(&v->registers, QEMU_VNCR_EL2), offset);
	uint8_t fsc;

	if (buffer_access_el2(v, va, write, value, &fsc))
		return true;
	exception_abort(v, place, va, write, fsc);
	return false;
}

static void on_access(unsigned int index, void *data)
{
	const struct place *place = data;
	struct vcpu *v = &plugin.vcpus[index];
	const struct outcome end = behind(v, place);
	struct sysreg_access access;
	struct sysreg_route route;
	uint64_t value;

	(void)a64_system_access(place->word, &access);
	level_update(v);
	route = sysreg_route(&v->controls, access);
	if (route.kind == SYSREG_UNDEFINED)
		return;
	if (route.kind == SYSREG_TRAP) {
		exception_trap(v, place, route.target_el, ARM_EC_SYSREG, route.syndrome);
		return;
	}
	value = access.write && access.rt != 31 ? register_x(&v->registers, access.rt) : 0;
	if (route.kind == SYSREG_NVMEM &&
	    !access_memory(v, place, access.write, route.nvmem_offset, &value))
		return;
	count_settle(v, count_rest(v, place), &end);
	if (route.kind == SYSREG_DIRECT)
		(void)spe_access(&v->unit, &v->controls, access, &value);
	if (!access.write && access.rt != 31)
		register_set_x(&v->registers, access.rt, value);
	if (access.write)
		watch_unit(v);
	(void)line_update(v);
	skip(v, place);
}

/* Is EL1's access left to a hypervisor, or is EL0's UNDEFINED? */
static bool hides_features(struct vcpu *v)
{
	level_update(v);
	return v->controls.el == 0 ||
	       (v->controls.el == 1 && sysreg_hcr(&v->controls) & HCR_EL2_TID3);
}

/* QEMU's value, with SPE's version. If QEMU traps the access, it does so itself. */
static void on_feature_register(unsigned int index, void *data)
{
	const struct place *place = data;
	struct vcpu *v = &plugin.vcpus[index];
	const struct outcome end = behind(v, place);
	const unsigned int rt = place->word & 31;
	const uint64_t value = register_get(&v->registers, QEMU_ID_AA64DFR0_EL1);

	if (hides_features(v))
		return;
	count_settle(v, count_rest(v, place), &end);
	if (rt != 31)
		register_set_x(&v->registers, rt,
			       (value & ~(uint64_t)ID_AA64DFR0_EL1_PMSVer) |
				       spe_config_id_aa64dfr0(&plugin.config));
	skip(v, place);
}

/* HFGITR_EL2.PSBCSYNC, which QEMU does not know. */
static void trap_barrier(struct vcpu *v, const struct place *place)
{
	struct spe_syndrome syndrome;

	level_update(v);
	if (spe_psb_csync_trapped(&v->unit, register_get(&v->registers, QEMU_HFGITR_EL2),
				  &syndrome))
		exception_trap(v, place, 2, syndrome.ec, syndrome.iss);
}

/* Write all records that were selected before. */
static void on_barrier(unsigned int index, void *data)
{
	const struct place *place = data;
	struct vcpu *v = &plugin.vcpus[index];
	struct outcome end = behind(v, place);

	if (plugin.config.version >= SPE_V1P5)
		trap_barrier(v, place);
	if (!plugin.counting)
		return;
	end.pc -= 4;
	count_settle(v, count_rest(v, place) + 1, &end);
	spe_synchronize(&v->unit);
}

/*
 * Does QEMU answer it as PSCI? If the machine has EL2, HVC belongs to the guest. EL0's calls are
 * never answered.
 */
static bool reaches_psci(struct vcpu *v, uint32_t word)
{
	const bool el2 = v->controls.features & SYSREG_FEAT_EL2;

	level_update(v);
	if (v->controls.el == 0 || (el2 && (word & CALL_MASK) == HVC))
		return false;
	return v->controls.el > 1 || !(sysreg_hcr(&v->controls) & HCR_EL2_TSC);
}

/* The PE is off from here on, and is reset when it is turned on. */
static void on_call(unsigned int index, void *data)
{
	const struct place *place = data;
	struct vcpu *v = &plugin.vcpus[index];
	const struct outcome end = behind(v, place);

	if ((uint32_t)register_x(&v->registers, 0) != CPU_OFF || !reaches_psci(v, place->word))
		return;
	count_settle(v, count_rest(v, place), &end);
	count_leave(v);
	spe_reset(&v->unit);
	v->stale = true;
	watch_unit(v);
	(void)line_update(v);
}

static void on_change(unsigned int index, void *data)
{
	struct vcpu *v = &plugin.vcpus[index];

	(void)data;
	v->stale = true;
	v->switches++;
	level_forget(v);
	count_soon(v);
}

static void on_return(unsigned int index, void *data)
{
	struct vcpu *v = &plugin.vcpus[index];

	(void)data;
	v->stale = true;
	v->switches++;
	count_soon(v);
}

static void on_tlbi(unsigned int index, void *data)
{
	(void)index;
	(void)data;
	__atomic_add_fetch(&plugin.invalidations, 1, __ATOMIC_RELEASE);
}

enum kind { OTHER, ACCESS, FEATURES, BARRIER, CALL, CHANGE, RETURN, INVALIDATION };

static enum kind kind_of(uint32_t word)
{
	struct sysreg_access access;

	if (word == PSB_CSYNC)
		return BARRIER;
	if ((word & ERET_MASK) == ERET)
		return RETURN;
	if ((word & CALL_MASK) == HVC || (word & CALL_MASK) == SMC)
		return CALL;
	if (is_tlbi(word))
		return INVALIDATION;
	if (!a64_system_access(word, &access))
		return OTHER;
	if (access.reg != SYSREG_COUNT)
		return ACCESS;
	if (is_kept(&access, word))
		return CHANGE;
	return !access.write && sysreg_encoding_of_word(word) == ARM_ID_AA64DFR0_EL1 ? FEATURES
										     : OTHER;
}

/* While nothing is counted there is nothing to write, and changes do not matter. */
static const struct {
	qemu_plugin_vcpu_udata_cb_t call;
	enum qemu_plugin_cb_flags flags;
	bool always;
} kinds[] = {
	[ACCESS] = {on_access, QEMU_PLUGIN_CB_RW_REGS_PC, true},
	[FEATURES] = {on_feature_register, QEMU_PLUGIN_CB_RW_REGS_PC, true},
	[CALL] = {on_call, QEMU_PLUGIN_CB_R_REGS, true},
	[BARRIER] = {on_barrier, QEMU_PLUGIN_CB_RW_REGS_PC, false},
	[CHANGE] = {on_change, QEMU_PLUGIN_CB_NO_REGS, false},
	[RETURN] = {on_return, QEMU_PLUGIN_CB_NO_REGS, false},
	[INVALIDATION] = {on_tlbi, QEMU_PLUGIN_CB_NO_REGS, false},
};

/* While nothing is counted, a barrier may be trapped. */
static bool is_watched(enum kind kind)
{
	return kinds[kind].always || (kind == BARRIER && plugin.config.version >= SPE_V1P5);
}

bool access_is_watched(uint32_t word)
{
	return is_watched(kind_of(word));
}

void access_watch(struct qemu_plugin_insn *insn, struct place *place)
{
	const enum kind kind = kind_of(place->word);

	if (kinds[kind].call && (plugin.counting || is_watched(kind)))
		qemu_plugin_register_vcpu_insn_exec_cb(insn, kinds[kind].call, kinds[kind].flags,
						       place);
}

void access_reset(void *ctx)
{
	(void)ctx;
	for (unsigned int i = 0; i < plugin.count; i++) {
		struct vcpu *v = &plugin.vcpus[i];

		count_leave(v);
		spe_reset(&v->unit);
		level_forget(v);
		v->stale = true;
		__atomic_store_n(&v->profiles, false, __ATOMIC_RELEASE);
		(void)line_update(v);
	}
}
