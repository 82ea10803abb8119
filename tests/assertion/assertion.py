#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""assertion.py BUILD ON: assertions (sysreg/assertion.h) are evaluated where they are on, and not where they are off. Each
build for finding errors has them on, and none that is for users."""
import json
import os
import re
import signal
import subprocess
import sys
import unittest

BUILD, ON = sys.argv[1], sys.argv[2] == "1"
TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FALSE = r"vspe: assertion failed: .*assertion\.c:\d+: two == three \(0x2, 0x3\)\n"


def end(name):
    """How the program of that name ends: (what it printed, on standard error, status)."""
    done = subprocess.run([os.path.join(BUILD, "tests", "assertion", f"assertion_{name}")], capture_output=True, text=True, check=False)
    return done.stdout, done.stderr, done.returncode


class Assertion(unittest.TestCase):
    def failed(self, ended):
        printed, error, status = ended
        self.assertEqual((printed, status), ("1 evaluated\n", -signal.SIGABRT))
        self.assertRegex(error, f"^{FALSE}$")

    def test_a_false_one_names_itself_and_its_values(self):
        self.failed(end("message"))

    def test_it_is_a_trap_where_nothing_prints(self):
        printed, error, status = end("trap")
        self.assertEqual((printed, error), ("1 evaluated\n", ""))
        self.assertIn(status, (-signal.SIGILL, -signal.SIGTRAP))

    def test_none_is_evaluated_without(self):
        self.assertEqual(end("off"), ("0 evaluated\n", "", 0))

    def test_this_build(self):
        if ON:
            self.failed(end("here"))
        else:
            self.assertEqual(end("here"), ("0 evaluated\n", "", 0))

    def test_the_libraries_of_this_build(self):
        listed = subprocess.run(["nm", os.path.join(BUILD, "spe", "libvspe.a")], capture_output=True, text=True, check=True).stdout
        self.assertEqual(bool(re.search(r" w vspe_assertion_failed$", listed, re.M)), ON)

    def test_the_presets(self):
        with open(os.path.join(TOP, "CMakePresets.json"), encoding="utf-8") as presets:
            for preset in json.load(presets)["configurePresets"]:
                has = preset["cacheVariables"]
                wanted = preset["name"] == "storm" or has.get("CMAKE_BUILD_TYPE") == "Debug" or \
                    any(has.get(f"VSPE_{what}") == "ON" for what in ("SANITIZE", "TSAN", "FUZZ"))
                with self.subTest(preset["name"]):
                    self.assertEqual(has.get("VSPE_ASSERT") == "ON", wanted)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
