// SPDX-License-Identifier: BSD-2-Clause
/* What an engine asks of the machine (engine.h): devices, time, interrupts and sample records. */
#include <stdarg.h>
#include <stdio.h>

#include "machine/machine_state.h"
#include "machine/memory_map.h"

void machine_finish(struct machine *machine, enum machine_end end, const char *format, ...)
{
	va_list arguments;

	if (machine->request == MACHINE_END)
		return;
	machine->request = MACHINE_END;
	machine->end = end;
	va_start(arguments, format);
	(void)vsnprintf(machine->why, sizeof(machine->why), format, arguments);
	va_end(arguments);
}

void machine_finish_vcpu(struct machine *machine, unsigned int cpu, const struct engine_exit *exit)
{
	char where[160];

	machine->config.engine->vcpu_describe(machine->vcpu[cpu].engine, where, sizeof(where));
	machine_finish(machine, exit->reason == ENGINE_EXIT_LOST ? MACHINE_LOST : MACHINE_ERROR,
		       "%s (%s)", exit->why, where);
}

uint64_t machine_now(const struct machine *machine)
{
	if (machine->running < 0)
		return machine->elapsed;
	return machine->elapsed - machine->run_start +
	       machine->config.engine->vcpu_ops(machine->vcpu[machine->running].engine);
}

void machine_update_timers(struct machine *machine)
{
	uint64_t now = machine_now(machine);

	for (unsigned int i = 0; i < machine->config.cpus; i++) {
		const struct timer *timer = machine->timers[i].timer;

		for (unsigned int kind = 0; kind < TIMER_KINDS; kind++)
			gic_set_line(&machine->gic, i, timer_intid((enum timer_kind)kind),
				     timer_level(&timer[kind], now));
	}
}

uint64_t machine_deadline(const struct machine *machine)
{
	uint64_t deadline = TIMER_NEVER;

	for (unsigned int i = 0; i < machine->config.cpus; i++) {
		uint64_t mine = timer_deadline(&machine->timers[i], machine_now(machine));

		if (mine < deadline)
			deadline = mine;
	}
	return deadline;
}

void machine_set_line(struct machine *machine, unsigned int cpu, unsigned int intid, bool level)
{
	const struct engine *engine = machine->config.engine;

	if (!engine->concurrent)
		gic_set_line(&machine->gic, cpu, intid, level);
	else if (machine->vm)
		engine->irq_line(machine->vm, cpu, intid, level);
}

void machine_end_turn(struct machine *machine, unsigned int cpu)
{
	machine->turn_over = true;
	machine->config.engine->vcpu_request_exit(machine->vcpu[cpu].engine);
}

static enum engine_answer host_mmio_read(void *ctx, unsigned int cpu, uint64_t pa,
					 unsigned int size, uint64_t *value)
{
	struct machine *machine = ctx;

	return bus_read(&machine->bus, cpu, pa, size, value);
}

static enum engine_answer host_mmio_write(void *ctx, unsigned int cpu, uint64_t pa,
					  unsigned int size, uint64_t value)
{
	struct machine *machine = ctx;

	return bus_write(&machine->bus, cpu, pa, size, value);
}

static enum engine_answer host_sysreg_read(void *ctx, unsigned int cpu, uint32_t encoding,
					   uint64_t *value)
{
	struct machine *machine = ctx;

	if (timer_read(&machine->timers[cpu], encoding, machine_now(machine), value) ||
	    gic_sysreg_read(&machine->gic, cpu, encoding, value))
		return ENGINE_OK;
	return ENGINE_NONE;
}

static enum engine_answer host_sysreg_write(void *ctx, unsigned int cpu, uint32_t encoding,
					    uint64_t value)
{
	struct machine *machine = ctx;

	if (timer_write(&machine->timers[cpu], encoding, machine_now(machine), value)) {
		machine_update_timers(machine);
		/* The turn may now have to end earlier than it was to. */
		machine_end_turn(machine, cpu);
		return ENGINE_OK;
	}
	return gic_sysreg_write(&machine->gic, cpu, encoding, value) ? ENGINE_OK : ENGINE_NONE;
}

static uint64_t host_counter(void *ctx, unsigned int cpu)
{
	(void)cpu;
	return machine_now(ctx);
}

static void host_spe_irq(void *ctx, unsigned int cpu, bool level)
{
	struct machine *machine = ctx;

	if (level && !machine->vcpu[cpu].spe_line)
		machine->stats.vcpu[cpu].buffer_interrupts++;
	machine->vcpu[cpu].spe_line = level;
	machine_set_line(machine, cpu, MAP_SPE_INTID, level);
}

static void host_spe_data(void *ctx, unsigned int cpu, const uint8_t *bytes, size_t size)
{
	struct machine *machine = ctx;

	if (machine->config.sample(machine->config.sample_ctx, cpu, bytes, size) < 0) {
		machine_finish(machine, MACHINE_ERROR, "the sample records cannot be written");
		machine_end_turn(machine, cpu);
	}
}

static void host_pmu_event(void *ctx, unsigned int cpu, uint16_t event, uint64_t count)
{
	struct machine *machine = ctx;
	const enum pmu_event known = pmu_event_find(event);

	/* Those before are counted by the unit itself, and added by machine_fold(). */
	if (known >= PMU_SAMPLE_FEED_BR && known < PMU_EVENTS)
		machine->stats.vcpu[cpu].events[known] += count;
}

static void host_interrupt(void *ctx, unsigned int cpu, enum gic_output output, bool level)
{
	struct machine *machine = ctx;
	const struct engine *engine = machine->config.engine;

	if (!machine->vcpu[cpu].engine)
		return;
	switch (output) {
	case GIC_FIQ: engine->vcpu_fiq(machine->vcpu[cpu].engine, level); break;
	case GIC_IRQ: engine->vcpu_irq(machine->vcpu[cpu].engine, level); break;
	case GIC_VFIQ: engine->vcpu_vfiq(machine->vcpu[cpu].engine, level); break;
	case GIC_VIRQ: engine->vcpu_virq(machine->vcpu[cpu].engine, level); break;
	case GIC_OUTPUTS: break;
	}
}

static void host_transmit(void *ctx, uint8_t byte)
{
	struct machine *machine = ctx;

	machine->config.console.put(machine->config.console.ctx, byte);
}

static void host_uart_interrupt(void *ctx, bool level)
{
	struct machine *machine = ctx;

	machine_set_line(machine, 0, MAP_UART_INTID, level);
}

/* The power switch. The vCPU that wrote to it executes nothing behind that. */
static void host_gpio_rise(void *ctx, unsigned int line)
{
	struct machine *machine = ctx;

	if (line == PL061_LINE_POWER_OFF)
		machine_finish(machine, MACHINE_POWER_OFF, "%s", "");
	else if (line == PL061_LINE_RESTART && machine->request == MACHINE_GO_ON)
		machine->request = MACHINE_RESET;
	else
		return;
	if (machine->running >= 0)
		machine_end_turn(machine, (unsigned int)machine->running);
}

static void host_gpio_interrupt(void *ctx, bool level)
{
	struct machine *machine = ctx;

	machine_set_line(machine, 0, MAP_GPIO_INTID, level);
}

static void host_note(void *ctx, const char *line)
{
	const struct machine *machine = ctx;

	machine->config.note(machine->config.note_ctx, line);
}

void machine_host_init(struct machine *machine)
{
	gic_init(&machine->gic, machine->config.cpus, machine, host_interrupt);
	pl011_init(&machine->uart, machine, host_transmit, host_uart_interrupt);
	pl061_init(&machine->gpio, machine, host_gpio_rise, host_gpio_interrupt);
	for (unsigned int i = 0; i < machine->config.cpus; i++)
		timer_reset(&machine->timers[i]);
	machine->host = (struct engine_host){
		.ctx = machine,
		.ram = machine->ram,
		.image = {machine->kernel.start, machine->kernel.end},
		.initrd = {machine->layout.initrd_start, machine->layout.initrd_end},
		.gic_distributor = MAP_GIC_DIST,
		.gic_redistributors = MAP_GIC_REDIST,
		.gic_cpu_interfaces = MAP_GIC_CPU,
		.gic = machine->config.gic == ENGINE_GIC_V2 ? ENGINE_GIC_V2 : ENGINE_GIC_V3,
		.mmio_read = host_mmio_read,
		.mmio_write = host_mmio_write,
		.sysreg_read = host_sysreg_read,
		.sysreg_write = host_sysreg_write,
		.counter = host_counter,
		.note = machine->config.note ? host_note : NULL,
		.spe_irq = host_spe_irq,
		.spe_data = machine->config.sample ? host_spe_data : NULL,
		.pmu_event = machine->config.count_events ? host_pmu_event : NULL,
	};
}
