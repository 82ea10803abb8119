/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vCPU without an interpreter, and the machine without devices, for the tests of the system
 * side.
 */
#include <string.h>

#include "../compare.h"
#include "system_fixture.h"

#define PC UINT64_C(0x40001000)

struct soft_cpu cpu;
struct heard heard;
_Alignas(65536) uint8_t ram[RAM_SIZE];
struct spe_unit unit;

static struct soft_vm vm;
static struct soft_code_page pages[RAM_SIZE / SOFT_PAGE_SIZE];

/* These replace functions of soft/mem. */
void __wrap_soft_tlb_invalidate(struct soft_cpu *c, const struct soft_tlbi *tlbi);
void __wrap_soft_code_invalidate(struct soft_cpu *c, uint64_t va, bool all);
bool __wrap_soft_nv_memory(struct soft_cpu *c, uint16_t offset, bool write, uint64_t *value,
			   struct soft_exception *fault);
void __wrap_soft_tlb_registers_written(struct soft_cpu *c);

void __wrap_soft_tlb_invalidate(struct soft_cpu *c, const struct soft_tlbi *tlbi)
{
	(void)c;
	heard.tlb_calls++;
	heard.tlbi = *tlbi;
}

void __wrap_soft_code_invalidate(struct soft_cpu *c, uint64_t va, bool all)
{
	(void)c;
	heard.code_calls++;
	heard.code_va = va;
	heard.code_all = all;
}

bool __wrap_soft_nv_memory(struct soft_cpu *c, uint16_t offset, bool write, uint64_t *value,
			   struct soft_exception *fault)
{
	cr_assert_lt(offset, 4096, "offset %#x", offset);
	cr_assert_not(offset & 7, "offset %#x", offset);
	heard.nv_calls++;
	heard.nv_offset = offset;
	heard.nv_write = write;
	if (heard.nv_fault) {
		*fault = (struct soft_exception){
			.ec = ARM_EC_DATA_ABORT,
			.target_el = 2,
			.has_far = true,
			.iss = ARM_ISS_VNCR | (ARM_FSC_TRANSLATION + 3),
			.far = c->sys.vncr_el2 + offset,
		};
		return false;
	}
	if (write)
		heard.nv_page[offset / 8] = *value;
	else
		*value = heard.nv_page[offset / 8];
	return true;
}

void __wrap_soft_tlb_registers_written(struct soft_cpu *c)
{
	(void)c;
	heard.translation_writes++;
}

static enum engine_answer device_read(void *ctx, unsigned int index, uint32_t encoding,
				      uint64_t *value)
{
	(void)ctx;
	cr_assert_eq(index, 3);
	heard.device_calls++;
	heard.device_encoding = encoding;
	*value = heard.device_value;
	return heard.device_answer;
}

static enum engine_answer device_write(void *ctx, unsigned int index, uint32_t encoding,
				       uint64_t value)
{
	(void)ctx;
	cr_assert_eq(index, 3);
	heard.device_calls++;
	heard.device_encoding = encoding;
	heard.device_value = value;
	return heard.device_answer;
}

static struct spe_write_result no_write(void *ctx, uint8_t owning_el, uint64_t va,
					const uint8_t *bytes, size_t size)
{
	(void)ctx;
	(void)owning_el;
	(void)va;
	(void)bytes;
	return (struct spe_write_result){.status = SPE_WRITE_OK, .written = size};
}

static struct spe_write_result no_write_untranslated(void *ctx, const struct spe_untranslated *to,
						     const uint8_t *bytes, size_t size)
{
	(void)to;
	return no_write(ctx, 1, 0, bytes, size);
}

static void reset(struct spe_unit *spe)
{
	const struct engine_vcpu_config config = {
		.index = 3,
		.midr = 0x410fd0f0,
		.levels = {.start = 1},
	};

	memset(&cpu, 0, offsetof(struct soft_cpu, views.tlbs)); /* the TLBs stay empty */
	memset(&heard, 0, sizeof(heard));
	memset(ram, 0, sizeof(ram));
	cpu.vm = &vm;
	cpu.index = 3;
	cpu.pc = PC;
	cpu.sys.spe = spe;
	vm.pages = pages;
	vm.pages_base = RAM_BASE;
	vm.host = (struct engine_host){
		.ram = {.base = RAM_BASE, .size = RAM_SIZE, .host = ram},
		.sysreg_read = device_read,
		.sysreg_write = device_write,
	};
	soft_sys_reset(&cpu.sys, &config);
	cpu.sys.vbar[1] = 0x40080000;
}

void fixture_levels(struct engine_levels levels)
{
	const uint32_t with_el2 = SYSREG_FEAT_EL2 | SYSREG_FEAT_VHE | SYSREG_FEAT_NV |
				  SYSREG_FEAT_NV2 | SYSREG_FEAT_FGT | SYSREG_FEAT_FGT2;
	uint32_t *features = &cpu.sys.controls.features;

	cpu.sys.levels = levels;
	*features &= ~(with_el2 | SYSREG_FEAT_EL3 | SYSREG_FEAT_SEL2 | SYSREG_FEAT_RME);
	*features |= (levels.el2 ? with_el2 : 0) | (levels.el3 ? SYSREG_FEAT_EL3 : 0) |
		     (levels.sel2 ? SYSREG_FEAT_SEL2 : 0) | (levels.rme ? SYSREG_FEAT_RME : 0);
}

void fixture_reset(void)
{
	reset(NULL);
}

void fixture_reset_spe(void)
{
	fixture_reset_spe_version(SPE_V1P2);
}

void fixture_reset_spe_version(enum spe_version version)
{
	const struct spe_host host = {
		.write = no_write,
		.write_untranslated = no_write_untranslated,
	};
	struct spe_config config;

	spe_config_defaults(&config, version);
	cr_assert_eq(spe_init(&unit, sizeof(unit), &config, &host), 0);
	reset(&unit);
}

uint64_t *ram_word(uint64_t pa)
{
	cr_assert_geq(pa, RAM_BASE, "pa %#lx", pa);
	cr_assert_lt(pa, RAM_BASE + RAM_SIZE, "pa %#lx", pa);
	cr_assert_not(pa & 7, "pa %#lx", pa);
	return (uint64_t *)(ram + (pa - RAM_BASE));
}

enum soft_outcome msr(uint32_t word, uint64_t value)
{
	cpu.x[5] = value;
	return soft_system_instruction(&cpu, word | 5);
}

enum soft_outcome mrs(uint32_t word)
{
	return soft_system_instruction(&cpu, word | 6);
}

uint64_t value_of(uint32_t mrs_word)
{
	cpu.x[6] = UINT64_C(0xdeadbeefdeadbeef);
	cr_assert_eq(mrs(mrs_word), SOFT_DONE, "MRS %#x", mrs_word);
	return cpu.x[6];
}

void expect_exception(unsigned int ec, uint32_t iss, const char *what)
{
	uint64_t esr = (uint64_t)ec << 26 | UINT64_C(1) << 25 | iss;

	cr_expect_eq(cpu.sys.esr[1], esr, "%s: ESR_EL1 is %#lx, not %#lx", what, cpu.sys.esr[1],
		     esr);
	cr_expect_eq(cpu.sys.elr[1], PC, "%s: ELR_EL1 is %#lx", what, cpu.sys.elr[1]);
	cr_expect_eq(cpu.sys.pstate.el, 1, "%s", what);
	cr_expect_eq(cpu.pc & ~UINT64_C(0x7ff), 0x40080000, "%s: PC is %#lx", what, cpu.pc);
}
