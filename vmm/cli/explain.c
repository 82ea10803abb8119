/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vspe explain: which conditions an access to a system register meets, and what follows. This file
 * turns the command line into struct sysreg_controls and struct soft_explain; sysreg_explain() and
 * soft_explain_route() decide.
 */
#include "cli/explain.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"
#include "base/number.h"
#include "cli/options.h"
#include "machine/spe_option.h"

/* Features of the PE by name; default says whether the PE has it without options. */
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
	{"SECURE", SYSREG_FEAT_SECURE, false},
};

#define FEATURES (sizeof(features) / sizeof(features[0]))

/* What has been read so far, and where to report errors. */
struct explain_parser {
	struct explain_request request;
	FILE *messages;
	enum explain_state state;
	bool zero, el_given, defaults_set;
};

/* One line about an error. Returns -1. */
static __attribute__((format(printf, 2, 3))) int complain(const struct explain_parser *p,
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

static void list_register(const char *name, bool read, bool write, FILE *out)
{
	const char *only = "";

	if (!write)
		only = " (read-only)";
	else if (!read)
		only = " (write-only)";
	fprintf(out, "  %s%s\n", name, only);
}

static void list_field(const char *reg, const char *name, unsigned int lsb, unsigned int width,
		       FILE *out)
{
	if (!name)
		fprintf(out, "  %s\n", reg);
	else if (width == 1)
		fprintf(out, "  %s.%s, bit %u\n", reg, name, lsb);
	else
		fprintf(out, "  %s.%s, bits %u:%u\n", reg, name, lsb + width - 1u, lsb);
}

/* Does struct sysreg_controls have the field of that name? */
static bool is_library_field(struct soft_field field)
{
	size_t count;
	const struct sysreg_field *f = sysreg_fields(&count);

	for (size_t i = 0; i < count; i++)
		if (field.name && f[i].name && strcmp(f[i].reg, field.reg) == 0 &&
		    strcmp(f[i].name, field.name) == 0)
			return true;
	return false;
}

void explain_list(FILE *out)
{
	size_t count;
	const struct sysreg_field *f = sysreg_fields(&count);
	struct soft_field other;
	const char *name;

	fputs("Registers:\n", out);
	for (unsigned int i = 0; i < SYSREG_COUNT; i++)
		list_register(sysreg_name((enum sysreg_id)i), true,
			      sysreg_writable((enum sysreg_id)i), out);
	for (unsigned int i = 0; (name = soft_explain_name(i)); i++)
		list_register(name, soft_explain_has(i, false), soft_explain_has(i, true), out);
	fputs("\nControl registers and their fields, for --set; any bit is REG[BIT]:\n", out);
	for (size_t i = 0; i < count; i++)
		list_field(f[i].reg, f[i].name, f[i].lsb, f[i].width, out);
	for (unsigned int i = 0; (other = soft_explain_field(i)).reg; i++)
		if (!is_library_field(other))
			list_field(other.reg, other.name, other.lsb, other.width, out);
	fputs("\nFeatures, for --feature and --no-feature (* by default):\n", out);
	for (size_t i = 0; i < FEATURES; i++)
		fprintf(out, "  %c FEAT_%s\n", features[i].by_default ? '*' : ' ',
			features[i].name);
	for (unsigned int i = 0; (name = soft_explain_feature(i)); i++)
		fprintf(out, "  * FEAT_%s\n", name);
}

/* S<op0>_<op1>_C<n>_C<m>_<op2>, or UINT32_MAX. */
static uint32_t read_spelled(const char *text)
{
	unsigned int op0, op1, crn, crm, op2;
	int end = 0;

	if (sscanf(text, "%*1[Ss]%1u_%1u_%*1[Cc]%2u_%*1[Cc]%2u_%1u%n", &op0, &op1, &crn, &crm, &op2,
		   &end) != 5 ||
	    text[end])
		return UINT32_MAX;
	if (op0 > 3 || op1 > 7 || crn > 15 || crm > 15 || op2 > 7)
		return UINT32_MAX;
	return sysreg_encode(op0, op1, crn, crm, op2);
}

/* Does text name the register, by this name or encoding? */
static bool is_register(struct nearest *nearest, uint32_t spelled, const char *name,
			uint32_t encoding)
{
	nearest_try(nearest, name);
	return spelled == encoding || !strcasecmp(nearest->text, name);
}

static int parse_register(struct explain_parser *p, const char *text)
{
	struct nearest nearest = {.text = text, .distance = SIZE_MAX};
	const uint32_t spelled = read_spelled(text);
	const char *name;

	for (unsigned int i = 0; i < SYSREG_COUNT; i++) {
		const enum sysreg_id reg = (enum sysreg_id)i;

		p->request.access.reg = reg;
		if (is_register(&nearest, spelled, sysreg_name(reg), sysreg_encoding(reg)))
			return 0;
	}
	p->request.access.reg = SYSREG_COUNT;
	for (unsigned int i = 0; (name = soft_explain_name(i)); i++) {
		p->request.other = i;
		if (is_register(&nearest, spelled, name, soft_explain_encoding(i)))
			return 0;
	}
	return complain(
		p,
		"'%s' is not a register of SPE, the PMU or the software CPU; the nearest is "
		"%s, and --list has all",
		text, nearest.name);
}

static int parse_small(struct explain_parser *p, const char *option, const char *text,
		       uint64_t most, uint8_t *value)
{
	uint64_t number;

	if (!number_read(text, most, &number))
		return complain(p, "--%s: '%s' is not a number from 0 to %" PRIu64, option, text,
				most);
	*value = (uint8_t)number;
	return 0;
}

static int parse_feature(struct explain_parser *p, const char *text, bool on)
{
	const char *name = strncasecmp(text, "FEAT_", 5) ? text : text + 5;
	struct nearest nearest = {.text = name, .distance = SIZE_MAX};
	const char *other;

	for (size_t i = 0; i < FEATURES; i++) {
		nearest_try(&nearest, features[i].name);
		if (strcasecmp(name, features[i].name) != 0)
			continue;
		if (on)
			p->request.controls.features |= features[i].bit;
		else
			p->request.controls.features &= ~features[i].bit;
		return 0;
	}
	for (unsigned int i = 0; (other = soft_explain_feature(i)); i++) {
		nearest_try(&nearest, other);
		if (strcasecmp(name, other) != 0)
			continue;
		soft_explain_set_feature(&p->request.pe, i, on);
		return 0;
	}
	return complain(p,
			"--%sfeature: '%s' is not a feature that access depends on; "
			"the nearest is FEAT_%s",
			on ? "" : "no-", text, nearest.name);
}

/* --spe, as vspe run takes it. Access depends only on these of its words. */
static int parse_spe(struct explain_parser *p, const char *text)
{
	uint32_t *bits = &p->request.controls.features;
	struct spe_config config;
	char why[256];

	if (spe_option_parse(text, spe_core(0), NULL, &config, why, sizeof(why)))
		return complain(p, "--spe: %s", why);
	*bits &= ~(SYSREG_FEAT_SPE_FNE | SYSREG_FEAT_SPE_FDS | SYSREG_FEAT_SPE_NVM |
		   SYSREG_FEAT_SPE_EXC);
	*bits |= SYSREG_FEAT_SPE | (config.fne ? SYSREG_FEAT_SPE_FNE : 0) |
		 (config.fds ? SYSREG_FEAT_SPE_FDS : 0) | (config.nvm ? SYSREG_FEAT_SPE_NVM : 0) |
		 (config.exc ? SYSREG_FEAT_SPE_EXC : 0);
	return 0;
}

/* Is REG, REG.FIELD or REG[BIT] this field, or a bit of this register? If so, set *field. */
static bool is_field(struct nearest *nearest, const char *reg, const char *name, uint8_t width,
		     struct soft_field *field)
{
	char whole[64];
	size_t length = strlen(reg);
	unsigned int bit;
	int end = 0;

	snprintf(whole, sizeof(whole), "%s%s%s", reg, name ? "." : "", name ? name : "");
	if (!strcasecmp(nearest->text, whole))
		return true;
	nearest_try(nearest, whole);
	if (name || strncasecmp(nearest->text, reg, length) != 0 ||
	    sscanf(nearest->text + length, "[%2u]%n", &bit, &end) != 1 || !end ||
	    nearest->text[length + (size_t)end] || bit >= width)
		return false;
	*field = (struct soft_field){reg, NULL, (uint8_t)bit, 1};
	return true;
}

/*
 * Find the field that REG.FIELD, REG or REG[BIT] of this length names. False after a message if
 * there is none.
 */
static bool find_field(struct explain_parser *p, const char *text, size_t length,
		       struct soft_field *field)
{
	char wanted[64];
	struct nearest nearest = {.text = wanted, .distance = SIZE_MAX};
	size_t count;
	const struct sysreg_field *f = sysreg_fields(&count);

	snprintf(wanted, sizeof(wanted), "%.*s", (int)length, text);
	for (size_t i = 0; length < sizeof(wanted) && i < count; i++) {
		*field = (struct soft_field){f[i].reg, f[i].name, f[i].lsb, f[i].width};
		if (is_field(&nearest, f[i].reg, f[i].name, f[i].width, field))
			return true;
	}
	for (unsigned int i = 0; length < sizeof(wanted); i++) {
		*field = soft_explain_field(i);
		if (!field->reg)
			break;
		if (is_field(&nearest, field->reg, field->name, field->width, field))
			return true;
	}
	if (nearest.distance == SIZE_MAX)
		complain(p, "--set: '%.40s...' is not a control register or a field of one", text);
	else
		complain(p,
			 "--set: '%s' is not a control register or a field of one that access "
			 "depends on; the nearest is %s",
			 wanted, nearest.name);
	return false;
}

/* Returns false and sets nothing if the value is too wide. */
static bool set_field(struct explain_parser *p, struct soft_field field, uint64_t value)
{
	size_t count;
	const struct sysreg_field *f = sysreg_fields(&count);
	const uint64_t mask = UINT64_MAX >> (64 - field.width);
	uint64_t *control;

	for (size_t i = 0; i < count; i++) {
		const struct sysreg_field there = {field.reg, field.name, f[i].control, field.lsb,
						   field.width};

		if (strcmp(f[i].reg, field.reg) == 0)
			return sysreg_field_set(&p->request.controls, &there, value);
	}
	if (value & ~mask)
		return false;
	control = soft_explain_control(&p->request.pe, field.reg);
	*control = (*control & ~(mask << field.lsb)) | value << field.lsb;
	return true;
}

static int parse_set(struct explain_parser *p, const char *text)
{
	const size_t length = strcspn(text, "=");
	struct soft_field field;
	uint64_t value;

	if (!text[length])
		return complain(p, "--set: '%s' has no value: write REG.FIELD=VALUE", text);
	if (!find_field(p, text, length, &field))
		return -1;
	if (!number_read(text + length + 1, UINT64_MAX, &value))
		return complain(p, "--set: '%s': '%s' is not a number of 64 bits", text,
				text + length + 1);
	if (!set_field(p, field, value))
		return complain(p, "--set: '%s': the field has %u bit%s", text, field.width,
				field.width == 1 ? "" : "s");
	return 0;
}

/*
 * The control registers before --set: nothing traps, and the state of the access owns the buffer.
 */
static void set_defaults(struct explain_parser *p)
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
	for (size_t i = 0; !p->zero && i < sizeof(ones) / sizeof(ones[0]); i++)
		parse_set(p, ones[i]);
	for (size_t i = 0; i < 4 && states[p->state][i]; i++)
		if (!p->zero || !strncmp(states[p->state][i], "SCR_EL3", 7))
			parse_set(p, states[p->state][i]);
	if (p->state == EXPLAIN_SECURE && p->request.controls.el == 2)
		parse_set(p, "SCR_EL3.EEL2=1");
	if (!p->zero)
		soft_explain_open(&p->request.pe, &p->request.controls);
}

/* Refuse states that can be spelled but that no PE can be in. */
static int check_state(struct explain_parser *p)
{
	const struct sysreg_controls *c = &p->request.controls;
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
	if (p->request.access.reg == SYSREG_COUNT && (c->aarch32 || c->halted) &&
	    soft_explain_is_sys(p->request.other))
		return complain(p,
				"--%s: the software CPU, whose register this is, has no such state",
				c->aarch32 ? "aarch32" : "halted");
	if (c->el == 3 && c->halted && c->edscr_sdd)
		return complain(p, "--el 3: EDSCR.SDD 1 keeps a halted PE out of EL3");
	return 0;
}

/* The exit code of an error, if there was one. */
static int answer_parsed(int error)
{
	return error ? CLI_USAGE : CLI_GO_ON;
}

static int take_el(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	struct explain_parser *p = parser->request;

	p->el_given = true;
	return answer_parsed(parse_small(p, option->name, value, 3, &p->request.controls.el));
}

static int take_rt(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	struct explain_parser *p = parser->request;

	return answer_parsed(parse_small(p, option->name, value, 31, &p->request.access.rt));
}

/* Fields are set after the defaults, which depend on the other options. */
static int take_set(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	struct explain_parser *p = parser->request;

	(void)option;
	return p->defaults_set ? answer_parsed(parse_set(p, value)) : CLI_GO_ON;
}

static int take_state(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	struct explain_parser *p = parser->request;

	(void)value;
	p->state = EXPLAIN_NON_SECURE;
	if (strcmp(option->name, "secure") == 0)
		p->state = EXPLAIN_SECURE;
	if (strcmp(option->name, "realm") == 0) {
		p->state = EXPLAIN_REALM;
		p->request.controls.features |= SYSREG_FEAT_RME;
	}
	return CLI_GO_ON;
}

static int take_feature(struct cli_parser *parser, const struct cli_option *option,
			const char *value)
{
	const bool on = strcmp(option->name, "feature") == 0;

	return answer_parsed(parse_feature(parser->request, value, on));
}

static int take_spe(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	(void)option;
	if (strcmp(value, "help") != 0)
		return answer_parsed(parse_spe(parser->request, value));
	spe_option_help(stdout, NULL);
	return CLI_OK;
}

static int take_list(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	(void)parser, (void)option, (void)value;
	explain_list(stdout);
	return CLI_OK;
}

#include "explain_rows.h"

static int parse_words(struct explain_parser *p, int count, char **words)
{
	if (count > 2)
		return complain(p, "'%s' is too much after REGISTER and read or write", words[2]);
	if (count < 2)
		return complain(p, "REGISTER and read or write are needed; see --help");
	if (parse_register(p, words[0]))
		return -1;
	if (strcasecmp(words[1], "read") != 0 && strcasecmp(words[1], "write") != 0)
		return complain(p, "'%s' is neither read nor write", words[1]);
	p->request.access.write = !strcasecmp(words[1], "write");
	return 0;
}

int explain_parse(int argc, char **argv, struct explain_request *request, FILE *messages)
{
	struct explain_parser p = {.messages = messages};
	struct cli_parser parser = {
		.command = "explain",
		.help = explain_help,
		.lists = {{explain_rows, sizeof(explain_rows) / sizeof(explain_rows[0])}},
		.request = &p,
		.messages = messages,
	};
	int operand, code;

	soft_explain_init(&p.request.pe);
	for (size_t i = 0; i < FEATURES; i++)
		if (features[i].by_default)
			p.request.controls.features |= features[i].bit;
	code = cli_parse(&parser, argc, argv, &operand);
	if (code >= 0)
		return code;
	if (parse_words(&p, argc - operand, argv + operand))
		return CLI_USAGE;
	if (!p.el_given)
		return answer_parsed(
			complain(&p, "--el N is needed: the Exception level of the access"));
	if (p.state == EXPLAIN_SECURE)
		p.request.controls.features |= SYSREG_FEAT_SECURE;
	set_defaults(&p);
	p.defaults_set = true;
	parser.only = "set";
	code = cli_parse(&parser, argc, argv, &operand);
	if (code < 0)
		code = answer_parsed(check_state(&p));
	*request = p.request;
	return code;
}

int cmd_explain(int argc, char **argv)
{
	struct explain_request request;
	const int code = explain_parse(argc, argv, &request, stderr);

	if (code >= 0)
		return code;
	explain_print(&request, stdout);
	return CLI_OK;
}
