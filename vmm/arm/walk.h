/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A walk of the translation tables of a regime, stage 1 and stage 2, as a function of the registers
 * that control it and of memory (Arm ARM D8). It does not know vCPUs: each engine makes the
 * regimes.
 */
#ifndef VSPE_ARM_WALK_H
#define VSPE_ARM_WALK_H

#include <stdbool.h>
#include <stdint.h>

enum arm_regime_kind { ARM_REGIME_EL10, ARM_REGIME_EL20, ARM_REGIME_EL2, ARM_REGIME_EL3 };

/* ARM_UPDATE: an atomic, which reads and writes at once. */
enum arm_access { ARM_READ, ARM_WRITE, ARM_EXECUTE, ARM_UPDATE };

struct arm_translation {
	uint64_t pa;	    /* of va */
	uint64_t page_mask; /* size of the block or page that maps it, minus 1 (at least 0xfff) */
	/*
	 * Who may do what in the page: el0 without privilege, el1 with it, which includes accesses
	 * at EL2 and EL3 in their regimes. PAN is applied if the regime has it set. A page that
	 * hardware has yet to mark dirty is not writable here: the first write has to be
	 * translated.
	 */
	bool readable_el0, writable_el0, executable_el0;
	bool readable_el1, writable_el1, executable_el1;
	bool device;   /* Device memory: unaligned accesses fault */
	bool global;   /* nG == 0 */
	bool guarded;  /* GP: FEAT_BTI */
	bool ns, nse;  /* the physical address space */
	uint8_t attr;  /* as a byte of MAIR_EL1, of both stages */
	uint8_t sh;    /* SH[1:0] */
	uint16_t asid; /* the current one */
	/* on a fault: */
	bool fault;
	uint8_t fsc;  /* DFSC/IFSC */
	bool on_walk; /* an external abort on the walk */
	bool stage2;  /* found by stage 2 */
	bool s1ptw;   /* ... on the walk of stage 1 */
	bool update;  /* ... for hardware's update of the descriptor, a write */
	bool writing; /* a write is to blame: of ARM_UPDATE, a read would not have faulted */
	uint64_t ipa; /* with stage2: the address that it could not translate */
	bool ipa_ns;  /* ... in Secure state: a Non-secure one */
};

/* Stage 2 of the EL1&0 regime. */
struct arm_stage2 {
	bool on;			   /* HCR_EL2.VM or HCR_EL2.DC, where they count */
	uint64_t vtcr, vttbr;		   /* VTCR_EL2, VTTBR_EL2 */
	bool protected_walks;		   /* HCR_EL2.PTW */
	bool uncached_data, uncached_code; /* HCR_EL2.CD, HCR_EL2.ID */
};

enum arm_security { ARM_NON_SECURE, ARM_SECURE, ARM_REALM, ARM_ROOT };

/*
 * Optional features of stage 1, by the names of fields of ID_AA64MMFR0_EL1 to ID_AA64MMFR2_EL1. A
 * PE has FEAT_LPA if its physical addresses have 52 bits.
 */
struct arm_walk_features {
	bool access_flag, dirty; /* HAFDBS: FEAT_HAFDBS */
	bool hpds;		 /* FEAT_HPDS */
	bool lva;		 /* VARange: FEAT_LVA */
	bool lpa2_4k, lpa2_16k;	 /* TGran4, TGran16: FEAT_LPA2 with that granule, in both stages */
	bool ttst;		 /* ST: FEAT_TTST */
	bool e0pd;		 /* FEAT_E0PD */
	bool bti;		 /* ID_AA64PFR1_EL1.BT: FEAT_BTI */
};

struct arm_regime {
	enum arm_regime_kind kind;
	uint64_t sctlr, tcr, ttbr0, ttbr1, mair; /* SCTLR_ELx and so on, of kind's ELx */
	uint8_t pa_bits;			 /* implemented physical address size, to 52 */
	struct arm_walk_features features;
	enum arm_security security;
	bool pan;		/* PSTATE.PAN, if it is to count for the access */
	bool unaligned;		/* the access, or it is DC ZVA: no Device memory takes it */
	bool keep;		/* behave as with hardware updates, but do not write */
	bool off;		/* stage 1 is, whatever SCTLR_EL1.M says: HCR_EL2.{DC,TGE} */
	bool default_cacheable; /* HCR_EL2.DC */
	bool nv1;		/* HCR_EL2.{NV,NV1} are {1,1}: the descriptors of a hypervisor */
	bool sif;		/* SCR_EL3.SIF */
	bool stage1_only;	/* the output address stays untranslated; that of tables does not */
	/*
	 * Stage 2 may be on; otherwise stage2 is not set. For IPAs of the regime's own Security
	 * state; [1]: for Secure state's Non-secure ones.
	 */
	bool nested;
	struct arm_stage2 stage2[2];
	void *ctx;
	/* A descriptor, 8 bytes at an aligned physical address. false: external abort. */
	bool (*read)(void *ctx, uint64_t pa, uint64_t *descriptor);
	/* Only after a successful read of the same address. */
	void (*write)(void *ctx, uint64_t pa, uint64_t descriptor);
};

/*
 * Walk for an access of kind access at exception level el (0: unprivileged, if the regime knows the
 * difference), with stage 2 if that is on. Checks permissions for that access, and alignment if the
 * memory type requires it. Updates AF and dirty state as hardware does, if TCR_ELx and
 * VTCR_EL2.{HA,HD} say so. Returns !t->fault. Has no other side effect.
 *
 * The fault is the first one in the order of Arm ARM D8.15.5, rule R_XCHFJ: of each stage its walk,
 * the access flag, alignment for the memory type, permissions; all of stage 1 before stage 2.
 * Checks that need no translation, such as alignment for SCTLR_ELx.A, come before; watchpoints and
 * external aborts come after. Faults of the hardware's update of a stage 1 descriptor come after
 * the permissions of stage 1 (R_MJLPH leaves that open), and a fault updates nothing.
 */
bool arm_translate(const struct arm_regime *regime, uint64_t va, enum arm_access access,
		   unsigned int el, struct arm_translation *t);

/* The output of stage 2. */
struct arm_stage2_output {
	uint64_t pa;
	bool readable, writable, executable; /* a page yet to be marked dirty is not writable */
	uint8_t memory;			     /* MemAttr[3:0] in effect */
	uint8_t sh;			     /* SH[1:0] */
	uint8_t fsc;			     /* on a fault */
	bool writing;			     /* ... as in struct arm_translation, of ARM_UPDATE */
};

/*
 * Stage 2 for an access of kind access; walk: for stage 1's access to its tables. Updates the
 * descriptor as VTCR_EL2.{HA,HD} say, but not with regime->keep. false: out->fsc says why.
 */
bool arm_translate_stage2(const struct arm_regime *regime, const struct arm_stage2 *stage2,
			  uint64_t ipa, enum arm_access access, bool walk,
			  struct arm_stage2_output *out);

/*
 * Only stage 2, for an intermediate physical address that stage 1 has not made. As arm_translate.
 */
bool arm_translate_ipa(const struct arm_regime *regime, uint64_t ipa, bool ns,
		       enum arm_access access, struct arm_translation *t);

/*
 * The memory type and shareability of stage 1 (attr as a byte of MAIR_EL1) and stage 2 combined
 * (Arm ARM D8.6, without FEAT_S2FWB); the same kind of byte.
 */
uint8_t arm_combine_attributes(uint8_t attr, uint8_t memory);
uint8_t arm_combine_shareability(uint8_t combined_attr, uint8_t sh1, uint8_t sh2);

/* The current ASID of EL1&0 or EL2&0: that of the TTBR that TCR_ELx.A1 names, as wide as .AS. */
uint16_t arm_asid(uint64_t tcr, uint64_t ttbr0, uint64_t ttbr1);

/*
 * Is the top byte of va a tag, by TCR_ELx.TBIn of the regime, and by TBIDn for the address of code
 * (FEAT_PAuth)?
 */
bool arm_tagged(enum arm_regime_kind kind, uint64_t tcr, uint64_t va, bool code);

/*
 * The features and the size of physical addresses that the ID registers give: at most 52 bits, as
 * more need descriptors of 128 bits (FEAT_D128).
 */
struct arm_walk_features arm_walk_features(uint64_t mmfr0, uint64_t mmfr1, uint64_t mmfr2);
uint8_t arm_pa_bits(uint64_t mmfr0);

/* The address sizes of TCR_EL1.IPS, TCR_EL2.PS and VTCR_EL2.PS; reserved ones mean the largest. */
unsigned int arm_output_bits(unsigned int size, unsigned int pa_bits);

#endif
