/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sample packets in words: the payload tables of Arm ARM D18.2. Words are the same as perf's where
 * it has one, so that the two listings can be compared line by line.
 */
#include "trace/record.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* Text under construction: append() never writes beyond size and keeps it terminated. */
struct text {
	char *at;
	size_t left;
};

static struct text text_begin(char *buffer, size_t size)
{
	if (size)
		buffer[0] = '\0';
	return (struct text){buffer, size};
}

__attribute__((format(printf, 2, 3))) static void append(struct text *text, const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(text->at, text->left, format, arguments);
	va_end(arguments);
	if (length < 0 || !text->left)
		return;
	if ((size_t)length >= text->left)
		length = (int)text->left - 1;
	text->at += length;
	text->left -= (size_t)length;
}

/* D18.2, Events packet. Bits without a name here are reserved or IMPLEMENTATION DEFINED. */
static const char *const event_names[64] = {
	[0] = "EXCEPTION-GEN", [1] = "RETIRED",		  [2] = "L1D-ACCESS",
	[3] = "L1D-REFILL",    [4] = "TLB-ACCESS",	  [5] = "TLB-REFILL",
	[6] = "NOT-TAKEN",     [7] = "MISPRED",		  [8] = "LLC-ACCESS",
	[9] = "LLC-REFILL",    [10] = "REMOTE-ACCESS",	  [11] = "ALIGNMENT",
	[16] = "TXN",	       [17] = "SVE-PARTIAL-PRED", [18] = "SVE-EMPTY-PRED",
	[19] = "L2D-ACCESS",   [20] = "L2D-MISS",	  [21] = "HITM",
	[22] = "LFB",	       [23] = "SNOOPED",	  [24] = "STREAMING-SVE",
	[25] = "SMCU",
};

const char *record_event_name(unsigned int bit)
{
	return bit < 64 ? event_names[bit] : NULL;
}

const char *record_class_name(enum record_class class)
{
	static const char *const names[RECORD_CLASSES] = {"other", "load/store", "branch"};

	return class < RECORD_CLASSES ? names[class] : "unknown";
}

/* A bit of a payload that adds a word. */
struct word {
	uint8_t bit;
	const char *text;
};

static void append_words(struct text *text, uint8_t payload, const struct word *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (payload & words[i].bit)
			append(text, " %s", words[i].text);
	}
}

#define APPEND_WORDS(text, payload, words) \
	append_words(text, payload, words, sizeof(words) / sizeof(*(words)))

/* Effective vector length: the first power of two not below it, in bits; code 7 has no bound. */
static void append_evl(struct text *text, uint8_t payload)
{
	unsigned int code = payload >> 4 & 7;

	if (code == 7)
		append(text, " EVLEN >2048");
	else
		append(text, " EVLEN %u", 32u << code);
}

static void describe_other(struct text *text, uint8_t payload)
{
	static const struct word sve[] = {{0x02, "FP"}, {0x04, "PRED"}};
	static const struct word sme[] = {{0x02, "FP"}};
	static const struct word plain[] = {{0x02, "FP"}, {0x04, "ASE"}};
	unsigned int ets;

	if ((payload & 0x89) == 0x08) {
		append(text, "SVE-OTHER");
		append_evl(text, payload);
		APPEND_WORDS(text, payload, sve);
	} else if ((payload & 0x89) == 0x88) {
		ets = (payload >> 3 & 0xe) | (payload >> 2 & 1);
		append(text, "SME-OTHER");
		if (ets == 15)
			append(text, " ETS ZA");
		else if (ets <= 11)
			append(text, " ETS %u", 128u << ets);
		else
			append(text, " ETS ?%u", ets);
		APPEND_WORDS(text, payload, sme);
	} else if (!(payload & 0xf8)) {
		append(text, "OTHER %s", payload & 1 ? "COND-SELECT" : "INSN-OTHER");
		APPEND_WORDS(text, payload, plain);
	} else {
		append(text, "OTHER ?0x%02x", payload);
	}
}

static void describe_load_store(struct text *text, uint8_t payload)
{
	static const struct word extended[] = {{0x04, "AT"}, {0x08, "EXCL"}, {0x10, "AR"}};
	static const struct word sve[] = {{0x04, "PRED"}, {0x80, "SG"}};
	static const struct subclass {
		uint8_t mask, match;
		const char *text;
	} subclasses[] = {
		{0xfe, 0x00, "GP-REG"},	 {0xfe, 0x04, "SIMD-FP"},   {0xfe, 0x10, "UNSPEC-REG"},
		{0xfe, 0x14, "MTE-TAG"}, {0xfe, 0x30, "NV-SYSREG"}, {0xfe, 0x20, "MEMCPY"},
		{0xff, 0x25, "MEMSET"},	 {0xfe, 0x40, "GCS"},	    {0xfe, 0x44, "GCS COMM"},
	};

	append(text, payload & 1 ? "ST" : "LD");
	if ((payload & 0xe2) == 0x02) {
		APPEND_WORDS(text, payload, extended);
		return;
	}
	if ((payload & 0x0a) == 0x08) {
		append(text, " SVE");
		append_evl(text, payload);
		APPEND_WORDS(text, payload, sve);
		return;
	}
	for (size_t i = 0; i < sizeof(subclasses) / sizeof(*subclasses); i++) {
		if ((payload & subclasses[i].mask) == subclasses[i].match) {
			append(text, " %s", subclasses[i].text);
			return;
		}
	}
	append(text, " ?0x%02x", payload);
}

static void describe_branch(struct text *text, uint8_t payload)
{
	static const struct word words[] = {{0x01, "COND"}, {0x02, "IND"}, {0x04, "GCS"}};
	/* [4:3]: 0 is "not recorded", and has no word. */
	static const char *const kind[] = {"", " CR-BL", " CR-RET", " CR-NON-BL-RET"};

	append(text, "B");
	APPEND_WORDS(text, payload, words);
	append(text, "%s", kind[payload >> 3 & 3]);
	if (payload & 0xe0)
		append(text, " ?0x%02x", payload);
}

const char *record_operation_describe(enum record_class class, uint8_t payload, char *buffer,
				      size_t size)
{
	struct text text = text_begin(buffer, size);

	switch (class) {
	case RECORD_OTHER: describe_other(&text, payload); break;
	case RECORD_LOAD_STORE: describe_load_store(&text, payload); break;
	case RECORD_BRANCH: describe_branch(&text, payload); break;
	default: append(&text, "OP-TYPE ?%d 0x%02x", (int)class, payload); break;
	}
	return buffer;
}

static void describe_events(struct text *text, uint64_t payload)
{
	append(text, "EV");
	for (unsigned int bit = 0; bit < 64; bit++) {
		if (!(payload >> bit & 1))
			continue;
		if (event_names[bit])
			append(text, " %s", event_names[bit]);
		else
			append(text, " E[%u]", bit);
	}
}

static void describe_address(struct text *text, uint8_t index, uint64_t payload)
{
	static const char *const names[] = {"PC", "TGT", "VA", "PA", "PBT"};

	switch (index) {
	case SPE_ADDRESS_PC:
	case SPE_ADDRESS_TARGET:
	case SPE_ADDRESS_PREVIOUS:
		append(text, "%s 0x%" PRIx64 " el%u ns=%d", names[index],
		       record_address_bits(payload), record_address_el(payload),
		       record_address_ns(payload));
		break;
	case SPE_ADDRESS_DATA_VA: append(text, "VA 0x%" PRIx64, payload); return;
	case SPE_ADDRESS_DATA_PA:
		append(text, "PA 0x%" PRIx64 " ns=%d ch=%d pat=%x", record_address_bits(payload),
		       record_address_ns(payload), (int)record_address_checked(payload),
		       record_address_tag(payload));
		break;
	default: append(text, "ADDR 0x%" PRIx64 " (%u)", payload, index); return;
	}
	if (record_address_nse(payload))
		append(text, " nse=1");
}

static void describe_counter(struct text *text, uint8_t index, uint64_t payload)
{
	static const char *const names[] = {"TOT", "ISSUE", "XLAT", NULL, "ALT-ISSUE"};

	append(text, "LAT %" PRIu64, payload);
	if (index < sizeof(names) / sizeof(*names) && names[index])
		append(text, " %s", names[index]);
	else
		append(text, " (%u)", index);
}

const char *record_packet_describe(const struct spe_packet *packet, char *buffer, size_t size)
{
	struct text text = text_begin(buffer, size);

	switch (packet->kind) {
	case SPE_PACKET_PADDING: append(&text, "PAD"); break;
	case SPE_PACKET_END: append(&text, "END"); break;
	case SPE_PACKET_TIMESTAMP: append(&text, "TS %" PRIu64, packet->payload); break;
	case SPE_PACKET_EVENTS: describe_events(&text, packet->payload); break;
	case SPE_PACKET_DATA_SOURCE: append(&text, "DATA-SOURCE %" PRIu64, packet->payload); break;
	case SPE_PACKET_OPERATION:
		record_operation_describe((enum record_class)packet->index,
					  (uint8_t)packet->payload, buffer, size);
		break;
	case SPE_PACKET_CONTEXT:
		append(&text, "CONTEXT 0x%" PRIx64 " el%u", packet->payload, packet->index + 1u);
		break;
	case SPE_PACKET_COUNTER: describe_counter(&text, packet->index, packet->payload); break;
	case SPE_PACKET_ADDRESS: describe_address(&text, packet->index, packet->payload); break;
	default: append(&text, "UNKNOWN 0x%" PRIx64, packet->payload); break;
	}
	return buffer;
}
