/* SPDX-License-Identifier: BSD-2-Clause */
/* The choices of a machine, by their rows: see choice_rows.h. */
#include "machine/choice_rows.h"

#include <stdlib.h>
#include <string.h>

#include "device/timer.h"
#include "machine/choice_kinds.h"
#include "machine/machine.h"

static const struct choice rows[CHOICES] = CHOICES_ROWS;

struct choices choices_default(const struct engine *engine)
{
	struct choices choices = CHOICES_DEFAULT;

	choices.engine = engine;
	return choices;
}

/* The row with the smallest place that is not less than place, or NULL. */
static const struct choice *saved_row(unsigned int place)
{
	const struct choice *least = NULL;

	for (size_t i = 0; i < CHOICES; i++)
		if (rows[i].saved && rows[i].place >= place &&
		    (!least || rows[i].place < least->place))
			least = &rows[i];
	return least;
}

void choices_state(struct state *state, struct choices *choices, uint32_t version)
{
	const struct engine *engine = choices->engine;
	const struct choice *row;

	if (state->loading) {
		*choices = (struct choices)CHOICES_UNSAVED;
		choices->engine = engine;
	}
	for (unsigned int place = 0; (row = saved_row(place)); place = row->place + 1)
		if (!state->loading || row->since <= version)
			row->kind->state(state, row, choices);
}

void choices_free(struct choices *choices)
{
	for (size_t i = 0; i < CHOICES; i++) {
		char **text = choice_member(&rows[i], choices);

		if (!rows[i].kind || !rows[i].kind->text)
			continue;
		free(*text);
		*text = NULL;
	}
}

void choices_adopt(struct choices *choices, const struct choices *saved)
{
	for (size_t i = 0; i < CHOICES; i++) {
		const size_t at = rows[i].member.offset, second = rows[i].second.offset;

		if (!rows[i].saved)
			continue;
		memcpy((char *)choices + at, (const char *)saved + at, rows[i].member.size);
		memcpy((char *)choices + second, (const char *)saved + second, rows[i].second.size);
	}
}

bool choices_conflict(const bool given[CHOICES], const struct choices *mine,
		      const struct choices *saved, enum choice_id *id)
{
	for (; *id < CHOICES; (*id)++) {
		const struct choice *row = &rows[*id];

		if (given[*id] && row->kind && row->kind->same &&
		    !row->kind->same(row, mine, saved))
			return true;
	}
	return false;
}

const char *choices_option(enum choice_id id)
{
	return rows[id].word;
}

/* The words about a choice, malloc'ed: those of how, or its value after begin. */
static char *told(const struct choice *row, const struct choices *choices,
		  void (*how)(const struct choice *, const struct choices *, FILE *),
		  const char *begin)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	if (!how) {
		fputs(begin, to);
		how = row->kind->tell;
	}
	how(row, choices, to);
	return fclose(to) == 0 ? text : NULL;
}

char *choices_value(enum choice_id id, const struct choices *choices)
{
	return told(&rows[id], choices, rows[id].kind->value, "");
}

char *choices_has(enum choice_id id, const struct choices *choices)
{
	return told(&rows[id], choices, rows[id].kind->has, "has ");
}

bool choices_recorded(enum choice_id id)
{
	return rows[id].recorded;
}

void choices_describe(const struct choices *choices, FILE *to)
{
	for (size_t i = 0; i < CHOICES; i++) {
		const struct choice_kind *kind = rows[i].kind;

		if (!rows[i].recorded || (kind->there && !kind->there(&rows[i], choices)))
			continue;
		fprintf(to, "%s ", rows[i].recorded);
		kind->tell(&rows[i], choices, to);
		fputc('\n', to);
	}
}
