#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""conform_mutate.py VSPE FOLDER COUNT SEED [EQUIVALENT]: does vspe conform --asl notice a changed condition?

Flips COUNT conditions of the pages in FOLDER, one at a time, drawn at random (all, if there are fewer): == and !=, a
function and its negation, a pattern and all others. Only accessors without a difference and without a skip count. Prints
those that no difference shows, unless the regular expression EQUIVALENT matches in the text from if to then, whose
condition then can make none.
Exit code: 0 if there are no others, 1 if there are, 2 for wrong input.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

FUNCTION = re.compile(r"(!?)\b(HaveEL\(EL\d\)|EL2Enabled\(\)|IsFeatureImplemented\(\w+\)|ELIsInHost\(EL\d\)|"
                      r"IsHCRXEL2Enabled\(\)|IsCurrentSecurityState\(\w+\)|EL3SDDUndef\w*\(\))")
COMPARED = re.compile(r"[\w()]+\.?(?:[<\[]|&lt;)?[\w,]*(?:[>\]]|&gt;)? (==|!=) (?:'[01x]+'|EL\d)")
PATTERN = re.compile(r"[\w().]+ IN \{[^}]*\}")


def conditions(text):
    """The places of conditions: (start, end, what to write there)."""
    for found in FUNCTION.finditer(text):
        yield found.start(), found.end(), ("" if found[1] else "!") + found[2]
    for found in COMPARED.finditer(text):
        other = {"==": "!=", "!=": "=="}[found[1]]
        start, end = found.span(1)
        yield found.start(), found.end(), text[found.start():start] + other + text[end:found.end()]
    for found in PATTERN.finditer(text):
        yield found.start(), found.end(), f"!({found[0]})"


def whole_condition(text, start, end):
    """The text from if to then around a part of it."""
    begin = max((found.end() for found in re.finditer(r"\b(?:els)?if\b", text[:start])), default=0)
    then = text.find("then", end)
    return text[begin:then if then >= 0 else len(text)]


def points(vspe, page, only=()):
    """The points of a page, by name without the file, and whether each passed, failed or was skipped."""
    run = subprocess.run([vspe, "conform", "--asl", page, *only], capture_output=True, text=True, check=False)
    results = {}
    for line in run.stdout.splitlines():
        found = re.match(r"(not )?ok \d+ - page .*?:(\d+) (.*?)(: \d+ contexts)?( # SKIP.*)?$", line)
        if found:
            state = "failed" if found[1] else "skipped" if found[5] else "passed"
            results[int(found[2]), found[3]] = state
    return results


def main():
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__.splitlines()[0])
    vspe, folder, count, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    equivalent = re.compile(sys.argv[5]) if len(sys.argv) == 6 else None
    pages = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith((".txt", ".xml")))
    if not pages:
        print(f"conform_mutate.py: no page in {folder}", file=sys.stderr)
        sys.exit(2)
    places = []
    for page in pages:
        with open(page, encoding="utf-8") as file:
            text = file.read()
        # Only points of the software CPU, which have contexts.
        good = points(vspe, page, ("--only", "Xt>")) | points(vspe, page, ("--only", "TLBI"))
        starts = sorted({line for (line, _), state in good.items() if state == "passed"})
        bad = {line for (line, _), state in good.items() if state == "failed"}
        for start, end, new in conditions(text):
            line = text.count("\n", 0, start) + 1
            first = max((s for s in starts if s <= line), default=None)
            # The accessor's text ends at an empty line, or at its end in XML.
            if first is None or first in bad:
                continue
            between = "\n".join(text.splitlines()[first:line - 1])
            if "\n\n" in between or "</pstext>" in between:
                continue
            places.append((page, first, start, end, new))
    draw = random.Random(seed)
    chosen = places if len(places) <= count else draw.sample(places, count)
    missed, same = [], 0
    with tempfile.TemporaryDirectory() as work:
        for page, first, start, end, new in chosen:
            with open(page, encoding="utf-8") as file:
                text = file.read()
            changed = os.path.join(work, "changed" + os.path.splitext(page)[1])
            with open(changed, "w", encoding="utf-8") as file:
                file.write(text[:start] + new + text[end:])
            results = points(vspe, changed, ("--only", f":{first} "))
            if "failed" in results.values():
                continue
            if equivalent and equivalent.search(whole_condition(text, start, end)):
                same += 1
            else:
                missed.append(f"{page}:{first}: {text[start:end]} as {new} in {whole_condition(text, start, end).strip()}")
    for line in missed:
        print(line)
    print(f"{len(chosen)} of {len(places)} conditions flipped: {len(chosen) - len(missed) - same} noticed, "
          f"{same} that can make no difference, {len(missed)} others")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
