/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The handlers of the messages of p9_messages.def. Each puts the answer's fields into reply and
 * returns 0, or returns a negative errno, which becomes the answer.
 */
#ifndef VSPE_P9_HANDLERS_H
#define VSPE_P9_HANDLERS_H

#include <errno.h>

#include "device/p9_session.h"

/* Permissions on the host: no set-user-ID, set-group-ID or sticky bit. */
#define P9_MODE_MOST 0777

#define MESSAGE(number, name, fields, changes)                                   \
	int p9_do_##name(struct p9_session *session, const struct p9_call *call, \
			 struct p9_reply *reply);
#include "device/p9_messages.def"
#undef MESSAGE

/* The fid with a number. NULL: there is none. */
static inline struct p9_fid *p9_fid_of(struct p9_session *session, uint64_t number)
{
	return p9_fid_find(&session->fids, (uint32_t)number);
}

/* The path of a name to be made in a fid's folder, malloc'ed. */
static inline int p9_path_in(struct p9_session *session, uint64_t number, struct p9_text name,
			     char **path)
{
	const struct p9_fid *fid = p9_fid_of(session, number);

	return fid ? p9_path(fid->path, name, true, path) : -EBADF;
}

/* The identity of a file, with a version that changes when the file does. */
static inline void p9_put_file(struct p9_reply *reply, const struct stat *stat)
{
	const uint64_t version = (uint64_t)stat->st_mtim.tv_sec ^ (uint64_t)stat->st_mtim.tv_nsec ^
				 (uint64_t)stat->st_size << 8;

	p9_put_qid(reply, stat->st_mode, (uint32_t)version, stat->st_ino);
}

#endif
