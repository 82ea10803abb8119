/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The accesses themselves. Code for lower Exception levels touches no memory, so that it runs with the
 * MMU off, at its physical address.
 */
#include "access_code.h"

	.text
/* At the guest's own level, for every register of statement.def: read(x0), then write(x0), 8 bytes each. */
#define ACCESS(name, op1, crm, op2, ...)							\
	mrs	x0, S3_##op1##_C9_C##crm##_##op2; ret;						\
	msr	S3_##op1##_C9_C##crm##_##op2, x0; ret;
	.balign	16
	.globl	access_own
access_own:
#include "conform/statement.def"
#undef ACCESS

/*
 * At lower levels, for every register and for every Xt of ACCESS_RTS: read, call, write, call; 16 bytes.
 * The call ends the run.
 */
	.macro	lower encoding, call
	.irp	rt, ACCESS_RTS
	.ifc	\rt, 31
	mrs	xzr, \encoding
	\call	#CALL_DONE
	msr	\encoding, xzr
	\call	#CALL_DONE
	.else
	mrs	x\rt, \encoding
	\call	#CALL_DONE
	msr	\encoding, x\rt
	\call	#CALL_DONE
	.endif
	.endr
	.endm

#define ACCESS(name, op1, crm, op2, ...) lower S3_##op1##_C9_C##crm##_##op2, hvc;
	.balign	16
	.globl	access_lower_hvc
access_lower_hvc:
#include "conform/statement.def"
#undef ACCESS

#define ACCESS(name, op1, crm, op2, ...) lower S3_##op1##_C9_C##crm##_##op2, smc;
	.balign	16
	.globl	access_lower_smc
access_lower_smc:
#include "conform/statement.def"
#undef ACCESS

/* x0 times two operations. */
	.macro	idle call
1:	subs	x0, x0, #1
	b.ne	1b
	\call	#CALL_DONE
	.endm

	.globl	access_idle_hvc
access_idle_hvc:
	idle	hvc
	.globl	access_idle_smc
access_idle_smc:
	idle	smc

/* PSB CSYNC as an access. */
	.globl	access_psb_hvc
access_psb_hvc:
	hint	#17
	hvc	#CALL_DONE
	.globl	access_psb_smc
access_psb_smc:
	hint	#17
	smc	#CALL_DONE

	.globl	access_lower_end
access_lower_end:
