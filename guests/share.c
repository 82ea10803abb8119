/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * share: a folder of the host's by virtio and 9P2000.L (virtio 1.2, 5.7; the messages of Linux's
 * include/net/9p/9p.h). A file is made, written and read again, and asked for modes that would give
 * rights to others. Boot arguments: endless=1 goes on writing for ever, and lose=1 does so until
 * the host's end is lost: then each message fails.
 */
#include "arch.h"
#include "boot.h"
#include "platform.h"
#include "string.h"
#include "tap.h"
#include "virtio_mmio.h"

#define ID_9P 9u
#define F_TAG (1u << 0) /* VIRTIO_9P_MOUNT_TAG */

#define ROOM	 4096u
#define HEADER	 7u
#define PATIENCE 200000000u /* looks at a ring */

#define EIO 5u

/* Messages; an answer is the next number, or an error. */
enum {
	LERROR = 7,
	LOPEN = 12,
	LCREATE = 14,
	GETATTR = 24,
	SETATTR = 26,
	MKDIR = 72,
	UNLINKAT = 76
};
enum { VERSION = 100, ATTACH = 104, WALK = 110, READ = 116, WRITE = 118, CLUNK = 120 };

static volatile struct virtio_queue *queue;
static volatile uint8_t *message, *answer;
static uint32_t used; /* bytes of the message so far */

static const char *needs_folder(void)
{
	return virtio_find(ID_9P) ? NULL : "the machine has no folder";
}

static const char *needs_loss(void)
{
	return needs_too(needs_folder(), bootarg("lose", 0) != 0, "nobody ends the other end");
}

static const char *needs_end(void)
{
	return needs_too(needs_folder(), bootarg("endless", 0) != 0, "nobody asks for it");
}

static void start(void)
{
	if (!queue) {
		queue = data_alloc(1);
		message = data_alloc(1);
		answer = data_alloc(1);
	}
	memset((void *)queue, 0, sizeof(*queue));
	virtio_begin(F_TAG);
	virtio_place(0, mmu_translate((uintptr_t)queue));
	virtio_set(R_STATUS, S_READY);
}

/* A field of the message: a number of so many bytes. */
static void put(uint32_t width, uint64_t value)
{
	for (; width > 0; width--, value >>= 8)
		message[used++] = (uint8_t)value;
}

static void put_text(const char *text)
{
	uint32_t length = 0;

	while (text[length])
		length++;
	put(2, length);
	for (uint32_t i = 0; i < length; i++)
		message[used++] = (uint8_t)text[i];
}

static void begin(uint8_t type)
{
	used = 4;
	put(1, type);
	put(2, 1);
}

static uint64_t answered(uint32_t at, uint32_t width)
{
	uint64_t value = 0;

	while (width > 0)
		value = value << 8 | answer[at + --width];
	return value;
}

/* Say it. 0, an error of Linux's, or ~0: there is no answer, or none to that. */
static uint32_t say(void)
{
	const uint16_t before = queue->used_index;
	const uint32_t size = used;

	used = 0;
	put(4, size);
	queue->desc[0].address = mmu_translate((uintptr_t)message);
	queue->desc[0].size = size;
	queue->desc[0].flags = D_NEXT;
	queue->desc[0].next = 1;
	queue->desc[1].address = mmu_translate((uintptr_t)answer);
	queue->desc[1].size = ROOM;
	queue->desc[1].flags = D_WRITE;
	virtio_give(queue, 0);
	for (uint32_t i = 0; queue->used_index == before; i++)
		if (i == PATIENCE)
			return ~0u;
	__asm__ volatile("dmb sy" ::: "memory");
	if (answer[4] == LERROR)
		return (uint32_t)answered(HEADER, 4);
	return answer[4] == message[4] + 1 ? 0 : ~0u;
}

/* The session, whose fid 0 is the folder. */
static uint32_t attach(void)
{
	uint32_t error;

	start();
	begin(VERSION);
	put(4, ROOM);
	put_text("9P2000.L");
	error = say();
	if (error)
		return error;
	begin(ATTACH);
	put(4, 0);
	put(4, ~0u);
	put_text("");
	put_text("");
	put(4, 0);
	return say();
}

/* A fid for the file of that name: "": the folder itself. */
static uint32_t walk(uint32_t fid, const char *name)
{
	begin(WALK);
	put(4, 0);
	put(4, fid);
	put(2, name[0] != '\0');
	if (name[0])
		put_text(name);
	return say();
}

static uint32_t clunk(uint32_t fid)
{
	begin(CLUNK);
	put(4, fid);
	return say();
}

static uint32_t create(uint32_t fid, const char *name, uint32_t mode)
{
	const uint32_t error = walk(fid, "");

	if (error)
		return error;
	begin(LCREATE);
	put(4, fid);
	put_text(name);
	put(4, 2 | 01000); /* to read and write, empty */
	put(4, mode);
	put(4, 0);
	return say();
}

static uint8_t pattern(uint64_t at)
{
	return (uint8_t)(at * 7 + (at >> 8));
}

static uint32_t write(uint32_t fid, uint64_t at, uint32_t size)
{
	begin(WRITE);
	put(4, fid);
	put(8, at);
	put(4, size);
	for (uint32_t i = 0; i < size; i++)
		put(1, pattern(at + i));
	return say();
}

static uint32_t read(uint32_t fid, uint64_t at, uint32_t size)
{
	begin(READ);
	put(4, fid);
	put(8, at);
	put(4, size);
	return say();
}

static uint32_t unlink(const char *name, uint32_t flags)
{
	begin(UNLINKAT);
	put(4, 0);
	put_text(name);
	put(4, flags);
	return say();
}

/* st_mode by getattr: ~0 if there is none. */
static uint32_t mode_of(uint32_t fid)
{
	begin(GETATTR);
	put(4, fid);
	put(8, 0x7ff);
	return say() ? ~0u : (uint32_t)answered(HEADER + 8 + 13, 4);
}

static void file(void)
{
	const uint32_t size = 2048;
	uint32_t wrong = 0;

	if (!CHECK(attach() == 0, "no session"))
		return;
	CHECK(create(1, "made", 0644) == 0, "no file");
	for (uint64_t at = 0; at < 16 * size; at += size)
		CHECK(write(1, at, size) == 0 && answered(HEADER, 4) == size, "at %lu", at);
	for (uint64_t at = 0; at < 16 * size; at += size) {
		if (!CHECK(read(1, at, size) == 0 && answered(HEADER, 4) == size, "at %lu", at))
			return;
		for (uint32_t i = 0; i < size; i++)
			wrong += answer[HEADER + 4 + i] != pattern(at + i);
	}
	CHECK(wrong == 0, "%u bytes are others", wrong);
	CHECK(clunk(1) == 0, "not closed");
}

/* Whoever makes a file of the host's gives nobody his rights. */
static void modes(void)
{
	if (!CHECK(attach() == 0, "no session"))
		return;
	CHECK(create(1, "rights", 07755) == 0, "no file");
	CHECK((mode_of(1) & 07000) == 0, "made with 0x%x", mode_of(1));
	begin(SETATTR);
	put(4, 1);
	put(4, 1); /* the mode */
	put(4, 07711);
	for (uint32_t i = 0; i < 2; i++)
		put(4, 0);
	for (uint32_t i = 0; i < 5; i++)
		put(8, 0);
	CHECK(say() == 0, "a mode is refused");
	CHECK((mode_of(1) & 07777) == 0711, "changed to 0x%x", mode_of(1));
	begin(MKDIR);
	put(4, 0);
	put_text("folder");
	put(4, 07777);
	put(4, 0);
	CHECK(say() == 0, "no folder");
	CHECK(walk(2, "folder") == 0 && (mode_of(2) & 07000) == 0, "a folder with 0x%x",
	      mode_of(2));
	CHECK(unlink("rights", 0) == 0 && unlink("folder", 0x200) == 0, "they stay");
}

/* 256 MiB at most are in the file at a time. */
static uint32_t write_on(void)
{
	uint32_t error = attach();

	if (error == 0)
		error = create(1, "endless", 0644);
	for (uint64_t at = 0; error == 0; at = (at + 2048) % (256u << 20))
		error = write(1, at, 2048);
	return error;
}

static void loss(void)
{
	uint32_t error = write_on();

	CHECK(error == EIO, "error %u", error);
	error = attach();
	CHECK(error == EIO, "error %u of a new session", error);
	error = read(1, 0, 100);
	CHECK(error == EIO, "error %u of a file", error);
}

static void endless(void)
{
	const uint32_t error = write_on();

	CHECK(error == 0, "error %u", error);
}

static const struct test tests[] = {
	{"a file is written and read", file, needs_folder},
	{"a mode gives no rights", modes, needs_folder},
	{"a folder that is lost fails", loss, needs_loss},
	{"it writes for ever", endless, needs_end},
};

void guest_main(void)
{
	tap_run("share", tests, sizeof(tests) / sizeof(tests[0]));
}
