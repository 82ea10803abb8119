/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guest as an EFI application (UEFI Specification 2.10). Firmware loads it anywhere by its
 * PE/COFF header (head.S) and starts efi_entry (efi_entry.S) with MMU and caches on, at EL1 or EL2.
 * The guest moves to memory that it allocates, takes the machine over, and starts as with another
 * loader, MMU off.
 */
#ifndef GUEST_EFI_H
#define GUEST_EFI_H

#include <stdbool.h>
#include <stdint.h>

#define EFI_ARGUMENTS 1024

/* What firmware has handed over. Not in BSS, which is cleared later. Addresses are physical. */
struct efi_handed {
	bool started;		     /* by EFI; if not, the rest is not valid */
	uint64_t dtb_pa, rsdp_pa;    /* 0: there is none */
	uint64_t ram_start, ram_end; /* free memory, which begins with the image */
	char arguments[EFI_ARGUMENTS];
};

extern struct efi_handed efi_handed;

#endif
