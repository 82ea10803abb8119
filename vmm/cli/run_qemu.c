/* SPDX-License-Identifier: BSD-2-Clause */
/* QEMU's command line words: see run_qemu.h. */
#include "cli/run_qemu.h"

#include <limits.h>
#include <string.h>

#include "device/virtio.h"

struct qemu_word;

#define NET_WORD 512 /* bytes of the value of --net, and of the words that make it */

/* What has been made so far. */
struct qemu_words {
	char **words;
	int count;
	unsigned int disks;
	bool no_serial, console;     /* -serial none; a virtio console */
	const struct qemu_word *net; /* that made the network; NULL: none so far */
	char *net_word;		     /* ... the value of --net, of NET_WORD bytes */
	const char *net_id,
		*card_id; /* of -netdev, and of the card that it is for; up to a comma */
	char *why;
	size_t size;
};

struct qemu_word {
	const char *word;
	bool has_value;
	/* Its replacement, followed by the value; without take and hint too, it is dropped. */
	const char *becomes;
	/* Or a function looks at its value. 0, or -1 and why. */
	int (*take)(struct qemu_words *to, const struct qemu_word *word, char *value);
	const char *hint; /* or a message to refuse it with */
};

static void add(struct qemu_words *to, const char *word)
{
	to->words[to->count++] = (char *)(uintptr_t)word;
}

static int refuse(struct qemu_words *to, const struct qemu_word *word, const char *value,
		  const char *what)
{
	(void)snprintf(to->why, to->size, "%s%s%s: %s", word->word, value ? " " : "",
		       value ? value : "", what);
	return -1;
}

/* -smp N or cpus=N. The topology cannot be chosen. */
static int take_smp(struct qemu_words *to, const struct qemu_word *word, char *value)
{
	if (strncmp(value, "cpus=", 5) == 0)
		value += 5;
	if (value[strcspn(value, ",=")])
		return refuse(to, word, value, "only their number is to be chosen: --cpus N");
	add(to, "--cpus");
	add(to, value);
	return 0;
}

/* The words that replace one of the machine's properties, if any. */
struct qemu_property {
	const char *text, *option, *value;
};

static int take_machine(struct qemu_words *to, const struct qemu_word *word, char *value)
{
	static const struct qemu_property properties[] = {
		{"virt", NULL, NULL},
		{"type=virt", NULL, NULL},
		{"gic-version=3", NULL, NULL},
		{"gic-version=max", NULL, NULL},
		{"gic-version=2", "--irqchip", "gicv2"},
		{"virtualization=on", "--el", "2"},
		{"virtualization=off", NULL, NULL},
		{"secure=off", NULL, NULL},
		{"accel=tcg", NULL, NULL},
		{"accel=kvm", "--engine", "kvm"},
		{"acpi=off", "--no-acpi", NULL},
		{"acpi=on", NULL, NULL},
		{"acpi=auto", NULL, NULL},
	};
	const size_t count = sizeof(properties) / sizeof(properties[0]);
	const char *becomes[2 * QEMU_MORE]; /* the value is a word, too */
	size_t words = 0;

	for (const char *at = value; *at; at += at[0] == ',') {
		const size_t length = strcspn(at, ",");
		size_t i = 0;

		while (i < count &&
		       (strncmp(at, properties[i].text, length) != 0 || properties[i].text[length]))
			i++;
		if (i == count)
			return refuse(to, word, value,
				      "the machine is QEMU's virt, in part; of its properties "
				      "there are gic-version, virtualization, acpi and accel");
		if (properties[i].option && words + 2 > sizeof(becomes) / sizeof(becomes[0]))
			return refuse(to, word, value, "two properties that matter at most");
		if (properties[i].option)
			becomes[words++] = properties[i].option;
		if (properties[i].value)
			becomes[words++] = properties[i].value;
		at += length;
	}
	for (size_t i = 0; i < words; i++)
		add(to, becomes[i]);
	return 0;
}

static int take_accel(struct qemu_words *to, const struct qemu_word *word, char *value)
{
	const size_t length = strcspn(value, ",");

	if (length != 3 ||
	    (strncmp(value, "kvm", length) != 0 && strncmp(value, "tcg", length) != 0))
		return refuse(to, word, value, "neither tcg nor kvm; --engine is vspe's word");
	add(to, "--engine");
	add(to, *value == 'k' ? "kvm" : "soft");
	return 0;
}

/* QEMU's name for the best CPU. */
static int take_cpu(struct qemu_words *to, const struct qemu_word *word, char *value)
{
	(void)word;
	if (strcmp(value, "max") == 0 || strcmp(value, "host") == 0)
		return 0;
	add(to, "--cpu");
	add(to, value);
	return 0;
}

static int take_console(struct qemu_words *to, const struct qemu_word *word, char *value)
{
	static const char *const same[] = {"stdio", "pty", "none", "file:", "tcp:"};

	if (strcmp(value, "mon:stdio") == 0)
		return 0;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		const size_t length = strlen(same[i]);

		if (strncmp(value, same[i], length) == 0 &&
		    (same[i][length - 1] == ':' ? !strchr(value, ',') : !value[length])) {
			to->no_serial = same[i][0] == 'n';
			add(to, "--serial");
			add(to, value);
			return 0;
		}
	}
	return refuse(to, word, value,
		      "there are stdio, mon:stdio, pty, none, file:FILE and tcp:HOST:PORT");
}

/* Words of -drive that --disk has, or that mean nothing here. */
static const struct {
	const char *text, *becomes;
} drive_words[] = {
	{"if=virtio", ""},	{"format=raw", ""},	 {"media=disk", ""},
	{"readonly=off", ""},	{"read-only=off", ""},	 {"snapshot=off", ""},
	{"readonly=on", ",ro"}, {"read-only=on", ",ro"}, {"snapshot=on", ",snapshot"},
};

/* Add a word of -drive to that of --disk. False if it has no equivalent. */
static bool add_drive_word(char *disk, size_t size, const char *text, size_t length)
{
	const size_t count = sizeof(drive_words) / sizeof(drive_words[0]), used = strlen(disk);

	for (size_t i = 0; i < count; i++) {
		if (strncmp(text, drive_words[i].text, length) != 0 || drive_words[i].text[length])
			continue;
		(void)snprintf(disk + used, size - used, "%s", drive_words[i].becomes);
		return true;
	}
	return length > 3 && strncmp(text, "id=", 3) == 0;
}

/*
 * -drive if=pflash,file=FILE: firmware, if it is readonly=on or unit=0, or its variables. The name
 * at file has length letters.
 */
static int take_flash(struct qemu_words *to, const char *value, const char *file, size_t length)
{
	static char names[2][PATH_MAX];
	const bool firmware = strstr(value, "readonly=on") || strstr(value, "unit=0");
	char *name = names[firmware];

	(void)snprintf(name, sizeof(names[0]), "%.*s", (int)length, file);
	add(to, firmware ? "--bios" : "--bios-vars");
	add(to, name);
	return 0;
}

/* -drive file=FILE,if=virtio,format=raw. On that board a disk is virtio's without if=, too. */
static int take_drive(struct qemu_words *to, const struct qemu_word *word, char *value)
{
	static char disks[DEVICE_VIRTIO][PATH_MAX + 64];
	char *file = strncmp(value, "file=", 5) == 0 ? value : strstr(value, ",file=");
	char *disk;
	size_t length;

	if (!file)
		return refuse(to, word, value, "no file=FILE; --disk is vspe's word");
	file = strchr(file, '=') + 1;
	length = strcspn(file, ",");
	if (file[length] == ',' && file[length + 1] == ',')
		return refuse(to, word, value, "a name with a comma; --disk has none, either");
	if (length == 0 || length >= PATH_MAX || to->disks == DEVICE_VIRTIO)
		return refuse(to, word, value,
			      length == 0 ? "an empty name"
					  : "a name that is too long, or more than 8 disks");
	if (strncmp(value, "if=pflash", 9) == 0 || strstr(value, ",if=pflash"))
		return take_flash(to, value, file, length);
	disk = disks[to->disks++];
	(void)snprintf(disk, sizeof(disks[0]), "%.*s", (int)length, file);
	for (const char *at = value; *at; at += *at == ',') {
		const size_t size = strcspn(at, ",");

		if (at + 5 != file && !add_drive_word(disk, sizeof(disks[0]), at, size))
			return refuse(
				to, word, value,
				"beside file=FILE there are if=virtio, format=raw, readonly=on "
				"and snapshot=on; --disk is vspe's word");
		at += size;
	}
	add(to, "--disk");
	add(to, disk);
	return 0;
}

/* Values of -device: their replacement, if any, or a message about them. */
static const struct qemu_device {
	const char *name;
	bool beginning; /* more may follow */
	const char *option, *value, *hint;
} qemu_devices[] = {
	{"virtio-rng-device", false, "--rng", NULL, NULL},
	{"virtio-rng-pci", false, "--rng", NULL, NULL},
	{"virtio-serial", false, NULL, NULL, NULL}, /* the bus of the next */
	{"virtio-serial-device", false, NULL, NULL, NULL},
	{"virtio-serial-pci", false, NULL, NULL, NULL},
	{"virtconsole", false, "--console", "virtio", NULL},
	{"virtconsole,chardev=", true, "--console", "virtio", NULL},
	{"virtserialport", true, NULL, NULL, "there is one port, a console: virtconsole"},
	{"virtio-blk", true, NULL, NULL,
	 "-drive with if=virtio makes a disk, or vspe's --disk FILE"},
	{"", true, NULL, NULL,
	 "there is no such device; --disk, --rng, --console, --net and --share make virtio's"},
};

static bool is_word(const char *at, size_t length, const char *word)
{
	return strlen(word) == length && strncmp(at, word, length) == 0;
}

static bool begins_with(const char *text, const char *start)
{
	while (*start && *text == *start)
		text++, start++;
	return !*start;
}

static size_t name_length(const char *name)
{
	return strcspn(name, ",");
}

/*
 * Take the words of a network or its card, each after a comma from *at on. Those that --net has are
 * added to its value. The text after name goes to *id.
 */
static int take_net_words(struct qemu_words *to, const struct qemu_word *word, char *value,
			  const char *at, const char *name, const char **id)
{
	static char net_word[NET_WORD];

	if (!to->net_word)
		to->net_word = strcpy(net_word, "user");
	while (*at == ',') {
		const size_t length = strcspn(++at, ","), used = strlen(to->net_word);

		if (begins_with(at, name)) {
			*id = at + strlen(name);
		} else if (begins_with(at, "hostfwd=") || begins_with(at, "restrict=") ||
			   begins_with(at, "mac=")) {
			if (length + 1 >= NET_WORD - used)
				return refuse(to, word, value, "more than there is room for");
			(void)snprintf(to->net_word + used, NET_WORD - used, ",%.*s", (int)length,
				       at);
		} else if (!is_word(at, length, "ipv6=off") &&
			   !is_word(at, length, "model=virtio-net-device") &&
			   !is_word(at, length, "model=virtio-net-pci") &&
			   !is_word(at, length, "model=virtio")) {
			return refuse(to, word, value,
				      "there are hostfwd=, restrict= and mac=, of a virtio card; "
				      "--net user is vspe's word");
		}
		at += length;
	}
	return 0;
}

/* -device virtio-net-device,netdev=ID[,mac=ADDR], or as a card of PCI. */
static int take_card(struct qemu_words *to, const struct qemu_word *word, char *value)
{
	if (to->card_id)
		return refuse(to, word, value, "a second network; there is one");
	if (take_net_words(to, word, value, value + name_length(value), "netdev=", &to->card_id) <
	    0)
		return -1;
	return to->card_id ? 0 : refuse(to, word, value, "no netdev=ID; --net user is vspe's word");
}

static int take_device(struct qemu_words *to, const struct qemu_word *word, char *value)
{
	const struct qemu_device *row = qemu_devices;

	if (is_word(value, name_length(value), "virtio-net-device") ||
	    is_word(value, name_length(value), "virtio-net-pci"))
		return take_card(to, word, value);
	while (row->beginning ? strncmp(row->name, value, strlen(row->name)) != 0
			      : strcmp(row->name, value) != 0)
		row++;
	if (row->hint)
		return refuse(to, word, value, row->hint);
	to->console = to->console || row->value;
	if (row->option)
		add(to, row->option);
	if (row->value)
		add(to, row->value);
	return 0;
}

/* Both ends of every console are the same: standard input and output. */
static int take_chardev(struct qemu_words *to, const struct qemu_word *word, char *value)
{
	return strncmp(value, "stdio,id=", 9) == 0
		       ? 0
		       : refuse(to, word, value,
				"there is stdio,id=ID; --serial is vspe's word for others");
}

/* -nic user, which includes a card, and -netdev user,id=ID, whose card is a -device. */
static int take_network(struct qemu_words *to, const struct qemu_word *word, char *value)
{
	const bool nic = strcmp(word->word, "-nic") == 0;
	const char *id = NULL;

	if (strcmp(value, "none") == 0)
		return 0;
	if (!is_word(value, name_length(value), "user"))
		return refuse(to, word, value, "there is user; --net user is vspe's word");
	if (to->net)
		return refuse(to, word, value, "a second network; there is one");
	to->net = word;
	if (take_net_words(to, word, value, value + name_length(value), "id=", &id) < 0)
		return -1;
	if (!nic && !id)
		return refuse(to, word, value, "no id=ID, which its card names");
	to->net_id = nic ? NULL : id;
	return 0;
}

/* QEMU's old word, whose cards are -net nic. */
static int take_net(struct qemu_words *to, const struct qemu_word *word, char *value)
{
	return strcmp(value, "none") == 0 ? 0
					  : refuse(to, word, value, "-nic user makes a network");
}

/* Add the network and its card, when both have been seen. */
static int add_network(struct qemu_words *to)
{
	const char *net = to->net_id, *card = to->card_id;

	if (!to->net && !card)
		return 0;
	if (!to->net || !net != !card ||
	    (net && !(name_length(net) == name_length(card) &&
		      strncmp(net, card, name_length(net)) == 0))) {
		(void)snprintf(to->why, to->size,
			       "%s: a network by -netdev user,id=ID and a card by -device "
			       "virtio-net-device,netdev=ID are not there together",
			       card ? "-device" : "-netdev");
		return -1;
	}
	add(to, "--net");
	add(to, to->net_word);
	return 0;
}

/* The equivalent in --share of a word of -virtfs. "": it needs none. NULL: it has none. */
static const char *share_word(const char *at, size_t length)
{
	static const struct {
		const char *text, *becomes;
	} rows[] = {
		{"security_model=none", ""}, {"security_model=passthrough", ""},
		{"readonly=off", ""},	     {"multidevs=warn", ""},
		{"readonly=on", "ro"},	     {"readonly", "ro"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (is_word(at, length, rows[i].text))
			return rows[i].becomes;
	return begins_with(at, "id=") ? "" : NULL;
}

/* -virtfs local,path=DIR,mount_tag=TAG,security_model=none[,readonly=on] */
static int take_virtfs(struct qemu_words *to, const struct qemu_word *word, char *value)
{
	static char share[PATH_MAX + 64];
	const char *at = value + name_length(value), *path = strstr(value, ",path="), *becomes;

	if (!is_word(value, name_length(value), "local"))
		return refuse(to, word, value, "there is local; --share is vspe's word");
	if (!path)
		return refuse(to, word, value, "no path=DIR; --share is vspe's word");
	path += strlen(",path=");
	if (strlen(value) >= sizeof(share))
		return refuse(to, word, value, "a name that is too long");
	(void)snprintf(share, sizeof(share), "%.*s", (int)name_length(path), path);
	for (; *at == ','; at += name_length(at)) {
		const size_t length = name_length(++at), used = strlen(share);

		if (at == path - strlen("path="))
			continue;
		becomes = share_word(at, length);
		if (begins_with(at, "mount_tag="))
			(void)snprintf(share + used, sizeof(share) - used, ",tag=%.*s",
				       (int)length - 10, at + 10);
		else if (becomes && becomes[0])
			(void)snprintf(share + used, sizeof(share) - used, ",%s", becomes);
		else if (!becomes)
			return refuse(to, word, value,
				      "there are path=, mount_tag=, security_model=none and "
				      "readonly=on; --share is vspe's word");
	}
	add(to, "--share");
	add(to, share);
	return 0;
}

static int take_display(struct qemu_words *to, const struct qemu_word *word, char *value)
{
	return strcmp(value, "none") == 0
		       ? 0
		       : refuse(to, word, value, "there is no display; -display none goes");
}

static const struct qemu_word qemu_table[] = {
	{"-kernel", true, "--kernel", NULL, NULL},
	{"-append", true, "--params", NULL, NULL},
	{"-initrd", true, "--initrd", NULL, NULL},
	{"-seed", true, "--seed", NULL, NULL},
	{"-smp", true, NULL, take_smp, NULL},
	{"-M", true, NULL, take_machine, NULL},
	{"-machine", true, NULL, take_machine, NULL},
	{"-cpu", true, NULL, take_cpu, NULL},
	{"-accel", true, NULL, take_accel, NULL},
	{"-serial", true, NULL, take_console, NULL},
	{"-display", true, NULL, take_display, NULL},
	{"-no-reboot", false, "--no-reboot", NULL, NULL},
	{"-nographic", false, NULL, NULL, NULL},
	{"-nodefaults", false, NULL, NULL, NULL},
	{"-no-user-config", false, NULL, NULL, NULL},
	{"-enable-kvm", false, NULL, NULL, "QEMU's word; vspe's is --engine kvm"},
	{"-rtc", true, NULL, NULL, "QEMU's word; vspe's is --rtc EPOCH"},
	{"-dtb", true, NULL, NULL, "vspe makes the device tree itself; --dump-dtb writes it"},
	{"-icount", true, NULL, NULL, "time is counted in operations in any case"},
	{"-monitor", true, NULL, NULL, "there is no monitor"},
	{"-device", true, NULL, take_device, NULL},
	{"-chardev", true, NULL, take_chardev, NULL},
	{"-drive", true, NULL, take_drive, NULL},
	{"-snapshot", false, NULL, NULL, "QEMU's word; vspe's is --disk FILE,snapshot"},
	{"-net", true, NULL, take_net, NULL},
	{"-nic", true, NULL, take_network, NULL},
	{"-netdev", true, NULL, take_network, NULL},
	{"-virtfs", true, NULL, take_virtfs, NULL},
	{"-fsdev", true, NULL, NULL, "-virtfs makes a folder and its device"},
	{"-bios", true, "--bios", NULL, NULL},
	{"-jitdump", false, "--jitdump", NULL, NULL},
	{"-perfmap", false, NULL, NULL,
	 "perf has no such map for memory that is in a file; --jitdump is for perf inject"},
};

static const struct qemu_word *find(const char *text)
{
	for (size_t i = 0; i < sizeof(qemu_table) / sizeof(qemu_table[0]); i++)
		if (strcmp(qemu_table[i].word, text) == 0)
			return &qemu_table[i];
	return NULL;
}

/*
 * Is a word one of vspe's options, by its name, a beginning of it or its letter, with its value in
 * the next word?
 */
static bool takes_next(const struct cli_parser *parser, const char *text)
{
	const bool name = strncmp(text, "--", 2) == 0;

	if (text[0] != '-' || (!name && (!text[1] || text[2])))
		return false;
	for (size_t list = 0; list < CLI_ROW_LISTS; list++) {
		for (size_t i = 0; i < parser->lists[list].count; i++) {
			const struct cli_option *row = &parser->lists[list].rows[i];

			if (row->argument == CLI_VALUE &&
			    (name ? begins_with(row->name, text + 2) : row->letter == text[1]))
				return true;
		}
	}
	return false;
}

static int translate(struct qemu_words *to, const struct qemu_word *word, char *value)
{
	if (word->has_value && !value)
		return refuse(to, word, NULL, "needs a value");
	if (word->hint)
		return refuse(to, word, NULL, word->hint);
	if (word->take)
		return word->take(to, word, value);
	if (word->becomes)
		add(to, word->becomes);
	if (word->becomes && value)
		add(to, value);
	return 0;
}

/* why is written to. NOLINTNEXTLINE(readability-non-const-parameter) */
int run_qemu_words(const struct cli_parser *parser, int argc, char **argv, char **words, char *why,
		   size_t size)
{
	struct qemu_words to = {.words = words, .why = why, .size = size};
	int i = 0;

	while (i < argc && strcmp(argv[i], "--") != 0) {
		const struct qemu_word *word = find(argv[i]);

		if (!word) {
			if (takes_next(parser, argv[i]) && i + 1 < argc)
				words[to.count++] = argv[i++];
			words[to.count++] = argv[i++];
			continue;
		}
		if (translate(&to, word, word->has_value ? argv[i + 1] : NULL) < 0)
			return -1;
		i += 1 + word->has_value;
	}
	if (add_network(&to) < 0)
		return -1;
	while (i < argc)
		words[to.count++] = argv[i++];
	if (to.console && to.no_serial)
		return refuse(&to, find("-serial"), (char[]){"none"},
			      "it is the other end of a virtconsole, too");
	words[to.count] = NULL;
	return to.count;
}
