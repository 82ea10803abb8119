/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the guest faults share. A scene is one access with all its errors; an outcome
 * is the result.
 */
#ifndef GUEST_FAULTS_H
#define GUEST_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "lower.h"
#include "stage.h"
#include "tap.h"

enum cause {
#define CAUSE(name, order, step, first, last, text) CAUSE_##name,
#include "faults.def"
	CAUSES
};

enum access {
	LOAD,
	STORE,
	LOAD_PAIR,
	STORE_PAIR,
	LOAD_UNPRIVILEGED,
	STORE_UNPRIVILEGED,
	LOAD_ACQUIRE,
	STORE_RELEASE,
	LOAD_EXCLUSIVE,
	STORE_EXCLUSIVE,
	ATOMIC,
	ZERO_BLOCK, /* the last one that faults_code.S has */
	FETCH,
	ACCESSES
};

struct access_kind {
	const char *name;
	bool read, write;
	bool aligned;	   /* must be, whatever SCTLR_ELx.A says, without FEAT_LSE2 */
	bool exclusive;	   /* or atomic: memory need not support it (DFSC 0x35) */
	bool unprivileged; /* at EL1: as EL0 */
	uint64_t iss;	   /* of a stage 2 abort: ISV and what goes with it, or 0 */
};

extern const struct access_kind accesses[ACCESSES];

/* One access. Sets of levels are by bit. */
struct scene {
	enum access access;
	unsigned int el;
	bool causes[CAUSES];
	unsigned int levels[CAUSES]; /* of those that have one: at which */
	bool read_only;		     /* an atomic may read, and lacks permission to write only */
};

enum taken { TAKEN_NONE, TAKEN_EL1 = 1, TAKEN_EL2 = 2, TAKEN_SERROR };

struct outcome {
	enum taken taken;
	uint64_t esr, far, hpfar;
	uint64_t status; /* of a store-exclusive that took none */
};

#define FAULTS_VA  UINT64_C(0x700000000000)
#define FAULTS_AT  0x800 /* in the page */
#define TARGET_IPA UINT64_C(0x4400000000)

#define ESR_EC(esr)  ((unsigned int)field(esr, 31, 26))
#define ESR_FSC(esr) ((unsigned int)((esr)&0x3f))

#define ESR_ISV	   (UINT64_C(1) << 24)
#define ESR_ISV_SF (ESR_ISV | UINT64_C(3) << 22 | UINT64_C(5) << 16 | UINT64_C(1) << 15)
#define ESR_AR	   (UINT64_C(1) << 14)
#define ESR_S1PTW  (UINT64_C(1) << 7)
#define ESR_WNR	   (UINT64_C(1) << 6)

#define FSC_DEBUG	0x22
#define FSC_EXTERNAL	0x10
#define FSC_UNSUPPORTED 0x35

extern struct lower_context c;

/* Tables, watchpoint registers, code. Once, at EL2. */
void scene_init(void);
/* FETCH with CAUSE_ALIGNMENT is not in faults.def: PC alignment has a separate test. */
/* Make the scene and the access. */
struct outcome scene_run(const struct scene *scene);
/* The address of the access, and whether it is unaligned. */
uint64_t scene_address(const struct scene *scene);
bool scene_unaligned(const struct scene *scene);
/* Can this access at this level have this cause at all, on this machine? */
bool scene_can(enum access access, unsigned int el, enum cause cause);
bool has_lse2(void);

/* The descriptor of a level for FAULTS_VA, below EL2 or at EL2 itself; and of stage 2. */
volatile uint64_t *scene_entry(unsigned int el, unsigned int level);
volatile uint64_t *scene_stage2(unsigned int level);
/* The two halves of scene_run(), to change descriptors or c between them. */
void scene_make(const struct scene *scene);
struct outcome scene_go(const struct scene *scene);
/* Where the levels below find a word, followed by a call of main by el. */
uint64_t scene_code(unsigned int el, uint32_t word);
/* Go to an address with c as it is otherwise. */
struct outcome scene_enter(uint64_t pc);
/* scene_go() with another address to access. */
struct outcome scene_go_at(const struct scene *scene, uint64_t va);
/* The PA of the code of an access at el, and of the vectors, for a level without stage 1. */
uint64_t scene_code_pa(enum access access, unsigned int el);
uint64_t scene_vectors_pa(void);

/* CHECK that the outcome is that of the first cause. */
void scene_check(const struct scene *scene, const struct outcome *outcome);
/* scene_run() and scene_check(). */
void scene_try(const struct scene *scene);
/* The status code of a cause that a scene has. */
unsigned int scene_fsc(const struct scene *scene, enum cause cause);
void scene_add(struct scene *scene, enum cause cause, unsigned int level);
/* Does this machine report the cause, if the architecture leaves that open? */
bool scene_reports(enum access access, unsigned int el, enum cause cause);
/* The first and last level of a cause. */
void scene_levels(enum cause cause, unsigned int *first, unsigned int *last);

/* faults_more.c and faults_before.c: orders that are not a pair of faults.def. */
const char *needs_atomic(void);
const char *needs_device(void);
const char *needs_stage2_device(void);
const char *needs_update(void);
const char *needs_bti(void);
#define MORE(function, skip, name) void function(void);
#include "faults_more.def"
#undef MORE

#endif
