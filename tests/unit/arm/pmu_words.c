/* SPDX-License-Identifier: BSD-2-Clause */
/* What the VMM knows of a PMU by name: the words of --pmu, and the machine model's events. */
#include "../../array.h"
#include "../compare.h"

#include "model/event.h"
#include "arm/pmu_words.h"

Test(pmu_words, of_versions)
{
	static const enum pmu_version versions[] = {PMU_V3P1, PMU_V3P4, PMU_V3P5,
						    PMU_V3P7, PMU_V3P8, PMU_V3P9};

	for (unsigned int v = 0; v < ARRAY_SIZE(versions); v++)
		cr_expect_eq(arm_pmu_version(arm_pmu_word(versions[v])), versions[v]);
	cr_expect_eq(arm_pmu_version("v3p10"), PMU_NONE);
	cr_expect_eq(arm_pmu_version(""), PMU_NONE);
	cr_expect_eq(arm_pmu_version("kvm"), ARM_PMU_HOST);
	cr_expect_str_eq(arm_pmu_word(ARM_PMU_HOST), "kvm");
	cr_expect_str_eq(arm_pmu_word(PMU_NONE), "off");
}

Test(pmu_words, of_the_model)
{
	cr_expect_eq(model_event_find(0x0004), MODEL_L1D_CACHE);
	cr_expect_str_eq(model_event_name(MODEL_L1D_CACHE), "L1D_CACHE");
	cr_expect_eq(model_event_find(0x3ff), MODEL_EVENTS);
}
