/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an engine needs of the machine (engine.h): its bus, its time, and where interrupts and
 * sample records go.
 */
#include "device/memory_map.h"
#include "machine/machine_state.h"

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

	return bus_sysreg_read(&machine->bus, cpu, encoding, value);
}

static enum engine_answer host_sysreg_write(void *ctx, unsigned int cpu, uint32_t encoding,
					    uint64_t value)
{
	struct machine *machine = ctx;

	return bus_sysreg_write(&machine->bus, cpu, encoding, value);
}

static uint64_t host_counter(void *ctx, unsigned int cpu)
{
	return machine_now_of(ctx, cpu);
}

static void host_spe_irq(void *ctx, unsigned int cpu, bool level)
{
	struct machine *machine = ctx;

	if (level && !machine->vcpu[cpu].spe_line)
		machine->stats.vcpu[cpu].buffer_interrupts++;
	machine->vcpu[cpu].spe_line = level;
	machine_set_line(machine, cpu, device_spe.interrupts[0], level);
}

static void host_pmu_irq(void *ctx, unsigned int cpu, bool level)
{
	machine_set_line(ctx, cpu, device_pmu.interrupts[0], level);
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
	const enum pmu_sample known = pmu_sample_find(event);

	/* The unit counts the events before these, and machine_fold() adds them. */
	if (known >= PMU_TOLD_SAMPLE_FEED_BR && known < PMU_SAMPLES)
		machine->stats.vcpu[cpu].events[known] += count;
}

static void host_note(void *ctx, const char *line)
{
	const struct machine *machine = ctx;

	machine->config.note(machine->config.note_ctx, line);
}

void machine_host_init(struct machine *machine)
{
	machine->host = (struct engine_host){
		.ctx = machine,
		.ram = machine->ram,
		.rom = machine->rom,
		.nodes = &machine->config.choices.numa,
		.device = machine->device,
		.image = {machine->config.choices.firmware ? 0 : machine->kernel.start,
			  machine->config.choices.firmware ? 0 : machine->kernel.end},
		.initrd = {machine->layout.initrd_start, machine->layout.initrd_end},
		.gic_distributor = MAP_GIC_DIST,
		.gic_redistributors = MAP_GIC_REDIST,
		.gic_cpu_interfaces = MAP_GIC_CPU,
		.gic = machine->config.choices.gic == ENGINE_GIC_V2 ? ENGINE_GIC_V2 : ENGINE_GIC_V3,
		.mmio_read = host_mmio_read,
		.mmio_write = host_mmio_write,
		.sysreg_read = host_sysreg_read,
		.sysreg_write = host_sysreg_write,
		.counter = host_counter,
		.note = machine->config.note ? host_note : NULL,
		.spe_irq = host_spe_irq,
		.pmu_irq = host_pmu_irq,
		.spe_data = machine->config.sample ? host_spe_data : NULL,
		.pmu_event = machine->config.count_events ? host_pmu_event : NULL,
	};
}
