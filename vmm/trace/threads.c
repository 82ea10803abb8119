/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who ran, and what was where: see threads.h. threads_event() appends each event to a list.
 * threads_ready() sorts them by time, and goes through them once, as the kernel did, to make
 * address spaces. A process has one space between two execve(), and a forked one begins with its
 * parent's.
 */
#define _GNU_SOURCE /* qsort_r */
#include "trace/threads.h"

#include "base/memory.h"
#include "trace/perf_format.h"
#include "trace/report_map.h"
#include "trace/threads_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct threads *threads_new(void)
{
	return memory_need(calloc(1, sizeof(struct threads)));
}

void threads_free(struct threads *threads)
{
	if (!threads)
		return;
	free(threads->told.at);
	free(threads->maps.at);
	free(threads->kernel.at);
	free(threads->spaces.at);
	free(threads->lives.at);
	free(threads->ran.at);
	free(threads->dsos.at);
	free(threads->jits.at);
	names_free(&threads->names);
	free(threads->by_pid);
	free(threads);
}

/* Append an element of size bytes. If there are too many, counts it and returns NULL. */
static void *append(struct threads *threads, struct list *list, const void *one, size_t size)
{
	uint8_t *at;

	if (list->count == THREADS_MOST) {
		threads->dropped++;
		return NULL;
	}
	if (list->count == list->room) {
		list->room = list->room ? 2 * list->room : 64;
		list->at = memory_need(realloc(list->at, list->room * size));
	}
	at = (uint8_t *)list->at + size * list->count++;
	memcpy(at, one, size);
	return at;
}

/* --- Events */

static uint32_t intern(struct threads *threads, const uint8_t *bytes, size_t most)
{
	const uint32_t name = names_number(&threads->names, (const char *)bytes, most);

	threads->dropped += name == NONE;
	return name;
}

static void tell(struct threads *threads, const struct input_event *event, struct told told)
{
	told.time = event->trailer.timed ? event->trailer.time : 0;
	told.order = threads->order++;
	(void)append(threads, &threads->told, &told, sizeof(told));
}

static int32_t word(const struct input_event *event, size_t at)
{
	return (int32_t)perf_format_get_u32(event->body + at);
}

static void take_comm(struct threads *threads, const struct input_event *event)
{
	const uint32_t name = intern(threads, event->body + 8, event->size - 8);

	if (name != NONE)
		tell(threads, event,
		     (struct told){.what = COMM,
				   .exec = event->misc & PERF_FORMAT_MISC_COMM_EXEC,
				   .pid = word(event, 0),
				   .tid = word(event, 4),
				   .text = name});
}

/* pid, ppid, tid, ptid. */
static void take_fork(struct threads *threads, const struct input_event *event)
{
	threads->started = true;
	tell(threads, event,
	     (struct told){.what = FORK,
			   .inherits = !(event->misc & PERF_FORMAT_MISC_FORK_EXEC),
			   .pid = word(event, 0),
			   .parent = word(event, 4),
			   .tid = word(event, 8),
			   .parent_tid = word(event, 12)});
}

static bool is_same(const struct dso *one, const struct dso *other)
{
	return one->path == other->path && one->kernel == other->kernel && one->jit == other->jit &&
	       (!one->build_id_size || !other->build_id_size ||
		(one->build_id_size == other->build_id_size &&
		 memcmp(one->build_id, other->build_id, one->build_id_size) == 0));
}

/* The number of a dso: the one with its path and no other build id. */
static uint32_t dso_of(struct threads *threads, struct dso wanted)
{
	struct dso *dsos = threads->dsos.at;
	const uint32_t number = (uint32_t)threads->dsos.count;

	for (uint32_t i = 0; i < number; i++) {
		if (!is_same(&dsos[i], &wanted))
			continue;
		if (wanted.build_id_size) {
			memcpy(dsos[i].build_id, wanted.build_id, wanted.build_id_size);
			dsos[i].build_id_size = wanted.build_id_size;
		}
		return i;
	}
	if (number == THREADS_DSOS || (wanted.jit && threads->jits.count == THREADS_JITS)) {
		threads->dropped++;
		return NONE;
	}
	wanted.jit_number = (uint32_t)threads->jits.count;
	if (wanted.jit)
		(void)append(threads, &threads->jits, &number, sizeof(number));
	return append(threads, &threads->dsos, &wanted, sizeof(wanted)) ? number : NONE;
}

/*
 * Memory without a file, in which a process makes code as it runs: the names that perf takes for
 * that (tools/perf/util/map.c), and those of Linux 5.17 and of memfd_create(2), which maps it
 * twice.
 */
static bool is_anonymous(const char *path)
{
	static const char *const begins[] = {"//anon", "/dev/zero", "/anon_hugepage", "[stack",
					     "/SYSV",  "[heap]",    "[anon:",	      "/memfd:"};

	for (unsigned int i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (strncmp(path, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

/* Code that a process has mapped there is in no file: it gets perf's name. */
static void take_jit(struct threads *threads, int32_t pid, struct dso *dso, struct map *map)
{
	char name[32];

	if (pid <= 0 || !is_anonymous(names_get(&threads->names, dso->path)))
		return;
	(void)snprintf(name, sizeof(name), "[JIT] tid %d", pid);
	*dso = (struct dso){.path = intern(threads, (const uint8_t *)name, sizeof(name)),
			    .jit = pid};
	map->offset = map->start;
}

/* The length of the name in a path: "[kernel.kallsyms]_text" also has the symbol that placed it. */
static size_t kernel_name(const uint8_t *path, size_t size)
{
	const uint8_t *end = *path == '[' ? memchr(path, ']', size) : NULL;

	return end ? (size_t)(end - path) + 1 : size;
}

/*
 * "[kernel.kallsyms]_text": the offset of that map is the address of the symbol, which differs in
 * each boot of a kernel that moves at its start.
 */
static void take_anchor(struct threads *threads, const uint8_t *path, size_t size, uint64_t offset)
{
	const size_t name = kernel_name(path, size);

	if (*path != '[' || name >= size || !path[name] || threads->anchor)
		return;
	threads->anchor = intern(threads, path + name, size - name) + 1;
	threads->anchor_address = offset;
}

/* pid, tid, address, length, offset; in MMAP2 then the file, PROT_ bits and flags; the path. */
static void take_map(struct threads *threads, const struct input_event *event)
{
	const bool two = event->type == PERF_FORMAT_MMAP2;
	const size_t path_at = two ? 64 : 32;
	const bool identified = two && event->misc & PERF_FORMAT_MISC_BUILD_ID;
	const bool kernel = word(event, 0) == -1 ||
			    (event->misc & PERF_FORMAT_MISC_CPU) == PERF_FORMAT_MISC_KERNEL;
	/* perf makes the kernel's own maps, and since it has MMAP2 they have no bits at all. */
	const bool code =
		two ? kernel || word(event, 56) & 4 : !(event->misc & PERF_FORMAT_MISC_MMAP_DATA);
	const uint8_t id_size = identified ? event->body[32] : 0;
	const uint64_t start = perf_format_get_u64(event->body + 8),
		       length = perf_format_get_u64(event->body + 16);
	struct map map = {.start = start,
			  .end = start + length,
			  .offset = perf_format_get_u64(event->body + 24),
			  .before = NONE};
	struct dso dso = {.kernel = kernel, .build_id_size = id_size};

	if (!code || !length || length > UINT64_MAX - start || id_size > 20)
		return;
	memcpy(dso.build_id, event->body + 36, id_size);
	dso.path = intern(threads, event->body + path_at,
			  kernel ? kernel_name(event->body + path_at, event->size - path_at)
				 : event->size - path_at);
	/* Its pages are in no file, whatever the event has for the offset. */
	if (dso.path != NONE && strcmp(names_get(&threads->names, dso.path), "[vdso]") == 0)
		map.offset = 0;
	if (dso.path != NONE && !kernel)
		take_jit(threads, word(event, 0), &dso, &map);
	if (dso.path == NONE)
		return;
	if (kernel)
		take_anchor(threads, event->body + path_at, event->size - path_at, map.offset);
	map.dso = dso_of(threads, dso);
	map.time = event->trailer.timed ? event->trailer.time : 0;
	if (map.dso == NONE ||
	    !append(threads, kernel ? &threads->kernel : &threads->maps, &map, sizeof(map)))
		return;
	if (!kernel)
		tell(threads, event,
		     (struct told){.what = MAP,
				   .pid = word(event, 0),
				   .tid = word(event, 4),
				   .text = (uint32_t)threads->maps.count - 1});
}

/*
 * Note who runs on a CPU from now on. A switch to nobody, which is how a profile of threads reports
 * a switch out, is of no use: no record follows.
 */
static void take_ran(struct threads *threads, const struct input_event *event, int32_t tid)
{
	const struct ran ran = {.cpu = event->trailer.cpu,
				.tid = tid,
				.time = event->trailer.timed ? event->trailer.time : 0,
				.order = threads->order++};

	threads->started = true;
	if (ran.cpu >= 0 && ran.tid >= 0)
		(void)append(threads, &threads->ran, &ran, sizeof(ran));
}

/* pid, the id and its size, the path: the id of a file that is or will be mapped. */
static void take_build_id(struct threads *threads, const struct input_event *event)
{
	const uint8_t size = event->misc & PERF_FORMAT_MISC_BUILD_ID_SIZE ? event->body[24] : 20;
	struct dso dso = {
		.path = intern(threads, event->body + 28, event->size - 28),
		.kernel = (event->misc & PERF_FORMAT_MISC_CPU) == PERF_FORMAT_MISC_KERNEL,
		.build_id_size = size,
	};

	if (dso.path == NONE || size > 20)
		return;
	memcpy(dso.build_id, event->body + 4, size);
	(void)dso_of(threads, dso);
}

void threads_event(struct threads *threads, const struct input_event *event)
{
	const bool out = event->misc & PERF_FORMAT_MISC_SWITCH_OUT;

	switch (event->type) {
	case PERF_FORMAT_COMM: take_comm(threads, event); break;
	case PERF_FORMAT_FORK: take_fork(threads, event); break;
	case PERF_FORMAT_MMAP:
	case PERF_FORMAT_MMAP2: take_map(threads, event); break;
	case PERF_FORMAT_ITRACE_START: take_ran(threads, event, word(event, 4)); break;
	case PERF_FORMAT_SWITCH: take_ran(threads, event, out ? -1 : event->trailer.tid); break;
	case PERF_FORMAT_SWITCH_CPU_WIDE: /* out: the thread named is the next one */
		take_ran(threads, event, out ? word(event, 4) : event->trailer.tid);
		break;
	case PERF_FORMAT_BUILD_ID: take_build_id(threads, event); break;
	case PERF_FORMAT_TIME_CONV:
		perf_clock_read(&threads->clock, event->body, event->size);
		break;
	default: break;
	}
}

/* --- In order */

static int by_time(const void *one, const void *other)
{
	const struct told *a = one, *b = other;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static int by_cpu(const void *one, const void *other)
{
	const struct ran *a = one, *b = other;

	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static int by_tid(const void *one, const void *other)
{
	const struct life *a = one, *b = other;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static void sort(struct list *list, size_t size, int (*compare)(const void *, const void *))
{
	if (list->count)
		qsort(list->at, list->count, size, compare);
}

struct replay {
	struct threads *threads;
	struct report_map spaces, lives; /* by pid, by tid: the current one's number plus 1 */
};

static uint32_t now(struct report_map *map, int32_t id)
{
	const uint32_t *value = report_map_at(map, (uint32_t)id, 0);

	return value && *value ? *value - 1 : NONE;
}

static void set_now(struct report_map *map, int32_t id, size_t number)
{
	uint32_t *value = report_map_at(map, (uint32_t)id, 0);

	if (value)
		*value = (uint32_t)number + 1;
}

static void new_space(struct replay *replay, const struct told *told, uint32_t parent)
{
	struct threads *threads = replay->threads;
	const struct space space = {.pid = told->pid,
				    .from = told->time,
				    .forked = told->time,
				    .parent = parent,
				    .last = NONE};

	if (append(threads, &threads->spaces, &space, sizeof(space)))
		set_now(&replay->spaces, told->pid, threads->spaces.count - 1);
}

static void begin_life(struct replay *replay, const struct told *told, uint32_t name)
{
	struct threads *threads = replay->threads;
	const struct life life = {told->tid, told->pid, told->time, told->order, name};

	if (name != NONE && append(threads, &threads->lives, &life, sizeof(life)))
		set_now(&replay->lives, told->tid, threads->lives.count - 1);
}

static uint32_t name_of(struct replay *replay, int32_t tid)
{
	const uint32_t life = now(&replay->lives, tid);

	return life == NONE ? intern(replay->threads, (const uint8_t *)"", 1)
			    : ((struct life *)replay->threads->lives.at)[life].name;
}

static void replay_map(struct replay *replay, const struct told *told)
{
	struct map *map = (struct map *)replay->threads->maps.at + told->text;
	struct space *space;

	if (now(&replay->spaces, told->pid) == NONE)
		new_space(replay, told, NONE);
	if (now(&replay->spaces, told->pid) == NONE)
		return;
	space = (struct space *)replay->threads->spaces.at + now(&replay->spaces, told->pid);
	map->before = space->last;
	space->last = told->text;
}

static void replay_one(struct replay *replay, const struct told *told)
{
	switch (told->what) {
	case COMM:
		begin_life(replay, told, told->text);
		if (told->exec)
			new_space(replay, told, NONE);
		break;
	case FORK:
		if (told->pid != told->parent)
			new_space(replay, told,
				  told->inherits ? now(&replay->spaces, told->parent) : NONE);
		begin_life(replay, told, name_of(replay, told->parent_tid));
		break;
	case MAP: replay_map(replay, told); break;
	default: break;
	}
}

static int by_pid(const void *one, const void *other, void *spaces)
{
	const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
	const struct space *x = (const struct space *)spaces + a,
			   *y = (const struct space *)spaces + b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return a < b ? -1 : 1; /* keep the order in which they came */
}

void threads_ready(struct threads *threads)
{
	struct replay replay = {.threads = threads};
	const struct told *told;

	report_map_init(&replay.spaces, sizeof(uint32_t), THREADS_MOST);
	report_map_init(&replay.lives, sizeof(uint32_t), THREADS_MOST);
	sort(&threads->told, sizeof(*told), by_time);
	sort(&threads->ran, sizeof(struct ran), by_cpu);
	/* The idle thread of each CPU, which no event names. */
	begin_life(&replay, &(struct told){.what = COMM},
		   intern(threads, (const uint8_t *)"swapper", 7));
	told = threads->told.at;
	for (size_t i = 0; i < threads->told.count; i++)
		replay_one(&replay, &told[i]);
	report_map_free(&replay.spaces);
	report_map_free(&replay.lives);
	sort(&threads->lives, sizeof(struct life), by_tid);
	threads->by_pid = memory_need(calloc(threads->spaces.count + 1, sizeof(*threads->by_pid)));
	for (size_t i = 0; i < threads->spaces.count; i++)
		threads->by_pid[i] = (uint32_t)i;
	if (threads->spaces.count)
		qsort_r(threads->by_pid, threads->spaces.count, sizeof(*threads->by_pid), by_pid,
			threads->spaces.at);
}
