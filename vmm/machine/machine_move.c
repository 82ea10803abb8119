/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves a machine to another process: see machine_move.h. */
#include "device/virtio.h"
#include "machine/machine_move.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "machine/machine_sections.h"
#include "machine/state_guest.h"
#include "machine/state_ram.h"

#define PAGE_TAG "PAGE"
#define END_TAG	 "END "
#define GIVE_TAG "GIVE"

#define ROUNDS_MOST 30
#define PAGES_FEW   1024 /* stop the guest after a round of at most this: 4 MiB */

#define FILES 3

/* No section has more bytes, except for those of the parts. */
#define SECTION_MOST (UINT64_C(4) << 20)

struct machine_move {
	struct machine *machine;
	struct state_file to;
	/*
	 * The receiver's memory: ram.size bytes, zero if they were never sent, and a bit for each
	 * page that was.
	 */
	uint8_t *there, *sent;
	uint8_t *section; /* room for one of PAGE_TAG */
	int pages;	  /* of state_ram_trusted() */
	/* The next piece of a file to send or, after all files, the next block of memory. */
	unsigned int file;
	uint32_t piece;
	uint64_t block;
	uint64_t found, before; /* pages of this round, and of the previous one */
	struct machine_move_stats stats;
};

static size_t bits_size(const struct machine *machine)
{
	return (size_t)(machine->ram.size / STATE_PAGE + 7) / 8;
}

struct machine_move *machine_move_open(struct machine *machine)
{
	struct machine_move *move = calloc(1, sizeof(*move));

	if (!move)
		return NULL;
	move->machine = machine;
	move->sent = calloc(1, bits_size(machine));
	move->section = malloc(STATE_RAM_BITMAP + STATE_RAM_BLOCK);
	move->there = mmap(NULL, machine->ram.size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (move->there == MAP_FAILED)
		move->there = NULL;
	else
		(void)madvise(move->there, machine->ram.size, MADV_DONTDUMP);
	if (machine->pages < 0)
		machine->pages = state_ram_open();
	if (move->sent && move->section && move->there)
		return move;
	machine_move_close(move);
	return NULL;
}

void machine_move_close(struct machine_move *move)
{
	if (!move)
		return;
	if (move->there)
		(void)munmap(move->there, move->machine->ram.size);
	free(move->sent);
	free(move->section);
	free(move);
}

/* Copy the reason of a failure. Returns -1. */
static int move_fail(const struct machine_move *move, char *why, size_t size)
{
	(void)snprintf(why, size, "%s", move->to.why);
	return -1;
}

int machine_move_begin(struct machine_move *move, FILE *file, char *why, size_t size)
{
	const struct machine *machine = move->machine;
	const struct engine_ram *ram = &machine->ram;

	(void)madvise(move->there, ram->size, MADV_DONTNEED); /* zero again */
	memset(move->sent, 0, bits_size(machine));
	move->pages =
		state_ram_trusted(machine->pages, ram->host + (machine->layout.dtb - ram->base));
	move->file = move->piece = 0;
	move->block = move->found = 0;
	move->before = UINT64_MAX;
	move->stats = (struct machine_move_stats){0};
	if (state_file_create(&move->to, file, STATE_FILE_MIGRATION) < 0 ||
	    machine_put_config(&move->to, machine) < 0)
		return move_fail(move, why, size);
	return 0;
}

/* Send the next piece of the guest's files. 1: sent one; 0: all are sent; -1. */
static int send_file(struct machine_move *move)
{
	static const char *const tags[FILES] = {STATE_GUEST_FIRMWARE, STATE_GUEST_KERNEL,
						STATE_GUEST_INITRD};
	const struct loader_files *files = &move->machine->files;
	const struct loader_file *const file[FILES] = {&files->firmware, &files->kernel,
						       &files->initrd};

	while (move->file < FILES && move->piece >= state_guest_pieces(file[move->file])) {
		move->file++;
		move->piece = 0;
	}
	if (move->file == FILES)
		return 0;
	return state_guest_put_piece(&move->to, tags[move->file], file[move->file], move->piece++) <
			       0
		       ? -1
		       : 1;
}

/* Does the receiver's page differ? A page that the host never gave to the guest is zero. */
static bool page_differs(const struct machine_move *move, uint64_t page, bool given)
{
	const bool sent = move->sent[page / 8] >> page % 8 & 1;

	return (given || sent) && memcmp(move->machine->ram.host + page * STATE_PAGE,
					 move->there + page * STATE_PAGE, STATE_PAGE) != 0;
}

/* Send the changed pages of the next block of memory. 1: there are more; 0; -1. */
static int send_block(struct machine_move *move)
{
	const struct engine_ram *ram = &move->machine->ram;
	const uint64_t first = move->block * STATE_RAM_PAGES;
	const uint64_t left = ram->size / STATE_PAGE - first;
	const unsigned int count = left < STATE_RAM_PAGES ? (unsigned int)left : STATE_RAM_PAGES;
	uint8_t given[STATE_RAM_BITMAP], *bits = move->section, *at = bits + STATE_RAM_BITMAP;
	unsigned int found = 0;

	state_ram_there(move->pages, ram->host + first * STATE_PAGE, count, given);
	memset(bits, 0, STATE_RAM_BITMAP);
	for (unsigned int n = 0; n < count; n++) {
		const uint64_t page = first + n;

		if (!page_differs(move, page, given[n / 8] >> n % 8 & 1))
			continue;
		memcpy(move->there + page * STATE_PAGE, ram->host + page * STATE_PAGE, STATE_PAGE);
		memcpy(at, move->there + page * STATE_PAGE, STATE_PAGE);
		at += STATE_PAGE;
		bits[n / 8] |= (uint8_t)(1u << n % 8);
		move->sent[page / 8] |= (uint8_t)(1u << page % 8);
		found++;
	}
	move->found += found;
	move->stats.pages += found;
	if (found && state_file_put(&move->to, PAGE_TAG, (uint32_t)move->block, bits,
				    (size_t)(at - bits)) < 0)
		return -1;
	move->block++;
	return count < left;
}

int machine_move_step(struct machine_move *move, char *why, size_t size)
{
	int more = send_file(move);
	bool stop;

	if (more == 0)
		more = send_block(move);
	if (more != 0)
		return more < 0 ? move_fail(move, why, size) : 1;
	move->stats.rounds++;
	stop = move->found <= PAGES_FEW || move->found >= move->before ||
	       move->stats.rounds >= ROUNDS_MOST;
	move->before = move->found;
	move->found = move->block = 0;
	return stop ? 0 : 1;
}

int machine_move_rest(struct machine_move *move, char *why, size_t size)
{
	int more = send_file(move);

	if (more == 0)
		more = send_block(move);
	if (more == 0) {
		move->stats.last = move->found;
		if (machine_put_parts(&move->to, move->machine) < 0 ||
		    state_file_put(&move->to, END_TAG, 0, NULL, 0) < 0)
			more = -1;
	}
	return more < 0 ? move_fail(move, why, size) : more;
}

int machine_move_give(struct machine_move *move, uint64_t pause, char *why, size_t size)
{
	struct state state;

	state_save(&state, "pause");
	STATE_FIELD(&state, pause);
	return state_file_put_state(&move->to, GIVE_TAG, 0, &state) < 0 ? move_fail(move, why, size)
									: 0;
}

void machine_move_stats(const struct machine_move *move, struct machine_move_stats *stats)
{
	*stats = move->stats;
}

struct machine_saved *machine_move_saved(FILE *file, const struct engine *engine, char *why,
					 size_t size)
{
	return machine_saved_from(file, STATE_FILE_MIGRATION, SECTION_MOST, engine, why, size);
}

struct machine *machine_move_make(struct machine_saved *saved, const struct machine_config *config,
				  char *why, size_t size)
{
	struct machine_config arriving = *config;

	arriving.arrives = true;
	return machine_make_saved(saved, &arriving, why, size);
}

/* Take the pages of a block from a section, each to where its bit says. */
static int take_pages(const struct engine_ram *ram, const struct state_section *section, char *why,
		      size_t size)
{
	const uint64_t first = (uint64_t)section->index * STATE_RAM_PAGES;
	const uint64_t count = ram->size / STATE_PAGE;
	size_t at = STATE_RAM_BITMAP;
	bool whole = section->size >= STATE_RAM_BITMAP;

	for (unsigned int n = 0; whole && n < STATE_RAM_PAGES; n++) {
		if (!(section->bytes[n / 8] >> n % 8 & 1))
			continue;
		if (first + n >= count) {
			(void)snprintf(why, size, "RAM: page 0x%" PRIx64 " is behind its end",
				       (first + n) * STATE_PAGE);
			return -1;
		}
		whole = section->size - at >= STATE_PAGE;
		if (!whole)
			break;
		memcpy(ram->host + (first + n) * STATE_PAGE, section->bytes + at, STATE_PAGE);
		at += STATE_PAGE;
	}
	if (whole && at == section->size)
		return 0;
	(void)snprintf(why, size, "RAM: MiB %" PRIu32 " is not as long as its pages",
		       section->index);
	return -1;
}

int machine_move_receive(struct machine_saved *saved, struct machine *machine, char *why,
			 size_t size)
{
	struct state_file *from = &saved->file;
	struct state_section section;
	int result = 0;

	from->most = SECTION_MOST;
	while (result == 0 && state_file_peek(from, PAGE_TAG)) {
		result = state_file_get_any(from, PAGE_TAG, &section);
		if (result == 0)
			result = take_pages(&machine->ram, &section, from->why, sizeof(from->why));
		free(section.bytes);
	}
	from->most = 0; /* a disk may have written any number of clusters */
	if (result == 0)
		result = machine_get_parts(from, machine);
	if (result == 0) {
		result = state_file_get(from, END_TAG, 0, &section);
		if (result == 0 && section.size != 0) {
			(void)snprintf(from->why, sizeof(from->why),
				       "damaged: its end has %zu bytes", section.size);
			result = -1;
		}
		free(section.bytes);
	}
	if (result < 0)
		(void)snprintf(why, size, "%s", from->why);
	return result;
}

/* NOLINTNEXTLINE(readability-non-const-parameter) STATE_FIELD() writes to pause */
int machine_move_take(struct machine_saved *saved, uint64_t *pause, char *why, size_t size)
{
	struct state_section section;
	struct state state;

	if (state_file_get(&saved->file, GIVE_TAG, 0, &section) < 0) {
		(void)snprintf(why, size, "%s", saved->file.why);
		return -1;
	}
	state_load(&state, "pause", section.bytes, section.size);
	STATE_FIELD(&state, *pause);
	(void)state_end(&state);
	free(section.bytes);
	if (state.failed)
		(void)snprintf(why, size, "%s", state.why);
	return state.failed ? -1 : 0;
}

int machine_lock_files(struct machine *machine, enum file_lock how, char *why, size_t size)
{
	int error = machine->variables < 0 ? 0 : file_lock(machine->variables, how);

	if (error < 0)
		(void)snprintf(why, size, "--bios-vars: in use already");
	for (unsigned int n = 0; error == 0 && n < DEVICE_VIRTIO; n++) {
		struct virtio_device *device = machine->device_config.virtio[n];

		error = device && device->lock ? device->lock(device, how) : 0;
		if (error < 0)
			(void)snprintf(why, size, "--disk: number %u is in use already", n);
	}
	return error;
}
