/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe explain, of registers of the PMU and of the software CPU. */
#include "explain_line.h"
#include "base/splitmix.h"
#include "pmu/unit.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <string.h>

static const char *output_of(const char *line)
{
	static char text[8192];
	struct explain_request request;
	char message[512] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	cr_assert_eq(parse(line, &request, message, sizeof(message)), CLI_GO_ON, "%s: %s", line,
		     message);
	explain_print(&request, out);
	fclose(out);
	return text;
}

/* What decides, and the outcome. */
Test(explain_other, says_what_decided)
{
	static const struct {
		const char *line, *reason, *outcome;
	} rows[] = {
		{"PMCR_EL0 read --el 1", "otherwise", "read of PMCR_EL0"},
		{"PMCR_EL0 write --el 0 --set MDCR_EL2.TPM=1", "MDCR_EL2.TPM == 1",
		 "exception to EL2, EC 0x18, ISS 0x30e418"},
		{"PMCR_EL0 write --el 1 --rt 3 --set MDCR_EL2.TPMCR=1", "MDCR_EL2.TPMCR == 1",
		 "exception to EL2, EC 0x18, ISS 0x30e478"},
		{"PMCR_EL0 read --el 2 --set MDCR_EL3.TPM=1", "MDCR_EL3.TPM == 1",
		 "exception to EL3"},
		{"PMCNTENSET_EL0 read --el 1 --set HDFGRTR_EL2[16]=1", "HDFGRTR_EL2[16] == 1",
		 "exception to EL2"},
		{"PMUACR_EL1 read --el 1 --set HDFGRTR2_EL2[4]=0", "HDFGRTR2_EL2[4] == 0",
		 "exception to EL2"},
		{"PMUACR_EL1 read --el 2 --set MDCR_EL3.EnPM2=0", "MDCR_EL3.EnPM2 == 0",
		 "exception to EL3"},
		{"PMCCNTR_EL0 write --el 0 --set PMUSERENR_EL0.EN=0",
		 "PMUSERENR_EL0.EN == 0 and PMUSERENR_EL0.UEN == 0", "exception to EL1"},
		{"PMCR_EL0 read --el 0 --set PMUSERENR_EL0.UEN=1", "PMUSERENR_EL0.UEN == 1",
		 "exception to EL1"},
		{"PMCEID0_EL0 read --el 0 --set PMUSERENR_EL0.TID=1", "PMUSERENR_EL0.TID == 1",
		 "exception to EL1"},
		{"PMCCNTR_EL0 read --el 0 --set PMUSERENR_EL0.UEN=1 --set PMUACR_EL1[31]=0",
		 "PMUACR_EL1[31] == 0", "it reads as zero"},
		{"PMCCNTR_EL0 write --el 0 --set PMUSERENR_EL0.UEN=1 --set PMUSERENR_EL0.CR=1",
		 "PMUSERENR_EL0.CR == 1", "the write is ignored"},
		{"PMXEVCNTR_EL0 read --el 1 --set PMSELR_EL0.SEL=2", "otherwise",
		 "read of PMEVCNTR2_EL0"},
		{"PMXEVCNTR_EL0 read --el 1 --set PMSELR_EL0.SEL=2 --set MDCR_EL2.HPMN=2",
		 "counter 2, and MDCR_EL2.HPMN == 2", "exception to EL2"},
		{"PMICNTR_EL0 read --el 1 --no-feature PMUv3_ICNTR", "not FEAT_PMUv3_ICNTR",
		 "UNDEFINED"},
		{"PMCR_EL0 read --el 1 --aarch32", "AArch32", "UNDEFINED"},
		{"SCTLR_EL1 read --el 1 --set HCR_EL2.TRVM=1", "HCR_EL2.TRVM == 1",
		 "exception to EL2, EC 0x18, ISS 0x300401"},
		{"SCTLR_EL1 write --el 1 --set HCR_EL2.TRVM=1", "otherwise", "write of SCTLR_EL1"},
		{"CPACR_EL1 write --el 1 --set HFGWTR_EL2[12]=1", "HFGWTR_EL2[12] == 1",
		 "exception to EL2"},
		{"CPACR_EL1 read --el 2 --set HCR_EL2.E2H=1", "HCR_EL2.E2H == 1",
		 "read of CPTR_EL2"},
		{"CPACR_EL1 read --el 2 --set CPTR_EL3.TCPAC=1", "CPTR_EL3.TCPAC == 1",
		 "exception to EL3"},
		{"CTR_EL0 read --el 0 --set SCTLR_EL1.UCT=0", "SCTLR_EL1.UCT == 0",
		 "exception to EL1"},
		{"CCSIDR_EL1 read --el 1 --set HCR_EL2.TID4=1", "HCR_EL2.TID4 == 1",
		 "exception to EL2"},
		{"ICC_IAR1_EL1 read --el 1 --set HCR_EL2.IMO=1", "HCR_EL2.IMO == 1",
		 "read of ICV_IAR1_EL1"},
		{"ICC_PMR_EL1 read --el 2 --set SCR_EL3.FIQ=1 --set SCR_EL3.IRQ=1",
		 "SCR_EL3.IRQ == 1 and SCR_EL3.FIQ == 1", "exception to EL3"},
		{"VBAR_EL1 write --el 1 --set HCR_EL2.NV=1 --set HCR_EL2.NV1=1 --set HCR_EL2.NV2=1",
		 "effective HCR_EL2.{NV2,NV1,NV} is 111",
		 "write to memory at VNCR_EL2.BADDR + 0x250"},
		{"TTBR0_EL2 read --el 1 --set HCR_EL2.NV=1",
		 "effective HCR_EL2.{NV2,NV1,NV} is 001", "exception to EL2"},
		{"FPCR read --el 1 --set CPACR_EL1.FPEN=1", "otherwise", "read of FPCR"},
		{"FPCR read --el 1 --set CPACR_EL1.FPEN=0", "CPACR_EL1.FPEN == 0",
		 "exception to EL1, EC 0x07, ISS 0x1e00000"},
		{"RNDR read --el 0 --no-feature FEAT_RNG", "not FEAT_RNG", "UNDEFINED"},
		{"S3_0_C1_C0_0 read --el 0", "PSTATE.EL == EL0", "UNDEFINED"},
		{"midr_el1 write --el 3", "no MSR accessor", "UNDEFINED"},
		{"LORC_EL1 read --el 1 --secure", "SCR_EL3.NS == 0", "UNDEFINED"},
	};
	char want[128];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *text = output_of(rows[i].line);

		cr_expect_str_has(text, rows[i].reason, "%s", rows[i].line);
		snprintf(want, sizeof(want), "yes, this decides\n");
		cr_expect_str_has(text, want, "%s", rows[i].line);
		cr_expect_str_has(strstr(text, "Outcome: "), rows[i].outcome, "%s", rows[i].line);
	}
}

/* Nothing is in the way of any of them where nothing is set, from the level that it has. */
Test(explain_other, default_platform_lets_pass)
{
	const char *name;
	char line[128];

	for (unsigned int i = 0; (name = soft_explain_name(i)); i++) {
		/* The levels above EL3; Secure EL2 and Secure EL1; MIDR_EL1 and others: no MSR. */
		const bool secure = strstr(name, "CNTPS") || strstr(name, "S_") || name[0] == 'V';
		const char *direction = soft_explain_has(i, false) ? "read" : "write";
		const char *level = strrchr(name, '_');
		const int el = !level || level[3] == '0' ? 1 : level[3] - '0';

		if (secure || strstr(name, "EL12") || strstr(name, "EL02") ||
		    strstr(name, "RVBAR") || strstr(name, "GP") || strcmp(name, "MFAR_EL3") == 0 ||
		    strstr(name, "SP_EL") || (strncmp(name, "PMEV", 4) == 0))
			continue;
		if (level && (level[1] != 'E' || level[2] != 'L'))
			continue;
		if (strcmp(name, "PM") == 0)
			continue; /* FEAT_SPE_EXC's */
		snprintf(line, sizeof(line), "%s %s --el %d", name, direction, el);
		cr_expect_str_has(output_of(line), "yes otherwise", "%s", line);
	}
}

/* The command line of a random state, and the same state by hand: both routers say the same. */
Test(explain_other, is_what_pmu_route_says)
{
	uint64_t state = 34;
	unsigned int kinds[SYSREG_RAZ_WI + 1] = {0};

	for (unsigned int n = 0; n < 3000; n++) {
		const enum pmu_register reg =
			(enum pmu_register)(splitmix_next(&state) % PMU_REGISTERS);
		const bool write = splitmix_next(&state) & 1;
		const uint8_t rt = splitmix_next(&state) & 31;
		struct pmu_controls pmu = {.features = 15, .counters = PMU_COUNTERS};
		struct explain_request request;
		struct sysreg_controls c;
		struct sysreg_route want, got;
		struct soft_reason reason;
		char line[1024], message[256] = "";

		pmu.pmuserenr = splitmix_next(&state) & 0x7f;
		pmu.pmuacr = splitmix_next(&state);
		pmu.pmselr = splitmix_next(&state) & 0x1f;
		snprintf(line, sizeof(line),
			 "%s %s --el %u --rt %u --zero --set SCR_EL3.NS=1 --set MDCR_EL2=%" PRIu64
			 " --set MDCR_EL3=%" PRIu64 " --set HDFGRTR_EL2=%" PRIu64
			 " --set HDFGWTR_EL2=%" PRIu64 " --set HCR_EL2.TGE=%u --set HCR_EL2.E2H=%u"
			 " --set SCR_EL3.FGTEn=%u --set PMUSERENR_EL0=%" PRIu64
			 " --set PMUACR_EL1=%" PRIu64 " --set PMSELR_EL0.SEL=%" PRIu64,
			 pmu_register_name(reg), write ? "write" : "read",
			 (unsigned int)(splitmix_next(&state) & 3), rt,
			 splitmix_next(&state) & splitmix_next(&state),
			 splitmix_next(&state) & ~UINT64_C(0x40),
			 splitmix_next(&state) & splitmix_next(&state),
			 splitmix_next(&state) & splitmix_next(&state),
			 (unsigned int)(splitmix_next(&state) & 1),
			 (unsigned int)(splitmix_next(&state) & 1),
			 (unsigned int)(splitmix_next(&state) & 1), pmu.pmuserenr, pmu.pmuacr,
			 pmu.pmselr);
		cr_assert_eq(parse(line, &request, message, sizeof(message)), CLI_GO_ON, "%s: %s",
			     line, message);
		c = request.controls;
		want = pmu_route(&c, &pmu, reg, write, rt);
		got = soft_explain_route(&request.pe, &c, request.other, write, request.access.rt,
					 &reason);
		cr_assert_eq(got.kind, want.kind, "%s", line);
		cr_assert_eq(got.reg, want.reg, "%s", line);
		cr_assert_eq(got.target_el, want.target_el, "%s", line);
		cr_assert_eq(got.syndrome, want.syndrome, "%s", line);
		cr_assert_str_neq(reason.text, "", "%s", line);
		kinds[want.kind]++;
	}
	cr_expect_gt(kinds[SYSREG_DIRECT], 100);
	cr_expect_gt(kinds[SYSREG_UNDEFINED], 100);
	cr_expect_gt(kinds[SYSREG_TRAP], 100);
	cr_expect_gt(kinds[SYSREG_RAZ_WI], 10);
}

Test(explain_other, json)
{
	json_object *o = json_tokener_parse(
		output_of("PMCR_EL0 read --el 0 --json --set PMUSERENR_EL0.EN=0"));
	json_object *outcome, *v;

	cr_assert_not_null(o);
	cr_assert(json_object_object_get_ex(o, "register", &v));
	cr_assert_str_eq(json_object_get_string(v), "PMCR_EL0");
	cr_assert(json_object_object_get_ex(o, "outcome", &outcome));
	cr_assert(json_object_object_get_ex(outcome, "target_el", &v));
	cr_assert_eq(json_object_get_int(v), 1);
	json_object_put(o);
}

Test(explain_other, wrong_words_are_named)
{
	refused("SCTLR_EL4 read --el 1", "'SCTLR_EL4'", "SCTLR_EL1");
	refused("PMCR read --el 1", "'PMCR'", "PMCR_EL0");
	refused("MIDR_EL1 read --el 1 --aarch32", "--aarch32", "no such state");
	refused("MIDR_EL1 read --el 1 --halted", "--halted", "no such state");
	refused("MIDR_EL1 read --el 1 --set HFGRTR_EL2[64]=1", "HFGRTR_EL2[64]", "nearest");
	refused("MIDR_EL1 read --el 1 --set HFGRTR_EL2[1]=2", "HFGRTR_EL2[1]=2", "1 bit");
	refused("MIDR_EL1 read --el 1 --set CPTR_EL2.TCPAD=1", "'CPTR_EL2.TCPAD'",
		"CPTR_EL2.TCPAC");
	refused("MIDR_EL1 read --el 1 --set PMSELR_EL0.SEL=32", "PMSELR_EL0.SEL=32", "5 bits");
}
