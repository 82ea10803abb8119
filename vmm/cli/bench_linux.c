/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vspe bench --linux: Debian's kernel and programs, as tools/linux-guest bench makes them, on this
 * program's CPU with SPE off, with perf recording everything, and on QEMU. The guest prints
 *
 *	bench: ready NS			it has booted; NS since its kernel's start
 *	bench: start NAME NS
 *	bench: end NAME NS RESULT
 *
 * where NS is its clock in nanoseconds, which is operations on the software CPU, and RESULT must be
 * the same everywhere. The timed part is the processor time of the process that runs the guest.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/bench.h"
#include "cli/json.h"
#include "cli/options.h"

#define ROWS	 16
#define TEXT	 32
#define INTERVAL "1024"

enum column { OFF, SPE, QEMU, QEMU_ICOUNT, COLUMNS };

static const struct {
	const char *name, *parameter;
	bool qemu, icount;
} columns[COLUMNS] = {
	[OFF] = {.name = "soft", .parameter = ""},
	[SPE] = {.name = "soft, SPE at " INTERVAL, .parameter = " bench.spe=" INTERVAL},
	[QEMU] = {.name = "QEMU", .parameter = "", .qemu = true},
	[QEMU_ICOUNT] = {.name = "QEMU, icount", .parameter = "", .qemu = true, .icount = true},
};

struct row {
	char name[TEXT], result[TEXT];
	double seconds[COLUMNS][BENCH_MAX_ROUNDS];
	double operations[COLUMNS]; /* by the guest's clock, which is right on soft */
};

struct table {
	struct row rows[ROWS];
	unsigned int count;
};

/* A run of the guest. */
struct run {
	struct table *table;
	enum column column;
	unsigned int round;
	unsigned int at; /* the next row */
	double begun;	 /* the processor's seconds at the last start */
	uint64_t start;	 /* the guest's clock then */
	bool started;
};

static int wrong_line(const struct run *run, const char *line)
{
	cli_message(stderr, "vspe bench: %s: unexpected: %.*s", columns[run->column].name,
		    (int)strcspn(line, "\r\n"), line);
	return -1;
}

/* The first round of the first column makes the rows; all others must have the same ones. */
static int end_row(struct run *run, const char *line, const char *name, const char *result,
		   double seconds, double operations)
{
	struct table *table = run->table;
	struct row *row;

	if (run->column == OFF && run->round == 0) {
		if (table->count == ROWS)
			return wrong_line(run, line);
		row = &table->rows[table->count++];
		snprintf(row->name, sizeof(row->name), "%s", name);
		snprintf(row->result, sizeof(row->result), "%s", result);
	}
	if (run->at >= table->count)
		return wrong_line(run, line);
	row = &table->rows[run->at++];
	if (strcmp(row->name, name) != 0 || strcmp(row->result, result) != 0)
		return wrong_line(run, line);
	row->seconds[run->column][run->round] = seconds > 0 ? seconds : 1e-9;
	row->operations[run->column] = operations;
	return 0;
}

static int take_line(struct run *run, const char *line, double now)
{
	char name[TEXT], result[TEXT];
	uint64_t clock;

	if (sscanf(line, "bench: ready %" SCNu64, &clock) == 1)
		return end_row(run, line, "boot", "", now, (double)clock);
	if (sscanf(line, "bench: start %31s %" SCNu64, name, &clock) == 2) {
		run->begun = now;
		run->start = clock;
		run->started = true;
		return 0;
	}
	if (sscanf(line, "bench: end %31s %" SCNu64 " %31s", name, &clock, result) != 3 ||
	    !run->started || clock < run->start)
		return wrong_line(run, line);
	run->started = false;
	return end_row(run, line, name, result, now - run->begun, (double)(clock - run->start));
}

static int read_lines(struct run *run, const struct bench_process *process)
{
	char line[256];

	while (fgets(line, sizeof(line), process->out)) {
		const double now = bench_process_cpu(process);

		if (strncmp(line, "bench: ", 7) == 0 && take_line(run, line, now))
			return -1;
	}
	if (run->at == 0 || run->at != run->table->count) {
		cli_message(stderr, "vspe bench: %s: the guest ended after %u of its programs",
			    columns[run->column].name, run->at ? run->at - 1 : 0);
		return -1;
	}
	return 0;
}

static int run_once(const struct bench_linux *o, struct table *table, enum column column,
		    unsigned int round)
{
	char parameters[128], kernel[BENCH_PATH], initrd[BENCH_PATH];

	snprintf(parameters, sizeof(parameters), "console=ttyAMA0 quiet panic=-1%s%s",
		 columns[column].parameter, o->quick ? " bench.quick" : "");
	snprintf(kernel, sizeof(kernel), "%s", o->kernel);
	snprintf(initrd, sizeof(initrd), "%s", o->initrd);
	/* Both have the instructions of Cortex-A57 that programs use. */
	char *soft[] = {"/proc/self/exe", "run",  "--kernel",	   kernel,
			"--initrd",	  initrd, "--params",	   parameters,
			"--mem",	  "1024", "--seed",	   "1",
			"--spe",	  "v1p1", "--isa",	   "aes,pmull,sha1,sha256",
			"--timeout",	  "7200", "--no-realtime", "--jit",
			o->jit,		  NULL};
	char *qemu[] = {"qemu-system-aarch64",
			"-machine",
			"virt,gic-version=3",
			"-cpu",
			"cortex-a57",
			"-m",
			"1024",
			"-display",
			"none",
			"-serial",
			"stdio",
			"-net",
			"none",
			"-no-reboot",
			"-kernel",
			kernel,
			"-initrd",
			initrd,
			"-append",
			parameters,
			columns[column].icount ? "-icount" : NULL,
			"shift=0",
			NULL};
	struct run run = {.table = table, .column = column, .round = round};
	struct bench_process process;

	if (bench_start(&process, columns[column].qemu ? qemu : soft))
		return -1;
	const int result = read_lines(&run, &process);
	bench_stop(&process, result != 0);
	return result;
}

static int measure(const struct bench_linux *o, struct table *table)
{
	for (unsigned int round = 0; round < o->rounds; round++)
		for (int c = 0; c < COLUMNS; c++) {
			if (columns[c].qemu && !o->qemu)
				continue;
			if (isatty(STDERR_FILENO))
				fprintf(stderr, "\r\033[KLinux: %s, round %u of %u",
					columns[c].name, round + 1, o->rounds);
			if (run_once(o, table, (enum column)c, round))
				return -1;
		}
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K");
	return 0;
}

/*
 * What is printed for each program: the speed of `column` relative to that of `base`. The guest
 * executes more when perf runs in it; the speed of an operation leaves that out.
 */
static const struct figure {
	const char *title, *key;
	enum column base, column;
	bool qemu, of_operation;
} figures[] = {
	{"soft/QEMU", "soft_over_qemu", QEMU, OFF, true, false},
	{"soft/QEMU icount", "soft_over_qemu_icount", QEMU_ICOUNT, OFF, true, false},
	{"SPE " INTERVAL, "spe_over_off", OFF, SPE, false, false},
	{"SPE " INTERVAL " per op", "spe_over_off_per_operation", OFF, SPE, false, true},
};
#define FIGURES (sizeof(figures) / sizeof(figures[0]))

static struct bench_spread speed(const struct row *row, const struct figure *figure,
				 unsigned int rounds)
{
	const double *operations = row->operations;
	const double more = figure->of_operation && operations[figure->base] > 0
				    ? operations[figure->column] / operations[figure->base]
				    : 1;
	double values[BENCH_MAX_ROUNDS];

	for (unsigned int i = 0; i < rounds; i++)
		values[i] = more * row->seconds[figure->base][i] / row->seconds[figure->column][i];
	return bench_spread(values, rounds);
}

static void print_table(const struct bench_linux *o, const struct table *table)
{
	printf("Speed of soft with Linux, by seconds of the processor, and while perf in the guest "
	       "records all\nwith SPE at " INTERVAL
	       " beside SPE off, as a whole and per operation; QEMU's is 1.\n"
	       "Median of %u rounds, minimum-maximum.\n\n%-10s %8s %8s",
	       o->rounds, "program", "Mops", "seconds");
	for (size_t f = 0; f < FIGURES; f++)
		if (!figures[f].qemu || o->qemu)
			printf("  %-16s", figures[f].title);
	putchar('\n');
	for (const struct row *row = table->rows; row < table->rows + table->count; row++) {
		printf("%-10s %8.1f %8.2f", row->name, row->operations[OFF] / 1e6,
		       bench_spread(row->seconds[OFF], o->rounds).median);
		for (size_t f = 0; f < FIGURES; f++) {
			struct bench_spread s;

			if (figures[f].qemu && !o->qemu)
				continue;
			s = speed(row, &figures[f], o->rounds);
			printf("  %5.2f %4.2f-%-5.2f", s.median, s.min, s.max);
		}
		putchar('\n');
	}
}

static json_object *table_json(const struct bench_linux *o, const struct table *table)
{
	json_object *list = json_object_new_array();

	for (const struct row *row = table->rows; row < table->rows + table->count; row++) {
		json_object *entry = json_object_new_object();

		json_add(entry, "name", json_object_new_string(row->name));
		json_add(entry, "operations",
			 json_object_new_uint64((uint64_t)row->operations[OFF]));
		json_add(entry, "cpu_seconds",
			 bench_spread_json(bench_spread(row->seconds[OFF], o->rounds)));
		for (size_t f = 0; f < FIGURES; f++)
			if (!figures[f].qemu || o->qemu)
				json_add(entry, figures[f].key,
					 bench_spread_json(speed(row, &figures[f], o->rounds)));
		json_append(list, entry);
	}
	return list;
}

int bench_linux(const struct bench_linux *o, json_object *report)
{
	struct table *table = calloc(1, sizeof(*table));
	int result;

	if (!table) {
		cli_message(stderr, "vspe bench: no memory");
		return -1;
	}
	result = measure(o, table);
	if (result == 0 && report)
		json_add(report, "linux", table_json(o, table));
	else if (result == 0)
		print_table(o, table);
	free(table);
	return result;
}
