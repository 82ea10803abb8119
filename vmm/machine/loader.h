/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads a guest into RAM: ELF64, the arm64 Image of Documentation/arch/arm64/booting.rst, either of
 * them inside gzip, or a flat binary; an initrd; the device tree. Nothing in the files is trusted.
 */
#ifndef VSPE_LOADER_H
#define VSPE_LOADER_H

#include "engine.h"

/* A whole file in memory. */
struct loader_file {
	const char *name; /* for messages */
	uint8_t *bytes;	  /* malloc'ed */
	size_t size;
};

/* The files of a guest; missing ones have no bytes. */
struct loader_files {
	struct loader_file firmware, kernel, initrd;
};

/* A kernel in RAM. */
struct loader_kernel {
	bool image;	     /* an arm64 Image, which only looks in x0 for its device tree */
	uint64_t entry;	     /* physical address */
	uint64_t start, end; /* the memory that it occupies, with its zeroed part */
};

/*
 * All of these return 0, or -1 with one line in why, without a newline, that names the file and the
 * wrong value.
 */

/*
 * Read a file of at most limit bytes. place says what has that size: LOADER_MEMORY, or another
 * place. Sets file->name to path.
 */
#define LOADER_MEMORY "guest memory (--mem gives more)"
int loader_read(struct loader_file *file, const char *path, uint64_t limit, const char *place,
		char *why, size_t size);
void loader_free(struct loader_file *file);

/* Unpack file in place if it is gzip; at most limit bytes come out. */
int loader_inflate(struct loader_file *file, uint64_t limit, char *why, size_t size);

/* Copy the kernel to the address that its format gives. */
int loader_place_kernel(const struct engine_ram *ram, const struct loader_file *file,
			struct loader_kernel *kernel, char *why, size_t size);

/*
 * Where the device tree and the initrd go: above the kernel, and below the top of RAM, or of its
 * first 16 GiB, because Linux needs them near the kernel. dtb_address is a multiple of
 * LOADER_DTB_SIZE, so that the tree is inside one 2 MiB block.
 */
#define LOADER_DTB_SIZE 0x10000

struct loader_layout {
	uint64_t dtb;
	uint64_t initrd_start, initrd_end; /* equal without an initrd */
};

/*
 * May the start of RAM have a copy of a device tree of this size? Bare-metal programs and firmware
 * for QEMU's "virt" board look for it there; an Image does not, by its boot protocol. False if the
 * kernel is there.
 */
bool loader_start_is_free(const struct engine_ram *ram, const struct loader_kernel *kernel,
			  size_t dtb_size);

int loader_plan(const struct engine_ram *ram, const struct loader_file *kernel_file,
		const struct loader_kernel *kernel, const struct loader_file *initrd,
		struct loader_layout *layout, char *why, size_t size);

/* Inside the loader. */
int loader_place_elf(const struct engine_ram *ram, const struct loader_file *file,
		     struct loader_kernel *kernel, char *why, size_t size);
/* Is [pa, pa + size) inside RAM? */
static inline bool loader_in_ram(const struct engine_ram *ram, uint64_t pa, uint64_t size)
{
	return pa >= ram->base && pa - ram->base <= ram->size &&
	       size <= ram->size - (pa - ram->base);
}

#endif
