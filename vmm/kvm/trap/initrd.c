/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scan of an initrd: see scan.h. It may consist of several archives and compressed pieces, one
 * after another with zeros between them; nothing in it is trusted.
 */
#include <string.h>

#include "kvm/trap/scan.h"

/* A member's header: 6 bytes of magic number, then 13 numbers of 8 hexadecimal digits. */
#define NEWC_HEADER   110u
#define NEWC_FILESIZE 6
#define NEWC_NAMESIZE 11

#define ALIGN4(n) (((n) + 3) & ~(size_t)3)

/* The end of a signed module; its last byte is a newline. */
static const char signature[] = "~Module signature appended~\n";

#define SIGNATURE_SIZE (sizeof(signature) - 1)

static const struct {
	uint8_t size, magic[6];
} compressions[] = {
	{2, {0x1f, 0x8b}},		    /* gzip */
	{6, {0xfd, '7', 'z', 'X', 'Z', 0}}, /* xz */
	{4, {0x28, 0xb5, 0x2f, 0xfd}},	    /* zstd */
	{4, {0x04, 0x22, 0x4d, 0x18}},	    /* lz4 */
	{4, {0x02, 0x21, 0x4c, 0x18}},	    /* lz4, as the kernel makes it */
	{3, {'B', 'Z', 'h'}},		    /* bzip2 */
	{3, {0x5d, 0x00, 0x00}},	    /* lzma */
	{4, {0x89, 'L', 'Z', 'O'}},	    /* lzo */
};

static bool is_compressed(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < sizeof(compressions) / sizeof(compressions[0]); i++)
		if (size >= compressions[i].size &&
		    memcmp(bytes, compressions[i].magic, compressions[i].size) == 0)
			return true;
	return false;
}

/* Sites in a piece are reported by their place in the whole. */
struct piece {
	const struct kvm_scan *scan;
	size_t start;
};

static void log_piece(void *ctx, const struct kvm_site *site)
{
	const struct piece *piece = ctx;
	struct kvm_site whole = *site;

	whole.offset += piece->start;
	if (piece->scan->log)
		piece->scan->log(piece->scan->ctx, &whole);
}

/* tell: also report compressed data, which may contain code. */
static size_t scan_piece(const struct kvm_scan *scan, uint8_t *bytes, size_t start, size_t size,
			 bool tell)
{
	struct piece piece = {.scan = scan, .start = start};
	struct kvm_scan own = *scan;
	uint8_t *end = bytes + start + size;
	bool is_signed;
	size_t patched;

	own.log = log_piece;
	own.ctx = &piece;
	if (is_compressed(bytes + start, size)) {
		if (tell)
			log_piece(&piece, &(struct kvm_site){.what = VSPE_KVM_SITE_COMPRESSED});
		return 0;
	}
	is_signed = size > SIGNATURE_SIZE &&
		    memcmp(end - SIGNATURE_SIZE, signature, SIGNATURE_SIZE) == 0;
	own.is_signed = is_signed && !scan->modules;
	patched = kvm_scan(&own, bytes + start, size);
	/* Without the marker, the kernel treats a module as one that was never signed. */
	if (is_signed && patched > 0)
		end[-1] = ' ';
	return patched;
}

/* A compressed member matters only if it is a module. */
static bool is_module(const uint8_t *name, size_t size)
{
	for (size_t i = 0; i + 4 <= size; i++)
		if (memcmp(name + i, ".ko.", 4) == 0)
			return true;
	return false;
}

static bool parse_field(const uint8_t *header, unsigned int n, size_t *value)
{
	*value = 0;
	for (unsigned int i = 0; i < 8; i++) {
		const uint8_t c = header[6 + n * 8 + i];

		if (c >= '0' && c <= '9')
			*value = *value << 4 | (size_t)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			*value = *value << 4 | (size_t)((c | 0x20) - 'a' + 10);
		else
			return false;
	}
	return true;
}

/* The member at *at; *at moves to its end. false: there is none. */
static bool scan_member(const struct kvm_scan *scan, uint8_t *bytes, size_t size, size_t *at,
			size_t *patched)
{
	const uint8_t *header = bytes + *at;
	size_t name, file, start;

	if (size - *at < NEWC_HEADER ||
	    (memcmp(header, "070701", 6) != 0 && memcmp(header, "070702", 6) != 0) ||
	    !parse_field(header, NEWC_NAMESIZE, &name) ||
	    !parse_field(header, NEWC_FILESIZE, &file) || name > size - *at - NEWC_HEADER)
		return false;
	start = ALIGN4(*at + NEWC_HEADER + name);
	if (start > size || file > size - start)
		return false;
	if (file > 0)
		*patched +=
			scan_piece(scan, bytes, start, file, is_module(header + NEWC_HEADER, name));
	*at = ALIGN4(start + file);
	return true;
}

size_t kvm_scan_initrd(const struct kvm_scan *scan, uint8_t *bytes, size_t size)
{
	size_t at = 0, patched = 0;

	while (at < size) {
		if (bytes[at] == 0)
			at++;
		else if (at % 4 != 0 || !scan_member(scan, bytes, size, &at, &patched))
			break;
	}
	/* Not an archive, or not a complete one: compressed, or the image of a file system. */
	if (at < size && is_compressed(bytes + at, size - at))
		return patched + scan_piece(scan, bytes, at, size - at, true);
	at = ALIGN4(at);
	return at < size ? patched + scan_piece(scan, bytes, at, size - at, true) : patched;
}
