#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check the English, the lines, the length and the links of all documents.

english.py [PAGE...]        without pages, all of them and the comments of all sources, and what NOT_YET lists is excused; with pages, these alone, excused or not
english.py --update         take what has no faults out of NOT_YET, and lower WORDS to the words that there are
english.py --sources [NAME...]   only the comments of sources whose names begin so
english.py --links FOLDER   only the links of the pages in FOLDER, which holds the manual as it is installed
"""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COLUMNS = 120
LINES = 300
# Words of README.md and docs/**/*.md together. Lower it when pages get shorter.
WORDS = 35000
# Made by a tool, with columns of its choice.
GENERATED = ("docs/coverage.md", "docs/features.md", "docs/rules.md")

# What gives a translated sentence away, and the usual word.
PHRASES = [(re.compile(expression, re.IGNORECASE), better) for expression, better in (
    (r"(?<!left )(?<!leave )(?<!leaves )(?<!leaving )(?<!from )\bbehind\b(?! NAT\b)", "after, or following"),
    (r"\bto who(?:ever)? connects?\b", "to the client"),
    (r"\bso that nothing of\b", "so that no"),
    (r"\bof ours\b|\bours\b", "vspe's, or our own"),
    (r"\bby hand of\b", "by, or with"),
    (r"\bwhat it is about\b|\bof what that what\b|\bthat what\b", "say the noun"),
    (r"\bstands? in (?:the|a|its|this|each|that)\b", "is in"),
    (r"\bthe one who\b|\bto the one that\b", "say who"),
    (r"\b(?:lies|lie) in\b", "is in"),
    (r"\bthereby\b", "so, or by this"),
    (r"\bwants\b", "needs, or expects"),
    (r"\b(?:is|are|was|be|being) asked for\b", "is requested, or given"),
    (r"\bit holds that\b|\b(?:has|have) it that\b", "says that"),
    (r"\bas far as\b", "if, or where"),
    (r"\bof (?:its|their|your|one's) own\b", "its own, or separate"),
    (r"\bin all\b(?=[.,;:)])", "in total, or everywhere"),
    (r"\btold\b", "reported"),
    (r"\bbeside\b", "next to, or along with"),
    (r"\bthe whole of\b|\bas a whole\b", "all of"),
    (r"(?:^|[.:] )That \w+ (?:is|are|has|does|can) [^.]{0,60} (?:says|is said|decides)\b", "turn it round"),
    (r"\bnobody has to\b", "you need not"),
    (r"\b(?:somebody|anybody|everybody) else's\b", "another's"),
    (r"\btake(?:s|n)? place of\b", "replaces"),
    (r"\buntil 0\.\d|\bsince 0\.\d|\bas of 0\.\d", "history belongs in CHANGELOG.md"),
    (r"\b20\d\d-(?!01-01)\d\d-\d\d\b", "no dates"),
)]

# Pages with faults that have not been rewritten. The table may only shrink: one without faults has to leave it.
NOT_YET = """
"""

def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def found(*patterns):
    names = [name for pattern in patterns for name in glob.glob(os.path.join(ROOT, pattern), recursive=True)]
    return sorted({os.path.relpath(name, ROOT) for name in names})


DOCUMENTS = found("README.md", "CONTRIBUTING.md", "docs/**/*.md", "examples/**/*.md", "guests/README.md", "tests/README.md")
# History and pages of other trees: their lines alone are looked at.
OTHERS = found("CHANGELOG.md", "bindings/**/*.md", "qemu/patches/README.md", "records/README.md")
HEADERS = found("*/include/vspe/*.h", "vmm/*/include/vspe/*.h")
HELP = found("vmm/cli/options/*.toml", "vmm/choices.toml")
MAN = found("docs/*.[1-9]", "docs/*.[1-9].in")


def prose(name, text):
    """Lines with their numbers: those in which words are looked for, and whether each may be long."""
    fence = comment = False
    for number, line in enumerate(text.split("\n"), 1):
        if name.endswith(".md"):
            if line.lstrip().startswith("```"):
                fence = not fence
                continue
            if not fence:
                yield number, re.sub(r"`[^`]*`", "`", line), line.startswith("|")
        elif name.endswith(".h"):
            words = line if comment else "".join(re.findall(r"/\*.*|//.*", line))
            if "/*" in line or "*/" in line:
                comment = line.rfind("/*") > line.rfind("*/")
            yield number, re.sub(r"`[^`]*`", "`", words), False
        elif not line.startswith(('.\\"', "#")):
            yield number, line, False


def faults(name, phrases=PHRASES):
    """What is wrong with the words, the lines and, if it has words to look for, the length of a page."""
    text = read(name)
    lines = text.split("\n")
    before, last = "", 0
    for number, words, may_be_long in prose(name, text):
        # A phrase may be broken by the end of a line.
        start = before if number == last + 1 else ""
        joined = f"{start} {words.strip(' *')}".strip()
        for phrase, better in phrases:
            for match in phrase.finditer(joined):
                if match.end() > len(start):
                    yield f"{name}:{number}: \"{match.group().strip()}\": {better}"
        if len(lines[number - 1].expandtabs(8)) > COLUMNS and not may_be_long and name not in GENERATED:
            yield f"{name}:{number}: {len(lines[number - 1])} columns, of at most {COLUMNS}"
        before, last = joined[-60:], number
    if phrases and name.endswith(".md") and len(lines) - 1 >= LINES:
        yield f"{name}: {len(lines) - 1} lines, of at most {LINES - 1}"


def comments(name):
    """The comments of a source, with the number of the line where each begins: lines without stars, hashes and ends."""
    text = read(name)
    if re.search(r"\.(c|h|def|S)$", name):
        found_in = re.finditer(r"/\*.*?\*/|//[^\n]*(?:\n\s*//[^\n]*)*", text, re.DOTALL)
    else:
        found_in = re.finditer(r'^[ \t]*#[^\n]*(?:\n[ \t]*#[^\n]*)*|"""(?:(?!""").)*"""', text, re.DOTALL | re.MULTILINE)
    for match in found_in:
        words = re.sub(r"`[^`]*`", "`", match.group())
        yield text.count("\n", 0, match.start()) + 1, re.sub(r"\s*\n\s*(?:\*|#|//)?\s*", " ", words)


def sources():
    """What is tracked and has comments, but what is a document's, and this table of phrases itself."""
    names = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=False).stdout.split()
    return [name for name in names if re.search(r"\.(c|h|def|S|py|sh|cmake)$|CMakeLists\.txt$|^tools/[a-z-]+$", name)
            and name not in HEADERS and name != "tests/docs/english.py" and not name.startswith("tests/fuzz/corpus")]


def source_faults(names):
    """The phrases in comments of sources."""
    for name in names:
        for line, words in comments(name):
            for phrase, better in PHRASES:
                for match in phrase.finditer(words):
                    yield f"{name}:{line}: \"{match.group().strip()}\": {better}"


def anchors(name):
    """The names of a page's headings, as GitHub makes them."""
    seen, fence = {}, False
    for line in read(name).split("\n"):
        if line.startswith("```"):
            fence = not fence
        heading = None if fence else re.match(r"#+ +(.*?) *#*$", line)
        if heading:
            words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.group(1)).replace("`", "")
            anchor = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
            count = seen.get(anchor, 0)
            seen[anchor] = count + 1
            yield f"{anchor}-{count}" if count else anchor
        yield from re.findall(r'<a (?:id|name)="([^"]+)"', line)


def links(name):
    """The relative links of a page that lead nowhere."""
    text = re.sub(r"```.*?```", lambda block: "\n" * block.group().count("\n"), read(name), flags=re.DOTALL)
    text = re.sub(r"`[^`\n]*`", "`", text)
    for match in re.finditer(r"\]\(([^)\s]+)[^)]*\)|<(?:img|source)[^>]* src(?:set)?=\"([^\"]+)\"", text):
        target = match.group(1) or match.group(2)
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        to = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
        line = text.count("\n", 0, match.start()) + 1
        if not os.path.exists(os.path.join(ROOT, to)):
            yield f"{name}:{line}: {target}: there is no such file"
        elif anchor and to.endswith(".md") and anchor not in set(anchors(to)):
            yield f"{name}:{line}: {target}: there is no such heading"


def installed(folder):
    global ROOT
    ROOT = os.path.abspath(folder)
    problems = [problem for name in found("**/*.md") for problem in links(name)]
    print("\n".join(problems), end="\n" * bool(problems))
    return bool(problems)


def shrink(names, words):
    """Take names out of NOT_YET, and lower WORDS."""
    with open(__file__, encoding="utf-8") as file:
        text = file.read()
    for name in names:
        text = text.replace(f"\n{name}\n", "\n")
    text = re.sub(r"^WORDS = \d+$", f"WORDS = {min(WORDS, words)}", text, flags=re.MULTILINE)
    with open(__file__, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    if sys.argv[1:2] == ["--links"]:
        return installed(sys.argv[2])
    if sys.argv[1:2] == ["--sources"]:
        wrong = list(source_faults(name for name in sources() if name.startswith(tuple(sys.argv[2:]) or "")))
        print("\n".join([*wrong, f"{len(wrong)} phrases"]))
        return bool(wrong)
    update = sys.argv[1:] == ["--update"]
    pages = [] if update else [os.path.relpath(os.path.abspath(page), ROOT) for page in sys.argv[1:]]
    excused = set() if pages else set(NOT_YET.split())
    problems, clean = [], []
    for name in pages or DOCUMENTS + HEADERS + HELP + MAN:
        wrong = list(faults(name))
        if name not in excused:
            problems += wrong
        elif not wrong:
            clean.append(name)
    clean += sorted(excused - set(DOCUMENTS + HEADERS + HELP + MAN))
    if not update:
        problems += [f"{name}: has no faults; remove it from NOT_YET (--update does)" for name in clean]
    for name in pages or DOCUMENTS + ["CHANGELOG.md"]:
        problems += links(name) if name.endswith(".md") else []
    if not pages:
        problems += [*source_faults(sources()), *(fault for name in OTHERS for fault in faults(name, ()))]
    words = sum(len(read(name).split()) for name in DOCUMENTS if name == "README.md" or name.startswith("docs/"))
    if update:
        shrink(clean, words)
    if words > WORDS:
        problems.append(f"README.md and docs have {words} words, of at most {WORDS}")
    print("\n".join(problems), end="\n" * bool(problems))
    print(f"{len(problems)} problems; README.md and docs have {words} words; {len(excused)} pages are excused")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
