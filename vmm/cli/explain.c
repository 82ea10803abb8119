/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vspe explain: which conditions an access of an SPE register meets, and what comes of it. The
 * command line turns into struct sysreg_controls here; sysreg_explain() decides.
 */
#include "cli/explain.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/cli.h"
#include "machine/spe_option.h"

enum option_id {
	OPTION_EL = 256,
	OPTION_SET,
	OPTION_NON_SECURE,
	OPTION_SECURE,
	OPTION_REALM,
	OPTION_AARCH32,
	OPTION_HALTED,
	OPTION_SDD_PRIORITY,
	OPTION_SPE,
	OPTION_FEATURE,
	OPTION_NO_FEATURE,
	OPTION_ZERO,
	OPTION_RT,
};

static const struct option long_options[] = {
	{"el", required_argument, NULL, OPTION_EL},
	{"set", required_argument, NULL, OPTION_SET},
	{"non-secure", no_argument, NULL, OPTION_NON_SECURE},
	{"secure", no_argument, NULL, OPTION_SECURE},
	{"realm", no_argument, NULL, OPTION_REALM},
	{"aarch32", no_argument, NULL, OPTION_AARCH32},
	{"halted", no_argument, NULL, OPTION_HALTED},
	{"sdd-priority", no_argument, NULL, OPTION_SDD_PRIORITY},
	{"spe", required_argument, NULL, OPTION_SPE},
	{"feature", required_argument, NULL, OPTION_FEATURE},
	{"no-feature", required_argument, NULL, OPTION_NO_FEATURE},
	{"zero", no_argument, NULL, OPTION_ZERO},
	{"rt", required_argument, NULL, OPTION_RT},
	{"json", no_argument, NULL, 'j'},
	{"list", no_argument, NULL, 'l'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

static const char help[] =
	"Usage: vspe explain REGISTER read|write --el N [OPTION]...\n"
	"\n"
	"Say what becomes of an access to a register of the Statistical Profiling Extension: the\n"
	"conditions in the order in which the architecture tests them, which one decides, and the\n"
	"outcome. REGISTER is a name such as PMSICR_EL1, or S3_0_C9_C9_2.\n"
	"\n"
	"      --el N              Exception level of the access, 0 to 3\n"
	"      --set REG.FIELD=V   a field of a control register; V is 5, 0x5 or 0b101\n"
	"      --set REG=V         all of a control register\n"
	"      --non-secure        Security state (the default) ...\n"
	"      --secure            ... Secure\n"
	"      --realm             ... Realm; with FEAT_RME\n"
	"      --aarch32           the PE is in AArch32 state\n"
	"      --halted            the PE is in Debug state; see EDSCR.SDD\n"
	"      --sdd-priority      in Debug state with EDSCR.SDD 1, traps to EL3 have priority\n"
	"      --spe TEXT          version and features of FEAT_SPE, as vspe run takes them: its\n"
	"                          features fne, fds, exc and nvm matter here; help lists all\n"
	"      --feature FEAT_F    a feature that the PE has ...\n"
	"      --no-feature FEAT_F ... or does not have\n"
	"      --zero              start with all control registers 0\n"
	"      --rt N              the instruction's Xt, 0 to 31, for the syndrome (0)\n"
	"  -j, --json              print JSON\n"
	"  -l, --list              print the names that there are, and exit\n"
	"  -h, --help              print this text, and exit\n"
	"\n"
	"Without options the PE has FEAT_SPEv1p5 with all that --list shows but FEAT_RME, and its\n"
	"control registers let every access pass: the state of the access owns the profiling\n"
	"buffer at EL1, and nothing traps. In Secure state at EL2, SCR_EL3.EEL2 is 1.\n"
	"\n"
	"Examples:\n"
	"  vspe explain PMSICR_EL1 read --el 1 --set MDCR_EL2.TPMS=1\n"
	"  vspe explain PMSCR_EL1 write --el 2 --set HCR_EL2.E2H=1\n"
	"  vspe explain PMBPTR_EL1 write --el 1 --set HCR_EL2.NV=1 --set HCR_EL2.NV2=1\n"
	"  vspe explain PMSNEVFR_EL1 read --el 1 --set HDFGRTR_EL2.nPMSNEVFR_EL1=0 --json\n"
	"  vspe explain PMBSR_EL1 read --el 1 --secure --set MDCR_EL3.NSPB=0b11\n"
	"\n"
	"Exit code: 0, or 2 for wrong options or input.\n";

/* Features of the PE by name; default is whether the PE has it without options. */
static const struct feature {
	const char *name;
	uint32_t bit;
	bool by_default;
} features[] = {
	{"SPE", SYSREG_FEAT_SPE, true},		{"SPE_FnE", SYSREG_FEAT_SPE_FNE, true},
	{"SPE_FDS", SYSREG_FEAT_SPE_FDS, true}, {"SPE_nVM", SYSREG_FEAT_SPE_NVM, true},
	{"SPE_EXC", SYSREG_FEAT_SPE_EXC, true}, {"FGT", SYSREG_FEAT_FGT, true},
	{"FGT2", SYSREG_FEAT_FGT2, true},	{"VHE", SYSREG_FEAT_VHE, true},
	{"NV", SYSREG_FEAT_NV, true},		{"NV2", SYSREG_FEAT_NV2, true},
	{"RME", SYSREG_FEAT_RME, false},	{"SEL2", SYSREG_FEAT_SEL2, true},
	{"EL2", SYSREG_FEAT_EL2, true},		{"EL3", SYSREG_FEAT_EL3, true},
};

#define FEATURES (sizeof(features) / sizeof(features[0]))

/* What has been read so far, and where to complain. */
struct parser {
	struct explain_request *request;
	FILE *messages;
	enum explain_state state;
	bool zero, el_given;
};

/* One line about what is wrong. Returns -1. */
static __attribute__((format(printf, 2, 3))) int complain(const struct parser *p,
							  const char *format, ...)
{
	char message[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	cli_message(p->messages, "vspe explain: %s", message);
	return -1;
}

void explain_help(FILE *out)
{
	fputs(help, out);
}

void explain_list(FILE *out)
{
	size_t count;
	const struct sysreg_field *f = sysreg_fields(&count);

	fputs("Registers:\n", out);
	for (unsigned int i = 0; i < SYSREG_COUNT; i++)
		fprintf(out, "  %s%s\n", sysreg_name((enum sysreg_id)i),
			sysreg_writable((enum sysreg_id)i) ? "" : " (read-only)");
	fputs("\nControl registers and their fields, for --set:\n", out);
	for (size_t i = 0; i < count; i++) {
		if (!f[i].name)
			fprintf(out, "  %s\n", f[i].reg);
		else if (f[i].width == 1)
			fprintf(out, "  %s.%s, bit %u\n", f[i].reg, f[i].name, f[i].lsb);
		else
			fprintf(out, "  %s.%s, bits %u:%u\n", f[i].reg, f[i].name,
				f[i].lsb + f[i].width - 1u, f[i].lsb);
	}
	fputs("\nFeatures, for --feature and --no-feature (* by default):\n", out);
	for (size_t i = 0; i < FEATURES; i++)
		fprintf(out, "  %c FEAT_%s\n", features[i].by_default ? '*' : ' ',
			features[i].name);
}

/* Letters to be changed, added or left out to make b of a, without regard to case. */
static size_t distance(const char *a, const char *b)
{
	size_t row[64];
	const size_t n = strlen(b);

	if (n >= sizeof(row) / sizeof(row[0]))
		return SIZE_MAX;
	for (size_t k = 0; k <= n; k++)
		row[k] = k;
	for (size_t i = 1; *a; a++, i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t k = 1; k <= n; k++) {
			const bool same =
				tolower((unsigned char)*a) == tolower((unsigned char)b[k - 1]);
			size_t best = diagonal + !same;

			diagonal = row[k];
			if (row[k] + 1 < best)
				best = row[k] + 1;
			if (row[k - 1] + 1 < best)
				best = row[k - 1] + 1;
			row[k] = best;
		}
	}
	return row[n];
}

/* The candidate nearest to text so far; start with best SIZE_MAX. */
struct nearest {
	const char *text;
	size_t best;
	char name[64];
};

static void consider(struct nearest *n, const char *name)
{
	const size_t d = distance(n->text, name);

	if (d < n->best) {
		n->best = d;
		snprintf(n->name, sizeof(n->name), "%s", name);
	}
}

/* S3_<op1>_C<n>_C<m>_<op2>, or SYSREG_COUNT. */
static enum sysreg_id find_spelled(const char *text)
{
	unsigned int op0, op1, crn, crm, op2;
	int end = 0;

	if (sscanf(text, "%*1[Ss]%1u_%1u_%*1[Cc]%2u_%*1[Cc]%2u_%1u%n", &op0, &op1, &crn, &crm, &op2,
		   &end) != 5 ||
	    text[end])
		return SYSREG_COUNT;
	if (op0 > 3 || op1 > 7 || crn > 15 || crm > 15 || op2 > 7)
		return SYSREG_COUNT;
	return sysreg_find(sysreg_encode(op0, op1, crn, crm, op2));
}

static int parse_register(struct parser *p, const char *text)
{
	struct nearest nearest = {.text = text, .best = SIZE_MAX};
	enum sysreg_id reg = find_spelled(text);

	for (unsigned int i = 0; reg == SYSREG_COUNT && i < SYSREG_COUNT; i++) {
		consider(&nearest, sysreg_name((enum sysreg_id)i));
		if (!strcasecmp(text, sysreg_name((enum sysreg_id)i)))
			reg = (enum sysreg_id)i;
	}
	if (reg == SYSREG_COUNT)
		return complain(p, "'%s' is not a register of FEAT_SPE; the nearest is %s", text,
				nearest.name);
	p->request->access.reg = reg;
	return 0;
}

/* A number as C writes it, or 0b101. */
static bool parse_number(const char *text, uint64_t *value)
{
	int base = 0;
	char *end;

	if (text[0] == '0' && (text[1] == 'b' || text[1] == 'B')) {
		text += 2;
		base = 2;
	}
	if (!isxdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoull(text, &end, base);
	return !errno && !*end;
}

static int parse_small(struct parser *p, const char *option, const char *text, uint64_t most,
		       uint8_t *value)
{
	uint64_t number;

	if (!parse_number(text, &number) || number > most)
		return complain(p, "--%s: '%s' is not a number from 0 to %" PRIu64, option, text,
				most);
	*value = (uint8_t)number;
	return 0;
}

static int parse_feature(struct parser *p, const char *text, bool on)
{
	const char *name = strncasecmp(text, "FEAT_", 5) ? text : text + 5;
	struct nearest nearest = {.text = name, .best = SIZE_MAX};

	for (size_t i = 0; i < FEATURES; i++) {
		consider(&nearest, features[i].name);
		if (strcasecmp(name, features[i].name) != 0)
			continue;
		if (on)
			p->request->controls.features |= features[i].bit;
		else
			p->request->controls.features &= ~features[i].bit;
		return 0;
	}
	return complain(p,
			"--%sfeature: '%s' is not a feature that access depends on; "
			"the nearest is FEAT_%s",
			on ? "" : "no-", text, nearest.name);
}

/* --spe, as vspe run takes it. Of all that it can say, access depends on these. */
static int parse_spe(struct parser *p, const char *text)
{
	uint32_t *bits = &p->request->controls.features;
	struct spe_config config;
	char why[256];

	if (spe_option_parse(text, NULL, &config, why, sizeof(why)))
		return complain(p, "--spe: %s", why);
	*bits &= ~(SYSREG_FEAT_SPE_FNE | SYSREG_FEAT_SPE_FDS | SYSREG_FEAT_SPE_NVM |
		   SYSREG_FEAT_SPE_EXC);
	*bits |= SYSREG_FEAT_SPE | (config.fne ? SYSREG_FEAT_SPE_FNE : 0) |
		 (config.fds ? SYSREG_FEAT_SPE_FDS : 0) | (config.nvm ? SYSREG_FEAT_SPE_NVM : 0) |
		 (config.exc ? SYSREG_FEAT_SPE_EXC : 0);
	return 0;
}

/* The row of REG.FIELD or REG, which is length long; NULL, and a complaint. */
static const struct sysreg_field *find_field(struct parser *p, const char *text, size_t length)
{
	char wanted[64], name[64];
	struct nearest nearest = {.text = wanted, .best = SIZE_MAX};
	size_t count;
	const struct sysreg_field *f = sysreg_fields(&count);

	snprintf(wanted, sizeof(wanted), "%.*s", (int)length, text);
	for (size_t i = 0; length < sizeof(wanted) && i < count; i++) {
		snprintf(name, sizeof(name), "%s%s%s", f[i].reg, f[i].name ? "." : "",
			 f[i].name ? f[i].name : "");
		if (!strcasecmp(wanted, name))
			return &f[i];
		consider(&nearest, name);
	}
	if (nearest.best == SIZE_MAX)
		complain(p, "--set: '%.40s...' is not a control register or a field of one", text);
	else
		complain(p,
			 "--set: '%s' is not a control register or a field of one that access "
			 "depends on; the nearest is %s",
			 wanted, nearest.name);
	return NULL;
}

static int parse_set(struct parser *p, const char *text)
{
	const size_t length = strcspn(text, "=");
	const struct sysreg_field *field;
	uint64_t value;

	if (!text[length])
		return complain(p, "--set: '%s' has no value: write REG.FIELD=VALUE", text);
	field = find_field(p, text, length);
	if (!field)
		return -1;
	if (!parse_number(text + length + 1, &value))
		return complain(p, "--set: '%s': '%s' is not a number", text, text + length + 1);
	if (!sysreg_field_set(&p->request->controls, field, value))
		return complain(p, "--set: '%s': the field has %u bit%s", text, field->width,
				field->width == 1 ? "" : "s");
	return 0;
}

/* The control registers before --set: nothing traps, and the access's state owns the buffer. */
static void set_defaults(const struct parser *p)
{
	static const char *const ones[] = {
		"MDCR_EL3.EnPMSN=1",
		"MDCR_EL3.EnPMS3=1",
		"MDCR_EL3.EnPMS4=1",
		"MDCR_EL3.PMSEE=1",
		"MDCR_EL2.E2PB=3",
		"SCR_EL3.FGTEn=1",
		"SCR_EL3.FGTEn2=1",
		"HDFGRTR_EL2.nPMSNEVFR_EL1=1",
		"HDFGWTR_EL2.nPMSNEVFR_EL1=1",
		"HDFGRTR2_EL2.nPMSDSFR_EL1=1",
		"HDFGWTR2_EL2.nPMSDSFR_EL1=1",
		"HDFGRTR2_EL2.nPMBMAR_EL1=1",
		"HDFGWTR2_EL2.nPMBMAR_EL1=1",
	};
	static const char *const states[][4] = {
		[EXPLAIN_NON_SECURE] = {"SCR_EL3.NS=1", "MDCR_EL3.NSPB=3"},
		[EXPLAIN_SECURE] = {"MDCR_EL3.NSPB=1"},
		[EXPLAIN_REALM] = {"SCR_EL3.NS=1", "SCR_EL3.NSE=1", "MDCR_EL3.NSPB=3",
				   "MDCR_EL3.NSPBE=1"},
	};
	struct parser quiet = *p;

	for (size_t i = 0; !p->zero && i < sizeof(ones) / sizeof(ones[0]); i++)
		parse_set(&quiet, ones[i]);
	for (size_t i = 0; i < 4 && states[p->state][i]; i++)
		if (!p->zero || !strncmp(states[p->state][i], "SCR_EL3", 7))
			parse_set(&quiet, states[p->state][i]);
	if (p->state == EXPLAIN_SECURE && p->request->controls.el == 2)
		parse_set(&quiet, "SCR_EL3.EEL2=1");
}

/* A PE cannot be in every state that can be written down. */
static int check_state(struct parser *p)
{
	const struct sysreg_controls *c = &p->request->controls;
	const bool el3 = c->features & SYSREG_FEAT_EL3, rme = c->features & SYSREG_FEAT_RME;
	const bool ns = c->scr_el3 >> SYSREG_SCR_EL3_NS_LSB & 1;
	const bool nse = c->scr_el3 >> SYSREG_SCR_EL3_NSE_LSB & 1;
	const bool eel2 = c->scr_el3 >> SYSREG_SCR_EL3_EEL2_LSB & 1;

	if (c->el == 3 && !el3)
		return complain(p, "--el 3: the PE has no EL3");
	if (c->el == 2 && !(c->features & SYSREG_FEAT_EL2))
		return complain(p, "--el 2: the PE has no EL2");
	if (p->state == EXPLAIN_REALM && !(el3 && rme))
		return complain(p, "--realm: there is no Realm state without FEAT_RME and EL3");
	if (el3 && rme && nse && !ns && c->el != 3)
		return complain(p,
				"--el %u: SCR_EL3.{NSE,NS} 10 is Root state, which EL3 alone is in",
				c->el);
	if (c->el == 2 && el3 && !ns && !(eel2 && (c->features & SYSREG_FEAT_SEL2)))
		return complain(p, "--el 2: EL2 is disabled in Secure state without FEAT_SEL2 and "
				   "SCR_EL3.EEL2");
	if (c->el == 3 && c->halted && c->edscr_sdd)
		return complain(p, "--el 3: EDSCR.SDD 1 keeps a halted PE out of EL3");
	return 0;
}

static int parse_option(struct parser *p, int option)
{
	struct sysreg_controls *c = &p->request->controls;

	switch (option) {
	case OPTION_EL: p->el_given = true; return parse_small(p, "el", optarg, 3, &c->el);
	case OPTION_SET: return 0; /* after the defaults */
	case OPTION_NON_SECURE: p->state = EXPLAIN_NON_SECURE; return 0;
	case OPTION_SECURE: p->state = EXPLAIN_SECURE; return 0;
	case OPTION_REALM:
		p->state = EXPLAIN_REALM;
		c->features |= SYSREG_FEAT_RME;
		return 0;
	case OPTION_AARCH32: c->aarch32 = true; return 0;
	case OPTION_HALTED: c->halted = true; return 0;
	case OPTION_SDD_PRIORITY: c->el3_trap_has_priority_sdd = true; return 0;
	case OPTION_SPE: return parse_spe(p, optarg);
	case OPTION_FEATURE: return parse_feature(p, optarg, true);
	case OPTION_NO_FEATURE: return parse_feature(p, optarg, false);
	case OPTION_ZERO: p->zero = true; return 0;
	case OPTION_RT: return parse_small(p, "rt", optarg, 31, &p->request->access.rt);
	case 'j': p->request->json = true; return 0;
	default: return -1;
	}
}

static int parse_words(struct parser *p, int count, char **words)
{
	if (count != 2)
		return complain(p, "%s: REGISTER and read or write are needed; see --help",
				count < 2 ? "too little" : words[2]);
	if (parse_register(p, words[0]))
		return -1;
	if (strcasecmp(words[1], "read") != 0 && strcasecmp(words[1], "write") != 0)
		return complain(p, "'%s' is neither read nor write", words[1]);
	p->request->access.write = !strcasecmp(words[1], "write");
	return 0;
}

/* The option that getopt_long() has just refused, as it stands on the command line. */
static const char *refused(char **argv)
{
	return argv[optind - 1];
}

int explain_parse(int argc, char **argv, struct explain_request *request, FILE *messages)
{
	struct parser p = {.request = request, .messages = messages};
	int option;

	*request = (struct explain_request){0};
	for (size_t i = 0; i < FEATURES; i++)
		if (features[i].by_default)
			request->controls.features |= features[i].bit;
	optind = 0; /* start anew, on this command's own options */
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":jlh", long_options, NULL)) != -1) {
		if (option == '?')
			return complain(&p, "%s: no such option; see --help", refused(argv));
		if (option == ':')
			return complain(&p, "%s: needs a value; see --help", refused(argv));
		if (parse_option(&p, option))
			return -1;
	}
	if (parse_words(&p, argc - optind, argv + optind))
		return -1;
	if (!p.el_given)
		return complain(&p, "--el N is needed: the Exception level of the access");
	if (p.state == EXPLAIN_SECURE)
		request->controls.features |= SYSREG_FEAT_SECURE;
	set_defaults(&p);
	optind = 0;
	while ((option = getopt_long(argc, argv, ":jlh", long_options, NULL)) != -1)
		if (option == OPTION_SET && parse_set(&p, optarg))
			return -1;
	return check_state(&p);
}

int cmd_explain(int argc, char **argv)
{
	struct explain_request request;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			explain_help(stdout);
			return CLI_OK;
		}
		if (!strcmp(argv[i], "--list") || !strcmp(argv[i], "-l")) {
			explain_list(stdout);
			return CLI_OK;
		}
		if (!strcmp(argv[i], "--spe=help") ||
		    (!strcmp(argv[i], "help") && !strcmp(argv[i - 1], "--spe"))) {
			spe_option_help(stdout, NULL);
			return CLI_OK;
		}
	}
	if (explain_parse(argc, argv, &request, stderr))
		return CLI_USAGE;
	if (explain_print(&request, stdout)) {
		fprintf(stderr, "vspe explain: output: %s\n", strerror(errno));
		return CLI_FAILED;
	}
	return CLI_OK;
}
