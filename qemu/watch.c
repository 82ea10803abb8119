/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See watch.h. When that changes, everything is translated anew, which QEMU does between two
 * blocks.
 */
#include "qemu/watch.h"

#include "arm/registers.h"

/* For so many instructions no guest has had a profiling buffer: about half a second. */
#define QUIET (UINT64_C(1) << 28)

/* As many instructions as QEMU ever puts into a block. */
#define LONGEST 512

static bool anybody_profiles(void)
{
	for (unsigned int i = 0; i < plugin.count; i++)
		if (__atomic_load_n(&plugin.vcpus[i].profiles, __ATOMIC_ACQUIRE))
			return true;
	return false;
}

static uint64_t least_spacing(void)
{
	uint64_t least = LONGEST;

	for (unsigned int i = 0; i < plugin.count; i++) {
		const struct vcpu *v = &plugin.vcpus[i];
		const uint64_t spacing = v->profiles ? spe_spacing_min(&v->unit) : LONGEST;

		least = spacing < least ? spacing : least;
	}
	return least;
}

/* All vCPUs are stopped, and all translations are dropped. */
static void begin_anew(void *ctx)
{
	const bool counting = anybody_profiles();

	(void)ctx;
	if (!plugin.counting || !counting || least_spacing() < plugin.spacing)
		plugin.spacing = least_spacing();
	plugin.counting = counting;
	for (unsigned int i = 0; i < plugin.count; i++) {
		struct vcpu *v = &plugin.vcpus[i];

		/* What has been counted remains, and the next block calls back. */
		v->base -= v->score->left;
		v->score->left = 0;
		v->score->block = v->score->branch = 0;
		v->score->line = NO_LINE;
		v->switches++;
		v->score->target = NO_TARGET;
		v->stale = true;
		v->known.any = false;
		v->quiet = 0;
	}
	__atomic_store_n(&plugin.resetting, false, __ATOMIC_RELEASE);
	plugin.callbacks();
}

static void translate_anew(void)
{
	if (!__atomic_exchange_n(&plugin.resetting, true, __ATOMIC_ACQ_REL))
		qemu_plugin_reset(plugin.id, begin_anew, NULL);
}

void watch_unit(struct vcpu *v)
{
	const bool profiles = spe_read(&v->unit, SYSREG_PMBLIMITR_EL1) & PMBLIMITR_EL1_E;

	if (profiles && !v->profiles)
		__atomic_add_fetch(&plugin.activity, 1, __ATOMIC_ACQ_REL);
	__atomic_store_n(&v->profiles, profiles, __ATOMIC_RELEASE);
	if (profiles && (!plugin.counting || spe_spacing_min(&v->unit) < plugin.spacing))
		translate_anew();
}

void watch_idle(struct vcpu *v)
{
	const uint64_t activity = __atomic_load_n(&plugin.activity, __ATOMIC_ACQUIRE);

	if (v->activity != activity) {
		v->activity = activity;
		v->known.any = false;
		v->quiet = 0;
	} else if (v->quiet > QUIET && !anybody_profiles()) {
		translate_anew();
	}
}
