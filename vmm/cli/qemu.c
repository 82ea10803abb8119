// SPDX-License-Identifier: BSD-2-Clause
/*
 * vspe qemu: an unmodified qemu-system-aarch64 whose guest has SPE, by the plugin of the folder
 * qemu/. What the guest has to be told is put into the device tree that QEMU makes for the same
 * arguments.
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

struct request {
	const char *spe, *seed, *perf_data, *qemu, *plugin;
	bool stats, dry_run;
	char program[PATH_MAX];	  /* QEMU */
	struct qemu_command base; /* QEMU with what was given */
	struct qemu_command full; /* ... with the plugin */
};

#include "qemu_rows.h"

static int refuse(const char *format, const char *what)
{
	cli_message(stderr, format, what);
	return CLI_USAGE;
}

static bool has(char *const *words, const char *name)
{
	for (; *words; words++)
		if (strcmp(*words + strspn(*words, "-"), name) == 0 && **words == '-')
			return true;
	return false;
}

static int make_base(struct request *r, char *const *words)
{
	const char *name = r->qemu ? r->qemu : QEMU_PROGRAM;
	struct qemu_command *c = &r->base;

	if (!cli_find_program(r->program, sizeof(r->program), name))
		return refuse("vspe qemu: --qemu: there is no %s", name);
	qemu_command_add(c, r->program);
	if (!has(words, "machine") && !has(words, "M"))
		qemu_command_add_two(c, "-machine", "virt,gic-version=3");
	if (!has(words, "cpu"))
		qemu_command_add_two(c, "-cpu", "max");
	while (*words)
		qemu_command_add(c, *words++);
	return c->failed ? refuse("vspe qemu: %s", "no memory") : CLI_GO_ON;
}

/* A word of --spe, as the plugin takes it: QEMU has no "no-name". */
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

/* A file name, in which a comma has to be doubled. */
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

	if (!out)
		return NULL;
	add_name(out, plugin);
	if (r->spe)
		add_spe(out, r->spe);
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

/* What firmware gives its guest instead of the device tree has no SPE. */
static void tell_of_firmware(const struct request *r)
{
	const char *const *words = (const char *const *)r->base.words;
	bool firmware = false, off = false;

	for (; *words; words++) {
		firmware |= strcmp(*words, "-bios") == 0 || strstr(*words, "pflash") != NULL;
		off |= strstr(*words, "acpi=off") != NULL;
	}
	if (firmware && !off)
		cli_message(stderr, "vspe qemu: QEMU's ACPI tables have no SPE: with -machine "
				    "acpi=off firmware gives its guest the device tree, which has");
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

static int start(struct request *r)
{
	struct qemu_command *c = &r->full;
	struct qemu_ram ram = {0, 0};
	char plugin[4096], tree[64], why[512];
	int code = find_plugin(r, plugin, sizeof(plugin));

	if (code == CLI_GO_ON)
		code = check_version(r);
	if (code != CLI_GO_ON)
		return code;
	tell_of_firmware(r);
	if (!r->dry_run && qemu_tree_make(&r->base, tree, sizeof(tree), &ram, why, sizeof(why)) < 0)
		return refuse("vspe qemu: %s", why);
	for (char **word = r->base.words; *word; word++)
		qemu_command_add(c, *word);
	if (!r->dry_run)
		qemu_command_add_two(c, "-dtb", tree);
	qemu_command_add(c, "-plugin");
	qemu_command_take(c, plugin_words(r, plugin, &ram));
	if (c->failed)
		return refuse("vspe qemu: %s", "no memory");
	if (r->dry_run) {
		qemu_command_print(c, stdout);
		return CLI_OK;
	}
	execv(r->program, c->words);
	return refuse("vspe qemu: %s cannot be run", r->program);
}

/*
 * QEMU's options have one hyphen, this command's have two: "--" is put before the first of QEMU's
 * if nobody has. NULL: no memory.
 */
static char **with_border(int argc, char **argv)
{
	char **words = calloc((size_t)argc + 2, sizeof(*words));
	bool border = false;
	int to = 0;

	for (int i = 0; words && i < argc; i++) {
		const char *w = argv[i];

		if (!border && w[0] == '-' && w[1] != '-' && strcmp(w, "-h") != 0 &&
		    strcmp(w, "-n") != 0)
			words[to++] = (char *)(uintptr_t) "--";
		border |= strcmp(w, "--") == 0 || (to && strcmp(words[to - 1], "--") == 0);
		words[to++] = argv[i];
	}
	return words;
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
	char **words = with_border(argc, argv);
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
