/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model of a machine's caches, TLBs, branch predictors and pipelines: what the records of a unit
 * (vspe/spe.h) show of them, for an embedder that has none. docs/model.md says what it models.
 *
 * The model is shown what the cores do, and makes latencies, events and data sources of it:
 *
 *	spe_model_context(model, core, ...);		when TTBR, VMID or Security state changes
 *	held = spe_model_fetch(model, core, pc, &facts);	before an operation
 *	spe_model_execute(model, core, &facts, held, &op);	after it
 *
 * spe_model_warm() and spe_model_alone() are there instead of spe_model_execute() where only
 * caches, TLBs and predictor matter. The model is a function of these calls, in their order: the
 * same calls give the same answers on every host.
 *
 * Threads: a model takes one call at a time, whatever the core, and has no lock. Ownership: what a
 * pointer argument points to is the caller's, and no longer needed when the call returns, but the
 * memory of the model. Nothing is allocated; a model ends without a call, must not be moved, and
 * has no image: after a restore, set up a new one, whose caches are empty. Whatever a guest does
 * may be shown: any address, size, branch or instruction. A core that is not there has no effect.
 */
#ifndef VSPE_MODEL_H
#define VSPE_MODEL_H

#include <vspe/a64.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Exported by libvspe.so, whatever -fvisibility says where this is included. */
#pragma GCC visibility push(default)

/* Errors, returned as negative numbers. */
enum spe_model_error {
	SPE_MODEL_EKEY = 1,   /* there is no key of that name */
	SPE_MODEL_EVALUE = 2, /* the key may not have that value: struct spe_model_key */
	SPE_MODEL_ESETS = 3,  /* with the key, ways, the number of sets is no power of two */
	SPE_MODEL_EORDER = 4, /* an outer level is faster, or L2 smaller, than an inner one */
	SPE_MODEL_ECORES = 5, /* no core, or more than SPE_MODEL_CORES_MAX */
	SPE_MODEL_ESIZE = 6,  /* fewer bytes than spe_model_size() */
	SPE_MODEL_EALIGN = 7, /* memory that is not aligned as a uint64_t is */
};

/* A line of text about an error of either sign, 0 included; static storage. */
const char *spe_model_strerror(int error);

/*
 * What a machine is made of: a value for each key. The keys are those of docs/model.md, which gives
 * their units. Their number may grow; a configuration keeps how many there were when it was made.
 */
#define SPE_MODEL_KEYS_MAX 63
struct spe_model_config {
	uint32_t count; /* of values that are used */
	uint32_t values[SPE_MODEL_KEYS_MAX];
};

/* A key. */
struct spe_model_key {
	const char *name;   /* "l1d.size"; static storage */
	uint32_t low, high; /* its values, both included; sizes are in bytes, latencies in cycles */
	bool power_of_two;  /* ... of them, powers of two only */
};

/* Values of llc.scope: who shares a last-level cache. */
enum spe_model_scope { SPE_MODEL_CLUSTER, SPE_MODEL_CHIP };

/* The keys by number, from 0 on, into *key. false: there are no more. */
bool spe_model_key(unsigned int number, struct spe_model_key *key);

/*
 * The published figures of a core (vspe/spe_core.h, docs/cores.md), and the built-in model's where
 * there are none. NULL: the built-in model.
 */
void spe_model_config_defaults(struct spe_model_config *config, const struct spe_core *core);

/* Set a key. Returns 0, or -SPE_MODEL_EKEY or -SPE_MODEL_EVALUE, with *config unchanged. */
int spe_model_config_set(struct spe_model_config *config, const char *name, uint32_t value);

/* The value of a key into *value. Returns 0, or -SPE_MODEL_EKEY. */
int spe_model_config_get(const struct spe_model_config *config, const char *name, uint32_t *value);

/*
 * Do the values go together? Returns 0, or -SPE_MODEL_EVALUE, -SPE_MODEL_ESETS or -SPE_MODEL_EORDER
 * with the name of the key to blame in *name, which is static storage; name may be NULL.
 */
int spe_model_config_check(const struct spe_model_config *config, const char **name);

/* The most cores that a model can have. */
#define SPE_MODEL_CORES_MAX 512

/* The cores of a machine, the caches that they share, and what they have counted. */
struct spe_model;

/* Bytes that a model of so many cores needs. 0: spe_model_init() refuses it, too. */
size_t spe_model_size(const struct spe_model_config *config, unsigned int cores);

/*
 * Set one up in size bytes of memory, which are the caller's and aligned as a uint64_t is. Its
 * caches, TLBs and predictors are empty. Returns 0 with the model in *model; or what
 * spe_model_config_check() says, -SPE_MODEL_ECORES, -SPE_MODEL_ESIZE or -SPE_MODEL_EALIGN.
 */
int spe_model_init(void *memory, size_t size, const struct spe_model_config *config,
		   unsigned int cores, struct spe_model **model);

/*
 * What an operation does.
 */

/* Translation regimes (Arm ARM D8.1.2). */
enum spe_model_regime {
	SPE_MODEL_EL10, /* of EL1 and EL0 */
	SPE_MODEL_EL20, /* of EL2 and EL0: HCR_EL2.E2H is 1 */
	SPE_MODEL_EL2,
	SPE_MODEL_EL3,
};

/* What an operation does to memory. */
enum spe_model_place {
	SPE_MODEL_NOWHERE,    /* nothing, or its access generated an exception */
	SPE_MODEL_UNACCESSED, /* its address was translated, and that was all */
	SPE_MODEL_RAM,
	SPE_MODEL_ZEROED, /* DC ZVA: data_va and data_pa, though no record shows them */
	SPE_MODEL_DEVICE, /* outside RAM */
};

/* Data sources, as Arm's Neoverse cores number them: spe_op.data_source, from near to far. */
enum spe_model_source {
	SPE_MODEL_FROM_L1D = 0x0,
	SPE_MODEL_FROM_L2 = 0x8,
	SPE_MODEL_FROM_PEER_CORE = 0x9,
	SPE_MODEL_FROM_LOCAL_CLUSTER = 0xa, /* the last level, if it is the cluster's */
	SPE_MODEL_FROM_SYSTEM_CACHE = 0xb,  /* the last level of a chip */
	SPE_MODEL_FROM_PEER_CLUSTER = 0xc,
	SPE_MODEL_FROM_REMOTE = 0xd,
	SPE_MODEL_FROM_DRAM = 0xe,
};

/* The most descriptors that a walk reads: of two stages, of 5 and 4 levels. */
#define SPE_MODEL_WALK_MAX 29

/* A walk of the translation tables. */
struct spe_model_walk {
	uint64_t descriptors[SPE_MODEL_WALK_MAX]; /* physical addresses, in the order of reads */
	unsigned int count;			  /* of descriptors */
	unsigned int shift; /* log2 of the size of the page or block, 12 to 47; 0: a fault */
	bool uncached;	    /* it is Device or Non-cacheable memory */
	bool global;	    /* of all ASIDs */
};

/* What struct spe_op does not have. All zeros: an instruction that nothing is known of. */
struct spe_model_facts {
	struct a64_summary insn;      /* a64_summarize() */
	uint64_t fetch_pa;	      /* physical address of the instruction */
	uint32_t size;		      /* bytes of the data access, from spe_op.data_pa on */
	uint8_t place;		      /* enum spe_model_place */
	uint8_t regime, data_regime;  /* enum spe_model_regime: of the fetch, of the data access */
	bool tables, data_tables;     /* ... by translation tables */
	bool uncached, data_uncached; /* ... of no cache, whatever the tables say */
	bool excepted;		      /* it generated an exception */
	bool restart; /* the pipeline starts again after it: an exception, an exception return */
	bool single;  /* no other operation is issued in its cycle */
	void *ctx;    /* of walk */
	/*
	 * Walk for an address that the TLBs of the core do not have, without a call into the model.
	 * *walk is zeros before. data: of the data access, else of the fetch. NULL: tables and
	 * data_tables count as false, and TLBs have every page.
	 */
	void (*walk)(void *ctx, uint64_t va, bool data, struct spe_model_walk *walk);
};

/*
 * The context in which a regime of a core translates from now on: ASID, VMID, and a number from 0
 * to 3 for the Security state. 0 for what it has not. Entries of other contexts stay in the TLBs.
 */
void spe_model_context(struct spe_model *model, unsigned int core, enum spe_model_regime regime,
		       uint16_t asid, uint16_t vmid, unsigned int security);

/*
 * A core fetches the operation at pc. Of *facts, what concerns the fetch is used. Returns the
 * cycles that it was held up, for spe_model_execute().
 */
uint32_t spe_model_fetch(struct spe_model *model, unsigned int core, uint64_t pc,
			 const struct spe_model_facts *facts);

/*
 * A core has executed an operation. *op has pc, flags, data_va and data_pa, target if it is a taken
 * branch, and events 0, 1 and 11 (exception, retired, misaligned). The other events, the latencies,
 * in cycles, and data_source are set.
 */
void spe_model_execute(struct spe_model *model, unsigned int core,
		       const struct spe_model_facts *facts, uint32_t held, struct spe_op *op);

/* The same of an operation that is alone in an empty pipeline: no cycle is counted. */
void spe_model_alone(struct spe_model *model, unsigned int core,
		     const struct spe_model_facts *facts, struct spe_op *op);

/*
 * The same effects on caches, TLBs and predictor, and nothing else: for what is not sampled.
 * Returns the farthest source of its lines and of those that the prefetcher brought for it, and
 * DRAM if one of these replaced a line of L1D in use; L1D if it accessed no cache. A second access
 * of the core to its line changes nothing, and may be left out, until the core accesses another
 * line of the same set of L1D, or a call for any core answers farther than L2, or is another one
 * than this, but for a fetch that was not held up.
 */
enum spe_model_source spe_model_warm(struct spe_model *model, unsigned int core,
				     const struct spe_model_facts *facts, const struct spe_op *op);

/*
 * The operation was a PRFM of va, which is at pa in RAM. prfop: bits 4 to 0 of the instruction. Of
 * *facts, what concerns the data access is used. Nothing is fetched if no TLB has the page.
 */
void spe_model_prefetch(struct spe_model *model, unsigned int core,
			const struct spe_model_facts *facts, uint64_t va, uint64_t pa,
			unsigned int prfop);

/*
 * Maintenance.
 */

/* A SYS instruction, as it was executed. */
struct spe_model_sys {
	uint32_t encoding; /* sysreg_encode(1, op1, CRn, CRm, op2) */
	uint64_t value;	   /* of Xt */
	uint64_t pa;	   /* what value translates to, of DC and IC by address ... */
	bool pa_valid;	   /* ... if it does; else the instruction has no effect */
	bool as, ds;	   /* TCR_EL1.{AS,DS} */
	uint16_t vmid;	   /* of a TLBI, as of spe_model_context() ... */
	uint8_t security;  /* ... and this */
};

/*
 * A core has executed DC or IC, by address or of everything, or TLBI of EL1&0: for itself or, by
 * its encoding, for all cores. false: it is none of these, as DC ZVA, which is SPE_MODEL_ZEROED,
 * and maintenance by set and way, which is not modelled.
 */
bool spe_model_sys(struct spe_model *model, unsigned int core, const struct spe_model_sys *sys);

/* The entries that a TLBI drops. */
struct spe_model_tlbi {
	uint64_t va;	      /* with by_va; may have a tag */
	unsigned int regimes; /* 1 << enum spe_model_regime, for each */
	uint16_t asid, vmid;
	uint8_t security;
	bool any_vmid; /* of all VMIDs */
	bool by_asid,
		by_va; /* only those of asid; only those of va. By ASID alone, global ones stay */
};

/* Drop entries from the TLBs of a core, for what spe_model_sys() does not know. NULL: all. */
void spe_model_tlbi(struct spe_model *model, unsigned int core, const struct spe_model_tlbi *tlbi);

/* What was counted. */

/* The count of a PMU event (enum pmu_number) of a core into *count. false: it is not modelled. */
bool spe_model_count(const struct spe_model *model, unsigned int core, uint16_t event,
		     uint64_t *count);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
