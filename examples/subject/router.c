/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A toy router of accesses, as a small hypervisor might have one, with the interface of
 * <vspe/subject.h>: it decides MRS and MSR of six registers of SPE, on a PE with EL2 and without
 * EL3 and nested virtualization. It has one error, which `vspe conform --subject ./router.so`
 * finds; make CFLAGS=-DCORRECTED builds it without. Source of the rules: the "Accessing" sections
 * of the register pages.
 */
#include <vspe/subject.h>

#define MDCR_EL2_TPMS (UINT64_C(1) << 14)
#define EC_SYSREG     0x18

/* This hypervisor's names. */
enum verdict { RUN, INJECT_UNDEF, REFLECT_TO_EL2 };

struct rule {
	const char *name;
	uint32_t encoding;
	uint8_t fgt; /* bit of HDFGRTR_EL2 and HDFGWTR_EL2 that traps it when 1 */
	bool read_only;
};

#define SPE(op2) VSPE_SUBJECT_ENCODING(3, 0, 9, 9, op2)

static const struct rule rules[] = {
	{"PMSICR_EL1", SPE(2), 29, false},   {"PMSIRR_EL1", SPE(3), 31, false},
	{"PMSFCR_EL1", SPE(4), 28, false},   {"PMSEVFR_EL1", SPE(5), 27, false},
	{"PMSLATFR_EL1", SPE(6), 32, false}, {"PMSIDR_EL1", SPE(7), 30, true},
};

static const struct rule *find_rule(uint32_t encoding)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].encoding == encoding)
			return &rules[i];
	return NULL;
}

/* Does a fine-grained trap take it? */
static bool fgt_traps(const struct vspe_subject_pe *pe, const struct rule *rule, bool write)
{
	uint64_t traps = pe->hdfgrtr_el2;

#ifdef CORRECTED
	if (write)
		traps = pe->hdfgwtr_el2;
#else
	(void)write; /* The planted error: HDFGRTR_EL2 only traps reads. */
#endif
	return (pe->features & VSPE_SUBJECT_FEAT_FGT) && (traps >> rule->fgt & 1);
}

static enum verdict decide(const struct vspe_subject_pe *pe, const struct rule *rule, bool write)
{
	if (!(pe->features & VSPE_SUBJECT_FEAT_SPE) || pe->aarch32 || pe->el == 0)
		return INJECT_UNDEF;
	if (write && rule->read_only)
		return INJECT_UNDEF;
	if (pe->el == 1 && (fgt_traps(pe, rule, write) || (pe->mdcr_el2 & MDCR_EL2_TPMS)))
		return REFLECT_TO_EL2;
	return RUN;
}

/* ESR_ELx.ISS for EC 0x18: Op0, Op2, Op1, CRn, Rt, CRm, Direction. */
static uint32_t syndrome(const struct vspe_subject_access *a)
{
	const uint32_t e = a->encoding;

	return (e >> 14 & 3) << 20 | (e & 7) << 17 | (e >> 11 & 7) << 14 | (e >> 7 & 15) << 10 |
	       (uint32_t)a->rt << 5 | (e >> 3 & 15) << 1 | !a->write;
}

/* The interface begins here. */
static void spe_access(void *ctx, const struct vspe_subject_pe *pe,
		       const struct vspe_subject_access *access,
		       struct vspe_subject_outcome *outcome)
{
	const struct rule *rule = find_rule(access->encoding);

	(void)ctx;
	if (!rule) {
		outcome->kind = VSPE_SUBJECT_NOT_ROUTED;
		return;
	}
	switch (decide(pe, rule, access->write)) {
	case RUN:
		outcome->kind = VSPE_SUBJECT_DIRECT;
		outcome->encoding = rule->encoding;
		break;
	case INJECT_UNDEF: outcome->kind = VSPE_SUBJECT_UNDEFINED; break;
	case REFLECT_TO_EL2:
		outcome->kind = VSPE_SUBJECT_TRAP;
		outcome->target_el = 2;
		outcome->ec = EC_SYSREG;
		outcome->iss = syndrome(access);
		break;
	}
}

const struct vspe_subject vspe_subject = {
	.version = VSPE_SUBJECT_VERSION,
	.size = sizeof(struct vspe_subject),
	.name = "toy router",
	.features_always = VSPE_SUBJECT_EL2,
	.features_never = VSPE_SUBJECT_EL3 | VSPE_SUBJECT_FEAT_RME | VSPE_SUBJECT_FEAT_NV |
			  VSPE_SUBJECT_FEAT_NV2,
	.spe_access = spe_access,
};
