/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See image.h. A vCPU stops between two blocks. Operations that the unit does not know of yet stay
 * a number in the image, and an operation that was planned stays planned. Reporting them to the
 * unit here could write a record, but when QEMU saves the plugin it has already saved the guest's
 * memory. The vCPU that continues settles both at its first block, as the saved one would have.
 */
#include "qemu/image.h"

#include "base/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Version of the format below; a new number for each change. */
#define VERSION 1

/* Instructions that a vCPU can have executed unsettled: count.c makes it call back long before. */
#define UNSETTLED_MAX (UINT64_C(1) << 27)

#define HEAD sizeof(uint32_t)

struct image {
	uint32_t version;
	uint32_t unit_size;
	uint8_t unit[SPE_IMAGE_MAX];
	bool line;
	uint64_t unsettled;
	uint64_t trapped, missed;
	struct plan plan;
};

_Static_assert(HEAD + sizeof(struct image) <= IMAGE_SIZE, "an image has room for all of it");

static void describe_operation(struct state *state, struct spe_op *op)
{
	STATE_FIELD(state, op->pc);
	STATE_FIELD(state, op->target);
	STATE_FIELD(state, op->data_va);
	STATE_FIELD(state, op->data_pa);
	STATE_FIELD(state, op->timestamp);
	STATE_FIELD(state, op->events);
	STATE_FIELD(state, op->contextidr_el1);
	STATE_FIELD(state, op->contextidr_el2);
	STATE_FIELD(state, op->flags);
	STATE_FIELD(state, op->total_latency);
	STATE_FIELD(state, op->issue_latency);
	STATE_FIELD(state, op->translation_latency);
	STATE_FIELD(state, op->alternate_latency);
	STATE_FIELD(state, op->data_source);
	STATE_UP_TO(state, op->type_header, SPE_TYPE_BRANCH);
	STATE_FIELD(state, op->type_payload);
	STATE_UP_TO(state, op->el, 3);
	STATE_UP_TO(state, op->target_el, 3);
	STATE_FIELD(state, op->ns);
	STATE_FIELD(state, op->nse);
	STATE_FIELD(state, op->target_ns);
	STATE_FIELD(state, op->target_nse);
	STATE_UP_TO(state, op->tag, 15);
}

static void describe_plan(struct state *state, struct plan *plan)
{
	STATE_FIELD(state, plan->any);
	STATE_FIELD(state, plan->excepted);
	STATE_FIELD(state, plan->exclusive);
	STATE_FIELD(state, plan->trusted);
	STATE_FIELD(state, plan->data_pa_valid);
	STATE_FIELD(state, plan->ahead);
	STATE_FIELD(state, plan->data_pa);
	STATE_FIELD(state, plan->word);
	describe_operation(state, &plan->op);
}

static void describe(struct state *state, struct image *image)
{
	STATE_FIELD(state, image->version);
	if (image->version != VERSION)
		state_refuse(state,
			     "the image has version %" PRIu32 ", and this libvspe-qemu.so knows %d "
			     "only: use that which saved it",
			     image->version, VERSION);
	STATE_UP_TO(state, image->unit_size, SPE_IMAGE_MAX);
	if (image->unit_size <= SPE_IMAGE_MAX)
		state_bytes(state, image->unit, image->unit_size);
	STATE_FIELD(state, image->line);
	STATE_UP_TO(state, image->unsettled, UNSETTLED_MAX);
	STATE_FIELD(state, image->trapped);
	STATE_FIELD(state, image->missed);
	describe_plan(state, &image->plan);
}

const char *image_save(const struct vcpu *v, uint8_t bytes[IMAGE_SIZE])
{
	struct image image = {
		.version = VERSION,
		.line = v->line,
		.unsettled = v->base - v->score->left,
		.trapped = v->trapped,
		.missed = v->missed,
		.plan = v->plan,
	};
	struct state state;
	uint32_t size;

	image.unit_size = (uint32_t)spe_save(&v->unit, image.unit, sizeof(image.unit));
	state_save(&state, "SPE");
	describe(&state, &image);
	memset(bytes, 0, IMAGE_SIZE);
	if (state_end(&state)) {
		size = (uint32_t)state.at;
		for (size_t i = 0; i < HEAD; i++)
			bytes[i] = (uint8_t)(size >> 8 * i);
		memcpy(bytes + HEAD, state.bytes, state.at);
	}
	state_free(&state);
	return state.failed ? "SPE: no memory" : NULL;
}

/* The contradiction in an image that was read completely, or NULL. v->unit is as in the image. */
static const char *contradiction(const struct spe_unit *unit, const struct image *image)
{
	if (!image->plan.any)
		return NULL;
	return image->plan.ahead && image->plan.ahead <= spe_budget(unit)
		       ? NULL
		       : "an operation is planned that is not the one to be selected";
}

static int refuse_unit(int error, const char *field, char *why, size_t size)
{
	if (error == -SPE_EIMAGECONFIG)
		snprintf(why, size,
			 "'%s' differs from that of the saved SPE: start QEMU with the --spe, or "
			 "the words of -plugin, of the QEMU that saved it",
			 field);
	else
		snprintf(why, size, "%s%s%s", spe_strerror(error), field ? ": " : "",
			 field ? field : "");
	return -1;
}

static int read_image(const uint8_t bytes[IMAGE_SIZE], struct image *image, char *why, size_t size)
{
	struct state state;
	uint32_t length = 0;

	for (size_t i = 0; i < HEAD; i++)
		length |= (uint32_t)bytes[i] << 8 * i;
	if (length > IMAGE_SIZE - HEAD) {
		snprintf(why, size, "the image is %" PRIu32 " bytes long, at most %zu are", length,
			 IMAGE_SIZE - HEAD);
		return -1;
	}
	state_load(&state, "SPE", bytes + HEAD, length);
	describe(&state, image);
	if (state_end(&state))
		return 0;
	snprintf(why, size, "%s", state.why);
	return -1;
}

int image_load(struct vcpu *v, const uint8_t bytes[IMAGE_SIZE], char *why, size_t size)
{
	struct image image = {.version = 0};
	struct spe_unit unit = v->unit;
	const char *field = NULL, *wrong;
	struct spe_stats before, after;
	int error;

	if (read_image(bytes, &image, why, size) < 0)
		return -1;
	error = spe_restore(&unit, image.unit, image.unit_size, &field);
	if (error)
		return refuse_unit(error, field, why, size);
	wrong = contradiction(&unit, &image);
	if (wrong) {
		snprintf(why, size, "%s", wrong);
		return -1;
	}
	spe_stats(&v->unit, &before);
	spe_stats(&unit, &after);
	v->foreign_collisions += after.collisions - before.collisions;
	v->unit = unit;
	v->controls = *spe_unit_controls(&unit);
	v->line = image.line;
	v->trapped = image.trapped;
	v->missed = image.missed;
	v->plan = image.plan;
	/* The next block calls back, and no code from an earlier translation is being executed. */
	v->base = image.unsettled;
	*v->score = (struct score){.target = NO_TARGET};
	v->stale = true;
	v->known.any = false;
	v->quiet = 0;
	return 0;
}
