/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine's life: RAM and guest, power on, turns, reset, power off. See machine.h. */
#include <inttypes.h>
#include <libfdt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/splitmix.h"
#include "device/memory_map.h"
#include "device/timer.h"
#include "machine/machine_state.h"

#define MACHINE_RAM_ALIGN (UINT64_C(2) << 20)  /* a block of level 2 with 4 KiB granules */
#define RESET_PIECE	  (UINT64_C(16) << 20) /* of RAM: takes milliseconds on the host */

static int machine_build_dtb(struct machine *machine, char *why, size_t size)
{
	struct device_tree_config config = {
		.device = machine->device_config,
		.initrd_start = machine->layout.initrd_start,
		.initrd_end = machine->layout.initrd_end,
	};
	const char *params = machine->config.choices.params;
	int result = device_tree_build(&config, machine->dtb, sizeof(machine->dtb));

	if (result < 0) {
		(void)snprintf(why, size, "--params: %zu bytes: the device tree has no room: %s",
			       params ? strlen(params) : 0, fdt_strerror(result));
		return -1;
	}
	machine->dtb_size = (size_t)result;
	return 0;
}

/* The initrd may be as large as RAM. Unlike the kernel it is copied in pieces. */
static void machine_place_initrd(struct machine *machine, const struct loader_file *initrd)
{
	uint8_t *to = machine->ram.host + (machine->layout.initrd_start - machine->ram.base);

	for (size_t at = 0; at < initrd->size && !machine_given_up(machine); at += RESET_PIECE) {
		const size_t left = initrd->size - at;

		memcpy(to + at, initrd->bytes + at, left < RESET_PIECE ? left : RESET_PIECE);
	}
}

int machine_load(struct machine *machine, char *why, size_t size)
{
	const struct loader_file *initrd =
		machine->config.choices.initrd ? &machine->files.initrd : NULL;

	if (machine->config.choices.firmware) {
		machine->kernel = (struct loader_kernel){.end = machine->rom.size};
		machine->layout = (struct loader_layout){.dtb = machine->ram.base};
		if (machine_build_dtb(machine, why, size) < 0)
			return -1;
	} else if (loader_place_kernel(&machine->ram, &machine->files.kernel, &machine->kernel, why,
				       size) < 0 ||
		   loader_plan(&machine->ram, &machine->files.kernel, &machine->kernel, initrd,
			       &machine->layout, why, size) < 0 ||
		   machine_build_dtb(machine, why, size) < 0)
		return -1;
	if (initrd && machine->layout.initrd_end > machine->layout.initrd_start)
		machine_place_initrd(machine, initrd);
	memcpy(machine->ram.host + (machine->layout.dtb - machine->ram.base), machine->dtb,
	       machine->dtb_size);
	if (!machine->config.choices.firmware &&
	    loader_start_is_free(&machine->ram, &machine->kernel, machine->dtb_size))
		memcpy(machine->ram.host, machine->dtb, machine->dtb_size);
	machine_reset_devices(machine);
	machine_host_init(machine);
	if (machine->config.choices.engine->concurrent)
		machine_lock_host(machine);
	return 0;
}

static uint8_t *machine_map(uint8_t *at, uint64_t size)
{
	void *host =
		mmap(at, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED : 0), -1, 0);

	if (host == MAP_FAILED)
		return NULL;
	/* Guest memory has no place in a core dump of vspe. */
	(void)madvise(host, size, MADV_DONTDUMP);
	return host;
}

/* Restore RAM to its state at power on, in pieces, since the host has to free the guest's pages. */
static int machine_renew_ram(struct machine *machine)
{
	const uint64_t size = machine->ram.size, piece = RESET_PIECE;

	for (uint64_t at = 0; at < size && !machine_given_up(machine); at += piece) {
		const uint64_t left = size - at;

		if (!machine_map(machine->ram.host + at, left < piece ? left : piece))
			return -1;
	}
	return 0;
}

/* The size of memory below RAM on the host: with firmware the guest's address space from 0 on. */
static uint64_t machine_low_memory(const struct machine *machine)
{
	return machine->config.choices.firmware ? MAP_RAM : 0;
}

/*
 * Fresh zeroed RAM, also to clear it at a reset. Host and guest addresses are equal modulo
 * MACHINE_RAM_ALIGN, so that stage 2 of KVM can map blocks if the host has huge pages.
 */
int machine_clear_ram(struct machine *machine)
{
	const uint64_t size = machine->config.choices.ram_size, low = machine_low_memory(machine);
	uint8_t *host, *area;

	if (machine->ram.host)
		return machine_renew_ram(machine);
	area = machine_map(NULL, low + size + MACHINE_RAM_ALIGN);
	if (!area)
		return -1;
	host = area + (MAP_RAM - (uintptr_t)area) % MACHINE_RAM_ALIGN;
	if (host > area)
		(void)munmap(area, (size_t)(host - area));
	(void)munmap(host + low + size, (size_t)(area + MACHINE_RAM_ALIGN - host));
	host += low;
	machine->ram = (struct engine_ram){.base = MAP_RAM, .size = size, .host = host};
	return 0;
}

static int machine_read_files(struct machine *machine, char *why, size_t size)
{
	const struct machine_config *config = &machine->config;
	struct loader_files *files = &machine->files;

	if (files->kernel.bytes || files->firmware.bytes)
		return 0;
	if (config->choices.firmware && loader_read(&files->firmware, config->choices.firmware,
						    FLASH_BANK, "flash", why, size) < 0)
		return -1;
	if (config->choices.kernel &&
	    (loader_read(&files->kernel, config->choices.kernel, config->choices.ram_size,
			 LOADER_MEMORY, why, size) < 0 ||
	     loader_inflate(&files->kernel, config->choices.ram_size, why, size) < 0))
		return -1;
	return config->choices.initrd
		       ? loader_read(&files->initrd, config->choices.initrd,
				     config->choices.ram_size, LOADER_MEMORY, why, size)
		       : 0;
}

static int machine_prepare(struct machine *machine, char *why, size_t size)
{
	const struct machine_config *config = &machine->config;

	if (machine_clear_ram(machine) < 0) {
		(void)snprintf(why, size, "--mem: the host has no %" PRIu64 " MiB of memory",
			       config->choices.ram_size >> 20);
		return -1;
	}
	machine->device_config = (struct device_config){
		.choices = config->choices,
		.concurrent = config->choices.engine->concurrent,
		.midr = machine_midr(config->choices.core),
	};
	if (config->choices.firmware) {
		machine->device_config.flash = &machine->flash;
		machine->device_config.fw_cfg = &machine->fw_cfg;
	}
	if (config->virtio)
		memcpy(machine->device_config.virtio, config->virtio,
		       sizeof(machine->device_config.virtio));
	if (machine_make_devices(machine) < 0) {
		(void)snprintf(why, size, "--cpus: no room for the devices of %u vCPUs",
			       config->choices.cpus);
		return -1;
	}
	if (machine_read_files(machine, why, size) < 0 ||
	    machine_prepare_firmware(machine, why, size) < 0)
		return -1;
	return machine_load(machine, why, size);
}

/* Vary the seed with the index, so that vCPUs draw different numbers. */
static int machine_seed(struct machine *machine)
{
	if (!machine->config.choices.spe)
		return 0;
	machine->spe = calloc(machine->config.choices.cpus, sizeof(*machine->spe));
	if (!machine->spe)
		return -1;
	for (unsigned int i = 0; i < machine->config.choices.cpus; i++) {
		machine->spe[i] = machine->config.choices.spe_config;
		machine->spe[i].seed += i * SPLITMIX_STEP;
	}
	return 0;
}

/*
 * The seed of a vCPU's RNDR or, with an index after the vCPUs, of the random numbers that come by
 * PSCI's way. It differs from the device tree's numbers, which derive from the same seed.
 */
static uint64_t random_seed(const struct machine *machine, unsigned int index)
{
	uint64_t state = ~(machine->config.choices.seed + index * SPLITMIX_STEP);

	return splitmix_next(&state);
}

struct machine *machine_make(const struct machine_config *config, struct loader_files *files,
			     char *why, size_t size)
{
	struct machine *machine = calloc(1, sizeof(*machine));

	if (!machine) {
		(void)snprintf(why, size, "no memory");
		return NULL;
	}
	machine->config = *config;
	if (machine->config.choices.counter_hz == 0)
		machine->config.choices.counter_hz = TIMER_FREQUENCY;
	machine->device = machine->pages = machine->variables = -1;
	machine->running = -1;
	machine->save_at = UINT64_MAX;
	machine->timeout_at = UINT64_MAX;
	if (files) {
		machine->files = *files;
		*files = (struct loader_files){0};
	}
	(void)pthread_mutex_init(&machine->lock, NULL);
	(void)pthread_cond_init(&machine->changed, NULL);
	if (machine_seed(machine) < 0) {
		(void)snprintf(why, size, "no memory");
		machine_destroy(machine);
		return NULL;
	}
	if (config->choices.engine->open)
		machine->device = config->choices.engine->open(why, size);
	if ((config->choices.engine->open && machine->device < 0) ||
	    machine_prepare(machine, why, size) < 0) {
		machine_destroy(machine);
		return NULL;
	}
	return machine;
}

struct machine *machine_create(const struct machine_config *config, char *why, size_t size)
{
	return machine_make(config, NULL, why, size);
}

const void *machine_device_tree(const struct machine *machine, size_t *size)
{
	*size = machine->dtb_size;
	return machine->dtb;
}

void machine_image(const struct machine *machine, uint64_t *start, uint64_t *size)
{
	*start = machine->kernel.start;
	*size = machine->kernel.end - machine->kernel.start;
}

int machine_power_on(struct machine *machine)
{
	const struct engine *engine = machine->config.choices.engine;

	machine->vm = engine->create(&machine->host, machine->config.choices.cpus);
	if (!machine->vm) {
		(void)snprintf(machine->why, sizeof(machine->why), "engine %s: no memory",
			       engine->name);
		return -1;
	}
	memset(machine->vcpu, 0, sizeof(machine->vcpu));
	memset(machine->on, 0, sizeof(machine->on));
	for (unsigned int i = 0; i < machine->config.choices.cpus; i++) {
		if (machine_given_up(machine)) {
			machine_power_off(machine);
			return 0;
		}
		struct engine_vcpu_config config = {
			.index = i,
			.midr = machine_midr(machine->config.choices.core),
			.levels = machine->config.choices.levels,
			.spe = machine->spe ? &machine->spe[i] : NULL,
			.pmu = machine->config.choices.pmu,
			.seed = random_seed(machine, i),
			.tuning = machine->config.tuning,
		};

		machine->vcpu[i].engine = engine->vcpu_create(machine->vm, &config, machine->why,
							      sizeof(machine->why));
		if (!machine->vcpu[i].engine)
			return -1;
	}
	machine->power_on = machine_host_ns();
	machine->running = -1;
	machine->last = machine->config.choices.cpus - 1;
	machine->random = random_seed(machine, machine->config.choices.cpus);
	/*
	 * A guest at EL3 has no PSCI, so all its vCPUs start, like PEs that nothing holds in reset.
	 */
	for (unsigned int i = 0; i < machine->config.choices.cpus; i++) {
		machine->vcpu[i].wfe = UINT64_MAX;
		machine->on[i] = i == 0 || machine->config.choices.levels.start == 3;
		if (machine->on[i])
			engine->vcpu_reset(machine->vcpu[i].engine, machine->kernel.entry,
					   machine->layout.dtb);
	}
	return 0;
}

void machine_fold(const struct machine *machine, struct machine_stats *stats)
{
	const struct engine *engine = machine->config.choices.engine;

	if (machine->vm && engine->account && (machine->config.choices.spe || !engine->concurrent))
		engine->account(machine->vm, &stats->engine);
	for (unsigned int i = 0; machine->vm && i < machine->config.choices.cpus; i++) {
		struct engine_vcpu *vcpu = machine->vcpu[i].engine;
		const struct spe_unit *unit = vcpu ? engine->vcpu_spe(vcpu) : NULL;

		if (vcpu)
			stats->vcpu[i].operations += engine->vcpu_ops(vcpu);
		if (vcpu && engine->vcpu_skid)
			stats->vcpu[i].skid += engine->vcpu_skid(vcpu);
		if (unit) {
			struct spe_stats counted;

			spe_stats(unit, &counted);
			stats->vcpu[i].events[PMU_TOLD_SAMPLE_POP] += counted.population;
			stats->vcpu[i].events[PMU_TOLD_SAMPLE_FEED] += counted.feed;
			stats->vcpu[i].events[PMU_TOLD_SAMPLE_FILTRATE] += counted.filtrate;
			stats->vcpu[i].events[PMU_TOLD_SAMPLE_COLLISION] += counted.collisions;
			stats->vcpu[i].records += counted.records;
			stats->vcpu[i].bytes += counted.bytes;
			stats->vcpu[i].lost += counted.lost;
			for (unsigned int n = 0; n < SPE_MISUSES; n++)
				stats->vcpu[i].misuse[n] += counted.misuse[n];
		}
	}
}

uint64_t machine_vectors(const struct machine *machine, unsigned int cpu)
{
	const struct engine *engine = machine->config.choices.engine;

	return machine->vm && engine->vcpu_vectors ? engine->vcpu_vectors(machine->vcpu[cpu].engine)
						   : 0;
}

uint64_t machine_collisions(const struct machine *machine, unsigned int cpu)
{
	const struct engine *engine = machine->config.choices.engine;
	struct engine_vcpu *vcpu = machine->vm ? machine->vcpu[cpu].engine : NULL;
	const struct spe_unit *unit = vcpu ? engine->vcpu_spe(vcpu) : NULL;
	struct spe_stats counted = {0};

	if (unit)
		spe_stats(unit, &counted);
	return machine->stats.vcpu[cpu].events[PMU_TOLD_SAMPLE_COLLISION] + counted.collisions;
}

void machine_power_off(struct machine *machine)
{
	if (!machine->vm)
		return;
	machine_fold(machine, &machine->stats);
	machine->config.choices.engine->destroy(machine->vm);
	machine->vm = NULL;
	memset(machine->vcpu, 0, sizeof(machine->vcpu));
}

void machine_stats(const struct machine *machine, struct machine_stats *stats)
{
	*stats = machine->stats;
	stats->time += machine_time(machine);
	machine_fold(machine, stats);
}

/*
 * RAM before a reset loads the guest again. A warm reset only changes the place of the image, whose
 * last part must be zeroed.
 */
static int machine_reset_ram(struct machine *machine)
{
	const struct loader_kernel *kernel = &machine->kernel;

	if (!machine->warm)
		return machine_clear_ram(machine);
	machine->warm = false;
	if (!machine->config.choices.firmware)
		memset(machine->ram.host + (kernel->start - machine->ram.base), 0,
		       kernel->end - kernel->start);
	return 0;
}

/* SYSTEM_RESET: the machine as at power on, except for the counts and the clock of --timeout. */
static int machine_reset(struct machine *machine)
{
	machine->stats.time += machine_time(machine);
	machine_power_off(machine);
	machine->stats.resets++;
	machine->elapsed = machine->window = machine->seen = 0;
	machine->turn = 0;
	machine->contended = machine->meeting = 0;
	machine_awake(machine);
	machine->poll_due = 0;
	if (machine_reset_ram(machine) < 0) {
		(void)snprintf(machine->why, sizeof(machine->why),
			       "reset: the host has no memory for the guest");
		return -1;
	}
	if (machine_given_up(machine))
		return 0;
	return machine_load(machine, machine->why, sizeof(machine->why));
}

/* --no-reboot: any request for a reset becomes one for the end. */
static void machine_refuse_reset(struct machine *machine)
{
	if (machine->request != MACHINE_RESET || !machine->config.choices.no_reboot)
		return;
	machine->request = MACHINE_GO_ON;
	machine_finish(machine, MACHINE_NO_REBOOT, "ended by the guest's reset (--no-reboot)");
}

static int machine_start(struct machine *machine)
{
	if (machine->vm && machine_reset(machine) < 0)
		return -1;
	return machine_given_up(machine) ? 0 : machine_power_on(machine);
}

enum machine_end machine_run(struct machine *machine, char *why, size_t size)
{
	/* A machine that was restored, or stopped to be saved, is already on. */
	bool start = !machine->vm;

	do {
		machine->request = MACHINE_GO_ON;
		if (start && machine_start(machine) < 0) {
			machine->end = MACHINE_ERROR;
			break;
		}
		start = true;
		if (machine_given_up(machine))
			break;
		if (machine->config.choices.engine->concurrent)
			machine_run_threads(machine);
		else
			machine_schedule(machine);
		machine_refuse_reset(machine);
	} while (machine->request == MACHINE_RESET);
	if (machine->end == MACHINE_TIMEOUT || machine->end == MACHINE_SIGNAL ||
	    machine->end == MACHINE_QUIT)
		machine_tell_storm(machine);
	machine_recording_end(machine);
	(void)snprintf(why, size, "%s", machine->why);
	return machine->end;
}

uint64_t machine_operations(const struct machine *machine)
{
	return machine->operations;
}

void machine_hurry(struct machine *machine)
{
	int running;

	machine->hurry = 1;
	running = machine->running;
	/* If this ends a turn early, the scheduler gives the vCPU the rest later. */
	if (running >= 0)
		machine->config.choices.engine->vcpu_request_exit(machine->vcpu[running].engine);
}

void machine_destroy(struct machine *machine)
{
	if (!machine)
		return;
	machine_power_off(machine);
	machine_recording_free(machine);
	machine_free_devices(machine);
	loader_free(&machine->files.firmware);
	loader_free(&machine->files.kernel);
	loader_free(&machine->files.initrd);
	machine_free_firmware(machine);
	if (machine->device >= 0)
		(void)close(machine->device);
	if (machine->pages >= 0)
		(void)close(machine->pages);
	if (machine->ram.host)
		munmap(machine->ram.host - machine_low_memory(machine),
		       machine_low_memory(machine) + machine->ram.size);
	(void)pthread_cond_destroy(&machine->changed);
	(void)pthread_mutex_destroy(&machine->lock);
	free(machine->spe);
	free(machine);
}

const char *machine_exit_name(enum engine_exit_reason reason)
{
	static const char *const names[MACHINE_EXIT_REASONS] = {
		[ENGINE_EXIT_BUDGET] = "budget", [ENGINE_EXIT_WFI] = "wfi",
		[ENGINE_EXIT_WFE] = "wfe",	 [ENGINE_EXIT_HVC] = "hvc",
		[ENGINE_EXIT_SMC] = "smc",	 [ENGINE_EXIT_OFF] = "off",
		[ENGINE_EXIT_RESET] = "reset",	 [ENGINE_EXIT_LOST] = "lost",
		[ENGINE_EXIT_ERROR] = "error",
	};

	return names[reason];
}
