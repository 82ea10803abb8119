/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dynarmic, which translates to the host's instructions: here one at a time.
 */
#include "oracle.h"
#include <cstring>
#include <dynarmic/interface/A64/a64.h>
#include <dynarmic/interface/exclusive_monitor.h>

using namespace Dynarmic;

namespace
{

class Memory : public A64::UserCallbacks
{
      public:
	std::uint8_t MemoryRead8(std::uint64_t va) override
	{
		return Read<std::uint8_t>(va);
	}
	std::uint16_t MemoryRead16(std::uint64_t va) override
	{
		return Read<std::uint16_t>(va);
	}
	std::uint32_t MemoryRead32(std::uint64_t va) override
	{
		return Read<std::uint32_t>(va);
	}
	std::uint64_t MemoryRead64(std::uint64_t va) override
	{
		return Read<std::uint64_t>(va);
	}
	A64::Vector MemoryRead128(std::uint64_t va) override
	{
		return Read<A64::Vector>(va);
	}
	void MemoryWrite8(std::uint64_t va, std::uint8_t value) override
	{
		Write(va, value);
	}
	void MemoryWrite16(std::uint64_t va, std::uint16_t value) override
	{
		Write(va, value);
	}
	void MemoryWrite32(std::uint64_t va, std::uint32_t value) override
	{
		Write(va, value);
	}
	void MemoryWrite64(std::uint64_t va, std::uint64_t value) override
	{
		Write(va, value);
	}
	void MemoryWrite128(std::uint64_t va, A64::Vector value) override
	{
		Write(va, value);
	}
	bool MemoryWriteExclusive8(std::uint64_t va, std::uint8_t value, std::uint8_t old) override
	{
		return Swap(va, value, old);
	}
	bool MemoryWriteExclusive16(std::uint64_t va, std::uint16_t value,
				    std::uint16_t old) override
	{
		return Swap(va, value, old);
	}
	bool MemoryWriteExclusive32(std::uint64_t va, std::uint32_t value,
				    std::uint32_t old) override
	{
		return Swap(va, value, old);
	}
	bool MemoryWriteExclusive64(std::uint64_t va, std::uint64_t value,
				    std::uint64_t old) override
	{
		return Swap(va, value, old);
	}
	bool MemoryWriteExclusive128(std::uint64_t va, A64::Vector value, A64::Vector old) override
	{
		return Swap(va, value, old);
	}
	void InterpreterFallback(std::uint64_t, std::size_t) override
	{
		absent = true;
	}
	void CallSVC(std::uint32_t) override
	{
		absent = true;
	}
	void ExceptionRaised(std::uint64_t, A64::Exception exception) override
	{
		switch (exception) { /* hints are instructions that it has */
		case A64::Exception::WaitForEvent:
		case A64::Exception::SendEvent:
		case A64::Exception::SendEventLocal:
		case A64::Exception::Yield: break;
		default: absent = true; break;
		}
	}
	void InstructionCacheOperationRaised(A64::InstructionCacheOperation, std::uint64_t) override
	{
		changed = true;
	}
	void AddTicks(std::uint64_t) override
	{
	}
	std::uint64_t GetTicksRemaining() override
	{
		return 1;
	}
	std::uint64_t GetCNTPCT() override
	{
		return 0;
	}

	bool absent = false;
	bool changed = false; /* the code */

      private:
	template <typename T> static T Read(std::uint64_t va)
	{
		T value;

		std::memcpy(&value, reinterpret_cast<const void *>(va), sizeof(value));
		return value;
	}
	template <typename T> static void Write(std::uint64_t va, T value)
	{
		std::memcpy(reinterpret_cast<void *>(va), &value, sizeof(value));
	}
	template <typename T> static bool Swap(std::uint64_t va, T value, T old)
	{
		if (Read<T>(va) != old)
			return false;
		Write(va, value);
		return true;
	}
};

Memory memory;
ExclusiveMonitor *monitor;
A64::Jit *jit;
std::uint64_t tpidr;
const std::uint64_t tpidrro = 0;

bool open()
{
	A64::UserConfig config = {};

	monitor = new ExclusiveMonitor(1);
	config.callbacks = &memory;
	config.global_monitor = monitor;
	config.tpidr_el0 = &tpidr;
	config.tpidrro_el0 = &tpidrro;
	/* Blocks of one instruction are not linked. */
	config.optimizations = OptimizationFlag::GetSetElimination | OptimizationFlag::ConstProp |
			       OptimizationFlag::MiscIROpt;
	config.code_cache_size = 32 << 20;
	jit = new A64::Jit(config);
	return true;
}

void begin()
{
	tpidr = 0;
	jit->ClearExclusiveState();
	jit->ClearCache();
}

oracle_answer step(oracle_state *state)
{
	std::array<std::uint64_t, 31> x;
	std::array<A64::Vector, 32> v;

	std::memcpy(x.data(), state->x, sizeof(state->x));
	std::memcpy(v.data(), state->v, sizeof(state->v));
	jit->SetRegisters(x);
	jit->SetVectors(v);
	jit->SetSP(state->sp);
	jit->SetPC(state->pc);
	jit->SetPstate(static_cast<std::uint32_t>(state->nzcv));
	jit->SetFpcr(static_cast<std::uint32_t>(state->fpcr));
	jit->SetFpsr(static_cast<std::uint32_t>(state->fpsr));
	memory.absent = false;
	memory.changed = false;
	jit->Step();
	if (memory.changed)
		jit->ClearCache();
	if (memory.absent)
		return ORACLE_ABSENT;
	x = jit->GetRegisters();
	v = jit->GetVectors();
	std::memcpy(state->x, x.data(), sizeof(state->x));
	std::memcpy(state->v, v.data(), sizeof(state->v));
	state->sp = jit->GetSP();
	state->pc = jit->GetPC();
	state->nzcv = jit->GetPstate() & UINT32_C(0xf0000000);
	state->fpcr = jit->GetFpcr();
	state->fpsr = jit->GetFpsr();
	return ORACLE_DONE;
}

} // namespace

const struct oracle oracle = {"dynarmic", 0x7c80000, 0x800001f, 600, open, begin, step};
