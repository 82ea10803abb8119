/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces a QEMU whose plugins can raise an exception (qemu/patches). Loaded into Debian's QEMU by
 * LD_PRELOAD, it provides qemu_plugin_raise_exception(), made from what that program exports. QEMU
 * does not export the place of a vCPU's registers, so this file searches for it: the plugin's
 * interface writes a pattern to X0 to X30, which is then somewhere in the vCPU's object. That is
 * good enough for a test, and for nothing else. The place of FAR_ELx is not found, so it raises no
 * aborts.
 */
#include "qemu/api.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT	      31
#define EC_DATA_ABORT 0x24 /* or 0x25 */
#define EXCP_UDEF     1	   /* any synchronous exception with its own syndrome */
#define PC	      32   /* after X0, which is followed by X1 to X30 and the stack pointer */
#define BEFORE	      64   /* bytes of the AArch32 registers, with which the state begins */
#define PATTERN(n)    (UINT64_C(0x9e3779b97f4a7c15) * ((n) + 1))

QEMU_PLUGIN_EXPORT void qemu_plugin_raise_exception(uint64_t pc, unsigned int target_el,
						    uint64_t syndrome, uint64_t far);

static __attribute__((noreturn)) void fail(const char *what)
{
	fprintf(stderr, "raise: %s\n", what);
	_Exit(3);
}

static void *find(const char *name)
{
	void *at = dlsym(RTLD_DEFAULT, name);

	if (!at)
		fail(name);
	return at;
}

static struct qemu_plugin_register *handles[COUNT];

static void find_handles(void)
{
	GArray *rows = qemu_plugin_get_registers();

	for (guint i = 0; i < rows->len; i++) {
		const qemu_plugin_reg_descriptor *row =
			&g_array_index(rows, qemu_plugin_reg_descriptor, i);
		char *end;
		const unsigned long n = strtoul(row->name + 1, &end, 10);

		if (row->name[0] == 'x' && end != row->name + 1 && !*end && n < COUNT)
			handles[n] = row->handle;
	}
	g_array_free(rows, true);
}

static uint64_t exchange(unsigned int n, uint64_t value)
{
	GByteArray *bytes = g_byte_array_new();
	uint64_t old = 0;

	if (!handles[n] || !qemu_plugin_read_register(handles[n], bytes) || bytes->len != 8)
		fail("a register cannot be read");
	memcpy(&old, bytes->data, 8);
	memcpy(bytes->data, &value, 8);
	if (!qemu_plugin_write_register(handles[n], bytes))
		fail("a register cannot be written");
	g_byte_array_free(bytes, true);
	return old;
}

/* How many bytes into the vCPU's object X0 is. */
static size_t find_x0(const char *cpu)
{
	const size_t size = malloc_usable_size((void *)(uintptr_t)cpu);
	uint64_t pattern[COUNT], old[COUNT];
	const char *at;

	find_handles();
	for (unsigned int n = 0; n < COUNT; n++) {
		pattern[n] = PATTERN(n);
		old[n] = exchange(n, pattern[n]);
	}
	at = memmem(cpu, size, pattern, sizeof(pattern));
	for (unsigned int n = 0; n < COUNT; n++)
		(void)exchange(n, old[n]);
	if (!at)
		fail("the registers cannot be found");
	return (size_t)(at - cpu);
}

void qemu_plugin_raise_exception(uint64_t pc, unsigned int target_el, uint64_t syndrome,
				 uint64_t far)
{
	static size_t offset; /* the same for all vCPUs */
	char *cpu = *(char **)find("current_cpu");
	void (*raise)(void *, uint32_t, uint64_t, uint32_t);
	uint64_t *x;

	(void)far;
	if ((syndrome >> 26 & ~UINT64_C(1)) == EC_DATA_ABORT)
		return;
	*(void **)&raise = find("raise_exception");
	if (!__atomic_load_n(&offset, __ATOMIC_ACQUIRE))
		__atomic_store_n(&offset, find_x0(cpu), __ATOMIC_RELEASE);
	x = (uint64_t *)(uintptr_t)(cpu + offset);
	x[PC] = pc;
	raise((char *)x - BEFORE, EXCP_UDEF, syndrome, target_el);
	fail("raise_exception() returned");
}
