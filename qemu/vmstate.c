/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU saves what a struct VMStateDescription describes. Devices that are modules register these,
 * so the functions are exported. The interface for plugins does not have them, and the layout of
 * that struct is not a stable interface: it is used only if one of QEMU's descriptions,
 * "cpu_common", has it. Otherwise the plugin is a migration blocker (docs/decisions/qemu.md,
 * QEMU-9).
 *
 * A snapshot or a stream that was saved without the plugin has nothing of SPE, and QEMU does not
 * mind that it is missing. The plugin reports it when the machine continues.
 */
#include "qemu/vmstate.h"

#include "qemu/exported.h"
#include "qemu/fail.h"
#include "qemu/image.h"
#include "qemu/line.h"
#include "qemu/watch.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME	"vspe"
#define VERSION 1

/* From QEMU 11.1, include/migration/vmstate.h. */
struct vmstate_info;
struct vmstate_member {
	uint32_t offset;
	uint8_t size;
};
struct vmstate_field {
	const char *name;
	size_t offset;
	size_t size;
	struct vmstate_member size_indirect, num_indirect;
	size_t start;
	int num;
	const struct vmstate_info *info;
	int flags;
	const void *description;
	int version_id, struct_version_id;
	bool (*field_exists)(void *opaque, int version);
};
struct vmstate_description {
	const char *name;
	bool unmigratable, early_setup;
	int version_id, minimum_version_id, priority;
	int (*pre_load)(void *opaque);
	bool (*pre_load_errp)(void *opaque, void **error);
	int (*post_load)(void *opaque, int version);
	bool (*post_load_errp)(void *opaque, int version, void **error);
	int (*pre_save)(void *opaque);
	bool (*pre_save_errp)(void *opaque, void **error);
	void (*post_save)(void *opaque);
	bool (*needed)(void *opaque);
	bool (*dev_unplug_pending)(void *opaque);
	const struct vmstate_field *fields;
	const struct vmstate_description *const *subsections;
};

#define VMS_SINGLE 0x1
#define VMS_BUFFER 0x20
#define VMS_END	   0x20000

/* The state of a vCPU, while QEMU saves or loads it. */
struct saved {
	unsigned int index;
	bool waiting; /* it came before its vCPU */
	uint8_t bytes[IMAGE_SIZE];
};

static struct {
	void (*error_setg_internal)(void **error, const char *file, int line, const char *function,
				    const char *format, ...);
	const char *(*error_get_pretty)(const void *error);
	int (*migrate_add_blocker)(void **reason, void **error);
	void *(*qemu_add_vm_change_state_handler)(void (*callback)(void *, bool, int), void *ctx);
	void (*qemu_register_reset_nosnapshotload)(void (*callback)(void *), void *ctx);
	int (*runstate_get)(void);
	const char *const *const *RunState_lookup; /* its first member is the table of names */
} qemu;

static struct {
	struct saved *vcpus;
	unsigned int count; /* of vcpus */
	/* Resets of every kind, and those that are not for loading a snapshot. */
	unsigned int resets, plain_resets;
	unsigned int loads_told; /* snapshots that the machine has gone on from */
	bool incoming;		 /* a stream is waited for */
	bool loaded;		 /* since the machine last ran */
} here;

const char *vmstate_find(void)
{
	static const struct exported rows[] = {
#define ROW(name) {#name, &qemu.name}
		ROW(error_setg_internal),
		ROW(error_get_pretty),
		ROW(migrate_add_blocker),
		ROW(qemu_add_vm_change_state_handler),
		ROW(qemu_register_reset_nosnapshotload),
		ROW(runstate_get),
		ROW(RunState_lookup),
	};

	return exported_find(rows, sizeof(rows) / sizeof(rows[0]));
}

#define SET_ERROR(error, ...) \
	qemu.error_setg_internal((error), __FILE__, __LINE__, __func__, __VA_ARGS__)

/* Does one of QEMU's descriptions have the layout that is declared here? */
static bool is_known_layout(void)
{
	const struct vmstate_description *d = dlsym(RTLD_DEFAULT, "vmstate_cpu_common");
	const void *uint32 = dlsym(RTLD_DEFAULT, "vmstate_info_uint32");
	const struct vmstate_field *f;

	if (!d || !uint32 || !d->name || strcmp(d->name, "cpu_common") != 0)
		return false;
	if (d->unmigratable || d->early_setup || d->version_id != 1 || d->minimum_version_id != 1 ||
	    d->priority || !d->pre_load || d->pre_load_errp || !d->post_load || d->post_load_errp ||
	    d->pre_save || d->pre_save_errp || d->post_save || d->needed || d->dev_unplug_pending ||
	    !d->fields || !d->subsections || !d->subsections[0])
		return false;
	f = d->fields;
	return strcmp(f[0].name, "halted") == 0 && f[0].size == 4 && f[0].info == uint32 &&
	       f[0].flags == VMS_SINGLE && !f[0].num && !f[0].version_id && !f[0].field_exists &&
	       strcmp(f[1].name, "interrupt_request") == 0 && f[1].size == 4 &&
	       f[1].offset != f[0].offset && f[1].info == uint32 && !f[2].name &&
	       f[2].flags == VMS_END;
}

static bool before_save(void *opaque, void **error)
{
	struct saved *saved = opaque;
	const char *why = saved->index < plugin.count
				  ? image_save(&plugin.vcpus[saved->index], saved->bytes)
				  : "it has not begun";

	if (why)
		SET_ERROR(error, "vspe: CPU %u: %s", saved->index, why);
	return !why;
}

static bool after_load(void *opaque, int version, void **error)
{
	struct saved *saved = opaque;
	char why[256];

	(void)version;
	here.loaded = true;
	saved->waiting = saved->index >= plugin.count;
	if (saved->waiting ||
	    image_load(&plugin.vcpus[saved->index], saved->bytes, why, sizeof(why)) == 0)
		return true;
	SET_ERROR(error, "vspe: CPU %u: %s", saved->index, why);
	return false;
}

void vmstate_vcpu(struct vcpu *v)
{
	struct saved *saved = v->index < here.count ? &here.vcpus[v->index] : NULL;
	char why[256];

	if (!saved || !saved->waiting)
		return;
	saved->waiting = false;
	if (image_load(v, saved->bytes, why, sizeof(why)) < 0)
		plugin_fail("CPU %u: %s", v->index, why);
}

/* A description of one field; the callers of "register" never take it back. */
static const char *register_all(unsigned int cpus)
{
	static struct vmstate_field fields[] = {
		{
			.name = "image",
			.offset = offsetof(struct saved, bytes),
			.size = IMAGE_SIZE,
			.flags = VMS_BUFFER,
		},
		{.flags = VMS_END},
	};
	static const struct vmstate_description description = {
		.name = NAME,
		.version_id = VERSION,
		.minimum_version_id = VERSION,
		.post_load_errp = after_load,
		.pre_save_errp = before_save,
		.fields = fields,
	};
	int (*add)(void *object, uint32_t instance, const struct vmstate_description *description,
		   void *opaque, int alias, int required_for_version, void **error);

	*(void **)&add = dlsym(RTLD_DEFAULT, "vmstate_register_with_alias_id");
	fields[0].info = dlsym(RTLD_DEFAULT, "vmstate_info_buffer");
	if (!add || !fields[0].info)
		return "this QEMU exports nothing that SPE could be saved by";
	if (!is_known_layout())
		return "this QEMU describes what it saves in a way that libvspe-qemu.so does not "
		       "know";
	here.vcpus = calloc(cpus, sizeof(*here.vcpus));
	if (!here.vcpus)
		return "no memory";
	for (here.count = 0; here.count < cpus; here.count++) {
		here.vcpus[here.count].index = here.count;
		if (add(NULL, here.count, &description, &here.vcpus[here.count], -1, 0, NULL) < 0)
			return "QEMU refuses the description of SPE";
	}
	return NULL;
}

/* QEMU shows this to users who try to migrate or to save. */
static const char *block(const char *why)
{
	static void *reason;
	void *error = NULL;

	SET_ERROR(&reason, "SPE by libvspe-qemu.so cannot be saved: %s", why);
	return qemu.migrate_add_blocker(&reason, &error) < 0 ? qemu.error_get_pretty(error) : NULL;
}

static bool is_incoming(void)
{
	return strcmp((*qemu.RunState_lookup)[qemu.runstate_get()], "inmigrate") == 0;
}

static void on_reset(void *ctx)
{
	(void)ctx;
	here.resets++;
}

static void on_plain_reset(void *ctx)
{
	(void)ctx;
	here.plain_resets++;
}

/* Its vCPUs are as after a reset. The GIC's input is as loaded, and is updated from that. */
static void tell_of_nothing(const char *what)
{
	fprintf(stderr,
		"vspe: the %s has nothing of SPE: it was saved without libvspe-qemu.so. The "
		"guest's "
		"SPE is as after a reset, and takes no samples until it is programmed anew\n",
		what);
	for (unsigned int i = 0; i < plugin.count; i++) {
		plugin.vcpus[i].line = true;
		(void)line_update(&plugin.vcpus[i]);
	}
}

/* The machine stops or continues; this is called before any vCPU does. */
static void on_change(void *ctx, bool running, int state)
{
	const unsigned int loads = here.resets - here.plain_resets;

	(void)ctx;
	(void)state;
	if (!running)
		return;
	if (!here.loaded && loads != here.loads_told)
		tell_of_nothing("snapshot");
	else if (!here.loaded && here.incoming)
		tell_of_nothing("migrated machine");
	for (unsigned int i = 0; here.loaded && i < plugin.count; i++)
		watch_unit(&plugin.vcpus[i]);
	here.loads_told = loads;
	here.incoming = here.loaded = false;
}

const char *vmstate_begin(unsigned int cpus)
{
	const char *why;

	here.incoming = is_incoming();
	line_on_reset(on_reset);
	qemu.qemu_register_reset_nosnapshotload(on_plain_reset, NULL);
	qemu.qemu_add_vm_change_state_handler(on_change, NULL);
	why = register_all(cpus);
	return why ? block(why) : NULL;
}
