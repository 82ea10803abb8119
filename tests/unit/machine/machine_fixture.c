/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests of the whole machine share: see machine_fixture.h. */
#include "../compare.h"
#include "machine_fixture.h"

#include <stdlib.h>
#include <unistd.h>

#define MIB (UINT64_C(1) << 20)

/* A console in memory: input comes when the machine waits for it. */
char output[256];
size_t output_count;
const char *input;
unsigned int waits;
uint64_t waited_ms;

static void fake_put(void *ctx, uint8_t byte)
{
	(void)ctx;
	output[output_count++ % sizeof(output)] = (char)byte;
}

static enum machine_console_event fake_poll(void *ctx, int timeout_ms, uint8_t *bytes, size_t room,
					    size_t *got)
{
	(void)ctx;
	*got = 0;
	waited_ms += timeout_ms > 0 ? (uint64_t)timeout_ms : 0;
	if (timeout_ms == 0 || !input || !*input || room == 0)
		return MACHINE_CONSOLE_NONE;
	waits++;
	bytes[0] = (uint8_t)*input++;
	*got = 1;
	return MACHINE_CONSOLE_NONE;
}

static bool fake_open(void *ctx)
{
	(void)ctx;
	return input && *input;
}

static char path[] = "/tmp/vspe-machine-XXXXXX";
char why[256];
struct machine_stats stats;
struct machine *machine;

void machine_fixture_begin(void)
{
	static const uint8_t image[64] = {1, 2, 3};
	int fd = mkstemp(path);

	cr_assert_eq(write(fd, image, sizeof(image)), 64);
	close(fd);
}

void machine_fixture_end(void)
{
	unlink(path);
}

struct machine_config config(unsigned int cpus)
{
	return (struct machine_config){.choices.engine = &engine_fake,
				       .choices.levels = {.start = 1},
				       .choices.cpus = cpus,
				       .choices.ram_size = 16 * MIB,
				       .choices.kernel = path,
				       .console = {NULL, fake_put, fake_poll, fake_open, NULL}};
}

enum machine_end run_config(const struct machine_config *c)
{
	enum machine_end end;

	machine = machine_create(c, why, sizeof(why));
	cr_assert_not_null(machine, "%s", why);
	end = machine_run(machine, why, sizeof(why));
	machine_stats(machine, &stats);
	return end;
}

enum machine_end run(unsigned int cpus, int (*code)(struct engine_vcpu *))
{
	struct machine_config c = config(cpus);

	fake_guest = code;
	return run_config(&c);
}

int psci(struct engine_vcpu *vcpu, uint64_t function, uint64_t a, uint64_t b, uint64_t c)
{
	vcpu->x[0] = function;
	vcpu->x[1] = a;
	vcpu->x[2] = b;
	vcpu->x[3] = c;
	return ENGINE_EXIT_HVC;
}

int power_off(struct engine_vcpu *vcpu)
{
	return psci(vcpu, 0x84000008, 0, 0, 0);
}

void write_sysreg(struct engine_vcpu *vcpu, uint32_t reg, uint64_t value)
{
	const struct engine_host *host = &vcpu->vm->host;

	cr_assert_eq(host->sysreg_write(host->ctx, vcpu->index, reg, value), ENGINE_OK);
}

uint64_t read_sysreg(struct engine_vcpu *vcpu, uint32_t reg)
{
	const struct engine_host *host = &vcpu->vm->host;
	uint64_t value;

	cr_assert_eq(host->sysreg_read(host->ctx, vcpu->index, reg, &value), ENGINE_OK);
	return value;
}

void write_mmio(struct engine_vcpu *vcpu, uint64_t pa, uint64_t value)
{
	const struct engine_host *host = &vcpu->vm->host;

	cr_assert_eq(host->mmio_write(host->ctx, vcpu->index, pa, 4, value), ENGINE_OK);
}

/*
 * Let this vCPU take all its private interrupts as Group 1. Its redistributor is awake, below EL3.
 */
void open_gic(struct engine_vcpu *vcpu)
{
	uint64_t frame = 0x080a0000 + vcpu->index * UINT64_C(0x20000);

	write_mmio(vcpu, 0x08000000, 2);
	write_mmio(vcpu, frame + 0x10080, UINT32_MAX);
	write_mmio(vcpu, frame + 0x10100, UINT32_MAX);
	write_sysreg(vcpu, PMR, 0xff);
	write_sysreg(vcpu, IGRPEN1, 1);
}
