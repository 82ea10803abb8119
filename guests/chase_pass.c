/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * chase: lines that PEs pass round. A lock goes from PE to PE, and with it the lines that it
 * protects; and a producer writes lines that its consumers read one after the other.
 */
#include "arch.h"
#include "boot.h"
#include "chase.h"
#include "chase_seen.h"
#include "deadline.h"
#include "gic.h"
#include "nodes.h"
#include "platform.h"
#include "psci.h"
#include "spe.h"
#include "tap.h"

#define LINE	  64
#define MOST	  4 /* PEs */
#define ROUNDS	  200
#define TURN_WORD (LINE / sizeof(uint64_t)) /* in the page of the lock: another line */

static struct part {
	struct pass pass;
	uint64_t buffer;
	struct seen load, store;
	volatile bool ready, set, done;
} parts[MOST];

static unsigned int count;

/* What the PEs do, and which of its instructions are looked at. */
struct play {
	uintptr_t first, others; /* functions: of PE 0, and of the others */
	const char *load, *store;
};
static const struct play *play;

const char *pass_needs(void)
{
	return platform_cpus() < 3 ? "fewer than three CPUs" : NULL;
}

/*
 * Begin together. Whoever comes last has no head start: the others show that they have seen it,
 * too.
 */
static void meet(struct part *me)
{
	me->ready = true;
	dsb();
	for (unsigned int n = 0; n < count; n++)
		wait_while(!parts[n].ready);
	me->set = true;
	dsb();
	for (unsigned int n = 0; n < count; n++)
		wait_while(!parts[n].set);
}

static void take_part(unsigned int cpu)
{
	struct part *me = &parts[cpu];

	/* For the interrupts of a buffer in windows. */
	if (cpu && spe_window(spe_space(BUFFER_PAGES)) < spe_space(BUFFER_PAGES))
		CHECK(gic_init_cpu(), "CPU %u has no redistributor", cpu);
	meet(me);
	seen_profile(me->buffer, cpu ? play->others : play->first, ROUNDS, (uintptr_t)&me->pass, 1);
	seen_collect(me->buffer, play->load, &me->load, play->store, &me->store);
	me->done = true;
	dsb();
}

/* All of them at once. False: a CPU does not start. */
static bool run_play(const struct play *what)
{
	volatile uint64_t *lock = data_alloc(1);
	const uint64_t node = (uintptr_t)data_alloc(1);
	uint64_t mpidr;

	play = what;
	count = platform_cpus() < MOST ? platform_cpus() : MOST;
	nodes_link(node, PASS_NODES, LINE);
	for (unsigned int n = 0; n < count; n++) {
		struct part *part = &parts[n];

		if (!part->buffer)
			part->buffer = (uintptr_t)data_alloc(spe_space(BUFFER_PAGES) / PAGE_SIZE);
		part->pass = (struct pass){lock, lock + TURN_WORD, node, n, count};
		part->ready = part->set = part->done = false;
	}
	for (unsigned int n = 1; n < count && platform_cpu(n, &mpidr); n++) {
		/* The last test's are on their way off. */
		wait_while(psci_affinity_info(mpidr) != 1);
		if (!CHECK(psci_cpu_on(mpidr, n, take_part) == PSCI_SUCCESS,
			   "CPU %u does not start", n))
			return false;
	}
	take_part(0);
	for (unsigned int n = 1; n < count; n++)
		wait_while(!parts[n].done);
	return true;
}

/* Say where a PE's loads come from, which is not its own caches. */
static void check_part(const char *what, unsigned int n)
{
	const struct seen *load = &parts[n].load;
	uint64_t latency;
	const unsigned int source = seen_usual(load, &latency);

	tap_note("log: %s: CPU %u: %lu of %lu loads from 0x%x in %lu cycles, %lu snooped", what, n,
		 load->source[source], load->records, source, latency, load->snooped);
	CHECK(load->records >= 20, "CPU %u has %lu records", n, load->records);
	CHECK(source != SOURCE_L1D && source != SOURCE_L2, "CPU %u has the lines itself", n);
	CHECK(load->source[source] * 10 >= load->records * 9, "no source has nine in ten");
	CHECK(load->wrong == 0, "%lu records contradict themselves", load->wrong);
}

/* Do the nodes have what the last round leaves in them? */
static void check_nodes(uint64_t wanted)
{
	const volatile uint64_t *at = (const volatile uint64_t *)parts[0].pass.node;

	for (unsigned int n = 0; n < PASS_NODES; n++, at += TURN_WORD)
		CHECK(at[1] == wanted, "node %u has %lu, not %lu", n, at[1], wanted);
}

/* RULE("D18.2.4/source") */
void pass_lock(void)
{
	static const struct play locked = {(uintptr_t)lock_run, (uintptr_t)lock_run, lock_load,
					   lock_store};

	if (!run_play(&locked))
		return;
	check_nodes((uint64_t)count * ROUNDS);
	for (unsigned int n = 0; n < count; n++)
		check_part("lock", n);
}

/* RULE("D18.2.4/source") */
void pass_produced(void)
{
	static const struct play produced = {(uintptr_t)produce_run, (uintptr_t)consume_run,
					     consume_load, produce_store};

	if (!run_play(&produced))
		return;
	check_nodes(1);
	for (unsigned int n = 1; n < count; n++)
		check_part("produced", n);
	/* The consumers have shared the lines: the producer must fetch each for itself again. */
	CHECK(parts[0].store.refills * 10 >= parts[0].store.records * 9, "%lu stores of %lu refill",
	      parts[0].store.refills, parts[0].store.records);
}
