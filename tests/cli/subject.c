/* SPDX-License-Identifier: BSD-2-Clause */
/* Subjects for conform_subject.sh: one for each macro. Some change what libvspe answers. */
#define _GNU_SOURCE /* RTLD_NOW */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vspe/subject.h>

#ifndef VERSION
#define VERSION VSPE_SUBJECT_VERSION
#endif
#ifndef SIZE
#define SIZE sizeof(struct vspe_subject)
#endif

#ifdef LIBVSPE
/* The one that is changed. */
static const struct vspe_subject *libvspe(void)
{
	static const struct vspe_subject *is;

	if (!is)
		is = dlsym(dlopen(LIBVSPE, RTLD_NOW | RTLD_LOCAL), "vspe_subject");
	return is;
}

static struct vspe_subject_host theirs;
#if defined(OTHER) || defined(ORDER)
/* The last packet stays; of the others the first two, of 3 bytes each, change places. */
static struct vspe_subject_write write_otherwise(void *ctx, uint64_t va, const uint8_t *bytes,
						 size_t size)
{
	uint8_t other[2048];

	(void)ctx;
	memcpy(other, bytes, size);
	if (size >= 6 && (bytes[0] & 0xf8) == 0x98 && (bytes[3] & 0xf8) == 0x98) {
		memcpy(other, bytes + 3, 3);
		memcpy(other + 3, bytes, 3);
	}
	return theirs.write(theirs.ctx, va, other, size);
}
#endif

#ifdef RANDOM
/* Bit 0 of its bytes is 0. */
static uint8_t uneven(void *ctx)
{
	static uint32_t state = 1;

	(void)ctx;
	state = state * 1103515245u + 12345u;
	return (uint8_t)(state >> 16 & 0xfe);
}
#endif

static void *create(void *ctx, const struct vspe_subject_pe *pe, struct vspe_subject_config *config,
		    const struct vspe_subject_host *host)
{
	struct vspe_subject_host mine = *host;

	(void)ctx;
	theirs = *host;
#ifdef OTHER
	config->version = 3;
	config->fds = config->crr = config->reload_after_tail = false;
	config->events &= ~(UINT64_C(31) << 19);
	config->fault_lag = 0;
	config->layout = VSPE_SUBJECT_LAYOUT_GENERIC;
	config->source_size = 2;
	config->max_size = 9;
	config->align = 3;
	config->random_own = true;
	config->partial_rewound = true;
	config->pmu_events = false;
#endif
#if defined(OTHER) || defined(ORDER)
	mine.write = write_otherwise;
#endif
#ifdef RANDOM
	struct vspe_subject_config own = *config;

	own.random_own = false;
	mine.random = uneven;
	config = &own;
#endif
	void *unit = libvspe()->unit_create(libvspe()->ctx, pe, config, &mine);
#ifdef OTHER
	config->layout = VSPE_SUBJECT_LAYOUT_ANY;
#endif
	return unit;
}

static uint64_t read_register(void *unit, uint32_t encoding)
{
	uint64_t value = libvspe()->unit_read(unit, encoding);

#ifdef COUNT
	if (encoding == VSPE_SUBJECT_ENCODING(3, 0, 9, 9, 2) && (value & 0xff) == 0x55)
		value++;
#endif
#ifdef POINTER
	if (encoding == VSPE_SUBJECT_ENCODING(3, 0, 9, 10, 1))
		value &= ~UINT64_C(4);
#endif
	return value;
}

static void write_register(void *unit, uint32_t encoding, uint64_t value)
{
	libvspe()->unit_write(unit, encoding, value);
}

static bool advance(void *unit, uint64_t n)
{
	return libvspe()->unit_advance(unit, n);
}

static void sample(void *unit, const struct vspe_subject_operation *op)
{
	struct vspe_subject_operation other;

	if (op) {
		other = *op;
#ifdef FILTER
		other.total_latency++;
#endif
		op = &other;
	}
	libvspe()->unit_sample(unit, op);
}

#ifdef IRQ
static bool interrupt(void *unit)
{
	(void)unit;
	return false;
}
#endif

static void destroy(void *unit)
{
	libvspe()->unit_destroy(unit);
}
#endif

#if !defined(LIBVSPE) && !defined(NOTHING)
/* At EL3 nothing happens yet: there the suite asks whether the register is routed at all. */
static void spe_access(void *ctx, const struct vspe_subject_pe *pe,
		       const struct vspe_subject_access *access,
		       struct vspe_subject_outcome *outcome)
{
	(void)ctx, (void)access;
	if (pe->el == 3) {
		outcome->kind = VSPE_SUBJECT_UNDEFINED;
		return;
	}
#ifdef CRASH
	*(volatile int *)0 = 1;
#elif defined(EXIT)
	exit(0);
#elif defined(ABORT)
	abort();
#elif defined(NONSENSE)
	outcome->kind = UINT32_MAX;
#elif defined(NOISE)
	(void)puts("ok 1 - of another");
	(void)fflush(stdout);
	exit(3);
#endif
}
#endif

const struct vspe_subject vspe_subject = {
	.version = VERSION,
	.size = SIZE,
#ifdef OTHER
	.name = "otherwise",
#endif
#ifdef LIBVSPE
	.unit_destroy = destroy,
	.unit_read = read_register,
	.unit_write = write_register,
	.unit_sample = sample,
	.unit_create = create,
	.unit_advance = advance,
#ifdef IRQ
	.unit_interrupt = interrupt,
#endif
#elif !defined(NOTHING)
	.spe_access = spe_access,
#endif
};
