#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fails.py PROGRAM SOURCE: each comparison of SOURCE below a "says: TEXT" fails in PROGRAM, and TEXT is what it prints.

Nothing else fails, and what is in the suite passes does not. Exit code: 0 if that is so, 1 if not.
"""
import re
import subprocess
import sys

SAYS = re.compile(r"/\* says: (.*) \*/$")
FAILED = re.compile(r"fails\.c:(\d+): Assertion Failed\n\S*\s*\n\S*\s*(.*)")


def run(program, suite):
    """The exit code and the output of the tests of a suite."""
    done = subprocess.run([program, "--jobs", "1", "--filter", f"{suite}/*"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60, check=False)
    return done.returncode, done.stdout.decode(errors="replace")


def main():
    program, source = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        lines = file.read().split("\n")
    expected = [(number + 1, match[1]) for number, line in enumerate(lines, 1) if (match := SAYS.search(line))]
    code, output = run(program, "fails")
    said = {int(number): text for number, text in FAILED.findall(output)}
    problems = [f"{source}:{number}: not said: {text}" for number, text in expected if text not in said.get(number, "")]
    problems += [f"{source}:{number}: fails: {said[number]}" for number in said if number not in dict(expected)]
    if not expected or not code:
        problems.append(f"{len(expected)} comparisons are to fail: exit code {code}")
    code, passing = run(program, "passes")
    if code:
        problems.append(passing)
    print("\n".join([*problems, output]) if problems else f"{len(expected)} comparisons say both values")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
