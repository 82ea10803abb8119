/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One Statistical Profiling Unit: its registers, interval counters, filters, records and buffer.
 * DRAFT of the contract between the folders; spe/ owns this file.
 */
#ifndef VSPE_SPE_H
#define VSPE_SPE_H

#include <vspe/sysreg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A failed write to the profiling buffer, as spe_host.write reports it. */
enum spe_write_status {
	SPE_WRITE_OK,
	SPE_WRITE_FAULT,		/* an MMU fault: fsc and stage2 say which */
	SPE_WRITE_EXTERNAL_ABORT,	/* an external abort on the write itself */
};

struct spe_write_result {
	enum spe_write_status status;
	size_t written;		/* bytes written before the fault, from the start */
	uint8_t fsc;		/* fault status code, as in ESR_ELx.DFSC */
	bool stage2;
};

/*
 * What a unit asks of its embedder. Every callback gets ctx. None may call back into the same unit.
 */
struct spe_host {
	void *ctx;
	/* Write size bytes at va in the owning translation regime, as owning_el (1 or 2). */
	struct spe_write_result (*write)(void *ctx, uint8_t owning_el, uint64_t va,
					 const uint8_t *bytes, size_t size);
	/* PMU event by its number (0x4000 SAMPLE_POP ...), count times. NULL: not wanted. */
	void (*pmu_event)(void *ctx, uint16_t event, uint64_t count);
	/* A random byte. NULL: the unit's own seeded generator. */
	uint8_t (*random)(void *ctx);
};

/* Unit state is caller-allocated plain data: one per vCPU. Defined by spe/. */
struct spe_unit;
struct spe_config;

/* The kinds of outcome that spe_advance reports for the last member it passed. */
enum spe_selection {
	SPE_NOT_SELECTED,
	SPE_SELECTED,	/* the caller owes spe_sample (or spe_abandon) for that operation */
	SPE_COLLIDED,	/* a selection that collided: counted, not sampled */
};

/* Bits of spe_op.flags: what the operation turned out to be and do. */
#define SPE_OP_BRANCH	      (1u << 0)	 /* branch or exception return */
#define SPE_OP_LOAD	      (1u << 1)	 /* a load, or an atomic that returns a value */
#define SPE_OP_STORE	      (1u << 2)	 /* a store, or any atomic */
#define SPE_OP_FP	      (1u << 3)
#define SPE_OP_SIMD	      (1u << 4)
#define SPE_OP_TAKEN	      (1u << 5)	 /* the branch was taken: target is valid */
#define SPE_OP_NOT_TAKEN      (1u << 6)	 /* conditional, and its condition failed: Events[6] */
#define SPE_OP_VA_VALID	      (1u << 7)	 /* data_va is valid: the op made an eligible data access */
#define SPE_OP_PA_VALID	      (1u << 8)	 /* data_pa is valid */
#define SPE_OP_MISSPECULATED  (1u << 9)	 /* on a path that is not architecturally executed */
#define SPE_OP_NO_INSTRUCTION (1u << 10) /* relates to no architecture instruction */
#define SPE_OP_NON_ARCH_EXCEPTION (1u << 11) /* generated a non-architectural exception */

/* An operation that has finished, as the engine saw it. */
struct spe_op {
	uint64_t pc;
	uint64_t target;	/* of a taken branch or exception return */
	uint64_t data_va;
	uint64_t data_pa;
	uint64_t timestamp;	/* CNTVCT/CNTPCT as PMSCR selects: see spe_timestamp_kind() */
	uint64_t events;	/* bits 0 to 63 of the Events packet but bits 6 (from flags) */
	uint32_t contextidr_el1;
	uint32_t contextidr_el2;
	uint32_t flags;		/* SPE_OP_* */
	uint16_t total_latency; /* cycles, unsaturated to 16 bits */
	uint16_t issue_latency;
	uint16_t translation_latency;
	uint16_t data_source;	/* only with SPE_OP_LOAD and VA_VALID */
	uint8_t type_header;	/* 0x48 other, 0x49 load/store/atomic, 0x4A branch */
	uint8_t type_payload;
	uint8_t el;		/* EL it executed at */
	uint8_t target_el;	/* EL after a branch or exception return */
	bool ns, nse;		/* Security state it executed in */
	bool target_ns, target_nse;
};

/* 0, or a negative SPE_E* code documented in this file. Refuses an inconsistent config. */
int spe_init(struct spe_unit *unit, const struct spe_config *config, const struct spe_host *host);
/* Warm reset. */
void spe_reset(struct spe_unit *unit);
/* Value of a register that sysreg_route() said is accessed directly. */
uint64_t spe_read(struct spe_unit *unit, enum sysreg_id reg);
void spe_write(struct spe_unit *unit, enum sysreg_id reg, uint64_t value);
/* Recompute "profiling enabled here". Owed after anything in spe-facts section 6 changed. */
void spe_update(struct spe_unit *unit, const struct sysreg_controls *controls);
/* Members of the population up to and including the next selection; UINT64_MAX while disabled. */
uint64_t spe_budget(const struct spe_unit *unit);
/* n members have passed, 1 <= n <= spe_budget(). With n == budget the n-th is selected. O(1). */
enum spe_selection spe_advance(struct spe_unit *unit, uint64_t n);
/* The selected operation has finished: feed, filter, build the record, write the buffer. */
void spe_sample(struct spe_unit *unit, const struct spe_op *op);
/* The selected operation will not be sampled after all (it left the pipeline without finishing). */
void spe_abandon(struct spe_unit *unit);
/* Level of the buffer management interrupt. */
bool spe_irq_level(const struct spe_unit *unit);
/* PSB CSYNC. */
void spe_drain(struct spe_unit *unit);

#ifdef __cplusplus
}
#endif
#endif
