# SPDX-License-Identifier: BSD-2-Clause
"""The words of `vspe linux`: its table of options says which there are, what they take and what --help says of them."""
import argparse
import difflib
import os
import sys
import tomllib

from linux_guest import debian
from linux_guest.failure import FAILED

HERE = os.path.dirname(os.path.abspath(__file__))
ACTIONS = ("run", "pgo", "image", "disk", "bench")
# A guest's kernel, initrd and command line are this tool's.
TAKEN = ("-k", "--kernel", "-i", "--initrd", "-p", "--params", "--restore", "--incoming", "--tap")


def fail(code, message):
    print(f"vspe linux: {message}", file=sys.stderr)
    sys.exit(code)


def _table():
    """In the source tree it is with those of the other subcommands."""
    for folder in (HERE, os.path.join(HERE, "../../vmm/cli/options")):
        path = os.path.join(folder, "linux.toml")
        if os.path.exists(path):
            with open(path, "rb") as file:
                return tomllib.load(file)
    fail(FAILED, f"{HERE}/linux.toml: not there; vspe is not installed completely")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        fail(2, message)


def _file(text):
    if not os.path.isfile(text):
        raise argparse.ArgumentTypeError(f"{text}: no such file")
    if not os.access(text, os.R_OK):
        raise argparse.ArgumentTypeError(f"{text}: may not be read")
    return text


def _folder(text):
    if not os.path.isdir(text):
        raise argparse.ArgumentTypeError(f"{text}: no such folder")
    return text


def _pair(text):
    """HERE[:THERE], a file of this system and its path in the guest."""
    here, _, there = text.partition(":")
    _file(here)
    there = there or "/root/" + os.path.basename(here)
    if not there.startswith("/") or ".." in there.split("/"):
        raise argparse.ArgumentTypeError(f"{there}: not an absolute path")
    return here, there


def _wanted(text):
    """THERE[:HERE], a path in the guest and where its file goes to."""
    there, _, here = text.partition(":")
    if not there.startswith("/") or "\n" in there:
        raise argparse.ArgumentTypeError(f"{there}: not an absolute path")
    return there, here or os.path.basename(there)


def _root(text):
    _file(text.partition(",")[0])
    return text


def _size(text):
    """Bytes of N, NM or NG."""
    unit = {"M": 1 << 20, "G": 1 << 30}.get(text[-1:], 0)
    number = text[:-1] if unit else text
    if not (number.isascii() and number.isdigit()) or not 1 << 30 <= int(number) * (unit or 1) <= 1 << 40:
        raise argparse.ArgumentTypeError(f"{text}: not a size from 1G to 1024G")
    return int(number) * (unit or 1)


def _period(text):
    if not (text.isascii() and text.isdigit()) or not 256 <= int(text) <= 1 << 24:
        raise argparse.ArgumentTypeError(f"{text}: not a number of operations from 256 to {1 << 24}")
    return int(text)


KINDS = {"file": _file, "folder": _folder, "pair": _pair, "wanted": _wanted, "root": _root, "size": _size, "period": _period}


def values(words, option):
    """The values of an option of vspe run among `words`, in both spellings: --option VALUE and --option=VALUE."""
    following = [*words[1:], ""]
    return [word.partition("=")[2] if "=" in word else after
            for word, after in zip(words, following) if word.partition("=")[0] == option]


def without(words, option):
    """`words` without an option of vspe run and its value, in both spellings."""
    return [word for before, word in zip(["", *words], words) if word.partition("=")[0] != option and before != option]


def _member(row):
    return row["name"].replace("-", "_")


def _help(table):
    text = table["usage"]
    for row in table["option"]:
        letter = f"-{row['letter']}, " if "letter" in row else "    "
        head = f"  {letter}--{row['name']} {row.get('argument', '')}".rstrip()
        lines = row.get("help", "print this").strip().splitlines()
        if len(head) < table["column"]:
            head += " " * (table["column"] - len(head)) + lines.pop(0)
        text += "\n".join([head, *(" " * table["column"] + line for line in lines)]) + "\n"
    return text + table["after"]


def _parser(table):
    parser = Parser(prog="vspe linux", allow_abbrev=False, add_help=False)
    for row in table["option"]:
        name = f"--{row['name']}"
        if "argument" not in row:
            parser.add_argument(*([f"-{row['letter']}"] if "letter" in row else []), name, action="store_true")
            continue
        words = {"type": KINDS.get(row.get("kind"), str), "choices": row.get("choices"), "default": row.get("default")}
        if row.get("repeats"):
            words.update(action="append", default=[])
        parser.add_argument(name, dest=_member(row), **words)
    return parser


def _check(table, options, rest, command):
    """What is given where nothing would look at it is a mistake."""
    for row in table["option"]:
        value = getattr(options, _member(row))
        if value and value != row.get("default") and options.action not in row.get("actions", ACTIONS):
            fail(2, f"--{row['name']}: only with {' or '.join(row['actions'])}")
    names = [f"--{row['name']}" for row in table["option"] if row["name"] != "vspe"]  # --spe is vspe run's
    for word in rest:
        if word.split("=")[0] in TAKEN:
            fail(2, f"{word}: not with a guest of vspe linux; vspe run takes it")
        near = difflib.get_close_matches(word.split("=")[0], names, 1, 0.88) if word.startswith("--") else []
        if near:
            fail(2, f"{word}: no such option; did you mean {near[0]}?")
    if options.kernel not in debian.KERNELS:
        _file_or_fail("--kernel", options.kernel)
    if options.kernel_deb and options.kernel != "cloud":
        fail(2, "--kernel-deb: not with --kernel, which says which one already")
    if options.modules and options.kernel in debian.KERNELS:
        fail(2, "--modules: only with --kernel FILE; Debian's kernels have their own")
    if options.action == "disk" and not options.output:
        fail(2, "disk: needs --output FILE")
    if options.action == "disk" and options.kernel not in debian.KERNELS:
        fail(2, f"--kernel {options.kernel}: a disk has one of Debian's, cloud or generic")
    if options.root and options.package:
        fail(2, f"--package: with disk, which makes {options.root}")
    if options.action == "run" and command is None and (options.get or options.console):
        fail(2, f"{'--get' if options.get else '--console'}: only with a command, after --")


def _file_or_fail(option, path):
    if not os.path.isfile(path):
        fail(2, f"{option} {path}: no such file, and not cloud or generic")


def _action(words):
    """The first word is what to do, if it is no option."""
    if not words or words[0].startswith("-"):
        return "run", words
    if words[0] not in ACTIONS:
        near = difflib.get_close_matches(words[0], ACTIONS, 1)
        fail(2, f"{words[0]}: not one of {', '.join(ACTIONS)}{f'; did you mean {near[0]}?' if near else ''}; "
             "a command for the guest follows --")
    return words[0], words[1:]


def _program(words, table):
    """Of pgo, the words from the program on: those after --, or from the first file on that is no value of an option here. One of vspe
    run's whose value is a file has it after a =."""
    if "--" in words:
        return words[:words.index("--")], words[words.index("--") + 1:]
    takes = {f"--{row['name']}" for row in table["option"] if "argument" in row}
    at, first = 0, None
    while at < len(words):
        if words[at].startswith("-"):
            at += 2 if words[at] in takes else 1
        elif os.path.isfile(words[at]):
            return words[:at], words[at:]
        else:
            first = at if first is None else first
            at += 1
    first = len(words) if first is None else first
    return words[:first], words[first:]


def parse(words):
    """The options, what of the words is for vspe run, and the guest's command, None where there is none."""
    table = _table()
    action, words = _action(words)
    command = None
    if action == "pgo":
        words, command = _program(words, table)
    elif "--" in words:
        at = words.index("--")
        words, command = words[:at], words[at + 1:]
        if not command:
            fail(2, "--: no command follows")
    options, rest = _parser(table).parse_known_args(words)
    options.action = action
    if options.help:
        print(_help(table), end="")
        sys.exit(0)
    _check(table, options, rest, command)
    if command and action not in ("run", "pgo") or rest and action not in ("run", "bench", "pgo"):
        fail(2, f"{(rest or command)[0]}: not with {action}")
    return options, rest, command
