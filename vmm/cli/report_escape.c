/* SPDX-License-Identifier: BSD-2-Clause */
/* Text in a page: see report_output.h. */
#include "cli/report_output.h"

void report_escape(FILE *out, const char *text)
{
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;

		switch (c) {
		case '&': fputs("&amp;", out); break;
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '"': fputs("&quot;", out); break;
		case '\'': fputs("&#39;", out); break;
		default:
			if (c >= ' ' && c < 0x7f)
				fputc(c, out);
			else
				fprintf(out, "\\x%02x", c);
			break;
		}
	}
}
