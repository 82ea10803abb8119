/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arm's register pages: where in a file the accessors of registers of SPE and the PMU stand. XML as
 * in the bundles
 * ("SysReg_xml_A_profile", element access_mechanism), or the text of a page of the web.
 */
#ifndef VSPE_CONFORM_PAGE_H
#define VSPE_CONFORM_PAGE_H

#include "conform/asl.h"
#include "conform/subject.h"

/* Larger files are not read: no page comes near. */
#define PAGE_SIZE_MAX (16u << 20)

struct page_accessor {
	char *file;
	unsigned int line; /* of the pseudocode's start */
	unsigned int reg;  /* of subject.h; where one is for all event counters, of counter 0 */
	bool write;
	bool encoded;	   /* the page gives the encoding */
	uint32_t encoding; /* as sysreg_encode() makes it */
	/* "when FEAT_A is implemented and ...": these must be there, else UNDEFINED. */
	bool needs[WORLD_HALTED];    /* by feature */
	struct asl_program *program; /* NULL: it cannot be read, problem says why */
	struct asl_error problem;
};

/* Something that could not be read and is no accessor of SPE's or the PMU's. */
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
	size_t files;		   /* read */
	size_t without;		   /* ... that have no accessor at all */
	size_t others;		   /* accessors of other registers: not looked at */
	bool about[SUBJECT_COUNT]; /* the file that is being read */
};

/*
 * Add a file, or all *.xml and *.txt of a folder and those below it, in the order of their names.
 * 0, or -1 with a line in messages if path cannot be opened.
 */
int page_add(struct page_set *set, const char *path, FILE *messages);
/* The same for bytes. */
void page_add_bytes(struct page_set *set, const char *name, const char *bytes, size_t size);
void page_free(struct page_set *set);

/* An accessor of a set as a reference for explore(); ctx is the struct page_accessor. */
struct outcome page_decide(const void *ctx, struct world *w, unsigned int reg, bool write);

/* For the readers of the two forms. Sets accessor->file; takes a copy. NULL: out of memory. */
struct page_accessor *page_new_accessor(struct page_set *set, const char *file,
					const struct page_accessor *accessor);
void page_new_problem(struct page_set *set, const char *file, unsigned int line, const char *text);
/*
 * What may be the title of a page, and begins with the name of the register that it is about. False
 * if that is no name of a register. Of other registers nothing is noted.
 */
bool page_title(struct page_set *set, const char *text, size_t size);
/* An accessor of a register by a name that is none of these, with the encoding if it has one. */
void page_other_accessor(struct page_set *set, const char *file, const struct page_accessor *other);
/* "MRS <Xt>, NAME" or "MSR NAME, <Xt>". 1 with the register, 0 of another register, -1 is none. */
int page_instruction(const char *text, size_t size, unsigned int *reg, bool *write);
/* "when FEAT_A is implemented and FEAT_B is implemented" into needs; false if it says more. */
bool page_condition(const char *text, size_t size, bool needs[WORLD_HALTED]);
void page_read_xml(struct page_set *set, const char *name, const char *bytes, size_t size);
void page_read_text(struct page_set *set, const char *name, const char *bytes, size_t size);

#endif
