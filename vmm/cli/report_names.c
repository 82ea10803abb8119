/* SPDX-License-Identifier: BSD-2-Clause */
/* The process and the place of a record: see report_names.h. */
#include "cli/report_names.h"

#include "cli/options.h"
#include "trace/elf_file.h"

#include <ctype.h>
#include <errno.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000) /* nanoseconds */

/* "12.5" as nanoseconds; *end is what follows. */
static uint64_t seconds(const char *text, const char **end)
{
	uint64_t time = 0, unit = SECOND;

	for (; isdigit((unsigned char)*text); text++)
		time = time < UINT64_MAX / SECOND / 10 ? 10 * time + (uint64_t)(*text - '0') : time;
	time *= SECOND;
	if (*text == '.')
		for (text++; isdigit((unsigned char)*text); text++)
			time += (uint64_t)(*text - '0') * (unit /= 10);
	*end = text;
	return time;
}

bool report_choice_time(struct report_choice *choice, const char *value)
{
	const char *comma = strchr(value, ','), *end;

	choice->by_time = true;
	choice->from = seconds(value, &end);
	if (!comma || end != comma)
		return false;
	choice->to = comma[1] ? seconds(comma + 1, &end) : UINT64_MAX;
	return (!comma[1] || !*end) && choice->from <= choice->to;
}

static void take_event(void *ctx, const struct input_event *event)
{
	threads_event(ctx, event);
}

/* The first option that needs something that the file lacks, or NULL. */
static const char *needed(const char *symfs, const struct report_choice *choice, bool pipe)
{
	if (choice->comm)
		return "--comm";
	if (choice->dso)
		return "--dso";
	if (choice->by_pid)
		return "--pid";
	if (choice->by_time)
		return "--time";
	return pipe && symfs ? "--symfs" : NULL;
}

/* Complain if the file lacks something that an option needs. */
static int lacks(const struct report_names *names, const char *name, const char *symfs,
		 const struct report_choice *choice, bool pipe)
{
	const char *option = names->threads ? NULL : needed(symfs, choice, pipe);
	uint64_t time;

	if (option)
		cli_message(stderr, "vspe report: %s: %s %s", option, name,
			    pipe ? "is a pipe, which is read once; write it to a file"
				 : "names no processes");
	else if (names->threads && choice->by_time && !threads_time(names->threads, 0, &time))
		cli_message(stderr,
			    "vspe report: --time: %s does not say how its timestamps are perf's",
			    name);
	else
		return CLI_GO_ON;
	return CLI_USAGE;
}

/*
 * Add the file of a guest without processes, as if --symbols named it, if its build id shows that
 * it is still the one that ran.
 */
static void add_guest(struct report_names *names, const struct threads *all)
{
	for (uint32_t number = 0; number < threads_dsos(all); number++) {
		const struct threads_dso dso = threads_dso(all, number);
		uint8_t id[ELF_FILE_BUILD_ID];
		Elf *elf;
		int fd;

		if (dso.kernel || !dso.build_id_size)
			continue;
		fd = elf_file_open(-1, dso.path, &elf);
		if (fd < 0)
			continue;
		if (elf_file_build_id(elf, id) == dso.build_id_size &&
		    memcmp(id, dso.build_id, dso.build_id_size) == 0)
			(void)symbols_add(names->symbols, dso.path, false, 0);
		elf_end(elf);
		close(fd);
	}
}

/*
 * Read the events that name processes, if there are any. Only report that the file cannot be read;
 * its other errors show when its records are read. CLI_GO_ON, or the exit code.
 */
static int read_threads(FILE *file, off_t start, const char *name, struct report_names *names)
{
	struct threads *all = threads_new();
	const struct input_sink sink = {.ctx = all, .event = take_event};
	struct input_result result;
	const char *anchor;
	uint64_t address;
	int error = input_read(file, &sink, &result);

	names->midr = result.midr;
	clearerr(file);
	if (fseeko(file, start, SEEK_SET)) {
		error = -EIO;
		(void)snprintf(result.problem, sizeof(result.problem), "%s", strerror(errno));
	}
	names->clock = threads_clock(all);
	if (error != -EIO && threads_any(all)) {
		names->threads = all;
		return CLI_GO_ON;
	}
	if (error != -EIO && symbols_count(names->symbols) == 0)
		add_guest(names, all);
	anchor = threads_anchor(all, &address);
	if (anchor) /* of a guest whose file has no processes: see perf_guest.h */
		(void)symbols_anchor(names->symbols, anchor, address);
	threads_free(all);
	if (error != -EIO)
		return CLI_GO_ON;
	cli_message(stderr, "vspe report: %s: %s", name, result.problem);
	return CLI_USAGE;
}

int report_names_load(struct report_names *names, FILE *file, const char *name, const char *symfs,
		      const struct report_choice *choice)
{
	const off_t start = ftello(file);
	const char *anchor = NULL;
	uint64_t address;
	int error, code;

	if (start < 0)
		return lacks(names, name, symfs, choice, true);
	code = read_threads(file, start, name, names);
	if (code != CLI_GO_ON)
		return code;
	if (names->threads) {
		threads_ready(names->threads);
		anchor = threads_anchor(names->threads, &address);
	}
	if (names->threads || symfs) {
		names->dsos = dsos_new(names->threads);
		error = dsos_load(names->dsos, symfs, names->symbols);
		if (error) {
			cli_message(stderr, "vspe report: --symfs %s: %s", symfs ? symfs : "/",
				    strerror(-error));
			return CLI_USAGE;
		}
	}
	if (anchor) /* of files of --symbols, and of those found just now */
		(void)symbols_anchor(names->symbols, anchor, address);
	return lacks(names, name, symfs, choice, false);
}

void report_names_free(struct report_names *names)
{
	symbols_free(names->symbols);
	dsos_free(names->dsos);
	threads_free(names->threads);
}

static uint64_t placed(const struct report_names *names, struct threads_who who, uint64_t address)
{
	return dsos_place(names->dsos, names->threads, who, names->symbols, address);
}

static uint64_t placed_data(const struct report_names *names, struct threads_who who,
			    uint64_t address)
{
	uint64_t place = 0;

	if (!(address >> 63) && symbols_find_data(names->symbols, address) < 0)
		place = dsos_data_address(names->dsos, names->threads, who, address);
	return place ? place : address;
}

struct threads_who report_names_place(struct report_names *names, struct input_origin origin,
				      struct sample *sample)
{
	const struct threads_who who = threads_who(names->threads, origin, sample);

	if (sample->has & SAMPLE_HAS_PC)
		sample->pc = placed(names, who, sample->pc);
	if (sample->has & SAMPLE_HAS_TARGET)
		sample->target = placed(names, who, sample->target);
	if (sample->has & SAMPLE_HAS_PREVIOUS_TARGET)
		sample->previous_target = placed(names, who, sample->previous_target);
	if (sample->has & SAMPLE_HAS_VA)
		sample->data = placed_data(names, who, sample->data);
	return who;
}

static bool of_dso(struct report_names *names, struct threads_who who, const char *wanted,
		   uint64_t address)
{
	uint32_t dso;

	if (!dsos_find(names->threads, who, address, &dso))
		return false;
	return strcmp(wanted, dsos_short_name(names->dsos, dso)) == 0 ||
	       strcmp(wanted, threads_dso(names->threads, dso).path) == 0;
}

bool report_names_pass(struct report_names *names, const struct report_choice *choice,
		       struct threads_who who, const struct sample *sample)
{
	const bool pc = sample->has & SAMPLE_HAS_PC;
	struct threads_life life = {-1, -1, 0, ""};
	long symbol;

	if (names->threads && who.life != THREADS_UNKNOWN)
		life = threads_life(names->threads, who.life);
	if ((choice->comm && strcmp(choice->comm, life.comm) != 0) ||
	    (choice->by_pid && (life.pid < 0 || choice->pid != (unsigned int)life.pid)) ||
	    (choice->by_time &&
	     (who.time == UINT64_MAX || who.time < choice->from || who.time > choice->to)) ||
	    (choice->dso && (!pc || !of_dso(names, who, choice->dso, sample->pc))))
		return false;
	if (!choice->symbol)
		return true;
	symbol = pc ? symbols_find(names->symbols, sample->pc) : -1;
	return symbol >= 0 &&
	       (strcmp(choice->symbol, symbols_get(names->symbols, symbol).name) == 0 ||
		strcmp(choice->symbol, symbols_get(names->symbols, symbol).linkage) == 0);
}
