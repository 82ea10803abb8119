/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What perf_files_guest.sh profiles, linked with Debian's C library: its functions, some of them
 * inlined, and some of a library; threads and processes; and code that is made while it runs. Its
 * argument says which.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS 4096

static uint32_t words[WORDS];

static inline uint32_t next(uint32_t x)
{
	x ^= x << 13;
	x ^= x >> 17;
	return x ^ x << 5;
}

__attribute__((noinline)) static void fill(uint32_t seed)
{
	for (int i = 0; i < WORDS; i++)
		words[i] = seed = next(seed);
}

static int compare(const void *one, const void *other)
{
	const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;

	return a < b ? -1 : a > b;
}

__attribute__((noinline)) static uint32_t sum(const uint32_t *of)
{
	uint32_t total = 0;

	for (int i = 0; i < WORDS; i++) {
		if (of[i] & 1)
			total += of[i];
		else
			total ^= of[i];
	}
	return total;
}

__attribute__((noinline)) uint32_t work(unsigned int times)
{
	uint32_t copy[WORDS], total = 0;

	for (unsigned int i = 0; i < times; i++) {
		fill(i + 1);
		memcpy(copy, words, sizeof(copy));
		if (i % 8 == 0)
			qsort(copy, WORDS, sizeof(*copy), compare);
		total += sum(copy);
	}
	return total;
}

static void *thread(void *times)
{
	static __thread uint32_t x = 1;

	for (unsigned int i = 0; i < 2000 * *(unsigned int *)times; i++)
		x = next(x);
	return (void *)(uintptr_t)x;
}

static void threads(unsigned int times)
{
	pthread_t one[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&one[i], NULL, thread, &times);
	if (fork() == 0) {
		(void)work(times);
		_exit(0);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(one[i], NULL);
	wait(NULL);
}

/* Two functions that count down, with their names in the file that perf reads. */
static void generate(unsigned int times)
{
	static const uint32_t code[] = {0xf1000400, 0x54ffffe1,
					0xd65f03c0}; /* subs x0, x0, #1; b.ne; ret */
	const size_t size = 4096;
	char name[64];
	uint8_t *at = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *map;

	if (at == MAP_FAILED)
		exit(1);
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(name, "w");
	if (!map)
		exit(1);
	for (unsigned int i = 0; i < 2; i++) {
		memcpy(at + 256 * i, code, sizeof(code));
		fprintf(map, "%lx %zx made_%u\n", (unsigned long)(at + 256 * i), sizeof(code), i);
	}
	fclose(map);
	__builtin___clear_cache((char *)at, (char *)at + size);
	for (unsigned int i = 0; i < times; i++)
		((void (*)(uint64_t))(at + 256 * (i % 2)))(i % 2 ? 3000 : 9000);
}

int main(int argc, char **argv)
{
	const unsigned int times = argc > 2 ? (unsigned int)atoi(argv[2]) : 1;

	if (argc < 2)
		return 2;
	if (strcmp(argv[1], "work") == 0)
		printf("%u\n", work(times));
	else if (strcmp(argv[1], "threads") == 0)
		threads(times);
	else if (strcmp(argv[1], "generate") == 0)
		generate(times);
	else
		return 2;
	return 0;
}
