/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --spe: from text to struct spe_config. One table has every word; parsing and help walk it.
 * Consistency is spe_config_check()'s business; this file finds the word to blame.
 */
#include "machine/spe_option.h"

#include "base/printable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORD_MAX 64

enum kind {
	FLAG,	    /* bool: name or no-name */
	NUMBER,	    /* one of the values in choices, or any number if there are none */
	CHOICE,	    /* a word of choices: stores its value in an enum */
	POPULATION, /* excluded, member, captured */
};

struct choice {
	const char *name;
	uint64_t value; /* what is stored */
};

struct word {
	const char *name;
	const char *field; /* as spe_config_check() names it */
	enum kind kind;
	size_t offset, size; /* of the field */
	const struct choice *choices;
	const char *help;
};

static const struct choice versions[] = {{"v1p0", SPE_V1P0}, {"v1p1", SPE_V1P1}, {"v1p2", SPE_V1P2},
					 {"v1p3", SPE_V1P3}, {"v1p4", SPE_V1P4}, {"v1p5", SPE_V1P5},
					 {NULL, 0}};
static const struct choice count_sizes[] = {{"12", 12}, {"16", 16}, {NULL, 0}};
static const struct choice max_sizes[] = {{"64", 6},	{"128", 7},   {"256", 8}, {"512", 9},
					  {"1024", 10}, {"2048", 11}, {NULL, 0}};
static const struct choice aligns[] = {
	{"1", 0},   {"2", 1},	{"4", 2},   {"8", 3},	  {"16", 4},	{"32", 5}, {"64", 6},
	{"128", 7}, {"256", 8}, {"512", 9}, {"1024", 10}, {"2048", 11}, {NULL, 0}};
static const struct choice intervals[] = {{"256", 0},  {"512", 2},  {"768", 3},
					  {"1024", 4}, {"1536", 5}, {"2048", 6},
					  {"3072", 7}, {"4096", 8}, {NULL, 0}};
static const struct choice events_sizes[] = {{"1", 1}, {"2", 2}, {"4", 4}, {"8", 8}, {NULL, 0}};
static const struct choice source_sizes[] = {{"1", 1}, {"2", 2}, {NULL, 0}};
static const struct choice granules[] = {{"4k", 12}, {"16k", 14}, {"64k", 16}, {NULL, 0}};
static const struct choice reloads[] = {
	{"before", SPE_RELOAD_BEFORE_TAIL}, {"after", SPE_RELOAD_AFTER_TAIL}, {NULL, 0}};
static const struct choice zeros[] = {{"recommended", SPE_INTERVAL_ZERO_RECOMMENDED},
				      {"shortest", SPE_INTERVAL_ZERO_SHORTEST},
				      {"longest", SPE_INTERVAL_ZERO_LONGEST},
				      {NULL, 0}};
static const struct choice aborts[] = {{"sync", SPE_ABORT_SYNC},
				       {"async", SPE_ABORT_ASYNC},
				       {"ignore", SPE_ABORT_IGNORE},
				       {"serror", SPE_ABORT_SERROR},
				       {NULL, 0}};
static const struct choice altclks[] = {{"none", 0}, {"smcu", 1}, {"impdef", 15}, {NULL, 0}};
static const struct choice empty_filters[] = {{"ignored", SPE_EMPTY_FILTER_IGNORED},
					      {"no-samples", SPE_EMPTY_FILTER_NO_SAMPLES},
					      {NULL, 0}};
static const struct choice partials[] = {
	{"kept", SPE_PARTIAL_KEPT}, {"rewound", SPE_PARTIAL_REWOUND}, {NULL, 0}};
static const struct choice pointers[] = {
	{"full", SPE_POINTER_FULL}, {"discard", SPE_POINTER_DISCARD}, {NULL, 0}};
static const struct choice oversizes[] = {
	{"refused", SPE_OVERSIZE_REFUSED}, {"event", SPE_OVERSIZE_EVENT}, {NULL, 0}};
static const struct choice reserved_nspbs[] = {{"disabled", SPE_RESERVED_NSPB_DISABLED},
					       {"non-secure", SPE_RESERVED_NSPB_NON_SECURE},
					       {"event", SPE_RESERVED_NSPB_EVENT},
					       {NULL, 0}};
/* Bit 0: member; bit 1: captured. */
static const struct choice populations[] = {
	{"excluded", 0}, {"member", 1}, {"captured", 3}, {NULL, 0}};

#define AT(field)                                             \
#field, .offset = offsetof(struct spe_config, field), \
		.size = sizeof(((struct spe_config *)NULL)->field)

static const struct word words[] = {
	{"archinst", .field = AT(arch_inst), .kind = FLAG,
	 .help = "operations are architecture instructions"},
	{"lds", .field = AT(lds), .kind = FLAG, .help = "loads have a data source packet"},
	{"ernd", .field = AT(ernd), .kind = FLAG, .help = "randomness in a second counter, ECOUNT"},
	{"fne", .field = AT(fne), .kind = FLAG,
	 .help = "inverted event filter; from v1p2 on, always"},
	{"fds", .field = AT(fds), .kind = FLAG, .help = "data source filter, PMSDSFR_EL1"},
	{"pbt", .field = AT(pbt), .kind = FLAG, .help = "previous branch target packet"},
	{"crr", .field = AT(crr), .kind = FLAG, .help = "calls and returns are told apart"},
	{"eft", .field = AT(eft), .kind = FLAG, .help = "filters by FP, SIMD, and by masks"},
	{"fpf", .field = AT(fpf), .kind = FLAG, .help = "FP and SIMD in the operation type"},
	{"sme", .field = AT(sme), .kind = FLAG, .help = "packets and events of SME"},
	{"nvm", .field = AT(nvm), .kind = FLAG, .help = "buffers at physical addresses"},
	{"exc", .field = AT(exc), .kind = FLAG, .help = "profiling exceptions"},
	{"dpfzs", .field = AT(dpfzs), .kind = FLAG, .help = "a stop freezes the cycle counter"},
	{"incomplete", .field = AT(incomplete), .kind = FLAG,
	 .help = "v1p5 need not have exc and nvm"},
	{"sve", .field = AT(sve), .kind = FLAG, .help = "the PE has FEAT_SVE"},
	{"tme", .field = AT(tme), .kind = FLAG, .help = "the PE has FEAT_TME"},
	{"mte", .field = AT(mte), .kind = FLAG, .help = "the PE has FEAT_MTE2"},
	{"gcs", .field = AT(gcs), .kind = FLAG, .help = "the PE has FEAT_GCS"},
	{"ecv", .field = AT(ecv), .kind = FLAG, .help = "the PE has FEAT_ECV"},
	{"pbt-all", .field = AT(pbt_all), .kind = FLAG,
	 .help = "previous branch target with every operation"},
	{"pbt-exception", .field = AT(pbt_exception), .kind = FLAG,
	 .help = "exception entry is a previous branch"},
	{"pbt-return", .field = AT(pbt_return), .kind = FLAG,
	 .help = "exception return is a previous branch"},
	{"pbt-isb", .field = AT(pbt_isb), .kind = FLAG, .help = "ISB is a previous branch"},
	{"extended-headers", .field = AT(extended_headers), .kind = FLAG,
	 .help = "all counter and address packets have two bytes of header"},
	{"ignore-writes", .field = AT(ignore_writes), .kind = FLAG,
	 .help = "writes to buffer registers are ignored while PMBLIMITR_EL1.E is 1"},
	{"flagupdate", .field = AT(flag_update), .kind = FLAG,
	 .help = "writes to the buffer manage the access flag and dirty state"},
	{"countsize", .field = AT(count_size), .kind = NUMBER, .choices = count_sizes,
	 .help = "bits of a counter packet"},
	{"maxsize", .field = AT(max_size), .kind = NUMBER, .choices = max_sizes,
	 .help = "bytes of the largest record"},
	{"align", .field = AT(align), .kind = NUMBER, .choices = aligns,
	 .help = "bytes that records are aligned to"},
	{"interval", .field = AT(interval), .kind = NUMBER, .choices = intervals,
	 .help = "recommended smallest interval, in operations"},
	{"altclk", .field = AT(altclk), .kind = CHOICE, .choices = altclks,
	 .help = "alternate clock of the issue latency"},
	{"events", .field = AT(events), .kind = NUMBER,
	 .help = "mask of the optional events that are reported"},
	{"eventsize", .field = AT(events_size), .kind = NUMBER, .choices = events_sizes,
	 .help = "bytes of an Events packet"},
	{"sourcesize", .field = AT(source_size), .kind = NUMBER, .choices = source_sizes,
	 .help = "bytes of a Data Source packet"},
	{"granule", .field = AT(granule), .kind = CHOICE, .choices = granules,
	 .help = "smallest granule, for the limit pointer"},
	{"pointer-res0", .field = AT(pointer_res0), .kind = NUMBER,
	 .help = "low bits of PMBPTR_EL1 that are RES0"},
	{"sources", .field = AT(sources), .kind = NUMBER,
	 .help = "mask of the data sources that can be filtered on"},
	{"maxbuffer", .field = AT(max_buffer), .kind = NUMBER,
	 .help = "bytes of the largest buffer; 0 for any"},
	{"misspec", .field = AT(misspeculated), .kind = POPULATION, .choices = populations,
	 .help = "operations on misspeculated paths"},
	{"noinst", .field = AT(no_instruction), .kind = POPULATION, .choices = populations,
	 .help = "operations of no architecture instruction"},
	{"nonarch", .field = AT(non_arch_exception), .kind = POPULATION, .choices = populations,
	 .help = "operations with a non-architectural exception"},
	{"inflight", .field = AT(in_flight), .kind = NUMBER,
	 .help = "sampled operations at once, up to 8; more collide"},
	{"lifetime", .field = AT(lifetime), .kind = NUMBER,
	 .help = "further operations that a sampled one stays in flight for"},
	{"reload", .field = AT(reload), .kind = CHOICE, .choices = reloads,
	 .help = "is COUNT reloaded before or after the random tail"},
	{"interval-zero", .field = AT(interval_zero), .kind = CHOICE, .choices = zeros,
	 .help = "what an INTERVAL of zero means"},
	{"abort", .field = AT(external_abort), .kind = CHOICE, .choices = aborts,
	 .help = "external aborts on writes to the buffer"},
	{"empty-filter", .field = AT(empty_filter), .kind = CHOICE, .choices = empty_filters,
	 .help = "a filter that is on and asks for nothing"},
	{"partial", .field = AT(partial), .kind = CHOICE, .choices = partials,
	 .help = "PMBPTR_EL1 after a fault inside a record"},
	{"pointer", .field = AT(pointer), .kind = CHOICE, .choices = pointers,
	 .help = "PMBPTR_EL1 too near the limit when a record is due"},
	{"oversize", .field = AT(oversize), .kind = CHOICE, .choices = oversizes,
	 .help = "records that can get larger than maxsize"},
	{"reserved-nspb", .field = AT(reserved_nspb), .kind = CHOICE, .choices = reserved_nspbs,
	 .help = "reserved values of MDCR_EL3.NSPB"},
	{"seed", .field = AT(seed), .kind = NUMBER, .help = "of the random generator"},
};

#define WORDS (sizeof(words) / sizeof(words[0]))

/* Fields of every width, as a number. Populations are two bools: member and captured. */
static void store(struct spe_config *config, const struct word *word, uint64_t value)
{
	uint8_t *at = (uint8_t *)config + word->offset;
	struct spe_population population = {.member = value & 1, .captured = value >> 1 & 1};

	if (word->kind == POPULATION)
		memcpy(at, &population, sizeof(population));
	else if (word->size == 1)
		*at = (uint8_t)value;
	else if (word->size == 4)
		memcpy(at, &(uint32_t){(uint32_t)value}, 4);
	else
		memcpy(at, &value, 8);
}

static uint64_t fetch(const struct spe_config *config, const struct word *word)
{
	const uint8_t *at = (const uint8_t *)config + word->offset;
	struct spe_population population;
	uint32_t value32;
	uint64_t value64;

	if (word->kind == POPULATION) {
		memcpy(&population, at, sizeof(population));
		return population.member | (uint64_t)population.captured << 1;
	}
	if (word->size == 1)
		return *at;
	if (word->size == 4) {
		memcpy(&value32, at, 4);
		return value32;
	}
	memcpy(&value64, at, 8);
	return value64;
}

static int refuse(char *why, size_t size, const char *text, const char *reason)
{
	char word[4 * WORD_MAX];

	snprintf(why, size, "'%s': %s", printable(word, sizeof(word), text), reason);
	return -1;
}

static int refuse_value(char *why, size_t size, const char *text, const struct word *word)
{
	char values[192];
	const struct choice *c;

	snprintf(values, sizeof(values), "%s is ", word->name);
	for (c = word->choices; c->name; c++) {
		size_t used = strlen(values);

		snprintf(values + used, sizeof(values) - used, "%s%s",
			 c == word->choices ? ""
			 : c[1].name	    ? ", "
					    : " or ",
			 c->name);
	}
	return refuse(why, size, text, values);
}

static bool parse_number(const char *text, uint64_t *value)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return errno == 0 && *end == '\0';
}

/* A number where only numbers count: 0x40 is as good as 64. */
static bool choose(const struct word *word, const char *text, uint64_t *value)
{
	const struct choice *c;
	uint64_t number, other;

	for (c = word->choices; c->name; c++) {
		if (strcmp(c->name, text) == 0 ||
		    (word->kind == NUMBER && parse_number(text, &number) &&
		     parse_number(c->name, &other) && number == other)) {
			*value = c->value;
			return true;
		}
	}
	return false;
}

static int set_value(struct spe_config *config, const struct word *word, const char *text,
		     const char *value_text, char *why, size_t size)
{
	uint64_t value;

	if (word->choices) {
		if (!choose(word, value_text, &value))
			return refuse_value(why, size, text, word);
	} else if (!parse_number(value_text, &value) ||
		   (word->size < 8 && value >> (8 * word->size) != 0)) {
		return refuse(why, size, text, "not a number, or too large");
	}
	store(config, word, value);
	return 0;
}

static const struct word *find_word(const char *name, size_t length)
{
	for (size_t i = 0; i < WORDS; i++)
		if (strlen(words[i].name) == length && memcmp(words[i].name, name, length) == 0)
			return &words[i];
	return NULL;
}

static int parse_word(struct spe_config *config, const char *text, char *why, size_t size)
{
	const char *equals = strchr(text, '=');
	bool no = !equals && strncmp(text, "no-", 3) == 0;
	const char *name = no ? text + 3 : text;
	const struct word *word = find_word(name, equals ? (size_t)(equals - name) : strlen(name));

	if (!word)
		return refuse(why, size, text, "no such feature or key; --spe help lists them");
	if (word->kind != FLAG) {
		if (!equals)
			return refuse(why, size, text, "needs a value: key=value");
		return set_value(config, word, text, equals + 1, why, size);
	}
	if (equals)
		return refuse(why, size, text, "a feature: it is given as name or no-name");
	store(config, word, !no);
	return 0;
}

/* The next word of *text into word; false if it is too long. *text: behind it and its comma, or
 * NULL. */
static bool next_word(const char **text, char word[WORD_MAX])
{
	size_t length = strcspn(*text, ",");

	if (length >= WORD_MAX)
		return false;
	memcpy(word, *text, length);
	word[length] = '\0';
	*text = (*text)[length] == ',' ? *text + length + 1 : NULL;
	return true;
}

/* The word of a field of struct spe_config. */
static const struct word *word_of(const char *field)
{
	for (size_t i = 0; i < WORDS; i++)
		if (strcmp(words[i].field, field) == 0)
			return &words[i];
	return NULL;
}

/* What spe_config_check() and the engine say, in the words of the option. */
static int check(const struct spe_config *config, const struct engine *engine, char *why,
		 size_t size)
{
	const char *field = NULL, *reason = NULL;
	int error = spe_config_check(config, &field);

	if (error)
		reason = spe_strerror(error);
	else if (engine && engine->spe_lacks)
		reason = engine->spe_lacks(config, &field);
	if (!reason)
		return 0;
	return refuse(why, size, word_of(field) ? word_of(field)->name : field, reason);
}

void spe_option_defaults(struct spe_config *config, enum spe_version version,
			 const struct engine *engine)
{
	const char *field;

	spe_config_defaults(config, version);
	while (engine && engine->spe_lacks && engine->spe_lacks(config, &field)) {
		const struct word *word = word_of(field);

		/* What is on can be turned off; an engine that says otherwise is refused later. */
		if (!word || fetch(config, word) == 0)
			return;
		store(config, word, 0);
		config->incomplete = version >= SPE_V1P5;
	}
}

int spe_option_parse(const char *text, const struct engine *engine, struct spe_config *config,
		     char *why, size_t size)
{
	char word[WORD_MAX];
	bool first = true;

	spe_option_defaults(config, SPE_VERSION_DEFAULT, engine);
	for (; text; first = false) {
		const struct choice *v = versions;

		if (!next_word(&text, word))
			return refuse(why, size, text, "too long for a word");
		while (v->name && strcmp(v->name, word) != 0)
			v++;
		if (v->name && !first)
			return refuse(why, size, word, "the version comes first");
		if (v->name)
			spe_option_defaults(config, (enum spe_version)v->value, engine);
		else if (parse_word(config, word, why, size))
			return -1;
	}
	return check(config, engine, why, size);
}

/* A word with its value in a configuration, as it can be parsed. */
static void print_word(const struct word *word, uint64_t value, char *text, size_t size)
{
	const struct choice *c = word->choices;

	while (c && c->name && c->value != value)
		c++;
	if (word->kind == FLAG)
		snprintf(text, size, "%s%s", value ? "" : "no-", word->name);
	else if (c && c->name)
		snprintf(text, size, "%s=%s", word->name, c->name);
	else
		snprintf(text, size, "%s=0x%llx", word->name, (unsigned long long)value);
}

void spe_option_print(const struct spe_config *config, char *text, size_t size)
{
	const struct choice *v = versions;
	size_t used;

	while (v->name && v->value != (uint64_t)config->version)
		v++;
	snprintf(text, size, "%s", v->name ? v->name : "");
	for (size_t i = 0; i < WORDS; i++) {
		used = strlen(text);
		snprintf(text + used, size - used, ",");
		used = strlen(text);
		print_word(&words[i], fetch(config, &words[i]), text + used, size - used);
	}
}

/* Names the values of a word and marks the default. */
static void help_values(FILE *out, const struct word *word, uint64_t value)
{
	const struct choice *c;

	if (!word->choices) {
		fprintf(out, " (0x%llx)", (unsigned long long)value);
		return;
	}
	for (c = word->choices; c->name; c++)
		fprintf(out, c->value == value ? " (%s)" : " %s", c->name);
}

/* On, off, or on from a version on. */
static void help_flag(FILE *out, const struct word *word, const struct engine *engine)
{
	const struct choice *v = versions;
	const char *lack = NULL, *field;
	struct spe_config config;

	for (; v->name; v++) {
		spe_option_defaults(&config, (enum spe_version)v->value, engine);
		if (fetch(&config, word))
			break;
	}
	fprintf(out, "  %-16s %s ", word->name, word->help);
	if (!v->name)
		fputs("(off)", out);
	else
		fprintf(out, v == versions ? "(on)" : "(on from %s)", v->name);
	/* Would it be refused? With all it needs, so that nothing else is to blame. */
	spe_config_defaults(&config, SPE_V1P5);
	for (size_t i = 0; i < WORDS; i++)
		if (words[i].kind == FLAG)
			store(&config, &words[i], &words[i] == word);
	if (engine && engine->spe_lacks)
		lack = engine->spe_lacks(&config, &field);
	if (lack)
		fprintf(out, " (not to be had: %s)", lack);
	fputc('\n', out);
}

void spe_option_help(FILE *out, const struct engine *engine)
{
	struct spe_config config;

	spe_option_defaults(&config, SPE_VERSION_DEFAULT, engine);
	fputs("--spe [VERSION][,FEATURE|,no-FEATURE|,KEY=VALUE...]\n\n"
	      "Versions: v1p0 v1p1 (v1p2) v1p3 v1p4 v1p5. Defaults are in parentheses.\n\n"
	      "Features and choices, as NAME or no-NAME:\n",
	      out);
	for (size_t i = 0; i < WORDS; i++)
		if (words[i].kind == FLAG)
			help_flag(out, &words[i], engine);
	fputs("\nKeys:\n", out);
	for (size_t i = 0; i < WORDS; i++) {
		if (words[i].kind == FLAG)
			continue;
		fprintf(out, "  %-16s %s:", words[i].name, words[i].help);
		help_values(out, &words[i], fetch(&config, &words[i]));
		fputc('\n', out);
	}
}
