/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guest as an EFI application (UEFI Specification 2.10): firmware loads it by its PE/COFF header
 * (head.S) anywhere and starts efi_entry (efi_entry.S), MMU and caches on, at EL1 or EL2. It moves
 * to a place of its own, takes the machine over, and starts as by another loader, MMU off.
 */
#ifndef GUEST_EFI_H
#define GUEST_EFI_H

#include <stdbool.h>
#include <stdint.h>

#define EFI_ARGUMENTS 1024

/* What firmware has told; not in BSS, which is cleared later. Addresses are physical. */
struct efi_handed {
	bool started;		     /* by EFI; if not, nothing else is there */
	uint64_t dtb_pa, rsdp_pa;    /* 0: there is none */
	uint64_t ram_start, ram_end; /* free memory, which begins with the image */
	char arguments[EFI_ARGUMENTS];
};

extern struct efi_handed efi_handed;

#endif
