/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated code for perf on the host: see jitdump.h. */
#define _GNU_SOURCE /* gettid */
#include "soft/jitdump.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "soft/code_memory.h"

#define MAGIC	  0x4a695444u /* "JiTD" */
#define VERSION	  1
#define CODE_LOAD 0

struct header {
	uint32_t magic, version, size, machine, reserved, pid;
	uint64_t timestamp, flags;
};

struct code_load {
	uint32_t id, size; /* with the name and the code */
	uint64_t timestamp;
	uint32_t pid, tid;
	uint64_t address, code_address, code_size, number;
};

static FILE *dump; /* of the process */
static uint64_t count;

/* perf record -k mono. */
static uint64_t now(void)
{
	struct timespec time;

	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* perf records the file's name because it is mapped as code for a moment. */
static int tell_perf(int fd)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (at == MAP_FAILED)
		return -errno;
	(void)munmap(at, size);
	return 0;
}

static int begin(int fd)
{
	const struct header header = {
		.magic = MAGIC,
		.version = VERSION,
		.size = sizeof(header),
		.machine = SOFT_JIT_MACHINE,
		.pid = (uint32_t)getpid(),
		.timestamp = now(),
	};
	const int error = tell_perf(fd);

	if (error)
		return error;
	dump = fdopen(fd, "wb");
	if (!dump)
		return -ENOMEM;
	(void)fwrite(&header, sizeof(header), 1, dump);
	return fflush(dump) == 0 ? 0 : -errno;
}

int soft_jitdump_open(void)
{
	char path[32];
	int fd, error;

	if (dump)
		return 0;
	(void)snprintf(path, sizeof(path), "jit-%d.dump", (int)getpid());
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	error = begin(fd);
	if (error && !dump)
		(void)close(fd);
	return error;
}

bool soft_jitdump_is_open(void)
{
	return dump;
}

static void write_load(const void *code, size_t size, uint64_t va)
{
	char name[32];
	const int length = snprintf(name, sizeof(name), "guest:0x%" PRIx64, va) + 1;
	const struct code_load load = {
		.id = CODE_LOAD,
		.size = (uint32_t)(sizeof(load) + (size_t)length + size),
		.timestamp = now(),
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)gettid(),
		.address = (uintptr_t)code,
		.code_address = (uintptr_t)code,
		.code_size = size,
		.number = count++,
	};

	(void)fwrite(&load, sizeof(load), 1, dump);
	(void)fwrite(name, (size_t)length, 1, dump);
	(void)fwrite(code, size, 1, dump);
	/* Flush now: perf needs what was executed, however the process ends. */
	(void)fflush(dump);
}

void soft_jitdump_add(const void *code, size_t size, uint64_t va)
{
	if (dump)
		write_load(code, size, va);
}
