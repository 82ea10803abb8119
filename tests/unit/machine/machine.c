/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine and its scheduler, on an engine made for the test: a vCPU is a function that is
 * called once an operation. What is tested is who runs when, how time passes and how a machine
 * ends.
 */
#include <inttypes.h>
#include <libfdt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vspe/sysreg.h>

#include "../compare.h"
#include "../../../spe/unit.h"
#include "machine_fixture.h"

#define SGI1R SYSREG_ENCODING(3, 0, 12, 11, 5)
#define MIB   (1u << 20)

TestSuite(machine, .init = machine_fixture_begin, .fini = machine_fixture_end);

static int guest_off(struct engine_vcpu *vcpu)
{
	if (vcpu->step < 99)
		return GO_ON;
	return power_off(vcpu);
}

Test(machine, power_off)
{
	cr_assert_eq(run(1, guest_off), MACHINE_POWER_OFF);
	cr_assert_str_eq(why, "");
	cr_assert_eq(stats.vcpu[0].operations, 100);
	cr_assert_eq(stats.time, 100, "a tick an operation");
	cr_assert_eq(stats.idle, 0);
	cr_assert_eq(stats.vcpu[0].exits[ENGINE_EXIT_HVC], 1);
	machine_destroy(machine);
}

static uint64_t seen_pc, seen_x0;

static int guest_entry(struct engine_vcpu *vcpu)
{
	const struct engine_ram *ram = &vcpu->vm->host.ram;

	seen_pc = vcpu->x[31];
	seen_x0 = vcpu->x[0];
	cr_assert_eq(ram->host[seen_pc - ram->base + 2], 3, "the guest is there");
	cr_assert_eq(fdt_check_header(ram->host + (seen_x0 - ram->base)), 0, "and its device tree");
	return power_off(vcpu);
}

Test(machine, starts_at_the_entry_with_the_device_tree_in_x0)
{
	cr_assert_eq(run(1, guest_entry), MACHINE_POWER_OFF);
	cr_assert_eq(seen_pc, 0x40080000);
	cr_assert_eq(seen_x0 % 8, 0);
	machine_destroy(machine);
}

/* QEMU's "virt" board has it there, for what is no Image of Linux. */
static int guest_tree(struct engine_vcpu *vcpu)
{
	const struct engine_ram *ram = &vcpu->vm->host.ram;
	const uint8_t *tree = ram->host + (vcpu->x[0] - ram->base);

	cr_assert_eq(fdt_check_header(ram->host), 0);
	cr_assert_arr_eq(ram->host, tree, fdt_totalsize(tree));
	return power_off(vcpu);
}

Test(machine, a_device_tree_is_at_the_start_of_memory)
{
	cr_assert_eq(run(1, guest_tree), MACHINE_POWER_OFF);
	machine_destroy(machine);
}

static uint64_t mmio_word(const struct engine_vcpu *vcpu, uint64_t pa)
{
	const struct engine_host *host = &vcpu->vm->host;
	uint64_t value;

	cr_assert_eq(host->mmio_read(host->ctx, 0, pa, 4, &value), ENGINE_OK, "0x%" PRIx64, pa);
	cr_assert_eq(host->mmio_write(host->ctx, 0, pa, 4, 1), ENGINE_OK);
	return value;
}

/* Devices of QEMU's "virt" board that guests look for without the device tree. */
static int guest_probe(struct engine_vcpu *vcpu)
{
	for (uint64_t slot = 0x0a000000; slot < 0x0a004000; slot += 0x200) {
		cr_assert_eq(mmio_word(vcpu, slot), 0x74726976, "MagicValue");
		cr_assert_eq(mmio_word(vcpu, slot + 4), 2, "Version");
		for (uint64_t at = 8; at < 0x200; at += 4)
			if (at != 12)
				cr_assert_eq(mmio_word(vcpu, slot + at), 0, "DeviceID 0");
	}
	cr_assert_eq(mmio_word(vcpu, 0x04000000), UINT32_MAX, "erased flash");
	cr_assert_eq(mmio_word(vcpu, 0x07fffffc), UINT32_MAX);
	return power_off(vcpu);
}

Test(machine, absent_devices_answer)
{
	cr_assert_eq(run(1, guest_probe), MACHINE_POWER_OFF);
	machine_destroy(machine);
}

static int guest_mmio_nothing(struct engine_vcpu *vcpu)
{
	const struct engine_host *host = &vcpu->vm->host;
	uint64_t value;

	cr_assert_eq(host->mmio_read(host->ctx, 0, 0x0a004000, 4, &value), ENGINE_NONE);
	cr_assert_eq(host->mmio_read(host->ctx, 0, 0x080c0000, 4, &value), ENGINE_NONE,
		     "no second redistributor");
	cr_assert_eq(host->sysreg_read(host->ctx, 0, SYSREG_ENCODING(3, 0, 1, 0, 0), &value),
		     ENGINE_NONE);
	write_mmio(vcpu, UART, 'o');
	write_mmio(vcpu, UART, 'k');
	return power_off(vcpu);
}

Test(machine, devices_are_where_the_map_says)
{
	cr_assert_eq(run(1, guest_mmio_nothing), MACHINE_POWER_OFF);
	cr_assert_eq(output_count, 2);
	cr_assert_arr_eq(output, "ok", 2);
	machine_destroy(machine);
}

static uint64_t woken_at;

/* Arms the timer for 1000000, sleeps, and looks when it wakes. */
static int guest_timer(struct engine_vcpu *vcpu)
{
	switch (vcpu->step) {
	case 0:
		open_gic(vcpu);
		write_sysreg(vcpu, CNTV_CVAL, 1000000);
		write_sysreg(vcpu, CNTV_CTL, 1);
		return GO_ON;
	case 1: return ENGINE_EXIT_WFI;
	default:
		woken_at = read_sysreg(vcpu, CNTVCT);
		cr_assert(vcpu->irq);
		cr_assert_eq(read_sysreg(vcpu, IAR1), 27);
		write_sysreg(vcpu, CNTV_CTL, 0);
		write_sysreg(vcpu, EOIR1, 27);
		cr_assert_not(vcpu->irq);
		return power_off(vcpu);
	}
}

Test(machine, wfi_skips_to_the_timer)
{
	cr_assert_eq(run(1, guest_timer), MACHINE_POWER_OFF);
	cr_assert_eq(woken_at, 1000000);
	cr_assert_eq(stats.vcpu[0].operations, 3);
	cr_assert_eq(stats.idle, 1000000 - 2);
	cr_assert_eq(stats.time, 1000001);
	machine_destroy(machine);
}

/* The same, busy: the interrupt comes at the exact operation. */
static int guest_timer_busy(struct engine_vcpu *vcpu)
{
	if (vcpu->step == 0)
		return guest_timer(vcpu);
	if (!vcpu->irq)
		return GO_ON;
	woken_at = read_sysreg(vcpu, CNTVCT);
	return power_off(vcpu);
}

Test(machine, timer_interrupt_at_the_exact_operation)
{
	cr_assert_eq(run(1, guest_timer_busy), MACHINE_POWER_OFF);
	cr_assert_eq(woken_at, 1000000);
	cr_assert_eq(stats.vcpu[0].operations, 1000001);
	cr_assert_eq(stats.idle, 0);
	machine_destroy(machine);
}

/*
 * vCPU 0 starts the others; everybody counts to 50000 and goes off; 0 powers off when it is last.
 */
static int guest_smp(struct engine_vcpu *vcpu)
{
	if (vcpu->index == 0 && vcpu->step < 2)
		return psci(vcpu, 0xc4000003, vcpu->step + 1, 0x40080000 + 4 * vcpu->step,
			    7 + vcpu->step);
	if (vcpu->index == 0 && vcpu->step == 2)
		cr_assert_eq(vcpu->x[0], 0, "CPU_ON succeeded");
	if (vcpu->index != 0 && vcpu->step == 0) {
		cr_assert_eq(vcpu->x[0], 6 + vcpu->index, "the context");
		cr_assert_eq(vcpu->x[31], 0x40080000 + 4 * (vcpu->index - 1));
	}
	if (vcpu->step < 50000)
		return GO_ON;
	if (vcpu->index != 0)
		return psci(vcpu, 0x84000002, 0, 0, 0);
	return vcpu->vm->vcpus[1]->step > 50000 && vcpu->vm->vcpus[2]->step > 50000
		       ? power_off(vcpu)
		       : GO_ON;
}

Test(machine, vcpus_take_turns)
{
	size_t changes = 0;

	cr_assert_eq(run(3, guest_smp), MACHINE_POWER_OFF);
	cr_assert_eq(stats.vcpu[1].operations, 50001);
	cr_assert_eq(stats.vcpu[2].operations, 50001);
	cr_assert_eq(stats.time, stats.vcpu[0].operations + 2 * 50001);
	cr_assert_geq(stats.vcpu[1].exits[ENGINE_EXIT_BUDGET], 2, "several turns");
	for (size_t i = 1; i < fake_trace_count; i++)
		changes += fake_trace[i] != fake_trace[i - 1];
	cr_assert_gt(changes, 0);
	machine_destroy(machine);
}

/* A hundred calls while another vCPU runs: they cost their own operations and no turns. */
static int guest_calls(struct engine_vcpu *vcpu)
{
	static uint64_t before;

	if (vcpu->index != 0)
		return GO_ON;
	if (vcpu->step == 0)
		return psci(vcpu, 0xc4000003, 1, 0x40080000, 0);
	if (vcpu->step == 1) {
		before = read_sysreg(vcpu, CNTVCT);
		return GO_ON;
	}
	if (vcpu->step < 102)
		return psci(vcpu, 0x84000000, 0, 0, 0);
	cr_assert_eq(vcpu->x[0], 0x10001, "PSCI_VERSION");
	cr_assert_eq(read_sysreg(vcpu, CNTVCT) - before, 101);
	return power_off(vcpu);
}

Test(machine, a_call_ends_no_turn)
{
	cr_assert_eq(run(2, guest_calls), MACHINE_POWER_OFF);
	cr_assert_eq(stats.vcpu[0].exits[ENGINE_EXIT_HVC], 102);
	cr_assert_eq(stats.vcpu[1].operations, 0);
	machine_destroy(machine);
}

/* ... but a vCPU that calls for ever takes no more than its turns. */
static int guest_calls_for_ever(struct engine_vcpu *vcpu)
{
	if (vcpu->index != 0)
		return vcpu->step < 20000 ? GO_ON : power_off(vcpu);
	return vcpu->step == 0 ? psci(vcpu, 0xc4000003, 1, 0x40080000, 0)
			       : psci(vcpu, 0x84000000, 0, 0, 0);
}

Test(machine, calls_share_a_turn)
{
	cr_assert_eq(run(2, guest_calls_for_ever), MACHINE_POWER_OFF);
	cr_assert_eq(stats.vcpu[0].operations, 2 << 14);
	machine_destroy(machine);
}

Test(machine, the_same_run_twice_is_the_same)
{
	static unsigned int first[TRACE_SIZE];
	struct machine_stats first_stats;

	run(3, guest_smp);
	first_stats = stats;
	memcpy(first, fake_trace, sizeof(fake_trace));
	machine_destroy(machine);
	fake_trace_count = 0;
	run(3, guest_smp);
	cr_assert_arr_eq(first, fake_trace, sizeof(fake_trace));
	cr_assert_arr_eq(&first_stats, &stats, sizeof(stats));
	machine_destroy(machine);
}

/* vCPU 1 sleeps; vCPU 0 wakes it with an SGI; it powers off. */
static int guest_sgi(struct engine_vcpu *vcpu)
{
	if (vcpu->step == 0)
		open_gic(vcpu);
	if (vcpu->index == 0) {
		switch (vcpu->step) {
		case 0: return psci(vcpu, 0xc4000003, 1, 0x40080000, 0);
		case 30000: write_sysreg(vcpu, SGI1R, 5u << 24 | 2); return GO_ON;
		case 30001: return ENGINE_EXIT_WFI;
		default: cr_assert_lt(vcpu->step, 30002); return GO_ON;
		}
	}
	if (vcpu->step == 0)
		return ENGINE_EXIT_WFI;
	cr_assert_eq(read_sysreg(vcpu, IAR1), 5);
	return power_off(vcpu);
}

Test(machine, sgi_wakes_a_waiting_vcpu)
{
	cr_assert_eq(run(2, guest_sgi), MACHINE_POWER_OFF);
	cr_assert_eq(stats.vcpu[1].operations, 2);
	machine_destroy(machine);
}

static int guest_wait(struct engine_vcpu *vcpu)
{
	(void)vcpu;
	return ENGINE_EXIT_WFI;
}

Test(machine, waiting_for_nothing_ends)
{
	cr_assert_eq(run(1, guest_wait), MACHINE_STUCK);
	cr_assert_str_has(why, "every vCPU waits");
	machine_destroy(machine);
}

static int guest_cpu_off(struct engine_vcpu *vcpu)
{
	return psci(vcpu, 0x84000002, 0, 0, 0);
}

Test(machine, all_off_ends)
{
	cr_assert_eq(run(2, guest_cpu_off), MACHINE_STUCK);
	cr_assert_str_has(why, "every vCPU is off");
	machine_destroy(machine);
}

/* Echoes what it is sent until 'q', sleeping in between. */
static int guest_echo(struct engine_vcpu *vcpu)
{
	const struct engine_host *host = &vcpu->vm->host;
	uint64_t value;

	if (vcpu->step == 0) {
		open_gic(vcpu);
		write_mmio(vcpu, 0x08000084, 2);
		write_mmio(vcpu, 0x08000104, 2);
		write_mmio(vcpu, UART + 0x30, 0x301);
		write_mmio(vcpu, UART + 0x38, 1u << 6);
		return ENGINE_EXIT_WFI;
	}
	cr_assert_eq(read_sysreg(vcpu, IAR1), 33);
	cr_assert_eq(host->mmio_read(host->ctx, 0, UART, 4, &value), ENGINE_OK);
	write_mmio(vcpu, UART, value);
	write_sysreg(vcpu, EOIR1, 33);
	return value == 'q' ? power_off(vcpu) : ENGINE_EXIT_WFI;
}

Test(machine, console_input_wakes)
{
	input = "abq";
	cr_assert_eq(run(1, guest_echo), MACHINE_POWER_OFF);
	cr_assert_arr_eq(output, "abq", 3);
	cr_assert_eq(waits, 3);
	machine_destroy(machine);
	input = "ab";
	cr_assert_eq(run(1, guest_echo), MACHINE_STUCK, "the input has ended");
	machine_destroy(machine);
}

static int guest_lost(struct engine_vcpu *vcpu)
{
	return vcpu->step == 5 ? ENGINE_EXIT_LOST : GO_ON;
}

Test(machine, a_lost_guest_is_described)
{
	cr_assert_eq(run(1, guest_lost), MACHINE_LOST);
	cr_assert_str_eq(why, "why it was lost (PC 0x40080000)");
	machine_destroy(machine);
}

static int guest_error(struct engine_vcpu *vcpu)
{
	(void)vcpu;
	return ENGINE_EXIT_ERROR;
}

Test(machine, an_engine_error_ends)
{
	cr_assert_eq(run(1, guest_error), MACHINE_ERROR);
	machine_destroy(machine);
}

static int guest_forever(struct engine_vcpu *vcpu)
{
	(void)vcpu;
	return GO_ON;
}

/* A WFE here, and a WFE there. */
static int guest_wfe_forever(struct engine_vcpu *vcpu)
{
	vcpu->x[31] = vcpu->step % 2;
	return ENGINE_EXIT_WFE;
}

Test(machine, timeout)
{
	struct machine_config c = config(1);

	c.timeout_ms = 50;
	fake_guest = guest_forever;
	cr_assert_eq(run_config(&c), MACHINE_TIMEOUT);
	machine_destroy(machine);
	fake_guest = guest_wfe_forever;
	cr_assert_eq(run_config(&c), MACHINE_TIMEOUT, "also in WFE");
	machine_destroy(machine);
}

/* Waits in WFE until the counter says so: skipped, not executed. */
static int guest_wfe(struct engine_vcpu *vcpu)
{
	vcpu->x[31] = vcpu->step % 2;
	return read_sysreg(vcpu, CNTVCT) < 100000000 ? ENGINE_EXIT_WFE : power_off(vcpu);
}

Test(machine, wfe_of_everybody_lets_time_pass)
{
	cr_assert_eq(run(1, guest_wfe), MACHINE_POWER_OFF);
	cr_assert_lt(stats.vcpu[0].operations, 10000);
	machine_destroy(machine);
}

static unsigned int boots;

static int guest_reset(struct engine_vcpu *vcpu)
{
	const struct engine_ram *ram = &vcpu->vm->host.ram;

	cr_assert_eq(ram->host[MIB], 0, "memory is as it was at power on");
	cr_assert_eq(read_sysreg(vcpu, CNTVCT), 0, "and so is the time");
	ram->host[MIB] = 1;
	return psci(vcpu, ++boots < 3 ? 0x84000009 : 0x84000008, 0, 0, 0);
}

Test(machine, system_reset_starts_anew)
{
	cr_assert_eq(run(1, guest_reset), MACHINE_POWER_OFF);
	cr_assert_eq(boots, 3);
	cr_assert_eq(stats.resets, 2);
	cr_assert_eq(stats.vcpu[0].operations, 3, "counts go on");
	cr_assert_eq(stats.time, 3);
	machine_destroy(machine);
}

/* CPU_SUSPEND to power down: the timer wakes it at the entry point. */
static int guest_suspend(struct engine_vcpu *vcpu)
{
	if (vcpu->x[31] == 0x40080000) {
		open_gic(vcpu);
		write_sysreg(vcpu, CNTV_CVAL, 5000);
		write_sysreg(vcpu, CNTV_CTL, 1);
		return psci(vcpu, 0xc4000001, 1u << 16, 0x40090000, 77);
	}
	cr_assert_eq(vcpu->x[31], 0x40090000);
	cr_assert_eq(vcpu->x[0], 77);
	cr_assert_eq(read_sysreg(vcpu, CNTVCT), 5000);
	return power_off(vcpu);
}

Test(machine, suspend_to_power_down_wakes_at_the_entry)
{
	cr_assert_eq(run(1, guest_suspend), MACHINE_POWER_OFF);
	machine_destroy(machine);
}

/* vCPU 1 leaves its GIC interface and timer on, goes off, and is started again. */
static int guest_off_and_on(struct engine_vcpu *vcpu)
{
	if (vcpu->index == 0) {
		if (vcpu->step == 0 || vcpu->step == 40000)
			return psci(vcpu, 0xc4000003, 1, 0x40080000, vcpu->step);
		cr_assert_lt(vcpu->step, 80000);
		return GO_ON;
	}
	if (vcpu->x[0] == 40000) {
		cr_assert_eq(read_sysreg(vcpu, PMR), 0);
		cr_assert_eq(read_sysreg(vcpu, IGRPEN1), 0);
		cr_assert_eq(read_sysreg(vcpu, CNTV_CTL), 0);
		return power_off(vcpu);
	}
	open_gic(vcpu);
	write_sysreg(vcpu, CNTV_CTL, 1);
	return psci(vcpu, 0x84000002, 0, 0, 0);
}

Test(machine, cpu_on_resets_the_gic_interface_and_the_timers)
{
	cr_assert_eq(run(2, guest_off_and_on), MACHINE_POWER_OFF);
	machine_destroy(machine);
}

static uint8_t samples[16];
static size_t samples_size;

static int sample(void *ctx, unsigned int cpu, const uint8_t *bytes, size_t size)
{
	cr_assert_eq(cpu, 0);
	memcpy(samples, bytes, size);
	samples_size = size;
	return *(int *)ctx;
}

/* The events that the unit does not keep itself, in the order of enum pmu_sample. */
static const uint16_t numbers[] = {0x812a, 0x812b, 0x812c, 0x812d, 0x812e,
				   0x812f, 0x8122, 0x8348, 0x8349, 0x8123};

static int guest_spe(struct engine_vcpu *vcpu)
{
	const struct engine_host *host = &vcpu->vm->host;

	open_gic(vcpu);
	unit_of(&vcpu->unit)->stats =
		(struct spe_stats){.population = 1000, .feed = 40, .filtrate = 30, .collisions = 3};
	host->spe_irq(host->ctx, 0, true);
	host->spe_irq(host->ctx, 0, true);
	cr_assert_eq(read_sysreg(vcpu, IAR1), 21, "PPI 5");
	host->spe_irq(host->ctx, 0, false);
	host->spe_irq(host->ctx, 0, true);
	host->spe_data(host->ctx, 0, (const uint8_t *)"abc", 3);
	if (host->pmu_event) {
		host->pmu_event(host->ctx, 0, SPE_PMU_SAMPLE_FEED, 40); /* the unit has it */
		for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
			host->pmu_event(host->ctx, 0, numbers[i], i + 1);
	}
	return power_off(vcpu);
}

/* RULE("D17.1/pmu") */
Test(machine, spe_events_interrupts_and_records)
{
	struct machine_config c = config(1);
	int result = 0;

	c.sample = sample;
	c.sample_ctx = &result;
	c.count_events = true;
	fake_guest = guest_spe;
	cr_assert_eq(run_config(&c), MACHINE_POWER_OFF);
	cr_assert_eq(stats.vcpu[0].events[PMU_TOLD_SAMPLE_POP], 1000);
	cr_assert_eq(stats.vcpu[0].events[PMU_TOLD_SAMPLE_FEED], 40);
	cr_assert_eq(stats.vcpu[0].events[PMU_TOLD_SAMPLE_FILTRATE], 30);
	cr_assert_eq(stats.vcpu[0].events[PMU_TOLD_SAMPLE_COLLISION], 3);
	for (unsigned int i = PMU_TOLD_SAMPLE_FEED_BR; i < PMU_SAMPLES; i++)
		cr_assert_eq(stats.vcpu[0].events[i], i - PMU_TOLD_SAMPLE_FEED_BR + 1, "%s",
			     pmu_sample_name(i));
	cr_assert_eq(stats.vcpu[0].buffer_interrupts, 2, "rising edges");
	cr_assert_eq(samples_size, 3);
	machine_destroy(machine);
	result = -1;
	cr_assert_eq(run_config(&c), MACHINE_ERROR, "records that cannot be kept end the machine");
	machine_destroy(machine);
}

/* Arm ARM D14.6: how many events each version has, and those of features. */
Test(machine, spe_events_by_version)
{
	static const unsigned int counts[] = {4, 4, 10, 10, 12, 14};
	struct spe_config spe;

	for (unsigned int v = 0; v < 6; v++) {
		unsigned int count = 0;

		spe_config_defaults(&spe, SPE_V1P0 + v);
		for (unsigned int i = 0; i < PMU_SAMPLES; i++)
			count += pmu_sample_exists(i, &spe);
		cr_assert_eq(count, counts[v], "v1p%u: %u", v, count);
	}
	spe_config_defaults(&spe, SPE_V1P4);
	cr_assert_not(pmu_sample_exists(PMU_TOLD_SAMPLE_FEED_FP, &spe));
	spe.eft = true;
	spe.fds = false;
	cr_assert(pmu_sample_exists(PMU_TOLD_SAMPLE_FEED_FP, &spe));
	cr_assert_not(pmu_sample_exists(PMU_TOLD_SAMPLE_FEED_DS, &spe));
	cr_assert(pmu_sample_exists(PMU_TOLD_SAMPLE_BUFFER_FULL, &spe));
}

static uint64_t seeds[2];

static int guest_seed(struct engine_vcpu *vcpu)
{
	seeds[0] = vcpu->vm->vcpus[0]->spe.seed;
	seeds[1] = vcpu->vm->vcpus[1]->spe.seed;
	return power_off(vcpu);
}

Test(machine, every_vcpu_has_a_seed_of_its_own)
{
	struct machine_config c = config(2);

	c.choices.spe = true;
	spe_config_defaults(&c.choices.spe_config, SPE_VERSION_DEFAULT);
	c.choices.spe_config.seed = 42;
	fake_guest = guest_seed;
	cr_assert_eq(run_config(&c), MACHINE_POWER_OFF);
	cr_assert_eq(seeds[0], 42);
	cr_assert_neq(seeds[1], 42);
	machine_destroy(machine);
}

Test(machine, input_errors)
{
	struct machine_config c = config(1);

	c.choices.kernel = "/nonexistent/guest";
	cr_assert_null(machine_create(&c, why, sizeof(why)));
	cr_assert_str_eq(why, "/nonexistent/guest: No such file or directory");
	c = config(1);
	c.choices.initrd = "/nonexistent/initrd";
	cr_assert_null(machine_create(&c, why, sizeof(why)));
	cr_assert_str_eq(why, "/nonexistent/initrd: No such file or directory");
}
