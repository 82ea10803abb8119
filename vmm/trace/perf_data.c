/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The event stream of a perf.data file, and the file's life from its temporary name to its final
 * one. docs/perf.md says which events are there and why; perf_events.c makes them.
 */
#include "trace/perf_data.h"
#include "base/assertion.h"

#include "base/output.h"
#include "trace/perf_events.h"
#include "trace/perf_format.h"
#include "trace/perf_header.h"
#include "trace/record.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * perf's "no thread". perf gives it to the records of a CPU before that CPU's first Context packet,
 * once it has seen one of another CPU.
 */
#define NO_TID UINT32_MAX

#define AUX_EVENT_SIZE 64u

#define LOST_EVENT_SIZE 56u

/* Records of one vCPU that are not in the file yet. */
struct queue {
	uint8_t *chunk; /* PERF_DATA_CHUNK bytes, from the first record on */
	size_t used;
	uint64_t offset;     /* bytes of this vCPU already in the file */
	bool gap;	     /* something was left out since the last chunk */
	bool cut;	     /* something after the last chunk is not in the file */
	uint64_t lost;	     /* records of it */
	uint64_t collisions; /* that the chunks report */
};

struct perf_data {
	struct output out;
	int error;	    /* the first one, as a negative errno */
	bool full;	    /* take no more records: an error, or the limit */
	uint64_t limit;	    /* of the file's size */
	uint64_t thread;    /* bytes of the name and the maps of a thread */
	char *partial;	    /* the file with what could be written, if that is not all */
	uint64_t at;	    /* position in the file */
	uint64_t stream_at; /* where the events begin */
	uint64_t kernel_at; /* ... and the one that has the anchor */
	uint64_t pause;	    /* ... and end, for readers until then; 0: nowhere yet */
	uint64_t chunks;    /* AUXTRACE events written */
	struct perf_data_guest guest;
	struct perf_format_event cmdline, build_ids;
	struct perf_data_map *maps;
	char *name, *anchor;
	struct perf_data_stats stats;
	uint32_t contexts[PERF_DATA_CONTEXTS];
	size_t context_count;
	bool contexts_seen;
	uint64_t *index; /* where they are in the file */
	size_t index_size;
	struct queue queues[]; /* guest.cpus */
};

static void put_bytes(struct perf_data *data, const void *bytes, size_t size)
{
	const int error = output_write(&data->out, bytes, size);

	if (!data->error)
		data->error = error;
	data->at += size;
}

static void put_event(struct perf_data *data, struct perf_format_event *event)
{
	put_bytes(data, event->bytes, perf_format_event_size(event));
}

static void put_kernel_map(struct perf_data *data)
{
	struct perf_format_event event;

	perf_events_kernel_map(&event, data->anchor, data->guest.anchor_address);
	data->kernel_at = data->at;
	put_event(data, &event);
}

int perf_data_anchor(struct perf_data *data, uint64_t address)
{
	struct perf_format_event event;
	int error;

	perf_events_kernel_map(&event, data->anchor, address);
	error = output_write_at(&data->out, data->kernel_at, event.bytes,
				perf_format_event_size(&event));
	data->error = data->error ? data->error : error;
	return data->error;
}

static void put_time_conversion(struct perf_data *data)
{
	struct perf_format_event event;

	perf_events_time_conversion(&event, data->guest.counter_hz);
	put_event(data, &event);
}

static void put_auxtrace_info(struct perf_data *data)
{
	const struct perf_data_guest *guest = &data->guest;
	size_t size;
	uint8_t *event =
		perf_header_auxtrace_info(guest->cpus, guest->midr, guest->min_interval, &size);

	if (event)
		put_bytes(data, event, size);
	else
		data->error = -ENOMEM;
	free(event);
}

/* Note where an AUXTRACE event is, for the index that lets perf find all of them first. */
static void add_index(struct perf_data *data)
{
	size_t wanted = data->index_size ? data->index_size * 2 : 64;

	if (data->chunks == data->index_size) {
		uint64_t *index = realloc(data->index, wanted * sizeof(*index));

		if (!index) {
			data->error = -ENOMEM;
			return;
		}
		data->index = index;
		data->index_size = wanted;
	}
	data->index[data->chunks++] = data->at;
}

static void put_aux(struct perf_data *data, unsigned int cpu, size_t size, uint64_t flags)
{
	struct perf_format_event event;

	perf_events_aux(&event, cpu, data->queues[cpu].offset, size, flags);
	put_event(data, &event);
}

/* Write an AUXTRACE event with the first bytes of a vCPU's chunk. */
static void put_auxtrace(struct perf_data *data, unsigned int cpu, size_t used)
{
	static const uint8_t zero[8];
	struct queue *queue = &data->queues[cpu];
	const size_t padded = (used + 7) & ~(size_t)7;
	struct perf_format_event event;

	vspe_assert_of(used && used <= queue->used && queue->used <= PERF_DATA_CHUNK, used,
		       queue->used);
	perf_format_event_begin(&event, PERF_FORMAT_AUXTRACE, 0);
	perf_format_u64(&event, padded);
	perf_format_u64(&event, queue->offset);
	perf_format_u64(&event, data->chunks); /* reference: only needs to be unique */
	perf_format_u32(&event, cpu);	       /* queue */
	perf_format_u32(&event, PERF_EVENTS_GUEST_TID);
	perf_format_u32(&event, cpu);
	perf_format_u32(&event, 0);
	add_index(data);
	put_event(data, &event);
	put_bytes(data, queue->chunk, used);
	put_bytes(data, zero, padded - used); /* padding packets */
	queue->offset += padded;
}

/* The most bytes that may have to follow one more chunk. */
static uint64_t tail_size(const struct perf_data *data)
{
	const uint64_t threads = data->context_count + data->contexts_seen;

	return threads * data->thread +
	       data->guest.cpus * (UINT64_C(2) * AUX_EVENT_SIZE + LOST_EVENT_SIZE) +
	       sizeof(((struct perf_format_event *)0)->bytes) + data->build_ids.size + 8 +
	       16 * (data->chunks + 1);
}

/* How many bytes of a vCPU's chunk still fit into the file, in complete records. */
static size_t fitting_size(const struct perf_data *data, const struct queue *queue)
{
	const uint64_t around =
		AUX_EVENT_SIZE + PERF_FORMAT_AUXTRACE_SIZE + 8 + PERF_HEADER_PAUSE_SIZE;
	const uint64_t taken = data->at + tail_size(data) + around;
	const uint64_t room = taken < data->limit ? data->limit - taken : 0;
	struct spe_record record;
	size_t at = 0, length;

	if (queue->used <= room)
		return queue->used;
	for (; at < queue->used; at += length) {
		length = spe_record_read(queue->chunk + at, queue->used - at, &record);
		vspe_assert_of(length && length <= queue->used - at, length, queue->used - at);
		if (at + length > room)
			break;
	}
	return at;
}

/* The file has no room for these bytes, nor for any that follow them. */
static void drop_bytes(struct perf_data *data, unsigned int cpu, const uint8_t *bytes, size_t size)
{
	struct spe_record record;

	data->full = true;
	data->queues[cpu].cut = data->queues[cpu].cut || size;
	data->stats.lost_bytes += size;
	for (size_t at = 0; at < size; at += record.padding + record.size) {
		(void)spe_record_read(bytes + at, size - at, &record);
		data->stats.lost += record_is_complete(&record);
		data->queues[cpu].lost += record_is_complete(&record);
	}
}

static struct perf_header_machine machine_of(const struct perf_data *data)
{
	return (struct perf_header_machine){
		.cpus = data->guest.cpus, .midr = data->guest.midr, .memory = data->guest.memory};
}

/* Move the end of the stream in the header. The old end becomes part of the stream. */
static void move_end(struct perf_data *data, uint64_t end, enum perf_header_features features)
{
	struct perf_format_event out = {0};
	int error = 0;

	if (data->pause) {
		perf_header_pause_over(&out);
		error = output_write_at(&data->out, data->pause, out.bytes, out.size);
	}
	out.size = 0;
	perf_header_begin(&out, end - data->stream_at, features);
	if (!error)
		error = output_write_at(&data->out, 0, out.bytes, PERF_FORMAT_HEADER_SIZE);
	data->pause = end;
	data->error = error;
}

/* Let the file end here for now, for readers until more follows. */
static void put_pause(struct perf_data *data)
{
	const struct perf_header_machine machine = machine_of(data);
	const uint64_t end = data->at;
	struct perf_format_event out;

	perf_header_pause(&out, end, &machine);
	put_bytes(data, out.bytes, out.size);
	if (!data->error)
		move_end(data, end, PERF_HEADER_PAUSE);
}

/*
 * Write an AUX event, and after it the AUXTRACE event with the first bytes of a vCPU's chunk. If
 * that fails, neither is in the file, and the file cannot grow any more.
 */
static bool put_chunk(struct perf_data *data, unsigned int cpu, size_t used, uint64_t flags)
{
	struct queue *queue = &data->queues[cpu];
	const uint64_t start = data->at, offset = queue->offset, chunks = data->chunks;
	uint64_t room;

	put_aux(data, cpu, (used + 7) & ~(size_t)7, flags);
	if (used)
		put_auxtrace(data, cpu, used);
	put_pause(data);
	if (!data->error)
		return true;
	room = output_size(&data->out);
	if (room < data->limit)
		data->limit = room > start ? room : start;
	(void)output_cut(&data->out, start);
	data->at = start;
	data->chunks = chunks;
	queue->offset = offset;
	return false;
}

static uint64_t count_collisions(const struct perf_data *data, unsigned int cpu)
{
	return data->guest.collisions ? data->guest.collisions(data->guest.ctx, cpu) : 0;
}

/* Write the chunk of a vCPU; to a full disk, as much of it as there is room for. */
static void flush_cpu(struct perf_data *data, unsigned int cpu)
{
	struct queue *queue = &data->queues[cpu];
	const uint64_t collisions = count_collisions(data, cpu);
	const uint64_t flags = (queue->gap ? PERF_FORMAT_AUX_PARTIAL : 0) |
			       (collisions != queue->collisions ? PERF_FORMAT_AUX_COLLISION : 0);
	size_t used = data->error ? 0 : fitting_size(data, queue);

	if (!data->error && (used || (flags && !queue->used)) &&
	    !put_chunk(data, cpu, used, flags)) {
		const int error = data->error;

		data->error = 0;
		used = fitting_size(data, queue);
		if (used && !put_chunk(data, cpu, used, flags))
			used = 0;
		data->error = error;
	}
	if (used < queue->used)
		drop_bytes(data, cpu, queue->chunk + used, queue->used - used);
	queue->collisions = collisions;
	queue->gap = false;
	queue->used = 0;
}

/* perf takes a Context packet of either index as the thread id. */
static void note_context(struct perf_data *data, uint32_t context)
{
	data->contexts_seen = true;
	if (context == PERF_EVENTS_GUEST_TID || context == NO_TID)
		return;
	for (size_t i = data->context_count; i-- > 0;) { /* the latest is the likeliest */
		if (data->contexts[i] == context)
			return;
	}
	if (data->context_count == PERF_DATA_CONTEXTS)
		data->stats.contexts_lost++;
	else
		data->contexts[data->context_count++] = context;
}

static void note_record(struct perf_data *data, const struct spe_record *record)
{
	if (record->has & SPE_HAS_CONTEXTIDR_EL1)
		note_context(data, record->contextidr_el1);
	if (record->has & SPE_HAS_CONTEXTIDR_EL2)
		note_context(data, record->contextidr_el2);
}

/* Add bytes to a vCPU's chunk. whole: do not split them between two chunks. */
static void gather_records(struct perf_data *data, unsigned int cpu, const uint8_t *bytes,
			   size_t size, bool whole)
{
	struct queue *queue = &data->queues[cpu];
	size_t part;

	if (whole && size > PERF_DATA_CHUNK - queue->used)
		flush_cpu(data, cpu);
	while (size) {
		if (queue->used == PERF_DATA_CHUNK)
			flush_cpu(data, cpu);
		if (data->full) {
			drop_bytes(data, cpu, bytes, size);
			return;
		}
		part = PERF_DATA_CHUNK - queue->used;
		if (part > size)
			part = size;
		memcpy(queue->chunk + queue->used, bytes, part);
		queue->used += part;
		bytes += part;
		size -= part;
	}
}

/* Take size bytes of a vCPU, which end with a record of record->size bytes. */
static void take_record(struct perf_data *data, unsigned int cpu, const uint8_t *bytes,
			const struct spe_record *record)
{
	data->stats.bytes += record->padding;
	gather_records(data, cpu, bytes, record->padding, false);
	if (record_is_complete(record)) {
		data->stats.bytes += record->size;
		data->stats.records++;
		if (!data->full)
			note_record(data, record);
		gather_records(data, cpu, bytes + record->padding, record->size, true);
	} else if (record->size) {
		/* Leave it out: perf would read the next record as the rest of this one. */
		data->stats.unfinished++;
		data->queues[cpu].gap = true;
	}
}

int perf_data_aux(struct perf_data *data, unsigned int cpu, const uint8_t *bytes, size_t size)
{
	struct spe_record record;
	struct queue *queue;
	size_t length;

	if (cpu >= data->guest.cpus)
		return -EINVAL;
	queue = &data->queues[cpu];
	if (!queue->chunk && !data->full) {
		queue->chunk = malloc(PERF_DATA_CHUNK);
		if (!queue->chunk) {
			data->error = data->error ? data->error : -ENOMEM;
			data->full = true;
		}
	}
	for (; size; bytes += length, size -= length) {
		length = spe_record_read(bytes, size, &record);
		take_record(data, cpu, bytes, &record);
	}
	return data->error;
}

void perf_data_stats(const struct perf_data *data, struct perf_data_stats *stats)
{
	*stats = data->stats;
}

/* The index is the last feature section because only its size has no bound. */
static void put_features(struct perf_data *data)
{
	const struct perf_header_machine machine = machine_of(data);
	struct perf_format_event out;

	perf_header_features(&out, data->at, &machine, &data->cmdline, data->build_ids.size,
			     8 + 16 * data->chunks);
	put_bytes(data, out.bytes, out.size);
	put_bytes(data, data->build_ids.bytes, data->build_ids.size);
	out.size = 0;
	perf_format_u64(&out, data->chunks);
	put_bytes(data, out.bytes, out.size);
	for (uint64_t i = 0; i < data->chunks; i++) {
		out.size = 0;
		perf_format_u64(&out, data->index[i]);
		perf_format_u64(&out, PERF_FORMAT_AUXTRACE_SIZE); /* without its data */
		put_bytes(data, out.bytes, out.size);
	}
}

void perf_data_free(struct perf_data *data)
{
	if (!data)
		return;
	output_abandon(&data->out);
	for (unsigned int i = 0; i < data->guest.cpus; i++)
		free(data->queues[i].chunk);
	free(data->index);
	free(data->maps);
	free(data->name);
	free(data->anchor);
	free(data->partial);
	free(data);
}

static int copy_guest(struct perf_data *data, const struct perf_data_guest *guest)
{
	data->guest = *guest;
	data->name = strdup(guest->name);
	data->anchor = guest->anchor ? strdup(guest->anchor) : NULL;
	data->maps = calloc(guest->map_count + 1, sizeof(*data->maps));
	if (!data->name || !data->maps || (guest->anchor && !data->anchor))
		return -ENOMEM;
	if (guest->map_count)
		memcpy(data->maps, guest->maps, guest->map_count * sizeof(*data->maps));
	data->guest.name = data->name;
	data->guest.anchor = data->anchor;
	data->guest.maps = data->maps;
	perf_header_cmdline(&data->cmdline, guest->words, guest->word_count);
	perf_header_build_ids(&data->build_ids, guest->build_id, guest->build_id_size,
			      guest->map_count ? data->name : NULL);
	data->guest.words = NULL;
	data->guest.word_count = 0;
	return 0;
}

/* A thread's name, and where it executes from. */
static void put_thread(struct perf_data *data, uint32_t tid)
{
	struct perf_format_event event;

	perf_events_comm(&event, tid, data->name);
	put_event(data, &event);
	for (size_t i = 0; i < data->guest.map_count; i++) {
		perf_events_user_map(&event, tid, data->name, &data->maps[i]);
		put_event(data, &event);
	}
}

/* Write what comes before the first record. */
static void put_start(struct perf_data *data)
{
	struct perf_format_event header;

	header.size = 0;
	perf_header_begin(&header, 0, PERF_HEADER_FEATURES); /* room for it */
	put_bytes(data, header.bytes, header.size);
	data->stream_at = data->at;
	put_time_conversion(data);
	put_auxtrace_info(data);
	put_kernel_map(data);
	data->thread = data->at;
	put_thread(data, PERF_EVENTS_GUEST_TID);
	data->thread = data->at - data->thread;
	put_pause(data);
}

int perf_data_open(struct perf_data **handle, const char *path, const struct perf_data_guest *guest)
{
	struct perf_data *data;
	int error;

	*handle = NULL;
	if (!guest->cpus || guest->cpus > INT16_MAX || !guest->counter_hz || !guest->name)
		return -EINVAL;
	if (strlen(guest->name) > PERF_EVENTS_NAME_LIMIT ||
	    (guest->anchor && strlen(guest->anchor) > PERF_EVENTS_NAME_LIMIT - 32))
		return -ENAMETOOLONG;
	data = calloc(1, sizeof(*data) + guest->cpus * sizeof(*data->queues));
	if (!data)
		return -ENOMEM;
	data->limit = UINT64_MAX;
	error = copy_guest(data, guest);
	if (!error)
		error = output_open(&data->out, path, OUTPUT_FILE);
	if (!error) {
		put_start(data);
		error = data->error;
	}
	if (error)
		perf_data_free(data);
	else
		*handle = data;
	return error;
}

void perf_data_limit(struct perf_data *data, uint64_t bytes)
{
	data->limit = bytes;
}

static void put_lost(struct perf_data *data, unsigned int cpu)
{
	struct perf_format_event event;

	perf_events_lost(&event, cpu, data->queues[cpu].lost);
	put_event(data, &event);
}

/* perf decodes the AUX data after all events, so names may come last. */
static void put_end(struct perf_data *data)
{
	for (unsigned int cpu = 0; cpu < data->guest.cpus; cpu++) {
		if (data->queues[cpu].cut)
			put_aux(data, cpu, 0, PERF_FORMAT_AUX_TRUNCATED);
		if (data->queues[cpu].lost)
			put_lost(data, cpu);
	}
	if (data->contexts_seen)
		put_thread(data, NO_TID);
	for (size_t i = 0; i < data->context_count; i++)
		put_thread(data, data->contexts[i]);
}

/*
 * Write what follows the last chunk, and the features. Without room for them, the file stays as it
 * was after that chunk.
 */
static void complete_file(struct perf_data *data)
{
	const uint64_t whole = data->at;
	const int error = data->error;
	uint64_t end;

	data->error = 0; /* to separate new errors from old ones */
	put_end(data);
	end = data->at;
	put_features(data);
	if (data->error)
		(void)output_cut(&data->out, whole);
	else
		move_end(data, end,
			 data->build_ids.size ? PERF_HEADER_BUILD_IDS : PERF_HEADER_FEATURES);
	if (error)
		data->error = error;
}

int perf_data_close(struct perf_data *data)
{
	if (!data || !data->out.file)
		return data ? data->error : 0;
	for (unsigned int cpu = 0; cpu < data->guest.cpus; cpu++)
		if (data->queues[cpu].used || data->queues[cpu].gap ||
		    data->queues[cpu].collisions != count_collisions(data, cpu))
			flush_cpu(data, cpu);
	complete_file(data);
	if (!data->error)
		data->error = output_commit(&data->out, true);
	if (data->error && data->chunks)
		data->partial = output_keep(&data->out);
	else
		output_abandon(&data->out);
	return data->error;
}

const char *perf_data_partial(const struct perf_data *data)
{
	return data->partial;
}
