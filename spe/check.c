/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spe_config.check: misuse of a unit by its embedder. All checks are in branches that a unit
 * without spe_config.check never takes, so they cost it nothing.
 */
#include "internal.h"

static const char *const names[] = {
	[SPE_MISUSE_UPDATE] = "update",
	[SPE_MISUSE_UNSAMPLED] = "unsampled",
	[SPE_MISUSE_BUDGET] = "budget",
	[SPE_MISUSE_OPERATION] = "operation",
};

_Static_assert(sizeof(names) / sizeof(names[0]) == SPE_MISUSES, "a name a kind of misuse");

const char *spe_misuse_name(enum spe_misuse what)
{
	return (unsigned int)what < SPE_MISUSES ? names[what] : "unknown";
}

static void report(struct unit *unit, enum spe_misuse what, const char *why)
{
	unit->stats.misuse[what]++;
	if (unit->host.misuse)
		unit->host.misuse(unit->host.ctx, what, why);
}

/* EL, and {NSE, NS} above it. */
static uint8_t place_of(uint8_t el, unsigned int security)
{
	return (uint8_t)((el & 3u) | (security & 3u) << 2);
}

void spe_check_selection(const struct unit *unit, struct spe_flight *flight)
{
	flight->place = place_of(unit->controls.el, spe_security_state(&unit->controls));
}

/* Would spe_update() change anything? Try it on a copy, and compare all derived values. */
void spe_check_controls(struct unit *unit, const struct sysreg_controls *controls)
{
	const uint8_t *was = (const uint8_t *)unit, *is;
	bool same = controls->features == unit->controls.features;
	struct unit tried;

	__builtin_memcpy(&tried, unit, sizeof(tried));
	tried.controls = *controls;
	spe_derive(&tried);
	__builtin_memcpy(&tried.controls, &unit->controls, sizeof(tried.controls));
	is = (const uint8_t *)&tried;
	for (size_t i = 0; i < sizeof(tried); i++)
		same = same && was[i] == is[i];
	if (!same)
		report(unit, SPE_MISUSE_UPDATE,
		       "an access with controls that spe_update() was not told of");
}

void spe_check_budget(struct unit *unit)
{
	report(unit, SPE_MISUSE_BUDGET, "more operations passed than spe_budget()");
}

void spe_check_collision(struct unit *unit, const struct spe_flight *oldest)
{
	const uint64_t selected = oldest->done - unit->config.lifetime;

	if (unit->stats.population - selected >= SPE_MISUSE_WINDOW)
		report(unit, SPE_MISUSE_UNSAMPLED,
		       "a selected operation was neither sampled nor abandoned");
}

/* D18.2.7: the class and the flags, which filters and PMU events go by, are of one operation. */
static const char *type_contradiction(const struct spe_op *op)
{
	const bool branch = op->flags & SPE_OP_BRANCH;
	const bool moves = op->flags & (SPE_OP_LOAD | SPE_OP_STORE);

	if (op->type_header != SPE_TYPE_OTHER && op->type_header != SPE_TYPE_MEMORY &&
	    op->type_header != SPE_TYPE_BRANCH)
		return "type_header is no Operation Type";
	if (branch && op->type_header != SPE_TYPE_BRANCH)
		return "a branch, but not by type_header";
	if (!branch && op->type_header == SPE_TYPE_BRANCH)
		return "a branch by type_header, but not by flags";
	if (moves && op->type_header == SPE_TYPE_OTHER)
		return "a load or store, but not by type_header";
	if (op->type_header != SPE_TYPE_MEMORY)
		return NULL;
	if (!(op->flags & (op->type_payload & SPE_TYPE_STORE ? SPE_OP_STORE : SPE_OP_LOAD)))
		return "a load or store by type_payload, but not by flags";
	return NULL;
}

/* Contradictions in the outcome of an operation. */
static const char *outcome_contradiction(const struct spe_op *op)
{
	const uint32_t f = op->flags;

	if (f & SPE_OP_TAKEN && f & SPE_OP_NOT_TAKEN)
		return "taken, and not taken";
	if (f & SPE_OP_TAKEN && !(f & SPE_OP_BRANCH))
		return "taken, but no branch";
	if (f & SPE_OP_NOT_TAKEN &&
	    (op->type_header == SPE_TYPE_MEMORY || !(op->type_payload & SPE_TYPE_CONDITIONAL)))
		return "not taken, but not conditional by type_payload";
	if (op->events & SPE_EVENT_MISPREDICTED && !(f & SPE_OP_BRANCH))
		return "mispredicted, but no branch";
	if (f & SPE_OP_VA_VALID && !(f & (SPE_OP_LOAD | SPE_OP_STORE)))
		return "a data address, but no load or store";
	if (f & (SPE_OP_PA_VALID | SPE_OP_TAG_CHECKED) && !(f & SPE_OP_VA_VALID))
		return "a physical address or tag without a data address";
	if (f & SPE_OP_MISSPECULATED && op->events & SPE_EVENT_RETIRED)
		return "misspeculated, and retired";
	if (op->issue_latency > op->total_latency)
		return "issue_latency is longer than total_latency";
	return op->el > 3 || op->target_el > 3 ? "no such Exception level" : NULL;
}

/* Counters come first, each kind by rising index. Only the embedder's indexes may be used. */
static bool extra_in_order(const struct spe_op *op)
{
	unsigned int before = 0;

	for (size_t i = 0; op->extra && i < op->extra_count; i++) {
		const struct spe_extra *extra = &op->extra[i];
		const unsigned int key = extra->index + (extra->address ? 0x100u : 0u);

		if (extra->index < 6 || (extra->index > 7 && extra->index < 16) ||
		    extra->index > 31 || key <= before)
			return false;
		before = key;
	}
	return true;
}

static const char *contradiction(const struct unit *unit, const struct spe_op *op)
{
	const char *why = type_contradiction(op);

	if (!why)
		why = outcome_contradiction(op);
	if (why)
		return why;
	if (op->flags & unit->not_member)
		return "not a member of the population, by its flags";
	if (op->extra_count > unit->config.extra_packets)
		return "extra_count is more than the configuration has";
	return extra_in_order(op) ? NULL : "extra packets out of order, or of another's index";
}

void spe_check_operation(struct unit *unit, const struct spe_flight *flight,
			 const struct spe_op *op)
{
	const char *why = contradiction(unit, op);

	if (why)
		report(unit, SPE_MISUSE_OPERATION, why);
	if (flight->place != PLACE_UNKNOWN &&
	    flight->place != place_of(op->el, (unsigned int)op->nse << 1 | op->ns))
		report(unit, SPE_MISUSE_UPDATE,
		       "an operation of another Exception level or Security state");
}
