/* SPDX-License-Identifier: BSD-2-Clause */
/* Compressed files by their first bytes. */
#include "base/compression.h"

#include <string.h>

const char *compression_name(const uint8_t *bytes, size_t size)
{
	static const struct {
		uint8_t magic[6], size;
		const char *name;
	} known[] = {
		{{0x1f, 0x8b, 8}, 3, "gzip"},	       {{0xfd, '7', 'z', 'X', 'Z', 0}, 6, "xz"},
		{{0x28, 0xb5, 0x2f, 0xfd}, 4, "zstd"}, {{'B', 'Z', 'h'}, 3, "bzip2"},
		{{0x04, 0x22, 0x4d, 0x18}, 4, "lz4"},  {{0x02, 0x21, 0x4c, 0x18}, 4, "lz4"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (size >= known[i].size && memcmp(bytes, known[i].magic, known[i].size) == 0)
			return known[i].name;
	return NULL;
}
