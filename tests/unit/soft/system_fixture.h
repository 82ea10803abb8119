/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A vCPU whose instructions nobody fetches: tests hand them over one by one. What goes to the TLB,
 * to decoded code and to memory ends here (the linker's --wrap), in plain fields that tests look
 * at.
 */
#ifndef VSPE_TESTS_SYSTEM_FIXTURE_H
#define VSPE_TESTS_SYSTEM_FIXTURE_H

#include "soft/cpu.h"
#include "soft/flags.h"
#include "soft/mem/tlb.h"
#include "soft/run/system.h"
#include "soft/mem/regime.h"

#define RAM_BASE UINT64_C(0x40000000)
#define RAM_SIZE (UINT64_C(1) << 20)

/* What was asked of memory and of the machine. */
struct heard {
	unsigned int tlb_calls, translation_writes, code_calls, device_calls;
	struct soft_tlbi tlbi;
	bool code_all;
	uint64_t code_va;
	uint32_t device_encoding;
	/* what FEAT_NV2 makes of accesses: the page of VNCR_EL2, and whether it faults */
	unsigned int nv_calls;
	bool nv_write, nv_fault;
	uint16_t nv_offset;
	uint64_t nv_page[512];
	uint64_t device_value;
	enum engine_answer device_answer;
};

/* The vCPU, after reset with MIDR_EL1 0x410fd0f0 as vCPU 3, and its RAM, all zeroes. */
extern struct soft_cpu cpu;
extern struct heard heard;
extern _Alignas(65536) uint8_t ram[RAM_SIZE];
extern struct spe_unit unit;

void fixture_reset(void);
/* The same with a unit of FEAT_SPEv1p2. */
void fixture_reset_spe(void);
void fixture_reset_spe_version(enum spe_version version);
/* Other Exception levels, with the features that come with them. */
void fixture_levels(struct engine_levels levels);
/* A doubleword of RAM. */
uint64_t *ram_word(uint64_t pa);

#define MSR_WORD(op0, op1, crn, crm, op2, rt)                                   \
	(UINT32_C(0xd5000000) | (uint32_t)(op0) << 19 | (uint32_t)(op1) << 16 | \
	 (uint32_t)(crn) << 12 | (uint32_t)(crm) << 8 | (uint32_t)(op2) << 5 | (uint32_t)(rt))
#define MRS_WORD(op0, op1, crn, crm, op2, rt) \
	(MSR_WORD(op0, op1, crn, crm, op2, rt) | UINT32_C(1) << 21)

/* MSR with X5 = value, and MRS into X6 that has to succeed; word made for Rt of 0. */
enum soft_outcome msr(uint32_t word, uint64_t value);
enum soft_outcome mrs(uint32_t word);
uint64_t value_of(uint32_t mrs_word);

/* Was the last thing that happened an exception of this syndrome, taken from pc of the fixture? */
void expect_exception(unsigned int ec, uint32_t iss, const char *what);

#endif
