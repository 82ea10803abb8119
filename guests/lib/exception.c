/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dispatch of exceptions in C (Arm ARM D1.3).
 */
#include "arch.h"
#include "boot.h"
#include "console.h"
#include "deadline.h"
#include "exception.h"
#include "gic.h"

enum exc_return (*exc_hooks[VEC_COUNT])(struct exc_frame *frame, enum exc_vector vector);

static struct expected expected;
static bool expecting;

extern char user_return[];

void expect_begin(void)
{
	expected = (struct expected){0};
	isb();
	expecting = true;
}

struct expected expect_end(void)
{
	isb();
	expecting = false;
	return expected;
}

static void report_unexpected(const struct exc_frame *frame, enum exc_vector vector)
{
	for (unsigned int i = 0; i < 31; i++)
		printf("%sx%u 0x%lx%s", i % 4 ? " " : "# ", i, frame->x[i],
		       i % 4 == 3 || i == 30 ? "\n" : "");
	printf("# failed: exception at vector %u: ESR 0x%lx FAR 0x%lx ELR 0x%lx SPSR 0x%lx\n",
	       (unsigned int)vector, frame->esr, frame->far, frame->elr, frame->spsr);
	deadline_give_up();
	panic("no test runs on this CPU");
}

/* SVC #0 of user_exit: continue after user_call() with EL0's result. */
static void leave_user(struct exc_frame *frame)
{
	frame->elr = (uintptr_t)user_return;
	frame->spsr = 0x3c1 | boot_info.el << 2; /* ELxh, D, A, I and F masked */
}

static void handle_sync(struct exc_frame *frame, enum exc_vector vector)
{
	uint64_t class = field(frame->esr, 31, 26);

	if (vector == VEC_EL0_SYNC && class == EC_SVC64 && (frame->esr & 0xffff) == 0) {
		leave_user(frame);
		return;
	}
	if (!expecting)
		report_unexpected(frame, vector);
	expected.count++;
	expected.vector = vector;
	expected.esr = frame->esr;
	expected.far = frame->far;
	expected.elr = frame->elr;
	if (class == EC_ILLEGAL)
		frame->spsr &= ~(UINT64_C(1) << 20); /* IL; the instruction is not to blame */
	else if (class != EC_SVC64 && class != EC_HVC64)
		frame->elr += 4;
}

enum exc_return exc_dispatch(struct exc_frame *frame, enum exc_vector vector)
{
	if (exc_hooks[vector])
		return exc_hooks[vector](frame, vector);
	/* FIQs at EL3, if the GIC has two Security states (Arm IHI 0069, 4.6.2). */
	if (vector % 4 == VEC_SP0_IRQ || (boot_info.el == 3 && vector % 4 == VEC_SP0_FIQ))
		return gic_dispatch(frame);
	if (vector % 4 != VEC_SP0_SYNC)
		report_unexpected(frame, vector);
	handle_sync(frame, vector);
	return EXC_RETURN;
}
