/* SPDX-License-Identifier: BSD-2-Clause */
/* See exception.h. */
#include "qemu/exception.h"

#include "arm/registers.h"
#include "arm/syndrome.h"
#include "qemu/operation.h"

#include <dlfcn.h>

/*
 * Like qemu_plugin_set_pc(): the vCPU of the callback continues at pc, here by taking an exception
 * there. It returns if the vCPU cannot take it. syndrome: ESR_ELx; far: FAR_ELx, of a data abort.
 */
static void (*raise_exception)(uint64_t pc, unsigned int el, uint64_t syndrome, uint64_t far);

void exception_find(void)
{
	*(void **)&raise_exception = dlsym(RTLD_DEFAULT, "qemu_plugin_raise_exception");
}

static void take(struct vcpu *v, const struct place *place, unsigned int el, uint64_t esr,
		 uint64_t far)
{
	if (raise_exception)
		raise_exception(place_pc(v, place), el, esr, far);
	v->trapped++;
}

void exception_trap(struct vcpu *v, const struct place *place, unsigned int el, unsigned int ec,
		    uint32_t iss)
{
	take(v, place, el, arm_esr(ec, iss), 0);
}

/* It goes to EL2, except for an external abort that EL3 takes (Arm ARM D8.11). */
void exception_abort(struct vcpu *v, const struct place *place, uint64_t va, bool write,
		     uint8_t fsc)
{
	const bool external = fsc == ARM_FSC_EXTERNAL || arm_fsc_on_walk(fsc);
	const uint32_t iss = fsc | (write ? ARM_ISS_WNR : 0);

	if (external && v->controls.scr_el3 & SCR_EL3_EA)
		take(v, place, 3, arm_esr(ARM_EC_DATA_ABORT, iss), va);
	else
		take(v, place, 2, arm_esr(ARM_EC_DATA_ABORT | ARM_EC_SAME_EL, iss | ARM_ISS_VNCR),
		     va);
}
