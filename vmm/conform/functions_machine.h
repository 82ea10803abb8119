/* SPDX-License-Identifier: BSD-2-Clause */
/* The PE that functions of the pseudocode run on: features, registers, memory, PMU, time. */
#ifndef VSPE_CONFORM_FUNCTIONS_MACHINE_H
#define VSPE_CONFORM_FUNCTIONS_MACHINE_H

#include "conform/functions.h"

/*
 * What is around SPE, in the pseudocode: Non-secure EL0 and EL1, with EL2 above, which leaves the
 * buffer to EL1; no EL3.
 */
extern const char functions_prelude[];

/* PMU events that are compared. */
#define FUNCTIONS_EVENTS 14
extern const uint16_t functions_events[FUNCTIONS_EVENTS];
/* Does a PE with that configuration have the event? */
bool functions_has_event(const struct spe_config *c, unsigned int event);

#define FUNCTIONS_CALLS 18
enum functions_call {
	CALL_START, /* SPEStartSample() */
	CALL_COLLECT,
	CALL_COMPLETE,
	CALL_RESET,
	CALL_CYCLE,
	CALL_EVENT,
	CALL_BRANCH,
	CALL_START_COUNTER,
	CALL_STOP_COUNTER,
	CALL_LOAD_STORE,
	CALL_OTHER,
	CALL_GENERAL,
	CALL_EXTENDED,
	CALL_SIMD_FP,
	CALL_SVE,
	CALL_SVE_OTHER,
	CALL_COPY,
	CALL_SET,
};

struct functions_machine {
	struct asl_code *code;
	struct asl_host host;
	const struct spe_config *config;
	int calls[FUNCTIONS_CALLS]; /* -1: the text has none */
	/* What the hooks answer with. */
	const struct spe_op *op;
	bool ns, nse; /* the Security state */
	uint64_t random;
	struct vspe_subject_write write;
	/* What they collect. */
	uint64_t events[FUNCTIONS_EVENTS];
	unsigned int bytes, serrors; /* of the present record */
	FILE *why;
	bool failed;
};

/* Read the machine and the text. False, with a line in m->why. */
bool machine_open(struct functions_machine *m, const struct functions_text *text, FILE *why);
void machine_close(struct functions_machine *m);
/* As after a reset, with this configuration, which stays the caller's. False: m->why. */
bool machine_start(struct functions_machine *m, const struct spe_config *config);

/* A variable of bits, an integer or a boolean. */
uint64_t machine_get(struct functions_machine *m, const char *name);
void machine_set(struct functions_machine *m, const char *name, uint64_t value);
/* An element of an array, and a part of a record. */
uint64_t machine_get_element(struct functions_machine *m, const char *name, unsigned int i);
void machine_set_element(struct functions_machine *m, const char *name, unsigned int i,
			 uint64_t value);
void machine_set_part(struct functions_machine *m, const char *name, const char *part,
		      uint64_t value);
void machine_set_member(struct functions_machine *m, const char *name, const char *part,
			const char *member);
bool machine_is_member(struct functions_machine *m, const char *name, const char *part,
		       const char *member);
struct asl_value machine_member(struct functions_machine *m, const char *member);

/* Call a function; its boolean, or false. An error is in m->why, and m->failed. */
bool machine_call(struct functions_machine *m, enum functions_call which,
		  const struct asl_value *arguments, unsigned int count);

#endif
