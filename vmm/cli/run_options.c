// SPDX-License-Identifier: BSD-2-Clause
/* vspe run: the command line. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/run.h"
#include "machine/spe_option.h"

#define RUN_DEFAULT_MIB 256

static const struct engine *const run_engines[] = {&engine_soft, &engine_kvm};

#define RUN_ENGINES (sizeof(run_engines) / sizeof(run_engines[0]))

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

/* The options that need run_check(), because others change what they mean. */
struct run_pending {
	struct run_given given;
	const char *seed;
	unsigned int el;
	bool secure, realm;
};

enum run_option {
	OPTION_ENGINE = 256,
	OPTION_KVM_TRAP,
	OPTION_KVM_SITES,
	OPTION_KVM_PATCH_MODULES,
	OPTION_KVM_SAMPLER,
	OPTION_KVM_EVENT,
	OPTION_KVM_MARGIN,
	OPTION_IRQCHIP,
	OPTION_EL,
	OPTION_SECURE,
	OPTION_REALM,
	OPTION_SPE,
	OPTION_NO_SPE,
	OPTION_SEED,
	OPTION_TIMEOUT,
	OPTION_PERF_DATA,
	OPTION_SYMBOLS,
	OPTION_STATS,
	OPTION_TAP,
	OPTION_DUMP_DTB,
	OPTION_SINGLE_STEP,
	OPTION_SAVE,
	OPTION_SAVE_AT,
	OPTION_RESTORE,
};

static const struct option run_long_options[] = {
	{"kernel", required_argument, NULL, 'k'},
	{"initrd", required_argument, NULL, 'i'},
	{"params", required_argument, NULL, 'p'},
	{"mem", required_argument, NULL, 'm'},
	{"cpus", required_argument, NULL, 'c'},
	{"engine", required_argument, NULL, OPTION_ENGINE},
	{"kvm-trap", required_argument, NULL, OPTION_KVM_TRAP},
	{"kvm-sites", no_argument, NULL, OPTION_KVM_SITES},
	{"kvm-patch-modules", no_argument, NULL, OPTION_KVM_PATCH_MODULES},
	{"kvm-sampler", required_argument, NULL, OPTION_KVM_SAMPLER},
	{"kvm-event", required_argument, NULL, OPTION_KVM_EVENT},
	{"kvm-margin", required_argument, NULL, OPTION_KVM_MARGIN},
	{"irqchip", required_argument, NULL, OPTION_IRQCHIP},
	{"el", required_argument, NULL, OPTION_EL},
	{"secure", no_argument, NULL, OPTION_SECURE},
	{"realm", no_argument, NULL, OPTION_REALM},
	{"spe", required_argument, NULL, OPTION_SPE},
	{"no-spe", no_argument, NULL, OPTION_NO_SPE},
	{"seed", required_argument, NULL, OPTION_SEED},
	{"timeout", required_argument, NULL, OPTION_TIMEOUT},
	{"perf-data", required_argument, NULL, OPTION_PERF_DATA},
	{"symbols", required_argument, NULL, OPTION_SYMBOLS},
	{"stats", optional_argument, NULL, OPTION_STATS},
	{"tap", no_argument, NULL, OPTION_TAP},
	{"dump-dtb", required_argument, NULL, OPTION_DUMP_DTB},
	{"single-step", no_argument, NULL, OPTION_SINGLE_STEP},
	{"save", required_argument, NULL, OPTION_SAVE},
	{"save-at", required_argument, NULL, OPTION_SAVE_AT},
	{"restore", required_argument, NULL, OPTION_RESTORE},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static const char run_help[] =
	"Usage: vspe run [OPTION]... [-k] GUEST\n"
	"\n"
	"Start GUEST, an AArch64 ELF file, an arm64 Image (plain or gzip) or a flat binary, on a\n"
	"virtual machine with the Statistical Profiling Extension.\n"
	"\n"
	"  -k, --kernel GUEST    the guest\n"
	"  -i, --initrd FILE     initial RAM disk\n"
	"  -p, --params STRING   the guest's command line\n"
	"  -m, --mem MIB         memory, 256 by default\n"
	"  -c, --cpus N          vCPUs, 1 by default, 64 at most\n"
	"      --engine ENGINE   what executes the guest: soft, the software CPU (default), or "
	"kvm\n"
	"      --kvm-trap METHOD how kvm gets at the registers of SPE: patch (BRKs in loaded "
	"code),\n"
	"                        breakpoint (at the guest's vectors; any code), step (every\n"
	"                        instruction, exact and slow) or auto (default: patch and "
	"breakpoint)\n"
	"      --kvm-patch-modules\n"
	"                        patch signed kernel modules of the initrd too; the guest then "
	"takes\n"
	"                        them for unsigned: a taint, or refused with module.sig_enforce\n"
	"      --kvm-sampler S   how kvm counts: step (every instruction while profiling is "
	"enabled,\n"
	"                        default) or perf (a perf event, and steps for the last ones)\n"
	"      --kvm-event E[:N] perf's event: instructions or cycles, N of them an instruction\n"
	"      --kvm-margin N    instructions that perf leaves to be stepped, or measured\n"
	"      --kvm-sites       list what is patched, and what is not, on standard error\n"
	"      --irqchip GIC     interrupt controller: gicv3, or gicv2 (with kvm, 8 vCPUs at "
	"most); "
	"if not\n"
	"                        said, what there is, gicv3 first\n"
	"      --el N            Exception level the guest starts at: 1 (default), 2 or 3\n"
	"      --secure          ... in Secure state, with EL3 above it\n"
	"      --realm           ... in Realm state, with EL3 and FEAT_RME above it\n"
	"      --spe TEXT        version, features and choices of SPE; `--spe help` lists them\n"
	"      --no-spe          no SPE (as --spe off)\n"
	"      --seed N          seed of the random numbers of SPE\n"
	"      --timeout S       end after S seconds of the host, with exit code 124\n"
	"      --perf-data FILE  write the sample records for perf report and perf script\n"
	"      --symbols FILE    with it: the ELF file that names GUEST's functions to perf\n"
	"      --stats[=json]    counts at the end, on standard error\n"
	"      --tap             judge the guest by the TAP it prints\n"
	"      --dump-dtb FILE   write the device tree; without a guest that is all\n"
	"      --single-step     execute one operation at a time (for tests)\n"
	"      --save FILE       on SIGUSR1, save the whole machine and end, with exit code 4\n"
	"      --save-at OPS     ... or when its vCPUs have executed so many operations\n"
	"      --restore FILE    go on with a saved machine; options that describe it may be left "
	"out\n"
	"  -h, --help\n"
	"\n"
	"Standard input and output are the guest's console. On a terminal Ctrl-A X ends the "
	"machine.\n"
	"\n"
	"Exit codes: 0 the guest powered off; 1 with --tap, a test failed or the plan is "
	"unfinished;\n"
	"2 wrong options or input; 3 the guest or the engine cannot go on; 4 the machine was "
	"saved;\n"
	"124 timed out.\n"
	"\n"
	"Examples:\n"
	"  vspe run guest.elf\n"
	"  vspe run -k Image -i initrd.cpio.gz -p 'console=ttyAMA0' -m 512 -c 2\n"
	"  vspe run --spe v1p2,no-ernd --seed 7 --perf-data perf.data guest.elf\n"
	"  vspe run --el 2 --tap --timeout 60 hypervisor.img\n";

static int run_usage(const char *option, const char *value, const char *what)
{
	cli_message(stderr, "vspe run: %s %s: %s", option, value, what);
	return CLI_USAGE;
}

/* A number from 0 to max, in C's notations and nothing around it. false otherwise. */
static bool run_number(const char *text, uint64_t max, uint64_t *value)
{
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return errno == 0 && *end == '\0' && *value <= max;
}

/* The same for an unsigned int of at least min. */
static int run_unsigned(const char *option, const char *text, unsigned int min, unsigned int max,
			unsigned int *value)
{
	uint64_t number;
	char what[64];

	if (run_number(text, max, &number) && number >= min) {
		*value = (unsigned int)number;
		return -1;
	}
	(void)snprintf(what, sizeof(what), "not a number from %u to %u", min, max);
	return run_usage(option, text, what);
}

const struct engine *run_find_engine(const char *name)
{
	for (size_t i = 0; i < RUN_ENGINES; i++)
		if (!name || strcmp(name, run_engines[i]->name) == 0)
			return run_engines[i];
	return NULL;
}

const char *run_engine_names(void)
{
	return "no such engine; there are: soft, kvm";
}

static int run_trap(const char *text, struct run_options *options)
{
	static const char *const names[] = {[ENGINE_TRAP_AUTO] = "auto",
					    [ENGINE_TRAP_PATCH] = "patch",
					    [ENGINE_TRAP_BREAKPOINT] = "breakpoint",
					    [ENGINE_TRAP_STEP] = "step"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(text, names[i]) == 0) {
			options->trap = (enum engine_trap)i;
			return -1;
		}
	}
	return run_usage("--kvm-trap", text, "none of auto, patch, breakpoint and step");
}

static int run_sampler(const char *text, struct run_options *options)
{
	options->sampler.perf = strcmp(text, "perf") == 0;
	if (options->sampler.perf || strcmp(text, "step") == 0)
		return -1;
	return run_usage("--kvm-sampler", text, "neither perf nor step");
}

/* instructions or cycles, and perhaps :N, how many of them there are in an instruction. */
static int run_event(const char *text, struct run_options *options)
{
	const size_t name = strcspn(text, ":");
	uint64_t multiplier = 1;

	options->sampler.cycles = name == 6 && strncmp(text, "cycles", name) == 0;
	if (!options->sampler.cycles && (name != 12 || strncmp(text, "instructions", name) != 0))
		return run_usage("--kvm-event", text, "neither instructions nor cycles");
	if (text[name] == ':' && (!run_number(text + name + 1, 1000, &multiplier) || !multiplier))
		return run_usage("--kvm-event", text, "what follows : is no number from 1 to 1000");
	options->sampler.multiplier = (unsigned int)multiplier;
	return -1;
}

static int run_engine(const char *name, struct run_options *options)
{
	options->engine = run_find_engine(name);
	return options->engine ? -1 : run_usage("--engine", name, run_engine_names());
}

/* In kvmtool's words. */
static int run_irqchip(const char *text, struct run_options *options)
{
	static const char *const names[] = {[ENGINE_GIC_V2] = "gicv2", [ENGINE_GIC_V3] = "gicv3"};

	for (size_t i = ENGINE_GIC_V2; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(text, names[i]) == 0) {
			options->gic = (enum engine_gic)i;
			return -1;
		}
	}
	return run_usage("--irqchip", text, "neither gicv2 nor gicv3");
}

/* The text is read when the engine is known: run_check(). */
static int run_spe(const char *text, struct run_options *options)
{
	if (strcmp(text, "help") == 0) {
		spe_option_help(stdout, options->engine);
		return CLI_OK;
	}
	options->spe = strcmp(text, "off") != 0;
	options->spe_text = options->spe ? text : NULL;
	return -1;
}

static int run_stats_option(const char *text, struct run_options *options)
{
	if (text && strcmp(text, "json") != 0 && strcmp(text, "text") != 0)
		return run_usage("--stats", text, "neither text nor json");
	options->stats = text && strcmp(text, "json") == 0 ? RUN_STATS_JSON : RUN_STATS_TEXT;
	return -1;
}

static int run_kernel(const char *path, struct run_options *options)
{
	if (options->kernel) {
		cli_message(stderr, "vspe run: %s: a second guest; the first is %s", path,
			    options->kernel);
		return CLI_USAGE;
	}
	options->kernel = path;
	return -1;
}

/* One option. -1: go on; otherwise the exit code. */
static int run_option(int option, struct run_options *options, struct run_pending *pending)
{
	switch (option) {
	case 'k': return run_kernel(optarg, options);
	case 'i': options->initrd = optarg; break;
	case 'p': options->params = optarg; break;
	case 'm':
		pending->given.mem = true;
		return run_unsigned("--mem", optarg, 1, MACHINE_MAX_MIB, &options->mem_mib);
	case 'c':
		pending->given.cpus = true;
		return run_unsigned("--cpus", optarg, 1, MACHINE_MAX_CPUS, &options->cpus);
	case OPTION_ENGINE: return run_engine(optarg, options);
	case OPTION_KVM_TRAP: return run_trap(optarg, options);
	case OPTION_KVM_SITES: options->list_sites = true; break;
	case OPTION_KVM_PATCH_MODULES: options->patch_modules = true; break;
	case OPTION_KVM_SAMPLER: return run_sampler(optarg, options);
	case OPTION_KVM_EVENT: return run_event(optarg, options);
	case OPTION_KVM_MARGIN:
		return run_unsigned("--kvm-margin", optarg, 0, 1000000, &options->sampler.margin);
	case OPTION_IRQCHIP: return run_irqchip(optarg, options);
	case OPTION_EL:
		pending->given.levels = true;
		return run_unsigned("--el", optarg, 1, 3, &pending->el);
	case OPTION_SECURE: pending->given.levels = pending->secure = true; break;
	case OPTION_REALM: pending->given.levels = pending->realm = true; break;
	case OPTION_SPE: pending->given.spe = true; return run_spe(optarg, options);
	case OPTION_NO_SPE:
		pending->given.spe = true;
		options->spe = false;
		break;
	case OPTION_SEED:
		pending->given.seed = true;
		pending->seed = optarg;
		break;
	case OPTION_TIMEOUT:
		return run_unsigned("--timeout", optarg, 1, 1000000, &options->timeout);
	case OPTION_PERF_DATA: options->perf_data = optarg; break;
	case OPTION_SYMBOLS: options->symbols = optarg; break;
	case OPTION_STATS: return run_stats_option(optarg, options);
	case OPTION_TAP: options->tap = true; break;
	case OPTION_DUMP_DTB: options->dump_dtb = optarg; break;
	case OPTION_SINGLE_STEP: options->single_step = true; break;
	case OPTION_SAVE: options->save = optarg; break;
	case OPTION_SAVE_AT:
		if (run_number(optarg, UINT64_MAX - 1, &options->save_at))
			break;
		return run_usage("--save-at", optarg, "not a number of operations");
	case OPTION_RESTORE: options->restore = optarg; break;
	case 'h': fputs(run_help, stdout); return CLI_OK;
	default: fputs("vspe run: `vspe run --help` lists the options\n", stderr); return CLI_USAGE;
	}
	return -1;
}

/* Which Exception levels there are. -1: go on; otherwise the exit code. */
static int run_check_levels(struct run_options *options, const struct run_pending *pending)
{
	enum engine_security security = ENGINE_NON_SECURE;

	if (pending->secure)
		security = ENGINE_SECURE;
	if (pending->realm)
		security = ENGINE_REALM;
	if (pending->secure && pending->realm)
		return run_usage("--realm", "--secure", "one Security state at a time");
	for (size_t i = 0; i < RUN_LEVELS; i++) {
		if (run_levels[i].start == pending->el && run_levels[i].security == security) {
			options->levels = run_levels[i];
			return -1;
		}
	}
	return run_usage(pending->secure ? "--secure" : "--realm", "--el 3",
			 "EL3 chooses the Security states of a guest that starts there");
}

/* --save and --restore. -1: go on; otherwise the exit code. */
static int run_check_state(struct run_options *options, const struct run_given *given)
{
	const char *file = options->save ? options->save : options->restore;

	if (file && options->engine->vcpu_state == NULL)
		return run_usage(options->save ? "--save" : "--restore", file,
				 "not with --engine kvm: only the software CPU's machines are "
				 "saved");
	if (!options->save && options->save_at != UINT64_MAX)
		return run_usage("--save-at", "OPS", "there is no --save FILE to save in");
	return options->restore ? run_state_open(options, given) : -1;
}

/* What the options must be together. */
static int run_check(struct run_options *options, const struct run_pending *pending)
{
	char why[256];
	int code = run_check_levels(options, pending);

	if (code >= 0)
		return code;
	if (!options->spe_text)
		spe_option_defaults(&options->spe_config, SPE_VERSION_DEFAULT, options->engine);
	else if (spe_option_parse(options->spe_text, options->engine, &options->spe_config, why,
				  sizeof(why)))
		return run_usage("--spe", options->spe_text, why);
	if (pending->seed && !run_number(pending->seed, UINT64_MAX, &options->spe_config.seed))
		return run_usage("--seed", pending->seed, "not a number of 64 bits");
	code = run_check_state(options, &pending->given);
	if (code >= 0)
		return code;
	if (!options->kernel && (!options->dump_dtb || options->save)) {
		fputs("vspe run: no guest given; `vspe run --help` tells how\n", stderr);
		return CLI_USAGE;
	}
	if (options->trap != ENGINE_TRAP_AUTO && options->engine != &engine_kvm)
		return run_usage("--kvm-trap", "with --engine soft", "only KVM has to trap");
	if (options->list_sites && options->engine != &engine_kvm)
		return run_usage("--kvm-sites", "with --engine soft", "only KVM has to trap");
	if (options->patch_modules && options->engine != &engine_kvm)
		return run_usage("--kvm-patch-modules", "with --engine soft",
				 "only KVM has to trap");
	if (options->patch_modules && options->trap == ENGINE_TRAP_STEP)
		return run_usage("--kvm-patch-modules", "with --kvm-trap step",
				 "nothing is patched");
	if (options->gic == ENGINE_GIC_V2 && options->engine != &engine_kvm)
		return run_usage("--irqchip", "gicv2", "the software CPU has a GICv3");
	if (options->gic == ENGINE_GIC_V2 && options->cpus > ENGINE_GICV2_CPUS)
		return run_usage("--irqchip", "gicv2", "a GICv2 has 8 CPU interfaces at most");
	if (options->engine == &engine_kvm && (pending->el != 1 || options->levels.el3))
		return run_usage("--engine", "kvm",
				 "KVM's guests start at EL1 in Non-secure state");
	if (options->engine == &engine_kvm && options->single_step)
		return run_usage("--single-step", "with --engine kvm", "say --kvm-trap step");
	if (options->symbols && !options->perf_data)
		return run_usage("--symbols", options->symbols,
				 "there is no --perf-data to use them");
	if (options->perf_data && !options->spe)
		return run_usage("--perf-data", options->perf_data,
				 "there are no records without SPE");
	return -1;
}

int run_options_parse(int argc, char **argv, struct run_options *options)
{
	struct run_pending pending = {.el = 1};
	int option, code;

	*options = (struct run_options){
		.mem_mib = RUN_DEFAULT_MIB,
		.cpus = 1,
		.engine = run_engines[0],
		.spe = true,
		.save_at = UINT64_MAX,
		.sampler = {.multiplier = 1, .margin = ENGINE_MARGIN_MEASURED}};
	/* getopt's own messages begin with argv[0]. */
	argv[0] = "vspe run";
	while ((option = getopt_long(argc, argv, "k:i:p:m:c:h", run_long_options, NULL)) != -1) {
		code = run_option(option, options, &pending);
		if (code >= 0)
			return code;
	}
	for (; optind < argc; optind++) {
		code = run_kernel(argv[optind], options);
		if (code >= 0)
			return code;
	}
	return run_check(options, &pending);
}
