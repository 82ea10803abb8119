/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compressed files, read with liblzma, zlib and libzstd. Each format is a row of functions that
 * turn the bytes of one buffer into those of another. One loop reads and writes for all.
 */
#define _GNU_SOURCE /* memfd_create */
#include "trace/elf_unpack.h"

#include <errno.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define PIECE 65536u
#define LZMA_MEMORY \
	(UINT64_C(128) << 20) /* the most memory that a decoder may use, as zstd's default */

/* Where one step reads and writes. A step changes all but out's begin. */
struct buffers {
	const uint8_t *in;
	size_t in_size;
	uint8_t *out;
	size_t out_size;
	bool last; /* no input follows after in */
};

/* What the bytes are one by one. */
union decoder {
	lzma_stream lzma;
	z_stream zlib;
	ZSTD_DStream *zstd;
};

/* Results of a step. */
enum { MORE, END, DAMAGED };

static bool lzma_begin(union decoder *decoder)
{
	decoder->lzma = (lzma_stream)LZMA_STREAM_INIT;
	return lzma_stream_decoder(&decoder->lzma, LZMA_MEMORY, LZMA_CONCATENATED) == LZMA_OK;
}

static int lzma_step(union decoder *decoder, struct buffers *buffers)
{
	lzma_stream *stream = &decoder->lzma;
	lzma_ret result;

	stream->next_in = buffers->in;
	stream->avail_in = buffers->in_size;
	stream->next_out = buffers->out;
	stream->avail_out = buffers->out_size;
	result = lzma_code(stream, buffers->last ? LZMA_FINISH : LZMA_RUN);
	buffers->in = stream->next_in;
	buffers->in_size = stream->avail_in;
	buffers->out_size = stream->avail_out;
	return result == LZMA_OK ? MORE : result == LZMA_STREAM_END ? END : DAMAGED;
}

static void lzma_done(union decoder *decoder)
{
	lzma_end(&decoder->lzma);
}

static bool gzip_begin(union decoder *decoder)
{
	memset(&decoder->zlib, 0, sizeof(decoder->zlib));
	return inflateInit2(&decoder->zlib, 15 + 16) == Z_OK;
}

static int gzip_step(union decoder *decoder, struct buffers *buffers)
{
	z_stream *stream = &decoder->zlib;
	int result;

	stream->next_in = (z_const Bytef *)buffers->in;
	stream->avail_in = (uInt)buffers->in_size;
	stream->next_out = buffers->out;
	stream->avail_out = (uInt)buffers->out_size;
	result = inflate(stream, Z_NO_FLUSH);
	buffers->in = stream->next_in;
	buffers->in_size = stream->avail_in;
	buffers->out_size = stream->avail_out;
	/* Members may follow each other, as in gzip itself. */
	if (result == Z_STREAM_END && buffers->in_size)
		return inflateReset(stream) == Z_OK ? MORE : DAMAGED;
	return result == Z_OK || result == Z_BUF_ERROR ? MORE
	       : result == Z_STREAM_END		       ? END
						       : DAMAGED;
}

static void gzip_done(union decoder *decoder)
{
	(void)inflateEnd(&decoder->zlib);
}

static bool zstd_begin(union decoder *decoder)
{
	decoder->zstd = ZSTD_createDStream();
	return decoder->zstd && !ZSTD_isError(ZSTD_initDStream(decoder->zstd));
}

static int zstd_step(union decoder *decoder, struct buffers *buffers)
{
	ZSTD_inBuffer in = {buffers->in, buffers->in_size, 0};
	ZSTD_outBuffer out = {buffers->out, buffers->out_size, 0};
	const size_t result = ZSTD_decompressStream(decoder->zstd, &out, &in);

	if (ZSTD_isError(result))
		return DAMAGED;
	buffers->in += in.pos;
	buffers->in_size -= in.pos;
	buffers->out_size -= out.pos;
	return result == 0 ? END : MORE;
}

static void zstd_done(union decoder *decoder)
{
	(void)ZSTD_freeDStream(decoder->zstd);
}

static const struct packing {
	uint8_t magic[6], magic_size;
	bool (*begin)(union decoder *decoder);
	int (*step)(union decoder *decoder, struct buffers *buffers);
	void (*done)(union decoder *decoder);
} packings[] = {
	{{0xfd, '7', 'z', 'X', 'Z', 0}, 6, lzma_begin, lzma_step, lzma_done},
	{{0x1f, 0x8b, 8}, 3, gzip_begin, gzip_step, gzip_done},
	{{0x28, 0xb5, 0x2f, 0xfd}, 4, zstd_begin, zstd_step, zstd_done},
};

static const struct packing *packing_of(int fd)
{
	uint8_t bytes[sizeof(packings[0].magic)];
	const ssize_t got = pread(fd, bytes, sizeof(bytes), 0);

	for (size_t i = 0; i < sizeof(packings) / sizeof(*packings); i++)
		if (got >= packings[i].magic_size &&
		    memcmp(bytes, packings[i].magic, packings[i].magic_size) == 0)
			return &packings[i];
	return NULL;
}

static int write_all(int fd, const uint8_t *bytes, size_t size)
{
	while (size) {
		const ssize_t done = write(fd, bytes, size);

		if (done < 0 && errno != EINTR)
			return -errno;
		if (done > 0) {
			bytes += done;
			size -= (size_t)done;
		}
	}
	return 0;
}

/* Unpack all of from, from its file offset on, and append it to to. */
static int unpack(const struct packing *packing, union decoder *decoder, int from, int to)
{
	uint8_t in[PIECE], out[PIECE];
	struct buffers buffers = {.in = in};
	uint64_t written = 0;
	int state = MORE, error;

	for (;;) {
		bool moved;

		if (!buffers.in_size && !buffers.last) {
			const ssize_t got = read(from, in, sizeof(in));

			if (got < 0)
				return -errno;
			buffers.in = in;
			buffers.in_size = (size_t)got;
			buffers.last = got == 0;
		}
		if (state == END && buffers.last && !buffers.in_size)
			return 0;
		buffers.out = out;
		buffers.out_size = sizeof(out);
		moved = buffers.in_size != 0;
		state = packing->step(decoder, &buffers);
		if (state == DAMAGED)
			return -EBADMSG;
		written += sizeof(out) - buffers.out_size;
		if (written > ELF_UNPACK_MOST)
			return -EFBIG;
		error = write_all(to, out, sizeof(out) - buffers.out_size);
		if (error)
			return error;
		/* The file ends in the middle of a stream. */
		if (state == MORE && buffers.last && !moved && buffers.out_size)
			return -EBADMSG;
	}
}

int elf_unpack(int fd)
{
	const struct packing *packing = packing_of(fd);
	union decoder decoder;
	int memory, error;

	if (!packing)
		return -ENOEXEC;
	if (lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	memory = memfd_create("unpacked", MFD_CLOEXEC);
	if (memory < 0)
		return -errno;
	error = packing->begin(&decoder) ? unpack(packing, &decoder, fd, memory) : -ENOMEM;
	packing->done(&decoder);
	if (error) {
		close(memory);
		return error;
	}
	return memory;
}
