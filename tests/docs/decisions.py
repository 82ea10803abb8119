#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check docs/decisions: the form and the length; that each decision that is mentioned anywhere is there; and that the
files, functions, options and tests that decisions name in backticks are in the tree."""
import fnmatch
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = "docs/decisions"
README = f"{FOLDER}/README.md"
LINES = 1500
COLUMNS = 120
ENTRY = re.compile(r"\*\*([A-Z0-9]+)-([1-9][0-9]*): (?:(?!\*\*).)+\.\*\* \S")
NO_PARAGRAPH = re.compile(r"\s|[-+*>|#] |```|1[.)] ")
STATUS = re.compile(r"\b20[0-9]{2}-[0-9]{2}-[0-9]{2}\b|\b(in force|superseded)\b")
SPAN = re.compile(r"`([^`]+)`")
SUFFIXES = "abi awk c cmake def h in inc json lds list map md patch py rs S sed sh table toml txt xml".split()
WRAPPER = re.compile(r"^function\((vspe_\w+) name\b.*\n((?:.*\n)*?)endfunction\(\)$", re.MULTILINE)


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], stdout=subprocess.PIPE, check=False).stdout.decode()


def read(name):
    """The text of a file, or None if there is none or it is no text."""
    try:
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return None


def tests_of(text):
    """The names of the tests of a CMakeLists.txt; * is what a loop or a variable fills in."""
    names = {}
    for wrapper, body in WRAPPER.findall(text):
        names[wrapper] = re.findall(r"^\tvspe_test\(([\w${}.-]+)", body, re.MULTILINE)
    for wrapper, name in re.findall(r"^\s*(vspe_\w+)\(([\w${}.-]+)", WRAPPER.sub("", text), re.MULTILINE):
        if wrapper == "vspe_test" or wrapper in names:
            for test in names.get(wrapper, ["${name}"]):
                test = test.replace("${name}", name)
                if re.fullmatch(r"\$\{\w+\}", test):
                    test = " ".join(re.findall(rf"\bset\({test[2:-1]} (\S+)\)", text))
                yield from re.sub(r"\$\{\w+\}", "*", test).split()


class Tree:
    """What there is to name. Documents do not count: a name that they alone have is of something that is gone."""

    def __init__(self):
        self.files = git("ls-files", "-z").split("\0")[:-1]
        sources = [f for f in self.files if not f.startswith("docs/") and not f.endswith((".md", "/decisions.py"))]
        text = "\n".join(filter(None, map(read, sources)))
        self.words = set(re.findall(r"\w+", text))
        self.functions = set(re.findall(r"\b(\w+) ?\(", text))
        self.options = set(re.findall(r"(?<![\w-])--([a-z0-9][a-z0-9-]*)", text))
        self.options.update(re.findall(r'^name = "([a-z0-9-]+)"$', text, re.MULTILINE))
        self.tests = [t for f in sources if f.endswith("CMakeLists.txt") for t in tests_of(read(f) or "")]

    def has_file(self, name):
        """A file or folder, by its path or the end of it; * stands for what it does in a shell."""
        name = name.strip("<>").rstrip("/")
        return any(fnmatch.fnmatchcase("/" + f, f"*/{name}") or f"/{name}/" in "/" + f for f in self.files)

    def has_test(self, name):
        return any(fnmatch.fnmatchcase(name, test) for test in self.tests)

    def missing(self, span, before):
        """What span, the text between two backticks, names that is not there. before is the text before it."""
        test = re.search(r"\btests? (`[^`]+`(,| and) )*$", before)
        function = re.fullmatch(r"(\w+)\(.*\)", span)
        if function:
            return [] if function[1] in self.functions else [f"function {span}"]
        missing = [f"option --{o}" for o in re.findall(r"(?<!\S)--([a-z0-9][a-z0-9-]*)", span) if o not in self.options]
        for word in span.split():
            # A path that begins with / is of a host's or a guest's system.
            if word.startswith(("/", "-")):
                continue
            if "/" in word or word.rpartition(".")[2] in SUFFIXES and "." in word[1:]:
                missing += [] if self.has_file(word) else [f"file {word}"]
        if re.fullmatch(r"[\w-]+", span) and not self.has_test(span):
            if test:
                missing.append(f"test {span}")
            elif "_" in span.strip("_") and span not in self.words:
                missing.append(f"identifier {span}")
        return missing


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def check_entries(short, text):
    """Yield problems, and a tuple of an identifier and its prefix for each entry."""
    number, prefix, last = 1, None, 0
    for block in text.rstrip("\n").split("\n\n"):
        lines, entry = block.split("\n"), ENTRY.match(" ".join(block.split("\n")))
        if number == 1:
            if not re.fullmatch(r"# Decisions: \S.*", block):
                yield f"{short}:1: no heading '# Decisions: ...' of one line, with a blank line after it"
        elif entry:
            prefix = prefix or entry[1]
            if entry[1] != prefix:
                yield f"{short}:{number}: {entry[1]}-{entry[2]} among those of {prefix}"
            if int(entry[2]) <= last:
                yield f"{short}:{number}: {entry[1]}-{entry[2]} after {prefix}-{last}"
            last = int(entry[2])
            yield f"{entry[1]}-{entry[2]}", prefix
            for offset, line in enumerate(lines[1:], 1):
                if NO_PARAGRAPH.match(line):
                    yield f"{short}:{number + offset}: an entry is one paragraph"
            for match in STATUS.finditer(SPAN.sub("", block)):
                yield f"{short}:{number}: {match[0]!r}: an entry has neither date nor status"
        elif not re.fullmatch(r"## \S.*", block):
            yield f"{short}:{number}: no entry '**AREA-N: Title.** ...', with one blank line before and after it"
        number += len(lines) + 1
    if not last:
        yield f"{short}: no decision"


def check_names(short, text, tree):
    for match in SPAN.finditer(text):
        for missing in tree.missing(" ".join(match[1].split()), " ".join(text[:match.start()].split()[-8:]) + " "):
            yield f"{short}:{line_of(text, match.start())}: there is no {missing}"
    for match in re.finditer(r"\]\(([^)#:]+)(#[^)]*)?\)", text):
        target = os.path.normpath(os.path.join(os.path.dirname(short), match[1]))
        if target not in tree.files:
            yield f"{short}:{line_of(text, match.start())}: there is no file {target}"


def check_mentions(known, prefixes):
    """Identifiers in all text that is tracked; links that have an anchor in it, as entries have none."""
    some = "|".join(re.escape(p) for p in prefixes)
    for line in git("grep", "-InoEw", f"({some})-[0-9]+").splitlines():
        place, identifier = line.rsplit(":", 1)
        if identifier not in known:
            yield f"{place}: there is no {identifier}"
    names = "|".join(re.escape(os.path.basename(f)) for f in prefixes.values())
    for line in git("grep", "-InoE", rf"decisions/({names})#[A-Za-z0-9-]+").splitlines():
        yield f"{line}: entries have no anchors"


def main():
    tree, known, prefixes, problems, total = Tree(), set(), {}, [], 0
    readme = read(README) or ""
    for short in sorted(f for f in tree.files if os.path.dirname(f) == FOLDER and f.endswith(".md")):
        text = read(short)
        if text is None:
            problems.append(f"{short}: it is tracked, and cannot be read")
            continue
        total += text.count("\n")
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > COLUMNS or line != line.rstrip():
                problems.append(f"{short}:{number}: more than {COLUMNS} columns, or spaces at the end")
        problems += check_names(short, text, tree)
        if short == README:
            continue
        for found in check_entries(short, text):
            if isinstance(found, str):
                problems.append(found)
                continue
            identifier, prefix = found
            if prefixes.setdefault(prefix, short) != short:
                problems.append(f"{short}: {prefix} is of {prefixes[prefix]}")
            known.add(identifier)
        name = os.path.basename(short)
        prefix = next((p for p in prefixes if prefixes[p] == short), None)
        if prefix and f"| [{name}]({name}) | {prefix}: " not in readme:
            problems.append(f"{README}: no row of {name} with {prefix}")
    if total > LINES:
        problems.append(f"{FOLDER}: {total} lines, more than {LINES}")
    problems += check_mentions(known, prefixes)
    print("\n".join(problems) if problems else f"{len(known)} decisions in {len(prefixes)} files, {total} lines")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
