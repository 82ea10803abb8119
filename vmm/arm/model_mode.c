/* SPDX-License-Identifier: BSD-2-Clause */
/* The value of --model: MODE[,FILE]. */
#include "arm/model_mode.h"

#include <stdio.h>
#include <string.h>

static const char *const modes[] = {
	[MODEL_OFF] = "off",
	[MODEL_WARM] = "warm",
	[MODEL_FULL] = "full",
};

#define MODES (sizeof(modes) / sizeof(modes[0]))

const char *model_mode_word(uint32_t mode)
{
	return modes[mode];
}

/* MODE, up to a comma or the end. *end points after it. */
static int take_mode(struct model_wish *wish, const char *value, const char **end, char *what,
		     size_t size)
{
	const size_t length = strcspn(value, ",");
	uint32_t mode = 0;

	while (mode < MODES &&
	       (strlen(modes[mode]) != length || memcmp(modes[mode], value, length) != 0))
		mode++;
	*end = value + length;
	wish->mode = mode;
	if (mode < MODES)
		return 0;
	(void)snprintf(what, size, "%s",
		       strncmp(value, "sampled", strlen("sampled")) == 0
			       ? "sampled has become warm, whose caches see all accesses"
			       : "the mode is none of off, warm and full");
	return -1;
}

int model_wish_read(const char *value, struct model_wish *wish, char *what, size_t size)
{
	const char *end;

	*wish = (struct model_wish){.value = value};
	if (take_mode(wish, value, &end, what, size) < 0)
		return -1;
	if (*end == '\0')
		return 0;
	if (wish->mode == MODEL_OFF) {
		(void)snprintf(what, size, "off has no file");
		return -1;
	}
	return model_file_read(end + 1, &wish->file, what, size);
}

int model_wish_core(const struct model_wish *wish, const char *core, struct model_config *model,
		    char *why, size_t size)
{
	char what[192];

	if (wish->mode == MODEL_OFF)
		return 0;
	*model = model_config_of(core);
	if (model_file_apply(&wish->file, model, what, sizeof(what)) == 0)
		return 0;
	(void)snprintf(why, size, "--model %s: %s", wish->value, what);
	return -1;
}
