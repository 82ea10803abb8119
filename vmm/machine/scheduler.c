/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler: vCPUs take turns in the order of their indices. A turn is a number of operations,
 * and ends earlier at a timer's deadline, so that interrupts come at exactly the operation at which
 * they are due. When every vCPU waits, time skips to the next deadline. With --time parallel
 * clocks.c says whose turn is next, and for how long.
 */
#include "base/assertion.h"
#include "machine/machine_state.h"
#include "machine/psci.h"

#define TURN_ALONE  MACHINE_TURN_MAX /* operations, with one vCPU */
#define TURN_SHARED (UINT64_C(1) << 14)
/* While lines move: vCPUs that write one line lose it to each other in each turn: MODEL-14. */
#define TURN_CONTENDED UINT64_C(128)

static bool vcpu_can_run(const struct machine *machine, unsigned int cpu)
{
	if (!machine->on[cpu])
		return false;
	switch (machine->vcpu[cpu].wait) {
	case MACHINE_RUNNING:
	case MACHINE_IN_WFE: return true;
	default: return machine_signalled(machine, cpu);
	}
}

/* The next vCPU in order that can run, or -1. */
static int schedule_pick(const struct machine *machine)
{
	for (unsigned int i = 1; i <= machine->config.choices.cpus; i++) {
		unsigned int cpu = (machine->last + i) % machine->config.choices.cpus;

		if (vcpu_can_run(machine, cpu))
			return (int)cpu;
	}
	return -1;
}

/* Is any vCPU executing, instead of waiting in some way? */
static bool schedule_busy(const struct machine *machine)
{
	for (unsigned int i = 0; i < machine->config.choices.cpus; i++)
		if (machine->on[i] &&
		    (machine->vcpu[i].wait == MACHINE_RUNNING || machine_signalled(machine, i)))
			return true;
	return false;
}

/*
 * Does a vCPU do nothing until an interrupt comes? One in WFE continues by itself, but a loop of
 * WFE and a branch has no effect: it executes nothing else that could change or see anything. But
 * SPE or the PMU may count the loop, and that may become an interrupt.
 */
static bool vcpu_is_parked(const struct machine *machine, unsigned int cpu)
{
	const struct machine_vcpu *vcpu = &machine->vcpu[cpu];
	struct spe_unit *unit;

	if (!machine->on[cpu] || vcpu->wait != MACHINE_IN_WFE)
		return true;
	unit = machine->config.choices.engine->vcpu_spe(vcpu->engine);
	return vcpu->parked && machine->config.choices.pmu == PMU_NONE &&
	       !(machine->spe && spe_budget(unit) != UINT64_MAX);
}

/* If none of them executes: will nothing happen before a deadline or input? */
static bool schedule_is_parked(const struct machine *machine)
{
	for (unsigned int i = 0; i < machine->config.choices.cpus; i++)
		if (!vcpu_is_parked(machine, i))
			return false;
	return machine_deadline(machine) == DEVICE_NEVER;
}

#define PARKED_LOOP 2 /* operations: WFE, and the branch back to it */

static void schedule_wfe(struct machine *machine, unsigned int cpu)
{
	struct machine_vcpu *vcpu = &machine->vcpu[cpu];
	const uint64_t pc = machine->config.choices.engine->vcpu_get(vcpu->engine, 31);

	vcpu->parked = vcpu->awake <= PARKED_LOOP && vcpu->wfe == pc;
	vcpu->wfe = pc;
	vcpu->awake = 0;
	vcpu->wait = MACHINE_IN_WFE;
	if (schedule_busy(machine))
		machine_meet(machine);
}

/*
 * Has the guest done nothing for a day of its time? It prints nothing, and executes less than one
 * operation in a hundred: its kernel's ticks.
 */
static bool schedule_is_asleep(struct machine *machine)
{
	const uint64_t day = UINT64_C(86400) * machine->config.choices.counter_hz;
	const uint64_t done = machine->operations - machine->awake.operations;

	if (done > (machine->elapsed - machine->awake.elapsed) / 100)
		machine_awake(machine);
	return machine->elapsed - machine->awake.elapsed > day;
}

static void schedule_skip(struct machine *machine, uint64_t until)
{
	/* A guest that nobody stops should not keep the host busy by skipping from tick to tick. */
	if (machine->config.choices.realtime || schedule_is_asleep(machine))
		until = machine_wait(machine, until);
	vspe_assert_of(until >= machine->elapsed, until, machine->elapsed);
	machine->stats.idle += until - machine->elapsed;
	machine->elapsed = until;
	machine_set_clocks(machine);
	if (++machine->idle_turns >= MACHINE_POLL_SKIPS)
		machine->poll_due = machine->elapsed;
	machine_update_devices(machine);
}

/* No vCPU can run: skip to the next deadline, wait for input, or give up. */
static void schedule_idle(struct machine *machine)
{
	const struct device *console = machine_input(machine);
	uint64_t deadline = machine_deadline(machine);
	unsigned int on = 0;

	if (deadline != DEVICE_NEVER) {
		schedule_skip(machine, deadline);
		return;
	}
	for (unsigned int i = 0; i < machine->config.choices.cpus; i++)
		on += machine->on[i];
	if (on > 0 && (machine_waits(machine) || (console->type->console->wants_input(console) &&
						  machine_input_open(machine)))) {
		if (machine->config.choices.realtime)
			schedule_skip(machine, DEVICE_NEVER - 1);
		else
			machine_poll(machine, MACHINE_SITE_IDLE, -1);
		return;
	}
	machine_finish(machine, MACHINE_STUCK, "%s, and no interrupt can ever come",
		       on == 0 ? "every vCPU is off" : "every vCPU waits");
}

/* Start a vCPU after a reset of the PE and its part of the devices. cold: it was off. */
static void schedule_start(struct machine *machine, unsigned int cpu, uint64_t entry,
			   uint64_t context, bool cold)
{
	machine->vcpu[cpu].parked = false;
	machine->vcpu[cpu].wfe = UINT64_MAX;
	machine->vcpu[cpu].clock = machine->elapsed;
	machine_reset_devices_of(machine, cpu, cold);
	machine->config.choices.engine->vcpu_reset(machine->vcpu[cpu].engine, entry, context);
}

/*
 * Wake a vCPU that can run. A power-down state ends in a new start; the timers are "always-on" in
 * the device tree and keep their state.
 */
static void schedule_wake(struct machine *machine, unsigned int cpu)
{
	struct machine_vcpu *vcpu = &machine->vcpu[cpu];

	if (vcpu->wait == MACHINE_POWERED_DOWN)
		schedule_start(machine, cpu, vcpu->resume_entry, vcpu->resume_context, false);
	vcpu->wait = MACHINE_RUNNING;
}

/* Carry out a call. Does the caller continue? */
static bool schedule_call(struct machine *machine, unsigned int cpu, uint16_t imm)
{
	const struct engine *engine = machine->config.choices.engine;
	struct machine_vcpu *vcpu = &machine->vcpu[cpu];
	struct psci_view view = {.cpus = machine->config.choices.cpus,
				 .on = machine->on,
				 .ram_base = machine->ram.base,
				 .ram_size = machine->ram.size};
	uint64_t x[4];
	struct psci_result result;

	for (unsigned int i = 0; i < 4; i++)
		x[i] = engine->vcpu_get(vcpu->engine, i);
	result = psci_call(&view, imm, x);
	switch (result.action) {
	case PSCI_CPU_ON:
		vspe_assert_of(result.target < view.cpus && !machine->on[result.target],
			       result.target, view.cpus);
		schedule_start(machine, result.target, result.entry, result.context, true);
		machine->on[result.target] = true;
		machine->vcpu[result.target].wait = MACHINE_RUNNING;
		break;
	case PSCI_CPU_OFF: machine->on[cpu] = false; return false;
	case PSCI_STANDBY: vcpu->wait = MACHINE_IN_WFI; break;
	case PSCI_POWER_DOWN:
		vcpu->wait = MACHINE_POWERED_DOWN;
		vcpu->resume_entry = result.entry;
		vcpu->resume_context = result.context;
		return false;
	case PSCI_SYSTEM_OFF: machine_finish(machine, MACHINE_POWER_OFF, "%s", ""); return false;
	case PSCI_WARM_RESET:
		machine->warm = true;
		machine->request = MACHINE_RESET;
		return false;
	case PSCI_SYSTEM_RESET: machine->request = MACHINE_RESET; return false;
	case PSCI_RANDOM: psci_random(&result, &machine->random); break;
	case PSCI_VALUES:
	case PSCI_RETURN: break;
	}
	engine->vcpu_set(vcpu->engine, 0, (uint64_t)result.value);
	if (result.action == PSCI_RANDOM || result.action == PSCI_VALUES)
		for (unsigned int i = 0; i < 3; i++)
			engine->vcpu_set(vcpu->engine, 1 + i, result.values[i]);
	return vcpu->wait == MACHINE_RUNNING;
}

/* Does the turn continue: is it neither over nor given up? */
static bool schedule_exit(struct machine *machine, unsigned int cpu, const struct engine_exit *exit)
{
	machine->stats.vcpu[cpu].exits[exit->reason]++;
	switch (exit->reason) {
	case ENGINE_EXIT_BUDGET: break;
	case ENGINE_EXIT_WFI: machine->vcpu[cpu].wait = MACHINE_IN_WFI; break;
	case ENGINE_EXIT_WFE: schedule_wfe(machine, cpu); break;
	case ENGINE_EXIT_HVC:
	case ENGINE_EXIT_SMC: return schedule_call(machine, cpu, exit->call_imm);
	case ENGINE_EXIT_OFF: machine_finish(machine, MACHINE_POWER_OFF, "%s", ""); break;
	case ENGINE_EXIT_RESET:
		machine->request = MACHINE_RESET;
		machine->warm = exit->warm;
		break;
	case ENGINE_EXIT_LOST:
	case ENGINE_EXIT_ERROR: machine_finish_vcpu(machine, cpu, exit); break;
	}
	return false;
}

/* Lines that vCPUs took from each other so far: only a machine model knows. */
static uint64_t line_moves(const struct machine *machine)
{
	const struct engine *engine = machine->config.choices.engine;

	return engine->line_moves ? engine->line_moves(machine->vm) : 0;
}

/*
 * Run the vCPU for the rest of its turn, or until the machine must be saved, or is in a hurry; in
 * these cases the turn continues when the machine does. It also continues after a call, so that a
 * call costs the guest no more time than its operation.
 */
static void schedule_run(struct machine *machine, unsigned int cpu)
{
	const struct engine *engine = machine->config.choices.engine;
	struct engine_vcpu *vcpu = machine->vcpu[cpu].engine;
	struct engine_exit exit = {.reason = ENGINE_EXIT_BUDGET};
	const uint64_t turn = machine->turn, stop = machine_replay_stop(machine);
	const uint64_t until =
		(machine->save_at < stop ? machine->save_at : stop) - machine->operations;
	const uint64_t most = turn < until ? turn : until;
	uint64_t done;

	const uint64_t moves = line_moves(machine);

	vspe_assert_of(machine->running < 0 && machine->on[cpu], machine->running, cpu);
	machine->turn_over = false;
	machine->run_start = engine->vcpu_ops(vcpu);
	machine->running = (int)cpu;
	engine->vcpu_run(vcpu, most, &exit);
	done = engine->vcpu_ops(vcpu) - machine->run_start;
	vspe_assert_of(done <= most, done, most);
	machine->elapsed += done;
	machine->vcpu[cpu].clock = machine->elapsed;
	machine->operations += done;
	machine->vcpu[cpu].awake += done;
	machine->running = -1;
	machine->turn = 0;
	if (line_moves(machine) != moves)
		machine->contended = MACHINE_CONTENDED;
	if (done < turn && exit.reason == ENGINE_EXIT_BUDGET && !machine->turn_over) {
		machine->turn = turn - done;
		return;
	}
	if (machine_is_parallel(machine))
		machine_update_devices_of(machine, cpu);
	else
		machine_update_devices(machine);
	if (schedule_exit(machine, cpu, &exit) && !machine->turn_over)
		machine->turn = turn - done;
}

static uint64_t turn_of(const struct machine *machine)
{
	if (machine->config.choices.cpus == 1)
		return TURN_ALONE;
	return machine->contended > 0 ? TURN_CONTENDED : TURN_SHARED;
}

/* The operations of the next turn. */
static uint64_t turn_left(struct machine *machine)
{
	const uint64_t turn = turn_of(machine);
	const uint64_t left = machine_deadline(machine) - machine->elapsed;

	if (machine->contended > 0)
		machine->contended--;
	return left < turn ? left : turn;
}

static void schedule_turn(struct machine *machine, unsigned int cpu)
{
	schedule_wake(machine, cpu);
	machine->last = cpu;
	machine->turn = machine_is_parallel(machine) ? machine_window_left(machine, cpu)
						     : turn_left(machine);
	schedule_run(machine, cpu);
}

/* The vCPU whose turn is next, or -1: none can execute, or none in this window. */
static int schedule_next(struct machine *machine)
{
	int cpu;

	if (!machine_is_parallel(machine))
		return schedule_pick(machine);
	cpu = machine_pick_lowest(machine);
	if (cpu < 0) {
		machine_close_window(machine);
		cpu = schedule_pick(machine);
	}
	return cpu;
}

/*
 * A check between two that are due, which keep their time: a saved machine must not show when the
 * host was in a hurry.
 */
static void poll_early(struct machine *machine)
{
	const uint64_t due = machine->poll_due;
	const unsigned int turns = machine->idle_turns;

	machine_poll(machine, MACHINE_SITE_TURN, 0);
	machine->poll_due = due;
	machine->idle_turns = turns;
}

void machine_schedule(struct machine *machine)
{
	machine_start_clock(machine);
	while (machine->request == MACHINE_GO_ON) {
		int cpu;

		if (machine->operations >= machine->save_at) {
			machine_finish(machine, MACHINE_SAVE, "%s", "");
			break;
		}
		if (machine->hurry || machine_replay_due(machine)) {
			machine->hurry = 0;
			poll_early(machine);
			continue;
		}
		if (machine->turn > 0) {
			schedule_run(machine, machine->last);
			continue;
		}
		if (machine->elapsed >= machine->poll_due)
			machine_poll(machine, MACHINE_SITE_TURN, 0);
		if (machine->request != MACHINE_GO_ON)
			break;
		cpu = schedule_next(machine);
		if (cpu < 0) {
			schedule_idle(machine);
			continue;
		}
		/*
		 * Only vCPUs in WFE are left. They may continue, but nothing changes until a
		 * deadline or until they read the counter: skip the time of a turn.
		 */
		if (!schedule_busy(machine)) {
			if (schedule_is_parked(machine)) {
				schedule_idle(machine);
				continue;
			}
			uint64_t deadline = machine_deadline(machine);
			uint64_t until = machine->elapsed + TURN_SHARED;

			schedule_skip(machine, deadline < until ? deadline : until);
			if (machine->request != MACHINE_GO_ON)
				break;
		}
		schedule_turn(machine, (unsigned int)cpu);
	}
	/* Write out all output. A machine that is being saved takes no input here. */
	if (machine->request != MACHINE_END || machine->end != MACHINE_SAVE)
		machine_poll(machine, MACHINE_SITE_TURN, 0);
}
