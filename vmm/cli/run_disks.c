/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe run: the virtio devices, which are --disk and the single ones. */
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/run.h"

#define DISK_WHY 256

/* Devices of which there is at most one, after the disks. */
struct single {
	size_t wanted; /* offset of its flag in struct run_options */
	const char *option, *name;
	struct virtio_device *(*make)(const struct run_options *options); /* NULL: no memory */
	void (*close)(struct virtio_device *device);
};

static void close_plain(struct virtio_device *device)
{
	free(device);
}

static struct virtio_device *make_rng(const struct run_options *options)
{
	return virtio_entropy_make(options->choices.seed);
}

static struct virtio_device *make_console(const struct run_options *options)
{
	(void)options;
	return virtio_console_make();
}

static struct virtio_device *make_net(const struct run_options *options)
{
	struct virtio_device *card = virtio_net_make(options->net.mac, run_net_link(options));

	if (card && options->network)
		network_plug(options->network, card, options->choices.counter_hz);
	return card;
}

static struct virtio_device *make_share(const struct run_options *options)
{
	return virtio_9p_make(options->share.tag, share_server(options->folder));
}

static const struct single singles[] = {
	{offsetof(struct run_options, rng), "--rng", "rng", make_rng, close_plain},
	{offsetof(struct run_options, virtio_console), "--console virtio", "console", make_console,
	 close_plain},
	{offsetof(struct run_options, net.wanted), "--net", "net", make_net, close_plain},
	{offsetof(struct run_options, share.wanted), "--share", "share", make_share, close_plain},
};

#define SINGLES (sizeof(singles) / sizeof(singles[0]))

static bool wants(const struct run_options *options, const struct single *single)
{
	return *(const bool *)((const char *)options + single->wanted);
}

/* Number n of the requested ones. NULL: there are fewer. */
static const struct single *nth_single(const struct run_options *options, unsigned int n)
{
	for (size_t i = 0; i < SINGLES; i++)
		if (wants(options, &singles[i]) && n-- == 0)
			return &singles[i];
	return NULL;
}

const char *run_device_name(const struct run_options *options, unsigned int n, const char **value,
			    int *length)
{
	const bool disk = n < options->disk_count;
	const struct single *single = disk ? NULL : nth_single(options, n - options->disk_count);

	if (!disk && !single)
		return NULL;
	*value = disk ? options->disks[n].word : single->name;
	*length = disk ? (int)options->disks[n].length : (int)strlen(single->name);
	return disk ? "disk" : "device";
}

/* Take a word after the path, of length bytes. NULL, or what is wrong with it. */
static const char *take_word(struct run_disk *disk, const char *word, size_t length)
{
	static const char serial[] = "serial=";
	const size_t prefix = sizeof(serial) - 1;

	if (length == 2 && strncmp(word, "ro", length) == 0) {
		disk->mode = VIRTIO_DISK_READ;
	} else if (length == 8 && strncmp(word, "snapshot", length) == 0) {
		disk->mode = VIRTIO_DISK_SNAPSHOT;
	} else if (length >= prefix && strncmp(word, serial, prefix) == 0) {
		if (length - prefix > VIRTIO_SERIAL)
			return "a serial number of more than 20 characters";
		memcpy(disk->serial, word + prefix, length - prefix);
		disk->serial[length - prefix] = 0;
	} else {
		return "after the file's name come ro, snapshot and serial=TEXT";
	}
	return NULL;
}

const char *run_disk_take(struct run_options *options, const char *word)
{
	struct run_disk disk = {.word = word, .length = strcspn(word, ",")};
	const char *at = word + disk.length, *wrong = NULL;

	(void)snprintf(disk.serial, sizeof(disk.serial), "vspe-disk-%u", options->disk_count);
	if (disk.length == 0)
		return "an empty name";
	if (disk.length >= PATH_MAX)
		return "a name that is too long";
	while (*at && !wrong) {
		const enum virtio_disk_mode before = disk.mode;
		const size_t length = strcspn(++at, ",");

		wrong = take_word(&disk, at, length);
		if (!wrong && before != VIRTIO_DISK_WRITE && disk.mode != before)
			wrong = "either ro or snapshot";
		at += length;
	}
	if (wrong)
		return wrong;
	if (options->disk_count == DEVICE_VIRTIO)
		return "more than 8 disks";
	options->disks[options->disk_count++] = disk;
	return NULL;
}

static const char *disk_path(const struct run_disk *disk, char path[PATH_MAX])
{
	(void)snprintf(path, PATH_MAX, "%.*s", (int)disk->length, disk->word);
	return path;
}

static int refuse(const char *option, const char *value, const char *what)
{
	cli_message(stderr, "vspe run: %s %s: %s", option, value, what);
	return CLI_USAGE;
}

/*
 * No output may overwrite a disk, and no disk that the guest writes to may be a file of the
 * command.
 */
static int check_files(const struct run_options *options, const struct run_disk *disk)
{
	const struct {
		const char *option, *path;
		bool output;
	} files[] = {
		{"--perf-data", options->perf_data, true},
		{"--dump-dtb", options->dump_dtb, true},
		{"--kernel", options->choices.kernel, false},
		{"--initrd", options->choices.initrd, false},
		{"--symbols", options->symbols, false},
		{"--save", options->save, true},
		{"--restore", options->restore, false},
		{"--record", options->recording.record, true},
		{"--replay", options->recording.replay, false},
	};
	char path[PATH_MAX], what[64];

	(void)disk_path(disk, path);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (!files[i].path || !cli_same_file(path, files[i].path) ||
		    (!files[i].output && disk->mode != VIRTIO_DISK_WRITE))
			continue;
		(void)snprintf(what, sizeof(what), "the same file as that of %s", files[i].option);
		return refuse("--disk", path, what);
	}
	return CLI_GO_ON;
}

int run_disks_check(const struct run_options *options)
{
	const struct single *single;
	unsigned int others = 0;
	int code = CLI_GO_ON;
	char what[96], with[64] = "";

	for (; (single = nth_single(options, others)); others++)
		(void)snprintf(with + strlen(with), sizeof(with) - strlen(with), "%s%s",
			       others > 0 ? " and " : "", single->option);
	if (options->disk_count + others > DEVICE_VIRTIO) {
		(void)snprintf(what, sizeof(what), "more than %u disks with %s",
			       DEVICE_VIRTIO - others, with);
		return refuse("--disk", options->disks[options->disk_count - 1].word, what);
	}
	for (unsigned int i = 0; i < options->disk_count && code < 0; i++)
		code = check_files(options, &options->disks[i]);
	return code;
}

int run_disks_open(const struct run_options *options, struct virtio_device **devices)
{
	char path[PATH_MAX], why[DISK_WHY];

	for (unsigned int i = 0; i < options->disk_count; i++) {
		const struct run_disk *disk = &options->disks[i];

		devices[i] = virtio_block_open(disk_path(disk, path), disk->mode, disk->serial, why,
					       sizeof(why));
		if (!devices[i])
			return refuse("--disk", path, why);
		/* The sender keeps an arriving machine's disks until it gives the machine away. */
		if (!options->incoming && devices[i]->lock(devices[i], FILE_LOCK_OWN) < 0)
			return refuse("--disk", path,
				      "in use already: a disk is written to by one at a time");
	}
	devices += options->disk_count;
	for (unsigned int i = 0; nth_single(options, i); i++) {
		const struct single *single = nth_single(options, i);

		devices[i] = single->make(options);
		if (!devices[i]) {
			cli_message(stderr, "vspe run: %s: no memory", single->option);
			return CLI_ENGINE;
		}
	}
	return 0;
}

void run_disks_close(const struct run_options *options, struct virtio_device **devices)
{
	for (unsigned int i = 0; i < options->disk_count; i++)
		virtio_block_close(devices[i]);
	for (unsigned int i = options->disk_count; i < DEVICE_VIRTIO && devices[i]; i++)
		nth_single(options, i - options->disk_count)->close(devices[i]);
}
