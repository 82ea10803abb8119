/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plots of vspe report --html, as SVG inside the page. Every mark carries its row, column and
 * value (data-row, data-column, data-value), and has them as its title. Lengths are whole tenths of
 * a unit, so that every machine draws the same.
 */
#include "cli/report_output.h"

#include <inttypes.h>
#include <string.h>

#define WIDTH  960u
#define COLORS 8u

struct plot {
	FILE *out;
	const struct report_section *section;
	const struct report_rows *rows;
	unsigned int height;
};

/* Scale value to length units in tenths, where most is the whole length. Only 0 becomes 0. */
static uint64_t scaled(uint64_t value, uint64_t most, unsigned int length)
{
	const uint64_t tenths = (uint64_t)length * 10;

	while (most >> 40) {
		value >>= 1;
		most >>= 1;
	}
	if (!value || !most)
		return 0;
	return value * tenths / most ? value * tenths / most : 1;
}

#define TENTHS	     "%" PRIu64 ".%" PRIu64
#define TENTHS_OF(x) (x) / 10, (x) % 10

static const struct report_column *column_of(const struct plot *plot, unsigned int column)
{
	return &plot->section->columns[column];
}

static const char *words_of(const struct plot *plot, size_t row, unsigned int column,
			    char text[REPORT_CELL_TEXT])
{
	return report_cell_words(column_of(plot, column), &plot->rows->rows[row][column], text);
}

static uint64_t number_of(const struct plot *plot, size_t row, unsigned int series)
{
	return plot->rows->rows[row][plot->section->plot.series[series]].number;
}

static void begin(const struct plot *plot)
{
	const char *const key = plot->section->key;

	fprintf(plot->out,
		"<svg id=\"plot-%s\" viewBox=\"0 0 %u %u\" role=\"img\" "
		"aria-labelledby=\"plot-%s-title plot-%s-desc\"><title id=\"plot-%s-title\">",
		key, WIDTH, plot->height, key, key, key);
	report_escape(plot->out, plot->section->title);
	fprintf(plot->out, "</title><desc id=\"plot-%s-desc\">", key);
	report_escape(plot->out, plot->section->plot.description);
	fputs(" The table below has the numbers.</desc>\n", plot->out);
}

/* A rectangle for a cell, or for one of its squares: square is -1 if it has none. All in tenths. */
struct mark {
	uint64_t x, y, width, height;
	size_t row;
	unsigned int column;
	int square;
	uint64_t square_value;
	const char *class;
	unsigned int opacity; /* in tenths; 0: whole */
};

/* The name of a row: its first column, if its label is empty. */
static const char *label_of(const struct plot *plot, size_t row, char text[REPORT_CELL_TEXT])
{
	const char *label = words_of(plot, row, plot->section->plot.label, text);

	return *label ? label : words_of(plot, row, 0, text);
}

static void put_mark(const struct plot *plot, const struct mark *mark)
{
	char label[REPORT_CELL_TEXT], text[REPORT_CELL_TEXT];
	const char *value = words_of(plot, mark->row, mark->column, text);

	fprintf(plot->out,
		"<rect class=\"%s\" x=\"" TENTHS "\" y=\"" TENTHS "\" width=\"" TENTHS
		"\" height=\"" TENTHS "\" data-row=\"%zu\" data-column=\"%s\"",
		mark->class, TENTHS_OF(mark->x), TENTHS_OF(mark->y), TENTHS_OF(mark->width),
		TENTHS_OF(mark->height), mark->row, column_of(plot, mark->column)->key);
	if (mark->square >= 0) {
		(void)snprintf(text, sizeof(text), "%" PRIu64, mark->square_value);
		value = text;
		fprintf(plot->out, " data-square=\"%d\"", mark->square);
	}
	if (mark->opacity)
		fprintf(plot->out, " fill-opacity=\"%u.%u\"", mark->opacity / 10,
			mark->opacity % 10);
	fprintf(plot->out, " data-value=\"%s\"><title>", value);
	report_escape(plot->out, label_of(plot, mark->row, label));
	fprintf(plot->out, ", %s: %s</title></rect>\n", column_of(plot, mark->column)->title,
		value);
}

static void put_text(const struct plot *plot, unsigned int x, unsigned int y, const char *anchor,
		     const char *text)
{
	fprintf(plot->out, "<text x=\"%u\" y=\"%u\" text-anchor=\"%s\">", x, y, anchor);
	report_escape(plot->out, text);
	fputs("</text>\n", plot->out);
}

/* Shorten a long name; the table has it in full. */
static void put_label(const struct plot *plot, size_t row, unsigned int x, unsigned int y)
{
	char text[REPORT_CELL_TEXT], label[40];
	const char *words = label_of(plot, row, text);

	(void)snprintf(label, sizeof(label), "%.32s%s", words, strlen(words) > 32 ? "..." : "");
	put_text(plot, x, y, "end", label);
}

/* --- Bars with intervals */

#define BAR_LEFT  270u
#define BAR_ROOM  590u
#define BAR_PITCH 24u

static void put_whisker(const struct plot *plot, size_t row, uint64_t most)
{
	const struct report_plot *about = &plot->section->plot;
	const struct report_cell *cells = plot->rows->rows[row];
	const uint64_t low = scaled(cells[about->low].number, most, BAR_ROOM) + BAR_LEFT * 10;
	const uint64_t high = scaled(cells[about->high].number, most, BAR_ROOM) + BAR_LEFT * 10;
	const uint64_t y = ((uint64_t)row * BAR_PITCH + 12) * 10;

	fprintf(plot->out,
		"<line class=\"whisker\" x1=\"" TENTHS "\" y1=\"" TENTHS "\" x2=\"" TENTHS
		"\" y2=\"" TENTHS "\"/>\n",
		TENTHS_OF(low), TENTHS_OF(y), TENTHS_OF(high), TENTHS_OF(y));
}

static void plot_bars(const struct plot *plot)
{
	const struct report_plot *about = &plot->section->plot;
	const struct report_rows *rows = plot->rows;
	const unsigned int longest = about->high ? about->high : about->series[0];
	char text[REPORT_CELL_TEXT];
	uint64_t most = 0;

	for (size_t row = 0; row < rows->count; row++)
		if (rows->rows[row][longest].number > most)
			most = rows->rows[row][longest].number;
	for (size_t row = 0; row < rows->count; row++) {
		const unsigned int y = (unsigned int)row * BAR_PITCH;

		put_label(plot, row, BAR_LEFT - 10, y + 17);
		put_mark(plot,
			 &(struct mark){.x = BAR_LEFT * 10,
					.y = (y + 3) * 10,
					.width = scaled(number_of(plot, row, 0), most, BAR_ROOM),
					.height = 180,
					.row = row,
					.column = about->series[0],
					.square = -1,
					.class = "c0"});
		if (about->high)
			put_whisker(plot, row, most);
		(void)snprintf(text, sizeof(text), "%s %%",
			       words_of(plot, row, about->series[0], (char[REPORT_CELL_TEXT]){0}));
		put_text(plot, WIDTH - 5, y + 17, "end", text);
	}
}

/* --- Columns, side by side or stacked */

#define COLUMNS_LEFT 90u
#define COLUMNS_ROOM 220u /* their height */
#define COLUMNS_TOP  34u
#define COLUMNS_BASE (COLUMNS_TOP + COLUMNS_ROOM)

static void put_legend(const struct plot *plot)
{
	const struct report_plot *about = &plot->section->plot;

	for (unsigned int n = 0; n < about->series_count; n++) {
		const unsigned int x = COLUMNS_LEFT + n * 140;

		fprintf(plot->out,
			"<rect class=\"c%u\" x=\"%u\" y=\"4\" width=\"14\" height=\"14\"/>\n", n,
			x);
		put_text(plot, x + 20, 16, "start", column_of(plot, about->series[n])->title);
	}
}

static void put_axis(const struct plot *plot, uint64_t most)
{
	char text[REPORT_CELL_TEXT];

	(void)snprintf(text, sizeof(text), "%" PRIu64, most);
	put_text(plot, COLUMNS_LEFT - 8, COLUMNS_TOP + 10, "end", text);
	put_text(plot, COLUMNS_LEFT - 8, COLUMNS_BASE, "end", "0");
	fprintf(plot->out,
		"<line class=\"axis\" x1=\"%u\" y1=\"%u\" x2=\"%u\" y2=\"%u\"/>\n"
		"<line class=\"axis\" x1=\"%u\" y1=\"%u\" x2=\"%u\" y2=\"%u\"/>\n",
		COLUMNS_LEFT, COLUMNS_BASE, WIDTH, COLUMNS_BASE, COLUMNS_LEFT, COLUMNS_TOP, WIDTH,
		COLUMNS_TOP);
}

/* The highest column. */
static uint64_t most_of(const struct plot *plot, bool stacked)
{
	const struct report_plot *about = &plot->section->plot;
	uint64_t most = 0;

	for (size_t row = 0; row < plot->rows->count; row++) {
		uint64_t sum = 0;

		for (unsigned int n = 0; n < about->series_count; n++) {
			const uint64_t number = number_of(plot, row, n);

			sum = stacked ? sum + number : number;
			most = sum > most ? sum : most;
		}
	}
	return most;
}

/* The columns of a row, which is width tenths wide from x on. */
static void put_columns(const struct plot *plot, size_t row, uint64_t x, uint64_t width,
			uint64_t most)
{
	const struct report_plot *about = &plot->section->plot;
	const bool stacked = about->kind == REPORT_PLOT_TIME;
	const uint64_t each = stacked ? width * 9 / 10 : width * 9 / 10 / about->series_count;
	uint64_t base = COLUMNS_BASE * 10;

	for (unsigned int n = 0; n < about->series_count; n++) {
		uint64_t height = scaled(number_of(plot, row, n), most, COLUMNS_ROOM);
		char class[4];

		if (!height)
			continue;
		if (height > base - COLUMNS_TOP * 10) /* rounded up, several times */
			height = base - COLUMNS_TOP * 10;
		(void)snprintf(class, sizeof(class), "c%u", n % COLORS);
		put_mark(plot, &(struct mark){.x = stacked ? x : x + n * each,
					      .y = base - height,
					      .width = each,
					      .height = height,
					      .row = row,
					      .column = about->series[n],
					      .square = -1,
					      .class = class});
		if (stacked)
			base -= height;
	}
}

static void plot_columns(const struct plot *plot)
{
	const bool stacked = plot->section->plot.kind == REPORT_PLOT_TIME;
	const uint64_t most = most_of(plot, stacked);
	const uint64_t pitch = (WIDTH - COLUMNS_LEFT) * 10 / plot->rows->count;
	const size_t labels = plot->rows->count > 20 ? 16 : 1; /* one row in this many has one */
	char text[REPORT_CELL_TEXT], label[REPORT_CELL_TEXT];

	put_legend(plot);
	put_axis(plot, most);
	for (size_t row = 0; row < plot->rows->count; row++) {
		const uint64_t x = COLUMNS_LEFT * 10 + row * pitch;

		put_columns(plot, row, x, pitch, most);
		if (row % labels)
			continue;
		/* There is only room for the beginning of a range. */
		(void)snprintf(label, sizeof(label), "%s",
			       words_of(plot, row, plot->section->plot.label, text));
		label[strcspn(label, "-")] = '\0';
		put_text(plot, (unsigned int)(x / 10), COLUMNS_BASE + 18, "start", label);
	}
}

/* --- One bar, divided */

#define STACK_PITCH  22u
#define STACK_HEIGHT 44u

static void plot_stack(const struct plot *plot)
{
	const unsigned int column = plot->section->plot.series[0];
	char text[REPORT_CELL_TEXT], line[2 * REPORT_CELL_TEXT], class[12];
	uint64_t all = 0, before = 0;

	for (size_t row = 0; row < plot->rows->count; row++)
		all += number_of(plot, row, 0);
	for (size_t row = 0; row < plot->rows->count; row++) {
		const unsigned int y = STACK_HEIGHT + 12 + (unsigned int)row * STACK_PITCH;
		const uint64_t x = scaled(before, all, WIDTH);

		before += number_of(plot, row, 0);
		(void)snprintf(class, sizeof(class), "part c%u", (unsigned int)(row % COLORS));
		put_mark(plot, &(struct mark){.x = x,
					      .y = 20,
					      .width = scaled(before, all, WIDTH) - x,
					      .height = STACK_HEIGHT * 10 - 40,
					      .row = row,
					      .column = column,
					      .square = -1,
					      .class = class});
		fprintf(plot->out,
			"<rect class=\"c%u\" x=\"0\" y=\"%u\" width=\"14\" height=\"14\"/>\n",
			(unsigned int)(row % COLORS), y);
		(void)snprintf(line, sizeof(line), "%.40s: %s",
			       plot->rows->rows[row][plot->section->plot.label].text,
			       words_of(plot, row, column, text));
		put_text(plot, 22, y + 12, "start", line);
	}
}

/* --- Squares */

#define HEAT_LEFT   190u
#define HEAT_SQUARE 12u
#define HEAT_PITCH  16u

/* A square of a row; row and square give its position. */
static void put_square(const struct plot *plot, unsigned int top, const struct mark *mark)
{
	struct mark square = *mark;

	square.x = (HEAT_LEFT + (unsigned int)mark->square * HEAT_SQUARE) * 10;
	square.y = (top + (unsigned int)mark->row * HEAT_PITCH) * 10;
	square.width = (HEAT_SQUARE - 1) * 10;
	square.height = (HEAT_PITCH - 2) * 10;
	square.column = plot->section->plot.series[0];
	put_mark(plot, &square);
}

static void put_frame(const struct plot *plot, size_t row, unsigned int top)
{
	fprintf(plot->out, "<rect class=\"none\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"/>\n",
		HEAT_LEFT, top + (unsigned int)row * HEAT_PITCH, HEAT_SQUARE * REPORT_CELLS_MAX,
		HEAT_PITCH - 2);
}

static void plot_heat(const struct plot *plot)
{
	const unsigned int column = plot->section->plot.series[0];
	uint64_t most = 0;

	for (size_t row = 0; row < plot->rows->count; row++)
		for (int i = 0; i < (int)REPORT_CELLS_MAX; i++)
			if (plot->rows->rows[row][column].cells[i] > most)
				most = plot->rows->rows[row][column].cells[i];
	for (size_t row = 0; row < plot->rows->count; row++) {
		put_label(plot, row, HEAT_LEFT - 10, (unsigned int)row * HEAT_PITCH + 11);
		for (int i = 0; i < (int)REPORT_CELLS_MAX; i++) {
			const uint64_t value = plot->rows->rows[row][column].cells[i];

			if (value)
				put_square(plot, 0,
					   &(struct mark){.row = row,
							  .square = i,
							  .square_value = value,
							  .class = "c1",
							  .opacity = (unsigned int)scaled(
								  value, most, 1)});
		}
		put_frame(plot, row, 0);
	}
}

#define BYTES_TOP 34u /* below the legend */

static void plot_bytes(const struct plot *plot)
{
	static const char *const who[] = {"first thread of the line", "second", "third", "fourth",
					  "several"};
	static const char *const classes[] = {NULL, "c0", "c1", "c4", "c2", "c4", "c4", "c4",
					      "c3", "c4", "c4", "c4", "c4", "c4", "c4", "c4"};
	const unsigned int column = plot->section->plot.series[0];

	for (unsigned int n = 0; n < sizeof(who) / sizeof(*who); n++) {
		const unsigned int x = HEAT_LEFT + n * 110 + (n ? 70 : 0);

		fprintf(plot->out,
			"<rect class=\"c%u\" x=\"%u\" y=\"4\" width=\"14\" height=\"14\"/>\n", n,
			x);
		put_text(plot, x + 20, 16, "start", who[n]);
	}
	for (size_t row = 0; row < plot->rows->count; row++) {
		put_label(plot, row, HEAT_LEFT - 10,
			  BYTES_TOP + (unsigned int)row * HEAT_PITCH + 11);
		for (int i = 0; i < (int)REPORT_CELLS_MAX; i++) {
			const uint64_t users = plot->rows->rows[row][column].cells[i];

			if (users)
				put_square(plot, BYTES_TOP,
					   &(struct mark){.row = row,
							  .square = i,
							  .square_value = users,
							  .class = classes[users & 15]});
		}
		put_frame(plot, row, BYTES_TOP);
	}
}

void report_plot(FILE *out, const struct report_section *section, const struct report_rows *rows)
{
	static const struct {
		void (*draw)(const struct plot *plot);
		unsigned int height, pitch; /* its height, and the extra of each row */
	} kinds[] = {
		[REPORT_PLOT_BARS] = {plot_bars, 8, BAR_PITCH},
		[REPORT_PLOT_GROUPS] = {plot_columns, COLUMNS_BASE + 28, 0},
		[REPORT_PLOT_STACK] = {plot_stack, STACK_HEIGHT + 12, STACK_PITCH},
		[REPORT_PLOT_TIME] = {plot_columns, COLUMNS_BASE + 28, 0},
		[REPORT_PLOT_HEAT] = {plot_heat, 4, HEAT_PITCH},
		[REPORT_PLOT_BYTES] = {plot_bytes, BYTES_TOP + 4, HEAT_PITCH},
	};
	/* More bars than that are of no use to a reader; the table has them. */
	struct report_rows drawn = *rows;
	struct plot plot = {.out = out, .section = section, .rows = &drawn};

	if (!kinds[section->plot.kind].draw || !rows->count)
		return;
	if (drawn.count > 64)
		drawn.count = 64;
	plot.height = kinds[section->plot.kind].height +
		      kinds[section->plot.kind].pitch * (unsigned int)drawn.count;
	begin(&plot);
	kinds[section->plot.kind].draw(&plot);
	fputs("</svg>\n", out);
}
