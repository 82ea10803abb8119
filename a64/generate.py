#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Make the decoder of A64 from a64.table, whose head says how it reads, and the tables that go on from it.

generate.py TABLE... FOLDER writes into FOLDER:
    table.h      enums; for each format a struct of its fields and the function that extracts them; a word of each row
    table.c      what each row says, the reserved values, and the decision tree
    names.c      the names of the rows
    execute.def  A64_EXECUTE(row, how, what, other) for each row that an engine executes
A table that is wrong is not read further: the message has its name and line.
"""
import collections
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from write_changed import write_changed

WIDTH = 32
FACTS = ("feature", "check", "class", "address", "bytes", "element", "lane", "count", "order", "target", "when", "exec", "sp", "x")
FLAGS = ("nzcv", "carry", "keeps", "status", "rest")
WORDS = {"feature": "FEAT", "class": "OP", "address": "ADDR", "when": "WHEN"}
DEFAULTS = {"feature": "BASE", "class": "OTHER", "address": "NONE", "when": "ALWAYS", "count": "1"}
TSZ = 0xff   # for the width of a field: the highest bit of tszh:tszl says it
GOVERNED = ("SVE_PRED", "SVE_FP_PRED", "LOAD_SVE_PRED", "STORE_SVE_PRED", "GATHER_SVE", "SCATTER_SVE")
TARGETS = {"register": "REGISTER", "authenticated": "AUTHENTICATED", "eret": "ERET"}


class Line(collections.namedtuple("Line", "table number")):
    """A line of a table."""

    def __str__(self):
        return f"{self.table}:{self.number}"


class Wrong(Exception):
    """An error of a table: of which line, None if of none, and what it is."""

    def __init__(self, line, text):
        super().__init__(text)
        self.line = line


class Field:
    def __init__(self, name, lsb, width, signed):
        self.name, self.lsb, self.width, self.signed = name, lsb, width, signed

    def place(self):
        return (self.lsb, self.width, self.signed)

    def mask(self):
        return ((1 << self.width) - 1) << self.lsb

    def extract(self, word="word"):
        value = f"({word} >> {self.lsb} & {hex((1 << self.width) - 1)}u)"
        if not self.signed:
            return value
        sign = hex(1 << (self.width - 1))
        return f"((int32_t)({value} ^ {sign}u) - {sign})"


class Format:
    """The fields of some rows, the bits that all of them fix, and the facts that they have in common. A group is one
    without fields."""

    def __init__(self, name, line):
        self.name, self.line = name, line
        self.mask = self.value = 0
        self.fields = {}
        self.facts = {}
        self.flags = set()


class Row:
    def __init__(self, name, line, format_, group):
        self.name, self.line, self.format, self.group = name, line, format_, group
        self.mask, self.value = format_.mask, format_.value
        self.facts = {**DEFAULTS, **group.facts, **format_.facts}
        self.flags = group.flags | format_.flags

    def check(self):
        """The name of the C function that finds reserved values, or None."""
        return f"check_{self.facts['check']}_{self.format.name}" if "check" in self.facts else None


def overlap(a, b):
    """Are there words of both rows, or groups?"""
    both = a.mask & b.mask
    return a.value & both == b.value & both


def pattern(tokens, line, format_):
    """Read the bits of a format or a group from 31 down to 0."""
    at = WIDTH
    for token in tokens:
        named = re.fullmatch(r"([a-z][a-z0-9_]*):(s?)([0-9]+)", token)
        if named:
            name, width = named[1], int(named[3])
            if name in FACTS or name in FLAGS:
                raise Wrong(line, f"a field cannot be called {name}")
            if name in format_.fields:
                raise Wrong(line, f"{name} is there twice")
            if not 0 < width <= WIDTH or at < width:
                raise Wrong(line, f"{token} does not fit into {WIDTH} bits")
            at -= width
            format_.fields[name] = Field(name, at, width, bool(named[2]))
        elif re.fullmatch(r"[01-]+", token):
            for bit in token:
                at -= 1
                if at < 0:
                    raise Wrong(line, f"more than {WIDTH} bits")
                if bit != "-":
                    format_.mask |= 1 << at
                    format_.value |= int(bit) << at
        else:
            raise Wrong(line, f"{token} is neither bits nor a field")
    if at != 0:
        raise Wrong(line, f"{WIDTH - at} bits, not {WIDTH}")


class Table:
    """What the tables say; files has the name and the text of each."""

    def __init__(self, files):
        self.words = {}     # of a fact: those it may have
        self.checks = {}    # name: (line, expression)
        self.formats = {}
        self.groups = []
        self.group = None   # that of the rows which follow
        self.rows = {}
        for table, text in files:
            for number, words in enumerate(text.splitlines(), 1):
                words = words.split("#", 1)[0].split()
                if words:
                    self.read(Line(table, number), *words)
        self.verify()

    def read(self, line, first, *rest):
        if first[0] == "%":
            self.read_words(line, first[1:], rest)
        elif first[0] == "?":
            self.define(line, self.checks, first[1:], (line, " ".join(rest)))
        elif first[0] == "@":
            self.read_format(line, first[1:], rest)
        elif first[0] == "[" and first[-1] == "]":
            known = [group for group in self.groups if group.name == first[1:-1]]
            if not known or rest:
                raise Wrong(line, f"there is no group {first[1:-1]} to go on with")
            self.group = known[0]
        elif first[0] == "[":
            group = self.group = Format(first[1:], line)
            pattern([token.rstrip("]") for token in self.read_facts(line, group, rest)], line, group)
            self.groups.append(group)
        else:
            self.read_row(line, first, rest)

    @staticmethod
    def define(line, what, name, value):
        if name in what:
            raise Wrong(line, f"there is a {name} already")
        what[name] = value

    def read_words(self, line, fact, words):
        if fact not in WORDS:
            raise Wrong(line, f"{fact} has no words")
        known = self.words.setdefault(fact, [])
        for word in words:
            if word in known:
                raise Wrong(line, f"there is a {word} already")
            known.append(word)

    def read_facts(self, line, target, tokens):
        """Take facts and flags, and return the tokens that are neither."""
        left = []
        for token in tokens:
            name, equals, value = token.partition("=")
            if token in FLAGS:
                target.flags.add(token)
            elif equals and name in FACTS:
                if name in self.words and value not in self.words[name]:
                    raise Wrong(line, f"{value} is no {name}")
                if name == "check" and value not in self.checks:
                    raise Wrong(line, f"there is no check {value}")
                target.facts[name] = value
            else:
                left.append(token)
        return left

    def read_format(self, line, name, tokens):
        format_ = Format(name, line)
        pattern(self.read_facts(line, format_, tokens), line, format_)
        self.define(line, self.formats, name, format_)

    def read_row(self, line, name, tokens):
        if not re.fullmatch(r"[A-Z][A-Z0-9_]*", name):
            raise Wrong(line, f"{name} is no name of a row")
        if not tokens or tokens[0] not in self.formats:
            raise Wrong(line, f"there is no format {tokens[0] if tokens else ''}")
        if not self.group:
            raise Wrong(line, "a row before the first group")
        row = Row(name, line, self.formats[tokens[0]], self.group)
        for token in self.read_facts(line, row, tokens[1:]):
            self.fix(row, token)
        both = row.group.mask & row.mask
        if row.group.mask & ~row.mask or (row.value ^ row.group.value) & both:
            raise Wrong(line, f"not all of {name} is in the group {row.group.name}")
        self.define(line, self.rows, name, row)

    @staticmethod
    def fix(row, token):
        """A field that this row fixes: name=bits."""
        name, equals, bits = token.partition("=")
        field = row.format.fields.get(name)
        if not equals or not field:
            raise Wrong(row.line, f"{name} is neither a fact nor a field of {row.format.name}")
        if not re.fullmatch(r"[01.]+", bits) or len(bits) != field.width:
            raise Wrong(row.line, f"{name} has {field.width} bits, not {bits}")
        for n, bit in enumerate(reversed(bits)):
            if bit != ".":
                row.mask |= 1 << (field.lsb + n)
                row.value |= int(bit) << (field.lsb + n)

    def reserves(self, row, other):
        """Does a check that is no more than "field != number" leave all words of the other row out?"""
        _, expression = self.checks.get(row.facts.get("check"), (None, ""))
        parts = [re.fullmatch(r"\s*([a-z0-9_]+) != ([0-9]+)\s*", part) for part in expression.split("&&")]
        for name, number in [part.groups() for part in parts if part] if all(parts) else ():
            field = row.format.fields.get(name)
            if field and other.mask & field.mask() == field.mask():
                if (other.value & field.mask()) >> field.lsb == int(number):
                    return True
        return False

    def verify_overlaps(self):
        """Only a row that takes the rest may have words of another. Rows are inside their groups."""
        seen = {}
        for a in [row for row in self.rows.values() if "rest" not in row.flags]:
            for group, rows in seen.items():
                for b in rows if overlap(a.group, group) else ():
                    if overlap(a, b) and not self.reserves(a, b) and not self.reserves(b, a):
                        raise Wrong(a.line, f"{a.name} overlaps {b.name} of {b.line}: say rest of one of them")
            seen.setdefault(a.group, []).append(a)

    def verify(self):
        self.verify_overlaps()
        for row in self.rows.values():
            for fact in ("bytes", "element", "lane"):
                bytes_of(row, fact)
            target_of(row)
            when_of(row)
            governor_of(row)
            order_of(row)
            registers_of(row)
            if not re.fullmatch(r"[1-8]", row.facts["count"]):
                raise Wrong(row.line, "count is 1 to 8")
            if row.facts["address"] != "NONE" and "bytes" not in row.facts:
                raise Wrong(row.line, "an address, but no bytes")

    def ordered(self):
        """Rows in the order in which they are tried: those that take the rest last, as they stand."""
        rows = list(self.rows.values())
        return [r for r in rows if "rest" not in r.flags] + [r for r in rows if "rest" in r.flags]

    def common_fields(self):
        """Fields that are at the same place in all formats that have them, of the first table that has them."""
        places = {}
        for format_ in self.formats.values():
            for field in format_.fields.values():
                table, fields = places.setdefault(field.name, (format_.line.table, []))
                if table == format_.line.table:
                    fields.append(field)
        return [fields[0] for _, (_, fields) in sorted(places.items()) if len({f.place() for f in fields}) == 1]


def field_of(row, name, fact):
    field = row.format.fields.get(name)
    if not field:
        raise Wrong(row.line, f"{fact}: {row.format.name} has no field {name}")
    return field


def bytes_of(row, fact):
    """bytes, element and lane: (shift, lsb, width) of 1 << (shift + field)."""
    text = row.facts.get(fact) or row.facts.get("bytes")
    if not text:
        return (0, 0, 0)
    if text == "tsz":
        field_of(row, "tszh", fact)
        return (0, field_of(row, "tszl", fact).lsb, TSZ)
    parts = re.fullmatch(r"(1|2|4|8|16|32)(?:<<([a-z0-9_]+))?", text)
    if not parts:
        raise Wrong(row.line, f"{fact} is 1, 2, 4, 8, 16 or 32 bytes, shifted by a field or not: not {text}")
    shift = int(parts[1]).bit_length() - 1
    if not parts[2]:
        return (shift, 0, 0)
    field = field_of(row, parts[2], fact)
    return (shift, field.lsb, field.width)


def target_of(row):
    """(kind, lsb, width) of where a branch leads to."""
    text = row.facts.get("target")
    if not text:
        return ("NONE", 0, 0)
    if text in TARGETS:
        return (TARGETS[text], 0, 0)
    field = field_of(row, text, "target")
    return ("OFFSET", field.lsb, field.width)


def when_of(row):
    """The place of the condition."""
    if row.facts["when"] != "HOLDS":
        return 0
    return field_of(row, "cond", "when").lsb


def governor_of(row):
    """The place of the governing predicate: (lsb, width)."""
    if row.facts["class"] not in GOVERNED:
        return (0, 0)
    if "lane" not in row.facts and "bytes" not in row.facts:
        raise Wrong(row.line, "a predicate, but no lane")
    field = field_of(row, "pg", "class")
    return (field.lsb, field.width)


def order_of(row):
    """The bits of a word that make it acquire or release."""
    mask = 0
    for name in filter(None, row.facts.get("order", "").split(",")):
        mask |= field_of(row, name, "order").mask()
    return mask


READS, WRITES, SP, VECTOR = 1, 2, 4, 8
PLACES = {0: ("rd", "rt", "modifier"), 5: ("rn",), 16: ("rm", "rs", "rm4", "rt16"), 10: ("ra", "rt2")}  # of registers, by their lowest bit
SVE = {"zd": WRITES, "vd": WRITES, "zda": READS | WRITES, "zdn": READS | WRITES, "vdn": READS | WRITES,
       "zn": READS, "vn": READS, "zm": READS, "vm": READS, "za": READS, "zm3": READS, "zm4": READS, "zt": 0,
       "xn": READS, "xm": READS}  # at any place
LOADS = ("LOAD", "LOAD_EXCLUSIVE", "LOAD_ACQUIRE", "LOAD_FP", "LOAD_SIMD", "ATOMIC_LD", "ATOMIC_SWP",
         "ATOMIC_FP", "LOAD_SVE", "LOAD_SVE_PRED", "GATHER_SVE", "LOAD_SVE_COUNTED", "LOAD_TAG")
STORES = ("STORE", "STORE_EXCLUSIVE", "STORE_RELEASE", "STORE_FP", "STORE_SIMD", "ATOMIC_CAS", "BRANCH_COND", "ZERO_BLOCK",
          "STORE_SVE", "STORE_SVE_PRED", "SCATTER_SVE", "STORE_SVE_COUNTED", "STORE_TAG", "STORE_GCS")
RS = {"STORE_EXCLUSIVE": WRITES, "ATOMIC_LD": READS, "ATOMIC_SWP": READS, "ATOMIC_CAS": READS | WRITES, "ATOMIC_FP": READS,
      "MEMORY_COPY": READS | WRITES, "MEMORY_SET": READS}
MEMORY = ("MEMORY_COPY", "MEMORY_SET")
WRITES_BACK = ("PRE9", "POST9", "PAIR_PRE", "PAIR_POST", "AUTHENTICATED_PRE", "BEFORE", "AFTER",
               "TAG_PRE9", "TAG_POST9", "TAG_PAIR_PRE", "TAG_PAIR_POST")


def general_of(row):
    """The fields that are general registers, in an instruction of vectors."""
    if row.group.name == "VECTOR_LOAD_STORE":
        return ("rn", "rm")
    if "x" in row.facts:
        return row.facts["x"].split(",")
    if "sf" not in row.format.fields or row.group.name != "VECTOR":
        return ()
    # A conversion, or a move: opcode says which way.
    field = row.format.fields["opcode"]
    opcode = (row.value & field.mask()) >> field.lsb
    return ("rn",) if opcode in (2, 3, 7) else ("rd",)


def role_of(row, name):
    """Whether it reads or writes the register of a field."""
    kind = row.facts["class"]
    if name == "rd":
        return WRITES | (READS if "keeps" in row.flags else 0)
    if name == "rn":
        return READS | (WRITES if row.facts["address"] in WRITES_BACK or kind in MEMORY else 0)
    if name == "rs":
        return RS.get(kind, 0) | (WRITES if "status" in row.flags else 0)
    if name == "rt2" and row.facts["count"] != "2":
        return 0
    if name in ("rt", "rt2", "rt16"):
        if row.group.name.startswith("SYSTEM"):
            return WRITES if row.name in ("MRS", "SYSL", "MRRS") else READS
        return (WRITES if kind in LOADS else READS if kind in STORES else 0) | (READS if "keeps" in row.flags else 0)
    return 0 if "post" in row.format.fields else READS


def role_of_vector(row, name):
    """The same of a field of SVE."""
    if name == "zt":
        return VECTOR | (WRITES if row.facts["class"] in LOADS else READS)
    keeps = READS if name == "zd" and "keeps" in row.flags else 0
    return SVE[name] | keeps | (0 if name in ("xn", "xm") else VECTOR)


def registers_of(row):
    """Of each place of PLACES, four bits: what is done to the register whose number is there."""
    vector, general = row.group.name.startswith("VECTOR"), general_of(row)
    stack = row.facts.get("sp", "").split(",") + (["rn"] if row.facts["address"] != "NONE" else [])
    roles = 0
    for at, (lsb, names) in enumerate(PLACES.items()):
        for name in names:
            field = row.format.fields.get(name)
            if not field:
                continue
            if field.lsb != lsb:
                raise Wrong(row.line, f"{name} is not at bit {lsb}")
            role = role_of(row, name)
            if role:
                role |= (VECTOR if vector and name not in general else 0) | (SP if name in stack else 0)
            roles |= role << 4 * at
        for name in SVE:
            field = row.format.fields.get(name)
            if field and field.lsb == lsb:
                roles |= (role_of_vector(row, name) | (SP if name in stack else 0)) << 4 * at
    return roles


def bits_of_second(row):
    """Those of the number of the register at bit 16."""
    return min([5] + [field.width for field in map(row.format.fields.get, ("zm3", "zm4")) if field])


class Tree:
    """The decision tree, in two tables: what bits a node looks at and where each of their values leads to, which is
    another node or, with LEAF, a list of the rows that are left, in the order in which they are tried."""

    LEAF = 0x8000
    MOST = 6    # bits looked at at once
    FEW = 3     # rows that are told apart by their masks alone

    def __init__(self, rows):
        self.nodes, self.lists, self.known_lists = [], [], {}
        self.grow(rows, 0)

    def leaf(self, rows):
        if rows not in self.known_lists:
            self.known_lists[rows] = len(self.lists)
            self.lists += [row.name for row in rows] + ["COUNT"]
        return self.LEAF | self.known_lists[rows]

    @staticmethod
    def choose(rows, known):
        """The bits, next to each other, that tell the rows apart best: those fixed by most of them."""
        best, best_score = None, (0, 0)
        for lsb in range(WIDTH):
            for width in range(1, Tree.MOST + 1):
                mask = ((1 << width) - 1) << lsb
                if mask & known or lsb + width > WIDTH:
                    break
                fixed = [row for row in rows if row.mask & mask == mask]
                values = len({row.value & mask for row in fixed})
                loose = sum(bin(mask & ~row.mask).count("1") for row in rows)
                if values < 2 or values * 4 < 1 << width:
                    continue
                score = (len(fixed) - loose, values)
                if best is None or score > best_score:
                    best, best_score = (lsb, width), score
        return best

    def grow(self, rows, known):
        """Where to go on for these rows, of which the bits known have been looked at."""
        choice = self.choose(rows, known) if len(rows) > self.FEW else None
        if not choice:
            return self.leaf(rows)
        lsb, width = choice
        bits = ((1 << width) - 1) << lsb
        kept = [tuple(r for r in rows if not (r.value ^ value << lsb) & r.mask & bits) for value in range(1 << width)]
        if len(set(kept)) < 2:
            return self.leaf(rows)
        at = len(self.nodes)
        self.nodes += [lsb << 8 | width] + [0] * len(kept)
        children = {}
        for value, left in enumerate(kept):
            if left not in children:
                children[left] = self.grow(left, known | bits)
            self.nodes[at + 1 + value] = children[left]
        if len(self.nodes) >= self.LEAF or len(self.lists) >= self.LEAF:
            raise Wrong(None, "the tree is too large for its numbers")
        return at


def head(what):
    return f"/* SPDX-License-Identifier: BSD-2-Clause */\n/* {what} Made from a64.table by generate.py. */\n"


def enum_of(name, prefix, words, last=None):
    names = [f"\tA64_{prefix}{word}," for word in words] + ([f"\tA64_{last}"] if last else [])
    return f"enum a64_{name} {{\n" + "\n".join(names) + "\n};\n"


def struct_of(format_):
    names = {True: "int32_t", False: "uint32_t"}
    text = f"struct a64_{format_.name} {{\n"
    text += "".join(f"\t{names[f.signed]} {f.name};\n" for f in format_.fields.values())
    text += f"}};\n\nstatic inline struct a64_{format_.name} a64_get_{format_.name}(uint32_t word)\n{{\n"
    text += f"\treturn (struct a64_{format_.name}){{\n"
    text += "".join(f"\t\t.{f.name} = {f.extract()},\n" for f in format_.fields.values())
    return text + "\t};\n}\n"


def accessors_of(field):
    ctype = "int32_t" if field.signed else "uint32_t"
    return (f"static inline {ctype} a64_{field.name}(uint32_t word)\n{{\n\treturn {field.extract()};\n}}\n\n"
            f"static inline uint32_t a64_put_{field.name}(uint32_t value)\n{{\n"
            f"\treturn (value & {hex((1 << field.width) - 1)}u) << {field.lsb};\n}}\n")


def group_function(groups):
    text = "static inline enum a64_group a64_group(uint32_t word)\n{\n"
    patterns = set()    # groups that share one are told apart by their rows: a word alone is in the first
    for group in sorted(groups, key=lambda group: -bin(group.mask).count("1")):
        if (group.mask, group.value) in patterns:
            continue
        patterns.add((group.mask, group.value))
        text += f"\tif ((word & {group.mask:#010x}u) == {group.value:#010x}u)\n\t\treturn A64_GROUP_{group.name};\n"
    return text + "\treturn A64_GROUP_RESERVED;\n}\n"


def make_header(table):
    parts = [head("The instructions of A64, their fields and what their rows say."),
             "#ifndef VSPE_A64_TABLE_H\n#define VSPE_A64_TABLE_H\n\n#include <stdbool.h>\n#include <stdint.h>\n",
             enum_of("id", "", table.rows, "COUNT"),
             enum_of("group", "GROUP_", ["RESERVED"] + [g.name for g in table.groups])]
    parts += [enum_of(fact, WORDS[fact] + "_", words) for fact, words in table.words.items()]
    parts.append("/* The fixed bits of each row. */\n" +
                 "".join(f"#define A64_WORD_{r.name} UINT32_C({r.value:#010x})\n" for r in table.rows.values()))
    parts.append("/* Fields that are at the same place wherever they are, in the formats of the first table that has them. */\n" +
                 "\n".join(accessors_of(field) for field in table.common_fields()))
    parts += [struct_of(format_) for format_ in table.formats.values() if format_.fields]
    parts += [group_function(table.groups), "#endif\n"]
    return "\n".join(parts)


def make_checks(table):
    used = {}
    for row in table.rows.values():
        if row.check():
            used[row.check()] = row
    parts = []
    for name, row in used.items():
        line, expression = table.checks[row.facts["check"]]

        def replace(match, fields=row.format.fields, line=line):
            name, call = match[1], match[2]
            if call:
                return match[0]
            if name not in fields:
                raise Wrong(line, f"a row of the format {row.format.name} is checked, which has no field {name}")
            return f"f.{name}"

        expression = re.sub(r"\b([a-z_][a-z0-9_]*)\b(\()?", replace, expression)
        parts.append(f"static bool {name}(uint32_t word)\n{{\n"
                     f"\tconst struct a64_{row.format.name} f = a64_get_{row.format.name}(word);\n\n"
                     f"\treturn {expression};\n}}\n")
    return parts, used


def make_rows(table):
    names, lines = "", []
    for row in table.rows.values():
        sizes, target = [bytes_of(row, fact) for fact in ("element", "bytes", "lane")], target_of(row)
        facts = [f"{row.mask:#010x}u", f"{row.value:#010x}u", f"{order_of(row):#x}u", str(len(names)),
                 f"A64_{row.name}", f"A64_GROUP_{row.group.name}"]
        facts += [f"A64_{WORDS[fact]}_{row.facts[fact]}" for fact in ("feature", "class", "address", "when")]
        facts += [str(when_of(row)), f"A64_TARGET_{target[0]}", str(target[1]), str(target[2])]
        facts += [f"{{{', '.join(map(str, place))}}}" for place in sizes + [governor_of(row)]]
        facts += [row.facts["count"], *("01"[fact] for fact in ("exec" in row.facts, "nzcv" in row.flags,
                                                              "carry" in row.flags, "rest" in row.flags)),
                  f"{registers_of(row):#06x}", str(bits_of_second(row))]
        lines.append(f"\t[A64_{row.name}] = {{{', '.join(facts)}}},")
        names += row.name + "\0"
    if len(names) > 0xffff:
        raise Wrong(None, "the names are too long for a row to say where its own is")
    text = "".join(f'\t"{row.name}\\0"\n' for row in table.rows.values())
    return (f"const struct a64_insn a64_table[A64_COUNT] = {{\n" + "\n".join(lines) + "\n};\n",
            f"const char a64_names[] =\n{text[:-1]};\n")


FIND = f"""enum a64_id a64_find(uint32_t word)
{{
	unsigned int at = 0;

	while (!(at & {Tree.LEAF:#x}))
		at = nodes[at + 1 + (word >> (nodes[at] >> 8) & ((1u << (nodes[at] & 0xff)) - 1))];
	for (const uint16_t *id = &lists[at & {Tree.LEAF - 1:#x}]; *id != A64_COUNT; id++)
		if ((word & a64_table[*id].mask) == a64_table[*id].value && a64_allocated(&a64_table[*id], word))
			return (enum a64_id)*id;
	return A64_COUNT;
}}
"""


def make_names(table):
    return "\n".join([head("The names of the rows."), '#include "a64/a64.h"\n', make_rows(table)[1]])


def make_source(table):
    checks, used = make_checks(table)
    rows, _ = make_rows(table)
    cases = "".join(f"\tcase A64_{row.name}: return {row.check()}(word);\n"
                    for row in table.rows.values() if row.check())
    allowed = ("bool a64_allocated(const struct a64_insn *insn, uint32_t word)\n{\n\tswitch (insn->id) {\n" + cases +
               "\tdefault: return true;\n\t}\n}\n")
    tree = Tree(tuple(table.ordered()))
    nodes = "static const uint16_t nodes[] = {" + ", ".join(f"{n:#x}" for n in tree.nodes) + "};\n"
    lists = "static const uint16_t lists[] = {" + ", ".join("A64_" + name for name in tree.lists) + "};\n"
    return "\n".join([head("The instructions of A64: rows and decision tree."), '#include "a64/a64.h"\n',
                      rows, *checks, allowed, nodes, lists, FIND])


def make_execute(table):
    lines = []
    for row in table.rows.values():
        how, *what = row.facts.get("exec", "").split(":")
        if len(what) > 2:
            raise Wrong(row.line, "exec is a function and at most two operations")
        if how:
            lines.append(f"A64_EXECUTE({', '.join([row.name, how, *what, 'nop', 'nop'][:4])})\n")
    return head("Which function of an engine executes a row, and with what.") + "".join(lines)


def read_file(name):
    with open(name, encoding="utf-8") as file:
        return name, file.read()


def main():
    *tables, folder = sys.argv[1:]
    try:
        table = Table(map(read_file, tables))
        files = {"table.h": make_header(table), "table.c": make_source(table),
                 "names.c": make_names(table), "execute.def": make_execute(table)}
    except Wrong as wrong:
        sys.exit(f"{wrong.line or ' '.join(tables)}: error: {wrong}")
    for name, content in files.items():
        write_changed(os.path.join(folder, name), content)


if __name__ == "__main__":
    main()
