#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""limits.py [--write]: docs/limits.md has the exit codes of vmm/cli/exit.toml."""
import pathlib
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/limits.md"
BEGIN, END = "<!-- exit -->\n", "<!-- end -->\n"


def table():
    with open(ROOT / "vmm/cli/exit.toml", "rb") as file:
        exits = tomllib.load(file)["exit"]
    rows = "".join(f"| {exit['code']} | {exit['text']} |\n" for exit in exits)
    return f"\n| code | meaning |\n|---|---|\n{rows}\n"


def main():
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    now, after = rest.split(END)
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(before + BEGIN + table() + END + after, encoding="utf-8")
    elif now != table():
        sys.exit("not ok - docs/limits.md: other exit codes than vmm/cli/exit.toml: limits.py --write")
    print("ok - docs/limits.md has the exit codes of vmm/cli/exit.toml")


if __name__ == "__main__":
    main()
