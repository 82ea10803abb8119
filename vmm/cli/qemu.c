/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vspe qemu: runs an unmodified qemu-system-aarch64 whose guest has SPE, with the plugin of the
 * folder qemu/. The guest learns of SPE from the device tree that QEMU makes for the same
 * arguments, with SPE added.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/qemu_command.h"
#include "cli/qemu_tree.h"
#include "cli/qemu_words.h"
#include "machine/spe_option.h"

/* What the lines of --dry-run call the device tree. */
#define DRY_TREE "vspe.dtb"

struct request {
	const char *spe, *seed, *perf_data, *qemu, *plugin, *dump_dtb;
	const char *model;
	const struct spe_core *core; /* of the records; NULL: as QEMU's -cpu says, if it does */
	bool stats, dry_run;
	char program[PATH_MAX];	  /* QEMU */
	struct qemu_command base; /* QEMU with the given arguments */
	struct qemu_command full; /* ... with the plugin */
};

static int take_cpu(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	struct request *request = parser->request;

	if (strcmp(value, "help") == 0) {
		spe_option_cores(stdout);
		return CLI_OK;
	}
	request->core = spe_core_find(value);
	return request->core ? CLI_GO_ON
			     : cli_refuse(parser, option, value,
					  "no such core; --cpu help lists them, and QEMU's own has "
					  "one hyphen");
}

static int take_model(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	struct request *request = parser->request;

	if (strcmp(value, "off") != 0 && strcmp(value, "warm") != 0)
		return cli_refuse(parser, option, value, "the mode is none of off and warm");
	request->model = value;
	return CLI_GO_ON;
}

#include "qemu_rows.h"

static int refuse(const char *format, const char *what)
{
	cli_message(stderr, format, what);
	return CLI_USAGE;
}

static int make_base(struct request *r, char *const *words)
{
	const char *name = r->qemu ? r->qemu : QEMU_PROGRAM;
	struct qemu_command *c = &r->base;

	if (!cli_find_program(r->program, sizeof(r->program), name))
		return refuse("vspe qemu: --qemu: there is no %s", name);
	qemu_command_add(c, r->program);
	if (!qemu_words_value(words, "machine") && !qemu_words_value(words, "M"))
		qemu_command_add_two(c, "-machine", "virt,gic-version=3");
	/* The architecture's cipher of pointer authentication makes Linux several times slower. */
	if (!qemu_words_value(words, "cpu"))
		qemu_command_add_two(c, "-cpu", "max,pauth-impdef=on");
	while (*words)
		qemu_command_add(c, *words++);
	return c->failed ? refuse("vspe qemu: %s", "no memory") : CLI_GO_ON;
}

/* Spell a word of --spe for the plugin: QEMU has no "no-name". */
static void add_spe(FILE *out, const char *text)
{
	for (const char *comma = ""; *text; text += strspn(text, ","), comma = ",") {
		const size_t length = strcspn(text, ",");
		const bool no = strncmp(text, "no-", 3) == 0, value = memchr(text, '=', length);

		if (*comma == '\0' && text[0] == 'v' && text[1] >= '0' && text[1] <= '9')
			fprintf(out, ",spe=%.*s", (int)length, text);
		else if (no && !value)
			fprintf(out, ",%.*s=off", (int)length - 3, text + 3);
		else
			fprintf(out, ",%.*s%s", (int)length, text, value ? "" : "=on");
		text += length;
	}
}

/* A file name, with its commas doubled. */
static void add_name(FILE *out, const char *name)
{
	for (; *name; name++)
		fprintf(out, *name == ',' ? ",," : "%c", *name);
}

/* The value of -plugin. NULL: no memory. */
static char *plugin_words(const struct request *r, const char *plugin, const struct qemu_ram *ram)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const struct spe_core *core = r->core ? r->core : qemu_words_core(&r->base);

	if (!out)
		return NULL;
	add_name(out, plugin);
	if (core && core != spe_core(0))
		fprintf(out, ",core=%s", core->name);
	if (r->spe)
		add_spe(out, r->spe);
	if (r->model)
		fprintf(out, ",model=%s", r->model);
	if (r->seed)
		fprintf(out, ",seed=%s", r->seed);
	if (r->stats)
		fputs(",stats=on", out);
	if (r->perf_data) {
		fputs(",perf-data=", out);
		add_name(out, r->perf_data);
	}
	if (ram->end)
		fprintf(out, ",ram=0x%" PRIx64 "-0x%" PRIx64, ram->start, ram->end);
	return fclose(out) == 0 ? text : NULL;
}

static int check_version(const struct request *r)
{
	char line[128];

	switch (qemu_command_release(r->program, line, sizeof(line))) {
	case QEMU_IS_NEW: return CLI_GO_ON;
	case QEMU_IS_NONE:
		return refuse("vspe qemu: --qemu: %s does not run, or is no QEMU", r->program);
	case QEMU_IS_OLD: break;
	}
	return refuse("vspe qemu: --qemu: 11.1 or later is needed, whose plugins can do what SPE "
		      "needs; this is %s; " QEMU_INSTALL,
		      line);
}

static int find_plugin(const struct request *r, char *path, size_t size)
{
	if (r->plugin)
		snprintf(path, size, "%s", r->plugin);
	else if (cli_find_plugin(path, size) < 0)
		return refuse("vspe qemu: --plugin: there is no %s: it comes with the package "
			      "libvspe-qemu",
			      path);
	return access(path, R_OK) == 0 ? CLI_GO_ON
				       : refuse("vspe qemu: --plugin: %s cannot be read", path);
}

/* Write the tree to a file: for --dump-dtb, for --dry-run's lines, or for QEMU only. */
static int make_tree(const struct request *r, char *path, size_t size, struct qemu_ram *ram)
{
	char why[512];

	snprintf(path, size, "%s", r->dump_dtb ? r->dump_dtb : r->dry_run ? "/dev/null" : "");
	if (qemu_tree_make(&r->base, path, size, ram, why, sizeof(why)) == 0)
		return CLI_GO_ON;
	return refuse("vspe qemu: %s", why);
}

/* Print lines for a shell: the one that makes the tree, unless it exists, and QEMU's. */
static void print_dry(const struct request *r)
{
	struct qemu_command making = {.words = NULL};

	if (!r->dump_dtb) {
		qemu_command_add_two(&making, "vspe", "qemu");
		qemu_command_add_two(&making, "--dump-dtb", DRY_TREE);
		if (r->qemu)
			qemu_command_add_two(&making, "--qemu", r->qemu);
		qemu_command_add(&making, "--");
		for (char **word = r->base.words + 1; *word; word++)
			qemu_command_add(&making, *word);
		qemu_command_print(&making, stdout);
		qemu_command_free(&making);
	}
	qemu_command_print(&r->full, stdout);
}

static int start(struct request *r)
{
	struct qemu_command *c = &r->full;
	struct qemu_ram ram = {0, 0};
	char plugin[4096], tree[PATH_MAX];
	int code = r->dump_dtb && !r->dry_run ? CLI_GO_ON : find_plugin(r, plugin, sizeof(plugin));

	if (code == CLI_GO_ON)
		code = check_version(r);
	if (code != CLI_GO_ON)
		return code;
	qemu_words_warn(&r->base);
	code = make_tree(r, tree, sizeof(tree), &ram);
	if (code != CLI_GO_ON)
		return code;
	if (r->dump_dtb && !r->dry_run)
		return CLI_OK;
	for (char **word = r->base.words; *word; word++)
		qemu_command_add(c, *word);
	qemu_command_add_two(c, "-dtb", r->dry_run && !r->dump_dtb ? DRY_TREE : tree);
	qemu_command_add(c, "-plugin");
	qemu_command_take(c, plugin_words(r, plugin, &ram));
	if (c->failed)
		return refuse("vspe qemu: %s", "no memory");
	if (r->dry_run) {
		print_dry(r);
		return CLI_OK;
	}
	execv(r->program, c->words);
	return refuse("vspe qemu: %s cannot be run", r->program);
}

int cmd_qemu(int argc, char **argv)
{
	struct request request = {.spe = NULL};
	struct cli_parser parser = {
		.command = "qemu",
		.help = qemu_help,
		.lists = {{qemu_rows, sizeof(qemu_rows) / sizeof(qemu_rows[0])}},
		.request = &request,
		.messages = stderr,
	};
	char **words = qemu_words_sort(&parser.lists[0], argc, argv);
	int operands, code = CLI_USAGE, count = argc;

	if (!words)
		return refuse("vspe qemu: %s", "no memory");
	while (words[count])
		count++;
	code = cli_parse(&parser, count, words, &operands);
	if (code == CLI_GO_ON)
		code = make_base(&request, words + operands);
	if (code == CLI_GO_ON)
		code = start(&request);
	qemu_command_free(&request.base);
	qemu_command_free(&request.full);
	free(words);
	return code;
}
