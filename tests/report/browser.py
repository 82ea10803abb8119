#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""browser.py VSPE: Chromium (Debian: chromium) opens the page of vspe report --html without messages on its console,
and all of it is there. Its headings sort, and its search finds, what Python sorts and finds in the same tables. A
page that does what the policy forbids proves that console messages are noticed. A script smuggled in by a name does
not run."""
import base64
import hashlib
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import made

VSPE = Path(sys.argv[1]).resolve()
LIMIT = 120  # seconds


def chromium(work, page, *options):
    """The messages on its console, and its standard output."""
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr", "--v=0",
         "--hide-scrollbars", f"--user-data-dir={work}/profile", *options, page.as_uri()], capture_output=True, check=False,
        timeout=LIMIT, env=dict(os.environ, HOME=str(work)))
    if done.returncode:
        sys.exit(f"not ok - chromium ends with {done.returncode}: {done.stderr.decode(errors='replace')[-400:]}")
    return re.findall(r".*CONSOLE.*", done.stderr.decode(errors="replace")), done.stdout.decode(errors="replace")


# What a user does with the page, and the result after each step: the rows of tables, the words of the
# search.
VISIT = """
const said = [], rows = (table) => [...table.tBodies[0].rows].filter((row) => !row.hidden).map((row) => [...row.cells].map((cell) => cell.textContent));
for (const table of document.querySelectorAll("table"))
	for (const head of table.tHead.rows[0].cells)
		for (let turn = 0; turn < 3 && head.firstChild.tagName === "BUTTON"; turn++) {
			head.firstChild.click();
			said.push({table: table.id, column: head.cellIndex, number: head.classList.contains("n"), sort: head.getAttribute("aria-sort"),
				others: table.tHead.querySelectorAll("[aria-sort]").length, rows: rows(table)});
		}
const find = document.getElementById("find");
for (const words of QUERIES) {
	find.value = words;
	find.dispatchEvent(new Event("input"));
	said.push({words, found: document.getElementById("found").textContent,
		links: [...document.querySelectorAll("nav li:not([hidden]) a")].map((a) => a.hash.slice(1)),
		faint: [...document.querySelectorAll("section:not([hidden]) .off")].map((mark) => [mark.closest("section").id, Number(mark.dataset.row)]),
		tables: Object.fromEntries([...document.querySelectorAll("section:not([hidden]) table")].map((table) => [table.id, rows(table)]))});
}
document.body.textContent = "SAID" + JSON.stringify(said) + "DIAS";
"""
QUERIES = ["", "hot", "HOT  0x", "user;two", "<b>", "0xffff80000800000", "no such thing", "\\", "."]


class Tables:
    """The tables of a page by the text of the file: by id, rows of texts."""

    def __init__(self, text):
        self.rows = {}
        for key, body in re.findall(r'<table id="([^"]*)">.*?<tbody>\n(.*?)</tbody>', text, re.S):
            self.rows[key] = [[html.unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)]
                              for row in re.findall(r"<tr>(.*?)</tr>", body, re.S)]

    def sorted(self, key, column, number, sort):
        """Missing values come last, and equal ones keep their order."""
        rows = self.rows[key]
        if not sort:
            return rows
        none = [row for row in rows if number and row[column] == "-"]
        some = [row for row in rows if not (number and row[column] == "-")]

        def value(row):
            text = row[column]
            return (int(text, 16) if text.startswith("0x") else float(text)) if number else text
        order = sorted(range(len(some)), key=lambda n: value(some[n]))
        if sort == "descending":  # Python's reverse would turn equal ones too
            order = sorted(range(len(some)), key=lambda n: value(some[n]), reverse=True)
        return [some[n] for n in order] + none

    def having(self, words):
        words = words.lower().split()
        found = {key: [row for row in rows if all(word in "".join(row).lower() for word in words)] for key, rows in self.rows.items()}
        return {key: rows for key, rows in found.items() if rows or not words}


def visit(work, page):
    """The page with one more script, which its policy must allow first."""
    script = VISIT.replace("QUERIES", json.dumps(QUERIES))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    visited = work / "visited.html"
    visited.write_text(page.read_text().replace("script-src ", f"script-src 'sha256-{digest}' ").replace("</body>", f"<script>{script}</script></body>"))
    console, dom = chromium(work, visited, "--dump-dom")
    if console or "SAID" not in dom:
        sys.exit(f"not ok - the visit: {console}")
    return json.loads(html.unescape(dom.split("SAID")[1].split("DIAS")[0]))


def check_visit(work, page):
    tables, turns, words = Tables(page.read_text()), {}, 0
    for step in visit(work, page):
        if "words" in step:
            words += 1
            wanted = tables.having(step["words"])
            if step["tables"] != wanted:
                sys.exit(f"not ok - a search for {step['words']!r}: {step['tables']} and not {wanted}")
            count = sum(map(len, wanted.values()))
            said = f"{count} row{'s' if count != 1 else ''} in {len(wanted)} table{'s' if len(wanted) != 1 else ''}" if step["words"] else ""
            faint = [[key[6:], n] for key in wanted for n, row in enumerate(tables.rows[key]) if row not in wanted[key]]
            if step["found"] != said or (step["words"] and step["links"] != [key[6:] for key in wanted]) or not all(mark in faint for mark in step["faint"]):
                sys.exit(f"not ok - what is said of the search for {step['words']!r}: {step['found']!r}, {step['links']}")
            continue
        turns.setdefault((step["table"], step["column"]), []).append(step["sort"])
        if step["rows"] != tables.sorted(step["table"], step["column"], step["number"], step["sort"]):
            sys.exit(f"not ok - {step['table']} by column {step['column']}, {step['sort']}: {step['rows'][:3]}")
        if step["others"] != bool(step["sort"]):
            sys.exit(f"not ok - {step['table']}: two headings say that it is sorted by them")
    if len(turns) < 100 or any(set(turn) != {"ascending", "descending", None} or turn[2] for turn in turns.values()) or words != len(QUERIES):
        sys.exit(f"not ok - each heading sorts both ways and back: {turns}")
    print(f"ok - {len(turns)} headings sort both ways and back, and {words} searches find what is there")


def main():
    if not shutil.which("chromium"):
        print("SKIP: there is no chromium here (Debian: chromium; tools/install browser)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        page = work / "page.html"
        (work / "data").write_bytes(made.file_of(made.many(20000)))
        (work / "map").write_bytes(made.system_map())
        made.run(VSPE, "--html", page, "--symbols", work / "map", work / "data")
        broken = work / "broken.html"
        broken.write_text(page.read_text().replace("<main", "<script>document.title='R'+'AN'</script><img src='x.png' onerror=\"document.title='R'+'AN'\"><main"))
        console, dom = chromium(work, broken, "--dump-dom")
        if not console or "RAN" in dom:
            sys.exit("not ok - a page that breaks its policy runs a script, or leaves nothing on the console")
        console, dom = chromium(work, page, "--dump-dom")
        if console:
            sys.exit("not ok - on the console:\n" + "\n".join(console))
        text = page.read_text()
        for what in "<section", "<svg", "<rect", "<tr", "<td", "<th":
            if dom.count(what) != text.count(what):
                sys.exit(f"not ok - {dom.count(what)} {what} in the browser, {text.count(what)} in the file")
        for scheme in "light", "dark":
            options = ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"] if scheme == "dark" else []
            console, _ = chromium(work, page, f"--screenshot={work}/{scheme}.png", "--window-size=1000,1000", *options)
            if console or not (work / f"{scheme}.png").stat().st_size > 10000:
                sys.exit(f"not ok - no picture, {scheme}: {console}")
        console, _ = chromium(work, page, f"--print-to-pdf={work}/page.pdf")
        if console or not (work / "page.pdf").read_bytes().startswith(b"%PDF"):
            sys.exit(f"not ok - it cannot be printed: {console}")
        check_visit(work, page)
        print("ok - the page opens, and prints, with nothing on the console")


main()
