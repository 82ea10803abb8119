/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vspe run: the sandbox, before and after the files are open, and the user in between. One limit on
 * the size of a file serves all: that of the file that may become largest.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/privileges.h"
#include "base/protections.h"
#include "base/sandbox.h"
#include "cli/cli.h"
#include "cli/run.h"

#define MESSAGES (UINT64_C(64) << 20) /* of this process, and the counts at the end */
#define HEADERS	 (UINT64_C(64) << 20) /* of a file, and all of a saved machine except its memory */

/* The largest so far; reason says why there is no limit, or is NULL. */
struct most {
	uint64_t size;
	const char *reason;
};

static void allow(struct most *most, uint64_t size)
{
	if (size > most->size)
		most->size = size;
}

static uint64_t sum(uint64_t one, uint64_t other)
{
	return one > UINT64_MAX - other ? UINT64_MAX : one + other;
}

static uint64_t size_of(const char *path)
{
	struct stat status;

	return path && stat(path, &status) == 0 && S_ISREG(status.st_mode)
		       ? (uint64_t)status.st_size
		       : 0;
}

/* A disk keeps its size. A snapshot's changes are in a saved machine. */
static uint64_t allow_disks(struct most *most, const struct run_options *options)
{
	uint64_t snapshots = 0;
	char path[PATH_MAX];

	for (unsigned int i = 0; i < options->disk_count; i++) {
		const struct run_disk *disk = &options->disks[i];

		(void)snprintf(path, sizeof(path), "%.*s", (int)disk->length, disk->word);
		if (disk->mode == VIRTIO_DISK_SNAPSHOT)
			snapshots = sum(snapshots, size_of(path));
		else
			allow(most, size_of(path));
	}
	return snapshots;
}

/* A stream, which may grow by that many bytes. */
static void allow_stream(struct most *most, int fd, uint64_t bytes)
{
	struct stat status;

	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		allow(most, sum(sum((uint64_t)status.st_size, MESSAGES), bytes));
}

static void limit_files(const struct run_options *options, uint64_t console_limit,
			struct sandbox *sandbox)
{
	const uint64_t ram = options->choices.ram_size;
	const char *endless =
		options->choices.engine->endless ? options->choices.engine->endless() : NULL;
	struct most most = {0, endless};
	const uint64_t snapshots = allow_disks(&most, options);

	allow(&most, size_of(options->variables));
	if (options->save) /* deflated, and slightly larger if incompressible */
		allow(&most, sum(sum(ram + ram / 64, sum(snapshots, snapshots / 64)), HEADERS));
	if (options->perf_data && options->perf_data_limit < UINT64_MAX)
		allow(&most, sum(options->perf_data_limit, HEADERS));
	else if (options->perf_data)
		most.reason = "--perf-data-limit none";
	if (options->recording.record)
		most.reason = "--record writes as long as the guest runs";
	allow_stream(&most, options->serial.out, console_limit);
	allow_stream(&most, STDOUT_FILENO, options->serial.is_standard ? console_limit : 0);
	allow_stream(&most, STDERR_FILENO, 0);
	sandbox->limits_files = !most.reason;
	sandbox->file_size = most.size;
	if (most.reason)
		protections_lack(cli_protections(), PROTECTION_FILE_SIZE, true, "%s", most.reason);
}

/*
 * KVM's engine samples with counters of the host's main namespace, and opens them while a guest
 * runs.
 */
static unsigned int namespaces(const struct run_options *options)
{
	static const enum protection all[] = {
		PROTECTION_USER_NAMESPACE, PROTECTION_MOUNT_NAMESPACE, PROTECTION_NETWORK_NAMESPACE,
		PROTECTION_IPC_NAMESPACE,  PROTECTION_UTS_NAMESPACE,   PROTECTION_ROOT,
		PROTECTION_CAPABILITIES,
	};

	if (!(options->choices.engine->needs & SANDBOX_KVM))
		return PRIVILEGES_ALL;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		protections_lack(cli_protections(), all[i], true, "--engine kvm");
	return 0;
}

int run_sandbox_begin(const struct run_options *options)
{
	const struct sandbox sandbox = {
		.command = "vspe run",
		.needs = SANDBOX_FILES | SANDBOX_THREADS | options->choices.engine->needs,
		.namespaces = namespaces(options),
	};

	return cli_sandbox_enter(&sandbox, options->sandbox);
}

int run_become(const struct run_options *options)
{
	uint64_t keep = 0;
	int error;

	if (!options->user.given)
		return 0;
	if (options->sandbox != CLI_SANDBOX_OFF && privileges_held()) {
		if (options->choices.engine->needs & SANDBOX_KVM)
			keep = privileges_for_counters(cli_protections());
		privileges_separate(namespaces(options) & ~(unsigned int)PRIVILEGES_USER,
				    cli_protections());
	}
	error = privileges_become(&options->user, keep);
	if (error == 0)
		return 0;
	cli_message(stderr, "vspe run: --user %s: %s", options->user_text,
		    error == -EPERM ? "not started as root, which alone may become another"
				    : strerror(-error));
	return CLI_USAGE;
}

int run_sandbox_end(const struct run_options *options, uint64_t console_limit)
{
	const char *const outputs[] = {options->save, options->perf_data,
				       options->recording.record};
	const bool names = options->save || options->perf_data || options->recording.record;
	const bool children = options->network || options->folder || options->migration;
	struct sandbox sandbox = {
		.command = "vspe run",
		.needs = options->choices.engine->needs | (names ? SANDBOX_NAMES : 0) |
			 (children ? SANDBOX_CHILDREN : 0),
		.outputs = outputs,
		.output_count = sizeof(outputs) / sizeof(outputs[0]),
		.namespaces = namespaces(options),
		.mapped = options->choices.ram_size,
	};

	limit_files(options, console_limit, &sandbox);
	return cli_sandbox_enter(&sandbox, options->sandbox);
}
