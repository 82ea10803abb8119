#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check docs/decisions: identifiers in order, a date and a status each, and no mention of one that is not there."""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEADING = re.compile(r"^###? ([A-Z0-9]+)-([0-9]+): \S")
STATUS = re.compile(r"^20[0-9]{2}-[0-9]{2}-[0-9]{2} · (in force|superseded by ([A-Z0-9]+-[0-9]+))$")


def main():
    known, prefixes, problems, mentions = set(), {}, [], []
    for name in sorted(glob.glob(os.path.join(ROOT, "docs/decisions/*.md"))):
        short, count, prefix = os.path.relpath(name, ROOT), 0, None
        if short.endswith("README.md"):
            continue
        with open(name, encoding="utf-8") as file:
            lines = file.read().split("\n")
        for number, line in enumerate(lines, 1):
            match = HEADING.match(line)
            if not match:
                continue
            count += 1
            prefix = prefix or match[1]
            if match[1] != prefix or prefixes.setdefault(prefix, short) != short or int(match[2]) != count:
                problems.append(f"{short}:{number}: {match[1]}-{match[2]} where {prefix}-{count} is due")
            known.add(f"{match[1]}-{match[2]}")
            status = STATUS.match(lines[number + 1]) if number + 1 < len(lines) else None
            if not status:
                problems.append(f"{short}:{number}: no line with date and status below the heading")
            elif status[2]:
                mentions.append((f"{short}:{number}", status[2]))
        if not count:
            problems.append(f"{short}: no decision")
    some = "|".join(re.escape(p) for p in prefixes)
    files = subprocess.run(["git", "-C", ROOT, "grep", "-nEow", f"({some})-[0-9]+", "--", "*.md", "*.c", "*.h"],
                           stdout=subprocess.PIPE, text=True, check=False).stdout
    for line in files.splitlines():
        place, identifier = line.rsplit(":", 1)
        mentions.append((place, identifier))
    problems += [f"{place}: there is no {identifier}" for place, identifier in mentions if identifier not in known]
    print("\n".join(problems) if problems else f"{len(known)} decisions in {len(prefixes)} files")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
