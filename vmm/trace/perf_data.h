/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the sample records of a guest as a perf.data file that the stock perf reads on a machine
 * of any architecture: one AUX trace per vCPU, and the maps that give its addresses names.
 *
 * The file depends only on the arguments and the bytes: no clock, host name or process id. It has a
 * temporary name until it is complete and on the disk. perf can read that temporary file at any
 * time, without the records that are still gathered.
 */
#ifndef VSPE_TRACE_PERF_DATA_H
#define VSPE_TRACE_PERF_DATA_H

#include <stddef.h>
#include <stdint.h>

/* How many bytes of one vCPU are gathered before they become one AUXTRACE event. */
#define PERF_DATA_CHUNK (256u * 1024)

/* How many values of CONTEXTIDR get a thread and maps. Further ones are only counted. */
#define PERF_DATA_CONTEXTS 1024u

/* A range of guest virtual addresses that EL0 executes from, and where the file has its bytes. */
struct perf_data_map {
	uint64_t start;
	uint64_t size;
	uint64_t file_offset;
};

/* What the file says about the guest. perf_data_open() copies strings and maps. */
struct perf_data_guest {
	/* The file with the guest's symbols, or its image. perf opens it to name EL0 addresses. */
	const char *name;
	uint8_t build_id[20]; /* the file's */
	size_t build_id_size; /* bytes; 0: it has none */
	const struct perf_data_map *maps;
	size_t map_count;
	/*
	 * A symbol of the guest's ELF and its address at EL1 or EL2, from which perf computes how
	 * far the code runs from where it was linked. NULL: perf takes the addresses of --vmlinux
	 * as they are.
	 */
	const char *anchor;
	uint64_t anchor_address;
	/* The words of the recording command. They are copied, and cut off if there are many. */
	const char *const *words;
	size_t word_count;
	unsigned int cpus;     /* at least 1 */
	uint32_t midr;	       /* MIDR_EL1: how perf reads Data Source packets */
	uint64_t memory;       /* KiB; 0: not known */
	uint32_t counter_hz;   /* CNTFRQ_EL0, not 0: perf converts timestamps with it */
	uint32_t min_interval; /* operations, of PMSIDR_EL1.Interval; 0: not known */
	/*
	 * How many samples of a vCPU have collided. perf_data_aux() asks for its vCPU, and
	 * perf_data_close() for all. NULL: not known.
	 */
	uint64_t (*collisions)(void *ctx, unsigned int cpu);
	void *ctx;
};

/* Counts so far. */
struct perf_data_stats {
	uint64_t bytes; /* of records, padding included */
	uint64_t records;
	uint64_t lost, lost_bytes; /* of those, how many are not in the file */
	uint64_t unfinished;	   /* records that never ended: left out, and flagged as a gap */
	uint64_t contexts_lost;	   /* Context packets beyond PERF_DATA_CONTEXTS different values */
};

struct perf_data;

/*
 * Begin a file. Returns 0 and the handle, which the caller frees with perf_data_free(); or a
 * negative errno: -EINVAL for wrong contents of guest or a path that is not a regular file's,
 * -ENAMETOOLONG for a name beyond 4095 bytes, -ENOMEM, and those of output_open().
 */
int perf_data_open(struct perf_data **handle, const char *path,
		   const struct perf_data_guest *guest);

/*
 * Limit the size of the file, if it is not larger even without records. From the first record for
 * which there is no room, all are counted and left out.
 */
void perf_data_limit(struct perf_data *data, uint64_t bytes);

/*
 * size bytes were written to the buffer of vCPU cpu: complete records, or one that a fault cut off.
 * Returns 0 or a negative errno: -EINVAL for a cpu that does not exist, otherwise that of the first
 * failed write, since which records are only counted.
 */
int perf_data_aux(struct perf_data *data, unsigned int cpu, const uint8_t *bytes, size_t size);

/*
 * Set the address of the guest's anchor, which was not known before. Returns 0 or a negative errno,
 * which later calls return, too.
 */
int perf_data_anchor(struct perf_data *data, uint64_t address);

/* Counts so far; after perf_data_close(), the final ones. */
void perf_data_stats(const struct perf_data *data, struct perf_data_stats *stats);

/*
 * Complete the file and give it its name. Returns 0 or a negative errno, that of the first failed
 * write. In that case the old file at path stays, and the records that could be written are in a
 * temporary file, perf_data_partial(). NULL is allowed.
 */
int perf_data_close(struct perf_data *data);

/*
 * After a failed perf_data_close(): the name of a file with the records until then, which perf and
 * vspe decode can read. NULL if it would have no record. data owns the name.
 */
const char *perf_data_partial(const struct perf_data *data);

/* Remove an unclosed file, and free the handle. NULL is allowed. */
void perf_data_free(struct perf_data *data);

#endif
