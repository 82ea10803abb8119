/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe run: which options go together, and how they affect each other. */
#include "arm/pmu_words.h"
#include "base/number.h"
#include "cli/run_request.h"
#include "device/memory_map.h"
#include "machine/numa_option.h"
#include "machine/spe_option.h"

/* What --el, --secure and --realm choose. Anything else is refused. */
static const struct engine_levels run_levels[] = {
	{.start = 1},
	{.start = 1, .el3 = true, .security = ENGINE_SECURE},
	{.start = 1, .el2 = true, .el3 = true, .rme = true, .security = ENGINE_REALM},
	{.start = 2, .el2 = true},
	{.start = 2, .el2 = true, .el3 = true, .sel2 = true, .security = ENGINE_SECURE},
	{.start = 2, .el2 = true, .el3 = true, .rme = true, .security = ENGINE_REALM},
	{.start = 3, .el2 = true, .el3 = true, .sel2 = true, .rme = true},
};

#define RUN_LEVELS (sizeof(run_levels) / sizeof(run_levels[0]))

static int run_refuse(const struct cli_parser *parser, const char *option, const char *value,
		      const char *what)
{
	return cli_refuse_line(parser, "%s %s: %s", option, *value ? value : "''", what);
}

struct engine_wish run_wish(const struct run_options *options)
{
	return (struct engine_wish){.gic = options->choices.gic,
				    .cpus = options->choices.cpus,
				    .ram_end = MAP_RAM + options->choices.ram_size,
				    .levels = options->choices.levels,
				    .pmu = options->choices.pmu,
				    .spe = choices_spe(&options->choices),
				    .tuning = (const void *)&options->tuning};
}

/* Checks that hold on any host; run.c asks this one. */
static int check_engine(const struct cli_parser *parser, const struct run_options *options)
{
	const struct engine_wish wish = run_wish(options);
	char why[256];

	return options->choices.engine->check(&wish, why, sizeof(why)) == 0
		       ? CLI_GO_ON
		       : cli_refuse_line(parser, "%s", why);
}

/* Which Exception levels there are. */
static int check_levels(const struct cli_parser *parser, struct run_request *request)
{
	enum engine_security security = ENGINE_NON_SECURE;

	if (request->secure)
		security = ENGINE_SECURE;
	if (request->realm)
		security = ENGINE_REALM;
	for (size_t i = 0; i < RUN_LEVELS; i++) {
		if (run_levels[i].start == request->el && run_levels[i].security == security) {
			request->options.choices.levels = run_levels[i];
			return CLI_GO_ON;
		}
	}
	return run_refuse(parser, request->secure ? "--secure" : "--realm", "--el 3",
			  "EL3 chooses the Security states of a guest that starts there; give one "
			  "of them");
}

/* Options by which the machine arrives and leaves. */
static int check_state(const struct cli_parser *parser, const struct run_request *request)
{
	const struct run_options *options = &request->options;
	const char *value;
	const char *option = run_leaves_by(options, &value);

	if (!option)
		option = run_comes_by(options, &value);
	if (option && options->choices.engine->vcpu_state == NULL)
		return run_refuse(parser, option, value,
				  "not with --engine kvm: only the software CPU's machines are "
				  "saved");
	return CLI_GO_ON;
}

/* The console, whether idle time lasts, and the seed of the guest's random numbers. */
static int check_host(const struct cli_parser *parser, struct run_request *request)
{
	struct run_options *options = &request->options;
	char why[256];

	if (options->choices.engine->concurrent && request->given[CHOICE_REALTIME])
		return cli_refuse_line(parser,
				       "--%srealtime: not with --engine %s, whose time is "
				       "the host's",
				       options->choices.realtime ? "" : "no-",
				       options->choices.engine->name);
	if (options->choices.engine->concurrent && request->given[CHOICE_CNTFRQ])
		return cli_refuse_line(parser,
				       "--cntfrq: not with --engine %s, whose counter is the "
				       "host's",
				       options->choices.engine->name);
	if (options->choices.engine->concurrent && request->given[CHOICE_TIME])
		return cli_refuse_line(parser,
				       "--time: not with --engine %s, whose time is the host's",
				       options->choices.engine->name);
	if (serial_open(&options->serial, options->serial_text, why, sizeof(why)) < 0)
		return run_refuse(parser, "--serial", options->serial_text, why);
	if (!request->given[CHOICE_REALTIME] && !options->choices.engine->concurrent)
		options->choices.realtime = options->serial.is_terminal;
	/*
	 * A guest on the host's CPU gets real entropy, which is better than numbers that others can
	 * foretell. Where everything else repeats, these numbers do too.
	 */
	options->choices.seeded = request->seed || !options->choices.engine->concurrent;
	options->choices.seed = options->choices.spe_config.seed;
	return CLI_GO_ON;
}

/* The configuration of SPE. */
static int check_spe(const struct cli_parser *parser, struct run_request *request)
{
	struct run_options *options = &request->options;
	uint64_t seed = 0;
	char why[256];

	if (options->choices.core->midr && !options->choices.engine->own_midr)
		return run_refuse(parser, "--cpu", options->choices.core->name,
				  "a guest of this engine has the host's MIDR_EL1; records in a "
				  "core's layout can be had with --spe layout=NAME");
	if (request->seed && !number_read(request->seed, UINT64_MAX, &seed))
		return run_refuse(parser, "--seed", request->seed,
				  "not a number from 0 to 0xffffffffffffffff");
	if (run_any(options, run_tunings_seed(request, seed), why, sizeof(why)) < 0 ||
	    spe_option_parse(options->spe_text, options->choices.core, options->choices.engine,
			     &options->choices.spe_config, why, sizeof(why)))
		return options->spe_text
			       ? run_refuse(parser, "--spe", options->spe_text, why)
			       : run_refuse(parser, "--cpu", options->choices.core->name, why);
	if (request->seed)
		options->choices.spe_config.seed = seed;
	return CLI_GO_ON;
}

/* Does a model know where data comes from? */
static void check_sources(struct run_options *options)
{
	const struct engine *engine = options->choices.engine;

	if (!engine->tuning_models || !engine->tuning_models((const void *)&options->tuning))
		spe_option_unmodelled(options->spe_text, &options->choices.spe_config);
}

/* What SPE needs of the PMU. */
static int check_pmu(const struct cli_parser *parser, const struct run_options *options)
{
	const struct spe_config *spe = &options->choices.spe_config;

	if (!options->choices.spe)
		return CLI_GO_ON;
	if (spe->dpfzs && options->choices.pmu < PMU_V3P7)
		return run_refuse(parser, "--spe", options->spe_text ? options->spe_text : "dpfzs",
				  "'dpfzs' needs a PMU: --pmu v3p7 or later");
	if (!spe->dpfzs && spe->version >= SPE_V1P4 && options->choices.pmu >= PMU_V3P9)
		return run_refuse(parser, "--pmu", arm_pmu_word(options->choices.pmu),
				  "with SPE v1p4 and later it comes with 'dpfzs': "
				  "--spe v1p4,dpfzs");
	return CLI_GO_ON;
}

/* Which node has how much of the memory, and which vCPUs. A restored machine has them already. */
static int check_numa(const struct cli_parser *parser, struct run_options *options)
{
	struct choices *choices = &options->choices;
	char why[256];

	if (!choices->numa.count || numa_option_complete(&choices->numa, choices->cpus,
							 choices->ram_size, why, sizeof(why)) == 0)
		return CLI_GO_ON;
	return run_refuse(parser, "--numa", options->numa_text, why);
}

/* Options that do nothing when only the device tree is requested. */
static bool needs_guest(const struct run_options *options)
{
	return options->save || options->migrate_to || options->recording.record ||
	       options->recording.replay || options->disk_count > 0 || options->rng ||
	       options->virtio_console || options->net.wanted || options->share.wanted ||
	       options->choices.initrd || options->perf_data || options->tap ||
	       options->stats != RUN_STATS_NONE || options->timeout || options->serial_text;
}

static int check_firmware(struct cli_parser *parser, const struct run_request *request)
{
	const struct run_options *options = &request->options;

	if (options->choices.firmware && options->choices.engine->concurrent)
		return run_refuse(parser, "--bios", options->choices.firmware,
				  "not with --engine kvm, whose guests have no flash");
	if (options->choices.firmware && options->choices.initrd && !options->choices.kernel)
		return run_refuse(parser, "--initrd", options->choices.initrd,
				  "not without a kernel, which firmware starts with it");
	return CLI_GO_ON;
}

int run_check(struct cli_parser *parser, struct run_request *request)
{
	struct run_options *options = &request->options;
	int code = check_levels(parser, request);

	if (code < 0)
		code = check_spe(parser, request);
	if (code < 0)
		code = check_host(parser, request);
	if (code < 0)
		code = check_state(parser, request);
	if (code < 0)
		code = run_disks_check(options);
	if (code < 0)
		code = run_record_check(options);
	if (code < 0)
		code = run_net_open(options, request->given[CHOICE_REALTIME]);
	if (code < 0)
		code = run_share_open(options);
	if (code < 0)
		code = run_migrate_open(options);
	if (code < 0)
		run_tunings_reserve(request);
	if (code < 0)
		code = run_sandbox_begin(options);
	if (code < 0 && (options->restore || options->incoming))
		code = run_state_open(options, request->given);
	if (code >= 0)
		return code;
	if (!options->choices.kernel && !options->choices.firmware &&
	    (!options->dump_dtb || needs_guest(options)))
		return cli_refuse_line(parser, "no guest given; `vspe run --help` tells how");
	code = check_firmware(parser, request);
	if (code < 0)
		code = check_numa(parser, options);
	if (code >= 0)
		return code;
	code = run_tunings_check(parser, request);
	if (code < 0 && options->saved)
		code = run_state_tuning(options);
	else if (code < 0)
		check_sources(options);
	if (code < 0)
		code = check_engine(parser, options);
	if (code < 0)
		code = check_pmu(parser, options);
	if (code >= 0)
		return code;
	if (options->perf_data && !options->choices.spe)
		return run_refuse(
			parser, "--perf-data", options->perf_data,
			"there are no records without SPE; leave out --no-spe and --spe off");
	return CLI_GO_ON;
}
