/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The answers to a 9P2000.L client: see p9_session.h. Errors are Linux's numbers, unchanged from
 * the host. This file has the session and walks.
 */
#include "device/p9_session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device/p9_handlers.h"

int p9_do_version(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	static const char ours[] = "9P2000.L";
	const struct p9_text *theirs = &call->texts[0];
	const uint64_t size = call->numbers[0];

	p9_session_end(session);
	if (size < P9_SIZE_LEAST)
		return -EMSGSIZE;
	if (theirs->size == strlen(ours) && memcmp(theirs->bytes, ours, theirs->size) == 0)
		session->size = size < P9_SIZE_MOST ? (uint32_t)size : P9_SIZE_MOST;
	p9_put(reply, 4, size < P9_SIZE_MOST ? size : P9_SIZE_MOST);
	p9_put_text(reply, session->size ? ours : "unknown", session->size ? strlen(ours) : 7);
	return 0;
}

int p9_do_attach(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	char *path = strdup("");
	struct stat stat;
	int error = path ? p9_file_stat(session->root, "", &stat) : -ENOMEM;

	if (error < 0) {
		free(path);
		return error;
	}
	error = p9_fid_add(&session->fids, (uint32_t)call->numbers[0], path);
	if (error == 0)
		p9_put_file(reply, &stat);
	return error;
}

/* One step of a walk: *path becomes the path after it. */
static int walk_step(struct p9_session *session, char **path, struct p9_text name,
		     struct stat *stat)
{
	char *to;
	int error = p9_path(*path, name, false, &to);

	if (error < 0)
		return error;
	error = p9_file_stat(session->root, to, stat);
	if (error < 0) {
		free(to);
		return error;
	}
	free(*path);
	*path = to;
	return 0;
}

/* Make the new fid, or move the old one. The fid takes over path, or it is freed. */
static int walk_end(struct p9_session *session, struct p9_fid *fid, uint64_t number, char *path)
{
	if (fid->number != number)
		return p9_fid_add(&session->fids, (uint32_t)number, path);
	free(fid->path);
	fid->path = path;
	return 0;
}

/*
 * Walk until a step fails. That is an error only in the first step, and only a complete walk makes
 * the fid.
 */
int p9_do_walk(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	struct p9_fid *fid = p9_fid_of(session, call->numbers[0]);
	struct stat stats[P9_TEXTS];
	unsigned int steps = 0;
	char *path;
	int error = 0;

	if (!fid)
		return -EBADF;
	if (fid->number == call->numbers[1] && fid->fd >= 0)
		return -EINVAL;
	if (fid->number != call->numbers[1] && p9_fid_of(session, call->numbers[1]))
		return -EBADF;
	path = strdup(fid->path);
	if (!path)
		return -ENOMEM;
	while (error == 0 && steps < call->text_count) {
		error = walk_step(session, &path, call->texts[steps], &stats[steps]);
		steps += error == 0;
	}
	if (error == 0)
		error = walk_end(session, fid, call->numbers[1], path);
	else
		free(path);
	if (error < 0 && (steps == 0 || steps == call->text_count))
		return error;
	p9_put(reply, 2, steps);
	for (unsigned int i = 0; i < steps; i++)
		p9_put_file(reply, &stats[i]);
	return 0;
}

int p9_do_clunk(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	struct p9_fid *fid = p9_fid_of(session, call->numbers[0]);

	(void)reply;
	if (!fid)
		return -EBADF;
	p9_fid_remove(&session->fids, fid);
	return 0;
}

/* There is nothing to stop: every request is already done. */
int p9_do_flush(struct p9_session *session, const struct p9_call *call, struct p9_reply *reply)
{
	(void)session, (void)call, (void)reply;
	return 0;
}

/* By number; NULL: there is no such message, and p9_parse() refuses it. */
static int (*const handlers[256])(struct p9_session *session, const struct p9_call *call,
				  struct p9_reply *reply) = {
#define MESSAGE(number, name, fields, changes) [number] = p9_do_##name,
#include "device/p9_messages.def"
#undef MESSAGE
};

#define VERSION 100

/* 0, or why it is refused. */
static int refuse(const struct p9_session *session, const struct p9_call *call, size_t size)
{
	if (call->type == VERSION)
		return 0;
	if (session->size == 0)
		return -EPROTO;
	if (size > session->size)
		return -EMSGSIZE;
	return session->read_only && p9_changes(call->type) ? -EROFS : 0;
}

size_t p9_answer(struct p9_session *session, const uint8_t *bytes, size_t size, uint8_t *answer,
		 size_t room)
{
	struct p9_reply reply;
	struct p9_call call;
	int error = p9_parse(bytes, size, &call);

	if (session->size != 0 && room > session->size)
		room = session->size;
	p9_begin(&reply, answer, room);
	if (error == 0)
		error = refuse(session, &call, size);
	if (error == 0)
		error = handlers[call.type](session, &call, &reply);
	if (error == 0 && reply.full)
		error = -EMSGSIZE;
	if (error == 0)
		return p9_end(&reply, call.type + 1, call.tag);
	session->counts->failed++;
	return p9_end_error(&reply, call.tag, -error);
}

void p9_session_end(struct p9_session *session)
{
	p9_fids_clear(&session->fids);
	session->size = 0;
}
