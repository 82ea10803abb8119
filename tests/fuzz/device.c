/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer target: the devices of the list on their bus, wired to one interrupt controller. The
 * first byte chooses the machine. Each further byte is an action of a guest, the console, the clock
 * or a saved machine. No device may break, deadlines must be in the future, and a saved state must
 * be the same when it is loaded and saved again.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device/bus.h"
#include "device/flash.h"
#include "device/fw_cfg.h"
#include "input.h"

static struct device *devices[DEVICE_COUNT];
static uint64_t counter;

static void host_set_line(void *ctx, unsigned int cpu, unsigned int intid, bool level)
{
	(void)ctx;
	for (size_t i = 0; i < DEVICE_COUNT; i++)
		if (devices[i]->type->controller)
			devices[i]->type->controller->set_line(devices[i], cpu, intid, level);
}

static void host_set_input(void *ctx, unsigned int cpu, enum device_input input, bool level)
{
	const struct device_config *config = ctx;

	(void)level;
	if (cpu >= config->choices.cpus || input >= DEVICE_INPUTS)
		abort();
}

static uint64_t host_now(void *ctx)
{
	(void)ctx;
	return counter;
}

static uint64_t host_read_counter(void *ctx, unsigned int cpu)
{
	const struct device_config *config = ctx;

	if (cpu >= config->choices.cpus)
		abort();
	return counter;
}

static void host_reschedule(void *ctx, unsigned int cpu)
{
	const struct device_config *config = ctx;

	if (cpu >= config->choices.cpus)
		abort();
}

static void host_transmit(void *ctx, uint8_t byte)
{
	(void)ctx;
	(void)byte;
}

#define RAM_BASE UINT64_C(0x40000000)

static uint8_t *host_memory(void *ctx, uint64_t pa, uint64_t size)
{
	static uint8_t ram[4096];

	(void)ctx;
	if (pa < RAM_BASE || pa - RAM_BASE > sizeof(ram) || size > sizeof(ram) - (pa - RAM_BASE))
		return NULL;
	return ram + (pa - RAM_BASE);
}

static void host_power(void *ctx, enum device_power what)
{
	(void)ctx;
	if (what != DEVICE_POWER_OFF && what != DEVICE_RESTART)
		abort();
}

static void describe_device(struct device *device, struct state *state)
{
	for (unsigned int i = 0; i < device_sections(device); i++)
		device->type->state(device, i, state);
}

/* Load a state that may be damaged; an intact one must come back. */
static void load_device(struct device *device, struct input *in)
{
	struct state state, again;
	uint8_t *image;
	size_t size;

	if (device_sections(device) == 0)
		return;
	state_save(&state, device->type->name);
	describe_device(device, &state);
	if (!state_end(&state))
		abort();
	image = state.bytes;
	size = state.at;
	for (unsigned int flips = input_number(in, 1) % 8; flips > 0; flips--)
		image[input_number(in, 2) % size] ^= (uint8_t)input_number(in, 1);
	state_load(&state, device->type->name, image, size);
	describe_device(device, &state);
	if (!state_end(&state)) {
		device_reset(device);
	} else {
		state_save(&again, device->type->name);
		describe_device(device, &again);
		if (!state_end(&again) || again.at != size || memcmp(again.bytes, image, size))
			abort();
		state_free(&again);
	}
	free(image);
}

static void use_bus(const struct bus *bus, struct input *in, unsigned int cpu, bool write)
{
	const struct bus_window *window = &bus->windows[input_number(in, 1) % bus->window_count];
	const unsigned int bytes = 1u << input_number(in, 1) % 4;
	/* Sometimes after the window, or not aligned. */
	const uint64_t pa = window->base + input_number(in, 3) % (window->size + 8);
	uint64_t value = write ? input_number(in, bytes) : 0;

	if (write)
		(void)bus_write(bus, cpu, pa, bytes, value);
	else
		(void)bus_read(bus, cpu, pa, bytes, &value);
}

static void use_sysreg(const struct bus *bus, struct input *in, unsigned int cpu, bool write)
{
	const struct device_sysregs *match =
		&bus->sysregs[input_number(in, 1) % bus->sysreg_count].match;
	const uint32_t encoding =
		((uint32_t)input_number(in, 3) & UINT32_C(0x1ffff) & ~match->mask) | match->value;
	uint64_t value = write ? input_number(in, 8) : 0;

	if (write)
		(void)bus_sysreg_write(bus, cpu, encoding, value);
	else
		(void)bus_sysreg_read(bus, cpu, encoding, &value);
}

static void use_device(struct device *device, struct input *in, unsigned int cpu)
{
	const struct device_type *type = device->type;

	switch (input_number(in, 1) % 4) {
	case 0:
		if (type->update) {
			type->update(device, counter);
			if (type->deadline(device, counter) <= counter)
				abort();
		}
		if (type->update_cpu) {
			type->update_cpu(device, cpu, counter);
			if (type->deadline_cpu(device, cpu, counter) <= counter)
				abort();
		}
		break;
	case 1:
		if (device_takes_input(device)) {
			const uint8_t typed[DEVICE_CONSOLE_ROOM] = "typed";
			const size_t room = type->console->room(device);

			if (room > sizeof(typed))
				abort();
			type->console->receive(device, typed, input_number(in, 1) % (room + 1));
		}
		break;
	case 2:
		if (type->reset_cpu)
			type->reset_cpu(device, cpu, input_number(in, 1) & 1);
		break;
	default: load_device(device, in); break;
	}
}

static uint8_t code[64], variables[FLASH_BANK] __attribute__((aligned(4096)));
static const struct flash_store flash = {
	.code = code, .code_size = sizeof(code), .variables = variables};
static const struct fw_cfg_files fw_cfg = {
	.kernel = code,
	.kernel_size = sizeof(code),
	.cmdline = "quiet",
	.file = {{"etc/file", code, 7}},
	.files = 1,
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input in = {bytes, bytes + size};
	const uint64_t first = input_number(&in, 1);
	struct device_config config = {
		.choices.cpus = 1 + first % 4,
		.choices.levels = {.start = (uint8_t)(1 + first / 4 % 3), .el2 = true, .el3 = true},
		.choices.spe = first & 0x80,
		.choices.pmu = first & 0x40 ? PMU_V3P1 : PMU_NONE,
		.choices.counter_hz = 1000000000,
	};
	const struct device_host host = {
		.ctx = &config,
		.set_line = host_set_line,
		.set_input = host_set_input,
		.now = host_now,
		.read_counter = host_read_counter,
		.reschedule = host_reschedule,
		.transmit = host_transmit,
		.power = host_power,
		.memory = host_memory,
	};
	struct bus bus = {0};

	/* Saving reads a whole bank, which takes as long as 50 other inputs. */
	if ((first & 0x3f) == 0x3f) {
		config.flash = &flash;
		(void)madvise(variables, sizeof(variables), MADV_DONTNEED);
	}
	if ((first & 0x30) == 0x20)
		config.fw_cfg = &fw_cfg;
	counter = 0;
	for (size_t i = 0; i < DEVICE_COUNT; i++) {
		devices[i] = device_make(device_types[i], &config, &host);
		if (!devices[i] ||
		    (device_answers(device_types[i], &config) && bus_add(&bus, devices[i]) < 0))
			abort();
	}
	while (in.at < in.end) {
		const uint64_t what = input_number(&in, 1);
		const unsigned int cpu = (unsigned int)(what >> 3) % config.choices.cpus;

		if (counter < UINT64_MAX / 2)
			counter += UINT64_C(1) << (what >> 2 & 31);
		switch (what & 7) {
		case 0:
		case 1:
		case 2: use_bus(&bus, &in, cpu, what & 1); break;
		case 3:
		case 4:
		case 5: use_sysreg(&bus, &in, cpu, what & 1); break;
		default: use_device(devices[input_number(&in, 1) % DEVICE_COUNT], &in, cpu); break;
		}
	}
	bus_free(&bus);
	for (size_t i = 0; i < DEVICE_COUNT; i++)
		device_free(devices[i]);
	return 0;
}
