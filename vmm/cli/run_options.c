/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe run: the command line. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arm/pmu_words.h"
#include "base/number.h"
#include "cli/engines.h"
#include "cli/run_qemu.h"
#include "cli/run_request.h"
#include "machine/choice_rows.h"
#include "machine/numa_option.h"
#include "machine/spe_option.h"

/* Of --perf-data-limit: docs/decisions/machine.md says why. */
#define PERF_DATA_LEAST (UINT64_C(1) << 16)
#define PERF_DATA_MOST	(UINT64_C(1) << 30)

static struct run_options *options_of(const struct cli_parser *parser)
{
	struct run_request *request = parser->request;

	return &request->options;
}

static int take_kernel(struct cli_parser *parser, const struct cli_option *option,
		       const char *value)
{
	struct run_options *options = options_of(parser);

	if (!*value)
		return cli_refuse(parser, option, value, "an empty name; --help tells how");
	if (options->choices.kernel)
		return cli_refuse_line(parser,
				       "%s: a second guest; the first is %s, and a "
				       "run has one",
				       value, options->choices.kernel);
	options->choices.kernel = value;
	return CLI_GO_ON;
}

static int take_bios(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	if (!*value)
		return cli_refuse(parser, option, value, "an empty name; --help tells how");
	options_of(parser)->choices.firmware = value;
	return CLI_GO_ON;
}

static int take_engine(struct cli_parser *parser, const struct cli_option *option,
		       const char *value)
{
	struct run_options *options = options_of(parser);

	options->choices.engine = cli_find_engine(value);
	return options->choices.engine ? CLI_GO_ON
				       : cli_refuse(parser, option, value, cli_engine_names());
}

/* In kvmtool's words. */
static int take_irqchip(struct cli_parser *parser, const struct cli_option *option,
			const char *value)
{
	static const char *const names[] = {[ENGINE_GIC_V2] = "gicv2", [ENGINE_GIC_V3] = "gicv3"};

	for (size_t i = ENGINE_GIC_V2; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(value, names[i]) == 0) {
			options_of(parser)->choices.gic = (enum engine_gic)i;
			return CLI_GO_ON;
		}
	}
	return cli_refuse(parser, option, value, "neither gicv2 nor gicv3");
}

static int take_cpu(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	struct run_options *options = options_of(parser);

	if (strcmp(value, "help") == 0) {
		spe_option_cores(stdout);
		return CLI_OK;
	}
	options->choices.core = spe_core_find(value);
	return options->choices.core
		       ? CLI_GO_ON
		       : cli_refuse(parser, option, value, "no such core; --cpu help lists them");
}

/* The text is parsed once the engine is known: run_check(). */
static int take_spe(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	struct run_options *options = options_of(parser);

	(void)option;
	if (strcmp(value, "help") == 0) {
		spe_option_help(stdout, options->choices.engine);
		return CLI_OK;
	}
	options->choices.spe = strcmp(value, "off") != 0;
	options->spe_text = options->choices.spe ? value : NULL;
	return CLI_GO_ON;
}

static int take_no_spe(struct cli_parser *parser, const struct cli_option *option,
		       const char *value)
{
	(void)option, (void)value;
	options_of(parser)->choices.spe = false;
	return CLI_GO_ON;
}

static int take_pmu(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	options_of(parser)->pmu_any = strcmp(value, "any") == 0;
	options_of(parser)->choices.pmu = arm_pmu_version(value);
	if (options_of(parser)->choices.pmu || options_of(parser)->pmu_any ||
	    strcmp(value, "off") == 0)
		return CLI_GO_ON;
	return cli_refuse(parser, option, value,
			  "neither off nor one of " ARM_PMU_WORDS ", any and kvm");
}

static int take_stats(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	const bool json = value && strcmp(value, "json") == 0;

	if (value && !json && strcmp(value, "text") != 0)
		return cli_refuse(parser, option, value, "neither text nor json");
	options_of(parser)->stats = json ? RUN_STATS_JSON : RUN_STATS_TEXT;
	return CLI_GO_ON;
}

/* MiB, or with the suffixes M and G as in QEMU. */
static int take_mem(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	const uint64_t mib = UINT64_C(1) << 20;
	uint64_t bytes;

	if (number_read(value, UINT64_MAX, &bytes))
		bytes = bytes <= MACHINE_MAX_MIB ? bytes * mib : 0;
	else if (!number_read_bytes(value, MACHINE_MAX_MIB * mib, &bytes))
		bytes = 0;
	if (!bytes || bytes % mib)
		return cli_refuse(parser, option, value,
				  bytes ? "not whole MiB, such as 1024, 512M or 1G"
					: "not 1 to 262144 MiB, such as 1024, 512M or 1G");
	options_of(parser)->choices.ram_size = bytes;
	return CLI_GO_ON;
}

/* Memory and vCPUs are shared once their numbers are known: run_check(). */
static int take_numa(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	char why[256];

	options_of(parser)->numa_text = value;
	return numa_option_parse(value, &options_of(parser)->choices.numa, why, sizeof(why)) == 0
		       ? CLI_GO_ON
		       : cli_refuse(parser, option, value, why);
}

static int take_time(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	uint32_t *window = &options_of(parser)->choices.window;
	uint64_t operations = MACHINE_WINDOW;
	const char *text = strchr(value, '=');

	if (strcmp(value, "serial") == 0)
		operations = 0;
	else if (strncmp(value, "parallel", 8) != 0 || (value[8] && text != value + 8) ||
		 (text && (!number_read(text + 1, MACHINE_WINDOW_MAX, &operations) ||
			   operations < MACHINE_WINDOW_MIN)))
		return cli_refuse(parser, option, value,
				  "neither serial nor parallel, nor parallel=OPERATIONS with "
				  "OPERATIONS from 128 to 1048576");
	*window = (uint32_t)operations;
	return CLI_GO_ON;
}

static int take_rtc(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	uint64_t seconds = 0;

	if (strcmp(value, "host") == 0)
		seconds = (uint64_t)time(NULL);
	else if (!number_read(value, UINT32_MAX, &seconds))
		return cli_refuse(parser, option, value,
				  "neither host nor seconds since 1970, from 0 to 4294967295");
	options_of(parser)->choices.rtc = (uint32_t)seconds;
	return CLI_GO_ON;
}

static int take_disk(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	const char *wrong = run_disk_take(options_of(parser), value);

	return wrong ? cli_refuse(parser, option, value, wrong) : CLI_GO_ON;
}

static int take_net(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	const char *wrong = run_net_take(options_of(parser), value);

	return wrong ? cli_refuse(parser, option, value, wrong) : CLI_GO_ON;
}

static int take_share(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	const char *wrong = run_share_take(options_of(parser), value);

	return wrong ? cli_refuse(parser, option, value, wrong) : CLI_GO_ON;
}

static int take_console(struct cli_parser *parser, const struct cli_option *option,
			const char *value)
{
	const bool virtio = strcmp(value, "virtio") == 0;

	if (!virtio && strcmp(value, "serial") != 0)
		return cli_refuse(parser, option, value, "neither serial nor virtio");
	options_of(parser)->virtio_console = virtio;
	return CLI_GO_ON;
}

static int take_no_acpi(struct cli_parser *parser, const struct cli_option *option,
			const char *value)
{
	(void)option, (void)value;
	options_of(parser)->choices.acpi = false;
	return CLI_GO_ON;
}

static int take_no_realtime(struct cli_parser *parser, const struct cli_option *option,
			    const char *value)
{
	(void)option, (void)value;
	options_of(parser)->choices.realtime = false;
	return CLI_GO_ON;
}

static int take_save_at(struct cli_parser *parser, const struct cli_option *option,
			const char *value)
{
	if (number_read(value, UINT64_MAX - 1, &options_of(parser)->save_at))
		return CLI_GO_ON;
	return cli_refuse(parser, option, value,
			  "not a number of operations, such as 2000000 or 2e9");
}

static int take_migrate_to(struct cli_parser *parser, const struct cli_option *option,
			   const char *value)
{
	struct run_options *options = options_of(parser);

	options->migrate_to = value;
	if (address_read(value, &options->migrate_address))
		return CLI_GO_ON;
	return cli_refuse(parser, option, value, ADDRESS_WORDS);
}

static int take_incoming(struct cli_parser *parser, const struct cli_option *option,
			 const char *value)
{
	struct run_options *options = options_of(parser);

	options->incoming = value;
	if (address_read(value, &options->incoming_address))
		return CLI_GO_ON;
	return cli_refuse(parser, option, value, ADDRESS_WORDS);
}

static int take_console_limit(struct cli_parser *parser, const struct cli_option *option,
			      const char *value)
{
	if (number_read_bytes(value, UINT64_MAX - 1, &options_of(parser)->console_limit))
		return CLI_GO_ON;
	return cli_refuse(parser, option, value,
			  "not a number of bytes, such as 1000000, 64M or 2G");
}

static int take_perf_data_limit(struct cli_parser *parser, const struct cli_option *option,
				const char *value)
{
	uint64_t *limit = &options_of(parser)->perf_data_limit;

	if (strcmp(value, "none") == 0)
		*limit = UINT64_MAX;
	else if (!number_read_bytes(value, UINT64_MAX, limit) || *limit < PERF_DATA_LEAST)
		return cli_refuse(parser, option, value,
				  "neither none nor a number of bytes from 64K on");
	return CLI_GO_ON;
}

static int take_user(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	const char *wrong = user_find(value, &options_of(parser)->user);

	options_of(parser)->user_text = value;
	return wrong ? cli_refuse(parser, option, value, wrong) : CLI_GO_ON;
}

#include "run_rows.h"

int run_options_parse(int argc, char **argv, struct run_options *options)
{
	struct run_request request = {
		.options = {.choices = choices_default(cli_find_engine(NULL)),
			    .perf_data_limit = PERF_DATA_MOST,
			    .save_at = UINT64_MAX},
		.el = 1,
	};
	struct cli_option tunings[RUN_TUNINGS];
	struct cli_parser parser = {
		.command = "run",
		.help = run_help_short,
		.help_all = run_help,
		.lists = {{run_rows, sizeof(run_rows) / sizeof(run_rows[0])},
			  {tunings, run_tunings_prepare(&request, tunings)}},
		.request = &request,
		.messages = stderr,
		.operands = CLI_FILE_INPUT,
	};
	char **words = calloc(QEMU_MORE * (size_t)argc + 1, sizeof(*words)), why[512];
	const int count = words ? run_qemu_words(&parser, argc, argv, words, why, sizeof(why)) : -1;
	int operand = 0, code;

	if (count < 0)
		code = cli_refuse_line(&parser, "%s", words ? why : "no memory");
	else
		code = cli_parse(&parser, count, words, &operand);
	while (code < 0 && operand < count)
		code = take_kernel(&parser, run_rows, words[operand++]);
	free(words);
	if (code < 0)
		code = run_check(&parser, &request);
	*options = request.options;
	return code;
}
