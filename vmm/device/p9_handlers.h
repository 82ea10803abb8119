/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is done for each message of p9_messages.def: the answer's fields go to reply. 0, or a
 * negative errno, which is the answer then.
 */
#ifndef VSPE_P9_HANDLERS_H
#define VSPE_P9_HANDLERS_H

#include <errno.h>

#include "device/p9_session.h"

/* Permissions on the host: neither set-user-ID nor set-group-ID nor sticky. */
#define P9_MODE_MOST 0777

#define MESSAGE(number, name, fields, changes)                                   \
	int p9_do_##name(struct p9_session *session, const struct p9_call *call, \
			 struct p9_reply *reply);
#include "device/p9_messages.def"
#undef MESSAGE

/* A fid by its number. NULL: there is none. */
static inline struct p9_fid *p9_fid_of(struct p9_session *session, uint64_t number)
{
	return p9_fid_find(&session->fids, (uint32_t)number);
}

/* The path of a name that is to be made in the folder that a fid is of: malloc'ed. */
static inline int p9_path_in(struct p9_session *session, uint64_t number, struct p9_text name,
			     char **path)
{
	const struct p9_fid *fid = p9_fid_of(session, number);

	return fid ? p9_path(fid->path, name, true, path) : -EBADF;
}

/* What tells a file, with a version that changes when it does. */
static inline void p9_put_file(struct p9_reply *reply, const struct stat *stat)
{
	const uint64_t version = (uint64_t)stat->st_mtim.tv_sec ^ (uint64_t)stat->st_mtim.tv_nsec ^
				 (uint64_t)stat->st_size << 8;

	p9_put_qid(reply, stat->st_mode, (uint32_t)version, stat->st_ino);
}

#endif
