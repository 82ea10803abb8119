/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for generated code: see code_memory.h. */
#define _GNU_SOURCE /* memfd_create() */
#include "soft/code_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#if SOFT_JIT

/* The process's memory, made by soft_code_memory_reserve(). */
static struct soft_code_memory reserve;

static uint8_t *map(int fd, int protection)
{
	uint8_t *at = mmap(NULL, SOFT_JIT_CODE, protection, MAP_SHARED, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

static void unmap(struct soft_code_memory *memory)
{
	if (memory->writable)
		(void)munmap(memory->writable, SOFT_JIT_CODE);
	if (memory->executable)
		(void)munmap(memory->executable, SOFT_JIT_CODE);
	*memory = (struct soft_code_memory){0};
}

static int map_code(struct soft_code_memory *memory)
{
	struct rlimit largest;
	int fd, error = 0;

	/* The limit applies to this file too; exceeding it would raise a signal. */
	if (getrlimit(RLIMIT_FSIZE, &largest) < 0 || largest.rlim_cur < SOFT_JIT_CODE)
		return -EFBIG;
	fd = memfd_create("vspe-jit", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)SOFT_JIT_CODE) == 0 &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
		memory->writable = map(fd, PROT_READ | PROT_WRITE);
		memory->executable = memory->writable ? map(fd, PROT_READ | PROT_EXEC) : NULL;
	}
	if (!memory->executable) {
		error = -errno;
		unmap(memory);
	}
	(void)close(fd);
	return error;
}

int soft_code_memory_reserve(void)
{
	return reserve.executable ? 0 : map_code(&reserve);
}

bool soft_code_memory_reserved(void)
{
	return reserve.executable && !reserve.taken;
}

struct soft_code_memory *soft_code_memory_take(void)
{
	struct soft_code_memory *memory;
	int error;

	if (soft_code_memory_reserved()) {
		reserve.taken = true;
		return &reserve;
	}
	memory = calloc(1, sizeof(*memory));
	if (!memory)
		return NULL;
	error = map_code(memory);
	if (!error)
		return memory;
	free(memory);
	errno = -error;
	return NULL;
}

void soft_code_memory_give_back(struct soft_code_memory *memory)
{
	if (memory == &reserve) {
		reserve.taken = false;
		return;
	}
	if (memory)
		unmap(memory);
	free(memory);
}

#else

int soft_code_memory_reserve(void)
{
	return -ENOSYS;
}

bool soft_code_memory_reserved(void)
{
	return false;
}

#endif
