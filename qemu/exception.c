/* SPDX-License-Identifier: BSD-2-Clause */
/* See exception.h. */
#include "qemu/exception.h"

#include "qemu/operation.h"

#include <dlfcn.h>
#include <stdlib.h>

/*
 * As qemu_plugin_set_pc(): the vCPU of the callback goes on at pc, here by taking an exception
 * there. syndrome: ESR_ELx.
 */
static void (*raise_exception)(uint64_t pc, uint64_t syndrome, unsigned int target_el);

void exception_find(void)
{
	*(void **)&raise_exception = dlsym(RTLD_DEFAULT, "vspe_raise_exception");
}

bool exception_possible(void)
{
	return raise_exception;
}

void exception_raise(const struct vcpu *v, const struct place *place, unsigned int el, uint64_t esr)
{
	raise_exception(place_pc(v, place), esr, el);
	abort();
}
