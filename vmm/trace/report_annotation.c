/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of vspe report --annotate. Capstone knows the instructions. */
#include "trace/annotation.h"
#include "trace/report_rows.h"

#include <capstone/capstone.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TEXT_BYTES 512u

/* Source text, with spaces for tabs. */
static void source_text(char *text, size_t size, const char *line, size_t length)
{
	size_t used = 0;

	while (length && (*line == ' ' || *line == '\t')) {
		line++;
		length--;
	}
	for (; length && used + 1 < size; line++, length--)
		if (*line != '\r')
			text[used++] = (char)(*line == '\t' ? ' ' : *line);
	text[used] = '\0';
}

/* "FILE:12  for (i = 0; i < n; i++)", if the line differs from the last one. */
static void fill_source(struct report_cell *cell, const struct report_view *view, uint64_t address,
			struct lines_frame *last)
{
	struct lines *lines = symbols_lines(view->symbols);
	struct lines_frame frames[LINES_FRAMES];
	char text[TEXT_BYTES] = "", whole[2 * TEXT_BYTES];
	const char *line;
	size_t length;

	cell->none = !lines_find(lines, address, frames) || frames[0].file == LINES_NONE ||
		     (frames[0].file == last->file && frames[0].line == last->line);
	if (cell->none)
		return;
	*last = frames[0];
	line = annotation_line(view->annotation, last->file, last->line, &length);
	if (line)
		source_text(text, sizeof(text), line, length);
	(void)snprintf(whole, sizeof(whole), "%s:%" PRIu32 "%s%s",
		       lines_base(lines_name(lines, last->file)), last->line, *text ? "  " : "",
		       text);
	report_name(cell, whole);
}

/* Branches whose last operand is their target. */
static bool is_direct_branch(const char *mnemonic)
{
	return strcmp(mnemonic, "b") == 0 || strcmp(mnemonic, "bl") == 0 ||
	       strncmp(mnemonic, "b.", 2) == 0 || strncmp(mnemonic, "cb", 2) == 0 ||
	       strncmp(mnemonic, "tb", 2) == 0;
}

/* " <name+0x8>" for the target of a branch. */
static void target_name(char *text, size_t size, const cs_insn *instruction, uint64_t moved,
			struct symbols *symbols)
{
	const cs_arm64 *arm64 = &instruction->detail->arm64;
	const cs_arm64_op *last = arm64->op_count ? &arm64->operands[arm64->op_count - 1] : NULL;
	struct symbol symbol;
	uint64_t offset;
	long number;

	*text = '\0';
	if (!last || last->type != ARM64_OP_IMM || !is_direct_branch(instruction->mnemonic))
		return;
	number = symbols_find(symbols, (uint64_t)last->imm + moved);
	if (number < 0)
		return;
	symbol = symbols_get(symbols, number);
	offset = ((uint64_t)last->imm + moved - symbol.start) & UINT64_C(0x00ffffffffffffff);
	if (offset)
		(void)snprintf(text, size, "  <%s+0x%" PRIx64 ">", symbol.name, offset);
	else
		(void)snprintf(text, size, "  <%s>", symbol.name);
}

/* Show what capstone does not know as a number, in the form that the assembler takes. */
static void fill_instruction(struct report_cell *cell, csh capstone, uint32_t code,
			     uint64_t address, struct symbols *symbols)
{
	struct report_cell own; /* as in the address column */
	char text[TEXT_BYTES];
	cs_insn *instruction = NULL;

	report_address(&own, address);
	if (cs_disasm(capstone, (const uint8_t *)&code, sizeof(code), own.number, 1,
		      &instruction) != 1) {
		report_text(cell, ".inst 0x%08" PRIx32, code);
		return;
	}
	target_name(text, sizeof(text), instruction, address - own.number, symbols);
	report_text(cell, "%s%s%s%s", instruction->mnemonic, *instruction->op_str ? " " : "",
		    instruction->op_str, text);
	cs_free(instruction, 1);
}

static void count_cell(struct report_cell *cell, uint64_t count)
{
	cell->number = count;
	cell->none = !count;
}

static void fill_row(struct report_cell *cells, const struct annotation_counts *counts,
		     uint64_t total)
{
	count_cell(&cells[1], counts->samples);
	count_cell(&cells[2], report_share(counts->samples, total));
	report_mean_of(&cells[3], counts->cycles, counts->timed);
	count_cell(&cells[4], counts->l1d_refills);
	count_cell(&cells[5], counts->llc_misses);
	count_cell(&cells[6], counts->tlb_walks);
	count_cell(&cells[7], counts->taken);
	count_cell(&cells[8], counts->not_taken);
	count_cell(&cells[9], counts->mispredicted);
}

static void fill_function(const struct annotation_function *function, csh capstone,
			  const struct report_view *view, struct report_rows *rows)
{
	struct lines_frame last = {LINES_NONE, LINES_NONE, 0};

	for (size_t i = 0; i < function->count; i++) {
		const uint64_t address = sample_address(function->start + 4 * i);
		struct report_cell *cells = report_row(rows);

		report_address(&cells[0], address);
		fill_row(cells, &function->counts[i], function->samples);
		fill_instruction(&cells[10], capstone, function->code[i], address, view->symbols);
		fill_source(&cells[11], view, address, &last);
	}
}

void report_fill_annotation(struct report *report, const struct report_view *view,
			    struct report_rows *rows)
{
	const struct annotation *annotation = view->annotation;
	unsigned int shown = 0;
	csh capstone;

	(void)report;
	if (!annotation || cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &capstone) != CS_ERR_OK)
		return;
	(void)cs_option(capstone, CS_OPT_DETAIL, CS_OPT_ON);
	/* Of several functions with this name, show those that ran. */
	for (unsigned int i = 0; i < annotation->functions; i++) {
		const struct annotation_function *function = &annotation->function[i];

		if (!function->samples)
			continue;
		fill_function(function, capstone, view, rows);
		shown++;
	}
	if (shown > 1)
		rows->remark = "Several functions have the name";
	if (annotation->left_off)
		rows->remark = "Not all functions of the name are here: of some no file has the "
			       "code, or there are more than 16";
	(void)cs_close(&capstone);
}
