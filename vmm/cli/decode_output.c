/* SPDX-License-Identifier: BSD-2-Clause */
/* What vspe decode prints: text with one line a packet, JSON with one line a record, or counts. */
#include "cli/decode.h"
#include "base/memory.h"
#include "cli/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Offset, up to ten bytes of a packet, and its words: the columns of perf's raw listing. */
static void text_packet(FILE *file, uint64_t offset, const uint8_t *bytes, size_t size,
			const char *words)
{
	fprintf(file, "  %08" PRIx64 ": ", offset);
	for (size_t i = 0; i < 10; i++) {
		if (i < size)
			fprintf(file, " %02x", bytes[i]);
		else
			fputs("   ", file);
	}
	fprintf(file, "  %s\n", words);
}

/* The symbol at the address of an instruction, as "sixty+0x4". False if there is none. */
static bool find_symbol(struct symbols *symbols, uint64_t payload, char *text, size_t size)
{
	const uint64_t address = record_address_bits(payload);
	const long number = symbols ? symbols_find(symbols, address) : -1;
	struct symbol symbol;

	if (number < 0)
		return false;
	symbol = symbols_get(symbols, number);
	(void)snprintf(text, size, "%s+0x%" PRIx64, symbol.name, address - symbol.start);
	return true;
}

/* Append the symbol to the words of an instruction address. */
static void append_symbol(struct symbols *symbols, const struct spe_packet *packet, char *words)
{
	char symbol[SYMBOL_NAME_MAX + 24];
	const size_t used = strlen(words);

	if (packet->kind != SPE_PACKET_ADDRESS ||
	    (packet->index != SPE_ADDRESS_PC && packet->index != SPE_ADDRESS_TARGET &&
	     packet->index != SPE_ADDRESS_PREVIOUS) ||
	    !find_symbol(symbols, packet->payload, symbol, sizeof(symbol)))
		return;
	(void)snprintf(words + used, RECORD_TEXT_MAX + sizeof(symbol) - used, " %s", symbol);
}

/* Append its name to the number of a data source. */
static void append_source(const char *name, char *words)
{
	const size_t used = strlen(words);

	if (name)
		(void)snprintf(words + used, RECORD_TEXT_MAX, " %s", name);
}

/* The meaning of a data source's number. NULL: no name, or the core is not known. */
static const char *source_words(const struct decode_output *output,
				const struct input_record *record, uint64_t number)
{
	const uint32_t midr = output->midr ? output->midr : record->midr;
	const struct source *source;

	if (!midr || number > UINT16_MAX)
		return NULL;
	source = source_find(source_set(midr), (uint16_t)number);
	return source ? source->name : NULL;
}

static void text_record(const struct decode_output *output, const struct input_record *record)
{
	char words[RECORD_TEXT_MAX + SYMBOL_NAME_MAX + 24], origin[INPUT_ORIGIN_WORDS];
	FILE *file = output->file;
	struct spe_packet packet;
	size_t at, length;

	fprintf(file, "record %" PRIu64 " %s offset 0x%" PRIx64 " size %zu%s\n", record->number,
		input_origin_words(record->origin, origin), record->offset, record->size,
		record->complete ? "" : " unfinished");
	for (at = 0; at < record->size; at += length) {
		length = spe_packet_read(record->bytes + at, record->size - at, &packet);
		if (!length) {
			text_packet(file, record->offset + at, record->bytes + at,
				    record->size - at, "CUT");
			return;
		}
		record_packet_describe(&packet, words, RECORD_TEXT_MAX);
		append_symbol(output->symbols, &packet, words);
		if (output->names && packet.kind == SPE_PACKET_DATA_SOURCE)
			append_source(source_words(output, record, packet.payload), words);
		text_packet(file, record->offset + at, record->bytes + at, length, words);
	}
}

/* JSON readers keep 53 bits of a number: addresses are strings. */
static struct json_object *json_hex(uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	return json_object_new_string(text);
}

/* An instruction address with its Exception level and Security state. */
static struct json_object *json_instruction(uint64_t payload, struct symbols *symbols)
{
	struct json_object *object = json_object_new_object();
	char symbol[SYMBOL_NAME_MAX + 24];

	json_add(object, "address", json_hex(record_address_bits(payload)));
	json_add(object, "el", json_object_new_int((int)record_address_el(payload)));
	json_add(object, "ns", json_object_new_boolean(record_address_ns(payload)));
	json_add(object, "nse", json_object_new_boolean(record_address_nse(payload)));
	if (find_symbol(symbols, payload, symbol, sizeof(symbol)))
		json_add(object, "symbol", json_object_new_string(symbol));
	return object;
}

static void json_address(struct json_object *object, uint8_t index, uint64_t payload,
			 struct symbols *symbols)
{
	char key[16];

	switch (index) {
	case SPE_ADDRESS_PC: json_add(object, "pc", json_instruction(payload, symbols)); break;
	case SPE_ADDRESS_TARGET:
		json_add(object, "target", json_instruction(payload, symbols));
		break;
	case SPE_ADDRESS_PREVIOUS:
		json_add(object, "previous_target", json_instruction(payload, symbols));
		break;
	case SPE_ADDRESS_DATA_VA: json_add(object, "data_va", json_hex(payload)); break;
	case SPE_ADDRESS_DATA_PA: {
		struct json_object *pa = json_object_new_object();

		json_add(pa, "address", json_hex(record_address_bits(payload)));
		json_add(pa, "ns", json_object_new_boolean(record_address_ns(payload)));
		json_add(pa, "nse", json_object_new_boolean(record_address_nse(payload)));
		json_add(pa, "tag_checked",
			 json_object_new_boolean(record_address_checked(payload)));
		json_add(pa, "tag", json_object_new_int((int)record_address_tag(payload)));
		json_add(object, "data_pa", pa);
		break;
	}
	default:
		snprintf(key, sizeof(key), "address_%u", index);
		json_add(object, key, json_hex(payload));
		break;
	}
}

static void json_counter(struct json_object *object, uint8_t index, uint64_t payload)
{
	static const char *const names[] = {"total", "issue", "translation", NULL, "alt_issue"};
	struct json_object *latency = NULL;
	char key[16];

	if (!json_object_object_get_ex(object, "latency", &latency)) {
		latency = json_object_new_object();
		json_add(object, "latency", latency);
	}
	if (index < sizeof(names) / sizeof(*names) && names[index])
		snprintf(key, sizeof(key), "%s", names[index]);
	else
		snprintf(key, sizeof(key), "counter_%u", index);
	json_add(latency, key, json_object_new_int((int)payload));
}

static struct json_object *json_events(uint64_t payload)
{
	struct json_object *events = json_object_new_array();
	char text[8];

	for (unsigned int bit = 0; bit < 64; bit++) {
		const char *name = record_event_name(bit);

		if (!(payload >> bit & 1))
			continue;
		snprintf(text, sizeof(text), "E[%u]", bit);
		json_append(events, json_object_new_string(name ? name : text));
	}
	return events;
}

static void json_source(struct json_object *object, uint64_t number, const char *name)
{
	json_add(object, "data_source", json_object_new_uint64(number));
	if (name)
		json_add(object, "data_source_name", json_object_new_string(name));
}

static void json_packet(struct json_object *object, const struct spe_packet *packet,
			const struct decode_output *output, const struct input_record *record)
{
	static const char *const contexts[] = {"contextidr_el1", "contextidr_el2"};
	char words[RECORD_TEXT_MAX];

	switch (packet->kind) {
	case SPE_PACKET_TIMESTAMP:
		json_add(object, "timestamp", json_object_new_uint64(packet->payload));
		break;
	case SPE_PACKET_EVENTS: json_add(object, "events", json_events(packet->payload)); break;
	case SPE_PACKET_DATA_SOURCE:
		json_source(object, packet->payload, source_words(output, record, packet->payload));
		break;
	case SPE_PACKET_OPERATION:
		json_add(object, "class",
			 json_object_new_string(
				 record_class_name((enum record_class)packet->index)));
		record_packet_describe(packet, words, sizeof(words));
		json_add(object, "operation", json_object_new_string(words));
		break;
	case SPE_PACKET_CONTEXT:
		json_add(object, contexts[packet->index & 1],
			 json_object_new_uint64(packet->payload));
		break;
	case SPE_PACKET_COUNTER: json_counter(object, packet->index, packet->payload); break;
	case SPE_PACKET_ADDRESS:
		json_address(object, packet->index, packet->payload, output->symbols);
		break;
	default: break;
	}
}

/* Keep bytes that are no known packet, in hexadecimal, so that no input is lost. */
static void json_unknown(struct json_object *object, const uint8_t *bytes, size_t size)
{
	struct json_object *list = NULL;
	char *text = memory_need(malloc(2 * size + 1));

	for (size_t i = 0; i < size; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
	if (!json_object_object_get_ex(object, "unknown", &list)) {
		list = json_object_new_array();
		json_add(object, "unknown", list);
	}
	json_append(list, json_object_new_string(text));
	free(text);
}

/* A second packet of the same kind and index, which no record of the architecture has. */
static void json_repeated(struct json_object *object, const struct spe_packet *packet)
{
	struct json_object *list = NULL;
	char words[RECORD_TEXT_MAX];

	if (!json_object_object_get_ex(object, "repeated", &list)) {
		list = json_object_new_array();
		json_add(object, "repeated", list);
	}
	record_packet_describe(packet, words, sizeof(words));
	json_append(list, json_object_new_string(words));
}

static void json_record(const struct decode_output *output, const struct input_record *record)
{
	struct json_object *object = json_object_new_object();
	uint32_t seen[SPE_PACKET_KINDS] = {0}; /* by index */
	struct spe_packet packet;
	size_t at, length;
	uint32_t bit;
	const int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;

	json_add(object, "record", json_object_new_uint64(record->number));
	if (record->origin.cpu >= 0)
		json_add(object, "cpu", json_object_new_int(record->origin.cpu));
	if (record->origin.tid >= 0)
		json_add(object, "tid", json_object_new_int(record->origin.tid));
	json_add(object, "offset", json_object_new_uint64(record->offset));
	json_add(object, "size", json_object_new_uint64(record->size));
	json_add(object, "complete", json_object_new_boolean(record->complete));
	for (at = 0; at < record->size; at += length) {
		length = spe_packet_read(record->bytes + at, record->size - at, &packet);
		if (!length || packet.kind == SPE_PACKET_UNKNOWN) {
			json_unknown(object, record->bytes + at,
				     length ? length : record->size - at);
			if (!length)
				break;
			continue;
		}
		/* An operation's class is its index, but a record has only one operation. */
		bit = packet.kind == SPE_PACKET_OPERATION ? 1 : UINT32_C(1) << packet.index;
		if (seen[packet.kind] & bit && packet.payload_size)
			json_repeated(object, &packet);
		else
			json_packet(object, &packet, output, record);
		seen[packet.kind] |= bit;
	}
	json_print(output->file, object, flags);
}

void decode_output_record(struct decode_output *output, const struct input_record *record)
{
	if (output->format == DECODE_TEXT)
		text_record(output, record);
	else if (output->format == DECODE_JSON)
		json_record(output, record);
}

/* Takes a count of the summary; group is NULL for counts without one. */
typedef void take_count(void *ctx, const char *group, const char *name, uint64_t count);

static void each_total(const struct record_totals *totals, take_count *take, void *ctx)
{
	take(ctx, NULL, "records", totals->records);
	take(ctx, NULL, "without an end", totals->incomplete);
	take(ctx, NULL, "bytes", totals->bytes);
	take(ctx, NULL, "bytes of padding", totals->padding);
	take(ctx, NULL, "bytes skipped", totals->unknown);
}

static void each_kind(const struct record_totals *totals, take_count *take, void *ctx)
{
	static const char *const kinds[SPE_PACKET_KINDS] = {
		[SPE_PACKET_END] = "end",
		[SPE_PACKET_TIMESTAMP] = "timestamp",
		[SPE_PACKET_EVENTS] = "events",
		[SPE_PACKET_DATA_SOURCE] = "data source",
		[SPE_PACKET_OPERATION] = "operation type",
		[SPE_PACKET_CONTEXT] = "context",
		[SPE_PACKET_COUNTER] = "counter",
		[SPE_PACKET_ADDRESS] = "address",
	};

	for (unsigned int kind = 0; kind < SPE_PACKET_KINDS; kind++)
		if (kinds[kind] && totals->packets[kind])
			take(ctx, "packets", kinds[kind], totals->packets[kind]);
}

/* All counts that are not 0, and the totals. */
static void each_count(const struct record_totals *totals, take_count *take, void *ctx)
{
	char text[8];

	each_total(totals, take, ctx);
	for (unsigned int el = 0; el < 4; el++) {
		(void)snprintf(text, sizeof(text), "EL%u", el);
		if (totals->el[el])
			take(ctx, "at", text, totals->el[el]);
	}
	for (unsigned int class = 0; class < RECORD_CLASSES; class ++)
		if (totals->classes[class])
			take(ctx, "class", record_class_name((enum record_class) class),
			     totals->classes[class]);
	each_kind(totals, take, ctx);
	for (unsigned int bit = 0; bit < 64; bit++) {
		(void)snprintf(text, sizeof(text), "E[%u]", bit);
		if (totals->events[bit])
			take(ctx, "event", record_event_name(bit) ? record_event_name(bit) : text,
			     totals->events[bit]);
	}
}

static void count_line(void *ctx, const char *group, const char *name, uint64_t count)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "%s%s%s", group ? group : "", group ? " " : "", name);
	fprintf(ctx, "%-24s %" PRIu64 "\n", text, count);
}

static void count_member(void *ctx, const char *group, const char *name, uint64_t count)
{
	struct json_object *object = ctx, *inner = object;
	char key[64];

	(void)snprintf(key, sizeof(key), "%s", name);
	for (char *at = key; *at; at++)
		if (*at == ' ')
			*at = '_';
	if (group && !json_object_object_get_ex(object, group, &inner)) {
		inner = json_object_new_object();
		json_add(object, group, inner);
	}
	json_add(inner, key, json_object_new_uint64(count));
}

void decode_output_summary(const struct decode_output *output, const struct record_totals *totals)
{
	if (output->format == DECODE_SUMMARY) {
		each_count(totals, count_line, output->file);
	} else if (output->format == DECODE_SUMMARY_JSON) {
		struct json_object *object = json_object_new_object();

		each_count(totals, count_member, object);
		json_print(output->file, object,
			   JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	}
}
