/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arm's register pages: where a file has the accessors of SPE's and the PMU's registers, and of the
 * software CPU's others. The form is XML as in the bundles ("SysReg_xml_A_profile", element
 * access_mechanism), or the text of a web page.
 */
#ifndef VSPE_CONFORM_PAGE_H
#define VSPE_CONFORM_PAGE_H

#include "conform/asl.h"
#include "conform/cpu_subject.h"
#include "conform/subject.h"

/* Larger files are not read. No page is nearly as large. */
#define PAGE_SIZE_MAX (16u << 20)

struct page_accessor {
	/* Of the software CPU: the page's name, or NULL; of an array, the number of this one. */
	char *name;
	uint8_t m;
	/* It says nothing of PEs without these, bits of world_cpu.h; if never, of none. */
	uint16_t cpu_needs[4];
	uint8_t cpu_needs_count;
	bool cpu_never;
	char *file;
	unsigned int line; /* of the pseudocode's start */
	unsigned int reg;  /* of subject.h; counter 0 if one page is for all counters */
	bool write;
	bool encoded;	   /* the page gives the encoding */
	uint32_t encoding; /* as sysreg_encode() makes it */
	/* "when FEAT_A is implemented and ...": without these the access is UNDEFINED. */
	bool needs[WORLD_HALTED];    /* by feature */
	struct asl_program *program; /* NULL: it cannot be parsed, problem says why */
	bool shared;		     /* ... and an earlier accessor has it */
	struct asl_error problem;
};

/* The parts of an encoding, each bits or, as "0b10:m[3]", some of the number of a register. */
struct page_encoding {
	char part[5][16]; /* op0, op1, CRn, CRm, op2 */
};

/* Something that could not be parsed and is no accessor of SPE or the PMU. */
struct page_problem {
	char *file;
	unsigned int line;
	char text[160];
};

struct page_set {
	struct page_accessor *accessors;
	size_t count, room;
	struct page_problem *problems;
	size_t problem_count, problem_room;
	size_t files;		       /* read */
	size_t without;		       /* ... without any accessor */
	size_t others;		       /* accessors of other registers, which are ignored */
	const struct cpu_subject *cpu; /* or NULL: of these, its accessors are read, too */
	size_t cpu_count;	       /* how many of them are in accessors; at their end none */
	char **lacking;		       /* the accessors that it lacks, as the pages name them */
	size_t lacking_count, lacking_room;
	bool about[SUBJECT_COUNT]; /* the file that is being read */
};

/*
 * Add a file, or all *.xml and *.txt of a folder and those below it, sorted by name. 0, or -1 with
 * a line in messages if path cannot be opened.
 */
int page_add(struct page_set *set, const char *path, FILE *messages);
/* The same for bytes. */
void page_add_bytes(struct page_set *set, const char *name, const char *bytes, size_t size);
void page_free(struct page_set *set);

/* An accessor of a set as a reference for explore(); ctx is the struct page_accessor. */
struct outcome page_decide(const void *ctx, struct world *w, unsigned int reg, bool write);

/* For the readers of the two forms. Sets accessor->file, and takes a copy. NULL: out of memory. */
struct page_accessor *page_new_accessor(struct page_set *set, const char *file,
					const struct page_accessor *accessor);
void page_new_problem(struct page_set *set, const char *file, unsigned int line, const char *text);
/*
 * Takes text that may be the title of a page, which begins with the name of its register. False if
 * it is no register name. Other registers are ignored.
 */
bool page_title(struct page_set *set, const char *text, size_t size);
/* Note an accessor of another register's name, with the encoding if it has one. */
void page_other_accessor(struct page_set *set, const char *file, const struct page_accessor *other);
/*
 * The same with its instruction, encoding and pseudocode, where the set has a CPU: it becomes an
 * accessor, or several, if the CPU has that encoding. condition: as page_condition() has it, or
 * NULL. refused: why it cannot be read, or NULL.
 */
void page_cpu_accessor(struct page_set *set, const char *file, const struct page_accessor *other,
		       const char *instruction, size_t size, const struct page_encoding *encoding,
		       const char *code, size_t code_size, const char *condition,
		       const char *refused);
/*
 * Is text the instruction of an accessor of the software CPU: MRS, MSR, or a SYS instruction? Sets
 * *write.
 */
bool page_cpu_instruction(const char *text, size_t size, bool *write);
/*
 * Parse "MRS <Xt>, NAME" or "MSR NAME, <Xt>". 1 with the register, 0 for another register, -1 if it
 * is neither.
 */
int page_instruction(const char *text, size_t size, unsigned int *reg, bool *write);
/*
 * Parse "when FEAT_A is implemented and FEAT_B is implemented" into needs; false for anything else.
 */
bool page_condition(const char *text, size_t size, bool needs[WORLD_HALTED]);
void page_read_xml(struct page_set *set, const char *name, const char *bytes, size_t size);
void page_read_text(struct page_set *set, const char *name, const char *bytes, size_t size);

#endif
