#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""recipes.py: do what docs/recipes.md says of adding things, and see that they work.

Below a heading of RECIPES the page links to a patch of this folder. The patches are applied to a copy of the tree,
which is built once, without optimization. Then what was added is used.
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PRESET = ["cmake", "--preset", "release", "-DBUILD_TESTING=OFF", "-DCMAKE_C_FLAGS_RELEASE=-O0"]
TRAPS = "traps.Image"  # a guest of the tree: which register is trapped by what
WRITE_ALL_ONES = "mov x1, #-1\nmsr S3_0_C9_C10_6, x1\nmrs x0, S3_0_C9_C10_6\n"
READ_MADE_UP = "movz x1, #0x0901, lsl #16\nldr w0, [x1, #0x800]\n"
# Of each: guests, as the options of vspe run, a program, and what X0 is then; and what other commands have to print.
RECIPES = {
    "Add an instruction": ([("", "mov x1, #5\n.inst 0xdac0fc20 // MADE_UP X0, X1\n", 26)], []),
    "Add a choice of the machine": (
        [("", READ_MADE_UP, 5), ("--made-up 7", READ_MADE_UP, 7)],
        [("run --help all", "      --made-up N       a number for the guest, 1 to 9\n")]),
    "Add a core": (
        [("--cpu made-up", "mrs x0, midr_el1\n", 0xf0dd0), ("--cpu made-up", "mrs x0, id_aa64isar0_el1\nand x0, x0, #0xf0\n", 0x20)],
        [("run --cpu help", "\nmade-up          made up\n")]),
    "Add a device": ([("", "movz x1, #0x0907, lsl #16\nmov w2, #0xf0\nstr w2, [x1]\nldr w0, [x1]\n", 0xffffff0f)], []),
    "Add a register of SPE": (
        [("--spe v1p2", WRITE_ALL_ONES, 0xff), ("--spe v1p4", WRITE_ALL_ONES, 0x10ff)],
        [("explain PMMADEUP_EL1 read --el 1", "Outcome: read of PMMADEUP_EL1\n"),
         ("explain S3_0_C9_C10_6 write --el 1 --set MDCR_EL2.E2PB=0", "Outcome: exception to EL2, EC 0x18, ISS 0x3c2414"),
         ("explain PMMADEUP_EL1 read --el 1 --set HDFGRTR_EL2.PMMADEUP_EL1=1", "Outcome: exception to EL2"),
         ("explain PMMADEUP_EL1 write --el 2 --set MDCR_EL3.NSPB=0", "Outcome: exception to EL3"),
         ("conform --only PMMADEUP_EL1", " 10 passed, 0 failed, 0 skipped"),
         ("run --tap --timeout 60 --el 2 TRAPS", "\nok 10 - traps: EL1: each bit of HDFGRTR_EL2 and HDFGWTR_EL2\n")]),
}
# X0 == WANT: "ok 1", else "not ok 1", on the PL011; then PSCI SYSTEM_OFF.
JUDGE = """
	ldr x1, ={want}
	cmp x0, x1
	adr x1, good
	adr x2, bad
	csel x1, x1, x2, eq
	mov x2, #0x09000000
1:	ldrb w0, [x1], #1
	cbz w0, 2f
	str w0, [x2]
	b 1b
2:	movz x0, #8
	movk x0, #0x8400, lsl 16
	hvc #0
good:	.asciz "1..1\\nok 1 - made up\\n"
bad:	.asciz "1..1\\nnot ok 1 - made up\\n"
	.balign 8
	.ltorg
	.space 64
"""


def run(command, **options):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if result.returncode:
        print(result.stdout[-4000:])
        sys.exit(f"not ok - {' '.join(command)}: exit code {result.returncode}")
    return result.stdout


def patches(document, heading):
    """The patch that is linked below a heading."""
    section = re.search(rf"^## {heading}$(.*?)(?=^## |\Z)", document, re.MULTILINE | re.DOTALL)
    found = re.search(r"\]\(\.\./(tests/recipes/\w+\.patch)\)", section[1]) if section else None
    if not found:
        sys.exit(f"not ok - docs/recipes.md has no patch below \"{heading}\"")
    with open(os.path.join(ROOT, found[1]), encoding="utf-8") as file:
        return file.read()


def assemble(folder, program):
    source, code, image = (os.path.join(folder, f"guest.{kind}") for kind in ("s", "o", "Image"))
    with open(source, "w", encoding="utf-8") as file:
        file.write(program)
    run(["aarch64-linux-gnu-as", source, "-o", code])
    run(["aarch64-linux-gnu-objcopy", "-O", "binary", code, image])
    return image


def main():
    with open(os.path.join(ROOT, "docs", "recipes.md"), encoding="utf-8") as file:
        document = file.read()
    with tempfile.TemporaryDirectory() as work:
        tree = os.path.join(work, "tree")
        run([os.path.join(ROOT, "tools", "copy-tree"), tree])
        for heading in RECIPES:
            run(["patch", "-p1", "--fuzz=0", "-d", tree], input=patches(document, heading))
            print(f"ok - {heading}: the patch applies")
        run(PRESET, cwd=tree)
        run(["cmake", "--build", "--preset", "release", "--target", "vspe", f"guests/{TRAPS}", "-j", str(os.cpu_count())],
            cwd=tree)
        print("ok - they build")
        vspe, traps = (os.path.join(tree, "build", "release", name) for name in ("vspe", f"guests/{TRAPS}"))
        for heading, (guests, commands) in RECIPES.items():
            for options, program, want in guests:
                image = assemble(work, program + JUDGE.format(want=want))
                run([vspe, "run", "--tap", "--timeout", "60", *options.split(), image], stdin=subprocess.DEVNULL)
            for command, want in commands:
                output = run([vspe, *command.replace("TRAPS", traps).split()], stdin=subprocess.DEVNULL)
                if want not in output:
                    sys.exit(f"not ok - {heading}: vspe {command} does not print {want!r}, but\n{output}")
            print(f"ok - {heading}: it works")


if __name__ == "__main__":
    main()
