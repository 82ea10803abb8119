#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""page.py VSPE: the page of vspe report --html has the numbers of --json in its tables and its plots, is well-formed, loads
nothing, runs its own script alone, and says in words what it draws; what a guest or a user chose as names is text in it."""
import base64
import hashlib
import html.parser
import re
import sys
import tempfile
from pathlib import Path

import made

VSPE = Path(sys.argv[1]).resolve()
VOID = {"meta", "rect", "line", "input"}
failures = []
PLOTS = {"functions": ("share",), "histogram": ("total", "issue", "translation", "execution"), "sources": ("samples",),
         "branches": ("share",), "sharing": ("bytes",), "heat": ("squares",), "heatmap": ("squares",), "time": ("el0", "el1", "el2", "el3")}


def check(what, good, more=""):
    print(f"{'ok' if good else 'not ok'} - {what}" + (f"\n#   {more}" if not good else ""))
    if not good:
        failures.append(what)


class Page(html.parser.HTMLParser):
    """Tables and marks by section, elements, and what is wrong with the nesting."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.elements, self.wrong = [], [], [], []
        self.tables, self.marks, self.section, self.text = {}, {}, None, None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.elements.append((tag, attrs))
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag == "section":
            self.section = attrs["id"]
            self.tables[self.section], self.marks[self.section] = [], []
        if tag == "tr":
            self.tables[self.section].append([])
        if tag in ("td", "th", "title"):
            self.text = ""
        if "data-value" in attrs:
            self.marks[self.section].append(attrs)
        if tag not in VOID or tag == "rect" and "data-value" in attrs:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)
        if tag in ("td", "th"):
            self.tables[self.section][-1].append(self.text)

    def handle_data(self, data):
        if self.text is not None:
            self.text += data


def words(value):
    if isinstance(value, list):
        return " ".join(map(str, value))
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def check_tables(page, report):
    check("a section for each table", set(page.tables) == set(report))
    for name, section in report.items():
        rows = [[cell for cell in row if cell != "-"] for row in page.tables[name][1:]]
        wanted = [[words(value) for value in row.values()] for row in section["rows"]]
        check(f"{name}: the table has the rows of JSON", rows == wanted, next(
            (f"{a} and not {b}" for a, b in zip(rows, wanted) if a != b), f"{len(rows)} rows and not {len(wanted)}"))


def check_plots(page, report):
    for name, columns in PLOTS.items():
        got = {(int(mark["data-row"]), mark["data-column"], mark.get("data-square")): mark["data-value"]
               for mark in page.marks[name]}
        wanted = {}
        for number, row in enumerate(report[name]["rows"][:64]):
            for column in columns:
                values = row[column] if isinstance(row[column], list) else [row[column]]
                for square, value in enumerate(values):
                    if value or name in ("functions", "branches"):
                        wanted[number, column, str(square) if len(values) > 1 else None] = words(value)
        check(f"{name}: the marks of the plot are the numbers of JSON", got == wanted and len(got) == len(page.marks[name]),
              set(got.items()) ^ set(wanted.items()))
    check_lengths(page)


def check_lengths(page):
    """A mark is as long as its number says, to a tenth of a unit."""
    for name, length in ("functions", "width"), ("branches", "width"), ("histogram", "height"), ("sources", "width"), ("time", "height"):
        marks = [(float(mark["data-value"]), float(mark[length])) for mark in page.marks[name]]
        value, size = max(marks)
        good = [abs(size * other / value - drawn) <= 0.25 + size / value * 0.006 for other, drawn in marks]
        check(f"{name}: lengths are in proportion", all(good), [mark for mark, ok in zip(marks, good) if not ok][:3])
    for name in PLOTS:
        inside = all(float(mark["x"]) >= 0 and float(mark["y"]) >= 0 and float(mark["x"]) + float(mark["width"]) <= 960.1
                     for mark in page.marks[name])
        check(f"{name}: nothing is drawn outside", inside)


def luminance(color):
    """Of #rrggbb or #rgb, as WCAG has it."""
    digits = color[1:] if len(color) == 7 else "".join(2 * c for c in color[1:])
    parts = [int(digits[n:n + 2], 16) / 255 for n in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def check_colors(text):
    """In the light, in the dark and on paper: text has a contrast of 4.5, marks have one of 3 (WCAG 2.1, 1.4.3 and 1.4.11)."""
    schemes = [dict(re.findall(r"--(\w+):(#[0-9a-f]+)", part)) for part in re.findall(r":root\{([^}]*)\}", text)]
    check("three schemes of colours, each whole", len(schemes) == 3 and all(set(s) == set(schemes[0]) for s in schemes))
    for scheme in schemes:
        paper = scheme["paper"]
        weak = {name: round(contrast(scheme[name], paper), 2) for name in ("ink", "soft", "c0") if contrast(scheme[name], paper) < 4.5}
        weak |= {name: round(contrast(scheme[name], paper), 2) for name in scheme if name[0] == "c" and contrast(scheme[name], paper) < 3}
        check(f"contrast on {paper}", not weak, weak)


def check_keyboard(page):
    """All that can be reached is a link, or what scrolls, in the order of the page; the first one leads past the others."""
    stops = [(tag, attrs) for tag, attrs in page.elements if tag in ("a", "button", "input", "select") or "tabindex" in attrs]
    check("then a search box with a name, which shows where scripts run", [attrs["id"] for tag, attrs in stops if tag == "input"] == ["find"]
          and ("label", {"for": "find"}) in page.elements and any(attrs.get("role") == "search" and "hidden" in attrs for _, attrs in page.elements))
    check("no button without a script", "button" not in {tag for tag, _ in stops})
    check("the first stop leads to the tables", stops[0][1].get("class") == "skip" and stops[0][1]["href"] == "#main")
    check("then a link to each section", [attrs["href"] for tag, attrs in stops[1:] if tag == "a"] == [f"#{name}" for name in page.tables])
    check("nothing is out of order", all(attrs.get("tabindex", "0") == "0" for _, attrs in stops))
    check("what scrolls has a name and can be reached", [attrs["aria-label"] for tag, attrs in stops if tag == "div"] == [
        attrs["aria-label"] for tag, attrs in page.elements if attrs.get("class") == "wide"])
    headings = [tag for tag, _ in page.elements if tag in ("h1", "h2", "h3", "h4")]
    check("one heading of the page, and one of each section", headings == ["h1"] + ["h2"] * len(page.tables), headings)
    tags = [tag for tag, _ in page.elements]
    check("landmarks", [tags.count(tag) for tag in ("header", "nav", "main")] == [1, 1, 1])


def check_policy(page, text):
    """One style and one script, of which the policy has the digests, and nothing else that could run."""
    source = {tag: re.findall(rf"<{tag}[^>]*>(.*?)</{tag}>", text, re.S) for tag in ("style", "script")}
    digests = {tag: base64.b64encode(hashlib.sha256(parts[0].encode()).digest()).decode() for tag, parts in source.items()}
    check("one style and one script", [len(parts) for parts in source.values()] == [1, 1])
    policy = [attrs["content"] for tag, attrs in page.elements if tag == "meta" and attrs.get("http-equiv") == "Content-Security-Policy"]
    check("a policy lets them be, and nothing else", policy == [
        f"default-src 'none'; style-src 'sha256-{digests['style']}'; script-src 'sha256-{digests['script']}'; base-uri 'none'; form-action 'none'"], policy)
    check("no attribute that runs or styles", not [key for _, attrs in page.elements for key in attrs if key.startswith("on") or key == "style"])
    calls = ("fetch", "XMLHttpRequest", "import(", "eval", "Function(", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "http")
    check("a script that loads nothing and makes no elements of text", not [word for word in calls if word in source["script"][0]])


def check_form(page, text):
    check_colors(text)
    check_keyboard(page)
    tags = {tag for tag, _ in page.elements}
    check("every element is closed", not page.wrong and not page.open, (page.wrong, page.open))
    check("ids are unique", len(page.ids) == len(set(page.ids)))
    check("nothing that loads", not tags & {"link", "img", "iframe", "object", "embed", "image", "use", "b", "form", "base"})
    check_policy(page, text)
    references = [value for _, attrs in page.elements for key, value in attrs.items()
                  if key in ("href", "src", "srcset", "xlink:href", "action", "data") or key.startswith("on")]
    check("references are to places of the page", all(r[0] == "#" and r[1:] in page.ids for r in references), references)
    check("no style loads anything", "url(" not in text and "@import" not in text)
    check("for print, for dark rooms, for the keyboard", all(word in text for word in (
        "@media print", "prefers-color-scheme:dark", ":focus-visible", 'tabindex="0"', 'lang="en"', 'class="skip"')))
    plots = [attrs for tag, attrs in page.elements if tag == "svg"]
    check("there are plots", {plot["id"] for plot in plots} == {f"plot-{name}" for name in PLOTS})
    check("each has a title and a description", all(
        plot["role"] == "img" and all(name in page.ids for name in plot["aria-labelledby"].split()) for plot in plots))
    check("... and its table is behind it", all(f"table-{name}" in page.ids for name in PLOTS))
    heads = [attrs for tag, attrs in page.elements if tag == "th"]
    check("head cells say of what", all(attrs.get("scope") in ("row", "col") for attrs in heads))
    check("ASCII", text.isascii())


def main():
    with tempfile.TemporaryDirectory() as work:
        data, page_path = Path(work) / "a<i>&\"'\x1b\u00e9.data", Path(work) / "page.html"
        data.write_bytes(made.file_of(made.many(20000)))
        (Path(work) / "map").write_bytes(made.system_map())
        options = "--symbols", f"{work}/map", "--limit", 1000, data
        report = made.run_json(VSPE, "--html", page_path, *options)
        text = page_path.read_text()
        page = Page(text)
        check_tables(page, report)
        check_plots(page, report)
        check_form(page, text)
        check("names are text", "<b>" not in text and "<i>" not in text and "a&lt;i&gt;&amp;&quot;&#39;\\x1b\\xc3\\xa9.data" in text
              and "cold&lt;b&gt;&amp;&quot;&#39;x" in text)
        check("JSON beside the page is JSON alone", report == made.run_json(VSPE, *options))
        page_path.rename(f"{work}/first")
        made.run(VSPE, "--html", page_path, *options)
        check("the same page every time", page_path.read_text() == text)
        # One record, and none of a kind: no plot, and no division by nothing.
        data.write_bytes(b"\x01" * 2)
        made.run(VSPE, "--html", page_path, data)
        page = Page(page_path.read_text())
        check("records that say nothing", not page.wrong and not page.marks["functions"])
    sys.exit(1 if failures else 0)


main()
