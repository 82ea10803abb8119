/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe run: what run_options.c reads from the command line, run.c does and run_stats.c reports. */
#ifndef VSPE_CLI_RUN_H
#define VSPE_CLI_RUN_H

#include <limits.h>
#include <stdio.h>

#include "base/output.h"
#include "base/user.h"
#include "cli/cli.h"
#include "cli/migration.h"
#include "cli/network.h"
#include "cli/share.h"
#include "cli/serial.h"
#include "device/virtio.h"
#include "machine/machine_save.h"
#include "trace/perf_data.h"
#include "trace/perf_guest.h"

enum run_stats { RUN_STATS_NONE, RUN_STATS_TEXT, RUN_STATS_JSON };

/* Room for a struct engine_tuning, which only its engine knows. */
struct run_tuning {
	_Alignas(max_align_t) unsigned char bytes[1024];
};

/* A word of --disk. */
struct run_disk {
	const char *word; /* the path and more; not copied */
	size_t length;	  /* of the path */
	enum virtio_disk_mode mode;
	char serial[VIRTIO_SERIAL + 1];
};

/* The word of --net. */
struct run_net {
	bool wanted;
	const char *word; /* not copied */
	struct network_config config;
	uint8_t mac[VIRTIO_NET_MAC];
	struct virtio_link nowhere; /* for a card whose network a recording replaces */
};

/* The word of --share. */
struct run_share {
	bool wanted, read_only;
	const char *word; /* not copied */
	char path[PATH_MAX];
	char tag[VIRTIO_TAG + 1];
};

/* --record and --replay. */
struct run_recording {
	const char *record, *replay;
	struct output output;
	int error;  /* of its end, a negative errno */
	FILE *file; /* of replay */
};

struct run_options {
	struct choices choices; /* of the machine */
	const char *variables;	/* or NULL */
	const char *perf_data, *symbols, *dump_dtb, *spe_text, *numa_text;
	unsigned int timeout;
	const char *serial_text;
	struct serial serial;
	struct run_disk disks[DEVICE_VIRTIO];
	unsigned int disk_count;
	bool rng;
	bool virtio_console; /* in addition to the serial port */
	struct run_net net;
	struct network *network; /* made from net; the caller owes run_net_close() */
	struct run_share share;
	struct share *folder;	  /* made from share; the caller owes run_share_close() */
	struct run_tuning tuning; /* of the engine */
	bool spe_any, pmu_any;	  /* they were drawn */
	enum run_stats stats;
	bool tap;
	enum cli_sandbox_mode sandbox;
	const char *user_text; /* --user; or NULL */
	struct user user;
	bool raw; /* guest output reaches a terminal unchanged */
	uint64_t console_limit;
	bool console_limit_given;
	const char *save, *restore;
	const char *migrate_to, *incoming;
	struct address migrate_address, incoming_address;
	struct migration *migration;	/* of migrate_to; the caller owes run_migrate_close() */
	struct arrival *arrival;	/* of incoming; the same */
	struct run_recording recording; /* the caller owes run_record_abandon() */
	uint64_t perf_data_limit;	/* bytes */
	uint64_t save_at;		/* operations; UINT64_MAX: none */
	/*
	 * With restore and incoming: what has been read so far. The caller owes run_state_close().
	 */
	FILE *restore_file; /* of restore */
	struct machine_saved *saved;
};

/* Fill options. -1: go on; otherwise the exit code, after any message. */
int run_options_parse(int argc, char **argv, struct run_options *options);

/* The option by which the machine is saved or sent, or arrives, and its value. NULL: none. */
const char *run_leaves_by(const struct run_options *options, const char **value);
const char *run_comes_by(const struct run_options *options, const char **value);

/*
 * --restore and --incoming: read the machine's configuration, refuse options that contradict it,
 * and fill in those that are not there. given: the choices that the user made by option. -1: go on;
 * otherwise the exit code.
 */
int run_state_open(struct run_options *options, const bool given[CHOICES]);
/* The same of the options of the engine. */
int run_state_tuning(struct run_options *options);
void run_state_close(struct run_options *options);

/*
 * run_migrate.c: begin with --migrate-to, and wait for --incoming, before any sandbox. -1: go on;
 * otherwise the exit code. The caller owes run_migrate_close().
 */
int run_migrate_open(struct run_options *options);
void run_migrate_close(struct run_options *options);
/* No machine has arrived in time: print that, and return the exit code. */
int run_migrate_over(const struct run_options *options);
/* Begin to send a stopped machine. False, after a message, if it cannot be sent. */
bool run_migrate_begin(const struct run_options *options, struct machine *machine);
/*
 * Continue while the guest runs; *fd is what to wait for, -1 for nothing. Returns the result, after
 * a message if it is MIGRATION_FAILED.
 */
enum migration_step run_migrate_step(const struct run_options *options, struct pollfd *fd);
/* Send the rest of a stopped machine. Returns the result, after a message. */
enum migration_end run_migrate_finish(const struct run_options *options, struct machine *machine);
/*
 * Receive all of the arriving machine. *signal: the signal that requested the end, if one did. -1:
 * go on; otherwise the exit code.
 */
int run_migrate_take(const struct run_options *options, struct machine *machine, int *signal);
/* Have the sender give it away, once everything else it needs is here. Returns the same. */
int run_migrate_own(struct run_options *options, struct machine *machine, int *signal);

/*
 * The command without its output files: argv with "vspe" before it. words has room for argc and one
 * more. Returns how many.
 */
size_t run_words(int argc, char **argv, const char **words);

/*
 * run_disks.c: the virtio devices, the disks first. The option and the value, of *length bytes,
 * that made number n of them. NULL: there are no more.
 */
const char *run_device_name(const struct run_options *options, unsigned int n, const char **value,
			    int *length);
/* Take a word of --disk. NULL, or what is wrong with it. */
const char *run_disk_take(struct run_options *options, const char *word);
/* run_net.c: take the word of --net. NULL, or what is wrong with it. */
const char *run_net_take(struct run_options *options, const char *word);
/*
 * Refuse options that conflict with a network, and make it with its listening sockets open. -1: go
 * on; otherwise the exit code. given_realtime: the user has chosen whether idle time lasts.
 */
int run_net_open(struct run_options *options, bool given_realtime);
void run_net_close(struct run_options *options);
/* The link to plug its card into. */
const struct virtio_link *run_net_link(const struct run_options *options);

/* run_share.c: take the word of --share. NULL, or what is wrong with it. */
const char *run_share_take(struct run_options *options, const char *word);
/*
 * Refuse options that conflict with a folder, and start its process. -1: go on; otherwise the exit
 * code.
 */
int run_share_open(struct run_options *options);
void run_share_close(struct run_options *options);

/*
 * run_sandbox.c: before the first byte from a guest is read, with files still to be opened; and
 * when all are open. -1: go on; otherwise the exit code. The guest may print console_limit bytes.
 */
int run_sandbox_begin(const struct run_options *options);
int run_sandbox_end(const struct run_options *options, uint64_t console_limit);
/* Become the user of --user, when all inputs are open. 0, or an exit code. */
int run_become(const struct run_options *options);

/*
 * run_record.c: refuse options that conflict with --record and --replay. -1: go on; otherwise the
 * exit code.
 */
int run_record_check(const struct run_options *options);
/*
 * Record a machine before it runs, or replay a recording. words has the count words of the command.
 * 0, or an exit code.
 */
int run_record_open(struct run_options *options, struct machine *machine, const char *const *words,
		    size_t count);
/* The run has ended: give the recording its name. */
void run_record_close(struct run_options *options);
/*
 * Say whether that worked, and why not. Takes the run's exit code, and returns the one to end with.
 */
int run_record_tell(const struct run_options *options, int code);
void run_record_abandon(struct run_options *options);

/*
 * Refuse options that conflict with disks and the other virtio devices. -1: go on; otherwise the
 * exit code.
 */
int run_disks_check(const struct run_options *options);
/*
 * Open the disks, and make the other devices; devices has room for DEVICE_VIRTIO. 0, or an exit
 * code. The caller owes run_disks_close() either way.
 */
int run_disks_open(const struct run_options *options, struct virtio_device **devices);
void run_disks_close(const struct run_options *options, struct virtio_device **devices);

/*
 * run_outputs.c: open a file to write, so that errors show before anything runs. 0, or an exit
 * code.
 */
int run_open_output(struct output *output, const char *option, const char *path,
		    enum output_kind kind);
/* Write the device tree to its open file. 0, or an exit code. */
int run_write_dtb(struct output *output, const struct run_options *options, const void *dtb,
		  size_t size);
/*
 * --dump-dtb without a guest: write the tree of a machine without one to output; the caller owes
 * output_abandon(). 0, or an exit code.
 */
int run_dump_only(const struct run_options *options, struct output *output);

/* run_perf.c: perf.data. */
struct run_perf {
	struct perf_data *data;	  /* NULL: none */
	struct perf_guest kernel; /* its description; vectors are 0: not a Linux kernel */
	uint64_t anchor, vectors; /* in the kernel's file, and in a vCPU */
	bool found;		  /* where the kernel is */
	int error;		  /* of closing it, a negative errno */
	const struct machine *machine;
};

/*
 * Begin the file of a machine. words has the count words of the command, and must outlive it. 0, or
 * an exit code; the caller owes run_perf_free() either way.
 */
int run_perf_open(struct run_perf *perf, const struct run_options *options,
		  const struct machine *machine, const char *const *words, size_t count);
/*
 * machine_config.sample of a struct run_perf. Counts what cannot be written, which does not end the
 * guest.
 */
int run_perf_sample(void *ctx, unsigned int cpu, const uint8_t *bytes, size_t size);
void run_perf_close(struct run_perf *perf);
/* Report the result once it is closed. Takes an exit code, and returns the one to end with. */
int run_perf_tell(const struct run_perf *perf, const struct run_options *options, int code);
void run_perf_free(struct run_perf *perf);

/* Room for all the words of --spe. */
#define RUN_SPE_WORDS 2048

/*
 * Draw what `any` leaves open, by seed: spe_text becomes the words that it stands for. 0; or -1 and
 * a line in why[size].
 */
int run_any(struct run_options *options, uint64_t seed, char *why, size_t size);
/* Print a line with what was drawn and by which seed, if anything was. */
void run_any_say(const struct run_options *options);

/* run_check.c: what the machine needs of its engine. */
struct engine_wish run_wish(const struct run_options *options);

/*
 * Write the counts to file. devices are the DEVICE_VIRTIO devices of the options, in their order.
 * Only the text has seconds of host time: JSON is the same on every host.
 */
void run_stats_text(FILE *file, const struct machine_stats *stats,
		    const struct run_options *options, struct virtio_device *const *devices,
		    double seconds);
void run_stats_json(FILE *file, const struct machine_stats *stats,
		    const struct run_options *options, struct virtio_device *const *devices);

#endif
