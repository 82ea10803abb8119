/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Register pages as XML: each access_mechanism has its instruction (access_instruction), its
 * encoding (enc) and its pseudocode (pstext).
 */
#include "conform/page.h"
#include "base/memory.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>

#define INSTRUCTION_MAX 128

struct reader {
	XML_Parser parser;
	struct page_set *set;
	const char *name;
	bool inside; /* an access_mechanism */
	char *text;  /* of the current element */
	size_t size, room;
	enum { TEXT_NONE, TEXT_TITLE, TEXT_INSTRUCTION, TEXT_CODE, TEXT_CONDITION } reading;
	unsigned int line;   /* where that element began */
	unsigned int fields; /* of the encoding, one bit for each one seen */
	int of;		     /* as page_instruction() */
	bool unread_condition;
	char condition[INSTRUCTION_MAX];
	char instruction[INSTRUCTION_MAX];
	char cpu_condition[2 * INSTRUCTION_MAX]; /* all of them */
	struct page_encoding parts;
	char *code;
	size_t code_size;
	bool code_twice;
	struct page_accessor accessor;
};

static unsigned int line_of(const struct reader *r)
{
#if XML_MAJOR_VERSION > 2 || (XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION >= 9)
	return (unsigned int)XML_GetCurrentLineNumber64(r->parser);
#else
	return (unsigned int)XML_GetCurrentLineNumber(r->parser);
#endif
}

static const char *find_attribute(const XML_Char **attributes, const char *name)
{
	for (size_t i = 0; attributes[i]; i += 2)
		if (!strcmp(attributes[i], name))
			return attributes[i + 1];
	return NULL;
}

static void begin_text(struct reader *r, int reading)
{
	r->reading = reading;
	r->size = 0;
	r->line = line_of(r);
}

static void take_condition(struct reader *r, const char *text, size_t size)
{
	const size_t used = strlen(r->cpu_condition);

	(void)snprintf(r->cpu_condition + used, sizeof(r->cpu_condition) - used, " %.*s", (int)size,
		       text ? text : "");
	if (page_condition(text, size, r->accessor.needs))
		return;
	r->unread_condition = true;
	snprintf(r->condition, sizeof(r->condition), "%.*s",
		 (int)(size < sizeof(r->condition) ? size : sizeof(r->condition) - 1), text);
}

/* <enc n="CRn" v="0b1001"/> */
static void take_encoding(struct reader *r, const XML_Char **attributes)
{
	static const struct {
		const char *name;
		unsigned int lsb, width;
	} parts[] = {{"op0", 14, 2}, {"op1", 11, 3}, {"CRn", 7, 4}, {"CRm", 3, 4}, {"op2", 0, 3}};
	const char *name = find_attribute(attributes, "n"),
		   *value = find_attribute(attributes, "v");
	char *end;

	if (!name || !value || strlen(value) < 2)
		return;
	for (unsigned int i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const unsigned long number = strtoul(value + 2, &end, 2);

		if (strcmp(name, parts[i].name) != 0)
			continue;
		(void)snprintf(r->parts.part[i], sizeof(r->parts.part[i]), "%s", value);
		if (strncmp(value, "0b", 2) != 0 || *end || number >> parts[i].width)
			continue;
		r->accessor.encoding |= (uint32_t)number << parts[i].lsb;
		r->fields |= 1u << i;
		r->accessor.encoded = r->fields == 31;
	}
}

static void XMLCALL on_start(void *user, const XML_Char *element, const XML_Char **attributes)
{
	struct reader *r = user;
	if (!strcmp(element, "access_mechanism")) {
		r->inside = true;
		r->accessor = (struct page_accessor){.line = line_of(r)};
		r->fields = 0;
		r->of = -1;
		r->unread_condition = r->code_twice = false;
		r->code_size = 0;
		r->instruction[0] = r->cpu_condition[0] = 0;
		r->parts = (struct page_encoding){{{0}}};
	}
	if (!strcmp(element, "reg_short_name"))
		begin_text(r, TEXT_TITLE);
	if (!r->inside)
		return;
	for (size_t i = 0; attributes[i]; i += 2)
		if (strstr(attributes[i], "condition"))
			take_condition(r, attributes[i + 1], strlen(attributes[i + 1]));
	if (!strcmp(element, "enc"))
		take_encoding(r, attributes);
	else if (!strcmp(element, "access_instruction"))
		begin_text(r, TEXT_INSTRUCTION);
	else if (strstr(element, "condition"))
		begin_text(r, TEXT_CONDITION);
	else if (!strcmp(element, "pstext"))
		begin_text(r, TEXT_CODE);
}

static void XMLCALL on_text(void *user, const XML_Char *text, int length)
{
	struct reader *r = user;
	const size_t size = (size_t)length;

	if (r->reading == TEXT_NONE)
		return;
	if (r->size + size > r->room) {
		r->room = 2 * (r->size + size);
		r->text = memory_need(realloc(r->text, r->room));
	}
	memcpy(r->text + r->size, text, size);
	r->size += size;
}

static void end_code(struct reader *r)
{
	if (r->code_size) {
		r->code_twice = true;
		return;
	}
	free(r->code);
	r->code = memory_need(malloc(r->size + 1));
	memcpy(r->code, r->text, r->size);
	r->code_size = r->size;
	r->accessor.line = r->line;
}

/* An accessor is complete. */
static void end_mechanism(struct reader *r)
{
	struct page_accessor *a = &r->accessor;

	r->inside = false;
	if (r->of != 1) {
		page_other_accessor(r->set, r->name, a);
		if (page_cpu_instruction(r->instruction, strlen(r->instruction), &a->write))
			page_cpu_accessor(r->set, r->name, a, r->instruction,
					  strlen(r->instruction), &r->parts, r->code, r->code_size,
					  r->cpu_condition,
					  r->code_twice	  ? "two bodies of pseudocode"
					  : !r->code_size ? "no pseudocode"
							  : NULL);
		return;
	}
	a->problem.line = a->line;
	if (r->unread_condition)
		snprintf(a->problem.text, sizeof(a->problem.text),
			 "the accessor's condition \"%.80s\" is not known", r->condition);
	else if (r->code_twice)
		snprintf(a->problem.text, sizeof(a->problem.text), "two bodies of pseudocode");
	else if (!r->code_size)
		snprintf(a->problem.text, sizeof(a->problem.text), "no pseudocode");
	else
		a->program = asl_parse(r->code, r->code_size, a->line, a->write, &a->problem);
	page_new_accessor(r->set, r->name, a);
}

static void take_instruction(struct reader *r)
{
	r->of = page_instruction(r->text, r->size, &r->accessor.reg, &r->accessor.write);
	(void)snprintf(r->instruction, sizeof(r->instruction), "%.*s", (int)r->size,
		       r->text ? r->text : "");
}

static void XMLCALL on_end(void *user, const XML_Char *element)
{
	struct reader *r = user;

	if (!strcmp(element, "reg_short_name")) {
		(void)page_title(r->set, r->text, r->size);
		r->reading = TEXT_NONE;
	}
	if (!r->inside)
		return;
	if (!strcmp(element, "access_instruction"))
		take_instruction(r);
	else if (strstr(element, "condition"))
		take_condition(r, r->text, r->size);
	else if (!strcmp(element, "pstext") && r->size)
		end_code(r);
	else if (!strcmp(element, "access_mechanism"))
		end_mechanism(r);
	else
		return; /* an element within the text */
	r->reading = TEXT_NONE;
}

/* Pages declare none, and expanding them is a known way to exhaust memory. */
static void XMLCALL on_entity(void *user, const XML_Char *name, int parameter,
			      const XML_Char *value, int length, const XML_Char *base,
			      const XML_Char *system, const XML_Char *public,
			      const XML_Char *notation)
{
	struct reader *r = user;

	(void)name, (void)parameter, (void)value, (void)length, (void)base;
	(void)system, (void)public, (void)notation;
	XML_StopParser(r->parser, XML_FALSE);
}

void page_read_xml(struct page_set *set, const char *name, const char *bytes, size_t size)
{
	struct reader r = {.set = set, .name = name, .of = -1};
	char text[128];

	r.parser = memory_need(XML_ParserCreate(NULL));
	XML_SetUserData(r.parser, &r);
	XML_SetElementHandler(r.parser, on_start, on_end);
	XML_SetCharacterDataHandler(r.parser, on_text);
	XML_SetEntityDeclHandler(r.parser, on_entity);
	if (XML_Parse(r.parser, bytes, (int)size, XML_TRUE) != XML_STATUS_OK) {
		const enum XML_Error error = XML_GetErrorCode(r.parser);

		if (error == XML_ERROR_NO_MEMORY)
			memory_out();
		snprintf(text, sizeof(text), "XML: %s",
			 error == XML_ERROR_ABORTED ? "an entity is declared"
						    : XML_ErrorString(error));
		page_new_problem(set, name, line_of(&r), text);
	}
	XML_ParserFree(r.parser);
	free(r.text);
	free(r.code);
}
