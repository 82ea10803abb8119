/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU's interface for plugins can neither raise an interrupt nor read a clock. Distributions'
 * programs export the functions that do, for modules; they are found by name
 * (docs/decisions/qemu.md, QEMU-2). Their declarations are QEMU's.
 */
#include "qemu/line.h"
#include "qemu/exported.h"
#include "qemu/fail.h"

#include <dlfcn.h>

#define INTID		   21u /* PMBIRQ, of the Arm Base System Architecture */
#define PPIS		   32  /* inputs of the GIC for each vCPU, after those of SPIs */
#define QEMU_CLOCK_VIRTUAL 1

static struct {
	void *(*object_resolve_path_type)(const char *path, const char *type, bool *ambiguous);
	uint64_t (*object_property_get_uint)(void *object, const char *name, void **error);
	void *(*qdev_get_gpio_in)(void *device, int n);
	void (*qemu_set_irq)(void *irq, int level);
	void (*bql_lock_impl)(const char *file, int line);
	void (*bql_unlock)(void);
	bool (*bql_locked)(void);
	int64_t (*qemu_clock_get_ns)(int type);
	void (*qemu_register_reset)(void (*callback)(void *), void *ctx);
} qemu;

static void *gic;
static unsigned int spis;

const char *line_find(void)
{
	static const struct exported rows[] = {
#define ROW(name) {#name, &qemu.name}
		ROW(object_resolve_path_type),
		ROW(object_property_get_uint),
		ROW(qdev_get_gpio_in),
		ROW(qemu_set_irq),
		ROW(bql_lock_impl),
		ROW(bql_unlock),
		ROW(bql_locked),
		ROW(qemu_clock_get_ns),
		ROW(qemu_register_reset),
	};

	return exported_find(rows, sizeof(rows) / sizeof(rows[0]));
}

/* All GICs have one type of object, which exists by the time a guest runs. */
static void find_gic(void)
{
	bool ambiguous = false;

	gic = qemu.object_resolve_path_type("", "arm-gicv3-common", &ambiguous);
	if (!gic)
		gic = qemu.object_resolve_path_type("", "arm_gic_common", &ambiguous);
	if (!gic)
		plugin_fail("the machine has no GIC, which PMBIRQ could be an input of");
	spis = (unsigned int)qemu.object_property_get_uint(gic, "num-irq", NULL) - PPIS;
}

bool line_update(struct vcpu *v)
{
	const bool level = spe_irq_level(&v->unit);
	bool locked;

	if (level == v->line)
		return false;
	v->line = level;
	locked = qemu.bql_locked();
	if (!locked)
		qemu.bql_lock_impl(__FILE__, __LINE__);
	if (!gic)
		find_gic();
	qemu.qemu_set_irq(qemu.qdev_get_gpio_in(gic, (int)(spis + v->index * PPIS + INTID)), level);
	if (!locked)
		qemu.bql_unlock();
	return level;
}

uint64_t line_clock(void)
{
	return (uint64_t)qemu.qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

void line_on_reset(void (*callback)(void *))
{
	qemu.qemu_register_reset(callback, NULL);
}

bool line_single(void)
{
	bool (*enabled)(void);

	*(void **)&enabled = dlsym(RTLD_DEFAULT, "qemu_tcg_mttcg_enabled");
	return enabled && !enabled();
}

bool line_icount(void)
{
	const int *use_icount = dlsym(RTLD_DEFAULT, "use_icount");

	return use_icount && *use_icount != 0;
}
