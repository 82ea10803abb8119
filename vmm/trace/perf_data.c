// SPDX-License-Identifier: BSD-2-Clause
/*
 * The event stream of a perf.data file, and the file's life from its temporary name to its own. The
 * layouts of the events are those of perf_event.h of Linux and of what perf record itself adds;
 * docs/perf.md says which are there and why.
 */
#include "trace/perf_data.h"

#include "base/new_file.h"
#include "trace/perf_format.h"
#include "trace/perf_header.h"
#include "trace/record.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LIMIT 4095u

/* The thread of records without a Context packet. perf knows 0 as the idle task. */
#define GUEST_TID 1u
/*
 * perf's "no thread". It gives this one to the records of a CPU before that CPU's first Context
 * packet, once it has seen one of another CPU.
 */
#define NO_TID UINT32_MAX

/* AUXTRACE_INFO: type, and its two private words (the form every perf since 4.15 reads). */
#define AUXTRACE_ARM_SPE 4u

/* Records of one vCPU on their way to the file. */
struct queue {
	uint8_t *chunk; /* PERF_DATA_CHUNK bytes, from the first record on */
	size_t used;
	uint64_t offset; /* bytes of this vCPU already in the file */
	bool gap;	 /* something was left out since the last chunk */
};

struct perf_data {
	struct new_file out;
	int error;	    /* the first one, as a negative errno */
	uint64_t at;	    /* position in the file */
	uint64_t stream_at; /* where the events begin */
	uint64_t chunks;    /* AUXTRACE events written */
	struct perf_data_guest guest;
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

/* Of the call that has just failed: never 0. */
static int last_error(void)
{
	int error = errno;

	return error > 0 ? -error : -EIO;
}

static void put_bytes(struct perf_data *data, const void *bytes, size_t size)
{
	if (data->error || !size)
		return;
	if (fwrite(bytes, 1, size, data->out.file) != size)
		data->error = last_error();
	data->at += size;
}

static void put_event(struct perf_data *data, struct perf_format_event *event)
{
	put_bytes(data, event->bytes, perf_format_event_size(event));
}

/* sample_id_all: the fields of sample_type that an event's trailer has, at time 0. */
static void put_trailer(struct perf_format_event *event, uint32_t tid, uint32_t cpu)
{
	perf_format_u32(event, tid);
	perf_format_u32(event, tid);
	perf_format_u64(event, 0); /* before all samples: read as soon as met */
	perf_format_u32(event, cpu);
	perf_format_u32(event, 0);
	perf_format_u64(event, PERF_HEADER_EVENT_ID);
}

/* A thread's name: the guest's, without folders. */
static void put_comm(struct perf_data *data, uint32_t tid)
{
	struct perf_format_event event;
	const char *slash = strrchr(data->name, '/');
	char comm[16] = "";

	strncpy(comm, slash ? slash + 1 : data->name, sizeof(comm) - 1);
	perf_format_event_begin(&event, PERF_FORMAT_COMM, 0);
	perf_format_u32(&event, tid);
	perf_format_u32(&event, tid);
	perf_format_string(&event, comm, 8);
	put_trailer(&event, tid, 0);
	put_event(data, &event);
}

/* EL0 addresses: executable private maps of the guest's file. */
static void put_user_maps(struct perf_data *data, uint32_t tid)
{
	struct perf_format_event event;

	for (size_t i = 0; i < data->guest.map_count; i++) {
		const struct perf_data_map *map = &data->maps[i];

		perf_format_event_begin(&event, PERF_FORMAT_MMAP2, PERF_FORMAT_MISC_USER);
		perf_format_u32(&event, tid);
		perf_format_u32(&event, tid);
		perf_format_u64(&event, map->start);
		perf_format_u64(&event, map->size);
		perf_format_u64(&event, map->file_offset);
		perf_format_u64(&event, 0); /* device: major and minor */
		perf_format_u64(&event, 0); /* inode */
		perf_format_u64(&event, 0); /* its generation */
		perf_format_u32(&event, 5); /* PROT_READ | PROT_EXEC */
		perf_format_u32(&event, 2); /* MAP_PRIVATE */
		perf_format_string(&event, data->name, 8);
		put_trailer(&event, tid, 0);
		put_event(data, &event);
	}
}

/*
 * EL1 and EL2 addresses. perf replaces the top byte of those by 0xFF whatever it was, so all of
 * them are in one map, and the anchor's address is given as perf will see it.
 */
static void put_kernel_map(struct perf_data *data)
{
	const uint64_t top = UINT64_C(0xff) << 56;
	struct perf_format_event event;
	char name[NAME_LIMIT + 32];

	snprintf(name, sizeof(name), "[kernel.kallsyms]%s", data->anchor ? data->anchor : "");
	perf_format_event_begin(&event, PERF_FORMAT_MMAP, PERF_FORMAT_MISC_KERNEL);
	perf_format_u32(&event, UINT32_MAX); /* pid of the kernel */
	perf_format_u32(&event, 0);
	perf_format_u64(&event, top);
	perf_format_u64(&event, ~top);
	perf_format_u64(&event, data->anchor ? data->guest.anchor_address | top : 0);
	perf_format_string(&event, name, 8);
	put_trailer(&event, 0, 0);
	put_event(data, &event);
}

/*
 * How timestamps become nanoseconds: ns = ticks * mult >> shift, with the largest multiplier that
 * fits 32 bits.
 */
static void put_time_conversion(struct perf_data *data)
{
	const uint64_t second = 1000000000;
	struct perf_format_event event;
	unsigned int shift = 31;

	while (shift && (second << shift) / data->guest.counter_hz > UINT32_MAX)
		shift--;
	perf_format_event_begin(&event, PERF_FORMAT_TIME_CONV, 0);
	perf_format_u64(&event, shift);
	perf_format_u64(&event, (second << shift) / data->guest.counter_hz);
	perf_format_u64(&event, 0);	     /* zero of the time scale */
	perf_format_u64(&event, 0);	     /* cycles */
	perf_format_u64(&event, UINT64_MAX); /* mask */
	perf_format_u64(&event, 1);	     /* cap_user_time_zero, cap_user_time_short, padding */
	put_event(data, &event);
}

static void put_auxtrace_info(struct perf_data *data)
{
	struct perf_format_event event;

	perf_format_event_begin(&event, PERF_FORMAT_AUXTRACE_INFO, 0);
	perf_format_u32(&event, AUXTRACE_ARM_SPE);
	perf_format_u32(&event, 0);
	perf_format_u64(&event, PERF_HEADER_PMU_TYPE);
	perf_format_u64(&event, 0); /* the buffers are per CPU, as their events say */
	put_event(data, &event);
}

/* Note where an AUXTRACE event is, for the index that lets perf find all of them first. */
static void add_index(struct perf_data *data)
{
	size_t wanted = data->index_size ? data->index_size * 2 : 64;

	if (data->error)
		return;
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

/* Write the chunk of a vCPU: an AUX event that says what it is, and the AUXTRACE event with it. */
static void flush_cpu(struct perf_data *data, unsigned int cpu)
{
	static const uint8_t zero[8];
	struct queue *queue = &data->queues[cpu];
	size_t padded = (queue->used + 7) & ~(size_t)7;
	struct perf_format_event event;

	if (!queue->used && !queue->gap)
		return;
	perf_format_event_begin(&event, PERF_FORMAT_AUX, 0);
	perf_format_u64(&event, queue->offset);
	perf_format_u64(&event, padded);
	perf_format_u64(&event, queue->gap ? PERF_FORMAT_AUX_PARTIAL : 0);
	put_trailer(&event, GUEST_TID, cpu);
	put_event(data, &event);
	queue->gap = false;
	if (!queue->used)
		return;

	perf_format_event_begin(&event, PERF_FORMAT_AUXTRACE, 0);
	perf_format_u64(&event, padded);
	perf_format_u64(&event, queue->offset);
	perf_format_u64(&event, data->chunks); /* reference: unique, no more is asked of it */
	perf_format_u32(&event, cpu);	       /* queue */
	perf_format_u32(&event, GUEST_TID);
	perf_format_u32(&event, cpu);
	perf_format_u32(&event, 0);
	add_index(data);
	put_event(data, &event);
	put_bytes(data, queue->chunk, queue->used);
	put_bytes(data, zero, padded - queue->used); /* padding packets */
	queue->offset += padded;
	queue->used = 0;
}

/* perf takes a Context packet of either index as the thread id. */
static void note_context(struct perf_data *data, uint32_t context)
{
	data->contexts_seen = true;
	if (context == GUEST_TID || context == NO_TID)
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

static void note_record(struct perf_data *data, const uint8_t *bytes, size_t size)
{
	struct record_packet packet;
	size_t length;

	for (size_t at = 0; at < size; at += length) {
		length = record_packet_read(bytes + at, size - at, &packet);
		if (!length)
			return;
		if (packet.kind == RECORD_CONTEXT)
			note_context(data, (uint32_t)packet.payload);
	}
	data->stats.records++;
}

/* Add bytes to a vCPU's chunk; whole says that they may not be divided between two. */
static void gather_records(struct perf_data *data, unsigned int cpu, const uint8_t *bytes,
			   size_t size, bool whole)
{
	struct queue *queue = &data->queues[cpu];
	size_t part;

	data->stats.bytes += size;
	if (whole && size > PERF_DATA_CHUNK - queue->used)
		flush_cpu(data, cpu);
	while (size) {
		if (queue->used == PERF_DATA_CHUNK)
			flush_cpu(data, cpu);
		part = PERF_DATA_CHUNK - queue->used;
		if (part > size)
			part = size;
		memcpy(queue->chunk + queue->used, bytes, part);
		queue->used += part;
		bytes += part;
		size -= part;
	}
}

int perf_data_aux(struct perf_data *data, unsigned int cpu, const uint8_t *bytes, size_t size)
{
	struct record_span span;
	struct queue *queue;
	size_t length;

	if (cpu >= data->guest.cpus)
		return -EINVAL;
	queue = &data->queues[cpu];
	if (!queue->chunk && !data->error) {
		queue->chunk = malloc(PERF_DATA_CHUNK);
		if (!queue->chunk)
			data->error = -ENOMEM;
	}
	while (size && !data->error) {
		length = record_find(bytes, size, &span);
		gather_records(data, cpu, bytes, span.start, false);
		if (span.complete) {
			note_record(data, bytes + span.start, span.size);
			gather_records(data, cpu, bytes + span.start, span.size, true);
		} else if (span.size) {
			/* Left out: perf would read the next record as the rest of this one. */
			data->stats.unfinished++;
			queue->gap = true;
		}
		bytes += length;
		size -= length;
	}
	return data->error;
}

void perf_data_stats(const struct perf_data *data, struct perf_data_stats *stats)
{
	*stats = data->stats;
}

/* The index comes last of the feature sections because it alone has no bound. */
static void put_features(struct perf_data *data)
{
	struct perf_format_event out;

	perf_header_features(&out, data->at, data->guest.cpus, data->guest.midr,
			     8 + 16 * data->chunks);
	put_bytes(data, out.bytes, out.size);
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

/* The part before the event stream. Its size does not depend on stream_size. */
static void put_header(struct perf_data *data, uint64_t stream_size)
{
	struct perf_format_event out;

	perf_header_begin(&out, stream_size);
	put_bytes(data, out.bytes, out.size);
}

static void destroy_data(struct perf_data *data)
{
	new_file_abandon(&data->out);
	for (unsigned int i = 0; i < data->guest.cpus; i++)
		free(data->queues[i].chunk);
	free(data->index);
	free(data->maps);
	free(data->name);
	free(data->anchor);
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
	return 0;
}

int perf_data_open(struct perf_data **handle, const char *path, const struct perf_data_guest *guest)
{
	struct perf_data *data;
	int error;

	*handle = NULL;
	if (!guest->cpus || guest->cpus > INT16_MAX || !guest->counter_hz || !guest->name)
		return -EINVAL;
	if (strlen(guest->name) > NAME_LIMIT ||
	    (guest->anchor && strlen(guest->anchor) > NAME_LIMIT - 32))
		return -ENAMETOOLONG;
	data = calloc(1, sizeof(*data) + guest->cpus * sizeof(*data->queues));
	if (!data)
		return -ENOMEM;
	error = copy_guest(data, guest);
	if (!error)
		error = new_file_open(&data->out, path);
	if (error) {
		destroy_data(data);
		return error;
	}

	put_header(data, 0); /* room for it: its sizes are known at the end */
	data->stream_at = data->at;
	put_time_conversion(data);
	put_auxtrace_info(data);
	put_kernel_map(data);
	put_comm(data, GUEST_TID);
	put_user_maps(data, GUEST_TID);
	error = data->error;
	if (error)
		perf_data_abandon(data);
	else
		*handle = data;
	return error;
}

int perf_data_close(struct perf_data *data)
{
	uint64_t stream_size;
	int error;

	if (!data)
		return 0;
	for (unsigned int cpu = 0; cpu < data->guest.cpus; cpu++)
		flush_cpu(data, cpu);
	/* perf decodes the AUX data after all events: late names are as good as early ones. */
	if (data->contexts_seen) {
		put_comm(data, NO_TID);
		put_user_maps(data, NO_TID);
	}
	for (size_t i = 0; i < data->context_count; i++) {
		put_comm(data, data->contexts[i]);
		put_user_maps(data, data->contexts[i]);
	}
	stream_size = data->at - data->stream_at;
	put_features(data);
	if (!data->error && fseek(data->out.file, 0, SEEK_SET))
		data->error = last_error();
	put_header(data, stream_size);
	error = new_file_commit(&data->out, false, data->error);
	destroy_data(data);
	return error;
}

void perf_data_abandon(struct perf_data *data)
{
	if (data)
		destroy_data(data);
}
