// SPDX-License-Identifier: BSD-2-Clause
/* Names of addresses: see symbols.h. */
#define _GNU_SOURCE /* qsort_r */
#include "trace/symbols.h"

#include "base/memory.h"
#include "trace/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ADDRESS_BITS UINT64_C(0x00ffffffffffffff)
/* How far the last symbol of a list reaches: nothing tells. */
#define LAST_SIZE 4096u

struct entry {
	uint64_t start, end; /* end is 0: up to the next one, and to limit */
	uint64_t limit;
	uint64_t moved;
	uint32_t name; /* offset in text */
	uint8_t rank;  /* of those at one address the lowest is shown */
	enum kind {
		CODE,
		DATA,
		NEITHER, /* it only ends the one before */
	} kind;
};

struct symbols {
	struct entry *entries;
	size_t count, room;
	size_t functions; /* that were kept */
	char *text;
	size_t used, text_room;
	unsigned int files;
	struct symbols_file {
		size_t first, end; /* of its entries, until they are sorted */
		bool placed;	   /* where it runs was said */
	} file[SYMBOLS_FILES];
	bool sorted;
};

struct symbols *symbols_new(void)
{
	return memory_need(calloc(1, sizeof(struct symbols)));
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->entries);
	free(symbols->text);
	free(symbols);
}

size_t symbols_count(const struct symbols *symbols)
{
	return symbols->functions;
}

/* Keep a name of length bytes as it is shown. Returns where, or -E2BIG. */
static int64_t keep_name(struct symbols *symbols, const char *name, size_t length)
{
	const size_t most = 4 * (length < SYMBOL_NAME_MAX ? length : SYMBOL_NAME_MAX) + 1;
	const size_t at = symbols->used;
	char *out;

	if (at + most > SYMBOLS_TEXT)
		return -E2BIG;
	if (at + most > symbols->text_room) {
		symbols->text_room = 2 * (at + most);
		symbols->text = memory_need(realloc(symbols->text, symbols->text_room));
	}
	out = symbols->text + at;
	for (size_t i = 0; i < length && out - (symbols->text + at) < SYMBOL_NAME_MAX - 4; i++) {
		const unsigned char c = (unsigned char)name[i];

		if (c > ' ' && c < 0x7f)
			*out++ = (char)c;
		else
			out += sprintf(out, "\\x%02x", c);
	}
	*out++ = '\0';
	symbols->used = (size_t)(out - symbols->text);
	return (int64_t)at;
}

static unsigned int underscores_of(const char *name)
{
	const size_t count = strspn(name, "_");

	return count < 15 ? (unsigned int)count : 15;
}

/*
 * Which of several symbols of an ELF file at one address is shown, as perf chooses: a function
 * before a label (a guest's __text_start is often where its first function is), one that is not
 * weak, a global one, one with fewer underscores in front, the longest. In a list fewer underscores
 * come first: Linux has __pi_memset, global, beside memset, weak.
 */
static uint8_t rank_of(bool function, const char *name, unsigned int bind)
{
	return (uint8_t)((function ? 0 : 64) + (bind == STB_WEAK ? 32 : 0) +
			 (bind == STB_GLOBAL ? 0 : 16) + underscores_of(name));
}

static int keep(struct symbols *symbols, struct entry entry, const char *name, size_t length)
{
	const int64_t at = keep_name(symbols, name, length);

	if (at < 0 || symbols->count == SYMBOLS_MAX)
		return -E2BIG;
	if (symbols->count == symbols->room) {
		symbols->room = symbols->room ? 2 * symbols->room : 256;
		symbols->entries = memory_need(
			realloc(symbols->entries, symbols->room * sizeof(*symbols->entries)));
	}
	entry.name = (uint32_t)at;
	symbols->functions += entry.kind == CODE;
	symbols->entries[symbols->count++] = entry;
	return 0;
}

/* --- ELF files */

/* By how much the file is away from where it was linked for: 0, or an error. */
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

/* What it names. A mapping symbol, $x or $d, names nothing (ELF for the Arm 64-bit ABI). */
static enum kind kind_of(const GElf_Sym *symbol, const GElf_Shdr *section, const char *name)
{
	const unsigned int type = GELF_ST_TYPE(symbol->st_info);

	if (!name || !*name || *name == '$')
		return NEITHER;
	if (section->sh_flags & SHF_EXECINSTR)
		return type == STT_FUNC || type == STT_NOTYPE ? CODE : NEITHER;
	return type == STT_OBJECT && symbol->st_size && section->sh_flags & SHF_ALLOC &&
			       !(section->sh_flags & SHF_TLS)
		       ? DATA
		       : NEITHER;
}

static int add_table(struct symbols *symbols, Elf *elf, const GElf_Shdr *table, Elf_Data *data,
		     uint64_t moved)
{
	GElf_Shdr section;
	GElf_Sym symbol;
	int error = 0;

	for (int i = 0; !error && gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(elf, table->sh_link, symbol.st_name);
		struct entry entry = {.moved = moved};
		uint64_t end;

		if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE ||
		    !gelf_getshdr(elf_getscn(elf, symbol.st_shndx), &section))
			continue;
		entry.kind = kind_of(&symbol, &section, name);
		if (entry.kind == NEITHER)
			continue;
		entry.rank = rank_of(GELF_ST_TYPE(symbol.st_info) == STT_FUNC, name,
				     GELF_ST_BIND(symbol.st_info));
		end = section.sh_addr + section.sh_size;
		if (symbol.st_value < section.sh_addr || symbol.st_value >= end)
			continue;
		entry.start = (symbol.st_value + moved) & ADDRESS_BITS;
		entry.limit = entry.start + (end - symbol.st_value);
		if (symbol.st_size && symbol.st_size <= end - symbol.st_value)
			entry.end = entry.start + symbol.st_size;
		error = keep(symbols, entry, name, strlen(name));
	}
	return error;
}

int symbols_add_elf(struct symbols *symbols, struct Elf *elf, uint64_t moved)
{
	Elf_Scn *scan = NULL;
	GElf_Ehdr header;
	int error = 0;

	symbols->sorted = false;
	if (gelf_getehdr(elf, &header) && header.e_type == ET_REL)
		error = -ENOEXEC;
	while (!error && (scan = elf_nextscn(elf, scan))) {
		GElf_Shdr section;
		Elf_Data *data;

		if (!gelf_getshdr(scan, &section) ||
		    (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM))
			continue;
		data = elf_getdata(scan, NULL);
		if (data)
			error = add_table(symbols, elf, &section, data, moved);
	}
	return error;
}

/* The section of a name, with bytes in the file, or NULL. */
static Elf_Scn *section_of(Elf *elf, const char *wanted, GElf_Shdr *header)
{
	Elf_Scn *scan = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scan = elf_nextscn(elf, scan))) {
		const char *name =
			gelf_getshdr(scan, header) ? elf_strptr(elf, names, header->sh_name) : NULL;

		if (name && strcmp(name, wanted) == 0 && header->sh_type != SHT_NOBITS)
			return scan;
	}
	return NULL;
}

#define PLT_HEAD  32u /* bytes before the first entry (ELF for the Arm 64-bit ABI, 9.3) */
#define PLT_ENTRY 16u /* of one, at least: with BTI or PAC it is longer */

int symbols_add_plt(struct symbols *symbols, struct Elf *elf, uint64_t moved)
{
	GElf_Shdr plt, relocations, table;
	Elf_Scn *slots = section_of(elf, ".rela.plt", &relocations);
	Elf_Scn *names = slots ? elf_getscn(elf, relocations.sh_link) : NULL;
	Elf_Data *data = slots ? elf_getdata(slots, NULL) : NULL;
	Elf_Data *symbol_data =
		names && gelf_getshdr(names, &table) ? elf_getdata(names, NULL) : NULL;
	size_t count;
	int error = 0;

	if (!data || !symbol_data || !relocations.sh_entsize || !section_of(elf, ".plt", &plt) ||
	    plt.sh_size <= PLT_HEAD)
		return 0;
	count = relocations.sh_size / relocations.sh_entsize;
	for (size_t i = 0; i < count && !error; i++) {
		const uint64_t size = (plt.sh_size - PLT_HEAD) / count;
		const uint64_t start = (plt.sh_addr + PLT_HEAD + i * size + moved) & ADDRESS_BITS;
		const struct entry entry = {.start = start, .end = start + size, .moved = moved};
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
		error = keep(symbols, entry, name, strlen(name));
	}
	symbols->sorted = false;
	return error;
}

static int add_elf(struct symbols *symbols, Elf *elf, uint64_t size, bool wanted, uint64_t address)
{
	int error = elf_file_check(elf, size);
	uint64_t moved;

	if (!error)
		error = elf_moved(elf, wanted, address, &moved);
	return error ? error : symbols_add_elf(symbols, elf, moved);
}

/* --- Lists: System.map, kallsyms */

#define SPACES " \t\r\v\f"

/* A line "ffff800008010000 T _stext", perhaps with a module's name behind. false: it is none. */
static bool read_line(char *line, struct entry *entry, const char **name, size_t *length)
{
	char *at = line, *end;
	char type;

	if (!strchr("0123456789abcdefABCDEF", *line) || !*line)
		return false;
	errno = 0;
	entry->start = strtoull(line, &at, 16);
	if (errno || at == line || at - line > 16 || !*at || !strchr(SPACES, *at))
		return false;
	at += strspn(at, SPACES);
	type = *at;
	if (!type || !at[1] || !strchr(SPACES, at[1]))
		return false;
	at++;
	at += strspn(at, SPACES);
	end = at + strcspn(at, SPACES "\n");
	*name = at;
	*length = (size_t)(end - at);
	if (*at == '$')
		entry->kind = NEITHER;
	else if (strchr("tTwW", type))
		entry->kind = CODE;
	else
		entry->kind = strchr("bBdDgGrRsSvV", type) ? DATA : NEITHER;
	entry->rank = (uint8_t)(underscores_of(at) * 4 + (type == 'T' ? 0 : (type == 't' ? 2 : 1)));
	return *length > 0;
}

/* The list's own addresses are known: put them where they are wished for. */
static int place_list(struct symbols *symbols, size_t first, bool moved, uint64_t address)
{
	uint64_t lowest = UINT64_MAX, highest = 0, by;
	bool code = false;

	for (size_t i = first; i < symbols->count; i++) {
		const struct entry *entry = &symbols->entries[i];

		highest = entry->start > highest ? entry->start : highest;
		if (entry->kind == CODE && entry->start < lowest)
			lowest = entry->start;
		code = code || entry->kind == CODE;
	}
	if (!code)
		return -ENOMSG;
	if (!highest)
		return -EACCES;
	by = moved ? address - lowest : 0;
	for (size_t i = first; i < symbols->count; i++) {
		struct entry *entry = &symbols->entries[i];

		entry->moved = by;
		entry->start = (entry->start + by) & ADDRESS_BITS;
		entry->limit = entry->start + LAST_SIZE;
		if (i + 1 < symbols->count) /* until the next one, wherever that is */
			entry->limit = UINT64_MAX;
	}
	return 0;
}

static int add_list(struct symbols *symbols, FILE *file, bool moved, uint64_t address)
{
	const size_t first = symbols->count;
	char line[2 * SYMBOL_NAME_MAX];
	int error = 0;

	while (!error && fgets(line, sizeof(line), file)) {
		struct entry entry = {0};
		const char *name = NULL;
		size_t length = 0;

		if (strlen(line) == sizeof(line) - 1 || !read_line(line, &entry, &name, &length))
			error = -ENOMSG;
		else
			error = keep(symbols, entry, name, length);
	}
	if (ferror(file))
		return -EIO;
	return error ? error : place_list(symbols, first, moved, address);
}

/* --- All of them */

static int add_open(struct symbols *symbols, int fd, uint64_t size, bool moved, uint64_t address)
{
	Elf *elf;
	FILE *file;
	int error;

	errno = 0;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		error = add_elf(symbols, elf, size, moved, address);
		/* libelf goes on as if there were nothing, where it cannot read. */
		if (errno == ENOMEM || errno == EIO)
			error = -errno;
		elf_end(elf);
		close(fd);
		return error;
	}
	elf_end(elf);
	file = lseek(fd, 0, SEEK_SET) == 0 ? fdopen(fd, "r") : NULL;
	if (!file) {
		error = -errno;
		close(fd);
		return error;
	}
	error = add_list(symbols, file, moved, address);
	fclose(file);
	return error;
}

int symbols_add(struct symbols *symbols, const char *path, bool moved, uint64_t address)
{
	const size_t before = symbols->count, functions = symbols->functions;
	struct stat status;
	int fd, error;

	if (symbols->files == SYMBOLS_FILES)
		return -E2BIG;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) || S_ISDIR(status.st_mode)) {
		close(fd);
		return -EISDIR;
	}
	error = add_open(symbols, fd, (uint64_t)status.st_size, moved, address);
	if (!error && symbols->functions == functions)
		error = -ENOMSG;
	if (error) {
		symbols->count = before;
		symbols->functions = functions;
	}
	symbols->file[symbols->files++] = (struct symbols_file){before, symbols->count, moved};
	symbols->sorted = false;
	return error;
}

#define UPPER (UINT64_C(1) << 55) /* of bits [55:0], an address of the kernel's */

/* The symbol of that name in the upper half, or NULL. */
static const struct entry *named(const struct symbols *symbols, const struct symbols_file *file,
				 const char *name)
{
	for (size_t i = file->first; i < file->end; i++)
		if (symbols->entries[i].start & UPPER &&
		    strcmp(symbols->text + symbols->entries[i].name, name) == 0)
			return &symbols->entries[i];
	return NULL;
}

unsigned int symbols_anchor(struct symbols *symbols, const char *name, uint64_t address)
{
	unsigned int moved = 0;

	for (unsigned int n = 0; n < symbols->files; n++) {
		const struct symbols_file *file = &symbols->file[n];
		const struct entry *anchor = file->placed ? NULL : named(symbols, file, name);
		const uint64_t by = anchor ? (address & ADDRESS_BITS) - anchor->start : 0;

		for (size_t i = file->first; by && i < file->end; i++) {
			struct entry *entry = &symbols->entries[i];

			if (!(entry->start & UPPER))
				continue;
			entry->start = (entry->start + by) & ADDRESS_BITS;
			entry->end = entry->end ? (entry->end + by) & ADDRESS_BITS : 0;
			entry->limit = entry->limit == UINT64_MAX
					       ? UINT64_MAX
					       : (entry->limit + by) & ADDRESS_BITS;
			entry->moved += by;
		}
		moved += by != 0;
	}
	return moved;
}

const char *symbols_strerror(int error)
{
	switch (error) {
	case -ENOMSG: return "names no code: neither an ELF file with symbols nor a System.map";
	case -EACCES: return "its addresses are hidden or may not be read: ask as root";
	case -E2BIG: return "too many: 1048576 symbols, 64 MiB of names, 16 files at most";
	case -ENOEXEC: return "not an AArch64 ELF file that is linked";
	default: return elf_file_strerror(error);
	}
}

static int compare(const void *one, const void *other, void *text)
{
	const struct entry *a = one, *b = other;
	const char *x = (char *)text + a->name, *y = (char *)text + b->name;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (strlen(x) != strlen(y))
		return strlen(x) > strlen(y) ? -1 : 1;
	return strcmp(x, y);
}

/* Sort, keep one symbol an address, and say where those without a size end. */
static void sort(struct symbols *symbols)
{
	size_t kept = 0;

	if (symbols->count)
		qsort_r(symbols->entries, symbols->count, sizeof(*symbols->entries), compare,
			symbols->text);
	for (size_t i = 0; i < symbols->count; i++)
		if (!kept || symbols->entries[i].start != symbols->entries[kept - 1].start)
			symbols->entries[kept++] = symbols->entries[i];
	symbols->count = kept;
	for (size_t i = 0; i < kept; i++) {
		struct entry *entry = &symbols->entries[i];

		if (entry->end)
			continue;
		entry->end = entry->limit == UINT64_MAX ? entry->start + LAST_SIZE : entry->limit;
		if (i + 1 < kept &&
		    (entry->limit == UINT64_MAX || symbols->entries[i + 1].start < entry->end))
			entry->end = symbols->entries[i + 1].start;
	}
	symbols->sorted = true;
}

static long find(struct symbols *symbols, uint64_t address, enum kind kind)
{
	const uint64_t bits = address & ADDRESS_BITS;
	size_t low = 0, high;
	const struct entry *entry;

	if (!symbols->sorted)
		sort(symbols);
	high = symbols->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (symbols->entries[middle].start <= bits)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return -1;
	entry = &symbols->entries[low - 1];
	return entry->kind == kind && bits < entry->end ? (long)(low - 1) : -1;
}

long symbols_find(struct symbols *symbols, uint64_t address)
{
	return find(symbols, address, CODE);
}

long symbols_find_data(struct symbols *symbols, uint64_t address)
{
	return find(symbols, address, DATA);
}

struct symbol symbols_get(const struct symbols *symbols, long number)
{
	const struct entry *entry = &symbols->entries[number];

	return (struct symbol){.name = symbols->text + entry->name,
			       .start = entry->start,
			       .size = entry->end - entry->start,
			       .moved = entry->moved};
}
