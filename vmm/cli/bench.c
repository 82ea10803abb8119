/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vspe bench: what vspe costs, as ratios measured within one run.
 *
 * Each kernel of guests/bench runs on this same program (SPE off, then at each interval) and, if it
 * is installed, on qemu-system-aarch64, in turns. The timed part is the host's time between the two
 * lines that the guest prints around its kernel, so neither start-up nor the guest's clock matters.
 * A ratio pairs two runs of the same round; the output is the median over the rounds, with its
 * spread.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/bench.h"
#include "cli/options.h"
#include "cli/json.h"

/*
 * few: the iterations in slow columns, about a hundredth of the kernel's own. isa and qemu_cpu:
 * what the kernel needs of vspe run --isa and of QEMU's -cpu; of QEMU's processors with SVE only
 * a64fx does without pointer authentication, which costs QEMU more than a kernel does.
 */
static const struct kernel {
	const char *name;
	unsigned int few;
	const char *isa, *qemu_cpu;
} kernels[] = {
	{.name = "alu", .few = 360000},
	{.name = "tree", .few = 40000},
	{.name = "memcpy", .few = 70},
	{.name = "bytecode", .few = 50000},
	{.name = "crc_sha", .few = 80},
	{.name = "float", .few = 5600},
	{.name = "simd", .few = 630},
	{.name = "sve", .few = 500, .isa = "+fp16,+fcma,+sve", .qemu_cpu = "a64fx"},
};
#define KERNELS (sizeof(kernels) / sizeof(kernels[0]))

enum column {
	SOFT_OFF,
	SOFT_256,
	SOFT_1024,
	SOFT_4096,
	SOFT_65536,
	QEMU,
	QEMU_ICOUNT,
	COST_1024,
	COST_WARM,
	COST_FULL,
	COST_PMU,
	COST_CLASSES,
	COLUMNS,
};

/* The columns of a table, and what they are compared with. */
enum table { BOTH_TABLES, SPEEDS, COSTS };

static const struct {
	const char *name;
	enum table table;
	unsigned int interval; /* 0: SPE off */
	bool qemu, icount;
	const char *model; /* NULL: none */
	unsigned int pmu;  /* the guest's argument; 0: no PMU */
	bool slow;	   /* few iterations */
	const char *key;   /* of costs, in JSON */
} columns[COLUMNS] = {
	[SOFT_OFF] = {.name = "soft", .table = BOTH_TABLES},
	[SOFT_256] = {.name = "soft, SPE at 256", .table = SPEEDS, .interval = 256},
	[SOFT_1024] = {.name = "soft, SPE at 1024", .table = SPEEDS, .interval = 1024},
	[SOFT_4096] = {.name = "soft, SPE at 4096", .table = SPEEDS, .interval = 4096},
	[SOFT_65536] = {.name = "soft, SPE at 65536", .table = SPEEDS, .interval = 65536},
	[QEMU] = {.name = "QEMU", .table = SPEEDS, .qemu = true},
	[QEMU_ICOUNT] = {.name = "QEMU, icount", .table = SPEEDS, .qemu = true, .icount = true},
	[COST_1024] = {.name = "SPE 1024", .table = COSTS, .interval = 1024, .key = "spe"},
	[COST_WARM] = {.name = "model warm",
		       .table = COSTS,
		       .interval = 1024,
		       .model = "warm",
		       .key = "warm"},
	[COST_FULL] = {.name = "model full",
		       .table = COSTS,
		       .interval = 1024,
		       .model = "full",
		       .slow = true,
		       .key = "full"},
	[COST_PMU] = {.name = "PMU", .table = COSTS, .pmu = 1, .key = "pmu"},
	[COST_CLASSES] = {.name = "PMU, classes", .table = COSTS, .pmu = 2, .key = "pmu_classes"},
};

struct measurement {
	double seconds[BENCH_MAX_ROUNDS];
	uint64_t ops; /* operations between the two lines, as the guest of soft counts them */
	char checksum[32];
	bool valid;
};

struct options {
	unsigned int rounds;
	unsigned int iterations; /* 0: the guest's default */
	bool no_qemu, no_kernels, no_calls, json;
	bool costs;	  /* the table COSTS, and not SPEEDS */
	bool qemu;	  /* there is one, and it is wanted */
	const char *only; /* one kernel, or NULL */
	char guests[PATH_MAX];
	bool with_linux;
	char *jit; /* of vspe run */
	struct bench_linux of_linux;
};

#define IMAGE_PATH (PATH_MAX + 64)

static void image_path(const struct options *o, const char *kernel, char *path, size_t size)
{
	snprintf(path, size, "%s/bench/%s.Image", o->guests, kernel);
}

/* The guest's two lines: "bench: start" and "bench: end checksum=0x... ticks=N". */
static int read_marks(FILE *out, struct measurement *m, unsigned int round)
{
	char line[256];
	double start = 0;

	while (fgets(line, sizeof(line), out)) {
		const char *end = strstr(line, "bench: end");

		if (strstr(line, "bench: start"))
			start = bench_now();
		if (!end || start == 0)
			continue;
		m->seconds[round] = bench_now() - start;
		char checksum[32];
		unsigned long long ticks;
		if (sscanf(end, "bench: end checksum=%31s ticks=%llu", checksum, &ticks) != 2)
			return -1;
		if (m->valid && strcmp(checksum, m->checksum) != 0)
			return -1;
		snprintf(m->checksum, sizeof(m->checksum), "%s", checksum);
		m->ops = ticks;
		m->valid = true;
		return 0;
	}
	return -1;
}

/* 0: the guest's default */
static unsigned int iterations_of(const struct options *o, size_t kernel, enum column column)
{
	if (!columns[column].slow)
		return o->iterations;
	return o->iterations ? (o->iterations + 99) / 100 : kernels[kernel].few;
}

static void guest_arguments(const struct options *o, size_t kernel, enum column column,
			    char *params, size_t size)
{
	const unsigned int iterations = iterations_of(o, kernel, column);
	int n = snprintf(params, size, "spe=%u", columns[column].interval);

	if (columns[column].pmu)
		n += snprintf(params + n, size - (size_t)n, " pmu=%u", columns[column].pmu);
	if (iterations)
		snprintf(params + n, size - (size_t)n, " iterations=%u", iterations);
}

static int run_once(const struct options *o, size_t index, enum column column,
		    struct measurement *m, unsigned int round)
{
	const struct kernel *kernel = &kernels[index];
	char image[IMAGE_PATH], params[96];
	char pmu[] = "v3p5", off[] = "off", model[16], isa[24], cpu[16];

	guest_arguments(o, index, column, params, sizeof(params));
	image_path(o, kernel->name, image, sizeof(image));
	snprintf(isa, sizeof(isa), "%s", kernel->isa ? kernel->isa : "");
	snprintf(cpu, sizeof(cpu), "%s", kernel->qemu_cpu ? kernel->qemu_cpu : "cortex-a57");
	snprintf(model, sizeof(model), "%s", columns[column].model ? columns[column].model : "off");

	char *soft[] = {"/proc/self/exe",
			"run",
			"--kernel",
			image,
			"--params",
			params,
			"--seed",
			"1",
			"--timeout",
			"600",
			"--model",
			model,
			"--jit",
			o->jit,
			"--pmu",
			columns[column].pmu ? pmu : off,
			kernel->isa ? "--isa" : NULL,
			isa,
			NULL};
	char *qemu[] = {"qemu-system-aarch64",
			"-machine",
			"virt,gic-version=3",
			"-cpu",
			cpu,
			"-m",
			"256",
			"-display",
			"none",
			"-serial",
			"stdio",
			"-net",
			"none",
			"-kernel",
			image,
			"-append",
			params,
			columns[column].icount ? "-icount" : NULL,
			"shift=0",
			NULL};
	struct bench_process process;

	if (bench_start(&process, columns[column].qemu ? qemu : soft))
		return -1;
	int result = read_marks(process.out, m, round);
	/* A program that never printed its end may never exit. */
	bench_stop(&process, result != 0);
	if (result)
		cli_message(stderr,
			    "vspe bench: %s under %s did not print its result, or another one than "
			    "before",
			    kernel->name, columns[column].name);
	return result;
}

static struct bench_spread ratio_of(const struct measurement *baseline, const struct measurement *m,
				    unsigned int rounds)
{
	double values[BENCH_MAX_ROUNDS];

	for (unsigned int i = 0; i < rounds; i++)
		values[i] = baseline->seconds[i] / m->seconds[i];
	return bench_spread(values, rounds);
}

static bool in_table(const struct options *o, int column)
{
	const enum table table = columns[column].table;

	return table == BOTH_TABLES || table == (o->costs ? COSTS : SPEEDS);
}

/* The time of an operation, relative to the baseline's. */
static struct bench_spread cost_of(const struct measurement *baseline, const struct measurement *m,
				   unsigned int rounds)
{
	const double more = (double)baseline->ops / (double)m->ops;
	double values[BENCH_MAX_ROUNDS];

	for (unsigned int i = 0; i < rounds; i++)
		values[i] = m->seconds[i] / baseline->seconds[i] * more;
	return bench_spread(values, rounds);
}

static int measure_kernel(const struct options *o, size_t index, struct measurement *m)
{
	const char *kernel = kernels[index].name;

	for (unsigned int round = 0; round < o->rounds; round++)
		for (int c = 0; c < COLUMNS; c++) {
			if (!in_table(o, c) || (columns[c].qemu && !o->qemu))
				continue;
			if (isatty(STDERR_FILENO))
				fprintf(stderr, "\r\033[K%s: %s, round %u of %u", kernel,
					columns[c].name, round + 1, o->rounds);
			if (run_once(o, index, (enum column)c, &m[c], round))
				return -1;
			if (!columns[c].slow && strcmp(m[c].checksum, m[SOFT_OFF].checksum) != 0) {
				cli_message(stderr, "vspe bench: %s: %s gives %s, soft gave %s",
					    kernel, columns[c].name, m[c].checksum,
					    m[SOFT_OFF].checksum);
				return -1;
			}
		}
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K");
	return 0;
}

static void print_spread(struct bench_spread s)
{
	printf("  %5.2f %4.2f-%-5.2f", s.median, s.min, s.max);
}

static void print_cost_header(const struct options *o)
{
	printf("Time of soft beside SPE off: with SPE at 1024, without a machine model and with "
	       "one, and with a\n"
	       "PMU that counts cycles and instructions, or branches, loads and stores too.\n"
	       "Median of %u rounds, minimum-maximum.\n\n%-9s",
	       o->rounds, "kernel");
	for (int c = 0; c < COLUMNS; c++)
		if (columns[c].table == COSTS)
			printf("  %-18s", columns[c].name);
	putchar('\n');
}

static void print_costs(const struct options *o, const char *kernel, const struct measurement *m)
{
	printf("%-9s", kernel);
	for (int c = 0; c < COLUMNS; c++) {
		struct bench_spread s;

		if (columns[c].table != COSTS)
			continue;
		s = cost_of(&m[SOFT_OFF], &m[c], o->rounds);
		printf("  %6.2f %5.2f-%-5.2f", s.median, s.min, s.max);
	}
	putchar('\n');
	fflush(stdout);
}

static void print_header(const struct options *o)
{
	if (o->costs) {
		print_cost_header(o);
		return;
	}
	printf("Speed of soft with SPE off, and with SPE at each interval beside SPE off; QEMU's "
	       "is 1.\n"
	       "Median of %u rounds, minimum-maximum.\n\n",
	       o->rounds);
	printf("%-9s %9s %6s", "kernel", "Mops", "MIPS");
	if (o->qemu)
		printf("  %-16s  %-16s", "soft/QEMU", "soft/QEMU icount");
	printf("  %-16s  %-16s  %-16s  %-16s\n", "SPE 256", "SPE 1024", "SPE 4096", "SPE 65536");
}

static void print_kernel(const struct options *o, const char *kernel, const struct measurement *m)
{
	struct bench_spread seconds = bench_spread(m[SOFT_OFF].seconds, o->rounds);

	if (o->costs) {
		print_costs(o, kernel, m);
		return;
	}
	printf("%-9s %9.1f %6.0f", kernel, (double)m[SOFT_OFF].ops / 1e6,
	       (double)m[SOFT_OFF].ops / 1e6 / seconds.median);
	if (o->qemu) {
		print_spread(ratio_of(&m[QEMU], &m[SOFT_OFF], o->rounds));
		print_spread(ratio_of(&m[QEMU_ICOUNT], &m[SOFT_OFF], o->rounds));
	}
	for (int c = SOFT_256; c <= SOFT_65536; c++)
		print_spread(ratio_of(&m[SOFT_OFF], &m[c], o->rounds));
	putchar('\n');
	fflush(stdout);
}

static json_object *kernel_json(const struct options *o, const char *kernel,
				const struct measurement *m)
{
	json_object *k = json_object_new_object(), *spe = json_object_new_object();

	json_add(k, "name", json_object_new_string(kernel));
	json_add(k, "checksum", json_object_new_string(m[SOFT_OFF].checksum));
	json_add(k, "operations", json_object_new_uint64(m[SOFT_OFF].ops));
	json_add(k, "seconds", bench_spread_json(bench_spread(m[SOFT_OFF].seconds, o->rounds)));
	if (o->qemu) {
		json_add(k, "soft_over_qemu",
			 bench_spread_json(ratio_of(&m[QEMU], &m[SOFT_OFF], o->rounds)));
		json_add(k, "soft_over_qemu_icount",
			 bench_spread_json(ratio_of(&m[QEMU_ICOUNT], &m[SOFT_OFF], o->rounds)));
	}
	for (int c = 0; c < COLUMNS && o->costs; c++)
		if (columns[c].table == COSTS)
			json_add(spe, columns[c].key,
				 bench_spread_json(cost_of(&m[SOFT_OFF], &m[c], o->rounds)));
	for (int c = SOFT_256; c <= SOFT_65536 && !o->costs; c++) {
		char interval[16];

		snprintf(interval, sizeof(interval), "%u", columns[c].interval);
		json_add(spe, interval,
			 bench_spread_json(ratio_of(&m[SOFT_OFF], &m[c], o->rounds)));
	}
	json_add(k, o->costs ? "time_over_off" : "spe_over_off", spe);
	return k;
}

static int bench_kernels(const struct options *o, json_object *report)
{
	json_object *list = report ? json_object_new_array() : NULL;

	if (report)
		json_add(report, "kernels", list);
	else
		print_header(o);
	for (size_t i = 0; i < KERNELS; i++) {
		struct measurement m[COLUMNS] = {0};

		if (o->only && strcmp(o->only, kernels[i].name) != 0)
			continue;
		if (measure_kernel(o, i, m))
			return -1;
		if (report)
			json_append(list, kernel_json(o, kernels[i].name, m));
		else
			print_kernel(o, kernels[i].name, m);
	}
	return 0;
}

static int take_kernel(struct cli_parser *parser, const struct cli_option *option,
		       const char *value)
{
	struct options *o = parser->request;

	o->only = value;
	for (size_t i = 0; i < KERNELS; i++)
		if (strcmp(value, kernels[i].name) == 0)
			return CLI_GO_ON;
	return cli_refuse(parser, option, value, "no such kernel; --help lists them");
}

static int take_quick(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	struct options *o = parser->request;

	(void)option, (void)value;
	o->rounds = 1;
	o->iterations = 1;
	o->of_linux.quick = true;
	return CLI_GO_ON;
}

static int take_jit(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	struct options *o = parser->request;
	static char words[][5] = {"auto", "on", "off"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(value, words[i]) == 0) {
			o->jit = words[i];
			return CLI_GO_ON;
		}
	}
	return cli_refuse(parser, option, value, "none of auto, on and off");
}

static int take_guests(struct cli_parser *parser, const struct cli_option *option,
		       const char *value)
{
	struct options *o = parser->request;

	(void)option;
	snprintf(o->guests, sizeof(o->guests), "%s", value);
	return CLI_GO_ON;
}

static int take_linux(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	struct options *o = parser->request;
	const char *comma = strchr(value, ',');
	char *const files[] = {o->of_linux.kernel, o->of_linux.initrd};

	(void)option;
	if (!comma || comma == value || !comma[1])
		return cli_refuse_line(parser, "--linux: '%s' is not KERNEL,INITRD", value);
	snprintf(files[0], BENCH_PATH, "%.*s", (int)(comma - value), value);
	snprintf(files[1], BENCH_PATH, "%s", comma + 1);
	for (size_t i = 0; i < 2; i++)
		if (access(files[i], R_OK))
			return cli_refuse_line(parser, "--linux: %s: %s", files[i],
					       strerror(errno));
	o->with_linux = o->no_kernels = o->no_calls = true;
	return CLI_GO_ON;
}

#include "bench_rows.h"

static int parse_bench(int argc, char **argv, struct options *o)
{
	struct cli_parser parser = {
		.command = "bench",
		.help = bench_help,
		.lists = {{bench_rows, sizeof(bench_rows) / sizeof(bench_rows[0])}},
		.request = o,
		.messages = stderr,
	};
	char image[IMAGE_PATH];
	int operand, code = cli_parse(&parser, argc, argv, &operand);

	if (code >= 0)
		return code;
	if (operand < argc)
		return cli_refuse_line(&parser, "'%s' is too much; see --help", argv[operand]);
	if (!o->no_kernels && !o->guests[0] && cli_find_guests(o->guests, sizeof(o->guests)))
		return cli_refuse_line(&parser,
				       "the guests that came with vspe are not there: give "
				       "--guests DIR");
	for (size_t i = 0; i < KERNELS && !o->no_kernels; i++) {
		if (o->only && strcmp(o->only, kernels[i].name) != 0)
			continue;
		image_path(o, kernels[i].name, image, sizeof(image));
		if (access(image, R_OK))
			return cli_refuse_line(&parser, "--guests: %s: %s", image, strerror(errno));
	}
	return CLI_GO_ON;
}

int cmd_bench(int argc, char **argv)
{
	char automatic[] = "auto";
	struct options o = {.rounds = 5, .jit = automatic};
	json_object *report;
	int code = parse_bench(argc, argv, &o), result = 0;

	if (code >= 0)
		return code;
	o.qemu = !o.no_qemu && !o.costs;
	if ((o.with_linux || !o.no_kernels) && o.qemu && !bench_have_qemu()) {
		cli_message(stderr,
			    "vspe bench: qemu-system-aarch64 is not installed: no ratios to QEMU");
		o.qemu = false;
	}
	report = o.json ? json_object_new_object() : NULL;
	if (!o.no_calls)
		bench_calls(o.rounds, report);
	if (!o.no_kernels)
		result = bench_kernels(&o, report);
	if (o.with_linux) {
		o.of_linux.rounds = o.rounds;
		o.of_linux.qemu = o.qemu;
		o.of_linux.jit = o.jit;
		result = bench_linux(&o.of_linux, report);
	}
	if (report)
		json_print(stdout, report, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED);
	return result ? CLI_ENGINE : CLI_OK;
}
