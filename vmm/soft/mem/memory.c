/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data accesses: what the fast handlers leave, because it misses the software TLB, is unaligned,
 * crosses a page, goes to a device or to a page with decoded code; and alignment checks (Arm ARM
 * B2.5).
 */
#include "soft/mem/memory.h"
#include "soft/fp/vector.h"
#include "arm/registers.h"
#include "soft/mem/code.h"
#include "soft/mem/monitor.h"
#include "soft/mem/profile.h"
#include "soft/sys/debug.h"
#include "soft/sys/isa.h"
#include "soft/mem/regime.h"
#include "soft/mem/tlb.h"

#include <string.h>

/* One access, or its part in one page. */
struct access {
	uint64_t va;
	unsigned int size;    /* bytes */
	unsigned int element; /* bytes that are aligned and go to a device together */
	enum soft_view view;
	unsigned int el; /* whose access it is, for watchpoints */
	bool write, ordered;
	uint8_t *data;
};

static enum soft_view view_of(const struct soft_cpu *cpu, unsigned int el)
{
	const bool pan = cpu->sys.pstate.pan;

	switch (el) {
	case 0: return SOFT_VIEW_EL0;
	case 1: return pan ? SOFT_VIEW_EL1_PAN : SOFT_VIEW_EL1;
	case 2: return pan ? SOFT_VIEW_EL2_PAN : SOFT_VIEW_EL2;
	default: return SOFT_VIEW_EL3;
	}
}

static enum soft_view current_view(const struct soft_cpu *cpu)
{
	return view_of(cpu, cpu->sys.pstate.el);
}

/*
 * LDTR and STTR access memory as EL0 at EL1, unless HCR_EL2.{NV,NV1} of {1,1} leave that no
 * unprivileged level, and at EL2 of a host (Arm ARM C6.2, LDTR; D8.11). PSTATE.UAO overrides it.
 */
unsigned int soft_unprivileged_el(const struct soft_sys *sys)
{
	const unsigned int el = sys->pstate.el;

	if (sys->pstate.uao)
		return el;
	if (el == 1)
		return (sysreg_hcr(&sys->controls) & (HCR_EL2_NV | HCR_EL2_NV1)) ==
		       (HCR_EL2_NV | HCR_EL2_NV1);
	return el == 2 && sysreg_el0_host(&sys->controls) ? 0 : el;
}

bool soft_data_abort(struct soft_cpu *cpu, uint64_t va, uint8_t fsc, bool write)
{
	cpu->fault = (struct soft_exception){
		.ec = ARM_EC_DATA_ABORT,
		.has_far = true,
		.iss = fsc | (write ? ARM_ISS_WNR : 0),
		.far = va,
	};
	return false;
}

static bool allowed(struct soft_cpu *cpu,
		    bool (*trapped)(const struct soft_sys *sys, struct soft_exception *exception))
{
	struct soft_exception exception;

	if (!trapped(&cpu->sys, &exception))
		return true;
	cpu->fault = exception;
	return false;
}

bool soft_fp_allowed(struct soft_cpu *cpu)
{
	return allowed(cpu, soft_fp_trapped);
}

bool soft_sve_allowed(struct soft_cpu *cpu)
{
	return allowed(cpu, soft_sve_trapped);
}

bool soft_check_sp(struct soft_cpu *cpu, unsigned int slot)
{
	if (slot != SOFT_X_SP || !(cpu->x[SOFT_X_SP] & cpu->sp_mask))
		return true;
	cpu->fault = (struct soft_exception){.ec = ARM_EC_SP_ALIGNMENT};
	return false;
}

/* Translate, and record a fault for the guest. */
static bool resolve_place(struct soft_cpu *cpu, enum soft_view view, uint64_t va,
			  enum arm_access access, bool unaligned, struct soft_place *place)
{
	if (soft_tlb_resolve(cpu, view, va, access, unaligned, place))
		return true;
	cpu->fault = soft_abort(&place->failed, ARM_EC_DATA_ABORT, va, place->failed.writing);
	return false;
}

static enum arm_access kind_of(const struct access *a)
{
	return a->write ? ARM_WRITE : ARM_READ;
}

/* Move size bytes between a->data and a device, in its elements if they are aligned there. */
static bool device_access(struct soft_cpu *cpu, const struct access *a, uint64_t pa)
{
	const struct engine_host *host = &cpu->vm->host;
	const unsigned int element = a->element < 8 ? a->element : 8;
	const unsigned int step = a->va % a->element || a->size % a->element ? 1 : element;

	for (unsigned int n = 0; n < a->size; n += step) {
		enum engine_answer answer;
		uint64_t value = 0;

		if (a->write) {
			memcpy(&value, a->data + n, step);
			soft_monitors_clear(cpu->vm);
			answer = host->mmio_write(host->ctx, cpu->index, pa + n, step, value);
		} else {
			answer = host->mmio_read(host->ctx, cpu->index, pa + n, step, &value);
			memcpy(a->data + n, &value, step);
		}
		if (answer != ENGINE_OK)
			return soft_data_abort(cpu, a->va + n, ARM_FSC_EXTERNAL, a->write);
	}
	return true;
}

static bool page_access(struct soft_cpu *cpu, const struct access *a,
			const struct soft_place *place)
{
	if (!place->host)
		return device_access(cpu, a, place->pa);
	if (!a->write) {
		memcpy(a->data, place->host, a->size);
		return true;
	}
	if (place->watched)
		soft_memory_written(cpu, place->pa, a->size);
	memcpy(place->host, a->data, a->size);
	return true;
}

/* Check watchpoints, after all faults of translation: is the Watchpoint exception recorded? */
static bool access_watched(struct soft_cpu *cpu, uint64_t va, unsigned int size, unsigned int el,
			   bool read, bool write)
{
	const struct soft_watched access = {va, size, el, read, write};

	return SOFT_UNLIKELY(soft_debug_monitored(&cpu->sys)) && soft_debug_enabled(&cpu->sys) &&
	       soft_watchpoint_matches(&cpu->sys, &access, &cpu->fault);
}

/* Is it within 16 aligned bytes? */
static bool within_quadword(uint64_t va, unsigned int size)
{
	return va % 16 + size <= 16;
}

/*
 * Does an access that is not aligned to its size fault because of its kind (Arm ARM B2.8, with
 * FEAT_LSE2)? ordered: a load-acquire or store-release, else an exclusive or an atomic.
 */
static bool needs_alignment(const struct soft_cpu *cpu, uint64_t va, unsigned int size,
			    bool ordered)
{
	const uint64_t sctlr = soft_sctlr_at(&cpu->sys, cpu->sys.pstate.el);

	if (sctlr & SCTLR_ELx_A || !(cpu->sys.isa & SOFT_ISA(LSE2)))
		return true;
	return !within_quadword(va, size) && !(ordered && sctlr & SCTLR_ELx_nAA);
}

/*
 * access_memory() for an access that begins in one page, with so many bytes, and ends in the next.
 */
static bool access_pages(struct soft_cpu *cpu, const struct access *a, unsigned int first)
{
	const bool unaligned = a->va % a->element;
	struct access parts[2] = {*a, *a};
	struct soft_place places[2];

	parts[0].size = first;
	parts[1].va = a->va + first;
	parts[1].size = a->size - first;
	parts[1].data = a->data + first;
	for (unsigned int n = 0; n < 2; n++) {
		if (!resolve_place(cpu, a->view, parts[n].va, kind_of(a), unaligned, &places[n]))
			return false;
	}
	if (access_watched(cpu, a->va, a->size, a->el, !a->write, a->write))
		return false;
	return page_access(cpu, &parts[0], &places[0]) && page_access(cpu, &parts[1], &places[1]);
}

/* An access of up to 64 bytes anywhere. Nothing is written unless all of it can be. */
static bool access_memory(struct soft_cpu *cpu, const struct access *a)
{
	const bool unaligned = a->va % a->element;
	const uint64_t here = SOFT_PAGE_SIZE - a->va % SOFT_PAGE_SIZE;
	struct soft_place place;

	if (unaligned && (a->ordered ? needs_alignment(cpu, a->va, a->size, true)
				     : soft_sctlr_at(&cpu->sys, cpu->sys.pstate.el) & SCTLR_ELx_A))
		return soft_data_abort(cpu, a->va, ARM_FSC_ALIGNMENT, a->write);
	if (a->size > here)
		return access_pages(cpu, a, (unsigned int)here);
	if (!resolve_place(cpu, a->view, a->va, kind_of(a), unaligned, &place))
		return false;
	return !access_watched(cpu, a->va, a->size, a->el, !a->write, a->write) &&
	       page_access(cpu, a, &place);
}

/* The rows of memory_ops.def, to execute them from a table. */
struct form {
	uint8_t form;				 /* enum soft_form */
	uint8_t size;				 /* bytes of a register's transfer */
	bool sp, pair, write, is_signed, narrow; /* narrow: extended to 32 bits only */
	bool vector;				 /* rd and ra are numbers of vector registers */
};

#define SIGNED(M) _Generic((M)0, int8_t : true, int16_t : true, int32_t : true, default : false)

#define FORM(which, by_sp, M, R, is_pair, is_write) \
	{(which), sizeof(M), (by_sp), (is_pair), (is_write), SIGNED(M), sizeof(R) == 4, false},
#define ONE_FORMS(M, R, w, by_sp)                   \
	FORM(SOFT_FORM_OFF, by_sp, M, R, false, w)  \
	FORM(SOFT_FORM_PRE, by_sp, M, R, false, w)  \
	FORM(SOFT_FORM_POST, by_sp, M, R, false, w) \
	FORM(SOFT_FORM_LSL, by_sp, M, R, false, w)  \
	FORM(SOFT_FORM_EXT, by_sp, M, R, false, w)
#define PAIR_FORMS(M, R, w, by_sp)                \
	FORM(SOFT_FORM_OFF, by_sp, M, R, true, w) \
	FORM(SOFT_FORM_PRE, by_sp, M, R, true, w) \
	FORM(SOFT_FORM_POST, by_sp, M, R, true, w)

#define LOAD(name, M, R)      ONE_FORMS(M, R, false, false) ONE_FORMS(M, R, false, true)
#define STORE(name, M)	      ONE_FORMS(M, M, true, false) ONE_FORMS(M, M, true, true)
#define LOAD_PAIR(name, M, R) PAIR_FORMS(M, R, false, false) PAIR_FORMS(M, R, false, true)
#define STORE_PAIR(name, M)   PAIR_FORMS(M, M, true, false) PAIR_FORMS(M, M, true, true)

#define VECTOR(which, by_sp, bytes, is_pair, is_write) \
	{(which), (bytes), (by_sp), (is_pair), (is_write), false, false, true},
#define ONE_VECTORS(bytes, w, by_sp)                   \
	VECTOR(SOFT_FORM_OFF, by_sp, bytes, false, w)  \
	VECTOR(SOFT_FORM_PRE, by_sp, bytes, false, w)  \
	VECTOR(SOFT_FORM_POST, by_sp, bytes, false, w) \
	VECTOR(SOFT_FORM_LSL, by_sp, bytes, false, w)  \
	VECTOR(SOFT_FORM_EXT, by_sp, bytes, false, w)
#define PAIR_VECTORS(bytes, w, by_sp)                \
	VECTOR(SOFT_FORM_OFF, by_sp, bytes, true, w) \
	VECTOR(SOFT_FORM_PRE, by_sp, bytes, true, w) \
	VECTOR(SOFT_FORM_POST, by_sp, bytes, true, w)

#define LOAD_VECTOR(name, bytes)  ONE_VECTORS(bytes, false, false) ONE_VECTORS(bytes, false, true)
#define STORE_VECTOR(name, bytes) ONE_VECTORS(bytes, true, false) ONE_VECTORS(bytes, true, true)
#define LOAD_PAIR_VECTOR(name, bytes) \
	PAIR_VECTORS(bytes, false, false) PAIR_VECTORS(bytes, false, true)
#define STORE_PAIR_VECTOR(name, bytes) \
	PAIR_VECTORS(bytes, true, false) PAIR_VECTORS(bytes, true, true)

static const struct form forms[SOFT_KINDS - SOFT_MEMORY_FIRST] = {
#include "soft/mem/memory_ops.def"
};

static uint64_t extend_loaded(const struct form *f, const uint8_t *data)
{
	const unsigned int up = 64 - 8 * f->size;
	uint64_t value = 0;

	memcpy(&value, data, f->size);
	if (f->is_signed)
		value = (uint64_t)((int64_t)(value << up) >> up);
	return f->narrow ? (uint32_t)value : value;
}

static const void *place_of(const struct soft_cpu *cpu, const struct form *f, unsigned int slot)
{
	return f->vector ? (const void *)&cpu->v[slot] : &cpu->x[slot];
}

static void set_loaded(struct soft_cpu *cpu, const struct form *f, unsigned int slot,
		       const uint8_t *data)
{
	if (!f->vector) {
		cpu->x[slot] = extend_loaded(f, data);
		return;
	}
	cpu->v[slot] = (union soft_vector){.d = {0, 0}};
	memcpy(&cpu->v[slot], data, f->size);
	soft_clear_upper(cpu, slot);
}

static uint64_t index_offset(const struct soft_cpu *cpu, const struct soft_op *op,
			     const struct form *f)
{
	uint64_t index = cpu->x[op->rm];

	switch (f->form) {
	case SOFT_FORM_POST: return 0;
	case SOFT_FORM_LSL: break;
	case SOFT_FORM_EXT: /* UXTW or SXTW */
		index = op->ra & 4 ? (uint64_t)(int64_t)(int32_t)index : (uint32_t)index;
		break;
	default: return op->imm;
	}
	return index << (op->aux & SOFT_AUX_SHIFT);
}

uint64_t soft_memory_address(const struct soft_cpu *cpu, const struct soft_op *op,
			     unsigned int *element, uint64_t *last)
{
	const struct form *f = &forms[op->kind - SOFT_MEMORY_FIRST];
	const uint64_t va = cpu->x[op->rn] + index_offset(cpu, op, f);

	*element = f->size;
	*last = f->pair ? va + f->size : va;
	return va;
}

bool soft_memory_writes(const struct soft_op *op)
{
	return forms[op->kind - SOFT_MEMORY_FIRST].write;
}

bool soft_memory_address_uses(const struct soft_op *op, unsigned int slot)
{
	const struct form *f = &forms[op->kind - SOFT_MEMORY_FIRST];

	return slot == op->rn ||
	       (slot == op->rm && (f->form == SOFT_FORM_LSL || f->form == SOFT_FORM_EXT));
}

bool soft_memory_changes(const struct soft_op *op, unsigned int slot)
{
	const struct form *f = &forms[op->kind - SOFT_MEMORY_FIRST];

	if (slot == op->rn && (f->form == SOFT_FORM_PRE || f->form == SOFT_FORM_POST))
		return true;
	return !f->write && !f->vector && (slot == op->rd || (f->pair && slot == op->ra));
}

/*
 * The syndrome of a stage 2 fault describes the access, so that a hypervisor can emulate a device
 * without reading the instruction. Only for one register and without write-back (ESR_EL2.ISS, ISV).
 */
static void describe_access(struct soft_cpu *cpu, const struct soft_op *op, const struct form *f)
{
	struct soft_exception *fault = &cpu->fault;

	if (fault->ec != ARM_EC_DATA_ABORT || fault->target_el != 2 || fault->iss & ARM_ISS_S1PTW ||
	    arm_fsc_on_walk(fault->iss & ARM_ISS_FSC))
		return;
	if (f->vector || f->pair || f->form == SOFT_FORM_PRE || f->form == SOFT_FORM_POST)
		return;
	fault->iss |= ARM_ISS_ISV | (uint32_t)__builtin_ctz(f->size) << ARM_ISS_SAS_SHIFT |
		      a64_rt(op->word) << ARM_ISS_SRT_SHIFT;
	if (f->is_signed && !f->write)
		fault->iss |= ARM_ISS_SSE;
	if (f->is_signed ? !f->narrow : f->size == 8)
		fault->iss |= ARM_ISS_SF;
	if (op->aux & SOFT_AUX_ORDERED)
		fault->iss |= ARM_ISS_AR;
}

bool soft_memory_operation(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct form *f = &forms[op->kind - SOFT_MEMORY_FIRST];
	uint8_t data[32];
	struct access a = {
		.size = (unsigned int)f->size << f->pair,
		.element = f->size,
		.view = current_view(cpu),
		.el = cpu->sys.pstate.el,
		.write = f->write,
		.ordered = op->aux & SOFT_AUX_ORDERED,
		.data = data,
	};

	if (f->vector && !soft_fp_allowed(cpu))
		return false;
	if (f->sp && !soft_check_sp(cpu, SOFT_X_SP))
		return false;
	a.va = cpu->x[op->rn] + index_offset(cpu, op, f);
	if (op->aux & SOFT_AUX_UNPRIVILEGED) {
		a.el = soft_unprivileged_el(&cpu->sys);
		a.view = view_of(cpu, a.el);
	}
	if (f->write) {
		memcpy(data, place_of(cpu, f, op->rd), f->size);
		if (f->pair)
			memcpy(data + f->size, place_of(cpu, f, op->ra), f->size);
	}
	if (!access_memory(cpu, &a)) {
		describe_access(cpu, op, f);
		return false;
	}
	if (f->form == SOFT_FORM_PRE)
		cpu->x[op->rn] = a.va;
	else if (f->form == SOFT_FORM_POST)
		cpu->x[op->rn] = a.va + op->imm;
	if (!f->write) {
		set_loaded(cpu, f, op->rd, data);
		if (f->pair)
			set_loaded(cpu, f, op->ra, data + f->size);
	}
	return true;
}

static struct access access_of(const struct soft_cpu *cpu, const struct soft_bytes *bytes)
{
	const unsigned int el =
		bytes->unprivileged ? soft_unprivileged_el(&cpu->sys) : cpu->sys.pstate.el;

	return (struct access){
		.va = bytes->va,
		.size = bytes->size,
		.element = bytes->element,
		.view = view_of(cpu, el),
		.el = el,
		.write = bytes->write,
		.ordered = bytes->ordered,
		.data = bytes->data,
	};
}

bool soft_move_bytes(struct soft_cpu *cpu, const struct soft_bytes *bytes)
{
	const struct access a = access_of(cpu, bytes);

	return access_memory(cpu, &a);
}

bool soft_find_bytes(struct soft_cpu *cpu, const struct soft_bytes *bytes, bool unaligned,
		     struct soft_place *place)
{
	const struct access a = access_of(cpu, bytes);

	return resolve_place(cpu, a.view, a.va, kind_of(&a), unaligned, place);
}

bool soft_bytes_watched(struct soft_cpu *cpu, const struct soft_bytes *bytes)
{
	const struct access a = access_of(cpu, bytes);

	return access_watched(cpu, a.va, a.size, a.el, !a.write, a.write);
}

bool soft_move_found(struct soft_cpu *cpu, const struct soft_bytes *bytes,
		     const struct soft_place *place)
{
	const struct access a = access_of(cpu, bytes);

	return page_access(cpu, &a, place);
}

uint8_t *soft_atomic_memory(struct soft_cpu *cpu, uint64_t va, unsigned int size, bool read,
			    bool write)
{
	const enum arm_access access = !write ? ARM_READ : read ? ARM_UPDATE : ARM_WRITE;
	const enum soft_view view = current_view(cpu);
	struct soft_place place;

	/* WnR is 0 if a read of the address would also have faulted */
	if (va % size && needs_alignment(cpu, va, size, false)) {
		soft_data_abort(cpu, va, ARM_FSC_ALIGNMENT, !read);
		return NULL;
	}
	if (!resolve_place(cpu, view, va, access, va % size, &place))
		return NULL;
	if (access_watched(cpu, va, size, cpu->sys.pstate.el, read, write))
		return NULL;
	if (!place.host) {
		soft_data_abort(cpu, va, ARM_FSC_LOCKDOWN_ATOMIC, !read);
		return NULL;
	}
	if (write && place.watched)
		soft_code_written(cpu->vm, place.pa, size);
	if (read && write && place.watched)
		soft_monitors_written(cpu, place.pa, size);
	return place.host;
}

bool soft_zero_block(struct soft_cpu *cpu, uint64_t va)
{
	const uint64_t block = va & ~(uint64_t)(SOFT_ZVA_SIZE - 1);
	struct soft_place place;

	if (!resolve_place(cpu, current_view(cpu), block, ARM_WRITE, true, &place)) {
		cpu->fault.far = va;
		return false;
	}
	if (access_watched(cpu, block, SOFT_ZVA_SIZE, cpu->sys.pstate.el, false, true))
		return false;
	if (!place.host)
		return soft_data_abort(cpu, va, ARM_FSC_EXTERNAL, true);
	if (place.watched)
		soft_memory_written(cpu, place.pa, SOFT_ZVA_SIZE);
	memset(place.host, 0, SOFT_ZVA_SIZE);
	cpu->model.zeroed.done = true;
	cpu->model.zeroed.va = block;
	cpu->model.zeroed.pa = place.pa;
	return true;
}

void soft_code_invalidate(struct soft_cpu *cpu, uint64_t va, bool all)
{
	struct soft_vm *vm = cpu->vm;
	const unsigned int el = cpu->sys.pstate.el;
	struct arm_translation t;

	if (all) {
		vm->drop_all = true;
		return;
	}
	if (!soft_translate(cpu, va, ARM_READ, el, &t) ||
	    !soft_ram(vm, t.pa & SOFT_PAGE_MASK, SOFT_PAGE_SIZE))
		return;
	soft_code_written(vm, t.pa & ~UINT64_C(63), 64);
}

/* A watchpoint for EL0 also catches LDTR and STTR, even if EL1 has no debug events. */
static const struct soft_tlb_entry *unprivileged_entries(const struct soft_cpu *cpu)
{
	if (SOFT_UNLIKELY(soft_debug_monitored(&cpu->sys)))
		return soft_tlb_nothing;
	return cpu->views.tlbs[view_of(cpu, soft_unprivileged_el(&cpu->sys))].entries;
}

void soft_context_changed(struct soft_cpu *cpu)
{
	const unsigned int el = cpu->sys.pstate.el;
	const uint64_t sctlr = soft_sctlr_at(&cpu->sys, el);
	const struct spe_unit *spe = cpu->sys.spe;
	struct soft_exception trap;

	cpu->model.observed = false;
	memset(cpu->repeats, 0, sizeof(cpu->repeats));
	cpu->tlb = cpu->views.tlbs[current_view(cpu)].entries;
	cpu->views.unprivileged_tlb =
		(const char *)unprivileged_entries(cpu) - (const char *)cpu->tlb;
	cpu->jumps = cpu->views.code[el].jumps;
	cpu->guarded = cpu->views.code[el].guarded;
	cpu->fp_trapped = soft_fp_trapped(&cpu->sys, &trap);
	if (cpu->sys.isa & SOFT_ISA(SVE)) {
		cpu->sve_trapped = soft_sve_trapped(&cpu->sys, &trap);
		cpu->vl = (uint16_t)soft_sve_length(&cpu->sys);
	}
	cpu->all_aligned = sctlr & SCTLR_ELx_A;
	cpu->fp_slow = cpu->fp_trapped || cpu->all_aligned;
	cpu->fp_usual = float_is_usual(&cpu->sys.fp);
	cpu->sp_mask = sctlr & (el ? SCTLR_ELx_SA : SCTLR_ELx_SA0) ? 15 : 0;
	cpu->profile_tlb = cpu->views.tlbs[soft_profile_view(spe ? spe_owning_el(spe) : 1)].entries;
}

/* FEAT_NV2 (Arm ARM D8.11): PSTATE.PAN has no effect. */
bool soft_nv_memory(struct soft_cpu *cpu, uint16_t offset, bool write, uint64_t *value,
		    struct soft_exception *fault)
{
	uint8_t data[8];
	struct access a = {
		.va = arm_vncr_address(cpu->sys.vncr_el2, offset),
		.size = sizeof(data),
		.element = sizeof(data),
		.view = SOFT_VIEW_EL2,
		.el = 2,
		.write = write,
		.data = data,
	};

	memcpy(data, value, sizeof(data));
	if (!access_memory(cpu, &a)) {
		*fault = cpu->fault;
		fault->iss |= ARM_ISS_VNCR;
		fault->target_el = 2;
		return false;
	}
	memcpy(value, data, sizeof(data));
	return true;
}
