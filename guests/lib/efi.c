/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From EFI to the start that every loader leads to: see efi.h.
 *
 * All of this runs where firmware has loaded the image, in its mapping, and touches only what ADRP
 * reaches. x18 is firmware's. The guest gets the largest free piece of memory, and the image's copy
 * is at its start, for whatever else is in memory is firmware's: its tables, its runtime services,
 * EL3.
 */
#include "arch.h"
#include "efi.h"

#define EFI_ERROR	     (UINT64_C(1) << 63)
#define EFI_INVALID	     (EFI_ERROR | 2)
#define EFI_UNSUPPORTED	     (EFI_ERROR | 3)
#define EFI_OUT_OF_RESOURCES (EFI_ERROR | 9)

#define ALLOCATE_ADDRESS 2u
#define LOADER_DATA	 2u
#define CONVENTIONAL	 7u
#define MEMORY_WB	 UINT64_C(8)
#define MEMORY_SP	 UINT64_C(0x40000) /* is for something specific */

#define IMAGE_ALIGN (UINT64_C(1) << 21)

/* A guest at EL2 maps 4 GiB only. */
#define RAM_LIMIT (GUEST_EL == 2 ? UINT64_C(1) << 32 : UINT64_C(1) << 48)

struct guid {
	uint32_t a;
	uint16_t b, c;
	uint8_t d[8];
};

static const struct guid loaded_image_guid = {
	0x5b1b31a1, 0x9562, 0x11d2, {0x8e, 0x3f, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b}};
static const struct guid dtb_guid = {
	0xb1b621d5, 0xf19c, 0x41a5, {0x83, 0x0b, 0xd9, 0x15, 0x2c, 0x69, 0xaa, 0xe0}};
static const struct guid acpi_guid = {
	0x8868e871, 0xe4f1, 0x11d3, {0xbc, 0x22, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81}};

struct efi_console {
	void *reset;
	uint64_t (*output)(struct efi_console *console, const uint16_t *text);
};

struct efi_descriptor {
	uint32_t type, pad;
	uint64_t start, virtual_start, pages, attributes;
};

/* Offsets are 4.4's; names are only of what is called. */
struct efi_boot {
	uint8_t header[24];
	void *raise_tpl, *restore_tpl;
	uint64_t (*allocate_pages)(uint32_t how, uint32_t type, uint64_t pages, uint64_t *pa);
	void *free_pages;
	uint64_t (*memory_map)(uint64_t *size, void *map, uint64_t *key, uint64_t *stride,
			       uint32_t *version);
	void *unused[11];
	uint64_t (*handle_protocol)(void *handle, const struct guid *guid, void **interface);
	void *more[9];
	uint64_t (*exit_boot_services)(void *handle, uint64_t key);
};
_Static_assert(offsetof(struct efi_boot, memory_map) == 56, "EFI_BOOT_SERVICES");
_Static_assert(offsetof(struct efi_boot, handle_protocol) == 152, "EFI_BOOT_SERVICES");
_Static_assert(offsetof(struct efi_boot, exit_boot_services) == 232, "EFI_BOOT_SERVICES");

struct efi_system {
	uint8_t header[24];
	void *vendor;
	uint64_t revision;
	void *input_handle, *input, *output_handle;
	struct efi_console *output;
	void *error_handle, *error, *runtime;
	struct efi_boot *boot;
	uint64_t tables;
	const struct {
		struct guid guid;
		uint64_t pa;
	} * table;
};
_Static_assert(offsetof(struct efi_system, table) == 112, "EFI_SYSTEM_TABLE");

struct efi_loaded {
	uint8_t header[48];
	uint32_t options_size; /* in bytes */
	const uint16_t *options;
};
_Static_assert(offsetof(struct efi_loaded, options) == 56, "EFI_LOADED_IMAGE_PROTOCOL");

/* The copy's is used: it has what is written here before it is made, or in it. */
struct efi_handed efi_handed __attribute__((section(".data"))) = {.started = false};

/* What a machine says of its memory: descriptors of stride bytes. */
static struct {
	uint64_t size, key, stride;
	uint8_t bytes[65536] __attribute__((aligned(8)));
} map __attribute__((section(".noinit")));

extern char __image_start[], __text_end[], __bss_start[], __image_end[];

/* Where the guest goes on: image is 0 if it does not, and value is EFI's status then. */
struct efi_start {
	uint64_t image, value;
};

struct efi_start efi_main(void *handle, const struct efi_system *system);

static struct efi_start refuse(const struct efi_system *system, const uint16_t *why,
			       uint64_t status)
{
	static const uint16_t newline[] = u"\r\n";

	if (system->output) {
		system->output->output(system->output, why);
		system->output->output(system->output, newline);
	}
	return (struct efi_start){.image = 0, .value = status};
}

static bool same_guid(const struct guid *a, const struct guid *b)
{
	for (unsigned int i = 0; i < 8; i++)
		if (a->d[i] != b->d[i])
			return false;
	return a->a == b->a && a->b == b->b && a->c == b->c;
}

static uint64_t find_table(const struct efi_system *system, const struct guid *guid)
{
	for (uint64_t i = 0; i < system->tables; i++)
		if (same_guid(&system->table[i].guid, guid))
			return system->table[i].pa;
	return 0;
}

/* What is no ASCII is no boot argument of a guest's. False if there is more than room for it. */
static bool take_arguments(void *handle, const struct efi_system *system)
{
	struct efi_loaded *loaded = NULL;
	uint32_t length;

	if (system->boot->handle_protocol(handle, &loaded_image_guid, (void **)&loaded) ||
	    !loaded || !loaded->options)
		return true;
	length = loaded->options_size / 2;
	for (uint32_t i = 0; i < length && loaded->options[i] != 0; i++) {
		if (i == EFI_ARGUMENTS - 1)
			return false;
		efi_handed.arguments[i] = loaded->options[i] < 128 ? (char)loaded->options[i] : '?';
	}
	return true;
}

static bool read_map(const struct efi_system *system)
{
	uint32_t version;

	map.size = sizeof(map.bytes);
	return system->boot->memory_map(&map.size, map.bytes, &map.key, &map.stride, &version) ==
		       0 &&
	       map.stride >= sizeof(struct efi_descriptor);
}

static const struct efi_descriptor *next_free(uint64_t *at)
{
	while (*at + map.stride <= map.size) {
		const struct efi_descriptor *found = (const void *)(map.bytes + *at);

		*at += map.stride;
		if (found->type == CONVENTIONAL && (found->attributes & MEMORY_WB) &&
		    !(found->attributes & MEMORY_SP))
			return found;
	}
	return NULL;
}

/* The end of the free memory from start on, over descriptors that follow each other. */
static uint64_t free_until(uint64_t start)
{
	const struct efi_descriptor *one;
	uint64_t end = start, at = 0;

	while ((one = next_free(&at))) {
		const uint64_t one_end = one->start + one->pages * PAGE_SIZE;

		if (one->start > end || one_end <= end)
			continue;
		end = one_end;
		at = 0;
	}
	return end < RAM_LIMIT ? end : RAM_LIMIT;
}

/* The start of the largest free piece with room for the image; 0 if there is none. */
static uint64_t choose_place(uint64_t size)
{
	uint64_t best = 0, best_size = size - 1, at = 0;
	const struct efi_descriptor *one;

	while ((one = next_free(&at))) {
		const uint64_t start = (one->start + IMAGE_ALIGN - 1) & ~(IMAGE_ALIGN - 1);
		const uint64_t end = free_until(one->start);

		if (start != 0 && start < end && end - start > best_size) {
			best = start;
			best_size = end - start;
		}
	}
	return best;
}

/* To the point of coherency, as the MMU will be off. */
static void clean(uint64_t start, uint64_t end)
{
	const uint64_t line = UINT64_C(4) << field(read_sysreg(ctr_el0), 19, 16);

	for (uint64_t at = start & ~(line - 1); at < end; at += line)
		__asm__ volatile("dc civac, %0" ::"r"(at) : "memory");
	__asm__ volatile("dsb sy" ::: "memory");
}

static void copy_image(uint64_t to)
{
	const uint64_t *from = (const uint64_t *)(uintptr_t)__image_start;
	volatile uint64_t *copy = (volatile uint64_t *)to;

	for (uint64_t i = 0; i < (uint64_t)(__bss_start - __image_start) / 8; i++)
		copy[i] = from[i];
}

/* An event's handler may change the map between the two calls: then both are made again. */
static bool exit_firmware(void *handle, const struct efi_system *system)
{
	for (unsigned int i = 0; i < 8; i++)
		if (!read_map(system))
			return false;
		else if (system->boot->exit_boot_services(handle, map.key) == 0)
			return true;
	return false;
}

/* By efi_entry, which goes on where this says. */
struct efi_start efi_main(void *handle, const struct efi_system *system)
{
	const uint64_t size = (uint64_t)(__image_end - __image_start);
	struct efi_handed *copied;
	uint64_t place;

	if (!take_arguments(handle, system))
		return refuse(system, u"guest: more than 1023 characters of arguments",
			      EFI_INVALID);
	efi_handed.dtb_pa = find_table(system, &dtb_guid);
	efi_handed.rsdp_pa = find_table(system, &acpi_guid);
	if (!efi_handed.dtb_pa && !efi_handed.rsdp_pa)
		return refuse(system, u"guest: firmware has neither a device tree nor ACPI 2.0",
			      EFI_UNSUPPORTED);
	if (!read_map(system))
		return refuse(system, u"guest: no memory map, or one of more than 64 KiB",
			      EFI_OUT_OF_RESOURCES);
	place = choose_place(size);
	if (place == 0 || system->boot->allocate_pages(ALLOCATE_ADDRESS, LOADER_DATA,
						       (size + PAGE_SIZE - 1) / PAGE_SIZE, &place))
		return refuse(system, u"guest: no memory for the image", EFI_OUT_OF_RESOURCES);
	efi_handed.started = true;
	efi_handed.ram_start = place;
	copy_image(place);
	if (!exit_firmware(handle, system))
		return refuse(system, u"guest: firmware does not exit", EFI_UNSUPPORTED);
	copied = (struct efi_handed *)(place + ((uint64_t)(uintptr_t)&efi_handed -
						(uint64_t)(uintptr_t)__image_start));
	copied->ram_end = free_until(place + ((size + PAGE_SIZE - 1) & ~(uint64_t)(PAGE_SIZE - 1)));
	clean(place, place + size);
	clean((uint64_t)(uintptr_t)__image_start, (uint64_t)(uintptr_t)__text_end);
	return (struct efi_start){.image = place, .value = copied->dtb_pa};
}
