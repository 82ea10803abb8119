/* SPDX-License-Identifier: BSD-2-Clause */
/* Who may hold a file together with whom. */
#include "../compare.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file_lock.h"

Test(file_lock, one_has_it_or_some_share_it)
{
	char path[] = "/tmp/vspe-lock-XXXXXX";
	const int one = mkstemp(path), other = open(path, O_RDWR | O_CLOEXEC);

	cr_assert_geq(one, 0);
	cr_assert_geq(other, 0);
	(void)unlink(path);
	cr_expect_eq(file_lock(one, FILE_LOCK_OWN), 0);
	cr_expect_eq(file_lock(other, FILE_LOCK_SHARED), -1);
	cr_expect_eq(file_lock(other, FILE_LOCK_OWN), -1);
	/* As it is handed over. */
	cr_expect_eq(file_lock(one, FILE_LOCK_SHARED), 0);
	cr_expect_eq(file_lock(other, FILE_LOCK_SHARED), 0);
	cr_expect_eq(file_lock(other, FILE_LOCK_OWN), -1);
	cr_expect_eq(file_lock(one, FILE_LOCK_OWN), -1);
	(void)close(one);
	cr_expect_eq(file_lock(other, FILE_LOCK_OWN), 0);
	cr_expect_eq(file_lock(other, FILE_LOCK_NONE), 0);
	(void)close(other);
}
