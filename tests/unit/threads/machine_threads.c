/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine on a concurrent engine: threads of vCPUs start, stop, and share devices, console and
 * counts, with all orders of events that a host may choose. The tsan preset runs these under
 * ThreadSanitizer, which finds what is shared without being ordered.
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "machine/machine.h"

#define MIB   (UINT64_C(1) << 20)
#define UART  UINT64_C(0x09000000)
#define CPUS  4
#define BYTES 200 /* that each vCPU writes */

enum { GO_ON = -1 };

/*
 * An engine whose guest is a C function, called again and again. A vCPU is looked at and stopped
 * as one of KVM is: by flags, and it sees them before it calls the guest again.
 */
struct engine_vcpu {
	struct engine_vm *vm;
	unsigned int index;
	uint64_t step;
	atomic_bool stop, look;
	struct spe_unit unit;
};

struct engine_vm {
	struct engine_host host;
	struct engine_vcpu *vcpu[MACHINE_MAX_CPUS];
};

static int (*guest)(struct engine_vcpu *vcpu);
static atomic_uint lines, looks, created, misaligned;

static int threads_probe(char *text, size_t size)
{
	(void)snprintf(text, size, "%s", "");
	return 0;
}

static struct engine_vm *threads_create(const struct engine_host *host, unsigned int cpus)
{
	struct engine_vm *vm = calloc(1, sizeof(*vm));

	(void)cpus;
	vm->host = *host;
	atomic_fetch_add(&misaligned,
			 ((uintptr_t)host->ram.host - host->ram.base) % (2 * MIB) != 0);
	atomic_fetch_add(&created, 1);
	return vm;
}

static struct engine_vcpu *threads_vcpu_create(struct engine_vm *vm,
					       const struct engine_vcpu_config *config, char *text,
					       size_t size)
{
	struct engine_vcpu *vcpu = calloc(1, sizeof(*vcpu));

	(void)snprintf(text, size, "%s", "");
	vcpu->vm = vm;
	vcpu->index = config->index;
	vm->vcpu[config->index] = vcpu;
	return vcpu;
}

static void threads_reset(struct engine_vcpu *vcpu, uint64_t pc, uint64_t x0)
{
	vcpu->step = pc && x0 ? 0 : 1;
}

static void threads_run(struct engine_vcpu *vcpu, uint64_t max_ops, struct engine_exit *exit)
{
	(void)max_ops;
	exit->reason = ENGINE_EXIT_BUDGET;
	while (!atomic_exchange(&vcpu->stop, false)) {
		const int reason = guest(vcpu);

		vcpu->step++;
		if (atomic_exchange(&vcpu->look, false))
			atomic_fetch_add(&looks, 1);
		if (reason == GO_ON)
			continue;
		exit->reason = (enum engine_exit_reason)reason;
		(void)snprintf(exit->why, sizeof(exit->why), "no more");
		return;
	}
}

static uint64_t threads_ops(const struct engine_vcpu *vcpu)
{
	return vcpu->step;
}

static void threads_line(struct engine_vm *vm, unsigned int cpu, unsigned int intid, bool level)
{
	(void)vm;
	(void)cpu;
	(void)intid;
	(void)level;
	atomic_fetch_add(&lines, 1);
}

static void threads_request_exit(struct engine_vcpu *vcpu)
{
	atomic_store(&vcpu->stop, true);
}

static void threads_look(struct engine_vcpu *vcpu)
{
	atomic_store(&vcpu->look, true);
}

static void threads_describe(const struct engine_vcpu *vcpu, char *text, size_t size)
{
	(void)snprintf(text, size, "vCPU %u", vcpu->index);
}

static struct spe_unit *threads_spe(struct engine_vcpu *vcpu)
{
	return &vcpu->unit;
}

static void threads_destroy(struct engine_vm *vm)
{
	for (unsigned int i = 0; i < MACHINE_MAX_CPUS; i++)
		free(vm->vcpu[i]);
	free(vm);
}

static const struct engine engine_threads = {
	.name = "threads",
	.concurrent = true,
	.probe = threads_probe,
	.create = threads_create,
	.vcpu_create = threads_vcpu_create,
	.vcpu_reset = threads_reset,
	.vcpu_run = threads_run,
	.vcpu_ops = threads_ops,
	.irq_line = threads_line,
	.vcpu_request_exit = threads_request_exit,
	.vcpu_look = threads_look,
	.vcpu_describe = threads_describe,
	.vcpu_spe = threads_spe,
	.destroy = threads_destroy,
};

/* The console. The machine looks at it from the thread that runs the machine alone. */
static unsigned int put_count, polls, quit_at, offered;

static void put(void *ctx, uint8_t byte)
{
	(void)ctx;
	put_count += byte == 'x';
}

static enum machine_console_event console_poll(void *ctx, int timeout_ms, uint8_t *bytes,
					       size_t room, size_t *got)
{
	(void)ctx;
	(void)timeout_ms;
	*got = 0;
	if (quit_at && ++polls >= quit_at)
		return MACHINE_CONSOLE_QUIT;
	if (room > 0 && offered < BYTES) {
		bytes[0] = 'y';
		*got = 1;
		offered++;
	}
	return MACHINE_CONSOLE_NONE;
}

static bool console_is_open(void *ctx)
{
	(void)ctx;
	return true;
}

static char path[] = "/tmp/vspe-threads-XXXXXX";
static char why[256];
static struct machine_stats stats;
static struct machine *machine;

static void begin(void)
{
	static const uint8_t image[64] = {1, 2, 3};
	int fd = mkstemp(path);

	cr_assert_eq(write(fd, image, sizeof(image)), 64);
	close(fd);
}

static void end(void)
{
	machine_destroy(machine);
	unlink(path);
}

HARNESS_SUITE(begin, end);

static struct machine_config config(int (*code)(struct engine_vcpu *))
{
	guest = code;
	return (struct machine_config){.choices.engine = &engine_threads,
				       .choices.levels = {.start = 1},
				       .choices.cpus = CPUS,
				       .choices.ram_size = 16 * MIB,
				       .choices.kernel = path,
				       .console = {NULL, put, console_poll, console_is_open, NULL}};
}

static enum machine_end run(const struct machine_config *c)
{
	enum machine_end how;

	machine = machine_create(c, why, sizeof(why));
	cr_assert_not_null(machine, "%s", why);
	how = machine_run(machine, why, sizeof(why));
	machine_stats(machine, &stats);
	return how;
}

static const struct engine_host *host_of(const struct engine_vcpu *vcpu)
{
	return &vcpu->vm->host;
}

static void write_uart(const struct engine_vcpu *vcpu, uint64_t offset, uint64_t value)
{
	const struct engine_host *host = host_of(vcpu);

	(void)host->mmio_write(host->ctx, vcpu->index, UART + offset, 4, value);
}

static int spin(struct engine_vcpu *vcpu)
{
	(void)vcpu;
	sched_yield();
	return GO_ON;
}

/* The last to come ends the machine; the others go on until they are stopped. */
static atomic_uint arrived;

static int off_when_all_are_there(struct engine_vcpu *vcpu, uint64_t step)
{
	if (vcpu->step != step)
		return spin(vcpu);
	return atomic_fetch_add(&arrived, 1) + 1 == CPUS ? ENGINE_EXIT_OFF : GO_ON;
}

static int chatter(struct engine_vcpu *vcpu)
{
	if (vcpu->step >= BYTES)
		return off_when_all_are_there(vcpu, BYTES);
	write_uart(vcpu, 0, 'x');
	return GO_ON;
}

Test(threads, no_byte_of_any_vcpu_is_lost)
{
	struct machine_config c = config(chatter);

	cr_assert_eq(run(&c), MACHINE_POWER_OFF);
	cr_assert_eq(put_count, CPUS * BYTES, "%u bytes", put_count);
}

/* UARTCR, UARTIMSC, then UARTDR: the line goes up with what the console sends, and down with each
 * read. */
static int listener(struct engine_vcpu *vcpu)
{
	const struct engine_host *host = host_of(vcpu);
	static atomic_uint heard;
	uint64_t value = 0;

	if (vcpu->step == 0) {
		write_uart(vcpu, 0x30, 0x301);
		write_uart(vcpu, 0x38, 0x7f0);
	}
	(void)host->mmio_read(host->ctx, vcpu->index, UART + 0x18, 4, &value);
	if (!(value & 0x10)) {
		(void)host->mmio_read(host->ctx, vcpu->index, UART, 4, &value);
		atomic_fetch_add(&heard, (value & 0xff) == 'y');
	}
	return atomic_load(&heard) >= 20 ? ENGINE_EXIT_OFF : GO_ON;
}

Test(threads, console_input_meets_vcpus_that_read_it)
{
	struct machine_config c = config(listener);

	cr_assert_eq(run(&c), MACHINE_POWER_OFF);
	cr_assert_gt(atomic_load(&lines), 0);
}

static int interrupts(struct engine_vcpu *vcpu)
{
	const struct engine_host *host = host_of(vcpu);

	if (vcpu->step >= 2 * BYTES)
		return off_when_all_are_there(vcpu, 2 * BYTES);
	host->spe_irq(host->ctx, vcpu->index, vcpu->step % 2 == 0);
	return GO_ON;
}

Test(threads, each_vcpu_counts_its_own_buffer_interrupts)
{
	struct machine_config c = config(interrupts);

	cr_assert_eq(run(&c), MACHINE_POWER_OFF);
	cr_assert_eq(atomic_load(&lines), CPUS * 2 * BYTES);
	for (unsigned int i = 0; i < CPUS; i++)
		cr_assert_eq(stats.vcpu[i].buffer_interrupts, BYTES);
}

/* The sink is not made for several threads: the machine's lock is what it has. */
static struct {
	unsigned int calls, bytes[CPUS], fail_at;
} sink;

static int sample(void *ctx, unsigned int cpu, const uint8_t *bytes, size_t size)
{
	(void)ctx;
	sink.calls++;
	sink.bytes[cpu] += bytes[0] == cpu ? (unsigned int)size : 0;
	return sink.fail_at && sink.calls >= sink.fail_at ? -1 : 0;
}

static int samples(struct engine_vcpu *vcpu)
{
	const struct engine_host *host = host_of(vcpu);
	const uint8_t record[64] = {(uint8_t)vcpu->index};

	if (vcpu->step >= BYTES)
		return off_when_all_are_there(vcpu, BYTES);
	host->spe_data(host->ctx, vcpu->index, record, sizeof(record));
	return GO_ON;
}

Test(threads, no_sample_of_any_vcpu_is_lost)
{
	struct machine_config c = config(samples);

	c.sample = sample;
	cr_assert_eq(run(&c), MACHINE_POWER_OFF);
	cr_assert_eq(sink.calls, CPUS * BYTES);
	for (unsigned int i = 0; i < CPUS; i++)
		cr_assert_eq(sink.bytes[i], 64 * BYTES);
}

Test(threads, a_sink_that_fails_ends_all_vcpus)
{
	struct machine_config c = config(samples);

	c.sample = sample;
	sink.fail_at = BYTES / 2;
	cr_assert_eq(run(&c), MACHINE_ERROR);
	cr_assert_str_eq(why, "the sample records cannot be written");
}

/* All at once ask for a reset: it is one. */
static int reset(struct engine_vcpu *vcpu)
{
	if (atomic_load(&created) > 3)
		return ENGINE_EXIT_OFF;
	return vcpu->step > 10 ? ENGINE_EXIT_RESET : spin(vcpu);
}

Test(threads, a_reset_starts_all_vcpus_anew)
{
	struct machine_config c = config(reset);

	cr_assert_eq(run(&c), MACHINE_POWER_OFF);
	cr_assert_eq(stats.resets, 3);
}

/* KVM's stage 2 maps a block of 2 MiB only where both addresses are at the same place in theirs. */
Test(threads, ram_has_the_alignment_of_a_block)
{
	struct machine_config c = config(reset);

	cr_assert_eq(run(&c), MACHINE_POWER_OFF);
	cr_assert_eq(atomic_load(&misaligned), 0);
}

static int lost(struct engine_vcpu *vcpu)
{
	return vcpu->index == 2 && vcpu->step == 100 ? ENGINE_EXIT_LOST : spin(vcpu);
}

Test(threads, one_lost_vcpu_ends_the_machine)
{
	struct machine_config c = config(lost);

	cr_assert_eq(run(&c), MACHINE_LOST);
	cr_assert_str_eq(why, "no more (vCPU 2)");
	cr_assert_eq(stats.vcpu[2].exits[ENGINE_EXIT_LOST], 1);
}

Test(threads, a_time_out_stops_vcpus_that_never_exit)
{
	struct machine_config c = config(spin);

	c.timeout_ms = 1000;
	cr_assert_eq(run(&c), MACHINE_TIMEOUT);
}

Test(threads, the_user_stops_vcpus_that_never_exit)
{
	struct machine_config c = config(spin);

	quit_at = 5;
	cr_assert_eq(run(&c), MACHINE_QUIT);
}

static int looked_at(struct engine_vcpu *vcpu)
{
	return atomic_load(&looks) >= CPUS ? ENGINE_EXIT_LOST : spin(vcpu);
}

Test(threads, vcpus_are_looked_at_now_and_then)
{
	struct machine_config c = config(looked_at);

	cr_assert_eq(run(&c), MACHINE_LOST);
}
