/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers that a client of 9P2000.L gives to files. Each stands for a path and an open file. */
#ifndef VSPE_P9_FIDS_H
#define VSPE_P9_FIDS_H

#include "device/p9_files.h"

#define P9_FIDS	   65536       /* at most: a caching client has one for each known name */
#define P9_LISTED  (64u << 20) /* bytes of memory for their listings */
#define P9_BUCKETS 4096

struct p9_fid {
	uint32_t number;
	char *path; /* below the root */
	int fd;	    /* -1: not open */
	bool folder;
	struct p9_listing listing; /* of an open folder */
	struct p9_fid *next;
};

/* All 0 at first. */
struct p9_fids {
	struct p9_fid *buckets[P9_BUCKETS];
	unsigned int count, open;
	size_t listed;
};

/* NULL: there is none. */
struct p9_fid *p9_fid_find(const struct p9_fids *fids, uint32_t number);
/*
 * Make one, which takes over path, and frees it on an error. 0, -EBADF: it already exists, or
 * -ENFILE or -ENOMEM.
 */
int p9_fid_add(struct p9_fids *fids, uint32_t number, char *path);
/* Open one that is not open, if there is room for another. It takes over fd. */
void p9_fid_open(struct p9_fids *fids, struct p9_fid *fid, int fd, bool folder);
/* List an open folder again. 0, or a negative errno. */
int p9_fid_list(struct p9_fids *fids, struct p9_fid *fid);
void p9_fid_remove(struct p9_fids *fids, struct p9_fid *fid);
void p9_fids_clear(struct p9_fids *fids);
/* A file or folder was renamed: change its path, and those below it. */
void p9_fids_rename(struct p9_fids *fids, const char *from, const char *to);

#endif
