/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of QEMU's command line, and their translation. */
#include <stdlib.h>
#include <string.h>

#include "../compare.h"
#include "cli/run_qemu.h"

#define WORDS 32

static const struct cli_option rows[] = {
	{.name = "params", .letter = 'p', .argument = CLI_VALUE},
	{.name = "tap", .argument = CLI_NO_VALUE},
};

static const struct cli_parser parser = {.lists = {{rows, 2}}};

/* The words of line, between blanks, after translation, with blanks between; or what is wrong. */
static const char *become(const char *line)
{
	static char text[256], why[256], said[512];
	char *argv[WORDS] = {NULL}, *words[QEMU_MORE * WORDS + 1], *save;
	int argc = 0, count;

	(void)snprintf(text, sizeof(text), "%s", line);
	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	count = run_qemu_words(&parser, argc, argv, words, why, sizeof(why));
	if (count < 0)
		return why;
	cr_assert_null(words[count]);
	said[0] = '\0';
	for (int i = 0; i < count; i++) {
		strcat(said, i ? " " : "");
		strcat(said, words[i]);
	}
	return said;
}

Test(run_qemu, words_become_those_of_vspe)
{
	static const char *const lines[][2] = {
		{"run guest.elf --tap", "run guest.elf --tap"},
		{"run -kernel Image -initrd i -append a -seed 3",
		 "run --kernel Image --initrd i --params a --seed 3"},
		{"run -M virt -nographic -m 1G Image", "run -m 1G Image"},
		{"run -machine virt,gic-version=3,virtualization=on k", "run --el 2 k"},
		{"run -M type=virt,accel=kvm", "run --engine kvm"},
		{"run -smp 4 -smp cpus=8", "run --cpus 4 --cpus 8"},
		{"run -cpu max -cpu host -cpu neoverse-n1", "run --cpu neoverse-n1"},
		{"run -accel tcg,thread=single -accel kvm", "run --engine soft --engine kvm"},
		{"run -serial mon:stdio -display none -no-reboot", "run --no-reboot"},
		{"run -drive file=d.img,if=virtio,format=raw k", "run --disk d.img k"},
		{"run -drive id=a,snapshot=on,file=d/e -drive file=f,readonly=on",
		 "run --disk d/e,snapshot --disk f,ro"},
		{"run -device virtio-rng-pci -nic none k", "run --rng k"},
		{"run -chardev stdio,id=c -device virtio-serial-device "
		 "-device virtconsole,chardev=c k",
		 "run --console virtio k"},
		{"run -serial tcp:localhost:4 k", "run --serial tcp:localhost:4 k"},
		{"run -nic user k", "run k --net user"},
		{"run -nic user,model=virtio-net-pci,restrict=on k -- -k",
		 "run k --net user,restrict=on -- -k"},
		{"run -netdev user,id=n0,hostfwd=tcp::5-:6 -device virtio-net-device,netdev=n0 k",
		 "run k --net user,hostfwd=tcp::5-:6"},
		{"run -device virtio-net-pci,mac=2:0,netdev=a -netdev user,id=a,ipv6=off",
		 "run --net user,mac=2:0"},
		{"run -virtfs local,path=a/b,mount_tag=t,security_model=none k",
		 "run --share a/b,tag=t k"},
		{"run -virtfs local,mount_tag=t,readonly=on,id=f,path=a", "run --share a,tag=t,ro"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		cr_expect_str_eq(become(lines[i][0]), lines[i][1]);
}

/* A value is a value, and all words after "--" are files. */
Test(run_qemu, other_words_stay)
{
	static const char *const lines[] = {
		"run -p -append --params -kernel --par -M",
		"run -- -kernel -M",
		"run --params=-M x",
		"run --tap -p",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		cr_expect_str_eq(become(lines[i]), lines[i]);
	cr_expect_str_eq(become("run --tap -nographic"), "run --tap", "this one takes none");
}

Test(run_qemu, what_is_not_here_is_refused_with_its_word)
{
	static const char *const lines[] = {"-drive x",
					    "-drive file=",
					    "-drive file=a,format=qcow2",
					    "-drive file=a,,b",
					    "-drive file=a,file=b",
					    "-drive file=a,if=none",
					    "-snapshot",
					    "-nic tap",
					    "-nic users",
					    "-nic user,smb=a",
					    "-net user",
					    "-netdev user",
					    "-netdev user,id=a",
					    "-netdev tap,id=a",
					    "-device virtio-net-device",
					    "-device virtio-net-device,netdev=a",
					    "-device virtio-net-device,netdev=a -netdev user,id=b",
					    "-device virtio-net-device,netdev=a -netdev user,id=ab",
					    "-nic user -nic user",
					    "-virtfs local",
					    "-virtfs synth,path=a",
					    "-virtfs local,path=a,fmode=0600",
					    "-fsdev local,path=a",
					    "-device x",
					    "-drive file=a,ro,",
					    "-drive ,file=a",
					    "-M",
					    "-M sbsa-ref",
					    "-M virt,its=on",
					    "-smp 2,cores=2",
					    "-serial vc",
					    "-serial tcp:h:1,server",
					    "-display gtk",
					    "-accel x"};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		const char *const said = become(lines[i]);
		char option[32];

		(void)snprintf(option, sizeof(option), "%.*s", (int)strcspn(lines[i], " "),
			       lines[i]);
		cr_expect_str_begins(said, option, "%s", lines[i]);
		cr_expect_str_has(said, ": ");
	}
}
