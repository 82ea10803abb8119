/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libvspe-qemu.so: a plugin that gives the guests of an unmodified qemu-system-aarch64 the
 * Statistical Profiling Extension. QEMU calls this file at its start and end.
 */
#include "qemu/plugin.h"

#include "arm/registers.h"
#include "qemu/access.h"
#include "base/splitmix.h"
#include "qemu/buffer.h"
#include "qemu/count.h"
#include "qemu/exception.h"
#include "qemu/fail.h"
#include "qemu/level.h"
#include "qemu/line.h"
#include "qemu/model.h"
#include "qemu/options.h"
#include "qemu/records.h"
#include "qemu/translate.h"
#include "qemu/vmstate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* QEMU's virt board: RAM, and where the devices begin that it puts after any RAM. */
#define RAM_START (UINT64_C(1) << 30)
#define RAM_END	  (UINT64_C(256) << 30)

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;
QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
					   char **argv);

struct plugin plugin = {.ram_start = RAM_START, .ram_end = RAM_END, .spacing = 512};

static void on_vcpu(unsigned int index, void *ctx)
{
	const struct spe_host host = {.ctx = &plugin.vcpus[index], .write = buffer_write};
	struct vcpu *v = &plugin.vcpus[index];
	struct spe_config config = plugin.config;
	int error;

	(void)ctx;
	if (line_icount())
		plugin_fail(
			"-icount: SPE needs QEMU's clock inside of a block, where that has none");
	if (index > 0 && line_single())
		plugin_fail("-accel tcg,thread=single: QEMU's plugins take one vCPU for another");
	if (!registers_find(&v->registers))
		plugin_fail("CPU %u: QEMU gives no access to its registers", index);
	if (!v->registers.at[QEMU_ID_AA64DFR0_EL1])
		plugin_fail("CPU %u: SPE needs a CPU with AArch64", index);
	config.sve = v->registers.at[QEMU_ZCR_EL1];
	config.ecv = ARM_GET(ID_AA64MMFR0_EL1_ECV,
			     register_get(&v->registers, QEMU_ID_AA64MMFR0_EL1)) > 0;
	config.seed += index * SPLITMIX_STEP;
	error = spe_init(&v->unit, sizeof(v->unit), &config, &host);
	if (error)
		plugin_fail("CPU %u: %s", index, spe_strerror(error));
	v->index = index;
	v->chosen = config.seed;
	v->score = qemu_plugin_scoreboard_find(plugin.scores, index);
	*v->score = (struct score){.target = NO_TARGET, .line = NO_LINE};
	level_begin(v);
	level_update(v);
	v->stale = true;
	if (plugin.count <= index)
		plugin.count = index + 1;
	vmstate_vcpu(v);
}

static void register_callbacks(void)
{
	qemu_plugin_register_vcpu_init_cb(plugin.id, on_vcpu, NULL);
	qemu_plugin_register_vcpu_tb_trans_cb(plugin.id, translate_block, NULL);
	qemu_plugin_register_flush_cb(plugin.id, translate_flush, NULL);
	if (plugin.counting)
		qemu_plugin_register_vcpu_discon_cb(plugin.id, QEMU_PLUGIN_DISCON_ALL,
						    count_discontinuity, NULL);
}

/* NULL, or why not. */
static const char *prepare(const qemu_info_t *info)
{
	static char text[160];
	const char *missing;
	int error;

	if (strcmp(info->target_name, "aarch64") != 0 || !info->system_emulation)
		return "SPE is for qemu-system-aarch64";
	missing = line_find();
	if (!missing)
		missing = vmstate_find();
	if (missing) {
		snprintf(text, sizeof(text),
			 "this QEMU does not export %s: one that is built with modules is needed",
			 missing);
		return text;
	}
	exception_find();
	plugin.vcpus = calloc((size_t)info->system.max_vcpus, sizeof(*plugin.vcpus));
	if (!plugin.vcpus)
		return "no memory";
	missing = model_begin((unsigned int)info->system.max_vcpus);
	if (missing)
		return missing;
	error = records_begin((unsigned int)info->system.max_vcpus);
	if (error) {
		snprintf(text, sizeof(text), "%.100s: %s", plugin.perf_data, strerror(-error));
		return text;
	}
	return vmstate_begin((unsigned int)info->system.smp_vcpus);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	const char *error;
	char why[256];

	if (options_read(argc, argv, why, sizeof(why))) {
		fprintf(stderr, "vspe: -plugin: %s\n", why);
		return 1;
	}
	error = prepare(info);
	if (error) {
		fprintf(stderr, "vspe: %s\n", error);
		return 1;
	}
	plugin.id = id;
	plugin.scores = qemu_plugin_scoreboard_new(sizeof(struct score));
	plugin.callbacks = register_callbacks;
	register_callbacks();
	line_on_reset(access_reset);
	/* Runs before the writer's atexit() handler, which removes incomplete files. */
	atexit(records_end);
	return 0;
}
