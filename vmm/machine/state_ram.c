/* SPDX-License-Identifier: BSD-2-Clause */
/* Guest memory of a saved machine: see state_ram.h. */
#include "machine/state_ram.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/privileges.h"

#define BITMAP STATE_RAM_BITMAP

/* In an entry of /proc/self/pagemap: the page is in memory, or swapped out. */
#define PAGEMAP_THERE (UINT64_C(3) << 62)

/* zlib counts in unsigned int. */
#define ZLIB_MOST (UINT64_C(1) << 30)

/* Reading a page that the host never gave to the guest would make the host map one. */
static bool pagemap_entries(int fd, const uint8_t *host, uint64_t *entries, size_t count)
{
	const off_t at = (off_t)((uintptr_t)host / STATE_PAGE * sizeof(*entries));

	return pread(fd, entries, count * sizeof(*entries), at) ==
	       (ssize_t)(count * sizeof(*entries));
}

int state_ram_open(void)
{
	return sysconf(_SC_PAGESIZE) == STATE_PAGE ? privileges_open_plain("/proc/self/pagemap")
						   : -1;
}

int state_ram_trusted(int pages, const uint8_t *touched)
{
	uint64_t entry;

	return pages >= 0 && pagemap_entries(pages, touched, &entry, 1) && entry & PAGEMAP_THERE
		       ? pages
		       : -1;
}

void state_ram_there(int pages, const uint8_t *host, unsigned int count, uint8_t there[BITMAP])
{
	uint64_t entries[STATE_RAM_PAGES];
	const bool known = pages >= 0 && pagemap_entries(pages, host, entries, count);

	memset(there, 0, BITMAP);
	for (unsigned int n = 0; n < count; n++)
		if (!known || entries[n] & PAGEMAP_THERE)
			there[n / 8] |= (uint8_t)(1u << n % 8);
}

static bool page_is_zero(const uint8_t *page)
{
	static const uint8_t zero[STATE_PAGE];

	return memcmp(page, zero, STATE_PAGE) == 0;
}

/* Find which of count pages are not zero. Returns how many. */
static unsigned int find_pages(int map, const uint8_t *host, unsigned int count,
			       uint8_t bitmap[BITMAP])
{
	unsigned int found = 0;

	state_ram_there(map, host, count, bitmap);
	for (unsigned int n = 0; n < count; n++) {
		if (!(bitmap[n / 8] >> n % 8 & 1))
			continue;
		if (page_is_zero(host + (size_t)n * STATE_PAGE))
			bitmap[n / 8] &= (uint8_t) ~(1u << n % 8);
		else
			found++;
	}
	return found;
}

uint8_t *state_deflate(const uint8_t *bytes, size_t size, size_t *deflated)
{
	z_stream stream = {0};
	size_t room, done = 0;
	uint8_t *out;
	int status = Z_OK;

	if (deflateInit(&stream, Z_BEST_SPEED) != Z_OK)
		return NULL;
	room = deflateBound(&stream, (uLong)size);
	out = malloc(room);
	stream.next_out = out;
	while (out && status == Z_OK) {
		const uint64_t left = size - done;
		const uInt n = (uInt)(left < ZLIB_MOST ? left : ZLIB_MOST);
		const uint64_t rest = room - (size_t)(stream.next_out - out);

		stream.next_in = (uint8_t *)(uintptr_t)bytes + done;
		stream.avail_in = n;
		stream.avail_out = (uInt)(rest < ZLIB_MOST ? rest : ZLIB_MOST);
		status = deflate(&stream, n == left ? Z_FINISH : Z_NO_FLUSH);
		done += n - stream.avail_in;
	}
	*deflated = out ? (size_t)(stream.next_out - out) : 0;
	deflateEnd(&stream);
	return out;
}

bool state_inflate(const uint8_t *from, size_t from_size, uint8_t *bytes, size_t size)
{
	z_stream stream = {0};
	size_t taken = 0, made = 0;
	int status = Z_OK;

	if (inflateInit(&stream) != Z_OK)
		return false;
	while (status == Z_OK) {
		const uint64_t left = from_size - taken, room = size - made;
		const uInt in = (uInt)(left < ZLIB_MOST ? left : ZLIB_MOST);
		const uInt out = (uInt)(room < ZLIB_MOST ? room : ZLIB_MOST);

		stream.next_in = (uint8_t *)(uintptr_t)from + taken;
		stream.avail_in = in;
		stream.next_out = bytes + made;
		stream.avail_out = out;
		status = inflate(&stream, Z_NO_FLUSH);
		taken += in - stream.avail_in;
		made += out - stream.avail_out;
	}
	inflateEnd(&stream);
	return status == Z_STREAM_END && taken == from_size && made == size;
}

static int save_block(struct state_file *to, int map, const uint8_t *host, uint32_t index,
		      unsigned int count)
{
	uint8_t bitmap[BITMAP], *pages, *deflated, *section;
	const unsigned int found = find_pages(map, host, count, bitmap);
	size_t size = 0, at = 0;
	int result = -1;

	if (!found)
		return 0;
	pages = malloc((size_t)found * STATE_PAGE);
	for (unsigned int n = 0; pages && n < count; n++)
		if (bitmap[n / 8] >> n % 8 & 1)
			memcpy(pages + STATE_PAGE * at++, host + (size_t)n * STATE_PAGE,
			       STATE_PAGE);
	deflated = pages ? state_deflate(pages, (size_t)found * STATE_PAGE, &size) : NULL;
	section = deflated ? malloc(BITMAP + size) : NULL;
	if (section) {
		memcpy(section, bitmap, BITMAP);
		memcpy(section + BITMAP, deflated, size);
		result = state_file_put(to, STATE_RAM_TAG, index, section, BITMAP + size);
	} else {
		(void)snprintf(to->why, sizeof(to->why), "no memory");
	}
	free(section);
	free(deflated);
	free(pages);
	return result;
}

int state_ram_save(struct state_file *to, const struct engine_ram *ram, uint64_t touched, int pages)
{
	const uint64_t count = ram->size / STATE_PAGE;
	const int map = state_ram_trusted(pages, ram->host + (touched - ram->base));
	int result = 0;

	for (uint64_t page = 0; result == 0 && page < count; page += STATE_RAM_PAGES) {
		const uint64_t left = count - page;

		result = save_block(to, map, ram->host + page * STATE_PAGE,
				    (uint32_t)(page / STATE_RAM_PAGES),
				    left < STATE_RAM_PAGES ? (unsigned int)left : STATE_RAM_PAGES);
	}
	return result;
}

int state_ram_load(const struct engine_ram *ram, const struct state_section *section, char *why,
		   size_t size)
{
	const uint64_t first = (uint64_t)section->index * STATE_RAM_BLOCK;
	const uint64_t there = first < ram->size ? (ram->size - first) / STATE_PAGE : 0;
	unsigned int found = 0, at = 0;
	uint8_t *pages;
	bool whole;

	for (unsigned int n = 0; section->size >= BITMAP && n < STATE_RAM_PAGES; n++) {
		if (!(section->bytes[n / 8] >> n % 8 & 1))
			continue;
		found++;
		if (n >= there) {
			(void)snprintf(why, size, "RAM: page 0x%" PRIx64 " is behind its end",
				       first + (uint64_t)n * STATE_PAGE);
			return -1;
		}
	}
	pages = malloc((size_t)found * STATE_PAGE + 1);
	whole = pages && found && section->size > BITMAP &&
		state_inflate(section->bytes + BITMAP, section->size - BITMAP, pages,
			      (size_t)found * STATE_PAGE);
	for (unsigned int n = 0; whole && n < STATE_RAM_PAGES; n++)
		if (section->bytes[n / 8] >> n % 8 & 1)
			memcpy(ram->host + first + (size_t)n * STATE_PAGE,
			       pages + STATE_PAGE * at++, STATE_PAGE);
	free(pages);
	if (!whole)
		(void)snprintf(why, size, "RAM: the pages of MiB %" PRIu32 " cannot be unpacked",
			       section->index);
	return whole ? 0 : -1;
}
