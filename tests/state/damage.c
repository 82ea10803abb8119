/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * damage COUNT SEED IMAGE IMAGE...: COUNT damaged images of machines: with flipped bits, as they
 * are and with the checksums made right; cut off; and made of two of the images. Each is refused
 * with a reason, or is a machine that runs. Without new checksums, only an image that did not
 * change may be accepted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../array.h"
#include "seal.h"
#include "try.h"
#include "tests/splitmix.h"

#define RAM_MOST (UINT64_C(256) << 20)
#define SECTIONS 4096
#define FLIPS	 4

struct image {
	uint8_t *bytes;
	size_t size;
	size_t starts[SECTIONS], sections;
};

enum damage {
	FLIPPED,
	FLIPPED_SEALED,
	VALUE_SEALED,
	CUT,
	CUT_SEALED,
	SPLICED,
	SPLICED_SEALED,
	KINDS
};

static const char *const names[KINDS] = {
	"bits flipped",	   "bits flipped, sealed",	 "numbers changed, sealed",
	"cut off",	   "sections taken out, sealed", "spliced",
	"spliced, sealed",
};

static uint64_t draw(uint64_t *state)
{
	return splitmix64(state);
}

static bool read_image(struct image *image, const char *path)
{
	FILE *file = fopen(path, "rb");

	*image = (struct image){.bytes = malloc(1 << 26)};
	if (!file || !image->bytes)
		return false;
	image->size = fread(image->bytes, 1, 1 << 26, file);
	(void)fclose(file);
	image->sections = seal_sections(image->bytes, image->size, image->starts, SECTIONS);
	return image->sections > 4;
}

/*
 * A place in the contents of a section. Each section is equally likely, so that memory, the
 * largest, does not take all the damage.
 */
static size_t place(const struct image *image, uint64_t *random)
{
	for (;;) {
		const size_t n = draw(random) % image->sections;
		const size_t start = image->starts[n] + STATE_FILE_SECTION;
		const size_t end = seal_next(image->bytes, image->size, image->starts[n]) - 4;

		if (end > start)
			return start + draw(random) % (end - start);
	}
}

/* size bytes are copied to out, which has room for both images. Returns the new size. */
static size_t make(const struct image *a, const struct image *b, enum damage kind, uint8_t *out,
		   uint64_t *random)
{
	static const uint64_t values[] = {0, 1, 0x7f, 0xff, UINT64_MAX, UINT64_C(1) << 63, 31};
	size_t size = a->size, at, from;
	uint64_t value;

	memcpy(out, a->bytes, size);
	switch (kind) {
	case FLIPPED: out[draw(random) % size] ^= (uint8_t)(1u << draw(random) % 8); break;
	case FLIPPED_SEALED:
		for (uint64_t n = draw(random) % FLIPS + 1; n > 0; n--)
			out[place(a, random)] ^= (uint8_t)(1u << draw(random) % 8);
		break;
	case VALUE_SEALED:
		at = place(a, random);
		value = values[draw(random) % ARRAY_SIZE(values)];
		memcpy(out + at, &value, size - at < 8 ? size - at : (size_t)1 << draw(random) % 4);
		break;
	case CUT: size = draw(random) % size; break;
	case CUT_SEALED:
		at = a->starts[draw(random) % a->sections];
		from = seal_next(a->bytes, size, at);
		memmove(out + at, out + from, size - from);
		size -= from - at;
		break;
	case SPLICED:
	case SPLICED_SEALED:
		/* a up to a section, and b from that section, or a later one, on. */
		at = draw(random) % (a->sections < b->sections ? a->sections : b->sections);
		from = b->starts[at];
		at = a->starts[at];
		memcpy(out + at, b->bytes + from, b->size - from);
		size = at + b->size - from;
		break;
	case KINDS: break;
	}
	if (kind == FLIPPED_SEALED || kind == VALUE_SEALED || kind == CUT_SEALED ||
	    kind == SPLICED_SEALED)
		seal(out, size);
	return size;
}

int main(int argc, char **argv)
{
	const unsigned int count = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 0) : 0;
	const int images = argc - 3;
	uint64_t random = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
	unsigned int run[KINDS] = {0}, made[KINDS] = {0}, failures = 0;
	struct image *all = images >= 2 ? calloc((size_t)images, sizeof(*all)) : NULL;
	uint8_t *out = malloc(1 << 27);

	if (!all || !out || !count) {
		fprintf(stderr, "usage: damage COUNT SEED IMAGE IMAGE...\n");
		return 2;
	}
	for (int n = 0; n < images; n++) {
		if (!read_image(&all[n], argv[n + 3]) ||
		    try_image(all[n].bytes, all[n].size, RAM_MOST) != TRY_RUN) {
			fprintf(stderr, "damage: %s: not an image\n", argv[n + 3]);
			return 2;
		}
	}
	for (unsigned int n = 0; n < count; n++) {
		const enum damage kind = (enum damage)(n % KINDS);
		const struct image *a = &all[draw(&random) % (uint64_t)images];
		const struct image *b = &all[draw(&random) % (uint64_t)images];
		const size_t size = make(a, b, kind, out, &random);
		bool same = false;

		for (int i = 0; i < images; i++)
			same |= size == all[i].size && memcmp(out, all[i].bytes, size) == 0;
		made[kind]++;
		if (try_image(out, size, RAM_MOST) == TRY_REFUSED)
			continue;
		run[kind]++;
		if (!same && (kind == FLIPPED || kind == CUT || kind == SPLICED)) {
			printf("not ok - image %u, %s, was accepted\n", n, names[kind]);
			failures++;
		}
	}
	for (unsigned int kind = 0; kind < KINDS; kind++)
		printf("# %s: %u, of which %u are machines\n", names[kind], made[kind], run[kind]);
	printf("%sok - %u damaged images: refused, or machines that run\n", failures ? "not " : "",
	       count);
	for (int n = 0; n < images; n++)
		free(all[n].bytes);
	free(all);
	free(out);
	return failures != 0;
}
