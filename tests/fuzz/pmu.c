/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer target: a counter unit, its accesses and its images (<vspe/pmu.h>). The first bytes
 * choose the PE, then each step has ten: what is done, an operand, and a value. No access and no
 * image does harm: what is refused has changed nothing; what is accepted is saved as the same
 * bytes; the budget is 1 or more, and reached without an overflow before.
 */
#include <stdlib.h>
#include <string.h>
#include <vspe/pmu.h>

#include "../../sysreg/image.h"

#define STEP	10
#define HEADER	16
#define TRAILER 8

static struct pmu_unit unit, before;
static struct spe_unit spe;
static struct sysreg_controls controls;

static void require(bool condition)
{
	if (!condition)
		abort();
}

static struct spe_write_result write_record(void *ctx, uint8_t el, uint64_t va,
					    const uint8_t *bytes, size_t size)
{
	(void)ctx;
	(void)el;
	(void)bytes;
	if (va & 0x1000)
		return (struct spe_write_result){.status = SPE_WRITE_FAULT, .fsc = 7};
	return (struct spe_write_result){.status = SPE_WRITE_OK, .written = size};
}

/* The PE, by the first three bytes. False: there is none like that. */
static bool set_up(const uint8_t bytes[3])
{
	static const enum pmu_version versions[] = {PMU_V3P1, PMU_V3P4, PMU_V3P5, PMU_V3P7,
						    PMU_V3P8, PMU_V3P9, PMU_V3,	  PMU_NONE};
	const struct spe_host host = {.write = write_record};
	const bool with_spe = bytes[1] & 0x20;
	struct spe_config spe_config;
	struct pmu_config config = {
		.version = versions[bytes[0] & 7],
		.el2 = bytes[1] & 1,
		.el3 = bytes[1] & 2,
		.sel2 = bytes[1] & 4,
		.rme = bytes[1] & 8,
		.cycles = bytes[1] & 16,
		.events = UINT64_C(0x6ff) << (bytes[2] & 63) & ~UINT64_C(0x400000040020101),
		.more = {bytes[0] & 0x80 ? PMU_STALL_BACKEND_ST : 0},
	};
	int error = pmu_config_check(&config, NULL);

	memset(&controls, 0, sizeof(controls));
	controls.el = 1;
	controls.features =
		SYSREG_FEAT_FGT | SYSREG_FEAT_FGT2 | SYSREG_FEAT_VHE |
		(config.el2 ? SYSREG_FEAT_EL2 : 0) | (config.el3 ? SYSREG_FEAT_EL3 : 0) |
		(config.sel2 ? SYSREG_FEAT_SEL2 : 0) | (config.rme ? SYSREG_FEAT_RME : 0);
	if (with_spe) {
		spe_config_defaults(&spe_config, SPE_V1P2);
		require(spe_init(&spe, sizeof(spe), &spe_config, &host) == 0);
		controls.features |= spe_config_features(&spe_config);
		spe_update(&spe, &controls);
	}
	require(pmu_init(&unit, sizeof(unit), &config, with_spe ? &spe : NULL) == error);
	if (error == 0)
		pmu_update(&unit, &controls);
	return error == 0;
}

static void set_controls(uint8_t which, uint64_t value)
{
	uint64_t *const registers[] = {
		&controls.hcr_el2,	&controls.mdcr_el2,	&controls.mdcr_el3,
		&controls.scr_el3,	&controls.hdfgrtr_el2,	&controls.hdfgwtr_el2,
		&controls.hdfgrtr2_el2, &controls.hdfgwtr2_el2,
	};

	if (which & 8)
		controls.el = value & 3;
	else
		*registers[which & 7] = value;
	if (controls.features & SYSREG_FEAT_SPE)
		spe_update(&spe, &controls);
	pmu_update(&unit, &controls);
}

/* The unit's own image with a value changed, sealed or not. */
static void change_image(uint8_t operand, uint64_t value)
{
	uint8_t image[PMU_IMAGE_MAX], again[PMU_IMAGE_MAX];
	const size_t size = pmu_save(&unit, image, sizeof(image));
	const size_t values = (size - HEADER - TRAILER) / 8;
	const char *field;

	require(size <= sizeof(image));
	image_put(image + HEADER + operand % values * 8, value, 8);
	if (operand < 0xf0)
		image_put(image + size - TRAILER, image_checksum(image, size - TRAILER), TRAILER);
	before = unit;
	if (pmu_restore(&unit, image, size, &field) != 0) {
		require(memcmp(&before, &unit, sizeof(unit)) == 0);
		return;
	}
	require(!field && pmu_save(&unit, again, sizeof(again)) == size);
	require(memcmp(image, again, size) == 0);
	pmu_update(&unit, &controls);
}

/* A level may rise by what is counted only when the budget is used up. */
static void advance(uint8_t operand, uint64_t value)
{
	const uint64_t budget = pmu_budget(&unit), most = budget - 1;
	struct pmu_step step = {.begun = value < most ? value : most};
	const bool level = pmu_irq_level(&unit);

	require(budget != 0);
	step.retired = step.begun;
	if (operand & 1) {
		step = (struct pmu_step){.begun = value >> 8, .retired = value >> 9};
		step.cycles = value >> 4;
		step.events = value;
	}
	pmu_advance(&unit, &step);
	require(operand & 1 || pmu_irq_level(&unit) == level);
}

static void take_step(const uint8_t bytes[STEP])
{
	const uint8_t operand = bytes[1];
	uint64_t value = image_get(bytes + 2, 8);
	const uint32_t encoding = 0xc000 | (uint32_t)(bytes[0] >> 4) << 11 | (value >> 48 & 0x3fff);

	switch (bytes[0] & 7) {
	case 0: pmu_access(&unit, &controls, encoding, operand & 1, operand, &value); break;
	case 1: /* registers that there are */
		pmu_access(
			&unit, &controls,
			sysreg_encode(3, 3, operand & 16 ? 14 : 9, operand >> 5 | 8, operand & 7),
			operand & 8, 0, &value);
		break;
	case 2: advance(operand, value); break;
	case 3: pmu_event(&unit, (uint16_t)(value >> 48), operand); break;
	case 4: set_controls(operand, value); break;
	case 5: change_image(operand, value); break;
	case 6:
		if (!(controls.features & SYSREG_FEAT_SPE))
			break;
		if (operand & 1)
			spe_write(&spe, (enum sysreg_id)(operand % SYSREG_COUNT), value);
		else if (spe_advance(&spe, value) == SPE_SELECTED)
			spe_sample(&spe, &(const struct spe_op){.el = controls.el});
		break;
	default: pmu_reset(&unit); pmu_update(&unit, &controls);
	}
	require(pmu_budget(&unit) != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size < 3 || size > 4096 || !set_up(bytes))
		return 0;
	for (size_t at = 3; at + STEP <= size; at += STEP)
		take_step(bytes + at);
	/* Bytes that are no image do no harm. */
	(void)pmu_restore(&unit, bytes, size, NULL);
	return 0;
}
