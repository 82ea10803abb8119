// SPDX-License-Identifier: BSD-2-Clause
/* vspe run: the command line. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arm/pmu_words.h"
#include "base/number.h"
#include "cli/engines.h"
#include "cli/options.h"
#include "cli/run.h"
#include "cli/run_qemu.h"
#include "device/memory_map.h"
#include "device/timer.h"
#include "machine/spe_option.h"

#define RUN_DEFAULT_MIB 256
#define RUN_DEFAULT_RTC 1767225600 /* 2026-01-01T00:00:00Z: the same in every run */
#define TUNINGS_ROWS	32	   /* options of all engines */
#define SHARED_ROWS	4	   /* ... that more than one of them has */

/* Of --perf-data-limit: docs/decisions/machine.md says why. */
#define PERF_DATA_LEAST (UINT64_C(1) << 16)
#define PERF_DATA_MOST	(UINT64_C(1) << 30)

/* What --el, --secure and --realm choose; what is not here is refused. */
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

/* What is read, and what needs run_check() because other options change what it means. */
struct run_request {
	struct run_options options;
	struct run_tuning tunings[CLI_ENGINES]; /* of the engines in their order */
	const char *tuned[CLI_ENGINES];		/* the first option of each alone that was given */
	struct run_shared {
		const struct cli_option *option;
		const char *value;
	} shared[SHARED_ROWS]; /* given ones that several engines have, for the chosen one */
	struct run_given given;
	const char *seed;
	unsigned int el;
	bool secure, realm;
};

static struct run_options *options_of(const struct cli_parser *parser)
{
	struct run_request *request = parser->request;

	return &request->options;
}

static int run_refuse(const struct cli_parser *parser, const char *option, const char *value,
		      const char *what)
{
	return cli_refuse_line(parser, "%s %s: %s", option, *value ? value : "''", what);
}

static int take_kernel(struct cli_parser *parser, const struct cli_option *option,
		       const char *value)
{
	struct run_options *options = options_of(parser);

	if (!*value)
		return cli_refuse(parser, option, value, "an empty name; --help tells how");
	if (options->kernel)
		return cli_refuse_line(parser, "%s: a second guest; the first is %s", value,
				       options->kernel);
	options->kernel = value;
	return CLI_GO_ON;
}

static int take_bios(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	if (!*value)
		return cli_refuse(parser, option, value, "an empty name; --help tells how");
	options_of(parser)->firmware = value;
	return CLI_GO_ON;
}

static int take_engine(struct cli_parser *parser, const struct cli_option *option,
		       const char *value)
{
	struct run_options *options = options_of(parser);

	options->engine = cli_find_engine(value);
	return options->engine ? CLI_GO_ON : cli_refuse(parser, option, value, cli_engine_names());
}

/* In kvmtool's words. */
static int take_irqchip(struct cli_parser *parser, const struct cli_option *option,
			const char *value)
{
	static const char *const names[] = {[ENGINE_GIC_V2] = "gicv2", [ENGINE_GIC_V3] = "gicv3"};

	for (size_t i = ENGINE_GIC_V2; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(value, names[i]) == 0) {
			options_of(parser)->gic = (enum engine_gic)i;
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
	options->core = spe_core_find(value);
	return options->core
		       ? CLI_GO_ON
		       : cli_refuse(parser, option, value, "no such core; --cpu help lists them");
}

/* The text is read when the engine is known: run_check(). */
static int take_spe(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	struct run_options *options = options_of(parser);

	(void)option;
	if (strcmp(value, "help") == 0) {
		spe_option_help(stdout, options->engine);
		return CLI_OK;
	}
	options->spe = strcmp(value, "off") != 0;
	options->spe_text = options->spe ? value : NULL;
	return CLI_GO_ON;
}

static int take_no_spe(struct cli_parser *parser, const struct cli_option *option,
		       const char *value)
{
	(void)option, (void)value;
	options_of(parser)->spe = false;
	return CLI_GO_ON;
}

static int take_pmu(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	options_of(parser)->pmu_any = strcmp(value, "any") == 0;
	options_of(parser)->pmu = arm_pmu_version(value);
	if (options_of(parser)->pmu || options_of(parser)->pmu_any || strcmp(value, "off") == 0)
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

/* MiB, or with M or G what QEMU means by it. */
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
	options_of(parser)->mem_mib = (unsigned int)(bytes / mib);
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
	options_of(parser)->rtc = (uint32_t)seconds;
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

static int take_no_realtime(struct cli_parser *parser, const struct cli_option *option,
			    const char *value)
{
	(void)option, (void)value;
	options_of(parser)->realtime = false;
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

/* The row of an engine's option of that name, or NULL. */
static const struct engine_option *find_row(const struct engine *engine, const char *name)
{
	const struct engine_option *row = engine->options;

	while (row->name && strcmp(row->name, name) != 0)
		row++;
	return row->name ? row : NULL;
}

/* An option that several engines have: of a repeated one the last value holds. */
static int take_shared(struct cli_parser *parser, const struct cli_option *option,
		       const char *value)
{
	struct run_request *request = parser->request;
	size_t n = 0;

	while (n < SHARED_ROWS && request->shared[n].option && request->shared[n].option != option)
		n++;
	if (n == SHARED_ROWS)
		abort();
	request->shared[n] = (struct run_shared){option, value};
	return CLI_GO_ON;
}

/* An option that one engine alone has: option->of is its row there, and offset which engine's. */
static int take_tuning(struct cli_parser *parser, const struct cli_option *option,
		       const char *value)
{
	const struct engine_option *row = option->of;
	struct run_request *request = parser->request;
	void *tuning = &request->tunings[option->offset];
	char what[512];

	if (!request->tuned[option->offset])
		request->tuned[option->offset] = option->name;
	if (row->take(tuning, value, what, sizeof(what)) == 0)
		return CLI_GO_ON;
	return cli_refuse(parser, option, value, what);
}

/* Has an engine an option that one before it, or one behind it, has too? */
static bool is_shared(size_t engine, const char *name, bool before)
{
	for (size_t i = before ? 0 : engine + 1; i < (before ? engine : CLI_ENGINES); i++)
		if (find_row(cli_engines[i], name))
			return true;
	return false;
}

/* The rows of all engines; and each tuning as it begins. Returns how many rows there are. */
static size_t prepare_tunings(struct run_request *request, struct cli_option *rows)
{
	size_t count = 0;

	for (size_t i = 0; i < CLI_ENGINES; i++) {
		const struct engine *engine = cli_engines[i];
		const struct engine_option *option = engine->options;

		if (engine->tuning_size > sizeof(request->tunings[i]))
			abort();
		memcpy(&request->tunings[i], engine->tuning_default, engine->tuning_size);
		for (; option->name && count < TUNINGS_ROWS; option++) {
			if (is_shared(i, option->name, true))
				continue;
			rows[count++] = (struct cli_option){
				.name = option->name,
				.argument = option->has_value ? CLI_VALUE : CLI_NO_VALUE,
				.take = is_shared(i, option->name, false) ? take_shared
									  : take_tuning,
				.offset = i,
				.of = option,
			};
		}
	}
	return count;
}

/* What was given of options that several engines have goes to the one that was chosen. */
static int take_all_shared(struct cli_parser *parser, struct run_request *request)
{
	void *tuning = &request->options.tuning;
	char what[512];

	for (size_t n = 0; n < SHARED_ROWS && request->shared[n].option; n++) {
		const struct run_shared *given = &request->shared[n];
		const struct engine_option *row =
			find_row(request->options.engine, given->option->name);

		if (!row)
			return cli_refuse_line(parser, "--%s: not with --engine %s",
					       given->option->name, request->options.engine->name);
		if (row->take(tuning, given->value, what, sizeof(what)) < 0)
			return cli_refuse(parser, given->option, given->value, what);
	}
	return CLI_GO_ON;
}

/* The tuning of the engine that was chosen; the options of others are refused. */
static int check_tunings(struct cli_parser *parser, struct run_request *request)
{
	struct run_options *options = &request->options;
	const struct engine *chosen = options->engine;
	char why[512];
	int code;

	for (size_t i = 0; i < CLI_ENGINES; i++) {
		if (cli_engines[i] == chosen)
			options->tuning = request->tunings[i];
		else if (request->tuned[i])
			return cli_refuse_line(
				parser, "--%s: only with --engine %s, and this is %s",
				request->tuned[i], cli_engines[i]->name, chosen->name);
	}
	code = take_all_shared(parser, request);
	if (code >= 0)
		return code;
	if (chosen->tuning_core && chosen->tuning_core((struct engine_tuning *)&options->tuning,
						       options->core->name, why, sizeof(why)) < 0)
		return cli_refuse_line(parser, "%s", why);
	return CLI_GO_ON;
}

struct engine_wish run_wish(const struct run_options *options)
{
	return (struct engine_wish){.gic = options->gic,
				    .cpus = options->cpus,
				    .ram_end = MAP_RAM + ((uint64_t)options->mem_mib << 20),
				    .levels = options->levels,
				    .pmu = options->pmu,
				    .spe = options->spe ? &options->spe_config : NULL,
				    .tuning = (const void *)&options->tuning};
}

/* What can be said of any host; run.c asks this one. */
static int check_engine(const struct cli_parser *parser, const struct run_options *options)
{
	const struct engine_wish wish = run_wish(options);
	char why[256];

	return options->engine->check(&wish, why, sizeof(why)) == 0
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
			request->options.levels = run_levels[i];
			return CLI_GO_ON;
		}
	}
	return run_refuse(parser, request->secure ? "--secure" : "--realm", "--el 3",
			  "EL3 chooses the Security states of a guest that starts there");
}

/* What the machine comes and goes by. */
static int check_state(const struct cli_parser *parser, const struct run_request *request)
{
	const struct run_options *options = &request->options;
	const char *value;
	const char *option = run_leaves_by(options, &value);

	if (!option)
		option = run_comes_by(options, &value);
	if (option && options->engine->vcpu_state == NULL)
		return run_refuse(parser, option, value,
				  "not with --engine kvm: only the software CPU's machines are "
				  "saved");
	return CLI_GO_ON;
}

/* The console, whether idle time lasts, and what the guest's random numbers begin with. */
static int check_host(const struct cli_parser *parser, struct run_request *request)
{
	struct run_options *options = &request->options;
	char why[256];

	if (options->engine->concurrent && request->given.realtime)
		return cli_refuse_line(parser,
				       "--%srealtime: not with --engine %s, whose time is "
				       "the host's",
				       options->realtime ? "" : "no-", options->engine->name);
	if (options->engine->concurrent && request->given.cntfrq)
		return cli_refuse_line(parser,
				       "--cntfrq: not with --engine %s, whose counter is the "
				       "host's",
				       options->engine->name);
	if (serial_open(&options->serial, options->serial_text, why, sizeof(why)) < 0)
		return run_refuse(parser, "--serial", options->serial_text, why);
	if (!request->given.realtime && !options->engine->concurrent)
		options->realtime = options->serial.is_terminal;
	/*
	 * A guest of the host's CPU has entropy of its own, better than numbers that anybody can
	 * foretell; where all else is repeated, these are too.
	 */
	options->seeded = request->seed || !options->engine->concurrent;
	options->seed = options->spe_config.seed;
	return CLI_GO_ON;
}

/* The engine's, if it draws; otherwise the one of all random numbers. */
static uint64_t seed_of_any(const struct run_request *request, uint64_t seed)
{
	for (size_t i = 0; i < CLI_ENGINES; i++)
		if (cli_engines[i] == request->options.engine && cli_engines[i]->tuning_seed)
			(void)cli_engines[i]->tuning_seed((const void *)&request->tunings[i],
							  &seed);
	return seed;
}

/* What SPE is to be like. */
static int check_spe(const struct cli_parser *parser, struct run_request *request)
{
	struct run_options *options = &request->options;
	uint64_t seed = 0;
	char why[256];

	if (options->core->midr && !options->engine->own_midr)
		return run_refuse(parser, "--cpu", options->core->name,
				  "a guest of this engine has the host's MIDR_EL1; records in a "
				  "core's layout can be had with --spe layout=NAME");
	if (request->seed && !number_read(request->seed, UINT64_MAX, &seed))
		return run_refuse(parser, "--seed", request->seed,
				  "not a number from 0 to 0xffffffffffffffff");
	if (run_any(options, seed_of_any(request, seed), why, sizeof(why)) < 0 ||
	    spe_option_parse(options->spe_text, options->core, options->engine,
			     &options->spe_config, why, sizeof(why)))
		return options->spe_text ? run_refuse(parser, "--spe", options->spe_text, why)
					 : run_refuse(parser, "--cpu", options->core->name, why);
	if (request->seed)
		options->spe_config.seed = seed;
	return CLI_GO_ON;
}

/* What SPE wants of the PMU that there is. */
static int check_pmu(const struct cli_parser *parser, const struct run_options *options)
{
	const struct spe_config *spe = &options->spe_config;

	if (!options->spe)
		return CLI_GO_ON;
	if (spe->dpfzs && options->pmu < PMU_V3P7)
		return run_refuse(parser, "--spe", options->spe_text ? options->spe_text : "dpfzs",
				  "'dpfzs' needs a PMU: --pmu v3p7 or later");
	if (!spe->dpfzs && spe->version >= SPE_V1P4 && options->pmu >= PMU_V3P9)
		return run_refuse(parser, "--pmu", arm_pmu_word(options->pmu),
				  "with SPE v1p4 and later it comes with 'dpfzs': "
				  "--spe v1p4,dpfzs");
	return CLI_GO_ON;
}

/* Options that do nothing when the device tree is all that is wished for. */
static bool needs_guest(const struct run_options *options)
{
	return options->save || options->migrate_to || options->recording.record ||
	       options->recording.replay || options->disk_count > 0 || options->rng ||
	       options->virtio_console || options->net.wanted || options->share.wanted ||
	       options->initrd || options->perf_data || options->tap ||
	       options->stats != RUN_STATS_NONE || options->timeout || options->serial_text;
}

static void reserve_for_engine(const struct run_request *request)
{
	for (size_t i = 0; i < CLI_ENGINES; i++)
		if (cli_engines[i] == request->options.engine && cli_engines[i]->reserve)
			cli_engines[i]->reserve((const void *)&request->tunings[i]);
}

static int check_firmware(struct cli_parser *parser, const struct run_request *request)
{
	const struct run_options *options = &request->options;

	if (options->firmware && options->engine->concurrent)
		return run_refuse(parser, "--bios", options->firmware,
				  "not with --engine kvm, whose guests have no flash");
	if (options->firmware && options->initrd && !options->kernel)
		return run_refuse(parser, "--initrd", options->initrd,
				  "not without a kernel, which firmware starts with it");
	return CLI_GO_ON;
}

/* What the options must be together. */
static int run_check(struct cli_parser *parser, struct run_request *request)
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
		code = run_net_open(options, request->given.realtime);
	if (code < 0)
		code = run_share_open(options);
	if (code < 0)
		code = run_migrate_open(options);
	if (code < 0)
		reserve_for_engine(request);
	if (code < 0)
		code = run_sandbox_begin(options);
	if (code < 0 && (options->restore || options->incoming))
		code = run_state_open(options, &request->given);
	if (code >= 0)
		return code;
	if (!options->kernel && !options->firmware && (!options->dump_dtb || needs_guest(options)))
		return cli_refuse_line(parser, "no guest given; `vspe run --help` tells how");
	code = check_firmware(parser, request);
	if (code >= 0)
		return code;
	code = check_tunings(parser, request);
	if (code < 0 && options->saved)
		code = run_state_tuning(options);
	if (code < 0)
		code = check_engine(parser, options);
	if (code < 0)
		code = check_pmu(parser, options);
	if (code >= 0)
		return code;
	if (options->perf_data && !options->spe)
		return run_refuse(parser, "--perf-data", options->perf_data,
				  "there are no records without SPE");
	return CLI_GO_ON;
}

int run_options_parse(int argc, char **argv, struct run_options *options)
{
	struct run_request request = {
		.options = {.mem_mib = RUN_DEFAULT_MIB,
			    .cpus = 1,
			    .engine = cli_find_engine(NULL),
			    .spe = true,
			    .core = spe_core(0),
			    .perf_data_limit = PERF_DATA_MOST,
			    .rtc = RUN_DEFAULT_RTC,
			    .counter_hz = TIMER_FREQUENCY,
			    .save_at = UINT64_MAX},
		.el = 1,
	};
	struct cli_option tunings[TUNINGS_ROWS];
	struct cli_parser parser = {
		.command = "run",
		.help = run_help,
		.lists = {{run_rows, sizeof(run_rows) / sizeof(run_rows[0])},
			  {tunings, prepare_tunings(&request, tunings)}},
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
