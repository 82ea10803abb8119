/* SPDX-License-Identifier: BSD-2-Clause */
/* A folder's server in this process, which a test can make late or gone. */
#ifndef VSPE_TESTS_P9_HERE_H
#define VSPE_TESTS_P9_HERE_H

#include <errno.h>

#include "device/p9_session.h"
#include "device/virtio.h"

static struct {
	struct p9_session session;
	struct virtio_counts counts;
	uint8_t message[P9_SIZE_MOST], answer[P9_SIZE_MOST];
	size_t size;	   /* of the answer that is to come; 0: none is */
	unsigned int late; /* how often there is none yet */
	bool gone;
	unsigned int said; /* messages */
} p9_here;

static inline bool p9_here_is_late(void)
{
	if (p9_here.size > 0 && p9_here.late > 0) {
		p9_here.late--;
		return true;
	}
	return false;
}

static inline uint8_t *p9_here_begin(void *ctx)
{
	(void)ctx;
	if (p9_here_is_late())
		return NULL;
	p9_here.size = 0;
	return p9_here.message;
}

static inline void p9_here_say(void *ctx, size_t size, size_t room, bool anew)
{
	(void)ctx;
	p9_here.counts = (struct virtio_counts){0};
	p9_here.said++;
	if (anew)
		p9_session_end(&p9_here.session);
	p9_here.size = p9_answer(&p9_here.session, p9_here.message, size, p9_here.answer, room);
}

static inline int p9_here_hear(void *ctx, struct virtio_answer *answer)
{
	(void)ctx;
	if (p9_here.gone)
		return -EIO;
	if (p9_here_is_late())
		return VIRTIO_MORE;
	*answer = (struct virtio_answer){p9_here.answer, p9_here.size, p9_here.counts};
	p9_here.size = 0;
	return 0;
}

static const struct virtio_server p9_here_server = {
	.begin = p9_here_begin, .say = p9_here_say, .hear = p9_here_hear};

/* The device of a folder that is open as root. */
static inline struct virtio_device *p9_here_make(int root, const char *tag)
{
	p9_here.session = (struct p9_session){.root = root, .open_most = 64};
	p9_here.session.counts = &p9_here.counts;
	p9_here.late = p9_here.said = 0;
	p9_here.size = 0;
	p9_here.gone = false;
	return virtio_9p_make(tag, &p9_here_server);
}

#endif
