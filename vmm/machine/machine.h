/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtual machine: RAM, devices, a guest, and the scheduler that gives its vCPUs their turns on
 * an engine. Everything happens in one thread, and time is counted in operations, so a run depends
 * only on its configuration and on the console input.
 */
#ifndef VSPE_MACHINE_H
#define VSPE_MACHINE_H

#include "pmu/event.h"
#include "choices.h"

struct virtio_device; /* device/virtio.h */

#define MACHINE_MAX_CPUS 64
#define MACHINE_MAX_MIB	 (256 * 1024)
/* Operations of a vCPU in a window of --time parallel: the default, the least and the most. */
#define MACHINE_WINDOW	   16384u
#define MACHINE_WINDOW_MIN 128u
#define MACHINE_WINDOW_MAX (1u << 20)
#define MACHINE_MIN_HZ	   1000000u

/*
 * MIDR_EL1 of every vCPU. Implementer 0 is reserved for software use, Architecture 0xf says that
 * the ID registers describe the PE, and PartNum is vspe's choice.
 */
#define MACHINE_MIDR 0x000f0560u

/* ... or that of a core. NULL: none. */
static inline uint32_t machine_midr(const struct spe_core *core)
{
	return core && core->midr ? core->midr : MACHINE_MIDR;
}

/* Events on the host side of the console. */
enum machine_console_event {
	MACHINE_CONSOLE_NONE,
	MACHINE_CONSOLE_QUIT,	/* the user requested the end */
	MACHINE_CONSOLE_SIGNAL, /* a signal requested the end */
	MACHINE_CONSOLE_SAVE,	/* ... to save the machine */
	MACHINE_CONSOLE_BREAK,	/* a break instead of input */
	MACHINE_CONSOLE_BROKEN, /* output cannot be written any more */
};

/* The host side of the console. All callbacks get ctx and must be there. */
struct machine_console {
	void *ctx;
	void (*put)(void *ctx, uint8_t byte);
	/*
	 * Write out pending output, and wait up to timeout_ms (0: not at all, -1: for ever) for
	 * input: at most room bytes, *got of which have arrived. Signals and the end of input end
	 * the wait.
	 */
	enum machine_console_event (*poll)(void *ctx, int timeout_ms, uint8_t *bytes, size_t room,
					   size_t *got);
	/* May input still come? */
	bool (*open)(void *ctx);
	/* Return a pending request, without input and without waiting. NULL: there never is one. */
	enum machine_console_event (*asked)(void *ctx);
};

struct machine_config {
	struct choices choices;
	const struct engine_tuning *tuning; /* of the engine; NULL: its default */
	bool count_events; /* count each PMU event of SPE, which costs time for each sample */
	/*
	 * The flash of the firmware's variables, FLASH_BANK bytes, which is written in place. A
	 * path, or NULL: it is in memory, and erased at the beginning.
	 */
	const char *variables;
	/*
	 * It arrives from another process, which keeps its files until then: machine_lock_files().
	 */
	bool arrives;
	struct virtio_device *const *virtio; /* DEVICE_VIRTIO of them or NULL; NULL: none */
	uint64_t timeout_ms;		     /* of host time; 0: none */
	struct machine_console console;
	/*
	 * Gets sample records as a vCPU writes them, if not NULL. A negative result ends the
	 * machine.
	 */
	void *sample_ctx;
	int (*sample)(void *ctx, unsigned int cpu, const uint8_t *bytes, size_t size);
	/*
	 * Describe the host side's state for the guest, to be saved or loaded with the machine.
	 * NULL: none.
	 */
	void *host_ctx;
	void (*host_state)(void *ctx, struct state *state);
	/* Gets lines of engine_host.note, if not NULL. */
	void (*note)(void *ctx, const char *line);
	void *note_ctx;
};

/* How a machine ended. */
enum machine_end {
	MACHINE_POWER_OFF, /* the guest called SYSTEM_OFF */
	MACHINE_QUIT,	   /* the user typed the escape sequence */
	MACHINE_LOST,	   /* the guest jumped to an address without memory */
	MACHINE_STUCK,	   /* every vCPU waits or is off, and nothing can wake one */
	MACHINE_ERROR,	   /* the engine, the console or the sample sink failed */
	MACHINE_NO_REBOOT, /* the guest reset itself, and machine_config.no_reboot is set */
	MACHINE_TIMEOUT,
	MACHINE_SIGNAL,
	MACHINE_SAVE, /* stop for machine_save(); machine_run() can continue */
};

#define MACHINE_EXIT_REASONS (ENGINE_EXIT_ERROR + 1)

/* Counts since the machine was created. A reset does not clear them. */
struct machine_vcpu_stats {
	uint64_t operations;
	/* All except the unit's own counts only with machine_config.count_events. */
	uint64_t events[PMU_SAMPLES];
	uint64_t records, bytes;      /* written to the guest's buffer */
	uint64_t lost;		      /* records not written, or not completely */
	uint64_t misuse[SPE_MISUSES]; /* with --spe check: the engine's misuse of libvspe */
	uint64_t skid;		      /* how late a concurrent engine sampled, in operations */
	uint64_t buffer_interrupts;   /* rising edges of the SPE interrupt */
	uint64_t exits[MACHINE_EXIT_REASONS];
};

struct machine_stats {
	uint64_t time; /* of the system counter: operations and idle time, across resets */
	uint64_t idle; /* ... the part that was skipped because every vCPU waited */
	uint64_t resets;
	struct engine_account engine; /* what only the engine can print */
	struct machine_vcpu_stats vcpu[MACHINE_MAX_CPUS];
};

struct machine;

/*
 * Make a machine and load its guest. NULL with a line in why that names the wrong file or value,
 * which is an input error. config is copied; what it points to must outlive the machine.
 */
struct machine *machine_create(const struct machine_config *config, char *why, size_t size);

/* The guest's device tree: *size bytes, valid until machine_destroy(). */
const void *machine_device_tree(const struct machine *machine, size_t *size);

/* The physical addresses of the guest's image. */
void machine_image(const struct machine *machine, uint64_t *start, uint64_t *size);

/*
 * Run to the end, or continue after MACHINE_SAVE or machine_restore(). A line in why unless it is
 * MACHINE_POWER_OFF.
 */
enum machine_end machine_run(struct machine *machine, char *why, size_t size);

/* Operations that all vCPUs have executed since the machine was created, across resets. */
uint64_t machine_operations(const struct machine *machine);

/*
 * Stop with MACHINE_SAVE after this many operations; not less than so far. UINT64_MAX: never. Not
 * with a concurrent engine.
 */
void machine_save_at(struct machine *machine, uint64_t operations);

/*
 * Have machine_run() check the console and the clock soon, whatever the guest does. May be called
 * from a signal handler of the thread that runs machine_run(). It does not change what the guest
 * does, nor when.
 */
void machine_hurry(struct machine *machine);

/*
 * How many samples of a vCPU have collided. For the thread of that vCPU, or when the machine does
 * not run.
 */
uint64_t machine_collisions(const struct machine *machine, unsigned int cpu);
/*
 * The address of the vectors of a vCPU's current Exception level; 0 at EL0, or if it is not known.
 * For the thread of that vCPU.
 */
uint64_t machine_vectors(const struct machine *machine, unsigned int cpu);

void machine_stats(const struct machine *machine, struct machine_stats *stats);

/* NULL is allowed. */
void machine_destroy(struct machine *machine);

/* The name of an exit reason ("wfi"); static storage. */
const char *machine_exit_name(enum engine_exit_reason reason);

#endif
