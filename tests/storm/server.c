/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * storm_server: starts vspe for tools/storm, again and again, without the time to load its
 * libraries. The program has the product's own main(), and each run is a child that is forked
 * before main() starts. A run gets what a shell would give it: a folder, files for its standard
 * streams, a limit of file sizes, and words.
 *
 * A request is a line of words with tabs between them, on standard input:
 *
 *	FOLDER STDIN STDOUT STDERR LIMIT WORD...
 *
 * LIMIT is RLIMIT_FSIZE in bytes, 0 for none. The answer is a line with the child's process id,
 * and, when it has ended, another with the exit code or the negative number of a signal. The
 * process id stays the child's until the next request, so signals cannot reach another process.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int vspe_main(int argc, char **argv);

#define FIELDS 5
#define WORDS  256

static void fail(const char *what)
{
	fprintf(stderr, "storm_server: %s: %s\n", what, strerror(errno));
	_exit(99);
}

/* The file at path replaces a standard stream. */
static void stream(int fd, const char *path, int flags)
{
	const int opened = open(path, flags, 0644);

	if (opened < 0)
		fail(path);
	if (opened != fd && (dup2(opened, fd) != fd || close(opened) != 0))
		fail(path);
}

static void run_child(int count, char **words)
{
	const rlim_t limit = (rlim_t)strtoull(words[4], NULL, 10);

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (chdir(words[0]) != 0)
		fail(words[0]);
	stream(0, words[1], O_RDONLY);
	stream(1, words[2], O_WRONLY | O_CREAT | O_TRUNC);
	stream(2, words[3], O_WRONLY | O_CREAT | O_TRUNC);
	if (limit && setrlimit(RLIMIT_FSIZE, &(struct rlimit){limit, limit}) != 0)
		fail("RLIMIT_FSIZE");
	words[4] = "vspe";
	exit(vspe_main(count - 4, &words[4]));
}

/* Split a line, in place, into its words. Their number, or 0 if they are too many. */
static int split(char *line, char **words)
{
	int count = 0;

	line[strcspn(line, "\n")] = '\0';
	for (char *at = line; at; at = strchr(at, '\t')) {
		if (*at == '\t')
			*at++ = '\0';
		if (count == WORDS)
			return 0;
		words[count++] = at;
	}
	words[count] = NULL;
	return count;
}

int main(void)
{
	static char line[65536];
	static char *words[WORDS + 1];
	/* Away from the descriptors that runs have as standard streams. */
	FILE *requests = fdopen(fcntl(0, F_DUPFD_CLOEXEC, 10), "r");
	FILE *answers = fdopen(fcntl(1, F_DUPFD_CLOEXEC, 10), "w");
	pid_t before = 0;

	if (!requests || !answers)
		fail("streams");
	while (fgets(line, sizeof(line), requests)) {
		const int count = split(line, words);
		siginfo_t end;
		pid_t child;

		if (before)
			(void)waitpid(before, NULL, 0);
		if (count <= FIELDS)
			fail("a request with too few words, or too many");
		child = fork();
		if (child < 0)
			fail("fork");
		if (child == 0) {
			(void)close(fileno(requests));
			(void)close(fileno(answers));
			run_child(count, words);
		}
		fprintf(answers, "%ld\n", (long)child);
		(void)fflush(answers);
		while (waitid(P_PID, (id_t)child, &end, WEXITED | WNOWAIT) != 0)
			if (errno != EINTR)
				fail("waitid");
		fprintf(answers, "%d\n",
			end.si_code == CLD_EXITED ? end.si_status : -end.si_status);
		(void)fflush(answers);
		before = child;
	}
	return 0;
}
