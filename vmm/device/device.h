/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a device is. Each has a file with one struct device_type, and a row in devices.def. The
 * machine walks that list to route accesses, to reset, to save, and to describe devices in the
 * device tree. It knows no device by name, and a device knows no machine: all that it can use is a
 * struct device_host.
 */
#ifndef VSPE_DEVICE_H
#define VSPE_DEVICE_H

#include "arm/encoding.h"
#include "base/state.h"
#include "choices.h"

#define DEVICE_MAX_CPUS	    64
#define DEVICE_NEVER	    UINT64_MAX /* no deadline */
#define DEVICE_CONSOLE_ROOM 16	       /* the most bytes of input that a console takes at once */

/*
 * What a device does for one access is bounded, so that the host can check signals and its clock.
 * An access moves at most DEVICE_PIECE bytes, or takes about as long. The rest follows
 * DEVICE_PAUSE_NS later, in update(). A disk that is read only from the host's memory moves about 4
 * GiB in a second.
 */
#define DEVICE_PIECE	(UINT64_C(4) << 20)
#define DEVICE_PAUSE_NS UINT64_C(1000000)

#define DEVICE_WINDOWS	  2
#define DEVICE_INTERRUPTS 8
#define DEVICE_SYSREGS	  2
#define DEVICE_VIRTIO	  8 /* devices of virtio */

struct device;
struct acpi;	      /* device/acpi.h */
struct fw_cfg_files;  /* device/fw_cfg.h */
struct tree;	      /* device/tree.h */
struct virtio_device; /* device/virtio.h */
struct flash_store;   /* device/flash.h */

/* What a device sees of its machine. */
struct device_config {
	struct choices choices;
	bool concurrent;			     /* its engine has the GIC and the timers */
	uint32_t midr;				     /* of its PEs */
	const struct flash_store *flash;	     /* NULL: no flash, and so no firmware in it */
	const struct fw_cfg_files *fw_cfg;	     /* the contents of fw_cfg; NULL: no fw_cfg */
	struct virtio_device *virtio[DEVICE_VIRTIO]; /* NULL: nothing there */
};

/* The interrupt inputs of a PE. */
enum device_input {
	DEVICE_FIQ,  /* Group 0 */
	DEVICE_IRQ,  /* Group 1 */
	DEVICE_VFIQ, /* the same of the virtual CPU interface */
	DEVICE_VIRQ,
	DEVICE_INPUTS
};

enum device_power { DEVICE_POWER_OFF, DEVICE_RESTART };

/* What a device may use. Every callback gets ctx, and all are there. */
struct device_host {
	void *ctx;
	/*
	 * The level of an input of the interrupt controller: a PPI of the vCPU (INTID 16 to 31) or
	 * an SPI (32 on; cpu is ignored). One of device_type.interrupts.
	 */
	void (*set_line)(void *ctx, unsigned int cpu, unsigned int intid, bool level);
	/* Only for the interrupt controller: the level of a PE's input has changed. */
	void (*set_input)(void *ctx, unsigned int cpu, enum device_input input, bool level);
	/* The system counter now, exact to the operation being executed. */
	uint64_t (*now)(void *ctx);
	/* The same as the vCPU reads it: not less than any vCPU has read before. */
	uint64_t (*read_counter)(void *ctx, unsigned int cpu);
	/*
	 * The vCPU has moved a deadline closer, so it must stop before its next operation to check
	 * it.
	 */
	void (*reschedule)(void *ctx, unsigned int cpu);
	/* A byte of console output. */
	void (*transmit)(void *ctx, uint8_t byte);
	/*
	 * size bytes of RAM at a guest physical address, valid until the access is over. NULL: not
	 * all of them are RAM.
	 */
	uint8_t *(*memory)(void *ctx, uint64_t pa, uint64_t size);
	/* The power switch: nothing executes after the current operation. */
	void (*power)(void *ctx, enum device_power what);
};

/* Guest physical addresses that a device answers at. */
struct device_window {
	uint64_t base, size; /* bytes; size 0: no window */
	bool each_cpu;	     /* size is a vCPU's part; the parts follow each other */
	/*
	 * offset is below size (or that of all parts) and a multiple of bytes, which is 1, 2, 4 or
	 * 8; value has as many bytes. cpu is the vCPU that makes the access. Without write, writes
	 * are ignored.
	 */
	uint64_t (*read)(struct device *device, unsigned int cpu, uint64_t offset,
			 unsigned int bytes);
	void (*write)(struct device *device, unsigned int cpu, uint64_t offset, unsigned int bytes,
		      uint64_t value);
};

/*
 * System registers that a device answers for: those whose encoding (of struct engine_host) equals
 * value in the bits of mask. No register belongs to two devices.
 */
struct device_sysregs {
	uint32_t mask, value; /* mask 0: none */
};

/* The fields of an encoding, for device_sysregs. */
#define DEVICE_CRN_MASK SYSREG_ENCODING(0, 0, 15, 0, 0)
#define DEVICE_CRM_HIGH SYSREG_ENCODING(0, 0, 0, 8, 0) /* CRm 8 to 15 */
#define DEVICE_SYSREG(encoding)              \
	{                                    \
		UINT32_C(0xffff), (encoding) \
	}

/*
 * What a console has in addition. The first existing one is that of /chosen, and takes each break.
 * Input goes to the last one that takes it.
 */
struct device_console {
	const char *path; /* of its node, for /chosen; the first has one */
	/* Does it take input in such a machine? If not, nothing below is called. NULL: yes. */
	bool (*takes_input)(const struct device *device);
	/* How many bytes receive() can take now. */
	size_t (*room)(const struct device *device);
	/* Input: count is at most room(). */
	void (*receive)(struct device *device, const uint8_t *bytes, size_t count);
	/* A break on its line, which takes one place of room(). Only the first console has this. */
	void (*receive_break)(struct device *device);
	/* Would input raise its interrupt? */
	bool (*wants_input)(const struct device *device);
};

/* What the interrupt controller has in addition. */
struct device_controller {
	/* See device_host.set_line. */
	void (*set_line)(struct device *device, unsigned int cpu, unsigned int intid, bool level);
	/*
	 * Is a physical interrupt signalled to a vCPU now? The virtual CPU interface cannot wake a
	 * waiting one, because what it signals only changes through the vCPU's own accesses.
	 */
	bool (*signalled)(const struct device *device, unsigned int cpu);
};

/* A device's ACPI table. */
struct device_table {
	const char *signature; /* NULL: none */
	uint8_t revision;
	void (*write)(struct acpi *acpi, const struct device_config *config);
};

/* A kind of device. What it lacks is 0 or NULL. */
struct device_type {
	const char *name;
	size_t size; /* of a struct that begins with a struct device; 0: no state */
	/* Does such a machine have it, on the bus and in the device tree? NULL: all do. */
	bool (*exists)(const struct device_config *config);
	bool of_engine; /* a concurrent engine has it, except for its node */
	bool of_pe;	/* there is one in each PE: saved for each vCPU */
	struct device_window windows[DEVICE_WINDOWS];
	/* INTIDs that only it drives. 0: none. */
	uint16_t interrupts[DEVICE_INTERRUPTS];
	struct device_sysregs sysregs[DEVICE_SYSREGS];
	/* False: there is no such register to read (or write), so the access is UNDEFINED. */
	bool (*sysreg_read)(struct device *device, unsigned int cpu, uint32_t encoding,
			    uint64_t *value);
	bool (*sysreg_write)(struct device *device, unsigned int cpu, uint32_t encoding,
			     uint64_t value);
	/*
	 * Set what is not 0 before the first operation. Everything after struct device is already
	 * 0.
	 */
	void (*reset)(struct device *device);
	/*
	 * Reset the part of the device in a vCPU's PE. cold: its power was off; otherwise the parts
	 * that are always on keep their state.
	 */
	void (*reset_cpu)(struct device *device, unsigned int cpu, bool cold);
	/* Set the lines to their levels at counter value now. */
	void (*update)(struct device *device, uint64_t now);
	/* The counter value, above now, at which a line next changes by itself; or DEVICE_NEVER. */
	uint64_t (*deadline)(const struct device *device, uint64_t now);
	/* Both for the part of the device in a vCPU's PE, where now is that vCPU's time. */
	void (*update_cpu)(struct device *device, unsigned int cpu, uint64_t now);
	uint64_t (*deadline_cpu)(const struct device *device, unsigned int cpu, uint64_t now);
	/* Check whether something has arrived from outside. NULL: nothing does. */
	bool (*arrive)(struct device *device);
	/* May something arrive that raises its interrupt? NULL: no. */
	bool (*waits)(const struct device *device);
	/*
	 * The section of a saved machine (docs/saved-machine.md): its letters, its name in
	 * messages, and its description, for one vCPU if of_pe. Devices that do not exist are saved
	 * too.
	 */
	const char *section, *part;
	uint32_t since; /* the first version of the format that has it; 0: all do */
	/*
	 * How many sections such a machine has for it, 0 to DEVICE_MAX_CPUS; state() gets their
	 * number as cpu. NULL: one, or one for each vCPU. The letters must not begin with the same
	 * one as those of the next section.
	 */
	unsigned int (*sections)(const struct device_config *config);
	void (*state)(struct device *device, unsigned int cpu, struct state *state);
	/* Its nodes in the device tree. */
	void (*node)(struct tree *tree, const struct device_config *config);
	/*
	 * The same for ACPI: its devices in the DSDT, its part of each GICC structure of the MADT,
	 * which begins at `at`, and its table.
	 */
	void (*aml)(struct acpi *acpi, const struct device_config *config);
	void (*gicc)(struct acpi *acpi, size_t at);
	struct device_table table;
	const struct device_console *console;
	const struct device_controller *controller;
};

/* A device of a machine. */
struct device {
	const struct device_type *type;
	const struct device_config *config;
	const struct device_host *host;
};

#define DEVICE(name) extern const struct device_type device_##name;
#include "device/devices.def"
#undef DEVICE

/* All of them, in the order in which they are reset, updated, saved and described. */
#define DEVICE(name) DEVICE_ROW_##name,
enum {
#include "device/devices.def"
	DEVICE_COUNT
};
#undef DEVICE
extern const struct device_type *const device_types[DEVICE_COUNT];

/* Does a machine have it, and does it have it here instead of in the engine? */
bool device_exists(const struct device_type *type, const struct device_config *config);
bool device_answers(const struct device_type *type, const struct device_config *config);

/*
 * Make a device, and reset it. config and host must outlive it. NULL: no memory; otherwise the
 * caller owes device_free().
 */
struct device *device_make(const struct device_type *type, const struct device_config *config,
			   const struct device_host *host);
/* NULL is allowed. */
void device_free(struct device *device);

/* Put it in its state before the first operation, without setting any line. */
void device_reset(struct device *device);

/* Is it a console that takes input? */
bool device_takes_input(const struct device *device);

/* How many sections a saved machine has of the device. */
unsigned int device_sections(const struct device *device);

/* Bytes of a window in such a machine. */
uint64_t device_window_size(const struct device_window *window, const struct device_config *config);

#endif
