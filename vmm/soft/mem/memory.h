/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data accesses of the software CPU: the software TLB, and the accesses that its fast path does not
 * handle.
 */
#ifndef VSPE_SOFT_MEMORY_H
#define VSPE_SOFT_MEMORY_H

#include "soft/kinds.h"

/* Bits of soft_op.aux of memory operations, above the shift. */
#define SOFT_AUX_SHIFT	      0x7
#define SOFT_AUX_ORDERED      0x100 /* acquire or release: unaligned accesses fault */
#define SOFT_AUX_UNPRIVILEGED 0x200 /* LDTR, STTR */
#define SOFT_AUX_SLOW	      0x400 /* --model warm: never by the fast handler */

/* Execute any load or store of ops.def. false: cpu->fault is set, and nothing was changed. */
bool soft_memory_operation(struct soft_cpu *cpu, const struct soft_op *op);

/*
 * The address that a load or store of ops.def is about to access; element: bytes of one register,
 * last: the address of the last register's transfer.
 */
uint64_t soft_memory_address(const struct soft_cpu *cpu, const struct soft_op *op,
			     unsigned int *element, uint64_t *last);

/* Is op, of ops.def, a store? */
bool soft_memory_writes(const struct soft_op *op);

/* Does a load or store of ops.def read this slot of soft_cpu.x for its address, or write it? */
bool soft_memory_address_uses(const struct soft_op *op, unsigned int slot);
bool soft_memory_changes(const struct soft_op *op, unsigned int slot);

/*
 * The host's address of size bytes of RAM at va for an exclusive or an atomic, which may be read or
 * written or both; write: it is about to be written. NULL: cpu->fault is set, as va is not aligned
 * to size, cannot be accessed so, or is not RAM.
 */
uint8_t *soft_atomic_memory(struct soft_cpu *cpu, uint64_t va, unsigned int size, bool read,
			    bool write);

/* Up to 64 bytes at va, moved from or to data in the current translation regime. */
struct soft_bytes {
	uint64_t va;
	unsigned int size;    /* bytes */
	unsigned int element; /* bytes that are aligned together */
	bool write;
	bool unprivileged; /* as LDTR and STTR access memory */
	bool ordered;	   /* as with SOFT_AUX_ORDERED */
	uint8_t *data;
};

/* false: cpu->fault is set, and nothing was written. */
bool soft_move_bytes(struct soft_cpu *cpu, const struct soft_bytes *bytes);

/*
 * The same in steps, of bytes in one page, for accesses that are made together (pieces.h). Find the
 * place: false if that faults. Is it watched? true: cpu->fault is the Watchpoint exception. Move
 * them: false on an external abort.
 */
struct soft_place;
bool soft_find_bytes(struct soft_cpu *cpu, const struct soft_bytes *bytes, bool unaligned,
		     struct soft_place *place);
bool soft_bytes_watched(struct soft_cpu *cpu, const struct soft_bytes *bytes);
bool soft_move_found(struct soft_cpu *cpu, const struct soft_bytes *bytes,
		     const struct soft_place *place);

/* Are instructions of floating-point and Advanced SIMD allowed? false: cpu->fault is set. */
bool soft_fp_allowed(struct soft_cpu *cpu);
bool soft_sve_allowed(struct soft_cpu *cpu); /* the same of SVE */

/* Check the alignment of SP where it is the base of an access (slot is SOFT_X_SP). */
bool soft_check_sp(struct soft_cpu *cpu, unsigned int slot);

/* Record a fault of stage 1. Returns false for the caller to pass on. */
bool soft_data_abort(struct soft_cpu *cpu, uint64_t va, uint8_t fsc, bool write);

/* The Exception level that LDTR and STTR access memory as now. */
unsigned int soft_unprivileged_el(const struct soft_sys *sys);

/*
 * Update the view of data accesses, and all else that depends on EL, PAN and SCTLR_ELx: required
 * after a change of these.
 */
void soft_context_changed(struct soft_cpu *cpu);

/*
 * A load or store of a doubleword at VNCR_EL2.BADDR + offset, made as EL2 would, in the translation
 * regime of EL2. False on a fault: *fault is then the data abort to EL2, with ARM_ISS_VNCR.
 */
bool soft_nv_memory(struct soft_cpu *cpu, uint16_t offset, bool write, uint64_t *value,
		    struct soft_exception *fault);

/* IC IVAU/IALLU*: drop decoded blocks of the line at va (or all). */
void soft_code_invalidate(struct soft_cpu *cpu, uint64_t va, bool all);

/*
 * DC ZVA: store SOFT_ZVA_SIZE zero bytes to the block of va. false: cpu->fault is set, and nothing
 * was written.
 */
bool soft_zero_block(struct soft_cpu *cpu, uint64_t va);

/* Set up a vCPU, whose memory is zero, once sys.levels is known. */
void soft_tlb_reset(struct soft_cpu *cpu);
/* Remove write translations of this page of RAM from all TLBs of the VM, as it has code now. */
void soft_tlb_protect(struct soft_vm *vm, uint64_t pa);

#endif
