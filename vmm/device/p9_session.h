/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The answers to a 9P2000.L client. Each request is done before the next one. Every file that the
 * client can reach is below one folder (p9_files.h). Files are created and opened with the rights
 * of this process, which is the folder's and not the guest's.
 */
#ifndef VSPE_P9_SESSION_H
#define VSPE_P9_SESSION_H

#include "device/p9_fids.h"
#include "device/virtio.h"

#define P9_SIZE_LEAST 4096		  /* the least message size that a client must accept */
#define P9_SIZE_MOST  (512u << 10)	  /* ... and of the largest */
#define P9_FILE_MOST  (UINT64_C(1) << 40) /* ... of the file system, and so of a file */

/* All 0 at first, except for root, read_only, open_most and counts. */
struct p9_session {
	int root;		/* the folder, opened with O_PATH */
	bool read_only;		/* any change is EROFS */
	unsigned int open_most; /* files at a time */
	struct virtio_counts *counts;
	uint32_t size; /* of a message, as negotiated; 0: there is no session */
	struct p9_fids fids;
};

/*
 * Answer a message of size bytes. The answer may take room bytes, at least P9_ERROR. Returns its
 * size.
 */
size_t p9_answer(struct p9_session *session, const uint8_t *bytes, size_t size, uint8_t *answer,
		 size_t room);
/* Forget all fids, and close their files; root stays open. */
void p9_session_end(struct p9_session *session);

#endif
