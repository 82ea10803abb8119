#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""recipes.py: do what docs/ARCHITECTURE.md says of adding things, and see that they work.

The fences ```diff below a heading of RECIPES are patches. They are applied to a copy of the tree, which is built. Then a
guest uses what was added: its program is assembled, and has to leave the number that is given in X0.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PRESET = ["cmake", "--preset", "release", "-DBUILD_TESTING=OFF"]
# What is added: a program, and what X0 is then.
RECIPES = {
    "Add an instruction": ("mov x1, #5\n.inst 0xdac0fc20 // MADE_UP X0, X1\n", 26),
    "Add a device": ("movz x1, #0x0907, lsl #16\nmov w2, #0xf0\nstr w2, [x1]\nldr w0, [x1]\n", 0xffffff0f),
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
    """The patches below a heading."""
    section = re.search(rf"^## {heading}$(.*?)(?=^## |\Z)", document, re.MULTILINE | re.DOTALL)
    found = re.findall(r"^```diff\n(.*?)^```$", section[1], re.MULTILINE | re.DOTALL) if section else []
    if not found:
        sys.exit(f"not ok - docs/ARCHITECTURE.md has no patch below \"{heading}\"")
    return "".join(found)


def copy_tree(to):
    files = run(["git", "-C", ROOT, "ls-files", "-z"]).split("\0")
    for name in filter(None, files):
        if os.path.exists(os.path.join(ROOT, name)):
            os.makedirs(os.path.dirname(os.path.join(to, name)), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, name), os.path.join(to, name))


def main():
    with open(os.path.join(ROOT, "docs", "ARCHITECTURE.md"), encoding="utf-8") as file:
        document = file.read()
    with tempfile.TemporaryDirectory() as work:
        tree = os.path.join(work, "tree")
        copy_tree(tree)
        for heading in RECIPES:
            run(["patch", "-p1", "--fuzz=0", "-d", tree], input=patches(document, heading))
            print(f"ok - {heading}: the patch applies")
        run(PRESET, cwd=tree)
        run(["cmake", "--build", "--preset", "release", "--target", "vspe", "-j", str(os.cpu_count())], cwd=tree)
        print("ok - they build")
        for heading, (program, want) in RECIPES.items():
            source, image = (os.path.join(work, name) for name in ("guest.s", "guest.Image"))
            with open(source, "w", encoding="utf-8") as file:
                file.write(program + JUDGE.format(want=want))
            run(["aarch64-linux-gnu-as", source, "-o", os.path.join(work, "guest.o")])
            run(["aarch64-linux-gnu-objcopy", "-O", "binary", os.path.join(work, "guest.o"), image])
            run([os.path.join(tree, "build", "release", "vspe"), "run", "--tap", "--timeout", "60", image],
                stdin=subprocess.DEVNULL)
            print(f"ok - {heading}: it works")


if __name__ == "__main__":
    main()
