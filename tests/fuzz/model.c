/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Target: the file of a machine model, of any bytes. What is refused has one line that begins with
 * the number of a line; what is taken is a machine that can be made.
 */
#include "../array.h"
#include "input.h"

#include <string.h>
#include <vspe/spe_core.h>

#include "arm/model_file.h"
#include "arm/model_words.h"
#include "model/machine.h"

#define CORES 3
#define MOST  (UINT64_C(1) << 20) /* of the bytes of a model that is made here */

static void check_refused(const char *text, size_t size, const char *why)
{
	unsigned long line, lines = 1;
	char *end;

	require(strncmp(why, "line ", 5) == 0 && !strchr(why, '\n'));
	line = strtoul(why + 5, &end, 10);
	for (size_t i = 0; i < size; i++)
		lines += text[i] == '\n';
	require(line >= 1 && line <= lines && strncmp(end, ": ", 2) == 0 && end[2]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct spe_core *known = spe_core((unsigned int)(size % 8));
	const char *core = known ? known->name : "generic";
	struct model_config config = model_config_of(core), before = config;
	const struct model_ram ram = {0};
	struct model_file file;
	char why[256] = "";
	size_t key, room;
	void *memory;

	if (model_file_parse((const char *)bytes, size, &file, why, sizeof(why)) < 0 ||
	    model_file_apply(&file, &config, why, sizeof(why)) < 0) {
		check_refused((const char *)bytes, size, why);
		require(memcmp(&config, &before, sizeof(config)) == 0);
		return 0;
	}
	require(!why[0] && model_words_check(&config, &key, why, sizeof(why)) == 0);
	room = model_size(&config, CORES, &ram);
	memory = room <= MOST ? calloc(1, room) : NULL;
	if (memory) {
		struct model *model = model_init(memory, &config, CORES, &ram);
		const struct model_cache *last = &model->llcs[model->llc_count - 1];

		/* The last of it is the last of the memory. */
		require((uint8_t *)(last->lines + (size_t)last->sets * last->ways) ==
			(uint8_t *)memory + room);
	}
	free(memory);
	return 0;
}
