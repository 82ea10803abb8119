/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe run --record and --replay: their files, and the options that they exclude. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "base/input_file.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/run.h"
#include "machine/recording.h"

static int refuse(const struct run_options *options, const char *why)
{
	const bool records = options->recording.record;

	cli_message(stderr, "vspe run: --%s %s: %s", records ? "record" : "replay",
		    records ? options->recording.record : options->recording.replay, why);
	return CLI_USAGE;
}

int run_record_check(const struct run_options *options)
{
	if (!options->recording.record && !options->recording.replay)
		return CLI_GO_ON;
	if (options->choices.engine->concurrent)
		return refuse(options, "not with --engine kvm: when a vCPU of it gets something "
				       "cannot be repeated");
	if (options->save || options->restore)
		return refuse(options, options->save ? "not with --save" : "not with --restore");
	for (unsigned int i = 0; i < options->disk_count; i++)
		if (options->disks[i].mode == VIRTIO_DISK_WRITE)
			return refuse(options, "a disk that is written to is another one the next "
					       "time: --disk needs ro or snapshot");
	return CLI_GO_ON;
}

/* Join the words with blanks; malloc'ed, or NULL. */
static char *join(const char *const *words, size_t count)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	for (size_t i = 0; to && i < count; i++)
		(void)fprintf(to, "%s%s", i > 0 ? " " : "", words[i]);
	if (to && fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}

static int begin_recording(struct run_options *options, struct machine *machine,
			   const char *const *words, size_t count)
{
	struct run_recording *recording = &options->recording;
	const int error = output_open(&recording->output, recording->record, OUTPUT_FILE);
	char why[256], *command;
	int result;

	if (error < 0)
		return refuse(options, output_error(error));
	command = join(words, count);
	if (!command)
		return refuse(options, "no memory");
	result = machine_record(machine, recording->output.file, command, why, sizeof(why));
	free(command);
	return result == 0 ? 0 : refuse(options, why);
}

int run_record_open(struct run_options *options, struct machine *machine, const char *const *words,
		    size_t count)
{
	struct run_recording *recording = &options->recording;
	char why[1024];
	int error;

	if (recording->record)
		return begin_recording(options, machine, words, count);
	if (!recording->replay)
		return 0;
	recording->file = input_file_stream(recording->replay, &error);
	if (!recording->file)
		return refuse(options, input_file_error(error));
	return machine_replay(machine, recording->file, why, sizeof(why)) == 0
		       ? 0
		       : refuse(options, why);
}

void run_record_close(struct run_options *options)
{
	struct run_recording *recording = &options->recording;

	if (recording->output.file)
		recording->error = output_commit(&recording->output, false);
}

int run_record_tell(const struct run_options *options, int code)
{
	const struct run_recording *recording = &options->recording;

	if (recording->error == 0)
		return code;
	(void)cli_unwritten(stderr, "run: --record", recording->record, recording->error);
	return cli_exit_unwritten(code);
}

void run_record_abandon(struct run_options *options)
{
	output_abandon(&options->recording.output);
	if (options->recording.file)
		(void)fclose(options->recording.file);
	options->recording.file = NULL;
}
