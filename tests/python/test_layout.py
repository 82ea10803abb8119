# SPDX-License-Identifier: BSD-2-Clause
"""What vspe.py declares is what the C compiler makes of the headers, and all that libvspe.so exports."""
import ctypes
import os
import pathlib
import re
import unittest

import vspe
from vspe import C


class Layout(unittest.TestCase):
    def test_structures_are_as_in_c(self):
        wanted = {}
        for structure in vspe.STRUCTURES:
            name = structure.C_NAME
            wanted[f"sizeof({name})"] = ctypes.sizeof(structure)
            for field, _ in structure._fields_:
                wanted[f"offsetof({name}, {field})"] = getattr(structure, field).offset
                wanted[f"sizeof((({name} *)0)->{field})"] = getattr(structure, field).size
        self.assertEqual(vspe.ask_compiler(list(wanted)), wanted)

    def test_every_member_is_declared(self):
        text = re.sub(r"/\*.*?\*/", "", vspe.headers(), flags=re.S)
        for structure in vspe.STRUCTURES:
            if structure is vspe.Config:
                continue  # declared from the table that C makes it of
            body = re.search(re.escape(structure.C_NAME) + r"\s*\{(.*?)\n\};", text, re.S)[1]
            members = []
            for declaration in body.split(";"):
                if "(*" in declaration:
                    members += re.findall(r"\(\*(\w+)\)", declaration)
                elif declaration.strip():
                    members += [re.search(r"(\w+)(?:\[.*\])?\s*$", part)[1] for part in declaration.split(",")]
            self.assertEqual(members, [name for name, _ in structure._fields_], structure.C_NAME)

    def test_every_structure_is_declared(self):
        names = set(re.findall(r"^(struct (?:spe|sysreg|pmu|a64)_\w+) \{", vspe.headers(), re.M))
        self.assertEqual(names - {"struct spe_unit", "struct spe_decoder", "struct pmu_unit"}, {structure.C_NAME for structure in vspe.STRUCTURES})


class Exports(unittest.TestCase):
    def test_every_function_is_declared(self):
        text = pathlib.Path(os.environ["VSPE_MAP"]).read_text()
        self.assertEqual(sorted(re.findall(r"^\t(\w+);$", text, re.M)), sorted(vspe.FUNCTIONS))

    def test_functions_have_as_many_arguments_as_in_c(self):
        text = re.sub(r"/\*.*?\*/", "", vspe.headers(), flags=re.S)
        for name, (_, *arguments) in vspe.FUNCTIONS.items():
            declared = re.search(r"\b" + name + r"\(([^;]*)\);", text)[1]
            self.assertEqual(len(arguments), 0 if declared == "void" else len(declared.split(",")), name)

    def test_internal_functions_cannot_be_called(self):
        for name in ("spe_refresh", "spe_derive", "spe_record_build", "spe_interval_sync", "sysreg_rules", "pmu_count", "a64_find"):
            with self.assertRaises(AttributeError):
                getattr(vspe.lib, name)

    def test_the_library_is_of_the_headers_version(self):
        self.assertEqual(vspe.lib.vspe_version(), C.VSPE_VERSION)
        self.assertEqual(vspe.lib.spe_unit_size(), C.SPE_UNIT_SIZE)

    def test_there_are_constants(self):
        self.assertEqual((C.SPE_V1P0, C.SPE_V1P5), (1, 6))
        self.assertEqual(C.SPE_OP_LOAD, 2)
        self.assertEqual(C.SYSREG_FEAT_EL3, 1 << 13)


if __name__ == "__main__":
    unittest.main()
