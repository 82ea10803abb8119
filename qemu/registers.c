/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers by their names: see registers.h. */
#include "qemu/registers.h"

#include <stdio.h>
#include <string.h>

static const char *const names[QEMU_REGISTERS] = {
#define REGISTER(name) [QEMU_##name] = #name,
#include "qemu/registers.def"
#undef REGISTER
};

GByteArray *registers_scratch(void)
{
	static __thread GByteArray *bytes;

	if (!bytes)
		bytes = g_byte_array_sized_new(16);
	g_byte_array_set_size(bytes, 0);
	return bytes;
}

/* Eight bytes of it, from at on. */
static uint64_t get_part(struct qemu_plugin_register *handle, guint at)
{
	GByteArray *bytes = registers_scratch();
	uint64_t value = 0;

	if (handle && qemu_plugin_read_register(handle, bytes) && bytes->len > at)
		memcpy(&value, bytes->data + at, bytes->len - at < 8 ? bytes->len - at : 8);
	return value;
}

static uint64_t get(struct qemu_plugin_register *handle)
{
	return get_part(handle, 0);
}

/* The registers of a letter and a number. */
static void find_numbered(struct qemu_plugin_register **at, unsigned int count, char letter,
			  const qemu_plugin_reg_descriptor *row)
{
	char name[16];

	for (unsigned int n = 0; n < count; n++) {
		snprintf(name, sizeof(name), "%c%u", letter, n);
		if (strcmp(row->name, name) == 0)
			at[n] = row->handle;
	}
}

static void find(struct registers *registers, const qemu_plugin_reg_descriptor *row)
{
	find_numbered(registers->x, 31, 'x', row);
	find_numbered(registers->z, 32, 'z', row);
	find_numbered(registers->p, 16, 'p', row);
	if (strcmp(row->name, "sp") == 0)
		registers->x[31] = row->handle;
	for (unsigned int i = 0; i < QEMU_REGISTERS; i++)
		if (strcmp(row->name, names[i]) == 0)
			registers->at[i] = row->handle;
}

bool registers_find(struct registers *registers)
{
	GArray *rows = qemu_plugin_get_registers();

	*registers = (struct registers){0};
	for (guint i = 0; i < rows->len; i++)
		find(registers, &g_array_index(rows, qemu_plugin_reg_descriptor, i));
	g_array_free(rows, true);
	return registers->x[0] && registers->x[31] && registers->at[QEMU_pc] &&
	       registers->at[QEMU_cpsr];
}

uint64_t register_get(const struct registers *registers, enum register_id id)
{
	return get(registers->at[id]);
}

uint64_t register_x(const struct registers *registers, unsigned int n)
{
	return get(registers->x[n]);
}

uint64_t register_z(const struct registers *registers, unsigned int n, unsigned int index)
{
	return get_part(registers->z[n], 8 * index);
}

uint64_t register_p(const struct registers *registers, unsigned int n, unsigned int index)
{
	return get_part(registers->p[n], 8 * index);
}

void register_set_x(const struct registers *registers, unsigned int n, uint64_t value)
{
	GByteArray *bytes = registers_scratch();

	g_byte_array_append(bytes, (const guint8 *)&value, sizeof(value));
	(void)qemu_plugin_write_register(registers->x[n], bytes);
}
