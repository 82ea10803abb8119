/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe run --share: a folder of the host. */
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/run.h"

/* Take a word after the name, of length bytes. NULL, or what is wrong with it. */
static const char *take_word(struct run_share *share, const char *word, size_t length)
{
	static const char tag[] = "tag=";
	const size_t prefix = sizeof(tag) - 1;

	if (length == 2 && strncmp(word, "ro", length) == 0) {
		share->read_only = true;
	} else if (length >= prefix && strncmp(word, tag, prefix) == 0) {
		if (length == prefix || length - prefix > VIRTIO_TAG)
			return "a tag has 1 to 31 bytes";
		memcpy(share->tag, word + prefix, length - prefix);
		share->tag[length - prefix] = '\0';
	} else {
		return "after the folder's name come ro and tag=TAG";
	}
	return NULL;
}

const char *run_share_take(struct run_options *options, const char *word)
{
	struct run_share share = {.wanted = true, .word = word, .tag = "share"};
	const size_t length = strcspn(word, ",");
	const char *at = word + length, *wrong = NULL;

	if (options->share.wanted)
		return "a second folder; there is one";
	if (length == 0)
		return "an empty name";
	if (length >= sizeof(share.path))
		return "a name that is too long";
	memcpy(share.path, word, length);
	while (*at && !wrong) {
		const size_t size = strcspn(++at, ",");

		wrong = take_word(&share, at, size);
		at += size;
	}
	if (!wrong)
		options->share = share;
	return wrong;
}

static int refuse(const char *name, const char *what)
{
	cli_message(stderr, "vspe run: --share %s: %s", name, what);
	return CLI_USAGE;
}

static const char *check(const struct run_options *options)
{
	if (options->save)
		return "not with --save: what is open is in no image";
	if (options->migrate_to)
		return "not with --migrate-to: what is open stays here";
	if (options->restore)
		return "not with --restore: no image has a folder";
	if (options->incoming)
		return "not with --incoming: no machine that is sent has a folder";
	if (options->recording.record)
		return "not with --record: what a folder has in it is not recorded";
	return options->recording.replay ? "not with --replay: no recording has a folder" : NULL;
}

int run_share_open(struct run_options *options)
{
	const struct share_config config = {
		.path = options->share.path,
		.read_only = options->share.read_only,
		.free = options->sandbox == CLI_SANDBOX_OFF,
		.user = options->user.given ? &options->user : NULL,
		.answer_ms = SHARE_ANSWER_MS,
	};
	const char *wrong = check(options);
	char why[256];

	if (!options->share.wanted)
		return CLI_GO_ON;
	if (wrong)
		return refuse(options->share.word, wrong);
	options->folder = share_open(&config, why, sizeof(why));
	return options->folder ? CLI_GO_ON : refuse(options->share.path, why);
}

void run_share_close(struct run_options *options)
{
	share_close(options->folder);
	options->folder = NULL;
}
