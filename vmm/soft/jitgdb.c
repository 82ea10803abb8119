/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated code for a debugger of vspe: see jitgdb.h. */
#include "soft/jitgdb.h"

#include <elf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "soft/code_memory.h"

/* The structures that GDB reads, with its names and layout. */
enum jit_action { JIT_NOACTION, JIT_REGISTER_FN, JIT_UNREGISTER_FN };

struct jit_code_entry {
	struct jit_code_entry *next_entry, *prev_entry;
	const char *symfile_addr;
	uint64_t symfile_size;
};

struct jit_descriptor {
	uint32_t version, action_flag;
	struct jit_code_entry *relevant_entry, *first_entry;
};

extern struct jit_descriptor __jit_debug_descriptor;
void __jit_debug_register_code(void);

struct jit_descriptor __jit_debug_descriptor = {.version = 1};

/* The debugger stops here. */
__attribute__((noinline)) void __jit_debug_register_code(void)
{
	__asm__ volatile("" ::: "memory");
}

/* An ELF file in memory: a section without contents, where the code is, and one symbol. */
enum section { NONE, TEXT, SYMBOLS, NAMES, SECTIONS };
static const char names[] = "\0.text\0.symtab\0.strtab";
enum { NAME_TEXT = 1, NAME_SYMBOLS = 7, NAME_NAMES = 15 };

struct symbol_file {
	struct jit_code_entry entry;
	struct {
		Elf64_Ehdr header;
		Elf64_Shdr sections[SECTIONS];
		Elf64_Sym symbols[2];
		char names[sizeof(names) + sizeof("guest:0x") + 16];
	} elf;
};

static bool wanted;

#define PART(member) offsetof(struct symbol_file, elf.member) - offsetof(struct symbol_file, elf)

static void fill(struct symbol_file *file, uint64_t code, size_t size, uint64_t va)
{
	file->elf.header = (Elf64_Ehdr){
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = SOFT_JIT_MACHINE,
		.e_version = EV_CURRENT,
		.e_shoff = PART(sections),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTIONS,
		.e_shstrndx = NAMES,
	};
	file->elf.sections[TEXT] = (Elf64_Shdr){.sh_name = NAME_TEXT,
						.sh_type = SHT_NOBITS,
						.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
						.sh_addr = code,
						.sh_size = size};
	file->elf.sections[SYMBOLS] = (Elf64_Shdr){.sh_name = NAME_SYMBOLS,
						   .sh_type = SHT_SYMTAB,
						   .sh_offset = PART(symbols),
						   .sh_size = sizeof(file->elf.symbols),
						   .sh_link = NAMES,
						   .sh_info = 1, /* the first that is global */
						   .sh_entsize = sizeof(Elf64_Sym)};
	file->elf.sections[NAMES] = (Elf64_Shdr){.sh_name = NAME_NAMES,
						 .sh_type = SHT_STRTAB,
						 .sh_offset = PART(names),
						 .sh_size = sizeof(file->elf.names)};
	file->elf.symbols[1] = (Elf64_Sym){.st_name = sizeof(names),
					   .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					   .st_shndx = TEXT,
					   .st_value = code,
					   .st_size = size};
	__builtin_memcpy(file->elf.names, names, sizeof(names));
	(void)snprintf(file->elf.names + sizeof(names), sizeof(file->elf.names) - sizeof(names),
		       "guest:0x%" PRIx64, va);
}

static void tell(enum jit_action action, struct jit_code_entry *entry)
{
	__jit_debug_descriptor.action_flag = action;
	__jit_debug_descriptor.relevant_entry = entry;
	__jit_debug_register_code();
	__jit_debug_descriptor.action_flag = JIT_NOACTION;
}

void soft_jitgdb_begin(void)
{
	wanted = true;
}

void soft_jitgdb_add(const void *code, size_t size, uint64_t va)
{
	struct symbol_file *file = wanted ? calloc(1, sizeof(*file)) : NULL;
	struct jit_code_entry *first = __jit_debug_descriptor.first_entry;

	if (!file) /* without memory the code has no name */
		return;
	fill(file, (uintptr_t)code, size, va);
	file->entry.symfile_addr = (const char *)&file->elf;
	file->entry.symfile_size = sizeof(file->elf);
	file->entry.next_entry = first;
	if (first)
		first->prev_entry = &file->entry;
	__jit_debug_descriptor.first_entry = &file->entry;
	tell(JIT_REGISTER_FN, &file->entry);
}

void soft_jitgdb_drop(void)
{
	struct jit_code_entry *entry;

	while ((entry = __jit_debug_descriptor.first_entry)) {
		__jit_debug_descriptor.first_entry = entry->next_entry;
		if (entry->next_entry)
			entry->next_entry->prev_entry = NULL;
		tell(JIT_UNREGISTER_FN, entry);
		free((struct symbol_file *)(void *)entry); /* its first member */
	}
}
