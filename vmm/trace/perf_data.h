/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the sample records of a guest as a perf.data file that the stock perf reads on a machine
 * of any architecture: one AUX trace per vCPU, and the maps that give its addresses names.
 *
 * The file is a function of the arguments and the bytes alone: no clock, host name or process id.
 * It is written under a temporary name and appears under its own when it is whole, and on the disk.
 * What is under the temporary name is a file that perf reads at any time, without what is gathered
 * still.
 */
#ifndef VSPE_TRACE_PERF_DATA_H
#define VSPE_TRACE_PERF_DATA_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of one vCPU that are gathered before they become one AUXTRACE event. */
#define PERF_DATA_CHUNK (256u * 1024)

/* Values of CONTEXTIDR that get a thread and maps of their own; further ones are counted. */
#define PERF_DATA_CONTEXTS 1024u

/* A range of guest virtual addresses that EL0 executes from, and where the file has its bytes. */
struct perf_data_map {
	uint64_t start;
	uint64_t size;
	uint64_t file_offset;
};

/* What the file says about the guest. Strings and maps are copied by perf_data_open(). */
struct perf_data_guest {
	/* File with the guest's symbols, or its image: what perf opens to name EL0 addresses. */
	const char *name;
	uint8_t build_id[20]; /* the file's */
	size_t build_id_size; /* bytes; 0: it has none */
	const struct perf_data_map *maps;
	size_t map_count;
	/*
	 * A symbol of the guest's ELF and its address at EL1 or EL2, from which perf learns how far
	 * the code runs from where it was linked. NULL: perf takes the addresses of --vmlinux as
	 * they are.
	 */
	const char *anchor;
	uint64_t anchor_address;
	/* The words of the command that records: copied, cut off if they are many. */
	const char *const *words;
	size_t word_count;
	unsigned int cpus;     /* at least 1 */
	uint32_t midr;	       /* MIDR_EL1: how perf reads Data Source packets */
	uint64_t memory;       /* KiB; 0: not known */
	uint32_t counter_hz;   /* CNTFRQ_EL0, not 0: perf turns timestamps into nanoseconds */
	uint32_t min_interval; /* operations, of PMSIDR_EL1.Interval; 0: not known */
	/*
	 * How many samples of a vCPU have collided. Asked of a vCPU by perf_data_aux() for it, and
	 * of all by perf_data_close(). NULL: nobody knows.
	 */
	uint64_t (*collisions)(void *ctx, unsigned int cpu);
	void *ctx;
};

/* What there has been so far. */
struct perf_data_stats {
	uint64_t bytes; /* of records, padding included */
	uint64_t records;
	uint64_t lost, lost_bytes; /* of them, those that are not in the file */
	uint64_t unfinished;	   /* records whose end never came; left out, the gap is flagged */
	uint64_t contexts_lost;	   /* Context packets beyond PERF_DATA_CONTEXTS different values */
};

struct perf_data;

/*
 * Begin a file. Returns 0 and the handle, to be given to perf_data_free(); or a negative errno:
 * -EINVAL for what guest says or a path that names something other than a regular file,
 * -ENAMETOOLONG for a name beyond 4095 bytes, -ENOMEM, and those of output_open().
 */
int perf_data_open(struct perf_data **handle, const char *path,
		   const struct perf_data_guest *guest);

/*
 * The file is not to be larger than this, as far as that is possible with no records in it. When
 * there is no place for a record, it and all that follow are counted and left out.
 */
void perf_data_limit(struct perf_data *data, uint64_t bytes);

/*
 * size bytes were written to the buffer of vCPU cpu: whole records, or one that a fault cut off.
 * Returns 0 or a negative errno: -EINVAL for a cpu that does not exist, otherwise that of the first
 * failed write, since which records are only counted.
 */
int perf_data_aux(struct perf_data *data, unsigned int cpu, const uint8_t *bytes, size_t size);

/*
 * The guest's anchor is at this address, as was found out only now. Returns 0 or a negative errno,
 * which later calls return, too.
 */
int perf_data_anchor(struct perf_data *data, uint64_t address);

/* Counts so far; behind perf_data_close(), of all. */
void perf_data_stats(const struct perf_data *data, struct perf_data_stats *stats);

/*
 * Complete the file and give it its name. Returns 0 or a negative errno, that of the first write
 * that failed; then what was at path before is untouched, and the records that could be written are
 * in a file of the temporary name, perf_data_partial(). NULL is nothing to do.
 */
int perf_data_close(struct perf_data *data);

/*
 * Behind a perf_data_close() that failed: the name of a file with what was written until then,
 * which perf and vspe decode read. NULL: there is none, since it would have no record. It is
 * data's.
 */
const char *perf_data_partial(const struct perf_data *data);

/* Remove what is not closed, and free the handle. NULL is nothing to do. */
void perf_data_free(struct perf_data *data);

#endif
