/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of a machine, for the files that make it up. Each calls those below it:
 *
 *	machine_move.c
 *	machine_save.c
 *	machine.c, machine_part.c
 *	machine_firmware.c
 *	scheduler.c, threads.c
 *	windows.c
 *	machine_poll.c, machine_host.c, psci.c
 *	recording.c, recording_same.c
 *	choice_rows.c, choice_kinds.c
 *	machine_devices.c
 *	clocks.c, machine_end.c
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
	MACHINE_IN_WFE,	      /* may continue at any time: does so at its next turn */
	MACHINE_POWERED_DOWN, /* CPU_SUSPEND: like WFI, but it restarts at resume_entry */
};

struct machine_vcpu {
	struct engine_vcpu *engine;
	enum machine_wait wait;
	uint64_t resume_entry, resume_context;
	bool spe_line;
	/* --time parallel: the counter where it stands, and the highest value that it has read. */
	uint64_t clock, seen;
	/* In a loop of WFE and a branch: the address after the WFE, and operations since then. */
	bool parked;
	uint64_t wfe, awake;
};

/* Where the machine takes input from outside. */
enum machine_site {
	MACHINE_SITE_TURN, /* between turns, or where one was cut off */
	MACHINE_SITE_IDLE, /* only input can let anything continue */
	MACHINE_SITE_WAIT, /* idle time lasts */
	MACHINE_SITE_SENT, /* in answer to what the guest sends, within a turn */
	MACHINE_SITES
};

/* Kinds of input from outside, with a value and bytes. */
enum machine_outside {
	MACHINE_OUTSIDE_FRAME, /* for the network card in slot value */
	MACHINE_OUTSIDE_INPUT, /* of the console */
	MACHINE_OUTSIDE_BREAK,
	MACHINE_OUTSIDE_LOOK,	/* no input, but a device takes earlier input */
	MACHINE_OUTSIDE_STOP,	/* enum machine_end value, and the line about it */
	MACHINE_OUTSIDE_WAITED, /* idle time ended early, at counter value */
	MACHINE_OUTSIDE_END,	/* like STOP, whoever ended it; must be last */
	MACHINE_OUTSIDE_KINDS
};

/* What ends the current round of turns, if anything. */
enum machine_request { MACHINE_GO_ON, MACHINE_END, MACHINE_RESET };

struct machine {
	struct machine_config config;
	struct engine_ram ram;
	struct engine_ram rom;	  /* firmware; size 0: none */
	struct flash_store flash; /* ... and its variables, ... */
	int variables;		  /* ... in this file, or -1 */
	struct loader_files files;
	struct fw_cfg_files fw_cfg; /* what firmware sees of them, ... */
	struct acpi_tables acpi;    /* ... and these */
	struct loader_kernel kernel;
	struct loader_layout layout;
	uint8_t dtb[LOADER_DTB_SIZE];
	size_t dtb_size;

	struct device_config device_config;
	struct device_host device_host;
	struct device *devices[DEVICE_COUNT]; /* all of them, whether they exist or not */
	struct device *console, *controller;  /* two of them */
	struct device *timed[DEVICE_COUNT];   /* those that change as time goes by */
	size_t timed_count;
	struct bus bus;

	struct engine_host host;
	int device; /* of engine.open, or -1 */
	struct engine_vm *vm;
	struct spe_config *spe; /* of each vCPU */
	struct machine_vcpu vcpu[MACHINE_MAX_CPUS];
	bool on[MACHINE_MAX_CPUS];

	/*
	 * Virtual time: now() is elapsed plus the operations of the running vCPU in its turn. With
	 * --time parallel elapsed is that vCPU's clock, or that of the last one.
	 */
	uint64_t elapsed;
	uint64_t window;    /* --time parallel: the counter value at which the window ends, ... */
	uint64_t seen;	    /* ... and the highest one that a vCPU has read */
	int running;	    /* the vCPU whose turn it is, or -1 */
	uint64_t run_start; /* vcpu_ops() when its turn began or continued */
	unsigned int last;  /* the vCPU with the last turn */
	uint64_t turn;	    /* remaining operations of a turn cut off for a save; or 0 */
	bool turn_over;	    /* end the turn after the current operation */
	unsigned int contended;	      /* turns, or windows, that are still short: scheduler.c */
	unsigned int meeting;	      /* windows that are still short: clocks.c */
	uint64_t operations, save_at; /* executed in total; when to stop */
	int pages;		      /* of state_ram_open(), or -1 */

	volatile sig_atomic_t hurry; /* check the console and the clock now */
	uint64_t poll_due;	     /* elapsed at the next check of console and clock */
	unsigned int idle_turns;     /* skips since then */
	uint64_t timeout_at;	     /* host ms; UINT64_MAX: none */
	uint64_t power_on; /* machine_host_ns() then: device time of a concurrent engine */
	struct machine_recording *recording; /* of input from outside, or NULL */
	enum machine_site site;		     /* ... of the current check */
	int64_t owed;			     /* ns of idle time that the host still has to wait */
	struct {
		uint64_t elapsed, operations;
	} awake; /* when the guest last did anything: scheduler.c */

	/*
	 * With a concurrent engine: protects the devices, the console, the counts and what follows.
	 * changed: request is no longer MACHINE_GO_ON.
	 */
	pthread_mutex_t lock;
	pthread_cond_t changed;

	enum machine_request request;
	bool warm;	 /* the requested reset keeps RAM */
	uint64_t random; /* state of the random numbers that guests get by PSCI's way */
	enum machine_end end;
	char why[MACHINE_WHY];
	struct machine_stats stats; /* of earlier engines, and what only the machine counts */
};

/* Limits of turns, in operations. */
#define MACHINE_TURN_MAX       ((uint64_t)MACHINE_WINDOW_MAX) /* no turn is longer */
#define MACHINE_CONTENDED      128u		   /* short turns after the last move of a line */
#define MACHINE_WINDOW_MEETING UINT64_C(1024)	   /* operations in such a window */
#define MACHINE_MEETING	       16u		   /* short windows after vCPUs met */
#define MACHINE_POLL_PERIOD    (UINT64_C(1) << 20) /* between checks of the console and the clock */
#define MACHINE_POLL_SKIPS     1024		   /* idle skips between them */

/*
 * machine.c: a machine with its devices and its guest in RAM, not yet powered on. Reads the guest's
 * files, or takes them from files if that is not NULL.
 */
struct machine *machine_make(const struct machine_config *config, struct loader_files *files,
			     char *why, size_t size);
/*
 * machine_firmware.c: flash and fw_cfg, if there is firmware. The files have been read and the
 * devices made.
 */
int machine_prepare_firmware(struct machine *machine, char *why, size_t size);
void machine_free_firmware(struct machine *machine);
/* Empty RAM. -1: the host has none. */
int machine_clear_ram(struct machine *machine);
/* Add the current engine's counts to stats. */
void machine_fold(const struct machine *machine, struct machine_stats *stats);

/* machine.c: power on or off the vCPUs. -1: the engine refused, with the reason in machine->why. */
int machine_power_on(struct machine *machine);
void machine_power_off(struct machine *machine);
/* Set RAM and devices to their state before the first instruction. 0, or -1 and why. */
/*
 * Between pieces of a reset: has the outside ended the machine meanwhile? In that case the rest of
 * the reset is skipped. If the machine is to be saved, the reset is completed.
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

/* End the running vCPU's turn after the current operation. */
static inline void machine_end_turn(struct machine *machine, unsigned int cpu)
{
	machine->turn_over = true;
	machine->config.choices.engine->vcpu_request_exit(machine->vcpu[cpu].engine);
}

/* machine_end.c: request the end; the first request counts. */
void machine_finish(struct machine *machine, enum machine_end end, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same for a vCPU that cannot continue: ENGINE_EXIT_LOST or ENGINE_EXIT_ERROR. */
void machine_finish_vcpu(struct machine *machine, unsigned int cpu, const struct engine_exit *exit);

/* After a guest that did not end by itself: will a vCPU ever do anything useful? */
void machine_tell_storm(struct machine *machine);

/*
 * machine_devices.c: make those of device_config, on a bus. -1: they do not fit, or there is no
 * memory.
 */
int machine_make_devices(struct machine *machine);
void machine_free_devices(struct machine *machine);
/* Set them to their state before the first operation. */
void machine_reset_devices(struct machine *machine);
/* ... to the state that a vCPU sees after its reset (device_type.reset_cpu). */
void machine_reset_devices_of(struct machine *machine, unsigned int cpu, bool cold);
/* The host's monotonic clock, in nanoseconds. */
uint64_t machine_host_ns(void);
/* Bring their interrupt lines up to date with machine_now(), for all vCPUs or only for that one. */
void machine_update_devices(struct machine *machine);
void machine_update_devices_of(struct machine *machine, unsigned int cpu);
/* The counter never skips beyond this value, 292 years at 1 GHz: MACHINE-71. */
#define MACHINE_TIME_END ((uint64_t)INT64_MAX)
/*
 * The virtual time at which one of them next changes by itself, or DEVICE_NEVER; and the same of
 * what is in a vCPU's PE, and of what is in none.
 */
uint64_t machine_deadline(const struct machine *machine);
uint64_t machine_deadline_of(const struct machine *machine, unsigned int cpu);
uint64_t machine_deadline_of_devices(const struct machine *machine);
/* Is a physical interrupt signalled to a vCPU? Not with a concurrent engine. */
bool machine_signalled(const struct machine *machine, unsigned int cpu);
/*
 * Let them take what has arrived from outside: has one done so? And may anything arrive that wakes
 * a vCPU? Neither includes the console.
 */
bool machine_arrivals(struct machine *machine);
bool machine_waits(const struct machine *machine);
/* The console that input goes to. */
struct device *machine_input(const struct machine *machine);
/* Set an input of the GIC, wherever that is: a PPI of the vCPU or an SPI. */
void machine_set_line(struct machine *machine, unsigned int cpu, unsigned int intid, bool level);

/* machine_host.c: the callbacks of the engine. */
void machine_host_init(struct machine *machine);

/* The guest does something, so that its time need not be the host's. */
static inline void machine_awake(struct machine *machine)
{
	machine->awake.elapsed = machine->elapsed;
	machine->awake.operations = machine->operations;
}

/* scheduler.c: run turns until there is a request. */
void machine_schedule(struct machine *machine);

/* clocks.c: has each vCPU its own clock? */
bool machine_is_parallel(const struct machine *machine);
/* The system counter as a vCPU knows it, and as it reads it now. */
uint64_t machine_now_of(const struct machine *machine, unsigned int cpu);
uint64_t machine_read_counter(struct machine *machine, unsigned int cpu);
/* The virtual time that the whole machine has lived through. */
uint64_t machine_time(const struct machine *machine);
/* Something is signalled to a vCPU now. */
void machine_woken(struct machine *machine, unsigned int cpu);
/* vCPUs wait for each other: the next windows are short. */
void machine_meet(struct machine *machine);
/* Time has skipped to machine->elapsed for all. */
void machine_set_clocks(struct machine *machine);

/* windows.c: */
/*
 * The vCPU with the lowest clock of those that can execute in this window, -1: none. It begins at
 * that clock.
 */
int machine_pick_lowest(struct machine *machine);
/* The operations that it may execute then. Opens the next window if the last one is over. */
uint64_t machine_window_left(struct machine *machine, unsigned int cpu);
/* All vCPUs have come to the end of the window, or wait. */
void machine_close_window(struct machine *machine);

/* machine_poll.c: input from outside. */
/* Start the clock of --timeout, if it is not running. */
void machine_start_clock(struct machine *machine);
/* Check console input and --timeout. timeout_ms: how long to wait for input, -1 for ever. */
void machine_poll(struct machine *machine, enum machine_site site, int timeout_ms);
/* May console input come? */
bool machine_input_open(const struct machine *machine);
/*
 * Wait until the host's clock has caught up with virtual time until. Returns the
 * virtual time then, which is less if something arrived from outside.
 */
uint64_t machine_wait(struct machine *machine, uint64_t until);

/* recording.c: does nothing without a recording. */
void machine_recorded(struct machine *machine, enum machine_outside kind, enum machine_site site,
		      uint64_t value, const void *bytes, size_t size);
/* machine_run() has ended. */
void machine_recording_end(struct machine *machine);
void machine_recording_free(struct machine *machine);

/* Does a recording replace the outside? */
bool machine_replays(const struct machine *machine);
/*
 * Does it have input for a machine that is between turns here? And the number of operations at
 * which it next has some, in total, or UINT64_MAX.
 */
bool machine_replay_due(struct machine *machine);
uint64_t machine_replay_stop(const struct machine *machine);
/* The rest is for replaying. Take the input at site. */
void machine_replay_poll(struct machine *machine, enum machine_site site);
/* machine_wait() without waiting, after a check there. */
uint64_t machine_replay_wait(struct machine *machine, uint64_t until);
/* Is anything left except the end? */
bool machine_replay_open(const struct machine *machine);
/* The current user has ended it. */
void machine_replay_left(struct machine *machine);

/*
 * recording_same.c: what a machine and the recorded one must have in common, a line each;
 * malloc'ed. NULL: no memory.
 */
char *machine_describe(const struct machine *machine);
/*
 * Are both equal? 0, or -1 with their first difference in why, and the command that made theirs.
 * Neither that nor theirs is trusted.
 */
int machine_describe_other(const char *ours, const char *theirs, const char *command, char *why,
			   size_t size);

/* threads.c: like machine_schedule(), with a thread for each vCPU of a concurrent engine. */
void machine_run_threads(struct machine *machine);
/* The callbacks of machine->host, which take the lock. */
void machine_lock_host(struct machine *machine);

#endif
