/* SPDX-License-Identifier: BSD-2-Clause */
/* A process for a point: see worker.h. Its output is untrusted. */
#define _GNU_SOURCE /* pipe2(), sigabbrev_np() */
#include "conform/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DETAILS_MAX 65536 /* bytes of text about a point */

/* What a process sends before its text. */
struct answer {
	enum suite_status status;
	uint64_t cases, aarch32;
	char what[sizeof(((struct suite_result *)0)->what)];
};

static bool send_all(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size > 0) {
		const ssize_t n = write(fd, at, size);

		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			at += n;
			size -= (size_t)n;
		}
	}
	return true;
}

/* Receive up to size bytes, as many as come. */
static size_t receive(int fd, void *bytes, size_t size)
{
	size_t got = 0;

	while (got < size) {
		const ssize_t n = read(fd, (char *)bytes + got, size - got);

		if (n == 0 || (n < 0 && errno != EINTR))
			break;
		got += n > 0 ? (size_t)n : 0;
	}
	return got;
}

/* Runs in the process. Exit code 0: all was sent. */
static int work(const struct suite_point *point, int fd)
{
	struct suite_result result = {.done = false};
	struct answer answer = {.status = SUITE_FAILED};
	atomic_ullong done = 0;
	char *text = NULL;
	size_t size = 0;
	FILE *details = open_memstream(&text, &size);

	if (!details || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return 1;
	point->run(point, &done, &result, details);
	if (fclose(details))
		return 1;
	answer.status = result.status;
	answer.cases = result.cases;
	answer.aarch32 = result.aarch32;
	memcpy(answer.what, result.what, sizeof(answer.what));
	return !send_all(fd, &answer, sizeof(answer)) || !send_all(fd, text, size);
}

/* Lines of a report, without commands for a terminal. */
static void take_text(char *text, size_t size, FILE *details)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] != '\n' && (text[i] < ' ' || text[i] > '~'))
			text[i] = '?';
	fwrite(text, 1, size, details);
}

static void fail(const struct suite_point *point, struct suite_result *result, int status,
		 FILE *details)
{
	result->status = SUITE_FAILED;
	snprintf(result->what, sizeof(result->what), "the subject does not come to an end");
	if (WIFSIGNALED(status))
		fprintf(details, "the subject was ended by signal %d (SIG%s)\n", WTERMSIG(status),
			sigabbrev_np(WTERMSIG(status)) ? sigabbrev_np(WTERMSIG(status)) : "?");
	else
		fprintf(details, "the subject ended the process, with exit code %d\n",
			WEXITSTATUS(status));
	fprintf(details, "  reproduce: vspe conform --subject '%s' --only '%s %s'\n",
		point->subject->path, point->group, point->name);
}

/* Take what the process sent, if it is complete. */
static bool take_answer(int fd, struct suite_result *result, char *text, size_t *size)
{
	struct answer answer;

	if (receive(fd, &answer, sizeof(answer)) != sizeof(answer))
		return false;
	*size = receive(fd, text, DETAILS_MAX);
	answer.what[sizeof(answer.what) - 1] = '\0';
	if ((unsigned int)answer.status > SUITE_SKIPPED)
		return false;
	result->status = answer.status;
	result->cases = answer.cases;
	result->aarch32 = answer.aarch32;
	for (size_t i = 0; answer.what[i]; i++) {
		result->what[i] = answer.what[i];
		if (answer.what[i] < ' ' || answer.what[i] > '~')
			result->what[i] = '?';
	}
	return true;
}

void worker_run(const struct suite_point *point, atomic_ullong *done, struct suite_result *result,
		FILE *details)
{
	char *text = malloc(DETAILS_MAX);
	int ends[2] = {-1, -1}, status = 0;
	const pid_t process = text && pipe2(ends, O_CLOEXEC) == 0 ? fork() : -1;
	size_t size = 0;
	bool whole;

	if (process == 0)
		_exit(work(point, ends[1]));
	if (process < 0) {
		result->status = SUITE_FAILED;
		snprintf(result->what, sizeof(result->what), "no process for it: %s",
			 strerror(errno));
		free(text);
		return;
	}
	(void)close(ends[1]);
	whole = take_answer(ends[0], result, text, &size);
	(void)close(ends[0]);
	while (waitpid(process, &status, 0) < 0 && errno == EINTR)
		;
	if (whole && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		take_text(text, size, details);
	else
		fail(point, result, status, details);
	free(text);
	atomic_fetch_add_explicit(done, result->cases, memory_order_relaxed);
}
