#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Turn registers.def and controls.def into C.

generate.py OUT writes, for a compiler that has -I OUT, and only what has changed:

    OUT/vspe/sysreg_names.h  the names of registers, encodings and fields: part of the public header <vspe/sysreg.h>
    OUT/rules.inc            the conditions and outcomes of each access, for rules.c
    OUT/words.inc            what a register's own conditions are called, for route.c
    OUT/fields.inc           the fields of the control registers, for fields.c
    OUT/registers.inc        how a unit keeps its registers, for spe/registers.c
    OUT/traps.inc            which bits of the control registers there are with which feature, for vmm/soft/sys

Which conditions an access has follows here from the columns of its row (the register pages, Arm ARM DDI 0487).
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))
from write_changed import write_changed

REGISTER_COLUMNS = {
    "op1": None, "crm": None, "op2": None, "access": "RW", "needs": "SPE", "fgt": None, "mdcr_el2": None,
    "nspb": "true", "mdcr_el3": None, "mdcr_el3_first": "false", "nv2": "0", "nvx": None, "reaches": None, "e2h": None,
    "e2h_when": None, "like": None, "kept": None, "sets_off": "NOTHING", "frozen": "false",
}
FIELD_COLUMNS = {"needs": None, "bits": None, "reset": None}

# Of a fine-grained trap: the registers of reads and writes, the value that traps, the feature, and the bit of SCR_EL3
# without which it does not apply; or, of those of FEAT_FGT2, without which its bit counts as 0.
FGT = {
    None: ("HDFGRTR_EL2", "HDFGWTR_EL2", 0, "FGT", "FGTEn", False),
    "HDFG": ("HDFGRTR_EL2", "HDFGWTR_EL2", 1, "FGT", "FGTEn", False),
    "nHDFG": ("HDFGRTR_EL2", "HDFGWTR_EL2", 0, "FGT", "FGTEn", False),
    "nHDFG2": ("HDFGRTR2_EL2", "HDFGWTR2_EL2", 0, "FGT2", "FGTEn2", True),
}
# Of a field of MDCR_EL2: which of its bits decides, and the value that traps. E2PB traps as 'x0'.
MDCR_EL2 = {"TPMS": (1, 1, "MDCR_EL2.TPMS == 1"), "E2PB": (1, 0, "MDCR_EL2.E2PB is x0")}
# Effective HCR_EL2.{NV2,NV1,NV}, as mask and match; no value matches 8.
NVX = {None: (0, 8, ""), "1x1": (5, 5, "1x1"), "111": (7, 7, "111"), "101": (7, 5, "101"), "EE": (5, 5, "1x1")}
class Error(Exception):
    pass


class Field:
    def __init__(self, reg, name, most, least, columns):
        self.reg, self.name, self.most, self.least = reg, name, int(most), int(least)
        self.needs = columns["needs"].split(" + ") if columns["needs"] else []
        self.bits = columns["bits"]
        self.reset = columns["reset"]
        if self.reset not in (None, "0"):
            raise Error(f"{reg}.{name}: a reset value of {self.reset}")
        if not 0 <= self.least <= self.most <= 63:
            raise Error(f"{reg}.{name}: bits {most} to {least}")

    @property
    def width(self):
        return self.most - self.least + 1

    @property
    def mask(self):
        return (1 << self.most + 1) - (1 << self.least)


class Register:
    """A row of registers.def."""

    def __init__(self, name, columns):
        self.name = name
        self.fields = []
        for column, value in columns.items():
            setattr(self, column, value)
        self.op1, self.crm, self.op2, self.nv2 = (int(v, 0) for v in (self.op1, self.crm, self.op2, self.nv2))
        self.level = name.rsplit("_", 1)[1]
        self.read_only = self.access == "RO"
        self.reaches = self.reaches or name
        kind, bits = re.fullmatch(r"(\w+)\(([0-9, ]+)\)", self.fgt).groups() if self.fgt else (None, "0")
        bits = [int(bit) for bit in bits.split(",")]
        self.fgt_kind, self.fgt_bits = kind, [bits[0], bits[-1]]
        self.fgt_field = ("n" if kind and kind.startswith("n") else "") + name

    @property
    def encoding(self):
        return 3 << 14 | self.op1 << 11 | 9 << 7 | self.crm << 3 | self.op2

    @property
    def features(self):
        """All of them are needed."""
        needs = ["SPE"] + ([self.needs] if self.needs != "SPE" else [])
        return needs + {"EL3": ["EL3"], "EL12": ["VHE"]}.get(self.level, [])

    def iss(self, write):
        """ESR_ELx.ISS of the access with Rt 0, for EC 0x18: Op0, Op2, Op1, CRn, Rt, CRm, direction."""
        return 3 << 20 | self.op2 << 17 | self.op1 << 14 | 9 << 10 | self.crm << 1 | (0 if write else 1)

    def steps(self, el, write):
        """The conditions of an access at el: names of steps.def."""
        if write and self.read_only:
            return ["NO_ACCESSOR"]
        return ["MISSING", "AARCH32"] + (["EL0"] if el == 0 else getattr(self, f"steps_el{el}")())

    def steps_el3_traps(self, first):
        nspb = ["SDD_NSPB", "NSPB"] if self.nspb == "true" else []
        place = "FIRST" if first else "LAST"
        return nspb + ([f"SDD_CONTROL_{place}", f"CONTROL_{place}"] if self.mdcr_el3 else [])

    def steps_el1(self):
        memory = [] if not self.nvx else ["NVMEM_EE"] if self.nvx == "EE" else ["NVMEM"]
        if self.level == "EL1":
            return ((["FGT"] if self.fgt_kind else []) + (["COARSE"] if self.mdcr_el2 else [])
                    + self.steps_el3_traps(self.mdcr_el3_first == "true") + memory + ["DIRECT"])
        if self.level == "EL3":
            return ["NO_ACCESS"]
        return memory + ["NV", "NO_ACCESS"]

    def steps_el2(self):
        if self.level == "EL3":
            return ["NO_ACCESS"]
        host = [] if not self.e2h else ["HOST_EE"] if self.e2h_when == "EE" else ["HOST"]
        alias = ["NOT_HOST"] if self.level == "EL12" else []
        return alias + self.steps_el3_traps(False) + host + ["DIRECT"]

    def steps_el3(self):
        return (["NOT_HOST"] if self.level == "EL12" else []) + ["DIRECT"]


class Control:
    """A register whose fields the rules look at; those of registers.def by name only."""

    def __init__(self, name, member, named):
        self.name, self.member, self.named, self.fields = name, member, named, []


def rows(path):
    """(macro, positional arguments, columns) of each row of a .def."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    for row in re.finditer(r"^([A-Z]+)\(((?:[^()]|\([^()]*\))*)\)$", text, flags=re.M):
        arguments = [a.strip() for a in re.split(r",(?![^()]*\))", row[2])]
        plain = [a for a in arguments if not a.startswith(".")]
        yield row[1], plain, dict(re.match(r"\.(\w+) *= *(.+)", a).groups() for a in arguments[len(plain):])


def with_defaults(columns, known, what):
    if columns.keys() - known.keys():
        raise Error(f"{what}: no column {', '.join(columns.keys() - known.keys())}")
    return {**known, **columns}


class Tables:
    def __init__(self):
        self.registers, self.controls, self.others, self.ids = {}, {}, {}, []
        for name in ("registers.def", "controls.def"):
            for macro, plain, columns in rows(os.path.join(HERE, name)):
                getattr(self, "take_" + macro.lower())(plain, columns)
        for register in self.registers.values():
            for other in (register.like, register.e2h, register.reaches):
                if other and other not in self.registers:
                    raise Error(f"{register.name}: no register {other}")
            if register.like:
                register.fields = [Field(register.name, f.name, f.most, f.least,
                                         {"needs": " + ".join(f.needs), "bits": f.bits, "reset": f.reset})
                                   for f in self.registers[register.like].fields]

    def take_register(self, plain, columns):
        self.registers[plain[0]] = Register(plain[0], with_defaults(columns, REGISTER_COLUMNS, plain[0]))

    def take_control(self, plain, _):
        self.controls[plain[0]] = Control(plain[0], plain[1], plain[2:])

    def take_id(self, plain, _):
        op0, op1, crn, crm, op2 = map(int, plain[1:])
        self.ids.append((plain[0], op0 << 14 | op1 << 11 | crn << 7 | crm << 3 | op2))

    def take_field(self, plain, columns):
        reg, name, most, least = plain
        field = Field(reg, name, most, least, with_defaults(columns, FIELD_COLUMNS, f"{reg}.{name}"))
        if reg in self.registers:
            self.registers[reg].fields.append(field)
        elif reg in self.controls:
            self.controls[reg].fields.append(field)
        else:
            self.others.setdefault(reg, []).append(field)

    def field(self, reg, name):
        return next(f for f in self.registers[reg].fields if f.name == name)

    def fgt_fields(self):
        """The fields of the fine-grained trap registers: of those of reads and of writes by turns."""
        for r in self.registers.values():
            if r.fgt_kind:
                for write in range(1 if r.read_only else 2):
                    bit = r.fgt_bits[write]
                    yield Field(FGT[r.fgt_kind][write], r.fgt_field, bit, bit, FIELD_COLUMNS)

    def control_bit(self, reg, field, width=None):
        """A mask as C, of the lowest bits of a field that controls.def names."""
        f = next(f for f in self.controls[reg].fields if f.name == field)
        return f"{(1 << (width or f.width)) - 1}ull << SYSREG_{reg}_{field}_LSB"


def either(tables):
    return "/* SPDX-License-Identifier: BSD-2-Clause */\n/* Made by sysreg/generate.py of " + tables + ". */\n"


def names(t):
    """<vspe/sysreg_names.h>"""
    out = [either("registers.def and controls.def"), """/*
 * The names of registers, of their encodings and of their fields, as the Arm ARM (DDI 0487) spells them.
 *
 * SYSREG_<register>_<field>_LSB	its least significant bit
 * SYSREG_<register>_<field>_WIDTH	how many bits it has
 * SYSREG_<register>_<field>_MASK	these bits, 64 bits wide
 *
 * Numbers are enumeration constants, and masks, which an enumeration of C11 cannot hold, macros that
 * are one literal: so that tools that read headers without compiling them (cffi, bindgen) see them all.
 */
#ifndef VSPE_SYSREG_NAMES_H
#define VSPE_SYSREG_NAMES_H

/* The registers, in the order of sysreg/registers.def. */
enum sysreg_id {"""]
    # The order is part of the ABI: that of the encodings, and of the register pages.
    out += [f"\tSYSREG_{name}," for name in t.registers]
    out += ["\tSYSREG_COUNT,", "};", "",
            "/* op0:op1:CRn:CRm:op2 of the MRS and MSR (register) of them and of the ID registers that tell of SPE. */",
            "enum sysreg_encodings {"]
    out += [f"\tSYSREG_ENCODING_{r.name} = {r.encoding:#06x}," for r in t.registers.values()]
    out += [f"\tSYSREG_ENCODING_{name} = {encoding:#06x}," for name, encoding in t.ids]
    out += ["};", "", "/* The control registers of struct sysreg_controls, by their names. */", "enum sysreg_control {"]
    out += [f"\tSYSREG_CONTROL_{name}," for name in t.controls]
    out += ["\tSYSREG_CONTROL_EDSCR, /* of which only SDD is kept */", "};"]
    groups = {r.name: r.fields for r in t.registers.values()}
    groups.update({c.name: list(c.fields) for c in t.controls.values() if c.name not in groups})
    for f in t.fgt_fields():
        groups[f.reg].append(f)
    groups.update(t.others)
    for reg, fields in groups.items():
        if not fields:
            continue
        out += ["", f"/* {reg} */", "enum {"]
        for f in fields:
            out += [f"\tSYSREG_{reg}_{f.name}_LSB = {f.least},", f"\tSYSREG_{reg}_{f.name}_WIDTH = {f.width},"]
        out += ["};"]
        out += [f"#define SYSREG_{reg}_{f.name}_MASK {f.mask:#x}ull" for f in fields]
    return out + ["", "#endif"]


def rule(t, r, write):
    """One direction of a register."""
    fgt_reg, value, feature, enable, off_is_0 = (FGT[r.fgt_kind][write], *FGT[r.fgt_kind][2:])
    fgt_mask = f"1ull << {r.fgt_bits[write]}"
    coarse = t.control_bit("MDCR_EL2", r.mdcr_el2, MDCR_EL2[r.mdcr_el2][0]) if r.mdcr_el2 else "0"
    coarse_traps = coarse if r.mdcr_el2 and MDCR_EL2[r.mdcr_el2][1] else "0"
    control = t.control_bit("MDCR_EL3", r.mdcr_el3) if r.mdcr_el3 else "0"
    trap = f"{{SYSREG_TRAP, SYSREG_{r.name}, 0, {r.iss(write):#x}, %d, SYSREG_TRAP_EC, 0}}"
    steps = [" | ".join(f"1u << STEP_{step}" for step in r.steps(el, write)) for el in range(4)]
    return [
        "\t{", "\t\t.steps = {", *[f"\t\t\t{s}," for s in steps], "\t\t},",
        f"\t\t.control = {control},",
        f"\t\t.fgt_mask = {fgt_mask},",
        f"\t\t.fgt_traps = {fgt_mask if value else 0},",
        f"\t\t.fgt_enable = {t.control_bit('SCR_EL3', enable)},",
        f"\t\t.coarse_mask = {coarse},",
        f"\t\t.coarse_traps = {coarse_traps},",
        f"\t\t.exists = {' | '.join('SYSREG_FEAT_' + f.upper() for f in r.features)},",
        f"\t\t.fgt_feature = SYSREG_FEAT_{feature},",
        f"\t\t.fgt_offset = offsetof(struct sysreg_controls, {t.controls[fgt_reg].member}),",
        f"\t\t.fgt_disabled_is_0 = {'true' if off_is_0 else 'false'},",
        f"\t\t.nv_mask = {NVX[r.nvx][0]},",
        f"\t\t.nv_match = {NVX[r.nvx][1]},",
        "\t\t.routes = {",
        f"\t\t\t[CONCLUSION_UNDEFINED] = {{SYSREG_UNDEFINED, SYSREG_{r.name}, 0, 0, 0, 0, 0}},",
        f"\t\t\t[CONCLUSION_TRAP_EL2] = {trap % 2},",
        f"\t\t\t[CONCLUSION_TRAP_EL3] = {trap % 3},",
        f"\t\t\t[CONCLUSION_NVMEM] = {{SYSREG_NVMEM, SYSREG_{r.name}, {r.nv2:#x}, 0, 0, 0, 0}},",
        f"\t\t\t[CONCLUSION_DIRECT] = {{SYSREG_DIRECT, SYSREG_{r.reaches}, 0, 0, 0, 0, 0}},",
        f"\t\t\t[CONCLUSION_HOST] = {{SYSREG_DIRECT, SYSREG_{r.e2h or r.reaches}, 0, 0, 0, 0, 0}},",
        "\t\t},", "\t},",
    ]


def rules(t):
    """rules.inc: names, encodings, the index of encodings by op1, the low bit of CRm and op2; and the rules."""
    out = [either("registers.def"), f"static const char *const names[SYSREG_COUNT] = {{"]
    out += [f"\t[SYSREG_{name}] = \"{name}\"," for name in t.registers]
    out += ["};", "", "static const uint16_t encodings[SYSREG_COUNT] = {"]
    out += [f"\t[SYSREG_{name}] = SYSREG_ENCODING_{name}," for name in t.registers]
    out += ["};", "", "/* Ids plus 1, so that what is not listed reads as free. */",
            "static const uint8_t slots[128] = {"]
    out += [f"\t[{r.op1 << 4 | (r.crm & 1) << 3 | r.op2}] = SYSREG_{r.name} + 1," for r in t.registers.values()]
    out += ["};", "", "const struct sysreg_rule sysreg_rules[SYSREG_COUNT][2] = {"]
    for r in t.registers.values():
        out += [f"\t[SYSREG_{r.name}] = {{", *rule(t, r, 0), *rule(t, r, 1), "\t},"]
    return out + ["};"]


def fgt_words(r):
    if not r.fgt_kind:
        return "", ["", ""]
    on = "FEAT_FGT2" if FGT[r.fgt_kind][5] else "FEAT_FGT and (no EL3 or SCR_EL3.FGTEn == 1)"
    off = "SCR_EL3.FGTEn2 == 0 under EL3 or " if FGT[r.fgt_kind][5] else ""
    return on, [f"{off}{FGT[r.fgt_kind][write]}.{r.fgt_field} == {FGT[r.fgt_kind][2]}" for write in (0, 1)]


def words(t):
    """words.inc"""
    out = [either("registers.def"), "static const struct words words[SYSREG_COUNT] = {"]
    for r in t.registers.values():
        missing = f"FEAT_{r.needs}" + {"EL3": " or EL3", "EL12": " or FEAT_VHE"}.get(r.level, "")
        on, bit = fgt_words(r)
        f = next((f for f in t.controls["MDCR_EL3"].fields if f.name == r.mdcr_el3), None)
        out += [f"\t[SYSREG_{r.name}] = {{",
                f"\t\t.missing = \"{missing} is not implemented\",",
                f"\t\t.fgt_on = \"{on}\",",
                f"\t\t.fgt_bit = {{\"{bit[0]}\", \"{bit[1]}\"}},",
                f"\t\t.coarse = \"{MDCR_EL2[r.mdcr_el2][2] if r.mdcr_el2 else ''}\",",
                f"\t\t.control = \"{f'MDCR_EL3.{f.name} == ' + '0' * f.width if f else ''}\",",
                f"\t\t.nv_pattern = \"{'effective HCR_EL2.{NV2,NV1,NV} is ' + NVX[r.nvx][2] if r.nvx else ''}\",",
                "\t},"]
    return out + ["};"]


def fields(t):
    """fields.inc: first controls.def in its order, then the fine-grained traps."""
    def row(reg, name, lsb, width):
        return f"\t{{\"{reg}\", {name}, SYSREG_CONTROL_{reg}, {lsb}, {width}}},"

    def part(f):
        return row(f.reg, f'"{f.name}"', f.least, f.width)

    out = [either("registers.def and controls.def"), "static const struct sysreg_field fields[] = {"]
    for c in t.controls.values():
        out += [row(c.name, "NULL", 0, 64)]
        out += [part(f) for f in c.fields] + [part(t.field(c.name, name)) for name in c.named]
    out += [part(f) for f in t.others["EDSCR"]]
    out += [part(f) for f in t.fgt_fields()]
    out += [row("EDSCR", "NULL", 0, 32), "};", "", "/* Where they are kept. */",
            "static const uint16_t offsets[SYSREG_CONTROL_EDSCR] = {"]
    out += [f"\t[SYSREG_CONTROL_{c.name}] = offsetof(struct sysreg_controls, {c.member})," for c in t.controls.values()]
    return out + ["};"]


def needs(names):
    return " | ".join("NEEDS_" + name for name in names) or "0"


def registers(t):
    """registers.inc: a row for each name that reaches a register that is kept."""
    out = [either("registers.def")]
    for r in t.registers.values():
        it = t.registers[r.reaches]
        if it.kept:
            of_el2, of_nv = (sum(f.mask for f in it.fields if pe in f.needs) for pe in ("EL2", "NV"))
            out += [f"KEPT({r.name}, {it.kept}, {it.sets_off}, {it.frozen}, {of_el2:#x}ull, {of_nv:#x}ull)"]
            out += [f"KEPT_FIELD({r.name}, {f.mask:#x}ull, {needs([it.needs] + f.needs)}, BITS_{f.bits or 'ALL'}, "
                    f"{'true' if f.reset else 'false'})" for f in it.fields]
    return out


def traps(t):
    """traps.inc: a row for each control register and feature, with the bits that trap the feature's registers."""
    masks = {}
    for r in t.registers.values():
        found = [(f.reg, f.mask) for f in t.fgt_fields() if f.name == r.fgt_field]
        found += [(reg, f.mask) for reg, name in (("MDCR_EL2", r.mdcr_el2), ("MDCR_EL3", r.mdcr_el3))
                  for f in t.controls[reg].fields if f.name == name]
        found += [("MDCR_EL3", f.mask) for f in t.controls["MDCR_EL3"].fields if f.name == "NSPB" and r.nspb == "true"]
        for reg, mask in found:
            # What traps a register of SPE itself is there with that, whatever else it traps.
            if not masks.get((reg, "SPE"), 0) & mask:
                masks[reg, r.needs] = masks.get((reg, r.needs), 0) | mask
    return [either("registers.def")] + [f"TRAPS({reg}, {needs.upper()}, {mask:#x}ull)"
                                        for (reg, needs), mask in masks.items()]


def main():
    out = sys.argv[1]
    try:
        t = Tables()
    except (Error, AttributeError, KeyError, TypeError, ValueError) as error:
        sys.exit(f"generate.py: {type(error).__name__}: {error}")
    for name, make in (("vspe/sysreg_names.h", names), ("rules.inc", rules), ("words.inc", words),
                       ("fields.inc", fields), ("registers.inc", registers), ("traps.inc", traps)):
        write_changed(os.path.join(out, name), "\n".join(make(t)) + "\n")


if __name__ == "__main__":
    main()
