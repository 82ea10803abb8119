/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe explain: what it makes of the command line, the messages for wrong words, and the output. */
#include "explain_line.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

static struct sysreg_route route_of(const char *line)
{
	struct explain_request request;
	char message[512] = "";

	cr_assert_eq(parse(line, &request, message, sizeof(message)), CLI_GO_ON, "%s: %s", line,
		     message);
	cr_assert_str_eq(message, "");
	return sysreg_route(&request.controls, request.access);
}

/* Without options every register exists, and accesses pass from every EL that may make them. */
Test(explain_cli, default_platform_lets_pass)
{
	static const char *const states[] = {"", "--secure", "--realm"};
	char line[128];

	for (unsigned int i = 0; i < SYSREG_COUNT; i++)
		for (int el = 1; el < 4; el++)
			for (size_t s = 0; s < 3; s++) {
				const char *name = sysreg_name((enum sysreg_id)i);
				const bool alias = strstr(name, "EL12");
				const int lowest = alias ? 2 : name[strlen(name) - 1] - '0';

				snprintf(line, sizeof(line), "%s read --el %d %s%s", name, el,
					 states[s], alias && el > 1 ? " --set HCR_EL2.E2H=1" : "");
				if (alias && el == 3 && s == 1) /* Secure EL2 is disabled at EL3 */
					continue;
				cr_assert_eq(route_of(line).kind,
					     el < lowest ? SYSREG_UNDEFINED : SYSREG_DIRECT, "%s",
					     line);
			}
}

Test(explain_cli, registers_by_name_and_encoding)
{
	cr_assert_eq(route_of("PMSICR_EL1 read --el 1").reg, SYSREG_PMSICR_EL1);
	cr_assert_eq(route_of("pmsicr_el1 READ --el 1").reg, SYSREG_PMSICR_EL1);
	cr_assert_eq(route_of("S3_0_C9_C10_1 write --el 1").reg, SYSREG_PMBPTR_EL1);
	cr_assert_eq(route_of("s3_6_c9_c10_3 read --el 3").reg, SYSREG_PMBSR_EL3);
	refused("S3_0_C9_C10_2 read --el 1", "'S3_0_C9_C10_2'", "not a register");
	refused("S3_0_C9_C9_2x read --el 1", "'S3_0_C9_C9_2x'", "not a register");
	refused("S9_9_C99_C99_9 read --el 1", "'S9_9_C99_C99_9'", "not a register");
}

Test(explain_cli, fields_are_set)
{
	struct explain_request r;
	char message[512] = "";
	const struct sysreg_route trap =
		route_of("PMSICR_EL1 read --el 1 --rt 7 --set MDCR_EL2.TPMS=1");

	cr_assert_eq(trap.kind, SYSREG_TRAP);
	cr_assert_eq(trap.target_el, 2);
	cr_assert_eq(trap.syndrome, 0x342413 + (7 << 5));
	cr_assert_eq(parse("PMSICR_EL1 read --el 1 --set mdcr_el3.nspb=0b10 --set HCR_EL2=0x400000 "
			   "--set EDSCR.SDD=1 --set PMSCR_EL2.EE=3",
			   &r, message, sizeof(message)),
		     CLI_GO_ON);
	cr_assert_eq(r.controls.mdcr_el3 >> 12 & 3, 2);
	cr_assert_eq(r.controls.hcr_el2, 0x400000);
	cr_assert(r.controls.edscr_sdd);
	cr_assert_eq(r.controls.pmscr_el2, 0x300);
	/* The order on the command line does not matter: --set comes after the defaults. */
	cr_assert_eq(route_of("--set SCR_EL3.NS=0 PMSICR_EL1 read --el 1").kind, SYSREG_TRAP);
	cr_assert_eq(route_of("--set SCR_EL3.NS=0 PMSICR_EL1 read --el 1 --secure").kind,
		     SYSREG_DIRECT);
}

Test(explain_cli, versions_and_features)
{
	cr_assert_eq(route_of("PMSNEVFR_EL1 read --el 1 --spe v1p1").kind, SYSREG_UNDEFINED);
	cr_assert_eq(route_of("PMSNEVFR_EL1 read --el 1 --spe v1p2").kind, SYSREG_DIRECT);
	cr_assert_eq(route_of("PMSDSFR_EL1 read --el 1 --spe v1p3").kind, SYSREG_UNDEFINED);
	cr_assert_eq(route_of("PMSDSFR_EL1 read --el 1 --spe v1p4").kind, SYSREG_DIRECT);
	cr_assert_eq(route_of("PMSDSFR_EL1 read --el 1 --spe v1p4,no-fds").kind, SYSREG_UNDEFINED);
	cr_assert_eq(route_of("PMBMAR_EL1 read --el 1 --spe v1p4").kind, SYSREG_UNDEFINED);
	cr_assert_eq(route_of("PMBMAR_EL1 read --el 1 --spe v1p4,nvm").kind, SYSREG_DIRECT);
	cr_assert_eq(route_of("PMBSR_EL2 read --el 2 --spe v1p4").kind, SYSREG_UNDEFINED);
	cr_assert_eq(route_of("PMBSR_EL2 read --el 2 --spe v1p5").kind, SYSREG_DIRECT);
	cr_assert_eq(route_of("PMSCR_EL12 read --el 3 --set HCR_EL2.E2H=1 --no-feature VHE").kind,
		     SYSREG_UNDEFINED);
	cr_assert_eq(route_of("PMSICR_EL1 read --el 1 --no-feature FEAT_SPE").kind,
		     SYSREG_UNDEFINED);
	refused("PMSICR_EL1 read --el 1 --spe v1p6", "'v1p6'", "--spe help");
	refused("PMSICR_EL1 read --el 1 --spe v1p", "'v1p'", "--spe help");
	refused("PMSICR_EL1 read --el 1 --spe v1p5,", "''", "no such feature");
	refused("PMSICR_EL1 read --el 1 --spe v1p1,fne", "'fne'", "v1p2");
	refused("PMSICR_EL1 read --el 1 --spe v1p2,no-fne", "'fne'", "exactly from v1p2");
	refused("PMSICR_EL1 read --el 1 --spe v1p5,no-nvm", "'nvm'", "incomplete");
	cr_assert_eq(route_of("PMBSR_EL2 read --el 2 --spe v1p5,incomplete,no-exc").kind,
		     SYSREG_UNDEFINED);
	cr_assert_eq(route_of("PMSNEVFR_EL1 read --el 1 --spe no-pbt,countsize=16").kind,
		     SYSREG_DIRECT);
	refused("PMSICR_EL1 read --el 1 --spe v1p5,fo\no", "'fo\\no'", "no such feature");
	refused("PMSI\x1b read --el 1", "'PMSI\\x1b'", "not a register");
	refused("PMSICR_EL1 read --el 1 --feature FGT3", "'FGT3'", "FEAT_FGT");
}

Test(explain_cli, states)
{
	cr_assert_eq(route_of("PMSICR_EL1 read --el 1 --zero").kind, SYSREG_TRAP);
	cr_assert_eq(route_of("PMSICR_EL1 read --el 1 --aarch32").kind, SYSREG_UNDEFINED);
	cr_assert_eq(route_of("PMSICR_EL1 read --el 1 --zero --set MDCR_EL2.TPMS=1 --halted --set "
			      "EDSCR.SDD=1")
			     .kind,
		     SYSREG_TRAP);
	cr_assert_eq(route_of("PMSICR_EL1 read --el 1 --zero --set MDCR_EL2.TPMS=1 --halted --set "
			      "EDSCR.SDD=1 --sdd-priority")
			     .kind,
		     SYSREG_UNDEFINED);
	refused("PMSICR_EL1 read --el 3 --no-feature EL3", "--el 3", "no EL3");
	refused("PMSICR_EL1 read --el 2 --no-feature EL2", "--el 2", "no EL2");
	refused("PMSICR_EL1 read --el 2 --secure --no-feature SEL2", "--el 2", "disabled");
	refused("PMSICR_EL1 read --el 1 --realm --no-feature RME", "--realm", "FEAT_RME");
	refused("PMSICR_EL1 read --el 1 --realm --set SCR_EL3.NS=0", "NSE,NS", "Root");
	refused("PMSICR_EL1 read --el 3 --halted --set EDSCR.SDD=1", "EDSCR.SDD", "EL3");
}

Test(explain_cli, wrong_words_are_named)
{
	refused("", "REGISTER and read or write are needed", "--help");
	refused("PMSICR_EL1", "REGISTER and read or write are needed", "--help");
	refused("PMSICR_EL1 read", "--el", "needed");
	refused("PMSICR_EL1 read write --el 1", "'write'", "too much");
	refused("PMSICR_EL1 look --el 1", "'look'", "neither read nor write");
	refused("PMSICR read --el 1", "'PMSICR'", "PMSICR_EL1");
	refused("PMBLIMTR_EL1 read --el 1", "'PMBLIMTR_EL1'", "PMBLIMITR_EL1");
	refused("PMSICR_EL1 read --el 4", "'4'", "0 to 3");
	refused("PMSICR_EL1 read --el one", "'one'", "0 to 3");
	refused("PMSICR_EL1 read --el -1", "'-1'", "0 to 3");
	refused("PMSICR_EL1 read --el 1 --rt 32", "'32'", "0 to 31");
	refused("PMSICR_EL1 read --el 1 --sett X=1", "--sett", "no such option");
	refused("PMSICR_EL1 read --el 1 -q", "-q", "no such option");
	refused("PMSICR_EL1 read --el", "--el", "needs a value");
	refused("PMSICR_EL1 read --el 1 --set HCR_EL2.NV3=1", "'HCR_EL2.NV3'", "HCR_EL2.NV");
	refused("PMSICR_EL1 read --el 1 --set HCR_EL3.NV=1", "'HCR_EL3.NV'", "HCR_EL2.NV");
	refused("PMSICR_EL1 read --el 1 --set HDFGWTR_EL2.PMSIDR_EL1=1", "'HDFGWTR_EL2.PMSIDR_EL1'",
		"nearest");
	refused("PMSICR_EL1 read --el 1 --set HCR_EL2.NV", "'HCR_EL2.NV'", "no value");
	refused("PMSICR_EL1 read --el 1 --set HCR_EL2.NV=", "''", "not a number");
	refused("PMSICR_EL1 read --el 1 --set HCR_EL2.NV=2", "HCR_EL2.NV=2", "1 bit");
	refused("PMSICR_EL1 read --el 1 --set HCR_EL2.NV=-1", "'-1'", "not a number");
	refused("PMSICR_EL1 read --el 1 --set MDCR_EL2.E2PB=4", "MDCR_EL2.E2PB=4", "2 bits");
	refused("PMSICR_EL1 read --el 1 --set MDCR_EL2.E2PB=0b2", "'0b2'", "not a number");
	refused("PMSICR_EL1 read --el 1 --set EDSCR=0x100000000", "EDSCR", "32 bits");
	refused("PMSICR_EL1 read --el 1 --set HCR_EL2=0x10000000000000000", "HCR_EL2",
		"not a number");
	refused("PMSICR_EL1 read --el 1 --set "
		"HCR_EL2_HCR_EL2_HCR_EL2_HCR_EL2_HCR_EL2_HCR_EL2_HCR_EL2_HCR_EL2_HCR_EL2_HCR_EL2=1",
		"HCR_EL2_", "not a control register");
}

static void output_of(const char *line, char *text, size_t size)
{
	struct explain_request request;
	char message[512] = "";
	FILE *out = fmemopen(text, size, "w");

	cr_assert_eq(parse(line, &request, message, sizeof(message)), CLI_GO_ON, "%s", message);
	explain_print(&request, out);
	fclose(out);
}

Test(explain_cli, text)
{
	static char text[8192];

	output_of("PMSICR_EL1 read --el 1 --set MDCR_EL2.TPMS=1", text, sizeof(text));
	cr_assert_str_has(text, "Read of PMSICR_EL1 (S3_0_C9_C9_2) at EL1, Non-secure state\n");
	cr_assert_str_has(text, " 4. trap to EL2? no\n");
	cr_assert_str_has(text, " 5. trap to EL2? yes, this decides\n");
	cr_assert_str_has(text, "and yes MDCR_EL2.TPMS == 1\n");
	cr_assert_str_lacks(text, " 6. ");
	cr_assert_str_has(text, "Outcome: exception to EL2, EC 0x18, ISS 0x342413 (ESR_EL2 "
				"0x62342413)\n");
	output_of("PMSIRR_EL1 write --el 1 --zero", text, sizeof(text));
	cr_assert_str_has(text, "trap to EL3? yes, this decides\n");
	cr_assert_str_has(text, "UNDEFINED? no\n    ");
	cr_assert_str_has(text, "Outcome: exception to EL3, EC 0x18, ISS 0x362412");
	output_of("PMSIRR_EL1 write --el 1 --zero --halted --set EDSCR.SDD=1", text, sizeof(text));
	cr_assert_str_has(text, "trap to EL3? yes\n");
	cr_assert_str_has(text, "UNDEFINED? yes, this decides\n");
	cr_assert_str_has(text, "Outcome: the instruction is UNDEFINED\n");
	output_of("PMSIRR_EL1 write --el 1 --set HCR_EL2.NV=1 --set HCR_EL2.NV2=1", text,
		  sizeof(text));
	cr_assert_str_has(text, "Outcome: 64-bit write to memory at VNCR_EL2.BADDR + 0x840\n");
	output_of("PMSCR_EL1 read --el 2 --set HCR_EL2.E2H=1", text, sizeof(text));
	cr_assert_str_has(text, "Outcome: read of PMSCR_EL2\n");
}

Test(explain_cli, json)
{
	static char text[16384];
	json_object *o, *outcome, *conditions, *v;
	size_t deciders = 0;

	output_of("PMSICR_EL1 read --el 1 --set MDCR_EL2.TPMS=1 --json", text, sizeof(text));
	o = json_tokener_parse(text);
	cr_assert_not_null(o);
	cr_assert(json_object_object_get_ex(o, "outcome", &outcome));
	cr_assert(json_object_object_get_ex(outcome, "kind", &v));
	cr_assert_str_eq(json_object_get_string(v), "trap");
	cr_assert(json_object_object_get_ex(outcome, "iss", &v));
	cr_assert_str_eq(json_object_get_string(v), "0x342413");
	cr_assert(json_object_object_get_ex(o, "conditions", &conditions));
	for (size_t i = 0; i < json_object_array_length(conditions); i++) {
		json_object *c = json_object_array_get_idx(conditions, i);

		cr_assert(json_object_object_get_ex(c, "decides", &v));
		deciders += json_object_get_boolean(v) != 0;
	}
	cr_assert_eq(deciders, 1);
	json_object_put(o);
}

/* --list has every register and every field. */
Test(explain_cli, lists)
{
	static char text[65536];
	FILE *out = fmemopen(text, sizeof(text), "w");
	size_t count;
	const struct sysreg_field *f = sysreg_fields(&count);

	explain_list(out);
	fclose(out);
	for (unsigned int i = 0; i < SYSREG_COUNT; i++)
		cr_assert_str_has(text, sysreg_name((enum sysreg_id)i));
	for (size_t i = 0; i < count; i++)
		cr_assert_str_has(text, f[i].name ? f[i].name : f[i].reg);
	cr_assert_str_has(text, "MDCR_EL2.E2PB, bits 13:12\n");
	cr_assert_str_has(text, "MDCR_EL2.TPMS, bit 14\n");
}
