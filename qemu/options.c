/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See options.h. QEMU gives each word as name=value, a switch as name=on or name=off. Words that
 * are not the plugin's own are those of --spe.
 */
#include "qemu/options.h"

#include "base/number.h"
#include "base/printable.h"
#include "machine/spe_option.h"
#include "qemu/plugin.h"

#include <stdio.h>
#include <string.h>

/* Missing features belong to QEMU, or to its interface for plugins. */
static const char *lacks(const struct spe_config *config, const char **field)
{
	const struct {
		bool wanted;
		const char *field, *why;
	} rows[] = {
		{config->altclk, "altclk", "QEMU has no second clock"},
		{config->dpfzs, "dpfzs", "SPE does not freeze QEMU's PMU"},
		{config->sme, "sme", "instructions of SME are recorded as others"},
		{config->sve, "sve", "SVE is there if QEMU's CPU has it"},
		{config->tme, "tme", "QEMU has no FEAT_TME"},
		{config->mte, "mte", "a plugin cannot see tags"},
		{config->gcs, "gcs", "instructions of GCS are recorded as others"},
		{config->ecv, "ecv", "FEAT_ECV is there if QEMU's CPU has it"},
		{config->pbt, "pbt", "the plugin does not follow branches"},
		{config->exc, "exc", "a plugin cannot raise the Profiling exception"},
		{config->nvm, "nvm", "the plugin writes to virtual addresses only"},
		{!config->arch_inst, "arch_inst", "the plugin counts instructions"},
		{config->external_abort == SPE_ABORT_SERROR, "external_abort",
		 "a plugin cannot raise an SError"},
		{!config->flag_update, "flag_update", "the plugin's walks update descriptors"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].wanted) {
			*field = rows[i].field;
			return rows[i].why;
		}
	}
	return NULL;
}

static const struct engine qemu = {.name = "qemu", .spe_lacks = lacks};

/* START-END of the guest's RAM, in guest physical addresses; the end is excluded. */
static int read_ram(const char *value, char *why, size_t size)
{
	const char *dash = strchr(value, '-');
	char start[48];

	if (dash && (size_t)(dash - value) < sizeof(start)) {
		snprintf(start, sizeof(start), "%.*s", (int)(dash - value), value);
		if (number_read_bytes(start, UINT64_MAX, &plugin.ram_start) &&
		    number_read_bytes(dash + 1, UINT64_MAX, &plugin.ram_end) &&
		    plugin.ram_start < plugin.ram_end)
			return 0;
	}
	snprintf(why, size, "'ram=%s': two guest physical addresses are needed: START-END",
		 printable(start, sizeof(start), value));
	return -1;
}

/* Append a switch as in --spe: QEMU makes name=on of name, and -name=off of no-name. */
static void add_word(char *text, size_t size, const char *name, size_t length, const char *value)
{
	const bool no = strcmp(value, "off") == 0;
	const size_t used = strlen(text);

	if (no && *name == '-') {
		name++;
		length--;
	}
	if (no || strcmp(value, "on") == 0)
		snprintf(text + used, size - used, ",%s%.*s", no ? "no-" : "", (int)length, name);
	else
		snprintf(text + used, size - used, ",%.*s=%s", (int)length, name, value);
}

static int read_switch(const char *name, const char *value, bool *to, char *why, size_t size)
{
	char text[48];

	*to = strcmp(value, "on") == 0;
	if (*to || strcmp(value, "off") == 0)
		return 0;
	snprintf(why, size, "'%s=%s': on or off", name, printable(text, sizeof(text), value));
	return -1;
}

/*
 * The core whose records they are. Instructions are counted in any case, as the plugin sees nothing
 * else.
 */
static int read_core(const char *value, struct spe_core *core, char *why, size_t size)
{
	const struct spe_core *found = spe_core_find(value);
	char text[48];

	if (!found) {
		snprintf(why, size, "'core=%s': no such core; vspe run --cpu help lists them",
			 printable(text, sizeof(text), value));
		return -1;
	}
	*core = *found;
	core->arch_inst = true;
	plugin.midr = found->midr;
	plugin.core = found;
	return 0;
}

static int read_model(const char *value, char *why, size_t size)
{
	char text[48];

	plugin.modelled = strcmp(value, "warm") == 0;
	if (plugin.modelled || strcmp(value, "off") == 0)
		return 0;
	snprintf(why, size, "'model=%s': off or warm", printable(text, sizeof(text), value));
	return -1;
}

static bool is_word(const char *word, size_t length, const char *name)
{
	return strlen(name) == length && strncmp(word, name, length) == 0;
}

int options_read(int count, char **words, char *why, size_t size)
{
	const char *version = NULL;
	struct spe_core core = *spe_core(0);
	int length;
	char spe[1024], rest[1024] = "";

	for (int i = 0; i < count; i++) {
		const size_t name = strcspn(words[i], "=");
		const char *value = words[i][name] ? words[i] + name + 1 : "on";

		if (is_word(words[i], name, "spe"))
			version = value;
		else if (is_word(words[i], name, "core")) {
			if (read_core(value, &core, why, size))
				return -1;
		} else if (is_word(words[i], name, "perf-data"))
			plugin.perf_data = value;
		else if (is_word(words[i], name, "stats")) {
			if (read_switch("stats", value, &plugin.stats, why, size))
				return -1;
		} else if (is_word(words[i], name, "model")) {
			if (read_model(value, why, size))
				return -1;
		} else if (is_word(words[i], name, "ram")) {
			if (read_ram(value, why, size))
				return -1;
		} else {
			add_word(rest, sizeof(rest), words[i], name, value);
		}
	}
	length = snprintf(spe, sizeof(spe), "%s%s", version ? version : "",
			  version ? rest : rest + !!*rest);
	if (strlen(rest) + 1 == sizeof(rest) || length >= (int)sizeof(spe)) {
		snprintf(why, size, "too many words");
		return -1;
	}
	if (spe_option_parse(*spe ? spe : NULL, &core, &qemu, &plugin.config, why, size))
		return -1;
	if (!plugin.modelled)
		spe_option_unmodelled(spe, &plugin.config);
	return 0;
}
