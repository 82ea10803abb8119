/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine by its firmware, which uses a device tree or ACPI tables. Callers need not know
 * which. Addresses are physical, interrupts are INTIDs of the GIC.
 */
#ifndef GUEST_PLATFORM_H
#define GUEST_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

/* Serial ports that console.c can write to. */
enum uart_kind {
	UART_PL011, /* Arm DDI 0183 */
	UART_SBSA,  /* the subset of Arm's BSA: firmware has set it up and enabled it */
	UART_8250,
};

struct platform_uart {
	enum uart_kind kind;
	uint64_t base, size;
	uint32_t shift;	   /* register n is at n << shift ... */
	uint32_t io_width; /* ... and is accessed by so many bytes, 1 or 4 */
};

/* Redistributors are in regions, or each is alone where the table of a CPU names its own. */
#define PLATFORM_REGIONS 64

struct platform_gic {
	unsigned int version;	     /* 2 or 3; a GICv4 is a GICv3 here */
	uint64_t base, size;	     /* the distributor */
	uint64_t cpu_base, cpu_size; /* the CPU interface of a GICv2 */
	unsigned int regions;	     /* of a GICv3 */
	struct {
		uint64_t base, size;
	} region[PLATFORM_REGIONS];
};

/* Private interrupts. The timers are in the order of the device tree's node. */
enum platform_interrupt {
	PLATFORM_TIMER_SECURE, /* the physical timer of EL1 */
	PLATFORM_TIMER_PHYSICAL,
	PLATFORM_TIMER_VIRTUAL,
	PLATFORM_TIMER_HYP,
	PLATFORM_TIMER_HYP_VIRTUAL,
	PLATFORM_SPE,
	PLATFORM_PMU,
	PLATFORM_MAINTENANCE, /* of the GIC's virtual CPU interface */
};

/* Find the device tree or the ACPI tables. False if there is neither: then nothing is known. */
bool platform_open(void);
/* "device tree" or "ACPI tables", for messages. */
const char *platform_source(void);

/* The console; false if the firmware names none that console.c knows. */
bool platform_uart(struct platform_uart *uart);
/* "hvc" or "smc"; NULL if there is no PSCI. */
const char *platform_psci(void);
bool platform_gic(struct platform_gic *gic);
/* The RAM that may be used around pa; false if there is none. */
bool platform_memory(uint64_t pa, uint64_t *base, uint64_t *size);
/* 0 if the firmware names none. */
uint32_t platform_interrupt(enum platform_interrupt which);
/*
 * The MPIDR affinity of CPU n; false if there are fewer. CPU 0 is the first to call, which is the
 * one that was started; the others are in the firmware's order.
 */
bool platform_cpu(unsigned int n, uint64_t *mpidr);
unsigned int platform_cpus(void);

/*
 * "name=value" of the boot arguments as a number, decimal or 0x; fallback if it is missing. Boot
 * arguments are those of the EFI application, if it has any, or else /chosen/bootargs.
 */
uint64_t bootarg(const char *name, uint64_t fallback);

/*
 * The two sources, one of which platform.c chooses. cpu counts in the firmware's order. interrupt
 * is for the CPU with this affinity, as kinds of CPUs may differ.
 */
struct platform_source {
	const char *name;
	bool (*uart)(struct platform_uart *uart);
	const char *(*psci)(void);
	bool (*gic)(struct platform_gic *gic);
	bool (*memory)(uint64_t pa, uint64_t *base, uint64_t *size);
	uint32_t (*interrupt)(enum platform_interrupt which, uint64_t mpidr);
	bool (*cpu)(unsigned int n, uint64_t *mpidr);
	const char *(*arguments)(void);
};

/* Each is NULL if it finds nothing at pa, which the firmware gave. */
const struct platform_source *platform_tree(uint64_t pa);
const struct platform_source *platform_acpi(uint64_t pa);

#endif
