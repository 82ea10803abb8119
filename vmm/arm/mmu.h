/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A walk of the translation tables of a regime, stage 1 and stage 2, as a function of the registers
 * that control it and of memory. Knows no vCPU: AT, the profiling buffer, and engines other than
 * soft may use it. The regimes of a vCPU of soft are made in regime.c.
 */
#ifndef VSPE_SOFT_MMU_H
#define VSPE_SOFT_MMU_H

#include "soft/sys/sys.h"

/* Stage 2 of the EL1&0 regime. */
struct mmu_stage2 {
	bool on;			   /* HCR_EL2.VM or HCR_EL2.DC, where they count */
	uint64_t vtcr, vttbr;		   /* VTCR_EL2, VTTBR_EL2 */
	bool protected_walks;		   /* HCR_EL2.PTW */
	bool uncached_data, uncached_code; /* HCR_EL2.CD, HCR_EL2.ID */
};

enum mmu_security { MMU_NON_SECURE, MMU_SECURE, MMU_REALM, MMU_ROOT };

/*
 * What of stage 1 the PE has besides, by the names of fields of ID_AA64MMFR0_EL1 to
 * ID_AA64MMFR2_EL1. FEAT_LPA it has if its physical addresses have 52 bits.
 */
struct mmu_features {
	bool access_flag, dirty; /* HAFDBS: FEAT_HAFDBS */
	bool hpds;		 /* FEAT_HPDS */
	bool lva;		 /* VARange: FEAT_LVA */
	bool lpa2_4k, lpa2_16k;	 /* TGran4, TGran16: FEAT_LPA2 with that granule */
	bool ttst;		 /* ST: FEAT_TTST */
	bool e0pd;		 /* FEAT_E0PD */
};

struct mmu_regime {
	enum soft_regime kind;
	uint64_t sctlr, tcr, ttbr0, ttbr1, mair; /* SCTLR_ELx and so on, of kind's ELx */
	uint8_t pa_bits;			 /* implemented physical address size, to 52 */
	struct mmu_features features;
	enum mmu_security security;
	bool pan;		/* PSTATE.PAN, if it is to count for the access */
	bool keep;		/* behave as with hardware updates, but do not write */
	bool off;		/* stage 1 is, whatever SCTLR_EL1.M says: HCR_EL2.{DC,TGE} */
	bool default_cacheable; /* HCR_EL2.DC */
	bool nv1;		/* HCR_EL2.{NV,NV1} are {1,1}: the descriptors of a hypervisor */
	bool sif;		/* SCR_EL3.SIF */
	bool stage1_only;	/* the output address stays untranslated; that of tables does not */
	/*
	 * Stage 2 may be on: where it is not, stage2 is not set. For IPAs of the regime's own
	 * Security state; [1]: for Secure state's Non-secure ones. It has addresses of 48 bits.
	 */
	bool nested;
	struct mmu_stage2 stage2[2];
	void *ctx;
	/* A descriptor, 8 bytes at an aligned physical address. false: external abort. */
	bool (*read)(void *ctx, uint64_t pa, uint64_t *descriptor);
	/* Only after a successful read of the same address. */
	void (*write)(void *ctx, uint64_t pa, uint64_t descriptor);
};

/*
 * As soft_translate(), with the regime given. el is that of the access: 0 is unprivileged, where
 * the regime knows the difference.
 */
bool mmu_translate(const struct mmu_regime *regime, uint64_t va, enum soft_access access,
		   unsigned int el, struct soft_translation *t);

/* What stage 2 makes of an address. */
struct mmu_stage2_output {
	uint64_t pa;
	bool readable, writable, executable; /* a page yet to be marked dirty is not writable */
	uint8_t memory;			     /* MemAttr[3:0] in effect */
	uint8_t sh;			     /* SH[1:0] */
	uint8_t fsc;			     /* on a fault */
};

/*
 * Stage 2 for an access of kind access; walk: of stage 1 to its tables. Updates the descriptor as
 * VTCR_EL2.{HA,HD} say, but not with regime->keep. false: out->fsc says why.
 */
bool mmu_translate_stage2(const struct mmu_regime *regime, const struct mmu_stage2 *stage2,
			  uint64_t ipa, enum soft_access access, bool walk,
			  struct mmu_stage2_output *out);

/* Stage 2 alone, of an intermediate physical address that no stage 1 has made. As mmu_translate. */
bool mmu_translate_ipa(const struct mmu_regime *regime, uint64_t ipa, bool ns,
		       enum soft_access access, struct soft_translation *t);

/*
 * The memory type and shareability of stage 1 (attr as a byte of MAIR_EL1) and stage 2 combined
 * (Arm ARM D8.6, without FEAT_S2FWB); the same kind of byte.
 */
uint8_t mmu_combine_attributes(uint8_t attr, uint8_t memory);
uint8_t mmu_combine_shareability(uint8_t combined_attr, uint8_t sh1, uint8_t sh2);

/* Does TCR_ELx.TBIn of EL1&0 or EL2&0 make the top byte of va a tag? */
bool mmu_tagged(uint64_t tcr, uint64_t va);

/*
 * The features and the size of physical addresses that the ID registers give; never more than 52
 * bits, since those beyond are for descriptors of 128 bits (FEAT_D128).
 */
struct mmu_features mmu_features(uint64_t mmfr0, uint64_t mmfr1, uint64_t mmfr2);
uint8_t mmu_pa_bits(uint64_t mmfr0);

/* The address sizes of TCR_EL1.IPS, TCR_EL2.PS and VTCR_EL2.PS; reserved ones mean the largest. */
unsigned int mmu_output_bits(unsigned int size, unsigned int pa_bits);

/* The regime of a vCPU of soft as accesses at el use it, its tables in guest RAM. */
struct mmu_regime soft_regime_of(struct soft_cpu *cpu, unsigned int el);
/* The same of a regime. */
struct mmu_regime soft_regime_kind(struct soft_cpu *cpu, enum soft_regime kind);

/* SCTLR_ELx of the regime that accesses at el use. */
uint64_t soft_sctlr_at(const struct soft_sys *sys, unsigned int el);

/* The abort of an access to va that t says has faulted. ec: SOFT_EC_DATA_ABORT or _FETCH_ABORT. */
struct soft_exception soft_abort(const struct soft_translation *t, enum soft_ec ec, uint64_t va,
				 bool write);

#endif
