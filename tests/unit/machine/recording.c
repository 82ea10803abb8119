/* SPDX-License-Identifier: BSD-2-Clause */
/* What comes from outside, recorded and replayed. */
#include <string.h>

#include "../compare.h"
#include "../../state/seal.h"
#include "machine/recording.h"
#include "machine_fixture.h"

static FILE *file;
static enum machine_end ended;
static char recorded_why[256], replayed[256];
static size_t replayed_count;
static unsigned int looks;
static const char *typed;

/* Input and a break come in turns; the user quits when there is no more. */
static enum machine_console_event poll_typing(void *ctx, int timeout_ms, uint8_t *bytes,
					      size_t room, size_t *got)
{
	(void)ctx;
	*got = 0;
	if (timeout_ms == 0 || !typed || room == 0)
		return MACHINE_CONSOLE_NONE;
	if (*typed == '\0')
		return MACHINE_CONSOLE_QUIT;
	if (*typed == '!') {
		typed++;
		return MACHINE_CONSOLE_BREAK;
	}
	bytes[0] = (uint8_t)*typed++;
	*got = 1;
	return MACHINE_CONSOLE_NONE;
}

/* Nothing of a replay's console is used; that it is looked at is counted. */
static enum machine_console_event poll_nothing(void *ctx, int timeout_ms, uint8_t *bytes,
					       size_t room, size_t *got)
{
	(void)ctx, (void)bytes;
	cr_expect_eq(timeout_ms, 0);
	cr_expect_eq(room, 0);
	*got = 0;
	looks++;
	return MACHINE_CONSOLE_NONE;
}

static bool always_open(void *ctx)
{
	(void)ctx;
	return true;
}

/* Echoes what it is sent, and spins for as many operations as that. */
static int guest_echo(struct engine_vcpu *vcpu)
{
	const struct engine_host *host = &vcpu->vm->host;
	uint64_t value;

	if (vcpu->step == 0) {
		open_gic(vcpu);
		write_mmio(vcpu, 0x08000084, 2);
		write_mmio(vcpu, 0x08000104, 2);
		write_mmio(vcpu, UART + 0x30, 0x301);
		write_mmio(vcpu, UART + 0x38, 1u << 6 | 1u << 4 | 1u << 9);
		return ENGINE_EXIT_WFI;
	}
	if (vcpu->x[5] > 0) {
		vcpu->x[5]--;
		return vcpu->x[5] ? GO_ON : ENGINE_EXIT_WFI;
	}
	if (!vcpu->irq)
		return ENGINE_EXIT_WFI;
	cr_assert_eq(read_sysreg(vcpu, IAR1), 33);
	cr_assert_eq(host->mmio_read(host->ctx, 0, UART, 4, &value), ENGINE_OK);
	write_mmio(vcpu, UART, value & 0x400 ? '!' : value & 0xff);
	write_mmio(vcpu, UART + 0x44, 0x7ff);
	write_sysreg(vcpu, EOIR1, 33);
	vcpu->x[5] = value & 0xff;
	return value == 'q' ? power_off(vcpu) : GO_ON;
}

static struct machine_config echo_config(void)
{
	struct machine_config c = config(1);

	c.console.poll = poll_typing;
	c.console.open = always_open;
	fake_guest = guest_echo;
	return c;
}

static void record(const struct machine_config *c, const char *input_typed)
{
	typed = input_typed;
	output_count = 0;
	machine = machine_create(c, why, sizeof(why));
	cr_assert_not_null(machine, "%s", why);
	file = tmpfile();
	cr_assert_eq(machine_record(machine, file, "vspe run \033guest", why, sizeof(why)), 0, "%s",
		     why);
	ended = machine_run(machine, recorded_why, sizeof(recorded_why));
	machine_stats(machine, &stats);
	machine_destroy(machine);
	rewind(file);
	memcpy(replayed, output, sizeof(output));
	replayed_count = output_count;
}

/* 0, or -1 if it is refused. */
static int begin_replay(struct machine_config c)
{
	c.console.poll = poll_nothing;
	typed = NULL;
	output_count = 0;
	looks = 0;
	machine = machine_create(&c, why, sizeof(why));
	cr_assert_not_null(machine, "%s", why);
	return machine_replay(machine, file, why, sizeof(why));
}

static void expect_same(const struct machine_config *c)
{
	struct machine_stats again;

	cr_assert_eq(begin_replay(*c), 0, "%s", why);
	cr_expect_eq(machine_run(machine, why, sizeof(why)), ended, "%s", why);
	cr_expect_str_eq(why, recorded_why);
	machine_stats(machine, &again);
	cr_expect_eq(again.time, stats.time);
	cr_expect_eq(again.idle, stats.idle);
	cr_expect_eq(again.vcpu[0].operations, stats.vcpu[0].operations);
	cr_expect_eq(output_count, replayed_count);
	cr_expect_arr_eq(output, replayed, output_count);
	cr_expect_gt(looks, 0);
	machine_destroy(machine);
	(void)fclose(file);
}

TestSuite(recording, .init = machine_fixture_begin, .fini = machine_fixture_end);

Test(recording, input_comes_where_it_came)
{
	const struct machine_config c = echo_config();

	record(&c, "ab!cq");
	cr_assert_eq(ended, MACHINE_POWER_OFF, "%s", recorded_why);
	cr_assert_arr_eq(output, "ab!cq", 5);
	expect_same(&c);
}

Test(recording, idle_time_lasts_as_long)
{
	struct machine_config c = echo_config();

	c.choices.realtime = true;
	record(&c, "ab!cq");
	cr_assert_eq(ended, MACHINE_POWER_OFF, "%s", recorded_why);
	c.choices.realtime = false; /* the recording says it */
	expect_same(&c);
}

Test(recording, who_quits_is_repeated)
{
	const struct machine_config c = echo_config();

	record(&c, "ab");
	cr_assert_eq(ended, MACHINE_QUIT);
	expect_same(&c);
}

/* Somebody is in a hurry in the midst of a turn, and ends it. */
static int guest_hurries(struct engine_vcpu *vcpu)
{
	if (vcpu->step == 1234)
		machine_hurry(machine);
	return GO_ON;
}

static enum machine_console_event poll_quits(void *ctx, int timeout_ms, uint8_t *bytes, size_t room,
					     size_t *got)
{
	(void)ctx, (void)timeout_ms, (void)bytes, (void)room;
	*got = 0;
	return ++looks == 2 ? MACHINE_CONSOLE_QUIT : MACHINE_CONSOLE_NONE;
}

static int guest_spins(struct engine_vcpu *vcpu)
{
	(void)vcpu;
	return GO_ON;
}

Test(recording, the_midst_of_a_turn_is_found_again)
{
	struct machine_config c = config(1);

	looks = 0;
	c.console.poll = poll_quits;
	fake_guest = guest_hurries;
	record(&c, NULL);
	cr_assert_eq(ended, MACHINE_QUIT);
	cr_assert_lt(stats.vcpu[0].operations, 2000);
	fake_guest = guest_spins;
	expect_same(&c);
}

/* A turn that is cut off by somebody in a hurry is the same vCPU's when it goes on. */
static int guest_of_two(struct engine_vcpu *vcpu)
{
	if (vcpu->index == 0 && vcpu->step == 0)
		return psci(vcpu, 0xc4000003, 1, 0x40080000, 0);
	if (vcpu->index == 0 && vcpu->step == 100)
		machine_hurry(machine);
	return vcpu->index == 0 && vcpu->step == 20000 ? power_off(vcpu) : GO_ON;
}

Test(recording, a_turn_goes_on_behind_a_hurry)
{
	struct machine_config c = config(2);

	fake_guest = guest_of_two;
	fake_trace_count = 0;
	cr_assert_eq(run_config(&c), MACHINE_POWER_OFF, "%s", why);
	cr_assert_gt(fake_trace_count, 10000);
	for (size_t i = 0; i < 10000; i++)
		cr_assert_eq(fake_trace[i], 0, "operation %zu", i);
	machine_destroy(machine);
}

Test(recording, another_machine_is_refused)
{
	struct machine_config c = echo_config(), other = c;

	record(&c, "q");
	other.choices.cpus = 2;
	cr_expect_eq(begin_replay(other), -1);
	cr_expect_str_eq(why, "of another machine: it has cpus 1, this one cpus 2; it was made by: "
			      "vspe run \\x1bguest");
	machine_destroy(machine);
	rewind(file);
	other = c;
	other.choices.params = "quiet";
	cr_expect_eq(begin_replay(other), -1);
	cr_expect_str_has(why, "it has params , this one params quiet;");
	machine_destroy(machine);
	(void)fclose(file);
}

Test(recording, another_guest_is_noticed)
{
	const struct machine_config c = echo_config();

	record(&c, "abq");
	cr_assert_eq(begin_replay(c), 0, "%s", why);
	fake_guest = guest_spins;
	cr_expect_eq(machine_run(machine, why, sizeof(why)), MACHINE_ERROR);
	cr_expect_str_has(why, "not the run that was recorded");
	machine_destroy(machine);
	(void)fclose(file);
}

Test(recording, what_is_no_recording_is_refused)
{
	const struct machine_config c = echo_config();

	file = tmpfile();
	cr_expect_eq(fputs("VSPESAVE\4\0\0\0", file) < 0, 0);
	rewind(file);
	cr_expect_eq(begin_replay(c), -1);
	cr_expect_str_eq(why, "truncated");
	machine_destroy(machine);
	(void)fclose(file);
	file = tmpfile();
	cr_expect_eq(fwrite("VSPESAVE\4\0\0\0", 1, 12, file), 12);
	rewind(file);
	cr_expect_eq(begin_replay(c), -1);
	cr_expect_str_eq(why, "a saved machine, not a recording");
	machine_destroy(machine);
	(void)fclose(file);
}

/* Every byte changed, with a checksum that is right or wrong; cut off at every byte. */
Test(recording, damage_is_refused_or_found)
{
	const struct machine_config c = echo_config();
	uint8_t whole[4096], damaged[4096];
	size_t size;

	record(&c, "a!q");
	size = fread(whole, 1, sizeof(whole), file);
	cr_assert_gt(size, 100);
	cr_assert_lt(size, sizeof(whole));
	(void)fclose(file);
	for (size_t at = 0; at < 3 * size; at++) {
		const size_t length = at / size == 2 ? at % size : size;

		memcpy(damaged, whole, size);
		if (at / size < 2)
			damaged[at % size] ^= 0x41;
		if (at / size == 1)
			seal(damaged, size);
		file = tmpfile();
		cr_assert_eq(fwrite(damaged, 1, length, file), length);
		rewind(file);
		/* Some are not looked at: of the command, and of what is typed. */
		if (begin_replay(c) == 0 && machine_run(machine, why, sizeof(why)) != MACHINE_ERROR)
			cr_expect_eq(at / size, 1, "byte %zu", at % size);
		else
			cr_expect_neq(why[0], '\0', "byte %zu", at % size);
		machine_destroy(machine);
		(void)fclose(file);
	}
}

#define EVENT_SITE    4 /* where the fields of an event are */
#define EVENT_ELAPSED 16
#define EVENT_VALUE   24

/* Of a recording in file, its bytes, and where the contents of event n of a kind are. */
static size_t find_event(uint8_t *image, size_t room, unsigned int kind, uint8_t **event)
{
	const size_t size = fread(image, 1, room, file);
	size_t starts[64], count = seal_sections(image, size, starts, 64);

	*event = NULL;
	for (size_t n = 0; n < count && !*event; n++)
		if (memcmp(image + starts[n], "EVNT", 4) == 0 &&
		    image[starts[n] + STATE_FILE_SECTION] == kind)
			*event = image + starts[n] + STATE_FILE_SECTION;
	cr_assert_not_null(*event);
	(void)fclose(file);
	return size;
}

static void expect_error(const struct machine_config *c, uint8_t *image, size_t size,
			 const char *text)
{
	seal(image, size);
	file = tmpfile();
	cr_assert_eq(fwrite(image, 1, size, file), size);
	rewind(file);
	cr_assert_eq(begin_replay(*c), 0, "%s", why);
	cr_expect_eq(machine_run(machine, why, sizeof(why)), MACHINE_ERROR);
	cr_expect_str_has(why, text);
	machine_destroy(machine);
	(void)fclose(file);
}

/* Input is given where the recording has it, and nowhere else. */
Test(recording, another_place_is_noticed)
{
	const struct machine_config c = echo_config();
	static const size_t fields[] = {EVENT_SITE, EVENT_ELAPSED};
	uint8_t image[4096], *event;

	for (size_t n = 0; n < 2; n++) {
		size_t size;

		record(&c, "aq");
		size = find_event(image, sizeof(image), 1, &event);
		event[fields[n]] += 2;
		expect_error(&c, image, size, "not the run that was recorded");
	}
}

Test(recording, a_wait_ends_within_its_time)
{
	struct machine_config c = echo_config();
	uint8_t image[4096], *event;
	size_t size;

	c.choices.realtime = true;
	record(&c, "aq");
	size = find_event(image, sizeof(image), 5, &event);
	memcpy(event + EVENT_VALUE, event + EVENT_ELAPSED, 8);
	cr_assert_neq(event[EVENT_VALUE], 0);
	event[EVENT_VALUE]--;
	expect_error(&c, image, size, "the recording: a wait that ends");
}

Test(recording, no_more_comes_than_there_is_room_for)
{
	const struct machine_config c = echo_config();
	uint8_t image[4096], *event;
	size_t size, more = 64, end;

	record(&c, "aq");
	size = find_event(image, sizeof(image) - more, 1, &event);
	end = (size_t)(event - image) + event[8 - STATE_FILE_SECTION];
	memmove(image + end + more, image + end, size - end);
	event[8 - STATE_FILE_SECTION] += more;
	expect_error(&c, image, size + more, "there is no room for");
}
