/* SPDX-License-Identifier: BSD-2-Clause */
/* Child processes: their output, and their bounds. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "../compare.h"
#include "conform/guest_process.h"

static struct guest_output shell(const char *script, unsigned int seconds)
{
	char *argv[] = {"/bin/sh", "-c", (char *)script, NULL};
	struct guest_output output;

	cr_assert_eq(guest_process_run(argv, seconds, &output), 0);
	return output;
}

Test(guest_process, both_streams_and_the_exit_code)
{
	struct guest_output o = shell("echo out; echo err >&2; cat; exit 3", 60);

	cr_assert_str_eq(o.out.bytes, "out\n");
	cr_assert_str_eq(o.err.bytes, "err\n");
	cr_assert_eq(WIFEXITED(o.status) ? WEXITSTATUS(o.status) : -1, 3);
	cr_assert_not(o.late);
	cr_assert_not(o.large);
	guest_output_free(&o);
}

Test(guest_process, no_output_is_an_empty_string)
{
	struct guest_output o = shell(":", 60);

	cr_assert_str_eq(o.out.bytes, "");
	cr_assert_eq(o.out.size, 0);
	guest_output_free(&o);
}

Test(guest_process, killed_when_late)
{
	struct guest_output o = shell("echo begun; exec sleep 1000", 1);

	cr_assert(o.late);
	cr_assert_eq(WIFSIGNALED(o.status) ? WTERMSIG(o.status) : 0, SIGKILL);
	cr_assert_str_eq(o.out.bytes, "begun\n");
	guest_output_free(&o);
}

Test(guest_process, killed_when_it_prints_without_end)
{
	struct guest_output o = shell("exec yes", 60);

	cr_assert(o.large);
	cr_assert_gt(o.out.size, GUEST_OUTPUT_MOST);
	cr_assert_lt(o.out.size, 2 * GUEST_OUTPUT_MOST);
	cr_assert_eq(strlen(o.out.bytes), o.out.size);
	guest_output_free(&o);
}

Test(guest_process, a_signal_is_seen)
{
	struct guest_output o = shell("kill -TERM $$", 60);

	cr_assert_eq(WIFSIGNALED(o.status) ? WTERMSIG(o.status) : 0, SIGTERM);
	guest_output_free(&o);
}

Test(guest_process, no_such_program)
{
	char *argv[] = {"/nonexistent/program", NULL};
	struct guest_output o;

	cr_assert_eq(guest_process_run(argv, 60, &o), 0);
	cr_assert_eq(WIFEXITED(o.status) ? WEXITSTATUS(o.status) : -1, 127);
	guest_output_free(&o);
}
