/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A type-1 monitor at EL2 that gives its guest FEAT_SPE. It answers the guest's accesses to SPE's
 * registers by libvspe, single-steps the guest while profiling is enabled, and writes libvspe's
 * records into the guest's memory. The result goes to the console, a PL011 as on QEMU's virt board.
 *
 * On a PE with FEAT_SPE, MDCR_EL2.{TPMS,E2PB} trap the accesses (Arm ARM D17.6). On a PE without it
 * they are UNDEFINED at EL1 and never reach EL2. There the monitor replaces each of them in the
 * guest's code by an HVC, whose number identifies it.
 */
#include <vspe/spe.h>

#include "operation.h"

#define GUEST_BASE UINT64_C(0x41000000) /* the same for the guest and for EL2 */
#define GUEST_SIZE UINT64_C(0x00200000)
#define UART_DR	   UINT64_C(0x09000000)

#define BIT(n) (UINT64_C(1) << (n))
/* RW, TSC, TID3, DC (write-back with the guest's MMU off), IMO, VM */
#define HCR	    (BIT(31) | BIT(19) | BIT(18) | BIT(12) | BIT(4) | BIT(0))
#define HCR_VI	    BIT(7)
#define MDCR_TDE    BIT(8)
#define MDCR_E2PB   (UINT64_C(2) << SYSREG_MDCR_EL2_E2PB_LSB) /* EL1's buffer, trapped */
#define SPSR_EL1    UINT64_C(0x3c5)			      /* EL1h, DAIF */
#define SPSR_SS	    BIT(21)
#define ESR_UNKNOWN BIT(25) /* EC 0, IL */
#define HVC(n)	    (0xd4000002 | (uint32_t)(n) << 5)
#define SYSTEM_OFF  0x84000008
#define PATCHES_MAX 64

enum { EC_HVC = 0x16, EC_SYSREG = 0x18, EC_STEP = 0x32 };

#define read_sysreg(reg)                                          \
	({                                                        \
		uint64_t value_;                                  \
		__asm__ volatile("mrs %0, " #reg : "=r"(value_)); \
		value_;                                           \
	})
#define write_sysreg(reg, value) __asm__ volatile("msr " #reg ", %x0" ::"rZ"((uint64_t)(value)))

/* The guest's registers while it does not run; those of EL1 stay in the machine. */
static struct guest {
	uint64_t x[31];
	uint64_t pc, pstate;
	uint64_t esr; /* why it stopped: ESR_EL2 */
} guest = {.pc = GUEST_BASE, .pstate = SPSR_EL1};

static struct spe_unit unit;
static struct spe_config config;
static struct sysreg_controls controls; /* EL1 as the guest has it: nothing above, and SPE */
static uint32_t patched[PATCHES_MAX];	/* words that an HVC replaces now */
static unsigned int patches, traps, steps;

/* In start.S, which calls the two below. */
extern const char guest_image[], guest_image_end[];
void guest_run(struct guest *guest);
void monitor_main(void);
void monitor_panic(uint64_t esr, uint64_t elr);

/* What the compiler and libvspe call. */
void *memcpy(void *to, const void *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((volatile char *)to)[i] = ((const char *)from)[i];
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((volatile char *)to)[i] = (char)byte;
	return to;
}

static void print_text(const char *text)
{
	for (; *text; text++)
		*(volatile uint32_t *)UART_DR = (uint32_t)*text;
}

static void print_number(const char *text, uint64_t value, unsigned int base)
{
	char digits[24] = {0}, *at = digits + sizeof(digits) - 1;

	print_text(text);
	do {
		*--at = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	print_text(at);
}

static void power_off(const char *last_words)
{
	print_text(last_words);
	__asm__ volatile("mov w0, %w0; smc #0" ::"r"(SYSTEM_OFF)
			 : "x0", "x1", "x2", "x3", "memory");
	for (;;)
		__asm__ volatile("wfi");
}

void monitor_panic(uint64_t esr, uint64_t elr)
{
	print_number("monitor: ESR 0x", esr, 16);
	print_number(" ELR 0x", elr, 16);
	power_off("\n");
}

/* Where the guest's va is, through both stages of translation; 0, and the reason, if nowhere. */
static uint64_t translate_va(uint64_t va, uint64_t *par)
{
	__asm__ volatile("at s12e1w, %0; isb" ::"r"(va) : "memory");
	*par = read_sysreg(par_el1);
	return *par & 1 ? 0 : (*par & UINT64_C(0x0000fffffffff000)) | (va & 0xfff);
}

/* spe_host.write */
static struct spe_write_result write_record(void *ctx, uint8_t owning_el, uint64_t va,
					    const uint8_t *bytes, size_t size)
{
	struct spe_write_result result = {.status = SPE_WRITE_OK};

	(void)ctx;
	(void)owning_el; /* 1: the guest has no EL2 */
	while (result.written < size) {
		uint64_t par, pa = translate_va(va + result.written, &par);

		if (!pa) {
			result.status = SPE_WRITE_FAULT;
			result.fsc = par >> 1 & 0x3f;
			result.stage2 = par >> 9 & 1;
			break;
		}
		*(volatile uint8_t *)pa = bytes[result.written++];
	}
	return result;
}

/* On a PE without FEAT_SPE: replace each access by HVC. False if there are too many. */
static bool patch_accesses(uint32_t *code, size_t words)
{
	struct sysreg_access access;

	for (size_t i = 0; i < words; i++) {
		if (!a64_system_access(code[i], &access) || access.reg == SYSREG_COUNT)
			continue;
		if (patches == PATCHES_MAX)
			return false;
		patched[patches++] = code[i];
		code[i] = HVC(patches); /* from 1 on: 0 is the guest's own */
		__asm__ volatile("dc cvau, %0" ::"r"(&code[i]) : "memory");
	}
	return true;
}

/* An MRS or MSR at guest.pc. False if the monitor does not have this register. */
static bool access_register(uint32_t encoding, bool write, uint8_t rt)
{
	const struct sysreg_access access = {
		.reg = sysreg_find(encoding), .write = write, .rt = rt};
	uint64_t value = write && rt < 31 ? guest.x[rt] : 0;

	traps++;
	if (encoding == SYSREG_ENCODING_ID_AA64DFR0_EL1 && !write) {
		value = (read_sysreg(id_aa64dfr0_el1) & ~SYSREG_ID_AA64DFR0_EL1_PMSVer_MASK) |
			spe_config_id_aa64dfr0(&config);
	} else if (access.reg == SYSREG_COUNT) {
		return false;
	} else if (spe_access(&unit, &controls, access, &value).kind != SYSREG_DIRECT) {
		/* UNDEFINED: EL1 takes the exception. */
		write_sysreg(elr_el1, guest.pc);
		write_sysreg(spsr_el1, guest.pstate);
		write_sysreg(esr_el1, ESR_UNKNOWN);
		guest.pc = read_sysreg(vbar_el1) + 0x200;
		guest.pstate = SPSR_EL1;
		return true;
	}
	if (!write && rt < 31)
		guest.x[rt] = value;
	guest.pc += 4;
	return true;
}

/* Handle what stopped the guest. False if it must not continue. */
static bool handle_exception(void)
{
	const uint32_t iss = guest.esr & 0x1ffffff, number = iss & 0xffff;
	struct sysreg_access access;
	uint32_t word;

	switch (guest.esr >> 26) {
	case EC_STEP: return true;
	case EC_SYSREG:
		return access_register(sysreg_encoding_of_iss(iss), !(iss & 1), iss >> 5 & 31);
	case EC_HVC:
		if (number == 0 || number > patches)
			return false;
		guest.pc -= 4; /* HVC returns to the next instruction */
		word = patched[number - 1];
		return a64_system_access(word, &access) &&
		       access_register(sysreg_encoding_of_word(word), access.write, access.rt);
	default: return false;
	}
}

/* SP_EL1 stays in the machine. */
static uint64_t read_register(const void *ctx, unsigned int n)
{
	(void)ctx;
	return n == 31 ? read_sysreg(sp_el1) : guest.x[n];
}

/* The selected operation, at guest.pc. */
static struct spe_op begin_sample(void)
{
	const struct a64_registers registers = {.read = read_register,
						.nzcv = guest.pstate >> 28 & 15};
	uint64_t par, pc = translate_va(guest.pc, &par);
	const uint32_t word = pc ? *(volatile uint32_t *)pc : 0;
	struct spe_op op =
		operation_begin(guest.pc, word, read_sysreg(cntvct_el0), &config, &registers);

	if (op.flags & SPE_OP_VA_VALID) {
		op.data_pa = translate_va(op.data_va, &par);
		op.flags |= op.data_pa ? SPE_OP_PA_VALID : 0;
	}
	return op;
}

/* Run to the next exception, or one operation while profiling is enabled (D2.12). */
static bool go_on(void)
{
	const bool stepping = spe_enabled(&unit);
	bool selected = false, more;
	struct spe_op op;

	guest.pstate = (guest.pstate & ~SPSR_SS) | (stepping ? SPSR_SS : 0);
	write_sysreg(mdscr_el1, stepping);
	write_sysreg(hcr_el2, HCR | (spe_irq_level(&unit) ? HCR_VI : 0));
	if (stepping) {
		steps++;
		selected = spe_advance(&unit, 1) == SPE_SELECTED;
	}
	if (selected)
		op = begin_sample();
	guest_run(&guest);
	more = handle_exception();
	if (selected) {
		operation_end(&op, guest.pc);
		spe_sample(&unit, &op);
	}
	return more;
}

static void start_guest(void)
{
	const struct spe_host host = {.write = write_record};
	const bool spe = read_sysreg(id_aa64dfr0_el1) & SYSREG_ID_AA64DFR0_EL1_PMSVer_MASK;

	spe_config_defaults(&config, SPE_V1P2);
	config.events = 0; /* the monitor does not know of any caches */
	config.lds = false;
	if (spe_init(&unit, sizeof(unit), &config, &host))
		power_off("monitor: libvspe refuses the configuration\n");
	controls = (struct sysreg_controls){.features = spe_config_features(&config), .el = 1};
	spe_update(&unit, &controls);

	memcpy((void *)GUEST_BASE, guest_image,
	       (uintptr_t)guest_image_end - (uintptr_t)guest_image);
	if (!spe && !patch_accesses((uint32_t *)GUEST_BASE, GUEST_SIZE / sizeof(uint32_t)))
		power_off("monitor: too many accesses to patch\n");
	__asm__ volatile("dsb ish; ic iallu; dsb ish" ::: "memory");
	/* TDE: single steps go to EL2. PMBIDR_EL1 only has a fine-grained trap: not here. */
	write_sysreg(mdcr_el2, (read_sysreg(mdcr_el2) & 0x1f) | MDCR_TDE |
				       (spe ? SYSREG_MDCR_EL2_TPMS_MASK | MDCR_E2PB : 0));
	write_sysreg(sctlr_el1, 0x30d00800); /* RES1: MMU and caches off */
	write_sysreg(cntvoff_el2, 0);
	write_sysreg(oslar_el1, 0);
	print_text(
		spe ? "monitor: SPE's registers are trapped by MDCR_EL2\n"
		    : "monitor: no SPE here, so that HVC stands for accesses to its registers\n");
}

void monitor_main(void)
{
	start_guest();
	while (go_on())
		;
	if (guest.esr >> 26 != EC_HVC || guest.x[0] != SYSTEM_OFF)
		monitor_panic(guest.esr, guest.pc);
	print_number("guest: PMSVer ", guest.x[6], 10);
	print_number(", ", guest.x[7], 10);
	print_number(" UNDEFINED, ", guest.x[8], 10);
	print_number(" interrupts\nmonitor: ", traps, 10);
	print_number(" accesses, ", steps, 10);
	print_text(" steps");
	for (uint64_t at = guest.x[4]; at < guest.x[5] && at - GUEST_BASE < GUEST_SIZE; at++) {
		print_number((at - guest.x[4]) % 32 ? "" : "\nrecords: ", *(uint8_t *)at >> 4, 16);
		print_number("", *(uint8_t *)at & 15, 16);
	}
	power_off("\n");
}
