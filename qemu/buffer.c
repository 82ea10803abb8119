/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records are written through the guest's tables, which are walked here: QEMU says whether an
 * address is mapped, but neither why it is not nor with what permission (Arm ARM D17.7, D8).
 */
#include "qemu/buffer.h"

#include "arm/levels.h"
#include "arm/syndrome.h"
#include "arm/walk.h"
#include "qemu/level.h"
#include "qemu/records.h"

#include <string.h>

#define PAGE 4096u /* nothing translates smaller pieces */

bool buffer_is_ram(uint64_t pa)
{
	return pa >= plugin.ram_start && pa < plugin.ram_end;
}

static bool read_memory(uint64_t pa, void *to, size_t size)
{
	GByteArray *bytes = registers_scratch();

	if (!buffer_is_ram(pa) ||
	    qemu_plugin_read_memory_hwaddr(pa, bytes, size) != QEMU_PLUGIN_HWADDR_OPERATION_OK)
		return false;
	memcpy(to, bytes->data, size);
	return true;
}

/* QEMU would write to a device, too. */
static bool write_memory(uint64_t pa, const void *from, size_t size)
{
	GByteArray *bytes = registers_scratch();

	g_byte_array_append(bytes, from, (guint)size);
	return buffer_is_ram(pa) &&
	       qemu_plugin_write_memory_hwaddr(pa, bytes) == QEMU_PLUGIN_HWADDR_OPERATION_OK;
}

static uint64_t in_order(const struct arm_regime *regime, uint64_t descriptor)
{
	return regime->sctlr & SCTLR_ELx_EE ? __builtin_bswap64(descriptor) : descriptor;
}

static bool read_doubleword(void *ctx, uint64_t pa, uint64_t *value)
{
	if (!read_memory(pa, value, sizeof(*value)))
		return false;
	*value = in_order(ctx, *value);
	return true;
}

/* QEMU offers plugins no compare-and-swap: another vCPU's change at the same moment is lost. */
static void write_descriptor(void *ctx, uint64_t pa, uint64_t descriptor)
{
	descriptor = in_order(ctx, descriptor);
	(void)write_memory(pa, &descriptor, sizeof(descriptor));
}

/* Complete a regime whose SCTLR_ELx and TTBRx_ELx are set. */
static void complete(const struct vcpu *v, struct arm_regime *regime)
{
	const struct registers *r = &v->registers;
	const bool el1 = regime->kind == ARM_REGIME_EL10;
	const uint64_t mmfr0 = register_get(r, QEMU_ID_AA64MMFR0_EL1);

	regime->tcr = register_get(r, el1 ? QEMU_TCR_EL1 : QEMU_TCR_EL2);
	regime->mair = register_get(r, el1 ? QEMU_MAIR_EL1 : QEMU_MAIR_EL2);
	regime->pa_bits = arm_pa_bits(mmfr0);
	regime->features = arm_walk_features(mmfr0, register_get(r, QEMU_ID_AA64MMFR1_EL1),
					     register_get(r, QEMU_ID_AA64MMFR2_EL1));
	regime->security = arm_security_of(&v->controls, regime->kind);
	regime->read = read_doubleword;
	regime->write = write_descriptor;
	regime->ctx = regime;
	if (el1 && sysreg_hcr(&v->controls))
		arm_regime_under_el2(regime, sysreg_hcr(&v->controls),
				     register_get(r, QEMU_VTCR_EL2),
				     register_get(r, QEMU_VTTBR_EL2));
}

/* Translate the buffer's page at va, into v->buffer. false: t says why not. */
static bool find_page(struct vcpu *v, unsigned int owning_el, uint64_t va,
		      struct arm_translation *t)
{
	const struct known *known = level_known(v);
	struct translation *page = &v->buffer;
	struct arm_regime regime = {
		.kind = arm_regime_at(&v->controls, owning_el),
		.sctlr = known->sctlr,
		.ttbr0 = known->ttbr0,
		.ttbr1 = known->ttbr1,
	};

	if (page->any && page->va == va && page->epoch == known->epoch)
		return true;
	complete(v, &regime);
	*page = (struct translation){
		.any = arm_translate(&regime, va, ARM_WRITE, owning_el, t),
		.epoch = known->epoch,
		.va = va,
		.pa = t->pa,
	};
	return page->any;
}

static struct spe_write_result write_part(struct vcpu *v, unsigned int owning_el, uint64_t va,
					  const uint8_t *bytes, size_t size)
{
	struct arm_translation t = {0};

	if (!find_page(v, owning_el, va - va % PAGE, &t))
		return (struct spe_write_result){
			.status = SPE_WRITE_FAULT,
			.fsc = t.fsc,
			.stage2 = t.stage2,
		};
	if (!write_memory(v->buffer.pa + va % PAGE, bytes, size))
		return (struct spe_write_result){
			.status = SPE_WRITE_EXTERNAL_ABORT,
			.fsc = ARM_FSC_EXTERNAL,
		};
	return (struct spe_write_result){.status = SPE_WRITE_OK, .written = size};
}

struct spe_write_result buffer_write(void *ctx, uint8_t owning_el, uint64_t va,
				     const uint8_t *bytes, size_t size)
{
	struct spe_write_result result = {.status = SPE_WRITE_OK};
	struct vcpu *v = ctx;

	while (result.written < size && result.status == SPE_WRITE_OK) {
		const uint64_t at = va + result.written;
		const size_t here = PAGE - at % PAGE;
		const size_t n = size - result.written < here ? size - result.written : here;
		struct spe_write_result part =
			write_part(v, owning_el, at, bytes + result.written, n);

		part.written += result.written;
		result = part;
	}
	if (result.written)
		records_add(v->index, bytes, result.written);
	return result;
}

bool buffer_access_el2(struct vcpu *v, uint64_t va, bool write, uint64_t *value, uint8_t *fsc)
{
	const struct registers *r = &v->registers;
	struct arm_translation t;
	struct arm_regime regime = {
		.kind = arm_regime_at(&v->controls, 2),
		.sctlr = register_get(r, QEMU_SCTLR_EL2),
		.ttbr0 = register_get(r, QEMU_TTBR0_EL2),
		.ttbr1 = register_get(r, QEMU_TTBR1_EL2),
	};

	complete(v, &regime);
	if (!arm_translate(&regime, va, write ? ARM_WRITE : ARM_READ, 2, &t)) {
		*fsc = t.fsc;
		return false;
	}
	*fsc = ARM_FSC_EXTERNAL;
	if (write) {
		const uint64_t bytes = in_order(&regime, *value);

		return write_memory(t.pa, &bytes, sizeof(bytes));
	}
	return read_doubleword(&regime, t.pa, value);
}
