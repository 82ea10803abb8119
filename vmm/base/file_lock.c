/* SPDX-License-Identifier: BSD-2-Clause */
/* See file_lock.h. */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include "base/file_lock.h"

#include <fcntl.h>
#include <unistd.h>

int file_lock(int fd, enum file_lock how)
{
	static const short types[] = {[FILE_LOCK_NONE] = F_UNLCK,
				      [FILE_LOCK_SHARED] = F_RDLCK,
				      [FILE_LOCK_OWN] = F_WRLCK};
	struct flock lock = {.l_type = types[how], .l_whence = SEEK_SET};

	return fcntl(fd, F_OFD_SETLK, &lock);
}
