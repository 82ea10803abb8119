/* SPDX-License-Identifier: BSD-2-Clause */
/* The value of --model: MODE[,FILE]. */
#include "arm/model_mode.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *const modes[] = {
	[MODEL_OFF] = "off",
	[MODEL_SAMPLED] = "sampled",
	[MODEL_FULL] = "full",
};

#define MODES (sizeof(modes) / sizeof(modes[0]))

void model_mode_word(uint32_t mode, uint32_t window, char *text, size_t size)
{
	if (mode == MODEL_SAMPLED)
		(void)snprintf(text, size, "%s=%" PRIu32, modes[mode], window);
	else
		(void)snprintf(text, size, "%s", modes[mode]);
}

/* The number of operations after "sampled=", up to a comma. */
static bool take_window(struct model_wish *wish, const char *text, const char **end)
{
	const size_t digits = strspn(text, "0123456789");
	uint32_t window = 0;

	if (digits == 0 || digits > 7)
		return false;
	for (size_t i = 0; i < digits; i++)
		window = window * 10 + (uint32_t)(text[i] - '0');
	wish->window = window;
	*end = text + digits;
	return window >= 1 && window <= MODEL_WINDOW_MAX;
}

/* MODE, up to a comma or the end. *end points after it. */
static int take_mode(struct model_wish *wish, const char *value, const char **end, char *what,
		     size_t size)
{
	const size_t length = strcspn(value, ",=");
	uint32_t mode = 0;

	while (mode < MODES &&
	       (strlen(modes[mode]) != length || memcmp(modes[mode], value, length) != 0))
		mode++;
	*end = value + length;
	if (mode == MODES) {
		(void)snprintf(what, size, "the mode is none of off, sampled[=N] and full");
		return -1;
	}
	wish->mode = mode;
	wish->window = mode == MODEL_SAMPLED ? MODEL_WINDOW : 0;
	if (**end == '=' && mode != MODEL_SAMPLED) {
		(void)snprintf(what, size, "%s has no number", modes[mode]);
		return -1;
	}
	if (**end == '=' &&
	    (!take_window(wish, *end + 1, end) || (**end != ',' && **end != '\0'))) {
		(void)snprintf(what, size, "sampled=N has 1 to %d operations", MODEL_WINDOW_MAX);
		return -1;
	}
	return 0;
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
