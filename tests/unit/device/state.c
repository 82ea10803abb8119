// SPDX-License-Identifier: BSD-2-Clause
/* Devices to bytes: nothing that a device keeps is forgotten. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "../described.h"
#include "device/gic.h"
#include "device/pl011.h"
#include "device/pl061.h"
#include "device/timer.h"

#define WIDTH(type, field) sizeof(((struct type *)NULL)->field)

static void pl011(void *object, struct state *state)
{
	pl011_state(object, state);
}

static void pl061(void *object, struct state *state)
{
	pl061_state(object, state);
}

static void timers(void *object, struct state *state)
{
	timer_state(object, state);
}

static void gic(void *object, struct state *state)
{
	gic_state(object, state);
}

Test(state, no_field_of_a_uart_is_forgotten)
{
	struct pl011 uart = {0};

	/* ctx and the two callbacks are not; line is a bool at the end of a word. */
	cr_assert_eq(described(&uart, 0, offsetof(struct pl011, line) + 1, pl011),
		     PL011_FIFO + 2 * WIDTH(pl011, head) + 9 * WIDTH(pl011, ris) + 1);
}

Test(state, no_field_of_a_gpio_is_forgotten)
{
	struct pl061 gpio = {0};

	cr_assert_eq(described(&gpio, 0, sizeof(gpio), pl061), offsetof(struct pl061, line) + 1);
}

Test(state, no_field_of_the_timers_is_forgotten)
{
	struct timer_cpu cpu = {0};

	cr_assert_eq(described(&cpu, 0, sizeof(cpu), timers),
		     8 + TIMER_KINDS * (offsetof(struct timer, imask) + 1));
}

Test(state, no_field_of_the_gic_is_forgotten)
{
	/* A byte of padding in each. */
	const size_t irq = sizeof(struct gic_irq) - 1, iface = sizeof(struct gic_interface) - 1;
	const size_t virt = iface + 8 * GIC_LIST_REGISTERS + 4;
	struct gic *object = calloc(1, sizeof(*object));

	/* cpus follows from the configuration. */
	gic_init(object, 1, NULL, NULL);
	cr_assert_eq(
		described(object, offsetof(struct gic, enable), offsetof(struct gic, cpu[1]), gic),
		GIC_GROUPS + (GIC_SPIS + GIC_PRIVATE) * irq + 1 + iface + virt + GIC_OUTPUTS);
	free(object);
}
