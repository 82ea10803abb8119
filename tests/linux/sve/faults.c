/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads and stores of SVE at the edge of a page after which nothing is mapped. The architecture
 * lets a first-fault load read fewer elements than there are, but the first; the CPU of this test
 * reads all.
 */
#include <arm_sve.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include "state.h"

#define PAGE 4096

static sigjmp_buf after_fault;
static volatile uintptr_t fault;

static void handle(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	fault = (uintptr_t)info->si_addr;
	siglongjmp(after_fault, 1);
}

enum access { LOAD, STORE, GATHER, SCATTER, FIRST_FAULT, FIRST_FAULT_GATHER };

static svuint32_t offsets_of(const uint32_t *offsets)
{
	return svld1_u32(svptrue_b32(), offsets);
}

static void make(enum access access, svbool_t pg, uint32_t *at, const uint32_t *offsets)
{
	svuint32_t value = svdup_n_u32(0x12345678);

	switch (access) {
	case LOAD: value = svld1_u32(pg, at); break;
	case STORE: svst1_u32(pg, at, value); break;
	case GATHER: value = svld1_gather_u32offset_u32(pg, at, offsets_of(offsets)); break;
	case SCATTER: svst1_scatter_u32offset_u32(pg, at, offsets_of(offsets), value); break;
	case FIRST_FAULT:
		svsetffr();
		value = svldff1_u32(pg, at);
		break;
	case FIRST_FAULT_GATHER:
		svsetffr();
		value = svldff1_gather_u32offset_u32(pg, at, offsets_of(offsets));
		break;
	}
	__asm__ volatile("" ::"w"(value));
}

/* The address that faults; 0: none. */
static uintptr_t fault_of(enum access access, svbool_t pg, uint32_t *at, const uint32_t *offsets)
{
	fault = 0;
	if (sigsetjmp(after_fault, 1) == 0)
		make(access, pg, at, offsets);
	return fault;
}

static svbool_t first_elements(unsigned int count)
{
	return svwhilelt_b32_u32(0, count);
}

static bool first_faults_are_right(size_t vl, uint8_t *end)
{
	static uint8_t flags[VL_MAX], value[VL_MAX];

	for (size_t there = 1; there <= vl + 3; there++) {
		const size_t right = there < vl ? there : vl;
		svuint8_t loaded;
		svbool_t ffr;

		svsetffr();
		loaded = svldff1_u8(svptrue_b8(), end - there);
		ffr = svrdffr();
		svst1_u8(svptrue_b8(), value, loaded);
		svst1_u8(svptrue_b8(), flags, svdup_n_u8_z(ffr, 1));
		if (memcmp(value, end - there, right))
			return false;
		for (size_t i = 0; i < vl; i++)
			if (flags[i] != (i < right))
				return false;
	}
	return true;
}

/* Elements that are not active do not fault, wherever they are. */
static bool inactive_ones_do_not_fault(size_t vl, uint32_t *end)
{
	const uint32_t half = (uint32_t)vl / 8;

	return !fault_of(LOAD, first_elements(half), end - half, NULL) &&
	       !fault_of(STORE, first_elements(half), end - half, NULL) &&
	       !fault_of(LOAD, svpfalse_b(), end, NULL) &&
	       !fault_of(STORE, svpfalse_b(), end + 1024, NULL);
}

/* Not inlined: of two, GCC 12 would read FFR once. */
__attribute__((noinline)) static size_t count_non_fault(uint8_t *at)
{
	svuint8_t value;
	svbool_t ffr;

	svsetffr();
	value = svldnf1_u8(svptrue_b8(), at);
	ffr = svrdffr();
	__asm__ volatile("" ::"w"(value));
	return svcntp_b8(svptrue_b8(), ffr);
}

/* Elements of a gather with a hole at element bad, if it is one of the active ones. */
static bool gathers_are_right(size_t vl, uint8_t *page, uint8_t *hole)
{
	uint32_t offsets[VL_MAX / 4];
	uint32_t *base = (uint32_t *)page;
	const unsigned int elements = (unsigned int)vl / 4;
	bool right = true;

	for (unsigned int bad = 0; bad < elements; bad++) {
		const uintptr_t there = (uintptr_t)hole + 64 * bad + 8;
		size_t read;

		for (unsigned int i = 0; i < elements; i++)
			offsets[i] = 4 * (i * 37 % 1024);
		offsets[bad] = (uint32_t)(there - (uintptr_t)page);
		right &= fault_of(GATHER, svptrue_b32(), base, offsets) == there &&
			 fault_of(SCATTER, svptrue_b32(), base, offsets) == there &&
			 fault_of(GATHER, first_elements(bad), base, offsets) == 0 &&
			 fault_of(FIRST_FAULT_GATHER, svptrue_b32(), base, offsets) ==
				 (bad ? 0 : there);
		read = svcntp_b32(svptrue_b32(), svrdffr());
		right &= bad == 0 || read == bad;
	}
	return right;
}

void check_faults(size_t vl)
{
	const struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
	uint8_t *pages =
		mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *end = pages + PAGE;

	if (pages == MAP_FAILED || munmap(end, PAGE)) {
		check(false, "%zu: no memory", 8 * vl);
		return;
	}
	for (unsigned int i = 0; i < PAGE; i++)
		pages[i] = (uint8_t)(i * 7 + i / 256);
	sigaction(SIGSEGV, &action, NULL);
	check(first_faults_are_right(vl, end), "%zu: first-fault loads stop at the edge", 8 * vl);
	check(fault_of(FIRST_FAULT, svptrue_b32(), (uint32_t *)end, NULL) == (uintptr_t)end,
	      "%zu: ... and fault if the first element does", 8 * vl);
	check(count_non_fault(end) == 0 && count_non_fault(end - vl) == vl,
	      "%zu: loads that do not fault read none there, and all before it", 8 * vl);
	check((fault_of(LOAD, svptrue_b32(), (uint32_t *)(end - 4), NULL) & -(uintptr_t)PAGE) ==
		      (uintptr_t)end,
	      "%zu: a load faults on the page after the edge", 8 * vl);
	check((fault_of(STORE, svptrue_b32(), (uint32_t *)(end - 4), NULL) & -(uintptr_t)PAGE) ==
		      (uintptr_t)end,
	      "%zu: a store faults on the page after the edge", 8 * vl);
	check(inactive_ones_do_not_fault(vl, (uint32_t *)end), "%zu: inactive elements do not",
	      8 * vl);
	check(gathers_are_right(vl, pages, end), "%zu: gathers and scatters fault at the element",
	      8 * vl);
	/* What is mapped, but never used, is there for an instruction that takes faults alone. */
	check(count_non_fault(end + PAGE) == 0, "%zu: a page that was never used faults for none",
	      8 * vl);
	check(fault_of(LOAD, svptrue_b32(), (uint32_t *)(end + PAGE), NULL) == 0 &&
		      count_non_fault(end + PAGE) == vl,
	      "%zu: ... until a load has made Linux map it", 8 * vl);
	signal(SIGSEGV, SIG_DFL);
	munmap(pages, PAGE);
	munmap(end + PAGE, PAGE);
}
