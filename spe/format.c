/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the configuration says of records: how large one can be, and how they look (Arm ARM D18.2).
 */
#include "internal.h"

size_t spe_record_max(const struct spe_config *config)
{
	const size_t context = 5, type = 2, timestamp = 9;
	const size_t header = config->extended_headers ? 2 : 1;
	const size_t counter = header + 2, address = header + 8;
	const size_t source = config->lds ? 1u + config->source_size : 0;
	const size_t extra = config->extra_packets * (size_t)10;
	const size_t alternate = config->altclk ? counter : 0;
	const size_t data = counter + 2 * address + source;
	if (config->layout != SPE_LAYOUT_GENERIC)
		return spe_layout_max(config);
	size_t common = 2 * context + type + 1u + config->events_size + timestamp + alternate +
			extra + 2 * counter + address;
	size_t load = common + data + (config->pbt && config->pbt_all ? address : 0);
	size_t branch = common + address + (config->pbt ? address : 0) +
			(config->gcs && config->version >= SPE_V1P4 ? data : 0);

	return load > branch ? load : branch;
}

void spe_format_init(struct spe_format *format, const struct spe_config *config)
{
	const bool v1p1 = config->version >= SPE_V1P1, v1p3 = config->version >= SPE_V1P3;
	const bool gcs = config->gcs && config->version >= SPE_V1P4;

	*format = (struct spe_format){
		.align_mask = (uint16_t)((1u << config->align) - 1),
		.count_max = (uint16_t)((1u << config->count_size) - 1),
		.events_size = config->events_size,
		.source_size = config->lds ? config->source_size : 0,
		.other_mask = config->fpf ? 0x07 : 0x01,
		.branch_mask = (uint8_t)(0x03 | (gcs ? 0x04 : 0) | (config->crr ? 0x18 : 0)),
		.unspecified = v1p1,
		.sve = v1p1 && (config->sve || config->sme),
		.sme = config->sme,
		.sve_data = v1p1 && config->sve,
		.predicated_loads = config->version >= SPE_V1P2,
		.tags = v1p3 && config->mte,
		.moved = v1p3,
		.gcs = gcs,
		.mte = config->mte,
		.alternate = config->altclk != 0,
		.previous = config->pbt,
		.previous_all = config->pbt_all,
		.previous_taken = config->pbt_taken,
		.extended = config->extended_headers,
		.extra_packets = config->extra_packets,
		.layout = (uint8_t)config->layout,
	};
	format->unusual = format->gcs || format->mte || format->alternate || format->previous ||
			  format->extended || format->extra_packets != 0 ||
			  format->layout != SPE_LAYOUT_GENERIC;
}
