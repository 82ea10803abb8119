#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""site.py: the manual as tools/manual writes it: every page is in the site, with a place in its navigation, and what its pages load or
link to is there."""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote

TOP = Path(__file__).resolve().parent.parent.parent
LOCAL = re.compile(r'\b(?:src|href)="([^"#?]+)[^"]*"')


def main():
    if not shutil.which("mkdocs"):
        print("SKIP: there is no mkdocs here (tools/install browser)")
        return 77
    failed = []
    with tempfile.TemporaryDirectory() as work:
        done = subprocess.run([TOP / "tools/manual", work, "--html"], capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"not ok - tools/manual: {done.stdout}{done.stderr}")
            return 1
        out = Path(work)
        links = subprocess.run([sys.executable, "-B", TOP / "tests/docs/english.py", "--links", out], capture_output=True, text=True,
                               check=False)
        failed += [f"the manual: {line}" for line in links.stdout.splitlines()]
        site = out / "html"
        home = (site / "index.html").read_text(encoding="utf-8")
        for page in sorted((TOP / "docs").glob("*.md")):
            name = "index" if page.stem == "README" else page.stem
            if not (site / f"docs/{name}.html").exists():
                failed.append(f"docs/{page.name} is not in the site")
            elif f'href="docs/{name}.html"' not in home:
                failed.append(f"docs/{page.name} is not in docs/README.md, which is the navigation")
        for page in sorted(site.rglob("*.html")):
            for target in LOCAL.findall(page.read_text(encoding="utf-8")):
                if re.match(r"[a-z]+:|/", target):
                    continue
                if not (page.parent / unquote(target)).exists():
                    failed.append(f"{page.relative_to(site)}: {target} is not there")
        index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
        if not any("PMSICR" in entry["text"] for entry in index["docs"]) or "index" not in index:
            failed.append("the search finds no PMSICR")
    print("".join(f"not ok - {line}\n" for line in failed) or "ok - the site\n", end="")
    return bool(failed)


sys.exit(main())
