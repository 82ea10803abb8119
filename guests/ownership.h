/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of the guest ownership share: code that is profiled at a lower Exception level,
 * and the owning translation regime's buffer.
 */
#ifndef GUEST_OWNERSHIP_H
#define GUEST_OWNERSHIP_H

#include "access_run.h"
#include "record.h"
#include "stage.h"

#define PMSCR_ENABLE0 (UINT64_C(1) << 0) /* E0SPE, E0HSPE */
#define PMSCR_ENABLE  (UINT64_C(1) << 1) /* E1SPE, E2SPE */

enum state_id {
#define STATE(id, ...) STATE_##id,
#include "el3.def"
#undef STATE
	STATES
};

/* Skip functions of all parts. */
const char *needs_ownership(void);
const char *needs_loads(void);
const char *needs_exceptions(void);
const char *needs_vhe(void);

/* NULL, or why the Security state cannot be had; a main at EL2 has only one, its own, the first. */
const char *state_lacks(enum state_id state);
/* Nothing traps, and the Security state owns the buffer. */
struct access_controls state_controls(enum state_id state);
/* {NSE,NS} of the state. */
unsigned int state_bits(enum state_id state);
/* The buffer's owner: MDCR_EL2.E2PB. */
void set_e2pb(struct access_controls *c, unsigned int e2pb);

/* Two operations an iteration; three, one of which loads from [x1]. */
enum own_code { OWN_IDLE, OWN_LOAD };

/*
 * Run it with access_context's translation at el, and in the controls that are in force. False if
 * something else than its end stopped it; then *seen says what.
 */
bool own_run(unsigned int el, enum own_code code, uint64_t iterations, uint64_t address,
	     struct access_seen *seen);

/*
 * The buffer: pages that EL1's stage 1 has at OWN_VA1, with IPAs that are their PAs unless
 * own_map1() says otherwise, and EL2's at OWN_VA2. Each regime has the image and own_data at their
 * PAs, and no more.
 */
#define BUFFER_PAGES 16u /* for the largest records */
#define BUFFER_SIZE  (BUFFER_PAGES * UINT64_C(4096))
#define OWN_VA1	     UINT64_C(0x30000000)
#define OWN_VA2	     UINT64_C(0x38000000)

extern uint64_t own_pa[BUFFER_PAGES]; /* descending */
extern uint64_t own_data;	      /* PA, of what OWN_LOAD loads */
void own_memory_init(void);
/* A page of EL1's at another IPA; 0: at none. The same of EL2's. No TLB has the old one then. */
void own_map1(uint64_t va, uint64_t ipa);
void own_map2(uint64_t va, uint64_t pa);
/* EL1's stage 1, to know where its tables are. */
extern struct stage own_stage1;

/* By main: profiling off, then all but PMSCR_ELx; every 257th operation is selected. */
void own_program(uint64_t pointer, uint64_t size);
/* PMSCR_EL1 and PMSCR_EL2; stop makes both 0, with all records written. */
void own_start(uint64_t pmscr_el1, uint64_t pmscr_el2);
void own_stop(void);
/* size bytes of the buffer as main sees them; only one such copy at a time. */
const uint8_t *own_bytes(uint64_t size);

/*
 * Profile OWN_LOAD at el, with the buffer at pointer. The records whose PC is at el, up to max of
 * them; their number. All have to be well-formed.
 */
#define OWN_ITERATIONS 600u
/* As many iterations of OWN_LOAD, or as many as there is room for their records. */
unsigned int own_iterations(void);
/* The records that there have to be of them. */
unsigned int own_records(void);
unsigned int own_profile(uint64_t pointer, unsigned int el, uint64_t pmscr_el1, uint64_t pmscr_el2,
			 struct record *records, unsigned int max);

/* What tests end with: the controls are open again, and a diagnostic says what access_count is. */
void own_done(unsigned long before, const char *what);

void who_is_profiled(unsigned int row);
void program_bit(void);
void buffer_stage2(void);
void stage2_faults(void);
void stage1_fault(void);
void buffer_el2(void);
void el2_fault(void);
void fault_targets(void);
void levels_and_states(void);
void contexts(void);
void timestamps(void);
void physical_addresses(void);

#endif
