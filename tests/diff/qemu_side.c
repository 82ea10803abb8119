/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cases under qemu-aarch64: a file in, a file out. The CPU is Cortex-A76, an Armv8.2 with LSE,
 * CRC32 and LOR, or "max", which has what came later, but also changes what Armv8.1 instructions do
 * (the 512 bytes of DC ZVA, ordered accesses that are not aligned).
 */
#include "sides.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS 120 /* until a batch is taken for stuck */

static const char *const cpus[] = {
	[CASE_CPU_A76] = "cortex-a76",
	[CASE_CPU_MAX] = "max,sve=off,sme=off",
	[CASE_CPU_SVE_128] = "max,sme=off,sve-max-vq=1,sve-default-vector-length=-1",
	[CASE_CPU_SVE_256] = "max,sme=off,sve-max-vq=2,sve-default-vector-length=-1",
	[CASE_CPU_SVE_512] = "max,sme=off,sve-max-vq=4,sve-default-vector-length=-1",
	[CASE_CPU_SVE_2048] = "max,sme=off,sve-max-vq=16,sve-default-vector-length=-1",
};

static int exchange(const char *qemu, enum case_cpu cpu, const char *runner, const char *in,
		    const char *out)
{
	char command[1024];
	int status;

	if ((size_t)snprintf(command, sizeof(command), "timeout %d '%s' -cpu %s '%s' < %s > %s",
			     SECONDS, qemu, cpus[cpu], runner, in, out) >= sizeof(command)) {
		fprintf(stderr, "the path of %s or %s is too long\n", qemu, runner);
		return -1;
	}
	status = system(command);
	if (!status)
		return 0;
	fprintf(stderr, "%s ended with status %d\n", command,
		WIFEXITED(status) ? WEXITSTATUS(status) : status);
	return -1;
}

/* Close a file of which done of size bytes were transferred. */
static int finish(const char *path, FILE *file, size_t done, size_t size)
{
	if (!fclose(file) && done == size)
		return 0;
	fprintf(stderr, "%s: %zu of %zu bytes\n", path, done, size);
	return -1;
}

static int write_file(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "wb");

	if (file)
		return finish(path, file, fwrite(data, 1, size, file), size);
	perror(path);
	return -1;
}

static int read_file(const char *path, void *data, size_t size)
{
	FILE *file = fopen(path, "rb");

	if (file)
		return finish(path, file, fread(data, 1, size, file), size);
	perror(path);
	return -1;
}

int qemu_run(const char *qemu, enum case_cpu cpu, const char *runner,
	     const struct case_input *inputs, unsigned int count, struct case_output *outputs)
{
	char directory[] = "/tmp/vspe-diff-XXXXXX";
	char in[sizeof(directory) + 8], out[sizeof(directory) + 8];
	int result = -1;

	if (!mkdtemp(directory)) {
		perror(directory);
		return -1;
	}
	snprintf(in, sizeof(in), "%s/in", directory);
	snprintf(out, sizeof(out), "%s/out", directory);
	if (!write_file(in, inputs, count * sizeof(*inputs)) &&
	    !exchange(qemu, cpu, runner, in, out))
		result = read_file(out, outputs, count * sizeof(*outputs));
	unlink(in);
	unlink(out);
	rmdir(directory);
	return result;
}
