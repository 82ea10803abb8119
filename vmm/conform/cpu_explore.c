/* SPDX-License-Identifier: BSD-2-Clause */
/* All contexts of an accessor of the software CPU: see cpu_explore.h. */
#include "conform/cpu_explore.h"
#include "arm/syndrome.h"
#include "base/memory.h"
#include "base/splitmix.h"
#include "conform/world_cpu.h"

#include <inttypes.h>
#include <string.h>

#define ROWS_MOST    400
#define CHOICES_MOST 32

struct explorer {
	const struct cpu_subject *cpu;
	const struct page_accessor *accessor;
	void *pe;
	uint64_t *controls[ROWS_MOST]; /* of the rows of world_cpu_row() */
	uint64_t random;
	bool measuring;		  /* only find out which bits are asked at all */
	bool relevant[WORLD_ALL]; /* they are */
	atomic_ullong *done;
	struct cpu_exploration *result;
};

/* Every control register gets an arbitrary value, or all 0 or all 1; then known bits theirs. */
static void set_controls(struct explorer *x, const struct world *w, unsigned int time)
{
	const struct world_cpu_row *row;
	bool host;

	for (unsigned int n = 0; world_cpu_row(n); n++)
		if (x->controls[n])
			*x->controls[n] = time == 0   ? 0
					  : time == 1 ? UINT64_MAX
						      : splitmix_next(&x->random);
	/* HCR_EL2.E2H, which may be among them, says where some of the others are. */
	for (unsigned int pass = 0; pass < 2; pass++) {
		uint64_t *hcr = x->cpu->control(x->pe, "HCR_EL2");

		host = hcr && *hcr >> WORLD_HCR_EL2_E2H_LSB & 1;
		for (unsigned int n = 0; (row = world_cpu_row(n)); n++)
			for (unsigned int i = 0; x->controls[n] && i < row->width; i++) {
				const unsigned int at = (host ? row->host : row->lsb) + i;

				if (!w->known[row->first + i])
					continue;
				*x->controls[n] &= ~(UINT64_C(1) << at);
				*x->controls[n] |= (uint64_t)w->value[row->first + i] << at;
			}
	}
}

/* Do the known bits still have their values? */
static bool holds(const struct explorer *x, const struct world *w)
{
	const uint64_t *hcr = x->cpu->control(x->pe, "HCR_EL2");
	const bool host = hcr && *hcr >> WORLD_HCR_EL2_E2H_LSB & 1;
	const struct world_cpu_row *row;

	for (unsigned int n = 0; (row = world_cpu_row(n)); n++)
		for (unsigned int i = 0; x->controls[n] && i < row->width; i++)
			if (w->known[row->first + i] &&
			    (*x->controls[n] >> ((host ? row->host : row->lsb) + i) & 1) !=
				    w->value[row->first + i])
				return false;
	return true;
}

/* The features that the page has not asked: arbitrary ones that may be there together. */
static void set_features(struct explorer *x, const struct world *w, unsigned int time)
{
	struct world all = *w;
	struct world_cpu_choice c;

	for (unsigned int n = 0; (c = world_cpu_optional(n)).name; n++)
		if (!w->known[c.bit])
			world_cpu_set(&all, c.bit, true,
				      time > 1 ? splitmix_next(&x->random) >> 63 : time);
	/* Leave those out that contradict what is known. */
	for (unsigned int n = 0; world_cpu_contradicts(&all) && (c = world_cpu_optional(n)).name;
	     n++)
		if (!w->known[c.bit])
			world_cpu_set(&all, c.bit, true, false);
	for (unsigned int n = 0; (c = world_cpu_optional(n)).name; n++)
		x->cpu->set_feature(x->pe, c.name, all.value[c.bit]);
}

static uint32_t sysreg_iss(uint32_t encoding, bool write, uint8_t rt)
{
	const uint32_t op0 = encoding >> 14, op1 = encoding >> 11 & 7, crn = encoding >> 7 & 15,
		       crm = encoding >> 3 & 15, op2 = encoding & 7;

	return op0 << 20 | op2 << 17 | op1 << 14 | crn << 10 | (uint32_t)rt << 5 | crm << 1 |
	       !write;
}

static bool agrees(const struct explorer *x, const struct outcome *want,
		   const struct cpu_answer *got, uint8_t rt)
{
	if (want->kind != got->outcome.kind)
		return false;
	switch (want->kind) {
	case SYSREG_TRAP:
		if (want->target_el != got->outcome.target_el || want->ec != got->outcome.ec)
			return false;
		return want->ec != ARM_EC_SYSREG ||
		       got->iss == sysreg_iss(x->accessor->encoding, x->accessor->write, rt);
	case SYSREG_NVMEM: return want->offset == got->outcome.offset;
	case SYSREG_DIRECT:
		return !want->name || !got->outcome.name ||
		       !strcmp(want->name, got->outcome.name) ||
		       !strcmp(world_cpu_same(want->name), got->outcome.name);
	default: return true;
	}
}

/* The known bits by name, those that are 0 last. */
static void print_state(const struct world *w, char *text, size_t size)
{
	const struct world_cpu_row *row;
	struct world_cpu_choice c;
	size_t used = (size_t)snprintf(text, size, "EL%u", w->el);

	for (unsigned int n = 0; (c = world_cpu_optional(n)).name; n++)
		if (w->known[c.bit] && used < size)
			used += (size_t)snprintf(text + used, size - used, " %s%s",
						 w->value[c.bit] ? "" : "no ", c.name);
	for (unsigned int n = 0; (row = world_cpu_row(n)); n++)
		for (unsigned int i = 0; i < row->width && used < size; i++) {
			char bit[8] = "";

			if (!w->known[row->first + i])
				continue;
			if (row->width > 1)
				(void)snprintf(bit, sizeof(bit), "[%u]", i);
			used += (size_t)snprintf(text + used, size - used, " %s.%s%s=%d", row->reg,
						 row->name, bit, w->value[row->first + i]);
		}
}

static void note_first(struct explorer *x, const struct world *w, const struct outcome *want,
		       const struct cpu_answer *got)
{
	struct cpu_exploration *r = x->result;

	r->want = *want;
	r->got = *got;
	(void)snprintf(r->want_name, sizeof(r->want_name), "%s", want->name ? want->name : "");
	(void)snprintf(r->got_name, sizeof(r->got_name), "%s",
		       got->outcome.name ? got->outcome.name : "");
	print_state(w, r->state, sizeof(r->state));
}

/* Ask the CPU once; w has what is known. Returns false for a difference. */
static bool ask(struct explorer *x, const struct world *w, const struct outcome *want,
		unsigned int time)
{
	const uint8_t rt = (uint8_t)(splitmix_next(&x->random) >> 59);
	struct cpu_answer got;
	char name[32];

	set_features(x, w, time);
	set_controls(x, w, time);
	x->cpu->settle(x->pe);
	if (!holds(x, w))
		return true;
	got = x->cpu->route(x->pe, w->el, x->accessor->encoding, x->accessor->write, rt, name,
			    sizeof(name));
	x->result->asked++;
	if (agrees(x, want, &got, rt))
		return true;
	if (x->result->different == 0)
		note_first(x, w, want, &got);
	return false;
}

/* Each bit that the page asks elsewhere: alone at 1, and alone at 0. */
static bool ask_singly(struct explorer *x, struct world *w, const struct outcome *want)
{
	bool agree = true;

	for (unsigned int bit = 0; bit < WORLD_ALL; bit++) {
		if (!x->relevant[bit] || w->known[bit])
			continue;
		for (unsigned int time = 0; time < 2; time++) {
			world_cpu_set(w, bit, true, !time);
			if (!world_cpu_contradicts(w))
				agree = ask(x, w, want, time) && agree;
		}
		world_cpu_set(w, bit, false, false);
	}
	return agree;
}

static void compare(struct explorer *x, struct world *w, const struct outcome *want)
{
	struct cpu_exploration *r = x->result;
	const uint64_t before = r->asked;
	bool agree = true;

	for (unsigned int time = 0; time < CPU_EXPLORE_TIMES; time++)
		agree = ask(x, w, want, time) && agree;
	agree = ask_singly(x, w, want) && agree;
	r->different += !agree;
	r->contexts += r->asked > before;
	r->impossible += r->asked == before;
	if (x->done)
		atomic_fetch_add_explicit(x->done, r->asked - before, memory_order_relaxed);
}

/* Is this accessor one of such a PE? The page of ELR_EL2 has ELR_EL1 "when FEAT_VHE is
 * implemented". */
static bool is_described(const struct page_accessor *a, struct world *w)
{
	for (unsigned int i = 0; i < a->cpu_needs_count; i++)
		if (!world_is(w, a->cpu_needs[i]))
			return false;
	return !a->cpu_never;
}

/* WORLD_ALL limits the depth: each level knows one more bit. */
static void descend(struct explorer *x, struct world *w)
{
	struct outcome want = {.kind = SYSREG_UNDEFINED};
	bool possible;
	int asked;

	if (x->result->contexts + x->result->impossible >= CPU_EXPLORE_CONTEXTS) {
		x->result->too_many = true;
		return;
	}
	w->asked = -1;
	w->lacks = NULL;
	possible = world_cpu_possible(w);
	if (w->asked < 0)
		possible = possible && is_described(x->accessor, w);
	if (w->asked < 0 && possible)
		want = asl_run(x->accessor->program, w);
	asked = w->asked;
	if (asked >= 0) {
		x->relevant[asked] = true;
		for (int value = 0; value < 2; value++) {
			world_cpu_set(w, (unsigned int)asked, true, value);
			descend(x, w);
		}
		world_cpu_set(w, (unsigned int)asked, false, false);
	} else if (x->measuring) {
		x->result->contexts++;
	} else if (w->lacks) {
		(void)snprintf(x->result->lacks, sizeof(x->result->lacks), "%s", w->lacks);
	} else if (possible) {
		compare(x, w, &want);
	}
}

void cpu_explore(const struct cpu_subject *cpu, const struct page_accessor *accessor, uint8_t el,
		 atomic_ullong *done, struct cpu_exploration *result)
{
	struct explorer x = {.cpu = cpu,
			     .accessor = accessor,
			     .random = accessor->encoding * 8u + accessor->write * 4u + el,
			     .done = done,
			     .result = result};
	struct world w = {.el = el, .m = accessor->m, .asked = -1};
	const struct world_cpu_row *row;

	*result = (struct cpu_exploration){0};
	x.pe = memory_need(cpu->create());
	for (unsigned int n = 0; n < ROWS_MOST && (row = world_cpu_row(n)); n++)
		x.controls[n] = cpu->control(x.pe, row->reg);
	x.measuring = true;
	descend(&x, &w);
	x.measuring = false;
	if (!result->too_many) {
		result->contexts = 0;
		descend(&x, &w);
	}
	cpu->destroy(x.pe);
}

void cpu_print_outcome(const struct outcome *o, const char *name, FILE *out)
{
	switch ((int)o->kind) {
	case SYSREG_UNDEFINED: fputs("UNDEFINED", out); break;
	case SYSREG_TRAP: fprintf(out, "exception to EL%u, EC 0x%02x", o->target_el, o->ec); break;
	case SYSREG_NVMEM: fprintf(out, "memory, VNCR_EL2.BADDR + 0x%03x", o->offset); break;
	case SYSREG_DIRECT: fprintf(out, "access to %s", *name ? name : "it"); break;
	default: fputs("no outcome", out); break;
	}
}
