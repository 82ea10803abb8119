/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --spe: from text to struct spe_config. The table of the choices has every word; parsing and help
 * use it. spe_config_check() checks consistency; this file finds the word to blame.
 */
#include "machine/spe_option.h"

#include "base/nearest.h"
#include "base/number.h"
#include "base/printable.h"
#include "base/splitmix.h"

#include <inttypes.h>
#include <string.h>

#define MAX_SIZE_MOST 11u /* of records: 2 KiB (PMSIDR_EL1.MaxSize) */
#define WORD_MAX      64

enum kind {
	NONE,	    /* no separate word */
	SWITCH,	    /* bool: name or no-name */
	NUMBER,	    /* one of choices, or any number if there are none */
	MEMBERSHIP, /* excluded, member, captured */
};

struct choice {
	const char *name;
	uint64_t value; /* the stored value */
};

struct word {
	const char *name;
	const char *field; /* its name in spe_config_check() */
	enum kind kind;
	size_t offset, size; /* of the field */
	const struct choice *choices;
	const char *help;
};

/* Bit 0: member; bit 1: captured. */
#define MEMBERSHIPS(V, x) V(x, "excluded", 0) V(x, "member", 1) V(x, "captured", 3)

#define CHOICES(values)              \
	(const struct choice[])      \
	{                            \
		values(AS_CHOICE, 0) \
		{                    \
			NULL, 0      \
		}                    \
	}
#define AS_CHOICE(x, text, number) {text, number},

static const struct choice *const versions = CHOICES(SPE_VERSIONS);

/* The columns about words in the table of the choices. */
#define NO_WORD		     .kind = NONE
#define FLAG(word)	     .name = (word), .kind = SWITCH
#define VALUE(word)	     .name = (word), .kind = NUMBER
#define ONE_OF(word, values) .name = (word), .kind = NUMBER, .choices = CHOICES(values)
#define POPULATION(word)     .name = (word), .kind = MEMBERSHIP, .choices = CHOICES(MEMBERSHIPS)

static const struct word words[] = {
#define SPE_CHOICE(type, member, preset, image, option, text) \
	{.field = #member,                                    \
	 .offset = offsetof(struct spe_config, member),       \
	 .size = sizeof(type),                                \
	 option,                                              \
	 .help = (text)},
#include <vspe/spe_choices.def>
};

#define WORDS (sizeof(words) / sizeof(words[0]))

/* Words that stand for others. */
static const struct profile {
	const char *name, *choices, *help;
} profiles[] = {
#define SPE_PROFILE(word, choices, text) {word, choices, text},
#include <vspe/spe_choices.def>
};

#define PROFILES (sizeof(profiles) / sizeof(profiles[0]))

/* Fields of every width, as a number. A population is two bools: member and captured. */
static void store_field(struct spe_config *config, const struct word *word, uint64_t value)
{
	uint8_t *at = (uint8_t *)config + word->offset;
	struct spe_population population = {.member = value & 1, .captured = value >> 1 & 1};

	if (word->kind == MEMBERSHIP)
		memcpy(at, &population, sizeof(population));
	else if (word->size == 1)
		*at = (uint8_t)value;
	else if (word->size == 4)
		memcpy(at, &(uint32_t){(uint32_t)value}, 4);
	else
		memcpy(at, &value, 8);
}

static uint64_t fetch_field(const struct spe_config *config, const struct word *word)
{
	const uint8_t *at = (const uint8_t *)config + word->offset;
	struct spe_population population;
	uint32_t value32;
	uint64_t value64;

	if (word->kind == MEMBERSHIP) {
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

static int refuse_word(char *why, size_t size, const char *text, const char *reason)
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
	return refuse_word(why, size, text, values);
}

/* Parse a number where only its value counts: 0x40 is the same as 64. */
static bool choose_value(const struct word *word, const char *text, uint64_t *value)
{
	const struct choice *c;
	uint64_t number, other;

	for (c = word->choices; c->name; c++) {
		if (strcmp(c->name, text) == 0 ||
		    (number_read_bytes(text, UINT64_MAX, &number) &&
		     number_read_bytes(c->name, UINT64_MAX, &other) && number == other)) {
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
	char most[64];

	if (word->choices) {
		if (!choose_value(word, value_text, &value))
			return refuse_value(why, size, text, word);
	} else if (!number_read(value_text, UINT64_MAX >> (64 - 8 * word->size), &value)) {
		snprintf(most, sizeof(most), "not a number from 0 to 0x%" PRIx64,
			 UINT64_MAX >> (64 - 8 * word->size));
		return refuse_word(why, size, text, most);
	}
	store_field(config, word, value);
	return 0;
}

static const struct word *find_word(const char *name, size_t length)
{
	for (size_t i = 0; i < WORDS; i++)
		if (words[i].kind != NONE && strlen(words[i].name) == length &&
		    memcmp(words[i].name, name, length) == 0)
			return &words[i];
	return NULL;
}

static int refuse_unknown(char *why, size_t size, const char *text, const char *name)
{
	char wanted[NEAREST_MOST], hint[2 * NEAREST_MOST], what[sizeof(hint) + 32];
	struct nearest nearest = {.text = wanted, .distance = SIZE_MAX};

	snprintf(wanted, sizeof(wanted), "%.*s", (int)strcspn(name, "="), name);
	for (size_t i = 0; i < WORDS; i++)
		if (words[i].kind != NONE)
			nearest_try(&nearest, words[i].name);
	snprintf(what, sizeof(what), "no such feature or key%s",
		 nearest_hint(&nearest, name > text ? "no-" : "", "; --spe help lists them", hint,
			      sizeof(hint)));
	return refuse_word(why, size, text, what);
}

static int parse_word(struct spe_config *config, const char *text, char *why, size_t size)
{
	const char *equals = strchr(text, '=');
	bool no = !equals && strncmp(text, "no-", 3) == 0;
	const char *name = no ? text + 3 : text;
	const struct word *word = find_word(name, equals ? (size_t)(equals - name) : strlen(name));

	if (!word)
		return refuse_unknown(why, size, text, name);
	if (word->kind != SWITCH) {
		if (!equals)
			return refuse_word(why, size, text, "needs a value: key=value");
		return set_value(config, word, text, equals + 1, why, size);
	}
	if (equals)
		return refuse_word(why, size, text, "a feature: it is given as name or no-name");
	store_field(config, word, !no);
	return 0;
}

/*
 * Copy the next word of *text to word; false if it is too long. *text moves after the word and its
 * comma, or becomes NULL.
 */
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

/* A word, or those that a profile stands for. */
static int parse_words(struct spe_config *config, const char *text, char *why, size_t size)
{
	const char *left = NULL;
	char word[WORD_MAX];

	for (size_t i = 0; i < PROFILES; i++)
		if (strcmp(profiles[i].name, text) == 0)
			left = profiles[i].choices;
	if (!left)
		return parse_word(config, text, why, size);
	while (left)
		if (!next_word(&left, word) || parse_word(config, word, why, size))
			return -1;
	return 0;
}

/* The word of a field of struct spe_config. */
static const struct word *word_of(const char *field)
{
	for (size_t i = 0; i < WORDS; i++)
		if (words[i].kind != NONE && strcmp(words[i].field, field) == 0)
			return &words[i];
	return NULL;
}

/*
 * The records need a larger maxsize, which the user may not have named: suggest one. NULL: none is
 * large enough.
 */
static const char *larger_size(const struct spe_config *config, char *text, size_t size)
{
	struct spe_config larger = *config;
	const char *field;

	for (unsigned int bits = config->max_size + 1u; bits <= MAX_SIZE_MOST; bits++) {
		larger.max_size = (uint8_t)bits;
		if (spe_config_check(&larger, &field) == -SPE_EMAXSIZE)
			continue;
		snprintf(text, size,
			 "%u bytes are too few for the records of these features; maxsize=%u",
			 1u << config->max_size, 1u << bits);
		return text;
	}
	return NULL;
}

/* Report what spe_config_check() and the engine refuse, in the words of the option. */
static int check_config(const struct spe_config *config, const struct engine *engine, char *why,
			size_t size)
{
	const char *field = NULL, *reason = NULL, *lacking = NULL;
	const int error = spe_config_check(config, &field);
	char text[96];

	/* What the engine lacks needs no room in records. */
	if ((!error || error == -SPE_EMAXSIZE) && engine && engine->spe_lacks)
		reason = engine->spe_lacks(config, &lacking);
	if (reason)
		field = lacking;
	else if (error == -SPE_EMAXSIZE)
		reason = larger_size(config, text, sizeof(text));
	if (error && !reason)
		reason = spe_strerror(error);
	if (!reason)
		return 0;
	return refuse_word(why, size, word_of(field) ? word_of(field)->name : field, reason);
}

static void core_defaults(struct spe_config *config, const struct spe_core *core,
			  enum spe_version version, const struct engine *engine)
{
	const char *field;

	spe_config_core(config, core, version);
	while (engine && engine->spe_lacks && engine->spe_lacks(config, &field)) {
		const struct word *word = word_of(field);

		/*
		 * The user can turn off what is on; if the engine needs it, that is refused later.
		 */
		if (!word || fetch_field(config, word) == 0)
			return;
		store_field(config, word, 0);
		config->incomplete = version >= SPE_V1P5;
	}
}

void spe_option_defaults(struct spe_config *config, enum spe_version version,
			 const struct engine *engine)
{
	core_defaults(config, spe_core(0), version, engine);
}

int spe_option_parse(const char *text, const struct spe_core *core, const struct engine *engine,
		     struct spe_config *config, char *why, size_t size)
{
	char word[WORD_MAX];
	bool first = true;

	core_defaults(config, core, core->version, engine);
	for (; text; first = false) {
		const struct choice *v = versions;

		if (!next_word(&text, word))
			return refuse_word(why, size, text, "too long for a word");
		while (v->name && strcmp(v->name, word) != 0)
			v++;
		if (v->name && !first)
			return refuse_word(why, size, word, "the version comes first");
		if (v->name)
			core_defaults(config, core, (enum spe_version)v->value, engine);
		else if (parse_words(config, word, why, size))
			return -1;
	}
	return check_config(config, engine, why, size);
}

bool spe_option_has(const char *text, const char *name)
{
	char word[WORD_MAX];

	while (text && next_word(&text, word)) {
		const char *has = strncmp(word, "no-", 3) == 0 ? word + 3 : word;
		const size_t length = strcspn(has, "=");

		if (strlen(name) == length && memcmp(has, name, length) == 0)
			return true;
	}
	return false;
}

void spe_option_unmodelled(const char *text, struct spe_config *config)
{
	if (!spe_option_has(text, "lds"))
		config->lds = false;
}

/* A word with its value in a configuration, in a form that can be parsed. */
static void print_word(const struct word *word, uint64_t value, char *text, size_t size)
{
	const struct choice *c = word->choices;

	while (c && c->name && c->value != value)
		c++;
	if (word->kind == SWITCH)
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
		if (words[i].kind == NONE)
			continue;
		used = strlen(text);
		snprintf(text + used, size - used, ",");
		used = strlen(text);
		print_word(&words[i], fetch_field(config, &words[i]), text + used, size - used);
	}
}

void spe_option_cores(FILE *out)
{
	const struct spe_core *core;

	for (unsigned int i = 0; (core = spe_core(i)); i++)
		fprintf(out, "%-16s %s\n", core->name, core->what);
}

/* Print the values of a word and mark the default. */
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
static void help_switch(FILE *out, const struct word *word, const struct engine *engine)
{
	const struct choice *v = versions;
	const char *lack = NULL, *field;
	struct spe_config config;

	for (; v->name; v++) {
		spe_option_defaults(&config, (enum spe_version)v->value, engine);
		if (fetch_field(&config, word))
			break;
	}
	fprintf(out, "  %-16s %s ", word->name, word->help);
	if (!v->name)
		fputs("(off)", out);
	else
		fprintf(out, v == versions ? "(on)" : "(on from %s)", v->name);
	/* Would it be refused? Turn on all it needs, so that nothing else is to blame. */
	spe_config_defaults(&config, SPE_V1P5);
	for (size_t i = 0; i < WORDS; i++)
		if (words[i].kind == SWITCH)
			store_field(&config, &words[i], &words[i] == word);
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
	fputs("--spe [VERSION|any][,FEATURE|,no-FEATURE|,KEY=VALUE...]\n\n"
	      "Versions: v1p0 v1p1 (v1p2) v1p3 v1p4 v1p5. Defaults are in parentheses.\n\n"
	      "Features and choices, as NAME or no-NAME:\n",
	      out);
	for (size_t i = 0; i < WORDS; i++)
		if (words[i].kind == SWITCH)
			help_switch(out, &words[i], engine);
	fputs("\nKeys:\n", out);
	for (size_t i = 0; i < WORDS; i++) {
		if (words[i].kind == NONE || words[i].kind == SWITCH)
			continue;
		fprintf(out, "  %-16s %s:", words[i].name, words[i].help);
		help_values(out, &words[i], fetch_field(&config, &words[i]));
		fputc('\n', out);
	}
	fputs("\nProfiles, each a set of choices:\n", out);
	for (size_t i = 0; i < PROFILES; i++)
		fprintf(out, "  %-16s %s: %s\n", profiles[i].name, profiles[i].help,
			profiles[i].choices);
}

/* Any PE. Words are drawn in two passes, as some are only valid with others that come later. */

/*
 * False for what guests cannot see of SPE, and for what depends on something outside of it, such as
 * the PMU or the features of the PE.
 */
static bool is_drawn(const struct word *word)
{
	static const char *const kept[] = {"check", "seed", "incomplete", "dpfzs"};

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (word->kind == NONE || strcmp(word->name, kept[i]) == 0)
			return false;
	return true;
}

static uint64_t draw_value(const struct word *word, uint64_t random)
{
	const unsigned int bits = word->size < 8 ? 8 : 64;
	unsigned int count = 0;

	while (word->choices && word->choices[count].name)
		count++;
	if (count)
		return word->choices[random % count].value;
	if (word->kind == SWITCH)
		return random & 1;
	/* Small numbers, as most of these are, and powers of two, as a size is. */
	return random & 0x100 ? UINT64_C(1) << (random & 0xff) % bits : random & 0xf;
}

/* Is it permitted, perhaps after changing the other word that it depends on? */
static bool permit(struct spe_config *config, const struct engine *engine)
{
	const char *field = NULL;
	const struct word *word;
	char why[256];

	if (check_config(config, engine, why, sizeof(why)) == 0)
		return true;
	if (spe_config_check(config, &field) == 0)
		return false;
	word = word_of(field);
	if (!word || word->kind != SWITCH || !is_drawn(word))
		return false;
	store_field(config, word, !fetch_field(config, word));
	return check_config(config, engine, why, sizeof(why)) == 0;
}

/* Draw each of many independent bits by itself, so that those that do not exist stay 0. */
static void draw_bits(struct spe_config *config, const struct word *word,
		      const struct engine *engine, uint64_t random)
{
	for (unsigned int bit = 0; bit < 64; bit++) {
		const struct spe_config before = *config;

		store_field(config, word,
			    (fetch_field(config, word) & ~(UINT64_C(1) << bit)) |
				    (random & UINT64_C(1) << bit));
		if (!permit(config, engine))
			*config = before;
	}
}

static void draw_config(struct spe_config *config, const struct engine *engine, uint64_t *state)
{
	for (size_t i = 0; i < 2 * WORDS; i++) {
		const struct word *word = &words[i % WORDS];
		const struct spe_config before = *config;
		uint64_t random;

		if (!is_drawn(word))
			continue;
		random = splitmix_next(state);
		if (strcmp(word->name, "events") == 0 || strcmp(word->name, "sources") == 0) {
			draw_bits(config, word, engine, random);
			continue;
		}
		store_field(config, word, draw_value(word, random));
		if (!permit(config, engine))
			*config = before;
	}
}

const char *spe_option_any(const char *text, const struct spe_core *core,
			   const struct engine *engine, uint64_t seed, char *drawn, size_t size)
{
	static const char any[] = "any";
	const size_t length = sizeof(any) - 1;
	struct spe_config config;
	unsigned int count = 1; /* there is a first one */
	size_t used;

	if (!text || strncmp(text, any, length) != 0 || (text[length] && text[length] != ','))
		return text;
	while (versions[count].name)
		count++;
	core_defaults(&config, core, (enum spe_version)versions[splitmix_next(&seed) % count].value,
		      engine);
	/* A core may not be valid with every version. */
	if (spe_config_check(&config, NULL))
		core_defaults(&config, core, core->version, engine);
	draw_config(&config, engine, &seed);
	spe_option_print(&config, drawn, size);
	used = strlen(drawn);
	(void)snprintf(drawn + used, size - used, "%s", text + length);
	return drawn;
}
