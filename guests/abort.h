/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which instructions of abort_code.S's block fault, by their number.
 */
#ifndef ABORT_H
#define ABORT_H

#define FAULT_LOAD  2
#define FAULT_STORE 4
#define FAULT_PAIR  6
#define FAULT_POST  8
#define FAULT_PRE   10
#define FAULT_STP   11

#define BLOCK_INSNS  18 /* a lap */
#define BLOCK_FAULTS 6
/* Each of these is one operation. */
#define BLOCK_START_OPS 3 /* start_block's */
#define BLOCK_END_OPS	2

#endif
