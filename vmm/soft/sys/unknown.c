/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The values that a reset leaves UNKNOWN: unknown.def has the rows, sysreg/registers.def those of
 * SPE. All of the general-purpose registers except X0 to X3, which the loader of the guest has set
 * (booting.rst, DEN 0022 5.6), and of the vector registers is UNKNOWN (Arm ARM D1.6).
 */
#include "soft/sys/unknown.h"
#include "soft/sys/isa.h"
#include "soft/sys/pmu.h"
#include "soft/sys/sys_private.h"

#include <string.h>

static uint64_t draw_for(const struct soft_cpu *cpu, uint64_t what, bool same)
{
	return soft_draw_value(&cpu->vm->unknown, same ? UINT32_MAX : cpu->index, what);
}

static uint64_t draw(const struct soft_cpu *cpu, uint64_t what)
{
	return draw_for(cpu, what, false);
}

/* Nothing without SVE. */
static void draw_sve(struct soft_cpu *cpu)
{
	const unsigned int segments = cpu->sys.isa & SOFT_ISA(SVE) ? cpu->sys.sve_vl / 16 : 0;

	for (unsigned int c = 1; c < segments; c++) {
		for (unsigned int n = 0; n < 32; n++) {
			cpu->z[c][n].d[0] = draw(cpu, SOFT_DRAW_Z | (64 * c + 2 * n));
			cpu->z[c][n].d[1] = draw(cpu, SOFT_DRAW_Z | (64 * c + 2 * n + 1));
		}
		memset(cpu->upper, true, sizeof(cpu->upper));
	}
	for (unsigned int c = 0; c < segments; c++) {
		for (unsigned int n = 0; n < SOFT_PREDICATES; n++)
			cpu->p[n].h[c] = (uint16_t)draw(cpu, SOFT_DRAW_P | (32 * c + n));
	}
}

static void draw_core(struct soft_cpu *cpu)
{
	for (unsigned int n = 4; n < 31; n++)
		cpu->x[n] = draw(cpu, SOFT_DRAW_X | n);
	cpu->x[SOFT_X_SP] = draw(cpu, SOFT_DRAW_SP);
	for (unsigned int n = 0; n < 32; n++) {
		cpu->v[n].d[0] = draw(cpu, SOFT_DRAW_V | 2 * n);
		cpu->v[n].d[1] = draw(cpu, SOFT_DRAW_V | (2 * n + 1));
	}
	draw_sve(cpu);
}

/* The level of a *_EL3, *_EL2 or other register: op1 of its encoding says it. */
static unsigned int level_of(enum sysreg_id reg)
{
	const unsigned int op1 = sysreg_encoding(reg) >> 11 & 7;

	return op1 == 6 ? 3 : op1 == 4 ? 2 : 1;
}

static void draw_spe(struct soft_cpu *cpu)
{
	struct soft_sys *sys = &cpu->sys;

	for (unsigned int n = 0; n < SYSREG_COUNT; n++) {
		const enum sysreg_id reg = (enum sysreg_id)n;
		const uint64_t bits = spe_unknown_bits(sys->spe, reg);

		if (bits && level_of(reg) <= sys->levels.start)
			spe_write(sys->spe, reg, draw(cpu, sysreg_encoding(reg)) & bits);
	}
	sys->controls.pmscr_el1 = spe_read(sys->spe, SYSREG_PMSCR_EL1);
	sys->controls.pmscr_el2 = spe_read(sys->spe, SYSREG_PMSCR_EL2);
}

static void draw_pmu(struct soft_cpu *cpu)
{
	static const struct {
		enum pmu_register first;
		unsigned int count;
		uint64_t always;
	} rows[] = {
#define UNKNOWN(name)
#define SAME(name)
#define BUT(name, always, highest, start, why)
#define DEFINED(name, why)
#define PMU(name, count, always, why) {PMU_##name, count, always},
#include "soft/sys/unknown.def"
	};

	for (unsigned int n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		for (unsigned int i = 0; i < rows[n].count; i++) {
			const enum pmu_register reg = (enum pmu_register)(rows[n].first + i);

			pmu_register_write(&cpu->sys.pmu->unit, reg,
					   draw(cpu, pmu_encoding(reg)) & ~rows[n].always);
		}
	}
}

void soft_unknown_reset(struct soft_cpu *cpu)
{
	if (!cpu->vm->unknown.drawn)
		return;
	draw_core(cpu);
	sys_registers_draw(cpu, draw_for);
	if (cpu->sys.spe)
		draw_spe(cpu);
	if (cpu->sys.pmu)
		draw_pmu(cpu);
	soft_controls_changed(cpu);
}
