/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs one guest, and judges it: see guest.h. */
#define _GNU_SOURCE /* vasprintf, strchrnul */
#include "conform/guest.h"
#include "base/tap.h"
#include "base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Time beyond the guest's limit, in which the process can end by itself and report it. */
#define GRACE_SECONDS 10

/* Of a command. */
#define WORDS_MOST 64

static char *must_copy(const char *text, size_t length)
{
	char *copy = strndup(text, length);

	if (!copy)
		memory_out();
	return copy;
}

static char *image_path(const struct guest *guest)
{
	char *path;

	if (asprintf(&path, "%s/%s", guest->setup->folder, guest->row->image) < 0)
		memory_out();
	return path;
}

/* A command, which owns its words. */
struct command {
	char *words[WORDS_MOST + 1]; /* NULL after the last */
	size_t count;
};

static void add_word(struct command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add_word(struct command *command, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (command->count == WORDS_MOST ||
	    vasprintf(&command->words[command->count++], format, args) < 0)
		memory_out();
	va_end(args);
}

static void add_words(struct command *command, const char *const *words)
{
	while (*words)
		add_word(command, "%s", *words++);
}

static void add_vspe(struct command *command, const struct guest *guest)
{
	add_words(command, (const char *const[]){guest->setup->program, "run", "--tap", "--engine",
						 guest->setup->engine, "--timeout", NULL});
	add_word(command, "%u", guest->row->seconds);
	add_word(command, "--kernel");
	add_word(command, "%s/%s", guest->setup->folder, guest->row->image);
}

/*
 * QEMU always starts a kernel below EL3. For EL3 the image goes into RAM, with the PC at its first
 * instruction. QEMU's device tree is then at the start of RAM, where the guests look if X0 is 0.
 */
static void add_qemu(struct command *command, const struct guest *guest)
{
	const bool el3 = strcmp(guest->row->on, "qemu-el3") == 0;

	add_words(command, (const char *const[]){
				   guest->setup->qemu, "-machine",
				   el3 ? "virt,gic-version=3,secure=on,virtualization=on"
				       : "virt,gic-version=3",
				   "-cpu", "max", "-m", "256", "-nic", "none", "-display", "none",
				   "-serial", "stdio", el3 ? "-device" : "-kernel", NULL});
	if (el3)
		add_word(command, "loader,file=%s/%s,addr=0x40200000,cpu-num=0,force-raw=on",
			 guest->setup->folder, guest->row->image);
	else
		add_word(command, "%s/%s", guest->setup->folder, guest->row->image);
}

static char *joined_arguments(const struct guest_row *row)
{
	char *text = must_copy("", 0), *longer;

	for (size_t i = 0; i < row->argument_count; i++) {
		if (asprintf(&longer, "%s%s%s", text, i ? " " : "", row->arguments[i]) < 0)
			memory_out();
		free(text);
		text = longer;
	}
	return text;
}

/* The replacement of a letter after % in the user's command; NULL: there is none. */
static const char *meaning(char letter, const char *path, const char *name, const char *arguments)
{
	switch (letter) {
	case 'k': return path;
	case 'n': return name;
	case 'a': return arguments;
	case '%': return "%";
	default: return NULL;
	}
}

static void add_filled(struct command *command, const char *word, const char *path,
		       const char *name, const char *arguments)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		memory_out();
	for (; *word; word++) {
		const char *of = *word == '%' ? meaning(word[1], path, name, arguments) : NULL;

		if (of)
			fputs(of, out);
		else
			fputc(*word, out);
		word += of != NULL;
	}
	if (fclose(out))
		memory_out();
	add_word(command, "%s", text);
	free(text);
}

static void add_users(struct command *command, const struct guest *guest)
{
	char *image = image_path(guest), *arguments = joined_arguments(guest->row);
	char *const *word;

	for (word = guest->setup->command; *word; word++) {
		if (strcmp(*word, "%*") != 0)
			add_filled(command, *word, image, guest->row->image, arguments);
		for (size_t i = 0; strcmp(*word, "%*") == 0 && i < guest->row->argument_count; i++)
			add_word(command, "%s", guest->row->arguments[i]);
	}
	free(image);
	free(arguments);
}

static void command_of(const struct guest *guest, struct command *command)
{
	*command = (struct command){0};
	if (guest->setup->command) {
		add_users(command, guest);
		return;
	}
	if (guest->setup->qemu)
		add_qemu(command, guest);
	else
		add_vspe(command, guest);
	for (size_t i = 0; i < guest->row->argument_count; i++)
		add_word(command, "%s", guest->row->arguments[i]);
}

static void command_free(struct command *command)
{
	for (size_t i = 0; i < command->count; i++)
		free(command->words[i]);
}

static void print_word(const char *word, FILE *out)
{
	const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			    "_-.,/=+:@%";

	if (word[0] && strspn(word, plain) == strlen(word)) {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", out);
		else
			fputc(*word, out);
	}
	fputc('\'', out);
}

void guest_print_command(const struct guest *guest, FILE *out)
{
	struct command command;

	command_of(guest, &command);
	if (guest->setup->command)
		print_word(command.words[0], out);
	else
		fputs(guest->setup->qemu ? "qemu-system-aarch64" : "vspe", out);
	for (size_t i = 1; i < command.count; i++) {
		fputc(' ', out);
		print_word(command.words[i], out);
	}
	command_free(&command);
}

void guest_print_row(const struct guest *guest, FILE *out)
{
	const struct guest_row *row = guest->row;

	fprintf(out, "%s %s %s %u %u %u", row->name, row->on, row->image, row->plan, row->skips,
		row->seconds);
	for (size_t i = 0; i < row->argument_count; i++) {
		fputc(' ', out);
		print_word(row->arguments[i], out);
	}
}

static void add_test(struct guest *guest, const struct tap_point *point, const char *comments,
		     size_t comments_length)
{
	struct guest_test test = {
		.name = must_copy(point->description, point->description_length),
		.ok = point->ok || point->todo,
		.skip = point->skip,
		.reason = must_copy(point->reason, strlen(point->reason)),
	};

	if (guest->setup->known)
		test.known = known_find(guest->setup->known, guest->setup->machines,
					guest->setup->machine_count, test.name);
	if (!test.ok && comments_length > 0)
		test.diagnostics = must_copy(comments, comments_length);
	guest->tests = realloc(guest->tests, (guest->count + 1) * sizeof(*guest->tests));
	if (!guest->tests)
		memory_out();
	guest->tests[guest->count++] = test;
	guest->skipped += test.ok && test.skip;
	guest->passed += test.ok && !test.skip;
	guest->failed += !test.ok && !test.known;
	guest->known_failed += !test.ok && test.known;
}

/* Remove carriage returns and zeros. */
static size_t clean_text(char *text, size_t size)
{
	size_t kept = 0;

	for (size_t i = 0; i < size; i++) {
		if (text[i] == '\0')
			text[i] = '?';
		if (text[i] != '\r')
			text[kept++] = text[i];
	}
	text[kept] = '\0';
	return kept;
}

/* Other lines that are valid TAP. */
static bool is_tap(const char *line)
{
	const size_t digits = strspn(line, "0123456789");

	return line[0] == '#' || strncmp(line, "TAP version", 11) == 0 ||
	       strncmp(line, "Bail out!", 9) == 0 ||
	       (digits > 0 && strncmp(line + digits, "..", 2) == 0);
}

/* Take the test points from the output. Comments come before their test point. */
static void read_tests(struct guest *guest, struct tap *tap, struct guest_stream *out)
{
	char *comments = out->bytes, *end;
	struct tap_point point;

	tap_init(tap);
	for (size_t i = 0; i < out->size; i++)
		tap_byte(tap, (uint8_t)out->bytes[i]);
	tap_end(tap);
	for (char *line = out->bytes; *line; line = end) {
		end = strchrnul(line, '\n');
		const char last = *end;

		*end = '\0';
		const bool is_point = tap_parse_point(line, &point);

		if (is_point)
			add_test(guest, &point, comments, (size_t)(line - comments));
		else if (!guest->noise && !is_tap(line))
			guest->noise = must_copy(line, strlen(line));
		*end = last;
		end += last != '\0';
		if (is_point)
			comments = end;
	}
}

/* vspe's last line, or "". */
static const char *last_line(char *text)
{
	size_t length = strlen(text);
	char *start;

	while (length > 0 && text[length - 1] == '\n')
		text[--length] = '\0';
	start = strrchr(text, '\n');
	return start ? start + 1 : text;
}

/* Is its end or its TAP wrong? If so, a line in why. */
static bool complaint(const struct guest *guest, const struct tap *tap, struct guest_output *output,
		      int error, char *why, size_t size)
{
	const struct guest_row *row = guest->row;
	char text[128];

	if (error)
		snprintf(why, size, "cannot be started: %s", strerror(-error));
	else if (output->late)
		snprintf(why, size, "%sno end after %u s",
			 guest->setup->console ? "" : "killed: ", row->seconds + GRACE_SECONDS);
	else if (output->large)
		snprintf(why, size, "killed: more than %u bytes of output", GUEST_OUTPUT_MOST);
	else if (WIFSIGNALED(output->status))
		snprintf(why, size, "%s was ended by signal %d (%s)",
			 guest->setup->command ? "the command"
			 : guest->setup->qemu  ? "QEMU"
					       : "vspe",
			 WTERMSIG(output->status), strsignal(WTERMSIG(output->status)));
	else if (!tap_passed(tap, text, sizeof(text)) && WEXITSTATUS(output->status) <= 1)
		snprintf(why, size, "%s", text);
	else if (WEXITSTATUS(output->status) > (guest->known_failed > 0))
		snprintf(why, size, "exit code %d: %s", WEXITSTATUS(output->status),
			 last_line(output->err.bytes));
	else if (tap->plan != row->plan)
		snprintf(why, size, "plan of %" PRIu64 " tests, the list says %u", tap->plan,
			 row->plan);
	else if (guest->skipped > row->skips)
		snprintf(why, size, "%zu tests skipped, the list says at most %u", guest->skipped,
			 row->skips);
	else if (guest->setup->strict && guest->noise)
		snprintf(why, size, "this is no TAP: %s", guest->noise);
	else
		return false;
	return true;
}

static void run_guest(const struct suite_point *point, atomic_ullong *done,
		      struct suite_result *result, FILE *details)
{
	struct guest *guest = point->guest;
	struct guest_output output;
	struct tap tap;
	struct command command;
	struct timespec began, ended;
	int error;

	command_of(guest, &command);
	clock_gettime(CLOCK_MONOTONIC, &began);
	if (guest->setup->console)
		error = guest_console_run(command.words, guest->row->seconds + GRACE_SECONDS,
					  guest->setup->console, &output);
	else
		error = guest_process_run(command.words, guest->row->seconds + GRACE_SECONDS,
					  &output);
	clock_gettime(CLOCK_MONOTONIC, &ended);
	guest->seconds = (double)(ended.tv_sec - began.tv_sec) +
			 1e-9 * (double)(ended.tv_nsec - began.tv_nsec);
	command_free(&command);
	output.out.size = clean_text(output.out.bytes, output.out.size);
	output.err.size = clean_text(output.err.bytes, output.err.size);
	read_tests(guest, &tap, &output.out);
	tap.failed -= guest->known_failed;
	tap.passed += guest->known_failed;
	result->cases = guest->count;
	atomic_fetch_add_explicit(done, guest->count, memory_order_relaxed);
	if (complaint(guest, &tap, &output, error, result->what, sizeof(result->what))) {
		result->status = SUITE_FAILED;
		fputs("reproduce: ", details);
		guest_print_command(guest, details);
		fputc('\n', details);
		guest->output = output.out.bytes;
		output.out.bytes = NULL;
	} else if (guest->count > 0 && guest->skipped == guest->count) {
		result->status = SUITE_SKIPPED;
		snprintf(result->what, sizeof(result->what), "%s", guest->tests[0].reason);
	} else {
		const int used = snprintf(result->what, sizeof(result->what),
					  "%zu tests, %zu skipped", guest->count, guest->skipped);

		if (guest->known_failed > 0)
			snprintf(result->what + used, sizeof(result->what) - (size_t)used,
				 ", %zu known defects", guest->known_failed);
	}
	guest_output_free(&output);
}

bool guest_is_wanted(const struct guest_row *row, const struct guest_setup *setup)
{
	if (setup->command)
		return strcmp(row->on, "command") == 0;
	return strncmp(row->on, setup->qemu ? "qemu" : "vspe", 4) == 0;
}

/* Does the list have a row for this image that the suite starts? If not, its test was forgotten. */
static bool has_wanted(const struct guest_list *list, const char *image,
		       const struct guest_setup *setup)
{
	const size_t stem = strcspn(image, ".");

	for (size_t i = 0; i < list->count; i++)
		if (guest_is_wanted(&list->rows[i], setup) &&
		    strncmp(list->rows[i].image, image, stem + 1) == 0)
			return true;
	return false;
}

static bool takes_arguments(char *const *command)
{
	while (*command && !strstr(*command, "%a") && strcmp(*command, "%*") != 0)
		command++;
	return *command;
}

bool guest_add_all(struct suite *suite, const struct guest_list *list,
		   const struct guest_setup *setup, struct guest **guests, size_t *count, char *why,
		   size_t size)
{
	*count = 0;
	*guests = calloc(list->count + 1, sizeof(**guests));
	if (!*guests)
		memory_out();
	for (size_t i = 0; i < list->count; i++) {
		const struct guest_row *row = &list->rows[i];
		struct guest *guest = &(*guests)[*count];
		char *path;

		if (setup->qemu && setup->strict && !has_wanted(list, row->image, setup)) {
			snprintf(why, size, "%s:%u: %s has no row for QEMU", list->path, row->line,
				 row->image);
			return false;
		}
		if (!guest_is_wanted(row, setup))
			continue;
		if (setup->command && row->argument_count && !takes_arguments(setup->command)) {
			snprintf(why, size,
				 "%s:%u: %s has arguments, and the command no %%a or %%*",
				 list->path, row->line, row->name);
			return false;
		}
		*guest = (struct guest){.row = row, .setup = setup};
		path = image_path(guest);
		if (access(path, R_OK)) {
			snprintf(why, size, "%s:%u: %s: %s", list->path, row->line, path,
				 strerror(errno));
			free(path);
			return false;
		}
		free(path);
		suite_add(suite,
			  (struct suite_point){.group = "guest",
					       .run = run_guest,
					       .reg = SYSREG_COUNT,
					       .guest = guest},
			  "%s", row->name);
		++*count;
	}
	return true;
}

void guest_free_all(struct guest *guests, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < guests[i].count; j++) {
			free(guests[i].tests[j].name);
			free(guests[i].tests[j].reason);
			free(guests[i].tests[j].diagnostics);
		}
		free(guests[i].tests);
		free(guests[i].noise);
		free(guests[i].output);
	}
	free(guests);
}
