#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""features.py [--write] VSPE GUEST_CC: docs/features.md has the features that the software CPU has.

The first table is compared with the ID registers of machines, field by field, both ways: each row with a field holds,
and each field that is not zero has a row. The second one is made of vmm/soft/sys/isa.def and spe/cores.def. The features of
the third are words of spe_choices.def.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/features.md"
BEGIN, END = "<!-- isa -->\n", "<!-- end -->\n"
CORES = {"neoverse-n1": "N1", "neoverse-v1": "V1", "neoverse-n2": "N2", "neoverse-v2": "V2", "kunpeng920": "K", "fvp": "F"}
# Fields of ID registers by the lowest bit (Arm ARM D24.2).
FIELDS = {
    "PFR0": {"EL0": 0, "EL1": 4, "EL2": 8, "EL3": 12, "GIC": 24, "SEL2": 36, "RME": 52, "CSV3": 60},
    "DFR0": {"DebugVer": 0, "PMUVer": 8, "BRPs": 12, "WRPs": 20, "CTX_CMPs": 28, "PMSVer": 32},
    "DFR1": {"PMICNTR": 36, "DPFZS": 52},
    "ISAR0": {"CRC32": 16, "Atomic": 20},
    "MMFR0": {"PARange": 0, "ASIDBits": 4, "SNSMem": 12, "TGran16": 20, "TGran16_2": 32, "TGran64_2": 36, "TGran4_2": 40,
              "FGT": 56, "ECV": 60},
    "MMFR1": {"HAFDBS": 0, "VH": 8, "HPDS": 12, "LO": 16, "PAN": 20},
    "MMFR2": {"NV": 24, "EVT": 56, "E0PD": 60},
    "DFR2": {}, "PFR1": {}, "ISAR1": {}, "ISAR2": {},
}
MACHINES = ["", "--el 2", "--el 3", "--el 2 --secure", "--realm", "--pmu v3p9", "--pmu v3p7 --spe v1p4,dpfzs"]
# Each register of the list as 16 hexadecimal digits and a newline on the PL011; then the guest waits for ever.
GUEST = "".join(f"mrs x0, ID_AA64{name}_EL1\nbl print\n".replace("ID_AA64DFR2_EL1", "S3_0_C0_C5_2")
                .replace("ID_AA64ISAR2_EL1", "S3_0_C0_C6_2") for name in FIELDS) + """
	msr daifset, #15
1:	wfi
	b 1b
print:	mov x2, #0x09000000
	mov w3, #16
2:	ror x0, x0, #60
	and w4, w0, #15
	cmp w4, #10
	add w5, w4, #48
	add w6, w4, #87
	csel w5, w5, w6, lo
	str w5, [x2]
	subs w3, w3, #1
	b.ne 2b
	mov w5, #10
	str w5, [x2]
	ret
"""


def isa_rows():
    """Names and words of isa.def, in its order."""
    text = (ROOT / "vmm/soft/sys/isa.def").read_text(encoding="utf-8")
    return re.findall(r'^ISA\((\w+), "([\w-]+)", ', text, re.M)


def isa_table():
    """The second table: the features of isa.def by the cores that have them, with what each needs."""
    needs, words = {}, dict(isa_rows())
    for one, other in re.findall(r"^ISA_NEEDS\((\w+), (\w+)\)", (ROOT / "vmm/soft/sys/isa.def").read_text(), re.M):
        needs.setdefault(one, []).append(f"`{words[other]}`")
    cores = (ROOT / "spe/cores.def").read_text(encoding="utf-8").replace("\\\n", " ")
    sets = {}

    def features(expression):
        found = set(re.findall(r"FEATURE\((\w+)\)", expression))
        return found.union(*(sets[name] for name in re.findall(r"\bISA_\w+", expression)))
    for name, expression in re.findall(r"^#define (ISA_\w+) (.*)$", cores, re.M):
        sets[name] = features(expression)
    has = {core: features(isa) for core, isa in re.findall(r'^CORE\("([\w-]+)", \w+, \w+,\s*(.*?),\s*\.what', cores, re.M | re.S)}
    groups = {}
    for name, word in words.items():
        if word not in (name.lower(), name.lower().rstrip("2")):
            sys.exit(f"not ok - docs/features.md: it does not say that FEAT_{name} is --isa {word}")
        mine = " ".join(short for core, short in CORES.items() if name in has[core])
        groups.setdefault("all" if len(mine.split()) == len(CORES) else mine or "none", []).append(
            f"FEAT_{name}" + "".join(f" ({other})" for other in needs.get(name, [])))
    rows = "".join(f"| {cores} | {', '.join(names)} |\n" for cores, names in groups.items())
    return f"\n| cores | features |\n|---|---|\n{rows}\n"


def claims(text):
    """{(register, lowest bit): [(what it needs of the command line, values)]} of the first table."""
    found = {}
    for options, fields in re.findall(r"^\|[^|]*\| *([^|]*?) *\| ([A-Z][^|]*) \|$", text, re.M):
        for register, field, low, high in re.findall(r"(\w+)\.(\w+) = (\d+)(?: to (\d+))?", fields):
            found.setdefault((register, FIELDS[register][field]), []).append(
                (options.replace("`", "").strip(), range(int(low), int(high or low) + 1)))
    return found


def applies(options, machine):
    """Whether a machine has what a row needs: an Exception level, or all words of one of the command lines."""
    level = 3 if re.search(r"--secure|--realm|--el 3", machine) else 2 if "--el 2" in machine else 1
    if options in ("", "EL2", "EL3"):
        return level >= int(options[2:] or 1)
    return any(set(line.split()) <= set(machine.replace(",", " ").split()) for line in options.split(", "))


def machine_registers(vspe, image, machine):
    done = subprocess.run([vspe, "run", "--timeout", "20", *machine.split(), image], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)
    values = re.findall(r"^[0-9a-f]{16}$", done.stdout, re.M)
    if len(values) != len(FIELDS):
        sys.exit(f"not ok - vspe run {machine}: {len(values)} registers: {done.stdout}{done.stderr}")
    return {name: int(value, 16) for name, value in zip(FIELDS, values)}


def check(before, after, vspe, compiler):
    """What of the text before and after the second table is not so."""
    rows, bad = claims(before), []
    with tempfile.TemporaryDirectory() as folder:
        source, code, image = (str(pathlib.Path(folder) / name) for name in ("guest.S", "guest.elf", "guest.bin"))
        pathlib.Path(source).write_text(GUEST, encoding="utf-8")
        subprocess.run([compiler, "-nostdlib", "-static", "-Wl,-Ttext=0x40080000", "-Wl,-e0x40080000", source, "-o", code], check=True)
        subprocess.run([re.sub(r"gcc(-\d+)?$", "objcopy", compiler), "-O", "binary", "-j", ".text", code, image], check=True)
        for machine in MACHINES:
            for register, value in machine_registers(vspe, image, machine).items():
                for low in range(0, 64, 4):
                    field = value >> low & 15
                    mine = [values for options, values in rows.get((register, low), []) if applies(options, machine)]
                    if field and not any(field in values for values in mine) or mine and not any(field in v for v in mine):
                        bad.append(f"vspe run {machine}: ID_AA64{register}_EL1[{low + 3}:{low}] is {field}, "
                                   f"docs/features.md has {mine or 'no row'}")
    words = set(re.findall(r'FLAG\("([\w-]+)"\)', (ROOT / "spe/include/vspe/spe_choices.def").read_text()))
    for names in re.findall(r"^\| v1p\d \| (.*) \|$", after, re.M):
        bad += [f"docs/features.md: no --spe {name.lower()}" for name in names.split(", ") if name.lower() not in words]
    return bad


def main():
    *options, vspe, compiler = sys.argv[1:]
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    now, after = rest.split(END)
    bad = []
    if options == ["--write"]:
        PAGE.write_text(before + BEGIN + isa_table() + END + after, encoding="utf-8")
    elif now != isa_table():
        bad.append("docs/features.md: another table than isa.def and cores.def: features.py --write")
    bad += check(before, after, vspe, compiler)
    if bad:
        sys.exit("\n".join(["not ok - docs/features.md", *bad]))
    print("ok - docs/features.md has the features of the software CPU")


if __name__ == "__main__":
    main()
