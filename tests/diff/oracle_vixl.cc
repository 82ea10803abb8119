/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * VIXL's simulator of AArch64. The library is built without its assertions: an instruction that it
 * does not have is told by the visitors below, and a register or an operation of a row that it has
 * in part does nothing. SetVectorLengthInBits(), ReadZRegister() and ReadPRegister() are there for
 * SVE.
 */
#include "oracle.h"
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <aarch64/decoder-aarch64.h>
#include <aarch64/simulator-aarch64.h>

using namespace vixl::aarch64;

namespace
{

sigjmp_buf broken;

class Side : public Simulator
{
      public:
	explicit Side(Decoder *decoder, FILE *stream) : Simulator(decoder, stream)
	{
		SetCPUFeatures(vixl::CPUFeatures::All());
		SilenceExclusiveAccessWarning();
	}

	void VisitUnimplemented(const Instruction *) override
	{
		absent = true;
	}
	void VisitUnallocated(const Instruction *) override
	{
		absent = true;
	}
	void VisitReserved(const Instruction *) override
	{
		absent = true;
	}

	void Put(const oracle_state *state)
	{
		for (unsigned n = 0; n < 31; n++)
			WriteXRegister(n, state->x[n], NoRegLog);
		WriteXRegister(31, state->sp, NoRegLog, Reg31IsStackPointer);
		for (unsigned n = 0; n < 32; n++) {
			qreg_t q;

			std::memcpy(q.val, state->v[n], sizeof(q.val));
			WriteQRegister(n, q, NoRegLog);
		}
		ReadNzcv().SetRawValue(static_cast<uint32_t>(state->nzcv));
		ReadFpcr().SetRawValue(static_cast<uint32_t>(state->fpcr));
		WritePc(reinterpret_cast<const Instruction *>(state->pc), NoBranchLog);
	}

	void Get(oracle_state *state)
	{
		for (unsigned n = 0; n < 31; n++)
			state->x[n] = static_cast<uint64_t>(ReadXRegister(n));
		state->sp = static_cast<uint64_t>(ReadXRegister(31, Reg31IsStackPointer));
		for (unsigned n = 0; n < 32; n++) {
			qreg_t q = ReadQRegister(n);

			std::memcpy(state->v[n], q.val, sizeof(q.val));
		}
		state->nzcv = ReadNzcv().GetRawValue();
		state->fpcr = ReadFpcr().GetRawValue();
		state->pc = reinterpret_cast<uint64_t>(ReadPc());
	}

	bool absent = false;
};

Decoder *decoder;
Side *side;
FILE *nowhere; /* the library prints what it does not have */

void caught(int)
{
	siglongjmp(broken, 1);
}

bool open()
{
	struct sigaction action = {};

	nowhere = std::fopen("/dev/null", "w");
	if (!nowhere)
		return false;
	decoder = new Decoder();
	side = new Side(decoder, nowhere);
	action.sa_handler = caught;
	action.sa_flags = SA_NODEFER;
	for (int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE})
		if (sigaction(signal, &action, nullptr))
			return false;
	return true;
}

void begin()
{
	side->ClearLocalMonitor();
}

oracle_answer step(oracle_state *state)
{
	FILE *const output = stdout;

	side->absent = false;
	side->Put(state);
	stdout = nowhere;
	if (sigsetjmp(broken, 1)) {
		stdout = output;
		return ORACLE_BROKEN;
	}
	side->ExecuteInstruction();
	stdout = output;
	if (side->absent)
		return ORACLE_ABSENT;
	side->Get(state);
	return ORACLE_DONE;
}

} // namespace

/* Rounding to nearest alone, no flushing to zero, and no exception flags. */
const struct oracle oracle = {"VIXL", 1u << 25 /* DN */, 0, 700, open, begin, step};
