/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers that a client of 9P2000.L gives to files: see p9_fids.h. */
#include "device/p9_fids.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assertion.h"
struct p9_fid *p9_fid_find(const struct p9_fids *fids, uint32_t number)
{
	struct p9_fid *fid = fids->buckets[number % P9_BUCKETS];

	while (fid && fid->number != number)
		fid = fid->next;
	return fid;
}

int p9_fid_add(struct p9_fids *fids, uint32_t number, char *path)
{
	struct p9_fid **bucket = &fids->buckets[number % P9_BUCKETS];
	struct p9_fid *fid = NULL;
	int error = 0;

	if (p9_fid_find(fids, number))
		error = -EBADF;
	else if (fids->count == P9_FIDS)
		error = -ENFILE;
	else if (!(fid = calloc(1, sizeof(*fid))))
		error = -ENOMEM;
	if (error < 0) {
		free(path);
		return error;
	}
	*fid = (struct p9_fid){.number = number, .path = path, .fd = -1, .next = *bucket};
	*bucket = fid;
	fids->count++;
	return 0;
}

void p9_fid_open(struct p9_fids *fids, struct p9_fid *fid, int fd, bool folder)
{
	fids->open++;
	fid->fd = fd;
	fid->folder = folder;
}

int p9_fid_list(struct p9_fids *fids, struct p9_fid *fid)
{
	int error;

	fids->listed -= fid->listing.bytes;
	error = p9_folder_list(fid->fd, !fid->path[0], P9_LISTED - fids->listed, &fid->listing);
	if (error < 0)
		p9_listing_free(&fid->listing);
	fids->listed += fid->listing.bytes;
	vspe_assert_of(fids->listed <= P9_LISTED, fids->listed, fid->listing.bytes);
	return error;
}

/* Remove one that is in no bucket. */
static void forget(struct p9_fids *fids, struct p9_fid *fid)
{
	vspe_assert_of(fids->count && fids->listed >= fid->listing.bytes, fids->count,
		       fids->listed);
	fids->count--;
	if (fid->fd >= 0) {
		(void)close(fid->fd);
		fids->open--;
	}
	fids->listed -= fid->listing.bytes;
	p9_listing_free(&fid->listing);
	free(fid->path);
	free(fid);
}

void p9_fid_remove(struct p9_fids *fids, struct p9_fid *fid)
{
	struct p9_fid **at = &fids->buckets[fid->number % P9_BUCKETS];

	while (*at != fid)
		at = &(*at)->next;
	*at = fid->next;
	forget(fids, fid);
}

void p9_fids_clear(struct p9_fids *fids)
{
	for (size_t i = 0; i < P9_BUCKETS; i++) {
		while (fids->buckets[i]) {
			struct p9_fid *fid = fids->buckets[i];

			fids->buckets[i] = fid->next;
			forget(fids, fid);
		}
	}
}

/* Without memory the path stays as it was, where no file is any more. */
static void rename_one(struct p9_fid *fid, const char *from, const char *to)
{
	const char *below = fid->path + strlen(from);
	const size_t size = strlen(to) + strlen(below) + 1;
	char *path = malloc(size);

	if (!path)
		return;
	(void)snprintf(path, size, "%s%s", to, below);
	free(fid->path);
	fid->path = path;
}

void p9_fids_rename(struct p9_fids *fids, const char *from, const char *to)
{
	const size_t length = strlen(from);

	for (size_t i = 0; i < P9_BUCKETS; i++)
		for (struct p9_fid *fid = fids->buckets[i]; fid; fid = fid->next)
			if (strncmp(fid->path, from, length) == 0 &&
			    (fid->path[length] == '/' || !fid->path[length]))
				rename_one(fid, from, to);
}
