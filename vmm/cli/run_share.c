// SPDX-License-Identifier: BSD-2-Clause
/* vspe run: a folder of the host's, --share. */
#include <string.h>

#include "base/sandbox.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/run.h"

/* A word behind the name, of length bytes. NULL, or what is wrong with it. */
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
		return "behind the folder's name come ro and tag=TAG";
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

int run_share_check(const struct run_options *options)
{
	const char *wrong = NULL;

	if (!options->share.wanted)
		return CLI_GO_ON;
	if (options->save)
		wrong = "not with --save: what is open is in no image";
	else if (options->migrate_to)
		wrong = "not with --migrate-to: what is open stays here";
	else if (options->restore)
		wrong = "not with --restore: no image has a folder";
	else if (options->incoming)
		wrong = "not with --incoming: no machine that is sent has a folder";
	else if (options->recording.record || options->recording.replay)
		wrong = options->recording.record
				? "not with --record: what a folder has in it is not recorded"
				: "not with --replay: no recording has a folder";
	if (!wrong)
		return CLI_GO_ON;
	cli_message(stderr, "vspe run: --share %s: %s", options->share.word, wrong);
	return CLI_USAGE;
}

unsigned int run_share_needs(const struct run_options *options)
{
	const struct run_share *share = &options->share;

	if (!share->wanted)
		return 0;
	return SANDBOX_SHARE | (share->read_only ? 0 : SANDBOX_SHARE_WRITE);
}
