#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""docs.py SOURCE VSPE GUESTS: the Python of docs/python.md prints what the page says, its table has each field with its type and packet, and
examples/python finds each load of a profile, as vspe decode lists them."""
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from common import failures, same

import vspe

# Needed from another folder, too.
os.environ["PYTHONPATH"] = str(Path(vspe.__file__).resolve().parents[1])
SOURCE, VSPE, GUESTS = (Path(word).resolve() for word in sys.argv[1:4])
PAGE = (SOURCE / "docs/python.md").read_text(encoding="utf-8")


def page():
    """Each block of Python with the text after it, in one module."""
    names, count = {}, 0
    for code, text in re.findall(r"```python\n(.*?)```.*?```text\n(.*?)```", PAGE, re.S):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(code.replace("/usr/share/vspe/guests", str(GUESTS)), names)  # pylint: disable=exec-used
        same(f"docs/python.md: {code.splitlines()[0]}", out.getvalue(), text)
        count += 1
    same("blocks of Python", count, PAGE.count("```python"))


def table():
    rows = re.findall(r"^\| `(\w+)` \| (\S+) \| (?:`(\w+)` )?\| (.*) \|$", PAGE, re.M)
    fields = [(name, np_type(vspe.RECORD[name]), vspe.Has(vspe._data.field_bits(name)).name if vspe._data.field_bits(name) else "")
              for name in vspe.RECORD.names]
    same("the table of fields", [row[:3] for row in rows], fields)


def np_type(dtype):
    return "?" if dtype.kind == "b" else f"{dtype.kind}{dtype.itemsize}"


def example():
    done = subprocess.run([sys.executable, "-W", "error", SOURCE / "examples/python/latency.py", "perf.data", GUESTS / "chase.elf"],
                          capture_output=True, text=True, check=False)
    listing = subprocess.run([VSPE, "decode", "perf.data"], capture_output=True, text=True, check=True).stdout
    wanted = sum("  LD " in line for line in listing.splitlines())
    same("latency.py", (done.returncode, done.stderr, f" records, {wanted} loads; all is there\n" in done.stdout), (0, "", True))
    cells = re.findall(r"^\d+ to \d+ +(.*)$", done.stdout, re.M)
    same("its histogram has all loads", sum(int(word) for cell in cells for word in cell.split()), wanted)
    by_function = re.findall(r"^chase_\w+ +(\d+) ", done.stdout, re.M)
    same("so have its functions, four", (sum(map(int, by_function)), len(by_function)), (wanted, 4))


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    subprocess.run([VSPE, "run", "-k", GUESTS / "chase.Image", "--seed", "1", "--model", "full", "--perf-data", "perf.data"], check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    for part in table, example, page:
        part()
        print(f"{'not ok' if failures else 'ok'} - {part.__name__}")
    os.chdir("/")
sys.exit(bool(failures))
