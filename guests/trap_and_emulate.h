/* SPDX-License-Identifier: BSD-2-Clause */
/* Code of the guest trap-and-emulate: see trap_and_emulate_code.S. */
#ifndef TRAP_AND_EMULATE_H
#define TRAP_AND_EMULATE_H

#define WORK_PASSES 20
/* Offsets of its words, in bytes. */
#define WORK_LOADED 16
#define WORK_STORED 4096

#ifndef __ASSEMBLER__
extern char emulated_work[], emulated_work_load[], emulated_work_store[], emulated_work_back[],
	emulated_work_end[];
#endif
#endif
