/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One Performance Monitors Unit, FEAT_PMUv3: its counters and registers, overflow, and interrupt.
 *
 * Follows the Arm ARM (DDI 0487), chapter D13, and the pages of the registers (D24.5). A unit
 * belongs to one PE. As with vspe/spe.h, its state is plain data that the caller allocates; the
 * library allocates nothing, keeps nothing and calls nothing of libc but memcpy and memset.
 *
 * A unit has no clock. An engine goes round like this:
 *
 *	budget = pmu_budget(unit);	operations until counting them makes a counter overflow
 *	run at most budget operations, fewer if an event has to be reported before
 *	pmu_advance(unit, &step);	what was executed, and the events that came of it
 *	if (pmu_irq_level(unit)) ...
 *
 * An operation counts by the controls and registers that it began with: call pmu_advance() for it
 * before pmu_update(), pmu_access() and spe_sample(). In Debug state nothing counts: do not report
 * what is executed there.
 *
 * Calls on one unit must not overlap; calls on different units may. What a pointer argument points
 * to is the caller's, and no longer needed when the call returns, but an SPE that is connected.
 */
#ifndef VSPE_PMU_H
#define VSPE_PMU_H

#include <vspe/spe.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* ID_AA64DFR0_EL1.PMUVer. Features that a version adds are of those after it, too. */
enum pmu_version {
	PMU_NONE = 0,
	PMU_V3 = 1, /* no unit is of this version */
	PMU_V3P1 = 4,
	PMU_V3P4 = 5, /* PMMIR_EL1 */
	PMU_V3P5 = 6, /* counters of 64 bits; MDCR_EL2.{HCCD,HLP}, MDCR_EL3.SCCD */
	PMU_V3P7 = 7, /* freeze on overflow, and by SPE; MDCR_EL3.{MCCD,MPMX} */
	PMU_V3P8 = 8, /* reserved event numbers count nothing */
	PMU_V3P9 = 9, /* PMUACR_EL1, PMZR_EL0; here with FEAT_PMUv3_ICNTR */
};

/* Event counters that a unit has: PMCR_EL0.N. */
#define PMU_COUNTERS 6

/*
 * Events by their numbers (D14.11). The unit counts the first five itself; those of SPE are in enum
 * spe_pmu_event.
 */
enum pmu_number {
	PMU_SW_INCR = 0x0000,
	PMU_INST_RETIRED = 0x0008,
	PMU_CPU_CYCLES = 0x0011,
	PMU_CHAIN = 0x001e,
	PMU_OP_RETIRED = 0x003a, /* not of a PE whose operations are no instructions */
	PMU_L1I_CACHE_REFILL = 0x0001,
	PMU_L1I_TLB_REFILL = 0x0002,
	PMU_L1D_CACHE_REFILL = 0x0003,
	PMU_L1D_CACHE = 0x0004,
	PMU_L1D_TLB_REFILL = 0x0005,
	PMU_LD_RETIRED = 0x0006,
	PMU_ST_RETIRED = 0x0007,
	PMU_EXC_TAKEN = 0x0009,
	PMU_EXC_RETURN = 0x000a,
	PMU_PC_WRITE_RETIRED = 0x000c,
	PMU_BR_IMMED_RETIRED = 0x000d,
	PMU_BR_RETURN_RETIRED = 0x000e,
	PMU_BR_MIS_PRED = 0x0010,
	PMU_BR_PRED = 0x0012,
	PMU_MEM_ACCESS = 0x0013,
	PMU_L1I_CACHE = 0x0014,
	PMU_L1D_CACHE_WB = 0x0015,
	PMU_L2D_CACHE = 0x0016,
	PMU_L2D_CACHE_REFILL = 0x0017,
	PMU_L2D_CACHE_WB = 0x0018,
	PMU_BR_RETIRED = 0x0021,
	PMU_BR_MIS_PRED_RETIRED = 0x0022,
	PMU_STALL_FRONTEND = 0x0023,
	PMU_STALL_BACKEND = 0x0024,
	PMU_L1D_TLB = 0x0025,
	PMU_L2D_TLB_REFILL = 0x002d,
	PMU_L2D_TLB = 0x002f,
	PMU_LL_CACHE = 0x0032,
	PMU_LL_CACHE_MISS = 0x0033,
	PMU_DTLB_WALK = 0x0034,
	PMU_ITLB_WALK = 0x0035,
	PMU_LL_CACHE_RD = 0x0036,
	PMU_LL_CACHE_MISS_RD = 0x0037,
	PMU_STALL = 0x003c,
	PMU_STALL_BACKEND_ST = 0x8168,
};

/* Numbers of pmu_config.more. */
#define PMU_MORE_EVENTS 8

/* What PE it belongs to, and what its embedder counts. */
struct pmu_config {
	enum pmu_version version; /* V3P1, or V3P4 and later */
	bool el2, el3, sel2, rme; /* as SYSREG_FEAT_EL2, EL3, SEL2 and RME say */
	/*
	 * pmu_step.cycles and pmu_event() tell the cycles. Otherwise each operation that began is
	 * one.
	 */
	bool cycles;
	/*
	 * The events that the engine reports. Bit n: number n, 0x0000 to 0x003f, except those that
	 * the unit counts itself. more: other numbers, except SPE's; 0: none.
	 */
	uint64_t events;
	uint16_t more[PMU_MORE_EVENTS];
};

/* Errors, returned as negative numbers. */
enum pmu_error {
	PMU_ESIZE = 1,	       /* the unit has fewer bytes than pmu_unit_size() */
	PMU_EVERSION = 2,      /* no unit is of this version */
	PMU_ELEVELS = 3,       /* sel2 without el2 and el3; rme without el3 */
	PMU_EEVENTS = 4,       /* an event that the unit or SPE counts, or that is there twice */
	PMU_EIMAGE = 5,	       /* these bytes are no image, or a part of one */
	PMU_EIMAGEVERSION = 6, /* an image of a version that this library does not know */
	PMU_EIMAGESUM = 7,     /* its checksum is wrong */
	PMU_EIMAGEVALUE = 8,   /* no unit has such a value */
	PMU_EIMAGECONFIG = 9,  /* of a unit with another configuration */
};

/* A line of text about an error of either sign, 0 included; static storage. */
const char *pmu_strerror(int error);

/*
 * Does the configuration go together? Returns 0, or -PMU_EVERSION, -PMU_ELEVELS or -PMU_EEVENTS
 * with the name of the member in *field, which is static storage; field may be NULL.
 */
int pmu_config_check(const struct pmu_config *config, const char **field);

/* The fields of ID_AA64DFR0_EL1 (PMUVer) and ID_AA64DFR1_EL1 (PMICNTR) of such a PE. */
uint64_t pmu_config_id_aa64dfr0(const struct pmu_config *config);
uint64_t pmu_config_id_aa64dfr1(const struct pmu_config *config);

/*
 * A unit: pmu_unit_size() bytes, aligned as a uint64_t is. The size is part of the binary
 * interface.
 */
#define PMU_UNIT_SIZE 512 /* bytes */
struct pmu_unit {
	uint64_t opaque[PMU_UNIT_SIZE / 8];
} __attribute__((may_alias));

/* PMU_UNIT_SIZE of the library, which a caller compiled with other headers cannot know. */
size_t pmu_unit_size(void);

/*
 * Set up a unit, as after a cold reset, with no counter counting until pmu_update(), and connect it
 * with spe, which is set up, or NULL. size is that of *unit. Returns 0, or -PMU_ESIZE, or what
 * pmu_config_check() says; then the unit must not be used.
 */
int pmu_init(struct pmu_unit *unit, size_t size, const struct pmu_config *config,
	     struct spe_unit *spe);

/*
 * Connect a unit with the SPE of the same PE, that pmu_init() was given: its events are counted as
 * they happen, as well as spe_host.pmu_event, and what it freezes (PMCR_EL0.FZS, MDCR_EL2.HPMFZS)
 * does not count. Owed after spe_init(), and after one of the two was moved; the other must then
 * not be used before. Calls of either count as calls on both.
 */
void pmu_connect(struct pmu_unit *unit, struct spe_unit *spe);

/* Warm reset: nothing counts, and what is UNKNOWN is 0. pmu_update() is owed. */
void pmu_reset(struct pmu_unit *unit);

/*
 * The PE's controls are these. Owed after pmu_init() and pmu_reset(), and where spe_update() is:
 * spe_update() comes first. Only features, el, scr_el3, mdcr_el2, mdcr_el3, hcr_el2 and, with
 * FEAT_FGT2, hdfgrtr2_el2 and hdfgwtr2_el2 matter.
 */
void pmu_update(struct pmu_unit *unit, const struct sysreg_controls *controls);

/*
 * Operations up to and including the first that may make a counter overflow by being counted, as an
 * instruction, a cycle (without pmu_config.cycles) or a member of SPE's population: 1 or more.
 * UINT64_MAX: no counter counts them here. Ask again after any call with a unit that is not const,
 * and after calls on the connected SPE.
 */
uint64_t pmu_budget(const struct pmu_unit *unit);

/* What was executed. All of it happens at once: what an overflow freezes has counted it. */
struct pmu_step {
	uint64_t begun;	  /* operations that began */
	uint64_t retired; /* ... and did not generate an exception instead of executing */
	uint64_t cycles;  /* with pmu_config.cycles: that passed */
	uint64_t events;  /* of pmu_config.events, bit n: event n happened, once */
};

void pmu_advance(struct pmu_unit *unit, const struct pmu_step *step);

/*
 * An event happened count times, along with what was reported before. An event that is not in the
 * configuration is not counted.
 */
void pmu_event(struct pmu_unit *unit, uint16_t event, uint64_t count);

/* The events of pmu_config.events that a counter counts here: others need not be reported. */
uint64_t pmu_wanted(const struct pmu_unit *unit);

/* Level of the overflow interrupt, PMUIRQ, which is a PPI. */
bool pmu_irq_level(const struct pmu_unit *unit);

/* Is it the encoding of a register of the PMU, of whatever version? See sysreg_encode(). */
bool pmu_is_register(uint32_t encoding);

/*
 * One access of a guest, as spe_access() does it: whether it is UNDEFINED (as one of no register of
 * the PMU), a trap with its syndrome (target_el is 1, 2 or 3), direct, or SYSREG_RAZ_WI, which is
 * one that is let through to nothing. Of the last two it is done when the function returns, with
 * what was read in *value. What is CONSTRAINED UNPREDICTABLE: a counter that is not there is
 * UNDEFINED; one that MDCR_EL2.HPMN keeps traps to EL2. route.reg and route.rule have no meaning
 * outside. rt: as in struct sysreg_access. *controls are the PE's now. After a write, ask for the
 * budget and the interrupt's level again.
 */
struct sysreg_route pmu_access(struct pmu_unit *unit, const struct sysreg_controls *controls,
			       uint32_t encoding, bool write, uint8_t rt, uint64_t *value);

/* No image of this version of the library is larger, in bytes. */
#define PMU_IMAGE_MAX 512

/*
 * Save a unit, in bytes that are the same on every host (docs/state.md). Returns how many bytes the
 * image has; writes them to image, which may be NULL if size is 0, if size is enough for them.
 */
size_t pmu_save(const struct pmu_unit *unit, void *image, size_t size);

/*
 * Bring back what pmu_save() saved, into a unit set up by pmu_init() with the same configuration.
 * size is what pmu_save() returned. The image need not be aligned, nor trusted. Returns 0 or, with
 * nothing changed, -PMU_EIMAGE, -PMU_EIMAGEVERSION, -PMU_EIMAGESUM, -PMU_EIMAGEVALUE or
 * -PMU_EIMAGECONFIG, the last two with the value's name as in docs/state.md in *field, otherwise
 * NULL; it is static storage, and field may be NULL. The connection stays. pmu_update() is not owed
 * while the PE's controls are those of the saved PE.
 */
int pmu_restore(struct pmu_unit *unit, const void *image, size_t size, const char **field);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
