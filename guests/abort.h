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

#define BLOCK_OPS	18 /* a lap */
#define BLOCK_FAULTS	6
#define BLOCK_EXTRA_OPS 5 /* start_block's, and the end */

#endif
