/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtual machine: RAM, devices, a guest and the scheduler that gives its vCPUs their turns on an
 * engine. Everything happens in one thread, and time is counted in operations, so that a run is a
 * function of its configuration and of the console input alone.
 */
#ifndef VSPE_MACHINE_H
#define VSPE_MACHINE_H

#include "pmu/event.h"
#include "choices.h"

struct virtio_device; /* device/virtio.h */

#define MACHINE_MAX_CPUS 64
#define MACHINE_MAX_MIB	 (256 * 1024)
#define MACHINE_MIN_HZ	 1000000u

/*
 * MIDR_EL1 of every vCPU: Implementer 0 is reserved for software use, Architecture 0xf says that
 * the ID registers describe the PE, PartNum is ours to choose.
 */
#define MACHINE_MIDR 0x000f0560u

/* ... or that of a core. NULL: none. */
static inline uint32_t machine_midr(const struct spe_core *core)
{
	return core && core->midr ? core->midr : MACHINE_MIDR;
}

/* What the host side of the console has to say. */
enum machine_console_event {
	MACHINE_CONSOLE_NONE,
	MACHINE_CONSOLE_QUIT,	/* the user asked to end the machine */
	MACHINE_CONSOLE_SIGNAL, /* the process was asked to end */
	MACHINE_CONSOLE_SAVE,	/* ... to save the machine */
	MACHINE_CONSOLE_BREAK,	/* a break comes, instead of input */
	MACHINE_CONSOLE_BROKEN, /* output cannot be written any more */
};

/* The host side of the console. All callbacks get ctx and must be there. */
struct machine_console {
	void *ctx;
	void (*put)(void *ctx, uint8_t byte);
	/*
	 * Write out what was put, and wait up to timeout_ms (0: not at all, -1: for ever) for
	 * input: at most room bytes, *got of them have come. Signals and the end of input end the
	 * wait.
	 */
	enum machine_console_event (*poll)(void *ctx, int timeout_ms, uint8_t *bytes, size_t room,
					   size_t *got);
	/* May input still come? */
	bool (*open)(void *ctx);
	/* What is asked of the machine, without input and without waiting; NULL: nothing ever. */
	enum machine_console_event (*asked)(void *ctx);
};

struct machine_config {
	struct choices choices;
	const struct engine_tuning *tuning; /* of the engine; NULL: its default */
	bool count_events; /* count each PMU event of SPE: it costs time for each sample */
	/*
	 * The flash of the firmware's variables, FLASH_BANK bytes, which is written as it is. Path,
	 * or NULL: it is in memory, and erased at the beginning.
	 */
	const char *variables;
	/* It comes from another process, which has its files until then: machine_lock_files(). */
	bool arrives;
	struct virtio_device *const *virtio; /* DEVICE_VIRTIO of them or NULL; NULL: none */
	uint64_t timeout_ms;		     /* of host time; 0: none */
	struct machine_console console;
	/* Sample records as a vCPU writes them. NULL: not wanted. A result below 0 ends the
	 * machine. */
	void *sample_ctx;
	int (*sample)(void *ctx, unsigned int cpu, const uint8_t *bytes, size_t size);
	/*
	 * Describe what the host's side keeps for the guest, to be saved or loaded with the
	 * machine. NULL: nothing.
	 */
	void *host_ctx;
	void (*host_state)(void *ctx, struct state *state);
	/* Lines of engine_host.note. NULL: not wanted. */
	void (*note)(void *ctx, const char *line);
	void *note_ctx;
};

/* How a machine ended. */
enum machine_end {
	MACHINE_POWER_OFF, /* the guest called SYSTEM_OFF */
	MACHINE_QUIT,	   /* the user typed the escape sequence */
	MACHINE_LOST,	   /* the guest jumped into nothing */
	MACHINE_STUCK,	   /* every vCPU waits or is off, and nothing can ever wake one */
	MACHINE_ERROR,	   /* the engine, the console or the sample sink failed */
	MACHINE_NO_REBOOT, /* the guest reset itself, and machine_config.no_reboot is set */
	MACHINE_TIMEOUT,
	MACHINE_SIGNAL,
	MACHINE_SAVE, /* it is to be saved here: machine_save(), and machine_run() goes on */
};

#define MACHINE_EXIT_REASONS (ENGINE_EXIT_ERROR + 1)

/* Counts since the machine was created. They go on over a reset. */
struct machine_vcpu_stats {
	uint64_t operations;
	/* All but what the unit itself counts only with machine_config.count_events. */
	uint64_t events[PMU_SAMPLES];
	uint64_t records, bytes;      /* written to the guest's buffer */
	uint64_t lost;		      /* records not written, or not wholly */
	uint64_t misuse[SPE_MISUSES]; /* with --spe check: of libvspe, by the engine */
	uint64_t skid; /* operations by which a concurrent engine missed selected ones */
	uint64_t buffer_interrupts; /* rising edges of the SPE interrupt */
	uint64_t exits[MACHINE_EXIT_REASONS];
};

struct machine_stats {
	uint64_t time; /* of the system counter: all operations and idle time, across resets */
	uint64_t idle; /* ... of it, skipped because every vCPU waited */
	uint64_t resets;
	struct engine_account engine; /* what it alone knows how to tell */
	struct machine_vcpu_stats vcpu[MACHINE_MAX_CPUS];
};

struct machine;

/*
 * Make a machine and load its guest. NULL with a line in why, naming the file or value: that is an
 * error of input. config is copied; what it points to must outlive the machine.
 */
struct machine *machine_create(const struct machine_config *config, char *why, size_t size);

/* The device tree the guest is given: *size bytes, valid until machine_destroy(). */
const void *machine_device_tree(const struct machine *machine, size_t *size);

/* Where the guest's image was placed: physical addresses. */
void machine_image(const struct machine *machine, uint64_t *start, uint64_t *size);

/*
 * Run to the end, or on from MACHINE_SAVE or machine_restore(). A line in why when it is not
 * MACHINE_POWER_OFF.
 */
enum machine_end machine_run(struct machine *machine, char *why, size_t size);

/* Operations that all vCPUs have executed since the machine was created, resets included. */
uint64_t machine_operations(const struct machine *machine);

/*
 * Stop with MACHINE_SAVE when that many have been executed; not less than there are already.
 * UINT64_MAX: never. Not with a concurrent engine.
 */
void machine_save_at(struct machine *machine, uint64_t operations);

/*
 * Have machine_run() look at the console and the clock soon, whatever the guest does. May be called
 * from a signal handler of the thread that machine_run() is in. What the guest does, and when, is
 * not changed by it.
 */
void machine_hurry(struct machine *machine);

/*
 * Samples of a vCPU that have collided. For the thread of that vCPU, or when the machine does not
 * run.
 */
uint64_t machine_collisions(const struct machine *machine, unsigned int cpu);
/*
 * Where the vectors of the Exception level are that a vCPU is at; 0 at EL0, or if that is not
 * known. For the thread of that vCPU.
 */
uint64_t machine_vectors(const struct machine *machine, unsigned int cpu);

void machine_stats(const struct machine *machine, struct machine_stats *stats);

/* NULL is nothing to do. */
void machine_destroy(struct machine *machine);

/* The name of an exit reason ("wfi"); static storage. */
const char *machine_exit_name(enum engine_exit_reason reason);

#endif
