/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Load and store exclusive while each instruction is stepped. The exception between the two always
 * clears the monitor (Arm ARM B2.12), so the guest would try for ever. Here the pair is replaced
 * with a compare and swap with the loaded value.
 */
#include "a64/a64.h"
#include "kvm/pe/pe.h"
#include "kvm/step/step.h"

struct exclusive {
	uint32_t word;
	uint64_t va, pa;
	uint8_t *host;
	unsigned int size; /* of one register */
	bool pair;
	bool big_endian; /* is what the guest loads and stores; the monitor's value is as in RAM */
};

static uint64_t in_order(const struct exclusive *x, uint64_t value)
{
	return x->big_endian ? __builtin_bswap64(value) >> (64 - x->size * 8) : value;
}

/* Read RAM atomically; [1] is the second register of a pair. */
static void load_values(const struct exclusive *x, uint64_t value[2])
{
	value[1] = 0;
	switch (x->pair ? x->size * 2 : x->size) {
	case 1: value[0] = __atomic_load_n(x->host, __ATOMIC_ACQUIRE); break;
	case 2: value[0] = __atomic_load_n((uint16_t *)x->host, __ATOMIC_ACQUIRE); break;
	case 4: value[0] = __atomic_load_n((uint32_t *)x->host, __ATOMIC_ACQUIRE); break;
	case 8: value[0] = __atomic_load_n((uint64_t *)x->host, __ATOMIC_ACQUIRE); break;
	default: {
		unsigned __int128 both = __sync_val_compare_and_swap(
			(unsigned __int128 *)x->host, (unsigned __int128)0, (unsigned __int128)0);

		value[0] = (uint64_t)both;
		value[1] = (uint64_t)(both >> 64);
		return;
	}
	}
	if (x->pair && x->size == 4) {
		value[1] = value[0] >> 32;
		value[0] = (uint32_t)value[0];
	}
}

static bool swap_values(const struct exclusive *x, const uint64_t old[2], const uint64_t new[2])
{
	uint64_t expected = old[0], wanted = new[0];

	if (x->pair && x->size == 8) {
		const unsigned __int128 from = (unsigned __int128)old[1] << 64 | old[0];
		const unsigned __int128 to = (unsigned __int128)new[1] << 64 | new[0];

		return __sync_bool_compare_and_swap((unsigned __int128 *)x->host, from, to);
	}
	if (x->pair) {
		expected = (uint32_t)old[0] | old[1] << 32;
		wanted = (uint32_t) new[0] | new[1] << 32;
	}
	switch (x->pair ? 8 : x->size) {
	case 1: return __sync_bool_compare_and_swap(x->host, (uint8_t)expected, (uint8_t)wanted);
	case 2:
		return __sync_bool_compare_and_swap((uint16_t *)x->host, (uint16_t)expected,
						    (uint16_t)wanted);
	case 4:
		return __sync_bool_compare_and_swap((uint32_t *)x->host, (uint32_t)expected,
						    (uint32_t)wanted);
	default: return __sync_bool_compare_and_swap((uint64_t *)x->host, expected, wanted);
	}
}

static void skip_instruction(struct vspe_kvm_vcpu *vcpu)
{
	kvm_place(vcpu);
	kvm_go(vcpu, vcpu->known.pc + 4, vcpu->known.pstate & ~(SPSR_ELx_BTYPE | SPSR_ELx_SS));
}

static bool load_exclusive(struct vspe_kvm_vcpu *vcpu, const struct exclusive *x)
{
	struct kvm_monitor *monitor = &vcpu->monitor;

	*monitor = (struct kvm_monitor){.set = true, .pa = x->pa, .size = x->size, .pair = x->pair};
	load_values(x, monitor->value);
	kvm_set_x(vcpu, a64_rt(x->word), in_order(x, monitor->value[0]));
	if (x->pair)
		kvm_set_x(vcpu, a64_rt2(x->word), in_order(x, monitor->value[1]));
	skip_instruction(vcpu);
	return true;
}

static uint64_t stored_register(struct vspe_kvm_vcpu *vcpu, unsigned int n, unsigned int size)
{
	const uint64_t value = n == 31 ? 0 : kvm_x(vcpu, n);

	return size == 8 ? value : value & ((UINT64_C(1) << (size * 8)) - 1);
}

static bool store_exclusive(struct vspe_kvm_vcpu *vcpu, const struct exclusive *x)
{
	struct kvm_monitor *monitor = &vcpu->monitor;
	const uint64_t new[2] = {
		in_order(x, stored_register(vcpu, a64_rt(x->word), x->size)),
		x->pair ? in_order(x, stored_register(vcpu, a64_rt2(x->word), x->size)) : 0,
	};
	const bool stores = monitor->set && monitor->pa == x->pa && monitor->size == x->size &&
			    monitor->pair == x->pair && swap_values(x, monitor->value, new);

	monitor->set = false;
	kvm_set_x(vcpu, a64_rs(x->word), !stores);
	skip_instruction(vcpu);
	return true;
}

static uint64_t base_register(const void *ctx, unsigned int n)
{
	/* kvm_x() caches PC and PSTATE. */
	return kvm_x((struct vspe_kvm_vcpu *)(uintptr_t)ctx, n);
}

bool kvm_exclusive(struct vspe_kvm_vcpu *vcpu, uint32_t word)
{
	const struct a64_insn *insn = a64_decode(word);
	const unsigned int el = PSTATE_EL(vcpu->known.pstate);
	struct exclusive x = {.word = word};
	struct arm_translation t;
	unsigned int size;
	bool store;

	if (!insn || vcpu->known.pstate & SPSR_ELx_IL ||
	    (insn->operation != A64_OP_LOAD_EXCLUSIVE && insn->operation != A64_OP_STORE_EXCLUSIVE))
		return false;
	store = insn->operation == A64_OP_STORE_EXCLUSIVE;
	if (!a64_data_address(insn, word, vcpu->known.pc, base_register, vcpu, &x.va, &size))
		return false;
	x.size = a64_element_size(insn, word);
	x.pair = size != x.size;
	/* The hardware itself finds the faults of a load, and those of a misaligned address. */
	if (x.va % size != 0)
		return false;
	if (!kvm_translate(vcpu, x.va, store ? ARM_WRITE : ARM_READ, el, &t)) {
		if (!store || !vcpu->monitor.set)
			return false;
		/* Without its monitor it could fail without a fault, for ever. */
		vcpu->monitor.set = false;
		kvm_set(vcpu, KVM_SYSREG(FAR_EL1), x.va);
		kvm_take_exception(vcpu, ARM_EC_DATA_ABORT, t.fsc | ARM_ISS_WNR);
		return true;
	}
	/* The hardware handles what PAN forbids, too: then a store has no monitor. */
	if (el == 1 && t.readable_el0 && vcpu->known.pstate & SPSR_ELx_PAN)
		return false;
	x.big_endian = vcpu->known.sctlr & (el == 0 ? SCTLR_ELx_E0E : SCTLR_ELx_EE);
	x.pa = t.pa;
	x.host = kvm_ram(vcpu->vm, t.pa, size);
	if (!x.host)
		return false;
	return store ? store_exclusive(vcpu, &x) : load_exclusive(vcpu, &x);
}
