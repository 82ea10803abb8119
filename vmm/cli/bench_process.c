/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs that vspe bench times. They print lines, some of which are marks. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/bench.h"
#include "cli/options.h"

int bench_start(struct bench_process *process, char *const argv[])
{
	int fds[2];

	*process = (struct bench_process){.pid = -1};
	if (pipe(fds) == 0) {
		process->pid = fork();
		if (process->pid == 0) {
			if (!freopen("/dev/null", "r", stdin))
				_exit(127);
			dup2(fds[1], STDOUT_FILENO);
			close(fds[0]);
			close(fds[1]);
			execvp(argv[0], argv);
			_exit(127);
		}
		close(fds[1]);
		process->out = process->pid < 0 ? NULL : fdopen(fds[0], "r");
		if (!process->out)
			close(fds[0]);
	}
	if (process->out)
		return 0;
	cli_message(stderr, "vspe bench: cannot start %s: %s", argv[0], strerror(errno));
	return -1;
}

double bench_process_cpu(const struct bench_process *process)
{
	clockid_t clock;
	struct timespec t = {0};

	if (clock_getcpuclockid(process->pid, &clock) == 0)
		clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void bench_stop(struct bench_process *process, bool at_once)
{
	if (at_once)
		kill(process->pid, SIGKILL);
	while (fgetc(process->out) != EOF)
		;
	fclose(process->out);
	waitpid(process->pid, NULL, 0);
}

bool bench_have_qemu(void)
{
	return system("command -v qemu-system-aarch64 >/dev/null 2>&1") == 0;
}
