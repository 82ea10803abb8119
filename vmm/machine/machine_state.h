/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of a machine, for the files that make it up. Each calls those below it:
 *
 *	machine_move.c
 *	machine_save.c
 *	machine.c, machine_part.c
 *	machine_firmware.c
 *	scheduler.c, threads.c
 *	machine_poll.c, machine_host.c, psci.c
 *	recording.c, recording_same.c
 *	choice_rows.c, choice_kinds.c
 *	machine_devices.c
 *	machine_end.c
 */
#ifndef VSPE_MACHINE_STATE_H
#define VSPE_MACHINE_STATE_H

#include <pthread.h>
#include <signal.h>

#include "device/bus.h"
#include "device/flash.h"
#include "device/fw_cfg.h"
#include "machine/acpi_tables.h"
#include "machine/device_tree.h"
#include "machine/loader.h"
#include "machine/machine.h"

#define MACHINE_WHY 640

/* What a vCPU that is on waits for. */
enum machine_wait {
	MACHINE_RUNNING,
	MACHINE_IN_WFI,
	MACHINE_IN_WFE,	      /* may go on at any time, so it does when its turn comes */
	MACHINE_POWERED_DOWN, /* CPU_SUSPEND: like WFI, but it starts anew at resume_entry */
};

struct machine_vcpu {
	struct engine_vcpu *engine;
	enum machine_wait wait;
	uint64_t resume_entry, resume_context;
	bool spe_line;
	/* In a loop of WFE and a branch: behind which address, and operations since then. */
	bool parked;
	uint64_t wfe, awake;
};

/* Where the machine takes what comes from outside. */
enum machine_site {
	MACHINE_SITE_TURN, /* between turns, or where one was cut off */
	MACHINE_SITE_IDLE, /* nothing but what comes can go on */
	MACHINE_SITE_WAIT, /* idle time lasts */
	MACHINE_SITE_SENT, /* in answer to what the guest sends, within a turn */
	MACHINE_SITES
};

/* What comes from outside, with a value and bytes. */
enum machine_outside {
	MACHINE_OUTSIDE_FRAME, /* for the network card in slot value */
	MACHINE_OUTSIDE_INPUT, /* of the console */
	MACHINE_OUTSIDE_BREAK,
	MACHINE_OUTSIDE_LOOK,	/* nothing, but a device takes what was there */
	MACHINE_OUTSIDE_STOP,	/* enum machine_end value, and the line about it */
	MACHINE_OUTSIDE_WAITED, /* idle time ended at value of the counter already */
	MACHINE_OUTSIDE_END,	/* like STOP, whoever ended it; the last */
	MACHINE_OUTSIDE_KINDS
};

/* What ends the present round of turns, if anything. */
enum machine_request { MACHINE_GO_ON, MACHINE_END, MACHINE_RESET };

struct machine {
	struct machine_config config;
	struct engine_ram ram;
	struct engine_ram rom;	  /* firmware; size 0: none */
	struct flash_store flash; /* ... and its variables, ... */
	int variables;		  /* ... in this file, or -1 */
	struct loader_files files;
	struct fw_cfg_files fw_cfg; /* what firmware is given of them, ... */
	struct acpi_tables acpi;    /* ... and these */
	struct loader_kernel kernel;
	struct loader_layout layout;
	uint8_t dtb[LOADER_DTB_SIZE];
	size_t dtb_size;

	struct device_config device_config;
	struct device_host device_host;
	struct device *devices[DEVICE_COUNT]; /* all there are, whether they exist or not */
	struct device *console, *controller;  /* two of them */
	struct bus bus;

	struct engine_host host;
	int device; /* of engine.open, or -1 */
	struct engine_vm *vm;
	struct spe_config *spe; /* of each vCPU */
	struct machine_vcpu vcpu[MACHINE_MAX_CPUS];
	bool on[MACHINE_MAX_CPUS];

	/* Virtual time: now() is elapsed and what the vCPU that has its turn did in it so far. */
	uint64_t elapsed;
	int running;	    /* the vCPU that has its turn, or -1 */
	uint64_t run_start; /* vcpu_ops() when its turn began, or went on */
	unsigned int last;  /* the vCPU that had its turn last */
	uint64_t turn;	    /* operations that are left of that turn, cut off for a save; or 0 */
	bool turn_over;	    /* the turn is to end after the present operation */
	uint64_t operations, save_at; /* executed in all; at which to stop */
	int pages;		      /* of state_ram_open(), or -1 */

	volatile sig_atomic_t hurry; /* the console and the clock are to be looked at now */
	uint64_t poll_due;	     /* elapsed at which the console and the clock are looked at */
	unsigned int idle_turns;     /* skips since then */
	uint64_t timeout_at;	     /* host ms; UINT64_MAX: none */
	uint64_t power_on; /* machine_host_ns() then: the time of devices of a concurrent engine */
	struct machine_recording *recording; /* of what comes from outside, or NULL */
	enum machine_site site;		     /* ... of the look that is under way */
	int64_t owed; /* --realtime: ns of idle time that the host has not waited for yet */

	/*
	 * With a concurrent engine: held by whoever looks at the devices, the console, the counts
	 * and what follows. changed: request is no longer MACHINE_GO_ON.
	 */
	pthread_mutex_t lock;
	pthread_cond_t changed;

	enum machine_request request;
	bool warm;	 /* the reset that is asked for leaves RAM alone */
	uint64_t random; /* what the numbers that guests ask PSCI's neighbour for come behind */
	enum machine_end end;
	char why[MACHINE_WHY];
	struct machine_stats stats; /* of engines that are gone, and what only the machine counts */
};

/* How the turns are divided, in operations. */
#define MACHINE_TURN_MAX    (UINT64_C(1) << 20) /* no turn is longer */
#define MACHINE_POLL_PERIOD (UINT64_C(1) << 20) /* between looks at the console and the clock */
#define MACHINE_POLL_SKIPS  1024		/* idle skips between them */

/*
 * machine.c: a machine with its devices and its guest in RAM, not yet powered on. The guest's files
 * are read, or taken from files if that is not NULL.
 */
struct machine *machine_make(const struct machine_config *config, struct loader_files *files,
			     char *why, size_t size);
/* machine_firmware.c: flash and fw_cfg, if there is firmware. The files are read, devices made. */
int machine_prepare_firmware(struct machine *machine, char *why, size_t size);
void machine_free_firmware(struct machine *machine);
/* RAM as it is before anything was loaded. -1: the host has none. */
int machine_clear_ram(struct machine *machine);
/* Add what the present engine has counted to stats. */
void machine_fold(const struct machine *machine, struct machine_stats *stats);

/* machine.c: power on or off the vCPUs. -1: the engine refused, and machine->why says it. */
int machine_power_on(struct machine *machine);
void machine_power_off(struct machine *machine);
/* Put RAM and devices as they are before the first instruction. 0, or -1 and why. */
/*
 * Between the pieces of a reset: has the outside ended the machine since? Then what is left of the
 * reset is not done. One that is to be saved is made whole.
 */
bool machine_given_up(struct machine *machine);
int machine_load(struct machine *machine, char *why, size_t size);

/* Virtual time now, exact to the operation. */
static inline uint64_t machine_now(const struct machine *machine)
{
	if (machine->running < 0)
		return machine->elapsed;
	return machine->elapsed - machine->run_start +
	       machine->config.choices.engine->vcpu_ops(machine->vcpu[machine->running].engine);
}

/* The turn of the vCPU that is running is over behind the present operation. */
static inline void machine_end_turn(struct machine *machine, unsigned int cpu)
{
	machine->turn_over = true;
	machine->config.choices.engine->vcpu_request_exit(machine->vcpu[cpu].engine);
}

/* machine_end.c: ask for the end; the first request counts. */
void machine_finish(struct machine *machine, enum machine_end end, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same for a vCPU that cannot go on: ENGINE_EXIT_LOST or ENGINE_EXIT_ERROR. */
void machine_finish_vcpu(struct machine *machine, unsigned int cpu, const struct engine_exit *exit);

/* At the end of a guest that did not end by itself: whether a vCPU will ever do anything useful. */
void machine_tell_storm(struct machine *machine);

/* machine_devices.c: make those of device_config, on a bus. -1: they do not fit, or there is no
 * memory. */
int machine_make_devices(struct machine *machine);
void machine_free_devices(struct machine *machine);
/* As they are before the first operation. */
void machine_reset_devices(struct machine *machine);
/* ... as a vCPU finds them that comes out of reset (device_type.reset_cpu). */
void machine_reset_devices_of(struct machine *machine, unsigned int cpu, bool cold);
/* The host's clock, in nanoseconds from a point that stays the same. */
uint64_t machine_host_ns(void);
/* Bring their interrupt lines up to date with machine_now(). */
void machine_update_devices(struct machine *machine);
/* The counter is not skipped to a value after this, 292 years at 1 GHz: MACHINE-71. */
#define MACHINE_TIME_END ((uint64_t)INT64_MAX)
/* The virtual time at which one of them changes by itself, or DEVICE_NEVER. */
uint64_t machine_deadline(const struct machine *machine);
/* Is a physical interrupt signalled to a vCPU? Not with a concurrent engine. */
bool machine_signalled(const struct machine *machine, unsigned int cpu);
/* Let them take what has come from outside: did one? And may anything come that wakes a vCPU?
 * Neither is about the console. */
bool machine_arrivals(struct machine *machine);
bool machine_waits(const struct machine *machine);
/* The console that input goes to. */
struct device *machine_input(const struct machine *machine);
/* Level of an input of the GIC, wherever that is: a PPI of the vCPU or an SPI. */
void machine_set_line(struct machine *machine, unsigned int cpu, unsigned int intid, bool level);

/* machine_host.c: what the engine asks for. */
void machine_host_init(struct machine *machine);

/* scheduler.c: turns until there is a request. */
void machine_schedule(struct machine *machine);

/* machine_poll.c: what comes from outside. */
/* Start the clock of --timeout, if it is not running. */
void machine_start_clock(struct machine *machine);
/* Console input and --timeout. timeout_ms: how long input may be waited for, -1 for ever. */
void machine_poll(struct machine *machine, enum machine_site site, int timeout_ms);
/* May console input come? */
bool machine_input_open(const struct machine *machine);
/*
 * --realtime: wait until the host's clock has come as far as virtual time until would be. The
 * virtual time that it is then, which is less if something came from outside.
 */
uint64_t machine_wait(struct machine *machine, uint64_t until);

/* recording.c: nothing happens in a machine without one. */
void machine_recorded(struct machine *machine, enum machine_outside kind, enum machine_site site,
		      uint64_t value, const void *bytes, size_t size);
/* machine_run() has come to its end. */
void machine_recording_end(struct machine *machine);
void machine_recording_free(struct machine *machine);

/* Does a recording stand for the outside? */
bool machine_replays(const struct machine *machine);
/* Has it something for a machine that is between turns here? And how many operations may be
 * executed until then: all in all, or UINT64_MAX. */
bool machine_replay_due(struct machine *machine);
uint64_t machine_replay_stop(const struct machine *machine);
/* The rest is for those that replay. Take what came at site. */
void machine_replay_poll(struct machine *machine, enum machine_site site);
/* machine_wait() without waiting, behind a look there. */
uint64_t machine_replay_wait(struct machine *machine, uint64_t until);
/* Is there anything to come but the end? */
bool machine_replay_open(const struct machine *machine);
/* The present user has ended it. */
void machine_replay_left(struct machine *machine);

/* recording_same.c: what a machine has to have in common with the recorded one, a line each;
 * malloc'ed. NULL: no memory. */
char *machine_describe(const struct machine *machine);
/* Are both the same? 0, or -1 with their first difference in why, and the command that made theirs.
 * Neither that nor theirs is trusted. */
int machine_describe_other(const char *ours, const char *theirs, const char *command, char *why,
			   size_t size);

/* threads.c: the same as machine_schedule() with a thread for each vCPU of a concurrent engine. */
void machine_run_threads(struct machine *machine);
/* The callbacks of machine->host, under the lock. */
void machine_lock_host(struct machine *machine);

#endif
