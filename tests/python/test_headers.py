# SPDX-License-Identifier: BSD-2-Clause
"""What reads the public headers without compiling them (cffi, bindgen) finds every constant in them."""
import re
import subprocess
import unittest

import vspe

LITERAL = re.compile(r"(0x[0-9a-f]+|[0-9]+)(u|ull)?")
ALL = "#include <vspe/sysreg.h>\n#include <vspe/spe.h>\n#include <vspe/a64.h>\n#include <vspe/decode.h>\n#include <vspe/pmu.h>\n#include <vspe/model.h>\n"
COMPARED = "VSPE_VERSION"  # in #if, and so no enumerator; it is made of three literals
LIBC = "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n"


def preprocess(text, *options):
    command = [vspe.CC, "-E", *options, "-x", "c", "-"] + ["-I" + folder for folder in vspe.INCLUDES]
    return subprocess.run(command, input=text, check=True, stdout=subprocess.PIPE, text=True).stdout


def macros(text):
    """The macros that a source ends with: name, or name with parameters, to value."""
    lines = preprocess(text, "-dM").splitlines()
    return dict(re.fullmatch(r"#define (\w+(?:\([^)]*\))?) ?(.*)", line).groups() for line in lines)


class Headers(unittest.TestCase):
    def setUp(self):
        before = macros(LIBC)
        self.own = {name: value for name, value in macros(LIBC + ALL).items() if name not in before}

    def test_a_macro_is_a_literal_without_parameters(self):
        guards = {name for name in self.own if name.endswith("_H")}
        self.assertEqual(guards, {f"VSPE_{name}_H" for name in
                                  ("SYSREG", "SYSREG_NAMES", "SPE", "PMU", "SPE_CONFIG", "SPE_CORE", "DECODE", "A64", "MODEL", "VERSION")})
        for name, value in self.own.items():
            if name.endswith("(V,x)"):  # what there is to choose from, by names of enumerators
                continue
            self.assertNotIn("(", name)
            if name not in guards and name != COMPARED:
                self.assertRegex(value, "^" + LITERAL.pattern + "$", name)

    def test_a_mask_is_of_its_field(self):
        text = preprocess(LIBC + "#include <vspe/sysreg.h>\n", "-P")
        enumerated = {name: int(value) for name, value in re.findall(r"(SYSREG_\w+) = ([0-9]+),", text)}
        masks = [name for name in self.own if name.endswith("_MASK")]
        self.assertGreater(len(masks), 100)
        for name in masks:
            lsb, width = (enumerated[name[:-len("MASK")] + what] for what in ("LSB", "WIDTH"))
            self.assertEqual(int(LITERAL.fullmatch(self.own[name])[1], 0), (1 << width) - 1 << lsb, name)


if __name__ == "__main__":
    unittest.main()
