/* SPDX-License-Identifier: BSD-2-Clause */
/* The loader: where each format goes, and one line for everything that is wrong with a file. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "../compare.h"
#include "machine/loader.h"

#define BASE UINT64_C(0x40000000)
#define MIB  (UINT64_C(1) << 20)

static uint8_t host[8 * MIB];
static struct engine_ram ram = {.base = BASE, .size = sizeof(host), .host = host};
static struct loader_kernel kernel;
static char why[256];

/* A magic number at the start of what follows. */
static void magic(uint8_t *bytes, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)text[i];
}

static int place(const void *bytes, size_t size)
{
	/* On the heap, for AddressSanitizer. */
	struct loader_file file = {.name = "guest", .bytes = malloc(size ? size : 1), .size = size};
	int result;

	memcpy(file.bytes, bytes, size);
	why[0] = '\0';
	result = loader_place_kernel(&ram, &file, &kernel, why, sizeof(why));
	loader_free(&file);
	return result;
}

static void refused(const void *bytes, size_t size, const char *text)
{
	cr_assert_eq(place(bytes, size), -1, "%s", text);
	cr_assert_str_begins(why, "guest: ");
	cr_assert_str_has(why, text);
	cr_assert_null(strchr(why, '\n'));
}

/* An ELF with one segment of 16 bytes at 0x40100000 (virtual 0x100000), entry at its 8th byte. */
struct elf {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	uint8_t bytes[16];
};

static struct elf elf(void)
{
	struct elf e = {
		.header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			   .e_type = ET_EXEC,
			   .e_machine = EM_AARCH64,
			   .e_version = EV_CURRENT,
			   .e_entry = 0x100008,
			   .e_phoff = offsetof(struct elf, segment),
			   .e_ehsize = sizeof(Elf64_Ehdr),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = 1},
		.segment = {.p_type = PT_LOAD,
			    .p_offset = offsetof(struct elf, bytes),
			    .p_vaddr = 0x100000,
			    .p_paddr = BASE + MIB,
			    .p_filesz = 16,
			    .p_memsz = 32},
	};

	memset(e.bytes, 0xab, sizeof(e.bytes));
	return e;
}

Test(loader, elf_goes_to_its_physical_addresses)
{
	struct elf e = elf();

	memset(host, 0xff, sizeof(host));
	cr_assert_eq(place(&e, sizeof(e)), 0, "%s", why);
	cr_assert_not(kernel.image);
	cr_assert_eq(kernel.entry, BASE + MIB + 8, "the entry is translated");
	cr_assert_eq(kernel.start, BASE + MIB);
	cr_assert_eq(kernel.end, BASE + MIB + 32);
	cr_assert_eq(host[MIB + 15], 0xab);
	cr_assert_eq(host[MIB + 16], 0, "memory beyond the file is zeroed");
	cr_assert_eq(host[MIB + 31], 0);
	cr_assert_eq(host[MIB + 32], 0xff);
}

Test(loader, wrong_elf_files)
{
	struct elf e = elf();

	e.header.e_machine = EM_X86_64;
	refused(&e, sizeof(e), "ELF for x86-64");
	e = elf();
	e.header.e_ident[EI_CLASS] = ELFCLASS32;
	cr_assert_eq(place(&e, sizeof(e)), -1);
	e = elf();
	e.header.e_type = ET_REL;
	refused(&e, sizeof(e), "not an executable");
	e = elf();
	refused(&e, sizeof(e) - 1, "truncated ELF");
	refused(&e, sizeof(e.header), "truncated or damaged ELF");
	e.header.e_entry = 0x100020;
	refused(&e, sizeof(e), "entry 0x100020 is in no");
	e = elf();
	e.segment.p_paddr = BASE - 16;
	refused(&e, sizeof(e), "physical address 0x3ffffff0");
	e.segment.p_paddr = BASE + sizeof(host) - 16;
	refused(&e, sizeof(e), "does not fit");
	e.segment.p_paddr = BASE;
	e.segment.p_memsz = UINT64_MAX;
	refused(&e, sizeof(e), "does not fit");
	e = elf();
	e.segment.p_filesz = 33;
	refused(&e, sizeof(e), "damaged ELF");
	e = elf();
	e.segment.p_offset = UINT64_MAX - 4;
	refused(&e, sizeof(e), "truncated ELF");
	e = elf();
	e.segment.p_type = PT_NOTE;
	refused(&e, sizeof(e), "no PT_LOAD");
}

/* The header of an Image of 4096 bytes. */
static void image(uint8_t bytes[4096], uint64_t offset, uint64_t size, uint64_t flags)
{
	memset(bytes, 0, 4096);
	memcpy(bytes + 8, &offset, 8);
	memcpy(bytes + 16, &size, 8);
	memcpy(bytes + 24, &flags, 8);
	magic(bytes + 56, "ARM\x64", 4);
	bytes[4095] = 0x5a;
}

Test(loader, image_goes_to_text_offset)
{
	uint8_t bytes[4096];

	image(bytes, 0x80000, 0x10000, 0xa);
	cr_assert_eq(place(bytes, sizeof(bytes)), 0, "%s", why);
	cr_assert(kernel.image);
	cr_assert_eq(kernel.entry, BASE + 0x80000);
	cr_assert_eq(kernel.end, BASE + 0x90000, "image_size counts");
	cr_assert_eq(host[0x80000 + 4095], 0x5a);
	image(bytes, 0, 16, 0);
	cr_assert_eq(place(bytes, sizeof(bytes)), 0);
	cr_assert_eq(kernel.end, BASE + 4096, "the file counts when it is longer");
	image(bytes, 0x1000, 0, 0);
	cr_assert_eq(place(bytes, sizeof(bytes)), 0);
	cr_assert_eq(kernel.entry, BASE + 0x80000, "old kernels without image_size");
}

Test(loader, wrong_images)
{
	uint8_t bytes[4096];
	uint32_t pe = 64;

	image(bytes, 0, 0x10000, 1);
	refused(bytes, sizeof(bytes), "big-endian");
	image(bytes, 0x200000, 0x10000, 0);
	refused(bytes, sizeof(bytes), "text_offset 0x200000");
	image(bytes, 0, sizeof(host) + 1, 0);
	refused(bytes, sizeof(bytes), "does not fit");
	image(bytes, 0, UINT64_MAX, 0);
	refused(bytes, sizeof(bytes), "does not fit");
	image(bytes, 0, 0x10000, 0);
	refused(bytes, 63, "truncated: 63 bytes");
	refused(bytes, 0, "truncated: 0 bytes");

	/* An EFI stub: one section of 0x1000 bytes from 0x200 on. */
	image(bytes, 0, 0x10000, 0);
	magic(bytes, "MZ", 2);
	memcpy(bytes + 60, &pe, 4);
	magic(bytes + 64, "PE\0\0\x64\xaa\x01", 8);
	bytes[64 + 24 + 16 + 1] = 0x0e; /* SizeOfRawData = 0xe00 */
	bytes[64 + 24 + 20 + 1] = 0x02; /* PointerToRawData = 0x200 */
	cr_assert_eq(place(bytes, sizeof(bytes)), 0, "%s", why);
	refused(bytes, sizeof(bytes) - 1, "truncated arm64 Image");
	refused(bytes, 66, "truncated arm64 Image");
}

Test(loader, flat_binaries)
{
	uint8_t bytes[100];

	memset(bytes, 0x1f, sizeof(bytes));
	cr_assert_eq(place(bytes, sizeof(bytes)), 0, "%s", why);
	cr_assert_not(kernel.image);
	cr_assert_eq(kernel.entry, BASE + 0x80000);
	cr_assert_eq(host[0x80000 + 99], 0x1f);
	magic(bytes, "MZ", 2);
	refused(bytes, sizeof(bytes), "PE executable");
	magic(bytes, "\x28\xb5\x2f\xfd", 4);
	refused(bytes, sizeof(bytes), "zstd");
	magic(bytes, "#!", 2);
	refused(bytes, sizeof(bytes), "script");
}

static struct loader_file gzip(const uint8_t *bytes, size_t size)
{
	struct loader_file file = {.name = "guest", .bytes = malloc(size + 1000)};
	z_stream stream = {.next_in = (uint8_t *)bytes,
			   .avail_in = (unsigned int)size,
			   .next_out = file.bytes,
			   .avail_out = (unsigned int)size + 1000};

	cr_assert_eq(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, 0), Z_OK);
	cr_assert_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
	file.size = stream.total_out;
	deflateEnd(&stream);
	return file;
}

Test(loader, gzip_is_unpacked)
{
	static uint8_t bytes[3 * MIB];
	struct loader_file file;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7 >> 3);
	file = gzip(bytes, sizeof(bytes));
	cr_assert_eq(loader_inflate(&file, 4 * MIB, why, sizeof(why)), 0, "%s", why);
	cr_assert_eq(file.size, sizeof(bytes));
	cr_assert_arr_eq(file.bytes, bytes, sizeof(bytes));
	cr_assert_eq(loader_inflate(&file, 4 * MIB, why, sizeof(why)), 0, "what is no gzip stays");
	cr_assert_eq(file.size, sizeof(bytes));
	loader_free(&file);
}

Test(loader, wrong_gzip_files)
{
	static uint8_t bytes[3 * MIB];
	struct loader_file file = gzip(bytes, sizeof(bytes));

	cr_assert_eq(loader_inflate(&file, 2 * MIB, why, sizeof(why)), -1);
	cr_assert_str_has(why, "unpacks to more than the 2 MiB");
	file.size -= 9;
	cr_assert_eq(loader_inflate(&file, 4 * MIB, why, sizeof(why)), -1);
	cr_assert_str_has(why, "truncated gzip");
	file.bytes[file.size / 2] ^= 0xff;
	file.bytes[12] ^= 0xff;
	cr_assert_eq(loader_inflate(&file, 4 * MIB, why, sizeof(why)), -1);
	file.size = 2;
	cr_assert_eq(loader_inflate(&file, 4 * MIB, why, sizeof(why)), -1);
	cr_assert_str_has(why, "truncated gzip");
	loader_free(&file);
}

Test(loader, files)
{
	struct loader_file file;
	char path[] = "/tmp/vspe-loader-XXXXXX";
	int fd = mkstemp(path);

	cr_assert_eq(write(fd, "12345678", 8), 8);
	close(fd);
	cr_assert_eq(loader_read(&file, path, 8, LOADER_MEMORY, why, sizeof(why)), 0);
	cr_assert_eq(file.size, 8);
	cr_assert_arr_eq(file.bytes, "12345678", 8);
	loader_free(&file);
	cr_assert_eq(loader_read(&file, path, 7, LOADER_MEMORY, why, sizeof(why)), -1);
	cr_assert_str_has(why, "more than");
	unlink(path);
	cr_assert_eq(loader_read(&file, path, 8, LOADER_MEMORY, why, sizeof(why)), -1);
	cr_assert_str_has(why, "No such file");
	cr_assert_eq(loader_read(&file, "/tmp", 8, LOADER_MEMORY, why, sizeof(why)), -1);
	cr_assert_str_eq(why, "/tmp: Is a directory");
	cr_assert_eq(loader_read(&file, "/dev/zero", MIB, LOADER_MEMORY, why, sizeof(why)), -1,
		     "endless");
}

Test(loader, layout_below_the_top_of_memory)
{
	const struct loader_file guest = {.name = "guest"};
	struct loader_file initrd = {.name = "initrd", .size = MIB + 1};
	struct loader_layout layout;

	kernel = (struct loader_kernel){.start = BASE, .end = BASE + MIB};
	cr_assert_eq(loader_plan(&ram, &guest, &kernel, NULL, &layout, why, sizeof(why)), 0);
	cr_assert_eq(layout.dtb, BASE + sizeof(host) - LOADER_DTB_SIZE);
	cr_assert_eq(layout.initrd_start, layout.initrd_end);
	cr_assert_eq(loader_plan(&ram, &guest, &kernel, &initrd, &layout, why, sizeof(why)), 0);
	cr_assert_leq(layout.initrd_end, layout.dtb);
	cr_assert_eq(layout.initrd_end - layout.initrd_start, MIB + 1);
	cr_assert_eq(layout.initrd_start % 0x10000, 0);
	cr_assert_geq(layout.initrd_start, kernel.end);
}

/* A second device tree, for whoever looks at the start of memory, but an Image. */
Test(loader, start_of_memory_is_free)
{
	struct elf e = elf();
	uint8_t bytes[4096];

	cr_assert_eq(place(&e, sizeof(e)), 0, "%s", why);
	cr_assert(loader_start_is_free(&ram, &kernel, MIB), "the ELF is at 1 MiB");
	cr_assert_not(loader_start_is_free(&ram, &kernel, MIB + 1));
	e.segment.p_paddr = BASE;
	cr_assert_eq(place(&e, sizeof(e)), 0, "%s", why);
	cr_assert_not(loader_start_is_free(&ram, &kernel, 1), "the ELF is there");
	memset(bytes, 0x1f, sizeof(bytes));
	cr_assert_eq(place(bytes, sizeof(bytes)), 0, "%s", why);
	cr_assert(loader_start_is_free(&ram, &kernel, LOADER_DTB_SIZE), "flat");
	image(bytes, 0x80000, 0x10000, 0xa);
	cr_assert_eq(place(bytes, sizeof(bytes)), 0, "%s", why);
	cr_assert_not(loader_start_is_free(&ram, &kernel, 1), "an Image");
}

Test(loader, initrd_or_tree_that_does_not_fit)
{
	const struct loader_file guest = {.name = "guest"};
	struct loader_file initrd = {.name = "initrd", .size = 2 * MIB - LOADER_DTB_SIZE};
	struct loader_layout layout;

	kernel = (struct loader_kernel){.start = BASE, .end = BASE + 6 * MIB};
	cr_assert_eq(loader_plan(&ram, &guest, &kernel, &initrd, &layout, why, sizeof(why)), 0);
	cr_assert_eq(layout.initrd_start, kernel.end, "the last byte that fits");
	initrd.size++;
	cr_assert_eq(loader_plan(&ram, &guest, &kernel, &initrd, &layout, why, sizeof(why)), -1);
	cr_assert_str_has(why, "initrd: initrd does not fit");
	kernel.end = BASE + sizeof(host) - 1;
	cr_assert_eq(loader_plan(&ram, &guest, &kernel, NULL, &layout, why, sizeof(why)), -1);
	cr_assert_str_has(why, "no room for the device tree");
}

/* Files of random damage: nothing crashes, and whatever is refused says why. */
Test(loader, damaged_files)
{
	unsigned int seed = 12345;

	for (unsigned int round = 0; round < 20000; round++) {
		struct elf e = elf();
		uint8_t *bytes = (uint8_t *)&e;

		for (unsigned int i = 0; i < 4; i++) {
			seed = seed * 1103515245 + 12345;
			bytes[(seed >> 16) % (sizeof(e) - 16)] = (uint8_t)(seed >> 8);
		}
		if (place(&e, sizeof(e) - seed % 3 * 20) < 0)
			cr_assert_str_begins(why, "guest: ");
		else
			cr_assert_lt(kernel.entry - BASE, sizeof(host));
	}
}

/* The corpus of the fuzz target, with what each file has to come to. */
Test(loader, corpus)
{
	static const struct {
		const char *name;
		const char *refusal; /* NULL: accepted */
	} files[] = {
		{"elf", NULL},
		{"elf-x86", "not for AArch64"},
		{"elf-outside", "begins below RAM"},
		{"elf-truncated", "truncated ELF"},
		{"elf-huge", "does not fit"},
		{"image", NULL},
		{"image-pe", NULL},
		{"image-be", "big-endian"},
		{"image-huge", "does not fit"},
		{"image-short", "truncated: 40 bytes"},
		{"image-old", NULL},
		{"image-gz", NULL},
		{"gz-truncated", "truncated gzip"},
		{"gz-bomb", "unpacks to more than the 2 MiB"},
		{"flat", NULL},
		{"zstd", "zstd"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char name[512];
		struct loader_file file;
		int result;

		(void)snprintf(name, sizeof(name), "%s/tests/fuzz/corpus/loader/%s",
			       VSPE_SOURCE_DIR, files[i].name);
		cr_assert_eq(loader_read(&file, name, ram.size, LOADER_MEMORY, why, sizeof(why)), 0,
			     "%s", why);
		result = loader_inflate(&file, 2 * MIB, why, sizeof(why));
		if (result == 0)
			result = loader_place_kernel(&ram, &file, &kernel, why, sizeof(why));
		loader_free(&file);
		cr_assert_eq(result, files[i].refusal ? -1 : 0, "%s: %s", name, why);
		if (files[i].refusal)
			cr_assert_str_has(why, files[i].refusal);
	}
}
