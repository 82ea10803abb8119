/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a client of 9P2000.L gets for an answer: one request after the other, each done before the
 * next. Every file that it can reach is below one folder (p9_files.h), and is made and opened as
 * the process itself: that of the folder, and not the one that has the guest.
 */
#ifndef VSPE_P9_SESSION_H
#define VSPE_P9_SESSION_H

#include "device/p9_fids.h"
#include "device/virtio.h"

#define P9_SIZE_LEAST 4096		  /* bytes of a message that a client is to have room for */
#define P9_SIZE_MOST  (512u << 10)	  /* ... and of the largest */
#define P9_FILE_MOST  (UINT64_C(1) << 40) /* ... of the file system, and so of a file */

/* All 0 at first, but for root, read_only, open_most and counts. */
struct p9_session {
	int root;		/* the folder, opened with O_PATH */
	bool read_only;		/* what would change anything is EROFS */
	unsigned int open_most; /* files at a time */
	struct virtio_counts *counts;
	uint32_t size; /* of a message, as agreed upon; 0: there is no session */
	struct p9_fids fids;
};

/*
 * Answer a message of size bytes: the answer takes room bytes, of which there are P9_ERROR at
 * least. How many it has.
 */
size_t p9_answer(struct p9_session *session, const uint8_t *bytes, size_t size, uint8_t *answer,
		 size_t room);
/* Forget all its names, and close what is open; root stays. */
void p9_session_end(struct p9_session *session);

#endif
