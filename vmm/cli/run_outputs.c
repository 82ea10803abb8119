/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe run: the files that it writes, including the device tree. */
#include <stdlib.h>
#include <string.h>

#include "cli/run.h"
#include "machine/device_tree.h"
#include "machine/loader.h"

int run_open_output(struct output *output, const char *option, const char *path,
		    enum output_kind kind)
{
	const int error = output_open(output, path, kind);

	if (error == 0)
		return 0;
	cli_message(stderr, "vspe run: %s %s: %s", option, path, output_error(error));
	return CLI_USAGE;
}

int run_write_dtb(struct output *output, const struct run_options *options, const void *dtb,
		  size_t size)
{
	int error = output_write(output, dtb, size);

	if (error == 0)
		error = output_commit(output, false);
	if (error == 0)
		return 0;
	return cli_unwritten(stderr, "run: --dump-dtb", options->dump_dtb, error);
}

int run_dump_only(const struct run_options *options, struct output *output)
{
	struct device_tree_config config = {
		.device = {.choices = options->choices,
			   .concurrent = options->choices.engine->concurrent,
			   .midr = machine_midr(options->choices.core)},
	};
	uint8_t *dtb = malloc(LOADER_DTB_SIZE);
	int size, code;

	if (!dtb) {
		cli_message(stderr, "vspe run: no memory");
		return CLI_ENGINE;
	}
	size = device_tree_build(&config, dtb, LOADER_DTB_SIZE);
	if (size < 0) {
		cli_message(stderr, "vspe run: --params: the device tree has no room");
		free(dtb);
		return CLI_USAGE;
	}
	code = run_become(options);
	if (code == 0)
		code = run_open_output(output, "--dump-dtb", options->dump_dtb, OUTPUT_ANYTHING);
	if (code == 0)
		code = run_write_dtb(output, options, dtb, (size_t)size);
	free(dtb);
	return code;
}
