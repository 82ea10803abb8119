/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a unit says it is: PMSIDR_EL1, PMBIDR_EL1, and its fields of ID_AA64DFR0_EL1,
 * ID_AA64DFR1_EL1 and ID_AA64DFR2_EL1 (Arm ARM D24).
 */
#include "internal.h"

#define PMSIDR_FE	       BIT(0)
#define PMSIDR_FT	       BIT(1)
#define PMSIDR_FL	       BIT(2)
#define PMSIDR_ARCHINST	       BIT(3)
#define PMSIDR_LDS	       BIT(4)
#define PMSIDR_ERND	       BIT(5)
#define PMSIDR_FNE	       BIT(6)
#define PMSIDR_FDS	       BIT(7)
#define PMSIDR_INTERVAL_SHIFT  8
#define PMSIDR_MAXSIZE_SHIFT   12
#define PMSIDR_COUNTSIZE_SHIFT 16
#define PMSIDR_PBT	       BIT(24)
#define PMSIDR_CRR	       BIT(25)
#define PMSIDR_EFT	       BIT(26)
#define PMSIDR_FPF	       BIT(27)
#define PMSIDR_ALTCLK_SHIFT    28
#define PMSIDR_SME	       BIT(32)

#define PMBIDR_P		 BIT(4)
#define PMBIDR_F		 BIT(5)
#define PMBIDR_ADDRMODE_BOTH	 BIT(6) /* 0b01 */
#define PMBIDR_EA_SHIFT		 8
#define PMBIDR_MAXBUFFSIZE_SHIFT 32

#define ID_AA64DFR0_PMSVER_SHIFT  32
#define ID_AA64DFR1_DPFZS_SHIFT	  52
#define ID_AA64DFR2_SPE_EXC_SHIFT 16
#define ID_AA64DFR2_SPE_NVM_SHIFT 20

uint64_t spe_read_pmsidr(const struct spe_config *config)
{
	const struct {
		bool have;
		uint64_t bit;
	} features[] = {
		{config->arch_inst, PMSIDR_ARCHINST},
		{config->lds, PMSIDR_LDS},
		{config->ernd, PMSIDR_ERND},
		{config->fne, PMSIDR_FNE},
		{config->fds, PMSIDR_FDS},
		{config->pbt, PMSIDR_PBT},
		{config->crr, PMSIDR_CRR},
		{config->eft, PMSIDR_EFT},
		{config->fpf, PMSIDR_FPF},
		{config->sme, PMSIDR_SME},
	};
	uint64_t value = PMSIDR_FE | PMSIDR_FT | PMSIDR_FL;

	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
		if (features[i].have)
			value |= features[i].bit;
	return value | (uint64_t)config->interval << PMSIDR_INTERVAL_SHIFT |
	       (uint64_t)config->max_size << PMSIDR_MAXSIZE_SHIFT |
	       (config->count_size == 16 ? UINT64_C(3) : UINT64_C(2)) << PMSIDR_COUNTSIZE_SHIFT |
	       (uint64_t)config->altclk << PMSIDR_ALTCLK_SHIFT;
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
		value |= UINT64_C(1) << PMBIDR_EA_SHIFT;
	else if (config->external_abort == SPE_ABORT_SERROR)
		value |= UINT64_C(2) << PMBIDR_EA_SHIFT;
	if (config->flag_update)
		value |= PMBIDR_F;
	if (!unit->programmable)
		value |= PMBIDR_P;
	else if (config->nvm && unit->untranslated_allowed)
		value |= PMBIDR_ADDRMODE_BOTH;
	return value | (uint64_t)spe_max_buffer_field(config->max_buffer)
			       << PMBIDR_MAXBUFFSIZE_SHIFT;
}

uint64_t spe_config_id_aa64dfr0(const struct spe_config *config)
{
	return (uint64_t)config->version << ID_AA64DFR0_PMSVER_SHIFT;
}

uint64_t spe_config_id_aa64dfr1(const struct spe_config *config)
{
	return (uint64_t)config->dpfzs << ID_AA64DFR1_DPFZS_SHIFT;
}

uint64_t spe_config_id_aa64dfr2(const struct spe_config *config)
{
	return (uint64_t)config->exc << ID_AA64DFR2_SPE_EXC_SHIFT |
	       (uint64_t)config->nvm << ID_AA64DFR2_SPE_NVM_SHIFT;
}
