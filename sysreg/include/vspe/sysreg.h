/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system registers of FEAT_SPE: which exist, who may touch them, and where an access lands.
 *
 * Everything here is a pure function of its arguments, for any thread. No memory is allocated,
 * nothing is global and nothing of libc is called. No function fails; what an argument that is no
 * register gives stands at each. The rules are those of the "Accessing" sections of the register
 * pages of the Arm ARM (DDI 0487).
 */
#ifndef VSPE_SYSREG_H
#define VSPE_SYSREG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vspe/sysreg_names.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Exported by libvspe.so, whatever -fvisibility says where this is included. */
#pragma GCC visibility push(default)

/*
 * Features that the rules of access look at: bits of sysreg_controls.features. FEAT_E2H0 is not
 * among them: for a PE without it, keep HCR_EL2.E2H 1 and HCR_EL2.NV1 0 in sysreg_controls.
 */
#define SYSREG_FEAT_SPE	    0x1u
#define SYSREG_FEAT_SPE_FNE 0x2u
#define SYSREG_FEAT_SPE_FDS 0x4u
#define SYSREG_FEAT_SPE_NVM 0x8u
#define SYSREG_FEAT_SPE_EXC 0x10u
#define SYSREG_FEAT_FGT	    0x20u
#define SYSREG_FEAT_FGT2    0x40u
#define SYSREG_FEAT_VHE	    0x80u
#define SYSREG_FEAT_NV	    0x100u
#define SYSREG_FEAT_NV2	    0x200u
#define SYSREG_FEAT_RME	    0x400u
#define SYSREG_FEAT_SEL2    0x800u
#define SYSREG_FEAT_EL2	    0x1000u /* EL2 is implemented */
#define SYSREG_FEAT_EL3	    0x2000u /* EL3 is implemented */
#define SYSREG_FEAT_SECURE  0x4000u /* without EL3: the PE is in Secure state */

/*
 * What the access rules and "is profiling enabled here" look at, and nothing else. The embedder
 * owns it and keeps it equal to the PE's registers. Registers of an EL that is not implemented are
 * ignored.
 */
struct sysreg_controls {
	uint32_t features;		/* SYSREG_FEAT_* */
	uint8_t el;			/* PSTATE.EL, 0 to 3 */
	bool aarch32;			/* the PE is in AArch32 state */
	bool halted;			/* in Debug state */
	bool edscr_sdd;			/* EDSCR.SDD */
	bool el3_trap_has_priority_sdd; /* IMPLEMENTATION DEFINED: EL3 traps win with EDSCR.SDD */
	uint64_t hcr_el2;
	uint64_t mdcr_el2;
	uint64_t mdcr_el3;
	uint64_t scr_el3;
	uint64_t hdfgrtr_el2;
	uint64_t hdfgwtr_el2;
	uint64_t hdfgrtr2_el2;
	uint64_t hdfgwtr2_el2;
	/* Only EE is looked at, with FEAT_SPE_EXC: as spe_read() gives them after a write. */
	uint64_t pmscr_el1;
	uint64_t pmscr_el2;
};

struct sysreg_access {
	enum sysreg_id reg;
	bool write;
	uint8_t rt; /* the Xt of the instruction, 0 to 31: goes into the syndrome */
};

enum sysreg_route_kind {
	SYSREG_DIRECT,	  /* access sysreg_route.reg */
	SYSREG_UNDEFINED, /* the instruction is UNDEFINED */
	SYSREG_TRAP,	  /* exception to target_el, EC = ec, ISS = syndrome */
	SYSREG_NVMEM,	  /* 64-bit access to memory at VNCR_EL2.BADDR + nvmem_offset */
	SYSREG_RAZ_WI,	  /* reads as zero, ignores writes; never of a register of SPE */
};

/*
 * Where an access lands, of whatever router: sysreg_route() and spe_access() for SPE, pmu_access()
 * of <vspe/pmu.h> for the PMU, and those of an embedder for other registers. Members that do not
 * belong to the kind are 0, but reg.
 */
struct sysreg_route {
	enum sysreg_route_kind kind;
	/*
	 * A number of the router; for SPE an enum sysreg_id. SYSREG_DIRECT: the register that is
	 * reached, after redirection under E2H; otherwise the one that was named.
	 */
	uint16_t reg;
	uint16_t nvmem_offset; /* SYSREG_NVMEM: bytes, below 4096 */
	uint32_t syndrome;     /* SYSREG_TRAP: ESR_ELx.ISS */
	uint8_t target_el;     /* SYSREG_TRAP: 2 or 3; of others than SPE 1, too */
	uint8_t ec;	       /* SYSREG_TRAP: ESR_ELx.EC, 0x18 of SPE and of the PMU */
	uint16_t rule;	       /* what decided, for the router's own explanation; 0 of SPE */
};

/*
 * The outcome of an access, decided as the register's accessor pseudocode does: the conditions of
 * the page in its order, the first that holds wins. An id outside the table is UNDEFINED. Bits of
 * rt above 4 and of el above 1 are ignored. Source: the "Accessing" sections of the register pages;
 * the page of ESR_EL2 for the syndrome (EC 0x18).
 */
struct sysreg_route sysreg_route(const struct sysreg_controls *controls,
				 struct sysreg_access access);

/* One factor of a condition, and whether it holds. */
struct sysreg_term {
	const char *text; /* static storage */
	bool value;
};

#define SYSREG_TERMS_MAX 4  /* factors of one condition */
#define SYSREG_STEPS_MAX 16 /* conditions of one accessor, at most */

/* One condition of an accessor: it holds when all its terms do. */
struct sysreg_step {
	struct sysreg_term terms[SYSREG_TERMS_MAX];
	enum sysreg_route_kind kind; /* the outcome when it holds */
	uint8_t target_el;	     /* of SYSREG_TRAP */
	uint8_t count;		     /* of terms, 1 to SYSREG_TERMS_MAX */
	bool value;
};

/*
 * sysreg_route(), with the conditions it tested on the way, in the order in which the architecture
 * tests them. All but the last are false; the last decided. At most max are stored in steps and
 * *count is how many there are: never more than SYSREG_STEPS_MAX. The decision is made by the code
 * that sysreg_route() runs.
 */
struct sysreg_route sysreg_explain(const struct sysreg_controls *controls,
				   struct sysreg_access access, struct sysreg_step *steps,
				   size_t max, size_t *count);

/* A field of a control register, or (name is NULL) all of it. */
struct sysreg_field {
	const char *reg;  /* "HCR_EL2"; static storage */
	const char *name; /* "NV1"; static storage, or NULL */
	enum sysreg_control control;
	uint8_t lsb;
	uint8_t width; /* bits, 1 to 64 */
};

/* Every control register and every field that the rules look at; *count is how many rows. */
const struct sysreg_field *sysreg_fields(size_t *count);

/* The field's value, right-aligned. */
uint64_t sysreg_field_get(const struct sysreg_controls *controls, const struct sysreg_field *field);

/* Set the field and leave the rest of its register. False, and nothing set, if the value is too
 * wide. */
bool sysreg_field_set(struct sysreg_controls *controls, const struct sysreg_field *field,
		      uint64_t value);

/*
 * An encoding is op0:op1:CRn:CRm:op2 of an MRS or MSR (register): bits [20:5] of its word, with o0
 * as op0[0]. Those of SPE's registers are constants, SYSREG_ENCODING_<register>; these functions
 * tell that of any register, from its five numbers (more bits than a number has are ignored), from
 * the word of the instruction, and from the ESR_ELx.ISS of one that was trapped (EC 0x18). In that
 * ISS, bits [9:5] are Rt and bit 0 is 1 for an MRS.
 */
uint32_t sysreg_encode(unsigned int op0, unsigned int op1, unsigned int crn, unsigned int crm,
		       unsigned int op2);
uint32_t sysreg_encoding_of_word(uint32_t word);
uint32_t sysreg_encoding_of_iss(uint32_t iss);

/* The register of an encoding, or SYSREG_COUNT if it is none of SPE's. */
enum sysreg_id sysreg_find(uint32_t encoding);

/* The encoding of a register. UINT32_MAX for an unknown id. */
uint32_t sysreg_encoding(enum sysreg_id reg);

/* The register's name as the Arm ARM spells it; static storage. NULL for an unknown id. */
const char *sysreg_name(enum sysreg_id reg);

/* Whether the register has an MSR accessor: PMSIDR_EL1 and PMBIDR_EL1 have none. */
bool sysreg_writable(enum sysreg_id reg);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
