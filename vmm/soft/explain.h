/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The outcome of an access to a register of the software CPU, or of its PMU, and the reason: for
 * vspe explain. pmu_route() and sys_route() decide, as for a guest; the reason is made of the row
 * that decided. sysreg_explain() is for SPE's registers.
 */
#ifndef VSPE_SOFT_EXPLAIN_H
#define VSPE_SOFT_EXPLAIN_H

#include "pmu/route.h"
#include "soft/sys/sys.h"

/* The PE. The caller sets sys.controls; pstate, levels and spe follow from it. */
struct soft_explain {
	struct soft_sys sys;
	struct pmu_controls pmu;
};

/* A PE with all features and no SPE, whose registers are 0. */
void soft_explain_init(struct soft_explain *e);
/*
 * Make its registers let every access pass, except accesses of EL0 that need PMUSERENR_EL0.UEN.
 * Sets the bits in *controls that this needs.
 */
void soft_explain_open(struct soft_explain *e, struct sysreg_controls *controls);

/* The name of a register by number, from 0 on, or NULL if there are no more; its encoding. */
const char *soft_explain_name(unsigned int reg);
uint32_t soft_explain_encoding(unsigned int reg);
/* Does it belong to the software CPU, which has neither AArch32 nor Debug state, or to the PMU? */
bool soft_explain_is_sys(unsigned int reg);
/* Is there an MRS of it, or an MSR? */
bool soft_explain_has(unsigned int reg, bool write);

/* A feature by number, without FEAT_, or NULL; turn it on or off. */
const char *soft_explain_feature(unsigned int feature);
void soft_explain_set_feature(struct soft_explain *e, unsigned int feature, bool on);

/* A field of a control register by number. Those without a name are the whole register. */
struct soft_field {
	const char *reg, *name; /* NULL, NULL: there are no more */
	uint8_t lsb, width;
};

struct soft_field soft_explain_field(unsigned int field);
/* The control register of that name, for --set, if sys.controls does not have it; or NULL. */
uint64_t *soft_explain_control(struct soft_explain *e, const char *reg);

/*
 * Does it have that encoding: a system register but SPE's and the PMU's, or a SYS instruction? Not
 * those that are only trapped.
 */
bool soft_explain_decides(uint32_t encoding);
/*
 * Leave in its registers what can be written there. e->sys.levels follow from e->sys.controls.
 */
void soft_explain_settle(struct soft_explain *e);
/*
 * sys_route() of an access to that encoding at e->sys.pstate.el, without a reason; a name that it
 * reaches goes into reached, of size bytes. e->sys.levels follow from e->sys.controls.
 */
struct sysreg_route soft_explain_access(struct soft_explain *e, uint32_t encoding, bool write,
					uint8_t rt, char *reached, size_t size);

struct soft_reason {
	char text[128];
	char reached[24]; /* SYSREG_DIRECT: the register that is reached */
};

/* The outcome with *controls, and what decided. reg is a number of soft_explain_name(). */
struct sysreg_route soft_explain_route(struct soft_explain *e,
				       const struct sysreg_controls *controls, unsigned int reg,
				       bool write, uint8_t rt, struct soft_reason *reason);

#endif
