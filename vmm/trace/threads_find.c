/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whose a sample is, and what was where at its time: see threads.h. Each list is sorted, so a
 * binary search finds the last one that is not later. The maps of a space are searched from the
 * newest on, as a later one hides what it overlaps.
 */
#include "trace/threads_parts.h"

#include <stdio.h>
#include <string.h>

#define FORKS	  64u	/* generations of spaces that are searched */
#define LOOKED_AT 4096u /* maps of a space, from the newest on */

bool threads_any(const struct threads *threads)
{
	return threads->told.count && threads->started;
}

uint64_t threads_dropped(const struct threads *threads)
{
	return threads->dropped;
}

const char *threads_anchor(const struct threads *threads, uint64_t *address)
{
	*address = threads->anchor_address;
	return threads->anchor ? names_get(&threads->names, threads->anchor - 1) : NULL;
}

uint32_t threads_dsos(const struct threads *threads)
{
	return (uint32_t)threads->dsos.count;
}

struct threads_dso threads_dso(const struct threads *threads, uint32_t number)
{
	const struct dso *dso = (const struct dso *)threads->dsos.at + number;
	struct threads_dso answer = {.path = names_get(&threads->names, dso->path),
				     .build_id_size = dso->build_id_size,
				     .kernel = dso->kernel,
				     .jit = dso->jit,
				     .jit_number = dso->jit_number};

	memcpy(answer.build_id, dso->build_id, sizeof(answer.build_id));
	return answer;
}

bool threads_jit(const struct threads *threads, uint32_t jit_number, uint32_t *number)
{
	if (jit_number >= threads->jits.count)
		return false;
	*number = ((const uint32_t *)threads->jits.at)[jit_number];
	return true;
}

bool threads_kernel_map(const struct threads *threads, uint32_t number, uint64_t *start)
{
	const struct map *maps = threads->kernel.at;

	for (size_t i = 0; i < threads->kernel.count; i++) {
		if (maps[i].dso != number)
			continue;
		*start = maps[i].start;
		return true;
	}
	return false;
}

const char *threads_build_id(const struct threads_dso *dso, char text[THREADS_BUILD_ID_TEXT])
{
	text[0] = '\0';
	for (unsigned int i = 0; i < dso->build_id_size; i++)
		(void)snprintf(text + 2 * i, 3, "%02x", dso->build_id[i]);
	return text;
}

const char *threads_name(const struct threads *threads, uint32_t number)
{
	return names_get(&threads->names, number);
}

struct threads_life threads_life(const struct threads *threads, uint32_t number)
{
	const struct life *life = (const struct life *)threads->lives.at + number;

	return (struct threads_life){life->pid, life->tid, life->name,
				     names_get(&threads->names, life->name)};
}

struct perf_clock threads_clock(const struct threads *threads)
{
	return threads->clock;
}

bool threads_time(const struct threads *threads, uint64_t timestamp, uint64_t *time)
{
	return perf_clock_time(&threads->clock, timestamp, time);
}

/* The id and time of an element, in a list that is sorted by both. */
struct moment {
	int32_t id;
	uint64_t time;
};
typedef struct moment moment_of(const struct threads *threads, size_t number);

/*
 * The first of count elements that is later than id at time. The one before it, if it has that id,
 * is the last that is not later.
 */
static size_t first_after(const struct threads *threads, size_t count, moment_of *of, int32_t id,
			  uint64_t time)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct moment moment = of(threads, middle);

		if (moment.id < id || (moment.id == id && moment.time <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct moment moment_of_ran(const struct threads *threads, size_t number)
{
	const struct ran *ran = (const struct ran *)threads->ran.at + number;

	return (struct moment){ran->cpu, ran->time};
}

static struct moment moment_of_life(const struct threads *threads, size_t number)
{
	const struct life *life = (const struct life *)threads->lives.at + number;

	return (struct moment){life->tid, life->from};
}

static const struct space *space_at(const struct threads *threads, size_t number)
{
	return (const struct space *)threads->spaces.at + threads->by_pid[number];
}

static struct moment moment_of_space(const struct threads *threads, size_t number)
{
	const struct space *space = space_at(threads, number);

	return (struct moment){space->pid, space->from};
}

/* The last thread of a CPU by then. -1: not known. */
static int32_t running(const struct threads *threads, int32_t cpu, uint64_t time)
{
	const struct ran *ran = threads->ran.at;
	const size_t after = first_after(threads, threads->ran.count, moment_of_ran, cpu, time);

	return after && ran[after - 1].cpu == cpu ? ran[after - 1].tid : -1;
}

/* The life of a thread at that time, or its first one if that is not known. */
static uint32_t life_of(const struct threads *threads, int32_t tid, uint64_t time)
{
	const struct life *lives = threads->lives.at;
	const size_t count = threads->lives.count;
	const size_t after = first_after(threads, count, moment_of_life, tid, time);

	if (after && lives[after - 1].tid == tid)
		return (uint32_t)after - 1;
	return after < count && lives[after].tid == tid ? (uint32_t)after : THREADS_UNKNOWN;
}

struct threads_who threads_who(struct threads *threads, struct input_origin origin,
			       const struct sample *sample)
{
	const unsigned int contexts = sample->has / SAMPLE_HAS_CONTEXT & 3;
	struct threads_who who = {THREADS_UNKNOWN, UINT64_MAX};
	int32_t tid = origin.tid;

	if (!(sample->has & SAMPLE_HAS_TIME) || !threads_time(threads, sample->time, &who.time))
		who.time = UINT64_MAX;
	/* With CONFIG_PID_IN_CONTEXTIDR, the only way in which Linux records them. */
	if (tid < 0 && contexts)
		tid = (int32_t)sample->context[contexts & 1 ? 0 : 1];
	if (tid < 0 && origin.cpu >= 0 && who.time != UINT64_MAX)
		tid = running(threads, origin.cpu, who.time);
	if (tid >= 0)
		who.life = life_of(threads, tid, who.time);
	return who;
}

/* The space of a process at a time. NULL: it has none. */
static const struct space *space_of(const struct threads *threads, int32_t pid, uint64_t time)
{
	const size_t after =
		first_after(threads, threads->spaces.count, moment_of_space, pid, time);

	return after && space_at(threads, after - 1)->pid == pid ? space_at(threads, after - 1)
								 : NULL;
}

static bool has(const struct map *map, uint64_t address, uint64_t time)
{
	return map->time <= time && address >= map->start && address < map->end;
}

/* A walk through the maps of a process at a time, from the newest on: which map, of which space. */
struct walk {
	const struct threads *threads;
	const struct space *space;
	uint64_t time;
	uint32_t map; /* the next one, or NONE */
	unsigned int forks, left;
};

static struct walk walk_of(const struct threads *threads, struct threads_who who)
{
	struct walk walk = {.threads = threads, .time = who.time, .map = NONE, .left = LOOKED_AT};

	if (who.life != THREADS_UNKNOWN)
		walk.space = space_of(threads, threads_life(threads, who.life).pid, who.time);
	if (walk.space)
		walk.map = walk.space->last;
	return walk;
}

/* The next map that existed by then, or NULL. */
static const struct map *walk_on(struct walk *walk)
{
	const struct map *maps = walk->threads->maps.at;

	while (walk->space && walk->left) {
		if (walk->map == NONE) {
			if (walk->space->parent == NONE || ++walk->forks == FORKS)
				return NULL;
			walk->time = walk->space->forked;
			walk->space = (const struct space *)walk->threads->spaces.at +
				      walk->space->parent;
			walk->map = walk->space->last;
			continue;
		}
		const struct map *map = &maps[walk->map];

		walk->map = map->before;
		walk->left--;
		if (map->time <= walk->time)
			return map;
	}
	return NULL;
}

static const struct map *find_user(const struct threads *threads, struct threads_who who,
				   uint64_t address)
{
	struct walk walk = walk_of(threads, who);
	const struct map *map;

	while ((map = walk_on(&walk)))
		if (has(map, address, walk.time))
			return map;
	return NULL;
}

void threads_each_near(struct threads *threads, struct threads_who who, uint64_t address,
		       bool (*take)(void *ctx, const struct threads_near *near), void *ctx)
{
	struct walk walk = walk_of(threads, who);
	const struct map *map;

	while (!(address >> 63) && (map = walk_on(&walk))) {
		const struct threads_near near = {map->dso, map->start, map->offset};

		if (map->start <= address && !take(ctx, &near))
			return;
	}
}

/* The kernel's own map reaches over its modules, so the one that begins last has the address. */
static const struct map *find_kernel(const struct threads *threads, uint64_t address)
{
	const struct map *maps = threads->kernel.at, *best = NULL;

	for (size_t i = 0; i < threads->kernel.count; i++)
		if (has(&maps[i], address, UINT64_MAX) && (!best || maps[i].start >= best->start))
			best = &maps[i];
	return best;
}

bool threads_find(struct threads *threads, struct threads_who who, uint64_t address, uint32_t *dso,
		  uint64_t *offset)
{
	const struct map *map = NULL;

	if (address >> 63)
		map = find_kernel(threads, address);
	else
		map = find_user(threads, who, address);
	if (!map)
		return false;
	*dso = map->dso;
	*offset = address - map->start + map->offset;
	return true;
}
