/* SPDX-License-Identifier: BSD-2-Clause */
/* Where things are in the virtual machine of init.c, and what its guest tells. */
#ifndef VSPE_TESTS_LINUX_VM_H
#define VSPE_TESTS_LINUX_VM_H

#define VM_GICD	  0x08000000
#define VM_GICR	  0x080a0000
#define VM_REPORT 0x10000000
#define VM_RAM	  0x40000000

#define REPORT_EL    0
#define REPORT_MIDR  1
#define REPORT_COUNT 2
#define REPORT_TIMER 3
#define REPORT_SGI   4
#define REPORTS	     5

#endif
