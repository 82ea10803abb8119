#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Run the commands of the documents, and compare their standard output with what the documents say.

console.py [--update] BUILD FILE...

A fence that begins with ```console is a session: commands after "$ ", and what they print. A line "..." stands
for any lines, "..." in a line for any characters. The sessions of a file run in one folder, in order; build/release
in them is BUILD, and /usr/share/vspe/guests are its guests. --update replaces numbers that differ, where the words
around them are the same.
"""
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NEEDS = {"perf": "linux-perf", "qemu-system-aarch64": "qemu-system-arm"}
LIMIT = 300


def sessions(lines):
    """Each session of a document as a list of [first line, command, output lines]."""
    inside = None
    for number, line in enumerate(lines):
        if inside is None:
            if line.rstrip() == "```console":
                inside = []
        elif line.rstrip() == "```":
            yield inside
            inside = None
        elif line.startswith("$ "):
            inside.append([number, line[2:], []])
        elif not inside:
            sys.exit(f"line {number + 1}: a session begins with a command")
        elif inside[-1][1].endswith("\\"):
            inside[-1][1] += "\n" + line
            inside[-1][0] = number
        else:
            inside[-1][2].append(line)


def pattern(line, loose):
    """The line as a regular expression; loose: any number matches a number."""
    parts = [re.escape(part) for part in line.split("...")]
    if loose:
        parts = [re.sub(r"(?:\\?-)?\b(?:0x)?[0-9a-f]*[0-9][0-9a-f.]*\b", lambda _: r"\S+", part) for part in parts]
        parts = [re.sub(r"(?:\\ )+", lambda _: r" +", part) for part in parts]
    return re.compile(".*".join(parts) + r"\s*$")


def runs(expected):
    """The runs of lines between lines of "...", and for each whether anything may precede it."""
    found, anywhere = [[False, []]], False
    for line in expected:
        if line.strip() == "...":
            found.append([True, []])
        else:
            found[-1][1].append(line)
    return found


def align(expected, printed, loose):
    """The printed line for each expected one, or the first expected line that is missing."""
    at, result = 0, []
    for anywhere, lines in runs(expected):
        patterns = [pattern(line, loose) for line in lines]
        for start in range(at, len(printed) - len(patterns) + 1 if anywhere else at + 1):
            window = printed[start:start + len(patterns)]
            if len(window) == len(patterns) and all(p.match(w) for p, w in zip(patterns, window)):
                break
        else:
            missing = next((line for line, p in zip(lines, patterns)
                            if not any(p.match(w) for w in printed[at:])), lines[0] if lines else "")
            return None, missing
        result.extend(zip(lines, window))
        at = start + len(patterns)
    if expected and expected[-1].strip() != "..." and at != len(printed):
        return None, f"(more is printed: {printed[at]})"
    return result, None


@functools.lru_cache
def run(command, folder, build):
    environment = dict(os.environ, PATH=build + ":" + os.environ["PATH"], LC_ALL="C", PAGER="cat")
    command = command.replace("tools/run.sh", "tools/hotspots").replace("/usr/share/vspe/guests", build + "/guests")
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT, check=False)
    return done.returncode, [text.decode(errors="replace").splitlines() for text in (done.stdout, done.stderr)]


def lacks(commands):
    for name, package in NEEDS.items():
        if any(re.search(rf"(^|[ |]){name}\b", c) for c in commands) and not shutil.which(name):
            return package
    return None


def check_document(name, build, update):
    with open(name, encoding="utf-8") as file:
        lines = file.read().split("\n")
    failed = passed = skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "build"))
        os.symlink(build, os.path.join(folder, "build/release"))
        for entry in ("tools", "tests", "docs", "examples", "vmm"):
            os.symlink(os.path.join(ROOT, entry), os.path.join(folder, entry))
        for session in sessions(lines):
            package = lacks([command for _, command, _ in session])
            if package:
                skipped += 1
                print(f"SKIPPED {name}: `{session[0][1]}` needs {package}")
                continue
            for number, command, expected in session:
                # The suites take a while and leave no files: run them once for all documents.
                place = ROOT if command.startswith("vspe conform") else folder
                status, (printed, warnings) = run(command, place, build)
                result, missing = align(expected, printed, False)
                if not expected and status:
                    result, missing = None, f"(nothing; but its exit code is {status})"
                if result is None and expected and update:
                    result, missing = align(expected, printed, True)
                    for offset, line in enumerate(expected):
                        if result and line.strip() != "..." and "..." not in line:
                            lines[number + 1 + offset] = result[[l for l, _ in result].index(line)][1].rstrip()
                if result is None:
                    failed += 1
                    print(f"{name}:{number + 1}: `{command}` does not print: {missing}")
                    print("\n".join("    " + line for line in printed[-40:] + warnings[-10:]))
                else:
                    passed += 1
    if update:
        with open(name, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
    return passed, failed, skipped


def main():
    arguments = sys.argv[1:]
    update = "--update" in arguments
    build, *names = [a for a in arguments if a != "--update"]
    counts = [check_document(name, os.path.abspath(build), update) for name in names]
    passed, failed, skipped = map(sum, zip(*counts))
    print(f"{passed} commands print what {len(names)} documents say, {failed} do not, {skipped} sessions skipped")
    if passed + failed == 0:
        sys.exit("no document has a session")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
