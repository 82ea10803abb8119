/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * state MOST THREADS: does Linux find SVE with vectors of up to MOST bits, and of SVE2 what there
 * is, and are all of its registers right in signal frames, for ptrace, over changes of context, and
 * when loads fault? Each check is a line, "ok - ..." or "not ok - ...". state length: its vector
 * length / 16 is the exit status, plus 32 if it is inherited over exec.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include "../../splitmix.h"
#include "state.h"

static bool failed;

void check(bool right, const char *what, ...)
{
	va_list arguments;

	printf("%s - ", right ? "ok" : "not ok");
	va_start(arguments, what);
	vprintf(what, arguments);
	va_end(arguments);
	printf("\n");
	fflush(stdout);
	failed |= !right;
}

/* Random, but of FFR the lowest elements are true: nothing else may be written to it. */
void pattern(struct state *state, uint64_t seed, size_t vl)
{
	const size_t ffr = state_size(vl) - vl / 8;
	size_t count;

	for (size_t i = 0; i < ffr; i++)
		state->bytes[i] = (uint8_t)splitmix64(&seed);
	count = splitmix64(&seed) % (vl + 1);
	memset(&state->bytes[ffr], 0, vl / 8);
	for (size_t i = 0; i < count; i++)
		state->bytes[ffr + i / 8] |= (uint8_t)(1 << i % 8);
}

bool same(const struct state *a, const struct state *b, size_t vl)
{
	return memcmp(a, b, state_size(vl)) == 0;
}

/* A system call keeps the lowest 128 bits of the vectors, and all else is 0. */
bool is_left_by_call(const struct state *before, const struct state *after, size_t vl)
{
	static const struct state zero;
	bool right = memcmp(&after->bytes[32 * vl], &zero, 17 * vl / 8) == 0;

	for (unsigned int n = 0; n < 32; n++)
		right &= memcmp(&after->bytes[n * vl], &before->bytes[n * vl], 16) == 0 &&
			 memcmp(&after->bytes[n * vl + 16], &zero, vl - 16) == 0;
	return right;
}

/* As Linux sets it, which takes the next smaller length that there is. */
size_t set_length(size_t vl)
{
	const int set = prctl(PR_SVE_SET_VL, vl);

	return set < 0 ? 0 : (size_t)set & PR_SVE_VL_LEN_MASK;
}

static bool in_cpuinfo(const char *word)
{
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[4096];
	bool found = false;

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, "Features", 8) == 0)
			for (char *at = strtok(line, " :\t\n"); at; at = strtok(NULL, " :\t\n"))
				found |= strcmp(at, word) == 0;
	if (file)
		fclose(file);
	return found;
}

static unsigned int read_usual(void)
{
	FILE *file = fopen("/proc/sys/abi/sve_default_vector_length", "r");
	unsigned int vl = 0;

	if (file) {
		if (fscanf(file, "%u", &vl) != 1)
			vl = 0;
		fclose(file);
	}
	return vl;
}

/* Each multiple of 128 bits, and what comes of it: the powers of two, up to the longest. */
static bool lengths_are_right(size_t most)
{
	for (size_t vl = 16; vl <= 2 * VL_MAX; vl += 16) {
		size_t right = 16;

		while (2 * right <= vl && 2 * right <= most)
			right *= 2;
		if (set_length(vl) != right || length_now() != right ||
		    prctl(PR_SVE_GET_VL) != (int)right)
			return false;
	}
	return true;
}

static void check_lengths(size_t most)
{
	const unsigned int usual = read_usual();

	check(getauxval(AT_HWCAP) & HWCAP_SVE && in_cpuinfo("sve"), "Linux finds SVE");
	check(usual == (most < 64 ? most : 64) && length_now() == usual,
	      "a program begins with %u bits", 8 * usual);
	check(lengths_are_right(most), "the lengths are the powers of two from 128 to %zu bits",
	      8 * most);
	check(prctl(PR_SVE_SET_VL, 24) == -1 && errno == EINVAL, "192 bits are no length");
}

/* The features of SVE2 that Linux names are those of ID_AA64ZFR0_EL1, which it lets EL0 read. */
static void check_features(void)
{
	static const struct {
		const char *word;
		unsigned int shift, value;
		unsigned long hwcap2;
	} rows[] = {
		{"sve2", 0, 1, HWCAP2_SVE2},	     {"sveaes", 4, 1, HWCAP2_SVEAES},
		{"svepmull", 4, 2, HWCAP2_SVEPMULL}, {"svebitperm", 16, 1, HWCAP2_SVEBITPERM},
		{"svesha3", 32, 1, HWCAP2_SVESHA3},  {"svesm4", 40, 1, HWCAP2_SVESM4},
	};
	uint64_t zfr0;

	__asm__("mrs %0, S3_0_C0_C4_4" : "=r"(zfr0));
	for (unsigned int n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		const bool there = (zfr0 >> rows[n].shift & 15) >= rows[n].value;

		check(there == !!(getauxval(AT_HWCAP2) & rows[n].hwcap2) &&
			      there == in_cpuinfo(rows[n].word),
		      "%s is %s", rows[n].word, there ? "there" : "missing");
	}
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "length") == 0)
		return (int)length_now() / 16 + (prctl(PR_SVE_GET_VL) & PR_SVE_VL_INHERIT ? 32 : 0);
	if (argc != 3)
		return 2;
	const size_t most = (size_t)atoi(argv[1]) / 8, usual = length_now();

	check_lengths(most);
	check_features();
	for (size_t vl = 16; vl <= most; vl *= 2) {
		check(set_length(vl) == vl, "%zu bits", 8 * vl);
		check_signals(vl);
		check_ptrace(vl, vl == 16 ? most : 16);
		check_fork(vl, usual);
		check_faults(vl);
	}
	check_threads((unsigned int)atoi(argv[2]), most);
	return failed;
}
