/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The software CPU's answers to a profiling unit: what it refuses, and records that are written to
 * physical addresses. The test drives the unit; the vCPU does not run.
 */
#include "../compare.h"
#include "engine.h"

#include <string.h>

#define RAM_BASE UINT64_C(0x40000000)
#define RAM_SIZE UINT64_C(0x10000)
#define E	 UINT64_C(0x1)
#define NVM	 UINT64_C(0x80)
#define S	 UINT64_C(0x20000)
#define EA	 UINT64_C(0x40000)
#define DL	 UINT64_C(0x80000)
#define EC(n)	 ((uint64_t)(n) << 26)

static _Alignas(4096) uint8_t ram[RAM_SIZE];
static size_t seen; /* bytes reported to the host */

static void spe_data(void *ctx, unsigned int cpu, const uint8_t *bytes, size_t size)
{
	(void)ctx;
	(void)cpu;
	cr_assert_eq(bytes[0], 0x98);
	seen += size;
}

static struct engine_vm *new_vm(void)
{
	const struct engine_host host = {.ram = {RAM_BASE, RAM_SIZE, ram}, .spe_data = spe_data};
	struct engine_vm *vm = engine_soft.create(&host, 1);

	cr_assert_not_null(vm);
	memset(ram, 0xee, sizeof(ram));
	seen = 0;
	return vm;
}

static struct engine_vcpu *new_vcpu(struct engine_vm *vm, const struct spe_config *config,
				    char *why, size_t size)
{
	const struct engine_vcpu_config vcpu = {
		.midr = 0x410fd490,
		.levels = {.start = 1},
		.spe = config,
	};

	return engine_soft.vcpu_create(vm, &vcpu, why, size);
}

/*
 * RULE("ICKWPL"), RULE("RDDCQB"), RULE("RMZJMH"), RULE("RMYPFF"), RULE("RNHSYR")
 * No feature is advertised whose effect would never come.
 */
Test(core_profile, features_of_a_pe_that_it_is_not)
{
	static const char *const names[] = {"altclk", "dpfzs", "sme", "sve",
					    "tme",    "mte",   "gcs", "ecv"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct engine_vm *vm = new_vm();
		struct spe_config config;
		const char *field = "";
		char why[160] = "";

		spe_config_defaults(&config, SPE_V1P5);
		config.altclk = i == 0;
		config.dpfzs = i == 1;
		config.sme = i == 2;
		config.sve = i == 3;
		config.tme = i == 4;
		config.mte = i == 5;
		config.gcs = i == 6;
		config.ecv = i == 7;
		config.max_size = 7;
		cr_assert_eq(spe_config_check(&config, NULL), 0);
		/* DPFZS depends on the vCPU's PMU; there is none here. */
		if (config.dpfzs)
			cr_assert_null(engine_soft.spe_lacks(&config, &field));
		else
			cr_assert_not_null(engine_soft.spe_lacks(&config, &field));
		cr_assert_str_eq(field, config.dpfzs ? "" : names[i]);
		cr_assert_null(new_vcpu(vm, &config, why, sizeof(why)));
		cr_assert_str_begins(why, names[i]);
		engine_soft.destroy(vm);
	}
}

/* A unit that is about to write one record of 64 bytes at a physical address. */
static struct spe_unit *unit_at(struct engine_vm *vm, uint64_t address)
{
	struct engine_vcpu *vcpu;
	struct spe_config config;
	struct spe_unit *unit;
	char why[160] = "";

	spe_config_defaults(&config, SPE_V1P2);
	config.nvm = true;
	vcpu = new_vcpu(vm, &config, why, sizeof(why));
	cr_assert_not_null(vcpu, "%s", why);
	engine_soft.vcpu_reset(vcpu, RAM_BASE, 0);
	unit = engine_soft.vcpu_spe(vcpu);
	spe_write(unit, SYSREG_PMSIRR_EL1, 0x100);
	spe_write(unit, SYSREG_PMSCR_EL1, 0x2);
	spe_write(unit, SYSREG_PMBPTR_EL1, address);
	spe_write(unit, SYSREG_PMBLIMITR_EL1, ((address + 0x2000) & ~UINT64_C(0xfff)) | E | NVM);
	return unit;
}

static void sample(struct spe_unit *unit)
{
	const struct spe_op op = {.pc = RAM_BASE, .type_header = 0x48, .el = 1};

	cr_assert_eq(spe_advance(unit, spe_budget(unit)), SPE_SELECTED);
	spe_sample(unit, &op);
}

/* RULE("D17.7.6/device") */
Test(core_profile, physical_addresses)
{
	static const struct {
		uint64_t address, status;
		size_t written;
	} table[] = {
		{RAM_BASE + 0x1000, 0, 64},
		{RAM_BASE + 0x1fe0, 0, 64}, /* over the end of a page */
		{RAM_BASE - 0x1000, S | EA | EC(0x24) | 0x10, 0},
		{RAM_BASE + RAM_SIZE - 32, S | EA | DL | EC(0x24) | 0x10, 32},
		{UINT64_C(1) << 40, S | EC(0x24), 0}, /* beyond PARange: address size fault */
		{UINT64_C(0xffff000000000000), S | EC(0x24), 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct engine_vm *vm = new_vm();
		struct spe_unit *unit = unit_at(vm, table[i].address);
		uint64_t offset = table[i].address - RAM_BASE;

		sample(unit);
		cr_assert_eq(spe_read(unit, SYSREG_PMBSR_EL1), table[i].status, "row %zu: 0x%llx",
			     i, (unsigned long long)spe_read(unit, SYSREG_PMBSR_EL1));
		cr_assert_eq(spe_read(unit, SYSREG_PMBPTR_EL1),
			     table[i].address + table[i].written);
		cr_assert_eq(seen, table[i].written);
		if (table[i].written)
			cr_assert_eq(ram[offset], 0x98);
		if (table[i].written == 64) {
			cr_assert_eq(ram[offset + 63], 0);
			cr_assert_eq(ram[offset + 64], 0xee);
		}
		engine_soft.destroy(vm);
	}
}
