/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The unit's ID registers: PMSIDR_EL1, PMBIDR_EL1, and its fields of ID_AA64DFR0_EL1,
 * ID_AA64DFR1_EL1 and ID_AA64DFR2_EL1 (Arm ARM D24).
 */
#include "internal.h"

#define PMBIDR_ADDRMODE_BOTH (UINT64_C(1) << SYSREG_PMBIDR_EL1_AddrMode_LSB)

uint64_t spe_read_pmsidr(const struct spe_config *config)
{
	const struct {
		bool have;
		uint64_t bit;
	} features[] = {
		{config->arch_inst, SYSREG_PMSIDR_EL1_ArchInst_MASK},
		{config->lds, SYSREG_PMSIDR_EL1_LDS_MASK},
		{config->ernd, SYSREG_PMSIDR_EL1_ERnd_MASK},
		{config->fne, SYSREG_PMSIDR_EL1_FnE_MASK},
		{config->fds, SYSREG_PMSIDR_EL1_FDS_MASK},
		{config->pbt, SYSREG_PMSIDR_EL1_PBT_MASK},
		{config->crr, SYSREG_PMSIDR_EL1_CRR_MASK},
		{config->eft, SYSREG_PMSIDR_EL1_EFT_MASK},
		{config->fpf, SYSREG_PMSIDR_EL1_FPF_MASK},
		{config->sme, SYSREG_PMSIDR_EL1_SME_MASK},
	};
	uint64_t value =
		SYSREG_PMSIDR_EL1_FE_MASK | SYSREG_PMSIDR_EL1_FT_MASK | SYSREG_PMSIDR_EL1_FL_MASK;

	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
		if (features[i].have)
			value |= features[i].bit;
	return value | (uint64_t)config->interval << SYSREG_PMSIDR_EL1_Interval_LSB |
	       (uint64_t)config->max_size << SYSREG_PMSIDR_EL1_MaxSize_LSB |
	       (config->count_size == 16 ? UINT64_C(3) : UINT64_C(2))
		       << SYSREG_PMSIDR_EL1_CountSize_LSB |
	       (uint64_t)config->altclk << SYSREG_PMSIDR_EL1_ALTCLK_LSB;
}

/*
 * M in bits [8:0] and E in [13:9]: M x 4096 bytes for an E of zero, (512 + M) x 2^(E + 11)
 * otherwise.
 */
uint16_t spe_max_buffer_field(uint64_t bytes)
{
	uint64_t pages = bytes >> 12;
	unsigned int exponent = 1;

	if (bytes & FIELD(11, 0))
		return 0;
	if (pages < 512)
		return (uint16_t)pages;
	while (pages >= 1024) {
		if ((pages & 1) || exponent == 31)
			return 0;
		pages >>= 1;
		exponent++;
	}
	return (uint16_t)(exponent << 9 | (pages - 512));
}

uint64_t spe_read_pmbidr(const struct unit *unit)
{
	const struct spe_config *config = &unit->config;
	uint64_t value = config->align;

	if (config->external_abort == SPE_ABORT_IGNORE)
		value |= UINT64_C(1) << SYSREG_PMBIDR_EL1_EA_LSB;
	else if (config->external_abort == SPE_ABORT_SERROR)
		value |= UINT64_C(2) << SYSREG_PMBIDR_EL1_EA_LSB;
	if (config->flag_update)
		value |= SYSREG_PMBIDR_EL1_F_MASK;
	if (!unit->programmable)
		value |= SYSREG_PMBIDR_EL1_P_MASK;
	else if (config->nvm && unit->untranslated_allowed)
		value |= PMBIDR_ADDRMODE_BOTH;
	return value | (uint64_t)spe_max_buffer_field(config->max_buffer)
			       << SYSREG_PMBIDR_EL1_MaxBuffSize_LSB;
}

uint64_t spe_config_id_aa64dfr0(const struct spe_config *config)
{
	return (uint64_t)config->version << SYSREG_ID_AA64DFR0_EL1_PMSVer_LSB;
}

uint64_t spe_config_id_aa64dfr1(const struct spe_config *config)
{
	return (uint64_t)config->dpfzs << SYSREG_ID_AA64DFR1_EL1_DPFZS_LSB;
}

uint64_t spe_config_id_aa64dfr2(const struct spe_config *config)
{
	return (uint64_t)config->exc << SYSREG_ID_AA64DFR2_EL1_SPE_EXC_LSB |
	       (uint64_t)config->nvm << SYSREG_ID_AA64DFR2_EL1_SPE_nVM_LSB;
}
