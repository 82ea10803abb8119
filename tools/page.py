#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The style and the script of the page of vspe report --html, as C, with a policy that allows these two and nothing
else.

tools/page.py OUT STYLE SCRIPT

Comments on separate lines and indentation are left out. The policy has the SHA-256 of each (Content Security Policy
Level 3, 6.7.3.3), so that they work without 'unsafe-inline', and a script smuggled in by a name does not."""
import base64
import hashlib
import sys
from pathlib import Path

from write_changed import write_changed


def shown(path):
    lines = [line.strip() for line in Path(path).read_text().splitlines()]
    return "\n".join(line for line in lines if line and not line.startswith("//") and not (line[:2] == "/*" and line[-2:] == "*/")) + "\n"


def literal(name, text):
    quoted = (line.replace("\\", "\\\\").replace('"', '\\"') for line in text.splitlines())
    return f"static const char {name}[] =\n" + "".join(f'\t"{line}\\n"\n' for line in quoted).rstrip() + ";\n"


def source(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def main():
    out, style, script = sys.argv[1], shown(sys.argv[2]), shown(sys.argv[3])
    if "</" in script or "</" in style:
        sys.exit("tools/page.py: </ would end the element")
    policy = f"default-src 'none'; style-src {source(style)}; script-src {source(script)}; base-uri 'none'; form-action 'none'"
    write_changed(out, "/* Made by tools/page.py. */\n" + literal("page_style", style) + literal("page_script", script) +
                  f'static const char page_policy[] = "{policy}";\n')


main()
