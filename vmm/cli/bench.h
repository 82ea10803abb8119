/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of vspe bench share: guest kernels (bench.c), and library calls, linked
 * (bench_calls.c) and through libvspe.so (bench_shared.c).
 */
#ifndef VSPE_CLI_BENCH_H
#define VSPE_CLI_BENCH_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <vspe/spe.h>

#define BENCH_MAX_ROUNDS 25

struct bench_spread {
	double median, min, max;
};

/* Seconds of a monotonic clock. */
double bench_now(void);
/* The same of the processor's time for this thread, so other work on the machine does not count. */
double bench_cpu_now(void);
/* A program whose standard output is read. */
struct bench_process {
	pid_t pid;
	FILE *out;
};
/* Start argv without input. Returns -1 after a message if it cannot. */
int bench_start(struct bench_process *process, char *const argv[]);
/* Seconds of processor time that it has used so far. */
double bench_process_cpu(const struct bench_process *process);
/* Wait for it to end, or kill it. */
void bench_stop(struct bench_process *process, bool at_once);
bool bench_have_qemu(void);

#define BENCH_PATH 4096
/* Linux in the guest. */
struct bench_linux {
	char kernel[BENCH_PATH], initrd[BENCH_PATH];
	unsigned int rounds;
	bool qemu, quick;
	char *jit; /* of vspe run */
};

/* Time the initrd's programs; write into report["linux"], or as text when report is NULL. */
int bench_linux(const struct bench_linux *o, json_object *report);

/* n values, of which at most 100 count. */
struct bench_spread bench_spread(const double *values, unsigned int n);
json_object *bench_spread_json(struct bench_spread s);

/* Time libvspe's calls; write into report["calls"], or as text when report is NULL. */
void bench_calls(unsigned int rounds, json_object *report);

/* The functions of libvspe that are timed, or needed for it. */
#define BENCH_FUNCTIONS(X) \
	X(spe_init)        \
	X(spe_update)      \
	X(spe_access)      \
	X(spe_stats)       \
	X(spe_read)        \
	X(spe_write)       \
	X(spe_budget)      \
	X(spe_advance)     \
	X(spe_sample)      \
	X(sysreg_route)

/* Their addresses in libvspe.so. */
struct bench_library {
#define MEMBER(function) __typeof__(function) *function;
	BENCH_FUNCTIONS(MEMBER)
#undef MEMBER
};

#define BENCH_BUFFER_BASE UINT64_C(0x100000)
#define BENCH_BUFFER_SIZE (UINT64_C(4) << 20)
#define BENCH_RECORD_SIZE 64
#define BENCH_CALLS	  400000u

struct bench {
	struct spe_unit unit;
	struct sysreg_controls controls;
	struct spe_host host;
	struct bench_library library;
	uint8_t *buffer;
};

/* What is timed: seconds for BENCH_CALLS calls. sink keeps the compiler from dropping the work. */
typedef double (*bench_loop)(struct bench *b, uint64_t *sink);

enum bench_loop_id {
	BENCH_STORE,
	BENCH_RECORD,
	BENCH_ROUTE,
	BENCH_REGISTER,
	BENCH_ACCESS,
	BENCH_ADVANCE,
	BENCH_LOOPS,
};

/* The loops through b->library; bench_loops.h describes them. */
extern const bench_loop bench_shared_loops[BENCH_LOOPS];

/* Load libvspe.so until the program ends. On failure false, with the reason in why. */
bool bench_load(struct bench_library *library, char *why, size_t size);

#endif
