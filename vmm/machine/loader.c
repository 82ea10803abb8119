/* SPDX-License-Identifier: BSD-2-Clause */
/* The loader: files, gzip, arm64 Image, flat binaries and the layout of RAM. See loader.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/input_file.h"
#include "base/compression.h"
#include "machine/loader.h"

#define LOADER_FIRST	   (UINT64_C(1) << 16) /* bytes of room at first; it doubles as needed */
#define LOADER_CHUNK	   (UINT64_C(1) << 20)
#define LOADER_LOW_RAM	   (UINT64_C(16) << 30)
#define LOADER_PAGE	   UINT64_C(0x10000) /* the largest granule: an initrd shares no page */
#define LOADER_MIN_SIZE	   64		     /* the header of an Image; nothing is shorter */
#define LOADER_FLAT_OFFSET UINT64_C(0x80000)

/* The header of an Image. */
#define IMAGE_TEXT_OFFSET 8
#define IMAGE_SIZE	  16
#define IMAGE_FLAGS	  24
#define IMAGE_MAGIC	  56
#define IMAGE_PE_OFFSET	  60
#define IMAGE_FLAG_BE	  (1u << 0)
#define IMAGE_OLD_OFFSET  UINT64_C(0x80000) /* image_size zero: before Linux 3.17 */
#define IMAGE_ALIGN	  UINT64_C(0x200000)

static uint64_t loader_le(const uint8_t *bytes, unsigned int size)
{
	uint64_t value = 0;

	for (unsigned int i = size; i-- > 0;)
		value = value << 8 | bytes[i];
	return value;
}

void loader_free(struct loader_file *file)
{
	free(file->bytes);
	file->bytes = NULL;
	file->size = 0;
}

/* Make room for at least one more byte, and for at most limit + 1 in total. */
static int loader_grow(struct loader_file *file, size_t *capacity, uint64_t limit)
{
	uint64_t want = *capacity ? (uint64_t)*capacity * 2 : LOADER_FIRST;
	uint8_t *bytes;

	if (file->size < *capacity)
		return 0;
	if (want > limit + 1)
		want = limit + 1;
	bytes = want > *capacity ? realloc(file->bytes, (size_t)want) : NULL;
	if (!bytes)
		return -1;
	file->bytes = bytes;
	*capacity = (size_t)want;
	return 0;
}

static int loader_read_all(struct loader_file *file, int fd, uint64_t limit, const char *place,
			   char *why, size_t size)
{
	size_t capacity = 0;

	for (;;) {
		ssize_t got;

		if (loader_grow(file, &capacity, limit) < 0) {
			(void)snprintf(why, size, "%s: no memory to read it", file->name);
			return -1;
		}
		got = read(fd, file->bytes + file->size, capacity - file->size);
		if (got == 0)
			return 0;
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			(void)snprintf(why, size, "%s: %s", file->name, strerror(errno));
			return -1;
		}
		file->size += (size_t)got;
		if (file->size > limit) {
			(void)snprintf(why, size, "%s: more than the %" PRIu64 " MiB of %s",
				       file->name, limit >> 20, place);
			return -1;
		}
	}
}

int loader_read(struct loader_file *file, const char *path, uint64_t limit, const char *place,
		char *why, size_t size)
{
	const int fd = input_file_open(path);
	int result;

	*file = (struct loader_file){.name = path};
	if (fd < 0) {
		(void)snprintf(why, size, "%s: %s", path, input_file_error(fd));
		return -1;
	}
	result = loader_read_all(file, fd, limit, place, why, size);
	close(fd);
	if (result < 0)
		loader_free(file);
	return result;
}

/* Inflate all input of stream. */
static int loader_inflate_all(z_stream *stream, struct loader_file *out, uint64_t limit, char *why,
			      size_t size)
{
	size_t capacity = 0;
	int status = Z_OK;

	while (status != Z_STREAM_END) {
		size_t room;

		if (loader_grow(out, &capacity, limit) < 0) {
			(void)snprintf(why, size, "%s: no memory to unpack it", out->name);
			return -1;
		}
		room = capacity - out->size;
		if (room > LOADER_CHUNK)
			room = LOADER_CHUNK;
		stream->next_out = out->bytes + out->size;
		stream->avail_out = (uInt)room;
		status = inflate(stream, Z_NO_FLUSH);
		out->size += room - stream->avail_out;
		if (out->size > limit) {
			(void)snprintf(why, size,
				       "%s: unpacks to more than the %" PRIu64
				       " MiB of " LOADER_MEMORY,
				       out->name, limit >> 20);
			return -1;
		}
		if (status == Z_BUF_ERROR ||
		    (status == Z_OK && stream->avail_in == 0 && stream->avail_out != 0)) {
			(void)snprintf(why, size, "%s: truncated gzip file", out->name);
			return -1;
		}
		if (status != Z_OK && status != Z_STREAM_END) {
			(void)snprintf(why, size, "%s: damaged gzip file%s%s", out->name,
				       stream->msg ? ": " : "", stream->msg ? stream->msg : "");
			return -1;
		}
	}
	return 0;
}

int loader_inflate(struct loader_file *file, uint64_t limit, char *why, size_t size)
{
	struct loader_file out = {.name = file->name};
	z_stream stream = {.next_in = file->bytes, .avail_in = (uInt)file->size};

	if (file->size < 2 || file->bytes[0] != 0x1f || file->bytes[1] != 0x8b)
		return 0;
	if (file->size > UINT32_MAX) {
		(void)snprintf(why, size, "%s: gzip file of 4 GiB or more", file->name);
		return -1;
	}
	if (inflateInit2(&stream, 15 + 16) != Z_OK) {
		(void)snprintf(why, size, "%s: no memory to unpack it", file->name);
		return -1;
	}
	if (loader_inflate_all(&stream, &out, limit, why, size) < 0) {
		inflateEnd(&stream);
		loader_free(&out);
		return -1;
	}
	inflateEnd(&stream);
	loader_free(file);
	*file = out;
	return 0;
}

/*
 * Does the file contain all of its sections? A kernel with an EFI stub has the length of its file
 * in its PE header. Other Images do not have it, because image_size includes what is zeroed at the
 * start.
 */
static bool loader_image_complete(const struct loader_file *file)
{
	uint64_t pe = loader_le(file->bytes + IMAGE_PE_OFFSET, 4);
	uint64_t sections, count;

	if (loader_le(file->bytes, 2) != 0x5a4d || pe < LOADER_MIN_SIZE) /* "MZ" */
		return true;
	if (pe + 24 > file->size)
		return false;
	if (memcmp(file->bytes + pe, "PE\0\0", 4) != 0)
		return true;
	count = loader_le(file->bytes + pe + 6, 2);
	sections = pe + 24 + loader_le(file->bytes + pe + 20, 2);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t header = sections + i * 40;

		if (header + 40 > file->size)
			return false;
		/* PointerToRawData + SizeOfRawData */
		if (loader_le(file->bytes + header + 20, 4) +
			    loader_le(file->bytes + header + 16, 4) >
		    file->size)
			return false;
	}
	return true;
}

static int loader_place_image(const struct engine_ram *ram, const struct loader_file *file,
			      struct loader_kernel *kernel, char *why, size_t size)
{
	uint64_t offset = loader_le(file->bytes + IMAGE_TEXT_OFFSET, 8);
	uint64_t image_size = loader_le(file->bytes + IMAGE_SIZE, 8);
	uint64_t flags = loader_le(file->bytes + IMAGE_FLAGS, 8);

	if (flags & IMAGE_FLAG_BE) {
		(void)snprintf(why, size,
			       "%s: big-endian arm64 Image; this machine is little-endian",
			       file->name);
		return -1;
	}
	if (!loader_image_complete(file)) {
		(void)snprintf(why, size,
			       "%s: truncated arm64 Image: %zu bytes, its PE header says more",
			       file->name, file->size);
		return -1;
	}
	if (image_size == 0)
		offset = IMAGE_OLD_OFFSET;
	if (image_size < file->size)
		image_size = file->size;
	if (offset >= IMAGE_ALIGN) {
		(void)snprintf(why, size,
			       "%s: arm64 Image with text_offset 0x%" PRIx64 ", 2 MiB or more",
			       file->name, offset);
		return -1;
	}
	if (!loader_in_ram(ram, ram->base + offset, image_size)) {
		(void)snprintf(why, size,
			       "%s: does not fit: needs 0x%" PRIx64 " bytes at 0x%" PRIx64
			       ", guest memory is %" PRIu64 " MiB (--mem gives more)",
			       file->name, image_size, ram->base + offset, ram->size >> 20);
		return -1;
	}
	memcpy(ram->host + offset, file->bytes, file->size);
	*kernel = (struct loader_kernel){.image = true,
					 .entry = ram->base + offset,
					 .start = ram->base + offset,
					 .end = ram->base + offset + image_size};
	return 0;
}

static int loader_place_flat(const struct engine_ram *ram, const struct loader_file *file,
			     struct loader_kernel *kernel, char *why, size_t size)
{
	uint64_t pa = ram->base + LOADER_FLAT_OFFSET;

	if (!loader_in_ram(ram, pa, file->size)) {
		(void)snprintf(why, size,
			       "%s: does not fit: needs 0x%zx bytes at 0x%" PRIx64
			       ", guest memory is %" PRIu64 " MiB (--mem gives more)",
			       file->name, file->size, pa, ram->size >> 20);
		return -1;
	}
	memcpy(ram->host + LOADER_FLAT_OFFSET, file->bytes, file->size);
	*kernel = (struct loader_kernel){.entry = pa, .start = pa, .end = pa + file->size};
	return 0;
}

/* Files that users pass by mistake and that would otherwise count as flat binaries. */
static const char *loader_foreign(const struct loader_file *file)
{
	static const struct {
		uint8_t magic[6];
		uint8_t size;
		const char *what;
	} known[] = {
		{"MZ", 2, "a PE executable without the header of an arm64 Image"},
		{"\x27\x05\x19\x56", 4, "a U-Boot image; take the arm64 Image inside"},
		{"\xd0\x0d\xfe\xed", 4, "a device tree or FIT image, not a kernel"},
		{"#!", 2, "a script, not a guest"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (memcmp(file->bytes, known[i].magic, known[i].size) == 0)
			return known[i].what;
	return NULL;
}

int loader_place_kernel(const struct engine_ram *ram, const struct loader_file *file,
			struct loader_kernel *kernel, char *why, size_t size)
{
	const char *foreign, *packed = compression_name(file->bytes, file->size);

	if (file->size < LOADER_MIN_SIZE) {
		(void)snprintf(why, size, "%s: truncated: %zu bytes, a guest image has at least %d",
			       file->name, file->size, LOADER_MIN_SIZE);
		return -1;
	}
	if (memcmp(file->bytes, "\177ELF", 4) == 0)
		return loader_place_elf(ram, file, kernel, why, size);
	if (memcmp(file->bytes + IMAGE_MAGIC, "ARM\x64", 4) == 0)
		return loader_place_image(ram, file, kernel, why, size);
	if (packed) {
		(void)snprintf(why, size, "%s: compressed by %s%s", file->name, packed,
			       strcmp(packed, "gzip") == 0
				       ? " twice; unpack it once"
				       : "; only gzip is unpacked: unpack it first");
		return -1;
	}
	foreign = loader_foreign(file);
	if (foreign) {
		(void)snprintf(why, size, "%s: %s", file->name, foreign);
		return -1;
	}
	return loader_place_flat(ram, file, kernel, why, size);
}

bool loader_start_is_free(const struct engine_ram *ram, const struct loader_kernel *kernel,
			  size_t dtb_size)
{
	return !kernel->image && kernel->start - ram->base >= dtb_size;
}

int loader_plan(const struct engine_ram *ram, const struct loader_file *kernel_file,
		const struct loader_kernel *kernel, const struct loader_file *initrd,
		struct loader_layout *layout, char *why, size_t size)
{
	uint64_t top = ram->base + (ram->size < LOADER_LOW_RAM ? ram->size : LOADER_LOW_RAM);
	uint64_t floor = (kernel->end + LOADER_PAGE - 1) & ~(LOADER_PAGE - 1);

	if (floor > top || top - floor < LOADER_DTB_SIZE) {
		(void)snprintf(why, size,
			       "%s: ends at 0x%" PRIx64
			       " and leaves no room for the device tree below "
			       "0x%" PRIx64 " (--mem gives more)",
			       kernel_file->name, kernel->end, top);
		return -1;
	}
	layout->dtb = (top - LOADER_DTB_SIZE) & ~(uint64_t)(LOADER_DTB_SIZE - 1);
	layout->initrd_start = layout->initrd_end = 0;
	if (!initrd || initrd->size == 0)
		return 0;
	if (initrd->size > layout->dtb - floor) {
		(void)snprintf(why, size,
			       "%s: initrd does not fit: %zu bytes, 0x%" PRIx64
			       " are free above the kernel (--mem gives more)",
			       initrd->name, initrd->size, layout->dtb - floor);
		return -1;
	}
	layout->initrd_start = (layout->dtb - initrd->size) & ~(LOADER_PAGE - 1);
	layout->initrd_end = layout->initrd_start + initrd->size;
	return 0;
}
