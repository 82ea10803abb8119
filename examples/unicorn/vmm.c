/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vmm GUEST RECORDS: a guest with FEAT_SPE in Unicorn, an emulator that has none.
 *
 * GUEST is a flat image for BASE. Unicorn's hooks of MRS and MSR hand every access to one of SPE's
 * registers to libvspe. Its hook of instructions counts operations, some of which libvspe selects.
 * Their records go to the guest's memory, and at the end from there to the file RECORDS.
 *
 * Notes on Unicorn 2.0.1: a hook that has handled an MRS or MSR returns 1 and moves the PC on
 * itself, or the instruction repeats for ever. The hook is also called for registers that Unicorn
 * does not have. The guest takes no exceptions: the hook of interrupts gets them, and this file
 * makes the guest's exceptions itself. Its MMU cannot be used, so the guest has none.
 */
#include <unicorn/unicorn.h>
#include <vspe/spe.h>

#include "operation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BASE UINT64_C(0x41000000)
#define SIZE UINT64_C(0x200000)

/* Fields of system registers (Arm ARM C5.2, D24) and offsets of vectors (D1.3). */
#define PSTATE_EL1H	   UINT64_C(5)
#define PSTATE_DAIF	   (UINT64_C(15) << 6)
#define PSTATE_I	   (UINT64_C(1) << 7)
#define VECTOR_SYNC	   0x200
#define VECTOR_IRQ	   0x280
#define ESR_UNKNOWN	   (UINT64_C(1) << 25) /* EC 0, IL */
#define FSC_TRANSLATION_L3 7

#define INSN_HVC UINT32_C(0xd4000002)

static const uc_arm64_cp_reg elr_el1 = {.op0 = 3, .crn = 4, .op2 = 1};
static const uc_arm64_cp_reg spsr_el1 = {.op0 = 3, .crn = 4};
static const uc_arm64_cp_reg esr_el1 = {.op0 = 3, .crn = 5, .crm = 2};
static const uc_arm64_cp_reg vbar_el1 = {.op0 = 3, .crn = 12};

struct vmm {
	uc_engine *uc;
	struct spe_unit unit;
	struct spe_config config;
	struct sysreg_controls controls;
	uint64_t count;	  /* operations: the guest's time */
	bool selected;	  /* op is executing */
	struct spe_op op; /* what is known of the selected operation */
	bool done;
};

static uint64_t get_register(const struct vmm *vmm, int reg)
{
	uint64_t value = 0;

	uc_reg_read(vmm->uc, reg, &value);
	return value;
}

static void set_register(struct vmm *vmm, int reg, uint64_t value)
{
	uc_reg_write(vmm->uc, reg, &value);
}

static void set_system(struct vmm *vmm, uc_arm64_cp_reg reg, uint64_t value)
{
	reg.val = value;
	uc_reg_write(vmm->uc, UC_ARM64_REG_CP_REG, &reg);
}

static uint64_t get_system(struct vmm *vmm, uc_arm64_cp_reg reg)
{
	uc_reg_read(vmm->uc, UC_ARM64_REG_CP_REG, &reg);
	return reg.val;
}

/* spe_host.write: virtual addresses are physical ones here. */
static struct spe_write_result write_record(void *ctx, uint8_t owning_el, uint64_t va,
					    const uint8_t *bytes, size_t size)
{
	struct vmm *vmm = ctx;
	struct spe_write_result result = {.status = SPE_WRITE_OK, .written = size};

	(void)owning_el;
	if (uc_mem_write(vmm->uc, va, bytes, size) != UC_ERR_OK) {
		result.status = SPE_WRITE_FAULT;
		result.fsc = FSC_TRANSLATION_L3;
		result.written = 0;
	}
	return result;
}

/* Make an exception from EL1 to EL1 (Arm ARM D1.3). */
static void inject_exception(struct vmm *vmm, uint64_t vector)
{
	set_system(vmm, elr_el1, get_register(vmm, UC_ARM64_REG_PC));
	set_system(vmm, spsr_el1, get_register(vmm, UC_ARM64_REG_PSTATE));
	if (vector == VECTOR_SYNC) {
		set_system(vmm, esr_el1, ESR_UNKNOWN);
		vmm->op.events |= SPE_EVENT_EXCEPTION;
	}
	set_register(vmm, UC_ARM64_REG_PSTATE, PSTATE_EL1H | PSTATE_DAIF);
	set_register(vmm, UC_ARM64_REG_PC, get_system(vmm, vbar_el1) + vector);
}

/*
 * Registers.
 */

static bool emulate_access(struct vmm *vmm, uc_arm64_reg rt, const uc_arm64_cp_reg *reg, bool write)
{
	const uint32_t encoding = sysreg_encode(reg->op0, reg->op1, reg->crn, reg->crm, reg->op2);
	const struct sysreg_access access = {.reg = sysreg_find(encoding), .write = write};
	uc_arm64_cp_reg id = *reg;
	uint64_t value = reg->val;

	if (encoding == SYSREG_ENCODING_ID_AA64DFR0_EL1 && !write) {
		set_register(vmm, rt, get_system(vmm, id) | spe_config_id_aa64dfr0(&vmm->config));
	} else if (access.reg == SYSREG_COUNT) {
		return false;
	} else if (spe_access(&vmm->unit, &vmm->controls, access, &value).kind != SYSREG_DIRECT) {
		inject_exception(vmm, VECTOR_SYNC); /* with nothing above EL1 it is UNDEFINED */
		return true;
	} else if (!write) {
		set_register(vmm, rt, value);
	}
	set_register(vmm, UC_ARM64_REG_PC, get_register(vmm, UC_ARM64_REG_PC) + 4);
	return true;
}

static uint32_t on_mrs(uc_engine *uc, uc_arm64_reg rt, const uc_arm64_cp_reg *reg, void *ctx)
{
	(void)uc;
	return emulate_access(ctx, rt, reg, false);
}

static uint32_t on_msr(uc_engine *uc, uc_arm64_reg rt, const uc_arm64_cp_reg *reg, void *ctx)
{
	(void)uc;
	return emulate_access(ctx, rt, reg, true);
}

/*
 * Operations.
 */

/* The selected operation has executed, and the next one is at pc. */
static void finish_operation(struct vmm *vmm, uint64_t pc)
{
	if (!vmm->selected)
		return;
	vmm->selected = false;
	operation_end(&vmm->op, pc);
	spe_sample(&vmm->unit, &vmm->op);
}

static uint64_t read_register(const void *ctx, unsigned int n)
{
	static const int last[] = {UC_ARM64_REG_X29, UC_ARM64_REG_X30, UC_ARM64_REG_SP};

	return get_register(ctx, n < 29 ? UC_ARM64_REG_X0 + (int)n : last[n - 29]);
}

/* Before each instruction. */
static void on_instruction(uc_engine *uc, uint64_t pc, uint32_t size, void *ctx)
{
	struct vmm *vmm = ctx;
	struct a64_registers registers = {.read = read_register, .ctx = vmm};
	uint32_t word = 0;

	finish_operation(vmm, pc);
	if (spe_irq_level(&vmm->unit) && !(get_register(vmm, UC_ARM64_REG_PSTATE) & PSTATE_I)) {
		inject_exception(vmm, VECTOR_IRQ); /* this instruction comes after it */
		return;
	}
	vmm->count++;
	if (spe_advance(&vmm->unit, 1) != SPE_SELECTED)
		return;
	uc_mem_read(uc, pc, &word, size);
	vmm->selected = true;
	registers.nzcv = get_register(vmm, UC_ARM64_REG_PSTATE) >> 28 & 15;
	vmm->op = operation_begin(pc, word, vmm->count, &vmm->config, &registers);
	if (vmm->op.flags & SPE_OP_VA_VALID) {
		vmm->op.data_pa = vmm->op.data_va;
		vmm->op.flags |= SPE_OP_PA_VALID;
	}
}

/* HVC is UNDEFINED in Unicorn, which has no EL2. Here it ends the guest, which gets all others. */
static void on_exception(uc_engine *uc, uint32_t number, void *ctx)
{
	struct vmm *vmm = ctx;
	uint32_t word = 0;

	(void)number;
	uc_mem_read(uc, get_register(vmm, UC_ARM64_REG_PC), &word, sizeof(word));
	if (word == INSN_HVC) {
		vmm->done = true;
		uc_emu_stop(uc);
	} else {
		inject_exception(vmm, VECTOR_SYNC);
	}
}

static bool start_guest(struct vmm *vmm, const uint8_t *image, size_t size)
{
	const struct spe_host host = {.ctx = vmm, .write = write_record};
	uc_hook hook;

	spe_config_defaults(&vmm->config, SPE_V1P2);
	vmm->config.events = 0; /* there are no caches to miss */
	vmm->config.lds = false;
	vmm->controls = (struct sysreg_controls){
		.features = spe_config_features(&vmm->config),
		.el = 1,
	};
	if (spe_init(&vmm->unit, sizeof(vmm->unit), &vmm->config, &host))
		return false;
	spe_update(&vmm->unit, &vmm->controls);
	return !uc_open(UC_ARCH_ARM64, UC_MODE_ARM, &vmm->uc) &&
	       !uc_mem_map(vmm->uc, BASE, SIZE, UC_PROT_ALL) &&
	       !uc_mem_write(vmm->uc, BASE, image, size) &&
	       !uc_hook_add(vmm->uc, &hook, UC_HOOK_INSN, on_mrs, vmm, 1, 0, UC_ARM64_INS_MRS) &&
	       !uc_hook_add(vmm->uc, &hook, UC_HOOK_INSN, on_msr, vmm, 1, 0, UC_ARM64_INS_MSR) &&
	       !uc_hook_add(vmm->uc, &hook, UC_HOOK_CODE, on_instruction, vmm, 1, 0) &&
	       !uc_hook_add(vmm->uc, &hook, UC_HOOK_INTR, on_exception, vmm, 1, 0);
}

int main(int argc, char **argv)
{
	static uint8_t memory[SIZE];
	static struct vmm vmm;
	uint64_t from, to;
	size_t size;
	FILE *file;
	uc_err error;

	file = argc == 3 ? fopen(argv[1], "rb") : NULL;
	if (!file) {
		fprintf(stderr, "usage: vmm GUEST RECORDS\n");
		return 2;
	}
	size = fread(memory, 1, sizeof(memory), file);
	fclose(file);
	if (!start_guest(&vmm, memory, size)) {
		fprintf(stderr, "vmm: Unicorn or libvspe cannot be set up\n");
		return 3;
	}
	error = uc_emu_start(vmm.uc, BASE, 0, 0, 0);
	from = get_register(&vmm, UC_ARM64_REG_X4);
	to = get_register(&vmm, UC_ARM64_REG_X5);
	if (error || !vmm.done || from < BASE || to < from || to > BASE + SIZE) {
		fprintf(stderr, "vmm: the guest ended at 0x%" PRIx64 ": %s\n",
			get_register(&vmm, UC_ARM64_REG_PC), uc_strerror(error));
		return 1;
	}
	printf("guest: PMSVer %" PRIu64 ", %" PRIu64 " UNDEFINED, %" PRIu64 " interrupts\n",
	       get_register(&vmm, UC_ARM64_REG_X6), get_register(&vmm, UC_ARM64_REG_X7),
	       get_register(&vmm, UC_ARM64_REG_X8));
	uc_mem_read(vmm.uc, from, memory, to - from);
	uc_close(vmm.uc);
	file = fopen(argv[2], "wb");
	if (!file || fwrite(memory, 1, to - from, file) != to - from || fclose(file)) {
		perror(argv[2]);
		return 1;
	}
	return 0;
}
