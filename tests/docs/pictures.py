#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Make the plots of docs/report.md: each is one or more plots of vspe report --html, of a run of the guest chase.

pictures.py [--update] BUILD

Without --update nothing is written, and a picture that is not what the run gives is an error.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
RUN = ["-m", "1024", "-c", "2", "--model", "full", "-p", "large=268435456"]
# The sections of the page whose plots a picture has, one above the other.
PICTURES = {"report-chase.svg": ["histogram", "sources"], "report-sharing.svg": ["sharing"],
            "report-branches.svg": ["branches"]}
MARGIN, HEAD = 20, 30


def command(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=600)
    if done.returncode:
        sys.exit(f"{words[0]} {words[1]}: exit code {done.returncode}: {done.stderr}{done.stdout}")


def page_of(build):
    """The page of one run; what the records are of is in docs/report.md."""
    guests = build / "guests"
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        command(build / "vspe", "run", *RUN, "-k", guests / "chase.Image", "--tap", "--symbols", guests / "chase.elf",
                "--perf-data", work / "chase.perf.data")
        command(build / "vspe", "report", "--symbols", guests / "chase.elf", "--html", work / "page.html",
                work / "chase.perf.data")
        return (work / "page.html").read_text()


def picture(page, sections):
    """The plots of these sections as one SVG file, in the style of the page."""
    style = re.search(r"<style>(.*?)</style>", page, re.S).group(1)
    parts, at, width = [], MARGIN, 0
    for section in sections:
        plot = re.search(rf'<svg id="plot-{section}" viewBox="0 0 (\d+) (\d+)".*?</svg>\n', page, re.S)
        title = re.search(r"<title[^>]*>(.*?)</title>", plot.group(0)).group(1)
        width, height = int(plot.group(1)), int(plot.group(2))
        parts.append(f'<text class="head" x="{MARGIN}" y="{at + 16}">{title}</text>\n')
        parts.append(plot.group(0).replace("<svg ", f'<svg x="{MARGIN}" y="{at + HEAD}" width="{width}" height="{height}" ', 1))
        at += HEAD + height + MARGIN
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width + 2 * MARGIN} {at}" '
            f'width="{width + 2 * MARGIN}" height="{at}">\n<style>{style}svg{{min-width:0}}svg svg{{margin:0}}svg .head{{font-weight:600;font-size:16px}}'
            f'</style>\n<rect width="100%" height="100%" fill="var(--paper)"/>\n{"".join(parts)}</svg>\n')


def main():
    words = sys.argv[1:]
    update = words[0] == "--update"
    page = page_of(Path(words[-1]).resolve())
    wrong = 0
    for name, sections in PICTURES.items():
        text, path = picture(page, sections), DOCS / name
        same = path.exists() and path.read_text() == text
        if update:
            path.write_text(text)
        elif not same:
            wrong += 1
            print(f"not ok - docs/{name} is not what a run gives; tests/docs/pictures.py --update BUILD makes it")
            continue
        print(f"ok - docs/{name}: {len(text)} bytes" + (", as it was" if same else ""))
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
