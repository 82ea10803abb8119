/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NOR flash with the Common Flash Interface (JEDEC JESD68.01, JEP137) and Intel's command set
 * (vendor command set 1). Each bank has two chips of 16 data lines side by side, which get the same
 * commands. Programs and erasures take no time. The first bank has the firmware and no commands. To
 * the engine it is memory; this file answers accesses that the engine does not handle.
 */
#include "device/flash.h"

#include <string.h>

#include "base/assertion.h"
#include "device/device.h"
#include "device/tree.h"

#define VARIABLES_BASE FLASH_BANK
#define BLOCK	       UINT64_C(0x40000) /* bytes that are erased together */
#define CHIP_BLOCK     (BLOCK / 2)
#define CHIP_BLOCKS    (FLASH_BANK / BLOCK)
#define BUFFER_WORDS   512u /* of a buffered program, all of them inside one aligned buffer */
#define BUFFER	       (UINT64_C(4) * BUFFER_WORDS)

#define READ_ARRAY	  0xffu
#define READ_ID		  0x90u
#define READ_STATUS	  0x70u
#define READ_QUERY	  0x98u
#define CLEAR_STATUS	  0x50u
#define PROGRAM		  0x40u
#define PROGRAM_ALTERNATE 0x10u
#define PROGRAM_BUFFER	  0xe8u
#define ERASE		  0x20u
#define LOCK		  0x60u
#define CONFIRM		  0xd0u

#define STATUS_READY	0x80u
#define STATUS_SEQUENCE 0x30u /* the preceding commands were no sequence */

#define MANUFACTURER 0x89u /* Intel */
#define CHIP	     0x18u

/* The meaning of a write. */
enum flash_write {
	WRITE_COMMAND,
	WRITE_WORD,  /* to be programmed */
	WRITE_ERASE, /* the confirmation */
	WRITE_LOCK,
	WRITE_COUNT,
	WRITE_BUFFER,
	WRITE_CONFIRM, /* of the buffer */
	WRITES
};

/* The source of a read. */
enum flash_read { FROM_ARRAY, FROM_STATUS, FROM_ID, FROM_QUERY, READS };

struct flash {
	struct device device;
	enum flash_write write;
	enum flash_read read;
	uint8_t status;
	uint16_t left; /* words of the buffer still to come */
	uint32_t base; /* where the buffer is, once it has words */
	uint32_t buffer[BUFFER_WORDS];
};

_Static_assert(offsetof(struct flash, device) == 0, "one is cast to the other");

/* The answer of one chip to a query, from word 0x10 on. */
#define QUERY_FIRST 0x10u
static const uint8_t query[] = {
	'Q',
	'R',
	'Y',
	0x01,
	0x00, /* the command set */
	0x31,
	0x00, /* where its table is */
	0x00,
	0x00,
	0x00,
	0x00, /* no other */
	0x45,
	0x55,
	0x00,
	0x00, /* 4.5 V to 5.5 V */
	0x07,
	0x07,
	0x0a,
	0x00, /* times, as powers of two: word, buffer, block; no chip */
	0x04,
	0x04,
	0x04,
	0x00, /* ... at most */
	25,   /* 32 MiB */
	0x02,
	0x00, /* 8 or 16 data lines */
	10,
	0x00, /* 1024 bytes a buffer */
	0x01, /* one kind of block: how many minus 1, and their size / 256 */
	(CHIP_BLOCKS - 1) & 0xff,
	(CHIP_BLOCKS - 1) >> 8,
	CHIP_BLOCK >> 8 & 0xff,
	CHIP_BLOCK >> 16,
	'P',
	'R',
	'I',
	'1',
	'0',
};

_Static_assert(FLASH_BANK / 2 == 1u << 25, "the query tells of the chip's size");
_Static_assert(BUFFER_WORDS * 2 == 1u << 10, "and of the buffer's");

static const struct flash_store *store_of(const struct device *device)
{
	return device->config->flash;
}

static uint64_t code_read(struct device *device, unsigned int cpu, uint64_t offset,
			  unsigned int bytes)
{
	const struct flash_store *store = store_of(device);
	uint64_t value = 0;

	(void)cpu;
	for (unsigned int i = 0; i < bytes; i++) {
		const uint64_t at = offset + i;

		value |= (uint64_t)(at < store->code_size ? store->code[at] : 0xff) << 8 * i;
	}
	return value;
}

/* What a chip returns for one of its words. */
static uint8_t chip_word(const struct flash *flash, uint64_t word)
{
	switch (flash->read) {
	case FROM_STATUS: return flash->status;
	case FROM_ID: return (word & 0xff) == 0 ? MANUFACTURER : (word & 0xff) == 1 ? CHIP : 0;
	default: word = (word & 0xff) - QUERY_FIRST; return word < sizeof(query) ? query[word] : 0;
	}
}

static uint64_t variables_read(struct device *device, unsigned int cpu, uint64_t offset,
			       unsigned int bytes)
{
	const struct flash *flash = (const struct flash *)device;
	const uint8_t *variables = store_of(device)->variables;
	uint64_t value = 0;

	(void)cpu;
	for (unsigned int i = 0; i < bytes; i++) {
		const uint64_t at = offset + i;
		uint8_t byte = 0;

		if (flash->read == FROM_ARRAY)
			byte = (uint8_t)~variables[at];
		else if (at % 2 == 0)
			byte = chip_word(flash, at / 4);
		value |= (uint64_t)byte << 8 * i;
	}
	return value;
}

static void tell(const struct flash *flash, uint64_t offset, uint64_t size)
{
	const struct flash_store *store = store_of(&flash->device);

	if (store->wrote)
		store->wrote(store->ctx, offset, size);
}

/* Programming clears bits. */
static void program(struct flash *flash, uint64_t offset, unsigned int bytes, uint64_t value)
{
	uint8_t *variables = store_of(&flash->device)->variables;

	vspe_assert_of(offset + bytes <= FLASH_BANK, offset, bytes);
	for (unsigned int i = 0; i < bytes; i++)
		variables[offset + i] |= (uint8_t) ~(value >> 8 * i);
}

static void program_buffer(struct flash *flash)
{
	for (unsigned int i = 0; i < BUFFER_WORDS; i++)
		program(flash, flash->base + 4 * i, 4, flash->buffer[i]);
	tell(flash, flash->base, BUFFER);
}

static void erase(struct flash *flash, uint64_t offset)
{
	const uint64_t block = offset / BLOCK * BLOCK;

	memset(store_of(&flash->device)->variables + block, 0, BLOCK);
	tell(flash, block, BLOCK);
}

static void take_command(struct flash *flash, uint8_t command)
{
	static const struct {
		uint8_t command;
		enum flash_write write;
		enum flash_read read;
	} rows[] = {
		{READ_ARRAY, WRITE_COMMAND, FROM_ARRAY},
		{READ_ID, WRITE_COMMAND, FROM_ID},
		{READ_STATUS, WRITE_COMMAND, FROM_STATUS},
		{READ_QUERY, WRITE_COMMAND, FROM_QUERY},
		{PROGRAM, WRITE_WORD, FROM_STATUS},
		{PROGRAM_ALTERNATE, WRITE_WORD, FROM_STATUS},
		{PROGRAM_BUFFER, WRITE_COUNT, FROM_STATUS},
		{ERASE, WRITE_ERASE, FROM_STATUS},
		{LOCK, WRITE_LOCK, FROM_STATUS},
	};

	if (command == CLEAR_STATUS)
		flash->status = STATUS_READY;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].command != command)
			continue;
		flash->write = rows[i].write;
		flash->read = rows[i].read;
	}
}

/* End a sequence, which was correct if `right`. */
static void finish(struct flash *flash, bool right)
{
	if (!right)
		flash->status |= STATUS_SEQUENCE;
	flash->write = WRITE_COMMAND;
}

/* count: the written number of words, minus 1. */
static void begin_buffer(struct flash *flash, uint64_t count)
{
	flash->base = FLASH_BANK;
	memset(flash->buffer, 0xff, sizeof(flash->buffer));
	flash->left = 0;
	if (count >= BUFFER_WORDS) {
		finish(flash, false);
		return;
	}
	flash->left = (uint16_t)(count + 1);
	flash->write = WRITE_BUFFER;
}

/*
 * A word for the buffer, in the same BUFFER as the previous ones. It has the width of the bank, or
 * of one chip, as U-Boot writes it, which takes the bank for a chip with a word in every four
 * bytes.
 */
static void buffer_word(struct flash *flash, uint64_t offset, unsigned int bytes, uint64_t value)
{
	const uint32_t base = (uint32_t)(offset / BUFFER * BUFFER);
	const unsigned int shift = 8 * (unsigned int)(offset % 4);

	if (offset % 4 + bytes > 4 || (flash->base != FLASH_BANK && flash->base != base)) {
		finish(flash, false);
		return;
	}
	vspe_assert_of(flash->left && flash->left <= BUFFER_WORDS, flash->left, offset);
	flash->base = base;
	for (unsigned int i = 0; i < bytes; i++)
		flash->buffer[offset / 4 % BUFFER_WORDS] &=
			~(UINT32_C(0xff) << (shift + 8 * i)) | (uint32_t)(value >> 8 * i & 0xff)
								       << (shift + 8 * i);
	if (--flash->left == 0)
		flash->write = WRITE_CONFIRM;
}

static void variables_write(struct device *device, unsigned int cpu, uint64_t offset,
			    unsigned int bytes, uint64_t value)
{
	struct flash *flash = (struct flash *)device;
	const uint8_t command = (uint8_t)value;

	(void)cpu;
	switch (flash->write) {
	case WRITE_WORD:
		program(flash, offset, bytes, value);
		tell(flash, offset, bytes);
		finish(flash, true);
		break;
	case WRITE_ERASE:
		if (command == CONFIRM)
			erase(flash, offset);
		finish(flash, command == CONFIRM);
		break;
	case WRITE_LOCK: /* no block is ever locked */ finish(flash, true); break;
	case WRITE_COUNT: begin_buffer(flash, value & 0xffff); break;
	case WRITE_BUFFER: buffer_word(flash, offset, bytes, value); break;
	case WRITE_CONFIRM:
		if (command == CONFIRM)
			program_buffer(flash);
		finish(flash, command == CONFIRM);
		break;
	default: take_command(flash, command);
	}
}

static void flash_reset(struct device *device)
{
	((struct flash *)device)->status = STATUS_READY;
}

/* A block that was never programmed is not saved. */
static void block_state(struct state *state, uint8_t *block, uint32_t *next, uint32_t index)
{
	uint32_t number = index;

	STATE_UP_TO(state, number, CHIP_BLOCKS - 1);
	if (state->loading && number < *next)
		state_refuse(state, "block %u is not behind the one before", number);
	if (state->failed)
		return;
	*next = number + 1;
	state_bytes(state, block + (state->loading ? number * BLOCK : 0), BLOCK);
}

static bool is_erased(const uint8_t *block)
{
	return block[0] == 0 && memcmp(block, block + 1, BLOCK - 1) == 0;
}

static void flash_state(struct device *device, unsigned int cpu, struct state *state)
{
	struct flash *flash = (struct flash *)device;
	uint8_t *variables = store_of(device)->variables;
	uint32_t count = 0, next = 0;

	(void)cpu;
	STATE_UP_TO(state, flash->write, WRITES - 1);
	STATE_UP_TO(state, flash->read, READS - 1);
	STATE_FIELD(state, flash->status);
	STATE_UP_TO(state, flash->left, BUFFER_WORDS);
	STATE_UP_TO(state, flash->base, FLASH_BANK);
	STATE_ARRAY(state, flash->buffer);
	if ((flash->write == WRITE_BUFFER && flash->left == 0) ||
	    (flash->write == WRITE_CONFIRM && flash->base == FLASH_BANK) ||
	    flash->base % BUFFER != 0)
		state_refuse(state, "an impossible buffer");
	for (uint32_t i = 0; !state->loading && i < CHIP_BLOCKS; i++)
		count += !is_erased(variables + i * BLOCK);
	STATE_UP_TO(state, count, CHIP_BLOCKS);
	if (state->loading) {
		memset(variables, 0, FLASH_BANK);
		for (uint32_t n = 0; !state->failed && n < count; n++)
			block_state(state, variables, &next, 0);
		return;
	}
	for (uint32_t i = 0; i < CHIP_BLOCKS; i++)
		if (!is_erased(variables + i * BLOCK))
			block_state(state, variables + i * BLOCK, &next, i);
}

static unsigned int flash_sections(const struct device_config *config)
{
	return config->flash ? 1 : 0;
}

static bool flash_exists(const struct device_config *config)
{
	return config->flash != NULL;
}

/* mtd-physmap.yaml, for the bank that has commands. */
static void flash_node(struct tree *tree, const struct device_config *config)
{
	(void)config;
	tree_begin(tree, "flash@%llx", (unsigned long long)VARIABLES_BASE);
	tree_string(tree, "compatible", "cfi-flash");
	tree_cells(tree, "reg", TREE_TWO_CELLS(VARIABLES_BASE), TREE_TWO_CELLS(FLASH_BANK));
	tree_cells(tree, "bank-width", 4);
	tree_end(tree);
}

const struct device_type device_flash = {
	.name = "flash",
	.size = sizeof(struct flash),
	.exists = flash_exists,
	.windows = {{.base = 0, .size = FLASH_BANK, .read = code_read},
		    {.base = VARIABLES_BASE,
		     .size = FLASH_BANK,
		     .read = variables_read,
		     .write = variables_write}},
	.reset = flash_reset,
	.section = "FLSH",
	.part = "flash",
	.since = 4,
	.sections = flash_sections,
	.state = flash_state,
	.node = flash_node,
};
