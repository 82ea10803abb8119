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

/* Room for a struct engine_tuning, which its engine alone knows. */
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
	struct virtio_link nowhere; /* of a card that a recording stands for the network of */
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
	const char *perf_data, *symbols, *dump_dtb, *spe_text;
	unsigned int timeout;
	const char *serial_text;
	struct serial serial;
	struct run_disk disks[DEVICE_VIRTIO];
	unsigned int disk_count;
	bool rng;
	bool virtio_console; /* beside the serial port */
	struct run_net net;
	struct network *network; /* what net makes; run_net_close() is owed */
	struct run_share share;
	struct share *folder;	  /* what share makes; run_share_close() is owed */
	struct run_tuning tuning; /* of the engine */
	bool spe_any, pmu_any;	  /* they were drawn */
	enum run_stats stats;
	bool tap;
	enum cli_sandbox_mode sandbox;
	const char *user_text; /* --user; or NULL */
	struct user user;
	bool raw; /* what the guest prints goes to a terminal as it is */
	uint64_t console_limit;
	bool console_limit_given;
	const char *save, *restore;
	const char *migrate_to, *incoming;
	struct address migrate_address, incoming_address;
	struct migration *migration;	/* of migrate_to; run_migrate_close() is owed */
	struct arrival *arrival;	/* of incoming; the same */
	struct run_recording recording; /* run_record_abandon() is owed */
	uint64_t perf_data_limit;	/* bytes */
	uint64_t save_at;		/* operations; UINT64_MAX: none */
	/* With restore and incoming: what was read of it so far. run_state_close() is owed. */
	FILE *restore_file; /* of restore */
	struct machine_saved *saved;
};

/* Fill options. -1: go on; otherwise the exit code, everything being said already. */
int run_options_parse(int argc, char **argv, struct run_options *options);

/* The option that the machine is saved or sent by, or comes by, and its value; NULL: none. */
const char *run_leaves_by(const struct run_options *options, const char **value);
const char *run_comes_by(const struct run_options *options, const char **value);

/*
 * --restore and --incoming: read what the machine is, refuse what the other options say
 * differently, and fill in what they do not say. given: the choices of which there is an option.
 * -1: go on; otherwise the exit code.
 */
int run_state_open(struct run_options *options, const bool given[CHOICES]);
/* The same of the options of the engine. */
int run_state_tuning(struct run_options *options);
void run_state_close(struct run_options *options);

/*
 * run_migrate.c: begin with --migrate-to, and wait for --incoming. Before any sandbox. -1: go on;
 * otherwise the exit code; run_migrate_close() is owed.
 */
int run_migrate_open(struct run_options *options);
void run_migrate_close(struct run_options *options);
/* No machine has come in time: the exit code, and that is said. */
int run_migrate_over(const struct run_options *options);
/* Begin to send a machine that has stopped. false: it cannot be, which is said. */
bool run_migrate_begin(const struct run_options *options, struct machine *machine);
/*
 * Go on with it while the guest runs, and *fd is what to wait for then, -1 for nothing. What has
 * come of it; MIGRATION_FAILED is said.
 */
enum migration_step run_migrate_step(const struct run_options *options, struct pollfd *fd);
/* Send the rest of a machine that has stopped. What has come of it is said. */
enum migration_end run_migrate_finish(const struct run_options *options, struct machine *machine);
/* Take all of the machine that comes. *signal: the signal that asked for the end, if one did. -1:
 * go on; otherwise the exit code. */
int run_migrate_take(const struct run_options *options, struct machine *machine, int *signal);
/* ... and have the sender give it away: all else that it needs here is there. The same. */
int run_migrate_own(struct run_options *options, struct machine *machine, int *signal);

/*
 * The words of the command, argv with "vspe" before them, but for the files that it writes: words,
 * which has room for argc and one more. How many.
 */
size_t run_words(int argc, char **argv, const char **words);

/*
 * run_disks.c: the devices of virtio, the disks first. The option and the value that made number n
 * of them, of *length bytes. NULL: there are no more.
 */
const char *run_device_name(const struct run_options *options, unsigned int n, const char **value,
			    int *length);
/* Take a word of --disk. NULL, or what is wrong with it. */
const char *run_disk_take(struct run_options *options, const char *word);
/* run_net.c: take the word of --net. NULL, or what is wrong with it. */
const char *run_net_take(struct run_options *options, const char *word);
/*
 * Refuse what does not go with a network, and make it: its sockets that listen are open behind
 * this. -1: go on; otherwise the exit code. given_realtime: the user has chosen whether idle time
 * lasts.
 */
int run_net_open(struct run_options *options, bool given_realtime);
void run_net_close(struct run_options *options);
/* What its card is to be plugged into. */
const struct virtio_link *run_net_link(const struct run_options *options);

/* run_share.c: take the word of --share. NULL, or what is wrong with it. */
const char *run_share_take(struct run_options *options, const char *word);
/* Refuse what does not go with a folder, and start its process. -1: go on; otherwise the exit
 * code. */
int run_share_open(struct run_options *options);
void run_share_close(struct run_options *options);

/*
 * run_sandbox.c: before the first byte of a guest's is read, with files yet to be opened; and when
 * all are open. -1: go on; otherwise the exit code. The guest may print console_limit bytes.
 */
int run_sandbox_begin(const struct run_options *options);
int run_sandbox_end(const struct run_options *options, uint64_t console_limit);
/* Become the user of --user, when all that is read is open. 0, or an exit code. */
int run_become(const struct run_options *options);

/* run_record.c: refuse what does not go with --record and --replay. -1: go on; otherwise the exit
 * code. */
int run_record_check(const struct run_options *options);
/* Record a machine that is yet to run, or have a recording replayed: the words of the command are
 * words, count of them. 0, or an exit code. */
int run_record_open(struct run_options *options, struct machine *machine, const char *const *words,
		    size_t count);
/* The run has ended: give the recording its name. */
void run_record_close(struct run_options *options);
/* Whether it has, in words if not; the run's exit code is code. The exit code it leaves. */
int run_record_tell(const struct run_options *options, int code);
void run_record_abandon(struct run_options *options);

/* Refuse what does not go with disks and the other devices of virtio. -1: go on; otherwise the exit
 * code. */
int run_disks_check(const struct run_options *options);
/*
 * Open them, and make the other devices: devices, of DEVICE_VIRTIO. 0, or an exit code;
 * run_disks_close() is owed either way.
 */
int run_disks_open(const struct run_options *options, struct virtio_device **devices);
void run_disks_close(const struct run_options *options, struct virtio_device **devices);

/* run_outputs.c: a file to write: what cannot be is to be refused before anything has run. 0, or an
 * exit code. */
int run_open_output(struct output *output, const char *option, const char *path,
		    enum output_kind kind);
/* Write the device tree to its file, which is open. 0, or an exit code. */
int run_write_dtb(struct output *output, const struct run_options *options, const void *dtb,
		  size_t size);
/* --dump-dtb without a guest: the tree of a machine that has none, to output, of which
 * output_abandon() is owed. 0, or an exit code. */
int run_dump_only(const struct run_options *options, struct output *output);

/* run_perf.c: perf.data. */
struct run_perf {
	struct perf_data *data;	  /* NULL: none */
	struct perf_guest kernel; /* what it says of it; vectors are 0: no kernel of Linux */
	uint64_t anchor, vectors; /* as the kernel's file has it; as a vCPU has them */
	bool found;		  /* where the kernel is */
	int error;		  /* of closing it, a negative errno */
	const struct machine *machine;
};

/*
 * Begin the file of a machine: the words of the command are words, count of them, which have to
 * outlive it. 0, or an exit code; run_perf_free() is owed either way.
 */
int run_perf_open(struct run_perf *perf, const struct run_options *options,
		  const struct machine *machine, const char *const *words, size_t count);
/* machine_config.sample, of a struct run_perf: what cannot be written is counted, and is no reason
 * for the guest to end. */
int run_perf_sample(void *ctx, unsigned int cpu, const uint8_t *bytes, size_t size);
void run_perf_close(struct run_perf *perf);
/* What became of it, once it is closed. The exit code that it leaves of code. */
int run_perf_tell(const struct run_perf *perf, const struct run_options *options, int code);
void run_perf_free(struct run_perf *perf);

/* Room for all the words of --spe. */
#define RUN_SPE_WORDS 2048

/*
 * Draw by seed what is asked for by `any`: spe_text becomes the words that it stands for. 0; or -1
 * and a line in why[size].
 */
int run_any(struct run_options *options, uint64_t seed, char *why, size_t size);
/* A line that says what was drawn, by which seed, if anything was. */
void run_any_say(const struct run_options *options);

/* run_check.c: what the machine wants of its engine. */
struct engine_wish run_wish(const struct run_options *options);

/*
 * Counts to file; devices are DEVICE_VIRTIO, those of the options, one behind the other. seconds of
 * host time are told in text only: JSON is the same on every host.
 */
void run_stats_text(FILE *file, const struct machine_stats *stats,
		    const struct run_options *options, struct virtio_device *const *devices,
		    double seconds);
void run_stats_json(FILE *file, const struct machine_stats *stats,
		    const struct run_options *options, struct virtio_device *const *devices);

#endif
