/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of the functions of ELF files: see symbols.h. */
#include "trace/elf_file.h"
#include "trace/symbols_parts.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/*
 * Which of several symbols of an ELF file at one address is shown, as perf chooses: a function
 * before a label (a guest's __text_start is often where its first function is), one that is not
 * weak, a global one, one with fewer leading underscores, the longest.
 */
static uint8_t rank_of(bool function, const char *name, unsigned int bind)
{
	return (uint8_t)((function ? 0 : 64) + (bind == STB_WEAK ? 32 : 0) +
			 (bind == STB_GLOBAL ? 0 : 16) + symbols_underscores(name));
}

/* How far the file is from where it was linked for: 0, or an error. */
static int elf_moved(Elf *elf, bool wanted, uint64_t address, uint64_t *moved)
{
	uint64_t first = UINT64_MAX;
	GElf_Phdr segment;
	size_t count = 0;

	*moved = 0;
	if (!wanted)
		return 0;
	(void)elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD &&
		    segment.p_vaddr < first)
			first = segment.p_vaddr;
	if (first == UINT64_MAX)
		return -ENOMSG;
	*moved = address - first;
	return 0;
}

/* For an indirect function, as libc's strlen, the symbol is the code that finds the address. */
static bool is_function(unsigned int type)
{
	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

/*
 * What kind of thing it names. A mapping symbol, $x or $d, names nothing (ELF for the Arm 64-bit
 * ABI).
 */
static enum symbols_kind kind_of(const GElf_Sym *symbol, const GElf_Shdr *section, const char *name)
{
	const unsigned int type = GELF_ST_TYPE(symbol->st_info);

	if (!name || !*name || *name == '$')
		return SYMBOLS_NEITHER;
	if (section->sh_flags & SHF_EXECINSTR)
		return is_function(type) || type == STT_NOTYPE ? SYMBOLS_CODE : SYMBOLS_NEITHER;
	return type == STT_OBJECT && symbol->st_size && section->sh_flags & SHF_ALLOC &&
			       !(section->sh_flags & SHF_TLS)
		       ? SYMBOLS_DATA
		       : SYMBOLS_NEITHER;
}

#define MODULE_MOST (UINT64_C(1) << 30) /* bytes of a section */
#define SECTIONS    1024u		/* of a module: later ones are ignored */

/* Where the sections of a module with code are: 0 is nowhere. */
struct module {
	uint64_t places[SECTIONS];
};

/*
 * Sections of code follow each other as in the file, each with its alignment. The kernel keeps
 * those of its initialisation elsewhere, and frees them.
 */
static void lay_out(Elf *elf, uint64_t start, struct module *module)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names = 0;
	uint64_t end = start;

	(void)elf_getshdrstrndx(elf, &names);
	while ((section = elf_nextscn(elf, section))) {
		const size_t number = elf_ndxscn(section);
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(elf, names, header.sh_name)
					   : NULL;
		const uint64_t code = SHF_ALLOC | SHF_EXECINSTR,
			       align = name && header.sh_addralign > 1 ? header.sh_addralign : 1;

		if (!name || number >= SECTIONS || (header.sh_flags & code) != code ||
		    strncmp(name, ".init", 5) == 0 || align & (align - 1) || align > MODULE_MOST ||
		    header.sh_size > MODULE_MOST)
			continue;
		module->places[number] = (end + align - 1) & ~(align - 1);
		end = module->places[number] + header.sh_size;
	}
}

/* module: for a file that is not yet linked; or NULL. */
static int add_table(struct symbols *symbols, Elf *elf, const GElf_Shdr *table, Elf_Data *data,
		     uint64_t moved, const struct module *module)
{
	GElf_Shdr section;
	GElf_Sym symbol;
	int error = 0;

	for (int i = 0; !error && gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(elf, table->sh_link, symbol.st_name);
		struct symbols_entry entry = {.moved = moved};
		uint64_t end;

		if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE ||
		    !gelf_getshdr(elf_getscn(elf, symbol.st_shndx), &section) ||
		    (module && (symbol.st_shndx >= SECTIONS || !module->places[symbol.st_shndx])))
			continue;
		if (module) {
			section.sh_addr = 0;
			entry.moved = moved = module->places[symbol.st_shndx];
		}
		entry.kind = kind_of(&symbol, &section, name);
		if (entry.kind == SYMBOLS_NEITHER)
			continue;
		entry.rank = rank_of(is_function(GELF_ST_TYPE(symbol.st_info)), name,
				     GELF_ST_BIND(symbol.st_info));
		end = section.sh_addr + section.sh_size;
		if (symbol.st_value < section.sh_addr || symbol.st_value >= end)
			continue;
		entry.start = (symbol.st_value + moved) & SYMBOLS_BITS;
		entry.limit = entry.start + (end - symbol.st_value);
		if (symbol.st_size && symbol.st_size <= end - symbol.st_value)
			entry.end = entry.start + symbol.st_size;
		error = symbols_keep(symbols, entry, name, strlen(name));
	}
	return error;
}

static int add_tables(struct symbols *symbols, Elf *elf, uint64_t moved,
		      const struct module *module)
{
	Elf_Scn *scan = NULL;
	GElf_Ehdr header;
	int error = 0;

	symbols->sorted = false;
	if (gelf_getehdr(elf, &header) && (header.e_type == ET_REL) != (module != NULL))
		error = -ENOEXEC;
	while (!error && (scan = elf_nextscn(elf, scan))) {
		GElf_Shdr section;
		Elf_Data *data;

		if (!gelf_getshdr(scan, &section) ||
		    (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM))
			continue;
		data = elf_getdata(scan, NULL);
		if (data)
			error = add_table(symbols, elf, &section, data, moved, module);
	}
	return error;
}

int symbols_add_elf(struct symbols *symbols, struct Elf *elf, uint64_t moved)
{
	return add_tables(symbols, elf, moved, NULL);
}

int symbols_add_module(struct symbols *symbols, struct Elf *elf, uint64_t start)
{
	struct module module = {0};

	lay_out(elf, start, &module);
	return add_tables(symbols, elf, 0, &module);
}

#define PLT_HEAD  32u /* bytes before the first entry (ELF for the Arm 64-bit ABI, 9.3) */
#define PLT_ENTRY 16u /* the least of one: with BTI or PAC it is longer */

int symbols_add_plt(struct symbols *symbols, struct Elf *elf, uint64_t moved)
{
	GElf_Shdr plt, relocations, table;
	Elf_Scn *slots = elf_file_section(elf, ".rela.plt", &relocations);
	Elf_Scn *names = slots ? elf_getscn(elf, relocations.sh_link) : NULL;
	Elf_Data *data = slots ? elf_getdata(slots, NULL) : NULL;
	Elf_Data *symbol_data =
		names && gelf_getshdr(names, &table) ? elf_getdata(names, NULL) : NULL;
	size_t count;
	int error = 0;

	if (!data || !symbol_data || !relocations.sh_entsize ||
	    !elf_file_section(elf, ".plt", &plt) || plt.sh_size <= PLT_HEAD)
		return 0;
	count = relocations.sh_size / relocations.sh_entsize;
	for (size_t i = 0; i < count && !error; i++) {
		const uint64_t size = (plt.sh_size - PLT_HEAD) / count;
		const uint64_t start = (plt.sh_addr + PLT_HEAD + i * size + moved) & SYMBOLS_BITS;
		const struct symbols_entry entry = {
			.start = start, .end = start + size, .moved = moved};
		char name[SYMBOL_NAME_MAX];
		const char *function;
		GElf_Rela slot;
		GElf_Sym symbol;

		if (size < PLT_ENTRY || !gelf_getrela(data, (int)i, &slot) ||
		    !gelf_getsym(symbol_data, (int)GELF_R_SYM(slot.r_info), &symbol))
			break;
		function = elf_strptr(elf, table.sh_link, symbol.st_name);
		if (!function || !*function)
			continue;
		(void)snprintf(name, sizeof(name), "%s@plt", function);
		error = symbols_keep(symbols, entry, name, strlen(name));
	}
	symbols->sorted = false;
	return error;
}

int symbols_read_elf(struct symbols *symbols, Elf *elf, uint64_t size, bool moved, uint64_t address,
		     uint64_t *by)
{
	int error = elf_file_check(elf, size);

	if (!error)
		error = elf_moved(elf, moved, address, by);
	return error ? error : symbols_add_elf(symbols, elf, *by);
}
