/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes input from outside to a file, and reads it again: see recording.h. */
#include "machine/recording.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "device/virtio.h"
#include "machine/machine_state.h"
#include "machine/state_file.h"

#define WORD "recording"

/* How far a machine has run. */
struct position {
	uint64_t operations, elapsed;
};

/* Something that arrived, and where. */
struct event {
	enum machine_outside kind;
	enum machine_site site;
	struct position at;
	uint64_t value;
	uint8_t *bytes; /* size, and a 0; malloc'ed */
	size_t size;
};

struct machine_recording {
	struct state_file file;
	bool replaying, failed;
	bool left; /* replaying: the current user has ended it */
	uint32_t count;
	struct event next, taken; /* replaying */
	struct virtio_link link;  /* replaying: of the card whose slot is in ctx */
	const struct virtio_link *before[DEVICE_VIRTIO]; /* ... what cards had instead */
};

static struct position position_of(const struct machine *machine)
{
	struct position at = {machine->operations, machine_now(machine)};

	at.operations += at.elapsed - machine->elapsed; /* of the turn that a vCPU has */
	return at;
}

static void event_state(struct state *state, struct event *event)
{
	STATE_UP_TO(state, event->kind, MACHINE_OUTSIDE_KINDS - 1);
	STATE_UP_TO(state, event->site, MACHINE_SITES - 1);
	STATE_FIELD(state, event->at.operations);
	STATE_FIELD(state, event->at.elapsed);
	STATE_FIELD(state, event->value);
	if ((event->kind == MACHINE_OUTSIDE_END || event->kind == MACHINE_OUTSIDE_STOP) &&
	    event->value > MACHINE_SAVE)
		state_refuse(state, "an end that there is not");
}

static void fail(struct machine *machine, const char *why)
{
	machine->recording->failed = true;
	machine_finish(machine, MACHINE_ERROR, "the recording: %s", why);
}

void machine_recorded(struct machine *machine, enum machine_outside kind, enum machine_site site,
		      uint64_t value, const void *bytes, size_t size)
{
	struct machine_recording *recording = machine->recording;
	struct event event = {
		.kind = kind, .site = site, .at = position_of(machine), .value = value};
	struct state state;

	if (!recording || recording->replaying || recording->failed)
		return;
	state_save(&state, WORD);
	event_state(&state, &event);
	state_bytes(&state, (void *)(uintptr_t)bytes, size);
	/* Flush, so that the file has everything even if this process is killed. */
	if (state_file_put_state(&recording->file, "EVNT", recording->count++, &state) < 0 ||
	    fflush(recording->file.file) != 0)
		fail(machine, recording->file.why[0] ? recording->file.why : "cannot be written");
}

/* Read the next event. There always is one: nothing is read after the end. */
static void read_next(struct machine *machine)
{
	struct machine_recording *recording = machine->recording;
	struct event *next = &recording->next;
	struct state_section section;
	struct state state;

	*next = (struct event){.kind = MACHINE_OUTSIDE_END};
	if (state_file_get(&recording->file, "EVNT", recording->count++, &section) < 0) {
		fail(machine, recording->file.why);
		return;
	}
	state_load(&state, WORD, section.bytes, section.size);
	event_state(&state, next);
	if (state.failed) {
		fail(machine, state.why);
		free(section.bytes);
		return;
	}
	next->size = section.size - state.at;
	memmove(section.bytes, section.bytes + state.at, next->size);
	section.bytes[next->size] = '\0'; /* there is room: the fields came before */
	next->bytes = section.bytes;
}

static bool is_here(const struct machine *machine, enum machine_site site)
{
	const struct machine_recording *recording = machine->recording;
	const struct position at = position_of(machine);

	return !recording->failed && recording->next.site == site &&
	       recording->next.at.operations == at.operations &&
	       recording->next.at.elapsed == at.elapsed;
}

static struct event *take(struct machine *machine)
{
	struct machine_recording *recording = machine->recording;

	free(recording->taken.bytes);
	recording->taken = recording->next;
	recording->next.bytes = NULL;
	read_next(machine);
	return &recording->taken;
}

static void diverge(struct machine *machine)
{
	const struct event *next = &machine->recording->next;
	const struct position at = position_of(machine);

	if (machine->recording->failed)
		return;
	machine->recording->failed = true;
	machine_finish(machine, MACHINE_ERROR,
		       "not the run that was recorded: after %" PRIu64
		       " operations, at counter %" PRIu64
		       ", where the recording goes on after %" PRIu64 ", at counter %" PRIu64,
		       at.operations, at.elapsed, next->at.operations, next->at.elapsed);
}

bool machine_replays(const struct machine *machine)
{
	return machine->recording && machine->recording->replaying;
}

/* Is the next event one that comes between turns? */
static bool comes_between(const struct machine_recording *recording)
{
	return recording && recording->replaying && !recording->failed &&
	       recording->next.site == MACHINE_SITE_TURN &&
	       recording->next.kind < MACHINE_OUTSIDE_WAITED;
}

/* An event whose place has passed needs no stop: machine_replay_due() finds it. */
uint64_t machine_replay_stop(const struct machine *machine)
{
	const struct machine_recording *recording = machine->recording;

	if (!comes_between(recording) || recording->next.at.operations <= machine->operations)
		return UINT64_MAX;
	return recording->next.at.operations;
}

bool machine_replay_due(struct machine *machine)
{
	if (machine_replays(machine) &&
	    machine->recording->next.at.operations < machine->operations)
		diverge(machine);
	return comes_between(machine->recording) && is_here(machine, MACHINE_SITE_TURN);
}

bool machine_replay_open(const struct machine *machine)
{
	return machine->recording->next.kind != MACHINE_OUTSIDE_END;
}

static void give_frame(struct machine *machine, const struct event *event)
{
	struct virtio_device *card = event->value < DEVICE_VIRTIO && machine->config.virtio
					     ? machine->config.virtio[event->value]
					     : NULL;

	if (card && virtio_net_is(card))
		(void)virtio_net_receive(card, event->bytes, event->size);
	else
		fail(machine, "a frame for a network card that there is not");
}

static void give_input(struct machine *machine, const struct event *event)
{
	struct device *device = machine_input(machine), *serial = machine->console;
	const struct device_console *ops = device->type->console;

	if (event->kind == MACHINE_OUTSIDE_BREAK)
		serial->type->console->receive_break(serial);
	else if (event->size > 0 && event->size <= ops->room(device))
		ops->receive(device, event->bytes, event->size);
	else
		fail(machine, "console input that there is no room for");
}

static void give(struct machine *machine, const struct event *event)
{
	char why[MACHINE_WHY];

	switch (event->kind) {
	case MACHINE_OUTSIDE_FRAME: give_frame(machine, event); break;
	case MACHINE_OUTSIDE_INPUT:
	case MACHINE_OUTSIDE_BREAK: give_input(machine, event); break;
	case MACHINE_OUTSIDE_STOP:
		machine_finish(machine, (enum machine_end)event->value, "%s",
			       printable(why, sizeof(why), (const char *)event->bytes));
		break;
	default: break;
	}
}

void machine_replay_poll(struct machine *machine, enum machine_site site)
{
	bool any = false;

	if (machine->recording->left)
		return;
	while (is_here(machine, site) && machine->recording->next.kind < MACHINE_OUTSIDE_WAITED) {
		give(machine, take(machine));
		any = true;
	}
	if (any)
		machine_arrivals(machine);
	if (!any && site == MACHINE_SITE_IDLE)
		diverge(machine); /* nothing will ever come */
}

uint64_t machine_replay_wait(struct machine *machine, uint64_t until)
{
	if (machine->recording->next.kind == MACHINE_OUTSIDE_WAITED &&
	    is_here(machine, MACHINE_SITE_WAIT)) {
		const uint64_t waited = take(machine)->value;

		if (waited >= machine->elapsed && waited < until)
			return waited;
		fail(machine, "a wait that ends before it begins, or later than it can");
	} else if (until >= DEVICE_NEVER - 1) {
		diverge(machine);
	}
	return machine->recording->failed ? machine->elapsed : until;
}

void machine_replay_left(struct machine *machine)
{
	machine->recording->left = true;
}

void machine_recording_end(struct machine *machine)
{
	struct machine_recording *recording = machine->recording;
	const struct position at = position_of(machine);
	const struct event *next;

	if (!recording)
		return;
	machine_recorded(machine, MACHINE_OUTSIDE_END, MACHINE_SITE_TURN, machine->end,
			 machine->why, strlen(machine->why));
	if (!recording->replaying || recording->failed || recording->left)
		return;
	next = &recording->next;
	if (next->kind == MACHINE_OUTSIDE_END && next->value == machine->end &&
	    next->at.operations == at.operations && next->at.elapsed == at.elapsed)
		return;
	machine->request = MACHINE_GO_ON; /* the end is another one */
	diverge(machine);
}

/* The text of a section, or NULL and file->why. */
static char *get_text(struct state_file *file, const char *tag)
{
	struct state_section section;

	if (state_file_get(file, tag, 0, &section) < 0)
		return NULL;
	section.bytes[section.size] = '\0'; /* state_file_next() has room for it */
	return (char *)section.bytes;
}

static void watch_frame(void *ctx, unsigned int slot, const uint8_t *frame, size_t size)
{
	struct machine *machine = ctx;

	machine_recorded(machine, MACHINE_OUTSIDE_FRAME,
			 machine->running >= 0 ? MACHINE_SITE_SENT : machine->site, slot, frame,
			 size);
}

/* A frame of the guest goes nowhere: replay its immediate answers. */
static void replay_sent(void *ctx, const uint8_t *frame, size_t size)
{
	struct machine *machine = ctx;

	(void)frame, (void)size;
	while (is_here(machine, MACHINE_SITE_SENT) &&
	       machine->recording->next.kind == MACHINE_OUTSIDE_FRAME)
		give(machine, take(machine));
}

static void plug_cards(struct machine *machine)
{
	struct machine_recording *recording = machine->recording;

	for (unsigned int slot = 0; machine->config.virtio && slot < DEVICE_VIRTIO; slot++) {
		struct virtio_device *card = machine->config.virtio[slot];

		if (!card || !virtio_net_is(card))
			continue;
		if (recording->replaying) {
			recording->before[slot] = virtio_net_link(card, &recording->link);
			recording->link = *recording->before[slot];
			recording->link.ctx = machine;
			recording->link.send = replay_sent;
		} else {
			virtio_net_watch(card, watch_frame, machine, slot);
		}
	}
}

/* The cards outlive the machine, so restore their own links. */
static void unplug_cards(struct machine *machine)
{
	const struct machine_recording *recording = machine->recording;

	for (unsigned int slot = 0; machine->config.virtio && slot < DEVICE_VIRTIO; slot++) {
		struct virtio_device *card = machine->config.virtio[slot];

		if (!card || !virtio_net_is(card))
			continue;
		if (recording->before[slot])
			(void)virtio_net_link(card, recording->before[slot]);
		else
			virtio_net_watch(card, NULL, NULL, slot);
	}
}

static struct machine_recording *begin(struct machine *machine, bool replaying)
{
	struct machine_recording *recording = calloc(1, sizeof(*recording));

	if (recording)
		recording->replaying = replaying;
	machine->recording = recording;
	return recording;
}

int machine_record(struct machine *machine, FILE *file, const char *command, char *why, size_t size)
{
	struct machine_recording *recording = begin(machine, false);
	char *text = recording ? machine_describe(machine) : NULL;
	struct state_file *to = recording ? &recording->file : NULL;
	const uint8_t realtime = machine->config.choices.realtime;

	if (!text) {
		(void)snprintf(why, size, "no memory");
		return -1;
	}
	plug_cards(machine);
	if (state_file_create(to, file, STATE_FILE_RECORDING) == 0 &&
	    state_file_put(to, "TIME", 0, &realtime, sizeof(realtime)) == 0 &&
	    state_file_put(to, "CMDL", 0, command, strlen(command)) == 0 &&
	    state_file_put(to, "SAME", 0, text, strlen(text)) == 0) {
		free(text);
		return 0;
	}
	free(text);
	(void)snprintf(why, size, "%s", to->why);
	return -1;
}

/* Whether idle time lasted. -1 and file->why. */
static int get_realtime(struct state_file *file, bool *realtime)
{
	struct state_section section;
	struct state state;
	bool lasts = false;

	if (state_file_get(file, "TIME", 0, &section) < 0)
		return -1;
	state_load(&state, WORD, section.bytes, section.size);
	STATE_FIELD(&state, lasts);
	*realtime = state_end(&state) && lasts;
	free(section.bytes);
	(void)snprintf(file->why, sizeof(file->why), "%s", state.why);
	return state.failed ? -1 : 0;
}

int machine_replay(struct machine *machine, FILE *file, char *why, size_t size)
{
	struct machine_recording *recording = begin(machine, true);
	char *ours = recording ? machine_describe(machine) : NULL, *command = NULL, *theirs = NULL;
	int result = -1;

	(void)snprintf(why, size, "no memory");
	if (!ours)
		return -1;
	plug_cards(machine);
	if (state_file_open(&recording->file, file, STATE_FILE_RECORDING, 0) == 0 &&
	    get_realtime(&recording->file, &machine->config.choices.realtime) == 0) {
		command = get_text(&recording->file, "CMDL");
		theirs = command ? get_text(&recording->file, "SAME") : NULL;
	}
	if (theirs)
		result = machine_describe_other(ours, theirs, command, why, size);
	else
		(void)snprintf(why, size, "%s", recording->file.why);
	free(ours);
	free(command);
	free(theirs);
	if (result < 0)
		return -1;
	read_next(machine);
	(void)snprintf(why, size, "%s", machine->why);
	return recording->failed ? -1 : 0;
}

void machine_recording_free(struct machine *machine)
{
	if (!machine->recording)
		return;
	unplug_cards(machine);
	free(machine->recording->next.bytes);
	free(machine->recording->taken.bytes);
	free(machine->recording);
}
