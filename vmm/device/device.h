/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a device is. Each has a file with one struct device_type, and a row in devices.def. The
 * machine walks that list: where an access goes, what is reset, saved and put in the device tree.
 * It knows no device by name, and a device knows no machine: what it may ask for is a struct
 * device_host.
 */
#ifndef VSPE_DEVICE_H
#define VSPE_DEVICE_H

#include "arm/encoding.h"
#include "base/state.h"
#include "choices.h"

#define DEVICE_MAX_CPUS	    64
#define DEVICE_NEVER	    UINT64_MAX /* a deadline that there is not */
#define DEVICE_CONSOLE_ROOM 16	       /* bytes of input that a console takes at once, at most */

/*
 * What a device does for one access is bounded, so that the host gets to look at signals and its
 * clock. It moves so many bytes, or does what takes as long; the rest is due so much later, in
 * update(). A disk whose reads all come out of the host's memory moves about 4 GiB in a second.
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

/* The machine that a device is part of, as far as it looks at it. */
struct device_config {
	struct choices choices;
	bool concurrent;		   /* its engine has the GIC and the timers itself */
	uint32_t midr;			   /* of its PEs */
	const struct flash_store *flash;   /* NULL: no flash, and so no firmware in it */
	const struct fw_cfg_files *fw_cfg; /* what it is given; NULL: no fw_cfg */
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

/* What a device may ask for. Every callback gets ctx, and all are there. */
struct device_host {
	void *ctx;
	/*
	 * The level of an input of the interrupt controller: a PPI of the vCPU (INTID 16 to 31) or
	 * an SPI (32 on; cpu is ignored). One of device_type.interrupts.
	 */
	void (*set_line)(void *ctx, unsigned int cpu, unsigned int intid, bool level);
	/* The interrupt controller alone: the level of a PE's input has changed. */
	void (*set_input)(void *ctx, unsigned int cpu, enum device_input input, bool level);
	/* The system counter now, exact to the operation being executed. */
	uint64_t (*now)(void *ctx);
	/* The vCPU has brought a deadline nearer: it goes no further before that is looked at. */
	void (*reschedule)(void *ctx, unsigned int cpu);
	/* A byte of console output. */
	void (*transmit)(void *ctx, uint8_t byte);
	/*
	 * size bytes of RAM at a guest physical address, valid until the access is over. NULL: not
	 * all of them are RAM.
	 */
	uint8_t *(*memory)(void *ctx, uint64_t pa, uint64_t size);
	/* The power switch: what runs executes nothing behind the present operation. */
	void (*power)(void *ctx, enum device_power what);
};

/* Guest physical addresses that a device answers at. */
struct device_window {
	uint64_t base, size; /* bytes; size 0: there is none */
	bool each_cpu;	     /* size is a vCPU's part; the parts lie one behind the other */
	/*
	 * offset is below size (or that of all parts) and a multiple of bytes, which is 1, 2, 4 or
	 * 8; value has as many bytes. cpu is the vCPU that makes the access. Without write,
	 * writes are ignored.
	 */
	uint64_t (*read)(struct device *device, unsigned int cpu, uint64_t offset,
			 unsigned int bytes);
	void (*write)(struct device *device, unsigned int cpu, uint64_t offset, unsigned int bytes,
		      uint64_t value);
};

/*
 * System registers that a device answers for: those whose encoding (of struct engine_host) is value
 * in the bits of mask. No register is of two devices.
 */
struct device_sysregs {
	uint32_t mask, value; /* mask 0: there are none */
};

/* The fields of an encoding, for device_sysregs. */
#define DEVICE_CRN_MASK SYSREG_ENCODING(0, 0, 15, 0, 0)
#define DEVICE_CRM_HIGH SYSREG_ENCODING(0, 0, 0, 8, 0) /* CRm 8 to 15 */
#define DEVICE_SYSREG(encoding)              \
	{                                    \
		UINT32_C(0xffff), (encoding) \
	}

/*
 * What a device that is a console has besides. The first of them that there is is the one of
 * /chosen, and takes each break; input is that one's which takes it and is the last.
 */
struct device_console {
	const char *path; /* of its node, for /chosen; the first has one */
	/* Does such a machine's take input? It is asked for nothing if not. NULL: yes. */
	bool (*takes_input)(const struct device *device);
	/* How many bytes receive() can take now. */
	size_t (*room)(const struct device *device);
	/* Input: count is at most room(). */
	void (*receive)(struct device *device, const uint8_t *bytes, size_t count);
	/* A break on its line, which is one of room(). The first has it. */
	void (*receive_break)(struct device *device);
	/* Would input raise its interrupt? */
	bool (*wants_input)(const struct device *device);
};

/* What the interrupt controller has besides. */
struct device_controller {
	/* See device_host.set_line. */
	void (*set_line)(struct device *device, unsigned int cpu, unsigned int intid, bool level);
	/*
	 * Is a physical interrupt signalled to a vCPU now? The virtual CPU interface cannot wake
	 * one that waits: what it signals changes by the vCPU's own accesses alone.
	 */
	bool (*signalled)(const struct device *device, unsigned int cpu);
};

/* An ACPI table of a device's own. */
struct device_table {
	const char *signature; /* NULL: it has none */
	uint8_t revision;
	void (*write)(struct acpi *acpi, const struct device_config *config);
};

/* A kind of device. Whatever is not there is 0 or NULL. */
struct device_type {
	const char *name;
	size_t size; /* of a struct that begins with a struct device; 0: it keeps nothing */
	/* Does such a machine have it: on the bus and in the device tree? NULL: every one. */
	bool (*exists)(const struct device_config *config);
	bool of_engine; /* a concurrent engine has it itself, all but its node */
	bool of_pe;	/* there is one in each PE: it is saved for each vCPU */
	struct device_window windows[DEVICE_WINDOWS];
	/* INTIDs that it drives and no other does. 0: none. */
	uint16_t interrupts[DEVICE_INTERRUPTS];
	struct device_sysregs sysregs[DEVICE_SYSREGS];
	/* false: no such register for reading (or writing), so the access is UNDEFINED. */
	bool (*sysreg_read)(struct device *device, unsigned int cpu, uint32_t encoding,
			    uint64_t *value);
	bool (*sysreg_write)(struct device *device, unsigned int cpu, uint32_t encoding,
			     uint64_t value);
	/* What is not 0 before the first operation. What is behind struct device is 0 already. */
	void (*reset)(struct device *device);
	/*
	 * A vCPU comes out of reset: what of the device is in its PE. cold: its power was off,
	 * otherwise what is always on goes on.
	 */
	void (*reset_cpu)(struct device *device, unsigned int cpu, bool cold);
	/* Set the lines to what they are at counter value now. */
	void (*update)(struct device *device, uint64_t now);
	/* The counter value, above now, at which a line changes by itself; or DEVICE_NEVER. */
	uint64_t (*deadline)(const struct device *device, uint64_t now);
	/* Something may have come for it from outside: has it? NULL: nothing does. */
	bool (*arrive)(struct device *device);
	/* May something come that raises its interrupt? NULL: no. */
	bool (*waits)(const struct device *device);
	/*
	 * The section of a saved machine (docs/saved-machine.md): its letters, what it is called in
	 * messages, and what describes it, of one vCPU if it is of_pe. Devices that do not exist
	 * are saved too.
	 */
	const char *section, *part;
	uint32_t since; /* the first version of the format that has it; 0: all do */
	/*
	 * How many sections such a machine has of it, none to DEVICE_MAX_CPUS; state() gets their
	 * number for cpu. NULL: one, or one for each vCPU. The letters begin with another one than
	 * those of the section behind them.
	 */
	unsigned int (*sections)(const struct device_config *config);
	void (*state)(struct device *device, unsigned int cpu, struct state *state);
	/* Its nodes of the device tree. */
	void (*node)(struct tree *tree, const struct device_config *config);
	/*
	 * The same for ACPI: its devices in the DSDT, its part of each GICC structure of the MADT,
	 * which begins at `at`, its table.
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

/* All there are, in the order in which they are reset, updated, saved and described. */
#define DEVICE(name) DEVICE_ROW_##name,
enum {
#include "device/devices.def"
	DEVICE_COUNT
};
#undef DEVICE
extern const struct device_type *const device_types[DEVICE_COUNT];

/* Does a machine have it, and does it have it here, not in the engine? */
bool device_exists(const struct device_type *type, const struct device_config *config);
bool device_answers(const struct device_type *type, const struct device_config *config);

/*
 * Make a device, reset. config and host have to outlive it. NULL: no memory; device_free() is owed.
 */
struct device *device_make(const struct device_type *type, const struct device_config *config,
			   const struct device_host *host);
/* NULL is nothing to do. */
void device_free(struct device *device);

/* As it is before the first operation; no line is set. */
void device_reset(struct device *device);

/* Is it a console that takes input? */
bool device_takes_input(const struct device *device);

/* How many sections a saved machine has of the device. */
unsigned int device_sections(const struct device *device);

/* Bytes of a window on such a machine. */
uint64_t device_window_size(const struct device_window *window, const struct device_config *config);

#endif
