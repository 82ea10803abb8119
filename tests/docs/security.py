#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""security.py [--write]: docs/SECURITY.md has the calls of vmm/base/sandbox_calls.def, a row a need."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r"^CALL(\w*)\(([\w |]+), (\w+)", re.MULTILINE)
BEGIN, END = "<!-- calls -->\n", "<!-- end -->\n"


def table():
    needs = {}
    for form, wanted, name in ROW.findall((ROOT / "vmm/base/sandbox_calls.def").read_text(encoding="utf-8")):
        mark = f"{name}!" if form.startswith("_FAILS") else f"({name})" if form else name
        for need in wanted.split(" | "):
            calls = needs.setdefault(need.lower().replace("_", " "), {})
            # A call that is allowed for some arguments and fails for others is looked at.
            calls[name] = mark if calls.get(name, mark) == mark else f"({name})"
    width = 110
    text = ""
    for need, calls in needs.items():
        line = f"- *{need}*:"
        for n, mark in enumerate(calls.values()):
            word = f" {mark}" + ("," if n < len(calls) - 1 else "")
            if len(line) + len(word) > width:
                text += line + "\n"
                line = " "
            line += word
        text += line + "\n"
    return "\n" + text + "\n"


def main():
    page = ROOT / "docs/SECURITY.md"
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    now, after = rest.split(END)
    if sys.argv[1:] == ["--write"]:
        page.write_text(before + BEGIN + table() + END + after, encoding="utf-8")
    elif now != table():
        sys.exit("not ok - docs/SECURITY.md: other calls than vmm/base/sandbox_calls.def: security.py --write")
    print("ok - docs/SECURITY.md has the calls of vmm/base/sandbox_calls.def")


if __name__ == "__main__":
    main()
