#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Generate everything that is made of vspe's options, from their tables.

tools/options.py OUT rows FILE            the C header of a subcommand, or of an engine
tools/options.py OUT commands FILE...     the C header of all subcommands, in that order
tools/options.py OUT exits FILE           the C header of exit codes
tools/options.py OUT choices FILE         the C header of the machine's choices
tools/options.py OUT page FILE TEMPLATE   its man page: the template's line @OPTIONS@ is the list, and
                                          @EXITS@ that of its exit codes
tools/options.py OUT bash TEMPLATE FILE...
tools/options.py OUT zsh TEMPLATE FILE... the completions of these subcommands

FILE is vmm/cli/options/COMMAND.toml or vmm/ENGINE/options.toml; for exits it is vmm/cli/exit.toml, which
describes itself, and for choices vmm/choices.toml. A subcommand has

summary   what it does, for `vspe --help` and the completions
request   the C struct that the options are stored in
column    where descriptions begin in --help
usage     what --help prints before the options; after: what follows them, with @EXITS@ for the exit codes
groups    the headings of the options, in this order; or there are none
short     what --help prints before the short options, and short_after: what follows them; --help all then has all
          options. Without it, --help has all
operands  how its other words complete, as complete below; without it, there are none. Files are read

and options, in the order of --help. An option has

name, letter   --name, and perhaps -l
group          its heading, if its subcommand has groups
argument       the word for its value; without it, there is none. optional: it may be left out
take           the C function that takes it: struct cli_option or struct engine_option says how
store          or the member of request that it goes to: a bool, or with argument a text
range          ... or an unsigned int, from the first to the last of the two
given          the member that says that it was given
help           its description, in as many lines as it has
short          true: it is on the first page, in a subcommand that has one; or its description there
also           one more line: a second form of the argument and its meaning
before         a text in --help before it; column: from here on
brief          what zsh says of it, if not the beginning of help
man            its description, mdoc(7); without it, it shares that of the next option
head           its heading there, if that is not made of name, letter and argument
complete       how its value completes: a list of words, which help and man have as @WORDS@, file, folder, command, spe, core, access, or
               not at all
file           the value is a file: input is read; output is written, and no other option may name the same file
replaces       ... except this one
excludes       options that it does not go with; repeats: it may be given more than once
needs          options of which at least one must be given, too
unit           of a number in range, for messages: what it counts, and perhaps an example after a semicolon
shared         of an engine: the other engine that has it, too, and has the words for both

engine = NAME  stands for the options of that engine, choices = true for those of vmm/choices.toml, and
               again = NAME for a second line of help.

An option that is a choice of the machine goes to a member of struct choices, and also has

member, type   the member
what           the comment on it
second         type, name and comment of a second member that it fills
default        its value if the option is not given; 0, false and NULL may be left out
unsaved        its value in a machine that was saved without it, in the same way
kind           how it is saved, compared and reported: the struct choice_kind kind_KIND of
               vmm/machine/choice_kinds.c; without it, it is not, and the last of its options counts
range          of a number, too: the values that a saved machine may have
saved          its place among the choices in a saved machine, and the first version of the file that has it
recorded       its name in a recording, which then must have the same value; without it, it is not compared
of             of an option that is another way to give a choice: the option that has the rest
"""
import re
import sys
import textwrap
import tomllib
from pathlib import Path

from write_changed import write_changed

TOP = Path(__file__).resolve().parent.parent
CHOICES = TOP / "vmm/choices.toml"
CORES = TOP / "spe/cores.def"
SPE_WORDS = ["v1p0", "v1p1", "v1p2", "v1p3", "v1p4", "v1p5", "off", "help"]


def load(path):
    with open(path, "rb") as file:
        return tomllib.load(file)


def engine_lines(engine):
    """The help for the options of an engine: for shared ones the other engine has the words."""
    return [row for row in load(TOP / "vmm" / engine / "options.toml")["option"] if "shared" not in row]


class Command:
    """A subcommand, with its engines' options in place."""

    def __init__(self, path):
        self.name = Path(path).stem
        self.table = load(path)
        self.own = []  # all but those of engines
        self.lines = []  # as --help has them
        for row in self.table["option"]:
            engine = row.get("engine")
            own = load(CHOICES)["option"] if row.get("choices") is True else [row]
            self.lines += engine_lines(engine) if engine else own
            self.own += [row for row in own if "name" in row]
        for row in self.lines:
            for key in ("help", "man"):
                if "@WORDS@" in row.get(key, ""):
                    row[key] = row[key].replace("@WORDS@", word_list(row["complete"]))
        self.groups = self.table.get("groups", [None])
        if self.groups != [None]:  # of each the options stay in the order of the tables
            for row in self.lines:
                if row["group"] not in self.groups:
                    sys.exit(f"{path}: --{row['name']}: no group {row['group']}")
            self.lines.sort(key=lambda row: self.groups.index(row["group"]))
        self.options = [row for row in self.lines if "name" in row]


def word_list(words):
    return ", ".join(words[:-1]) + " or " + words[-1]


def spellings(row):
    return ([f"-{row['letter']}"] if "letter" in row else []) + [f"--{row['name']}"]


# --- C

def quote(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def help_line(head, lines, column):
    """Head, and lines from column on; below the head if it is too long."""
    if lines and len(head) < column:
        text = head.ljust(column) + lines[0] + "\n"
        lines = lines[1:]
    else:
        text = head + "\n"
    return text + "".join(" " * column + line + "\n" for line in lines)


def help_head(row):
    name = row.get("name", row.get("again"))
    argument = row.get("argument", "")
    if argument:
        argument = f"[={argument}]" if row.get("optional") else f" {argument}"
    letter = f"-{row['letter']}, " if "letter" in row else "    "
    return f"  {letter}--{name}{argument}"


def short_text(command):
    """The first page of --help: the options that most users need."""
    text, column = command.table["usage"] + command.table["short"], command.table["column"]
    for row in sorted(command.lines, key=lambda line: line.get("name") == "help"):
        short = row.get("short")
        if short:
            text += help_line(help_head(row), (row["help"] if short is True else short).splitlines(), column)
    return text + command.table["short_after"]


def help_text(command):
    text, column, group = command.table["usage"], command.table["column"], command.groups[0]
    text += f"{group}:\n" if group else ""
    for row in command.lines:
        if row.get("group") != group:
            group = row["group"]
            text += f"\n{group}:\n"
        text += row.get("before", "")
        column = row.get("column", column)
        text += help_line(help_head(row), row.get("help", "").splitlines(), column)
        if "also" in row:
            text += help_line(f"      --{row['name']} {row['also'][0]}", [row["also"][1]], column)
    return text + command.table["after"].replace("@EXITS@\n", exit_lines(command.name))


def c_row(row, request):
    fields = [f'.name = "{row["name"]}"']
    if "letter" in row:
        fields.append(f".letter = '{row['letter']}'")
    if "argument" in row:
        fields.append(f".argument = {'CLI_MAY_HAVE_VALUE' if row.get('optional') else 'CLI_VALUE'}")
        fields.append(f'.value = {quote(row["argument"])}')
    words = None if row.get("complete") == "spe" else words_of(row.get("complete"))
    if words:
        fields.append(f".words = (const char *const[]){{{''.join(quote(word) + ', ' for word in words)}NULL}}")
    kind = "number" if "range" in row else "text" if "argument" in row else "flag"
    fields.append(f".take = {row.get('take', f'cli_take_{kind}')}")
    if "store" in row or "member" in row:
        fields.append(f".offset = offsetof({request}, {row.get('store', 'options.choices.' + row.get('member', ''))})")
    if "range" in row:
        fields += [f".min = {row['range'][0]}", f".max = {row['range'][1]}"]
    if "file" in row:
        fields.append(f".file = CLI_FILE_{row['file'].upper()}")
    if "replaces" in row:
        fields.append(f'.replaces = "{row["replaces"]}"')
    given = row.get("given")
    if "member" in row or "of" in row:
        given = f"given[{choice_id(row.get('of', row['name']))}]"
    if given:
        fields.append(f".given = offsetof({request}, {given})")
    for key in ("excludes", "needs"):
        if key in row:
            words = "".join(f'"{word}", ' for word in row[key])
            fields.append(f".{key} = (const char *const[]){{{words}NULL}}")
    if "unit" in row:
        fields.append(f'.unit = "{row["unit"]}"')
    return "\t{" + ", ".join(fields) + "},\n"


def c_text(name, text):
    lines = "".join(f"\t{quote(line)}\n" for line in text.splitlines(keepends=True))
    return f"static const char {name}[] =\n{lines.rstrip()};\n\n"


def rows(path):
    made = f"/* Made of {Path(path).resolve().relative_to(TOP)} by tools/options.py. */\n"
    table = load(path)
    if "usage" not in table:
        name = Path(path).resolve().parent.name
        text = made + f"const struct engine_option {name}_options[] = {{\n"
        for row in table["option"]:
            text += f'\t{{"{row["name"]}", {str("argument" in row).lower()}, {row["take"]}}},\n'
        return text + "\t{0},\n};\n"
    command = Command(path)
    body = "".join(c_row(row, table["request"]) for row in command.own)
    texts = ""
    if "short" in table:
        texts = c_text(f"{command.name}_help_short", short_text(command))
    return (f"{made}{texts}{c_text(f'{command.name}_help', help_text(command))}"
            f"static const struct cli_option {command.name}_rows[] = {{\n{body}}};\n")


def commands(*paths):
    text = "/* Made of the subcommands' tables by tools/options.py. */\n"
    for command in map(Command, paths):
        text += f'COMMAND({command.name}, {quote(command.table["summary"])})\n'
    return text


# --- choices

def choice_id(name):
    return "CHOICE_" + name.replace("-", "_").upper()


def choice_row(row):
    fields = [f'.word = "{row["name"]}"',
              f".member = {{offsetof(struct choices, {row['member']}), sizeof({row['type']})}}"]
    if "second" in row:
        kind, member, _ = row["second"]
        fields.append(f".second = {{offsetof(struct choices, {member}), sizeof({kind})}}")
    if "kind" in row:
        fields.append(f".kind = &kind_{row['kind']}")
    if "range" in row:
        fields += [f".min = {row['range'][0]}", f".max = {row['range'][1]}"]
    if "saved" in row:
        fields.append(f".saved = true, .place = {row['saved'][0]}, .since = {row['saved'][1]}")
    if "recorded" in row:
        fields.append(f'.recorded = "{row["recorded"]}"')
    return f"[{choice_id(row['name'])}] = {{{', '.join(fields)}}},"


def choice_member(kind, name, what):
    star = "" if kind.endswith("*") else " "
    return f"\t{kind}{star}{name}; /* {what} */\n"


def macro(name, lines):
    """A macro that is an initializer, one line for each item."""
    return f"\n#define {name} \\\n\t{{ \\\n" + "".join(f"\t\t{line} \\\n" for line in lines) + "\t}\n"


def choices(path):
    options = [row for row in load(path)["option"] if "member" in row]
    text = "/* Made of vmm/choices.toml by tools/options.py. */\nenum choice_id {\n"
    text += "".join(f"\t{choice_id(row['name'])},\n" for row in options)
    text += "\tCHOICES\n};\n\nstruct choices {\n"
    for row in options:
        text += choice_member(row["type"], row["member"], row["what"])
        text += choice_member(*row["second"]) if "second" in row else ""
    text += "};\n"
    for name, key in (("DEFAULT", "default"), ("UNSAVED", "unsaved")):
        text += macro(f"CHOICES_{name}", [f".{row['member']} = {row[key]}," for row in options if key in row])
    return text + macro("CHOICES_ROWS", map(choice_row, options))


# --- exit codes

def exit_codes(command):
    """(code, text) of each exit code of a subcommand."""
    for row in load(TOP / "vmm/cli/exit.toml")["exit"]:
        of = row.get("of")
        if of is None or command in of:
            yield row["code"], (of or {}).get(command) or row["text"]


def exit_lines(command):
    text = "; ".join(f"{code} {text.split(':')[0].split(';')[0]}" for code, text in exit_codes(command))
    return "\n".join(textwrap.wrap(f"Exit codes: {text}.", 88)) + "\n"


def exits(path):
    text = "/* Made of vmm/cli/exit.toml by tools/options.py. */\nenum cli_exit {\n"
    for row in load(path)["exit"]:
        text += f"\tCLI_{row['name']} = {row['code']}, /* {row['text']} */\n"
    return text + "};\n"


# --- mdoc

def exit_list(command):
    text = ".Bl -tag -width Ds -compact\n"
    for code, what in exit_codes(command):
        text += f".It {code}\n{what[0].upper()}{what[1:]}.\n".replace("--", "\\-\\-")
    return text + ".El\n"


def man_heading(row):
    if "head" in row:
        return row["head"]
    argument = f" Ar {row['argument']}" if "argument" in row else ""
    return " , ".join(f"Fl {word[1:]}" for word in spellings(row)) + argument


def page(path, template):
    text, headings, group = "", [], None
    for row in Command(path).options:
        if not text or row.get("group") != group:
            group = row.get("group")
            text += (".El\n" if text else "") + (f".Ss {group}\n" if group else "") + ".Bl -tag -width Ds\n"
        headings.append(man_heading(row))
        if "man" in row:
            text += f".It {' , '.join(headings)}\n{row['man']}"
            headings = []
    return (Path(template).read_text().replace("@OPTIONS@\n", text + ".El\n")
            .replace("@EXITS@\n", exit_list(Path(path).stem)))


# --- completions

def brief(row):
    text = row.get("brief", " ".join(row.get("help", "").split()))
    for end in (":", ";", " ("):
        text = text.split(end)[0]
    return text.removeprefix("... ").removesuffix(" ...") or "print the options"


def registers():
    """The names of vspe explain's registers, from the tables that have them."""
    names = []
    for table in ("sysreg/registers.def", "vmm/soft/sys/sys_registers.def", "pmu/registers.def"):
        names += re.findall(r"^(?:REGISTER|HOST_NAME)\((\w+),", (TOP / table).read_text(), re.M)
    return names + [f"{name}{n}_EL0" for name in ("PMEVCNTR", "PMEVTYPER") for n in range(31)]


def words_of(complete):
    if complete == "core":
        return re.findall(r'^CORE\("([^"]+)"', CORES.read_text(), re.MULTILINE)
    if complete == "access":
        return registers() + ["read", "write"]
    return SPE_WORDS if complete == "spe" else complete if isinstance(complete, list) else None


def bash_answer(complete):
    words = words_of(complete)
    if words:
        return f"COMPREPLY=($(compgen -W '{' '.join(words)}' -- \"$cur\"))"
    return {"file": "_filedir", "folder": "_filedir -d",
            "command": 'COMPREPLY=($(compgen -c -- "$cur"))'}.get(complete, ":")


def bash_value(command, row):
    """The line of a case for a value. An optional one only follows =."""
    pattern = " | ".join(f"{command.name}:{word}" for word in spellings(row))
    guard = "[[ $split == true ]] && " if row.get("optional") else ""
    return f"\t{pattern}) {guard}{bash_answer(row.get('complete'))} && return ;;\n"


def bash(template, *paths):
    all_commands = [Command(path) for path in paths]
    options = values = operands = ""
    for command in all_commands:
        words = " ".join(word for row in command.options for word in spellings(row))
        options += f"\tlocal {command.name}='{words}'\n"
        values += "".join(bash_value(command, row) for row in command.options if "argument" in row)
        if "operands" in command.table:
            operands += f"\t{command.name}) {bash_answer(command.table['operands'])} ;;\n"
    names = [command.name for command in all_commands]
    return (Path(template).read_text().replace("@OPTIONS@\n", options)
            .replace("@VALUES@\n", values).replace("@OPERANDS@\n", operands)
            .replace("@COMMANDS@", " ".join(names)).replace("@PATTERN@", " | ".join(names)))


def zsh_quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_action(complete):
    words = words_of(complete)
    if words:
        return "(" + " ".join(words) + ")"
    return {"file": "_files", "folder": "_files -/", "command": "_command_names -e"}.get(complete, "")


def zsh_option(row):
    excluded = [f"--{name}" for name in row.get("excludes", [])]
    if len(spellings(row)) > 1:
        excluded += spellings(row)
    prefix = f"({' '.join(excluded)})" if excluded and not row.get("repeats") else ""
    if row["name"] == "help":
        prefix = "(- *)"
    prefix += "*" if row.get("repeats") else ""
    what = f"[{brief(row)}]"
    if "argument" in row:
        colons = "::" if row.get("optional") else ":"
        argument = row["argument"].replace(":", "\\:").replace("[", "").replace("]", "")
        what += f"{colons}{argument}:{zsh_action(row.get('complete'))}"
    lines = ""
    for word in spellings(row):
        suffix = ""
        if "argument" in row:
            suffix = "+" if len(word) == 2 else "=-" if row.get("optional") else "="
        lines += f" \\\n\t\t{zsh_quote(prefix + word + suffix + what)}"
    return lines


def zsh(template, *paths):
    functions = summaries = ""
    for command in map(Command, paths):
        operands = command.table.get("operands")
        functions += f"_vspe_{command.name}() {{\n\t_arguments -s -S"
        functions += "".join(zsh_option(row) for row in command.options)
        if operands:
            functions += f" \\\n\t\t{zsh_quote('*:word:' + zsh_action(operands))}"
        functions += "\n}\n\n"
        summaries += f"\t\t{zsh_quote(command.name + ':' + command.table['summary'])}\n"
    return (Path(template).read_text().replace("@FUNCTIONS@\n", functions)
            .replace("@COMMANDS@\n", summaries))


def main():
    makers = {maker.__name__: maker for maker in (rows, commands, exits, choices, page, bash, zsh)}
    if len(sys.argv) < 4 or sys.argv[2] not in makers:
        sys.exit(__doc__)
    text = makers[sys.argv[2]](*sys.argv[3:])
    write_changed(sys.argv[1], text)


if __name__ == "__main__":
    main()
