/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An embedder of a few lines, in the common part of C and C++: asks what becomes of an access, and
 * takes one sample. Exits with 0 if the record is as long as it has to be and lies where the buffer
 * was. (Arm ARM D17, D18.)
 */
#include <stdio.h>
#include <string.h>
#include <vspe/spe.h>

#define BUFFER 0x10000u
#define SIZE   0x1000u

struct memory {
	uint8_t bytes[SIZE];
};

static struct spe_write_result write_memory(void *ctx, uint8_t owning_el, uint64_t va,
					    const uint8_t *bytes, size_t size)
{
	struct memory *memory = (struct memory *)ctx;
	struct spe_write_result result;

	memset(&result, 0, sizeof(result));
	if (owning_el != 1 || va < BUFFER || va - BUFFER > SIZE - size) {
		result.status = SPE_WRITE_FAULT;
		result.fsc = 0x07;
		return result;
	}
	memcpy(memory->bytes + (va - BUFFER), bytes, size);
	result.written = size;
	return result;
}

static int sample(struct memory *memory)
{
	static struct spe_unit unit;
	struct spe_config config;
	struct spe_host host;
	struct sysreg_controls controls;
	struct spe_stats stats; /* in C++ the name alone is the function */
	const struct spe_core *core = spe_core(0);
	struct spe_op op;

	memset(&host, 0, sizeof(host));
	memset(&controls, 0, sizeof(controls));
	memset(&op, 0, sizeof(op));
	host.ctx = memory;
	host.write = write_memory;
	spe_config_defaults(&config, SPE_VERSION_DEFAULT);
	if (spe_init(&unit, sizeof(unit), &config, &host))
		return 1;
	controls.features = spe_config_features(&config);
	controls.el = 1;
	spe_update(&unit, &controls);
	spe_write(&unit, SYSREG_PMBPTR_EL1, BUFFER);
	spe_write(&unit, SYSREG_PMBLIMITR_EL1, (BUFFER + SIZE) | 1);
	spe_write(&unit, SYSREG_PMSIRR_EL1, 1024u << 8);
	spe_write(&unit, SYSREG_PMSCR_EL1, 1u << 1); /* E1SPE */
	if (spe_advance(&unit, spe_budget(&unit)) != SPE_SELECTED)
		return 1;
	op.pc = 0x8000;
	op.type_header = 0x48;
	op.el = 1;
	op.ns = true;
	spe_sample(&unit, &op);
	if (spe_read(&unit, SYSREG_PMBPTR_EL1) != BUFFER + 64)
		return 1;
	spe_stats(&unit, &stats);
	if (stats.records != 1 || stats.bytes != 64 || strcmp(core->name, "generic") != 0)
		return 1;
	return memory->bytes[0] == 0; /* no record begins with padding */
}

int main(void)
{
	static struct memory memory;
	struct sysreg_controls controls;
	struct sysreg_access access;
	struct sysreg_route route;

	memset(&controls, 0, sizeof(controls));
	controls.features = SYSREG_FEAT_SPE | SYSREG_FEAT_EL2;
	controls.el = 1;
	controls.mdcr_el2 = UINT64_C(1) << SYSREG_MDCR_EL2_TPMS_LSB;
	access.reg = SYSREG_PMSIRR_EL1;
	access.write = true;
	access.rt = 3;
	route = sysreg_route(&controls, access);
	if (route.kind == SYSREG_TRAP)
		printf("%s: trap to EL%d, ISS %#x\n", sysreg_name(access.reg), route.target_el,
		       (unsigned int)route.syndrome);
	return sample(&memory);
}
