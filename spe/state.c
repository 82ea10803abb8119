/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A unit as bytes: spe_save() and spe_restore(). The architecture lets software save the registers
 * (Arm ARM D17.4). A VMM also needs the state that no register shows, so that a PE continues as if
 * nothing had happened.
 *
 * An image is, all little-endian (docs/state.md):
 *
 *	8 bytes		"VSPEUNIT"
 *	2 + 2 bytes	major and minor version
 *	4 bytes		length of the whole image in bytes
 *	sections	4 letters, 4 bytes: how many values; each value has 8 bytes
 *	8 bytes		CRC-32 (IEEE 802.3) of everything before
 *
 * state.def lists the values: only those that the unit cannot derive when it is restored. Numbers
 * that grow are relative to one another (members since a selection), so the image of a unit does
 * not depend on how far its ring of flights has turned.
 *
 * An image is not trusted. No value is used before all of them are known to be possible for a unit,
 * and a restored unit saves the same bytes again.
 */
#include "internal.h"

#include "../sysreg/image.h"

static const struct image_form form = {"VSPEUNIT", 1, 4};

/* A value, or the head of a section. */
struct row {
	const char *name; /* of a section: its letters */
	uint16_t offset;  /* in struct unit */
	uint8_t size;	  /* there; 0: a section */
	uint8_t since;	  /* minor version */
	bool is_bool, config;
};

#define IS_BOOL(member) _Generic(((struct unit *)0)->member, bool : true, default : false)
#define ROW(minor, member, text, compared)                                    \
	{                                                                     \
		.name = (text), .offset = offsetof(struct unit, member),      \
		.size = sizeof(((struct unit *)0)->member), .since = (minor), \
		.is_bool = IS_BOOL(member), .config = (compared)              \
	}

/* How many values CONF has. */
enum {
	CONF_VALUES = 0
#define SECTION(minor, letters)
#define CONFIG(at, minor, field) +1
#define CONFIG_END
#define VALUE(minor, member, text)
#include "state.def"
#undef SECTION
#undef CONFIG
#undef CONFIG_END
#undef VALUE
};

static const struct row rows[] = {
#define SECTION(minor, letters)	   {.name = #letters, .since = (minor)},
#define CONFIG(at, minor, field)   [1 + (at)] = ROW(minor, config.field, #field, true),
#define CONFIG_END		   [1 + CONF_VALUES] =
#define VALUE(minor, member, text) ROW(minor, member, text, false),
#include "state.def"
#undef SECTION
#undef CONFIG
#undef CONFIG_END
#undef VALUE
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

_Static_assert(IMAGE_HEADER + ROWS * IMAGE_VALUE + IMAGE_TRAILER <= SPE_IMAGE_MAX, "SPE_IMAGE_MAX");
_Static_assert(sizeof(struct unit) <= UINT16_MAX, "row.offset");
_Static_assert(SPE_IN_FLIGHT_MAX == 8, "FLIGHT() in state.def");

/* How many bytes an image of this minor version has. */
static size_t image_size(unsigned int minor)
{
	size_t size = IMAGE_HEADER + IMAGE_TRAILER;

	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].since <= minor)
			size += IMAGE_VALUE;
	return size;
}

/* How many values the section has that begins at this row. */
static uint32_t section_count(size_t row, unsigned int minor)
{
	uint32_t count = 0;

	for (size_t i = row + 1; i < ROWS && rows[i].size != 0; i++)
		if (rows[i].since <= minor)
			count++;
	return count;
}

/* A member of a unit, of whatever width. */
static uint64_t member_get(const struct unit *unit, const struct row *row)
{
	const uint8_t *at = (const uint8_t *)unit + row->offset;
	uint16_t half;
	uint32_t word;
	uint64_t value;

	switch (row->size) {
	case sizeof(uint8_t): return *at;
	case sizeof(half): __builtin_memcpy(&half, at, sizeof(half)); return half;
	case sizeof(word): __builtin_memcpy(&word, at, sizeof(word)); return word;
	default: __builtin_memcpy(&value, at, sizeof(value)); return value;
	}
}

/* False if the member cannot hold the value. */
static bool member_set(struct unit *unit, const struct row *row, uint64_t value)
{
	uint8_t *at = (uint8_t *)unit + row->offset;
	uint16_t half = (uint16_t)value;
	uint32_t word = (uint32_t)value;

	if (value > (row->is_bool ? 1 : UINT64_MAX >> (64 - 8 * row->size)))
		return false;
	switch (row->size) {
	case sizeof(uint8_t): *at = (uint8_t)value; return true;
	case sizeof(half): __builtin_memcpy(at, &half, sizeof(half)); return true;
	case sizeof(word): __builtin_memcpy(at, &word, sizeof(word)); return true;
	default: __builtin_memcpy(at, &value, sizeof(value)); return true;
	}
}

/* Clear an invalid target, whose old value nobody may see. */
static void tidy_target(bool valid, struct spe_target *target)
{
	if (!valid)
		*target = (struct spe_target){0};
	target->el &= 3; /* as in a packet */
}

/* Make numbers relative, and clear values without meaning. */
static void pack_unit(struct unit *packed, const struct unit *unit)
{
	const uint64_t population = unit->stats.population;

	*packed = *unit;
	packed->synced = population - unit->synced;
	tidy_target(unit->previous_valid, &packed->previous);
	for (unsigned int i = 0; i < SPE_IN_FLIGHT_MAX; i++) {
		struct spe_flight *flight = &packed->flight[i];

		*flight = (struct spe_flight){0};
		if (i >= unit->flight_count)
			continue;
		*flight = unit->flight[(unit->flight_first + i) % SPE_IN_FLIGHT_MAX];
		flight->done = population + unit->config.lifetime - flight->done;
		tidy_target(flight->previous_valid, &flight->previous);
	}
}

static void unpack_unit(struct unit *unit)
{
	const uint64_t population = unit->stats.population;

	unit->synced = population - unit->synced;
	unit->flight_first = 0;
	for (unsigned int i = 0; i < SPE_IN_FLIGHT_MAX; i++)
		unit->flight[i].place = PLACE_UNKNOWN;
	for (unsigned int i = 0; i < unit->flight_count; i++)
		unit->flight[i].done = population + unit->config.lifetime - unit->flight[i].done;
}

size_t spe_save(const struct spe_unit *opaque, void *image, size_t size)
{
	const struct unit *unit = unit_in(opaque);
	const size_t needed = image_size(form.minor);
	struct unit packed;
	uint8_t *to = image;

	if (size < needed)
		return needed;
	pack_unit(&packed, unit);
	to += IMAGE_HEADER;
	for (size_t i = 0; i < ROWS; i++, to += IMAGE_VALUE) {
		if (rows[i].size != 0) {
			image_put(to, member_get(&packed, &rows[i]), IMAGE_VALUE);
			continue;
		}
		__builtin_memcpy(to, rows[i].name, 4);
		image_put(to + 4, section_count(i, form.minor), 4);
	}
	image_close(image, needed, &form);
	return needed;
}

/* Is it an image that this library knows, and whole? */
static int check_image(const uint8_t *image, size_t size)
{
	static const int errors[] = {
		[IMAGE_OTHER] = -SPE_EIMAGE,
		[IMAGE_LATER] = -SPE_EIMAGEVERSION,
		[IMAGE_DAMAGED] = -SPE_EIMAGESUM,
	};
	enum image_fault fault = image_check_header(image, size, &form);

	if (!fault)
		fault = image_check_whole(image, size, image_size(image_minor(image)));
	return errors[fault];
}

/* The head of a section is stored like a value, but its letters and its count are fixed. */
static bool section_is(const uint8_t *from, size_t row, unsigned int minor)
{
	for (size_t i = 0; i < 4; i++)
		if (from[i] != (uint8_t)rows[row].name[i])
			return false;
	return image_get(from + 4, 4) == section_count(row, minor);
}

/*
 * Before 1.2 a unit of v1p3 and later could be configured, wrongly, to report external aborts and
 * to leave flags alone. A unit that is restored cannot. No saved value depends on either.
 */
static bool not_permitted(const struct row *row, uint64_t value, enum spe_version version)
{
	if (version < SPE_V1P3)
		return false;
	return (row->offset == offsetof(struct unit, config.external_abort) &&
		(value == SPE_ABORT_SYNC || value == SPE_ABORT_ASYNC)) ||
	       (row->offset == offsetof(struct unit, config.flag_update) && value == 0);
}

/* Load all values into the packed unit, and compare its configuration with them. */
static int load_values(struct unit *packed, const uint8_t *image, const char **name)
{
	const unsigned int minor = image_minor(image);
	const uint8_t *from = image + IMAGE_HEADER;

	for (size_t i = 0; i < ROWS; i++) {
		const struct row *row = &rows[i];
		const bool there = row->since <= minor;
		uint64_t value = there && row->size != 0 ? image_get(from, IMAGE_VALUE) : 0;

		*name = row->name;
		if (row->size == 0 && there && !section_is(from, i, minor))
			return -SPE_EIMAGEVALUE;
		if (minor < 2 && not_permitted(row, value, packed->config.version))
			value = member_get(packed, row);
		if (row->config && value != member_get(packed, row))
			return -SPE_EIMAGECONFIG;
		if (row->size != 0 && !row->config && !member_set(packed, row, value))
			return -SPE_EIMAGEVALUE;
		from += there ? IMAGE_VALUE : 0;
	}
	return 0;
}

static const char *check_registers(const struct unit *unit)
{
	return unit->controls.el > 3 ? "PSTATE.EL" : spe_registers_check(unit);
}

static bool target_possible(bool valid, const struct spe_target *target)
{
	return valid ? target->el <= 3
		     : target->va == 0 && target->el == 0 && !target->ns && !target->nse;
}

static bool flight_unused(const struct spe_flight *flight)
{
	const struct spe_shape *shape = &flight->shape;

	return flight->done == 0 && !shape->context1 && !shape->context2 && !shape->pa &&
	       shape->timestamp == 0 && !flight->previous_valid;
}

/* Ages, still: the oldest first, and no two selected at once. */
static const char *check_flights(const struct unit *packed)
{
	uint64_t age = packed->stats.population;

	if (packed->flight_count > packed->config.in_flight)
		return "flight_count";
	if (packed->flight_sampled > packed->flight_count)
		return "flight_sampled";
	if (!target_possible(packed->previous_valid, &packed->previous))
		return "previous";
	for (unsigned int i = 0; i < SPE_IN_FLIGHT_MAX; i++) {
		const struct spe_flight *flight = &packed->flight[i];

		if (i >= packed->flight_count && !flight_unused(flight))
			return "flight";
		if (!target_possible(flight->previous_valid, &flight->previous) ||
		    (flight->previous_valid && !packed->format.previous))
			return "flight.previous";
		if (flight->shape.timestamp > SPE_TIMESTAMP_OFFSET)
			return "flight.timestamp";
		if (i >= packed->flight_count)
			continue;
		if (flight->done >= age)
			return "flight.age";
		age = flight->done;
	}
	return NULL;
}

/* A fault waits only where samples may still be lost, and only for a register that exists. */
static const char *check_late(const struct unit *unit)
{
	const struct spe_late *late = &unit->late;

	if (!late->syndrome)
		return late->el || late->samples ? "late" : NULL;
	if (!(late->syndrome & PMBSR_S) || late->el < 1 || late->el > 3 ||
	    late->syndrome & ~unit->bits[SYSREG_PMBSR_EL1] || (late->el > 1 && !unit->config.exc) ||
	    late->samples < 1 || late->samples > unit->config.fault_lag || !unit->enabled)
		return "late";
	return NULL;
}

/* What follows from what was loaded; then the counters can be checked. */
static const char *derive_unit(struct unit *unit)
{
	const uint64_t passed = unit->stats.population - unit->synced;

	spe_limit_changed(unit);
	spe_filter_changed(unit);
	spe_derive(unit);
	spe_interval_reload_changed(unit);
	if (check_late(unit))
		return check_late(unit);
	if (unit->ecount != 0 && !unit->config.ernd)
		return "ECOUNT";
	if (unit->hold && (!unit->enabled || unit->count == 0 || unit->ecount != 0))
		return "hold";
	if (passed == 0)
		return NULL;
	if (!unit->enabled || passed >= unit->budget || passed > unit->stats.population)
		return "passed";
	unit->budget -= passed;
	return NULL;
}

/* Load a whole image, find it to be possible, and only then change the unit. */
static int take_image(struct unit *unit, const uint8_t *image, const char **name)
{
	struct unit next = *unit;
	int error = load_values(&next, image, name);

	if (error)
		return error;
	*name = check_registers(&next);
	if (!*name)
		*name = check_flights(&next);
	if (*name)
		return -SPE_EIMAGEVALUE;
	unpack_unit(&next);
	*name = derive_unit(&next);
	if (*name)
		return -SPE_EIMAGEVALUE;
	*unit = next;
	return 0;
}

int spe_restore(struct spe_unit *opaque, const void *image, size_t size, const char **field)
{
	struct unit *unit = unit_of(opaque);
	const char *name = NULL;
	int error = check_image(image, size);

	if (!error)
		error = take_image(unit, image, &name);
	if (field)
		*field = name;
	return error;
}
