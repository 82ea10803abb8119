/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SPE for the virtual PEs of a hypervisor or emulator: all that docs/embedding.md explains, to be
 * copied into one. The functions that are only declared are those that the hypervisor has anyway.
 */
#include <stdio.h>
#include <string.h>

#include <vspe/a64.h>
#include <vspe/model.h>
#include <vspe/pmu.h>
#include <vspe/spe.h>

struct vcpu {
	uint64_t x[32]; /* x[31] is XZR */
	uint64_t sp;
	uint64_t pc;
	uint64_t vncr_el2;
	uint64_t cntvoff_el2;
	uint64_t pmu_events[4]; /* counts of PMU events 0x4000 to 0x4003 */
	struct spe_config config;
	struct sysreg_controls controls;
	struct spe_unit spe;
};

/* The host address of a guest's virtual address, translated as el does. NULL: the reason is in
 * *fault. */
uint8_t *translate(struct vcpu *vcpu, unsigned int el, uint64_t va, struct spe_write_result *fault);
/* Take an exception to an Exception level of the guest, with ESR_ELx.EC and ISS. */
void take_exception(struct vcpu *vcpu, unsigned int el, unsigned int ec, uint32_t iss);
void set_interrupt_line(struct vcpu *vcpu, unsigned int intid, bool level);
uint64_t system_counter(void);
/* Execute up to n operations and return how many; *op describes the last. */
uint64_t execute(struct vcpu *vcpu, uint64_t n, struct spe_op *op);

static const struct spe_host spe_host; /* below */

int vcpu_init(struct vcpu *vcpu, unsigned int number, const char **field)
{
	struct spe_host host = spe_host;
	int error;

	spe_config_defaults(&vcpu->config, SPE_V1P2);
	vcpu->config.lds = false;   /* this PE does not know data sources, */
	vcpu->config.events = 0;    /* or events of caches */
	vcpu->config.seed = number; /* another one for each PE */
	error = spe_config_check(&vcpu->config, field);
	if (error)
		return error;
	host.ctx = vcpu;
	error = spe_init(&vcpu->spe, sizeof(vcpu->spe), &vcpu->config, &host);
	vcpu->controls.features |= spe_config_features(&vcpu->config);
	spe_update(&vcpu->spe, &vcpu->controls);
	return error;
}

/* ID_AA64DFR0_EL1 of a PE with SPE, from that of the same PE without. */
uint64_t id_aa64dfr0(const struct vcpu *vcpu, uint64_t without_spe)
{
	return (without_spe & ~SYSREG_ID_AA64DFR0_EL1_PMSVer_MASK) |
	       spe_config_id_aa64dfr0(&vcpu->config);
}

/* After an exception or a return. */
void level_changed(struct vcpu *vcpu, unsigned int el)
{
	vcpu->controls.el = (uint8_t)el;
	spe_update(&vcpu->spe, &vcpu->controls);
}

void mdcr_el2_written(struct vcpu *vcpu, uint64_t value)
{
	vcpu->controls.mdcr_el2 = value;
	spe_update(&vcpu->spe, &vcpu->controls);
}

static void nv_memory(struct vcpu *vcpu, uint16_t offset, bool write, uint8_t rt); /* below */
static void signals_changed(struct vcpu *vcpu);

/* Answer an MRS or MSR. False if the register is none of SPE's. */
bool access_register(struct vcpu *vcpu, uint32_t encoding, bool write, uint8_t rt)
{
	const struct sysreg_access access = {sysreg_find(encoding), write, rt};
	uint64_t value = write && rt != 31 ? vcpu->x[rt] : 0;
	struct sysreg_route route;

	if (access.reg == SYSREG_COUNT)
		return false;
	route = spe_access(&vcpu->spe, &vcpu->controls, access, &value);
	switch (route.kind) {
	case SYSREG_UNDEFINED:
		take_exception(vcpu, vcpu->controls.el ? vcpu->controls.el : 1, 0x00, 0);
		return true;
	case SYSREG_TRAP:
		take_exception(vcpu, route.target_el, route.ec, route.syndrome);
		return true;
	case SYSREG_NVMEM: nv_memory(vcpu, route.nvmem_offset, write, rt); return true;
	case SYSREG_DIRECT:
	case SYSREG_RAZ_WI: break;
	}
	if (!write && rt != 31)
		vcpu->x[rt] = value;
	signals_changed(vcpu);
	return true;
}

/* An access that your own hypervisor trapped, by its syndrome. */
bool trapped_msr(struct vcpu *vcpu, uint32_t iss)
{
	return access_register(vcpu, sysreg_encoding_of_iss(iss), !(iss & 1), iss >> 5 & 31);
}

/* An access by the word of its instruction. */
bool executed_msr(struct vcpu *vcpu, uint32_t word)
{
	return access_register(vcpu, sysreg_encoding_of_word(word), !(word >> 21 & 1), word & 31);
}

/* FEAT_NV2: an access that goes to memory at VNCR_EL2.BADDR plus an offset, as EL2. */
static void nv_memory(struct vcpu *vcpu, uint16_t offset, bool write, uint8_t rt)
{
	/* Bits 52 to 12; the bits above repeat bit 52. */
	const uint64_t baddr = (uint64_t)((int64_t)(vcpu->vncr_el2 << 11) >> 11) & ~UINT64_C(0xfff);
	struct spe_write_result fault;
	uint8_t *at = translate(vcpu, 2, baddr + offset, &fault);

	if (!at)
		take_exception(vcpu, 2, 0x25, 1u << 13 | (uint32_t)write << 6 | fault.fsc);
	else if (write)
		memcpy(at, &vcpu->x[rt], 8);
	else if (rt != 31)
		memcpy(&vcpu->x[rt], at, 8);
}

/* Write a record, which may cross a page, to the guest's buffer. */
static struct spe_write_result write_record(void *ctx, uint8_t owning_el, uint64_t va,
					    const uint8_t *bytes, size_t size)
{
	struct spe_write_result result = {.status = SPE_WRITE_OK};

	while (result.written < size) {
		const uint64_t at = va + result.written;
		size_t n = 0x1000 - (size_t)(at & 0xfff);
		uint8_t *to = translate(ctx, owning_el, at, &result);

		if (!to) {
			result.status = SPE_WRITE_FAULT;
			break;
		}
		if (n > size - result.written)
			n = size - result.written;
		memcpy(to, bytes + result.written, n);
		result.written += n;
	}
	return result;
}

/* Execute so many operations, and sample those that are selected. */
void run(struct vcpu *vcpu, uint64_t operations)
{
	struct spe_op op;

	while (operations != 0) {
		uint64_t budget = spe_budget(&vcpu->spe), n = operations;

		if (budget > 1) {
			/* UINT64_MAX while profiling is disabled. */
			if (n > budget - 1)
				n = budget - 1;
			n = execute(vcpu, n, &op);
			spe_advance(&vcpu->spe, n);
			operations -= n;
			continue;
		}
		if (spe_advance(&vcpu->spe, 1) == SPE_SELECTED) {
			const enum spe_timestamp kind = spe_timestamp_kind(&vcpu->spe);

			memset(&op, 0, sizeof(op));
			op.timestamp = system_counter();
			if (kind == SPE_TIMESTAMP_VIRTUAL)
				op.timestamp -= vcpu->cntvoff_el2;
			execute(vcpu, 1, &op);
			spe_sample(&vcpu->spe, &op);
		} else {
			execute(vcpu, 1, &op); /* a collision */
		}
		operations--;
		signals_changed(vcpu);
	}
}

static uint64_t read_register(const void *ctx, unsigned int n)
{
	const struct vcpu *vcpu = ctx;

	return n == 31 ? vcpu->sp : vcpu->x[n];
}

/* The operation at the PC. nzcv is PSTATE's, in bits 3 to 0. */
void describe(const struct vcpu *vcpu, uint32_t word, uint8_t nzcv, struct spe_op *op)
{
	const struct a64_registers registers = {.read = read_register, .ctx = vcpu, .nzcv = nzcv};
	struct a64_access access;

	op->pc = vcpu->pc;
	op->el = vcpu->controls.el;
	op->ns = true;
	op->events = SPE_EVENT_RETIRED;
	a64_describe(op, &access, word, &vcpu->config, &registers);
	if ((op->flags & SPE_OP_VA_VALID) && op->data_va % access.element != 0)
		op->events |= UINT64_C(1) << 11; /* misaligned */
}

/* After whatever may change PMBIRQ or a pending exception. */
static void signals_changed(struct vcpu *vcpu)
{
	struct spe_syndrome syndrome;
	unsigned int el = spe_exception_level(&vcpu->spe, false, &syndrome); /* PSTATE.PM is 0 */

	set_interrupt_line(vcpu, 21, spe_irq_level(&vcpu->spe));
	if (el != 0)
		take_exception(vcpu, el, syndrome.ec, syndrome.iss);
}

static void count_event(void *ctx, uint16_t event, uint64_t count)
{
	struct vcpu *vcpu = ctx;

	if (event >= SPE_PMU_SAMPLE_POP && event <= SPE_PMU_SAMPLE_COLLISION)
		vcpu->pmu_events[event - SPE_PMU_SAMPLE_POP] += count;
}

static const struct spe_host spe_host = {.write = write_record, .pmu_event = count_event};

/* A PMU connected to the unit. */
int counters_init(struct vcpu *vcpu, struct pmu_unit *pmu, const char **field)
{
	const struct pmu_config config = {
		.version = PMU_V3P7,
		.el2 = vcpu->controls.features & SYSREG_FEAT_EL2,
		.events = UINT64_C(1) << PMU_LD_RETIRED | UINT64_C(1) << PMU_EXC_TAKEN,
	};
	int error = pmu_config_check(&config, field);

	if (!error)
		error = pmu_init(pmu, sizeof(*pmu), &config, &vcpu->spe);
	if (!error)
		pmu_update(pmu, &vcpu->controls);
	return error;
}

/* After operations have executed. events: a bit for each event that they caused. */
void counters_advance(struct vcpu *vcpu, struct pmu_unit *pmu, uint64_t operations, uint64_t events)
{
	const struct pmu_step step = {.begun = operations, .retired = operations, .events = events};

	pmu_advance(pmu, &step);
	set_interrupt_line(vcpu, 23, pmu_irq_level(pmu));
}

/* Answer an MRS or MSR. False if the register is none of the PMU's. */
bool access_counter(struct vcpu *vcpu, struct pmu_unit *pmu, uint32_t encoding, bool write,
		    uint8_t rt)
{
	uint64_t value = write && rt != 31 ? vcpu->x[rt] : 0;
	struct sysreg_route route;

	if (!pmu_is_register(encoding))
		return false;
	route = pmu_access(pmu, &vcpu->controls, encoding, write, rt, &value);
	if (route.kind == SYSREG_UNDEFINED)
		take_exception(vcpu, vcpu->controls.el ? vcpu->controls.el : 1, 0x00, 0);
	else if (route.kind == SYSREG_TRAP)
		take_exception(vcpu, route.target_el, route.ec, route.syndrome);
	else if (!write && rt != 31)
		vcpu->x[rt] = value;
	set_interrupt_line(vcpu, 23, pmu_irq_level(pmu));
	return true;
}

/* Show the model an operation that core has executed. sampled: it is the selected one. */
void show(struct spe_model *model, unsigned int core, uint32_t word, bool sampled,
	  struct spe_op *op)
{
	struct spe_model_facts facts = {.size = 8};

	a64_summarize(&facts.insn, word);
	if (op->flags & SPE_OP_PA_VALID)
		facts.place = SPE_MODEL_RAM;
	if (sampled)
		spe_model_alone(model, core, &facts, op);
	else
		spe_model_warm(model, core, &facts, op);
}

/* A warm reset, to an Exception level. */
void vcpu_reset(struct vcpu *vcpu, unsigned int el)
{
	spe_reset(&vcpu->spe);
	level_changed(vcpu, el);
	signals_changed(vcpu);
}

size_t vcpu_save(const struct vcpu *vcpu, uint8_t *image, size_t size)
{
	return spe_save(&vcpu->spe, image, size);
}

/* With vcpu->controls restored already. */
int vcpu_restore(struct vcpu *vcpu, const uint8_t *image, size_t size, const char **field)
{
	int error = spe_restore(&vcpu->spe, image, size, field);

	if (!error)
		signals_changed(vcpu);
	return error;
}

static void complain(void *ctx, enum spe_misuse what, const char *why)
{
	(void)ctx;
	fprintf(stderr, "libvspe: %s: %s\n", spe_misuse_name(what), why);
}

/* A unit that watches for mistakes of its embedder. */
int vcpu_init_checked(struct vcpu *vcpu)
{
	struct spe_host host = spe_host;

	host.ctx = vcpu;
	host.misuse = complain;
	vcpu->config.check = true;
	return spe_init(&vcpu->spe, sizeof(vcpu->spe), &vcpu->config, &host);
}
