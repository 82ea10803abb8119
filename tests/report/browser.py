#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""browser.py VSPE: the page of vspe report --html opens in Chromium (Debian: chromium) with nothing on its console,
and all of it is there. That the console is heard at all is tried with a page that
does what the policy forbids."""
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
    """What it has on the console, and its standard output."""
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr", "--v=0",
         "--hide-scrollbars", f"--user-data-dir={work}/profile", *options, page.as_uri()], capture_output=True, check=False,
        timeout=LIMIT, env=dict(os.environ, HOME=str(work)))
    if done.returncode:
        sys.exit(f"not ok - chromium ends with {done.returncode}: {done.stderr.decode(errors='replace')[-400:]}")
    return re.findall(r".*CONSOLE.*", done.stderr.decode(errors="replace")), done.stdout.decode(errors="replace")


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
        broken.write_text(page.read_text().replace("<main", "<script>1</script><img src='x.png'><main"))
        console, _ = chromium(work, broken, "--dump-dom")
        if not console:
            sys.exit("not ok - a page that breaks its policy leaves nothing on the console")
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
        print("ok - the page opens, and prints, with nothing on the console")


main()
